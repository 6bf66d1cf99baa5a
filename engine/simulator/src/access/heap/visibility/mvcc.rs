//! `HeapTupleSatisfiesMVCC`: what a query sees, and command ids (`HeapTupleHeaderGetCmin`, `HeapTupleHeaderGetCmax`,
//! src/backend/utils/time/combocid.c).

use super::hint::{set_hint_bits, settle_xmin};
use super::multi::heap_tuple_get_update_xid;
use crate::storage::{Buffer, CommandId, Instance, MvccSnapshot};
use ffviz_format::heap::HeapTuple;
use ffviz_format::heap::infomask::{HEAP_COMBOCID, HEAP_XMAX_COMMITTED, HEAP_XMAX_INVALID};

/// Both command ids of a row version that the own transaction inserted and deleted.
fn combo_cid(pg: &Instance, tuple: &HeapTuple) -> Option<(CommandId, CommandId)> {
    let is_combo = tuple.t_infomask & HEAP_COMBOCID != 0;
    is_combo.then(|| pg.backend().combo_cids.get(tuple.t_field3 as usize).copied()).flatten()
}

/// `HeapTupleHeaderGetCmin`: the command of the own transaction that inserted the row version.
#[must_use]
pub fn heap_tuple_header_get_cmin(pg: &Instance, tuple: &HeapTuple) -> CommandId {
    combo_cid(pg, tuple).map_or(tuple.t_field3, |(cmin, _)| cmin)
}

/// `HeapTupleHeaderGetCmax`: the command of the own transaction that deleted the row version.
#[must_use]
pub fn heap_tuple_header_get_cmax(pg: &Instance, tuple: &HeapTuple) -> CommandId {
    combo_cid(pg, tuple).map_or(tuple.t_field3, |(_, cmax)| cmax)
}

/// `HeapTupleSatisfiesMVCC`
pub fn heap_tuple_satisfies_mvcc(
    pg: &mut Instance,
    tuple: &mut HeapTuple,
    buf: Buffer,
    snapshot: &MvccSnapshot,
) -> bool {
    if !tuple.is_xmin_committed() {
        if tuple.is_xmin_invalid() {
            return false;
        }
        if pg.is_current_xid(tuple.t_xmin) {
            return own_insert_is_visible(pg, tuple, buf, snapshot);
        }
        if pg.in_snapshot(tuple.t_xmin, snapshot) || !settle_xmin(pg, tuple, buf) {
            return false;
        }
    } else if !tuple.is_frozen() && pg.in_snapshot(tuple.t_xmin, snapshot) {
        return false;
    }
    !is_deleted(pg, tuple, buf, snapshot)
}

/// The own transaction inserted the row version: an earlier command, and has none deleted it since?
fn own_insert_is_visible(pg: &mut Instance, tuple: &mut HeapTuple, buf: Buffer, snapshot: &MvccSnapshot) -> bool {
    if heap_tuple_header_get_cmin(pg, tuple) >= snapshot.curcid {
        return false;
    }
    if tuple.is_xmax_invalid() || tuple.is_locked_only() {
        return true;
    }
    let xmax = heap_tuple_get_update_xid(pg, tuple);
    if pg.is_current_xid(xmax) {
        return heap_tuple_header_get_cmax(pg, tuple) >= snapshot.curcid;
    }
    // the subtransaction that deleted it must have aborted
    if !tuple.is_xmax_multi() {
        set_hint_bits(pg, tuple, buf, HEAP_XMAX_INVALID, None);
    }
    true
}

/// Has a transaction that the snapshot sees deleted the row version?
fn is_deleted(pg: &mut Instance, tuple: &mut HeapTuple, buf: Buffer, snapshot: &MvccSnapshot) -> bool {
    if tuple.is_xmax_invalid() || tuple.is_locked_only() {
        return false;
    }
    let xmax = heap_tuple_get_update_xid(pg, tuple);
    if !tuple.is_xmax_multi() && tuple.is_xmax_committed() {
        return !pg.in_snapshot(xmax, snapshot);
    }
    if pg.is_current_xid(xmax) {
        return heap_tuple_header_get_cmax(pg, tuple) < snapshot.curcid;
    }
    if pg.in_snapshot(xmax, snapshot) {
        return false;
    }
    let committed = pg.transam.did_commit(xmax);
    // a multixact has other members, of which a hint would speak too
    if !tuple.is_xmax_multi() {
        let (bits, xid) = if committed { (HEAP_XMAX_COMMITTED, Some(xmax)) } else { (HEAP_XMAX_INVALID, None) };
        set_hint_bits(pg, tuple, buf, bits, xid);
    }
    committed
}
