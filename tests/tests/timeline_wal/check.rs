//! What is compared.

use super::server::Capture;
use ffviz_format::page::{ForkNumber, Lsn, Page};
use ffviz_format::state::{PageId, State};
use ffviz_story::recording;
use ffviz_story::redo::{PageShape, mask};
use ffviz_story::timeline::{Cause, Group, How, Timeline};

/// The replay that was added last: it came to the capture, and says so.
pub fn last_group(timeline: &Timeline, capture: &State, label: &str, major: u32) {
    let group = timeline.groups().last().expect("a group");
    let How::Replayed { report, gap, .. } = &group.how else { panic!("{major} {label}: {:?}", group.how) };
    let what = format!("PostgreSQL {major}, {label}");
    assert_eq!(*gap, None, "{what}");
    assert_eq!(report.anomalies, [""; 0], "{what}");
    assert_eq!(report.differing, [], "{what}: {:?}", difference(timeline, group, capture, &report.differing));
    assert_eq!(timeline.last().pages, capture.pages, "{what}");
    assert_eq!(timeline.last().relations, capture.relations, "{what}");
    let causes: Vec<_> = group.states.clone().filter_map(|n| timeline.cause(n)).collect();
    let records = causes.iter().filter(|cause| matches!(cause, Cause::Record(_))).count();
    assert_eq!(records, report.records, "{what}");
    let measured = causes.iter().filter(|cause| matches!(cause, Cause::Capture)).count();
    // not in the WAL of these relations: what the catalog says, tables that are looked at for the first time, unlogged
    // tables
    let is_elsewhere = ["column added", "index made and dropped", "unlogged"].contains(&label);
    assert!(report.measured.is_none() || is_elsewhere, "{what}: {:?}", report.measured);
    assert_eq!(
        measured,
        usize::from(report.measured.is_some() || records == 0 && causes.len() == 1 && label != "hints"),
        "{what}"
    );
}

/// Where pages differ, for the message.
fn difference(timeline: &Timeline, group: &Group, capture: &State, ids: &[PageId]) -> Vec<String> {
    let mut timeline = timeline.clone();
    let is_rest = |n: &usize| !matches!(timeline.cause(*n), Some(Cause::Record(_)));
    let to = group.states.clone().find(is_rest).map_or(group.states.end, |n| n) - 1;
    timeline.seek(to);
    let describe = |id: &PageId| {
        let (Some(ours), Some(server)) = (timeline.state().pages.get(id), capture.pages.get(id)) else {
            return String::new();
        };
        let shape = PageShape::of(capture, *id);
        let (ours, server) = (mask(ours, shape, id.block), mask(server, shape, id.block));
        let at: Vec<_> = (0..8192).filter(|at| ours.bytes()[*at] != server.bytes()[*at]).take(12).collect();
        format!("{id} {} {:?} at {at:?}", capture.relations[&id.relation].name, ours.header().pd_lsn())
    };
    ids.iter().take(3).map(describe).collect()
}

/// Forwards, back and by jumps each state is the same.
pub fn walks(timeline: &mut Timeline) {
    timeline.seek(0);
    let mut states = Vec::new();
    for n in 0..timeline.len() {
        timeline.seek(n);
        states.push(timeline.state().clone());
        assert_eq!(timeline.before(), n.checked_sub(1).map(|before| &states[before]));
    }
    assert_eq!(states.last(), Some(timeline.last()));
    for n in (0..timeline.len()).rev() {
        timeline.seek(n);
        assert!(*timeline.state() == states[n], "back at state {n}");
    }
    let mut at = 1;
    for _ in 0..200 {
        at = (at * 7919 + 13) % timeline.len();
        timeline.seek(at);
        assert!(*timeline.state() == states[at], "jumped to state {at}");
        assert_eq!(timeline.before(), at.checked_sub(1).map(|before| &states[before]));
    }
    last_writers(timeline, &states);
}

/// The last writer of some bytes, against a look at all states.
fn last_writers(timeline: &mut Timeline, states: &[State]) {
    let (mut found, mut older) = (0, 0);
    for n in [states.len() - 1, states.len() / 2] {
        timeline.seek(n);
        for (id, page) in states[n].pages.iter().step_by(3) {
            for at in (0..page.size()).step_by(977) {
                let bytes = |n: usize| states[n].pages.get(id).map(|page| &page.bytes()[usize::from(at)..][..8]);
                let writes = |n: &usize| timeline.touches(*n, *id) && bytes(*n) != bytes(*n - 1);
                let writer = (1..=n).rev().find(writes);
                assert_eq!(timeline.last_writer(*id, &(at..at + 8)), writer, "{id} at {at}, state {n}");
                found += usize::from(writer.is_some());
                older += usize::from(writer.is_none());
            }
        }
    }
    println!("last writers: {found} found, {older} older than the first capture");
    assert!(found > 50 && older > 10);
}

/// What is written is read again, groups and all.
pub fn round_trip(timeline: &Timeline) {
    let read = recording::read(recording::save(timeline, None));
    assert_eq!(read.lost, [""; 0]);
    let mut again = read.timeline.expect("a timeline");
    let mut timeline = timeline.clone();
    assert_eq!(again.len(), timeline.len());
    for (ours, read) in timeline.groups().iter().zip(again.groups()) {
        assert_eq!(ours, read);
    }
    for n in 0..timeline.len() {
        timeline.seek(n);
        again.seek(n);
        assert_eq!(timeline.cause(n), again.cause(n));
        assert!(timeline.state() == again.state(), "state {n} of the recording");
    }
}

/// All WAL replayed from the first capture to the last one: the state at each capture between shows what was captured
/// then.
pub fn states_within(timeline: &mut Timeline, captures: &[Capture]) -> usize {
    let mut compared = 0;
    let mut n = 0;
    for capture in &captures[1..captures.len() - 1] {
        let end = |n: usize| timeline.record(n).map_or(Lsn(u64::MAX), |record| record.end);
        while n + 1 < timeline.len() && end(n + 1) <= capture.done {
            n += 1;
        }
        timeline.seek(n);
        for (id, ours) in &timeline.state().pages {
            let same_file = |state: &State| state.relations.get(&id.relation).map(|relation| relation.filenode);
            if same_file(timeline.state()) != same_file(&capture.state) {
                continue;
            }
            let Some(server) = capture.state.pages.get(id) else { continue };
            let differs = |a: &Page, b: &Page| {
                mask(a, PageShape::of(&capture.state, *id), id.block)
                    != mask(b, PageShape::of(&capture.state, *id), id.block)
            };
            // not logged: the free space map; a sequence's record is 32 values ahead
            let is_logged = id.fork != ForkNumber::Fsm && PageShape::of(&capture.state, *id) != PageShape::Sequence;
            if is_logged && ours.header().pd_lsn() == server.header().pd_lsn() {
                assert!(!differs(ours, server), "{id} at {}", capture.done);
                compared += 1;
            }
        }
    }
    compared
}
