//! A query in WHERE that is asked whether it has rows is a table that is joined (`pull_up_sublinks`,
//! src/backend/optimizer/prep/prepjointree.c; `reduce_unique_semijoins`, src/backend/optimizer/plan/analyzejoins.c).
//!
//! ```text
//!  SELECT * FROM a WHERE b_id IN (SELECT id FROM b WHERE c = 7)     id is a key of b: each row has one partner
//!  SELECT a.* FROM a, b WHERE a.b_id = b.id AND b.c = 7
//!  SELECT * FROM b WHERE EXISTS (SELECT FROM a WHERE b_id = b.id)   else a semi join, of NOT EXISTS an anti join
//! ```

use super::SelectPlan;
use super::pulled::{Leaf, and, leaves_of, qualified};
use super::renamed::Other;
use super::statement::Planner;
use crate::sql::StatementError;
use crate::sql::ast::{BinaryOp, Expr, ExprNode, FromItem, Join, JoinCondition, JoinKind, QueryKind, Select, Target};
use crate::sql::expr::Node;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// The table of a query in WHERE.
struct Beside {
    table: FromItem,
    /// conditions on its rows alone
    own: Vec<Expr>,
    /// those that join it
    joins: Vec<Expr>,
    /// has each row around one partner at most?
    is_unique: bool,
}

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
        let filter = select.filter.as_ref()?;
        let leaves = leaves_of(&select.from)?;
        let is_table = |leaf: &Leaf<'_>| match leaf.item {
            FromItem::Table { name, .. } => {
                !leaf.is_merged && self.catalog.kind(name).is_some() && self.common(name).is_none()
            }
            _ => false,
        };
        if leaves.is_empty() || !leaves.iter().all(is_table) {
            return None;
        }
        let parts: &[Expr] =
            if let ExprNode::And(parts) = &filter.node { parts } else { core::slice::from_ref(filter) };
        let (queries, others): (Vec<&Expr>, Vec<&Expr>) = parts.iter().partition(|part| asked(part).is_some());
        let [query] = &queries[..] else { return None };
        let (kind, query, is_not) = asked(query)?;
        let outer: Vec<Other> = leaves.iter().map(|leaf| self.other(leaf.item)).collect();
        let mut all = self.qualified_query(select, &outer)?;
        let mut conditions: Vec<Expr> = Vec::new();
        for other in others {
            conditions.push(qualified(Expr::clone(other), &outer)?);
        }
        // a row is compared with the rows of a query in no other way here
        let of_row = || match kind {
            QueryKind::Any(left, _) if matches!(left.node, ExprNode::Row(_)) => rows_of(kind, query.clone(), &outer),
            _ => None,
        };
        let beside = self.joined_table(kind, query, &outer).or_else(of_row);
        let Beside { table, own, joins, is_unique } = beside?;
        if is_unique && !is_not {
            if leaves.len() > 1 {
                return None;
            }
            conditions.extend(own.into_iter().chain(joins));
            all.from.push(table);
        } else {
            let position = filter.position;
            let mut items = all.from.into_iter();
            let first = items.next()?;
            let crossed = |left, right| {
                FromItem::Join(Box::new(Join { kind: JoinKind::Inner, left, right, condition: JoinCondition::All }))
            };
            let left = items.fold(first, crossed);
            // what is equal to a constant is asked last
            let is_equal = |expr: &Expr| matches!(expr.node, ExprNode::Binary(BinaryOp::Eq, ..));
            let (equal, others): (Vec<Expr>, Vec<Expr>) = own.into_iter().partition(is_equal);
            let parts = joins.into_iter().chain(others).chain(equal).collect();
            let condition = JoinCondition::On(Expr { node: ExprNode::And(parts), position });
            let kind = if is_not { JoinKind::Anti } else { JoinKind::Semi };
            all.from = Vec::from([FromItem::Join(Box::new(Join { kind, left, right: table, condition }))]);
        }
        all.filter = and(conditions);
        Some(all)
    }

    /// The table of a query, and its conditions with those that join it.
    fn joined_table(&self, kind: &QueryKind, query: &Select, outer: &[Other]) -> Option<Beside> {
        let mut query = query.clone();
        while let Some(simpler) = self.pulled_up(&query) {
            query = simpler;
        }
        let ([item @ FromItem::Table { name, sample: None, .. }], true) = (&query.from[..], query.is_plain()) else {
            return if self.changes_rows { rows_of(kind, query, outer) } else { None };
        };
        let table = self.catalog.table(name).filter(|table| !table.is_partitioned && self.common(name).is_none())?;
        let inner = [self.other(item)];
        if self.catalog.view(name).is_some() || outer.iter().any(|outer| outer.name == inner[0].name) {
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
        let (mut own, mut joins, mut turned) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            match qualified(part.clone(), &inner) {
                Some(of_table) => own.push(of_table),
                None => {
                    let (pair, is_turned) = equality(part, &inner, outer)?;
                    joins.push(pair);
                    turned.push(is_turned);
                }
            }
        }
        match (kind, &query.targets[..], &joins[..]) {
            (QueryKind::Any(left, op), [Target::Expr { expr, .. }], []) if op == "=" => {
                let (left, right) = (qualified(Expr::clone(left), outer)?, qualified(expr.clone(), &inner)?);
                joins.push((left, right));
            }
            (QueryKind::Any(left, op), targets, []) if op == "=" && is_row_of(left, targets.len()) => {
                for (left, target) in row_of(left).iter().zip(targets) {
                    let Target::Expr { expr, .. } = target else { return None };
                    joins.push((qualified(left.clone(), outer)?, qualified(expr.clone(), &inner)?));
                }
            }
            (QueryKind::Exists, _, [_, ..]) => {}
            _ => return None,
        }
        let is_column = |expr: &Expr| matches!(expr.node, ExprNode::Column { .. });
        if joins.iter().any(|(left, right)| !is_column(left) || !is_column(right)) {
            return None;
        }
        let of_key =
            |(_, right): &(Expr, Expr)| matches!(&right.node, ExprNode::Column { name, .. } if is_unique(name));
        let is_unique = joins.iter().any(of_key);
        if is_unique && joins.len() > 1 {
            return None;
        }
        // as they are written, where a join is made of them
        turned.resize(joins.len(), false);
        let equal = |((left, right), is_turned): ((Expr, Expr), bool)| {
            let position = left.position;
            let (left, right) = if is_turned && !is_unique { (right, left) } else { (left, right) };
            Expr { node: ExprNode::Binary(BinaryOp::Eq, Box::new(left), Box::new(right)), position }
        };
        let joins = joins.into_iter().zip(turned).map(equal).collect();
        Some(Beside { table: item.clone(), own, joins, is_unique })
    }

    /// The clauses of a query, whose columns are written with their tables.
    fn qualified_query(&self, select: &Select, outer: &[Other]) -> Option<Select> {
        let mut all = select.clone();
        let mut outputs: Vec<String> = Vec::new();
        let stars = |target: Target| match target {
            Target::Star(None) => outer.iter().map(|outer| Target::Star(Some(outer.name.clone()))).collect(),
            other => Vec::from([other]),
        };
        all.targets = all.targets.into_iter().flat_map(stars).collect();
        for target in &mut all.targets {
            match target {
                Target::Star(Some(table)) if outer.iter().any(|outer| outer.name == *table) => {}
                Target::Star(_) => return None,
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

/// Rows of a query that is no table, one of which a column is to be equal to (`convert_ANY_sublink_to_join`).
fn rows_of(kind: &QueryKind, query: Select, outer: &[Other]) -> Option<Beside> {
    const NAME: &str = "ANY_subquery";
    let QueryKind::Any(left, op) = kind else { return None };
    let is_row = is_row_of(left, query.targets.len());
    let values = if is_row { row_of(left) } else { core::slice::from_ref(&**left) };
    let is_one = |target: &Target| matches!(target, Target::Expr { .. });
    if op != "=" || values.len() != query.targets.len() || !query.targets.iter().all(is_one) {
        return None;
    }
    let (mut joins, mut columns) = (Vec::new(), Vec::new());
    for (n, left) in values.iter().enumerate() {
        let left = qualified(left.clone(), outer)?;
        if !matches!(left.node, ExprNode::Column { .. }) {
            return None;
        }
        let (position, name) = (left.position, alloc::format!("?column{n}?"));
        let right = ExprNode::Column { table: Some(String::from(NAME)), name: name.clone() };
        let right = Expr { node: right, position };
        joins.push(Expr { node: ExprNode::Binary(BinaryOp::Eq, Box::new(left), Box::new(right)), position });
        columns.push(name);
    }
    let is_unique = query.distinct.as_ref().is_some_and(Vec::is_empty);
    let (query, alias) = (Box::new(query), Some(String::from(NAME)));
    let table = FromItem::Query { query, alias, columns, lateral: false };
    Some(Beside { table, own: Vec::new(), joins, is_unique })
}

/// Is it `(a, b)`, of so many values?
fn is_row_of(expr: &Expr, count: usize) -> bool {
    matches!(&expr.node, ExprNode::Row(values) if values.len() == count)
}

/// The values of a row.
fn row_of(expr: &Expr) -> &[Expr] {
    if let ExprNode::Row(values) = &expr.node { values } else { &[] }
}

/// A query that is asked whether it has rows, and whether it is to have none.
fn asked(part: &Expr) -> Option<(&QueryKind, &Select, bool)> {
    match &part.node {
        ExprNode::Query { kind, query } => Some((kind, query, false)),
        ExprNode::Not(inner) => match &inner.node {
            ExprNode::Query { kind: kind @ QueryKind::Exists, query } => Some((kind, query, true)),
            _ => None,
        },
        _ => None,
    }
}

/// `column = column` between a query's table and the one around: that one's column first; was it written last?
fn equality(part: Expr, inner: &[Other], outer: &[Other]) -> Option<((Expr, Expr), bool)> {
    let ExprNode::Binary(BinaryOp::Eq, left, right) = part.node else { return None };
    let of = |expr: &Expr| (qualified(expr.clone(), inner), qualified(expr.clone(), outer));
    match (of(&left), of(&right)) {
        ((Some(own), _), (None, Some(other))) => Some(((other, own), true)),
        ((None, Some(other)), (Some(own), _)) => Some(((other, own), false)),
        _ => None,
    }
}
