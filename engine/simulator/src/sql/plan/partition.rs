//! The scan of a partitioned table, or of one with children: those of all of them, one after the other
//! (`expand_inherited_rtentry`, src/backend/optimizer/util/inherit.c; `set_append_rel_pathlist`,
//! src/backend/optimizer/path/allpaths.c).
//!
//! ```text
//!  Append ─┬─ the best scan of c1, by its own indexes and statistics
//!          └─ … of c2          a partition has its columns where the table has them, a child may have them elsewhere
//! ```

use super::path::Path;
use super::query::Wanted;
use super::refute::Refuter;
use super::select::pathkeys;
use super::statement::Planner;
use super::{Append, AppendOrder, Cost, Method, RowMap, Scan, SelectPlan};
use crate::cluster::partition::PartitionBound;
use crate::sql::StatementError;
use crate::sql::ast::PartitionStrategy;
use crate::sql::catalog::{Catalog, TableInfo};
use crate::sql::expr::{AggregateKind, Node, SortKey, Typed};
use crate::sql::partition::live_partitions;
use crate::storage::ConstraintExclusion;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlType, Value};
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

/// The parts, as they are read to be merged, and to be sorted as a whole.
#[derive(Default)]
struct Both {
    /// each in its order
    scans: Vec<Arc<Scan>>,
    /// is there one that has none by an index?
    has_unordered: bool,
    /// what the others cost, and their rows
    whole: f64,
    rows: f64,
    /// ways that a setting forbids, of these and of the first; from 18 on they count before the cost
    disabled: [u32; 2],
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
            false => Method::Append(Append {
                scans,
                order: AppendOrder::None,
                maps,
                is_inherited: table.is_parent,
                keeps_rows: false,
                prunes_later,
            }),
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
        plan: &mut SelectPlan,
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
        let begins = |Part { table: part, map, .. }: &Part| {
            let order = |key: &SortKey| map.as_ref().map_or_else(|| key.expr.clone(), |map| map.expr(key.expr.clone()));
            let first = || part.indexes.iter().filter_map(|index| index.keys.first());
            orders.iter().any(|key| first().any(|first| first.expr == order(key)))
        };
        if parts.iter().any(begins) {
            let sorts_scan = alone && plan.aggregates.is_empty() && !plan.is_general();
            if may_merge || !sorts_scan {
                return Err(not_merged());
            }
            let order = pathkeys(&plan.sort, &clauses);
            if let Some(merged) = self.merge_append(table, (&clauses, &needed), &order)? {
                plan.sort.clear();
                return Ok(merged);
            }
        }
        self.append(table, clauses, Some(needed), alone)
    }

    /// The rows of all tables in an order that each of them has by an index; nothing where it is cheaper to sort them
    /// (`generate_orderedappend_paths`, `cost_merge_append`).
    fn merge_append(
        &mut self,
        table: &TableInfo,
        (clauses, needed): (&[Typed], &[u16]),
        order: &[SortKey],
    ) -> Result<Option<Scan>, StatementError> {
        const FUZZ: f64 = 1.01;
        let (parts, prunes_later) = match table.is_parent {
            true => (self.live_children(table, clauses)?, false),
            false => self.live_parts(table, clauses),
        };
        let is_plain = !prunes_later && parts.iter().all(|part| part.map.is_none()) && order.iter().all(is_column);
        let of_all = self.append_order(table, &parts, order);
        let mut both = Both::default();
        for part in parts {
            self.add_part(&mut both, part, needed, order)?;
        }
        let Both { scans, whole, rows, .. } = both;
        let order = match &of_all {
            Ok(order) => order.clone(),
            Err(_) => AppendOrder::Merged(order.to_vec()),
        };
        let backward = order == AppendOrder::OfPartitions { backward: true };
        let is_inherited = table.is_parent;
        let mut append =
            Append { scans, order, maps: BTreeMap::new(), is_inherited, keeps_rows: false, prunes_later: false };
        if backward {
            append.scans.reverse();
        }
        let appended = Cost { startup: 0.0, total: whole + APPEND_TUPLE * rows };
        let cost = append.cost();
        let is_dearer = super::cost::sort(appended, rows, None).total * FUZZ < cost.total;
        let [sorted, merged] = both.disabled;
        if merged > sorted || merged == sorted && is_dearer {
            return Ok(None);
        }
        // a part that has to be sorted before it is merged is not simulated
        if !is_plain || both.has_unordered {
            return Err(not_merged());
        }
        of_all?;
        Ok(Some(Scan {
            table: table.oid,
            name: table.name.clone(),
            method: Method::Append(append),
            filter: clauses.to_vec(),
            asked: (0..clauses.len()).collect(),
            cost,
            rows,
            system: true,
        }))
    }

    /// Both ways to read a part: in its own order, and as it comes.
    fn add_part(
        &mut self,
        both: &mut Both,
        Part { table: part, map, clauses }: Part,
        needed: &[u16],
        order: &[SortKey],
    ) -> Result<(), StatementError> {
        let of_part = |key: &SortKey| {
            let expr = map.as_ref().map_or_else(|| key.expr.clone(), |map| map.expr(key.expr.clone()));
            SortKey { expr, ..key.clone() }
        };
        let slot = |slot: &u16| map.as_ref().map_or(Some(*slot), |map| map.slot(*slot));
        let part = self.with_ends(&part, &clauses)?;
        let wanted = Wanted {
            table: &part,
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
        let ordered = wanted.scans().into_iter().filter(|path| path.ordered == order.len());
        let ordered = ordered.min_by(|one, other| one.cost.total.total_cmp(&other.cost.total));
        both.has_unordered |= ordered.is_none();
        both.disabled[1] += ordered.as_ref().map_or(0, |path| path.disabled);
        let sorted = || {
            let (path, cost) = wanted.best();
            Path { cost, ..path }
        };
        both.scans.push(Arc::new(wanted.scan_of(ordered.unwrap_or_else(sorted))));
        let plain = Wanted { order: Vec::new(), ..wanted }.best().0;
        both.whole += plain.cost.total;
        both.rows += plain.rows;
        both.disabled[0] += plain.disabled;
        Ok(())
    }

    /// Which of both it is: do the partitions one after the other have that order (`partitions_are_ordered`,
    /// `build_partition_pathkeys`)?
    fn append_order(
        &self,
        table: &TableInfo,
        parts: &[Part],
        order: &[SortKey],
    ) -> Result<AppendOrder, StatementError> {
        let merged = || Ok(AppendOrder::Merged(order.to_vec()));
        if table.is_parent {
            return merged();
        }
        let desc = self.catalog.partition_desc(table.oid).ok_or_else(not_merged)?;
        let bound = |part: &Part| desc.parts.iter().find(|own| own.oid == part.table.oid).map(|own| &own.bound);
        let bounds: Vec<&PartitionBound> = parts.iter().map(bound).collect::<Option<_>>().ok_or_else(not_merged)?;
        let is_key = |(key, (slot, _)): (&SortKey, &(u16, SqlType))| key.expr.node == Node::Slot(*slot);
        let is_prefix = order.iter().zip(&desc.keys).all(is_key);
        match desc.strategy {
            PartitionStrategy::Range if is_prefix && !bounds.contains(&&PartitionBound::Default) => {}
            // which partitions of a list are in order depends on all their values
            PartitionStrategy::List if is_prefix => return Err(not_merged()),
            _ => return merged(),
        }
        let keys = &order[..order.len().min(desc.keys.len())];
        let is =
            |descending: bool| keys.iter().all(|key| key.descending == descending && key.nulls_first == descending);
        match (is(false), is(true)) {
            (false, false) => merged(),
            (_, backward) => Ok(AppendOrder::OfPartitions { backward }),
        }
    }
}

