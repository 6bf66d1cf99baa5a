//! Simple queries of FROM, and views, become part of the query that reads them (`pull_up_simple_subquery`,
//! src/backend/optimizer/prep/prepjointree.c; `fireRIRrules`, src/backend/rewrite/rewriteHandler.c).
//!
//! ```text
//!  SELECT x FROM (SELECT a + 1 AS x FROM t WHERE b > 0) s WHERE x = 7
//!  SELECT a + 1 AS x FROM t WHERE b > 0 AND a + 1 = 7
//! ```

use super::renamed::{Inner, Other, Renamed};
use super::statement::Planner;
use super::targets::name_of;
use crate::sql::ast::{Expr, ExprNode, FromItem, JoinCondition, JoinKind, Literal, Select, Target, is_common};
use crate::sql::error::Position;
use crate::sql::expr::{Analyzer, SYSTEM, is_series};
use crate::version::SqlBehaviour;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

/// An item of FROM that is no JOIN.
#[derive(Clone, Copy)]
pub(super) struct Leaf<'a> {
    pub item: &'a FromItem,
    /// may its rows be NULLs?
    pub is_nullable: bool,
    /// are its columns merged with others?
    pub is_merged: bool,
}

impl Planner<'_> {
    /// The query with one query of its FROM as part of it, where there is one that may be.
    pub(super) fn pulled_up(&self, select: &Select) -> Option<Select> {
        if select.set.is_some() || !select.values.is_empty() {
            return None;
        }
        let leaves = leaves_of(&select.from)?;
        let is_lateral = |leaf: &Leaf<'_>| matches!(leaf.item, FromItem::Query { lateral: true, .. });
        if leaves.iter().any(is_lateral) {
            return None;
        }
        (0..leaves.len()).find_map(|n| self.pull_up(select, &leaves, n))
    }

    fn pull_up(&self, select: &Select, leaves: &[Leaf<'_>], n: usize) -> Option<Select> {
        let leaf = leaves[n];
        let query = self.query_in(&leaf, select)?;
        let inner = self.inner(&leaf, query).filter(|inner| self.is_simple(inner, &leaf))?;
        let others: Vec<Other> = self.others(leaves, n);
        let names = |other: &Other| other.name == inner.shown || inner.items.iter().any(|it| it.name == other.name);
        if others.iter().any(names) {
            return None;
        }
        let whole = Renamed { inner: &inner, others: &others };
        let mut all = whole.query(select, leaves, self.major())?;
        let (from, filter) = put_in(&all.from, n, &inner.query)?;
        all.from = from;
        let parts: Vec<Expr> = filter.into_iter().chain(all.filter.take()).collect();
        all.filter = and(parts);
        Some(all)
    }

    /// The other items of FROM.
    pub(super) fn others(&self, leaves: &[Leaf<'_>], n: usize) -> Vec<Other> {
        let others = leaves.iter().enumerate().filter(|(m, _)| *m != n);
        others.map(|(_, leaf)| self.other(leaf.item)).collect()
    }

    /// What is called how there; columns where they are known.
    pub(super) fn other(&self, item: &FromItem) -> Other {
        let columns = self.columns_of(item);
        let name = shown(item).unwrap_or_default();
        let is_table = matches!(item, FromItem::Table { .. });
        Other { name, columns, is_table }
    }

    /// The query that an item of FROM is.
    pub(super) fn query_in(&self, leaf: &Leaf<'_>, select: &Select) -> Option<(Select, Vec<String>)> {
        match leaf.item {
            FromItem::Table { name, columns, sample: None, .. }
                if self.common(name).is_none() && !is_common(name, &select.with) =>
            {
                let view = self.catalog.view(name)?;
                let rest = view.columns.iter().skip(columns.len());
                // what WITH names is not meant in its query
                let hidden = self.commons.iter().any(|common| names(&view.query.from, &common.name));
                (!hidden).then(|| (view.query.clone(), columns.iter().chain(rest).cloned().collect()))
            }
            FromItem::Query { query, alias, columns, lateral: false } => {
                let is_named = alias.is_some() || self.version().takes_unnamed_queries();
                (is_named && select.locking.is_none()).then(|| (Select::clone(query), columns.clone()))
            }
            _ => None,
        }
    }

    /// That query with all its columns written out, each with the table that it is of.
    pub(super) fn inner(&self, leaf: &Leaf<'_>, (query, names): (Select, Vec<String>)) -> Option<Inner> {
        let mut query = query;
        if let Some(inlined) = Some(&query).filter(|query| !query.with.is_empty()).and_then(|it| self.with_inlined(it))
        {
            query = inlined;
        }
        while let Some(simpler) = self.pulled_up(&query) {
            query = simpler;
        }
        let leaves = leaves_of(&query.from)?;
        let items: Vec<Other> = leaves.iter().map(|leaf| self.other(leaf.item)).collect();
        let targets = self.written_out(&query.targets, &leaves, &items)?;
        if names.len() > targets.len() {
            return None;
        }
        let mut columns = Vec::with_capacity(targets.len());
        for (n, (expr, alias)) in targets.iter().enumerate() {
            let name = names.get(n).cloned().unwrap_or_else(|| name_of(expr, alias.as_ref(), self.major()));
            columns.push((name, qualified(typed(expr.clone()), &items)?));
        }
        query.targets = targets.into_iter().map(|(expr, alias)| Target::Expr { expr, alias }).collect();
        query.filter = match query.filter.take() {
            Some(filter) => Some(qualified(filter, &items)?),
            None => None,
        };
        let mut from = query.from.clone();
        for item in &mut from {
            qualify_joins(item, &items)?;
        }
        query.from = from;
        Some(Inner { shown: shown(leaf.item)?, columns, items, query })
    }

    /// `*` as the columns that it stands for.
    fn written_out(
        &self,
        targets: &[Target],
        leaves: &[Leaf<'_>],
        items: &[Other],
    ) -> Option<Vec<(Expr, Option<String>)>> {
        let mut all = Vec::new();
        for target in targets {
            match target {
                Target::Expr { expr, alias } => all.push((expr.clone(), alias.clone())),
                Target::Star(table) => {
                    let is_meant = |item: &&Other| table.as_ref().is_none_or(|table| *table == item.name);
                    if table.is_none() && leaves.iter().any(|leaf| leaf.is_merged) {
                        return None;
                    }
                    for item in items.iter().filter(is_meant) {
                        let columns = item.columns.as_ref()?.iter();
                        all.extend(columns.map(|column| (column_of(&item.name, column), None)));
                    }
                }
            }
        }
        Some(all)
    }

    /// `is_simple_subquery`
    fn is_simple(&self, inner: &Inner, leaf: &Leaf<'_>) -> bool {
        let query = &inner.query;
        let is_plain = query.is_plain() && query.order_by.is_empty();
        let is_column = |expr: &Expr| matches!(expr.node, ExprNode::Column { .. });
        let is_computed = |(_, expr): &(String, Expr)| {
            let is_kept = !leaf.is_nullable || is_column(expr);
            is_kept && self.is_of_operators(expr)
        };
        let is_joined = !leaf.is_nullable || query.from.len() == 1;
        is_plain && is_joined && inner.columns.iter().all(is_computed) && query.filter.as_ref().is_none_or(has_no_query)
    }

    /// Computed of a row, the same each time, without queries.
    pub(super) fn is_of_operators(&self, expr: &Expr) -> bool {
        let is_row_function = match &expr.node {
            ExprNode::Function { name, over, .. } => {
                over.is_none()
                    && !Analyzer::is_aggregate(name)
                    && !is_series(name)
                    && self.is_never_volatile(expr)
                    && !self.catalog.sql_functions().iter().any(|function| function.name == *name)
            }
            ExprNode::Query { .. } => false,
            _ => true,
        };
        is_row_function && expr.children().into_iter().all(|child| self.is_of_operators(child))
    }

    /// The columns of an item of FROM, where they are known.
    fn columns_of(&self, item: &FromItem) -> Option<Vec<String>> {
        let (own, given): (Vec<String>, &[String]) = match item {
            FromItem::Table { name, columns, .. } => {
                let own = if let Some(common) = self.common(name) {
                    common.columns.iter().map(|column| column.name.clone()).collect()
                } else if let Some(view) = self.catalog.view(name) {
                    view.columns.clone()
                } else if let Some((_, columns)) = self.looked_at(name) {
                    columns.into_iter().map(|column| column.name).collect()
                } else {
                    let table = self.catalog.table(name)?;
                    let columns = table.columns.iter().filter(|column| !column.attribute.dropped);
                    columns.map(|column| column.attribute.name.clone()).collect()
                };
                (own, columns)
            }
            FromItem::Function { call, alias, columns, ordinality: false } => {
                let ExprNode::Function { name, .. } = &call.node else { return None };
                let own = Some(alias.as_ref().unwrap_or(name).clone()).filter(|_| is_series(name))?;
                (Vec::from([own]), columns)
            }
            FromItem::Query { query, columns, .. } => {
                let leaves = leaves_of(&query.from)?;
                let items: Vec<Other> = leaves.iter().map(|leaf| self.other(leaf.item)).collect();
                let targets = match &query.set {
                    None if query.values.is_empty() => self.written_out(&query.targets, &leaves, &items)?,
                    _ => return None,
                };
                let name = |(expr, alias): &(Expr, Option<String>)| name_of(expr, alias.as_ref(), self.major());
                (targets.iter().map(name).collect(), columns)
            }
            _ => return None,
        };
        let rest = own.into_iter().skip(given.len());
        Some(given.iter().cloned().chain(rest).collect())
    }
}

/// A literal of no type is a text (`resolveTargetListUnknowns`).
fn typed(expr: Expr) -> Expr {
    let position = expr.position;
    match expr.node {
        ExprNode::Literal(Literal::String(_) | Literal::Null) => {
            Expr { node: ExprNode::Cast(Box::new(expr), SqlType::TEXT), position }
        }
        _ => expr,
    }
}

/// The expression with the table before each column; `None` where that is not known.
pub(super) fn qualified(mut expr: Expr, items: &[Other]) -> Option<Expr> {
    match &mut expr.node {
        ExprNode::Query { .. } => return None,
        ExprNode::Column { table: Some(table), .. } => return items.iter().any(|it| it.name == *table).then_some(expr),
        ExprNode::Column { table, name } => {
            let is_system = SYSTEM.iter().any(|(system, _)| system == name);
            let has = |item: &&Other| match &item.columns {
                Some(columns) => columns.contains(name) || is_system && item.is_table,
                None => true,
            };
            let (mut found, all_known) = (items.iter().filter(has), items.iter().all(|it| it.columns.is_some()));
            *table = Some(found.next().filter(|_| all_known)?.name.clone());
            return found.next().is_none().then_some(expr);
        }
        _ => {}
    }
    for child in expr.children_mut() {
        let moved = core::mem::replace(child, Expr { node: ExprNode::Array(Vec::new()), position: child.position });
        *child = qualified(moved, items)?;
    }
    Some(expr)
}

fn qualify_joins(item: &mut FromItem, items: &[Other]) -> Option<()> {
    match item {
        FromItem::Join(join) => {
            qualify_joins(&mut join.left, items)?;
            qualify_joins(&mut join.right, items)?;
            if let JoinCondition::On(expr) = &mut join.condition {
                *expr = qualified(expr.clone(), items)?;
            }
        }
        FromItem::Function { call, .. } => *call = qualified(call.clone(), items)?,
        _ => {}
    }
    Some(())
}

/// What the item is called.
fn shown(item: &FromItem) -> Option<String> {
    Some(match item {
        FromItem::Table { name, alias, .. } => alias.as_ref().unwrap_or(&name.name).clone(),
        FromItem::Query { alias, .. } => alias.clone().unwrap_or_default(),
        FromItem::Function { call, alias, .. } => match (&call.node, alias) {
            (_, Some(alias)) => alias.clone(),
            (ExprNode::Function { name, .. }, None) => name.clone(),
            _ => return None,
        },
        FromItem::Join(_) => return None,
    })
}

fn column_of(table: &str, column: &str) -> Expr {
    let node = ExprNode::Column { table: Some(table.to_string()), name: column.to_string() };
    Expr { node, position: Position { line: 1, column: 1 } }
}

pub(super) fn has_no_query(expr: &Expr) -> bool {
    !matches!(expr.node, ExprNode::Query { .. }) && expr.children().into_iter().all(has_no_query)
}

pub(super) fn and(mut parts: Vec<Expr>) -> Option<Expr> {
    match parts.len() {
        0 | 1 => parts.pop(),
        _ => Some(Expr { position: parts[0].position, node: ExprNode::And(parts) }),
    }
}

/// Does an item name that relation?
pub(super) fn names(from: &[FromItem], wanted: &str) -> bool {
    from.iter().any(|item| match item {
        FromItem::Table { name, .. } => name.schema.is_none() && name.name == wanted,
        FromItem::Join(join) => {
            names(core::slice::from_ref(&join.left), wanted) || names(core::slice::from_ref(&join.right), wanted)
        }
        FromItem::Query { query, .. } => names(&query.from, wanted),
        FromItem::Function { .. } => false,
    })
}

/// The items of FROM, in the order of the statement; `None` with a FULL JOIN.
pub(super) fn leaves_of(from: &[FromItem]) -> Option<Vec<Leaf<'_>>> {
    fn add<'a>(item: &'a FromItem, (is_nullable, is_merged): (bool, bool), all: &mut Vec<Leaf<'a>>) -> Option<()> {
        let FromItem::Join(join) = item else {
            all.push(Leaf { item, is_nullable, is_merged });
            return Some(());
        };
        let merges = matches!(join.condition, JoinCondition::Using(_) | JoinCondition::Natural);
        let sides = match join.kind {
            JoinKind::Inner => [false, false],
            JoinKind::Left => [false, true],
            JoinKind::Right => [true, false],
            JoinKind::Full | JoinKind::Semi | JoinKind::Anti => return None,
        };
        add(&join.left, (is_nullable || sides[0], is_merged || merges), all)?;
        add(&join.right, (is_nullable || sides[1], is_merged || merges), all)
    }
    let mut all = Vec::new();
    for item in from {
        add(item, (false, false), &mut all)?;
    }
    Some(all)
}

