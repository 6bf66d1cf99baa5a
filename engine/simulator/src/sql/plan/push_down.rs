//! Conditions on the rows of a query of FROM that stays one are asked within it (`subquery_push_qual`,
//! `qual_is_pushdown_safe`, src/backend/optimizer/path/allpaths.c).
//!
//! ```text
//!  SELECT … FROM (SELECT b, count(*) AS n FROM t GROUP BY b) s WHERE b = 3
//!  SELECT … FROM (SELECT b, count(*) AS n FROM t GROUP BY b HAVING b = 3) s
//! ```

use super::pulled::{Leaf, and, leaves_of};
use super::renamed::{Inner, Renamed};
use super::statement::Planner;
use crate::sql::ast::{Expr, ExprNode, FromItem, Select, Target};
use crate::sql::expr::Analyzer;
use alloc::boxed::Box;
use alloc::vec::Vec;

impl Planner<'_> {
    /// The query with conditions moved into one of the queries of its FROM, where there are such.
    pub(super) fn pushed_down(&self, select: &Select) -> Option<Select> {
        if select.set.is_some() || !select.values.is_empty() {
            return None;
        }
        let leaves = leaves_of(&select.from)?;
        (0..leaves.len()).filter(|n| !leaves[*n].is_nullable).find_map(|n| self.push_into(select, &leaves, n))
    }

    fn push_into(&self, select: &Select, leaves: &[Leaf<'_>], n: usize) -> Option<Select> {
        let filter = select.filter.as_ref()?;
        let inner = self.inner(&leaves[n], self.query_in(&leaves[n], select)?)?;
        if !takes_conditions(&inner.query) {
            return None;
        }
        let others = self.others(leaves, n);
        let names = Renamed { inner: &inner, others: &others };
        let parts: &[Expr] =
            if let ExprNode::And(parts) = &filter.node { parts } else { core::slice::from_ref(filter) };
        let (mut pushed, mut left) = (Vec::new(), Vec::new());
        for part in parts {
            match names.mapped(part.clone()).filter(|_| self.is_safe(part, &inner)) {
                Some(mapped) => pushed.push(mapped),
                None => left.push(part.clone()),
            }
        }
        if pushed.is_empty() {
            return None;
        }
        let mut query = inner.query;
        let is_grouped = !query.group_by.is_empty()
            || !query.grouping_sets.is_empty()
            || query.having.is_some()
            || aggregates(&query);
        let place = if is_grouped { &mut query.having } else { &mut query.filter };
        *place = and(place.take().into_iter().chain(pushed).collect());
        let columns = inner.columns.into_iter().map(|(name, _)| name).collect();
        let item = FromItem::Query { query: Box::new(query), alias: Some(inner.shown), columns, lateral: false };
        let mut all = Select { filter: and(left), ..select.clone() };
        let mut at = n;
        all.from.iter_mut().for_each(|it| replace(it, &mut at, &item));
        Some(all)
    }

    /// Does the condition read columns of that query alone, each of which may be read before its rows are made?
    fn is_safe(&self, part: &Expr, inner: &Inner) -> bool {
        let (mut is_safe, mut reads) = (true, false);
        part.clone().visit_mut(&mut |expr| match &expr.node {
            ExprNode::Column { table, name } => {
                reads = true;
                let is_here = table.as_ref().is_none_or(|table| *table == inner.shown);
                let column = inner.columns.iter().find(|(column, _)| column == name).filter(|_| is_here);
                is_safe &= column.is_some_and(|(_, expr)| self.is_same_before(expr));
            }
            ExprNode::Query { .. } => is_safe = false,
            ExprNode::Function { .. } => is_safe &= self.is_never_volatile(expr),
            _ => {}
        });
        is_safe && reads
    }

    /// Neither another each time, nor of rows beside it, nor one of several.
    fn is_same_before(&self, expr: &Expr) -> bool {
        match &expr.node {
            ExprNode::Function { name, over: None, args, filter: None, .. } if Analyzer::is_aggregate(name) => {
                args.iter().all(|arg| self.is_of_operators(arg))
            }
            _ if self.is_of_operators(expr) => true,
            ExprNode::Function { .. } | ExprNode::Query { .. } => false,
            _ => expr.children().into_iter().all(|child| self.is_same_before(child)),
        }
    }
}

/// `subquery_is_pushdown_safe`
fn takes_conditions(query: &Select) -> bool {
    let has_window = |target: &Target| matches!(target, Target::Expr { expr, .. } if any(expr, &is_windowed));
    query.limit.is_none()
        && query.offset.is_none()
        && query.locking.is_none()
        && query.set.is_none()
        && query.values.is_empty()
        && query.with.is_empty()
        && query.distinct.as_ref().is_none_or(Vec::is_empty)
        && !query.targets.iter().any(has_window)
}

fn any(expr: &Expr, wanted: &dyn Fn(&Expr) -> bool) -> bool {
    wanted(expr) || expr.children().into_iter().any(|child| any(child, wanted))
}

fn is_windowed(expr: &Expr) -> bool {
    matches!(expr.node, ExprNode::Function { over: Some(_), .. })
}

/// Is there one row where it says no groups?
fn aggregates(query: &Select) -> bool {
    let is_aggregate =
        |expr: &Expr| matches!(&expr.node, ExprNode::Function { name, .. } if Analyzer::is_aggregate(name));
    query.targets.iter().any(|target| matches!(target, Target::Expr { expr, .. } if any(expr, &is_aggregate)))
}

/// Puts it in place of the item of that number.
fn replace(item: &mut FromItem, at: &mut usize, new: &FromItem) {
    match item {
        FromItem::Join(join) => {
            replace(&mut join.left, at, new);
            replace(&mut join.right, at, new);
        }
        item => {
            if *at == 0 {
                *item = new.clone();
            }
            *at = at.wrapping_sub(1);
        }
    }
}
