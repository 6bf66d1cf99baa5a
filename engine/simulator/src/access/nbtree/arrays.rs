//! A scan whose keys have several values each, as it is from 17 on (`_bt_advance_array_keys`, src/backend/access/nbtree/nbtutils.c; `_bt_readpage`,
//! nbtsearch.c).
//!
//! ```text
//!  IN (2, 5, 70)   leaf: 1 2 3 4 5 … 40 │ 41    2 and 5 are read at once; 70 is behind the leaf's last tuple, 41: down from the root again
//!                                         └ from 18 on only where this leaf is the first one; else the next leaf may have it
//! ```

use super::check::KeyTest;
use super::keys::Key;
use super::scan::{Ends, Leaf};
use super::tuple::{self, Items};
use super::{Index, offset};
use crate::version::Behaviour;
use alloc::vec::Vec;
use ffviz_format::page::LpFlags;

/// The keys of a scan, and where among their values it is.
#[derive(Debug, Clone, Default)]
pub(super) struct Arrays {
    /// a key a column; none: the scan has no arrays
    pub keys: Vec<Key>,
    /// has it searched the tree before?
    pub has_begun: bool,
    /// `needPrimScan`: is the tree to be searched for the values at hand?
    pub needs_scan: bool,
    /// `scanBehind`: may the leaf that comes next end before them?
    pub is_behind: bool,
    /// `oppositeDirCheck`: is that leaf to be asked also whether it ends before the range that they begin?
    pub checks_start: bool,
}

/// What follows from an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Advance {
    /// it has the values at hand
    Satisfies,
    /// later items of the leaf may have them
    Continue,
    /// items of the next leaf may
    Beside,
    /// the tree is searched for them
    Search,
    /// there are no more
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
    /// is it where a search of the tree came to?
    pub is_first: bool,
    /// `finaltup`: the high key, backward the first item; the last leaf of all has none
    pub last: Option<Tuple<'a>>,
    /// `forcenonrequired`: are the items asked one by one whether they have any of the values?
    asks_each: bool,
    /// `nskipadvances`
    pub n_skips: u32,
}

/// An item, and how many columns it has (`BTreeTupleGetNAtts`).
pub(super) type Tuple<'a> = (&'a [u8], usize);

impl Arrays {
    /// `_bt_start_array_keys`
    pub fn start(&mut self, backward: bool) {
        self.keys.iter_mut().for_each(|key| key.set_low_or_high(!backward));
        (self.is_behind, self.checks_start) = (false, false);
    }

    /// `_bt_start_prim_scan`: is the tree to be searched again?
    pub fn start_prim_scan(&mut self) -> bool {
        (self.is_behind, self.checks_start) = (false, false);
        self.has_begun = true;
        core::mem::take(&mut self.needs_scan)
    }

    /// Are there keys that begin somewhere, in the scan's direction (`has_required_opposite_direction_only`)?
    pub fn has_start(&self, backward: bool) -> bool {
        let Some(Key::Range(limits)) = self.keys.last() else { return false };
        (if backward { &limits.upper } else { &limits.lower }).is_some()
    }

    /// `_bt_advance_array_keys_increment`: the next values, those of the last column first. Has a skip array moved?
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
        let (first, end) = (opaque.first_data_key(), page.item_count() + 1);
        let last = match backward {
            true => (opaque.btpo_prev != 0 && first < end).then_some(first),
            false => (!opaque.is_rightmost()).then_some(1),
        };
        let items = Items::of(page);
        let last = last.map(|n| self.with_columns(items.get(n)));
        let mut on = Page { items, first, end, tests, backward, is_first, last, asks_each: false, n_skips: 0 };
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
        if let Some(high_key) = on.last.filter(|_| is_open && !backward) {
            if on.asks_each {
                arrays.start(backward);
            }
            how = self.check_keys(arrays, &mut on, high_key, true);
        }
        leaf.is_last = matches!(how, Advance::Search | Advance::End);
        arrays.needs_scan = how == Advance::Search;
    }

    /// Its items in the scan's direction, as far as it is of use.
    fn read_items(&self, arrays: &mut Arrays, on: &mut Page<'_>, leaf: &mut Leaf) -> Advance {
        let page = self.page(leaf.block);
        let (first, end, backward) = (on.first, on.end, on.backward);
        let begin = if backward { end - 1 } else { first };
        let mut n = match () {
            () if on.asks_each => begin,
            () if on.is_first => self.first_at(arrays, on),
            () => self.seek(arrays, on, begin),
        };
        let mut how = Advance::Continue;
        while (first..end).contains(&n) && how.goes_on() {
            let (item, is_last) = (on.items.get(n), backward && n == first);
            let is_dead = page.item_id(offset(n)).is_some_and(|lp| lp.lp_flags() == LpFlags::Dead);
            let next = if backward { n - 1 } else { n + 1 };
            how = match () {
                () if is_dead && !is_last => Advance::Continue,
                () if !on.asks_each || is_last => {
                    if on.asks_each {
                        arrays.start(backward);
                    }
                    self.check_keys(arrays, on, self.with_columns(item), is_last)
                }
                () if self.passes_any(&arrays.keys, item) && self.passes(item, on.tests) => Advance::Satisfies,
                () => Advance::Continue,
            };
            if how == Advance::Satisfies && !is_dead {
                leaf.items.extend(tuple::tids(item).map(|tid| (n, tid)));
            }
            let seeks = how == Advance::Continue && !is_dead && !on.asks_each;
            n = if seeks { self.seek(arrays, on, next) } else { next };
        }
        how
    }

    /// `_bt_binsrch`: the item where the tree was searched for.
    fn first_at(&self, arrays: &Arrays, on: &Page<'_>) -> u16 {
        let start = self.start_of(&arrays.keys, on.backward);
        let ends = Ends::of(self.rel, &start);
        match on.backward {
            true if start.upper.is_empty() => on.end - 1,
            true => self.first_behind(on.items, on.first, &ends) - 1,
            false => self.first_within(on.items, on.first, &ends),
        }
    }

    /// The first item, from this one on in the scan's direction, that does not stand before the values at hand: in steps that grow until they have
    /// passed it (`_bt_checkkeys_look_ahead`).
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

    /// `_bt_set_startikey`: is it better not to follow the values on this leaf? It is one that the scan came to from its neighbour, and it has a last
    /// item that tells at the end where among them the scan is.
    fn asks_each(&self, arrays: &Arrays, on: &Page<'_>) -> bool {
        if on.is_first || on.last.is_none() || on.first + 1 >= on.end {
            return false;
        }
        if arrays.keys.iter().any(|key| matches!(key, Key::Skip(_))) {
            return true;
        }
        let first = on.items.get(on.first);
        let same = usize::from(self.keep_natts_fast(first, on.items.get(on.end - 1)) - 1);
        // an array that all items have the same value of might not be left in time
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
