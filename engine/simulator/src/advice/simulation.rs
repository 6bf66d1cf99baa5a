//! A table of the shape with one fillfactor, freshly written, and updates of random rows of it, as many as a row gets:
//! what all of them come to.
//!
//! A page has the room that the fillfactor left, and later that of its rows' old versions: of many updates of each row
//! the first ones alone depend on the fillfactor. So it matters how often a row is updated after it was written.

use super::facts::{Fact, Origin};
use super::obstacle::Observed;
use super::pattern::Pattern;
use super::shape::Shape;
use super::table::SimulatedTable;
use crate::experiment::{Lab, Workload};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::thousands;
use ffviz_story::timeline::Samples;

/// How much is simulated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// rows of the simulated table
    pub rows: u64,
    /// updates of a row, on average, and where that is known from
    pub rounds: (f64, Origin),
    /// share of the updates that go to the busiest hundredth of the rows; `None`: all rows are updated alike
    pub busiest: Option<f64>,
    /// of the random numbers
    pub seed: u64,
}

impl Scale {
    /// Pages of the simulated table, more or less, and its rows at most and at least.
    const PAGES: f64 = 300.0;
    const ROWS: core::ops::RangeInclusive<f64> = 500.0..=20_000.0;
    /// Updates of a row, at most and at least: of more, the later ones are alike.
    const ROUNDS: core::ops::RangeInclusive<f64> = 0.1..=20.0;
    /// Updates of a row where nobody knows.
    const UNKNOWN: f64 = 2.0;

    /// A size at which a case takes a second or less.
    #[must_use]
    pub fn of(shape: &Shape, observed: &Observed) -> Self {
        /// header, line pointer, padding
        const BESIDE: f64 = 32.0;
        let rows = Self::PAGES * 8192.0 / (shape.row_width() + BESIDE);
        let most = if shape.rows > 0.0 { shape.rows } else { *Self::ROWS.end() };
        let rows = rows.min(most).clamp(*Self::ROWS.start(), *Self::ROWS.end());
        let measured = observed.counters.and_then(|counters| counters.updates_a_row());
        let rounds = match measured {
            Some(rounds) => (rounds.clamp(*Self::ROUNDS.start(), *Self::ROUNDS.end()), Origin::Measured),
            None => (Self::UNKNOWN, Origin::Assumed),
        };
        Self { rows: rows as u64, rounds, busiest: None, seed: 1 }
    }

    /// All updates.
    #[must_use]
    pub fn updates(&self) -> u64 {
        (self.rows as f64 * self.rounds.0) as u64
    }

    /// How an UPDATE chooses its row, as pgbench says it.
    fn chosen(&self) -> String {
        match self.busiest {
            None => format!("random(1, {})", self.rows),
            Some(share) => {
                // the first hundredth gets 1 - e^(-parameter / 100) of all
                let parameter = -100.0 * libm::log(1.0 - share.clamp(0.01, 0.999));
                format!("random_exponential(1, {}, {parameter:.3})", self.rows)
            }
        }
    }

    /// What is simulated, and what is taken for granted there.
    #[must_use]
    pub fn facts(&self, shape: &Shape, pattern: &Pattern) -> Vec<Fact> {
        let spread = match self.busiest {
            None => {
                Fact::new(Origin::Assumed, "all rows are updated equally often").with_option("--busiest says otherwise")
            }
            Some(share) => Fact::new(
                Origin::Given,
                format!("{:.0} % of the updates go to a hundredth of the rows, which lie together", share * 100.0),
            ),
        };
        let rounds = format!("a row is updated {:.1} times after it was written", self.rounds.0);
        let rounds = match Fact::new(self.rounds.1, rounds) {
            rounds if rounds.origin == Origin::Assumed => rounds.with_option("--rounds says otherwise"),
            rounds => rounds,
        };
        let mut facts = Vec::from([rounds, spread]);
        let mut assumed = |text: &str| facts.push(Fact::new(Origin::Assumed, text));
        assumed("each row has the average width of its columns, and keeps it");
        assumed("an UPDATE is a transaction of its own, and no other session holds a snapshot");
        assumed("autovacuum comes as soon as its default thresholds are reached");
        assumed("no row is deleted, and rows are inserted before all updates");
        assumed("WAL is without full-page images, which come on top: up to one a page and checkpoint");
        facts.extend(SimulatedTable::new(shape, pattern, self.rows).facts());
        facts
    }
}

/// What a fillfactor comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Case {
    /// the fillfactor
    pub fillfactor: u32,
    /// pages of the table as it was written
    pub fresh_pages: u32,
    /// pages after all updates
    pub heap_pages: u32,
    /// pages of its indexes then
    pub index_pages: u32,
    /// HOT updates of all, 0 to 1
    pub hot: f64,
    /// bytes of WAL an update, with those of its COMMIT and of VACUUM
    pub wal: f64,
    /// pages of table and indexes that an update changes
    pub touched: f64,
}

impl Case {
    /// Pages of the table and its indexes.
    #[must_use]
    pub const fn pages(&self) -> u32 {
        self.heap_pages + self.index_pages
    }

    /// Is it no larger than another, and in nothing worse?
    #[must_use]
    pub fn is_nowhere_worse(&self, other: &Self) -> bool {
        let is_smaller = self.pages() <= other.pages();
        is_smaller && self.hot >= other.hot && self.wal <= other.wal && self.touched <= other.touched
    }
}

/// Simulates a case.
///
/// # Errors
/// A sentence: it was interrupted, or a statement failed.
pub fn simulate(
    lab: &mut Lab<'_>,
    shape: &Shape,
    pattern: &Pattern,
    scale: Scale,
    fillfactor: u32,
) -> Result<Case, String> {
    (lab.say)(&format!("fillfactor {fillfactor}: {} updates", thousands(scale.updates())));
    let table = SimulatedTable::new(shape, pattern, scale.rows);
    // a full-page image depends on when the last checkpoint was: what is counted are the changes
    let mut server = lab.server(shape.major, &[("full_page_writes", "off")])?;
    lab.sql(&mut server, &table.create(fillfactor))?;
    let scripts = table.updates(&scale.chosen());
    let scripts: Vec<(&str, u32)> = scripts.iter().map(|(text, weight)| (text.as_str(), *weight)).collect();
    let workload = Workload {
        scripts: &scripts,
        transactions: scale.updates(),
        scale: 1,
        checkpoint_every: None,
        autovacuum: true,
        seed: scale.seed,
    };
    let lsn = server.db.cluster.pg.wal.position().insert_lsn();
    let (server, samples) = lab.run(server, workload)?;
    let wal = server.db.cluster.pg.wal.position().insert_lsn().0 - lsn.0;
    let (fresh_pages, _) = pages(&samples, false);
    let (heap_pages, index_pages) = pages(&samples, true);
    let usage = samples.usage();
    let n = samples.transactions().max(1) as f64;
    Ok(Case {
        fillfactor,
        fresh_pages,
        heap_pages,
        index_pages,
        hot: usage.tup_hot_updated as f64 / usage.tup_updated.max(1) as f64,
        wal: wal as f64 / n,
        touched: usage.pages_changed as f64 / n,
    })
}

/// Pages of the table and of its indexes, at the beginning or at the end.
fn pages(samples: &Samples, at_end: bool) -> (u32, u32) {
    let sample = if at_end { samples.all.last() } else { samples.all.first() };
    let all = sample.map_or(&[][..], |sample| &sample.relations);
    let sum = |of_indexes: bool| all.iter().filter(|size| size.is_index == of_indexes).map(|size| size.blocks).sum();
    (sum(false), sum(true))
}
