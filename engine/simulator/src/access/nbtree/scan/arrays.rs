//! A scan with array keys (`= ANY`, and skip arrays), as it is from 17 on (`_bt_advance_array_keys`,
//! src/backend/access/nbtree/nbtutils.c; `_bt_readpage`, nbtsearch.c).
//!
//! Each array key has a *current element*. The scan looks for items that are equal to the current elements. An item
//! that lies behind them in the scan's direction moves the arrays on, to the first elements that are not before it.
//! Then the high key of the leaf (backward: its first item) says whether items with the new elements can be on this
//! leaf. If they cannot, the tree is searched again from the root: a new *primitive index scan*.
//!
//! ```text
//!  IN (2, 5, 70)   leaf: 1 2 3 4 5 … 40 │ 41    2 and 5 are read at once; 70 is behind the leaf's last tuple, 41: down from the root again
//!                                         └ from 18 on only where this leaf is the first one; else the next leaf may have it
//! ```

use super::check::KeyTest;
use super::keys::Key;
use super::{Ends, Leaf};
use crate::access::nbtree::tuple;
use crate::access::nbtree::tuple::Items;
use crate::access::nbtree::{Index, offset};
use crate::version::Behaviour;
use alloc::vec::Vec;
use ffviz_format::page::LpFlags;

/// The keys of a scan, with the current elements of its arrays (`BTScanOpaqueData`).
#[derive(Debug, Clone, Default)]
pub(super) struct Arrays {
    /// a key a column; none: the scan has no arrays
    pub keys: Vec<Key>,
    /// has it searched the tree before?
    pub has_begun: bool,
    /// `needPrimScan`: must the tree be searched for the current elements?
    pub needs_scan: bool,
    /// `scanBehind`: the last item of the leaf was truncated, or nothing was known of the next leaf. So that leaf may
    /// end before the current elements, which has to be checked when it is read
    pub is_behind: bool,
    /// `oppositeDirCheck`: the last column has a range that begins somewhere. The next leaf may have the current
    /// elements, but end before that range begins, which has to be checked too
    pub checks_start: bool,
}

/// What the scan does after an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Advance {
    /// the item is a result; the scan goes on with the next item
    Satisfies,
    /// the item is none; the scan goes on with the next item
    Continue,
    /// the scan goes on with the next leaf
    Beside,
    /// the scan searches the tree for the current elements
    Search,
    /// all arrays are at their ends: the scan is over
    End,
}

/// A leaf that is read (`BTReadPageState`).
pub(super) struct Page<'a> {
    items: Items<'a>,
    /// its first item, and the number behind the last
    first: u16,
    end: u16,
    pub tests: &'a [KeyTest],
    pub backward: bool,
    /// is it the first leaf of a primitive index scan?
    pub is_first: bool,
    /// `finaltup`: the high key, backward the first item; the last leaf of all has none
    pub last: Option<Tuple<'a>>,
    /// `forcenonrequired`: are the arrays left where they are on this leaf, and is each item compared with all
    /// elements?
    asks_each: bool,
    /// `nskipadvances`: how often a skip array was moved on this leaf
    pub n_skips: u32,
}

/// An item, and how many columns it has (`BTreeTupleGetNAtts`).
pub(super) type Tuple<'a> = (&'a [u8], usize);

impl Arrays {
    /// `_bt_start_array_keys`: each array begins with its first element in the scan's direction.
    pub fn start(&mut self, backward: bool) {
        self.keys.iter_mut().for_each(|key| key.set_low_or_high(!backward));
        (self.is_behind, self.checks_start) = (false, false);
    }

    /// `_bt_start_prim_scan`: must the tree be searched again?
    pub fn start_prim_scan(&mut self) -> bool {
        (self.is_behind, self.checks_start) = (false, false);
        self.has_begun = true;
        core::mem::take(&mut self.needs_scan)
    }

    /// Is there a range that begins somewhere, as a scan in that direction meets it? Such a key alone cannot end the
    /// scan (`has_required_opposite_direction_only`).
    pub fn has_start(&self, backward: bool) -> bool {
        let Some(Key::Range(limits)) = self.keys.last() else { return false };
        (if backward { &limits.upper } else { &limits.lower }).is_some()
    }

    /// `_bt_advance_array_keys_increment`: the next combination of elements. As with the digits of a number, the array
    /// of the last column moves first; where it is at its end it begins again, and the one before it moves. False where
    /// all are at their ends. `has_skipped` is set where a skip array was moved.
    pub fn increment(&mut self, backward: bool, has_skipped: &mut bool) -> bool {
        for key in self.keys.iter_mut().rev().filter(|key| key.is_array()) {
            *has_skipped |= matches!(key, Key::Skip(_));
            if key.advance(!backward) {
                return true;
            }
            key.set_low_or_high(!backward);
        }
        false
    }
}

