//! Aggregates of a query, all rows into one (src/backend/executor/nodeAgg.c; min and max as ends of an index:
//! src/backend/optimizer/plan/planagg.c).

use super::sort::keys_of;
use super::tuplesort::{SortTuple, Tuplesort};
use super::{Query, RowScan, State, eval, project};
use crate::sql::executor::row::fetch_value;
use crate::sql::expr::{Aggregate, Aggregation, Context};
use crate::sql::plan::Extreme;
use crate::sql::tcop::Database;
use crate::storage::Outcome;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};

impl Query {
    /// All rows into the aggregates.
    pub(super) fn aggregate(&mut self, db: &mut Database) -> Outcome<Vec<Value>> {
        let plan = self.plan.clone();
        let mut states: Vec<Aggregation> = plan.aggregates.iter().map(Aggregation::new).collect();
        // rows of an aggregate with an order of its own wait for the last one
        let sort = |aggregate: &Aggregate| Tuplesort::new(&aggregate.order, 0, None);
        let mut waiting: Vec<Tuplesort<Vec<Value>>> = plan.aggregates.iter().map(sort).collect();
        let mut args = Vec::new();
        self.state = if plan.aggregate_order.is_empty() { State::Stream } else { self.start_sort(db)? };
        while self.next_locked(db)? {
            for ((state, waiting), aggregate) in states.iter_mut().zip(&mut waiting).zip(&plan.aggregates) {
                if let Some(filter) = &aggregate.filter
                    && eval(db, filter, &self.input.values, &[])? != Value::Bool(true)
                {
                    continue;
                }
                match aggregate.counted() {
                    // count does not read the value
                    Some(slot) => {
                        args.clear();
                        args.push(self.input.values[usize::from(slot)].clone());
                    }
                    None => {
                        project(db, &aggregate.args, (&self.input.values, &[]), &mut args)?;
                        for (arg, value) in aggregate.args.iter().zip(&mut args) {
                            fetch_value(db, arg.ty.kind(), value)?;
                        }
                    }
                }
                if aggregate.order.is_empty() {
                    state.add(&args, &Context::input(db))?;
                } else {
                    let by = keys_of(db, &aggregate.order, &self.input.values)?;
                    waiting.put(db, SortTuple { by, row: core::mem::take(&mut args) })?;
                }
            }
        }
        let input = Context::input(db);
        for (state, waiting) in states.iter_mut().zip(waiting) {
            waiting.perform(db)?.iter().try_for_each(|tuple| state.add(&tuple.row, &input))?;
        }
        Ok(states.into_iter().map(|state| state.result(&input)).collect::<Result<_, SqlError>>()?)
    }

    /// min and max that are ends of an index: of each scan one row (`ExecSetParamPlan`,
    /// src/backend/executor/nodeSubplan.c).
    pub(super) fn extremes(&mut self, db: &mut Database) -> Outcome<Vec<Value>> {
        let plan = self.plan.clone();
        let mut results = Vec::with_capacity(plan.extremes.len());
        for Extreme { scan, value } in &plan.extremes {
            let mut scan = RowScan::start(db, scan, &self.snapshot)?;
            let first = scan.next(db)?;
            scan.end(db);
            let mut result = match first {
                Some(row) => eval(db, value, &row.values, &[])?,
                None => Value::Null,
            };
            fetch_value(db, value.ty.kind(), &mut result)?;
            results.push(result);
        }
        Ok(results)
    }
}
