//! The scan of a partitioned table: those of its partitions, one after the other (`expand_partitioned_rtentry`,
//! src/backend/optimizer/util/inherit.c; `set_append_rel_pathlist`, src/backend/optimizer/path/allpaths.c).
//!
//! ```text
//!  Append ─┬─ the best scan of c1, by its own indexes and statistics
//!          └─ … of c2          the conditions are the same: a partition has its columns where the table has them
//! ```

use super::statement::Planner;
use super::{Append, Cost, Method, Scan, SelectPlan};
use crate::sql::StatementError;
use crate::sql::catalog::{Catalog, TableInfo};
use crate::sql::expr::{AggregateKind, Node, Typed};
use crate::sql::partition::live_partitions;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::Value;
use ffviz_format::page::Oid;

/// `cpu_tuple_cost * APPEND_CPU_COST_MULTIPLIER`: what handing a row on costs.
const APPEND_TUPLE: f64 = 0.5 * super::cost::CPU_TUPLE;

/// The partitions with rows of their own that conditions leave, in their order. `value` works out what a key is
/// compared with.
pub fn live_leaves(
    catalog: &dyn Catalog,
    table: Oid,
    clauses: &[Typed],
    value: &mut dyn FnMut(&Typed) -> Option<Value>,
) -> Vec<Oid> {
    let Some(desc) = catalog.partition_desc(table) else { return Vec::from([table]) };
    let live = live_partitions(&desc, clauses, value);
    live.into_iter().flat_map(|n| live_leaves(catalog, desc.parts[n].oid, clauses, value)).collect()
}

impl Scan {
    /// The partitions that it reads; of a table that is not partitioned none.
    pub fn parts(&self) -> impl Iterator<Item = Oid> {
        let scans = if let Method::Append(append) = &self.method { &append.scans[..] } else { &[] };
        scans.iter().map(|scan| scan.table)
    }
}

impl Planner<'_> {
    /// The scan of a partitioned table. `alone`: nothing else is there that foreign keys could lead to.
    pub(super) fn append(
        &mut self,
        table: &TableInfo,
        clauses: Vec<Typed>,
        needed: Option<Vec<u16>>,
        alone: bool,
    ) -> Result<Scan, StatementError> {
        let mut prunes_later = false;
        let asks = if self.catalog.scans().partition_pruning { &clauses[..] } else { &[] };
        let mut value = |expr: &Typed| {
            prunes_later |= !matches!(expr.node, Node::Const(_)) && expr.is_pseudo_constant();
            constant(expr)
        };
        let leaves = live_leaves(self.catalog, table.oid, asks, &mut value);
        self.look_up_relation(table, alone);
        let mut scans = Vec::new();
        for leaf in leaves {
            let Some(part) = self.catalog.table_of(leaf) else { continue };
            scans.push(Arc::new(self.part_scan(&part, clauses.clone(), needed.clone(), alone)?));
        }
        let sum = |of: fn(&Scan) -> f64| scans.iter().map(|scan| of(scan)).sum::<f64>();
        let rows = sum(|scan| scan.rows);
        let startup = scans.first().map_or(0.0, |scan| scan.cost.startup);
        // a scan alone stands for itself
        let handed_on = if scans.len() > 1 { APPEND_TUPLE * rows } else { 0.0 };
        let cost = Cost { startup, total: sum(|scan| scan.cost.total) + handed_on };
        let asked = (0..clauses.len()).collect();
        let method = match scans.is_empty() {
            true => Method::Nothing,
            false => Method::Append(Append { scans, prunes_later }),
        };
        Ok(Scan {
            table: table.oid,
            name: table.name.clone(),
            method,
            filter: clauses,
            asked,
            cost,
            rows,
            system: true,
        })
    }

    /// The partitions of a table with rows; of one that is not partitioned itself.
    pub(super) fn leaves_of(&self, table: &TableInfo) -> Vec<TableInfo> {
        if !table.is_partitioned {
            return Vec::from([table.clone()]);
        }
        let leaves = live_leaves(self.catalog, table.oid, &[], &mut |_| None);
        leaves.into_iter().filter_map(|leaf| self.catalog.table_of(leaf)).collect()
    }

    fn part_scan(
        &mut self,
        part: &TableInfo,
        clauses: Vec<Typed>,
        needed: Option<Vec<u16>>,
        alone: bool,
    ) -> Result<Scan, StatementError> {
        let clauses = super::distribute::semi_joins(part, self.major(), clauses)?;
        self.look_up_relation(part, alone);
        self.look_up_statistics(part, &clauses, needed.as_deref().unwrap_or(&[]));
        self.cheapest_scan(part, clauses, needed, true)
    }

    /// The same where the query takes nothing from it but its rows: their order, and min and max, that indexes of
    /// partitions could give are not planned.
    pub(super) fn append_of(
        &mut self,
        plan: &SelectPlan,
        table: &TableInfo,
        clauses: Vec<Typed>,
        needed: Vec<u16>,
    ) -> Result<Scan, StatementError> {
        if plan.locking.is_some() {
            return Err(StatementError::unsupported("FOR UPDATE of a partitioned table is not supported", None));
        }
        let alone = plan.sources.is_empty();
        let ends = |kind| matches!(kind, AggregateKind::Min | AggregateKind::Max);
        let are_ends = !plan.aggregates.is_empty() && plan.aggregates.iter().all(|it| ends(it.kind));
        let orders = if alone && !plan.grouped { super::select::orders(plan) } else { Vec::new() };
        let is_asked = are_ends || !plan.sort.is_empty();
        for leaf in live_leaves(self.catalog, table.oid, &clauses, &mut |expr| constant(expr)) {
            let Some(part) = self.catalog.table_of(leaf).filter(|_| is_asked) else { continue };
            let begins =
                |order: &Typed| part.indexes.iter().any(|it| it.keys.first().is_some_and(|key| key.expr == *order));
            if orders.iter().any(|key| begins(&key.expr)) {
                let message = "ORDER BY, min or max of a partitioned table by what an index of its partitions has is not supported";
                return Err(StatementError::unsupported(message, None));
            }
        }
        self.append(table, clauses, Some(needed), alone)
    }
}

fn constant(expr: &Typed) -> Option<Value> {
    if let Node::Const(value) = &expr.node { Some(value.clone()) } else { None }
}
