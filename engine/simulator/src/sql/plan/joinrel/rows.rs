//! A relation that is no table: VALUES, a query, a function, a query of WITH (`set_subquery_pathlist`,
//! `set_values_pathlist`, `set_cte_pathlist`, `set_function_pathlist`, src/backend/optimizer/path/allpaths.c), and what
//! is known of its columns (`examine_simple_variable`, src/backend/utils/adt/selfuncs.c).

use crate::sql::catalog::{ColumnInfo, ColumnSource, ColumnStats, PageCosts, TableInfo};
use crate::sql::expr::{Column, Node, RangeEntry, Typed};
use crate::sql::plan::cost::{CPU_OPERATOR, CPU_TUPLE, quals};
use crate::sql::plan::source::{CommonRows, Source, SourceRows};
use crate::sql::plan::{Cost, Output, SelectPlan};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::Oid;

/// How the rows of such a relation are found.
#[derive(Debug, Clone)]
pub(in crate::sql::plan) struct Rows {
    /// without conditions
    pub source: Source,
    /// what they cost
    pub cost: Cost,
    /// what reading them again costs, where they are kept by what gives them (`ExecMaterializesOutput`)
    pub again: Option<Cost>,
    pub count: f64,
    /// columns of which no two rows have the same (`query_is_distinct_for`)
    pub distinct: Option<Vec<u16>>,
    stats: Vec<(Node, Arc<ColumnStats>)>,
}

/// Finds a table.
pub(in crate::sql::plan) type Find<'a> = dyn Fn(Oid) -> Option<TableInfo> + 'a;

impl Rows {
    /// Of an item of FROM; `None` where it is not known what its rows cost.
    pub fn of(source: &Source, find: &Find<'_>, major: u32) -> Option<Self> {
        if source.lateral {
            return None;
        }
        let source = &of_values(source);
        let once = |total: f64| Cost { startup: 0.0, total };
        let (mut again, mut distinct, mut stats) = (None, None, Vec::new());
        let (cost, count) = match &source.rows {
            SourceRows::Values(rows) => {
                let count = rows.len() as f64;
                let unique = ColumnStats { distinct: -1.0, ..ColumnStats::default() };
                stats = (0..source.types.len() as u16).map(|n| (Node::Slot(n), Arc::new(unique.clone()))).collect();
                (once((CPU_TUPLE + CPU_OPERATOR) * count), count)
            }
            SourceRows::Series(_) | SourceRows::Function(..) | SourceRows::Value(_) | SourceRows::Routine(..) => {
                let startup = CPU_OPERATOR + quals(source.args(), major).total;
                let count = source.estimated_rows();
                again = Some(once(CPU_TUPLE * count));
                (Cost { startup, total: startup + CPU_TUPLE * count }, count)
            }
            SourceRows::Query(plan) => {
                stats = stats_of(plan, find);
                distinct = distinct_of(plan);
                let (mut cost, count) = plan.cost_of()?;
                // whole rows are asked for, so that the node that reads the query's rows stays
                if !plan.is_general() && (plan.scan.is_some() || plan.join.is_some()) {
                    cost.total += CPU_TUPLE * count;
                }
                (cost, count)
            }
            SourceRows::Common(common) => {
                let count = match &common.rows {
                    CommonRows::Query(plan) => plan.cost_of()?.1,
                    CommonRows::Change(plan) => plan.returned_rows(),
                    CommonRows::Recursive(..) => return None,
                };
                again = Some(once(CPU_TUPLE * count));
                (once(2.0 * CPU_TUPLE * count), count)
            }
            _ => return None,
        };
        let source = Source { on: Vec::new(), filter: Vec::new(), semi: None, keeps_left: false, ..source.clone() };
        Some(Self { source, cost, again, count: super::super::size::clamp(count), distinct, stats })
    }

