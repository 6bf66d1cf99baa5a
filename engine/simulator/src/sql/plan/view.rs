//! The query of a view in place of its name (`fireRIRrules`, src/backend/rewrite/rewriteHandler.c;
//! `pull_up_simple_subquery`,
//! src/backend/optimizer/prep/prepjointree.c).
//!
//! ```text
//!  CREATE VIEW v AS SELECT a + 1 AS x FROM t WHERE b > 0
//!  SELECT x FROM v WHERE x = 7     SELECT a + 1 AS x FROM t WHERE b > 0 AND a + 1 = 7
//! ```

use super::statement::Planner;
use super::targets::name_of;
use crate::sql::ast::{Expr, ExprNode, FromItem, Select, Target};
use crate::sql::catalog::View;
use alloc::vec::Vec;

impl Planner<'_> {
    /// The query over what its view reads, where it reads a simple view alone and may be turned round so.
    pub(super) fn with_view_pulled_up(&self, select: &Select) -> Option<Select> {
        let [FromItem::Table { name, alias, columns, sample: None }] = &select.from[..] else { return None };
        let is_common = self.commons.iter().any(|common| name.schema.is_none() && common.name == name.name);
        if is_common || !columns.is_empty() || select.set.is_some() {
            return None;
        }
        let view = self.catalog.view(name)?;
        let names = Names { view: &view, shown: alias.as_deref().unwrap_or(&name.name), major: self.major() };
        if names.is_simple() { names.pulled_up(select) } else { None }
    }
}

/// A view, and what the query calls it.
struct Names<'a> {
    view: &'a View,
    shown: &'a str,
    major: u32,
}

impl Names<'_> {
    /// `is_simple_subquery`, of a view whose columns are computed of a row by operators alone.
    fn is_simple(&self) -> bool {
        let query = &self.view.query;
        let is_plain = query.with.is_empty()
            && query.set.is_none()
            && query.values.is_empty()
            && query.distinct.is_none()
            && query.group_by.is_empty()
            && query.grouping_sets.is_empty()
            && query.having.is_none()
            && query.order_by.is_empty()
            && query.limit.is_none()
            && query.offset.is_none()
            && query.locking.is_none()
            && !query.from.is_empty();
        let is_computed = |target: &Target| matches!(target, Target::Expr { expr, .. } if is_of_operators(expr));
        is_plain && query.targets.iter().all(is_computed) && query.filter.as_ref().is_none_or(is_of_operators)
    }

    fn pulled_up(&self, select: &Select) -> Option<Select> {
        let mut all = select.clone();
        all.from.clone_from(&self.view.query.from);
        all.targets = self.targets(&select.targets)?;
        // the view's own conditions are asked first
        let mut parts: Vec<Expr> = self.view.query.filter.iter().cloned().collect();
        parts.extend(self.all_mapped(select.filter.as_slice())?);
        all.filter = match parts.len() {
            0 | 1 => parts.pop(),
            _ => Some(Expr { position: parts[0].position, node: ExprNode::And(parts) }),
        };
        all.group_by = self.all_mapped(&select.group_by)?;
        all.having = self.all_mapped(select.having.as_slice())?.pop();
        for by in &mut all.order_by {
            // the name of an output is meant first
            let is_output =
                matches!(&by.expr.node, ExprNode::Column { table: None, name } if is_output(&all.targets, name));
            if !is_output {
                by.expr = self.mapped(by.expr.clone())?;
            }
        }
        if let Some(distinct) = &mut all.distinct {
            *distinct = self.all_mapped(distinct)?;
        }
        Some(all)
    }

    fn all_mapped(&self, exprs: &[Expr]) -> Option<Vec<Expr>> {
        exprs.iter().map(|expr| self.mapped(expr.clone())).collect()
    }

    /// Outputs keep the names that they have over the view.
    fn targets(&self, targets: &[Target]) -> Option<Vec<Target>> {
        let mut all = Vec::new();
        for target in targets {
            match target {
                Target::Star(table) if table.as_deref().is_none_or(|table| table == self.shown) => {
                    for (name, of) in self.view.columns.iter().zip(&self.view.query.targets) {
                        all.push(Target::Expr { expr: target_of(of)?.clone(), alias: Some(name.clone()) });
                    }
                }
                Target::Star(_) => return None,
                Target::Expr { expr, alias } => {
                    let alias = Some(name_of(expr, alias.as_ref(), self.major));
                    all.push(Target::Expr { expr: self.mapped(expr.clone())?, alias });
                }
            }
        }
        Some(all)
    }

    /// The expression with what the view's columns are; `None` where that is not known here.
    fn mapped(&self, mut expr: Expr) -> Option<Expr> {
        match &expr.node {
            ExprNode::Query { .. } => return None,
            ExprNode::Column { table, name } => {
                if table.as_deref().is_some_and(|table| table != self.shown) {
                    return None;
                }
                let at = self.view.columns.iter().position(|column| column == name)?;
                return target_of(self.view.query.targets.get(at)?).cloned();
            }
            ExprNode::Field(row, name) if matches!(&row.node, ExprNode::Column { table: None, name } if name == self.shown) =>
            {
                let node = ExprNode::Column { table: Some(self.shown.into()), name: name.clone() };
                return self.mapped(Expr { node, position: expr.position });
            }
            _ => {}
        }
        for child in expr.children_mut() {
            let moved = core::mem::replace(child, Expr { node: ExprNode::Array(Vec::new()), position: child.position });
            *child = self.mapped(moved)?;
        }
        Some(expr)
    }
}

fn target_of(target: &Target) -> Option<&Expr> {
    match target {
        Target::Expr { expr, .. } => Some(expr),
        Target::Star(_) => None,
    }
}

fn is_output(targets: &[Target], wanted: &str) -> bool {
    targets.iter().any(|target| matches!(target, Target::Expr { alias: Some(alias), .. } if alias == wanted))
}

/// Without functions, which may be aggregates or give something else each time, and without queries.
fn is_of_operators(expr: &Expr) -> bool {
    !matches!(expr.node, ExprNode::Function { .. } | ExprNode::Query { .. })
        && expr.children().into_iter().all(is_of_operators)
}
