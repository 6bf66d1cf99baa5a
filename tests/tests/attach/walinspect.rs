//! WAL of a server whose segments may not be read: what `pg_walinspect` tells becomes the same rows and steps.
//!
//! ```text
//!  role app     pg_walinspect ─▶ rebuilt records ─▶ timeline ─┐ equal, and equal to the captures
//!  superuser    segments ──────▶ records ─────────────────────┘
//! ```

use super::wal::{capture, first};
use super::{Live, oid};
use ffviz_format::page::{Lsn, PgVersion};
use ffviz_format::wal::Record;
use ffviz_story::recording;
use ffviz_story::timeline::{Cause, How, Replayed, Timeline};
use ffviz_tests::instance::Instance;
use postgres::Client;
use std::collections::BTreeMap;

const FILL: &str =
    "CREATE EXTENSION pg_walinspect; CREATE ROLE app LOGIN; GRANT pg_read_server_files TO app;
    CREATE TABLE t (id int PRIMARY KEY, n int, v text); CREATE INDEX by_n ON t (n); CREATE TABLE other (v text);
    INSERT INTO t SELECT g, g % 7, repeat('v', g % 90) FROM generate_series(1, 900) g; GRANT SELECT ON t TO app; VACUUM t; CHECKPOINT";

/// What is done between two captures.
const WORK: [&str; 10] = [
    "UPDATE t SET v = v || '!' WHERE id % 9 = 0",
    "INSERT INTO t SELECT g, g % 5, 'more' FROM generate_series(1001, 1500) g; INSERT INTO other SELECT generate_series(1, 100)",
    "DELETE FROM t WHERE id % 4 = 1",
    "BEGIN; SELECT * FROM t WHERE id < 30 FOR UPDATE; SAVEPOINT s; UPDATE t SET n = n + 1 WHERE id < 20; ROLLBACK TO s; COMMIT",
    "VACUUM t",
    "CHECKPOINT; UPDATE t SET n = n + 1, v = repeat('w', 40) WHERE id % 3 = 0",
    "COPY (SELECT g + 5000, g, 'copied' FROM generate_series(1, 300) g) TO '/dev/null'; INSERT INTO t SELECT g, 1, repeat('x', 3000) FROM generate_series(6000, 6050) g",
    "SET wal_compression = on; CHECKPOINT; UPDATE t SET v = v || '?' WHERE id % 5 = 0; RESET wal_compression",
    "VACUUM FREEZE t",
    "TRUNCATE t; INSERT INTO t SELECT g, g % 7, 'after' FROM generate_series(1, 200) g",
];

/// A follower and the timeline that it makes.
struct Follower {
    live: Live,
    timeline: Timeline,
    records: BTreeMap<Lsn, Record>,
}

impl Follower {
    fn start(url: &str) -> Self {
        let live = Live::start(url, &["t"]).expect("attach");
        let timeline = Timeline::new(first(&live), None);
        Self { live, timeline, records: BTreeMap::new() }
    }

    /// Captures; gives what replay found, and why the WAL is not all there.
    fn capture(&mut self, client: &mut Client) -> (Replayed, Option<String>) {
        let (state, wal) = capture(&self.live, oid(client, "t"));
        self.records.extend(wal.records.iter().map(|record| (record.start, record.clone())));
        self.timeline.push_replayed(state, None, wal);
        match &self.timeline.groups().last().expect("a group").how {
            How::Replayed { report, gap, .. } => (report.clone(), gap.clone()),
            other => panic!("{other:?}"),
        }
    }
}