    /// What stands for the table.
    pub fn table(&self, entry: &RangeEntry) -> TableInfo {
        let is_values = matches!(self.source.rows, SourceRows::Values(_));
        let name = |n: usize, name: &str| if is_values { alloc::format!("column{}", n + 1) } else { name.into() };
        let column = |(n, column): (usize, &Column)| ColumnInfo {
            attribute: column.ty.attribute(n as u16 + 1, &name(n, &column.name)),
            domain: None,
            default: None,
            source: ColumnSource::Given,
            generation: None,
        };
        TableInfo {
            oid: 0,
            name: entry.name.clone(),
            row_type: None,
            columns: entry.columns.iter().enumerate().map(column).collect(),
            is_partitioned: false,
            is_parent: false,
            has_subclass: false,
            is_toast: false,
            indexes: Vec::new(),
            summaries: Vec::new(),
            unusable: Vec::new(),
            blocks: 0,
            relpages: 0,
            reltuples: self.count,
            relallvisible: 0,
            has_triggers: false,
            foreign_keys: Vec::new(),
            fillfactor: 100,
            page_costs: PageCosts::default(),
            sample: None,
            stats: self.stats.clone(),
            extended: Vec::new(),
        }
    }

    /// The query that gives them, with these conditions.
    pub fn query(&self, clauses: &[Typed]) -> Arc<SelectPlan> {
        let whole = match &self.source.rows {
            SourceRows::Query(plan) => Some(plan),
            // rows are locked one by one, as they are asked for
            SourceRows::Common(common) => common.locking(),
            _ => None,
        };
        if let Some(plan) = whole.filter(|_| clauses.is_empty()) {
            return plan.clone();
        }
        let source = Source { filter: clauses.to_vec(), ..self.source.clone() };
        SelectPlan::over(source).into()
    }
}

/// VALUES that are a query of their own are pulled up.
fn of_values(source: &Source) -> Source {
    let SourceRows::Query(plan) = &source.rows else { return source.clone() };
    let ([values @ Source { rows: SourceRows::Values(_), .. }], None) = (&plan.sources[..], &plan.scan) else {
        return source.clone();
    };
    let is_same = |(n, output): (u16, &Output)| output.value.expr().is_some_and(|expr| expr.node == Node::Slot(n));
    let is_whole = plan.targets.len() == values.types.len() && (0..).zip(&plan.targets).all(is_same);
    let is_plain = plan.sort.is_empty() && plan.filter.is_empty() && plan.limit.is_none() && plan.offset.is_none();
    if is_whole && is_plain && !plan.is_general() { values.clone() } else { source.clone() }
}

/// What is known of columns that are those of a table.
fn stats_of(plan: &SelectPlan, find: &Find<'_>) -> Vec<(Node, Arc<ColumnStats>)> {
    let is_plain = !plan.grouped && plan.distinct.is_none() && plan.aggregates.is_empty() && plan.sources.is_empty();
    let Some(table) = plan.scan.as_ref().filter(|_| is_plain).and_then(|scan| find(scan.table)) else {
        return Vec::new();
    };
    let of_column = |(n, output): (u16, &Output)| {
        let expr = output.value.expr()?;
        let (_, stats) = table.stats.iter().find(|(node, _)| *node == expr.node)?;
        matches!(expr.node, Node::Slot(_)).then(|| (Node::Slot(n), stats.clone()))
    };
    (0..).zip(&plan.targets).filter_map(of_column).collect()
}

/// The outputs that a query is grouped by, or distinct in.
fn distinct_of(plan: &SelectPlan) -> Option<Vec<u16>> {
    let all = || (0..plan.targets.len() as u16).collect::<Vec<_>>();
    if plan.distinct.as_ref().is_some_and(Vec::is_empty) {
        return Some(all());
    }
    if !plan.group.is_empty() && plan.grouping_sets.is_empty() {
        let place = |(n, key): (usize, &Typed)| {
            let number = plan.aggregates.len() + n;
            let is_it = |output: &Output| {
                output.value.expr().is_some_and(|expr| match expr.node {
                    Node::Aggregate(at) => usize::from(at) == number,
                    _ => expr.node == key.node,
                })
            };
            Some(plan.targets.iter().position(is_it)? as u16)
        };
        return plan.group.iter().enumerate().map(place).collect();
    }
    (!plan.aggregates.is_empty() && !plan.grouped).then(Vec::new)
}
