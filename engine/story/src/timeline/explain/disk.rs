//! Pages that became other pages without an operation: what a crash left on disk, and what an image of a record put in
//! its place (`RestoreBlockImage`, src/backend/access/transam/xlogreader.c).
//!
//! ```text
//!  in memory   ├ header, pd_lsn 90 │ … │ tuples of 90 ┤
//!  on disk     ├ header, pd_lsn 50 │ … │ tuples of 50 ┤   set back: the last write
//!              ├ header, pd_lsn 90 │ … │ tuples of 50 ┤   torn: the first sectors of a write, and the last write
//!              ├ header, pd_lsn 90 │ … │ no hint bits ┤   hints lost: they move no pd_lsn
//! ```
//!
//! The difference of such pages is no story: versions that are not there were neither pruned nor deleted.

use super::words::{blocks, number};
use super::{Captures, EventKind};
use crate::redo::{PageShape, mask};
use crate::timeline::{Cause, Event, PageChange, Unlogged, changed_bytes};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::{ForkNumber, Page, PageHeaderData};
use ffviz_format::state::Relation;

/// No disk writes less than this as a whole.
const SECTOR: u16 = 512;

/// What became of the pages of a relation, where the step is a crash, or a record whose image replaced a page that
/// claimed to be newer.
pub fn events(captures: &Captures<'_>, relation: &Relation) -> Option<Vec<Event>> {
    let changes = || captures.step.pages.iter().filter(|change| change.id.relation == relation.oid);
    match &captures.step.cause {
        Cause::Unlogged(Unlogged::Crash) => Some(crash(&changes().collect::<Vec<_>>())),
        Cause::Record(record) => {
            let was_newer = |page: &Page| page.header().pd_lsn() >= record.end;
            let replaced = changes().find(|change| change.before.as_ref().is_some_and(was_newer))?;
            Some(Vec::from([restored(replaced)]))
        }
        _ => None,
    }
}

fn event(change: &PageChange, count: usize, what: String, why: String) -> Event {
    Event { count, what, why: Some(why), ..Event::new(EventKind::Other, change.id) }
}

fn crash(changes: &[&PageChange]) -> Vec<Event> {
    let (torn, whole): (Vec<&PageChange>, Vec<&PageChange>) =
        changes.iter().copied().partition(|change| torn_at(change).is_some());
    let mut events: Vec<Event> = torn.iter().filter_map(|change| Some(torn_event(change, torn_at(change)?))).collect();
    let (same, lost): (Vec<&PageChange>, Vec<&PageChange>) =
        whole.into_iter().partition(|change| only_checksum(change));
    let (hints, back): (Vec<&PageChange>, Vec<&PageChange>) = lost.into_iter().partition(|change| only_hints(change));
    if let Some(first) = back.first() {
        let on = blocks(back.iter().map(|change| change.id.block));
        let why =
            "What was done to it since it was last written is lost, but not from the WAL: recovery does it again.";
        events.push(event(first, back.len(), format!("{on} as last written"), String::from(why)));
    }
    if let Some(first) = hints.first() {
        let on = blocks(hints.iter().map(|change| change.id.block));
        let why =
            "Hints are not in the WAL, and were not written since. Whoever reads the page next finds them out again.";
        events.push(event(first, hints.len(), format!("{on} without the hints in memory"), String::from(why)));
    }
    if let Some(first) = same.first() {
        let on = blocks(same.iter().map(|change| change.id.block));
        let why =
            "Nothing is lost of it. Only its checksum was not in memory: that is computed when a page is written.";
        events.push(event(first, same.len(), format!("{on} as in memory"), String::from(why)));
    }
    events
}

/// Where a page begins to be older than its header says: it has the `pd_lsn` that it had in memory, and not what the
/// WAL up to there did. Maps move no `pd_lsn` with each change, so of them it cannot be told.
#[must_use]
pub fn torn_at(change: &PageChange) -> Option<u16> {
    let (before, after) = (change.before.as_ref()?, change.after.as_ref()?);
    let first = changed_bytes(before, after).into_iter().find(|run| run.start >= SECTOR)?;
    let is_torn = change.id.fork == ForkNumber::Main && has_same_lsn(before, after) && !only_hints(change);
    is_torn.then_some(first.start / SECTOR * SECTOR)
}

fn has_same_lsn(before: &Page, after: &Page) -> bool {
    before.header().pd_lsn() == after.header().pd_lsn()
}

/// Do the pages differ in nothing but hints, which no record tells of?
fn only_hints(change: &PageChange) -> bool {
    let Some((before, after)) = change.before.as_ref().zip(change.after.as_ref()) else { return false };
    let masked = |page: &Page| {
        let has_special = page.special_start() < page.size();
        mask(page, if has_special { PageShape::Btree } else { PageShape::Heap }, change.id.block)
    };
    change.id.fork == ForkNumber::Main && has_same_lsn(before, after) && masked(before) == masked(after)
}

fn only_checksum(change: &PageChange) -> bool {
    let field = &PageHeaderData::FIELDS[1];
    let pages = change.before.as_ref().zip(change.after.as_ref());
    let within = |run: core::ops::Range<u16>| run.start >= field.offset && run.end <= field.offset + field.len;
    pages.is_some_and(|(before, after)| changed_bytes(before, after).into_iter().all(within))
}

fn torn_event(change: &PageChange, at: u16) -> Event {
    let what = format!(
        "block {} is torn: new above, old below; byte {} is the first to show it",
        change.id.block,
        number(at.into())
    );
    let lsn = change.after.as_ref().map(|page| page.header().pd_lsn()).unwrap_or_default();
    let why = format!(
        "The page header reached the disk. It says pd_lsn {lsn}: I have all changes up to there. Line pointers may now lead to bytes that were never written. Where the write ended is not seen: what is equal in both, such as free space, may lie between."
    );
    event(change, 1, what, why)
}

fn restored(change: &PageChange) -> Event {
    let what = format!("block {} is the record's image now", change.id.block);
    let lsn = |page: &Option<Page>| page.as_ref().map(|page| page.header().pd_lsn()).unwrap_or_default();
    let why = format!(
        "What was on disk is replaced as a whole, whatever it was: it claimed pd_lsn {}, which is later than this record. From here on the page's story is told again, record by record.",
        lsn(&change.before)
    );
    event(change, 1, what, why)
}
