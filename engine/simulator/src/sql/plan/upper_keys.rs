//! The keys of GROUP BY, DISTINCT and ORDER BY, and the orders that they ask for: `make_pathkeys_for_sortclauses`
//! (src/backend/optimizer/path/pathkeys.c), `preprocess_groupclause`, `make_group_input_target`
//! (src/backend/optimizer/plan/planner.c).

use super::SelectPlan;
use super::path::fixes;
use super::pull_up::is_volatile;
use crate::sql::expr::{Node, SortKey, Typed};
use crate::version::SqlBehaviour;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::convert::Infallible;
use ffviz_format::page::PgVersion;

/// `compare_pathkeys`: the one that begins with the other is greater.
pub fn compare_orders(one: &[SortKey], other: &[SortKey]) -> Option<Ordering> {
    let is_same = one.iter().zip(other).all(|(a, b)| is_same_key(a, b));
    is_same.then(|| one.len().cmp(&other.len()))
}

pub fn is_same_key(a: &SortKey, b: &SortKey) -> bool {
    a.expr.node == b.expr.node && a.descending == b.descending && a.nulls_first == b.nulls_first
}

/// How many of the keys the order has, from the first.
pub fn presorted(order: &[SortKey], keys: &[SortKey]) -> usize {
    order.iter().zip(keys).take_while(|(a, b)| is_same_key(a, b)).count()
}

/// The keys of a clause, and the order in which rows come where they are sorted by it.
pub struct Keys {
    pub exprs: Vec<Typed>,
    pub order: Vec<SortKey>,
}

/// The order that a query asks its scan for (`standard_qp_callback`).
pub fn query_order(plan: &SelectPlan, clauses: &[Typed], major: u32) -> Vec<SortKey> {
    let version = PgVersion::of_major(major);
    let group = if plan.grouped { group_keys(plan, clauses, major).order } else { Vec::new() };
    let sort = order_of(&sort_keys(plan), clauses);
    let distinct = distinct_keys(plan, clauses, major).map_or_else(Vec::new, |keys| keys.order);
    if !group.is_empty() {
        group
    } else if let Some(window) = plan.active_windows(version).first() {
        window.wanted(clauses)
    } else if distinct.len() > sort.len() {
        distinct
    } else {
        sort
    }
}

/// ORDER BY, with the keys of groups as what they are.
pub fn sort_keys(plan: &SelectPlan) -> Vec<SortKey> {
    plan.sort.iter().map(|key| SortKey { expr: plan.over_rows(&key.expr), ..key.clone() }).collect()
}

/// `make_pathkeys_for_sortclauses`
pub fn order_of(keys: &[SortKey], clauses: &[Typed]) -> Vec<SortKey> {
    let is_redundant = |n: usize, key: &SortKey| {
        matches!(key.expr.node, Node::Const(_))
            || keys[..n].iter().any(|before| before.expr.node == key.expr.node)
            || clauses.iter().any(|clause| fixes(clause, &key.expr))
    };
    keys.iter().enumerate().filter(|(n, key)| !is_redundant(*n, key)).map(|(_, key)| key.clone()).collect()
}

/// Keys that are sorted by as ORDER BY says it, else ascending.
fn with_directions(exprs: Vec<Typed>, sort: &[SortKey]) -> Vec<SortKey> {
    let known = |expr: &Typed| sort.iter().find(|key| key.expr.node == expr.node).cloned();
    let key = |expr: Typed| known(&expr).unwrap_or(SortKey { expr, descending: false, nulls_first: false });
    exprs.into_iter().map(key).collect()
}

/// The keys that are left of a clause.
fn keys_of(keys: Vec<SortKey>, clauses: &[Typed], leaves_out: bool) -> Keys {
    let order = order_of(&keys, clauses);
    let exprs = if leaves_out { order.clone() } else { keys };
    Keys { exprs: exprs.into_iter().map(|key| key.expr).collect(), order }
}

/// GROUP BY, in the order of ORDER BY where that is one of it (`preprocess_groupclause`).
pub fn group_keys(plan: &SelectPlan, clauses: &[Typed], major: u32) -> Keys {
    let version = PgVersion::of_major(major);
    let sort = sort_keys(plan);
    let keys = with_directions(plan.group.clone(), &sort);
    let is_key = |by: &&SortKey| keys.iter().any(|key| is_same_key(key, by));
    let mut first: Vec<SortKey> = sort.iter().take_while(is_key).cloned().collect();
    let is_whole = first.len() == sort.len() || version.reorders_group_keys();
    let rest: Vec<SortKey> = keys.iter().filter(|key| !first.iter().any(|by| is_same_key(by, key))).cloned().collect();
    let ordered = if first.is_empty() || !is_whole && !rest.is_empty() {
        keys
    } else {
        first.extend(rest);
        first
    };
    let mut keys = keys_of(ordered, clauses, version.leaves_fixed_keys_out());
    if version.presorts_aggregates() {
        let of_aggregates = super::select::presorted(&plan.aggregates);
        let all: Vec<SortKey> = keys.order.iter().chain(of_aggregates).cloned().collect();
        keys.order = order_of(&all, clauses);
    }
    keys
}

