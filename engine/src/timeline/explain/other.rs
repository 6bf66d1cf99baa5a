//! What no other file has a word for: pages of access methods that ffviz shows as bytes only, and bytes that changed without an event.

use super::words::{blocks, list};
use super::{Captures, EventKind};
use crate::page::{Page, PageHeaderData};
use crate::storage::{AccessMethod, ForkNumber, Relation};
use crate::timeline::{Event, PageChange};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// One event for the changed pages of a fork that `told` says nothing about.
pub fn event(captures: &Captures<'_>, relation: &Relation, fork: ForkNumber, told: &[Event]) -> Option<Event> {
    let changes: Vec<&PageChange> = captures.changes(relation.oid, fork).collect();
    let first = changes.first()?;
    if told.iter().any(|event| event.page.relation == relation.oid && event.page.fork == fork) {
        return None;
    }
    if fork == ForkNumber::Fsm && first.before.is_none() {
        // The map was made in this step; its upper pages come with it.
        return None;
    }
    let on = blocks(changes.iter().map(|change| change.id.block));
    let name = &relation.name;
    let (what, why) = match &relation.am {
        AccessMethod::Other(am) => {
            (format!("{am} index {name}: {on} changed"), Some(format!("ffviz shows the pages of {am} as bytes only.")))
        }
        _ if fork == ForkNumber::Fsm => (
            format!("free space map of {name}: only inner nodes or the next slot changed"),
            Some(String::from(
                "The values of the blocks are the same; upper levels, or the place where the next search starts, are not.",
            )),
        ),
        _ => (format!("{name}: {on} changed"), header_words(&changes)),
    };
    Some(Event { kind: EventKind::Other, page: first.id, item: None, count: changes.len(), what, why, hot: None })
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
