//! Rows that come out of several: groups, DISTINCT (src/backend/executor/nodeAgg.c, nodeGroup.c, nodeUnique.c). All are
//! read before the first one comes out.

use super::sort::sort_all;
use super::sort_space::counted;
use super::source::row_key;
use super::tuplesort::{SortTuple, Tuplesort};
use super::{Query, State, eval, group_order, holds_aggregates};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::row::{fetch_value, project};
use crate::sql::expr::{Aggregation, Context};
use crate::sql::plan::SelectPlan;
use crate::sql::tcop::Database;
use crate::storage::Outcome;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, SqlType, Value};

/// A group of rows.
pub(super) struct Group {
    states: Vec<Aggregation>,
    /// rows of aggregates that have an order of their own
    waiting: Vec<Tuplesort<Vec<Value>>>,
    pub keys: Vec<Value>,
    /// its first row
    row: Vec<Value>,
}

impl Group {
    pub fn new(plan: &SelectPlan, keys: Vec<Value>, row: Vec<Value>) -> Self {
        let states = plan.aggregates.iter().map(Aggregation::new).collect();
        let waiting = plan.aggregates.iter().map(|aggregate| Tuplesort::new(&aggregate.order, 0, None)).collect();
        Self { states, waiting, keys, row }
    }

    /// Its first row, and its aggregates with its keys behind them.
    pub fn result(self, db: &mut Database) -> Outcome<(Vec<Value>, Vec<Value>)> {
        let input = Context::input(db);
        let mut values = Vec::new();
        for (mut state, waiting) in self.states.into_iter().zip(self.waiting) {
            waiting.perform(db)?.iter().try_for_each(|tuple| state.add(&tuple.row, &input))?;
            values.push(state.result(&input)?);
        }
        values.extend(self.keys);
        Ok((self.row, values))
    }
}

/// What is sorted of a row: what comes out, and what it is sorted by besides.
fn row_of(plan: &SelectPlan, tuple: &SortTuple<(Vec<Value>, Vec<Value>)>) -> Vec<Value> {
    let junk = plan.junk.iter().filter_map(|junk| plan.sort.iter().position(|key| key.expr == *junk));
    tuple.row.0.iter().cloned().chain(junk.map(|at| tuple.by[at].clone())).collect()
}

/// A row that comes out, with what DISTINCT ON asks of it.
type Row = SortTuple<(Vec<Value>, Vec<Value>)>;

impl Query {
    /// Rows that come out, in their order.
    pub(super) fn general(&mut self, db: &mut Database) -> Outcome<Vec<Vec<Value>>> {
        let plan = self.plan.clone();
        let groups = if plan.grouped { self.groups(db)? } else { self.rows_alone(db)? };
        let mut having = Vec::with_capacity(groups.len());
        for (row, aggregates) in groups {
            if holds_aggregates(db, &plan.having, &row, &aggregates)? {
                having.push((row, aggregates));
            } else {
                db.running.counted.groups.1 += 1;
            }
        }
        db.running.counted.groups.0 += having.len() as u64;
        let groups = if plan.windows.is_empty() { having } else { super::window::windows(db, &plan, having)? };
        let mut rows = Vec::new();
        for (row, aggregates) in groups {
            let mut values = Vec::with_capacity(plan.targets.len());
            for target in &plan.targets {
                let expr = target.value.expr().ok_or_else(|| {
                    SqlError::new(
                        NOT_SIMULATED,
                        "set-returning functions beside GROUP BY and DISTINCT are not supported",
                    )
                })?;
                let mut value = eval(db, expr, &row, &aggregates)?;
                fetch_value(db, expr.ty.kind(), &mut value)?;
                values.push(value);
            }
            let on = match plan.distinct.as_deref() {
                Some(on) if !on.is_empty() => {
                    on.iter().map(|expr| eval(db, expr, &row, &aggregates)).collect::<Outcome<Vec<_>>>()?
                }
                _ => Vec::new(),
            };
            let by = plan.sort.iter().map(|key| eval(db, &key.expr, &row, &aggregates)).collect::<Outcome<Vec<_>>>()?;
            rows.push(SortTuple { by, row: (values, on) });
        }
        // rows that are made distinct by a hash table are sorted after that
        if group_order::sorts_distinct(&plan) {
            rows = self.distinct(db, rows)?;
            rows = self.sorted_rows(db, rows)?;
        } else {
            rows = self.sorted_rows(db, rows)?;
            rows = self.distinct(db, rows)?;
        }
        db.running.counted.distinct = rows.len() as u64;
        Ok(rows.into_iter().map(|tuple| tuple.row.0).collect())
    }

