//! DEFAULT of columns and domains: what may stand there, and as which type (`cookDefault`,
//! src/backend/catalog/heap.c; `EXPR_KIND_COLUMN_DEFAULT`, src/backend/parser/).

use crate::cluster::pg_class::ColumnDefault as Kept;
use crate::sql::StatementError;
use crate::sql::ast::{ColumnDefault, CreateTable, Expr, ExprNode, Literal};
use crate::sql::expr::{Analyzer, AssignedType, RangeTable, Typed, is_series};
use crate::sql::tcop::Database;
use alloc::format;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// A DEFAULT as the column takes it.
///
/// # Errors
/// It reads a column, rows or another query; another type, or none that is there.
pub(super) fn cooked(db: &Database, expr: &Expr, column: &str, ty: impl Into<AssignedType>) -> Result<Typed, SqlError> {
    stands_alone(db, expr)?;
    let range = RangeTable::default();
    let mut analyzer = db.analyzer(&range);
    analyzer.clause = "DEFAULT";
    let typed = analyzer.assigned(expr, column, ty);
    let relations = core::mem::take(&mut analyzer.relations);
    let typed = typed.map_err(StatementError::error_with_place).map_err(of_default)?;
    relations.iter().try_for_each(|name| db.regclass_in(name).map(|_| ()))?;
    Ok(typed)
}

/// The DEFAULTs of a table that has been made.
///
/// # Errors
/// As [`cooked`].
pub(super) fn check(db: &Database, table: Oid, create: &CreateTable) -> Result<(), SqlError> {
    let defaults = db.cluster.catalog.class(table).map(|class| class.defaults.clone()).unwrap_or_default();
    for (column, kept) in create.columns.iter().zip(defaults) {
        // another may have come from a table that it is like
        if let (ColumnDefault::Expr(expr), Kept::Expr(_)) = (&column.default, kept) {
            let ty = AssignedType { ty: column.type_name, domain: column.domain };
            cooked(db, expr, &column.name, ty)?;
        }
    }
    Ok(())
}

/// Nothing within it reads a row, and its sequences are there.
fn stands_alone(db: &Database, expr: &Expr) -> Result<(), SqlError> {
    let not_allowed = |sqlstate, what: &str| Err(SqlError::new(sqlstate, format!("{what} DEFAULT expressions")));
    let at = (expr.position.line, expr.position.column);
    match &expr.node {
        ExprNode::Column { .. } => {
            return Err(SqlError::new("0A000", "cannot use column reference in DEFAULT expression").at(at));
        }
        ExprNode::Query { .. } => {
            return Err(SqlError::new("0A000", "cannot use subquery in DEFAULT expression").at(at));
        }
        ExprNode::Param(number) => return Err(SqlError::new("42P02", format!("there is no parameter ${}", number))),
        _ => expr.children().into_iter().try_for_each(|child| stands_alone(db, child))?,
    }
    match &expr.node {
        ExprNode::Function { over: Some(_), .. } => not_allowed("42P20", "window functions are not allowed in"),
        ExprNode::Function { name, .. } if Analyzer::is_aggregate(name) => {
            not_allowed("42803", "aggregate functions are not allowed in")
        }
        ExprNode::Function { name, .. } if is_series(name) => {
            not_allowed("0A000", "set-returning functions are not allowed in")
        }
        ExprNode::Function { name, args, .. } if matches!(name.as_str(), "nextval" | "currval" | "setval") => {
            match args.first().map(|arg| &arg.node) {
                Some(ExprNode::Literal(Literal::String(name))) => db.regclass_in(name).map(|_| ()),
                _ => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

/// What `assign` says of a column, of its DEFAULT.
fn of_default(error: SqlError) -> SqlError {
    match error.message.split_once("but expression is of type") {
        Some((column, ty)) if error.sqlstate == "42804" => {
            let message = format!("{column}but default expression is of type{ty}");
            error.with_message(message)
        }
        _ => error,
    }
}
