//! What each way to join costs: `initial_cost_nestloop`, `final_cost_nestloop` and those of the other ways,
//! `cost_rescan`, `create_unique_path` (src/backend/optimizer/path/costsize.c, src/backend/optimizer/util/pathnode.c).

use super::estimate::{Matches, Part};
use super::model::Model;
use super::{Clause, Way, WayNode};
use crate::sql::plan::cost::{CPU_OPERATOR, CPU_TUPLE, sort_of_width};
use crate::sql::plan::hash_buckets::buckets;
use crate::sql::plan::size::{WORK_MEM, byte_size, clamp, rint};
use crate::sql::plan::{Cost, JoinNode, Method};
use crate::version::SqlBehaviour;
use alloc::vec::Vec;

/// `disable_cost`
pub(super) const DISABLED: f64 = 1.0e10;

/// What conditions cost a row or a pair.
pub(super) fn quals(clauses: &[&Clause], major: u32) -> f64 {
    crate::sql::plan::cost::quals(clauses.iter().map(|clause| &clause.expr), major).total
}

/// `cost_rescan`
fn again(way: &Way, model: &Model) -> Cost {
    match &way.node {
        WayNode::Scan(n, ..) => {
            let kept = model.bases[*n].source.as_ref().and_then(|rows| rows.again);
            kept.unwrap_or(way.cost)
        }
        WayNode::Material(_) => Cost { startup: 0.0, total: CPU_OPERATOR * way.rows },
        WayNode::Join(join) if join.node == JoinNode::Hash => {
            Cost { startup: 0.0, total: way.cost.total - way.cost.startup }
        }
        _ => way.cost,
    }
}

/// `create_material_path`
pub(super) fn material(way: &Way) -> Option<Cost> {
    (byte_size(way.rows, way.width) <= WORK_MEM).then(|| material_cost(way.cost, way.rows).0)
}

/// `cost_material`, and what reading the rows again costs (`cost_rescan`).
pub(in crate::sql::plan) fn material_cost(cost: Cost, rows: f64) -> (Cost, Cost) {
    let kept = Cost { startup: cost.startup, total: cost.total + 2.0 * CPU_OPERATOR * rows };
    (kept, Cost { startup: 0.0, total: CPU_OPERATOR * rows })
}

/// The hash table of a join.
#[derive(Clone, Copy)]
pub(in crate::sql::plan) struct Hashed {
    /// columns that are hashed
    pub count: f64,
    /// what comparing these costs
    pub quals: f64,
    pub buckets: f64,
    /// the share of the rows in a bucket
    pub share: f64,
}

/// A hash join but for what its pairs cost: before the first row and for all, and how many pairs there are, where a
/// row of the outer side has one partner.
pub(in crate::sql::plan) fn hash_cost(
    (outer, inner): ((Cost, f64), (Cost, f64)),
    hashed: Hashed,
    matches: Option<Matches>,
) -> (f64, f64, Option<f64>) {
    let ((outer, rows), (inner, inner_rows)) = (outer, inner);
    let Hashed { count, quals, buckets, share } = hashed;
    let hashing = CPU_OPERATOR * count;
    let startup = outer.startup + inner.total + (hashing + CPU_TUPLE) * inner_rows;
    let mut run = outer.total - outer.startup + hashing * rows;
    let matched = matches.map(|Matches { share: matched, count: partners }| {
        let (matched, scanned) = (rint(rows * matched), 2.0 / (partners + 1.0));
        run += quals * matched * clamp(inner_rows * share * scanned) * 0.5;
        run += quals * (rows - matched) * clamp(inner_rows / buckets) * 0.05;
        matched
    });
    if matched.is_none() {
        run += quals * rows * clamp(inner_rows * share) * 0.5;
    }
    (startup, run, matched)
}

/// `has_indexed_join_quals`
fn is_indexed(inner: &Way) -> bool {
    let WayNode::Scan(_, path, reads) = &inner.node else { return false };
    let taken = match &path.method {
        Method::Index(index) => &index.taken,
        Method::Bitmap(crate::sql::plan::Bitmap::Index(index)) => &index.taken,
        _ => return false,
    };
    !reads.is_empty() && (0..reads.len()).all(|n| taken.contains(&n))
}

/// The inner side of a nested loop.
#[derive(Clone, Copy)]
pub(in crate::sql::plan) struct Inner {
    /// the first time
    pub cost: Cost,
    /// each further time (`cost_rescan`)
    pub again: Cost,
    pub rows: f64,
    /// does an index find the rows that join?
    pub indexed: bool,
}

