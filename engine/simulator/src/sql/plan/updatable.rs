//! A view that is written to: its table in place of it (`rewriteTargetView`, `view_query_is_auto_updatable`,
//! src/backend/rewrite/rewriteHandler.c).
//!
//! ```text
//!  CREATE VIEW cheap AS SELECT id, name AS what FROM items WHERE price < 1
//!  UPDATE cheap SET what = 'x'     UPDATE items SET name = 'x' WHERE price < 1
//! ```
//!
//! The table's columns are called as the view calls them while the statement is analyzed.

use super::Updatable;
use super::fold::parts;
use super::statement::{Planner, range_of};
use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode, FromItem, RangeVar, Select, Target};
use crate::sql::catalog::View;
use crate::sql::expr::Analyzer;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;

/// What is done to a view, as messages call it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    Insert,
    Update,
    Delete,
}

impl Doing {
    fn refused(self, view: &str) -> String {
        match self {
            Self::Insert => format!("cannot insert into view \"{view}\""),
            Self::Update => format!("cannot update view \"{view}\""),
            Self::Delete => format!("cannot delete from view \"{view}\""),
        }
    }
}

impl Planner<'_> {
    /// The table that a view stands for, where the name is that of one.
    pub(super) fn updatable(
        &mut self,
        name: &RangeVar,
        alias: Option<&str>,
        doing: Doing,
    ) -> Result<Option<Updatable>, StatementError> {
        let Some(view) = self.catalog.view(name) else { return Ok(None) };
        let mut found = self.of_view(name, &view, doing, false)?;
        found.shown = alias.unwrap_or(&name.name).to_string();
        Ok(Some(found))
    }

    /// `cascades`: is what a view above it checks checked here too?
    fn of_view(
        &mut self,
        name: &RangeVar,
        view: &View,
        doing: Doing,
        cascades: bool,
    ) -> Result<Updatable, StatementError> {
        if let Some(detail) = not_updatable(&view.query) {
            return Err(SqlError::new("55000", doing.refused(&name.name)).with_detail(detail).into());
        }
        let unsupported = |what: &str| StatementError::unsupported(format!("{what} is not supported"), None);
        let [FromItem::Table { name: below, alias, .. }] = &view.query.from[..] else {
            return Err(unsupported("writing to this view"));
        };
        let has_check = view.check.is_some() || cascades;
        let cascades = cascades || view.check == Some(true);
        let mut found = match self.catalog.view(below) {
            Some(inner) => self.of_view(below, &inner, doing, cascades)?,
            None => Updatable::of(self.any_table(below)?),
        };
        if found.table.has_parts() {
            return Err(unsupported("writing to a view of a table with partitions or children"));
        }
        if !found.table.columns.iter().all(|column| column.generation.is_none()) {
            return Err(unsupported("writing to a view of a table with virtual columns"));
        }
        let range = range_of(&found.table, Some(alias.as_deref().unwrap_or(&below.name)));
        if let Some(filter) = &view.query.filter {
            let condition = self.analyze(&range, "WHERE", |analyzer| analyzer.condition(filter))?;
            let Some(own) = parts(condition, self.catalog.input())? else {
                return Err(unsupported("writing to a view without rows"));
            };
            if has_check && !own.is_empty() {
                found.checks.push((name.name.clone(), own.clone()));
            }
            found.filter.extend(own);
        }
        self.rename_columns(&mut found, name, view)?;
        Ok(found)
    }

    /// The columns as the view calls them; those that it does not have by names that nobody writes.
    fn rename_columns(&self, found: &mut Updatable, name: &RangeVar, view: &View) -> Result<(), StatementError> {
        let mut names: Vec<Option<String>> = alloc::vec![None; found.table.columns.len()];
        for (target, shown) in view.query.targets.iter().zip(&view.columns) {
            let Target::Expr { expr: Expr { node: ExprNode::Column { name: column, .. }, .. }, .. } = target else {
                let message = "writing to a view with columns that are computed is not supported";
                return Err(StatementError::unsupported(message, None));
            };
            let at = found.table.columns.iter().position(|it| !it.attribute.dropped && it.attribute.name == *column);
            match at.map(|at| &mut names[at]) {
                Some(place @ None) => *place = Some(shown.clone()),
                _ => {
                    let message = "writing to a view that has a column twice, or a system column, is not supported";
                    return Err(StatementError::unsupported(message, None));
                }
            }
        }
        for (column, shown) in found.table.columns.iter_mut().zip(names) {
            let hidden = || format!("?{}?", column.attribute.name);
            column.attribute.name = shown.unwrap_or_else(hidden);
        }
        found.table.name.clone_from(&name.name);
        found.columns.clone_from(&view.columns);
        Ok(())
    }
}

/// `view_query_is_auto_updatable`: why it is not.
pub(in crate::sql) fn not_updatable(query: &Select) -> Option<&'static str> {
    let mut queries_aggregate = false;
    let mut queries_window = false;
    for target in &query.targets {
        if let Target::Expr { expr: Expr { node: ExprNode::Function { name, over, .. }, .. }, .. } = target {
            queries_window |= over.is_some();
            queries_aggregate |= over.is_none() && Analyzer::is_aggregate(name);
        }
    }
    Some(match query {
        _ if query.distinct.is_some() => "Views containing DISTINCT are not automatically updatable.",
        _ if !query.group_by.is_empty() || !query.grouping_sets.is_empty() => {
            "Views containing GROUP BY are not automatically updatable."
        }
        _ if query.having.is_some() => "Views containing HAVING are not automatically updatable.",
        _ if query.set.is_some() => "Views containing UNION, INTERSECT, or EXCEPT are not automatically updatable.",
        _ if !query.with.is_empty() => "Views containing WITH are not automatically updatable.",
        _ if query.limit.is_some() || query.offset.is_some() => {
            "Views containing LIMIT or OFFSET are not automatically updatable."
        }
        _ if queries_aggregate => "Views that return aggregate functions are not automatically updatable.",
        _ if queries_window => "Views that return window functions are not automatically updatable.",
        _ if !matches!(query.from[..], [FromItem::Table { sample: None, .. }]) => {
            "Views that do not select from a single table or view are not automatically updatable."
        }
        _ => return None,
    })
}
