//! The scan of a partitioned table, or of one with children: those of all of them, one after the other
//! (`expand_inherited_rtentry`, src/backend/optimizer/util/inherit.c; `set_append_rel_pathlist`,
//! src/backend/optimizer/path/allpaths.c).
//!
//! ```text
//!  Append ─┬─ the best scan of c1, by its own indexes and statistics
//!          └─ … of c2          a partition has its columns where the table has them, a child may have them elsewhere
//! ```

use super::query::Wanted;
use super::refute::Refuter;
use super::statement::Planner;
use super::{Append, Cost, Method, RowMap, Scan, SelectPlan};
use crate::sql::StatementError;
use crate::sql::catalog::{Catalog, TableInfo};
use crate::sql::expr::{AggregateKind, Node, SortKey, Typed};
use crate::sql::partition::live_partitions;
use crate::storage::ConstraintExclusion;
use alloc::collections::BTreeMap;
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

    /// The same for rows that are changed.
    pub(super) fn keeping_rows(mut self) -> Self {
        if let Method::Append(append) = &mut self.method {
            append.keeps_rows = true;
        }
        self
    }
}

/// A part of a scan: its table, where that has the columns, and the conditions there.
struct Part {
    table: TableInfo,
    map: Option<RowMap>,
    clauses: Vec<Typed>,
}

