//! Freezing: which row versions get rid of their xids, and when a whole page is frozen (`heap_prepare_freeze_tuple`,
//! `heap_tuple_should_freeze`, src/backend/access/heap/heapam.c).
//!
//! ```text
//!            FreezeLimit        OldestXmin
//! ─────────────┼───────────────────┼──────────▶ xid
//!  must freeze │ may freeze (16+)  │ never
//! ```
//!
//! Before 16 each row version is frozen for itself, once its xids are older than FreezeLimit. From 16 on a page is
//! frozen as a whole.

use super::freeze_multi::{MultiFreeze, freeze_multixact_id};
use crate::storage::{Instance, MultiXactId};
use crate::version::Behaviour;
use ffviz_format::heap::HeapTuple;
use ffviz_format::heap::infomask::{
    HEAP_HOT_UPDATED, HEAP_KEYS_UPDATED, HEAP_XMAX_BITS, HEAP_XMAX_INVALID, HEAP_XMIN_FROZEN,
};
use ffviz_format::page::{FIRST_NORMAL_XID, OffsetNumber, TransactionId, precedes};

/// `VacuumCutoffs`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VacuumCutoffs {
    /// what ended before it is seen by all
    pub oldest_xmin: TransactionId,
    /// the same of multixacts
    pub oldest_mxact: TransactionId,
    /// xids before it have to go
    pub freeze_limit: TransactionId,
    /// multixacts before it have to go
    pub multi_cutoff: TransactionId,
}

/// `HeapTupleFreeze`: what freezing makes of a row version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct HeapTupleFreeze {
    /// new `t_xmax`
    pub xmax: TransactionId,
    /// new flags
    pub t_infomask2: u16,
    /// new flags
    pub t_infomask: u16,
    /// its line pointer
    pub offset: OffsetNumber,
}

/// `HeapPageFreeze`: what the row versions of a page say about freezing all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeapPageFreeze {
    /// some xid has to go
    pub freeze_required: bool,
    /// oldest xid that stays where the page is frozen
    pub freeze_relfrozenxid: TransactionId,
    /// oldest xid that stays where it is not
    pub no_freeze_relfrozenxid: TransactionId,
    /// oldest multixact that stays where the page is frozen
    pub freeze_relminmxid: MultiXactId,
    /// oldest multixact that stays where it is not
    pub no_freeze_relminmxid: MultiXactId,
}

impl HeapPageFreeze {
    /// Nothing seen yet.
    #[must_use]
    pub const fn new(relfrozenxid: TransactionId, relminmxid: MultiXactId) -> Self {
        Self {
            freeze_required: false,
            freeze_relfrozenxid: relfrozenxid,
            no_freeze_relfrozenxid: relfrozenxid,
            freeze_relminmxid: relminmxid,
            no_freeze_relminmxid: relminmxid,
        }
    }
}

/// What [`heap_prepare_freeze_tuple`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prepared {
    /// what freezing would change, if anything
    pub plan: Option<HeapTupleFreeze>,
    /// has the row version no xid that matters, once the plan is carried out?
    pub totally_frozen: bool,
}

/// Is it an xid that can become too old?
const fn is_normal(xid: TransactionId) -> bool {
    xid >= FIRST_NORMAL_XID
}

const fn older(a: TransactionId, b: TransactionId) -> TransactionId {
    if precedes(a, b) { a } else { b }
}

/// `heap_prepare_freeze_tuple`
pub fn heap_prepare_freeze_tuple(
    pg: &mut Instance,
    tuple: &HeapTuple,
    cutoffs: &VacuumCutoffs,
    page: &mut HeapPageFreeze,
) -> Prepared {
    let by_page = pg.version.freezes_pages();
    let limit = if by_page { cutoffs.oldest_xmin } else { cutoffs.freeze_limit };
    let mut plan = HeapTupleFreeze {
        xmax: tuple.t_xmax,
        t_infomask2: tuple.t_infomask2,
        t_infomask: tuple.t_infomask,
        offset: tuple.tid.offset,
    };
    let xmin_frozen = tuple.is_frozen() || !is_normal(tuple.t_xmin);
    let freeze_xmin = !xmin_frozen && precedes(tuple.t_xmin, limit);
    let xmax = prepare_xmax(pg, tuple, cutoffs, limit, page, &mut plan);
    if freeze_xmin {
        plan.t_infomask |= HEAP_XMIN_FROZEN;
    }
    if by_page && !page.freeze_required {
        page.freeze_required = heap_tuple_should_freeze(pg, tuple, cutoffs);
    }
    track_relfrozenxid(tuple, page, freeze_xmin || xmin_frozen, xmax != Xmax::Stays);
    track_relminmxid(tuple, page, xmax != Xmax::Stays);
    Prepared {
        plan: (freeze_xmin || matches!(xmax, Xmax::Freeze | Xmax::Replace)).then_some(plan),
        totally_frozen: (freeze_xmin || xmin_frozen) && matches!(xmax, Xmax::Freeze | Xmax::None),
    }
}

