//! How an item moves the arrays of a scan on, and whether the tree has to be searched for their new current elements
//! (`_bt_advance_array_keys`, src/backend/access/nbtree/nbtutils.c).
//!
//! ```text
//!  index (a, b), b = 5, a skipped:   item (1, 7): a = 2, b = 5 ─▶ leaf ends with (1, 9): down the tree for (2, 5); with (4, 1): on along the leaf
//! ```

use super::arrays::{Advance, Arrays, Page, Tuple};
use super::keys::{Check, Key, in_direction};
use super::skip::Element;
use crate::access::nbtree::Index;
use crate::version::Behaviour;
use core::cmp::Ordering;
use ffviz_format::datum::Value;

/// `NSKIPADVANCES_THRESHOLD`: a scan that has moved a skip array more often than this on the first leaf of a primitive
/// scan goes on to the next leaf: the values are close together, and a search for each would cost more.
const NSKIPADVANCES_THRESHOLD: u32 = 3;

impl Index<'_> {
    /// `_bt_scanbehind_checkkeys`: the scan has gone on to this leaf without knowing whether it holds items with the
    /// current elements. Does the leaf's last item say that it ends before them? Then the tree is searched instead.
    /// From 18 on a last item that was truncated is no longer given the benefit of the doubt.
    pub(super) fn is_leaf_before(&self, arrays: &Arrays, on: &Page<'_>) -> bool {
        let Some(last) = on.last.filter(|_| arrays.is_behind) else { return false };
        let (is_before, is_cut) = self.is_before_keys(&arrays.keys, last, on.backward);
        is_before
            || self.pg.version.goes_on_beside_leaves()
                && (is_cut || arrays.checks_start && self.is_before_range(arrays, last, on.backward))
    }

    /// `_bt_oppodir_checkkeys`: is an item equal to the current elements, but before the beginning of the range that
    /// the last column has?
    fn is_before_range(&self, arrays: &Arrays, last: Tuple<'_>, backward: bool) -> bool {
        let keys = &arrays.keys;
        matches!(self.check_compare(keys, 0, last, !backward), Check::Stops(n) if matches!(keys[n], Key::Range(_)))
    }

    /// `_bt_checkkeys`: compares an item with the current elements, and moves the arrays on where it is behind them.
    pub(super) fn check_keys(&self, arrays: &mut Arrays, on: &mut Page<'_>, item: Tuple<'_>, is_last: bool) -> Advance {
        match self.check_compare(&arrays.keys, 0, item, on.backward) {
            Check::Passes if self.passes_tests(on, item) => Advance::Satisfies,
            Check::Passes | Check::Fails => Advance::Continue,
            Check::Stops(_) if self.is_before_keys(&arrays.keys, item, on.backward).0 => Advance::Continue,
            Check::Stops(n) => {
                arrays.is_behind = false;
                self.advance(arrays, on, item, n, is_last)
            }
        }
    }

    /// A high key that was truncated says nothing of the columns that it lost.
    fn passes_tests(&self, on: &Page<'_>, (item, has): Tuple<'_>) -> bool {
        has < usize::from(self.n_columns()) || self.passes(item, on.tests)
    }

    /// `_bt_advance_array_keys`: the item is behind the current elements, as the key number `trigger` has found. Moves
    /// the arrays on to the first elements that are not before the item, and decides how the scan goes on. `is_last`:
    /// the item is the last one that the leaf can say anything with, its high key or, backward, its first item.
    fn advance(
        &self,
        arrays: &mut Arrays,
        on: &mut Page<'_>,
        item: Tuple<'_>,
        trigger: usize,
        is_last: bool,
    ) -> Advance {
        let Some((is_satisfied, has_skipped)) = self.advance_to(arrays, on.backward, item, trigger) else {
            return Advance::End;
        };
        on.n_skips += u32::from(has_skipped);
        if is_satisfied {
            match self.check_compare(&arrays.keys, trigger + 1, item, on.backward) {
                Check::Passes if !arrays.is_behind && self.passes_tests(on, item) => return Advance::Satisfies,
                // equal to the new elements, but behind the end of the range: the arrays move on once more
                Check::Stops(range) => return self.advance(arrays, on, item, range, is_last),
                Check::Passes | Check::Fails => {}
            }
        }
        let goes_beside = self.pg.version.goes_on_beside_leaves();
        match self.needs_search(arrays, on, is_satisfied, is_last) {
            false => {}
            // 18 tries the next leaf first, where this one already was reached from its neighbour
            true if goes_beside && (!on.is_first || on.n_skips > NSKIPADVANCES_THRESHOLD) => arrays.is_behind = true,
            true => return Advance::Search,
        }
        arrays.checks_start = arrays.has_start(on.backward);
        if arrays.is_behind { Advance::Beside } else { Advance::Continue }
    }

    /// Moves the arrays to the first elements that are not before the item. Gives whether the item is equal to them,
    /// and whether a skip array was moved; `None` where the arrays have no such elements, so that the scan is over.
    ///
    /// Column by column from `trigger` on: while the item is equal to the elements so far, the nearest element is
    /// looked up. Behind a column where the item is before its element, all further arrays begin anew. Where the item
    /// is behind the last element of a column, all further ones are set to their last, and the combination is moved on.
    fn advance_to(
        &self,
        arrays: &mut Arrays,
        backward: bool,
        (item, has): Tuple<'_>,
        trigger: usize,
    ) -> Option<(bool, bool)> {
        let (mut is_beyond, mut is_satisfied, mut has_skipped) = (false, true, false);
        for (n, key) in arrays.keys.iter_mut().enumerate().skip(trigger) {
            arrays.is_behind |= n >= has;
            if n == trigger && !key.is_array() {
                (is_beyond, is_satisfied) = (true, false);
            } else if is_beyond {
                // the last elements: the next combination moves an array before these on, and they begin anew
                key.set_low_or_high(backward);
            } else if !is_satisfied || n >= has {
                key.set_low_or_high(!backward);
            } else {
                let order = self.set_element(key, item, n, n == trigger, backward);
                is_satisfied = order.is_eq();
                is_beyond = in_direction(order, backward).is_gt();
                has_skipped |= matches!(key, Key::Skip(_));
            }
        }
        let has_more = !is_beyond || arrays.increment(backward, &mut has_skipped);
        has_more.then_some((is_satisfied, has_skipped))
    }

    /// Makes the element of a key current that the item's column is equal to, or else the nearest behind it; gives how
    /// the column compares with that element.
    fn set_element(&self, key: &mut Key, item: &[u8], n: usize, is_trigger: bool, backward: bool) -> Ordering {
        let order = |value: &Value| self.order_column(value, item, n).reverse();
        match key {
            Key::Equal(value) => order(value),
            Key::Range(_) => Ordering::Equal,
            Key::Skip(array) => {
                let place = self.place_in_array(array, item, n);
                match place {
                    Ordering::Equal => {
                        let value = self.column(item, n as u16);
                        let plain = self.columns().nth(n).map(|column| column.plain(&value).into_owned());
                        array.element = Element::At(plain.unwrap_or(value));
                    }
                    Ordering::Less | Ordering::Greater => array.set_low_or_high(place.is_lt()),
                }
                place
            }
            Key::Array(values, at) => {
                let (found, order) = find_element(values, *at, order, is_trigger, backward);
                *at = found;
                order
            }
        }
    }

    /// Must the tree be searched for the current elements, as the leaf's last item is before them?
    fn needs_search(&self, arrays: &mut Arrays, on: &Page<'_>, is_satisfied: bool, is_last: bool) -> bool {
        let Some(last) = on.last else { return false };
        if !is_satisfied {
            if is_last {
                return true;
            }
            let (is_before, is_cut) = self.is_before_keys(&arrays.keys, last, on.backward);
            if is_before {
                return true;
            }
            arrays.is_behind = is_cut;
        }
        let (has_start, goes_beside) = (arrays.has_start(on.backward), self.pg.version.goes_on_beside_leaves());
        if arrays.is_behind {
            return has_start && !goes_beside;
        }
        has_start && (is_satisfied || goes_beside) && self.is_before_range(arrays, last, on.backward)
    }
}

/// `_bt_binsrch_array_skey`: the first element of an array that is not before the item's column, or the last element;
/// and how the column compares with it. Where this array has caused the advance (`is_trigger`), the column is behind
/// the current element: the next element is tried first, and earlier ones are not looked at.
fn find_element(
    values: &[Value],
    at: usize,
    order: impl Fn(&Value) -> Ordering,
    is_trigger: bool,
    backward: bool,
) -> (usize, Ordering) {
    let (mut low, mut end) = (0, values.len());
    if is_trigger {
        let near = if backward { at.checked_sub(1) } else { Some(at + 1).filter(|near| *near < end) };
        let near = near.map(|near| (near, order(&values[near])));
        if let Some(found) = near.filter(|(_, order)| in_direction(*order, backward).is_le()) {
            return found;
        }
        (low, end) = if backward { (0, at.saturating_sub(1)) } else { (at + 2, end) };
        if low >= end {
            return if backward { (0, Ordering::Less) } else { (values.len() - 1, Ordering::Greater) };
        }
    }
    let found = (low + values[low..end].partition_point(|value| order(value).is_gt())).min(end - 1);
    (found, order(&values[found]))
}
