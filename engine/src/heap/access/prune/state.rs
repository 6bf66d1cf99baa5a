//! `PruneState`: what each row version of a page is, and what is to happen to its line pointer.

use super::chain::Chain;
use crate::heap::access::heap_tuple;
use crate::heap::access::visibility::{HtsvResult, heap_tuple_get_update_xid, heap_tuple_satisfies_vacuum_horizon};
use crate::heap::{HeapTuple, max_heap_tuples_per_page};
use crate::page::{LpFlags, OffsetNumber, TransactionId};
use crate::storage::{BLCKSZ, Buffer, Instance, precedes};
use alloc::vec;
use alloc::vec::Vec;

/// Which deleters nobody needs any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vistest {
    /// those before VACUUM's `OldestXmin`
    OldestXmin(TransactionId),
    /// those that the session's horizon says
    GlobalVis,
}

impl Vistest {
    /// `GlobalVisTestIsRemovableXid`
    pub fn is_removable(self, pg: &mut Instance, xid: TransactionId) -> bool {
        match self {
            Self::OldestXmin(oldest) => precedes(xid, oldest),
            Self::GlobalVis => pg.is_removable(xid),
        }
    }
}

/// A line pointer while the page is looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub flags: LpFlags,
    pub is_heap_only: bool,
    /// what its row version is, once that was asked
    status: Option<HtsvResult>,
    /// is it decided what becomes of it?
    is_done: bool,
}

impl Place {
    const NONE: Self = Self { flags: LpFlags::Unused, is_heap_only: false, status: None, is_done: false };
}

/// `PruneState`
#[derive(Debug, Clone)]
pub struct PruneState {
    /// the page
    pub buf: Buffer,
    /// pairs: the first line pointer is to redirect to the second
    pub redirected: Vec<(OffsetNumber, OffsetNumber)>,
    /// line pointers that become `LP_DEAD`
    pub now_dead: Vec<OffsetNumber>,
    /// line pointers that become `LP_UNUSED`
    pub now_unused: Vec<OffsetNumber>,
    /// newest xid that deleted something that goes: snapshots as old as it are in the way on a standby
    pub latest_xid_removed: TransactionId,
    /// the new `pd_prune_xid`
    pub new_prune_xid: TransactionId,
    /// row versions that stay, as far as chains led to them
    pub(super) kept: Vec<OffsetNumber>,
    pub(super) mark_unused_now: bool,
    pub(super) max: u16,
    /// the chain that is walked: one for all, so that a page with many asks for memory once
    pub(super) chain: Chain,
    vistest: Vistest,
    /// by number of the line pointer; 0 there is not
    places: Vec<Place>,
}

impl PruneState {
    /// Classifies the row versions of a page; 13 does so only as it comes to each.
    pub(super) fn new(pg: &mut Instance, buf: Buffer, vistest: Vistest, mark_unused_now: bool) -> Self {
        let max = pg.buffers.page(buf).item_count().min(max_heap_tuples_per_page(BLCKSZ));
        let mut state = Self {
            buf,
            redirected: Vec::new(),
            now_dead: Vec::new(),
            now_unused: Vec::new(),
            latest_xid_removed: 0,
            new_prune_xid: 0,
            kept: Vec::with_capacity(max.into()),
            mark_unused_now,
            max,
            chain: Chain::default(),
            vistest,
            places: vec![Place::NONE; usize::from(max) + 1],
        };
        let classifies = pg.version.classifies_before_pruning();
        for n in (1..=max).rev() {
            state.look_at(pg, OffsetNumber(n), classifies);
        }
        state
    }

    /// Reads a line pointer and its row version.
    fn look_at(&mut self, pg: &mut Instance, n: OffsetNumber, classifies: bool) {
        let place = &mut self.places[usize::from(n.0)];
        match heap_tuple(pg, self.buf, n) {
            Some(mut tuple) => {
                (place.flags, place.is_heap_only) = (LpFlags::Normal, tuple.is_heap_only());
                if classifies {
                    place.status = Some(classify(pg, &mut tuple, self.buf, self.vistest));
                }
            }
            None => place.flags = pg.buffers.page(self.buf).item_id(n).map_or(LpFlags::Unused, |lp| lp.lp_flags()),
        }
    }