impl Append {
    /// `cost_append`, `cost_merge_append`
    pub(super) fn cost(&self) -> Cost {
        let sum = |of: fn(&Scan) -> f64| self.scans.iter().map(|scan| of(scan)).sum::<f64>();
        let (rows, total) = (sum(|scan| scan.rows), sum(|scan| scan.cost.total));
        let first = self.scans.first().map_or(0.0, |scan| scan.cost.startup);
        let startups = sum(|scan| scan.cost.startup);
        match &self.order {
            _ if self.scans.len() < 2 => Cost { startup: first, total },
            AppendOrder::None => Cost { startup: first, total: total + APPEND_TUPLE * rows },
            AppendOrder::OfPartitions { .. } => Cost { startup: startups, total: total + APPEND_TUPLE * rows },
            AppendOrder::Merged(_) => {
                let comparison = 2.0 * super::cost::CPU_OPERATOR;
                let count = self.scans.len() as f64;
                let depth = super::cost::depth_of(count);
                let startup = comparison * count * depth;
                let run = rows * comparison * depth + APPEND_TUPLE * rows;
                Cost { startup: startup + startups, total: startup + run + total }
            }
        }
    }
}

fn is_column(key: &SortKey) -> bool {
    matches!(key.expr.node, Node::Slot(_))
}

fn not_merged() -> StatementError {
    let message =
        "ORDER BY, min or max of a table with partitions or children by what an index of these has is not supported";
    StatementError::unsupported(message, None)
}

fn constant(expr: &Typed) -> Option<Value> {
    if let Node::Const(value) = &expr.node { Some(value.clone()) } else { None }
}
