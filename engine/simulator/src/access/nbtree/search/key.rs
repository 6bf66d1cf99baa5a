//! What is searched for, and how it compares with an item (`BTScanInsertData`, `_bt_compare`,
//! src/backend/access/nbtree/nbtsearch.c).
//!
//! ```text
//!  key columns, each by its operator class, DESC and NULLS FIRST ─ equal ─▶ number of columns ─ equal ─▶ heap TID
//! ```

use crate::access::nbtree::fast::number::{Leading, NumberColumn};
use crate::access::nbtree::tuple;
use crate::access::nbtree::tuple::Items;
use crate::access::nbtree::{Index, KeyColumn};
use crate::storage::{IndexKey, RelationData};
use alloc::borrow::Cow;
use core::cmp::Ordering;
use ffviz_format::datum::compare::{abbreviated, comparator_of};
use ffviz_format::datum::{Storage, Value};
use ffviz_format::page::ItemPointer;

/// A search key for an insertion.
#[derive(Debug, Clone, Copy)]
pub struct ScanKey<'a> {
    /// a value a key column, or fewer
    pub values: &'a [Value],
    /// the tie-breaker; `None`: all duplicates are looked for
    pub scantid: Option<ItemPointer>,
    /// is the first item wanted that is greater, not one that is equal?
    pub nextkey: bool,
    /// is it the end of a backward scan, which 17 finds without looking at the leaf behind it? Then a high key that is
    /// equal is no lesser one
    pub backward: bool,
    leading: Option<Leading>,
}

/// Where the search for a number begins on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::access::nbtree) enum Start {
    /// near this item
    Near(u16),
    /// between the first item and this one, the high key where there is one
    Between(u16),
}

impl Start {
    /// Of a page whose first item that is no high key has that number, where nothing is known.
    pub const fn on_page(items: Items<'_>, first: u16) -> Self {
        Self::Between(if first == 1 { items.count() } else { 1 })
    }

    /// The same where an item may be near; 0: none is known.
    pub const fn near(n: u16, items: Items<'_>, first: u16) -> Self {
        if n == 0 { Self::on_page(items, first) } else { Self::Near(n) }
    }
}

/// Tells of many tuples whether their keys are the same, byte by byte.
#[derive(Clone, Copy)]
pub(in crate::access::nbtree) struct SameKeys<'a> {
    index: &'a Index<'a>,
    number: Option<NumberColumn>,
    n_keys: u16,
}

impl<'a> SameKeys<'a> {
    pub fn of(index: &'a Index<'a>) -> Self {
        Self { index, number: NumberColumn::first_of(index.rel), n_keys: index.n_keys() }
    }

    /// What the first column tells of a tuple, where it has a number.
    #[inline]
    pub fn number(self, tuple: &[u8]) -> Option<u64> {
        self.number.and_then(|column| column.of(tuple))
    }

    /// Does [`Index::keep_natts_fast`] find no column that tells them apart?
    #[inline]
    pub fn same(self, a: &[u8], b: &[u8]) -> bool {
        self.same_by(a, b, self.number(a).zip(self.number(b)))
    }

    /// The same where their numbers are known: of numbers the first column often says it.
    #[inline]
    pub fn same_by(self, a: &[u8], b: &[u8], numbers: Option<(u64, u64)>) -> bool {
        let is_key = self.number.is_some_and(|column| column.is_key);
        match numbers {
            Some((a, b)) if a != b || is_key => a == b,
            _ => self.index.keep_natts_fast(a, b) > self.n_keys,
        }
    }
}

impl<'a> ScanKey<'a> {
    /// A key for all duplicates of these values of the index.
    #[must_use]
    pub fn new(rel: &RelationData, values: &'a [Value]) -> Self {
        Self::by(NumberColumn::first_of(rel), values)
    }

    /// The same where it is known whether the index' first column has numbers.
    #[inline]
    pub(in crate::access::nbtree) fn by(column: Option<NumberColumn>, values: &'a [Value]) -> Self {
        let leading = column.zip(values.first()).and_then(|(column, value)| Leading::of(column, value));
        Self { values, scantid: None, nextkey: false, backward: false, leading }
    }

    /// That of its first column.
    #[inline]
    pub(in crate::access::nbtree) fn number(&self) -> Option<u64> {
        self.leading.map(Leading::number)
    }

    /// Is the item, so ordered against the key, before the one that is wanted?
    #[inline]
    pub(super) fn is_beyond(&self, order: Ordering) -> bool {
        order == Ordering::Greater || self.nextkey && order == Ordering::Equal
    }