    /// What a line pointer of the page is.
    pub(super) fn place(&self, n: OffsetNumber) -> Place {
        self.places.get(usize::from(n.0)).copied().unwrap_or(Place::NONE)
    }

    /// Does nothing go?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.redirected.is_empty() && self.now_dead.is_empty() && self.now_unused.is_empty()
    }

    /// What a row version is; the first time it may set hint bits. `None`: the line pointer has no tuple.
    pub(super) fn status_of(&mut self, pg: &mut Instance, n: OffsetNumber) -> Option<HtsvResult> {
        let place = &mut self.places[usize::from(n.0)];
        if place.status.is_none() {
            let mut tuple = heap_tuple(pg, self.buf, n)?;
            place.status = Some(classify(pg, &mut tuple, self.buf, self.vistest));
        }
        place.status
    }

    pub(super) fn is_done(&self, n: OffsetNumber) -> bool {
        self.places[usize::from(n.0)].is_done
    }

    pub(super) fn mark_done(&mut self, n: OffsetNumber) {
        self.places[usize::from(n.0)].is_done = true;
    }

    /// `heap_prune_record_redirect`
    pub(super) fn record_redirect(&mut self, from: OffsetNumber, to: OffsetNumber) {
        self.redirected.push((from, to));
        self.mark_done(from);
    }

    /// `heap_prune_record_dead_or_unused`
    pub(super) fn record_dead(&mut self, n: OffsetNumber) {
        if self.mark_unused_now {
            return self.record_unused(n);
        }
        self.now_dead.push(n);
        self.mark_done(n);
    }

    /// `heap_prune_record_unused`
    pub(super) fn record_unused(&mut self, n: OffsetNumber) {
        self.now_unused.push(n);
        self.mark_done(n);
    }

    /// A row version stays.
    pub(super) fn record_kept(&mut self, n: OffsetNumber) {
        self.kept.push(n);
        self.mark_done(n);
    }

    /// `heap_prune_record_prunable`: pruning may be worth it once this xid is old.
    pub(super) fn record_prunable(&mut self, xid: TransactionId) {
        if self.new_prune_xid == 0 || precedes(xid, self.new_prune_xid) {
            self.new_prune_xid = xid;
        }
    }

    /// `HeapTupleHeaderAdvanceConflictHorizon`: what the row version's removal means to snapshots. What never counted, or was deleted by
    /// its own transaction, nobody can have seen.
    pub(super) fn advance_horizon(&mut self, pg: &Instance, tuple: &HeapTuple) {
        advance_conflict_horizon(pg, tuple, &mut self.latest_xid_removed);
    }
}

/// `heap_prune_satisfies_vacuum`: what a row version is, where the horizon says more of it than it says itself.
fn classify(pg: &mut Instance, tuple: &mut HeapTuple, buf: Buffer, vistest: Vistest) -> HtsvResult {
    match heap_tuple_satisfies_vacuum_horizon(pg, tuple, buf) {
        HtsvResult::RecentlyDead(xmax) if vistest.is_removable(pg, xmax) => HtsvResult::Dead,
        other => other,
    }
}

/// `HeapTupleHeaderAdvanceConflictHorizon`
pub fn advance_conflict_horizon(pg: &Instance, tuple: &HeapTuple, horizon: &mut TransactionId) {
    let xmax = heap_tuple_get_update_xid(pg, tuple);
    let counted = tuple.is_xmin_committed() || !tuple.is_xmin_invalid() && pg.transam.did_commit(tuple.t_xmin);
    if counted && xmax != tuple.t_xmin && precedes(*horizon, xmax) {
        *horizon = xmax;
    }
}
