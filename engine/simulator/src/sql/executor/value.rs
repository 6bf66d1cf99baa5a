//! What a SELECT gives, as far as one value of it is asked for.

use super::select::Query;
use crate::sql::StatementError;
use crate::sql::ast::Statement;
use crate::sql::plan::{Given, Plan, plan};
use crate::sql::tcop::Database;
use crate::storage::Stop;
use alloc::string::String;
use ffviz_format::datum::SqlError;

/// The first column of the first row of a SELECT, as its output function prints it; `None` for NULL, or no row.
///
/// # Errors
/// What is refused, or fails; a statement that is no SELECT.
pub fn single_value(db: &mut Database, statement: Statement) -> Result<Option<String>, StatementError> {
    db.note_time();
    db.cluster.start_statement()?;
    let Some(Plan::Select(plan)) = plan(&statement, db, &mut Given::default())? else {
        return Err(SqlError::new("42601", "only a SELECT gives a value").into());
    };
    let typid = match plan.targets.first().map(|target| &target.value) {
        Some(value) => value.ty().oid,
        None => return Ok(None),
    };
    let snapshot = db.cluster.take_snapshot();
    match Query::start(plan, &snapshot).next(db) {
        Ok(row) => Ok(row.and_then(|row| row.first()?.output(typid))),
        Err(Stop::Error(error)) => Err(error.into()),
        Err(Stop::Wait(_)) => Err(SqlError::new("55P03", "the rows are locked by another session").into()),
    }
}
