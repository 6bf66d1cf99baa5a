//! The steps from one capture to the next: what they have in common, and how they became known.

use super::{Replayed, ResultSet, Tally};
use crate::timeline::Usage;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// The steps that lead from one capture to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// numbers of the states they lead to
    pub states: Range<usize>,
    /// what the person who recorded it wrote down: usually the SQL
    pub label: Option<String>,
    /// how the steps became known
    pub how: How,
}

impl Group {
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
    },
}