/// A nested loop; `quals`: what the join's conditions cost a pair of rows.
pub(in crate::sql::plan) fn nested_cost(
    outer: (Cost, f64),
    inner: Inner,
    matches: Option<Matches>,
    quals: f64,
) -> Cost {
    let (cost, rows) = outer;
    let startup = cost.startup + inner.cost.startup;
    let mut run = cost.total - cost.startup + (rows - 1.0).max(0.0) * inner.again.startup;
    let (first, again) = (inner.cost.total - inner.cost.startup, inner.again.total - inner.again.startup);
    let pairs = match matches {
        None => {
            run += first + (rows - 1.0).max(0.0) * again;
            rows * inner.rows
        }
        Some(Matches { share, count }) => {
            let matched = rint(rows * share);
            let (unmatched, scanned) = (rows - matched, 2.0 / (count + 1.0));
            let pairs = matched * inner.rows * scanned;
            if inner.indexed {
                run += first * scanned + (matched - 1.0).max(0.0) * again * scanned;
                run += unmatched * again / inner.rows;
                pairs
            } else {
                let (matched, left) =
                    if unmatched >= 1.0 { (matched, unmatched - 1.0) } else { (matched - 1.0, unmatched) };
                run += first + matched.max(0.0) * again * scanned + left.max(0.0) * again;
                pairs + unmatched * inner.rows
            }
        }
    };
    run += (CPU_TUPLE + quals) * pairs;
    Cost { startup, total: startup + run }
}

/// One side of a merge join.
#[derive(Clone, Copy)]
pub(in crate::sql::plan) struct Sorted {
    pub cost: Cost,
    pub rows: f64,
    pub part: Part,
    /// is there a sort of these bytes?
    pub sorted: Option<f64>,
    /// can it go back to a row (`ExecSupportsMarkRestore`)?
    pub goes_back: bool,
}

/// A merge join; `skips`: is no row of the inner side read twice, as the join asks for one partner, or as the outer
/// side is distinct? `quals`: what its keys cost a pair, and its other conditions. Gives whether inner rows are kept,
/// too.
pub(in crate::sql::plan) fn merge_cost(
    (outer, inner): (&Sorted, &Sorted),
    pairs: f64,
    (skips, is_distinct): (bool, bool),
    quals: [f64; 2],
    (allows, memory): (bool, f64),
) -> (Cost, bool) {
    let read = |side: &Sorted| {
        let (skipped, rows) = (rint(side.rows * side.part.start), clamp(side.rows * side.part.end));
        (skipped, rows, skipped / side.rows, rows / side.rows)
    };
    let ((outer_skipped, outer_rows, from, to), (inner_skipped, inner_rows, inner_from, inner_to)) =
        (read(outer), read(inner));
    let run_of = |side: &Sorted| side.cost.total - side.cost.startup;
    let mut startup = outer.cost.startup + run_of(outer) * from;
    let mut run = run_of(outer) * (to - from);
    startup += inner.cost.startup + run_of(inner) * inner_from;
    let inner_run = run_of(inner) * (inner_to - inner_from);
    let rescanned = if skips || is_distinct { 0.0 } else { (pairs - inner.rows).max(0.0) };
    let ratio = 1.0 + rescanned / inner_rows;
    let (bare, kept) = (inner_run * ratio, inner_run + CPU_OPERATOR * inner_rows * ratio);
    let is_kept = !skips
        && (allows && kept < bare
            || inner.sorted.is_none() && !inner.goes_back
            || allows && inner.sorted.is_some_and(|bytes| bytes > memory));
    run += if is_kept { kept } else { bare };
    let [keys, others] = quals;
    startup += keys * (outer_skipped + inner_skipped * ratio);
    run += keys * (outer_rows - outer_skipped + (inner_rows - inner_skipped) * ratio);
    run += (CPU_TUPLE + others) * pairs;
    (Cost { startup, total: startup + run }, is_kept)
}

impl Model {
    /// A nested loop; `asked`: what is asked of each pair.
    pub(super) fn nested(&self, outer: &Way, inner: &Way, matches: Option<Matches>, asked: &[&Clause]) -> Option<Cost> {
        let again = match &inner.node {
            WayNode::Memoize(below, slots) => self.memoized(below, slots, outer)?.1,
            _ => again(inner, self),
        };
        let side = Inner { cost: inner.cost, again, rows: inner.rows, indexed: is_indexed(inner) };
        Some(nested_cost((outer.cost, outer.rows), side, matches, quals(asked, self.input.major)))
    }

    /// `cost_memoize_rescan`: what it costs the first time, and each further one.
    pub(super) fn memoized(&self, below: &Way, slots: &[u16], outer: &Way) -> Option<(Cost, Cost)> {
        /// an entry, its key, and each row of it
        const ENTRY: f64 = 48.0;
        const ROW: f64 = 16.0;
        let (rows, calls, cost) = (below.rows, outer.rows, below.cost);
        let memory = if self.version().doubles_hash_memory() { 2.0 * WORK_MEM } else { WORK_MEM };
        let entries = (memory / (byte_size(rows, below.width) + ENTRY + ROW * rows)) as u64 as f64;
        let (distinct, is_guess) = self.values(slots, calls)?;
        let distinct = if is_guess { calls } else { distinct };
        let evicted = 1.0 - entries.min(distinct) / distinct;
        let hits = (calls - distinct) / calls * (entries / distinct.max(entries));
        let kept = CPU_OPERATOR + (CPU_TUPLE + CPU_OPERATOR * rows) * evicted + CPU_OPERATOR * rows;
        let total = cost.total * (1.0 - hits) + kept + CPU_TUPLE;
        let again = Cost { startup: cost.startup * (1.0 - hits) + CPU_TUPLE, total };
        Some((Cost { startup: cost.startup + CPU_TUPLE, total: cost.total + CPU_TUPLE }, again))
    }

