//! Which path a query takes: `grouping_planner` (src/backend/optimizer/plan/planner.c), `preprocess_minmax_aggregates`
//! (src/backend/optimizer/plan/planagg.c).

use super::cost::{self, CPU_OPERATOR, CPU_TUPLE, Cost};
use super::num_groups::num_groups;
use super::path::{LookedUp, Path, Rel, TIE, add_path, paths};
use super::selectivity::Selectivity;
use super::size::of_table;
use super::statement::Planner;
use super::{Extreme, Method, Scan};
use crate::sql::StatementError;
use crate::sql::catalog::{EnabledScans, TableInfo};
use crate::sql::expr::{Aggregate, AggregateKind, Node, SortKey, Typed};
use crate::version::SqlBehaviour;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::Value;
use ffviz_format::datum::input::Context as Input;

/// A scan that is looked for.
#[derive(Clone)]
pub struct Wanted<'a> {
    pub table: &'a TableInfo,
    pub clauses: Vec<Typed>,
    /// columns that are needed; `None`: the row's place too
    pub needed: Option<Vec<u16>>,
    /// are system columns needed above the scan?
    pub system: bool,
    pub order: Vec<SortKey>,
    /// LIMIT and OFFSET; LIMIT negative where it is not known
    pub limit: Option<(f64, f64)>,
    /// which part of the rows is wanted; `None`: all
    pub fraction: Option<f64>,
    /// are rows locked?
    pub locks: bool,
    pub enabled: EnabledScans,
    pub input: Input,
    /// is it scanned for each row of another table?
    pub looked_up: Option<LookedUp>,
}

impl Planner<'_> {
    /// The cheapest scan of a table for rows in any order, all of them; what it takes from catalogs is looked up.
    /// `system`: are system columns needed above it?
    pub fn cheapest_scan(
        &mut self,
        table: &TableInfo,
        clauses: Vec<Typed>,
        needed: Option<Vec<u16>>,
        system: bool,
    ) -> Result<Scan, StatementError> {
        let table = self.with_ends(table, &clauses)?;
        let wanted = Wanted {
            table: &table,
            clauses,
            needed,
            system,
            order: Vec::new(),
            limit: None,
            fraction: None,
            locks: false,
            enabled: self.catalog.scans(),
            input: self.catalog.input(),
            looked_up: None,
        };
        let mut operators = wanted.operators(&[]);
        let scan = wanted.scan_of(wanted.best().0);
        operators.extend(wanted.supports(&scan));
        self.catalog.look_up(operators);
        Ok(scan)
    }
}

