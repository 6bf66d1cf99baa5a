//! Does a plan with `$1`, `$2` … stand for the plans of the same statement with constants in their places, whatever the
//! values are? Then a statement that comes again with other values need not be planned again.
//!
//! ```text
//! WHERE id = $1    id alone has a unique index: 1 row of all, whatever the value (`var_eq_const`)     yes
//! WHERE n = $1     the value may be a common one, which statistics tell                               no
//! WHERE id > $1    the value may be far or near (`scalarineqsel`)                                     no
//! VALUES ($1)      nothing is chosen                                                                  yes
//! ```
//!
//! src/backend/utils/adt/selfuncs.c: where `isunique` holds, `var_eq_const` and `var_eq_non_const` give the same.

use super::{InsertRows, Plan, Scan, SelectPlan};
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::{Catalog, IndexInfo, TableInfo};
use crate::sql::expr::{Node, Typed};
use ffviz_format::page::Oid;

/// A plan that is the same for any values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnyValue {
    /// nothing was chosen
    Always,
    /// as long as this table and its indexes have as many blocks
    WhileSize(Oid),
}

impl Plan {
    /// Is it the same for any values of its parameters? Rather no than wrong.
    #[must_use]
    pub fn for_any_value(&self, catalog: &dyn Catalog) -> Option<AnyValue> {
        let scan = match self {
            Self::Insert(insert) => {
                let is_plain = insert.on_conflict.is_none() && insert.returning.is_none();
                return (is_plain && matches!(insert.source, InsertRows::Values(_))).then_some(AnyValue::Always);
            }
            Self::Update(plan) if plan.joined.is_none() && plan.returning.is_none() => &plan.scan,
            Self::Delete(plan) if plan.joined.is_none() && plan.returning.is_none() => &plan.scan,
            Self::Select(plan) if is_of_one_table(plan) => plan.scan.as_ref()?,
            _ => return None,
        };
        let table = catalog.table_of(scan.table)?;
        is_one_row(scan, &table).then_some(AnyValue::WhileSize(scan.table))
    }
}

fn is_of_one_table(plan: &SelectPlan) -> bool {
    plan.sources.is_empty()
        && plan.filter.is_empty()
        && plan.aggregates.is_empty()
        && !plan.grouped
        && plan.distinct.is_none()
        && plan.windows.is_empty()
        && plan.extremes.is_empty()
        && plan.sort.is_empty()
        && plan.limit.is_none()
        && plan.offset.is_none()
}

/// Is each condition a parameter that equals a unique column? With a partial index the value would count, too.
fn is_one_row(scan: &Scan, table: &TableInfo) -> bool {
    !table.indexes.iter().any(|index| !index.predicate.is_empty())
        && !scan.filter.is_empty()
        && scan.filter.iter().all(|condition| is_unique(condition, table))
}

fn is_unique(condition: &Typed, table: &TableInfo) -> bool {
    let Node::Binary(BinaryOp::Eq, operands) = &condition.node else { return false };
    let (column, value) = (&operands.0, &operands.1);
    let is_key = |index: &IndexInfo| matches!(&index.keys[..], [key] if key.expr.node == column.node);
    matches!((&column.node, &value.node), (Node::Slot(_), Node::Param(_)))
        && column.ty == value.ty
        && table.indexes.iter().any(|index| index.unique && index.immediate && is_key(index))
}
