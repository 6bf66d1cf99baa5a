//! What a run cost, in words: the columns of `ffviz sim --format stats`, and what two runs are compared by.
//!
//! ```text
//!  records         bytes  images  touched  dirtied   HOT  statement
//!   30,003     2,720,132       0   20,142   20,142    0%  UPDATE 10000: update t set …
//! ```

use super::Column;
use crate::timeline::{Timeline, Usage};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::thousands;

/// A counter of a run: how it is called, what it says, and how wide it gets.
#[derive(Debug, Clone, Copy)]
pub struct Total {
    /// the heading of its column
    pub name: &'static str,
    /// what is counted, a few words
    pub meaning: &'static str,
    width: usize,
    cell: fn(&Usage) -> String,
}

/// The counters in the order in which they are shown.
pub const TOTALS: [Total; 6] = [
    Total {
        name: "records",
        meaning: "WAL records; EXPLAIN (WAL) leaves out that of the COMMIT",
        width: 10,
        cell: |usage| thousands(usage.wal.records),
    },
    Total {
        name: "bytes",
        meaning: "their length, without page headers and alignment",
        width: 13,
        cell: |usage| thousands(usage.wal.bytes),
    },
    Total { name: "images", meaning: "full-page images in them", width: 7, cell: |usage| thousands(usage.wal.fpi) },
    Total {
        name: "touched",
        meaning: "pages that changed, each once a statement",
        width: 8,
        cell: |usage| thousands(usage.pages_changed),
    },
    Total {
        name: "dirtied",
        meaning: "pages that had not changed since the last checkpoint, as EXPLAIN (BUFFERS) counts them",
        width: 8,
        cell: |usage| thousands(usage.blks_dirtied),
    },
    Total { name: "HOT", meaning: "updated rows that needed no new index entry", width: 5, cell: hot },
];

impl Total {
    /// The counter's value.
    #[must_use]
    pub fn of(&self, usage: &Usage) -> String {
        (self.cell)(usage)
    }
}

/// The share of updates that were HOT, rounded down so that 100% are all; a dash where no row was updated.
fn hot(usage: &Usage) -> String {
    let share = (usage.tup_hot_updated * 100).checked_div(usage.tup_updated);
    share.map_or_else(|| "-".to_string(), |share| format!("{share}%"))
}

/// The headings as a line, numbers to the right.
#[must_use]
pub fn heading() -> String {
    TOTALS.iter().map(|total| format!("{:>1$}", total.name, total.width)).collect()
}

/// The values as a line below them.
#[must_use]
pub fn line(usage: &Usage) -> String {
    TOTALS.iter().map(|total| format!("{:>1$}", total.of(usage), total.width)).collect()
}

/// A run of a script, whose cost is compared with another's.
#[derive(Debug, Clone, Copy)]
pub struct RunTotals<'a> {
    /// what is different about it
    pub name: &'a str,
    /// its steps
    pub timeline: &'a Timeline,
}

/// What two runs cost: up to the end of a statement, and in all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Totals {
    /// two columns of words, then one a counter
    pub columns: Vec<Column>,
    /// a row a run: first so far, then in all; a cell a column
    pub rows: Vec<Vec<String>>,
}

impl Totals {
    /// Of runs of the same script, so far to the end of item `item`, from 1.
    #[must_use]
    pub fn new(runs: &[RunTotals<'_>], item: usize) -> Self {
        let words = ["what it cost", ""].map(|title| Column::new(title, false));
        let counters = TOTALS.iter().map(|total| Column::new(total.name, true));
        let row = |when: &str, items: usize, run: &RunTotals<'_>| {
            let usage = run.timeline.usage(items);
            let words = [run.name.to_string(), when.to_string()];
            words.into_iter().chain(TOTALS.iter().map(|total| total.of(&usage))).collect()
        };
        let so_far = runs.iter().map(|run| row("so far", item, run));
        let in_all = runs.iter().map(|run| row("in all", usize::MAX, run));
        Self { columns: words.into_iter().chain(counters).collect(), rows: so_far.chain(in_all).collect() }
    }
}
