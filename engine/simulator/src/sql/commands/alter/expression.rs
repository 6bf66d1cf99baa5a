//! ALTER COLUMN … SET EXPRESSION and DROP EXPRESSION, of generated columns (`ATExecSetExpression`,
//! `ATExecDropExpression`, src/backend/commands/tablecmds.c).

use super::Left;
use super::column_type::remake;
use crate::cluster::pg_class::{ColumnDefault, Constraint};
use crate::sql::ast::Expr;
use crate::sql::commands::rewrite::NewColumn;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::generated::{check, generation_expr};
use crate::sql::tcop::Database;
use crate::version::Behaviour;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// Another expression for a column, from 0: one that is STORED is written anew.
pub(super) fn set_expression(
    db: &mut Database,
    table: Oid,
    column: usize,
    expr: &Expr,
    left: &mut Left,
) -> Result<(), SqlError> {
    let (relation, class) = (db.cluster.pg.relation(table)?, db.cluster.catalog.class(table).cloned());
    let (Some(class), Some(attribute)) = (class, relation.desc.attributes().get(column)) else { return Ok(()) };
    let known = class.defaults.get(column).copied().unwrap_or_default();
    let has_check = class.constraints.iter().any(|constraint| matches!(constraint, Constraint::Check { .. }));
    let is_virtual = matches!(known, ColumnDefault::Virtual(_));
    if !known.is_generated() {
        return Err(not_generated(&attribute.name, &relation.name, "generated"));
    }
    if has_check && is_virtual {
        let what = "SET EXPRESSION is not supported for virtual generated columns in tables with check constraints";
        return Err(of_virtual(what, &attribute.name, &relation.name));
    }
    if has_check {
        return Err(SqlError::new(NOT_SIMULATED, "SET EXPRESSION of a table with CHECKs is not supported"));
    }
    let names = relation.desc.attributes().iter().map(|column| column.name.clone()).collect();
    let id = db.expressions.keep_over(expr, names);
    // what depends on the old expression, statistics, and what rows have had in columns that came later
    let clears = !is_virtual && (0..relation.desc.attributes().len()).any(|n| !relation.desc.missing(n).is_null());
    let has_stats = class.column_stats.contains_key(&attribute.num);
    db.cluster.use_commands(1 + u32::from(has_stats) + u32::from(clears));
    let new = if is_virtual { ColumnDefault::Virtual(id) } else { ColumnDefault::Generated(id) };
    db.cluster.replace_default(table, column, new);
    left.use_oids(db, 1);
    db.cluster.edit_class(table, |class| {
        class.column_stats.remove(&attribute.num);
    });
    check(db, table)?;
    if is_virtual {
        return Ok(());
    }
    let depends =
        |index: &Oid| db.cluster.catalog.class(*index).is_some_and(|class| class.depends.contains(&attribute.num));
    let indexes: Vec<Oid> = relation.indexes.iter().copied().filter(depends).collect();
    for index in indexes {
        remake(db, table, index, false, left)?;
    }
    let value = generation_expr(db, &relation, column, id)?;
    left.added.push(NewColumn { name: attribute.name.clone(), value, sequence: None });
    Ok(())
}

/// A column, from 0, that is to be one like others, with the values that it has.
pub(super) fn drop_expression(db: &mut Database, table: Oid, column: usize, if_exists: bool) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let known = db.cluster.catalog.class(table).and_then(|class| class.defaults.get(column).copied());
    let Some(attribute) = relation.desc.attributes().get(column) else { return Ok(()) };
    match known.unwrap_or_default() {
        ColumnDefault::Generated(_) => {
            // `attgenerated`, and what depends on the expression
            db.cluster.use_commands(if db.cluster.version().drops_expressions_at_once() { 1 } else { 2 });
            db.cluster.set_default(table, column, ColumnDefault::Null);
        }
        ColumnDefault::Virtual(_) => {
            let what = "DROP EXPRESSION is not supported for virtual generated columns";
            return Err(of_virtual(what, &attribute.name, &relation.name));
        }
        _ if if_exists => {}
        _ => {
            let kind = if db.cluster.version().has_virtual_columns() { "generated" } else { "stored generated" };
            return Err(not_generated(&attribute.name, &relation.name, kind));
        }
    }
    Ok(())
}

fn not_generated(column: &str, table: &str, kind: &str) -> SqlError {
    SqlError::new("55000", format!("column \"{column}\" of relation \"{table}\" is not a {kind} column"))
}

fn of_virtual(what: &str, column: &str, table: &str) -> SqlError {
    let error = SqlError::new("0A000", format!("ALTER TABLE / {what}"));
    error.with_detail(format!("Column \"{column}\" of relation \"{table}\" is a virtual generated column."))
}
