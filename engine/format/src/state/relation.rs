//! A relation as the catalogs describe it: `pg_class`, `pg_attribute`, `pg_index` and the statistics.

use crate::datum::Attribute;
use crate::page::{BlockNumber, ForkNumber, Oid};
use crate::wal::RelFileLocator;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// `relkind`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RelKind {
    /// ordinary table
    #[serde(rename = "r")]
    Table,
    /// index
    #[serde(rename = "i")]
    Index,
    /// sequence
    #[serde(rename = "S")]
    Sequence,
    /// TOAST table
    #[serde(rename = "t")]
    Toast,
    /// materialized view
    #[serde(rename = "m")]
    MaterializedView,
    /// the undo segment of an undo engine
    #[serde(rename = "u")]
    Undo,
    /// partitioned table, which has no pages of its own
    #[serde(rename = "p")]
    PartitionedTable,
    /// its index, which has none either
    #[serde(rename = "I")]
    PartitionedIndex,
}

impl RelKind {
    /// In words.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Index => "index",
            Self::Sequence => "sequence",
            Self::Toast => "TOAST table",
            Self::MaterializedView => "materialized view",
            Self::Undo => "undo segment",
            Self::PartitionedTable => "partitioned table",
            Self::PartitionedIndex => "partitioned index",
        }
    }
}

/// How its pages are to be read: `pg_am.amname`, or `sequence`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum AccessMethod {
    /// heap pages
    Heap,
    /// nbtree pages
    Btree,
    /// a sequence's single page
    Sequence,
    /// pages of the undo engine: of its tables, and of its undo
    Undo,
    /// one that ffviz draws as bytes only; its name
    Other(String),
}

impl From<String> for AccessMethod {
    fn from(name: String) -> Self {
        match name.as_str() {
            "heap" => Self::Heap,
            "btree" => Self::Btree,
            "sequence" => Self::Sequence,
            "undo" => Self::Undo,
            _ => Self::Other(name),
        }
    }
}

impl From<AccessMethod> for String {
    fn from(method: AccessMethod) -> Self {
        match method {
            AccessMethod::Heap => "heap".into(),
            AccessMethod::Btree => "btree".into(),
            AccessMethod::Sequence => "sequence".into(),
            AccessMethod::Undo => "undo".into(),
            AccessMethod::Other(name) => name,
        }
    }
}

/// Lengths of the forks in blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ForkBlocks {
    /// main fork
    pub main: BlockNumber,
    /// free space map
    pub fsm: BlockNumber,
    /// visibility map
    pub vm: BlockNumber,
    /// init fork
    pub init: BlockNumber,
}

impl ForkBlocks {
    /// Sets the length of one fork.
    pub const fn set(&mut self, fork: ForkNumber, blocks: BlockNumber) {
        match fork {
            ForkNumber::Main => self.main = blocks,
            ForkNumber::Fsm => self.fsm = blocks,
            ForkNumber::Vm => self.vm = blocks,
            ForkNumber::Init => self.init = blocks,
        }
    }

    /// Length of one fork in blocks.
    #[must_use]
    pub const fn of(&self, fork: ForkNumber) -> BlockNumber {
        match fork {
            ForkNumber::Main => self.main,
            ForkNumber::Fsm => self.fsm,
            ForkNumber::Vm => self.vm,
            ForkNumber::Init => self.init,
        }
    }
}

/// `pg_index`, and which table columns decide whether an UPDATE touches the index.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct IndexColumns {
    /// `indisunique`
    pub unique: bool,
    /// `indisprimary`
    pub primary: bool,
    /// `indnkeyatts`
    pub n_keys: u16,
    /// `indkey`: `attnum` of the table's columns, 0 for an expression
    pub columns: Vec<u16>,
    /// `attnum` of every table column in keys, INCLUDE, expressions and predicate, ascending
    pub depends: Vec<u16>,
    /// does it only summarise block ranges (BRIN)? From 16 on such an index does not prevent HOT
    pub summarizing: bool,
    /// `pg_get_indexdef`
    pub definition: String,
}

/// What the statistics say (`pg_stat_all_tables`, `pg_class`); estimates, marked as such where shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RelationStats {
    /// `n_live_tup`
    pub n_live_tup: i64,
    /// `n_dead_tup`
    pub n_dead_tup: i64,
    /// `n_tup_upd`
    pub n_tup_upd: i64,
    /// `n_tup_hot_upd`
    pub n_tup_hot_upd: i64,
    /// `pg_class.relallvisible`
    pub relallvisible: i64,
}

/// A table, index, sequence, TOAST table or materialized view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relation {
    /// `pg_class.oid`
    pub oid: Oid,
    /// `nspname`
    pub schema: String,
    /// `relname`, unquoted
    pub name: String,
    /// `relkind`
    pub kind: RelKind,
    /// `pg_am.amname`
    pub am: AccessMethod,
    /// for an index or a TOAST table: the table it belongs to
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Oid>,
    /// `relfilenode`: changes when the relation is rewritten or truncated
    #[serde(default)]
    pub filenode: Oid,
    /// `pg_database.oid`; 0: not known, or a shared relation
    #[serde(default, skip_serializing_if = "is_zero")]
    pub database: Oid,
    /// `pg_tablespace.oid` of its files; 0: not known
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tablespace: Oid,
    /// reloption `fillfactor`, where it is set
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fillfactor: Option<u8>,
    /// lengths
    pub blocks: ForkBlocks,
    /// all columns, dropped ones too
    pub attributes: Vec<Attribute>,
    /// of an index
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<IndexColumns>,
    /// where the statistics were read
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stats: Option<RelationStats>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
const fn is_zero(oid: &Oid) -> bool {
    *oid == 0
}

impl Relation {
    /// Its name as it is told: with the schema, where that is one of the script's or the user's own. Names in pg_toast
    /// are of one table each.
    #[must_use]
    pub fn told(&self) -> Cow<'_, str> {
        match self.schema.as_str() {
            "" | "public" | "pg_toast" => Cow::Borrowed(&self.name),
            schema => Cow::Owned(format!("{schema}.{}", self.name)),
        }
    }

    /// Is this the file that WAL names so? Where a recording does not say its database and tablespace, the file's
    /// number decides.
    #[must_use]
    pub const fn is_file(&self, file: RelFileLocator) -> bool {
        self.filenode == file.rel
            && (self.database == 0 || self.database == file.db)
            && (self.tablespace == 0 || self.tablespace == file.spc)
    }

    /// Is this block in the files of the relation, as far as it goes back to what `other` says of the relation at
    /// another moment? After TRUNCATE or a rewrite the file is another one.
    #[must_use]
    pub fn keeps(&self, other: &Self, fork: ForkNumber, block: BlockNumber) -> bool {
        self.filenode == other.filenode && block < self.blocks.of(fork)
    }
}
