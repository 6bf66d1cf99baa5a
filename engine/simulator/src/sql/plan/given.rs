//! Columns whose values no statement gives: generated ones, identities (`rewriteTargetListIU`,
//! src/backend/rewrite/rewriteHandler.c).

use crate::sql::StatementError;
use crate::sql::ast::{Expr, Insert, InsertSource, Overriding};
use crate::sql::catalog::{ColumnInfo, ColumnSource, TableInfo};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::PgVersion;

/// The columns that an INSERT gives values to, once all of it is analyzed.
pub(super) fn check_generated(
    table: &TableInfo,
    targets: &[usize],
    insert: &Insert,
    major: u32,
) -> Result<(), StatementError> {
    let given: Vec<usize> = match &insert.source {
        InsertSource::Values(rows) => rows.iter().flat_map(|row| given_targets(row, targets)).collect(),
        // a query has done so itself: there may be fewer
        InsertSource::Defaults | InsertSource::Select(_) => Vec::new(),
    };
    refuse_generated(table, &given, insert.overriding, major)
}

/// An error about a column whose values no statement gives.
pub(super) fn of_generated(message: String, column: &ColumnInfo, major: u32) -> StatementError {
    let (code, what) = match column.source {
        ColumnSource::Generated if !PgVersion::of_major(major).has_generated_error() => ("42601", "a generated column"),
        ColumnSource::Generated => ("428C9", "a generated column"),
        _ => ("428C9", "an identity column defined as GENERATED ALWAYS"),
    };
    let detail = format!("Column \"{}\" is {what}.", column.attribute.name);
    SqlError::new(code, message).with_detail(detail).into()
}

/// Those of the columns that a row gives a value to, rather than its DEFAULT.
pub(super) fn given_targets(row: &[Option<Expr>], targets: &[usize]) -> impl Iterator<Item = usize> {
    row.iter().zip(targets).filter(|(value, _)| value.is_some()).map(|(_, target)| *target)
}

/// Of the columns that are given values, those that may not be.
pub(super) fn refuse_generated(
    table: &TableInfo,
    given: &[usize],
    overriding: Option<Overriding>,
    major: u32,
) -> Result<(), StatementError> {
    let is_refused = |column: &&ColumnInfo| match column.source {
        ColumnSource::Given | ColumnSource::IdentityByDefault => false,
        ColumnSource::IdentityAlways => overriding.is_none(),
        ColumnSource::Generated => true,
    };
    let Some(column) = given.iter().map(|target| &table.columns[*target]).find(is_refused) else { return Ok(()) };
    let what = match PgVersion::of_major(major).has_generated_error() {
        true => "cannot insert a non-DEFAULT value into column",
        false => "cannot insert into column",
    };
    Err(of_generated(format!("{what} \"{}\"", column.attribute.name), column, major))
}

/// OVERRIDING USER VALUE: does the sequence give the value, whatever the statement gives?
pub(super) fn is_overridden(column: &ColumnInfo, overriding: Option<Overriding>) -> bool {
    let is_identity = matches!(column.source, ColumnSource::IdentityAlways | ColumnSource::IdentityByDefault);
    is_identity && overriding == Some(Overriding::User)
}
