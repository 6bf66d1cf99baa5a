//! The WAL between two captures, from each place it can be read from, on every version.

use super::{Live, oid, read_args, wal_args};
use ffviz_format::page::Oid;
use ffviz_format::state::State;
use ffviz_format::wal::Rmgr;
use ffviz_story::app::{Effect, Msg};
use ffviz_story::timeline::{Cause, How, Timeline, WalBetween};
use ffviz_tests::servers::{Database, MAJORS};

/// A capture that has WAL with it.
pub fn with_wal(live: &Live) -> (State, WalBetween) {
    match live.next() {
        Msg::CapturedWithWal(state, wal) => (state, wal),
        other => panic!("instead of a capture with WAL: {other:?}"),
    }
}

/// Asks for one.
pub fn capture(live: &Live, table: Oid) -> (State, WalBetween) {
    live.ask(Effect::Capture { table, pages: Vec::new() });
    with_wal(live)
}

/// The first, which has none.
pub fn first(live: &Live) -> State {
    match live.next() {
        Msg::Captured(state) => state,
        other => panic!("instead of a first capture: {other:?}"),
    }
}

pub fn types(wal: &WalBetween, state: &State) -> Vec<String> {
    let name = |record: &ffviz_format::wal::Record| {
        let decoded = record.decode(state.server.version).expect("a record of the server");
        format!("{}/{}", decoded.rmgr().name(), decoded.type_name())
    };
    wal.records.iter().map(name).collect()
}

#[test]
fn segments_of_the_server_on_all_versions() {
    let mut records = 0;
    for major in MAJORS {
        let mut database = Database::create(major, &format!("attach_wal_{major}"));
        let fill = "CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t VALUES (1, 'a'), (2, 'b'); CREATE TABLE other (id int)";
        database.client.batch_execute(fill).expect("a table");
        let t = oid(&mut database.client, "t");
        let live = Live::start(&database.url(), &["t"]).expect("attach");
        let mut timeline = Timeline::new(first(&live), None);
        database.client.batch_execute("UPDATE t SET v = 'c' WHERE id = 1").expect("update");
        database
            .client
            .batch_execute("INSERT INTO other SELECT generate_series(1, 100)")
            .expect("another table's rows");
        let (state, wal) = capture(&live, t);
        assert_eq!(wal.gap, None, "{major}");
        let found = types(&wal, &state);
        let ours: Vec<&str> = found.iter().map(String::as_str).filter(|name| !name.starts_with("XLOG/")).collect();
        let update = ours.iter().position(|name| *name == "Heap/HOT_UPDATE").expect("the update");
        assert!(ours[update..].contains(&"Transaction/COMMIT"), "{major}: {ours:?}");
        assert!(!ours.contains(&"Heap/INSERT") && wal.others.records >= 100, "{major}: {ours:?}, {:?}", wal.others);
        records += wal.records.len();
        timeline.push_replayed(state, None, wal);
        let group = timeline.groups().last().expect("a group").clone();
        assert!(matches!(group.how, How::Replayed { gap: None, .. }), "{major}: {:?}", group.how);
        // nothing is read twice
        database.client.batch_execute("DELETE FROM t WHERE id = 2").expect("delete");
        let (state, wal) = capture(&live, t);
        let heap = wal.records.iter().filter(|record| Rmgr(record.header().xl_rmid()) == Rmgr::HEAP).count();
        assert_eq!((heap, &wal.gap), (1, &None), "{major}: {:?}", types(&wal, &state));
        records += wal.records.len();
        timeline.push_replayed(state, None, wal);
        timeline.seek(usize::MAX);
        assert!((0..timeline.len()).any(|at| matches!(timeline.cause(at), Some(Cause::Record(_)))));
    }
    println!("{records} records read from pg_wal on {} versions", MAJORS.len());
}

#[test]
fn no_wal_is_none() {
    let mut database = Database::create(18, "attach_no_wal");
    database.client.batch_execute("CREATE TABLE t (id int); INSERT INTO t VALUES (1)").expect("a table");
    let t = oid(&mut database.client, "t");
    let live = Live::with_wal_args(read_args(&database.url(), &["t"]), true, wal_args()).expect("attach");
    first(&live);
    database.client.batch_execute("UPDATE t SET id = 2").expect("update");
    live.ask(Effect::Capture { table: t, pages: Vec::new() });
    first(&live);
}
