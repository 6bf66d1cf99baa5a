//! Values too large for their row: `heap_toast_insert_or_update` (src/backend/access/heap/heaptoast.c) puts them into
//! the TOAST table, in chunks.

use super::heap::ended;
use super::rows::{TableDiff, Version};
use super::words::{bytes, count, list};
use super::{EventKind, grouped};
use crate::timeline::Event;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::Oid;
use ffviz_format::page::layout::Wire;

/// The chunks of one value: `chunk_id`, then the row versions.
type Value<'a> = (Oid, Vec<Version<'a>>);

/// The values that were stored and deleted.
pub fn events(diff: &TableDiff<'_>) -> Vec<Event> {
    let mut events = told(diff, &values(diff.added()), EventKind::ToastStored);
    let gone: Vec<Value<'_>> = values(ended(diff));
    events.extend(told(diff, &gone, EventKind::ToastDeleted));
    events
}

/// A row of a TOAST table is `chunk_id` oid, `chunk_seq` int4, `chunk_data` bytea.
fn values<'a>(chunks: impl Iterator<Item = Version<'a>>) -> Vec<Value<'a>> {
    let mut values: BTreeMap<Oid, Vec<Version<'a>>> = BTreeMap::new();
    chunks.for_each(|chunk| values.entry(Oid::get(chunk.data())).or_default().push(chunk));
    values.into_iter().collect()
}

/// Bytes of `chunk_data` of all chunks.
fn stored(chunks: &[Version<'_>]) -> u64 {
    const BEFORE_DATA: usize = 4 + 4 + 4;
    chunks.iter().map(|chunk| chunk.data().len().saturating_sub(BEFORE_DATA) as u64).sum()
}

/// `TOAST_TUPLE_THRESHOLD` and `TOAST_MAX_CHUNK_SIZE` (src/include/access/heaptoast.h) for the size of the pages.
fn stored_why(values: &[Value<'_>]) -> String {
    /// header of a page, four line pointers
    const BEFORE_TUPLES: u16 = 24 + 4 * 4;
    /// header of a tuple, `chunk_id`, `chunk_seq`, length of `chunk_data`
    const BEFORE_CHUNK: u16 = 24 + 4 + 4 + 4;
    let page = values.iter().flat_map(|(_, chunks)| chunks).next().map_or(8192, |chunk| chunk.page.size());
    let threshold = page.saturating_sub(BEFORE_TUPLES) / 4 / 8 * 8;
    format!(
        "With this value the row was longer than {}. So the value moved here, in chunks of up to {}, and the row holds a pointer of 18 bytes to it.",
        bytes(threshold),
        bytes(threshold.saturating_sub(BEFORE_CHUNK))
    )
}

fn told(diff: &TableDiff<'_>, values: &[Value<'_>], kind: EventKind) -> Vec<Event> {
    let (did, why) = match kind {
        EventKind::ToastStored => ("stored", stored_why(values)),
        _ => (
            "deleted",
            "The row that pointed to it was deleted or has another value now: its chunks are deleted like rows."
                .to_string(),
        ),
    };
    let event = |chunks: &[Version<'_>], count: usize, what: String| Event {
        item: chunks.first().map(|chunk| chunk.tid.offset),
        count,
        what,
        why: Some(why.clone()),
        ..Event::new(kind, diff.id(chunks.first().map_or(0, |chunk| chunk.tid.block)))
    };
    let one = |(id, chunks): &Value<'_>| {
        let places: Vec<String> = chunks.iter().map(|chunk| chunk.tid.to_string()).collect();
        let n = count(chunks.len(), "chunk");
        event(chunks, 1, format!("TOAST: value {id} {did}, {n} of {} in all: {}", bytes(stored(chunks)), list(&places)))
    };
    grouped(values, one, |many| {
        let n: usize = many.iter().map(|(_, chunks)| chunks.len()).sum();
        let size: u64 = many.iter().map(|(_, chunks)| stored(chunks)).sum();
        let what =
            format!("TOAST: {} {did}, {} of {} in all", count(many.len(), "value"), count(n, "chunk"), bytes(size));
        event(&many[0].1, many.len(), what)
    })
}
