//! The order of a query's rows (src/backend/executor/nodeSort.c).

use super::incremental::{IncrementalSort, Source};
use super::sort_space::counted;
use super::tuplesort::{SortTuple, Tuplesort};
use super::{Input, Query, State};
use crate::sql::executor::row::eval;
use crate::sql::expr::SortKey;
use crate::sql::plan::{OutputValue, SelectPlan, SortTarget};
use crate::sql::tcop::Database;
use crate::storage::Outcome;
use alloc::vec::{IntoIter, Vec};
use ffviz_format::datum::{SqlType, Value};

/// Rows that are all there.
struct All<T>(IntoIter<SortTuple<T>>);

impl<T> Source<T> for All<T> {
    fn next(&mut self, _: &mut Database) -> Outcome<Option<SortTuple<T>>> {
        Ok(self.0.next())
    }
}

/// Sorts them, within groups where they come sorted by the first keys.
pub(super) fn sort_all<T>(
    db: &mut Database,
    keys: &[SortKey],
    presorted: usize,
    bound: Option<usize>,
    rows: Vec<SortTuple<T>>,
) -> Outcome<Vec<SortTuple<T>>> {
    if presorted == 0 {
        let mut sort = Tuplesort::new(keys, 0, bound);
        rows.into_iter().try_for_each(|row| sort.put(db, row))?;
        return sort.perform(db);
    }
    let (mut sort, mut rows) = (IncrementalSort::new(keys, presorted, bound), All(rows.into_iter()));
    let mut sorted = Vec::new();
    loop {
        let batch = sort.batch(db, &mut rows)?;
        if batch.is_empty() {
            return Ok(sorted);
        }
        sorted.extend(batch);
    }
}

impl Query {
    /// Before the first row: all are read and sorted, unless they come in groups.
    pub(super) fn start_sort(&mut self, db: &mut Database) -> Outcome<State> {
        let plan = self.plan.clone();
        if plan.aggregates.is_empty() {
            self.places = plan.sort_targets(db.cluster.version().major());
        }
        if plan.presorted > 0 {
            let sort = IncrementalSort::new(keys(&plan), plan.presorted, self.bound());
            return Ok(State::Groups(sort, Vec::new().into_iter()));
        }
        let (mut got, bound) = (0, self.bound());
        let mut sort = Tuplesort::new(keys(&plan), 0, bound);
        while let Some(tuple) = Source::next(self, db)? {
            sort.put(db, tuple)?;
            got += 1;
        }
        let lost = core::mem::take(&mut sort.lost);
        let sorted = sort.perform(db)?;
        if db.running.counted.counts_sort {
            let columns = || plan.targets.iter().filter_map(|target| target.value.expr()).chain(&plan.junk);
            let row = |tuple: &SortTuple<Input>| {
                columns().filter_map(|column| column.stored(&tuple.row.values).cloned()).collect()
            };
            let rows = sorted.iter().chain(&lost).map(row);
            let types: Vec<SqlType> = columns().map(|column| column.ty).collect();
            db.running.counted.sort = Some(counted(&types, db.cluster.version(), (got, bound), rows));
        }
        Ok(State::Sorted(sorted.into_iter()))
    }

    /// The next of the rows that are sorted in groups.
    pub(super) fn next_of_groups(&mut self, db: &mut Database) -> Outcome<Option<SortTuple<Input>>> {
        let State::Groups(mut sort, mut rows) = core::mem::replace(&mut self.state, State::Done) else {
            return Ok(None);
        };
        let mut next = rows.next();
        if next.is_none() {
            rows = sort.batch(db, self)?.into_iter();
            next = rows.next();
        }
        self.state = State::Groups(sort, rows);
        Ok(next)
    }

    /// How many rows LIMIT and OFFSET leave to be sorted (`ExecSetTupleBound`); nothing is known of what happens in
    /// between to rows that are locked or aggregated, or that set-returning functions multiply.
    fn bound(&self) -> Option<usize> {
        let has_series = self.plan.targets.iter().any(|target| matches!(target.value, OutputValue::Series(_)));
        let is_above = self.plan.locking.is_none() && self.plan.aggregates.is_empty() && !has_series;
        let left = self.left.filter(|_| is_above)?;
        let bound = usize::try_from(left.saturating_add(self.skip)).ok()?;
        // more than `INT_MAX / 2` is no bound
        (bound <= usize::try_from(i32::MAX / 2).ok()?).then_some(bound)
    }

    /// What is computed of a row below the sort besides its keys.
    fn compute_below(&mut self, db: &mut Database) -> Outcome<()> {
        if self.places.iter().all(|place| *place == SortTarget::Above) {
            return Ok(());
        }
        let plan = self.plan.clone();
        let mut computed = Vec::with_capacity(plan.targets.len());
        for (target, place) in plan.targets.iter().zip(&self.places) {
            computed.push(match target.value.expr().filter(|_| *place == SortTarget::Below) {
                Some(expr) => Some(eval(db, expr, &self.input.values, &[])?),
                None => None,
            });
        }
        self.input.computed = computed;
        Ok(())
    }

    /// A sorted row is at work.
    pub(super) fn take_sorted(&mut self, tuple: SortTuple<Input>) {
        self.input = tuple.row;
        for (place, computed) in self.places.iter().zip(&mut self.input.computed) {
            if let SortTarget::Key(key) = place {
                *computed = tuple.by.get(*key).cloned();
            }
        }
    }
}

impl Source<Input> for Query {
    fn next(&mut self, db: &mut Database) -> Outcome<Option<SortTuple<Input>>> {
        if !self.next_input(db)? {
            return Ok(None);
        }
        self.compute_below(db)?;
        let by = keys_of(db, keys(&self.plan.clone()), &self.input.values)?;
        let row = match self.plan.sources.is_empty() {
            true => core::mem::take(&mut self.input),
            // the next row has the same values but for the innermost function's
            false => Input { computed: core::mem::take(&mut self.input.computed), ..self.input.clone() },
        };
        Ok(Some(SortTuple { by, row }))
    }
}

/// The keys of the rows that come out, or of those that are aggregated.
fn keys(plan: &SelectPlan) -> &[SortKey] {
    if plan.aggregates.is_empty() { &plan.sort } else { &plan.aggregate_order }
}

/// What a row is sorted by; a column as it is stored.
pub(in crate::sql::executor) fn keys_of(db: &mut Database, keys: &[SortKey], row: &[Value]) -> Outcome<Vec<Value>> {
    let value = |key: &SortKey| match key.expr.stored(row) {
        Some(value) => Ok(value.clone()),
        None => eval(db, &key.expr, row, &[]),
    };
    keys.iter().map(value).collect()
}