impl Wanted<'_> {
    /// Is it likely that not all rows are wanted (`consider_startup`)?
    pub const fn startup_counts(&self) -> bool {
        self.limit.is_some() || self.fraction.is_some()
    }

    /// All ways to scan that are worth something.
    pub fn scans(&self) -> Vec<Path> {
        paths(&self.rel())
    }

    fn rel(&self) -> Rel<'_> {
        Rel {
            table: self.table,
            clauses: &self.clauses,
            needed: self.needed.clone(),
            rechecks: self.needed.is_none(),
            order: &self.order,
            startup_counts: self.startup_counts(),
            enabled: self.enabled,
            input: self.input,
            looked_up: self.looked_up,
        }
    }

    /// The cheapest path, which says how many keys of the wanted order its rows have; and what it costs with what is
    /// done above the scan.
    pub fn best(&self) -> (Path, Cost) {
        let found = paths(&self.rel());
        let cheapest = self.cheapest(&found);
        let mut ends: Vec<Path> = Vec::new();
        // ends are told apart by their method: a way to scan is sorted in one way
        for (number, path) in found.iter().enumerate() {
            for done in self.sorted(path, number == cheapest) {
                add_path(&mut ends, self.finished(done), self.startup_counts());
            }
        }
        let chosen = ends.swap_remove(self.cheapest_fractional(&ends));
        let cost = chosen.cost;
        (found.into_iter().find(|path| path.method == chosen.method).unwrap_or(chosen), cost)
    }

    /// `create_ordered_paths`: as it is, sorted, sorted within groups, or left out.
    fn sorted(&self, path: &Path, is_cheapest: bool) -> Vec<Path> {
        let wanted = self.order.len();
        if path.ordered == wanted {
            return alloc::vec![path.clone()];
        }
        let bound = self.limit.filter(|(count, _)| *count >= 0.0).map(|(count, offset)| count + offset);
        let mut all = Vec::new();
        let with = |cost: Cost| Path { cost, ordered: wanted, ..path.clone() };
        let by_groups = path.ordered > 0 && self.enabled.incremental_sort;
        if is_cheapest && !(by_groups && self.input.version().sorts_within_groups_only()) {
            let mut sorted = with(cost::sort(path.cost, path.rows, bound));
            if !self.enabled.sort {
                self.disable(&mut sorted);
            }
            all.push(sorted);
        }
        if by_groups {
            let groups = groups(self.table, &self.order[..path.ordered], path.rows, self.input);
            all.push(with(cost::incremental_sort(path.cost, path.rows, groups, bound, self.input.major)));
        }
        all
    }

    fn disable(&self, path: &mut Path) {
        if self.input.version().counts_disabled_nodes() {
            path.disabled += 1;
        } else {
            path.cost = Cost { startup: path.cost.startup + 1e10, total: path.cost.total + 1e10 };
        }
    }

    /// With row locks and LIMIT.
    fn finished(&self, mut path: Path) -> Path {
        if self.locks {
            path.cost.total += CPU_TUPLE * path.rows;
        }
        self.limited(&mut path);
        path
    }

    fn cheapest(&self, paths: &[Path]) -> usize {
        let key = |path: &Path| (path.disabled, path.cost.total, path.cost.startup);
        (1..paths.len()).fold(0, |best, next| if key(&paths[next]) < key(&paths[best]) { next } else { best })
    }

    /// `get_cheapest_fractional_path`
    fn cheapest_fractional(&self, paths: &[Path]) -> usize {
        let all = self.cheapest(paths);
        let Some(fraction) = self.fraction else { return all };
        let key = |path: &Path| (path.disabled, path.cost.startup + fraction * (path.cost.total - path.cost.startup));
        (0..paths.len()).fold(all, |best, next| if key(&paths[next]) < key(&paths[best]) { next } else { best })
    }

    fn limited(&self, path: &mut Path) {
        if let Some(limit) = self.limit {
            (path.cost, path.rows) = limited(path.cost, path.rows, limit);
        }
    }

    /// The scan by that path.
    pub fn scan_of(&self, path: Path) -> Scan {
        Scan {
            table: self.table.oid,
            name: self.table.name.clone(),
            method: path.method,
            filter: self.clauses.clone(),
            asked: self.cheapest_first(),
            cost: path.cost,
            rows: path.rows,
            system: self.reads_system(),
        }
    }

    /// `order_qual_clauses`: the places of the conditions, those first that cost least.
    fn cheapest_first(&self) -> Vec<usize> {
        let cost = |place: &usize| cost::quals([&self.clauses[*place]], self.input.major).total;
        let mut places: Vec<usize> = (0..self.clauses.len()).collect();
        places.sort_by(|one, other| cost(one).total_cmp(&cost(other)));
        places
    }

    /// The scan of a condition that nothing satisfies.
    pub fn nothing(table: &TableInfo) -> Scan {
        Scan {
            table: table.oid,
            name: table.name.clone(),
            method: Method::Nothing,
            filter: Vec::new(),
            asked: Vec::new(),
            cost: Cost::default(),
            rows: 0.0,
            system: false,
        }
    }

    /// Is a system column needed, by the conditions or above the scan?
    fn reads_system(&self) -> bool {
        let mut slots = Vec::new();
        self.clauses.iter().for_each(|clause| clause.slots(&mut slots));
        self.system || slots.iter().any(|slot| usize::from(*slot) >= self.table.columns.len())
    }

    /// min and max read from an index each, where all aggregates are such and that is cheaper than the scan.
    pub fn extremes(&self, aggregates: &[Aggregate], scan: &Path) -> Option<Vec<Extreme>> {
        let mut extremes = Vec::new();
        let (mut disabled, mut cost) = (0, CPU_TUPLE);
        for aggregate in aggregates {
            let (path, extreme) = self.extreme(aggregate)?;
            disabled += path.disabled;
            cost += path.first_row();
            extremes.push(extreme);
        }
        // a transition function a row and aggregate
        let transitions: f64 = aggregates
            .iter()
            .map(|aggregate| CPU_OPERATOR + cost::quals(&aggregate.args, self.input.major).total)
            .sum();
        let whole = scan.cost.total + transitions * scan.rows + CPU_TUPLE;
        // `add_path`: they were there first, and stay where the other is not cheaper by this much
        let is_kept = cost <= whole * TIE;
        (disabled < scan.disabled || disabled == scan.disabled && is_kept).then_some(extremes)
    }

    /// `build_minmax_path`
    fn extreme(&self, aggregate: &Aggregate) -> Option<(Path, Extreme)> {
        let descending = match aggregate.kind {
            _ if aggregate.asks_order => return None,
            AggregateKind::Min => false,
            AggregateKind::Max => true,
            _ => return None,
        };
        let value = aggregate.args.first()?.clone();
        let ty = ffviz_format::datum::SqlType::plain(16);
        let not_null = Typed { node: Node::IsNull(Box::new(value.clone()), true), ty };
        let mut wanted = self.clone();
        if !(self.input.version().knows_not_null() && super::filter::is_not_null(self.table, &value)) {
            wanted.clauses.insert(0, not_null);
        }
        wanted.order = alloc::vec![SortKey { expr: value.clone(), descending, nulls_first: descending }];
        wanted.limit = Some((1.0, 0.0));
        // a query of its own, which wants no more of a row than this value
        let mut slots = Vec::new();
        value.slots(&mut slots);
        wanted.system = slots.iter().any(|slot| usize::from(*slot) >= self.table.columns.len());
        wanted.needed = Some(slots);
        let found = paths(&wanted.rel());
        let key = |path: &Path| (path.disabled, path.first_row());
        let ordered = found.into_iter().filter(|path| path.ordered == 1);
        let best = ordered.reduce(|best, next| if key(&next) < key(&best) { next } else { best })?;
        let scan = Arc::new(wanted.scan_of(best.clone()));
        Some((best, Extreme { scan, value }))
    }

    /// The number of LIMIT or OFFSET: `None` where there is none, negative where it is not known yet.
    pub fn limit_value(expr: Option<&Typed>) -> Option<f64> {
        Some(match &expr?.node {
            Node::Const(Value::Int8(count)) => *count as f64,
            Node::Const(Value::Null) => return None,
            _ => -1.0,
        })
    }
}

