//! Freezing a multixact: its members may be gone, or all but the one that changed the row (`FreezeMultiXactId`,
//! src/backend/access/heap/heapam.c).

use super::freeze::VacuumCutoffs;
use crate::storage::{Instance, MultiXactMember};
use crate::version::Behaviour;
use alloc::vec::Vec;
use ffviz_format::heap::HeapTuple;
use ffviz_format::heap::infomask::{HEAP_XMAX_BITS, HEAP_XMAX_COMMITTED};
use ffviz_format::page::{TransactionId, precedes};

/// What becomes of a multixact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MultiFreeze {
    /// `FRM_NOOP`: it stays
    Noop,
    /// `FRM_INVALIDATE_XMAX`: it goes
    Invalidate,
    /// `FRM_RETURN_IS_XID`: the member that changed the row takes its place
    Replace {
        /// new `t_xmax`
        xmax: TransactionId,
        /// new flags
        t_infomask: u16,
        /// new flags
        t_infomask2: u16,
    },
}

/// `FreezeMultiXactId`. Where several members still run the multixact stays: nothing forces it out while its members
/// are that young.
#[must_use]
pub fn freeze_multixact_id(pg: &Instance, tuple: &HeapTuple, cutoffs: &VacuumCutoffs) -> MultiFreeze {
    let multi = tuple.t_xmax;
    let members = pg.multixacts.members(multi);
    let by_page = pg.version.freezes_pages();
    // before 16 an update stays until it is old
    if precedes(multi, if by_page { cutoffs.oldest_mxact } else { cutoffs.multi_cutoff }) {
        return old(pg, tuple, members);
    }
    // `GetMultiXactIdMembers` tells no members of one that only locked and that no transaction still is in
    if members.is_empty() || tuple.is_locked_only() && precedes(multi, cutoffs.oldest_mxact) {
        return MultiFreeze::Invalidate;
    }
    let is_old = members.iter().any(|member| precedes(member.xid, cutoffs.freeze_limit));
    let must_go = is_old || by_page && precedes(multi, cutoffs.multi_cutoff);
    if !must_go {
        return MultiFreeze::Noop;
    }
    let stays = |member: &&MultiXactMember| {
        let runs = pg.transam.is_in_progress(member.xid);
        runs || member.status.is_update() && pg.transam.did_commit(member.xid)
    };
    let staying: Vec<&MultiXactMember> = members.iter().filter(stays).collect();
    match staying.as_slice() {
        [] => MultiFreeze::Invalidate,
        [one] if one.status.is_update() => updater(pg, tuple, one.xid),
        _ => MultiFreeze::Noop,
    }
}

/// Nobody that is a member can still run: only an update that committed counts.
fn old(pg: &Instance, tuple: &HeapTuple, members: &[MultiXactMember]) -> MultiFreeze {
    let update = members.iter().find(|member| member.status.is_update() && !tuple.is_locked_only());
    match update {
        Some(member) if pg.transam.did_commit(member.xid) => updater(pg, tuple, member.xid),
        _ => MultiFreeze::Invalidate,
    }
}

fn updater(pg: &Instance, tuple: &HeapTuple, xmax: TransactionId) -> MultiFreeze {
    let committed = if pg.transam.did_commit(xmax) { HEAP_XMAX_COMMITTED } else { 0 };
    let t_infomask = tuple.t_infomask & !HEAP_XMAX_BITS | committed;
    MultiFreeze::Replace { xmax, t_infomask, t_infomask2: tuple.t_infomask2 }
}
