//! Walking HOT chains and deciding about their members (`heap_prune_chain`, src/backend/access/heap/pruneheap.c).
//!
//! ```text
//!  13–16   every line pointer in order: a root's chain, or a heap-only tuple that no chain led to
//!  17+     all roots in order, then the heap-only tuples that are left
//! ```

use super::lists::Few;
use super::state::PruneState;
use crate::heap::access::heap_tuple;
use crate::heap::access::survey::Survey;
use crate::heap::access::visibility::{HtsvResult, heap_tuple_get_update_xid};
use crate::heap::infomask::Hints;
use crate::page::{ItemIdData, LpFlags, OffsetNumber};
use crate::storage::{Buffer, Instance};
use alloc::vec::Vec;

/// A chain as far as it was walked.
#[derive(Debug, Clone, Default)]
pub(super) struct Chain {
    /// root first
    members: Few<OffsetNumber, 8>,
    /// how many there are up to the last dead one
    dead: usize,
}

/// A line pointer as a chain is walked.
#[derive(Debug, Clone, Copy)]
struct Place {
    lp: ItemIdData,
    hints: Hints,
}

impl Place {
    fn of(pg: &Instance, buf: Buffer, n: OffsetNumber) -> Self {
        let page = pg.buffers.page(buf);
        let lp = page.item_id(n).unwrap_or(ItemIdData::UNUSED);
        Self { lp, hints: Hints::of(page, lp) }
    }

    const fn is_normal(self) -> bool {
        matches!(self.lp.lp_flags(), LpFlags::Normal)
    }

    /// Does it begin a HOT chain?
    const fn is_root(self) -> bool {
        match self.lp.lp_flags() {
            LpFlags::Redirect => true,
            LpFlags::Normal => !self.hints.is_heap_only,
            LpFlags::Unused | LpFlags::Dead => false,
        }
    }

    const fn is_heap_only(self) -> bool {
        self.is_normal() && self.hints.is_heap_only
    }

    /// Is the row version known to be alive?
    const fn is_live(self) -> bool {
        self.is_normal() && self.hints.is_live
    }
}

impl PruneState {
    /// The order of 13 to 16.
    pub(super) fn prune_in_order(&mut self, pg: &mut Instance) {
        for at in 0..self.candidates.len() {
            let n = self.candidates[at].n;
            let place = Place::of(pg, self.buf, n);
            if self.is_done(n) {
                continue;
            }
            if place.is_root() {
                self.prune_chain(pg, n, place);
            } else if place.is_heap_only() {
                self.prune_orphan(pg, n);
            }
        }
    }

    /// The order from 17 on. Without indexes what is dead already goes first of all, from the last to the first.
    pub(super) fn prune_roots_first(&mut self, pg: &mut Instance) {
        if self.mark_unused_now {
            let all = pg.buffers.page(self.buf).line_pointers().take(self.max.into());
            let dead = all.filter(|(_, lp)| lp.lp_flags() == LpFlags::Dead).map(|(n, _)| n).collect::<Vec<_>>();
            dead.iter().rev().for_each(|n| self.record_unused(*n));
        }
        for at in 0..self.candidates.len() {
            let n = self.candidates[at].n;
            let place = Place::of(pg, self.buf, n);
            if place.is_root() && !self.is_done(n) {
                self.prune_chain(pg, n, place);
            }
        }
        for at in 0..self.candidates.len() {
            let n = self.candidates[at].n;
            if self.is_done(n) || !Place::of(pg, self.buf, n).is_heap_only() {
                continue;
            }
            self.prune_orphan(pg, n);
            if self.kept.is_some() && !self.is_done(n) {
                self.record_kept(n);
            }
        }
        self.find_prunable(pg);
    }

    /// A heap-only tuple that no chain led to: a dead one was made by an UPDATE that was rolled back.
    fn prune_orphan(&mut self, pg: &mut Instance, n: OffsetNumber) {
        let is_dead = self.status_of(pg, n) == Some(HtsvResult::Dead);
        let Some(tuple) = heap_tuple(pg, self.buf, n).filter(|_| is_dead) else { return };
        if !tuple.is_hot_updated() {
            self.advance_horizon(pg, &tuple);
            self.record_unused(n);
        }
    }

    /// `heap_prune_chain`. Most chains begin with a row version that is alive: nothing of them goes.
    #[inline]
    fn prune_chain(&mut self, pg: &mut Instance, root: OffsetNumber, place: Place) {
        let (first, at_first) = match place.lp.redirect() {
            Some(target) => (target, Place::of(pg, self.buf, target)),
            None => (root, place),
        };
        if !self.is_done(first) && at_first.is_live() {
            self.record_kept(first);
        } else {
            self.walk_and_decide(pg, root, place);
        }
    }

