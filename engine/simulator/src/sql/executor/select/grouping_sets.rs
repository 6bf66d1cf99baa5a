//! Groups of GROUPING SETS, ROLLUP and CUBE: each row counts in a group of each set (`agg_retrieve_direct`,
//! `agg_fill_hash_table`, src/backend/executor/nodeAgg.c).
//!
//! ```text
//!  ROLLUP (a, b):  row (1, 2) ─▶ group (1, 2) ─▶ group (1, NULL) ─▶ group (NULL, NULL)
//! ```
//!
//! The set without keys comes out first, then a hash table a set (MixedAggregate).

use super::Query;
use super::general::Group;
use super::hash_table::order;
use super::source::row_key;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::hash::hash_of;
use crate::sql::plan::{GroupingSet, SelectPlan};
use crate::sql::tcop::Database;
use crate::storage::Outcome;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};

/// The groups of a set, as they came.
#[derive(Default)]
struct OfSet {
    groups: Vec<Group>,
    places: BTreeMap<Vec<Option<Vec<u8>>>, usize>,
    /// was the last row in a group that there was?
    goes_on: bool,
}

impl Query {
    /// A row, and its aggregates, its keys and the bits of GROUPING behind them, of each group.
    pub(super) fn groups_of_sets(
        &mut self,
        db: &mut Database,
        plan: &Arc<SelectPlan>,
    ) -> Outcome<Vec<(Vec<Value>, Vec<Value>)>> {
        check_hashed(plan)?;
        let mut all: Vec<OfSet> = plan.grouping_sets.iter().map(|_| OfSet::default()).collect();
        let nothing = || plan.group.iter().map(|_| Value::Null).collect::<Vec<_>>();
        for (set, of_set) in plan.grouping_sets.iter().zip(&mut all).filter(|(set, _)| set.keys.is_empty()) {
            of_set.groups.push(Group::new(plan, nothing(), Vec::new()));
            of_set.places.insert(row_key(&masked(set, &nothing())), 0);
        }
        while self.next_locked(db)? {
            let keys = self.group_keys(db, plan)?;
            for (set, of_set) in plan.grouping_sets.iter().zip(&mut all) {
                let keys = masked(set, &keys);
                let count = of_set.groups.len();
                let place = *of_set.places.entry(row_key(&keys)).or_insert(count);
                of_set.goes_on = place < count;
                if place == count {
                    of_set.groups.push(Group::new(plan, keys, self.input.values.clone()));
                }
                self.accumulate(db, plan, &mut of_set.groups[place])?;
            }
        }
        let (mut results, mut hashed) = (Vec::new(), Vec::new());
        for (set, of_set) in plan.grouping_sets.iter().zip(all) {
            let missing = (0..plan.group.len()).filter(|n| !set.keys.contains(n)).fold(0_i64, |all, n| all | 1 << n);
            let results = if set.keys.is_empty() { &mut results } else { &mut hashed };
            for group in of_set.in_order(set) {
                let (row, mut values) = group.result(db)?;
                values.push(Value::Int8(missing));
                results.push((row, values));
            }
        }
        results.append(&mut hashed);
        Ok(results)
    }
}

impl OfSet {
    fn in_order(self, set: &GroupingSet) -> Vec<Group> {
        let hash = |group: &Group| {
            let keys: Vec<Value> = set.keys.iter().map(|n| group.keys[*n].clone()).collect();
            hash_of(&keys)
        };
        let hashes = self.groups.iter().map(hash).collect::<Option<Vec<u32>>>();
        let (Some(hashes), Some(expected), false) = (hashes, set.expected, set.keys.is_empty()) else {
            return self.groups;
        };
        let mut groups: Vec<Option<Group>> = self.groups.into_iter().map(Some).collect();
        order(&hashes, expected, self.goes_on).into_iter().filter_map(|at| groups[at].take()).collect()
    }
}

/// The keys of the set, and NULL for those of others.
fn masked(set: &GroupingSet, keys: &[Value]) -> Vec<Value> {
    let key = |(n, value): (usize, &Value)| if set.keys.contains(&n) { value.clone() } else { Value::Null };
    keys.iter().enumerate().map(key).collect()
}

/// Aggregates that want their rows in an order are not hashed: groups come sorted then, which is not done here.
fn check_hashed(plan: &SelectPlan) -> Outcome<()> {
    if plan.sort.is_empty() && plan.aggregates.iter().any(|aggregate| !aggregate.order.is_empty()) {
        let message = "GROUPING SETS with DISTINCT or ORDER BY in an aggregate is not supported without ORDER BY";
        return Err(SqlError::new(NOT_SIMULATED, message).into());
    }
    Ok(())
}
