//! Rows of a table that inherits from another as that one has them (`AppendRelInfo`, `make_append_rel_info`,
//! src/backend/optimizer/util/appendinfo.c).
//!
//! ```text
//!  parent   a  b          │ ctid …     a ─▶ 0, b ─▶ 2: by name, the child may have others between and behind them
//!  child    a  x  b  y    │ ctid …
//! ```

use crate::sql::catalog::TableInfo;
use crate::sql::expr::{Node, Typed};
use alloc::vec::Vec;
use core::convert::Infallible;
use ffviz_format::datum::Value;

/// Where a child has the columns of its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowMap {
    /// by the parent's number, from 0; none: it was dropped there
    columns: Vec<Option<u16>>,
    /// columns of the child
    width: u16,
}

impl RowMap {
    /// Of a child; `None`: its columns are the parent's, in the same places.
    #[must_use]
    pub fn of(parent: &TableInfo, child: &TableInfo) -> Option<Self> {
        let place = |name: &str| {
            let found = child.columns.iter().position(|it| !it.attribute.dropped && it.attribute.name == name);
            found.map(|place| place as u16)
        };
        let columns = parent.columns.iter().map(|column| match column.attribute.dropped {
            true => None,
            false => place(&column.attribute.name),
        });
        let columns: Vec<Option<u16>> = columns.collect();
        let is_same = columns.len() == child.columns.len()
            && (0_u16..).zip(&columns).all(|(n, place)| place.is_none_or(|place| place == n));
        (!is_same).then_some(Self { columns, width: child.columns.len() as u16 })
    }

    /// How many columns the parent has.
    #[must_use]
    pub const fn natts(&self) -> usize {
        self.columns.len()
    }

    /// The child's place of a column, or a system column, of the parent.
    #[must_use]
    pub fn slot(&self, slot: u16) -> Option<u16> {
        match self.columns.get(usize::from(slot)) {
            Some(place) => *place,
            None => Some(self.width + (slot - self.columns.len() as u16)),
        }
    }

    /// An expression over the parent's row as one over the child's.
    #[must_use]
    pub fn expr(&self, expr: Typed) -> Typed {
        if let Node::Slot(slot) = expr.node {
            let node = self.slot(slot).map_or(Node::Const(Value::Null), Node::Slot);
            return Typed { node, ty: expr.ty };
        }
        let Ok(expr) = expr.map_children(&mut |child| Ok::<_, Infallible>(self.expr(child)));
        expr
    }

    /// Can that be done, as it cannot with queries that read the row?
    #[must_use]
    pub fn takes(expr: &Typed) -> bool {
        !expr.any(&|node| matches!(node, Node::Query(query) if !query.is_constant()))
    }

    /// The parent's row, of the child's, each with its system columns.
    #[must_use]
    pub fn row(&self, values: &[Value]) -> Vec<Value> {
        let value = |place: &Option<u16>| {
            let value = place.and_then(|place| values.get(usize::from(place)));
            value.cloned().unwrap_or(Value::Null)
        };
        let system = values.iter().skip(usize::from(self.width)).cloned();
        self.columns.iter().map(value).chain(system).collect()
    }
}
