//! Which columns an UPDATE changes, as far as indexes and keys care (`HeapDetermineColumnsInfo`, src/backend/access/heap/heapam.c).
//!
//! ```text
//!  stored bytes of the old version = stored bytes of the new one?     so `SET b = b` changes nothing, and a value compressed anew does
//! ```

use super::replica_identity::identity_key;
use crate::datum::FormedTuple;
use crate::storage::{AttrSet, Instance, RelationData};

/// What an UPDATE changes.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question about the same columns")]
pub(super) struct Modified {
    /// a column of an index that needs a new entry then: no HOT
    pub hot_blocking: bool,
    /// a column of a summarizing index
    pub summarized: bool,
    /// a column of a key that a foreign key could lead to
    pub key: bool,
    /// a column of the replica identity, or one that is stored in the TOAST table
    pub identity: bool,
}

/// `HeapDetermineColumnsInfo`; `old`: the whole tuple. The new version has its header already.
pub(super) fn heap_determine_columns_info(
    pg: &Instance,
    rel: &RelationData,
    old: &[u8],
    new: &FormedTuple,
) -> Modified {
    let mut modified = Modified::default();
    let identity = identity_key(pg, rel);
    let sets = [&rel.hot_blocking, &rel.summarized, &rel.key, &identity];
    for attnum in AttrSet::of_any(&sets).filter(|attnum| (1..=new.natts).contains(attnum)) {
        let index = usize::from(attnum) - 1;
        let has = |set: &AttrSet| set.contains(attnum);
        if rel.desc.attr_equals(old, &new.bytes, index) {
            modified.identity |= has(&identity) && rel.desc.is_external(old, index);
        } else {
            modified.hot_blocking |= has(&rel.hot_blocking);
            modified.summarized |= has(&rel.summarized);
            modified.key |= has(&rel.key);
            modified.identity |= has(&identity);
        }
    }
    modified
}
