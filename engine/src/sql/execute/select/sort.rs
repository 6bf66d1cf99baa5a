//! The order of a query's rows (src/backend/executor/nodeSort.c).

use super::{Input, Query, project};
use crate::datum::Value;
use crate::datum::compare::comparator;
use crate::sql::execute::Database;
use crate::sql::expr::SortKey;
use crate::storage::Outcome;
use alloc::vec::Vec;
use core::cmp::Ordering;

impl Query {
    /// All rows, the last one first.
    pub(super) fn sort(&mut self, db: &mut Database) -> Outcome<Vec<Input>> {
        let plan = self.plan.clone();
        let keys = &plan.sort;
        let mut rows = Vec::new();
        while self.next_input(db)? {
            let (input, mut by) = (core::mem::take(&mut self.input), Vec::with_capacity(keys.len()));
            project(db, keys.iter().map(|key| &key.expr), (&input.values, &[]), &mut by)?;
            rows.push((by, input));
        }
        rows.sort_by(|(a, _), (b, _)| order(keys, a, b).reverse());
        Ok(rows.into_iter().map(|(_, input)| input).collect())
    }
}

/// How two rows compare by the keys of the sort.
pub(super) fn order(keys: &[SortKey], a: &[Value], b: &[Value]) -> Ordering {
    let each = keys.iter().zip(a.iter().zip(b)).map(|(key, (a, b))| match (a.is_null(), b.is_null()) {
        (true, true) => Ordering::Equal,
        (true, false) => {
            if key.nulls_first {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        }
        (false, true) => {
            if key.nulls_first {
                Ordering::Greater
            } else {
                Ordering::Less
            }
        }
        (false, false) => {
            let order = comparator(key.expr.ty.oid).map_or(Ordering::Equal, |compare| compare(a, b));
            if key.descending { order.reverse() } else { order }
        }
    });
    each.fold(Ordering::Equal, Ordering::then)
}
