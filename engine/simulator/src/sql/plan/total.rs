//! What a whole plan costs, and planning it (`cached_plan_cost`, src/backend/utils/cache/plancache.c;
//! src/backend/optimizer/path/costsize.c).

use super::cost::{self, CPU_OPERATOR, CPU_TUPLE, Cost};
use super::query;
use super::select::limit_and_offset;
use super::source::CommonRows;
use super::{DeletePlan, UpdatePlan};
use super::{InsertPlan, InsertRows, JoinedPlan, OutputValue, Plan, Scan, SelectPlan, SetColumn, Source, SourceRows};
use crate::sql::ast::SetKind;
use crate::sql::catalog::Catalog;
use crate::sql::expr::Typed;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::Oid;

impl Plan {
    /// `total_cost` of the plan's top node.
    pub fn total_cost(&self, catalog: &dyn Catalog) -> f64 {
        let major = catalog.input().major;
        match self {
            Self::Insert(insert) => insert.total_cost(major),
            Self::Update(UpdatePlan { joined: Some(joined), .. })
            | Self::Delete(DeletePlan { joined: Some(joined), .. }) => joined.query.total_cost(major).0,
            Self::Update(update) => update.scan.cost.total + update.scan.rows * set_cost(&update.set, major),
            Self::Delete(delete) => delete.scan.cost.total,
            Self::Merge(merge) => merge.query.total_cost(major).0,
            Self::With(with) => with.plan.total_cost(catalog),
            Self::Select(select) => select.total_cost(major).0,
        }
    }

    /// What making it is taken to cost: the more, the more relations there are.
    pub fn planning_cost(&self) -> f64 {
        1000.0 * CPU_OPERATOR * (self.range_table_len() + 1) as f64
    }

    /// Entries of its range table.
    fn range_table_len(&self) -> usize {
        match self {
            Self::Update(_) | Self::Delete(_) => 1,
            Self::Merge(merge) => 2 + merge.query.range_table_len(),
            Self::With(with) => with.plan.range_table_len() + with.changes.len(),
            Self::Select(select) => select.range_table_len(),
            Self::Insert(insert) => {
                let excluded = insert.on_conflict.as_ref().is_some_and(|conflict| conflict.update.is_some());
                let source = match &insert.source {
                    // VALUES, or a result without a table
                    InsertRows::Values(_) => 1,
                    InsertRows::Select(select, _) => 1 + select.range_table_len(),
                };
                1 + source + usize::from(excluded)
            }
        }
    }

    /// The tables that it names.
    pub fn relations(&self) -> Vec<Oid> {
        let joined = |scan: &Scan, joined: Option<&Arc<JoinedPlan>>| {
            let others = joined.iter().flat_map(|joined| tables_of(&joined.query));
            core::iter::once(scan.table).chain(scan.parts()).chain(others).collect()
        };
        match self {
            Self::Update(update) => joined(&update.scan, update.joined.as_ref()),
            Self::Delete(delete) => joined(&delete.scan, delete.joined.as_ref()),
            Self::With(with) => {
                let changed = with.changes.iter().filter_map(|change| change.plan()).flat_map(Self::relations);
                with.plan.relations().into_iter().chain(changed).collect()
            }
            Self::Merge(merge) => core::iter::once(merge.table).chain(tables_of(&merge.query)).collect(),
            Self::Select(select) => tables_of(select),
            Self::Insert(InsertPlan { table, source, .. }) => match source {
                InsertRows::Values(_) => alloc::vec![*table],
                InsertRows::Select(select, _) => core::iter::once(*table).chain(tables_of(select)).collect(),
            },
        }
    }
}

fn tables_of(select: &SelectPlan) -> Vec<Oid> {
    let of_source = |source: &Source| match &source.rows {
        SourceRows::Table(scan) => core::iter::once(scan.table).chain(scan.parts()).collect(),
        SourceRows::Query(query) => tables_of(query),
        _ => Vec::new(),
    };
    let of_scan = |scan: &Arc<Scan>| core::iter::once(scan.table).chain(scan.parts()).collect::<Vec<_>>();
    select.scan.iter().flat_map(of_scan).chain(select.sources.iter().flat_map(of_source)).collect()
}

