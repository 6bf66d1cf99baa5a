//! What ANALYZE finds out of the values of a column: `compute_scalar_stats`, `compute_trivial_stats`,
//! `analyze_mcv_list` (src/backend/commands/analyze.c).
//!
//! ```text
//!  values of the sample, sorted ─┬─ equal neighbours ─▶ how many different ones ─▶ the most common, as far as that is no accident
//!                                ├─ the others ─▶ bounds of bins with equally many
//!                                └─ their places before and after sorting ─▶ correlation
//! ```

use crate::cluster::pg_class::ColumnStats;
use crate::sql::plan::sqrt;
use alloc::vec::Vec;
use ffviz_format::datum::Value;
use ffviz_format::datum::compare::{Comparator, comparator};
use ffviz_format::datum::range::range_subtype;
use ffviz_format::page::Oid;

/// A column's values in the sample.
#[derive(Debug, Default)]
pub(super) struct Column {
    /// `attstattarget`: of most common values, and of bins
    pub target: usize,
    /// those that are compared, in the order of the rows
    pub values: Vec<Value>,
    /// rows that are NULL
    pub nulls: usize,
    /// values too wide to be compared
    pub too_wide: usize,
    /// bytes of all
    pub width: usize,
    /// bytes of each, where the type has a length
    pub fixed_width: Option<u16>,
}

/// Values that are equal, by their place among the sorted ones.
#[derive(Clone, Copy)]
struct Run {
    first: usize,
    count: usize,
}

/// Figures of the sample.
struct Counts {
    rows: f64,
    total: f64,
    null_frac: f64,
}

impl Column {
    fn rows(&self) -> usize {
        self.values.len() + self.nulls + self.too_wide
    }

    /// Its row of `pg_statistic`, for a table of that many rows. `None` without a sample.
    pub fn stats(self, typid: Oid, total: f64) -> Option<ColumnStats> {
        let rows = self.rows();
        let not_null = rows - self.nulls;
        let null_frac = float4(self.nulls as f64 / rows as f64);
        let width = self.fixed_width.map_or_else(|| self.width / not_null.max(1), usize::from) as u32;
        let known = ColumnStats { null_frac, width, ..ColumnStats::default() };
        // `compute_range_stats`, without its histograms
        let is_range = range_subtype(typid).is_some();
        match comparator(typid).filter(|_| !is_range) {
            _ if rows == 0 => None,
            Some(compare) if !self.values.is_empty() => {
                Some(self.compared(compare, &Counts { rows: rows as f64, total, null_frac }, known))
            }
            // all too wide: they are taken to be different
            Some(_) if not_null > 0 => Some(ColumnStats { distinct: -(1.0 - null_frac), ..known }),
            None if is_range && not_null > 0 => Some(ColumnStats { distinct: -(1.0 - null_frac), ..known }),
            _ => Some(known),
        }
    }

    fn compared(mut self, compare: Comparator, counts: &Counts, known: ColumnStats) -> ColumnStats {
        let mut order: Vec<usize> = (0..self.values.len()).collect();
        order.sort_by(|a, b| compare(&self.values[*a], &self.values[*b]).then(a.cmp(b)));
        let runs = runs(&order, |a, b| compare(&self.values[a], &self.values[b]).is_eq());
        let multiple = runs.iter().filter(|run| run.count > 1).count();
        let distinct = self.distinct(runs.len(), multiple, counts);
        let mut common = most_common(&runs, self.target);
        let knows_all = common.len() == runs.len() && self.too_wide == 0 && distinct > 0.0;
        if !knows_all {
            let kept = analyze_mcv_list(&common, distinct, counts);
            common.truncate(kept);
        }
        let share = |run: &Run| float4(run.count as f64 / counts.rows);
        let most_common = common.iter().map(|run| (self.values[order[run.first]].clone(), share(run))).collect();
        let correlation = correlation(&order);
        common.sort_by_key(|run| run.first);
        let rest = without(&order, &common);
        let bounds = bounds(&rest, runs.len() - common.len(), self.target);
        let histogram = bounds.into_iter().map(|at| core::mem::replace(&mut self.values[at], Value::Null)).collect();
        ColumnStats { distinct, most_common, histogram, correlation, ..known }
    }

