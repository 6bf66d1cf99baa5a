//! Conditions on columns behind those that set a scan's bounds (`_bt_checkkeys`, src/backend/access/nbtree/nbtutils.c).
//!
//! ```text
//!  index (a, b, c), a = 1 AND c > 5:   bounds a = 1 ─▶ each item between them: c > 5? ─▶ only then its row is looked at
//! ```

use crate::access::nbtree::{Index, tuple};
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::Value;

/// A condition on a key column.
#[derive(Debug, Clone)]
pub struct KeyTest {
    /// the column, from 0
    pub column: u16,
    /// what must be true of it
    pub wanted: Wanted,
}

/// What must be true of a column's value.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// IS NULL
    Null,
    /// IS NOT NULL
    NotNull,
    /// it compares so with one of these values, which are not NULL
    Compare(Vec<Value>, fn(Ordering) -> bool),
}

impl Index<'_> {
    /// Does an item pass all tests?
    #[inline]
    pub(super) fn passes(&self, item: &[u8], tests: &[KeyTest]) -> bool {
        tests.iter().all(|test| self.passes_one(item, test))
    }

    fn passes_one(&self, item: &[u8], test: &KeyTest) -> bool {
        let column = usize::from(test.column);
        let (nulls, data) = tuple::columns(item);
        let is_null = self.rel.desc.stored_at(data, nulls, column).is_none();
        match &test.wanted {
            Wanted::Null => is_null,
            Wanted::NotNull => !is_null,
            Wanted::Compare(values, holds) => {
                let descends = self.columns().nth(column).is_some_and(|column| column.key.desc);
                let order = |value| {
                    let order = self.order_column(value, item, column);
                    if descends { order } else { order.reverse() }
                };
                !is_null && values.iter().any(|value| holds(order(value)))
            }
        }
    }
}