/// `adjust_limit_rows_costs`
pub(super) fn limited(Cost { startup, total }: Cost, rows: f64, (count, offset): (f64, f64)) -> (Cost, f64) {
    let input = total - startup;
    let skipped = offset.min(rows);
    let startup = startup + input * skipped / rows;
    let left = (rows - skipped).max(1.0);
    // a number that is not known counts as a tenth
    let wanted = if count < 0.0 { super::size::clamp(left * 0.1) } else { count.min(left) };
    (Cost { startup, total: startup + input * wanted / rows }, wanted.max(1.0))
}

/// Values of the keys that are sorted already, among the rows that are left.
pub(super) fn groups(table: &TableInfo, keys: &[SortKey], rows: f64, input: Input) -> f64 {
    let tuples = of_table(table, input.major).tuples;
    let selectivity = Selectivity::new(table, tuples, input);
    num_groups(&keys.iter().map(|key| &key.expr).collect::<Vec<_>>(), &selectivity, rows, rows)
}

impl Scan {
    /// Is no condition asked of a row?
    pub(in crate::sql) const fn asks_nothing(&self) -> bool {
        self.asked.is_empty()
    }

    /// The conditions that are asked of a row, without those at these places.
    pub(in crate::sql) fn left<'a>(&'a self, taken: &'a [usize]) -> impl Iterator<Item = &'a Typed> {
        self.asked.iter().filter(|place| !taken.contains(place)).map(|place| &self.filter[*place])
    }
}

impl Path {
    /// What it costs to have the first row.
    fn first_row(&self) -> f64 {
        self.cost.startup + (self.cost.total - self.cost.startup) / self.rows
    }
}
