//! What a READ ONLY transaction may not do (`ExecCheckXactReadOnly`, src/backend/executor/execMain.c;
//! `PreventCommandIfReadOnly`, src/backend/tcop/utility.c).

use super::Database;
use crate::sql::ast::{DropKind, Notification, Object, Renamed, Statement};
use crate::sql::plan::Plan;
use alloc::format;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// A query that is planned.
///
/// # Errors
/// PostgreSQL's, where the transaction is READ ONLY and the query writes or locks rows.
pub(in crate::sql) fn check_query(db: &Database, plan: &Plan) -> Result<(), SqlError> {
    let (table, what) = match plan {
        Plan::Insert(insert) => (insert.table, "INSERT"),
        Plan::Update(update) => (update.scan.table, "UPDATE"),
        Plan::Delete(delete) => (delete.scan.table, "DELETE"),
        Plan::Merge(merge) => (merge.table, "MERGE"),
        Plan::With(with) => {
            with.changes.iter().filter_map(|change| change.plan()).try_for_each(|plan| check_query(db, plan))?;
            return check_query(db, &with.plan);
        }
        Plan::Select(select) => {
            let Some(locking) = select.locking else { return Ok(()) };
            // of a join nobody knows here which table is locked
            let scan = select.scan.as_ref().filter(|_| select.sources.is_empty());
            let what = format!("SELECT {}", locking.strength.words());
            return prevent_unless_temporary(db, scan.map_or(0, |scan| scan.table), &what);
        }
    };
    prevent_unless_temporary(db, table, what)
}

/// The same of a relation of the session alone, which it may change all the same (`rd_islocaltemp`).
///
/// # Errors
/// As [`check_query`].
pub(super) fn prevent_unless_temporary(db: &Database, relation: Oid, what: &str) -> Result<(), SqlError> {
    if db.cluster.is_temporary(relation) { Ok(()) } else { prevent(db, what) }
}

/// A statement that is no query (`ClassifyUtilityCommandAsReadOnly`).
///
/// # Errors
/// As [`check_query`].
pub(super) fn check_utility(db: &Database, statement: &Statement) -> Result<(), SqlError> {
    let what = match statement {
        Statement::CreateTable(_) => "CREATE TABLE",
        Statement::CreateTableAs(create) if create.matview => "CREATE MATERIALIZED VIEW",
        Statement::RefreshMatView(_) => "REFRESH MATERIALIZED VIEW",
        Statement::CreateTableAs(_) => "CREATE TABLE AS",
        Statement::CreateIndex(_) => "CREATE INDEX",
        Statement::CreateSequence(_) => "CREATE SEQUENCE",
        Statement::AlterSequence(_) => "ALTER SEQUENCE",
        Statement::Drop(drop) => match drop.kind {
            DropKind::Table => "DROP TABLE",
            DropKind::Index => "DROP INDEX",
            DropKind::Sequence => "DROP SEQUENCE",
            DropKind::MaterializedView => "DROP MATERIALIZED VIEW",
        },
        Statement::Truncate(_) => "TRUNCATE TABLE",
        Statement::AlterTable(alter) if alter.index => "ALTER INDEX",
        Statement::AlterTable(_) => "ALTER TABLE",
        Statement::Rename(rename) => match rename.kind {
            Renamed::Stored(DropKind::Table) => "ALTER TABLE",
            Renamed::Stored(DropKind::Index) => "ALTER INDEX",
            Renamed::Stored(DropKind::Sequence) => "ALTER SEQUENCE",
            Renamed::Stored(DropKind::MaterializedView) => "ALTER MATERIALIZED VIEW",
            Renamed::View => "ALTER VIEW",
        },
        Statement::Copy(copy) if db.find(&copy.table).is_some_and(|table| db.cluster.is_temporary(table)) => {
            return Ok(());
        }
        Statement::Copy(_) => "COPY FROM",
        Statement::Comment(_) => "COMMENT",
        Statement::Grant(grant) if grant.revoke => "REVOKE",
        Statement::Grant(_) => "GRANT",
        Statement::Notification(Notification::Notify) => "NOTIFY",
        Statement::Object(Object::CreateSchema(_)) => "CREATE SCHEMA",
        Statement::Object(Object::DropSchema(_)) => "DROP SCHEMA",
        Statement::Object(Object::CreateView(_)) => "CREATE VIEW",
        Statement::Object(Object::DropView(_)) => "DROP VIEW",
        Statement::Object(Object::CreateFunction(create)) => create.kind.tag(),
        Statement::Object(Object::DropFunction(drop)) if drop.is_procedure => "DROP PROCEDURE",
        Statement::Object(Object::DropFunction(_)) => "DROP FUNCTION",
        Statement::Object(Object::CreateTrigger(_)) => "CREATE TRIGGER",
        Statement::Object(Object::DropTrigger(_)) => "DROP TRIGGER",
        Statement::Object(Object::Enum(statement)) => statement.tag(),
        Statement::Object(Object::Domain(statement)) => statement.tag(),
        Statement::Object(Object::Statistics(statement)) => statement.tag(),
        Statement::Object(Object::Role(statement)) => statement.tag(),
        _ => return Ok(()),
    };
    prevent(db, what)
}

/// `PreventCommandIfReadOnly`
///
/// # Errors
/// As [`check_query`].
pub(super) fn prevent(db: &Database, what: &str) -> Result<(), SqlError> {
    if db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.read_only) {
        return Err(SqlError::new("25006", format!("cannot execute {what} in a read-only transaction")));
    }
    Ok(())
}
