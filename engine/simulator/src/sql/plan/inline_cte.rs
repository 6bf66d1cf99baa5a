//! Queries of WITH in place of their names (`SS_process_ctes`, `inline_cte`, src/backend/optimizer/plan/subselect.c).
//!
//! ```text
//!  WITH c AS (SELECT * FROM t) SELECT * FROM c WHERE a = 7     SELECT * FROM (SELECT * FROM t) c WHERE a = 7
//!  named twice, MATERIALIZED, recursive, FOR UPDATE, volatile: it stays, and is read once
//! ```

use super::statement::Planner;
use crate::sql::ast::{
    CommonTable, Expr, ExprNode, FromItem, InsertSource, JoinCondition, MergeAction, Select, Statement, Target,
    Volatility, With,
};
use crate::sql::expr::{Analyzer, is_never_volatile, is_series};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

impl Planner<'_> {
    /// The query with those of its WITH in place of their names, where there are such.
    pub(super) fn with_inlined(&self, select: &Select) -> Option<Select> {
        if select.locking.is_some() {
            return None;
        }
        let mut with = select.with.clone();
        let mut rest = Select { with: Vec::new(), ..select.clone() };
        let is_changed = self.inline(&mut with, select.recursive, &mut |change| each_of_select(&mut rest, change));
        is_changed.then_some(Select { with, ..rest })
    }

    /// The same of a statement that WITH stands before.
    pub(super) fn statement_inlined(&self, with: &With) -> Option<With> {
        let mut inlined = with.clone();
        let With { with: commons, recursive, statement } = &mut inlined;
        let is_changed = self.inline(commons, *recursive, &mut |change| each_of_statement(statement, change));
        is_changed.then_some(inlined)
    }

    /// `rest` does something with each item of FROM of what stands behind WITH.
    fn inline(&self, with: &mut Vec<CommonTable>, recursive: bool, rest: &mut Each<'_>) -> bool {
        let (mut n, mut is_changed) = (0, false);
        while let Some(common) = with.get(n).cloned() {
            let later = if recursive { n + 1 } else { with.len() };
            let names: Vec<String> = with[n..later].iter().map(|it| it.name.clone()).collect();
            let mut count = 0;
            let mut counting = |found: Found<'_>| count += times(&found, &common.name);
            with[n + 1..].iter_mut().for_each(|later| each_of_statement(&mut later.statement, &mut counting));
            rest(&mut counting);
            let Some(query) = self.inlinable(&common, &names).filter(|_| is_wanted(&common, count)) else {
                n += 1;
                continue;
            };
            let mut putting = |found: Found<'_>| put(found, &common, query);
            with[n + 1..].iter_mut().for_each(|later| each_of_statement(&mut later.statement, &mut putting));
            rest(&mut putting);
            with.remove(n);
            is_changed = true;
        }
        is_changed
    }

    /// The query, where it may stand in place of its name. `names`: what is called otherwise there than in it.
    fn inlinable<'c>(&self, common: &'c CommonTable, names: &[String]) -> Option<&'c Select> {
        let Statement::Select(query) = &*common.statement else { return None };
        let mut copy = Select::clone(query);
        let (mut is_simple, mut functions) = (true, true);
        each_of_select(&mut copy, &mut |found| match found {
            Found::Item(FromItem::Table { name, .. }) => {
                is_simple &= name.schema.is_some() || !names.contains(&name.name);
            }
            Found::Item(_) => {}
            Found::Query(query) => is_simple &= query.locking.is_none() && !has_changes(query),
        });
        copy.visit_mut(&mut |expr| functions &= self.is_never_volatile(expr));
        (is_simple && functions).then_some(query)
    }

    /// Is it nothing that is another each time?
    pub(super) fn is_never_volatile(&self, expr: &Expr) -> bool {
        let ExprNode::Function { name, .. } = &expr.node else { return true };
        let own = self.catalog.sql_functions().into_iter().find(|function| function.name == *name);
        match own {
            Some(function) => function.volatility != Volatility::Volatile,
            None => Analyzer::is_aggregate(name) || is_series(name) || is_never_volatile(name, self.major()),
        }
    }
}

/// Does something with all that a walk meets.
type Each<'a> = dyn FnMut(&mut dyn FnMut(Found<'_>)) + 'a;

