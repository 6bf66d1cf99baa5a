//! Hint bits and freezing: the same tuples, known better (src/backend/access/heap/heapam_visibility.c, `SetHintBits`).

use super::EventKind;
use super::heap::{example_event, span};
use super::rows::{TableDiff, Version};
use super::words::{blocks, count};
use crate::timeline::Event;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use ffviz_format::heap::infomask::{HEAP_XMAX_COMMITTED, HEAP_XMAX_INVALID, HEAP_XMIN_COMMITTED, HEAP_XMIN_FROZEN};

/// The hint bits, by their names; what was rolled back is told as such.
const HINTS: [(u16, &str); 3] = [
    (HEAP_XMIN_COMMITTED, "HEAP_XMIN_COMMITTED"),
    (HEAP_XMAX_COMMITTED, "HEAP_XMAX_COMMITTED"),
    (HEAP_XMAX_INVALID, "HEAP_XMAX_INVALID"),
];

/// Hint bits and freezing: the same tuples, known better.
pub fn events(diff: &TableDiff<'_>) -> Vec<Event> {
    let frozen = |v: &Version<'_>| v.tuple.is_frozen();
    let kept: Vec<(Version<'_>, Version<'_>)> = diff.kept().collect();
    let mut events = Vec::new();
    let froze: Vec<&(Version<'_>, Version<'_>)> =
        kept.iter().filter(|(old, new)| frozen(new) && !frozen(old)).collect();
    if let Some((_, first)) = froze.first() {
        let why = "VACUUM set HEAP_XMIN_FROZEN: they are older than every snapshot, and stay visible for ever, whatever becomes of their t_xmin.";
        events.push(Event {
            count: froze.len(),
            what: format!(
                "{} frozen on {}",
                count(froze.len(), "tuple"),
                blocks(froze.iter().map(|(_, v)| v.tid.block))
            ),
            why: Some(why.to_string()),
            ..example_event(diff, &first.tid, EventKind::Freeze)
        });
    }
    for (bit, name) in HINTS {
        let set: Vec<&Version<'_>> = kept
            .iter()
            .filter(|(old, new)| new.has(bit) && !old.has(bit) && !(frozen(new) && bit & HEAP_XMIN_FROZEN != 0))
            .filter(|(_, new)| bit != HEAP_XMAX_INVALID || new.ended_by().is_none())
            .map(|(_, new)| new)
            .collect();
        let Some(first) = set.first() else { continue };
        let on = match set.len() {
            1 => first.tid.to_string(),
            n => format!("{}: {}", count(n, "tuple"), span(set.iter().map(|v| v.tid))),
        };
        events.push(Event {
            count: set.len(),
            what: format!("hint bit {name} set on {on}"),
            why: Some(hint_why(bit).to_string()),
            ..example_event(diff, &first.tid, EventKind::HintBits)
        });
    }
    events
}

const fn hint_why(bit: u16) -> &'static str {
    match bit {
        HEAP_XMIN_COMMITTED => {
            "Whoever came by first, a statement or VACUUM, looked up the inserting transaction in pg_xact, found it committed, and noted it for those who come after."
        }
        HEAP_XMAX_COMMITTED => {
            "A statement, or VACUUM, found the transaction in t_xmax committed in pg_xact: the version is dead to every later snapshot."
        }
        _ => {
            "A statement, or VACUUM, found that t_xmax has no effect any more: its transaction was rolled back, or held only a lock and has ended."
        }
    }
}
