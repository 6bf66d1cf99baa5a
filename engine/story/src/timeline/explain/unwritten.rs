//! Line pointers that lead to bytes which are no row version: zeros that were never written, as on a torn page.
//!
//! Nobody inserted them, and nobody pruned what stood there. Readers meet them all the same: xid 0 never committed
//! (src/backend/access/transam/transam.c, `TransactionLogFetch`), so they note that it did not.

use super::heap::example_event;
use super::rows::{TableDiff, Version};
use super::words::count;
use super::{EventKind, grouped};
use crate::timeline::Event;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use ffviz_format::page::ItemPointer;

/// What happened to such bytes.
pub fn events(diff: &TableDiff<'_>) -> Vec<Event> {
    let mut events = found(diff);
    events.extend(hinted(diff));
    events
}

/// Line pointers that lead to such bytes since this step.
fn found(diff: &TableDiff<'_>) -> Vec<Event> {
    let found: Vec<Version<'_>> = diff.unwritten().collect();
    let one = |v: &Version<'_>| {
        let why = match v.tuple.t_xmin {
            _ if v.tuple.is_row_version() => {
                return Event {
                    what: format!(
                        "line pointer {} of block {} leads to a row version, where bytes were that are none",
                        v.tid.offset, v.tid.block
                    ),
                    why: Some(
                        "Perhaps the page was restored from an image in the WAL. The difference tells of no INSERT."
                            .to_string(),
                    ),
                    ..example_event(diff, &v.tid, EventKind::Other)
                };
            }
            0 => {
                "Its t_xmin is 0, and no transaction has that id: perhaps the page is torn, or a crash left its bytes unwritten. The difference tells of no INSERT and no pruning."
            }
            _ => {
                "Its columns would begin within its header: the page is damaged. The difference tells of no INSERT and no pruning."
            }
        };
        let what =
            format!("line pointer {} of block {} leads to bytes that are no row version", v.tid.offset, v.tid.block);
        Event { what, why: Some(why.to_string()), ..example_event(diff, &v.tid, EventKind::Other) }
    };
    grouped(&found, one, |many| Event {
        count: many.len(),
        what: format!("{} lead to bytes that are, or were, no row versions", count(many.len(), "line pointer")),
        ..one(&many[0])
    })
}

/// Such bytes that a reader took for a row version.
fn hinted(diff: &TableDiff<'_>) -> Vec<Event> {
    let is_new = |(old, new): &(Version<'_>, Version<'_>)| {
        !new.tuple.is_row_version() && new.tuple.is_xmin_invalid() && !old.tuple.is_xmin_invalid()
    };
    let tids: Vec<ItemPointer> = diff.kept().filter(is_new).map(|(_, new)| new.tid).collect();
    let why = "Its line pointer leads to bytes that were never written. Their t_xmin reads as 0; transaction 0 never committed, so a reader notes that it did not, \
               and nobody sees a row there.";
    grouped(
        &tids,
        |tid| Event {
            what: format!("hint bit HEAP_XMIN_INVALID set on {tid}, which is no row version"),
            why: Some(why.to_string()),
            ..example_event(diff, tid, EventKind::HintBits)
        },
        |many| Event {
            count: many.len(),
            what: format!(
                "hint bit HEAP_XMIN_INVALID set on {}, which are no row versions",
                count(many.len(), "tuple")
            ),
            why: Some(why.to_string()),
            ..example_event(diff, &many[0], EventKind::HintBits)
        },
    )
}
