//! Statistics of several columns of a table: what the catalog says of them (`pg_statistic_ext`). What ANALYZE would
//! gather is not kept; it is known whether it has.

use super::Cluster;
use super::pg_class::Class;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::Oid;

/// A row of `pg_statistic_ext`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatisticsObject {
    /// `oid`
    pub oid: Oid,
    /// `stxnamespace`
    pub schema: String,
    /// `stxname`
    pub name: String,
    /// `stxkeys`
    pub columns: Vec<u16>,
    /// `stxstattarget`, where it is set
    pub target: Option<u16>,
    /// has ANALYZE gathered them, so that the planner asks them?
    pub built: bool,
}

impl Cluster {
    /// The one of that name, in that schema or in the first of `search_path` that has one, and its table.
    #[must_use]
    pub fn find_statistics(&self, schema: Option<&str>, name: &str) -> Option<(Oid, StatisticsObject)> {
        let in_schema = |schema: &str| {
            let is_it = |it: &&StatisticsObject| it.schema == schema && it.name == name;
            self.catalog
                .classes()
                .find_map(|class| Some((class.oid, class.statistics_objects.iter().find(is_it)?.clone())))
        };
        match schema {
            Some(schema) => in_schema(schema),
            None => self.search_path().into_iter().find_map(in_schema),
        }
    }

    /// `CreateStatistics`
    pub fn create_statistics(&mut self, table: Oid, schema: String, name: String, columns: Vec<u16>) {
        self.pg.current_xid();
        let oid = self.pg.new_object_id();
        self.change_statistics(table, |class| {
            let new = StatisticsObject { oid, schema, name, columns, target: None, built: false };
            class.statistics_objects.push(new);
        });
    }

    /// One of them is changed or goes.
    pub fn change_statistics(&mut self, table: Oid, change: impl FnOnce(&mut Class)) {
        self.pg.current_xid();
        self.edit_class(table, change);
        self.use_commands(1);
    }
}
