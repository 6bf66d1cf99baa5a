//! Aggregates of a query, all rows into one (src/backend/executor/nodeAgg.c; min and max as ends of an index: src/backend/optimizer/plan/planagg.c).

use super::sort::order;
use super::{Query, RowScan, eval, project};
use crate::datum::{SqlError, Value};
use crate::sql::execute::Database;
use crate::sql::expr::{Aggregation, Context};
use crate::sql::plan::Extreme;
use crate::storage::Outcome;
use alloc::vec::Vec;

impl Query {
    /// All rows into the aggregates.
    pub(super) fn aggregate(&mut self, db: &mut Database) -> Outcome<Vec<Value>> {
        let plan = self.plan.clone();
        let mut states: Vec<Aggregation> = plan.aggregates.iter().map(Aggregation::new).collect();
        // rows of an aggregate with an order of its own wait for the last one
        let mut waiting: Vec<Vec<(Vec<Value>, Vec<Value>)>> = plan.aggregates.iter().map(|_| Vec::new()).collect();
        let mut args = Vec::new();
        while self.next_input(db)? {
            for ((state, waiting), aggregate) in states.iter_mut().zip(&mut waiting).zip(&plan.aggregates) {
                match aggregate.counted() {
                    // count does not read the value
                    Some(slot) => {
                        args.clear();
                        args.push(self.input.values[usize::from(slot)].clone());
                    }
                    None => project(db, &aggregate.args, (&self.input.values, &[]), &mut args)?,
                }
                if aggregate.order.is_empty() {
                    state.add(&args, &Context::input(db))?;
                } else {
                    let mut by = Vec::with_capacity(aggregate.order.len());
                    project(db, aggregate.order.iter().map(|key| &key.expr), (&self.input.values, &[]), &mut by)?;
                    waiting.push((by, core::mem::take(&mut args)));
                }
            }
        }
        let input = Context::input(db);
        for ((state, mut waiting), aggregate) in states.iter_mut().zip(waiting).zip(&plan.aggregates) {
            waiting.sort_by(|(a, _), (b, _)| order(&aggregate.order, a, b));
            waiting.iter().try_for_each(|(_, args)| state.add(args, &input))?;
        }
        Ok(states.into_iter().map(|state| state.result(&input)).collect::<Result<_, SqlError>>()?)
    }

    /// min and max that are ends of an index: of each scan one row (`ExecSetParamPlan`, src/backend/executor/nodeSubplan.c).
    pub(super) fn extremes(&mut self, db: &mut Database) -> Outcome<Vec<Value>> {
        let plan = self.plan.clone();
        let mut results = Vec::with_capacity(plan.extremes.len());
        for Extreme { scan, value } in &plan.extremes {
            let mut scan = RowScan::start(db, scan, &self.snapshot)?;
            let first = scan.next(db)?;
            scan.end(db);
            results.push(match first {
                Some(row) => eval(db, value, &row.values, &[])?,
                None => Value::Null,
            });
        }
        Ok(results)
    }
}
