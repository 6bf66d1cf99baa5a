//! A scan for several values of its first columns, as it is from 17 on (`_bt_advance_array_keys`, src/backend/access/nbtree/nbtutils.c;
//! `_bt_readpage`, nbtsearch.c).
//!
//! ```text
//!  IN (2, 5, 70)   leaf: 1 2 3 4 5 … 40 │ 41    2 and 5 are read at once; 70 is behind the leaf's last tuple, 41: down from the root again
//!                                         └ from 18 on only where this leaf is the first one; else the next leaf may have it
//! ```

use super::check::KeyTest;
use super::scan::{Ends, IndexBounds, Leaf};
use super::tuple::{self, Items};
use super::{Index, offset};
use crate::page::LpFlags;
use core::cmp::Ordering;

/// The values that a scan looks for, and where among them it is.
#[derive(Debug, Clone, Default)]
pub(super) struct Arrays {
    /// bounds for each of them, in the scan's order
    pub all: alloc::vec::Vec<IndexBounds>,
    /// how many columns are asked for equality
    pub n_equal: usize,
    /// `cur_elem`
    pub at: usize,
    /// `needPrimScan`: is the tree to be searched for the values at hand?
    pub needs_scan: bool,
    /// `scanBehind`: may the leaf that comes next end before them?
    pub is_behind: bool,
    /// `oppositeDirCheck`: is that leaf to be asked also whether it ends before the range that they begin?
    pub checks_start: bool,
}

/// What follows from an item behind the values at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Advance {
    /// it has the next ones
    Satisfies,
    /// later items of the leaf, or of the next one, may have them
    Continue,
    /// the tree is searched for them
    Search,
    /// there are no more
    End,
}

/// A leaf that is read (`BTReadPageState`).
struct Page<'a> {
    items: Items<'a>,
    tests: &'a [KeyTest],
    backward: bool,
    /// is it where a search of the tree came to?
    is_first: bool,
    /// `finaltup`: the high key, backward the first item; the last leaf of all has none
    last: Option<&'a [u8]>,
}

impl Arrays {
    fn bounds(&self) -> &IndexBounds {
        &self.all[self.at]
    }

    /// Do the columns behind the equal ones begin somewhere, in the scan's direction?
    fn has_start(&self, backward: bool) -> bool {
        let IndexBounds { lower, upper, .. } = self.bounds();
        (if backward { upper } else { lower }).len() > self.n_equal
    }
}

