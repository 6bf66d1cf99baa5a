//! What happened to the entries of a B-tree: added, removed, killed, merged.
//! Follows src/backend/access/nbtree/nbtinsert.c, nbtdedup.c and nbtree.c.

use super::entries::{Entries, Entry, TreeDiff};
use super::words::{blocks, bytes, count, number};
use super::{Captures, EventKind, grouped};
use crate::timeline::Event;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::nbtree::{BtKind, IndexTupleKind};
use ffviz_format::page::{BlockNumber, ForkNumber, ItemPointer, LpFlags, OffsetNumber};
use ffviz_format::state::{PageId, State};
use ffviz_format::wal::RecordType;
use ffviz_format::wal::record_type::BtreeType;

/// Why entries are gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Removal {
    /// VACUUM: the line pointers in the table are free as well
    Vacuum,
    /// a record DELETE: the page was full
    MadeRoom,
    /// they were marked `LP_DEAD` before
    Killed,
    /// neither
    BottomUp,
    /// the table's pages are not known
    Unknown,
}

/// All that happened to the entries of an index.
pub fn events(captures: &Captures<'_>, diff: &TreeDiff<'_>) -> Vec<Event> {
    let (before, after) = (diff.entries_before(), diff.entries_after());
    let mut events = deduplicated(diff, &before);
    events.extend(added(captures, diff, &before, &after));
    events.extend(removed(captures, diff, &before, &after));
    events.extend(killed(captures, diff, &before, &after));
    events
}

fn event(diff: &TreeDiff<'_>, block: BlockNumber, item: Option<OffsetNumber>, kind: EventKind) -> Event {
    let page = PageId { relation: diff.relation.oid, fork: ForkNumber::Main, block };
    Event { item, ..Event::new(kind, page) }
}

fn added(captures: &Captures<'_>, diff: &TreeDiff<'_>, before: &Entries<'_>, after: &Entries<'_>) -> Vec<Event> {
    let name = diff.relation.told();
    let mut new: Vec<&Entry<'_>> = after.iter().filter(|(key, _)| !before.contains_key(key)).map(|(_, e)| e).collect();
    new.sort_unstable_by_key(|e| (e.block, e.offset, e.tid));
    let one = |e: &&Entry<'_>| {
        let key = diff.key_text(captures, e.page, e.tuple);
        let posting = match &e.tuple.kind {
            // The new TID lies between those of a list: one of the list's takes its place as an item (a posting list
            // split).
            IndexTupleKind::Posting(tids) => format!(", in a posting list of {}", count(tids.len(), "TID")),
            _ => format!(", {}", bytes(e.tuple.bytes.end - e.tuple.bytes.start)),
        };
        Event {
            what: format!("{name}: entry {key} → {} added to leaf {}, item {}{posting}", e.tid, e.block, e.offset),
            ..event(diff, e.block, Some(e.offset), EventKind::IndexInsert)
        }
    };
    grouped(&new, one, |many| {
        let example = many[0];
        Event {
            count: many.len(),
            what: format!("{name}: {} added on {}", count(many.len(), "entry"), leaves(many.iter().map(|e| e.block))),
            why: Some(format!(
                "For example {} → {} on leaf {}, item {}.",
                diff.key_text(captures, example.page, example.tuple),
                example.tid,
                example.block,
                example.offset
            )),
            ..event(diff, example.block, Some(example.offset), EventKind::IndexInsert)
        }
    })
}

fn leaves(numbers: impl IntoIterator<Item = u32>) -> String {
    let text = blocks(numbers);
    match text.strip_prefix("blocks ") {
        Some(several) => format!("leaves {several}"),
        None => text.replacen("block ", "leaf ", 1),
    }
}

