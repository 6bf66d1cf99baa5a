//! Which of the places near the wanted fill is taken (`_bt_strategy`, `_bt_bestsplitloc`,
//! src/backend/access/nbtree/nbtsplitloc.c).
//!
//! ```text
//!  candidates ─ some tell their neighbours apart? ─▶ the one whose high key costs least
//!             └ else some place of the page?      ─▶ many duplicates: between two different keys
//!             └ else                              ─▶ single value: nearly all stay on the left
//! ```

use super::{Finder, SplitPoint, item_size};
use crate::access::nbtree::tuple;

/// What the last choice goes by (`FindSplitStrat`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strategy {
    Default,
    ManyDuplicates,
    SingleValue,
}

impl Finder<'_> {
    /// By how many bytes candidates may differ that are about as good.
    pub(super) fn tolerance(&self) -> i16 {
        let share = if self.opaque.is_leaf() { 0.050 } else { 0.075 };
        (f64::from(self.olddataitemstotal) * share) as i16
    }

    /// `_bt_defaultinterval`: how many candidates are about as good as the best. So many are in their places then.
    pub(super) fn default_interval(&mut self) -> usize {
        self.sort_to(1);
        let (best, tolerance) = (self.splits[0], self.tolerance());
        let mut interval = 1;
        while interval < self.splits.len() {
            self.sort_to(interval + 1);
            if self.splits[interval].is_far(best, tolerance) {
                break;
            }
            interval += 1;
        }
        interval
    }

    /// `_bt_strategy`, and the penalty that cannot be beaten.
    pub(super) fn strategy(&self, interval: usize, leftpage: SplitPoint, rightpage: SplitPoint) -> (Strategy, i32) {
        if !self.opaque.is_leaf() {
            return (Strategy::Default, self.minfirstrightsz);
        }
        let n_keys = self.index.n_keys();
        let keep = |left: SplitPoint, right: SplitPoint| {
            self.index.keep_natts_fast(self.last_left(left), self.first_right(right))
        };
        let (left, right) = self.interval_edges(interval);
        let perfect = keep(left, right);
        if perfect <= n_keys {
            return (Strategy::Default, i32::from(perfect));
        }
        let perfect = keep(leftpage, rightpage);
        if perfect <= n_keys {
            return (Strategy::ManyDuplicates, i32::from(n_keys));
        }
        if self.opaque.is_rightmost() {
            return (Strategy::SingleValue, i32::from(perfect));
        }
        let perfect = self.index.keep_natts_fast(tuple::item(self.page, 1), self.newitem);
        let strategy = if perfect <= n_keys { Strategy::SingleValue } else { Strategy::Default };
        (strategy, i32::from(perfect))
    }

    /// `_bt_interval_edges`: the candidates around the best one that are furthest from it, as the sort left them.
    fn interval_edges(&self, interval: usize) -> (SplitPoint, SplitPoint) {
        let best = self.splits[0];
        let place = |split: &SplitPoint| (split.firstrightoff, split.newitemonleft);
        let candidates = || self.splits.iter().take(interval).rev();
        let left = candidates().find(|split| place(split) < place(&best) || **split == best);
        let right = candidates().find(|split| place(split) > place(&best) || **split == best);
        (left.copied().unwrap_or(best), right.copied().unwrap_or(best))
    }

    /// `_bt_bestsplitloc`: of the best few the one whose high key costs least.
    pub(super) fn best_of(&self, interval: usize, perfect: i32, strategy: Strategy) -> SplitPoint {
        let (mut best, mut chosen) = (i32::MAX, self.splits[0]);
        for split in self.splits.iter().take(interval) {
            let penalty = self.penalty(*split);
            if penalty < best {
                (best, chosen) = (penalty, *split);
            }
            if penalty <= perfect {
                break;
            }
        }
        let is_near = (self.newitemoff..self.newitemoff + 9).contains(&chosen.firstrightoff);
        let is_many = strategy == Strategy::ManyDuplicates && !self.opaque.is_rightmost();
        if is_many && !chosen.newitemonleft && is_near { self.splits[0] } else { chosen }
    }

    /// `_bt_split_penalty`
    pub(super) fn penalty(&self, split: SplitPoint) -> i32 {
        if self.opaque.is_leaf() {
            return i32::from(self.index.keep_natts_fast(self.last_left(split), self.first_right(split)));
        }
        let is_new = !split.newitemonleft && split.firstrightoff == self.newitemoff;
        if is_new { self.newitemsz } else { item_size(self.page, split.firstrightoff) }
    }

    fn last_left(&self, split: SplitPoint) -> &[u8] {
        let is_new = split.newitemonleft && split.firstrightoff == self.newitemoff;
        if is_new { self.newitem } else { tuple::item(self.page, split.firstrightoff - 1) }
    }

    fn first_right(&self, split: SplitPoint) -> &[u8] {
        let is_new = !split.newitemonleft && split.firstrightoff == self.newitemoff;
        if is_new { self.newitem } else { tuple::item(self.page, split.firstrightoff) }
    }
}
