//! One row version by its TID (`heap_fetch`, src/backend/access/heap/heapam.c): no chain is followed, nothing is pruned.

use crate::heap::HeapTuple;
use crate::heap::access::heap_tuple;
use crate::heap::access::visibility::{
    Snapshot, heap_check_for_serializable_conflict_out, heap_tuple_satisfies_visibility,
};
use crate::page::ItemPointer;
use crate::storage::{Buffer, Instance, RelationData};

/// The row version at that place, where the snapshot sees it.
pub fn heap_fetch(
    pg: &mut Instance,
    rel: &RelationData,
    tid: ItemPointer,
    snapshot: Snapshot<'_>,
) -> Option<HeapTuple> {
    let buf = Buffer::main(rel.file, tid.block);
    let mut tuple = heap_tuple(pg, buf, tid.offset)?;
    let visible = heap_tuple_satisfies_visibility(pg, &mut tuple, buf, snapshot);
    if matches!(snapshot, Snapshot::Mvcc(_)) {
        heap_check_for_serializable_conflict_out(pg, buf, &[tid.offset]);
    }
    visible.then_some(tuple)
}
