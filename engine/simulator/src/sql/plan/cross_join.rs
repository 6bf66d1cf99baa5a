//! Which of two items of FROM is the outer one, where nothing but a nested loop can join them (`match_unsorted_outer`,
//! src/backend/optimizer/path/joinpath.c; `cost_rescan`, `cost_material`, src/backend/optimizer/path/costsize.c).
//!
//! ```text
//!  generate_series(1, 6) a, generate_series(0, 2) b     b: 0 ─ a: 1 2 3 4 5 6     the one with fewer rows is outside
//!                                                       b: 1 ─ a: 1 2 3 4 5 6     as long as reading the other again
//!                                                       …                         costs as much a row
//! ```

use super::cost::{self, CPU_OPERATOR, CPU_TUPLE, Cost};
use super::from::From;
use super::join_cost::cheapest;
use super::size::of_table;
use super::source::SourceRows;
use super::statement::Planner;
use crate::sql::ast::{BinaryOp, Expr, ExprNode, FromItem};
use alloc::vec::Vec;

/// An item that is read from its beginning again and again.
struct Item {
    cost: Cost,
    rows: f64,
    /// does it keep its rows by itself, so that no Materialize is put above it?
    keeps_rows: bool,
}

impl Planner<'_> {
    /// Is the second of two items the outer one? Not told where it is not known what they cost.
    pub(super) fn second_is_outer(&self, items: [&FromItem; 2], from: &From) -> Option<bool> {
        let mut sources = from.sources.iter();
        let mut all = Vec::new();
        for item in items {
            all.push(match item {
                FromItem::Table { name, sample: None, .. }
                    if self.common(name).is_none() && self.catalog.kind(name).is_some() =>
                {
                    let is_first = from.table.is_some() && all.is_empty();
                    if !is_first {
                        sources.next();
                    }
                    let size = of_table(&self.catalog.table(name)?, self.major());
                    Item { cost: cost::seqscan(size, &[], self.major()), rows: size.tuples, keeps_rows: false }
                }
                FromItem::Function { ordinality: false, .. } => {
                    let source = sources.next().filter(|source| !source.lateral)?;
                    if !matches!(source.rows, SourceRows::Series(_)) {
                        return None;
                    }
                    let rows = source.estimated_rows();
                    let cost = Cost { startup: CPU_OPERATOR, total: CPU_OPERATOR + CPU_TUPLE * rows };
                    Item { cost, rows, keeps_rows: true }
                }
                FromItem::Query { query, lateral: false, .. } if query.values.len() > 1 => {
                    sources.next();
                    let rows = query.values.len() as f64;
                    let cost = Cost { startup: 0.0, total: (CPU_TUPLE + CPU_OPERATOR) * rows };
                    Item { cost, rows, keeps_rows: false }
                }
                _ => return None,
            });
        }
        let [one, other] = &all[..] else { return None };
        let (first, second) = (loops(one, other), loops(other, one));
        let count = first.len();
        Some(cheapest(&first.into_iter().chain(second).collect::<Vec<_>>()) >= count)
    }
}

/// The nested loops with that item outside, in the order in which they are tried.
fn loops(outer: &Item, inner: &Item) -> Vec<Cost> {
    let by = |first: Cost, again: f64| {
        let startup = outer.cost.startup + first.startup;
        let once = outer.cost.total - outer.cost.startup + first.total - first.startup;
        let run = once + (outer.rows - 1.0).max(0.0) * again + CPU_TUPLE * outer.rows * inner.rows;
        Cost { startup, total: startup + run }
    };
    let direct = if inner.keeps_rows { inner.cost.total - inner.cost.startup } else { inner.cost.total };
    let mut all = Vec::from([by(inner.cost, direct)]);
    if !inner.keeps_rows {
        let total = inner.cost.total + 2.0 * CPU_OPERATOR * inner.rows;
        all.push(by(Cost { total, ..inner.cost }, CPU_OPERATOR * inner.rows));
    }
    all
}

/// Does a condition ask that two columns are equal, so that there are other ways to join?
pub(super) fn joins(filter: Option<&Expr>) -> bool {
    let is_column = |expr: &Expr| !expr.children().is_empty() || matches!(expr.node, ExprNode::Column { .. });
    filter.is_some_and(|filter| match &filter.node {
        ExprNode::Binary(BinaryOp::Eq, left, right) => is_column(left) && is_column(right),
        ExprNode::And(parts) => parts.iter().any(|part| joins(Some(part))),
        _ => false,
    })
}
