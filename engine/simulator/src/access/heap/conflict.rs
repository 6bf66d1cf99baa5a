//! Who stands in the way of a lock or change of a row that other transactions lock (`DoesMultiXactIdConflict`,
//! `MultiXactIdWait`, `HeapTupleHeaderIsOnlyLocked`, src/backend/access/heap/heapam.c, heapam_visibility.c).

use super::visibility::{TmResult, heap_tuple_get_update_xid};
use super::xmax::LockTupleMode;
use crate::storage::{Instance, MultiXactId, XidStatus};
use ffviz_format::heap::HeapTuple;
use ffviz_format::page::TransactionId;

/// What a multixact's members mean for a lock that is wanted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Conflict {
    /// does any member stand in the way, even one that committed?
    pub exists: bool,
    /// one that still runs, and has to end first
    pub wait: Option<TransactionId>,
    /// do members stay that are not in the way, the own transaction among them?
    pub remain: bool,
}

/// `DoesMultiXactIdConflict`, and whom `MultiXactIdWait` would wait for.
pub(super) fn multixact_conflict(pg: &Instance, multi: MultiXactId, mode: LockTupleMode) -> Conflict {
    let mut conflict = Conflict::default();
    for member in pg.multixacts.members(multi) {
        let status = pg.transam.status(member.xid);
        let is_own = pg.is_current_xid(member.xid);
        if is_own || !LockTupleMode::of(member.status).conflicts_with(mode) {
            conflict.remain |= is_own || status == XidStatus::InProgress;
        } else if status == XidStatus::InProgress {
            conflict.exists = true;
            conflict.wait.get_or_insert(member.xid);
        } else if member.status.is_update() && status == XidStatus::Committed {
            conflict.exists = true;
        }
    }
    conflict
}

/// `HeapTupleHeaderIsOnlyLocked`: nobody updated or deleted the tuple, or whoever did has aborted.
pub(super) fn is_only_locked(pg: &Instance, tuple: &HeapTuple) -> bool {
    if tuple.is_xmax_invalid() || tuple.is_locked_only() || tuple.t_xmax == 0 {
        return true;
    }
    tuple.is_xmax_multi() && pg.transam.status(heap_tuple_get_update_xid(pg, tuple)) == XidStatus::Aborted
}

/// The tuple was updated, or deleted, by a transaction that committed.
pub(super) fn updated_or_deleted(pg: &Instance, tuple: &HeapTuple) -> TmResult {
    let xmax = heap_tuple_get_update_xid(pg, tuple);
    if tuple.t_ctid == tuple.tid { TmResult::Deleted { xmax } } else { TmResult::Updated { ctid: tuple.t_ctid, xmax } }
}
