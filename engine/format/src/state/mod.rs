//! What is known of a cluster at one moment: its relations, their forks, and the pages that were read.

mod relation;

pub use relation::{AccessMethod, ForkBlocks, IndexColumns, RelKind, Relation, RelationStats};

use crate::page::{BlockNumber, ForkNumber, Lsn, Oid, Page, PgVersion};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::fmt;
use serde::{Deserialize, Serialize};

/// Which page of which fork of which relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageId {
    /// `pg_class.oid`
    pub relation: Oid,
    /// the file
    pub fork: ForkNumber,
    /// the block in it
    pub block: BlockNumber,
}

impl fmt::Display for PageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.relation, self.fork.name(), self.block)
    }
}

/// The server that pages come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Server {
    /// `server_version_num`
    pub version: PgVersion,
    /// `block_size` in bytes
    pub block_size: u16,
    /// `data_checksums`
    pub data_checksums: bool,
    /// `wal_log_hints`, or data checksums: then the first hint bit on a page after a checkpoint is logged
    #[serde(default)]
    pub log_hints: bool,
}

/// All that is known of the relations at one moment: catalog facts and pages. Cloning shares the pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// where it comes from
    pub server: Server,
    /// by oid
    pub relations: BTreeMap<Oid, Arc<Relation>>,
    /// the pages that were read; a relation may have more
    pub pages: BTreeMap<PageId, Page>,
    /// WAL position at the capture, where it is known
    pub lsn: Option<Lsn>,
    /// system identifier of the cluster, where it is known: WAL leads only from one capture of a cluster to another of
    /// the same
    pub system_identifier: Option<u64>,
    /// redo pointer of the last checkpoint, where it is known: the first change of a page after it brings a full-page
    /// image
    pub redo: Option<Lsn>,
    /// time of the capture as ISO 8601, where it is known
    pub at: Option<String>,
    /// was row data replaced by filler of the same length?
    pub redacted: bool,
    /// of pages that were read from a relation's file, without a server: what is assumed
    pub file: Option<FromFile>,
}

/// What nobody told of the server whose file was read. Whether it has data checksums is assumed in any case: from the
/// pages themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FromFile {
    /// is the version a guess?
    pub version_is_assumed: bool,
}

impl State {
    /// A page as `--page` takes it: `t:0`, `t/vm:0`; by numbers where the relation is not known.
    #[must_use]
    pub fn page_name(&self, id: PageId) -> String {
        let Some(relation) = self.relations.get(&id.relation) else { return id.to_string() };
        match id.fork {
            ForkNumber::Main => format!("{}:{}", relation.told(), id.block),
            fork => format!("{}/{}:{}", relation.told(), fork.name(), id.block),
        }
    }

    /// Nothing known yet.
    #[must_use]
    pub const fn empty(server: Server) -> Self {
        Self {
            server,
            relations: BTreeMap::new(),
            pages: BTreeMap::new(),
            lsn: None,
            system_identifier: None,
            redo: None,
            at: None,
            redacted: false,
            file: None,
        }
    }

    /// The pages of one fork that are known, in block order.
    pub fn fork(&self, relation: Oid, fork: ForkNumber) -> impl Iterator<Item = (BlockNumber, &Page)> + Clone {
        let first = PageId { relation, fork, block: 0 };
        let last = PageId { relation, fork, block: BlockNumber::MAX };
        self.pages.range(first..=last).map(|(id, page)| (id.block, page))
    }

    /// The indexes of a table, by oid.
    pub fn indexes(&self, table: Oid) -> impl Iterator<Item = &Arc<Relation>> {
        self.relations.values().filter(move |r| r.kind == RelKind::Index && r.table == Some(table))
    }
}