impl Index<'_> {
    /// `_bt_readpage` with array keys: the items of a leaf that are results, and whether the scan goes on to the next
    /// leaf, to a search of the tree, or is over.
    pub(super) fn read_leaf_for_arrays(
        &self,
        arrays: &mut Arrays,
        tests: &[KeyTest],
        backward: bool,
        is_first: bool,
        leaf: &mut Leaf,
    ) {
        let (page, opaque) = (self.page(leaf.block), self.opaque(leaf.block));
        let (first, end) = (opaque.first_data_key(), page.item_count() + 1);
        let last = match backward {
            true => (opaque.btpo_prev != 0 && first < end).then_some(first),
            false => (!opaque.is_rightmost()).then_some(1),
        };
        let items = Items::of(page);
        let last = last.map(|n| self.with_columns(items.get(n)));
        let mut on = Page { items, first, end, tests, backward, is_first, last, asks_each: false, n_skips: 0 };
        // the scan came here from the leaf before without knowing where this one ends: it may end too early
        if self.is_leaf_before(arrays, &on) {
            (leaf.is_last, arrays.needs_scan) = (true, true);
            return;
        }
        let knows_at_once = self.pg.version.goes_on_beside_leaves();
        if knows_at_once {
            (arrays.is_behind, arrays.checks_start) = (false, false);
            on.asks_each = self.asks_each(arrays, &on);
        }
        let mut how = self.read_items(arrays, &mut on, leaf);
        let is_open = how.goes_on() || how == Advance::Beside && !knows_at_once;
        // no item has said what comes next: the high key is compared like an item, as a bound of all later leaves
        if let Some(high_key) = on.last.filter(|_| is_open && !backward) {
            if on.asks_each {
                // the arrays stayed behind on this leaf; from their first elements they move on to the high key
                arrays.start(backward);
            }
            how = self.check_keys(arrays, &mut on, high_key, true);
        }
        leaf.is_last = matches!(how, Advance::Search | Advance::End);
        arrays.needs_scan = how == Advance::Search;
    }

    /// The items of a leaf in the scan's direction, until one says that the leaf has no more results.
    fn read_items(&self, arrays: &mut Arrays, on: &mut Page<'_>, leaf: &mut Leaf) -> Advance {
        let page = self.page(leaf.block);
        let (first, end, backward) = (on.first, on.end, on.backward);
        let begin = if backward { end - 1 } else { first };
        let mut n = if on.asks_each {
            begin
        } else if on.is_first {
            self.first_at(arrays, on)
        } else {
            self.seek(arrays, on, begin)
        };
        let mut how = Advance::Continue;
        while (first..end).contains(&n) && how.goes_on() {
            let (item, is_last) = (on.items.get(n), backward && n == first);
            let is_dead = page.item_id(offset(n)).is_some_and(|lp| lp.lp_flags() == LpFlags::Dead);
            let next = if backward { n - 1 } else { n + 1 };
            how = if is_dead && !is_last {
                Advance::Continue
            } else if !on.asks_each || is_last {
                if on.asks_each {
                    arrays.start(backward);
                }
                self.check_keys(arrays, on, self.with_columns(item), is_last)
            } else if self.passes_any(&arrays.keys, item) && self.passes(item, on.tests) {
                Advance::Satisfies
            } else {
                Advance::Continue
            };
            if how == Advance::Satisfies && !is_dead {
                leaf.items.extend(tuple::tids(item).map(|tid| (n, tid)));
            }
            let seeks = how == Advance::Continue && !is_dead && !on.asks_each;
            n = if seeks { self.seek(arrays, on, next) } else { next };
        }
        how
    }

    /// `_bt_binsrch`: the item of a leaf where a primitive index scan begins.
    fn first_at(&self, arrays: &Arrays, on: &Page<'_>) -> u16 {
        let start = self.start_of(&arrays.keys, on.backward);
        let ends = Ends::of(self.rel, &start);
        match on.backward {
            true if start.upper.is_empty() => on.end - 1,
            true => self.first_behind(on.items, on.first, &ends) - 1,
            false => self.first_within(on.items, on.first, &ends),
        }
    }

    /// The first item, from this one on in the scan's direction, that is not before the current elements: by steps of
    /// growing length until one has passed it, then by a binary search (`_bt_checkkeys_look_ahead`).
    fn seek(&self, arrays: &Arrays, on: &Page<'_>, from: u16) -> u16 {
        let left = if on.backward { (from + 1).saturating_sub(on.first) } else { on.end.saturating_sub(from) };
        let at = |n: u16| if on.backward { from - n } else { from + n };
        let is_before =
            |n: u16| self.is_before_keys(&arrays.keys, self.with_columns(on.items.get(at(n))), on.backward).0;
        let (mut low, mut step) = (0, 1);
        while low + step <= left && is_before(low + step - 1) {
            low += step;
            step *= 2;
        }
        let mut high = left.min(low + step - 1);
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        at(low)
    }

    /// `_bt_set_startikey`: is it cheaper to leave the arrays where they are on this leaf (`forcenonrequired`)? That
    /// takes a leaf that is not the first of its primitive index scan, and that has a last item, from which the arrays
    /// are set right when the leaf is done.
    fn asks_each(&self, arrays: &Arrays, on: &Page<'_>) -> bool {
        if on.is_first || on.last.is_none() || on.first + 1 >= on.end {
            return false;
        }
        if arrays.keys.iter().any(|key| matches!(key, Key::Skip(_))) {
            return true;
        }
        let first = on.items.get(on.first);
        let same = usize::from(self.keep_natts_fast(first, on.items.get(on.end - 1)) - 1);
        // one value of the column in all items: the array would stay with one element, and its later ones go unseen
        let satisfied = arrays.keys.iter().enumerate().take(same).take_while(|(n, key)| self.has_any(key, first, *n));
        satisfied.into_iter().any(|(_, key)| key.is_array())
    }

    pub(super) fn with_columns<'a>(&self, item: &'a [u8]) -> Tuple<'a> {
        (item, usize::from(tuple::n_atts(item, self.n_columns())))
    }
}

impl Advance {
    /// Are there more items of the leaf to be read?
    const fn goes_on(self) -> bool {
        matches!(self, Self::Satisfies | Self::Continue)
    }
}
