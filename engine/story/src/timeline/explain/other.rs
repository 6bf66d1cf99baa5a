//! What no other file has a word for: pages of access methods that ffviz shows as bytes only, and bytes that changed
//! without an event.

use super::words::{blocks, list};
use super::{Captures, EventKind};
use crate::timeline::{Cause, Event, PageChange, Unlogged};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::fsm::FsmPage;
use ffviz_format::page::gist::gist_items;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{ForkNumber, ItemPointer, Page, PageHeaderData};
use ffviz_format::state::{AccessMethod, PageId, Relation};

/// One event for the changed pages of a fork that `told` says nothing about.
pub fn event(captures: &Captures<'_>, relation: &Relation, fork: ForkNumber, told: &[Event]) -> Option<Event> {
    let changes: Vec<&PageChange> = captures.changes(relation.oid, fork).collect();
    let first = changes.first()?;
    if told.iter().any(|event| event.page.relation == relation.oid && event.page.fork == fork) {
        return None;
    }
    // A map that was made in this step has its upper pages too; a fork that is cut off is told by the file's length.
    if fork == ForkNumber::Fsm && first.before.is_none() || changes.iter().all(|change| change.after.is_none()) {
        return None;
    }
    let on = blocks(changes.iter().map(|change| change.id.block));
    let name = relation.told();
    let is_extension = captures.step.cause == Cause::Unlogged(Unlogged::Extension);
    let (what, why) = match &relation.am {
        AccessMethod::Other(am) if am == "gist" => (gist_words(&name, &on, &changes), None),
        AccessMethod::Other(am) => {
            (format!("{am} index {name}: {on} changed"), Some(format!("ffviz shows the pages of {am} as bytes only.")))
        }
        _ if fork == ForkNumber::Fsm => fsm_words(&name, &changes),
        _ if captures.step.cause == Cause::NotLogged => not_logged_words(relation, &on),
        // that the map was made is told by its length
        _ if fork == ForkNumber::Vm && is_extension && first.id.block == 0 => return None,
        _ if fork == ForkNumber::Vm && is_extension => (format!("the visibility map of {name} grows by {on}"), None),
        _ if is_extension => {
            (format!("{name} grows by {on}"), Some(String::from("The first record about a new block initialises it.")))
        }
        _ => (format!("{name}: {on} changed"), header_words(&changes)),
    };
    Some(Event { count: changes.len(), what, why, ..Event::new(EventKind::Other, first.id) })
}

/// What redo leaves otherwise than the server did, besides hints; only tuples of a table have command ids.
fn not_logged_words(relation: &Relation, on: &str) -> (String, Option<String>) {
    let (bytes, why) = match relation.am {
        AccessMethod::Heap => (
            "command ids or unused bytes",
            "The WAL does not say the place of a command within its transaction (cmin, cmax: t_field3), nor what is left in unused bytes: \
             after a crash both would be as replay leaves them, and nobody would need them.",
        ),
        _ => (
            "unused bytes",
            "The WAL does not say what is left in unused bytes: after a crash they would be as replay leaves them, and nobody would need them.",
        ),
    };
    (format!("{}: {bytes} on {on}", relation.told()), Some(String::from(why)))
}

/// The values of the blocks are as they were; what leads a search to them is not.
fn fsm_words(name: &str, changes: &[&PageChange]) -> (String, Option<String>) {
    let nodes = |page: &Option<Page>, id: PageId| page.as_ref().map(|page| FsmPage::decode(page, id.block).nodes);
    let only_slot = changes.iter().all(|change| nodes(&change.before, change.id) == nodes(&change.after, change.id));
    match only_slot {
        true => (
            format!("free space map of {name}: fp_next_slot moved"),
            Some(String::from(
                "A search for room took place; the next one starts behind the page that this one found.",
            )),
        ),
        false => (
            format!("free space map of {name}: upper levels brought up to date"),
            Some(String::from("The values of the blocks themselves are the same.")),
        ),
    }
}

/// Which header fields differ, where all else is the same.
fn header_words(changes: &[&PageChange]) -> Option<String> {
    let pages = changes.iter().filter_map(|change| change.before.as_ref().zip(change.after.as_ref()));
    let body = |page: &Page| page.slice(PageHeaderData::SIZE as u16..page.size()).to_vec();
    let mut fields: Vec<&str> = Vec::new();
    for (before, after) in pages {
        if body(before) != body(after) {
            return Some(String::from("Bytes changed that stand for no row, entry or line pointer."));
        }
        let differing = PageHeaderData::FIELDS.iter().filter(|field| {
            let bytes = field.offset..field.offset + field.len;
            before.slice(bytes.clone()) != after.slice(bytes)
        });
        fields.extend(differing.map(|field| field.name));
    }
    fields.sort_unstable();
    fields.dedup();
    (!fields.is_empty()).then(|| format!("Only the page header differs: {}.", list(&fields)))
}

/// `booking_excl: 1 entry added, → (0,2)`
fn gist_words(name: &str, on: &str, changes: &[&PageChange]) -> String {
    let items = |page: &Option<Page>| -> Vec<Vec<u8>> {
        page.iter().flat_map(gist_items).map(|(_, bytes)| bytes.to_vec()).collect()
    };
    let (was, is): (Vec<_>, Vec<_>) = (
        changes.iter().flat_map(|change| items(&change.before)).collect(),
        changes.iter().flat_map(|change| items(&change.after)).collect(),
    );
    let missing = |from: &[Vec<u8>], other: &[Vec<u8>]| -> Vec<String> {
        from.iter().filter(|item| !other.contains(item)).map(|item| format!("→ {}", ItemPointer::get(item))).collect()
    };
    match (&missing(&is, &was)[..], &missing(&was, &is)[..]) {
        ([added], []) => format!("GiST index {name}: entry {added} added"),
        ([], [removed]) => format!("GiST index {name}: entry {removed} removed"),
        ([], []) => format!("GiST index {name}: {on} changed"),
        (added, removed) => format!("GiST index {name}: {} entries added, {} removed", added.len(), removed.len()),
    }
}
