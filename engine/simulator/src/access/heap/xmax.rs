//! What stands in `t_xmax` after one more transaction locks, updates or deletes a row: its xid alone, or a multixact of
//! all that matter (`compute_new_xmax_infomask`, src/backend/access/heap/heapam.c;
//! src/backend/access/heap/README.tuplock).
//!
//! ```text
//!  nobody in t_xmax, or nobody that matters ──▶ xid
//!  own lock                                 ──▶ xid, the stronger of both locks
//!  another's lock or update                 ──▶ multixact of both
//!  multixact                                ──▶ multixact of its members that matter and the new one
//! ```

use crate::storage::{CommandId, Instance, MultiXactId, MultiXactMember, MultiXactStatus};
use alloc::vec;
use ffviz_format::heap::HeapTuple;
use ffviz_format::heap::infomask::{
    HEAP_COMBOCID, HEAP_KEYS_UPDATED, HEAP_MOVED, HEAP_XMAX_BITS, HEAP_XMAX_EXCL_LOCK, HEAP_XMAX_IS_MULTI,
    HEAP_XMAX_KEYSHR_LOCK, HEAP_XMAX_LOCK_ONLY, HEAP_XMAX_SHR_LOCK,
};
use ffviz_format::page::TransactionId;

/// `LockTupleMode`, from weak to strong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LockTupleMode {
    /// FOR KEY SHARE
    KeyShare,
    /// FOR SHARE
    Share,
    /// FOR NO KEY UPDATE, and UPDATE that leaves the key alone
    NoKeyExclusive,
    /// FOR UPDATE, DELETE, and UPDATE of the key
    Exclusive,
}

impl LockTupleMode {
    /// `DoLockModesConflict`: KEY SHARE conflicts with UPDATE only, SHARE with both exclusive ones, those with all from
    /// SHARE on.
    #[must_use]
    pub const fn conflicts_with(self, other: Self) -> bool {
        self as u8 + other as u8 >= Self::Exclusive as u8
    }

    /// `get_mxact_status_for_lock`; only the exclusive modes are those of updates.
    const fn status(self, is_update: bool) -> MultiXactStatus {
        match (self, is_update) {
            (Self::KeyShare, _) => MultiXactStatus::ForKeyShare,
            (Self::Share, _) => MultiXactStatus::ForShare,
            (Self::NoKeyExclusive, false) => MultiXactStatus::ForNoKeyUpdate,
            (Self::NoKeyExclusive, true) => MultiXactStatus::NoKeyUpdate,
            (Self::Exclusive, false) => MultiXactStatus::ForUpdate,
            (Self::Exclusive, true) => MultiXactStatus::Update,
        }
    }

    /// `TUPLOCK_from_mxstatus`
    pub(super) const fn of(status: MultiXactStatus) -> Self {
        match status {
            MultiXactStatus::ForKeyShare => Self::KeyShare,
            MultiXactStatus::ForShare => Self::Share,
            MultiXactStatus::ForNoKeyUpdate | MultiXactStatus::NoKeyUpdate => Self::NoKeyExclusive,
            MultiXactStatus::ForUpdate | MultiXactStatus::Update => Self::Exclusive,
        }
    }
}

/// A tuple's `t_xmax` to be, with its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NewXmax {
    pub xmax: TransactionId,
    /// bits of `t_infomask`
    pub infomask: u16,
    /// bits of `t_infomask2`
    pub infomask2: u16,
}

impl NewXmax {
    /// Writes it into a tuple's header, in place of what was there.
    pub const fn set(self, tuple: &mut HeapTuple) {
        tuple.t_xmax = self.xmax;
        tuple.t_infomask = tuple.t_infomask & !(HEAP_XMAX_BITS | HEAP_MOVED) | self.infomask;
        tuple.t_infomask2 = tuple.t_infomask2 & !HEAP_KEYS_UPDATED | self.infomask2;
    }

    /// Does it only lock the row?
    pub const fn is_lock(self) -> bool {
        self.infomask & HEAP_XMAX_LOCK_ONLY != 0
    }
}

/// Who has a tuple's `t_xmax`, as far as it matters.
enum Holder {
    Nobody,
    /// the same transaction holds a lock
    Own(LockTupleMode),
    One(MultiXactMember),
    Several(MultiXactId),
}

/// `compute_new_xmax_infomask`: the transaction locks the tuple, or updates it. Makes a multixact where it is needed.
#[inline]
pub(super) fn compute_new_xmax_infomask(
    pg: &mut Instance,
    tuple: &HeapTuple,
    xid: TransactionId,
    mode: LockTupleMode,
    is_update: bool,
) -> NewXmax {
    pg.multixact_set_oldest_member();
    if tuple.is_xmax_invalid() { alone(xid, mode, is_update) } else { beside(pg, tuple, xid, mode, is_update) }
}

/// The same of a tuple that has a `t_xmax`.
#[inline(never)]
fn beside(pg: &mut Instance, tuple: &HeapTuple, xid: TransactionId, mode: LockTupleMode, is_update: bool) -> NewXmax {
    let new = MultiXactMember { xid, status: mode.status(is_update) };
    let multi = match holder(pg, tuple, xid) {
        Holder::Nobody => return alone(xid, mode, is_update),
        Holder::Own(held) => return alone(xid, mode.max(held), is_update),
        Holder::One(old) => pg.multixact_create(vec![old, new]),
        Holder::Several(old) => pg.multixact_expand(old, new),
    };
    of_multixact(pg, multi)
}

