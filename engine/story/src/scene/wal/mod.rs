//! The WAL as a list: a record a row, its bytes as a bar by what they are spent on; totals by type and by relation.
//!
//! ```text
//!   Timeline ──▶ Book: an entry a step, totals ──▶ a window of rows around what is selected
//!                kept in the model, grows with the timeline       made with each key
//! ```
//!
//! So a key costs the same whether the timeline has ten records or a million.

mod bar;
mod book;
mod inspect;
mod landmark;
mod rows;
mod totals;

pub(in crate::scene) use bar::bytes_of;
pub use bar::{BAR_ROLES, Bar, BarPart};
pub use book::{Book, Sought};
pub use inspect::inspect;
pub use landmark::{checkpoint_redo, ends_transaction};

use super::timeline::Hide;
use super::{Column, Fact, PartId, Row, words};
use crate::timeline::{How, Timeline};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

/// What the rows of the WAL view are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum WalList {
    /// a record a row
    #[default]
    Records,
    /// a type of record a row
    Types,
    /// a relation a row
    Relations,
}

impl WalList {
    /// All of them, in the order of their switch.
    pub const ALL: [Self; 3] = [Self::Records, Self::Types, Self::Relations];

    /// Its name in words.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Records => "records",
            Self::Types => "by type",
            Self::Relations => "by relation",
        }
    }
}

/// The WAL of a timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalScene {
    /// how many records, how many bytes
    pub title: String,
    /// how to read it, or why it is empty
    pub hint: String,
    /// totals
    pub facts: Vec<Fact>,
    /// all bytes together, by what they are spent on
    pub whole: Bar,
    /// what `whole` means, in words
    pub whole_words: String,
    /// what the rows can be, and what they are: `(WalList::Records, "records", true)`
    pub lists: Vec<(WalList, &'static str, bool)>,
    /// names of the columns of `rows`; the bar has none
    pub columns: Vec<Column>,
    /// the rows around the selected one
    pub rows: Vec<WalRow>,
    /// rows above those
    pub above: usize,
    /// rows below those
    pub below: usize,
    /// length of the longest bar of `rows`
    pub full: u32,
    /// how bytes become lengths: a sentence
    pub scale: String,
    /// beside the records: the types and relations with most bytes
    pub panels: Vec<WalPanel>,
}

/// A row with the bar of its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalRow {
    /// part, role and cells; a heading has one cell
    pub row: Row,
    /// its bytes by what they are spent on
    pub bar: Bar,
    /// the same in words
    pub bar_words: String,
    /// its place among neighbours of the same transaction: drawn as a bracket
    pub run: Run,
    /// is it the step that led to the state that is shown?
    pub current: bool,
}

/// A row's place among neighbours of the same transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Run {
    /// of no transaction, or the only one
    #[default]
    Alone,
    /// the first
    First,
    /// one between
    Middle,
    /// the last
    Last,
}

/// Types or relations with most bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalPanel {
    /// what is counted
    pub title: String,
    /// names of the columns
    pub columns: Vec<Column>,
    /// most bytes first; what is left over comes last
    pub rows: Vec<WalRow>,
    /// length of the longest bar
    pub full: u32,
}

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Ask<'a> {
    /// the steps
    pub timeline: &'a Timeline,
    /// the states that the current step led to; of a long step, all of them
    pub steps: Range<usize>,
    /// their records, summed up
    pub book: &'a Book,
    /// numbers of the states that a filter left, in order; `None`: all
    pub found: Option<&'a [u32]>,
    /// what the rows are
    pub list: WalList,
    /// what is selected
    pub selected: Option<PartId>,
    /// what may be shown of a label while row data is hidden
    pub hide: Option<Hide>,
}

/// The WAL view.
#[must_use]
pub fn scene(ask: &Ask<'_>) -> WalScene {
    let book = ask.book;
    let (rows, above, below) = match ask.list {
        WalList::Records => rows::window(ask),
        WalList::Types => totals::all(book, &book.types, PartId::WalType),
        WalList::Relations => totals::relations(book),
    };
    let is_records = ask.list == WalList::Records;
    WalScene {
        title: title(book),
        hint: hint(ask, rows.is_empty()),
        facts: totals::facts(ask),
        whole: Bar::linear(&book.bytes),
        whole_words: bar::words(&book.bytes),
        lists: WalList::ALL.iter().map(|list| (*list, list.word(), *list == ask.list)).collect(),
        columns: if is_records { rows::columns() } else { totals::columns(ask.list.word()) },
        full: if is_records { book.longest } else { rows.iter().map(|row| row.bar.length()).max().unwrap_or(0) },
        rows,
        above,
        below,
        scale: if is_records { bar::SCALE } else { "Bars are to scale: the longest has the most bytes." }.to_string(),
        panels: if is_records { totals::panels(book) } else { Vec::new() },
    }
}

fn title(book: &Book) -> String {
    let records = words::count(book.records, "record");
    format!("WAL · {records} · {}", words::size(bar::sum(&book.bytes)))
}

/// Why there is no WAL.
fn why_empty(timeline: &Timeline) -> String {
    let told = timeline.groups().iter().rev().find_map(|group| match &group.how {
        How::Measured(Some(why)) => Some(why),
        How::Replayed { gap: Some(why), .. } => Some(why),
        _ => None,
    });
    match told {
        Some(why) => format!("No WAL has been read. {why}"),
        None if timeline.is_simulated() => {
            "No record has been written so far. What statements such as CREATE TABLE write is about the system catalogs, which the simulator leaves out."
                .to_string()
        }
        None if timeline.len() == 1 => {
            "There is one capture so far: the WAL between it and the next will stand here.".to_string()
        }
        None => "No WAL has been read: the steps are differences between captures.".to_string(),
    }
}

/// How to read it, or why it is empty.
fn hint(ask: &Ask<'_>, nothing_shown: bool) -> String {
    match (ask.book.records, nothing_shown) {
        (0, _) => return why_empty(ask.timeline),
        (_, true) => "No record has all of these words in its type, relation, transaction, position or in what it did.",
        _ if ask.list == WalList::Records && ask.book.rebuilt => {
            "What PostgreSQL wrote before it changed pages, a record a row, rebuilt from what pg_walinspect tells of it."
        }
        _ if ask.list == WalList::Records => {
            "What PostgreSQL wrote before it changed pages, a record a row. Open one to see the bytes it changed."
        }
        _ => "Where the bytes of the WAL went. Open a row to see its records.",
    }
    .to_string()
}
