//! DO: a loop of PL/pgSQL over statements, COMMIT and ROLLBACK (`exec_stmt_fori`, src/pl/plpgsql/src/pl_exec.c).

use super::matview;
use crate::sql::ast::{DoLoop, Statement, Transaction};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::plan_source::PlanSource;
use crate::sql::tcop::read_only::check_query;
use crate::sql::tcop::{Database, Execution};
use crate::storage::Outcome;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, SqlType, Value};

/// A loop that runs.
#[derive(Debug)]
pub(in crate::sql) struct Loop {
    body: DoLoop,
    /// the variable's value
    at: i64,
    /// which statement of the body comes next
    next: usize,
    /// of each statement of the body its plans, which last as long as the loop
    plans: Vec<PlanSource>,
    /// the statement that runs
    running: Option<Box<Execution>>,
}

impl Loop {
    pub fn start(body: DoLoop) -> Self {
        let source = |statement: &Statement| {
            PlanSource::new(statement.clone(), vec![SqlType::INT4.oid], vec![body.variable.clone()])
        };
        Self { at: body.from, next: 0, plans: body.body.iter().map(source).collect(), running: None, body }
    }

    /// Goes on until the last turn is done. Gives the command tag.
    pub fn go_on(&mut self, db: &mut Database) -> Outcome<String> {
        while self.at <= self.body.to {
            db.cluster.pg.interrupt.check()?;
            db.params = Vec::from([Value::Int4(i32::try_from(self.at).unwrap_or(i32::MAX))]);
            if let Some(running) = &mut self.running {
                running.go_on(db)?;
                self.running = None;
                if let Some(xact) = &mut db.cluster.pg.backend_mut().xact {
                    xact.next_command();
                }
            }
            if self.next < self.body.body.len() {
                self.next += 1;
                self.begin(db, self.next - 1)?;
            } else {
                (self.at, self.next) = (self.at + 1, 0);
            }
        }
        db.params.clear();
        Ok("DO".to_string())
    }

    /// The statement of that number begins.
    fn begin(&mut self, db: &mut Database, number: usize) -> Outcome<()> {
        if let Some(Statement::Transaction(transaction)) = self.body.body.get(number) {
            return end(db, transaction).map_err(Into::into);
        }
        let Some(source) = self.plans.get_mut(number) else { return Ok(()) };
        let values = db.params.clone();
        let planned = source.plan(db, &values).map_err(crate::sql::StatementError::error_with_place)?;
        if let Some(plan) = planned {
            check_query(db, &plan)?;
            matview::check_query(db, source.statement())?;
            self.running = Some(Box::new(Execution::start_planned(db, plan)?));
        }
        Ok(())
    }
}

/// COMMIT, ROLLBACK within the loop: a new transaction begins at once.
fn end(db: &mut Database, transaction: &Transaction) -> Result<(), SqlError> {
    if db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block) {
        return Err(SqlError::new("2D000", "invalid transaction termination"));
    }
    if db.cluster.has_deferred() {
        let message = "COMMIT or ROLLBACK within DO while constraints are deferred is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    match transaction {
        Transaction::Commit => db.cluster.end_statement()?,
        _ => db.cluster.rollback_block(),
    }
    db.cluster.pg.start_transaction(false);
    Ok(())
}
