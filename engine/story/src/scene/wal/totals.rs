//! Where the bytes of all records went: by type, by relation, in all.

use super::bar::{self, Bytes};
use super::book::{Book, Total};
use super::{Ask, Bar, Run, WalPanel, WalRow};
use crate::scene::{Change, Column, Fact, PartId, Role, Row, words};
use crate::timeline::Tally;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Rows of a panel; what is left is one row more.
const TOP: usize = 5;

pub(super) fn columns(what: &str) -> Vec<Column> {
    let column = |(title, right): (&str, bool)| Column::new(title, right);
    [(what, false), ("records", true), ("bytes", true), ("share", true), ("images", true)].map(column).into()
}

pub(super) fn facts(ask: &Ask<'_>) -> Vec<Fact> {
    let book = ask.book;
    let fact = |label: &str, value: String| Fact { label: label.to_string(), value };
    let total = bar::sum(&book.bytes);
    let images = book.bytes[2];
    let mut facts = Vec::from([
        fact("records", words::thousands(book.records)),
        fact("bytes", words::thousands(total)),
        fact("full-page images", format!("{} %", words::percent(images, total))),
        fact("records with an image", words::thousands(book.with_image)),
    ]);
    if let Some(average) = total.checked_div(book.records) {
        facts.push(fact("average record", words::bytes(average)));
    }
    if book.others.records > 0 {
        let (records, bytes) = (words::count(book.others.records, "record"), words::size(book.others.bytes));
        facts.push(fact("of other relations", format!("{records}, {bytes}")));
    }
    facts.extend(of_steps(ask));
    facts
}

/// Of a script: what the statement of the step wrote so far, and all before; where nothing comes behind, the totals say
/// that.
fn of_steps(ask: &Ask<'_>) -> Vec<Fact> {
    let timeline = ask.timeline;
    let next = timeline.current() + 1;
    let Some(group) = timeline.group(timeline.current()).filter(|_| timeline.is_script()) else { return Vec::new() };
    let fact = |label: &str, tally: Tally| {
        let (records, bytes) = (words::count(tally.records, "record"), words::bytes(tally.bytes));
        Fact { label: label.to_string(), value: format!("{records}, {bytes}") }
    };
    let so_far = (next < ask.book.states()).then(|| fact("up to this step", ask.book.tally(0..next)));
    let of_statement = fact("this statement so far", ask.book.tally(group.states.start..next));
    so_far.into_iter().chain([of_statement]).collect()
}

/// All types, or all relations, most bytes first.
pub(super) fn all(book: &Book, totals: &[Total], part: fn(u16) -> PartId) -> (Vec<WalRow>, usize, usize) {
    let whole = bar::sum(&book.bytes);
    let rows = by_bytes(totals).into_iter().map(|n| row(part(n as u16), &totals[n], whole));
    (rows.collect(), 0, 0)
}

/// All relations; last, the WAL of those that make no steps.
pub(super) fn relations(book: &Book) -> (Vec<WalRow>, usize, usize) {
    let (mut rows, ..) = all(book, &book.relations, PartId::WalRelation);
    rows.extend(others(book));
    (rows, 0, 0)
}

/// Beside the records: types and relations with most bytes.
pub(super) fn panels(book: &Book) -> Vec<WalPanel> {
    let types = panel(book, "by type", &book.types, PartId::WalType, 0);
    let mut relations = panel(book, "by relation", &book.relations, PartId::WalRelation, 1);
    relations.rows.extend(others(book));
    [types, relations].into_iter().filter(|panel| !panel.rows.is_empty()).collect()
}

fn panel(book: &Book, title: &str, totals: &[Total], part: fn(u16) -> PartId, number: u32) -> WalPanel {
    let whole = bar::sum(&book.bytes);
    let order = by_bytes(totals);
    let top = if order.len() > TOP + 1 { TOP } else { order.len() };
    let mut rows: Vec<WalRow> = order[..top].iter().map(|n| row(part(*n as u16), &totals[*n], whole)).collect();
    if let [first, rest @ ..] = &order[top..] {
        let mut sum = totals[*first].clone();
        for n in rest {
            sum.records += totals[*n].records;
            sum.bytes = core::array::from_fn(|at| sum.bytes[at].saturating_add(totals[*n].bytes[at]));
        }
        sum.name = format!("{} more", rest.len() + 1);
        rows.push(row(PartId::Elided(number), &sum, whole));
    }
    let full = rows.iter().map(|row| row.bar.length()).max().unwrap_or(0);
    WalPanel { title: title.to_string(), columns: columns(title), rows, full }
}

fn by_bytes(totals: &[Total]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..totals.len()).collect();
    order.sort_by_key(|n| core::cmp::Reverse(bar::sum(&totals[*n].bytes)));
    order
}

fn row(part: PartId, total: &Total, whole: u64) -> WalRow {
    let sum = bar::sum(&total.bytes);
    let role = if matches!(part, PartId::Elided(_)) { Role::Elided } else { Role::Entry };
    let cells = [
        total.name.clone(),
        words::thousands(total.records),
        words::thousands(sum),
        format!("{} %", words::percent(sum, whole)),
        format!("{} %", words::percent(total.bytes[2], sum)),
    ];
    made(part, role, cells, &total.bytes)
}

/// WAL of which only records and bytes were counted.
fn others(book: &Book) -> Option<WalRow> {
    let others = book.others;
    let cells =
        ["other relations, no steps".to_string(), words::thousands(others.records), words::thousands(others.bytes)];
    let [name, records, bytes] = cells;
    let cells = [name, records, bytes, String::new(), String::new()];
    (others.records > 0).then(|| made(PartId::WalOthers, Role::WalOther, cells, &Bytes::default()))
}

fn made(part: PartId, role: Role, cells: [String; 5], bytes: &Bytes) -> WalRow {
    WalRow {
        row: Row { part, role, change: Change::Same, cells: cells.into(), chain: None },
        bar: Bar::linear(bytes),
        bar_words: bar::words(bytes),
        run: Run::Alone,
        current: false,
    }
}
