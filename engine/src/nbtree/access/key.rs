//! What is searched for, and how it compares with an item (`BTScanInsertData`, `_bt_compare`, src/backend/access/nbtree/nbtsearch.c).
//!
//! ```text
//!  key columns, each by its operator class, DESC and NULLS FIRST ─ equal ─▶ number of columns ─ equal ─▶ heap TID
//! ```

use super::{Index, KeyColumn, tuple};
use crate::datum::Value;
use crate::datum::compare::{abbreviated, comparator_of};
use crate::page::{ItemPointer, Page};
use crate::storage::RelationData;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// A search key for an insertion.
#[derive(Debug, Clone)]
pub struct ScanKey {
    /// a value a key column, or fewer
    pub values: Vec<Value>,
    /// the tie-breaker; `None`: all duplicates are looked for
    pub scantid: Option<ItemPointer>,
}

impl ScanKey {
    /// Is some value NULL? Such a key is never a duplicate.
    #[must_use]
    pub fn any_null(&self) -> bool {
        self.values.iter().any(Value::is_null)
    }
}

impl KeyColumn {
    /// Those of an index.
    pub(super) fn all(rel: &RelationData) -> impl Iterator<Item = Self> {
        let keys = rel.index.as_ref().map_or(&[][..], |index| &index.columns[..usize::from(index.n_keys)]);
        keys.iter().enumerate().map(|(n, key)| {
            let kind = rel.desc.kind(n);
            // CREATE INDEX refuses types without an order
            Self { key: *key, kind, compare: comparator_of(kind).unwrap_or(|_, _| Ordering::Equal) }
        })
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
    pub(super) fn abbreviated(&self, value: &Value) -> u64 {
        match (value.is_null(), self.key.nulls_first) {
            (true, true) => u64::MIN,
            (true, false) => u64::MAX,
            (false, _) if self.key.desc => !abbreviated(self.kind, &self.plain(value)),
            (false, _) => abbreviated(self.kind, &self.plain(value)),
        }
    }

    /// `datum_image_eq`: the same bytes, however they are stored.
    fn is_image_equal(&self, a: &Value, b: &Value) -> bool {
        a.is_identical(b) || self.plain(a).is_identical(&self.plain(b))
    }

    /// The value itself, where it was compressed.
    #[inline]
    pub(super) fn plain<'a>(&self, value: &'a Value) -> Cow<'a, Value> {
        match value {
            Value::Stored(_) => value.detoasted(self.kind).map_or(Cow::Borrowed(value), Cow::Owned),
            _ => Cow::Borrowed(value),
        }
    }
}

impl Index<'_> {
    /// One column of an index tuple, from 0; the tuple must have it.
    #[inline]
    pub(super) fn column(&self, bytes: &[u8], n: u16) -> Value {
        let (nulls, data) = tuple::columns(bytes);
        self.rel.desc.column_at(data, nulls, usize::from(n))
    }

    /// `_bt_compare`: the key against item `n` of a page whose first data item is `first`.
    pub(super) fn compare(&self, key: &ScanKey, page: &Page, n: u16, is_leaf: bool, first: u16) -> Ordering {
        if !is_leaf && n == first {
            return Ordering::Greater;
        }
        self.compare_tuple(key, tuple::item(page, n))
    }

    /// The key against a tuple.
    pub(super) fn compare_tuple(&self, key: &ScanKey, item: &[u8]) -> Ordering {
        let has = usize::from(tuple::n_atts(item, self.n_columns()));
        for ((n, value), column) in (0..).zip(&key.values).zip(self.columns()).take(has) {
            let order = column.order(value, &self.column(item, n));
            if order != Ordering::Equal {
                return order;
            }
        }
        if key.values.len() > has {
            return Ordering::Greater;
        }
        let (heap_tid, is_full) = (tuple::heap_tid(item), key.values.len() == has);
        let Some(scantid) = key.scantid else {
            return if is_full && heap_tid.is_none() { Ordering::Greater } else { Ordering::Equal };
        };
        let Some(heap_tid) = heap_tid else { return Ordering::Greater };
        match scantid.cmp(&heap_tid) {
            Ordering::Greater if tuple::is_posting(item) && scantid <= tuple::max_tid(item) => Ordering::Equal,
            order => order,
        }
    }

    /// The key columns of two tuples that have all of them.
    pub(super) fn compare_keys(&self, a: &[u8], b: &[u8]) -> Ordering {
        let orders = (0..).zip(self.columns()).map(|(n, column)| column.order(&self.column(a, n), &self.column(b, n)));
        orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// `_bt_keep_natts`: how many key columns it takes to tell the tuples apart; one more than there are where they are all equal.
    pub(super) fn keep_natts(&self, a: &[u8], b: &[u8]) -> u16 {
        self.equal_columns(a, b, |column, a, b| column.order(a, b) == Ordering::Equal)
    }

    /// `_bt_keep_natts_fast`: the same, by the values' bytes.
    pub(super) fn keep_natts_fast(&self, a: &[u8], b: &[u8]) -> u16 {
        self.equal_columns(a, b, KeyColumn::is_image_equal)
    }

    /// One more than the number of leading key columns that are equal; columns that a pivot has lost end it.
    fn equal_columns(&self, a: &[u8], b: &[u8], is_equal: impl Fn(&KeyColumn, &Value, &Value) -> bool) -> u16 {
        let both = tuple::n_atts(a, self.n_keys()).min(tuple::n_atts(b, self.n_keys())).min(self.n_keys());
        let columns = (0..both).zip(self.columns());
        let equal =
            columns.take_while(|(n, column)| is_equal(column, &self.column(a, *n), &self.column(b, *n))).count();
        equal as u16 + 1
    }
}
