//! The steps from one capture to the next: what they have in common, and how they became known.

use super::{Replayed, ResultSet, Tally, Written};
use crate::timeline::Usage;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use serde::{Deserialize, Serialize};

/// The steps that lead from one capture to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// numbers of the states they lead to
    pub states: Range<usize>,
    /// what the person who recorded it wrote down: usually the SQL
    pub label: Option<String>,
    /// how the steps became known
    pub how: How,
    /// of a statement that a server ran: how it ended
    pub played: Option<Played>,
}

/// How a statement ended that a server ran.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Played {
    /// the command tag, the error, that it waits
    pub outcome: String,
    /// what EXPLAIN told, a line each
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<String>,
    /// the rows that it gave, then those of statements that it let go on
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<ResultSet>,
    /// how it stands in its script
    #[serde(default, skip_serializing_if = "Written::is_empty")]
    pub written: Written,
}

impl Group {
    /// One that no script has made.
    #[must_use]
    pub const fn new(states: Range<usize>, label: Option<String>, how: How) -> Self {
        Self { states, label, how, played: None }
    }

    /// How the statement ended, if it is one of a script.
    #[must_use]
    pub fn outcome(&self) -> Option<&str> {
        match (&self.how, &self.played) {
            (How::Simulated { outcome, .. }, _) => Some(outcome),
            (_, played) => played.as_ref().map(|played| played.outcome.as_str()),
        }
    }

    /// Its plan, a line each, where it is known.
    #[must_use]
    pub fn plan(&self) -> &[String] {
        match (&self.how, &self.played) {
            (How::Simulated { plan, .. }, _) => plan,
            (_, played) => played.as_ref().map_or(&[], |played| &played.plan),
        }
    }

    /// The rows that it gave, then those of statements that it let go on.
    #[must_use]
    pub fn results(&self) -> &[ResultSet] {
        match (&self.how, &self.played) {
            (How::Simulated { results, .. }, _) => results,
            (_, played) => played.as_ref().map_or(&[], |played| &played.results),
        }
    }

    /// How it stands in its script, where that is known.
    #[must_use]
    pub fn written(&self) -> Option<&Written> {
        match (&self.how, &self.played) {
            (How::Simulated { written, .. }, _) => Some(written),
            (_, played) => played.as_ref().map(|played| &played.written),
        }
    }

    /// Is it a statement of a script? Directives are not counted.
    #[must_use]
    pub fn is_statement(&self) -> bool {
        self.states.start > 0 && !self.label.as_ref().is_some_and(|label| label.starts_with("--@"))
    }
}

/// How steps became known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// the first capture
    Start,
    /// the difference of two captures, without WAL; where WAL was asked for, why there is none: a sentence
    Measured(Option<String>),
    /// WAL, replayed and compared with the later capture
    Replayed {
        /// what was compared
        report: Replayed,
        /// WAL of other relations, which makes no steps
        others: Tally,
        /// why the WAL is not all there: a sentence
        gap: Option<String>,
    },
    /// a statement was simulated: each step is known
    Simulated {
        /// its plan, a line each
        plan: Vec<String>,
        /// the rows that it gave, then those of statements that it let go on
        results: Vec<ResultSet>,
        /// how it ended: the command tag, the error, that it waits
        outcome: String,
        /// what it cost: WAL, pages, updates
        usage: Usage,
        /// how it stands in its script
        written: Written,
    },
}
