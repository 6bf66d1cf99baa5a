//! What files are called: a relation of the database that is asked, a file of another one, or its numbers.

use ffviz_format::page::{ForkNumber, Oid};
use ffviz_format::wal::{BlockTag, RelFileLocator};
use std::collections::BTreeMap;

/// Names of relations and databases, as far as they are known.
#[derive(Debug, Clone, Default)]
pub struct Names {
    relations: BTreeMap<RelFileLocator, (String, Oid)>,
    databases: BTreeMap<Oid, String>,
}

impl Names {
    /// Learns the name of a file, and of the table it serves.
    pub fn relation(&mut self, file: RelFileLocator, name: String, served: Oid) {
        self.relations.insert(file, (name, served));
    }

    /// Learns the name of a database.
    pub fn database(&mut self, oid: Oid, name: String) {
        self.databases.insert(oid, name);
    }

    /// Its name where it has one now; else the numbers by which WAL knows it.
    #[must_use]
    pub fn of(&self, file: RelFileLocator) -> String {
        match (self.relations.get(&file), self.databases.get(&file.db)) {
            (Some((name, _)), _) => name.clone(),
            (None, Some(database)) => format!("{database}/{}", file.rel),
            (None, None) => file.to_string(),
        }
    }

    /// Its name, only where it has one now.
    #[must_use]
    pub fn known(&self, file: RelFileLocator) -> Option<&str> {
        self.relations.get(&file).map(|(name, _)| name.as_str())
    }

    /// A page as `--page` takes it: `t:0`, `t/vm:0`.
    #[must_use]
    pub fn page(&self, tag: &BlockTag) -> String {
        let name = self.of(tag.locator);
        match tag.fork {
            ForkNumber::Main => format!("{name}:{}", tag.block),
            fork => format!("{name}/{}:{}", fork.name(), tag.block),
        }
    }

    /// The table that a file serves.
    #[must_use]
    pub fn served(&self, file: RelFileLocator) -> Option<Oid> {
        self.relations.get(&file).map(|(_, served)| *served)
    }
}
