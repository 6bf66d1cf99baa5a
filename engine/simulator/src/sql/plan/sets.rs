//! Functions with rows among the targets (`ExecProjectSRF`, src/backend/executor/nodeProjectSet.c): they give the rows
//! that they would give last in FROM.
//!
//! ```text
//!  SELECT f(x)          ─▶  SELECT "?row?"      FROM … f(x) "?row?"       a row as one value
//!  SELECT (f(x)).a, …   ─▶  SELECT "?row?".a, … FROM … f(x) "?row?"       columns of it
//! ```
//!
//! A volatile function that gives one row stays where columns of it are read: a server calls it for each of them.

use super::statement::Planner;
use super::targets::name_of;
use crate::sql::ast::{Expr, ExprNode, FromItem, Select, Target, Volatility};
use crate::sql::catalog::looking;
use crate::sql::error::Position;
use crate::sql::expr::{Analyzer, is_series};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What a function of one column is called in FROM, and its column.
const SET: &str = "?set?";
/// What one of several columns is called, before its number.
const ROW: &str = "?row?";

/// Is it the row of a function that was called among the targets?
pub fn is_called_row(expr: &Expr) -> bool {
    matches!(&expr.node, ExprNode::Column { table: Some(table), .. } if table.starts_with(ROW))
}

/// What a call among the targets gives.
#[derive(Clone, Copy)]
struct Gives {
    /// any number of rows? Else one
    is_set: bool,
    /// with several columns?
    is_row: bool,
    /// is it a function of the script's?
    is_routine: bool,
    /// is its row computed for each of its columns that is read: it gives one row, and is volatile?
    is_repeated: bool,
}

/// A call that moves to FROM.
struct Moved {
    call: Expr,
    gives: Gives,
    name: String,
}

impl Planner<'_> {
    /// The query with its functions with rows in FROM, where there are any; several that give any number of rows stay,
    /// as these stand side by side.
    pub(super) fn with_sets_in_from(&self, select: &Select) -> Option<Select> {
        let has = |wanted: &dyn Fn(&Expr) -> bool| {
            select.targets.iter().any(|target| matches!(target, Target::Expr { expr, .. } if any_part(expr, wanted)))
        };
        if !select.group_by.is_empty()
            || !select.grouping_sets.is_empty()
            || !has(&|part| self.gives(part).is_some())
            || has(&is_computed_before)
        {
            return None;
        }
        let mut moved: Vec<Moved> = Vec::new();
        let mut query = select.clone();
        for target in &mut query.targets {
            self.move_target(target, &mut moved);
        }
        if moved.is_empty() || moved.iter().filter(|it| it.gives.is_set).count() > 1 {
            return None;
        }
        query.from.extend(moved.into_iter().map(|Moved { call, gives, name }| {
            let columns = if gives.is_row { Vec::new() } else { Vec::from([name.clone()]) };
            FromItem::Function { call, alias: Some(name), columns, ordinality: false }
        }));
        Some(query)
    }

    /// What the call gives, where it is one of a function with rows.
    fn gives(&self, expr: &Expr) -> Option<Gives> {
        let ExprNode::Function { name, over: None, .. } = &expr.node else { return None };
        if let Some(function) = self.catalog.sql_functions().into_iter().find(|function| function.name == *name) {
            let is_row = function.row_type.is_some() || function.columns.len() > 1;
            let is_repeated =
                !function.is_set && function.row_type.is_some() && function.volatility == Volatility::Volatile;
            let gives = Gives { is_set: function.is_set, is_row, is_routine: true, is_repeated };
            return (function.is_set || is_row).then_some(gives);
        }
        let columns = looking::columns_of_call(expr, self.major()).filter(|columns| !columns.is_empty())?;
        Some(Gives {
            is_set: !looking::is_one_row(expr),
            is_row: columns.len() > 1,
            is_routine: false,
            is_repeated: false,
        })
    }

    fn move_target(&self, target: &mut Target, moved: &mut Vec<Moved>) {
        let Target::Expr { expr, alias } = target else { return };
        if let Some(gives) = self.gives(expr) {
            *alias = Some(name_of(expr, alias.as_ref(), self.major()));
            let table = moved_name(moved, expr, gives);
            let name = if gives.is_row { "*".into() } else { table.clone() };
            expr.node = ExprNode::Column { table: Some(table), name };
        } else if let ExprNode::Field(row, field) = &expr.node
            && field == "*"
            && let Some(gives) = self.gives(row).filter(|gives| gives.is_row && !gives.is_repeated)
        {
            *target = Target::Star(Some(moved_name(moved, row, gives)));
        } else {
            self.move_fields(expr, moved);
        }
    }

    /// Columns of such rows within an expression; one that is not there stays, as an error.
    fn move_fields(&self, expr: &mut Expr, moved: &mut Vec<Moved>) {
        if let ExprNode::Field(row, field) = &expr.node
            && let Some(gives) = self.gives(row).filter(|gives| gives.is_row && !gives.is_repeated)
        {
            let columns = looking::columns_of_call(row, self.major()).unwrap_or_default();
            if gives.is_routine || columns.iter().any(|(name, _)| *name == field) {
                let (table, name) = (Some(moved_name(moved, row, gives)), field.clone());
                expr.node = ExprNode::Column { table, name };
            }
            return;
        }
        expr.children_mut().into_iter().for_each(|child| self.move_fields(child, moved));
    }
}

/// What the call is called in FROM: calls of one function with the same arguments go on side by side.
fn moved_name(moved: &mut Vec<Moved>, call: &Expr, gives: Gives) -> String {
    let is_same = |it: &&Moved| without_places(&it.call) == without_places(call);
    if let Some(known) = moved.iter().find(is_same) {
        return known.name.clone();
    }
    let prefix = if gives.is_row && !gives.is_routine { ROW } else { SET };
    let name = format!("{prefix}{}", moved.len());
    moved.push(Moved { call: call.clone(), gives, name: name.clone() });
    name
}

/// The expression as if it stood nowhere.
fn without_places(expr: &Expr) -> Expr {
    fn forget(expr: &mut Expr) {
        expr.position = Position { line: 1, column: 1 };
        expr.children_mut().into_iter().for_each(forget);
    }
    let mut bare = expr.clone();
    forget(&mut bare);
    bare
}

fn any_part(expr: &Expr, wanted: &dyn Fn(&Expr) -> bool) -> bool {
    wanted(expr) || expr.children().into_iter().any(|child| any_part(child, wanted))
}

/// Is it computed of the rows before such functions give theirs, or side by side with them?
fn is_computed_before(expr: &Expr) -> bool {
    let ExprNode::Function { name, over, .. } = &expr.node else { return false };
    over.is_some() || is_series(name) || Analyzer::aggregate_kind(name).is_some()
}