impl Index<'_> {
    /// `_bt_readpage` for several values: all items of a leaf that have any of those left.
    pub(super) fn read_leaf_for_arrays(
        &self,
        arrays: &mut Arrays,
        tests: &[KeyTest],
        backward: bool,
        is_first: bool,
        leaf: &mut Leaf,
    ) {
        let (page, opaque) = (self.page(leaf.block), self.opaque(leaf.block));
        let items = Items::of(page);
        let (first, end) = (opaque.first_data_key(), page.item_count() + 1);
        let last = match backward {
            true => (opaque.btpo_prev != 0 && first < end).then_some(first),
            false => (!opaque.is_rightmost()).then_some(1),
        };
        let on = Page { items, tests, backward, is_first, last: last.map(|n| items.get(n)) };
        if self.is_leaf_before(arrays, &on) {
            (leaf.is_last, arrays.needs_scan) = (true, true);
            return;
        }
        let knows_at_once = self.pg.version.goes_on_beside_leaves();
        if knows_at_once {
            arrays.is_behind = false;
        }
        let is_dead = |n: u16| page.item_id(offset(n)).is_some_and(|lp| lp.lp_flags() == LpFlags::Dead);
        let mut n = if is_first || !backward { self.first_at(arrays, &on, first) } else { end - 1 };
        while (first..end).contains(&n) && !leaf.is_last {
            let next = if backward { n - 1 } else { n + 1 };
            if is_dead(n) && !(backward && n == first) {
                n = next;
                continue;
            }
            let item = items.get(n);
            let was = arrays.at;
            match self.check_keys(arrays, &on, item, backward && n == first) {
                Advance::Satisfies if !is_dead(n) => leaf.items.extend(tuple::tids(item).map(|tid| (n, tid))),
                Advance::Satisfies => {}
                Advance::Continue if arrays.is_behind && arrays.at != was => break,
                Advance::Continue => {}
                stop => self.stop(arrays, leaf, stop),
            }
            let seeks = !backward && !leaf.is_last && arrays.at != was;
            n = if seeks { self.first_at(arrays, &on, next) } else { next };
        }
        let is_done = backward || leaf.is_last || knows_at_once && arrays.is_behind;
        if let Some(high_key) = on.last.filter(|_| !is_done) {
            match self.check_keys(arrays, &on, high_key, true) {
                Advance::Satisfies | Advance::Continue => {}
                stop => self.stop(arrays, leaf, stop),
            }
        }
    }

    const fn stop(&self, arrays: &mut Arrays, leaf: &mut Leaf, how: Advance) {
        leaf.is_last = true;
        arrays.needs_scan = matches!(how, Advance::Search);
    }

    /// `_bt_binsrch`: the first item, from `first` on, that does not stand before the values at hand.
    fn first_at(&self, arrays: &Arrays, on: &Page<'_>, first: u16) -> u16 {
        let ends = Ends::of(self.rel, arrays.bounds());
        if on.backward {
            return self.first_behind(on.items, first, &ends) - 1;
        }
        self.first_within(on.items, first, &ends)
    }

    /// `_bt_scanbehind_checkkeys`: does the leaf that the scan came to from its neighbour end before the values at hand?
    fn is_leaf_before(&self, arrays: &Arrays, on: &Page<'_>) -> bool {
        let Some(last) = on.last.filter(|_| arrays.is_behind) else { return false };
        let (place, is_cut) = self.place(arrays, on, last);
        let checks_start = arrays.checks_start && place.is_eq();
        place.is_lt()
            || self.pg.version.goes_on_beside_leaves()
                && (is_cut || checks_start && self.place_in_range(arrays, on, last).is_lt())
    }

    /// `_bt_checkkeys`: has an item the values at hand, or the next ones that it can have?
    fn check_keys(&self, arrays: &mut Arrays, on: &Page<'_>, item: &[u8], is_last: bool) -> Advance {
        match self.place(arrays, on, item) {
            (Ordering::Less, _) => return Advance::Continue,
            (Ordering::Equal, true) => return Advance::Satisfies,
            (Ordering::Equal, false) => match self.place_in_range(arrays, on, item) {
                Ordering::Less => return Advance::Continue,
                Ordering::Equal if self.passes(item, on.tests) => return Advance::Satisfies,
                Ordering::Equal => return Advance::Continue,
                Ordering::Greater => {}
            },
            (Ordering::Greater, _) => {}
        }
        self.advance(arrays, on, item, is_last)
    }

    /// `_bt_advance_array_keys`: on to the first values that do not stand before an item.
    fn advance(&self, arrays: &mut Arrays, on: &Page<'_>, item: &[u8], is_last: bool) -> Advance {
        arrays.is_behind = false;
        let is_satisfied = loop {
            arrays.at += 1;
            if arrays.at == arrays.all.len() {
                return Advance::End;
            }
            let (place, is_cut) = self.place(arrays, on, item);
            match place {
                Ordering::Greater => continue,
                Ordering::Less => break false,
                Ordering::Equal => arrays.is_behind = is_cut,
            }
            match self.place_in_range(arrays, on, item) {
                Ordering::Greater => {}
                Ordering::Equal if !is_cut && self.passes(item, on.tests) => return Advance::Satisfies,
                _ => break true,
            }
        };
        match self.needs_search(arrays, on, is_satisfied, is_last) {
            false => {}
            // the next leaf is tried first
            true if self.pg.version.goes_on_beside_leaves() && !on.is_first => arrays.is_behind = true,
            true => return Advance::Search,
        }
        arrays.checks_start = arrays.has_start(on.backward);
        Advance::Continue
    }

    /// Does the leaf end before the values at hand?
    fn needs_search(&self, arrays: &mut Arrays, on: &Page<'_>, is_satisfied: bool, is_last: bool) -> bool {
        let Some(last) = on.last else { return false };
        if !is_satisfied {
            if is_last {
                return true;
            }
            let (place, is_cut) = self.place(arrays, on, last);
            if place.is_lt() {
                return true;
            }
            arrays.is_behind |= is_cut;
        }
        let has_start = arrays.has_start(on.backward);
        if arrays.is_behind {
            return has_start && !self.pg.version.goes_on_beside_leaves();
        }
        let asks = has_start && (is_satisfied || self.pg.version.goes_on_beside_leaves());
        asks && self.place(arrays, on, last).0.is_eq() && self.place_in_range(arrays, on, last).is_lt()
    }

    /// Where an item stands to the values at hand, in the scan's direction; and whether it has lost columns that are asked for (`BTreeTupleGetNAtts`), of
    /// which nothing is known then.
    fn place(&self, arrays: &Arrays, on: &Page<'_>, item: &[u8]) -> (Ordering, bool) {
        let bounds = arrays.bounds();
        let has = usize::from(tuple::n_atts(item, self.n_columns()));
        for (n, value) in bounds.lower.iter().enumerate().take(arrays.n_equal.min(has)) {
            match self.order_column(value, item, n) {
                Ordering::Equal => {}
                order if on.backward => return (order, false),
                order => return (order.reverse(), false),
            }
        }
        (Ordering::Equal, has < bounds.lower.len().max(bounds.upper.len()))
    }

    /// Where an item that has the values at hand stands to the range in the column behind them.
    fn place_in_range(&self, arrays: &Arrays, on: &Page<'_>, item: &[u8]) -> Ordering {
        let bounds = arrays.bounds();
        let has = usize::from(tuple::n_atts(item, self.n_columns()));
        if bounds.lower.len().max(bounds.upper.len()) == arrays.n_equal || has <= arrays.n_equal {
            return Ordering::Equal;
        }
        let ends = Ends::of(self.rel, bounds);
        let place = match () {
            () if self.is_before(item, &ends) => Ordering::Less,
            () if self.is_behind(item, &ends) => Ordering::Greater,
            () => self.place_of_null(item, bounds),
        };
        if on.backward { place.reverse() } else { place }
    }
}
