//! `HeapTupleSatisfiesSelf`, `HeapTupleSatisfiesDirty`, `HeapTupleSatisfiesToast`: what counts at this moment, without
//! a query's snapshot.

use super::hint::{set_hint_bits, settle_xmin};
use super::multi::heap_tuple_get_update_xid;
use crate::storage::{Buffer, Instance};
use ffviz_format::heap::HeapTuple;
use ffviz_format::heap::infomask::{HEAP_XMAX_COMMITTED, HEAP_XMAX_INVALID};
use ffviz_format::page::TransactionId;

/// The running transactions that made a row version visible under `SNAPSHOT_DIRTY`: whom to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DirtyXids {
    /// who inserts it
    pub xmin: Option<TransactionId>,
    /// who deletes it
    pub xmax: Option<TransactionId>,
}

/// `HeapTupleSatisfiesSelf`: committed, or of the own transaction, and not deleted so.
pub fn heap_tuple_satisfies_self(pg: &mut Instance, tuple: &mut HeapTuple, buf: Buffer) -> bool {
    heap_tuple_satisfies_dirty(pg, tuple, buf).is_some_and(|running| running.xmin.is_none())
}

/// `HeapTupleSatisfiesDirty`: the same, but what runs counts too; `None`: not visible.
pub fn heap_tuple_satisfies_dirty(pg: &mut Instance, tuple: &mut HeapTuple, buf: Buffer) -> Option<DirtyXids> {
    if !tuple.is_xmin_committed() {
        if tuple.is_xmin_invalid() {
            return None;
        }
        let xmin = tuple.t_xmin;
        if pg.is_current_xid(xmin) {
            return (!own_is_deleted(pg, tuple, buf)).then(DirtyXids::default);
        }
        if pg.transam.is_in_progress(xmin) {
            return Some(DirtyXids { xmin: Some(xmin), xmax: None });
        }
        if !settle_xmin(pg, tuple, buf) {
            return None;
        }
    }
    if tuple.is_xmax_invalid() {
        return Some(DirtyXids::default());
    }
    deleter(pg, tuple, buf).map(|xmax| DirtyXids { xmin: None, xmax })
}

/// Has the own transaction, which inserted the row version, deleted it too?
fn own_is_deleted(pg: &mut Instance, tuple: &mut HeapTuple, buf: Buffer) -> bool {
    if tuple.is_xmax_invalid() || tuple.is_locked_only() {
        return false;
    }
    let is_own = pg.is_current_xid(heap_tuple_get_update_xid(pg, tuple));
    if !is_own && !tuple.is_xmax_multi() {
        set_hint_bits(pg, tuple, buf, HEAP_XMAX_INVALID, None);
    }
    is_own
}

/// Who is deleting the row version, if somebody is; `None` outside: it is deleted.
fn deleter(pg: &mut Instance, tuple: &mut HeapTuple, buf: Buffer) -> Option<Option<TransactionId>> {
    let only_locked = tuple.is_locked_only();
    if !tuple.is_xmax_multi() && tuple.is_xmax_committed() || tuple.is_xmax_multi() && only_locked {
        return only_locked.then_some(None);
    }
    let xmax = heap_tuple_get_update_xid(pg, tuple);
    if pg.is_current_xid(xmax) {
        return only_locked.then_some(None);
    }
    if pg.transam.is_in_progress(xmax) {
        return Some(Some(xmax).filter(|_| !only_locked));
    }
    let committed = pg.transam.did_commit(xmax) && !only_locked;
    if !tuple.is_xmax_multi() {
        let (bits, xid) = if committed { (HEAP_XMAX_COMMITTED, Some(xmax)) } else { (HEAP_XMAX_INVALID, None) };
        set_hint_bits(pg, tuple, buf, bits, xid);
    }
    (!committed).then_some(None)
}

/// `HeapTupleSatisfiesToast`: a chunk of a value that a visible row points to; only what never became valid is left
/// out.
#[must_use]
pub const fn heap_tuple_satisfies_toast(tuple: &HeapTuple) -> bool {
    tuple.is_xmin_committed() || !tuple.is_xmin_invalid() && tuple.t_xmin != 0
}
