//! `row.*` of a row that is a variable, where its columns are meant (`ExpandColumnRefStar`,
//! src/backend/parser/parse_target.c).

use crate::sql::ast::{Expr, ExprNode, InsertSource, Select, Statement, Target};
use crate::sql::expr::VariableRow;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;

/// The statement with the columns of these rows in place of their stars.
pub(super) fn with_columns(statement: &Statement, rows: &[VariableRow]) -> Result<(Statement, bool), SqlError> {
    let mut statement = statement.clone();
    if rows.is_empty() {
        return Ok((statement, false));
    }
    let before = statement.clone();
    match &mut statement {
        Statement::Select(select) => of_select(select, rows),
        Statement::Insert(insert) => match &mut insert.source {
            InsertSource::Select(select) => of_select(select, rows),
            InsertSource::Values(list) => {
                for values in list {
                    let given = core::mem::take(values);
                    let columns = |value: Option<Expr>| match value {
                        Some(expr) => expanded(expr, rows).into_iter().map(Some).collect(),
                        None => Vec::from([None]),
                    };
                    *values = given.into_iter().flat_map(columns).collect();
                }
            }
            InsertSource::Defaults => {}
        },
        _ => {}
    }
    let is_expanded = statement != before;
    if is_expanded && rows.iter().any(|row| !row.is_registered) {
        return Err(SqlError::new("42809", "record type has not been registered"));
    }
    Ok((statement, is_expanded))
}

fn of_select(select: &mut Select, rows: &[VariableRow]) {
    let targets = core::mem::take(&mut select.targets);
    for target in targets {
        match target {
            Target::Star(Some(name)) if rows.iter().any(|row| row.name == name) => {
                let position = crate::sql::error::Position { line: 1, column: 1 };
                let star = Expr { node: ExprNode::Column { table: Some(name), name: "*".into() }, position };
                for expr in expanded(star, rows) {
                    select.targets.push(Target::Expr { expr, alias: None });
                }
            }
            other => select.targets.push(other),
        }
    }
    for values in &mut select.values {
        let given = core::mem::take(values);
        *values = given.into_iter().flat_map(|value| expanded(value, rows)).collect();
    }
    select.visit_mut(&mut |expr| {
        if let ExprNode::Row(parts) = &mut expr.node {
            let given = core::mem::take(parts);
            *parts = given.into_iter().flat_map(|part| expanded(part, rows)).collect();
        }
    });
}

/// The columns that are meant; of anything else itself.
fn expanded(expr: Expr, rows: &[VariableRow]) -> Vec<Expr> {
    let ExprNode::Column { table: Some(table), name } = &expr.node else { return Vec::from([expr]) };
    let Some(row) = rows.iter().find(|row| name == "*" && row.name == *table) else { return Vec::from([expr]) };
    let column = |(name, _): &(alloc::string::String, u16)| Expr {
        node: ExprNode::Column { table: Some(row.name.clone()), name: name.clone() },
        position: expr.position,
    };
    row.columns.iter().map(column).collect()
}
