//! The keys of a scan with arrays, one for each column, and how an item compares with their current elements
//! (`_bt_check_compare`, `_bt_tuple_before_array_skeys`, src/backend/access/nbtree/nbtutils.c; `_bt_first`,
//! nbtsearch.c).
//!
//! ```text
//!  index (a, b, c, d), b IN (2, 5) AND c = 7 AND d > 9:   a skipped │ b an array: 2 │ c one value: 7 │ d a range: behind 9
//! ```

use super::IndexBounds;
use super::skip::{Element, SkipArray};
use crate::access::nbtree::{Index, tuple};
use crate::storage::IndexKey;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::Value;
use ffviz_format::datum::sql_type::Kind;

/// An end of a range.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// NULL: all values that are not NULL
    pub value: Value,
    /// does an item equal to it belong to the range?
    pub inclusive: bool,
    /// was it compared as a value of the column's own type?
    pub own_type: bool,
}

/// What a column's values lie between, in the order of the index; none of them NULL.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Limits {
    /// where it begins
    pub lower: Option<Limit>,
    /// where it ends
    pub upper: Option<Limit>,
}

impl Limits {
    /// Where a scan in that direction comes to first.
    const fn first(&self, backward: bool) -> Option<&Limit> {
        if backward { self.upper.as_ref() } else { self.lower.as_ref() }
    }
}

/// What a column is asked for (`ScanKeyData`, `BTArrayKeyInfo`).
#[derive(Debug, Clone)]
pub struct ArrayKey(pub(super) Key);

/// The same, for the scan itself.
#[derive(Debug, Clone)]
pub(super) enum Key {
    /// one value, or NULL
    Equal(Value),
    /// any of several, in the order of the index, and the number of the current one (`cur_elem`)
    Array(Vec<Value>, usize),
    /// each value that the column has (`num_elems` of -1)
    Skip(SkipArray),
    /// a range: the last column
    Range(Limits),
}

/// How an item compares with the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    Passes,
    /// the item does not pass, but later ones may with the same current elements
    Fails,
    /// this key, which is a required one, says that the item is before the current elements or behind them: no later
    /// item passes before the arrays are moved on
    Stops(usize),
}

impl ArrayKey {
    /// `= ANY`, or `=`: values in the order of the index, each once.
    #[must_use]
    pub fn equal(mut values: Vec<Value>) -> Option<Self> {
        match values.len() {
            0 => None,
            1 => values.pop().map(|value| Self(Key::Equal(value))),
            _ => Some(Self(Key::Array(values, 0))),
        }
    }

    /// `<`, `<=`, `>=`, `>`, IS NOT NULL on the last column.
    #[must_use]
    pub const fn range(limits: Limits) -> Self {
        Self(Key::Range(limits))
    }

    /// The same, or nothing, on a column before others; `null_elem`: nothing is asked of it. `None` where no value is
    /// left.
    #[must_use]
    pub fn skip(limits: Limits, null_elem: bool, kind: Kind, key: IndexKey) -> Option<Self> {
        SkipArray::new(limits, null_elem, kind, key).map(|array| Self(Key::Skip(array)))
    }
}

impl Key {
    /// Is it an array, of values or of all that there are?
    pub const fn is_array(&self) -> bool {
        matches!(self, Self::Array(..) | Self::Skip(_))
    }

    /// `_bt_array_set_low_or_high`: its first element in the order of the index, or its last, becomes the current one.
    pub fn set_low_or_high(&mut self, low: bool) {
        match self {
            Self::Array(values, at) => *at = if low { 0 } else { values.len() - 1 },
            Self::Skip(array) => array.set_low_or_high(low),
            Self::Equal(_) | Self::Range(_) => {}
        }
    }

    /// `_bt_array_increment`, `_bt_array_decrement`: moves to the next element, or the one before; false at the end.
    pub fn advance(&mut self, up: bool) -> bool {
        match self {
            Self::Array(values, at) if up && *at + 1 < values.len() => *at += 1,
            Self::Array(_, at) if !up && *at > 0 => *at -= 1,
            Self::Skip(array) => return array.advance(up),
            _ => return false,
        }
        true
    }
}

