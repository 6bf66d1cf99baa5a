//! Visibility map and free space map: what they say of the heap's pages now.
//! Follows src/backend/access/heap/visibilitymap.c and src/backend/storage/freespace.

use super::words::{blocks, bytes, count, number, plural};
use super::{Captures, EventKind, grouped};
use crate::timeline::{Cause, Event};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::nbtree::{BtKind, BtPage};
use ffviz_format::page::fsm::{FsmPage, FsmTarget, category_bytes};
use ffviz_format::page::vm::{VmBits, VmPage};
use ffviz_format::page::{BlockNumber, ForkNumber, Page};
use ffviz_format::state::{AccessMethod, PageId, RelKind, Relation, State};

/// What changed in both maps.
pub fn events(captures: &Captures<'_>, relation: &Relation) -> Vec<Event> {
    let mut events = visibility(captures, relation);
    events.extend(free_space(captures, relation));
    events
}

fn event(relation: &Relation, fork: ForkNumber, block: BlockNumber, kind: EventKind) -> Event {
    let page = PageId { relation: relation.oid, fork, block };
    Event::new(kind, page)
}

/// The heap blocks whose bits changed, and where their bits stand in the map.
fn visibility_changes(captures: &Captures<'_>, relation: &Relation) -> Vec<(BlockNumber, VmBits, VmBits)> {
    let mut changes = Vec::new();
    for change in captures.changes(relation.oid, ForkNumber::Vm) {
        let Some(after) = change.after.as_ref().map(|page| VmPage::decode(page, change.id.block)) else { continue };
        let before = change.before.as_ref().map(|page| VmPage::decode(page, change.id.block));
        let known = after.first..after.blocks().end.min(relation.blocks.main);
        for block in known {
            let was = before.as_ref().and_then(|map| map.bits(block)).unwrap_or_default();
            let is = after.bits(block).unwrap_or_default();
            if was != is {
                changes.push((block, was, is));
            }
        }
    }
    changes
}

fn visibility(captures: &Captures<'_>, relation: &Relation) -> Vec<Event> {
    let changes = visibility_changes(captures, relation);
    let sorted = |wanted: fn(VmBits, VmBits) -> bool| {
        changes.iter().filter(|(_, was, is)| wanted(*was, *is)).map(|(block, ..)| *block).collect::<Vec<_>>()
    };
    let frozen = sorted(|was, is| is.all_frozen && !was.all_frozen);
    let visible = sorted(|was, is| is.all_visible && !was.all_visible && !is.all_frozen);
    let cleared = sorted(|was, is| was.all_visible && !is.all_visible);
    let thawed = sorted(|was, is| was.all_frozen && !is.all_frozen && is.all_visible);
    let told = |all: Vec<BlockNumber>, kind, words: &str, why: &str| {
        (!all.is_empty()).then(|| Event {
            count: all.len(),
            what: format!("{} of {} {words}", blocks(all.iter().copied()), relation.told()),
            why: Some(why.to_string()),
            ..event(relation, ForkNumber::Vm, 0, kind)
        })
    };
    let all_visible = set_by(captures, "visible to everybody", "the next VACUUM may skip it");
    let all_frozen = set_by(captures, "visible to everybody and frozen", "no VACUUM needs to read it until it changes");
    let (not_visible, not_frozen) = cleared_by(captures);
    let events = [
        told(frozen, EventKind::AllVisible, "now all-visible and all-frozen", &all_frozen),
        told(visible, EventKind::AllVisible, "now all-visible", &all_visible),
        told(cleared, EventKind::AllVisibleCleared, "no longer all-visible", not_visible),
        told(thawed, EventKind::AllVisibleCleared, "no longer all-frozen", not_frozen),
    ];
    events.into_iter().flatten().collect()
}