impl Planner<'_> {
    /// The scan of such a table. `alone`: nothing else is there that foreign keys could lead to.
    pub(super) fn append(
        &mut self,
        table: &TableInfo,
        clauses: Vec<Typed>,
        needed: Option<Vec<u16>>,
        alone: bool,
    ) -> Result<Scan, StatementError> {
        let (parts, prunes_later) = match table.is_parent {
            true => (self.live_children(table, &clauses)?, false),
            false => self.live_parts(table, &clauses),
        };
        self.look_up_relation(table, alone);
        let (mut scans, mut maps) = (Vec::new(), BTreeMap::new());
        for Part { table: part, map, clauses } in parts {
            let slots = |needed: &Vec<u16>| match &map {
                Some(map) => needed.iter().filter_map(|slot| map.slot(*slot)).collect(),
                None => needed.clone(),
            };
            scans.push(Arc::new(self.part_scan(&part, clauses, needed.as_ref().map(slots), alone)?));
            maps.extend(map.map(|map| (part.oid, Arc::new(map))));
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
            false => {
                Method::Append(Append { scans, maps, is_inherited: table.is_parent, keeps_rows: false, prunes_later })
            }
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

    /// The partitions that conditions leave, and whether there may be fewer when more is known.
    fn live_parts(&self, table: &TableInfo, clauses: &[Typed]) -> (Vec<Part>, bool) {
        let mut prunes_later = false;
        let asks = if self.catalog.scans().partition_pruning { clauses } else { &[] };
        let mut value = |expr: &Typed| {
            prunes_later |= !matches!(expr.node, Node::Const(_)) && expr.is_pseudo_constant();
            constant(expr)
        };
        let leaves = live_leaves(self.catalog, table.oid, asks, &mut value);
        let tables = leaves.into_iter().filter_map(|leaf| self.catalog.table_of(leaf));
        let parts = tables.map(|table| Part { table, map: None, clauses: clauses.to_vec() }).collect();
        (parts, prunes_later)
    }

    /// `expand_inherited_rtentry`: the table itself and its children, but for those whose CHECKs say that they have no
    /// such row.
    fn live_children(&self, table: &TableInfo, clauses: &[Typed]) -> Result<Vec<Part>, StatementError> {
        let mut live = Vec::new();
        for oid in self.catalog.inheritors(table.oid) {
            let Some(child) = self.catalog.table_of(oid) else { continue };
            let map = RowMap::of(table, &child);
            if map.is_some() && !clauses.iter().all(RowMap::takes) {
                let message = "a query that reads the row around it, of a table whose children have other columns, is not supported";
                return Err(StatementError::unsupported(message, None));
            }
            let clauses: Vec<Typed> = match &map {
                Some(map) => clauses.iter().map(|clause| map.expr(clause.clone())).collect(),
                None => clauses.to_vec(),
            };
            if !self.is_excluded(oid, &clauses) {
                live.push(Part { table: child, map, clauses });
            }
        }
        Ok(live)
    }

    /// `relation_excluded_by_constraints`, of a table that is read by way of another.
    fn is_excluded(&self, table: Oid, clauses: &[Typed]) -> bool {
        if self.catalog.scans().constraint_exclusion == ConstraintExclusion::Off {
            return false;
        }
        let input = self.catalog.input();
        let refuter = |weak| Refuter { input: &input, weak };
        refuter(true).refutes(clauses, clauses) || refuter(false).refutes(clauses, &self.catalog.known_of_rows(table))
    }

    /// The tables whose rows a table has: its partitions, or itself and its children.
    pub(super) fn leaves_of(&self, table: &TableInfo) -> Vec<TableInfo> {
        let leaves = match (table.is_partitioned, table.is_parent) {
            (true, _) => live_leaves(self.catalog, table.oid, &[], &mut |_| None),
            (false, true) => self.catalog.inheritors(table.oid),
            (false, false) => return Vec::from([table.clone()]),
        };
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
            return Err(StatementError::unsupported(
                "FOR UPDATE of a table with partitions or children is not supported",
                None,
            ));
        }
        let alone = plan.sources.is_empty();
        let ends = |kind| matches!(kind, AggregateKind::Min | AggregateKind::Max);
        let are_ends = !plan.aggregates.is_empty() && plan.aggregates.iter().all(|it| ends(it.kind));
        let orders = if alone && !plan.grouped { super::select::orders(plan) } else { Vec::new() };
        let is_asked = are_ends || !plan.sort.is_empty();
        let may_merge = are_ends || plan.limit.is_some() || plan.offset.is_some() || self.fraction.is_some();
        let parts = match table.is_parent {
            _ if !is_asked => Vec::new(),
            true => self.live_children(table, &clauses)?,
            false => self.live_parts(table, &clauses).0,
        };
        for Part { table: part, map, .. } in parts {
            let begins = |order: Typed| {
                let order = map.as_ref().map_or_else(|| order.clone(), |map| map.expr(order.clone()));
                part.indexes.iter().any(|it| it.keys.first().is_some_and(|key| key.expr == order))
            };
            if orders.iter().any(|key| begins(key.expr.clone()))
                && (may_merge || !self.sorts_append(table, (&clauses, &needed), &orders)?)
            {
                let message = "ORDER BY, min or max of a table with partitions or children by what an index of these has is not supported";
                return Err(StatementError::unsupported(message, None));
            }
        }
        self.append(table, clauses, Some(needed), alone)
    }

    /// Is it cheaper to sort the rows of all tables than to merge those of each in their order
    /// (`generate_orderedappend_paths`, `cost_merge_append`)?
    fn sorts_append(
        &mut self,
        table: &TableInfo,
        (clauses, needed): (&[Typed], &[u16]),
        order: &[SortKey],
    ) -> Result<bool, StatementError> {
        const FUZZ: f64 = 1.01;
        let parts = match table.is_parent {
            true => self.live_children(table, clauses)?,
            false => self.live_parts(table, clauses).0,
        };
        let (count, mut merged, mut whole, mut rows) = (parts.len() as f64, 0.0, 0.0, 0.0);
        for Part { table, map, clauses } in parts {
            let of_part = |key: &SortKey| {
                let expr = map.as_ref().map_or_else(|| key.expr.clone(), |map| map.expr(key.expr.clone()));
                SortKey { expr, ..key.clone() }
            };
            let slot = |slot: &u16| map.as_ref().map_or(Some(*slot), |map| map.slot(*slot));
            let wanted = Wanted {
                table: &table,
                clauses,
                needed: Some(needed.iter().filter_map(slot).collect()),
                system: true,
                order: order.iter().map(of_part).collect(),
                limit: None,
                fraction: None,
                locks: false,
                enabled: self.catalog.scans(),
                input: self.catalog.input(),
                looked_up: None,
            };
            merged += wanted.best().1.total;
            let plain = Wanted { order: Vec::new(), ..wanted }.best().0;
            (whole, rows) = (whole + plain.cost.total, rows + plain.rows);
        }
        let comparison = 2.0 * super::cost::CPU_OPERATOR;
        let depth = super::math::log2(count.max(2.0));
        let merged = merged + comparison * count * depth + (comparison * depth + APPEND_TUPLE) * rows;
        let appended = Cost { startup: 0.0, total: whole + APPEND_TUPLE * rows };
        Ok(super::cost::sort(appended, rows, None).total * FUZZ < merged)
    }
}

fn constant(expr: &Typed) -> Option<Value> {
    if let Node::Const(value) = &expr.node { Some(value.clone()) } else { None }
}
