//! The rows that a statement gave, as a table beside its last step.

use super::words::printable;
use super::{Column, words};
use crate::timeline::ResultSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Rows of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResultScene {
    /// of which statement, where it is not the one whose step it is
    pub title: String,
    /// names of the columns
    pub columns: Vec<Column>,
    /// the first rows, a text or NULL a column
    pub rows: Vec<Vec<Option<String>>>,
    /// `(3 rows)`, or how many more there are
    pub footer: String,
}

/// As both faces show them; `hidden`: without values. Not inlined: the browser fetches it after the first picture.
#[inline(never)]
pub(super) fn scene(set: &ResultSet, hidden: bool) -> ResultScene {
    let shown = |text: &String| if hidden { words::HIDDEN.to_string() } else { printable(text) };
    let column = |(n, name): (usize, &String)| Column::new(&printable(name), set.is_number(n));
    let more = set.count.saturating_sub(set.rows.len() as u64);
    ResultScene {
        title: set.of.clone(),
        columns: set.columns.iter().enumerate().map(column).collect(),
        rows: set.rows.iter().map(|row| row.iter().map(|cell| cell.as_ref().map(shown)).collect()).collect(),
        footer: match more {
            0 => format!("({})", words::count(set.count, "row")),
            _ => format!("… {}", words::count(more, "more row")),
        },
    }
}
