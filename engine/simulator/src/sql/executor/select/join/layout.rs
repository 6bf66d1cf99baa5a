//! Where the columns of tables are in a row of some of them: those of one table behind those of another, in the order
//! in which a plan joins them.

use super::Values;
use crate::sql::expr::{Node, Typed};
use crate::sql::plan::JoinPlan;
use alloc::vec::Vec;
use core::convert::Infallible;
use ffviz_format::datum::Value;

/// The tables of a row.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// of each its first slot in the whole row, and how many there are
    spans: Vec<(usize, usize)>,
    /// how many values the row has
    pub width: usize,
}

impl Layout {
    /// Of tables in this order.
    pub fn of(plan: &JoinPlan, tables: &[usize]) -> Self {
        let start = |table: usize| plan.tables.get(table).map_or(plan.width, |table| usize::from(table.start));
        let spans: Vec<(usize, usize)> =
            tables.iter().map(|table| (start(*table), start(table + 1) - start(*table))).collect();
        let width = spans.iter().map(|(_, width)| width).sum();
        Self { spans, width }
    }

    /// The place of a slot of the whole row.
    pub fn place(&self, slot: u16) -> Option<usize> {
        let (slot, mut before) = (usize::from(slot), 0);
        for (start, width) in &self.spans {
            if (*start..start + width).contains(&slot) {
                return Some(before + slot - start);
            }
            before += width;
        }
        None
    }

    /// An expression over the whole row as one over this one.
    pub fn over(&self, expr: Typed) -> Typed {
        if let Node::Slot(slot) = expr.node {
            let node = self.place(slot).map_or(Node::Const(Value::Null), |place| Node::Slot(place as u16));
            return Typed { node, ty: expr.ty };
        }
        let Ok(expr) = expr.map_children(&mut |child| Ok::<_, Infallible>(self.over(child)));
        expr
    }

    /// Puts the values of a row to where they are in the whole one.
    pub fn spread(&self, row: Values, whole: &mut [Value]) {
        let mut values = row.into_iter();
        for (start, width) in &self.spans {
            for place in &mut whole[*start..start + width] {
                *place = values.next().unwrap_or(Value::Null);
            }
        }
    }
}