    /// `stadistinct`: of Haas and Stokes, where some values came up once only.
    fn distinct(&self, distinct: usize, multiple: usize, counts: &Counts) -> f64 {
        let found = if multiple == 0 {
            return float4(-(1.0 - counts.null_frac));
        } else if self.too_wide == 0 && multiple == distinct {
            distinct as f64
        } else {
            let once = (distinct - multiple + self.too_wide) as f64;
            let different = once + multiple as f64;
            let (n, all) = (counts.rows - self.nulls as f64, counts.total * (1.0 - counts.null_frac));
            let estimate = if all > 0.0 { n * different / ((n - once) + once * n / all) } else { 0.0 };
            (estimate.max(different).min(all) + 0.5) as u64 as f64
        };
        float4(if found > 0.1 * counts.total { -(found / counts.total) } else { found })
    }
}

/// The columns of `pg_statistic` are of type real.
fn float4(number: f64) -> f64 {
    f64::from(number as f32)
}

/// Equal neighbours.
fn runs(order: &[usize], is_equal: impl Fn(usize, usize) -> bool) -> Vec<Run> {
    let mut first = 0;
    let chunks = order.chunk_by(|a, b| is_equal(*a, *b));
    let run = |chunk: &[usize]| {
        first += chunk.len();
        Run { first: first - chunk.len(), count: chunk.len() }
    };
    chunks.map(run).collect()
}

/// Values that came up more than once, the most common first; of equally common ones the lesser.
fn most_common(runs: &[Run], target: usize) -> Vec<Run> {
    let mut track: Vec<Run> = runs.iter().copied().filter(|run| run.count > 1).collect();
    track.sort_by_key(|run| core::cmp::Reverse(run.count));
    track.truncate(target);
    track
}

/// How many of them are common beyond doubt: more than two standard deviations above what the others have on average.
fn analyze_mcv_list(common: &[Run], distinct: f64, counts: &Counts) -> usize {
    let Counts { rows, total, null_frac } = *counts;
    if rows == total || total <= 1.0 {
        return common.len();
    }
    let different = if distinct < 0.0 { -distinct * total } else { distinct };
    let mut kept = common.len();
    let mut sum: usize = common.iter().rev().skip(1).map(|run| run.count).sum();
    while kept > 0 {
        let rest = (1.0 - sum as f64 / rows - null_frac).clamp(0.0, 1.0);
        let others = different - (kept as f64 - 1.0);
        let share = if others > 1.0 { rest / others } else { rest };
        let count = common[kept - 1].count as f64;
        let expected = total * count / rows;
        let variance = rows * expected * (total - expected) * (total - rows) / (total * total * (total - 1.0));
        if count > share * rows + 2.0 * sqrt(variance) + 0.5 {
            break;
        }
        kept -= 1;
        if kept > 0 {
            sum -= common[kept - 1].count;
        }
    }
    kept
}

/// The sorted values without those of the runs, which are in order.
fn without(order: &[usize], runs: &[Run]) -> Vec<usize> {
    let (mut rest, mut at) = (Vec::new(), 0);
    for run in runs {
        rest.extend_from_slice(&order[at..run.first]);
        at = run.first + run.count;
    }
    rest.extend_from_slice(&order[at..]);
    rest
}

/// The bounds of bins with equally many values; `distinct`: how many different ones there are.
fn bounds(sorted: &[usize], distinct: usize, target: usize) -> Vec<usize> {
    let count = distinct.min(target + 1);
    if count < 2 {
        return Vec::new();
    }
    let bin = |n: usize| sorted[n * (sorted.len() - 1) / (count - 1)];
    (0..count).map(bin).collect()
}

/// Of the places of the values in the table and in their order.
fn correlation(order: &[usize]) -> f64 {
    let n = order.len() as f64;
    if order.len() < 2 {
        return 0.0;
    }
    let products: f64 = order.iter().enumerate().map(|(place, before)| place as f64 * *before as f64).sum();
    let sum = (n - 1.0) * n / 2.0;
    let squares = (n - 1.0) * n * (2.0 * n - 1.0) / 6.0;
    float4((n * products - sum * sum) / (n * squares - sum * sum))
}
