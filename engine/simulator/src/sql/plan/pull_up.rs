//! The query of an INSERT becomes part of it where it is simple (`is_simple_subquery`, `pull_up_simple_subquery`,
//! src/backend/optimizer/prep/prepjointree.c): each row is computed at once, as the table has it.

use super::{InsertRows, Output, OutputValue, SelectPlan};
use crate::sql::expr::{Node, Typed, Volatility};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::convert::Infallible;

/// The rows of a query, `row` being the table's columns over what comes out of it.
pub(super) fn rows_of(mut query: SelectPlan, row: Vec<Typed>) -> InsertRows {
    if is_simple(&query) {
        let column = |column| Output { name: "".into(), value: OutputValue::Expr(over(column, &query.targets)) };
        query.targets = row.into_iter().map(column).collect();
        return InsertRows::Select(Arc::new(query), None);
    }
    let is_slot = |(n, column): (usize, &Typed)| matches!(column.node, Node::Slot(slot) if usize::from(slot) == n);
    let is_row = row.len() == query.targets.len() && row.iter().enumerate().all(is_slot);
    InsertRows::Select(Arc::new(query), (!is_row).then(|| row.into()))
}

/// A row in, a row out, and the targets are the same whenever they are computed.
fn is_simple(query: &SelectPlan) -> bool {
    let is_plain = |target: &Output| target.value.expr().is_some_and(|expr| !expr.any(&is_volatile));
    let has_rows_of_its_own = query.sort.is_empty() && query.limit.is_none() && query.offset.is_none();
    !query.is_general()
        && query.aggregates.is_empty()
        && query.locking.is_none()
        && has_rows_of_its_own
        && query.targets.iter().all(is_plain)
}

pub(super) fn is_volatile(node: &Node) -> bool {
    match node {
        Node::Call(builtin, _) => builtin.volatility() == Volatility::Volatile,
        Node::Routine(..) => true,
        _ => false,
    }
}

/// An expression over a query's targets as one over its rows.
fn over(expr: Typed, targets: &[Output]) -> Typed {
    if let Node::Slot(slot) = expr.node
        && let Some(target) = targets.get(usize::from(slot)).and_then(|target| target.value.expr())
    {
        return target.clone();
    }
    let Ok(expr) = expr.map_children(&mut |child| Ok::<_, Infallible>(over(child, targets)));
    expr
}
