//! `PruneState`: what each row version of a page is, and what is to happen to its line pointer.

use super::chain::Chain;
use super::lists::{Few, OffsetSet};
use crate::access::heap::visibility::{HtsvResult, heap_tuple_get_update_xid, heap_tuple_satisfies_vacuum_horizon};
use crate::storage::{BLCKSZ, Buffer, Instance};
use crate::version::Behaviour;
use alloc::vec::Vec;
use ffviz_format::heap::infomask::Hints;
use ffviz_format::heap::{HeapTuple, max_heap_tuples_per_page};
use ffviz_format::page::{ItemIdData, ItemPointer, LpFlags, OffsetNumber, Page, TransactionId, first_where, precedes};

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
    pub fn is_removable(self, pg: &mut Instance, buf: Buffer, xid: TransactionId) -> bool {
        match self {
            Self::OldestXmin(oldest) => precedes(xid, oldest),
            Self::GlobalVis => pg.is_removable(buf.file, xid),
        }
    }
}

/// Of a page that is pruned often there are few.
type Candidates = Few<Candidate, 4>;

/// A line pointer, and what it leads to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Candidate {
    pub n: OffsetNumber,
    /// of `LP_REDIRECT`
    pub redirect: Option<OffsetNumber>,
    /// the row version of `LP_NORMAL`, with the hint bits that were set since
    pub tuple: Option<HeapTuple>,
    /// what that is, once it was asked
    status: Option<HtsvResult>,
}

impl Candidate {
    /// Is it a row version that no index entry leads to?
    pub fn is_heap_only(&self) -> bool {
        self.tuple.as_ref().is_some_and(HeapTuple::is_heap_only)
    }

    /// Does it begin a HOT chain?
    pub fn is_root(&self) -> bool {
        self.redirect.is_some() || self.tuple.as_ref().is_some_and(|tuple| !tuple.is_heap_only())
    }

    /// Does its HOT chain go on with that one, so that no line pointer redirects there?
    fn is_followed_by(&self, next: &Self) -> bool {
        let (Some(tuple), Some(next)) = (&self.tuple, &next.tuple) else { return false };
        tuple.is_hot_updated() && tuple.t_ctid == next.tid && tuple.update_xid() == Some(next.t_xmin)
    }

    /// Is the row version known to be alive?
    pub fn is_live(&self) -> bool {
        self.tuple.as_ref().is_some_and(HeapTuple::is_surely_live)
    }
}

/// `PruneState`
#[derive(Debug, Clone)]
pub struct PruneState {
    /// the page
    pub buf: Buffer,
    /// pairs: the first line pointer is to redirect to the second
    pub redirected: Few<(OffsetNumber, OffsetNumber), 4>,
    /// line pointers that become `LP_DEAD`
    pub now_dead: Few<OffsetNumber, 8>,
    /// line pointers that become `LP_UNUSED`
    pub now_unused: Few<OffsetNumber, 8>,
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
    /// line pointers that something is to be decided about, in order: all that lead to row versions where those that
    /// stay are surveyed, else those of which the hint bits alone do not say that all is well
    pub(super) candidates: Candidates,
    vistest: Vistest,
    /// line pointers of which is decided what becomes of what they lead to (`marked`)
    done: OffsetSet,
    /// those of them that do not stay as they are
    gone: OffsetSet,
}

impl PruneState {
    /// Classifies the row versions of a page; 13 does so only as it comes to each.
    pub(super) fn new(pg: &mut Instance, buf: Buffer, vistest: Vistest, mark_unused_now: bool, surveys: bool) -> Self {
        let max = pg.buffers.page(buf).item_count().min(max_heap_tuples_per_page(BLCKSZ));
        let mut state = Self {
            buf,
            redirected: Few::default(),
            now_dead: Few::default(),
            now_unused: Few::default(),
            latest_xid_removed: 0,
            new_prune_xid: 0,
            kept: surveys.then(Vec::new),
            mark_unused_now,
            max,
            chain: Chain::default(),
            candidates: candidates(pg, buf, max, surveys),
            vistest,
            done: OffsetSet::default(),
            gone: OffsetSet::default(),
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
        self.done.contains(n)
    }

    /// Does the line pointer stay, as far as was decided?
    pub(super) fn stays(&self, n: OffsetNumber) -> bool {
        !self.gone.contains(n)
    }

    /// Does nothing go?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.redirected.is_empty() && self.now_dead.is_empty() && self.now_unused.is_empty()
    }

    /// Which candidate a line pointer is. One that is none, and has a row version, is alive.
    pub(super) fn find(&self, n: OffsetNumber) -> Option<usize> {
        self.candidates.binary_search_by_key(&n, |candidate| candidate.n).ok()
    }

    /// What the row version of a candidate is; the first time it may set hint bits. `None`: it has none.
    pub(super) fn ask(&mut self, pg: &mut Instance, at: usize) -> Option<HtsvResult> {
        let Candidate { tuple, status, .. } = &mut self.candidates[at];
        if status.is_none() {
            *status = Some(classify(pg, tuple.as_mut()?, self.buf, self.vistest));
        }
        *status
    }