fn set_cost(set: &[SetColumn], major: u32) -> f64 {
    cost::quals(set.iter().map(|set| &set.value), major).total
}

impl InsertPlan {
    fn total_cost(&self, major: u32) -> f64 {
        match &self.source {
            InsertRows::Values(rows) if rows.len() == 1 => {
                CPU_TUPLE + rows.iter().map(|row| targets(row, major)).sum::<f64>()
            }
            // a scan of VALUES works each row out
            InsertRows::Values(rows) => (CPU_TUPLE + CPU_OPERATOR) * rows.len() as f64,
            InsertRows::Select(select, row) => {
                let (total, rows) = select.total_cost(major);
                total + targets(row.iter().flat_map(|row| row.iter()), major) * rows
            }
        }
    }
}

fn targets<'a>(exprs: impl IntoIterator<Item = &'a Typed>, major: u32) -> f64 {
    cost::quals(exprs, major).total
}

impl SelectPlan {
    fn range_table_len(&self) -> usize {
        // each min or max that is read from an index is a query of its own
        let from = usize::from(self.scan.is_some()) + self.sources.len();
        from.max(1) + self.extremes.len()
    }

    /// With the rows that come out.
    fn total_cost(&self, major: u32) -> (f64, f64) {
        let exprs = self.targets.iter().filter_map(|target| target.value.expr());
        let each = targets(exprs, major);
        if !self.extremes.is_empty() {
            let first = |scan: &Scan| scan.cost.startup + (scan.cost.total - scan.cost.startup) / scan.rows;
            return (self.extremes.iter().map(|extreme| first(&extreme.scan)).sum::<f64>() + CPU_TUPLE + each, 1.0);
        }
        let (cost, rows) = self.joined(major);
        if !self.aggregates.is_empty() {
            let args = self.aggregates.iter().flat_map(|aggregate| &aggregate.args);
            let transition = CPU_OPERATOR * self.aggregates.len() as f64 + targets(args, major);
            return (cost.total + transition * rows + CPU_TUPLE + each, 1.0);
        }
        let values = self.targets.iter().filter_map(|target| match &target.value {
            OutputValue::Series(series) => Some(series.rows),
            OutputValue::Expr(_) => None,
        });
        let most = values.fold(1.0, f64::max);
        (cost.total + each * rows + CPU_TUPLE * rows * (most - 1.0), rows * most)
    }

    /// The table, sorted and limited as it is asked for, or functions, each value with each.
    fn joined(&self, major: u32) -> (Cost, f64) {
        if let Some(join) = &self.join {
            return (join.cost, join.rows);
        }
        let table = self.scan.as_ref().map(|scan| (self.cost.unwrap_or(scan.cost), scan.rows));
        let functions = self.sources.iter().map(|source| (source_scan(source, major), source.estimated_rows()));
        let all: Vec<(Cost, f64)> = table.into_iter().chain(functions).collect();
        let mut loops = all.into_iter();
        let Some(first) = loops.next() else { return (Cost { startup: 0.0, total: CPU_TUPLE }, 1.0) };
        loops.fold(first, |(outer, outer_rows), (inner, inner_rows)| {
            let rows = outer_rows * inner_rows;
            let again = (inner.total - inner.startup) * outer_rows;
            let startup = outer.startup + inner.startup;
            (Cost { startup, total: outer.total + inner.startup + again + CPU_TUPLE * rows }, rows)
        })
    }
}

/// `cost_functionscan`
fn source_scan(source: &Source, major: u32) -> Cost {
    let startup = CPU_OPERATOR + targets(source.args(), major);
    Cost { startup, total: startup + CPU_TUPLE * source.estimated_rows() }
}