/// The query's FROM in place of the item of that number, and the conditions that are asked in WHERE.
fn put_in(from: &[FromItem], n: usize, query: &Select) -> Option<(Vec<FromItem>, Vec<Expr>)> {
    let (mut all, mut filter, mut left) = (Vec::new(), Vec::new(), n);
    for item in from {
        let count = leaves_of(core::slice::from_ref(item))?.len();
        if left >= count {
            left -= count;
            all.push(item.clone());
            continue;
        }
        if matches!(item, FromItem::Join(_)) {
            let (item, conditions) = put_in_join(item, left, query)?;
            all.extend(item);
            filter.extend(conditions);
        } else {
            all.extend(query.from.iter().cloned());
            filter.extend(query.filter.clone());
        }
        left = usize::MAX;
    }
    Some((all, filter))
}

/// The same within a JOIN.
fn put_in_join(item: &FromItem, n: usize, query: &Select) -> Option<(Option<FromItem>, Vec<Expr>)> {
    let FromItem::Join(join) = item else {
        return match &query.from[..] {
            [] => Some((None, query.filter.iter().cloned().collect())),
            [one] => Some((Some(one.clone()), query.filter.iter().cloned().collect())),
            _ => None,
        };
    };
    let of_left = leaves_of(core::slice::from_ref(&join.left))?.len();
    let is_left = n < of_left;
    let (side, n) = if is_left { (&join.left, n) } else { (&join.right, n - of_left) };
    let (side, mut conditions) = put_in_join(side, n, query)?;
    let mut join = join.clone();
    let Some(side) = side else {
        // it has one row, so that the other side is left
        match (join.kind, join.condition) {
            (JoinKind::Inner, JoinCondition::On(expr)) => conditions.push(expr),
            (JoinKind::Inner, JoinCondition::All) => {}
            _ => return None,
        }
        return Some((Some(if is_left { join.right } else { join.left }), conditions));
    };
    let is_nullable = match join.kind {
        JoinKind::Inner => false,
        JoinKind::Left => !is_left,
        JoinKind::Right => is_left,
        JoinKind::Full | JoinKind::Semi | JoinKind::Anti => return None,
    };
    if is_nullable && !conditions.is_empty() {
        let JoinCondition::On(expr) = join.condition else { return None };
        let parts = core::mem::take(&mut conditions).into_iter().chain([expr]).collect();
        join.condition = JoinCondition::On(and(parts)?);
    }
    if is_left {
        join.left = side;
    } else {
        join.right = side;
    }
    Some((Some(FromItem::Join(join)), conditions))
}
