//! WAL and captures that do not fit together: the timeline comes to the capture all the same, and says what is
//! measured.

use super::server::{Capture, Server};
use ffviz_format::heap::HeapPage;
use ffviz_format::page::{ForkNumber, Page};
use ffviz_format::state::{AccessMethod, PageId, State};
use ffviz_story::timeline::{Cause, How, Replayed, Timeline, WalBetween};
use std::sync::Arc;

/// Pushes a capture and WAL onto the timeline; the timeline's end must be the capture.
fn push(timeline: &mut Timeline, capture: &State, wal: WalBetween, what: &str) -> Option<Replayed> {
    timeline.push_replayed(capture.clone(), None, wal);
    let same = timeline.last().relations == capture.relations;
    assert!(same && timeline.last().pages == capture.pages, "{what}: the end is not the capture");
    match &timeline.groups().last().expect("a group").how {
        How::Replayed { report, .. } => Some(report.clone()),
        _ => None,
    }
}

fn start(state: &State) -> Timeline {
    Timeline::new(state.clone(), None)
}

pub fn check(server: &mut Server, captures: &[Capture]) {
    let mut counts = [0; 6];
    for pair in captures.windows(3).step_by(3) {
        let [before, after, later] = pair else { continue };
        let wal = server.wal(before, after);
        if wal.records.len() > 3 {
            counts[0] += cut_off(before, after, &wal);
        }
        counts[1] += pages_unknown(before, after, &wal);
        counts[2] += other_database(before, after, &wal);
        counts[3] += ahead(server, before, after, later);
        counts[4] += other_bytes(before, after, &wal);
        counts[5] += rows_gone(before, after, &wal);
    }
    let [cut, unknown, other, ahead, differing, refused] = counts;
    println!(
        "WAL cut off: {cut} times; earlier pages unknown: {unknown}; another database: {other}; WAL ahead of the capture: {ahead}; \
         other bytes: {differing}; records that do not fit: {refused}"
    );
    assert!(cut > 2 && unknown > 4 && other > 4 && ahead > 4 && differing > 1 && refused > 1);
}

/// The second half of the WAL is missing.
fn cut_off(before: &Capture, after: &Capture, wal: &WalBetween) -> usize {
    let gap = Some("the segment was removed".to_string());
    let half = WalBetween { records: wal.records[..wal.records.len() / 2].to_vec(), gap, ..wal.clone() };
    let mut timeline = start(&before.state);
    let report = push(&mut timeline, &after.state, half, "half of the WAL").expect("some is replayed");
    assert!(report.differing.is_empty());
    let why = report.measured.unwrap_or_default();
    assert!(why.contains("the segment was removed"), "{why}");
    assert_eq!(timeline.cause(timeline.len() - 1), Some(&Cause::Capture));
    timeline.seek(timeline.len() - 1);
    assert!(timeline.explain().events[0].what.starts_with("measured"));
    1
}

/// The tables' pages of a state that have rows, in order.
fn with_rows(state: &State) -> Vec<PageId> {
    let is_table = |id: &PageId| id.fork == ForkNumber::Main && state.relations[&id.relation].am == AccessMethod::Heap;
    let has_rows =
        |id: &PageId| HeapPage::decode(&state.pages[id], id.block).items.iter().any(|item| item.tuple.is_some());
    state.pages.keys().copied().filter(|id| is_table(id) && has_rows(id)).collect()
}

/// A row of the later capture has another value than its records say: the page is named by its relation, not by its
/// file.
fn other_bytes(before: &Capture, after: &Capture, wal: &WalBetween) -> usize {
    let mut found = 0;
    for id in with_rows(&after.state) {
        let mut state = after.state.clone();
        let page = state.pages.get_mut(&id).expect("a page");
        let decoded = HeapPage::decode(page, id.block);
        let data = decoded.items.iter().find_map(|item| item.tuple.as_ref()).expect("a row").data();
        page.bytes_mut()[usize::from(data.start)] ^= 0xFF;
        let mut timeline = start(&before.state);
        let report = push(&mut timeline, &state, wal.clone(), "other bytes");
        let Some(why) = report.filter(|report| report.differing == [id]).and_then(|report| report.measured) else {
            continue;
        };
        let named = format!("first page {}:{}.", state.relations[&id.relation].name, id.block);
        assert!(why.contains(&named), "{named}: {why}");
        found += 1;
    }
    found
}

/// The earlier capture has pages without the rows that records are about: who cannot be done says on which page.
fn rows_gone(before: &Capture, after: &Capture, wal: &WalBetween) -> usize {
    let mut state = before.state.clone();
    for id in with_rows(&before.state) {
        let mut empty = Page::init(8192, 0);
        empty.set_pd_lsn(state.pages[&id].header().pd_lsn());
        state.pages.insert(id, empty);
    }
    let mut timeline = start(&state);
    let report = push(&mut timeline, &after.state, wal.clone(), "rows gone").expect("WAL");
    for anomaly in &report.anomalies {
        let names = state.relations.values().any(|relation| anomaly.contains(&format!(", {}:", relation.name)));
        assert!(names && !anomaly.contains(" blk "), "{anomaly}");
    }
    report.anomalies.len()
}

/// Of the earlier capture every other page was not read.
fn pages_unknown(before: &Capture, after: &Capture, wal: &WalBetween) -> usize {
    let mut state = before.state.clone();
    let mut n = 0;
    state.pages.retain(|_, _| {
        n += 1;
        n % 2 == 0
    });
    let mut timeline = start(&state);
    let report = push(&mut timeline, &after.state, wal.clone(), "pages unknown").expect("WAL");
    assert!(report.differing.is_empty() && report.anomalies.is_empty(), "{report:?}");
    1
}

/// The same numbers of files in another database: none of the records is about the captured one.
fn other_database(before: &Capture, after: &Capture, wal: &WalBetween) -> usize {
    let elsewhere = |state: &State| {
        let mut state = state.clone();
        state.relations.values_mut().for_each(|relation| Arc::make_mut(relation).database += 1);
        state
    };
    let mut timeline = start(&elsewhere(&before.state));
    push(&mut timeline, &elsewhere(&after.state), wal.clone(), "another database");
    let records = (0..timeline.len()).filter_map(|n| timeline.record(n));
    assert_eq!(records.filter(|record| record.header().xl_rmid() > 8).count(), 0);
    1
}

/// The WAL goes on beyond the capture: pages are shown as of its end, and the next capture follows.
fn ahead(server: &mut Server, before: &Capture, after: &Capture, later: &Capture) -> usize {
    let mut timeline = start(&before.state);
    timeline.push_replayed(after.state.clone(), None, server.wal(before, later));
    let wal = server.wal(after, later);
    let report = push(&mut timeline, &later.state, wal, "after WAL that was ahead").expect("WAL");
    assert!(report.differing.is_empty(), "{report:?}");
    1
}
