//! How many buckets a hash table has, and which of the ways to join two items of FROM `add_path` keeps.

use super::cost::Cost;
use super::path::{FUZZ, TIE};
use super::size::clamp;
use alloc::vec::Vec;

/// `NTUP_PER_BUCKET` is one; there are so many buckets at least.
const FEWEST_BUCKETS: u32 = 1024;

/// `ExecChooseHashTableSize`, where all fits into memory.
pub fn buckets(rows: f64) -> u32 {
    (clamp(rows) as u32).next_power_of_two().max(FEWEST_BUCKETS)
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