/// Who set bits of the map, as far as the step tells, and what they are good for. VACUUM has no transaction id while it
/// scans.
fn set_by(captures: &Captures<'_>, how: &str, next: &str) -> String {
    let who = match &captures.step.cause {
        Cause::Record(record) if record.header().xl_xid() == 0 => format!("VACUUM found every tuple there {how}."),
        Cause::Record(_) => {
            format!("COPY with FREEZE filled the page with rows that are {how} from the start.")
        }
        _ if !captures.version().copy_freeze_sets_visibility_map() => {
            format!("Only VACUUM sets these bits, where every tuple is {how}.")
        }
        _ => format!("Only VACUUM and COPY with FREEZE set these bits, where every tuple is {how}."),
    };
    format!("{who} Index-only scans need not look at the heap, and {next}.")
}

/// Why a page is not all-visible any more, and why only not all-frozen.
fn cleared_by(captures: &Captures<'_>) -> (&'static str, &'static str) {
    if captures.is_measured() {
        return (
            "Whoever inserts, updates or deletes a row there clears the page's bits in the visibility map and PD_ALL_VISIBLE, until the next VACUUM.",
            "A row lock clears only the all-frozen bit; else the page changed, and VACUUM found it all-visible again.",
        );
    }
    (
        "A row there was inserted, updated or deleted: its bits in the visibility map and PD_ALL_VISIBLE on the page were cleared, until the next VACUUM.",
        "A row there was locked: that clears only the all-frozen bit.",
    )
}

/// Heap blocks whose category changed: block, before, after.
fn free_space_changes(captures: &Captures<'_>, relation: &Relation) -> Vec<(BlockNumber, u8, u8)> {
    let mut changes = Vec::new();
    for change in captures.changes(relation.oid, ForkNumber::Fsm) {
        let decode = |page: &Page| FsmPage::decode(page, change.id.block);
        let Some(after) = change.after.as_ref().map(decode) else { continue };
        let before = change.before.as_ref().map(decode);
        for (slot, is) in after.slots().iter().enumerate() {
            let was = before.as_ref().and_then(|page| page.slots().get(slot)).copied().unwrap_or(0);
            let size = captures.after.server.block_size;
            if let (true, FsmTarget::Heap(block)) = (was != *is, after.address.target(slot as u16, size)) {
                changes.push((block, was, *is));
            }
        }
    }
    changes
}

/// What the bytes of an index page say of why the map was told of it. Other access methods have pages of their own,
/// which are not read here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    /// out of the tree
    Deleted,
    /// all zeros: the file grew by it, and nothing was written there
    Zeros,
    /// part of the tree
    InTree,
    /// not read, or no B-tree
    Unknown,
}

impl Found {
    fn of(state: &State, relation: &Relation, block: BlockNumber) -> Self {
        let page = state.pages.get(&PageId { relation: relation.oid, fork: ForkNumber::Main, block });
        match page.map(|page| BtPage::decode(page, state.server.version).kind) {
            _ if relation.am != AccessMethod::Btree => Self::Unknown,
            Some(BtKind::Deleted) => Self::Deleted,
            Some(BtKind::New) => Self::Zeros,
            Some(BtKind::Leaf | BtKind::Internal) => Self::InTree,
            _ => Self::Unknown,
        }
    }
}

/// Why pages of an index may be used again. `_bt_page_recyclable` (13), `btvacuumpage`: VACUUM takes a page that is all
/// zeros for one that was deleted.
fn freed_by(relation: &Relation, found: Found, n: usize) -> String {
    let them = if n == 1 { "it" } else { "them" };
    match found {
        Found::Deleted => {
            format!("VACUUM found {them} deleted, and no transaction left that could still stand on {them}.")
        }
        Found::Zeros => format!(
            "VACUUM found {them} all zeros: the file was extended, and nothing was written there, perhaps because of a crash."
        ),
        _ if relation.am == AccessMethod::Btree => format!(
            "VACUUM found {them} deleted, with no transaction left that could still stand on {them}; or all zeros, as a crash leaves a page that the file was just extended by."
        ),
        _ => format!(
            "Whole pages of an index are free, or none. Perhaps VACUUM found {them} deleted or empty, or all zeros, as a crash leaves a page that the file was just extended by; \
             or the pending list of a GIN index was emptied."
        ),
    }
}

