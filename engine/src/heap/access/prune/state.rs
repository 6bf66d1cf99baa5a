//! `PruneState`: what each row version of a page is, and what is to happen to its line pointer.

use super::chain::Chain;
use crate::heap::access::heap_tuple;
use crate::heap::access::visibility::{HtsvResult, heap_tuple_get_update_xid, heap_tuple_satisfies_vacuum_horizon};
use crate::heap::infomask::Hints;
use crate::heap::{HeapTuple, max_heap_tuples_per_page};
use crate::page::{ItemIdData, LpFlags, OffsetNumber, Page, TransactionId};
use crate::storage::{BLCKSZ, Buffer, Instance, precedes};
use alloc::vec;
use alloc::vec::Vec;

/// Memory for so many candidates is asked for at first: a page is pruned often, and then there are few.
const FEW: usize = 8;

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

/// What becomes of what a line pointer leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// it is not decided
    Open,
    /// it stays
    Stays,
    /// it goes
    Goes,
}

/// A line pointer and, once that was asked, what its row version is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub n: OffsetNumber,
    status: Option<HtsvResult>,
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
    /// where they are to be surveyed: row versions that stay, as chains led to them
    pub(super) kept: Option<Vec<OffsetNumber>>,
    pub(super) mark_unused_now: bool,
    pub(super) max: u16,
    /// the chain that is walked: one for all, so that a page with many asks for memory once
    pub(super) chain: Chain,
    /// line pointers that something is to be decided about, in order: all that lead to row versions where those that stay are surveyed, else
    /// those of which the hint bits alone do not say that all is well
    pub(super) candidates: Vec<Candidate>,
    vistest: Vistest,
    /// by number of the line pointer, less one
    fates: Vec<Fate>,
}

impl PruneState {
    /// Classifies the row versions of a page; 13 does so only as it comes to each.
    pub(super) fn new(pg: &mut Instance, buf: Buffer, vistest: Vistest, mark_unused_now: bool, surveys: bool) -> Self {
        let max = pg.buffers.page(buf).item_count().min(max_heap_tuples_per_page(BLCKSZ));
        let mut state = Self {
            buf,
            redirected: Vec::new(),
            now_dead: Vec::new(),
            now_unused: Vec::new(),
            latest_xid_removed: 0,
            new_prune_xid: 0,
            kept: surveys.then(Vec::new),
            mark_unused_now,
            max,
            chain: Chain::default(),
            candidates: candidates(pg.buffers.page(buf), max, surveys),
            vistest,
            fates: vec![Fate::Open; max.into()],
        };
        if pg.version.classifies_before_pruning() {
            for at in (0..state.candidates.len()).rev() {
                state.ask(pg, at);
            }
        }
        state
    }

    /// Is it decided what becomes of it?
    #[inline]
    pub(super) fn is_done(&self, n: OffsetNumber) -> bool {
        self.fates.get(usize::from(n.0).wrapping_sub(1)).is_some_and(|fate| *fate != Fate::Open)
    }

    /// Does the line pointer stay, as far as was decided?
    pub(super) fn stays(&self, n: OffsetNumber) -> bool {
        self.fates.get(usize::from(n.0).wrapping_sub(1)).is_none_or(|fate| *fate != Fate::Goes)
    }

    /// Does nothing go?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.redirected.is_empty() && self.now_dead.is_empty() && self.now_unused.is_empty()
    }

    /// What a row version is; the first time it may set hint bits. `None`: the line pointer has no tuple.
    pub(super) fn status_of(&mut self, pg: &mut Instance, n: OffsetNumber) -> Option<HtsvResult> {
        match self.candidates.binary_search_by_key(&n, |candidate| candidate.n) {
            Ok(at) => self.ask(pg, at),
            Err(_) => heap_tuple(pg, self.buf, n).map(|_| HtsvResult::Live),
        }
    }

    /// What the row version of a candidate is.
    pub(super) fn ask(&mut self, pg: &mut Instance, at: usize) -> Option<HtsvResult> {
        let Candidate { n, status } = &mut self.candidates[at];
        if status.is_none() {
            let mut tuple = heap_tuple(pg, self.buf, *n)?;
            *status = Some(classify(pg, &mut tuple, self.buf, self.vistest));
        }
        *status
    }

    #[inline]
    fn settle(&mut self, n: OffsetNumber, fate: Fate) {
        self.fates[usize::from(n.0) - 1] = fate;
    }

    /// `heap_prune_record_redirect`
    pub(super) fn record_redirect(&mut self, from: OffsetNumber, to: OffsetNumber) {
        self.redirected.push((from, to));
        self.settle(from, Fate::Goes);
    }

    /// `heap_prune_record_dead_or_unused`
    pub(super) fn record_dead(&mut self, n: OffsetNumber) {
        if self.mark_unused_now {
            return self.record_unused(n);
        }
        self.now_dead.push(n);
        self.settle(n, Fate::Goes);
    }

    /// `heap_prune_record_unused`
    pub(super) fn record_unused(&mut self, n: OffsetNumber) {
        self.now_unused.push(n);
        self.settle(n, Fate::Goes);
    }

    /// A row version stays.
    #[inline]
    pub(super) fn record_kept(&mut self, n: OffsetNumber) {
        if let Some(kept) = &mut self.kept {
            kept.push(n);
        }
        self.settle(n, Fate::Stays);
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

/// The line pointers that something is to be decided about. Of most row versions the hint bits say that they are alive, and then nothing of the
/// chain goes that begins there.
fn candidates(page: &Page, max: u16, all: bool) -> Vec<Candidate> {
    let words = page.line_pointer_words();
    let words = words.get(..max.into()).unwrap_or(words);
    let mut found = Vec::with_capacity(if all { max.into() } else { FEW });
    for (n, word) in (1..).zip(words) {
        let lp = ItemIdData::from(*word);
        let first = match lp.redirect() {
            Some(target) => words.get(usize::from(target.0).wrapping_sub(1)).map_or(lp, |word| ItemIdData::from(*word)),
            None => lp,
        };
        let is_live = first.lp_flags() == LpFlags::Normal && Hints::of(page, first).is_live;
        if is_live && !all {
            continue;
        }
        if matches!(lp.lp_flags(), LpFlags::Normal | LpFlags::Redirect) {
            let status = (is_live && lp == first).then_some(HtsvResult::Live);
            found.push(Candidate { n: OffsetNumber(n), status });
        }
    }
    found
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
