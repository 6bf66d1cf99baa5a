//! UPDATE … FROM and DELETE … USING (`ExecModifyTable`, src/backend/executor/nodeModifyTable.c): the rows of a join, in
//! the order that
//! any way to join has them in.

use super::modify::{Modify, Source};
use super::row::{Row, forget_dropped};
use super::running::Running;
use super::select::Query;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::compare;
use crate::sql::plan::JoinedPlan;
use crate::sql::tcop::Database;
use crate::storage::{MvccSnapshot, Outcome, Stop};
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::Oid;

impl Modify {
    /// Before the first row.
    pub(super) fn joined(
        db: &mut Database,
        table: Oid,
        plan: Arc<JoinedPlan>,
        updates: bool,
        snapshot: &MvccSnapshot,
    ) -> Outcome<Self> {
        match (check_order(db, &plan, snapshot), &plan.otherwise) {
            (Ok(()), _) => {}
            (Err(Stop::Error(error)), Some(planned)) if error.sqlstate == NOT_SIMULATED => {
                return Self::merge(db, planned, snapshot);
            }
            // a query that locks rows waits when it comes to them
            (Err(Stop::Wait(_)), Some(planned)) => return Self::merge(db, planned, snapshot),
            (Err(Stop::Wait(_)), None) => return Err(refuse("whose query waits for a row").into()),
            (Err(stop), _) => return Err(stop),
        }
        let query = alloc::boxed::Box::new(Query::start(plan.query.clone(), snapshot));
        let set: Vec<u16> = plan.set.iter().map(|column| column + 1).collect();
        let mut modify = Self::start(db, table, Source::Joined(query, plan, updates))?;
        modify.set = set.iter().copied().chain(modify.generated.that_follow(&set)).collect();
        Ok(modify)
    }

    /// The next row of the join is changed. Is there one?
    pub(super) fn next_joined(&mut self, db: &mut Database) -> Outcome<bool> {
        let Source::Joined(query, plan, updates) = &mut self.source else { return Ok(false) };
        let Some(found) = query.next(db)? else { return Ok(false) };
        let (plan, updates, mut found) = (plan.clone(), *updates, core::mem::take(found).into_iter());
        let Some(Value::Tid(tid)) = found.next() else {
            return Err(SqlError::new("XX000", "ctid is NULL").into());
        };
        let mut values = alloc::vec![Value::Null; self.relation.desc.attributes().len()];
        for (column, value) in plan.columns.iter().zip(found.by_ref()) {
            values[usize::from(*column)] = value;
        }
        let row = Row { tid, values };
        if !updates {
            self.delete_row(db, row)?;
            return Ok(true);
        }
        let mut values = row.values.clone();
        for (column, value) in plan.set.iter().zip(found) {
            values[usize::from(*column)] = value;
        }
        forget_dropped(&self.relation, &mut values);
        self.generated.compute(db, &mut values, Some(&self.set))?;
        self.row_checks.check(db, &self.relation, &values)?;
        self.update_row(db, row, Some(values))?;
        Ok(true)
    }
}

fn refuse(why: &str) -> SqlError {
    SqlError::new(
        NOT_SIMULATED,
        format!(
            "UPDATE … FROM or DELETE … USING {why} is not supported, since the way to join decides which row comes first"
        ),
    )
}

/// Do the rows come in one order, whichever way they are joined? Tried on a copy, so that nothing has been done where
/// they do not.
fn check_order(db: &Database, plan: &JoinedPlan, snapshot: &MvccSnapshot) -> Outcome<()> {
    let mut copy = db.clone();
    let before = copy.cluster.pg.usage();
    let mut running = Running { snapshot: Some(snapshot.clone()), ..Running::default() };
    let rows = copy.while_running(&mut running, |copy| {
        let (mut query, mut rows) = (Query::start(plan.order.clone(), snapshot), Vec::new());
        while let Some(row) = query.next(copy)? {
            rows.push(core::mem::take(row));
        }
        Ok::<Vec<Vec<Value>>, Stop>(rows)
    })?;
    let after = copy.cluster.pg.usage();
    if rows.is_empty() && (before.pages_changed, before.blks_dirtied) != (after.pages_changed, after.blks_dirtied) {
        return Err(refuse("that finds no row, in a table that was not read yet,").into());
    }
    let types: Vec<Oid> = plan.order.targets.iter().map(|target| target.value.ty().oid).collect();
    let input = crate::sql::expr::Context::input(db);
    for pair in rows.windows(2) {
        for (n, ((one, next), ty)) in pair[0].iter().zip(&pair[1]).zip(&types).enumerate() {
            // keys may be the same, places may not
            let order = compare(one, next, [*ty; 2], &input)?;
            if order == Ordering::Greater || order == Ordering::Equal && n < 2 {
                return Err(
                    refuse("whose rows have several partners, or come in another order by the other table,").into()
                );
            }
        }
    }
    Ok(())
}