/// Why pages of an index are no longer free. `_bt_allocbuf`: what the map offers is struck off it first, and looked at
/// then.
fn taken_by(relation: &Relation, was: Found, found: Found) -> &'static str {
    match (was, found) {
        (Found::Deleted, Found::InTree) => "A split needs a page, and takes a free one before it extends the file.",
        (_, Found::InTree) => {
            "A split, or the first entry of an empty index, needs a page, and takes a free one before it extends the file."
        }
        (_, Found::Deleted | Found::Zeros) => {
            "Who needs a page, as a split does, asks for a free one before extending the file. This is not part of the tree: perhaps it is used next, or a transaction could still \
             stand on it, so that the next one was asked for; or a crash set the map back."
        }
        _ if relation.am == AccessMethod::Btree => {
            "Perhaps a split, or the first entry of an empty index, took a free page before it would extend the file; or it could not be used yet, or a crash set the map back."
        }
        _ => {
            "Perhaps an insertion that needed a page took a free one before it would extend the file; or a crash set the map back."
        }
    }
}

/// Of an index only whole pages are free, or none (`RecordFreeIndexPage`, `GetFreeIndexPage`).
fn whole_pages(captures: &Captures<'_>, relation: &Relation, changes: &[(BlockNumber, u8, u8)]) -> Vec<Event> {
    let mut sorted: BTreeMap<(bool, Found, Found), Vec<BlockNumber>> = BTreeMap::new();
    for (block, _, is) in changes {
        let is_taken = *is == 0;
        let found = Found::of(captures.after, relation, *block);
        let was = if is_taken { Found::of(captures.before, relation, *block) } else { found };
        sorted.entry((is_taken, was, found)).or_default().push(*block);
    }
    let told = sorted.into_iter().map(|((is_taken, was, found), all)| {
        let (did, why) = match is_taken {
            true => ("taken from the free space map", taken_by(relation, was, found).to_string()),
            false => ("may be used again", freed_by(relation, found, all.len())),
        };
        Event {
            count: all.len(),
            what: format!("free space map of {}: {} {did}", relation.told(), blocks(all)),
            why: Some(why),
            ..event(relation, ForkNumber::Fsm, 0, EventKind::FreeSpaceMap)
        }
    });
    told.collect()
}

fn free_space(captures: &Captures<'_>, relation: &Relation) -> Vec<Event> {
    let changes = free_space_changes(captures, relation);
    // BRIN has rows of its own, and room for them like a table
    let is_brin = matches!(&relation.am, AccessMethod::Other(am) if am == "brin");
    if relation.kind == RelKind::Index && !is_brin {
        return whole_pages(captures, relation, &changes);
    }
    let size = captures.after.server.block_size;
    let name = relation.told();
    let told = |what: String, n: usize, why: &str| Event {
        count: n,
        what,
        why: Some(why.to_string()),
        ..event(relation, ForkNumber::Fsm, 0, EventKind::FreeSpaceMap)
    };
    let why = match is_brin {
        true => "The map keeps free space in steps of 32 bytes. It is a hint.",
        false => {
            "The map keeps free space in steps of 32 bytes. It is a hint: VACUUM brings it up to date, and so does an INSERT that does not fit where the map sent it."
        }
    };
    grouped(
        &changes,
        |(block, was, is)| {
            let now = bytes(category_bytes(*is, size));
            let was = number(category_bytes(*was, size).into());
            told(format!("free space map of {name}: block {block}, {was} → {now}"), 1, why)
        },
        |many| {
            let all = plural("block", many.iter().map(|(block, ..)| *block));
            told(format!("free space map of {name}: {} updated, {all}", count(many.len(), "value")), many.len(), why)
        },
    )
}
