//! Syntax that a version does not know yet: there it is no SQL.

use crate::sql::StatementError;
use crate::sql::ast::{AlterAction, Constraint, ConstraintKind, Statement};
use crate::sql::error::Position;
use crate::version::Behaviour;
use ffviz_format::page::PgVersion;

/// The error of a version for which a statement is too new, at the word where its parser stops.
pub(super) fn newer_syntax(statement: &Statement, version: PgVersion) -> Option<StatementError> {
    let position = Position { line: 1, column: 1 };
    let is_newer = has_nulls_not_distinct(statement) && !version.has_nulls_not_distinct();
    is_newer.then(|| StatementError::syntax("nulls", position))
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
