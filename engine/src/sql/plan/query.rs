//! Which path a query takes: `grouping_planner` (src/backend/optimizer/plan/planner.c), `preprocess_minmax_aggregates`
//! (src/backend/optimizer/plan/planagg.c).

use super::cost::{self, CPU_OPERATOR, CPU_TUPLE, Cost};
use super::path::{Path, Rel, add_path, paths};
use super::{Extreme, Method, Scan, SortKey};
use crate::datum::Value;
use crate::sql::catalog::{EnabledScans, TableInfo};
use crate::sql::expr::{Aggregate, AggregateKind, Node, Typed};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// A scan that is looked for.
#[derive(Clone)]
pub struct Wanted<'a> {
    pub table: &'a TableInfo,
    pub clauses: Vec<Typed>,
    /// columns that are needed; `None`: the row's place too
    pub needed: Option<Vec<u16>>,
    pub order: Vec<SortKey>,
    /// LIMIT and OFFSET; LIMIT negative where it is not known
    pub limit: Option<(f64, f64)>,
    /// are rows locked?
    pub locks: bool,
    pub enabled: EnabledScans,
    pub major: u32,
}

impl Wanted<'_> {
    fn rel(&self) -> Rel<'_> {
        Rel {
            table: self.table,
            clauses: &self.clauses,
            needed: self.needed.clone(),
            order: &self.order,
            startup_counts: self.limit.is_some(),
            enabled: self.enabled,
            major: self.major,
        }
    }

    /// The cheapest path, and whether its rows are still to be sorted.
    pub fn best(&self) -> (Path, bool) {
        let found = paths(&self.rel());
        let cheapest = self.cheapest(&found);
        let mut sorted: Vec<Path> = Vec::new();
        let mut ends: Vec<(Method, bool)> = Vec::new();
        for (number, path) in found.iter().enumerate() {
            let is_sorted = self.order.is_empty() || path.ordered;
            if !is_sorted && number != cheapest {
                continue;
            }
            let mut done = path.clone();
            done.ordered = !self.order.is_empty();
            if !is_sorted {
                let bound = self.limit.filter(|(count, _)| *count >= 0.0).map(|(count, offset)| count + offset);
                done.cost = cost::sort(path.cost, path.rows, bound);
                done.disabled += u32::from(!self.enabled.sort && self.major >= 18);
                if !self.enabled.sort && self.major < 18 {
                    done.cost = Cost { startup: done.cost.startup + 1e10, total: done.cost.total + 1e10 };
                }
            }
            if self.locks {
                done.cost.total += CPU_TUPLE * done.rows;
            }
            self.limited(&mut done);
            ends.push((done.method.clone(), !is_sorted));
            add_path(&mut sorted, done, self.limit.is_some());
        }
        let chosen = sorted.swap_remove(self.cheapest(&sorted));
        let sorts = ends.iter().any(|(method, sorts)| *sorts && *method == chosen.method);
        let before = found.into_iter().find(|path| path.method == chosen.method).unwrap_or(chosen);
        (before, sorts)
    }

    fn cheapest(&self, paths: &[Path]) -> usize {
        let key = |path: &Path| (path.disabled, path.cost.total, path.cost.startup);
        (1..paths.len()).fold(0, |best, next| if key(&paths[next]) < key(&paths[best]) { next } else { best })
    }

    /// `adjust_limit_rows_costs`
    fn limited(&self, path: &mut Path) {
        let Some((count, offset)) = self.limit else { return };
        let Cost { startup, total } = path.cost;
        let (input, rows) = (total - startup, path.rows);
        let skipped = offset.min(rows);
        path.cost.startup += input * skipped / rows;
        let left = (rows - skipped).max(1.0);
        // a number that is not known counts as a tenth
        let wanted = if count < 0.0 { super::size::clamp(left * 0.1) } else { count.min(left) };
        path.cost.total = path.cost.startup + input * wanted / rows;
        path.rows = wanted.max(1.0);
    }

    /// The scan that was found.
    pub fn scan(&self) -> (Scan, bool) {
        let (path, sorts) = self.best();
        (self.scan_of(path), sorts)
    }

    fn scan_of(&self, path: Path) -> Scan {
        Scan {
            table: self.table.oid,
            name: self.table.name.clone(),
            method: path.method,
            filter: self.clauses.clone(),
            cost: path.cost,
            rows: path.rows,
        }
    }

    /// The scan of a condition that nothing satisfies.
    pub fn nothing(table: &TableInfo) -> Scan {
        Scan {
            table: table.oid,
            name: table.name.clone(),
            method: Method::Nothing,
            filter: Vec::new(),
            cost: Cost::default(),
            rows: 0.0,
        }
    }

    /// min and max read from an index each, where all aggregates are such and that is cheaper than the scan.
    pub fn extremes(&self, aggregates: &[Aggregate], scan: &Scan) -> Option<Vec<Extreme>> {
        let mut extremes = Vec::new();
        let mut cost = CPU_TUPLE;
        for aggregate in aggregates {
            let (extreme, one) = self.extreme(aggregate)?;
            extremes.push(extreme);
            cost += one;
        }
        // a transition function a row and aggregate
        let transitions: f64 =
            aggregates.iter().map(|aggregate| CPU_OPERATOR + cost::quals(&aggregate.args, self.major).total).sum();
        let whole = scan.cost.total + transitions * scan.rows + CPU_TUPLE;
        (cost < whole).then_some(extremes)
    }

    /// `build_minmax_path`: the scan, and what its first row costs.
    fn extreme(&self, aggregate: &Aggregate) -> Option<(Extreme, f64)> {
        let descending = match aggregate.kind {
            AggregateKind::Min => false,
            AggregateKind::Max => true,
            _ => return None,
        };
        let value = aggregate.args.first()?.clone();
        let ty = crate::datum::SqlType::plain(16);
        let not_null = Typed { node: Node::IsNull(Box::new(value.clone()), true), ty };
        let mut wanted = self.clone();
        // from 17 a column that is never NULL is not asked
        if !(self.major >= 17 && super::statement::is_not_null(self.table, &value)) {
            wanted.clauses.push(not_null);
        }
        wanted.order = alloc::vec![SortKey { expr: value.clone(), descending, nulls_first: descending }];
        wanted.limit = Some((1.0, 0.0));
        let found = paths(&wanted.rel());
        let first = |path: &Path| path.cost.startup + (path.cost.total - path.cost.startup) / path.rows;
        let best = found.into_iter().filter(|path| path.ordered).min_by(|a, b| first(a).total_cmp(&first(b)))?;
        let cost = first(&best);
        Some((Extreme { scan: wanted.scan_of(best), value }, cost))
    }

    /// Is the value an unfinished one, such as a parameter?
    pub fn limit_value(expr: Option<&Typed>) -> Option<f64> {
        Some(match &expr?.node {
            Node::Const(Value::Int8(count)) => *count as f64,
            Node::Const(Value::Null) => return None,
            _ => -1.0,
        })
    }
}
