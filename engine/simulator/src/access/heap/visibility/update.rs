//! `HeapTupleSatisfiesUpdate`: may this version of the row be updated, deleted or locked now?

use super::hint::{set_hint_bits, settle_xmin};
use super::multi::heap_tuple_get_update_xid;
use super::mvcc::{heap_tuple_header_get_cmax, heap_tuple_header_get_cmin};
use crate::storage::{Buffer, CommandId, Instance};
use ffviz_format::heap::HeapTuple;
use ffviz_format::heap::infomask::{HEAP_XMAX_COMMITTED, HEAP_XMAX_INVALID};
use ffviz_format::page::{ItemPointer, TransactionId};

/// `TM_Result`, with what `TM_FailureData` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TmResult {
    /// it may be changed
    Ok,
    /// the command does not see it at all
    Invisible,
    /// the same command, or a later one of the own transaction, has changed it already
    SelfModified {
        /// which command
        cmax: CommandId,
    },
    /// a committed transaction has updated it
    Updated {
        /// the next version
        ctid: ItemPointer,
        /// by whom
        xmax: TransactionId,
    },
    /// a committed transaction has deleted it
    Deleted {
        /// by whom
        xmax: TransactionId,
    },
    /// a transaction that runs has changed or locked it; maybe the own
    BeingModified {
        /// `t_xmax`: it, or a multixact
        xid: TransactionId,
    },
}

/// `HeapTupleSatisfiesUpdate`, for the command `curcid` of the own transaction.
pub fn heap_tuple_satisfies_update(
    pg: &mut Instance,
    tuple: &mut HeapTuple,
    buf: Buffer,
    curcid: CommandId,
) -> TmResult {
    if !tuple.is_xmin_committed() {
        if tuple.is_xmin_invalid() {
            return TmResult::Invisible;
        }
        if pg.is_current_xid(tuple.t_xmin) {
            return own_insert(pg, tuple, buf, curcid);
        }
        if pg.transam.is_in_progress(tuple.t_xmin) || !settle_xmin(pg, tuple, buf) {
            return TmResult::Invisible;
        }
    }
    if tuple.is_xmax_invalid() {
        TmResult::Ok
    } else if tuple.is_xmax_committed() {
        if tuple.is_locked_only() { TmResult::Ok } else { gone(tuple, tuple.t_xmax) }
    } else if tuple.is_xmax_multi() {
        multi(pg, tuple, buf, curcid)
    } else {
        single(pg, tuple, buf, curcid)
    }
}

const fn being_modified(tuple: &HeapTuple) -> TmResult {
    TmResult::BeingModified { xid: tuple.t_xmax }
}

/// A committed transaction updated or deleted it: a version that leads to itself has no next one.
fn gone(tuple: &HeapTuple, xmax: TransactionId) -> TmResult {
    if tuple.t_ctid == tuple.tid { TmResult::Deleted { xmax } } else { TmResult::Updated { ctid: tuple.t_ctid, xmax } }
}

/// The own transaction changed it: before the command, which then cannot see it, or in it or after it.
fn own_change(pg: &Instance, tuple: &HeapTuple, curcid: CommandId) -> TmResult {
    let cmax = heap_tuple_header_get_cmax(pg, tuple);
    if cmax >= curcid { TmResult::SelfModified { cmax } } else { TmResult::Invisible }
}

/// The own transaction inserted it.
fn own_insert(pg: &mut Instance, tuple: &mut HeapTuple, buf: Buffer, curcid: CommandId) -> TmResult {
    if heap_tuple_header_get_cmin(pg, tuple) >= curcid {
        return TmResult::Invisible;
    }
    if tuple.is_xmax_invalid() {
        return TmResult::Ok;
    }
    let is_multi = tuple.is_xmax_multi();
    let runs = match is_multi {
        true => pg.multixact_id_is_running(tuple.t_xmax),
        false => pg.transam.is_in_progress(tuple.t_xmax),
    };
    if tuple.is_locked_only() {
        // others may hold a key share lock that the version inherited from the one before it
        return if runs { being_modified(tuple) } else { TmResult::Ok };
    }
    if pg.is_current_xid(heap_tuple_get_update_xid(pg, tuple)) {
        return own_change(pg, tuple, curcid);
    }
    // the subtransaction that changed it must have aborted
    if is_multi {
        return if runs { being_modified(tuple) } else { TmResult::Ok };
    }
    set_hint_bits(pg, tuple, buf, HEAP_XMAX_INVALID, None);
    TmResult::Ok
}

/// Several transactions locked it, one of which may have changed it.
fn multi(pg: &mut Instance, tuple: &mut HeapTuple, buf: Buffer, curcid: CommandId) -> TmResult {
    let xmax = heap_tuple_get_update_xid(pg, tuple);
    if pg.is_current_xid(xmax) {
        return own_change(pg, tuple, curcid);
    }
    if pg.multixact_id_is_running(tuple.t_xmax) {
        return being_modified(tuple);
    }
    if pg.transam.did_commit(xmax) {
        return gone(tuple, xmax);
    }
    set_hint_bits(pg, tuple, buf, HEAP_XMAX_INVALID, None);
    TmResult::Ok
}

/// One transaction changed or locked it.
fn single(pg: &mut Instance, tuple: &mut HeapTuple, buf: Buffer, curcid: CommandId) -> TmResult {
    let (xmax, only_locked) = (tuple.t_xmax, tuple.is_locked_only());
    if pg.is_current_xid(xmax) {
        return if only_locked { being_modified(tuple) } else { own_change(pg, tuple, curcid) };
    }
    if pg.transam.is_in_progress(xmax) {
        return being_modified(tuple);
    }
    if only_locked || !pg.transam.did_commit(xmax) {
        set_hint_bits(pg, tuple, buf, HEAP_XMAX_INVALID, None);
        return TmResult::Ok;
    }
    set_hint_bits(pg, tuple, buf, HEAP_XMAX_COMMITTED, Some(xmax));
    gone(tuple, xmax)
}