/// What becomes of `t_xmax`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Xmax {
    /// there is none
    None,
    /// it stays
    Stays,
    /// it goes
    Freeze,
    /// another xid or multixact takes its place
    Replace,
}

/// Decides about `t_xmax` and notes it in the plan.
fn prepare_xmax(
    pg: &mut Instance,
    tuple: &HeapTuple,
    cutoffs: &VacuumCutoffs,
    limit: TransactionId,
    page: &mut HeapPageFreeze,
    plan: &mut HeapTupleFreeze,
) -> Xmax {
    let freeze = if tuple.is_xmax_multi() {
        match freeze_multixact_id(pg, tuple, cutoffs) {
            MultiFreeze::Noop => return Xmax::Stays,
            MultiFreeze::Invalidate => {
                page.freeze_required = true;
                true
            }
            MultiFreeze::Replace { xmax, t_infomask, t_infomask2 } => {
                page.freeze_required = true;
                (plan.xmax, plan.t_infomask, plan.t_infomask2) = (xmax, t_infomask, t_infomask2);
                return Xmax::Replace;
            }
        }
    } else if is_normal(tuple.t_xmax) {
        precedes(tuple.t_xmax, limit)
    } else {
        return Xmax::None;
    };
    if !freeze {
        return Xmax::Stays;
    }
    plan.xmax = 0;
    plan.t_infomask = plan.t_infomask & !HEAP_XMAX_BITS | HEAP_XMAX_INVALID;
    plan.t_infomask2 &= !(HEAP_HOT_UPDATED | HEAP_KEYS_UPDATED);
    Xmax::Freeze
}

/// The oldest xids that stay, with the page frozen and not.
fn track_relfrozenxid(tuple: &HeapTuple, page: &mut HeapPageFreeze, xmin_goes: bool, xmax_goes: bool) {
    let mut seen = |xid: TransactionId, goes: bool| {
        if is_normal(xid) {
            page.no_freeze_relfrozenxid = older(xid, page.no_freeze_relfrozenxid);
            if !goes {
                page.freeze_relfrozenxid = older(xid, page.freeze_relfrozenxid);
            }
        }
    };
    seen(if tuple.is_frozen() { 0 } else { tuple.t_xmin }, xmin_goes);
    seen(if tuple.is_xmax_multi() { 0 } else { tuple.t_xmax }, xmax_goes);
}

/// The same of multixacts.
fn track_relminmxid(tuple: &HeapTuple, page: &mut HeapPageFreeze, goes: bool) {
    if tuple.is_xmax_multi() && tuple.t_xmax != 0 {
        page.no_freeze_relminmxid = page.no_freeze_relminmxid.min(tuple.t_xmax);
        if !goes {
            page.freeze_relminmxid = page.freeze_relminmxid.min(tuple.t_xmax);
        }
    }
}

/// `heap_tuple_should_freeze`: does the row version have an xid that has to go?
#[must_use]
pub fn heap_tuple_should_freeze(pg: &Instance, tuple: &HeapTuple, cutoffs: &VacuumCutoffs) -> bool {
    let is_old = |xid: TransactionId| is_normal(xid) && precedes(xid, cutoffs.freeze_limit);
    if !tuple.is_frozen() && is_old(tuple.t_xmin) {
        return true;
    }
    if !tuple.is_xmax_multi() {
        return is_old(tuple.t_xmax);
    }
    let members = pg.multixacts.members(tuple.t_xmax);
    precedes(tuple.t_xmax, cutoffs.multi_cutoff) || members.iter().any(|member| is_old(member.xid))
}

/// `heap_tuple_needs_eventual_freeze`: is there still an xid that can become too old?
#[must_use]
pub const fn heap_tuple_needs_eventual_freeze(tuple: &HeapTuple) -> bool {
    !tuple.is_frozen() && is_normal(tuple.t_xmin)
        || if tuple.is_xmax_multi() { tuple.t_xmax != 0 } else { is_normal(tuple.t_xmax) }
}

/// `heap_execute_freeze_tuple` for all of them; `t_xmin` keeps its value, its bits say that it does not count.
pub fn heap_freeze_prepared_tuples(pg: &mut Instance, buf: crate::storage::Buffer, plans: &[HeapTupleFreeze]) {
    for plan in plans {
        if let Some(mut tuple) = super::heap_tuple(pg, buf, plan.offset) {
            (tuple.t_xmax, tuple.t_infomask, tuple.t_infomask2) = (plan.xmax, plan.t_infomask, plan.t_infomask2);
            tuple.write(pg.buffers.page_mut(buf));
        }
    }
}