fn removed(captures: &Captures<'_>, diff: &TreeDiff<'_>, before: &Entries<'_>, after: &Entries<'_>) -> Vec<Event> {
    let name = diff.relation.told();
    let mut gone: Vec<(Removal, &Entry<'_>)> = before
        .iter()
        .filter(|(key, _)| !after.contains_key(key))
        .map(|(_, entry)| (removal(captures, diff, entry), entry))
        .collect();
    gone.sort_unstable_by_key(|(removal, e)| (*removal, e.block, e.offset, e.tid));
    let sorts: BTreeSet<Removal> = gone.iter().map(|(removal, _)| *removal).collect();
    let mut events = Vec::new();
    for sort in sorts {
        let these: Vec<&Entry<'_>> = gone.iter().filter(|(removal, _)| *removal == sort).map(|(_, e)| *e).collect();
        let why = Some(removal_words(captures, sort).to_string());
        // A posting list that loses some of its TIDs is written anew, shorter.
        let survives = |e: &Entry<'_>| {
            let key = e.page.slice(e.tuple.key.clone());
            e.tuple.heap_tids().iter().any(|tid| after.contains_key(&(*tid, key)))
        };
        let one = |e: &&Entry<'_>| Event {
            what: format!(
                "{name}: entry {} → {} removed from {}leaf {}",
                diff.key_text(captures, e.page, e.tuple),
                e.tid,
                if survives(e) { "a posting list on " } else { "" },
                e.block
            ),
            why: why.clone(),
            ..event(diff, e.block, None, EventKind::IndexDelete)
        };
        events.extend(grouped(&these, one, |many| Event {
            count: many.len(),
            what: format!(
                "{name}: {} removed from {}",
                // an entry that is a posting list leads to several rows; records count entries
                count(many.len(), if many.iter().all(|e| e.tuple.heap_tids().len() == 1) { "entry" } else { "TID" }),
                leaves(many.iter().map(|e| e.block))
            ),
            ..one(&many[0])
        }));
    }
    events
}

/// The state of a line pointer of the table; `None` where its page is not known, `LP_UNUSED` where it has no such line
/// pointer.
fn line_pointer(state: &State, table: u32, tid: ItemPointer) -> Option<LpFlags> {
    let id = PageId { relation: table, fork: ForkNumber::Main, block: tid.block };
    let Some(page) = state.pages.get(&id) else {
        let beyond = state.relations.get(&table).is_some_and(|r| tid.block >= r.blocks.main);
        return beyond.then_some(LpFlags::Unused);
    };
    let item = page.line_pointers().nth(usize::from(tid.offset.0).saturating_sub(1));
    Some(item.map_or(LpFlags::Unused, |(_, lp)| lp.lp_flags()))
}

fn removal(captures: &Captures<'_>, diff: &TreeDiff<'_>, entry: &Entry<'_>) -> Removal {
    match captures.record_type() {
        Some(RecordType::Btree(BtreeType::Vacuum)) => return Removal::Vacuum,
        Some(RecordType::Btree(BtreeType::Delete)) => return Removal::MadeRoom,
        _ => {}
    }
    let table = diff.relation.table.unwrap_or_default();
    let was = line_pointer(captures.before, table, entry.tid);
    let is = line_pointer(captures.after, table, entry.tid);
    match (was, is) {
        (Some(was), Some(LpFlags::Unused)) if was != LpFlags::Unused => Removal::Vacuum,
        // only VACUUM frees it, for whatever stands there now
        (Some(LpFlags::Dead), Some(is)) if is != LpFlags::Dead => Removal::Vacuum,
        _ if entry.killed => Removal::Killed,
        (Some(_), Some(_)) => Removal::BottomUp,
        _ => Removal::Unknown,
    }
}

