//! Walking HOT chains and deciding about their members (`heap_prune_chain`, src/backend/access/heap/pruneheap.c).
//!
//! ```text
//!  13–16   every line pointer in order: a root's chain, or a heap-only tuple that no chain led to
//!  17+     all roots in order, then the heap-only tuples that are left
//! ```

use super::lists::Few;
use super::state::{Candidate, PruneState};
use crate::access::heap::heap_tuple;
use crate::access::heap::survey::Survey;
use crate::access::heap::visibility::{HtsvResult, heap_tuple_get_update_xid};
use crate::storage::Instance;
use alloc::vec::Vec;
use ffviz_format::heap::HeapTuple;
use ffviz_format::page::{ItemIdData, LpFlags, OffsetNumber};

/// A chain as far as it was walked.
#[derive(Debug, Clone, Default)]
pub(super) struct Chain {
    /// root first
    members: Few<OffsetNumber, 8>,
    /// how many there are up to the last dead one
    dead: usize,
}

impl PruneState {
    /// The order of 13 to 16.
    pub(super) fn prune_in_order(&mut self, pg: &mut Instance) {
        for at in 0..self.candidates.len() {
            let candidate = &self.candidates[at];
            if self.is_done(candidate.n) {
                continue;
            }
            if candidate.is_root() {
                self.prune_chain(pg, at);
            } else {
                self.prune_orphan(pg, at);
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
            let candidate = &self.candidates[at];
            if candidate.is_root() && !self.is_done(candidate.n) {
                self.prune_chain(pg, at);
            }
        }
        for at in 0..self.candidates.len() {
            let n = self.candidates[at].n;
            if self.is_done(n) || !self.candidates[at].is_heap_only() {
                continue;
            }
            self.prune_orphan(pg, at);
            if self.kept.is_some() && !self.is_done(n) {
                self.record_kept(n);
            }
        }
        self.find_prunable(pg);
    }

    /// A heap-only tuple that no chain led to: a dead one was made by an UPDATE that was rolled back.
    fn prune_orphan(&mut self, pg: &mut Instance, at: usize) {
        if self.ask(pg, at) != Some(HtsvResult::Dead) {
            return;
        }
        let Some(tuple) = self.candidates[at].tuple.clone() else { return };
        if !tuple.is_hot_updated() {
            self.advance_horizon(pg, &tuple);
            self.record_unused(tuple.tid.offset);
        }
    }

    /// `heap_prune_chain`. Most chains begin with a row version that is alive: nothing of them goes.
    #[inline]
    fn prune_chain(&mut self, pg: &mut Instance, at: usize) {
        let Candidate { n: root, redirect, .. } = self.candidates[at];
        let first = redirect.map_or(Some(at), |target| self.find(target)).map(|first| &self.candidates[first]);
        match first.filter(|first| first.is_live() && !self.is_done(first.n)).map(|first| first.n) {
            Some(live) => self.record_kept(live),
            None => self.walk_and_decide(pg, root, redirect.is_some()),
        }
    }

    fn walk_and_decide(&mut self, pg: &mut Instance, root: OffsetNumber, is_redirect: bool) {
        let mut chain = core::mem::take(&mut self.chain);
        self.walk(pg, root, &mut chain);
        self.decide(root, is_redirect, &chain);
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
        while (1..=self.max).contains(&n.0) && !self.is_done(n) {
            let follows = |tuple: &HeapTuple| prior_xmax.is_none_or(|xmax| xmax == tuple.t_xmin);
            let Some(at) = self.find(n) else {
                // it is alive, and the chain ends with it, unless it is of another
                if heap_tuple(pg, self.buf, n).is_some_and(|tuple| follows(&tuple)) {
                    chain.members.push(n);
                }
                break;
            };
            let Candidate { redirect, tuple, .. } = &self.candidates[at];
            if let Some(target) = redirect.filter(|_| chain.members.is_empty()) {
                chain.members.push(n);
                n = target;
                continue;
            }
            if !tuple.as_ref().is_some_and(follows) {
                break;
            }
            chain.members.push(n);
            let status = self.ask(pg, at);
            if matches!(status, Some(HtsvResult::Live | HtsvResult::InsertInProgress)) {
                break;
            }
            // the hint bits that were just set count
            let Some(tuple) = self.candidates[at].tuple.clone() else { break };
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
            let may_die = |status| matches!(status, HtsvResult::RecentlyDead(_) | HtsvResult::DeleteInProgress);
            if self.stays(self.candidates[at].n)
                && self.ask(pg, at).is_some_and(may_die)
                && let Some(tuple) = &self.candidates[at].tuple
            {
                self.record_prunable(heap_tuple_get_update_xid(pg, tuple));
            }
        }
    }

    /// Shows the row versions that stay, and the line pointers that do, to the survey.
    pub(super) fn survey_kept(&mut self, pg: &mut Instance, survey: &mut Survey) {
        for n in self.kept.take().unwrap_or_default() {
            if let Some(at) = self.find(n)
                && let Some(status) = self.ask(pg, at)
                && let Some(tuple) = &self.candidates[at].tuple
            {
                survey.look(pg, tuple, status);
            }
        }
        let mut lps = pg.buffers.page(self.buf).line_pointers().take(self.max.into());
        let stays = |(n, lp): (OffsetNumber, ItemIdData)| lp.redirect().is_some() && self.stays(n);
        survey.hastup |= !self.redirected.is_empty() || lps.any(stays);
    }
}
