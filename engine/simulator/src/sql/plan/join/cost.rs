//! What each way to join costs: `initial_cost_nestloop`, `final_cost_nestloop` and those of the other ways,
//! `cost_material`, `cost_memoize_rescan` (src/backend/optimizer/path/costsize.c).

use super::estimate::{Matches, Part, Side};
use crate::sql::plan::Cost;
use crate::sql::plan::cost::{CPU_OPERATOR, CPU_TUPLE};
use crate::sql::plan::join_cost::buckets;
use crate::sql::plan::num_groups::num_groups;
use crate::sql::plan::size::{byte_size, clamp, rint};

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
pub(in crate::sql::plan) fn nested(outer: (Cost, f64), inner: Inner, matches: Option<Matches>, quals: f64) -> Cost {
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

/// `cost_material`, and what reading the rows again costs.
pub(super) fn material(cost: Cost, rows: f64) -> (Cost, Cost) {
    let kept = Cost { startup: cost.startup, total: cost.total + 2.0 * CPU_OPERATOR * rows };
    (kept, Cost { startup: 0.0, total: CPU_OPERATOR * rows })
}

/// `cost_memoize_rescan`: rows are kept for each value of the outer side's key that fits into so many bytes.
pub(super) fn memoize(cost: Cost, rows: f64, width: u32, outer: &Side<'_>, memory: f64) -> Option<(Cost, Cost)> {
    /// an entry, its key, and each row of it
    const ENTRY: f64 = 48.0;
    const ROW: f64 = 16.0;
    let (key, calls) = (outer.key.as_ref()?, outer.rows);
    let entries = (memory / (byte_size(rows, width) + ENTRY + ROW * rows)) as u64 as f64;
    let selectivity = outer.selectivity();
    let is_guess = outer.distinct().1;
    let distinct = if is_guess { calls } else { num_groups(&[key], &selectivity, outer.rows, calls) };
    let evicted = 1.0 - entries.min(distinct) / distinct;
    let hits = (calls - distinct) / calls * (entries / distinct.max(entries));
    // looking for an entry, pushing others out, keeping the rows
    let kept = CPU_OPERATOR + (CPU_TUPLE + CPU_OPERATOR * rows) * evicted + CPU_OPERATOR * rows;
    let total = cost.total * (1.0 - hits) + kept + CPU_TUPLE;
    let again = Cost { startup: cost.startup * (1.0 - hits) + CPU_TUPLE, total };
    Some((Cost { startup: cost.startup + CPU_TUPLE, total: cost.total + CPU_TUPLE }, again))
}

/// A hash join.
pub(super) fn hash(
    outer: Cost,
    inner: Cost,
    sides: (&Side<'_>, &Side<'_>),
    pairs: f64,
    matches: Option<Matches>,
) -> Cost {
    let (outer_side, inner_side) = sides;
    let (rows, inner_rows) = (outer_side.rows, inner_side.rows);
    let startup = outer.startup + inner.total + (CPU_OPERATOR + CPU_TUPLE) * inner_rows;
    let mut run = outer.total - outer.startup + CPU_OPERATOR * rows;
    let count = f64::from(buckets(inner_rows));
    let share = inner_side.bucket_share(count);
    let found = match matches {
        Some(Matches { share: matched, count: partners }) => {
            let matched = rint(rows * matched);
            run += CPU_OPERATOR * matched * clamp(inner_rows * share * (2.0 / (partners + 1.0))) * 0.5;
            run += CPU_OPERATOR * (rows - matched) * clamp(inner_rows / count) * 0.05;
            matched
        }
        None => {
            run += CPU_OPERATOR * rows * clamp(inner_rows * share) * 0.5;
            pairs
        }
    };
    run += CPU_TUPLE * found;
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
pub(in crate::sql::plan) fn merge(
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
