//! What happened on pages of the undo engine: rows changed in place, undo records added, changes taken back.

use super::words::{bytes, count};
use super::{Captures, EventKind, grouped};
use crate::timeline::{Event, PageChange};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::{ForkNumber, ItemPointer, OffsetNumber, Page};
use ffviz_format::state::Relation;
use ffviz_format::undo::{
    ItemXact, UNDO_DELETE, UNDO_INSERT, UNDO_PAGE, UNDO_SLOTS_PAGE, UndoPage, UndoRecord, row_is_deleted, row_xact,
};
use ffviz_format::wal::RecordType;
use ffviz_format::wal::record_type::UndoType;

/// What became of a row.
struct RowChange<'a> {
    change: &'a PageChange,
    n: OffsetNumber,
    kind: EventKind,
    /// bytes of the row that differ, and all
    differ: (usize, usize),
    /// who changed it, and the newest undo record about its page
    item: ItemXact,
}

/// All that happened on the pages of a table, or of the segment.
pub fn events(captures: &Captures<'_>, relation: &Relation) -> Vec<Event> {
    let (mut rows, mut events) = (Vec::new(), Vec::new());
    for change in captures.changes(relation.oid, ForkNumber::Main) {
        let Some(after) = change.after.as_ref().filter(|page| !page.is_new()) else { continue };
        match UndoPage::of(after).own().pd_kind() {
            UNDO_PAGE => events.extend(undo_page(change, after)),
            UNDO_SLOTS_PAGE => events.push(slots(change, after)),
            _ => rows.extend(row_changes(captures, change, after)),
        }
    }
    for kind in [EventKind::Update, EventKind::Insert, EventKind::Delete, EventKind::RolledBack] {
        let of_kind: Vec<&RowChange<'_>> = rows.iter().filter(|row| row.kind == kind).collect();
        events.extend(grouped(&of_kind, |row| told(row), |rows| many(rows)));
    }
    events
}

fn row_changes<'a>(captures: &Captures<'_>, change: &'a PageChange, after: &Page) -> Vec<RowChange<'a>> {
    let none = Page::zero(after.size());
    let (was, is) = (UndoPage::of(change.before.as_ref().unwrap_or(&none)), UndoPage::of(after));
    let is_rollback = captures.record_type() == Some(RecordType::Undo(UndoType::Rollback));
    let mut found = Vec::new();
    for (n, _) in is.line_pointers() {
        let (old, new) = (was.item(n), is.item(n));
        let deleted = |row: Option<&[u8]>| row.is_some_and(row_is_deleted);
        let kind = match (old, new) {
            (Some(old), Some(new)) if values(old) == values(new) => continue,
            (None, None) => continue,
            _ if is_rollback => EventKind::RolledBack,
            (None, Some(_)) => EventKind::Insert,
            (Some(_), None) => EventKind::RolledBack,
            (Some(_), Some(_)) if deleted(new) && !deleted(old) => EventKind::Delete,
            (Some(_), Some(_)) => EventKind::Update,
        };
        let (old, new) = (old.unwrap_or(&[]), new.unwrap_or(&[]));
        let same = old.iter().zip(new).filter(|(old, new)| old == new).count();
        let item = is.xact(row_xact(new).into()).unwrap_or_default();
        found.push(RowChange { change, n, kind, differ: (new.len().max(old.len()) - same, new.len()), item });
    }
    found
}

/// The row without the number of its transaction item: another one is no change of the row.
fn values(row: &[u8]) -> Option<(&[u8], &[u8])> {
    Some((row.get(..4)?, row.get(5..)?))
}

fn told(row: &RowChange<'_>) -> Event {
    let tid = ItemPointer { block: row.change.id.block, offset: row.n };
    let undo = || format!("undo ({},{})", row.item.undo.block(), row.item.undo.item());
    let (what, why) = match row.kind {
        EventKind::Insert => (
            format!("row {tid} inserted"),
            format!("{} says that there was none before: to take it back, the row goes.", undo()),
        ),
        EventKind::Delete => (
            format!("row {tid} deleted"),
            format!("It keeps its place and its bytes, with a flag; {} takes that back.", undo()),
        ),
        EventKind::RolledBack => (
            format!("row {tid} is as it was before"),
            "Its undo record was put back into it: an engine that updates in place has to undo what is rolled back."
                .to_string(),
        ),
        _ => (
            format!("row {tid} changed in place: {} of {} bytes differ", row.differ.0, row.differ.1),
            format!(
                "The old values are in {}, where older snapshots find them. The row stays where it is, so no index gets an entry.",
                undo()
            ),
        ),
    };
    Event { item: Some(row.n), what, why: Some(why), ..Event::new(row.kind, row.change.id) }
}

/// Many of a sort, of which there are some.
fn many(rows: &[&RowChange<'_>]) -> Event {
    let first = rows[0];
    let did = match first.kind {
        EventKind::Insert => "inserted",
        EventKind::Delete => "deleted",
        EventKind::RolledBack => "as they were before",
        _ => "changed in place",
    };
    let example = told(first);
    let why = example.why.as_ref().map(|why| format!("For example {}. {why}", example.what));
    Event { count: rows.len(), what: format!("{}: {did}", count(rows.len(), "row")), why, ..example }
}

/// Undo records that are new on a page.
fn undo_page(change: &PageChange, after: &Page) -> Option<Event> {
    let none = Page::zero(after.size());
    let before = UndoPage::of(change.before.as_ref().unwrap_or(&none));
    let (was, view) = (before.item_count(), UndoPage::of(after));
    let owner = view.xact(1).unwrap_or_default().xid;
    let is_new = change.before.as_ref().is_none_or(Page::is_new) || before.xact(1).unwrap_or_default().xid != owner;
    let first = OffsetNumber(if is_new { 1 } else { was + 1 });
    let Some(raw) = view.item(first) else {
        let what = format!("undo page {} belongs to transaction {owner}", change.id.block);
        let why =
            String::from("A page of undo records is of one transaction, which takes another one when it is full.");
        return is_new.then(|| Event { what, why: Some(why), ..Event::new(EventKind::Extended, change.id) });
    };
    let record = UndoRecord::decode(raw)?;
    let tid = ItemPointer { block: record.block, offset: record.offset };
    let did = match record.kind {
        UNDO_INSERT => "the insertion of",
        UNDO_DELETE => "the deletion of",
        _ => "old values of",
    };
    let what = format!("undo ({},{first}): {did} row {tid}", change.id.block);
    let why = format!(
        "{} that say what to put back, of transaction {}, command {}.",
        bytes(raw.len() as u32),
        record.xid,
        record.cid
    );
    Some(Event { item: Some(first), what, why: Some(why), ..Event::new(EventKind::Other, change.id) })
}

/// A slot was taken, or leads to another page.
fn slots(change: &PageChange, after: &Page) -> Event {
    let none = Page::zero(after.size());
    let before = UndoPage::of(change.before.as_ref().unwrap_or(&none));
    let changed = UndoPage::of(after).xacts().find(|(n, xact)| before.xact(*n) != Some(*xact));
    let what = changed.map_or_else(
        || String::from("transaction slots"),
        |(n, xact)| {
            format!("slot {n}: transaction {} has its newest undo page in block {}", xact.xid, xact.undo.block())
        },
    );
    let why = String::from("From here a rollback finds all that the transaction has changed.");
    Event { what, why: Some(why), ..Event::new(EventKind::Other, change.id) }
}