/// The keys in another order, which rows have that come in this one (`group_keys_reorder_by_pathkeys`).
pub fn reordered(keys: &Keys, order: &[SortKey]) -> Option<Keys> {
    let is_key = |by: &&SortKey| keys.order.iter().any(|key| is_same_key(key, by)) && keys.exprs.contains(&by.expr);
    let first: Vec<SortKey> = order.iter().take_while(is_key).cloned().collect();
    if presorted(&first, &keys.order) == first.len() {
        return None;
    }
    let rest = keys.order.iter().filter(|key| !first.iter().any(|by| is_same_key(by, key)));
    let order: Vec<SortKey> = first.iter().chain(rest).cloned().collect();
    let of_first = order.iter().map(|key| &key.expr).filter(|expr| keys.exprs.contains(expr));
    let exprs: Vec<Typed> = of_first.cloned().collect();
    Some(Keys { exprs, order })
}

/// DISTINCT: what is sorted by, then the other columns that come out (`transformDistinctClause`).
pub fn distinct_keys(plan: &SelectPlan, clauses: &[Typed], major: u32) -> Option<Keys> {
    let on = plan.distinct.as_ref()?;
    let sort = sort_keys(plan);
    let outputs = plan.targets.iter().filter_map(|target| target.value.expr());
    let all: Vec<Typed> = if on.is_empty() { outputs.cloned().collect() } else { on.clone() };
    let all: Vec<Typed> = all.iter().map(|expr| plan.over_rows(expr)).collect();
    let is_key = |by: &&SortKey| all.iter().any(|expr| expr.node == by.expr.node);
    let mut first: Vec<SortKey> = Vec::new();
    for by in sort.iter().filter(is_key) {
        if !first.iter().any(|known| known.expr.node == by.expr.node) {
            first.push(by.clone());
        }
    }
    let rest = all.into_iter().filter(|expr| !first.iter().any(|by| by.expr.node == expr.node)).collect();
    let rest = with_directions(rest, &[]);
    first.extend(rest);
    let leaves_out = PgVersion::of_major(major).leaves_fixed_keys_out();
    Some(keys_of(first, clauses, leaves_out))
}

impl SelectPlan {
    /// An expression over groups as one over rows: the key of a group is what it is made of.
    pub(in crate::sql) fn over_rows(&self, expr: &Typed) -> Typed {
        if let Node::Aggregate(number) = expr.node {
            let key = usize::from(number).checked_sub(self.aggregates.len()).and_then(|n| self.group.get(n));
            return key.cloned().unwrap_or_else(|| expr.clone());
        }
        let Ok(changed) = expr.clone().map_children(&mut |child| Ok::<_, Infallible>(self.over_rows(&child)));
        changed
    }

    /// Conditions of HAVING that are about the keys alone: rows are asked, before they are grouped.
    pub(super) fn having_of_rows(&mut self) -> Vec<Typed> {
        let first = self.aggregates.len();
        let of_rows = |part: &Typed| {
            let mut keys = 0;
            count_keys(part, &mut keys);
            let is_aggregate = |node: &Node| matches!(node, Node::Aggregate(n) if usize::from(*n) < first);
            keys > 0
                && !part.any(&is_aggregate)
                && !part.any(&is_volatile)
                && !part.any(&|node| matches!(node, Node::Query(_)))
        };
        let (rows, groups): (Vec<Typed>, Vec<Typed>) = core::mem::take(&mut self.having).into_iter().partition(of_rows);
        self.having = groups;
        rows.iter().map(|part| self.over_rows(part)).collect()
    }

    /// `make_group_input_target`: keys that come out as they are, then the columns of all else.
    pub(super) fn group_input(&self) -> Vec<Typed> {
        let (mut keys, mut columns): (Vec<Typed>, Vec<Typed>) = (Vec::new(), Vec::new());
        let outputs = self.targets.iter().filter_map(|target| target.value.expr()).chain(&self.junk);
        let mut others: Vec<Typed> = Vec::new();
        for output in outputs {
            let output = self.over_rows(output);
            match self.group.iter().any(|key| key.node == output.node) {
                true if !keys.iter().any(|key| key.node == output.node) => keys.push(output),
                true => {}
                false => others.push(output),
            }
        }
        // keys that do not come out stand behind
        for key in &self.group {
            if !keys.iter().any(|known| known.node == key.node) {
                keys.push(key.clone());
            }
        }
        let having = self.having.iter().map(|part| self.over_rows(part));
        others.iter().for_each(|expr| columns_of(expr, &mut columns));
        having.for_each(|expr| columns_of(&expr, &mut columns));
        for aggregate in &self.aggregates {
            let of_order = aggregate.order.iter().map(|key| &key.expr);
            aggregate
                .args
                .iter()
                .chain(&aggregate.filter)
                .chain(of_order)
                .for_each(|expr| columns_of(expr, &mut columns));
        }
        let new = columns.into_iter().filter(|column| !keys.iter().any(|key| key.node == column.node));
        let new: Vec<Typed> = new.collect();
        keys.extend(new);
        keys
    }
}

fn count_keys(expr: &Typed, count: &mut usize) {
    *count += usize::from(matches!(expr.node, Node::Aggregate(_)));
    expr.children().into_iter().for_each(|child| count_keys(child, count));
}

/// The columns that are read, each once.
pub fn columns_of(expr: &Typed, found: &mut Vec<Typed>) {
    if matches!(expr.node, Node::Slot(_)) && !found.iter().any(|known| known.node == expr.node) {
        found.push(expr.clone());
    }
    expr.children().into_iter().for_each(|child| columns_of(child, found));
}
