//! Recursive queries of WITH, which give a row when one is asked for (`ExecRecursiveUnion`,
//! src/backend/executor/nodeRecursiveunion.c; `CteScanNext`, nodeCtescan.c).
//!
//! ```text
//!  the first part ─▶ rows, kept for all who read them ─▶ the work table ─▶ the second part over it ─▶ rows …
//! ```

use super::Query;
use super::source::{Rows, row_key};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::row::fetch_value;
use crate::sql::plan::{CommonPlan, CommonRows};
use crate::sql::tcop::Database;
use crate::storage::{MvccSnapshot, Outcome};
use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};

/// One at work.
#[derive(Debug, Clone)]
pub(in crate::sql) struct Recursing {
    plan: Arc<CommonPlan>,
    /// the part that runs; `None` at the end
    query: Option<Query>,
    /// the rows that the second part reads
    work: Arc<Rows>,
    /// those that it has given since
    next: Rows,
    /// all
    rows: Rows,
    /// what they were, where those that come again are left out
    seen: BTreeSet<Vec<Option<Vec<u8>>>>,
}

/// The memory that one without an end may take.
const MOST: usize = 250_000;

impl Recursing {
    /// Goes on until there is a row of that number.
    fn reach(&mut self, db: &mut Database, number: usize, snapshot: &MvccSnapshot) -> Outcome<()> {
        let plan = self.plan.clone();
        let CommonRows::Recursive(base, step, all) = &plan.rows else { return Ok(()) };
        while self.rows.len() <= number {
            let Some(query) = &mut self.query else { return Ok(()) };
            db.cluster.pg.interrupt.check()?;
            let outside = db.running.work.insert(plan.name.clone(), self.work.clone());
            let row = query.next(db).map(|row| row.map(core::mem::take));
            match outside {
                Some(outside) => db.running.work.insert(plan.name.clone(), outside),
                None => db.running.work.remove(&plan.name),
            };
            let Some(mut row) = row? else {
                query.end(db);
                self.work = Arc::new(core::mem::take(&mut self.next));
                self.query = (!self.work.is_empty()).then(|| Query::start(step.clone(), snapshot));
                continue;
            };
            for (target, value) in base.targets.iter().zip(&mut row) {
                fetch_value(db, target.value.ty().kind(), value)?;
            }
            if *all || self.seen.insert(row_key(&row)) {
                self.next.push(row.clone());
                self.rows.push(row);
            }
            if self.rows.len() > MOST {
                let message = "a recursive query of more than 250,000 rows is not supported; end it in its WHERE, or \
                               with a LIMIT that needs no ORDER BY";
                return Err(SqlError::new(NOT_SIMULATED, message).into());
            }
        }
        Ok(())
    }
}

impl Database {
    /// Does something with a recursive query that has as many rows, or all.
    fn with_recursive<T>(
        &mut self,
        plan: &Arc<CommonPlan>,
        (number, snapshot): (usize, &MvccSnapshot),
        read: impl FnOnce(&Rows) -> T,
    ) -> Outcome<T> {
        let place = Arc::as_ptr(plan) as usize;
        let mut recursing = self.running.recursing.remove(&place).unwrap_or_else(|| {
            let query = match &plan.rows {
                CommonRows::Recursive(base, ..) => Some(Query::start(base.clone(), snapshot)),
                _ => None,
            };
            let (plan, seen) = (plan.clone(), BTreeSet::new());
            Recursing { plan, query, work: Arc::default(), next: Vec::new(), rows: Vec::new(), seen }
        });
        let reached = recursing.reach(self, number, snapshot);
        let read = read(&recursing.rows);
        self.running.recursing.insert(place, recursing);
        reached.map(|()| read)
    }

    /// The row of that number.
    pub(super) fn recursive_row(
        &mut self,
        plan: &Arc<CommonPlan>,
        number: usize,
        snapshot: &MvccSnapshot,
    ) -> Outcome<Option<Vec<Value>>> {
        self.with_recursive(plan, (number, snapshot), |rows| rows.get(number).cloned())
    }

    /// All of them.
    pub(super) fn recursive_rows(&mut self, plan: &Arc<CommonPlan>, snapshot: &MvccSnapshot) -> Outcome<Arc<Rows>> {
        self.with_recursive(plan, (usize::MAX, snapshot), |rows| Arc::new(rows.clone()))
    }
}
