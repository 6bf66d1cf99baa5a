//! A relation as the access methods need it: `RelationData` (src/include/utils/rel.h).

use super::buffers::{BLCKSZ, FileId};
use crate::access::gist::{GistClass, GistOp};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::TupleDesc;
use ffviz_format::page::{Oid, TransactionId};
use ffviz_format::state::RelKind;

/// A column of a table that an index depends on: what it means that an UPDATE changes it
/// (`RelationGetIndexAttrBitmap`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexedColumn {
    /// the table's column
    pub attnum: u16,
    /// `INDEX_ATTR_BITMAP_HOT_BLOCKING`; before 16 `INDEX_ATTR_BITMAP_ALL`: some index needs a new entry
    pub hot_blocking: bool,
    /// `INDEX_ATTR_BITMAP_SUMMARIZED`: so does one that summarizes ranges of blocks
    pub summarized: bool,
    /// `INDEX_ATTR_BITMAP_KEY`: it is of a key that a foreign key could lead to
    pub key: bool,
}

/// A key column of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexKey {
    /// the table's column; 0: an expression
    pub attnum: u16,
    /// `INDOPTION_DESC`
    pub desc: bool,
    /// `INDOPTION_NULLS_FIRST`
    pub nulls_first: bool,
    /// `text_pattern_ops` and its like: the order of bytes, which is not that of `<`
    pub pattern: bool,
}

/// `pg_index`, as the access methods need it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a column of pg_index by its own name")]
pub struct IndexForm {
    /// `indrelid`
    pub table: Oid,
    /// `indisunique`
    pub unique: bool,
    /// `indisprimary`
    pub primary: bool,
    /// of a constraint's index: when is it looked for duplicates?
    pub deferrable: Deferrable,
    /// `indnullsnotdistinct`: may there be but one NULL?
    pub nulls_not_distinct: bool,
    /// `amsummarizing`: BRIN
    pub summarizing: bool,
    /// of a GiST index
    pub gist: Option<GistForm>,
    /// key columns first, then those of INCLUDE
    pub columns: Vec<IndexKey>,
    /// `indnkeyatts`
    pub n_keys: u16,
    /// does it have a predicate? (What it says is known above the access methods.)
    pub partial: bool,
    /// reloption `deduplicate_items`
    pub deduplicate_items: bool,
    /// `indcheckxmin`: the transaction that made its row of `pg_index`. To snapshots that do not take it for ended, HOT
    /// chains may be broken
    pub check_xmin: Option<TransactionId>,
    /// neither `indisvalid` nor `indisready`: it was not built, and has no entries
    pub invalid: bool,
    /// `pg_get_indexdef_columns`: the keys as messages name them; `None` where one is an expression that is not told
    pub key_names: Option<String>,
}

impl IndexForm {
    /// Is it a B-tree?
    #[must_use]
    pub const fn is_btree(&self) -> bool {
        !self.summarizing && self.gist.is_none()
    }
}

/// What a GiST index has besides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GistForm {
    /// the operator class of each key
    pub classes: Vec<GistClass>,
    /// the types of the columns
    pub types: Vec<Oid>,
    /// `conexclop`: what no two rows may be to each other; none of an index without a constraint
    pub operators: Vec<GistOp>,
    /// `conperiod`: of a key WITHOUT OVERLAPS
    pub without_overlaps: bool,
}

/// `condeferrable`, `condeferred`: when a constraint is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Deferrable {
    /// NOT DEFERRABLE: a foreign key at the end of the statement, a key with each row
    #[default]
    No,
    /// DEFERRABLE: at the end of the statement, unless SET CONSTRAINTS says otherwise
    Immediate,
    /// INITIALLY DEFERRED: at the end of the transaction, unless SET CONSTRAINTS says otherwise
    Deferred,
}

/// `relreplident`: what of an old row is in the records of UPDATE and DELETE under `wal_level` logical.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReplicaIdentity {
    /// the primary key
    #[default]
    Default,
    /// the columns of this unique index (`indisreplident`)
    Index(Oid),
    /// all of the row
    Full,
    /// nothing
    Nothing,
}

/// `StdRdOptions`: what VACUUM does with a table unless it is told otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VacuumOptions {
    /// reloption `vacuum_truncate`, where it is set
    pub truncate: Option<bool>,
    /// reloption `vacuum_index_cleanup`; `None`: auto
    pub index_cleanup: Option<bool>,
}

/// `rd_tableam`: how the rows of a table are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TableAm {
    /// PostgreSQL's: an UPDATE makes a new version
    #[default]
    Heap,
    /// an UPDATE changes the row in place, old values go to undo pages
    Undo,
}

/// What the access methods need of a relation.
#[derive(Debug, Clone)]
pub struct RelationData {
    /// `rd_id`
    pub oid: Oid,
    /// `relname`
    pub name: String,
    /// `relkind`
    pub kind: RelKind,
    /// `rd_locator`: its file
    pub file: FileId,
    /// `rd_tableam`
    pub am: TableAm,
    /// `relpersistence` is not `u`
    pub permanent: bool,
    /// the transaction that made the file, while it runs (`rd_createSubid`, `rd_firstRelfilelocatorSubid`)
    pub created_by: Option<TransactionId>,
    /// `rd_att`: all columns, dropped ones too
    pub desc: Arc<TupleDesc>,
    /// reloption `fillfactor`, where it is set
    pub fillfactor: Option<u8>,
    /// reloption `toast_tuple_target`
    pub toast_tuple_target: u16,
    /// reloptions about VACUUM
    pub vacuum: VacuumOptions,
    /// `relreplident`
    pub replica_identity: ReplicaIdentity,
    /// `reltoastrelid`
    pub toast: Option<Oid>,
    /// indexes of the table, by oid (`RelationGetIndexList`)
    pub indexes: Vec<Oid>,
    /// the columns that they depend on, by `attnum`
    pub indexed: Vec<IndexedColumn>,
    /// of an index
    pub index: Option<IndexForm>,
}

impl RelationData {
    /// Is it an index that was not built?
    #[must_use]
    pub fn is_invalid(&self) -> bool {
        self.index.as_ref().is_some_and(|form| form.invalid)
    }

    /// `RelationGetTargetPageFreeSpace`: bytes of a heap page that INSERT leaves free.
    #[must_use]
    pub const fn target_page_free_space(&self) -> u16 {
        let fillfactor = match self.fillfactor {
            Some(percent) => percent as u32,
            None => 100,
        };
        (BLCKSZ as u32 * (100 - fillfactor) / 100) as u16
    }
}
