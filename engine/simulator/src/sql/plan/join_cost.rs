//! What joining two relations costs: `final_cost_nestloop`, `final_cost_hashjoin`
//! (src/backend/optimizer/path/costsize.c), and which of the ways `add_path` keeps.

use super::cost::{CPU_OPERATOR, CPU_TUPLE, Cost};
use super::path::TIE;
use super::size::{clamp, rint};
use alloc::vec::Vec;

/// `STD_FUZZ_FACTOR`
const FUZZ: f64 = 1.01;
/// `NTUP_PER_BUCKET` is one; there are so many buckets at least.
const FEWEST_BUCKETS: u32 = 1024;

/// One side of a join.
#[derive(Debug, Clone, Copy)]
pub struct Side {
    pub cost: Cost,
    pub rows: f64,
    /// values of the key, and whether that is a guess
    pub distinct: (f64, bool),
    /// the share of the most common value
    pub most_common: f64,
    /// has each row a key of its own?
    pub unique: bool,
}

/// What both sides have in common.
#[derive(Debug, Clone, Copy)]
pub struct Clauses {
    /// equalities that are hashed
    pub keys: f64,
    /// what the other conditions cost a row
    pub others: f64,
}

/// `ExecChooseHashTableSize`, where all fits into memory.
pub fn buckets(rows: f64) -> u32 {
    (clamp(rows) as u32).next_power_of_two().max(FEWEST_BUCKETS)
}

/// `eqjoinsel_inner` without lists of most common values.
fn share(one: &Side, other: &Side) -> f64 {
    1.0 / one.distinct.0.max(other.distinct.0).max(1.0)
}

/// `estimate_hash_bucket_stats`
fn bucket_share(inner: &Side) -> f64 {
    const UNKNOWN: f64 = 0.1;
    let (distinct, is_guess) = inner.distinct;
    if is_guess {
        return UNKNOWN.max(inner.most_common);
    }
    let (average, buckets) = (1.0 / distinct, f64::from(buckets(inner.rows)));
    let share = 1.0 / clamp(distinct.min(inner.rows)).min(buckets);
    let skewed = if inner.most_common > average { share * inner.most_common / average } else { share };
    skewed.clamp(1.0e-6, 1.0)
}

/// A hash join: all of the inner side is read first.
pub fn hash(outer: &Side, inner: &Side, clauses: Clauses) -> Cost {
    let quals = CPU_OPERATOR * clauses.keys;
    let startup = outer.cost.startup + inner.cost.total + (quals + CPU_TUPLE) * inner.rows;
    let mut run = outer.cost.total - outer.cost.startup + quals * outer.rows;
    let rows = if inner.unique {
        let matched = rint(outer.rows * share(outer, inner));
        let scanned = 2.0 / (inner.rows + 1.0);
        run += quals * matched * clamp(inner.rows * bucket_share(inner) * scanned) * 0.5;
        run += quals * (outer.rows - matched) * clamp(inner.rows / f64::from(buckets(inner.rows))) * 0.05;
        matched
    } else {
        run += quals * outer.rows * clamp(inner.rows * bucket_share(inner)) * 0.5;
        rint(outer.rows * inner.rows * share(outer, inner))
    };
    Cost { startup, total: startup + run + (CPU_TUPLE + clauses.others) * rows }
}

/// A nested loop over an index scan, which costs so much each time, and finds so many rows.
pub fn nested(outer: &Side, inner: Cost, rows: f64, inner_side: &Side, clauses: Clauses) -> Cost {
    let startup = outer.cost.startup + inner.startup;
    let mut run = outer.cost.total - outer.cost.startup + (outer.rows - 1.0).max(0.0) * inner.startup;
    let each = inner.total - inner.startup;
    let found = if inner_side.unique {
        let matched = rint(outer.rows * share(outer, inner_side));
        let scanned = 2.0 / (inner_side.rows + 1.0);
        run += each * scanned;
        run += (matched - 1.0).max(0.0) * each * scanned;
        run += (outer.rows - matched) * each / rows.max(1.0);
        matched * rows * scanned
    } else {
        run += each * outer.rows.max(1.0);
        outer.rows * rows
    };
    Cost { startup, total: startup + run + (CPU_TUPLE + clauses.others) * found }
}

/// A nested loop over rows that are read once and kept (Materialize), or read again each time.
pub fn nested_whole(outer: &Side, inner: &Side, clauses: Clauses) -> Cost {
    let kept = Cost { startup: inner.cost.startup, total: inner.cost.total + 2.0 * CPU_OPERATOR * inner.rows };
    let again = CPU_OPERATOR * inner.rows;
    let by = |first: Cost, again: f64| {
        let startup = outer.cost.startup + first.startup;
        let mut run = outer.cost.total - outer.cost.startup;
        let each = first.total - first.startup;
        let matched = if inner.unique { rint(outer.rows * share(outer, inner)) } else { 0.0 };
        let scanned = 2.0 / (inner.rows + 1.0);
        let found = if inner.unique {
            run += if matched < outer.rows { each } else { each * scanned };
            run += (outer.rows - matched - 1.0).max(0.0) * again + matched * again * scanned;
            matched * inner.rows * scanned + (outer.rows - matched) * inner.rows
        } else {
            run += each + (outer.rows - 1.0).max(0.0) * again;
            outer.rows * inner.rows
        };
        let quals = CPU_OPERATOR * clauses.keys + clauses.others;
        Cost { startup, total: startup + run + (CPU_TUPLE + quals) * found }
    };
    let (one, other) = (by(kept, again), by(inner.cost, inner.cost.total));
    if other.total < one.total { other } else { one }
}

/// `add_path`, `set_cheapest`: of ways in the order in which they are tried the place of the one that is taken.
pub fn cheapest(ways: &[Cost]) -> usize {
    let mut kept: Vec<usize> = Vec::new();
    for (n, new) in ways.iter().enumerate() {
        let is_better = |one: &Cost, other: &Cost| {
            one.total * FUZZ < other.total || one.total <= other.total * FUZZ && one.startup * FUZZ < other.startup
        };
        let mut is_kept = true;
        kept.retain(|old| {
            let old = &ways[*old];
            if is_better(new, old) {
                return false;
            }
            // of those that count as equal the first stays, unless it costs more all the same
            let is_cheaper = !is_better(old, new) && new.total * TIE < old.total;
            is_kept &= is_cheaper;
            !is_cheaper
        });
        if is_kept {
            kept.push(n);
        }
    }
    kept.into_iter().reduce(|best, next| if ways[next].total < ways[best].total { next } else { best }).unwrap_or(0)
}
