//! One row version by its TID (`heap_fetch`, src/backend/access/heap/heapam.c): no chain is followed, nothing is
//! pruned.

use crate::access::heap::heap_tuple;
use crate::access::heap::visibility::{
    Snapshot, heap_check_for_serializable_conflict_out, heap_tuple_satisfies_visibility,
};
use crate::storage::{Buffer, Instance, Outcome, RelationData};
use ffviz_format::heap::HeapTuple;
use ffviz_format::page::ItemPointer;

/// The row version at that place, where the snapshot sees it.
///
/// # Errors
/// Where a SERIALIZABLE transaction has to fail for what it reads.
pub fn heap_fetch(
    pg: &mut Instance,
    rel: &RelationData,
    tid: ItemPointer,
    snapshot: Snapshot<'_>,
) -> Outcome<Option<HeapTuple>> {
    let buf = Buffer::main(rel.file, tid.block);
    pg.read_buffer(buf);
    let Some(mut tuple) = heap_tuple(pg, buf, tid.offset) else { return Ok(None) };
    let visible = heap_tuple_satisfies_visibility(pg, &mut tuple, buf, snapshot);
    if matches!(snapshot, Snapshot::Mvcc(_)) {
        if visible {
            pg.predicate_lock_tid(rel, tid, tuple.t_xmin);
        }
        heap_check_for_serializable_conflict_out(pg, &mut tuple, buf, visible)?;
    }
    Ok(visible.then_some(tuple))
}
