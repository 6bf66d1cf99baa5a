//! Locking the later versions of a row whose own version is locked already (`heap_lock_updated_tuple`,
//! src/backend/access/heap/heapam.c).
//!
//! ```text
//!  locked version ─ t_ctid ▶ next version: LOCK_UPDATED ─ t_ctid ▶ … until one that nobody updated
//! ```

use super::conflict::is_only_locked;
use super::heap_tuple;
use super::record::{ALL_VISIBLE_CLEARED, clear_all_frozen, write_and_log_header};
use super::visibility::{TmResult, heap_tuple_get_update_xid};
use super::xmax::{LockTupleMode, compute_infobits, compute_new_xmax_infomask, held_status};
use crate::storage::{Buffer, Instance, MultiXactMember, Outcome, RelationData, Stop, WaitFor, XidStatus};
use ffviz_format::heap::HeapTuple;
use ffviz_format::page::TransactionId;
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::heap::XlHeapLock;
use ffviz_format::wal::record_type::Heap2Type;

/// What a transaction in `t_xmax` of a later version means for the lock.
enum Verdict {
    /// go on
    Free,
    /// the own transaction has it already
    Own,
    Stop(TmResult),
}

/// `heap_lock_updated_tuple`
///
/// # Errors
/// [`Stop::Wait`] for a transaction that is in the way.
pub(super) fn heap_lock_updated_tuple(
    pg: &mut Instance,
    rel: &RelationData,
    first: &HeapTuple,
    mode: LockTupleMode,
) -> Outcome<TmResult> {
    let xid = pg.current_xid();
    if first.is_moved_to_partition() {
        return Ok(TmResult::Ok);
    }
    let (mut from, mut next) = (first.tid, first.t_ctid);
    let mut prior = None;
    while from != next {
        let buf = Buffer::main(rel.file, next.block);
        let Some(mut tuple) = heap_tuple(pg, buf, next.offset) else { return Ok(TmResult::Ok) };
        // the end of the chain: a version of another row, or one whose maker aborted
        let is_other = prior.is_some_and(|prior| prior != tuple.t_xmin);
        if is_other || pg.transam.status(tuple.t_xmin) == XidStatus::Aborted {
            return Ok(TmResult::Ok);
        }
        match judge(pg, &tuple, mode)? {
            Verdict::Free => mark_locked(pg, rel, buf, &mut tuple, xid, mode),
            Verdict::Own => {}
            Verdict::Stop(tm) => return Ok(tm),
        }
        if is_only_locked(pg, &tuple) {
            return Ok(TmResult::Ok);
        }
        prior = Some(heap_tuple_get_update_xid(pg, &tuple));
        (from, next) = (tuple.tid, tuple.t_ctid);
    }
    Ok(TmResult::Ok)
}

/// All that are in `t_xmax`, one after the other.
fn judge(pg: &Instance, tuple: &HeapTuple, mode: LockTupleMode) -> Outcome<Verdict> {
    if tuple.is_xmax_invalid() {
        return Ok(Verdict::Free);
    }
    let single = [MultiXactMember { xid: tuple.t_xmax, status: held_status(tuple) }];
    let members = if tuple.is_xmax_multi() { pg.multixacts.members(tuple.t_xmax) } else { &single };
    for member in members {
        match test_lockmode_for_conflict(pg, *member, mode, tuple)? {
            Verdict::Free => {}
            verdict => return Ok(verdict),
        }
    }
    Ok(Verdict::Free)
}

/// `test_lockmode_for_conflict`
fn test_lockmode_for_conflict(
    pg: &Instance,
    member: MultiXactMember,
    mode: LockTupleMode,
    tuple: &HeapTuple,
) -> Outcome<Verdict> {
    if pg.is_current_xid(member.xid) {
        return Ok(Verdict::Own);
    }
    let conflicts = LockTupleMode::of(member.status).conflicts_with(mode);
    match pg.transam.status(member.xid) {
        XidStatus::InProgress if conflicts => Err(Stop::Wait(WaitFor::Transaction(member.xid))),
        XidStatus::Committed if conflicts && member.status.is_update() => {
            Ok(Verdict::Stop(super::conflict::updated_or_deleted(pg, tuple)))
        }
        _ => Ok(Verdict::Free),
    }
}

/// `LOCK_UPDATED`; the version's HOT chain and `t_ctid` stay.
fn mark_locked(
    pg: &mut Instance,
    rel: &RelationData,
    buf: Buffer,
    tuple: &mut HeapTuple,
    xid: TransactionId,
    mode: LockTupleMode,
) {
    let xmax = compute_new_xmax_infomask(pg, tuple, xid, mode, false);
    let cleared = clear_all_frozen(pg, buf);
    xmax.set(tuple);
    let infobits = compute_infobits(xmax.infomask, xmax.infomask2);
    let main = XlHeapLock::make(xmax.xmax, tuple.tid.offset.0, infobits, cleared.bit(ALL_VISIBLE_CLEARED));
    write_and_log_header(
        pg,
        rel,
        (buf, tuple),
        (Rmgr::HEAP2, Heap2Type::LockUpdated.info(pg.version)),
        &main,
        cleared.map,
    );
}
