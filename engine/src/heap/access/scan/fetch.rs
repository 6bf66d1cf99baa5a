//! One row version by its TID (`heap_fetch`, src/backend/access/heap/heapam.c): no chain is followed, nothing is pruned.

use crate::heap::HeapTuple;
use crate::heap::access::heap_tuple;
use crate::heap::access::visibility::{Snapshot, heap_tuple_satisfies_visibility};
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
    heap_tuple_satisfies_visibility(pg, &mut tuple, buf, snapshot).then_some(tuple)
}
