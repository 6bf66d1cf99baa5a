//! Published experiments, run anew: what an article measured, beside what the simulator makes of the same tables and
//! statements.
//!
//! ```text
//!  EXPERIMENTS ──run──▶ Lab: servers, scripts, workloads ──▶ Outcome: figures, runs to be plotted, assumptions
//! ```

mod compressing_storage;
mod fillfactor_over_time;
mod full_page_writes;
mod index_bloat;
mod lab;
mod wal_of_update;

pub use lab::{Codec, Lab, RealServer, RealServers, Workload};

use alloc::string::String;
use alloc::vec::Vec;
use ffviz_story::timeline::Samples;

/// An experiment.
#[derive(Debug, Clone, Copy)]
pub struct Experiment {
    /// as the command line names it
    pub name: &'static str,
    /// the article
    pub article: &'static str,
    /// what it says, in a sentence or two
    pub claim: &'static str,
    /// what the scale counts
    pub unit: &'static str,
    /// the scale where none is given: it takes seconds
    pub scale: u64,
    /// the article's own
    pub article_scale: u64,
    /// what is measured: the keys of a row, with what they mean
    pub keys: &'static [(&'static str, &'static str)],
    run: fn(&mut Lab<'_>, u64) -> Result<Outcome, String>,
}

/// What an experiment came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// a row a case
    pub rows: Vec<Row>,
    /// runs over their transactions, by name
    pub runs: Vec<(String, Samples)>,
    /// what was assumed, and what differs from the article, a sentence each
    pub notes: Vec<String>,
}

/// A figure by its key.
pub type Figures = Vec<(&'static str, f64)>;

/// Where figures are from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// the simulator
    Simulated,
    /// a server that was named
    Server,
}

/// A case.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// where it was measured
    pub origin: Origin,
    /// `PostgreSQL 18`
    pub system: String,
    /// what is varied
    pub case: Vec<(&'static str, String)>,
    /// what it did
    pub measured: Figures,
    /// what the article says, where it has figures
    pub published: Figures,
}

impl Row {
    /// A measured figure.
    #[must_use]
    pub fn figure(&self, key: &str) -> Option<f64> {
        self.measured.iter().find(|(known, _)| *known == key).map(|(_, figure)| *figure)
    }
}

impl Experiment {
    /// Runs it.
    ///
    /// # Errors
    /// A sentence: it was interrupted, or a statement failed.
    pub fn run(&self, lab: &mut Lab<'_>, scale: u64) -> Result<Outcome, String> {
        let mut outcome = (self.run)(lab, scale)?;
        outcome.notes.append(&mut lab.notes);
        Ok(outcome)
    }
}

impl Outcome {
    /// Puts each row of the same experiment on a server below its own.
    pub fn add_beside(&mut self, server: Self) {
        for row in server.rows {
            let is_same = |own: &Row| own.system == row.system && own.case == row.case;
            let at = self.rows.iter().position(is_same).map_or(self.rows.len(), |at| at + 1);
            self.rows.insert(at, row);
        }
        self.notes.extend(server.notes.into_iter().filter(|note| !self.notes.contains(note)).collect::<Vec<_>>());
    }
}

/// All of them.
pub const EXPERIMENTS: [Experiment; 5] = [
    fillfactor_over_time::EXPERIMENT,
    wal_of_update::EXPERIMENT,
    full_page_writes::EXPERIMENT,
    index_bloat::EXPERIMENT,
    compressing_storage::EXPERIMENT,
];

/// By its name.
#[must_use]
pub fn find_experiment(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|experiment| experiment.name == name)
}
