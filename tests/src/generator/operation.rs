//! What random scripts do, as data: how often, from which level on, when, and how the statement reads.
//!
//! ```text
//!  weight  from which level   when     template, or the function where a template cannot say it
//!  25      Level::ROWS        Always   "update {t} set {set} where {one}"
//! ```
//!
//! A template is one statement or several with semicolons between them; what stands in braces is chosen anew each time,
//! the table and the columns once for the whole template (`fill.rs` has the words; of `{one|other}` one is chosen). A
//! template that finds no column or table of the sort that it asks for is passed over.

mod rows;
mod statements;
mod tables;
mod themes;

pub(super) use themes::{THEMES, Theme};

use super::{Generator, Level};

/// When an operation may come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// at any time
    Always,
    /// in a transaction of this session
    InBlock,
    /// when this session is in none
    Outside,
    /// when no session is in one: what is done to tables, and to rows of other sessions, would have others wait
    Nobody,
    /// in scripts of several sessions
    Several,
    /// there in the first of them: it alone changes rows that the others may lock
    First,
    /// in the first session: it alone changes rows of a theme's tables
    Own,
}

/// What an operation does.
#[derive(Clone, Copy)]
pub(super) enum Make {
    /// these statements
    Sql(&'static str),
    /// what the function adds
    With(fn(&mut Generator)),
}

/// An operation.
#[derive(Clone, Copy)]
pub(super) struct Operation {
    pub weight: u64,
    pub level: Level,
    pub when: When,
    pub make: Make,
}

const fn sql(weight: u64, level: Level, when: When, template: &'static str) -> Operation {
    Operation { weight, level, when, make: Make::Sql(template) }
}

const fn with(weight: u64, level: Level, when: When, make: fn(&mut Generator)) -> Operation {
    Operation { weight, level, when, make: Make::With(make) }
}

/// All of them.
pub(super) fn operations() -> impl Iterator<Item = &'static Operation> {
    let of_tables = [tables::TRANSACTIONS, tables::MAINTENANCE, tables::SCHEMA, tables::SEQUENCES];
    [rows::INSERTS, rows::CHANGES, rows::READS, statements::STATEMENTS].into_iter().chain(of_tables).flatten()
}

/// Those that are one statement that EXPLAIN can tell of.
pub(super) fn explained() -> impl Iterator<Item = (&'static Operation, &'static str)> {
    [rows::CHANGES, rows::READS].into_iter().flatten().filter_map(|operation| match operation.make {
        Make::Sql(template) if !template.starts_with("do ") => Some((operation, template)),
        _ => None,
    })
}
