//! Syntax that a version does not know yet: there it is no SQL.

use crate::sql::ast::{AlterAction, Constraint, ConstraintKind, Statement};
use crate::version::Behaviour;
use ffviz_format::datum::SqlError;
use ffviz_format::page::PgVersion;

/// The error of a version for which a statement is too new, at the word where its parser stops.
pub(super) fn newer_syntax(statement: &Statement, version: PgVersion) -> Option<SqlError> {
    let is_newer = has_nulls_not_distinct(statement) && !version.has_nulls_not_distinct();
    is_newer.then(|| SqlError::new("42601", "syntax error at or near \"nulls\""))
}

/// NULLS NOT DISTINCT came with 15.
fn has_nulls_not_distinct(statement: &Statement) -> bool {
    let asks = |constraint: &Constraint| matches!(&constraint.kind, ConstraintKind::Index(it) if it.nulls_not_distinct);
    match statement {
        Statement::CreateIndex(create) => create.nulls_not_distinct,
        Statement::CreateTable(create) => create.constraints.iter().any(asks),
        Statement::AlterTable(alter) => alter.actions.iter().any(|action| match action {
            AlterAction::AddConstraint(constraint) => asks(constraint),
            AlterAction::AddColumn { constraints, .. } => constraints.iter().any(asks),
            _ => false,
        }),
        _ => false,
    }
}
