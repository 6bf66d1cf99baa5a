//! `HeapTupleSatisfiesVacuumHorizon`, `HeapTupleIsSurelyDead`: can anybody still see the row version?

use super::hint::{set_hint_bits, settle_xmin};
use super::multi::heap_tuple_get_update_xid;
use crate::storage::{Buffer, Instance};
use ffviz_format::heap::HeapTuple;
use ffviz_format::heap::infomask::{HEAP_XMAX_COMMITTED, HEAP_XMAX_INVALID};
use ffviz_format::page::{TransactionId, precedes};

/// `HTSV_Result`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HtsvResult {
    /// nobody can see it
    Dead,
    /// deleted, but some snapshot may be older than this deleter
    RecentlyDead(TransactionId),
    /// inserted by a committed transaction and not deleted
    Live,
    /// the transaction that inserted it runs
    InsertInProgress,
    /// the transaction that deletes it runs
    DeleteInProgress,
}

/// `HeapTupleSatisfiesVacuumHorizon`: what has a committed deleter is only recently dead, whatever the horizon is.
pub fn heap_tuple_satisfies_vacuum_horizon(pg: &mut Instance, tuple: &mut HeapTuple, buf: Buffer) -> HtsvResult {
    if !tuple.is_xmin_committed() {
        if tuple.is_xmin_invalid() {
            return HtsvResult::Dead;
        }
        if pg.is_current_xid(tuple.t_xmin) {
            let may_be_deleted = !tuple.is_xmax_invalid() && !tuple.is_locked_only();
            let deletes = may_be_deleted && pg.is_current_xid(heap_tuple_get_update_xid(pg, tuple));
            return if deletes { HtsvResult::DeleteInProgress } else { HtsvResult::InsertInProgress };
        }
        if pg.transam.is_in_progress(tuple.t_xmin) {
            return HtsvResult::InsertInProgress;
        }
        if !settle_xmin(pg, tuple, buf) {
            return HtsvResult::Dead;
        }
    }
    if tuple.is_xmax_invalid() {
        HtsvResult::Live
    } else if tuple.is_locked_only() {
        locked(pg, tuple, buf);
        HtsvResult::Live
    } else {
        deleted(pg, tuple, buf)
    }
}

/// Whoever locked it may be gone.
fn locked(pg: &mut Instance, tuple: &mut HeapTuple, buf: Buffer) {
    if tuple.is_xmax_committed() {
        return;
    }
    let runs = match tuple.is_xmax_multi() {
        true => pg.multixact_id_is_running(tuple.t_xmax),
        false => pg.transam.is_in_progress(tuple.t_xmax),
    };
    if !runs {
        set_hint_bits(pg, tuple, buf, HEAP_XMAX_INVALID, None);
    }
}

/// Somebody updated or deleted it, or wanted to.
fn deleted(pg: &mut Instance, tuple: &mut HeapTuple, buf: Buffer) -> HtsvResult {
    let (xmax, is_multi) = (heap_tuple_get_update_xid(pg, tuple), tuple.is_xmax_multi());
    if !is_multi && tuple.is_xmax_committed() {
        return HtsvResult::RecentlyDead(xmax);
    }
    if pg.transam.is_in_progress(xmax) {
        return HtsvResult::DeleteInProgress;
    }
    if pg.transam.did_commit(xmax) {
        if !is_multi {
            set_hint_bits(pg, tuple, buf, HEAP_XMAX_COMMITTED, Some(xmax));
        }
        return HtsvResult::RecentlyDead(xmax);
    }
    if !is_multi || !pg.multixact_id_is_running(tuple.t_xmax) {
        set_hint_bits(pg, tuple, buf, HEAP_XMAX_INVALID, None);
    }
    HtsvResult::Live
}

/// `HeapTupleSatisfiesVacuum`: dead is what no snapshot can see that is as old as `oldest_xmin`.
pub fn heap_tuple_satisfies_vacuum(
    pg: &mut Instance,
    tuple: &mut HeapTuple,
    buf: Buffer,
    oldest_xmin: TransactionId,
) -> HtsvResult {
    match heap_tuple_satisfies_vacuum_horizon(pg, tuple, buf) {
        HtsvResult::RecentlyDead(xmax) if precedes(xmax, oldest_xmin) => HtsvResult::Dead,
        other => other,
    }
}

/// `HeapTupleSatisfiesNonVacuumable`
pub fn heap_tuple_satisfies_non_vacuumable(pg: &mut Instance, tuple: &mut HeapTuple, buf: Buffer) -> bool {
    match heap_tuple_satisfies_vacuum_horizon(pg, tuple, buf) {
        HtsvResult::Dead => false,
        HtsvResult::RecentlyDead(xmax) => !pg.is_removable(buf.file, xmax),
        _ => true,
    }
}

/// `HeapTupleIsSurelyDead`: do the hint bits alone say that nobody can see it?
pub fn heap_tuple_is_surely_dead(pg: &mut Instance, tuple: &HeapTuple, buf: Buffer) -> bool {
    if !tuple.is_xmin_committed() {
        return tuple.is_xmin_invalid();
    }
    let may_be_deleted = !tuple.is_xmax_invalid() && !tuple.is_locked_only() && !tuple.is_xmax_multi();
    may_be_deleted && tuple.is_xmax_committed() && pg.is_removable(buf.file, tuple.t_xmax)
}