    /// A hash join; `None`: the table does not fit into memory.
    pub(super) fn hash(
        &self,
        sides: [&Way; 2],
        (keys, others): (&[Clause], &[&Clause]),
        matches: Option<Matches>,
        is_anti: bool,
    ) -> Option<Cost> {
        /// a row's header in a hash table, and that of its group
        const HEADER: f64 = 32.0;
        let [outer, inner] = sides;
        if inner.rows * (HEADER + f64::from(inner.width.next_multiple_of(8)) + 16.0) > WORK_MEM {
            return None;
        }
        let buckets = f64::from(buckets(inner.rows));
        let share = match &inner.node {
            WayNode::Unique(..) | WayNode::Same(_) => 1.0 / buckets,
            _ => self.bucket_share(keys, inner.rels, buckets),
        };
        let hashed = Hashed {
            count: keys.len() as f64,
            quals: quals(&keys.iter().collect::<Vec<_>>(), self.input.major),
            buckets,
            share,
        };
        let sides = ((outer.cost, outer.rows), (inner.cost, inner.rows));
        let (startup, run, matched) = hash_cost(sides, hashed, matches);
        let found = match matched {
            Some(matched) if is_anti => outer.rows - matched,
            Some(matched) => matched,
            None => self.pairs(outer.rows, inner.rows, keys)?,
        };
        let others = quals(others, self.input.major);
        Some(Cost { startup, total: startup + (run + (CPU_TUPLE + others) * found) })
    }

    /// A side of a merge join, sorted where it has not the order.
    pub(super) fn sorted(&self, way: &Way, part: Part, sorts: bool) -> Option<(Sorted, Option<Cost>)> {
        let goes_back = match &way.node {
            WayNode::Scan(_, path, _) => matches!(path.method, Method::Index(_)),
            WayNode::Material(_) => true,
            _ => false,
        };
        if !sorts {
            return Some((Sorted { cost: way.cost, rows: way.rows, part, sorted: None, goes_back }, None));
        }
        let bytes = byte_size(way.rows, way.width);
        let pages = self.bases.first()?.table.page_costs;
        let mut cost = sort_of_width(way.cost, way.rows, way.width, None, pages)?;
        if !self.enabled.sort && !self.version().counts_disabled_nodes() {
            cost = Cost { startup: cost.startup + DISABLED, total: cost.total + DISABLED };
        }
        Some((Sorted { cost, rows: way.rows, part, sorted: Some(bytes), goes_back: true }, Some(cost)))
    }

    /// A merge join, and whether rows of the inner side are kept.
    pub(super) fn merge(
        &self,
        sides: (&Sorted, &Sorted),
        (keys, others): (&[Clause], &[&Clause]),
        skips: bool,
        is_unique_outer: bool,
    ) -> Option<(Cost, bool)> {
        let (outer, inner) = sides;
        let pairs = self.pairs(outer.rows, inner.rows, keys)?;
        let costs = [quals(&keys.iter().collect::<Vec<_>>(), self.input.major), quals(others, self.input.major)];
        Some(merge_cost((outer, inner), pairs, (skips, is_unique_outer), costs, (self.enabled.material, WORK_MEM)))
    }

    /// `create_unique_path`: rows of a relation without those that are equal in these columns; by hashing?
    pub(super) fn unique(&self, way: &Way, slots: &[u16]) -> Option<(Cost, f64, bool)> {
        const ENTRY: f64 = 64.0;
        let rows = self.values(slots, way.rows)?.0;
        let columns = slots.len() as f64;
        let pages = self.bases.first()?.table.page_costs;
        let mut sorted = sort_of_width(way.cost, way.rows, way.width, None, pages)?;
        if !self.enabled.sort && !self.version().counts_disabled_nodes() {
            sorted = Cost { startup: sorted.startup + DISABLED, total: sorted.total + DISABLED };
        }
        sorted.total += CPU_OPERATOR * way.rows * columns;
        if (f64::from(way.width) + ENTRY) * rows > WORK_MEM || !self.enabled.sort || !self.enabled.hashagg {
            return None;
        }
        let startup = way.cost.total + CPU_OPERATOR * columns * way.rows;
        let hashed = Cost { startup, total: startup + CPU_TUPLE * rows };
        Some(if hashed.total < sorted.total { (hashed, rows, true) } else { (sorted, rows, false) })
    }
}