const fn removal_words(captures: &Captures<'_>, removal: Removal) -> &'static str {
    match (removal, captures.version().deletes_bottom_up()) {
        (Removal::Vacuum, _) => {
            "VACUUM first removes the index entries of dead rows, then frees the line pointers in the table that they led to."
        }
        (Removal::MadeRoom, false) => {
            "An INSERT found the page full and removed entries to make room: scans had marked them LP_DEAD, which is not logged."
        }
        (Removal::MadeRoom, _) => {
            "An INSERT or UPDATE found the page full and removed entries of dead rows before it would split it: marked LP_DEAD by scans, which is not logged (simple deletion), or looked for in the table (bottom-up deletion)."
        }
        (Removal::Killed, false) => {
            "It had been marked LP_DEAD; an INSERT that finds the page full removes such entries to make room, and VACUUM removes them as well."
        }
        (Removal::Killed, _) => {
            "It had been marked LP_DEAD; an INSERT that finds the page full removes such entries to make room (simple deletion), and VACUUM removes them as well."
        }
        (Removal::BottomUp, false) => {
            "No VACUUM shows in the table. So most likely a scan marked it LP_DEAD between the two captures, and an INSERT that found the page full removed it."
        }
        (Removal::BottomUp, _) => {
            "No VACUUM shows in the table, and it was not marked LP_DEAD in the capture before: most likely bottom-up deletion, which an UPDATE tries before it splits a full page."
        }
        (Removal::Unknown, _) => "By VACUUM or to make room: the table's pages were not read, so it cannot be told.",
    }
}

fn killed(captures: &Captures<'_>, diff: &TreeDiff<'_>, before: &Entries<'_>, after: &Entries<'_>) -> Vec<Event> {
    let was_alive = |key: &(ItemPointer, &[u8])| before.get(key).is_some_and(|e| !e.killed);
    let killed: Vec<&Entry<'_>> = after.iter().filter(|(key, e)| e.killed && was_alive(key)).map(|(_, e)| e).collect();
    let is_unique = diff.relation.index.as_ref().is_some_and(|index| index.unique);
    let who = if is_unique { "A scan, or an INSERT that looked for its key," } else { "A scan" };
    let why = format!(
        "{who} followed the entry and found the row dead to every snapshot. It set LP_DEAD, so that later scans pass over the entry; \
         the tuple stays until the page is short of room, or until VACUUM."
    );
    let name = diff.relation.told();
    let one = |e: &&Entry<'_>| Event {
        what: format!(
            "{name}: entry {} → {} marked LP_DEAD on leaf {}",
            diff.key_text(captures, e.page, e.tuple),
            e.tid,
            e.block
        ),
        why: Some(why.to_string()),
        ..event(diff, e.block, Some(e.offset), EventKind::IndexKilled)
    };
    grouped(&killed, one, |many| Event {
        count: many.len(),
        what: format!(
            "{name}: {} marked LP_DEAD on {}",
            count(many.len(), "entry"),
            leaves(many.iter().map(|e| e.block))
        ),
        ..one(&many[0])
    })
}

/// Posting lists that join what were several items before.
fn deduplicated(diff: &TreeDiff<'_>, before: &Entries<'_>) -> Vec<Event> {
    let mut merges: Vec<(BlockNumber, usize, usize, u64)> = Vec::new();
    for pair in &diff.pages {
        let Some((page, decoded)) = &pair.after else { continue };
        let (mut items, mut lists, mut freed) = (0, 0, 0u64);
        for tuple in decoded.data_items().iter().filter_map(|item| item.tuple.as_ref()) {
            let IndexTupleKind::Posting(tids) = &tuple.kind else { continue };
            let key = page.bytes().get(usize::from(tuple.key.start)..usize::from(tuple.key.end)).unwrap_or(&[]);
            let old: Vec<&Entry<'_>> = tids.iter().filter_map(|tid| before.get(&(*tid, key))).collect();
            let places: BTreeSet<(BlockNumber, OffsetNumber, u16)> =
                old.iter().map(|e| (e.block, e.offset, e.tuple.bytes.end - e.tuple.bytes.start)).collect();
            if places.len() > 1 {
                items += places.len();
                lists += 1;
                let was: u64 = places.iter().map(|(.., len)| u64::from(*len) + 4).sum();
                freed += was.saturating_sub(u64::from(tuple.bytes.end - tuple.bytes.start) + 4);
            }
        }
        if lists > 0 && decoded.kind == BtKind::Leaf {
            merges.push((pair.block, items, lists, freed));
        }
    }
    let name = diff.relation.told();
    let why = "An INSERT found the page full. Before splitting it, PostgreSQL merged items with equal keys: a posting list holds the key once, and all TIDs.";
    let one = |(block, items, lists, freed): &(BlockNumber, usize, usize, u64)| Event {
        count: *items,
        what: format!(
            "{name}: leaf {block} deduplicated, {} → {}, {} freed",
            count(*items, "item"),
            count(*lists, "posting list"),
            bytes(*freed)
        ),
        why: Some(why.to_string()),
        ..event(diff, *block, None, EventKind::Deduplicated)
    };
    grouped(&merges, one, |many| Event {
        what: format!(
            "{name}: {} deduplicated, {} items → {}, {} freed",
            leaves(many.iter().map(|m| m.0)),
            number(many.iter().map(|m| m.1 as u64).sum()),
            count(many.iter().map(|m| m.2).sum(), "posting list"),
            bytes(many.iter().map(|m| m.3).sum::<u64>())
        ),
        ..one(&many[0])
    })
}
