//! What statements may do with tables of the undo engine, which is a model: what it does not have is refused by name.

use crate::sql::StatementError;
use crate::sql::ast::{ConstraintKind, CreateTable, IsolationLevel, Persistence, Select, Statement, Transaction};
use crate::sql::tcop::Database;
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::datum::SqlError;

/// May the statement be run?
///
/// # Errors
/// What the engine does not do, by name.
pub fn check(statement: &Statement) -> Result<(), StatementError> {
    let what = match statement {
        Statement::CreateTable(create) => return check_table(create),
        Statement::Select(Select { locking: Some(_), .. }) => "SELECT FOR UPDATE",
        Statement::Insert(insert) if insert.on_conflict.is_some() => "ON CONFLICT",
        Statement::Update(update) if !update.from.is_empty() => "UPDATE … FROM",
        Statement::Delete(delete) if !delete.using.is_empty() => "DELETE … USING",
        Statement::Merge(_) => "MERGE",
        Statement::With(with) => return check(&with.statement),
        Statement::Explain(inner, options) if options.analyze => return check(inner),
        Statement::Transaction(Transaction::Begin(modes) | Transaction::Start(modes) | Transaction::Set(modes))
            if modes.isolation == Some(IsolationLevel::Serializable) =>
        {
            "SERIALIZABLE"
        }
        Statement::Vacuum(vacuum) if vacuum.full => "VACUUM FULL",
        Statement::CreateTableAs(_) => "CREATE TABLE AS",
        Statement::AlterTable(_) => "ALTER TABLE",
        Statement::Rename(_) => "RENAME",
        Statement::Truncate(_) => "TRUNCATE",
        Statement::Copy(_) => "COPY",
        Statement::Reindex(_) => "REINDEX",
        _ => return Ok(()),
    };
    Err(refused(what))
}

fn check_table(create: &CreateTable) -> Result<(), StatementError> {
    if create.persistence != Persistence::Permanent {
        let is_unlogged = create.persistence == Persistence::Unlogged;
        return Err(refused(if is_unlogged { "UNLOGGED" } else { "TEMPORARY" }));
    }
    if create.partition_by.is_some() || create.partition_of.is_some() {
        return Err(refused("a partitioned table"));
    }
    let is_foreign = |kind: &ConstraintKind| matches!(kind, ConstraintKind::Foreign { .. });
    match create.constraints.iter().any(|constraint| is_foreign(&constraint.kind)) {
        true => Err(refused("a foreign key")),
        false => Ok(()),
    }
}

fn refused(what: &str) -> StatementError {
    const KNOWN: &str = "CREATE TABLE, CREATE INDEX, DROP, INSERT, UPDATE, DELETE, SELECT, transactions, CHECKPOINT";
    let message = format!("{what} is not supported by the undo engine, which is a model; it has {KNOWN}");
    StatementError::unsupported(message, None)
}

/// VACUUM and ANALYZE: old versions are not in tables, and the planner gets no statistics.
///
/// # Errors
/// VACUUM within a transaction block.
pub(in crate::sql) fn vacuum(db: &mut Database, statement: &Statement) -> Result<String, SqlError> {
    let is_vacuum = matches!(statement, Statement::Vacuum(_));
    if is_vacuum && db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block) {
        return Err(SqlError::new("25001", "VACUUM cannot run inside a transaction block"));
    }
    db.cluster.pg.start_transaction(false);
    Ok(match is_vacuum {
        true => "VACUUM: nothing to do, since old versions are in undo pages, which are used again by themselves",
        false => "ANALYZE: nothing is counted, since the undo engine's model has no statistics",
    }
    .to_string())
}