    /// Between which numbers the key's place is, as far as its first column tells: what stands before is less, what
    /// stands behind is greater.
    #[inline]
    pub(in crate::access::nbtree) fn narrow(
        &self,
        items: Items<'_>,
        (low, high): (u16, u16),
        start: Start,
    ) -> (u16, u16) {
        let Some(leading) = self.leading else { return (low, high) };
        match start {
            Start::Near(n) => leading.seek(items, low, high, n),
            Start::Between(end) => leading.interpolate(items, low, high, end),
        }
    }

    /// Where the key goes, as [`Leading::follow`] tells, if no item has its number, or that is all there is to it.
    pub(in crate::access::nbtree) fn follow(&self, items: Items<'_>, n: u16) -> Option<(u16, u16)> {
        let leading = self.leading?;
        let place = leading.follow(items, n);
        place.filter(|(low, stricthigh)| leading.is_key() || low == stricthigh)
    }

    /// Has the item a greater first column, as far as that tells?
    pub(super) fn is_before(&self, item: &[u8]) -> bool {
        self.leading.is_some_and(|leading| leading.order(item) == Some(Ordering::Less))
    }

    /// Has the item the same key, as far as its number is all there is to it?
    pub(super) fn is_number_of(&self, item: &[u8]) -> bool {
        self.leading.is_some_and(|leading| leading.is_key() && leading.order(item) == Some(Ordering::Equal))
    }

    /// The tie-breaker against an item whose key columns are equal. A posting list is equal to all from its first TID
    /// to its last.
    pub(super) fn order_tid(&self, item: &[u8]) -> Ordering {
        let Some(scantid) = self.scantid else { return Ordering::Equal };
        let Some(heap_tid) = tuple::heap_tid(item) else { return Ordering::Greater };
        match scantid.cmp(&heap_tid) {
            Ordering::Greater if tuple::is_posting(item) && scantid <= tuple::max_tid(item) => Ordering::Equal,
            order => order,
        }
    }

    /// Is some value NULL? Such a key is never a duplicate.
    #[must_use]
    pub fn any_null(&self) -> bool {
        self.values.iter().any(Value::is_null)
    }
}

impl KeyColumn {
    /// Those of an index.
    pub(in crate::access::nbtree) fn all(rel: &RelationData) -> impl Iterator<Item = Self> {
        let keys = rel.index.as_ref().map_or(&[][..], |index| &index.columns[..usize::from(index.n_keys)]);
        keys.iter().enumerate().map(|(n, key)| Self::new(rel, n, *key))
    }

    fn new(rel: &RelationData, n: usize, key: IndexKey) -> Self {
        let kind = rel.desc.kind(n);
        // CREATE INDEX refuses types without an order
        Self { key, kind, compare: comparator_of(kind).unwrap_or(|_, _| Ordering::Equal) }
    }

    /// Compares two values, with DESC and NULLS FIRST.
    #[inline]
    pub(super) fn order(&self, a: &Value, b: &Value) -> Ordering {
        match (a.is_null(), b.is_null()) {
            (true, true) => Ordering::Equal,
            (true, false) if self.key.nulls_first => Ordering::Less,
            (true, false) => Ordering::Greater,
            (false, true) if self.key.nulls_first => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) if self.key.desc => (self.compare)(&self.plain(b), &self.plain(a)),
            (false, false) => (self.compare)(&self.plain(a), &self.plain(b)),
        }
    }

    /// A number that an entry with a lesser value has a lesser or the same of.
    pub(in crate::access::nbtree) fn abbreviated(&self, value: &Value) -> u64 {
        match (value.is_null(), self.key.nulls_first) {
            (true, true) => u64::MIN,
            (true, false) => u64::MAX,
            (false, _) if self.key.desc => !abbreviated(self.kind, &self.plain(value)),
            (false, _) => abbreviated(self.kind, &self.plain(value)),
        }
    }

    /// The same of all values of a type of fixed length that has no number.
    pub(in crate::access::nbtree) const fn without_number(&self) -> u64 {
        if self.key.desc { u64::MAX } else { 0 }
    }

    /// The value itself, where it was compressed.
    #[inline]
    pub(in crate::access::nbtree) fn plain<'a>(&self, value: &'a Value) -> Cow<'a, Value> {
        match value {
            Value::Stored(_) => value.detoasted(self.kind).map_or(Cow::Borrowed(value), Cow::Owned),
            _ => Cow::Borrowed(value),
        }
    }
}