    /// In the order of ORDER BY.
    fn sorted_rows(&self, db: &mut Database, rows: Vec<Row>) -> Outcome<Vec<Row>> {
        let plan = &self.plan;
        let wanted = self.left.map(|left| left.saturating_add(self.skip));
        db.running.counted.wanted = wanted.and_then(|wanted| u64::try_from(wanted).ok());
        if plan.sort.is_empty() {
            return Ok(rows);
        }
        let bound = wanted.filter(|_| plan.distinct.is_none()).and_then(|wanted| usize::try_from(wanted).ok());
        let bound = bound.filter(|bound| *bound <= i32::MAX as usize / 2);
        let presorted = group_order::presorted(plan);
        if presorted > 0 {
            return sort_all(db, &plan.sort, presorted, bound, rows);
        }
        let got = rows.len();
        let mut sort = Tuplesort::new(&plan.sort, 0, bound);
        rows.into_iter().try_for_each(|row| sort.put(db, row))?;
        let lost = core::mem::take(&mut sort.lost);
        let sorted = sort.perform(db)?;
        if db.running.counted.counts_sort {
            let types = plan.targets.iter().map(|target| target.value.ty());
            let types: Vec<SqlType> = types.chain(plan.junk.iter().map(|junk| junk.ty)).collect();
            let all = sorted.iter().chain(&lost).map(|tuple| row_of(plan, tuple));
            db.running.counted.sort = Some(counted(&types, db.cluster.version(), (got, bound), all));
        }
        Ok(sorted)
    }

    /// Those that are distinct, where that is asked for.
    fn distinct(&self, db: &mut Database, mut rows: Vec<Row>) -> Outcome<Vec<Row>> {
        let plan = &self.plan;
        let Some(distinct) = &plan.distinct else { return Ok(rows) };
        rows = group_order::for_distinct_on(db, plan, distinct, rows, |tuple| &tuple.row.1)?;
        let (mut seen, mut goes_on) = (BTreeMap::new(), false);
        rows.retain(|SortTuple { row: (values, on), .. }| {
            goes_on = seen.insert(row_key(if on.is_empty() { values } else { on }), ()).is_some();
            !goes_on
        });
        group_order::of_distinct(db, plan, rows, |tuple| &tuple.row.0, goes_on)
    }

    /// Each row, as a group of its own.
    fn rows_alone(&mut self, db: &mut Database) -> Outcome<Vec<(Vec<Value>, Vec<Value>)>> {
        let mut rows = Vec::new();
        if !self.plan.aggregates.is_empty() {
            let results = self.aggregate(db)?;
            return Ok(Vec::from([(Vec::new(), results)]));
        }
        self.state = State::Stream;
        while self.next_locked(db)? {
            rows.push((self.input.values.clone(), Vec::new()));
        }
        Ok(rows)
    }

    /// A row and its aggregates with its keys behind them, of each group; groups come in the order of the plan.
    fn groups(&mut self, db: &mut Database) -> Outcome<Vec<(Vec<Value>, Vec<Value>)>> {
        let plan = self.plan.clone();
        self.state = State::Stream;
        if !plan.grouping_sets.is_empty() {
            return self.groups_of_sets(db, &plan);
        }
        let (mut groups, mut places): (Vec<Group>, BTreeMap<_, usize>) = (Vec::new(), BTreeMap::new());
        if plan.group.is_empty() {
            groups.push(Group::new(&plan, Vec::new(), Vec::new()));
        }
        let mut goes_on = false;
        while self.next_locked(db)? {
            let keys = self.group_keys(db, &plan)?;
            goes_on = true;
            let place = *places.entry(row_key(&keys)).or_insert_with(|| {
                goes_on = false;
                if !plan.group.is_empty() {
                    groups.push(Group::new(&plan, keys, self.input.values.clone()));
                }
                groups.len() - 1
            });
            self.accumulate(db, &plan, &mut groups[place])?;
        }
        groups = group_order::of_groups(db, &plan, groups, |group| (&group.row, &group.keys), goes_on)?;
        groups.into_iter().map(|group| group.result(db)).collect()
    }

    /// The values of the row at work by which it is grouped.
    pub(super) fn group_keys(&self, db: &mut Database, plan: &SelectPlan) -> Outcome<Vec<Value>> {
        let mut keys = Vec::with_capacity(plan.group.len());
        for key in &plan.group {
            let mut value = eval(db, key, &self.input.values, &[])?;
            fetch_value(db, key.ty.kind(), &mut value)?;
            keys.push(value);
        }
        Ok(keys)
    }

    pub(super) fn accumulate(&mut self, db: &mut Database, plan: &Arc<SelectPlan>, group: &mut Group) -> Outcome<()> {
        let input = Context::input(db);
        let states = group.states.iter_mut().zip(&mut group.waiting);
        for ((state, waiting), aggregate) in states.zip(&plan.aggregates) {
            if let Some(filter) = &aggregate.filter
                && eval(db, filter, &self.input.values, &[])? != Value::Bool(true)
            {
                continue;
            }
            let mut args = Vec::new();
            project(db, &aggregate.args, (&self.input.values, &[]), &mut args)?;
            for (arg, value) in aggregate.args.iter().zip(&mut args) {
                fetch_value(db, arg.ty.kind(), value)?;
            }
            if aggregate.order.is_empty() {
                state.add(&args, &input)?;
            } else {
                let by = super::sort::keys_of(db, &aggregate.order, &self.input.values)?;
                waiting.put(db, SortTuple { by, row: args })?;
            }
        }
        Ok(())
    }
}
