//! Rows that come out of a query as the table has them: where its targets are the table's columns, all of them and in
//! their order, no new tuple is made (`tlist_matches_tupdesc`, src/backend/executor/execScan.c). INSERT and CREATE
//! TABLE AS then store a copy of the tuple: one that is older than a column stays as short as it is, and values keep
//! their headers.

use crate::sql::expr::{Node, Typed};
use crate::sql::plan::{Method, Scan, SelectPlan};
use crate::sql::tcop::Database;
use crate::storage::RelationData;

/// Are the rows of the query tuples of its table?
pub(super) fn returns_tuples(db: &Database, plan: &SelectPlan) -> bool {
    let is_scan = plan.sources.is_empty()
        && !plan.is_general()
        && plan.aggregates.is_empty()
        && plan.locking.is_none()
        && plan.targets.iter().all(|target| target.value.expr().is_some());
    let Some(scan) = plan.scan.as_deref().filter(|scan| is_scan && visits_heap(scan)) else { return false };
    let Ok(relation) = db.cluster.pg.relation(scan.table) else { return false };
    let has_missing = (0..relation.desc.attributes().len()).any(|index| !relation.desc.missing(index).is_null());
    // an expression or a system column to sort by is computed below the sort
    let width = relation.desc.attributes().len();
    let is_column = |expr: &Typed| matches!(expr.node, Node::Slot(slot) if usize::from(slot) < width);
    !has_missing
        && plan.sort.iter().all(|key| is_column(&key.expr))
        && are_all_columns(&relation, plan.targets.iter().filter_map(|target| target.value.expr()))
}

/// Are the expressions the columns of the relation, none of them dropped?
fn are_all_columns<'a>(relation: &RelationData, expressions: impl Iterator<Item = &'a Typed>) -> bool {
    let columns = relation.desc.attributes();
    let slots = expressions.map(|expr| if let Node::Slot(slot) = expr.node { Some(slot) } else { None });
    columns.iter().all(|column| !column.dropped) && slots.eq((0..columns.len()).map(|slot| u16::try_from(slot).ok()))
}

/// An Index Only Scan makes its rows of index tuples.
fn visits_heap(scan: &Scan) -> bool {
    !matches!(&scan.method, Method::Index(index) if index.only)
}
