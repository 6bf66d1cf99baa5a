//! A query in WHERE of whose rows each has at most one partner is a table that is joined (`pull_up_sublinks`,
//! src/backend/optimizer/prep/prepjointree.c; `reduce_unique_semijoins`, src/backend/optimizer/plan/analyzejoins.c).
//!
//! ```text
//!  SELECT * FROM a WHERE b_id IN (SELECT id FROM b WHERE c = 7)     id is a key of b
//!  SELECT a.* FROM a, b WHERE a.b_id = b.id AND b.c = 7
//! ```

use super::SelectPlan;
use super::pulled::{and, leaves_of, qualified};
use super::renamed::Other;
use super::statement::Planner;
use crate::sql::StatementError;
use crate::sql::ast::{BinaryOp, Expr, ExprNode, FromItem, QueryKind, Select, Target};
use crate::sql::expr::Node;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

impl Planner<'_> {
    /// The query's plan with its only query of WHERE as a table beside, where it is run as a join.
    pub(super) fn semi_joined(&mut self, select: &Select, fills: bool) -> Result<Option<SelectPlan>, StatementError> {
        if !self.plans_joins || self.fraction.is_some() || select.locking.is_some() {
            return Ok(None);
        }
        let Some(joined) = self.with_table_beside(select) else { return Ok(None) };
        Ok(self.query(&joined, fills).ok().filter(|plan| plan.join.is_some()))
    }

    fn with_table_beside(&self, select: &Select) -> Option<Select> {
        let ([item @ FromItem::Table { name, .. }], Some(filter)) = (&select.from[..], &select.filter) else {
            return None;
        };
        let parts: &[Expr] =
            if let ExprNode::And(parts) = &filter.node { parts } else { core::slice::from_ref(filter) };
        let (queries, others): (Vec<&Expr>, Vec<&Expr>) =
            parts.iter().partition(|part| matches!(part.node, ExprNode::Query { .. }));
        let ([Expr { node: ExprNode::Query { kind, query }, .. }], true) =
            (&queries[..], self.catalog.kind(name).is_some() && self.common(name).is_none())
        else {
            return None;
        };
        let outer = &[self.other(item)];
        let mut all = self.qualified_query(select, outer)?;
        let mut conditions: Vec<Expr> = Vec::new();
        for other in others {
            conditions.push(qualified(Expr::clone(other), outer)?);
        }
        let (table, more) = self.joined_table(kind, query, outer)?;
        conditions.extend(more);
        all.from.push(table);
        all.filter = and(conditions);
        Some(all)
    }

    /// The table of a query, and its conditions with the one that joins it.
    fn joined_table(&self, kind: &QueryKind, query: &Select, outer: &[Other]) -> Option<(FromItem, Vec<Expr>)> {
        let mut query = query.clone();
        while let Some(simpler) = self.pulled_up(&query) {
            query = simpler;
        }
        let ([item @ FromItem::Table { name, sample: None, .. }], true) = (&query.from[..], query.is_plain()) else {
            return None;
        };
        let table = self.catalog.table(name).filter(|table| !table.is_partitioned && self.common(name).is_none())?;
        let inner = [self.other(item)];
        if self.catalog.view(name).is_some() || inner[0].name == outer[0].name {
            return None;
        }
        let is_unique = |column: &str| {
            let slot = table.columns.iter().position(|it| it.attribute.name == column && !it.attribute.dropped);
            let is_key = |slot: usize| {
                table.indexes.iter().any(|index| {
                    let is_one = matches!(&index.keys[..], [key] if key.expr.node == Node::Slot(slot as u16));
                    index.unique && index.immediate && index.predicate.is_empty() && is_one
                })
            };
            slot.is_some_and(is_key)
        };
        let filter = query.filter.take();
        let parts = match filter {
            Some(Expr { node: ExprNode::And(parts), .. }) => parts,
            other => other.into_iter().collect(),
        };
        let (mut conditions, mut joins) = (Vec::new(), Vec::new());
        for part in parts {
            match qualified(part.clone(), &inner) {
                Some(own) => conditions.push(own),
                None => joins.push(equality(part, &inner, outer)?),
            }
        }
        match (kind, &query.targets[..], &joins[..]) {
            (QueryKind::Any(left, op), [Target::Expr { expr, .. }], []) if op == "=" => {
                let (left, right) = (qualified(Expr::clone(left), outer)?, qualified(expr.clone(), &inner)?);
                joins.push((left, right));
            }
            (QueryKind::Exists, _, [_]) => {}
            _ => return None,
        }
        let (left, right) = joins.pop()?;
        let is_column = |expr: &Expr| matches!(expr.node, ExprNode::Column { .. });
        let ExprNode::Column { name: column, .. } = &right.node else { return None };
        if !is_unique(column) || !is_column(&left) {
            return None;
        }
        let position = left.position;
        conditions.push(Expr { node: ExprNode::Binary(BinaryOp::Eq, Box::new(left), Box::new(right)), position });
        Some((item.clone(), conditions))
    }

    /// The clauses of a query of one table, whose columns are written with it.
    fn qualified_query(&self, select: &Select, outer: &[Other]) -> Option<Select> {
        let mut all = select.clone();
        leaves_of(&select.from)?;
        let mut outputs: Vec<String> = Vec::new();
        for target in &mut all.targets {
            match target {
                Target::Star(table @ None) => *table = Some(outer[0].name.clone()),
                Target::Star(Some(table)) if *table == outer[0].name => {}
                Target::Star(Some(_)) => return None,
                Target::Expr { expr, alias } => {
                    let name = super::targets::name_of(expr, alias.as_ref(), self.major());
                    *expr = qualified(expr.clone(), outer)?;
                    *alias = Some(name.clone());
                    outputs.push(name);
                }
            }
        }
        let is_output =
            |expr: &Expr| matches!(&expr.node, ExprNode::Column { table: None, name } if outputs.contains(name));
        for by in all.order_by.iter_mut().map(|by| &mut by.expr).filter(|expr| !is_output(expr)) {
            *by = qualified(by.clone(), outer)?;
        }
        let lists = all.group_by.iter_mut().chain(&mut all.having).chain(all.distinct.iter_mut().flatten());
        for expr in lists {
            *expr = qualified(expr.clone(), outer)?;
        }
        Some(all)
    }
}

/// `column = column` between a query's table and the one around: that one's column first.
fn equality(part: Expr, inner: &[Other], outer: &[Other]) -> Option<(Expr, Expr)> {
    let ExprNode::Binary(BinaryOp::Eq, left, right) = part.node else { return None };
    let of = |expr: &Expr| (qualified(expr.clone(), inner), qualified(expr.clone(), outer));
    match (of(&left), of(&right)) {
        ((Some(own), _), (None, Some(other))) | ((None, Some(other)), (Some(own), _)) => Some((other, own)),
        _ => None,
    }
}
