//! EXPLAIN (COSTS OFF): the statement is planned and not run (`ExplainOneQuery`, src/backend/commands/explain.c). Planning may read the ends of
//! indexes; what changes rows or locks them uses a command id up, as `standard_ExecutorStart` does.

use super::Database;
use crate::sql::StatementError;
use crate::sql::ast::{FromItem, RangeVar, Statement};
use crate::sql::catalog::Catalog;
use crate::sql::plan::{Explained, Given, Plan, plan};
use alloc::string::String;
use alloc::vec::Vec;

/// The lines of the plan.
pub(super) fn explain(db: &mut Database, statement: &Statement) -> Result<Vec<String>, StatementError> {
    let refuse = |what: &str| StatementError::unsupported(alloc::format!("EXPLAIN of {what} is not supported"), None);
    let major = db.cluster.version().major();
    let planned = plan(statement, db, &mut Given::default())?;
    let Some(planned) = planned else { return Err(refuse("this statement")) };
    let (name, alias) = named(statement);
    let table = name.and_then(|name| db.table(name));
    let conflict = match statement {
        Statement::Insert(insert) => insert.on_conflict.as_ref().map(|conflict| !conflict.columns.is_empty()),
        _ => None,
    };
    let explained = Explained { table: table.as_ref(), alias, conflict, major, enabled: db.scans() };
    let lines = explained.lines(&planned).ok_or_else(|| refuse("this plan"))?;
    db.cluster.take_snapshot();
    let writes = !matches!(&planned, Plan::Select(select) if select.locking.is_none());
    if writes {
        db.cluster.pg.current_command_id();
    }
    Ok(lines)
}

/// The table of a statement, and its alias.
fn named(statement: &Statement) -> (Option<&RangeVar>, Option<&str>) {
    match statement {
        Statement::Insert(insert) => (Some(&insert.table), None),
        Statement::Update(update) => (Some(&update.table), update.alias.as_deref()),
        Statement::Delete(delete) => (Some(&delete.table), delete.alias.as_deref()),
        Statement::Select(select) => match select.from.first() {
            Some(FromItem::Table { name, alias }) => (Some(name), alias.as_deref()),
            _ => (None, None),
        },
        _ => (None, None),
    }
}