impl SelectPlan {
    /// What a query costs whose rows come as they are read, and how many there are; `None`: that is not known.
    pub(super) fn cost_of(&self) -> Option<(Cost, f64)> {
        if self.is_general() {
            // with the node that reads the query's rows above
            let last = self.upper.as_ref()?.steps.last()?;
            let cost = Cost { total: last.cost.total + CPU_TUPLE * last.rows, ..last.cost };
            return Some((cost, last.rows));
        }
        if let Some(join) = &self.join {
            let is_whole = self.sort.is_empty() && self.limit.is_none() && self.aggregates.is_empty();
            return is_whole.then_some((join.cost, join.rows));
        }
        if !self.aggregates.is_empty() {
            return None;
        }
        if let (Some(scan), Some(cost), []) = (&self.scan, self.cost, &self.sources[..]) {
            let rows = limit_and_offset(self).map_or(scan.rows, |limit| query::limited(scan.cost, scan.rows, limit).1);
            return Some((cost, rows));
        }
        if !self.sort.is_empty() || self.limit.is_some() || self.offset.is_some() {
            return None;
        }
        match (&self.scan, &self.sources[..]) {
            (Some(scan), []) => Some((scan.cost, scan.rows)),
            (None, []) => Some((Cost { startup: 0.0, total: CPU_TUPLE }, 1.0)),
            (None, [source]) if self.filter.is_empty() && source.filter.is_empty() => source.cost_of(),
            _ => None,
        }
    }
}

impl Source {
    /// The same of an item of FROM.
    fn cost_of(&self) -> Option<(Cost, f64)> {
        match &self.rows {
            SourceRows::Values(rows) => {
                let rows = rows.len() as f64;
                Some((Cost { startup: 0.0, total: (CPU_TUPLE + CPU_OPERATOR) * rows }, rows))
            }
            SourceRows::Series(series) => {
                let rows = series.rows;
                Some((Cost { startup: 0.0, total: CPU_TUPLE * rows }, rows))
            }
            SourceRows::Query(inner) => inner.cost_of(),
            SourceRows::Set(set) if set.all && set.kind == SetKind::Union => {
                let ((left, left_rows), (right, right_rows)) = (set.left.cost_of()?, set.right.cost_of()?);
                let rows = left_rows + right_rows;
                let total = left.total + right.total + CPU_TUPLE / 2.0 * rows;
                Some((Cost { startup: left.startup, total }, rows))
            }
            SourceRows::Set(set) => set.finding.map(|finding| (finding.cost, finding.rows)),
            SourceRows::Common(common) => match &common.rows {
                // rows that are kept are read from where they are
                CommonRows::Query(inner) if inner.locking.is_some() => {
                    let (_, rows) = inner.cost_of()?;
                    Some((Cost { startup: 0.0, total: 2.0 * CPU_TUPLE * rows }, rows))
                }
                CommonRows::Query(inner) => inner.cost_of(),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Plan {
    /// How many rows it is expected to return.
    pub(super) fn returned_rows(&self) -> f64 {
        match self {
            Self::Insert(InsertPlan { source: InsertRows::Values(rows), .. }) => rows.len() as f64,
            Self::Insert(InsertPlan { source: InsertRows::Select(select, _), .. }) => {
                select.cost_of().map_or(1.0, |(_, rows)| rows)
            }
            plan => match plan.joined() {
                Some(query) => query.cost_of().map_or(1.0, |(_, rows)| rows),
                None => plan.scan().map_or(1.0, |scan| scan.rows),
            },
        }
    }

    /// The query that gives the rows that it changes, where they come out of a join.
    pub(in crate::sql) fn joined(&self) -> Option<&Arc<SelectPlan>> {
        match self {
            Self::Update(update) => update.joined.as_ref().map(|joined| &joined.query),
            Self::Delete(delete) => delete.joined.as_ref().map(|joined| &joined.query),
            Self::Merge(merge) => Some(&merge.query),
            Self::With(with) => with.plan.joined(),
            _ => None,
        }
    }
}
