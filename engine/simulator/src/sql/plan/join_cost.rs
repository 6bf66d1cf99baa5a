//! What joining MERGE's source with its table costs, by what is known of both (`final_cost_nestloop`,
//! `final_cost_hashjoin`, src/backend/optimizer/path/costsize.c), and which of the ways `add_path` keeps.

use super::cost::{CPU_OPERATOR, CPU_TUPLE, Cost};
use super::joinrel::{Hashed, Inner, Matches, hash_cost, material_cost, nested_cost};
use super::path::{FUZZ, TIE};
use super::size::{clamp, rint};
use alloc::vec::Vec;

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

/// What is known of rows of the outer side and their partners, where these have one at most.
fn matches(outer: &Side, inner: &Side) -> Option<Matches> {
    inner.unique.then(|| Matches { share: share(outer, inner), count: inner.rows })
}

/// A hash join: all of the inner side is read first.
pub fn hash(outer: &Side, inner: &Side, clauses: Clauses) -> Cost {
    let pairs = || rint(outer.rows * inner.rows * share(outer, inner));
    let hashed = Hashed {
        count: clauses.keys,
        quals: CPU_OPERATOR * clauses.keys,
        buckets: f64::from(buckets(inner.rows)),
        share: bucket_share(inner),
    };
    let sides = ((outer.cost, outer.rows), (inner.cost, inner.rows));
    let (startup, run, found) = hash_cost(sides, hashed, matches(outer, inner));
    Cost { startup, total: startup + (run + (CPU_TUPLE + clauses.others) * found.unwrap_or_else(pairs)) }
}

/// A nested loop over an index scan, which costs so much each time, and finds so many rows.
pub fn nested(outer: &Side, inner: Cost, rows: f64, inner_side: &Side, clauses: Clauses) -> Cost {
    let inner = Inner { cost: inner, again: inner, rows, indexed: true };
    nested_cost((outer.cost, outer.rows), inner, matches(outer, inner_side), clauses.others)
}

/// A nested loop over rows that are read once and kept (Materialize), or read again each time.
pub fn nested_whole(outer: &Side, inner: &Side, clauses: Clauses) -> Cost {
    let (cost, again) = material_cost(inner.cost, inner.rows);
    let by = |cost: Cost, again: Cost| {
        let inner_rows = Inner { cost, again, rows: inner.rows, indexed: false };
        let quals = CPU_OPERATOR * clauses.keys + clauses.others;
        nested_cost((outer.cost, outer.rows), inner_rows, matches(outer, inner), quals)
    };
    let (one, other) = (by(cost, again), by(inner.cost, inner.cost));
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