    fn goes(&mut self, n: OffsetNumber) {
        self.done.insert(n);
        self.gone.insert(n);
    }

    /// `heap_prune_record_redirect`
    pub(super) fn record_redirect(&mut self, from: OffsetNumber, to: OffsetNumber) {
        self.redirected.push((from, to));
        self.goes(from);
    }

    /// `heap_prune_record_dead_or_unused`
    pub(super) fn record_dead(&mut self, n: OffsetNumber) {
        if self.mark_unused_now {
            return self.record_unused(n);
        }
        self.now_dead.push(n);
        self.goes(n);
    }

    /// `heap_prune_record_unused`
    pub(super) fn record_unused(&mut self, n: OffsetNumber) {
        self.now_unused.push(n);
        self.goes(n);
    }

    /// A row version stays.
    #[inline]
    pub(super) fn record_kept(&mut self, n: OffsetNumber) {
        if let Some(kept) = &mut self.kept {
            kept.push(n);
        }
        self.done.insert(n);
    }

    /// `heap_prune_record_prunable`: pruning may be worth it once this xid is old.
    pub(super) fn record_prunable(&mut self, xid: TransactionId) {
        if self.new_prune_xid == 0 || precedes(xid, self.new_prune_xid) {
            self.new_prune_xid = xid;
        }
    }

    /// `HeapTupleHeaderAdvanceConflictHorizon`: what the row version's removal means to snapshots. What never counted,
    /// or was deleted by its own transaction, nobody can have seen.
    pub(super) fn advance_horizon(&mut self, pg: &Instance, tuple: &HeapTuple) {
        advance_conflict_horizon(pg, tuple, &mut self.latest_xid_removed);
    }
}

/// The line pointers that something is to be decided about. Of most row versions the hint bits say that they are alive,
/// and then nothing of the chain goes that begins there.
fn candidates(pg: &Instance, buf: Buffer, max: u16, all: bool) -> Candidates {
    let page = pg.buffers.page(buf);
    let of = |n: OffsetNumber| candidate(page, ItemPointer { block: buf.block, offset: n }, all);
    let every = || (1..=max).filter_map(|n| of(OffsetNumber(n)));
    match pg.buffers.changed_items(buf).filter(|_| !all) {
        Some(changed) => {
            let mut found: Candidates = changed.iter().filter_map(of).collect();
            for at in 0..found.len() {
                if found[at].is_heap_only() && !found.iter().any(|before| before.is_followed_by(&found[at])) {
                    add_redirects_to(found[at].n, page, &mut found);
                }
            }
            found.sort_unstable_by_key(|candidate| candidate.n);
            debug_assert!(every().eq(found.iter().cloned()), "a page that changed says that nobody changed it");
            found
        }
        None => every().collect(),
    }
}

/// A line pointer that something is to be decided about; none where the hint bits say that what it leads to is alive,
/// unless `all` are wanted.
#[inline]
fn candidate(page: &Page, tid: ItemPointer, all: bool) -> Option<Candidate> {
    let words = page.line_pointer_words();
    let line_pointer = |n: OffsetNumber| Some(ItemIdData::from(*words.get(usize::from(n.0).wrapping_sub(1))?));
    let lp = line_pointer(tid.offset)?;
    let first = lp.redirect().and_then(line_pointer).unwrap_or(lp);
    let is_live = first.lp_flags() == LpFlags::Normal && Hints::of(page, first).is_live;
    if is_live && !all {
        return None;
    }
    let (redirect, tuple, status) = match lp.lp_flags() {
        LpFlags::Redirect => (lp.redirect(), None, None),
        LpFlags::Normal => {
            let tuple = HeapTuple::decode(page, tid, lp.lp_off()..lp.lp_off() + lp.lp_len());
            (None, Some(tuple), is_live.then_some(HtsvResult::Live))
        }
        LpFlags::Unused | LpFlags::Dead => return None,
    };
    Some(Candidate { n: tid.offset, redirect, tuple, status })
}

/// The line pointers that redirect to one of which something is to be decided: only to row versions that no index entry
/// leads to do any.
fn add_redirects_to(target: OffsetNumber, page: &Page, found: &mut Candidates) {
    let (redirect, words) = (ItemIdData::redirect_to(target), page.line_pointer_words());
    let mut from = 0;
    while let Some(at) = first_where(&words[from..], |word| ItemIdData::from(word) == redirect) {
        from += at + 1;
        found.push(Candidate { n: OffsetNumber(from as u16), redirect: Some(target), ..Candidate::default() });
    }
}

/// `heap_prune_satisfies_vacuum`: what a row version is, where the horizon says more of it than it says itself.
fn classify(pg: &mut Instance, tuple: &mut HeapTuple, buf: Buffer, vistest: Vistest) -> HtsvResult {
    match heap_tuple_satisfies_vacuum_horizon(pg, tuple, buf) {
        HtsvResult::RecentlyDead(xmax) if vistest.is_removable(pg, buf, xmax) => HtsvResult::Dead,
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
