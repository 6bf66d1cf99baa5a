//! Statements of SQL that a command runs (src/backend/executor/spi.c).

use crate::sql::StatementError;
use crate::sql::ast::Statement;
use crate::sql::executor::select::source::no_wait;
use crate::sql::parse::parse_with;
use crate::sql::plan::{Given, plan};
use crate::sql::tcop::{Database, Execution};
use crate::storage::{Outcome, Stop};
use alloc::vec::Vec;
use ffviz_format::datum::Value;

/// The rows of a query.
pub(super) fn rows_of(db: &mut Database, sql: &str) -> Outcome<Vec<Vec<Value>>> {
    first_rows(db, sql, usize::MAX)
}

/// So many of its first rows.
pub(super) fn first_rows(db: &mut Database, sql: &str, most: usize) -> Outcome<Vec<Vec<Value>>> {
    let statement = parsed(db, sql)?;
    let mut execution = Execution::start(db, statement, None).map_err(StatementError::error_with_place)?;
    let mut rows = Vec::new();
    while rows.len() < most {
        let Some(row) = execution.next_row(db, true)? else { break };
        rows.push(row);
    }
    execution.end(db);
    Ok(rows)
}

/// The statement.
pub(super) fn parsed(db: &mut Database, sql: &str) -> Outcome<Statement> {
    parse_with(sql, db.type_names(sql)).map_err(|refused| Stop::Error(refused.error_with_place()))
}

/// Runs it to its end; it may not wait.
pub(super) fn execute(db: &mut Database, statement: Statement) -> Outcome<()> {
    let mut execution = Execution::start(db, statement, None).map_err(StatementError::error_with_place)?;
    execution.go_on(db).map(|_| ()).map_err(|stop| Stop::Error(no_wait(stop)))
}

/// The same as a command of its own.
pub(super) fn run(db: &mut Database, sql: &str) -> Outcome<()> {
    let statement = parsed(db, sql)?;
    next_command(db);
    execute(db, statement)
}

/// The same of what nobody but REFRESH may do to a materialized view.
pub(super) fn change(db: &mut Database, sql: &str) -> Outcome<()> {
    let statement = parsed(db, sql)?;
    next_command(db);
    let planned = plan(&statement, db, &mut Given::default()).map_err(StatementError::error_with_place)?;
    let Some(planned) = planned else { return Ok(()) };
    let mut execution = Execution::start_planned(db, planned)?;
    execution.go_on(db).map(|_| ())
}

/// `CommandCounterIncrement`
pub(super) fn next_command(db: &mut Database) {
    if let Some(xact) = db.cluster.pg.backend_mut().xact.as_mut() {
        xact.next_command();
    }
}