impl Index<'_> {
    /// `_bt_check_compare`: compares an item, of which `has` columns are left, with the keys from that one on. A column
    /// that was truncated is equal to anything.
    pub(super) fn check_compare(
        &self,
        keys: &[Key],
        from: usize,
        (item, has): (&[u8], usize),
        backward: bool,
    ) -> Check {
        for (n, key) in keys.iter().enumerate().take(has).skip(from) {
            let order = match key {
                Key::Range(limits) => self.place_in(limits, item, n),
                Key::Skip(SkipArray { element: Element::At(_), .. }) | Key::Equal(_) | Key::Array(..) => {
                    self.order_element(key, item, n)
                }
                Key::Skip(_) => return Check::Stops(n),
            };
            match in_direction(order, backward) {
                Ordering::Equal => {}
                Ordering::Less if matches!(key, Key::Range(_)) => return Check::Fails,
                _ => return Check::Stops(n),
            }
        }
        Check::Passes
    }

    /// Does an item pass with any elements of the arrays, whatever the current ones are (`forcenonrequired`)?
    pub(super) fn passes_any(&self, keys: &[Key], item: &[u8]) -> bool {
        keys.iter().enumerate().all(|(n, key)| self.has_any(key, item, n))
    }

    /// Is a column's value any of a key's?
    pub(super) fn has_any(&self, key: &Key, item: &[u8], n: usize) -> bool {
        match key {
            Key::Equal(value) => self.order_column(value, item, n).is_eq(),
            Key::Array(values, _) => values.binary_search_by(|value| self.order_column(value, item, n)).is_ok(),
            Key::Skip(array) => array.null_elem || self.place_in(&array.limits, item, n).is_eq(),
            Key::Range(limits) => self.place_in(limits, item, n).is_eq(),
        }
    }

    /// `_bt_tuple_before_array_skeys`: is an item before the current elements? And were columns truncated without which
    /// that cannot be told?
    pub(super) fn is_before_keys(&self, keys: &[Key], (item, has): (&[u8], usize), backward: bool) -> (bool, bool) {
        for (n, key) in keys.iter().enumerate() {
            if n >= has {
                return (false, true);
            }
            match in_direction(self.order_element(key, item, n), backward) {
                Ordering::Less => return (true, false),
                Ordering::Greater => return (false, false),
                Ordering::Equal if matches!(key, Key::Skip(array) if array.is_at_end()) => return (false, false),
                Ordering::Equal => {}
            }
        }
        (false, false)
    }

    /// Compares a column's value with the current element of its key; to a range everything is equal.
    pub(super) fn order_element(&self, key: &Key, item: &[u8], n: usize) -> Ordering {
        let order = |value| self.order_column(value, item, n).reverse();
        match key {
            Key::Equal(value) => order(value),
            Key::Array(values, at) => order(&values[*at]),
            Key::Range(_) => Ordering::Equal,
            Key::Skip(array) => match &array.element {
                Element::Lowest | Element::Highest => self.place_in_array(array, item, n),
                Element::At(value) => order(value),
                Element::Next(value) => order(value).then(Ordering::Less),
                Element::Prior(value) => order(value).then(Ordering::Greater),
            },
        }
    }

    /// `_bt_binsrch_skiparray_skey`: is a column's value before all values of a skip array, one of them, or behind?
    pub(super) fn place_in_array(&self, array: &SkipArray, item: &[u8], n: usize) -> Ordering {
        if array.null_elem { Ordering::Equal } else { self.place_in(&array.limits, item, n) }
    }

    /// Is a column's value before a range, within, or behind? NULL is where the index has its NULLs.
    fn place_in(&self, limits: &Limits, item: &[u8], n: usize) -> Ordering {
        let (nulls, data) = tuple::columns(item);
        if self.rel.desc.stored_at(data, nulls, n).is_none() {
            return if self.has_nulls_first(n) { Ordering::Less } else { Ordering::Greater };
        }
        let is_beyond = |limit: &Option<Limit>, beyond: Ordering| {
            limit.as_ref().is_some_and(|limit| match self.order_column(&limit.value, item, n) {
                Ordering::Equal => !limit.inclusive,
                order => order == beyond,
            })
        };
        if is_beyond(&limits.lower, Ordering::Greater) {
            Ordering::Less
        } else if is_beyond(&limits.upper, Ordering::Less) {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    }

    fn has_nulls_first(&self, n: usize) -> bool {
        self.rel.index.as_ref().and_then(|index| index.columns.get(n)).is_some_and(|key| key.nulls_first)
    }

    /// Where a search of the tree for the current elements begins (`_bt_first`): backward the upper end, else the lower
    /// one.
    pub(super) fn start_of(&self, keys: &[Key], backward: bool) -> IndexBounds {
        let (mut values, mut inclusive) = (Vec::new(), true);
        for (n, key) in keys.iter().enumerate() {
            let limits = match key {
                Key::Equal(value) => Ok(value),
                Key::Array(array, at) => Ok(&array[*at]),
                Key::Range(limits) => Err((limits, true)),
                Key::Skip(array) => match &array.element {
                    Element::At(value) => Ok(value),
                    Element::Next(value) | Element::Prior(value) => {
                        inclusive = false;
                        Ok(value)
                    }
                    Element::Lowest | Element::Highest => Err((&array.limits, !array.null_elem)),
                },
            };
            match limits {
                Ok(value) => values.push(value.clone()),
                Err((limits, is_not_null)) => match limits.first(backward) {
                    Some(limit) => {
                        values.push(limit.value.clone());
                        inclusive = limit.inclusive;
                    }
                    None => {
                        // behind the NULLs, where they lie at this end
                        if is_not_null && self.has_nulls_first(n) != backward {
                            values.push(Value::Null);
                            inclusive = false;
                        }
                        break;
                    }
                },
            }
            if !inclusive {
                break;
            }
        }
        match backward {
            true => IndexBounds { upper: values, upper_inclusive: inclusive, ..IndexBounds::default() },
            false => IndexBounds { lower: values, lower_inclusive: inclusive, ..IndexBounds::default() },
        }
    }
}

/// An order as a scan meets it.
pub(super) const fn in_direction(order: Ordering, backward: bool) -> Ordering {
    if backward { order.reverse() } else { order }
}
