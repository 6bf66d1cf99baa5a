//! Walking HOT chains and deciding about their members (`heap_prune_chain`, src/backend/access/heap/pruneheap.c).
//!
//! ```text
//!  13–16   every line pointer in order: a root's chain, or a heap-only tuple that no chain led to
//!  17+     all roots in order, then the heap-only tuples that are left
//! ```

use super::state::{Place, PruneState};
use crate::heap::access::heap_tuple;
use crate::heap::access::survey::Survey;
use crate::heap::access::visibility::{HtsvResult, heap_tuple_get_update_xid};
use crate::page::{LpFlags, OffsetNumber};
use crate::storage::Instance;
use alloc::vec::Vec;

/// A chain as far as it was walked.
#[derive(Debug, Clone, Default)]
pub(super) struct Chain {
    /// root first
    members: Vec<OffsetNumber>,
    /// how many there are up to the last dead one
    dead: usize,
}

impl PruneState {
    /// The order of 13 to 16.
    pub(super) fn prune_in_order(&mut self, pg: &mut Instance) {
        for n in (1..self.max + 1).map(OffsetNumber) {
            let place = self.place(n);
            if place.is_done() {
                continue;
            }
            if place.is_root() {
                self.prune_chain(pg, n, place);
            } else if place.is_heap_only {
                self.prune_orphan(pg, n);
            }
        }
    }

    /// The order from 17 on. Without indexes what is dead already goes first of all, from the last to the first.
    pub(super) fn prune_roots_first(&mut self, pg: &mut Instance) {
        let all = (1..self.max + 1).map(OffsetNumber);
        if self.mark_unused_now {
            for n in all.clone().rev().filter(|n| self.place(*n).lp.lp_flags() == LpFlags::Dead).collect::<Vec<_>>() {
                self.record_unused(n);
            }
        }
        for n in all.clone() {
            let place = self.place(n);
            if place.is_root() && !place.is_done() {
                self.prune_chain(pg, n, place);
            }
        }
        let is_left = |place: Place| place.is_heap_only && !place.is_done();
        for at in 0..self.doubtful.len() {
            let (n, _) = self.doubtful[at];
            if is_left(self.place(n)) {
                self.prune_orphan(pg, n);
            }
        }
        if self.kept.is_some() {
            all.for_each(|n| {
                if is_left(self.place(n)) {
                    self.record_kept(n)
                }
            });
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
        let first = place.lp.redirect().unwrap_or(root);
        if self.place(first).is_live() {
            self.record_kept(first);
        } else {
            self.walk_and_decide(pg, root);
        }
    }

    fn walk_and_decide(&mut self, pg: &mut Instance, root: OffsetNumber) {
        let mut chain = core::mem::take(&mut self.chain);
        self.walk(pg, root, &mut chain);
        self.decide(root, &chain);
        self.chain = chain;
    }

    /// What becomes of the members of a chain.
    fn decide(&mut self, root: OffsetNumber, chain: &Chain) {
        let is_redirect = self.place(root).lp.lp_flags() == LpFlags::Redirect;
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
            let place = self.place(n);
            if place.is_done() {
                break;
            }
            if let Some(target) = place.lp.redirect().filter(|_| chain.members.is_empty()) {
                chain.members.push(n);
                n = target;
                continue;
            }
            if place.lp.lp_flags() != LpFlags::Normal {
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
        for at in 0..self.doubtful.len() {
            let (n, _) = self.doubtful[at];
            if self.place(n).stays()
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
        let mut places = (1..=self.max).map(|n| self.place(OffsetNumber(n)));
        let stays = |place: Place| place.lp.lp_flags() == LpFlags::Redirect && place.stays();
        survey.hastup |= !self.redirected.is_empty() || places.any(stays);
    }
}
