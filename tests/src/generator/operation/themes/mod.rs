//! Themes of random scripts: tables of a theme's own, and what is done to them. A script of [`Level::THEMES`] has two
//! or three; a new one is an entry of [`THEMES`].
//!
//! The first session alone changes rows of these tables, and others read them: none waits. What locks a table out comes
//! when no transaction is open.

mod constraints;
mod queries;
mod triggers;
mod types;

use super::super::Level;
use super::{Operation, When, sql};

/// A theme.
#[derive(Clone, Copy)]
pub(in super::super) struct Theme {
    /// the statements that make its tables, a template
    pub setup: &'static str,
    /// what is done to them
    pub operations: &'static [Operation],
}

/// All of them.
pub(in super::super) const THEMES: &[Theme] = &[
    triggers::AUDIT,
    triggers::STATEMENTS,
    constraints::DEFERRABLE_KEYS,
    constraints::DEFERRABLE_REFERENCES,
    constraints::ACTIONS,
    queries::MATERIALIZED,
    queries::MERGED,
    queries::PATTERNS,
    queries::PARTITIONED,
    types::VALUES,
    types::GENERATED,
    types::CHANGING,
];

/// An operation of a theme: it comes some five times as often as others.
const fn of(weight: u64, when: When, template: &'static str) -> Operation {
    sql(6 * weight, Level::THEMES, when, template)
}