/// What a walk meets.
enum Found<'a> {
    /// an item of FROM
    Item(&'a mut FromItem),
    /// a query, before its items
    Query(&'a mut Select),
}

/// How often an item names it; where the name means something else within a query, more often than one can be sure of.
fn times(found: &Found<'_>, wanted: &str) -> usize {
    const UNSURE: usize = 2;
    match found {
        Found::Item(FromItem::Table { name, .. }) => usize::from(name.schema.is_none() && name.name == wanted),
        Found::Item(_) => 0,
        Found::Query(query) if query.with.iter().any(|common| common.name == wanted) => UNSURE,
        Found::Query(_) => 0,
    }
}

/// Is the query at that place of WITH named by the one behind it, or by one that is?
pub(super) fn is_read(place: usize, select: &Select) -> bool {
    let (mut count, mut copy) = (0, select.clone());
    let name = select.with[place].name.clone();
    let mut with = core::mem::take(&mut copy.with);
    let mut counting = |found: Found<'_>| count += times(&found, &name);
    each_of_select(&mut copy, &mut counting);
    let later = with.iter_mut().enumerate().skip(place + 1).filter(|(n, _)| is_read(*n, select));
    later.for_each(|(_, later)| each_of_statement(&mut later.statement, &mut counting));
    count > 0
}

/// `cterefcount`: a query that nothing names is not looked at here.
fn is_wanted(common: &CommonTable, count: usize) -> bool {
    match common.materialized {
        Some(true) => false,
        Some(false) => count > 0,
        None => count == 1,
    }
}

fn has_changes(query: &Select) -> bool {
    query.with.iter().any(|common| !matches!(*common.statement, Statement::Select(_)))
}

fn put(found: Found<'_>, common: &CommonTable, query: &Select) {
    let Found::Item(item) = found else { return };
    let FromItem::Table { name, alias, columns, sample: None } = &*item else { return };
    if name.schema.is_some() || name.name != common.name {
        return;
    }
    let own = common.columns.iter().skip(columns.len()).cloned();
    let columns = columns.iter().cloned().chain(own).collect();
    let alias = Some(alias.clone().unwrap_or_else(|| common.name.clone()));
    *item = FromItem::Query { query: Box::new(query.clone()), alias, columns, lateral: false };
}

fn each_of_statement(statement: &mut Statement, change: &mut dyn FnMut(Found<'_>)) {
    let expr = |expr: &mut Expr, change: &mut dyn FnMut(Found<'_>)| each_of_expr(expr, change);
    match statement {
        Statement::Select(select) => each_of_select(select, change),
        Statement::With(with) => each_of_statement(&mut with.statement, change),
        Statement::Insert(insert) => {
            match &mut insert.source {
                InsertSource::Select(select) => each_of_select(select, change),
                InsertSource::Values(rows) => rows.iter_mut().flatten().flatten().for_each(|value| expr(value, change)),
                InsertSource::Defaults => {}
            }
            each_of_targets(&mut insert.returning, change);
        }
        Statement::Update(update) => {
            update.from.iter_mut().for_each(|item| each_of_item(item, change));
            update.set.iter_mut().filter_map(|set| set.value.as_mut()).for_each(|value| expr(value, change));
            update.filter.iter_mut().for_each(|filter| expr(filter, change));
            each_of_targets(&mut update.returning, change);
        }
        Statement::Delete(delete) => {
            delete.using.iter_mut().for_each(|item| each_of_item(item, change));
            delete.filter.iter_mut().for_each(|filter| expr(filter, change));
            each_of_targets(&mut delete.returning, change);
        }
        Statement::Merge(merge) => {
            each_of_item(&mut merge.source, change);
            expr(&mut merge.on, change);
            for when in &mut merge.whens {
                when.filter.iter_mut().for_each(|filter| expr(filter, change));
                match &mut when.action {
                    MergeAction::Update(set) => {
                        set.iter_mut().filter_map(|set| set.value.as_mut()).for_each(|value| expr(value, change));
                    }
                    MergeAction::Insert { values, .. } => {
                        values.iter_mut().flatten().flatten().for_each(|value| expr(value, change));
                    }
                    MergeAction::Nothing | MergeAction::Delete => {}
                }
            }
            each_of_targets(&mut merge.returning, change);
        }
        _ => {}
    }
}

fn each_of_targets(targets: &mut [Target], change: &mut dyn FnMut(Found<'_>)) {
    for target in targets {
        if let Target::Expr { expr, .. } = target {
            each_of_expr(expr, change);
        }
    }
}

fn each_of_select(select: &mut Select, change: &mut dyn FnMut(Found<'_>)) {
    change(Found::Query(select));
    select.with.iter_mut().for_each(|common| each_of_statement(&mut common.statement, change));
    if let Some(set) = &mut select.set {
        each_of_select(&mut set.left, change);
        each_of_select(&mut set.right, change);
    }
    select.from.iter_mut().for_each(|item| each_of_item(item, change));
    each_of_targets(&mut select.targets, change);
    let lists = select.values.iter_mut().flatten().chain(select.distinct.iter_mut().flatten());
    let sorted = select.order_by.iter_mut().map(|by| &mut by.expr);
    let single = [&mut select.filter, &mut select.having, &mut select.limit, &mut select.offset];
    let all = lists.chain(&mut select.group_by).chain(sorted).chain(single.into_iter().flatten());
    all.for_each(|expr| each_of_expr(expr, change));
}

fn each_of_item(item: &mut FromItem, change: &mut dyn FnMut(Found<'_>)) {
    match item {
        FromItem::Table { .. } => change(Found::Item(item)),
        FromItem::Function { call, .. } => each_of_expr(call, change),
        FromItem::Query { query, .. } => each_of_select(query, change),
        FromItem::Join(join) => {
            each_of_item(&mut join.left, change);
            each_of_item(&mut join.right, change);
            if let JoinCondition::On(expr) = &mut join.condition {
                each_of_expr(expr, change);
            }
        }
    }
}

fn each_of_expr(expr: &mut Expr, change: &mut dyn FnMut(Found<'_>)) {
    if let ExprNode::Query { query, .. } = &mut expr.node {
        each_of_select(query, change);
    }
    expr.children_mut().into_iter().for_each(|child| each_of_expr(child, change));
}
