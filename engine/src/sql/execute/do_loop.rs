//! DO: a loop of PL/pgSQL over statements, COMMIT and ROLLBACK (`exec_stmt_fori`, src/pl/plpgsql/src/pl_exec.c).

use super::{Database, Execution};
use crate::datum::{SqlError, SqlType, Value};
use crate::sql::ast::{DoLoop, Statement, Transaction};
use crate::sql::plan::Given;
use crate::storage::{IsolationLevel, Outcome};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A loop that runs.
#[derive(Debug)]
pub(super) struct Loop {
    body: DoLoop,
    /// the variable's value
    at: i64,
    /// which statement of the body comes next
    next: usize,
    /// the statement that runs
    running: Option<Box<Execution>>,
}

impl Loop {
    pub const fn start(body: DoLoop) -> Self {
        let at = body.from;
        Self { body, at, next: 0, running: None }
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
            match self.body.body.get(self.next).cloned() {
                Some(statement) => {
                    self.next += 1;
                    self.begin(db, statement)?;
                }
                None => (self.at, self.next) = (self.at + 1, 0),
            }
        }
        db.params.clear();
        Ok("DO".to_string())
    }

    fn begin(&mut self, db: &mut Database, statement: Statement) -> Outcome<()> {
        if let Statement::Transaction(transaction) = &statement {
            return end(db, transaction).map_err(Into::into);
        }
        let mut given =
            Given { params: Vec::from([SqlType::INT4.oid]), variables: Vec::from([self.body.variable.clone()]) };
        let started = Execution::start_given(db, statement, None, &mut given);
        let execution = started.map_err(crate::sql::StatementError::error_with_place)?;
        self.running = Some(Box::new(execution));
        Ok(())
    }
}

/// COMMIT, ROLLBACK within the loop: a new transaction begins at once.
fn end(db: &mut Database, transaction: &Transaction) -> Result<(), SqlError> {
    if db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block) {
        return Err(SqlError::new("2D000", "invalid transaction termination"));
    }
    match transaction {
        Transaction::Commit => db.cluster.end_statement(),
        _ => db.cluster.rollback_block(),
    }
    db.cluster.pg.start_transaction(IsolationLevel::default(), false);
    Ok(())
}
