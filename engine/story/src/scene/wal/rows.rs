//! The rows of the records: a window of them, between headings where a capture's steps begin and where redo would.

use super::book::{Entry, Kind};
use super::{Ask, Bar, Run, WalRow, bar, inspect};
use crate::scene::{Change, Column, PartId, Role, Row, timeline, words};
use crate::timeline::{Cause, Group};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::TransactionId;
use ffviz_format::wal::Record;

/// The window moves by so many rows at once; it is three times as long.
const BLOCK: usize = 100;

pub(super) fn columns() -> Vec<Column> {
    let column = |(title, right): (&str, bool)| Column::new(title, right);
    let columns = [
        ("position", false),
        ("xid", true),
        ("type", false),
        ("page", false),
        ("bytes", true),
        ("total", true),
        ("what", false),
    ];
    columns.map(column).into()
}

/// The rows around the selected one, or the current; how many there are above and below.
pub(super) fn window(ask: &Ask<'_>) -> (Vec<WalRow>, usize, usize) {
    let count = ask.found.map_or(ask.book.entries.len(), <[u32]>::len);
    let state = |n: usize| ask.found.map_or(n + 1, |found| found.get(n).map_or(0, |state| *state as usize));
    let wanted = match ask.selected {
        Some(PartId::Record(state)) => state as usize,
        _ => ask.timeline.current(),
    };
    let at =
        ask.found.map_or(wanted.saturating_sub(1), |found| found.partition_point(|state| (*state as usize) < wanted));
    let first = (at / BLOCK).saturating_sub(1) * BLOCK;
    let (first, end) = (first.min(count), (first + 3 * BLOCK).min(count));
    let mut rows = Vec::with_capacity(end - first + 8);
    let mut group = None;
    for n in first..end {
        let state = state(n);
        let Some(entry) = ask.book.entry(state) else { continue };
        let of = ask.timeline.group(state);
        if let Some(of) = of.filter(|of| group != Some(of.states.start)) {
            group = Some(of.states.start);
            rows.push(heading(rows.len(), Role::Heading, group_words(ask, of, state)));
        }
        if entry.redo {
            rows.push(heading(
                rows.len(),
                Role::WalRedo,
                "redo pointer: after a crash, recovery would start here".to_string(),
            ));
        }
        rows.push(row(ask, state, entry));
    }
    brackets(ask, &mut rows);
    (rows, first, count - end)
}

fn heading(n: usize, role: Role, text: String) -> WalRow {
    let cells = Vec::from([text]);
    let row = Row { part: PartId::Heading(n as u32), role, change: Change::Same, cells, chain: None };
    WalRow { row, bar: Bar::default(), bar_words: String::new(), run: Run::Alone, current: false }
}

/// `INSERT INTO t … · replayed, 12 records; 3 pages equal the capture`
fn group_words(ask: &Ask<'_>, group: &Group, state: usize) -> String {
    let how = timeline::how_words(group);
    let label = timeline::label(ask.timeline, state, ask.hide);
    // several statements stand on lines of their own; a heading has one
    let label: Vec<&str> = label.split_whitespace().collect();
    format!("{} · {how}", words::shorten(&label.join(" "), 60))
}

fn row(ask: &Ask<'_>, state: usize, entry: &Entry) -> WalRow {
    let bytes = entry.bytes();
    let current = ask.timeline.current() == state;
    let role = match entry.kind {
        Kind::Record => Role::WalRecord,
        Kind::Checkpoint => Role::WalCheckpoint,
        Kind::End => Role::WalEnd,
        Kind::NotLogged | Kind::Told => Role::WalNotLogged,
        Kind::Measured => Role::WalMeasured,
    };
    let change = if ask.steps.contains(&state) { Change::Modified } else { Change::Same };
    let cells = match ask.timeline.record(state) {
        Some(record) => of_record(ask, entry, record),
        None => of_other(ask, entry, state),
    };
    WalRow {
        row: Row { part: PartId::Record(state as u32), role, change, cells, chain: None },
        bar: Bar::shortened(&bytes),
        bar_words: bar::words(&bytes),
        run: Run::Alone,
        current,
    }
}

fn of_record(ask: &Ask<'_>, entry: &Entry, record: &Record) -> Vec<String> {
    let name = |totals: &[super::book::Total], at: u16| {
        totals.get(usize::from(at)).map_or_else(String::new, |total| total.name.clone())
    };
    let page = match entry.blocks {
        0 => String::new(),
        1 => format!("{} {}", name(&ask.book.relations, entry.relation), entry.block),
        n => format!("{} {} +{}", name(&ask.book.relations, entry.relation), entry.block, n - 1),
    };
    Vec::from([
        entry.start.to_string(),
        xid(entry.xid),
        name(&ask.book.types, entry.of_type),
        page,
        words::thousands(bar::sum(&entry.bytes())),
        words::thousands(entry.total),
        inspect::headline(ask.hide, ask.timeline, record),
    ])
}

/// A step without a record.
fn of_other(ask: &Ask<'_>, entry: &Entry, state: usize) -> Vec<String> {
    let pages = words::count(ask.timeline.touched(state).count() as u64, "page");
    let (kind, what) = match (ask.timeline.cause(state), entry.kind) {
        (Some(Cause::Unlogged(why)), _) => ("not logged", format!("{}, on {pages}", why.words())),
        (Some(Cause::Told { sentence, .. }), _) => ("told", sentence.clone()),
        (_, Kind::NotLogged) => ("not logged", format!("hint bits and other changes without a record, on {pages}")),
        _ => ("measured", format!("the difference of two captures: {pages} changed")),
    };
    let empty = String::new;
    Vec::from([empty(), empty(), kind.to_string(), empty(), empty(), words::thousands(entry.total), what])
}

fn xid(xid: TransactionId) -> String {
    if xid == 0 { String::new() } else { xid.to_string() }
}

/// Joins neighbours of the same transaction.
fn brackets(ask: &Ask<'_>, rows: &mut [WalRow]) {
    let xid = |row: &WalRow| match row.row.part {
        PartId::Record(state) => ask.book.entry(state as usize).map_or(0, |entry| entry.xid),
        _ => 0,
    };
    let xids: Vec<TransactionId> = rows.iter().map(xid).collect();
    for (n, row) in rows.iter_mut().enumerate().filter(|(n, _)| xids[*n] != 0) {
        let same = |other: Option<&TransactionId>| other == Some(&xids[n]);
        let (above, below) = (same(n.checked_sub(1).and_then(|n| xids.get(n))), same(xids.get(n + 1)));
        row.run = match (above, below) {
            (false, false) => Run::Alone,
            (false, true) => Run::First,
            (true, true) => Run::Middle,
            (true, false) => Run::Last,
        };
    }
}