/// Nobody else matters.
const fn alone(xid: TransactionId, mode: LockTupleMode, is_update: bool) -> NewXmax {
    let infomask2 = if matches!(mode, LockTupleMode::Exclusive) { HEAP_KEYS_UPDATED } else { 0 };
    let lock = match mode {
        LockTupleMode::KeyShare => HEAP_XMAX_KEYSHR_LOCK,
        LockTupleMode::Share => HEAP_XMAX_SHR_LOCK,
        LockTupleMode::NoKeyExclusive | LockTupleMode::Exclusive => HEAP_XMAX_EXCL_LOCK,
    };
    NewXmax { xmax: xid, infomask: if is_update { 0 } else { HEAP_XMAX_LOCK_ONLY | lock }, infomask2 }
}

fn holder(pg: &Instance, tuple: &HeapTuple, xid: TransactionId) -> Holder {
    let (xmax, only_locked) = (tuple.t_xmax, tuple.is_locked_only());
    if tuple.is_xmax_multi() {
        let committed = || pg.multixacts.update_xid(xmax).is_some_and(|xid| pg.transam.did_commit(xid));
        let matters = pg.multixact_id_is_running(xmax) || (!only_locked && committed());
        return if matters { Holder::Several(xmax) } else { Holder::Nobody };
    }
    let one = MultiXactMember { xid: xmax, status: held_status(tuple) };
    if tuple.is_xmax_committed() {
        Holder::One(one)
    } else if pg.transam.is_in_progress(xmax) {
        if xmax == xid { Holder::Own(LockTupleMode::of(one.status)) } else { Holder::One(one) }
    } else if !only_locked && pg.transam.did_commit(xmax) {
        Holder::One(one)
    } else {
        Holder::Nobody
    }
}

/// What the transaction in `t_xmax` does to the tuple, by its bits.
pub(super) const fn held_status(tuple: &HeapTuple) -> MultiXactStatus {
    let key = tuple.t_infomask2 & HEAP_KEYS_UPDATED != 0;
    if !tuple.is_locked_only() {
        return if key { MultiXactStatus::Update } else { MultiXactStatus::NoKeyUpdate };
    }
    match tuple.t_infomask & HEAP_XMAX_SHR_LOCK {
        HEAP_XMAX_KEYSHR_LOCK => MultiXactStatus::ForKeyShare,
        HEAP_XMAX_SHR_LOCK => MultiXactStatus::ForShare,
        _ if key => MultiXactStatus::ForUpdate,
        _ => MultiXactStatus::ForNoKeyUpdate,
    }
}

/// `GetMultiXactIdHintBits`: the bits of a multixact in `t_xmax`.
pub(super) fn of_multixact(pg: &Instance, multi: MultiXactId) -> NewXmax {
    let members = pg.multixacts.members(multi);
    let strongest = members.iter().map(|member| LockTupleMode::of(member.status)).max();
    let takes_key = |status| matches!(status, MultiXactStatus::ForUpdate | MultiXactStatus::Update);
    let key = members.iter().any(|member| takes_key(member.status));
    let lock = match strongest {
        Some(LockTupleMode::NoKeyExclusive | LockTupleMode::Exclusive) => HEAP_XMAX_EXCL_LOCK,
        Some(LockTupleMode::Share) => HEAP_XMAX_SHR_LOCK,
        _ => HEAP_XMAX_KEYSHR_LOCK,
    };
    let only = if members.iter().any(|member| member.status.is_update()) { 0 } else { HEAP_XMAX_LOCK_ONLY };
    let infomask2 = if key { HEAP_KEYS_UPDATED } else { 0 };
    NewXmax { xmax: multi, infomask: HEAP_XMAX_IS_MULTI | lock | only, infomask2 }
}

/// `compute_infobits`: a tuple's lock bits as records have them.
pub(super) const fn compute_infobits(infomask: u16, infomask2: u16) -> u8 {
    const BITS: [(u16, u8); 4] = [
        (HEAP_XMAX_IS_MULTI, 0x01),
        (HEAP_XMAX_LOCK_ONLY, 0x02),
        (HEAP_XMAX_EXCL_LOCK, 0x04),
        (HEAP_XMAX_KEYSHR_LOCK, 0x08),
    ];
    let (mut bits, mut n) = (0, 0);
    while n < BITS.len() {
        if infomask & BITS[n].0 != 0 {
            bits |= BITS[n].1;
        }
        n += 1;
    }
    if infomask2 & HEAP_KEYS_UPDATED != 0 { bits | 0x10 } else { bits }
}

/// `HeapTupleHeaderSetCmax`, with what [`adjust_cmax`] gave.
pub(super) const fn set_cmax(tuple: &mut HeapTuple, (cid, is_combo): (CommandId, bool)) {
    tuple.t_field3 = cid;
    tuple.t_infomask = if is_combo { tuple.t_infomask | HEAP_COMBOCID } else { tuple.t_infomask & !HEAP_COMBOCID };
}

/// `HeapTupleHeaderAdjustCmax` (src/backend/utils/time/combocid.c): the command id that goes into a tuple which this
/// command deletes. Where the own transaction also inserted it, both have one field: then it is the number of the pair,
/// and true.
pub(super) fn adjust_cmax(pg: &mut Instance, tuple: &HeapTuple, cid: CommandId) -> (CommandId, bool) {
    if tuple.is_xmin_committed() || !pg.is_current_xid(tuple.t_xmin) {
        return (cid, false);
    }
    let pair = (super::visibility::heap_tuple_header_get_cmin(pg, tuple), cid);
    (pg.backend_mut().combo_command_id(pair), true)
}
