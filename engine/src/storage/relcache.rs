//! A relation as the access methods need it: `RelationData` (src/include/utils/rel.h).

use super::RelKind;
use super::buffers::{BLCKSZ, FileId};
use crate::datum::TupleDesc;
use crate::page::{Oid, TransactionId};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::iter;

/// A set of columns by `attnum`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AttrSet(Vec<u64>);

impl AttrSet {
    /// Adds a column.
    pub fn insert(&mut self, attnum: u16) {
        let word = usize::from(attnum / 64);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (attnum % 64);
    }

    /// Is the column in it?
    #[must_use]
    pub fn contains(&self, attnum: u16) -> bool {
        self.0.get(usize::from(attnum / 64)).is_some_and(|word| word >> (attnum % 64) & 1 == 1)
    }

    /// No column at all?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// Have both a column in common?
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// The columns that any of these sets has, in order.
    pub fn of_any<'a>(sets: &'a [&'a Self]) -> impl Iterator<Item = u16> + 'a {
        let words = sets.iter().map(|set| set.0.len()).max().unwrap_or(0);
        (0..words).flat_map(|at| {
            let mut word = sets.iter().filter_map(|set| set.0.get(at)).fold(0, |all, word| all | word);
            iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros())?;
                word &= word - 1;
                Some(at as u16 * 64 + bit as u16)
            })
        })
    }

    /// The columns in order.
    pub fn iter(&self) -> impl Iterator<Item = u16> {
        (0..self.0.len() as u16 * 64).filter(|attnum| self.contains(*attnum))
    }
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
    /// `amsummarizing`: BRIN
    pub summarizing: bool,
    /// key columns first, then those of INCLUDE
    pub columns: Vec<IndexKey>,
    /// `indnkeyatts`
    pub n_keys: u16,
    /// does it have a predicate? (What it says is known above the access methods.)
    pub partial: bool,
    /// reloption `deduplicate_items`
    pub deduplicate_items: bool,
    /// `indcheckxmin`: the transaction that made its row of `pg_index`. To snapshots that do not take it for ended, HOT chains may be broken
    pub check_xmin: Option<TransactionId>,
    /// `pg_get_indexdef_columns`: the keys as messages name them; `None` where one is an expression that is not told
    pub key_names: Option<String>,
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
    /// `relreplident`
    pub replica_identity: ReplicaIdentity,
    /// `reltoastrelid`
    pub toast: Option<Oid>,
    /// indexes of the table, by oid (`RelationGetIndexList`)
    pub indexes: Vec<Oid>,
    /// `INDEX_ATTR_BITMAP_HOT_BLOCKING`; before 16 `INDEX_ATTR_BITMAP_ALL`
    pub hot_blocking: AttrSet,
    /// `INDEX_ATTR_BITMAP_SUMMARIZED`
    pub summarized: AttrSet,
    /// `INDEX_ATTR_BITMAP_KEY`
    pub key: AttrSet,
    /// of an index
    pub index: Option<IndexForm>,
}

impl RelationData {
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
