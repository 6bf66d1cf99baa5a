//! Which columns an UPDATE changes, as far as indexes and keys care (`HeapDetermineColumnsInfo`,
//! src/backend/access/heap/heapam.c).
//!
//! ```text
//!  stored bytes of the old version = stored bytes of the new one?     so `SET b = b` changes nothing, and a value compressed anew does
//! ```

use super::record::is_logically_logged;
use super::replica_identity::identity_key;
use crate::storage::{Instance, RelationData};
use ffviz_format::datum::FormedTuple;

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
    let is_there = |attnum: &u16| (1..=new.natts).contains(attnum);
    let is_equal = |attnum: u16| rel.desc.attr_equals(old, &new.bytes, usize::from(attnum) - 1);
    let mut modified = Modified::default();
    for column in rel.indexed.iter().filter(|column| is_there(&column.attnum)) {
        if !is_equal(column.attnum) {
            modified.hot_blocking |= column.hot_blocking;
            modified.summarized |= column.summarized;
            modified.key |= column.key;
        }
    }
    if is_logically_logged(pg, rel) {
        let is_external = |attnum: u16| rel.desc.is_external(old, usize::from(attnum) - 1);
        let mut identity = identity_key(pg, rel).into_iter().filter(is_there);
        modified.identity = identity.any(|attnum| !is_equal(attnum) || is_external(attnum));
    }
    modified
}
