//! Row locks: SELECT … FOR UPDATE and its like, and the checks of foreign keys (`heap_lock_tuple`,
//! src/backend/access/heap/heapam.c; README.tuplock).
//!
//! ```text
//!  own lock strong enough? ─ yes ▶ nothing changes
//!        │ no
//!  others in the way? ─ running ▶ wait ─ updated, committed ▶ Updated, Deleted
//!        │ no
//!  t_xmax = xid or a multixact, LOCK
//! ```

use super::conflict::{is_only_locked, multixact_conflict, updated_or_deleted};
use super::lock_updated::heap_lock_updated_tuple;
use super::record::{ALL_VISIBLE_CLEARED, clear_all_frozen, write_and_log_header};
use super::speculative::tuple_at;
use super::visibility::{TmResult, heap_tuple_satisfies_update};
use super::xmax::{LockTupleMode, compute_infobits, compute_new_xmax_infomask, held_status};
use crate::storage::{Buffer, CommandId, Instance, Outcome, RelationData, Stop, WaitFor};
use ffviz_format::heap::HeapTuple;
use ffviz_format::heap::infomask::{
    HEAP_HOT_UPDATED, HEAP_KEYS_UPDATED, HEAP_XMAX_COMMITTED, HEAP_XMAX_EXCL_LOCK, HEAP_XMAX_KEYSHR_LOCK,
    HEAP_XMAX_SHR_LOCK,
};
use ffviz_format::page::ItemPointer;
use ffviz_format::page::header::PD_ALL_VISIBLE;
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::heap::XlHeapLock;
use ffviz_format::wal::record_type::HeapType;

/// Are later versions, which a running transaction made, locked too (`TUPLE_LOCK_FLAG_LOCK_UPDATE_IN_PROGRESS`)?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowUpdates {
    /// they are not
    No,
    /// they are
    Yes,
    /// they are, and such a transaction was waited for just now
    AfterWait,
}

/// `heap_lock_tuple`: [`TmResult::Ok`] where the row is locked now, else why it is not.
///
/// # Errors
/// A place without a row; [`Stop::Wait`] for a transaction that locks or changes it.
pub fn heap_lock_tuple(
    pg: &mut Instance,
    rel: &RelationData,
    tid: ItemPointer,
    cid: CommandId,
    mode: LockTupleMode,
    follow: FollowUpdates,
) -> Outcome<TmResult> {
    let buf = Buffer::main(rel.file, tid.block);
    pg.read_buffer(buf);
    if pg.buffers.page(buf).header().pd_flags() & PD_ALL_VISIBLE != 0 {
        pg.read_visibilitymap(buf);
    }
    let mut tuple = tuple_at(pg.buffers.page(buf), tid)?;
    if follow == FollowUpdates::AfterWait && has_unknown_update(&tuple) {
        let tm = lock_later_versions(pg, rel, &tuple, mode)?;
        if tm != TmResult::Ok {
            return Ok(tm);
        }
    }
    let tm = heap_tuple_satisfies_update(pg, &mut tuple, buf, cid);
    let tm = match tm {
        TmResult::Ok => tm,
        TmResult::Invisible | TmResult::SelfModified { .. } => return Ok(tm),
        _ if holds_already(pg, &tuple, mode) => return Ok(TmResult::Ok),
        _ if may_share(pg, &tuple, mode) => {
            let follows = mode == LockTupleMode::KeyShare && follow != FollowUpdates::No && !tuple.is_locked_only();
            if follows { heap_lock_updated_tuple(pg, rel, &tuple, mode)? } else { TmResult::Ok }
        }
        TmResult::Updated { .. } | TmResult::Deleted { .. } => return Ok(tm),
        TmResult::BeingModified { .. } => wait(pg, rel, &tuple, mode, follow)?,
    };
    if tm == TmResult::Ok {
        mark_locked(pg, rel, buf, tuple, mode);
    }
    Ok(tm)
}

/// Does the own transaction hold a lock that is as strong?
fn holds_already(pg: &Instance, tuple: &HeapTuple, mode: LockTupleMode) -> bool {
    if tuple.is_xmax_multi() {
        let members = pg.multixacts.members(tuple.t_xmax).iter();
        let mut own = members.filter(|member| pg.is_current_xid(member.xid));
        return own.any(|member| LockTupleMode::of(member.status) >= mode);
    }
    pg.is_current_xid(tuple.t_xmax) && LockTupleMode::of(held_status(tuple)) >= mode
}

