//! WAL and captures that do not fit together: the timeline comes to the capture all the same, and says what is measured.

use super::server::{Capture, Server};
use ffviz_format::state::State;
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
    let mut counts = [0; 4];
    for pair in captures.windows(3).step_by(3) {
        let [before, after, later] = pair else { continue };
        let wal = server.wal(before, after);
        if wal.records.len() > 3 {
            counts[0] += cut_off(before, after, &wal);
        }
        counts[1] += pages_unknown(before, after, &wal);
        counts[2] += other_database(before, after, &wal);
        counts[3] += ahead(server, before, after, later);
    }
    let [cut, unknown, other, ahead] = counts;
    println!(
        "WAL cut off: {cut} times; earlier pages unknown: {unknown}; another database: {other}; WAL ahead of the capture: {ahead}"
    );
    assert!(cut > 2 && unknown > 4 && other > 4 && ahead > 4);
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
