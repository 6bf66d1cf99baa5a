//! One row version by its TID (`heap_fetch`, src/backend/access/heap/heapam.c): no chain is followed, nothing is
//! pruned.

use crate::access::heap::conflict::is_only_locked;
use crate::access::heap::heap_tuple;
use crate::access::heap::visibility::{
    Snapshot, heap_check_for_serializable_conflict_out, heap_tuple_get_update_xid, heap_tuple_satisfies_visibility,
};
use crate::storage::{Buffer, Instance, MvccSnapshot, Outcome, RelationData};
use ffviz_format::heap::infomask::HEAP_XMAX_INVALID;
use ffviz_format::heap::{HeapTuple, MOVED_PARTITIONS};
use ffviz_format::page::{ForkNumber, ItemPointer};

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

/// `heap_get_latest_tid`: the version of a row that the snapshot sees, from one on.
///
/// # Errors
/// As [`heap_fetch`].
pub fn heap_get_latest_tid(
    pg: &mut Instance,
    rel: &RelationData,
    from: ItemPointer,
    snapshot: &MvccSnapshot,
) -> Outcome<ItemPointer> {
    let (mut latest, mut at, mut prior_xmax) = (from, from, None);
    loop {
        let buf = Buffer::main(rel.file, at.block);
        if at.block >= pg.buffers.nblocks(rel.file, ForkNumber::Main) {
            return Ok(latest);
        }
        pg.read_buffer(buf);
        let Some(mut tuple) = heap_tuple(pg, buf, at.offset) else { return Ok(latest) };
        if prior_xmax.is_some_and(|xmax| xmax != tuple.t_xmin) {
            return Ok(latest);
        }
        let visible = heap_tuple_satisfies_visibility(pg, &mut tuple, buf, Snapshot::Mvcc(snapshot));
        heap_check_for_serializable_conflict_out(pg, &mut tuple, buf, visible)?;
        if visible {
            latest = at;
        }
        let is_last = tuple.t_infomask & HEAP_XMAX_INVALID != 0
            || is_only_locked(pg, &tuple)
            || tuple.t_ctid == at
            || tuple.t_ctid == MOVED_PARTITIONS;
        if is_last {
            return Ok(latest);
        }
        prior_xmax = Some(heap_tuple_get_update_xid(pg, &tuple));
        at = tuple.t_ctid;
    }
}