/// Can the lock be had beside what is in `t_xmax`?
fn may_share(pg: &Instance, tuple: &HeapTuple, mode: LockTupleMode) -> bool {
    let lock = tuple.t_infomask & HEAP_XMAX_SHR_LOCK;
    let shares = match mode {
        LockTupleMode::KeyShare => tuple.t_infomask2 & HEAP_KEYS_UPDATED == 0,
        LockTupleMode::Share => tuple.is_locked_only() && lock != HEAP_XMAX_EXCL_LOCK,
        LockTupleMode::NoKeyExclusive if tuple.is_xmax_multi() => !multixact_conflict(pg, tuple.t_xmax, mode).exists,
        LockTupleMode::NoKeyExclusive => lock == HEAP_XMAX_KEYSHR_LOCK,
        LockTupleMode::Exclusive => false,
    };
    shares || (!tuple.is_xmax_multi() && pg.is_current_xid(tuple.t_xmax))
}

/// Was it updated by a transaction of which no hint bit says yet how it ended?
fn has_unknown_update(tuple: &HeapTuple) -> bool {
    let is_known = tuple.is_xmax_invalid() || tuple.t_infomask & HEAP_XMAX_COMMITTED != 0;
    !is_known && !tuple.is_xmax_multi() && !tuple.is_locked_only()
}

/// The later versions after a wait; where one of them cannot be locked, that is told of this one, and no hint bit is
/// set.
fn lock_later_versions(
    pg: &mut Instance,
    rel: &RelationData,
    tuple: &HeapTuple,
    mode: LockTupleMode,
) -> Outcome<TmResult> {
    let tm = heap_lock_updated_tuple(pg, rel, tuple, mode)?;
    Ok(if matches!(tm, TmResult::Updated { .. }) { updated_or_deleted(pg, tuple) } else { tm })
}

/// Others are in the way as long as they run; then what they did decides.
fn wait(
    pg: &mut Instance,
    rel: &RelationData,
    tuple: &HeapTuple,
    mode: LockTupleMode,
    follow: FollowUpdates,
) -> Outcome<TmResult> {
    if !tuple.is_xmax_multi() {
        return Err(Stop::Wait(WaitFor::Transaction(tuple.t_xmax)));
    }
    if let Some(xid) = multixact_conflict(pg, tuple.t_xmax, mode).wait {
        return Err(Stop::Wait(WaitFor::Transaction(xid)));
    }
    if follow != FollowUpdates::No && !tuple.is_locked_only() {
        let tm = lock_later_versions(pg, rel, tuple, mode)?;
        if tm != TmResult::Ok {
            return Ok(tm);
        }
    }
    Ok(if is_only_locked(pg, tuple) { TmResult::Ok } else { updated_or_deleted(pg, tuple) })
}

/// Writes the lock and its record. Whoever updated the tuple stays known: then its HOT chain and `t_ctid` stay too.
fn mark_locked(pg: &mut Instance, rel: &RelationData, buf: Buffer, mut tuple: HeapTuple, mode: LockTupleMode) {
    let xid = pg.current_xid();
    let xmax = compute_new_xmax_infomask(pg, &tuple, xid, mode, false);
    xmax.set(&mut tuple);
    if xmax.is_lock() {
        tuple.t_infomask2 &= !HEAP_HOT_UPDATED;
        tuple.t_ctid = tuple.tid;
    }
    write_lock(pg, rel, buf, &tuple);
}

/// Writes the header of a tuple that is locked now, and LOCK.
pub(super) fn write_lock(pg: &mut Instance, rel: &RelationData, buf: Buffer, tuple: &HeapTuple) {
    let cleared = clear_all_frozen(pg, buf);
    let infobits = compute_infobits(tuple.t_infomask, tuple.t_infomask2);
    let main = XlHeapLock::make(tuple.t_xmax, tuple.tid.offset.0, infobits, cleared.bit(ALL_VISIBLE_CLEARED));
    write_and_log_header(pg, rel, (buf, tuple), (Rmgr::HEAP, HeapType::Lock.info()), &main, cleared.map);
}