impl Index<'_> {
    /// One column of an index tuple, from 0; the tuple must have it.
    #[inline]
    pub(in crate::access::nbtree) fn column(&self, bytes: &[u8], n: u16) -> Value {
        let (nulls, data) = tuple::columns(bytes);
        self.rel.desc.column_at(data, nulls, usize::from(n))
    }

    /// A value against key column `n` of a tuple, which must have it, as the index orders them.
    #[inline]
    pub(in crate::access::nbtree) fn order_column(&self, value: &Value, tuple: &[u8], n: usize) -> Ordering {
        let (nulls, data) = tuple::columns(tuple);
        let order = self.rel.desc.compare_at(value, data, nulls, n);
        if order == Some(Ordering::Equal) {
            return Ordering::Equal;
        }
        let Some(key) = self.rel.index.as_ref().and_then(|index| index.columns.get(n)) else { return Ordering::Equal };
        match order {
            Some(order) if key.desc => order.reverse(),
            Some(order) => order,
            None => KeyColumn::new(self.rel, n, *key).order(value, &self.rel.desc.column_at(data, nulls, n)),
        }
    }

    /// `_bt_compare`: the key against a tuple.
    #[inline]
    pub(in crate::access::nbtree) fn compare_tuple(&self, key: &ScanKey<'_>, item: &[u8]) -> Ordering {
        match key.leading.and_then(|leading| leading.order(item)) {
            Some(Ordering::Equal) => self.compare_from(key.leading.is_some_and(Leading::is_whole).into(), key, item),
            Some(order) => order,
            None => self.compare_from(0, key, item),
        }
    }

    /// The same column by column, where those before the first are equal.
    fn compare_from(&self, first: usize, key: &ScanKey<'_>, item: &[u8]) -> Ordering {
        let has = usize::from(tuple::n_atts(item, self.n_columns()));
        for (n, value) in key.values.iter().enumerate().take(has).skip(first) {
            let order = self.order_column(value, item, n);
            if order != Ordering::Equal {
                return order;
            }
        }
        if key.values.len() > has {
            return Ordering::Greater;
        }
        let is_full = key.values.len() == has;
        if key.scantid.is_none() && is_full && !key.backward && tuple::heap_tid(item).is_none() {
            return Ordering::Greater;
        }
        key.order_tid(item)
    }

    /// The key columns of two tuples that have all of them.
    pub(in crate::access::nbtree) fn compare_keys(&self, a: &[u8], b: &[u8]) -> Ordering {
        let orders = (0..).zip(self.columns()).map(|(n, column)| column.order(&self.column(a, n), &self.column(b, n)));
        orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// `_bt_keep_natts`: how many key columns it takes to tell the tuples apart; one more than there are where they are
    /// all equal.
    pub(in crate::access::nbtree) fn keep_natts(&self, a: &[u8], b: &[u8]) -> u16 {
        let both = self.in_both(a, b);
        let columns = (0..both).zip(self.columns());
        let equal = columns.take_while(|(n, column)| column.order(&self.column(a, *n), &self.column(b, *n)).is_eq());
        equal.count() as u16 + 1
    }

    /// `_bt_keep_natts_fast`: the same, by the values' bytes.
    pub(in crate::access::nbtree) fn keep_natts_fast(&self, a: &[u8], b: &[u8]) -> u16 {
        if self.differ_at_once(a, b) {
            return 1;
        }
        (0..self.in_both(a, b)).take_while(|n| self.is_image_equal(a, b, *n)).count() as u16 + 1
    }

    /// Have both a first column of fixed length, and not the same?
    #[inline]
    fn differ_at_once(&self, a: &[u8], b: &[u8]) -> bool {
        let first = |tuple| tuple::columns_without_null(tuple)?.get(..self.rel.desc.fixed_len(0)?);
        matches!((first(a), first(b)), (Some(a), Some(b)) if a != b)
    }

    /// The key columns that both tuples have; pivots may have lost some.
    fn in_both(&self, a: &[u8], b: &[u8]) -> u16 {
        let n_keys = self.n_keys();
        tuple::n_atts(a, n_keys).min(tuple::n_atts(b, n_keys)).min(n_keys)
    }

    /// `datum_image_eq`: has column `n` of both the same bytes, however they are stored?
    fn is_image_equal(&self, a: &[u8], b: &[u8], n: u16) -> bool {
        let stored = |tuple| {
            let (nulls, data) = tuple::columns(tuple);
            self.rel.desc.stored_at(data, nulls, usize::from(n))
        };
        match (stored(a), stored(b)) {
            (None, None) => true,
            (None, _) | (_, None) => false,
            (Some(a), Some(b)) if !a.1.is_packed() && !b.1.is_packed() => payload(a.0, a.1) == payload(b.0, b.1),
            (Some(a), Some(b)) if a.0 == b.0 => true,
            _ => {
                let plain = |tuple| self.column(tuple, n).detoasted(self.rel.desc.kind(usize::from(n)));
                matches!((plain(a), plain(b)), (Some(a), Some(b)) if a.is_identical(&b))
            }
        }
    }
}

/// A value's own bytes, after the header of a varlena.
#[inline]
fn payload(bytes: &[u8], storage: Storage) -> &[u8] {
    bytes.get(usize::from(storage.header_len())..).unwrap_or(&[])
}