    fn walk_and_decide(&mut self, pg: &mut Instance, root: OffsetNumber, place: Place) {
        let mut chain = core::mem::take(&mut self.chain);
        self.walk(pg, root, &mut chain);
        self.decide(root, place.lp.redirect().is_some(), &chain);
        self.chain = chain;
    }

    /// What becomes of the members of a chain.
    fn decide(&mut self, root: OffsetNumber, is_redirect: bool, chain: &Chain) {
        if is_redirect && chain.members.len() < 2 {
            return self.record_dead(root);
        }
        let rest = if chain.dead == 0 {
            usize::from(is_redirect)
        } else if chain.dead == chain.members.len() {
            self.record_dead(root);
            chain.dead
        } else {
            self.record_redirect(root, chain.members[chain.dead]);
            chain.dead
        };
        chain.members[..chain.dead].iter().skip(1).for_each(|n| self.record_unused(*n));
        chain.members[rest..].iter().for_each(|n| self.record_kept(*n));
    }

    /// From the root on, past what is dead or was deleted not long ago.
    fn walk(&mut self, pg: &mut Instance, root: OffsetNumber, chain: &mut Chain) {
        chain.members.clear();
        chain.dead = 0;
        let (mut n, mut prior_xmax) = (root, None);
        while (1..=self.max).contains(&n.0) {
            let place = Place::of(pg, self.buf, n);
            if self.is_done(n) {
                break;
            }
            if let Some(target) = place.lp.redirect().filter(|_| chain.members.is_empty()) {
                chain.members.push(n);
                n = target;
                continue;
            }
            if !place.is_normal() {
                break;
            }
            let follows = |xmax| heap_tuple(pg, self.buf, n).is_some_and(|tuple| tuple.t_xmin == xmax);
            if !prior_xmax.is_none_or(follows) {
                break;
            }
            chain.members.push(n);
            let status = self.status_of(pg, n);
            if matches!(status, Some(HtsvResult::Live | HtsvResult::InsertInProgress)) {
                break;
            }
            // the hint bits that were just set count
            let Some(tuple) = heap_tuple(pg, self.buf, n) else { break };
            let xmax = heap_tuple_get_update_xid(pg, &tuple);
            self.visit(pg, status, xmax);
            match status {
                Some(HtsvResult::Dead) => {
                    chain.dead = chain.members.len();
                    self.advance_horizon(pg, &tuple);
                }
                Some(HtsvResult::RecentlyDead(_)) => {}
                _ => break,
            }
            if !tuple.is_hot_updated() {
                break;
            }
            (n, prior_xmax) = (tuple.t_ctid.offset, Some(xmax));
        }
    }

    /// Before 17 `pd_prune_xid` is found on the way, though a member may go because a dead one follows it.
    fn visit(&mut self, pg: &Instance, status: Option<HtsvResult>, xmax: u32) {
        let may_die = matches!(status, Some(HtsvResult::RecentlyDead(_) | HtsvResult::DeleteInProgress));
        if may_die && !pg.version.prunes_and_freezes_at_once() {
            self.record_prunable(xmax);
        }
    }

    /// From 17 on `pd_prune_xid` comes from the row versions that stay.
    fn find_prunable(&mut self, pg: &mut Instance) {
        for at in 0..self.candidates.len() {
            let n = self.candidates[at].n;
            if self.stays(n)
                && matches!(self.ask(pg, at), Some(HtsvResult::RecentlyDead(_) | HtsvResult::DeleteInProgress))
                && let Some(tuple) = heap_tuple(pg, self.buf, n)
            {
                self.record_prunable(heap_tuple_get_update_xid(pg, &tuple));
            }
        }
    }

    /// Shows the row versions that stay, and the line pointers that do, to the survey.
    pub(super) fn survey_kept(&mut self, pg: &mut Instance, survey: &mut Survey) {
        for n in self.kept.take().unwrap_or_default() {
            if let (Some(status), Some(tuple)) = (self.status_of(pg, n), heap_tuple(pg, self.buf, n)) {
                survey.look(pg, &tuple, status);
            }
        }
        let mut lps = pg.buffers.page(self.buf).line_pointers().take(self.max.into());
        let stays = |(n, lp): (OffsetNumber, ItemIdData)| lp.redirect().is_some() && self.stays(n);
        survey.hastup |= !self.redirected.is_empty() || lps.any(stays);
    }
}