/// Each statement by itself: VACUUM wants no transaction around it.
fn run(client: &mut Client, sql: &str) {
    for statement in sql.split(';') {
        client.batch_execute(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
}

#[test]
fn a_role_without_the_segments_sees_the_same_on_15_to_18() {
    for major in [15, 16, 17, 18] {
        let instance = Instance::create(major, "autovacuum = off\nwal_log_hints = on");
        let mut client = instance.client();
        run(&mut client, FILL);
        client.batch_execute(&ffviz_live::wrapper_sql(Some("app"))).expect("wrapper");
        let url = instance.url("postgres");
        let (mut app, mut all) = (Follower::start(&url.replace("postgres@", "app@")), Follower::start(&url));
        let (mut replayed, mut lost, mut compared) = (0, 0, 0);
        for work in WORK {
            run(&mut client, work);
            let (report, gap) = app.capture(&mut client);
            all.capture(&mut client);
            let what = format!("{major} {work}: {report:?}, {gap:?}");
            assert!(report.differing.is_empty() && report.anomalies.is_empty(), "{what}");
            assert_eq!(report.rebuilt, report.records, "{what}");
            assert!(major < 16 || report.lost == 0 && report.measured.is_none() && gap.is_none(), "{what}");
            assert!(
                report.lost == 0 || gap.is_some_and(|gap| gap.contains("to read all: GRANT EXECUTE")),
                "{major} {work}"
            );
            (replayed, lost, compared) = (replayed + report.records, lost + report.lost, compared + report.compared);
        }
        let (whole, steps) = (same_records(&app, &all), same_steps(&app.timeline, &all.timeline, major));
        again(&app.timeline);
        hidden(&app.timeline, major);
        println!(
            "PostgreSQL {major}: {replayed} records rebuilt, {whole} of them equal to those of the segments in every byte, {} too little told \
             to replay; {compared} pages equal to the captures after replay; {steps} states equal to those of the segments",
            lost
        );
        assert!(major < 16 || compared > 100 && whole > 1000 && steps > 3000, "{major}: {compared} {whole} {steps}");
    }
}

/// The same rows: position, type, length, block references; and all bytes that are told.
fn same_records(app: &Follower, all: &Follower) -> usize {
    let version = app.timeline.last().server.version;
    let last = *app.records.keys().next_back().expect("a record");
    let positions = |follower: &Follower| follower.records.range(..=last).map(|(at, _)| *at).collect::<Vec<_>>();
    assert_eq!(positions(app), positions(all), "{}", version.major());
    let mut whole = 0;
    for (ours, real) in app.records.values().zip(all.records.values()) {
        assert_eq!(row(ours, version), row(real, version));
        let is_told = |at: usize| ours.is_told(&(at as u32..at as u32 + 1));
        assert!((0..real.bytes.len()).all(|at| !is_told(at) || ours.bytes[at] == real.bytes[at]), "{}", ours.start);
        whole += usize::from(ours.bytes == real.bytes);
    }
    whole
}

/// What a row of the WAL view says of a record.
fn row(record: &Record, version: PgVersion) -> impl PartialEq + std::fmt::Debug {
    let decoded = record.decode(version).expect("a record");
    let tags: Vec<_> = decoded.blocks.iter().map(|block| (block.tag, block.image.is_some())).collect();
    (record.end, decoded.rmgr(), decoded.type_name(), decoded.xid(), decoded.tot_len(), decoded.fpi_len(), tags)
}

/// From 16 on every state that a record leads to is the one that the real record leads to.
fn same_steps(app: &Timeline, all: &Timeline, major: u32) -> usize {
    let states = |timeline: &Timeline| {
        let mut timeline = timeline.clone();
        let mut found = BTreeMap::new();
        for n in 0..timeline.len() {
            timeline.seek(n);
            if let Some(Cause::Record(record)) = timeline.cause(n) {
                found.insert(record.start, timeline.state().pages.clone());
            }
        }
        found
    };
    let (ours, theirs) = (states(app), states(all));
    let same = ours.iter().filter(|(at, pages)| theirs.get(at) == Some(*pages)).count();
    let last = ours.keys().next_back().copied().unwrap_or_default();
    assert_eq!(ours.len(), theirs.range(..=last).count(), "{major}: as many steps");
    assert!(major < 16 || same == ours.len(), "{major}: {same} of {}", ours.len());
    same
}

/// A recording keeps what is not known of the records.
fn again(timeline: &Timeline) {
    let read = recording::read(recording::save(timeline, None));
    assert_eq!(read.lost, [""; 0]);
    let again = read.timeline.expect("a timeline");
    assert_eq!(again.groups(), timeline.groups());
    assert!((0..timeline.len()).all(|n| again.cause(n) == timeline.cause(n)));
}

/// Redacted, the rebuilt records lead to the redacted captures too.
fn hidden(timeline: &Timeline, major: u32) {
    let hidden = recording::redact_timeline(timeline);
    for (open, closed) in timeline.groups().iter().zip(hidden.groups()).skip(1) {
        let (How::Replayed { report: open, .. }, How::Replayed { report, .. }) = (&open.how, &closed.how) else {
            panic!("{major}: {:?} {:?}", open.how, closed.how)
        };
        assert!(report.differing.is_empty() && report.anomalies.is_empty(), "{major}: {report:?}");
        assert_eq!((report.records, report.rebuilt), (open.records, open.rebuilt), "{major}: {report:?}");
    }
    assert_eq!(hidden.last().pages, recording::redact(timeline.last()).pages, "{major}");
}
