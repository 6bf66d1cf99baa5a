//! A table of the shape with one fillfactor, and updates of random rows of it: what they come to once pages are as they
//! stay.
//!
//! ```text
//!  a freshly written table ──first half of the updates──▶ settled ──second half: what is counted──▶ Case
//! ```

use super::facts::{Fact, Origin};
use super::pattern::Pattern;
use super::shape::Shape;
use super::table::SimulatedTable;
use crate::experiment::{Lab, Workload};
use crate::sql::run::Simulator;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::thousands;
use ffviz_story::timeline::Samples;

/// How much is simulated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// rows of the simulated table
    pub rows: u64,
    /// updates of a row, on average
    pub rounds: u64,
    /// share of the updates that go to the busiest hundredth of the rows; `None`: all rows are updated alike
    pub busiest: Option<f64>,
    /// of the random numbers
    pub seed: u64,
}

impl Scale {
    /// Pages of the simulated table, more or less, and its rows at most and at least.
    const PAGES: f64 = 300.0;
    const ROWS: core::ops::RangeInclusive<f64> = 500.0..=20_000.0;

    /// A size at which a case takes a second or less.
    #[must_use]
    pub fn of(shape: &Shape) -> Self {
        /// header, line pointer, padding
        const BESIDE: f64 = 32.0;
        let rows = Self::PAGES * 8192.0 / (shape.row_width() + BESIDE);
        let most = if shape.rows > 0.0 { shape.rows } else { *Self::ROWS.end() };
        let rows = rows.min(most).clamp(*Self::ROWS.start(), *Self::ROWS.end());
        Self { rows: rows as u64, rounds: 4, busiest: None, seed: 1 }
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
            None => "all rows are updated equally often; --busiest says otherwise".to_string(),
            Some(share) => {
                format!("{:.0} % of the updates go to a hundredth of the rows, which lie together", share * 100.0)
            }
        };
        let origin = if self.busiest.is_some() { Origin::Given } else { Origin::Assumed };
        let mut facts = Vec::from([Fact::new(origin, spread)]);
        let mut assumed = |text: &str| facts.push(Fact::new(Origin::Assumed, text));
        assumed("each row has the average width of its columns, and keeps it");
        assumed("an UPDATE is a transaction of its own, and no other session holds a snapshot");
        assumed("autovacuum comes as soon as its default thresholds are reached");
        assumed("no row is inserted or deleted");
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
    /// pages of the table as it was written, and after all updates
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
}

/// Simulates a case.
///
/// # Errors
/// A sentence: it was interrupted, or a statement failed.
pub fn simulate(
    lab: &mut Lab<'_>,
    (shape, pattern): (&Shape, &Pattern),
    scale: Scale,
    fillfactor: u32,
) -> Result<Case, String> {
    (lab.say)(&format!("fillfactor {fillfactor}: {} updates", thousands(scale.rows * scale.rounds)));
    let table = SimulatedTable::new(shape, pattern, scale.rows);
    // a full-page image depends on when the last checkpoint was: what is counted are the changes
    let mut server = lab.server(shape.major, &[("full_page_writes", "off")])?;
    lab.sql(&mut server, &table.create(fillfactor))?;
    let scripts = table.updates(&scale.chosen());
    let scripts: Vec<(&str, u32)> = scripts.iter().map(|(text, weight)| (text.as_str(), *weight)).collect();
    let updates = scale.rows * scale.rounds;
    let mut half = |server: Simulator, transactions: u64, seed: u64| {
        let workload =
            Workload { scripts: &scripts, transactions, scale: 1, checkpoint_every: None, autovacuum: true, seed };
        lab.run(server, workload)
    };
    let (server, before) = half(server, updates / 2, scale.seed)?;
    let lsn = server.db.cluster.pg.wal.position().insert_lsn();
    let (server, samples) = half(server, updates - updates / 2, scale.seed + 1)?;
    let wal = server.db.cluster.pg.wal.position().insert_lsn().0 - lsn.0;
    let (fresh_pages, _) = pages(&before, false);
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
