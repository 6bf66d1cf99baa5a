//! Captures and records race: of a page whose `pd_lsn` does not move with a change, each moment between two records
//! must tell the same story.
//!
//! ```text
//! A ──VACUUM──▶ B ──UPDATE──▶ C ──DELETE──▶ D ──row lock──▶ E      the capture is E, with map and heap pages as they were at A, B, C or D
//! ```

use super::server::{Capture, Server};
use ffviz_format::page::ForkNumber;
use ffviz_format::state::{PageId, State};
use ffviz_story::timeline::{Cause, EventKind, How, Timeline};

/// Three blocks, settled but for the visibility map.
const BEFORE: &str = "CREATE TABLE raced (id int, pad char(400));
INSERT INTO raced SELECT n, 'x' FROM generate_series(1, 50) AS n;
SELECT count(*) FROM raced;
CHECKPOINT";

const STATEMENTS: [&str; 4] = [
    "VACUUM (FREEZE) raced",
    "UPDATE raced SET id = -id WHERE id = 3",
    "DELETE FROM raced WHERE id = 25",
    "SELECT FROM raced WHERE id = 45 FOR UPDATE",
];

pub fn check(server: &mut Server) {
    server.run(BEFORE);
    let mut captures = vec![server.capture()];
    for sql in STATEMENTS {
        server.run(sql);
        captures.push(server.capture());
    }
    let (first, last) = (&captures[0], captures.last().expect("one"));
    let raced = last.state.relations.values().find(|relation| relation.name == "raced").expect("the table").oid;
    for from in 0..captures.len() - 1 {
        for earlier in from.max(1)..captures.len() {
            let map = |id: &PageId| id.relation == raced && id.fork == ForkNumber::Vm;
            placed(server, &captures[from], last, with(&captures[earlier].state, &last.state, map), earlier);
        }
    }
    // read before VACUUM set PD_ALL_VISIBLE, which moves pd_lsn where hints are logged only
    let heap = |id: &PageId| id.relation == raced && id.fork == ForkNumber::Main;
    placed(server, first, &captures[1], with(&first.state, &captures[1].state, heap), 0);
}

/// The later state, with some pages as they were earlier.
fn with(earlier: &State, later: &State, wanted: impl Fn(&PageId) -> bool) -> State {
    let mut mixed = later.clone();
    let old = earlier.pages.iter().filter(|(id, _)| wanted(id) && later.pages.contains_key(id));
    mixed.pages.extend(old.map(|(id, page)| (*id, page.clone())));
    mixed
}

/// All that becomes of the map is told by records, and it ends as the WAL says, whenever its page was read.
fn placed(server: &mut Server, before: &Capture, last: &Capture, mixed: State, earlier: usize) {
    let mut timeline = Timeline::new(before.state.clone(), None);
    timeline.push_replayed(mixed, None, server.wal(before, last));
    let How::Replayed { report, .. } = timeline.groups()[1].how.clone() else { panic!("no replay") };
    let what = format!("map of capture {earlier}");
    assert_eq!((report.differing, report.measured, report.anomalies), (vec![], None, vec![]), "{what}");
    for (id, page) in last.state.pages.iter().filter(|(id, _)| id.fork == ForkNumber::Vm) {
        let same = timeline.last().pages.get(id).is_some_and(|ours| ours.slice(24..8192) == page.slice(24..8192));
        assert!(same, "{what}: it does not end as the WAL says");
    }
    for n in 1..timeline.len() {
        timeline.seek(n);
        let is_record = matches!(timeline.cause(n), Some(Cause::Record(_)));
        let told = timeline.explain();
        let story = |kind| matches!(kind, EventKind::AllVisible | EventKind::AllVisibleCleared);
        let stories: Vec<_> = told.events.iter().filter(|event| story(event.kind)).collect();
        assert!(is_record || stories.is_empty(), "{what}, step {n}: {stories:?}");
        assert!(is_record || !told.headline.contains("header"), "{what}, step {n}: {}", told.headline);
    }
}
