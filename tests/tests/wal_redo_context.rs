//! Descriptions of 13 and 14, which have no pg_walinspect, against what the server itself prints while it replays.
//!
//! A record whose page is gone (its table was dropped later) makes recovery log a DEBUG1 message, and its context is the description:
//!
//! ```text
//! CONTEXT:  WAL redo at 0/17A4C58 for Heap/INSERT: off 5 flags 0x00; blkref #0: rel 1663/13383/16384, blk 0
//! ```
//!
//! So pages are made before a checkpoint and changed after it, without images; then the table is dropped, the server stopped, and started.

use ffviz_engine::page::Lsn;
use ffviz_engine::wal::describe::describe;
use ffviz_tests::instance::Instance;
use std::collections::{BTreeMap, BTreeSet};

/// Pages that the rest changes.
const BEFORE: &str = "
    CREATE TABLE t (id int PRIMARY KEY, v int, t text) WITH (fillfactor = 70);
    CREATE INDEX ON t (v);
    INSERT INTO t SELECT g, g / 50, 'row ' || g FROM generate_series(1, 6000) g;
    CHECKPOINT;";

/// A statement each, since VACUUM does not run in a transaction.
const CHANGES: [&str; 16] = [
    "INSERT INTO t SELECT g, 7, 'more' FROM generate_series(6001, 7500) g",
    "UPDATE t SET t = t || ' hot' WHERE id % 7 = 0",
    "UPDATE t SET v = v + 1 WHERE id % 11 = 0",
    "UPDATE t SET id = -id WHERE id % 13 = 0",
    "DELETE FROM t WHERE id % 5 = 0",
    "INSERT INTO t VALUES (1, 1, 'twice'), (8001, 1, 'once') ON CONFLICT DO NOTHING",
    "BEGIN; SELECT count(*) FROM (SELECT FROM t WHERE id < 300 FOR UPDATE) x; COMMIT",
    "BEGIN; SELECT count(*) FROM (SELECT FROM t WHERE id < 300 FOR KEY SHARE) x; COMMIT",
    "CREATE TABLE more AS SELECT g id FROM generate_series(1, 300) g",
    "COPY t (id) FROM PROGRAM 'seq 9000 9400'",
    "VACUUM t",
    "UPDATE t SET v = 3 WHERE id BETWEEN 1000 AND 2000",
    "DELETE FROM t WHERE id > 2500",
    "VACUUM (FREEZE) t",
    "VACUUM t",
    "INSERT INTO t SELECT g, 7, 'again' FROM generate_series(20001, 22500) g",
];

/// What the server's log says of each record: type and description.
fn told(log: &str) -> BTreeMap<Lsn, (String, String)> {
    let lines = log.lines().filter_map(|line| line.split_once("WAL redo at ")?.1.split_once(" for "));
    let records = lines.filter_map(|(at, text)| {
        let text = text.split("; blkref #").next()?;
        let (name, description) = text.split_once(": ")?;
        Some((at.parse().ok()?, (name.to_owned(), description.to_owned())))
    });
    records.collect()
}

/// Locks a row that another session has updated and not committed.
fn lock_updated(instance: &Instance) {
    let (mut one, mut other) = (instance.client(), instance.client());
    one.batch_execute("BEGIN; UPDATE t SET t = 'later' WHERE id IN (21, 22)").expect("an update");
    other.batch_execute("BEGIN; SELECT FROM t WHERE id IN (21, 22) FOR KEY SHARE; COMMIT").expect("a lock");
    one.batch_execute("COMMIT").expect("a commit");
}

fn check(major: u32) {
    let instance = Instance::create(major, "full_page_writes = off\nlog_min_messages = debug1\nmax_wal_size = 2GB");
    let mut client = instance.client();
    client.batch_execute(BEFORE).expect("a table");
    let row = client.query_one("SELECT redo_lsn::text FROM pg_control_checkpoint()", &[]).expect("a position");
    let from: Lsn = row.get::<_, String>(0).parse().expect("an LSN");
    for (n, sql) in CHANGES.into_iter().enumerate() {
        client.batch_execute(sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        if n == 1 {
            lock_updated(&instance);
        }
    }
    client.batch_execute("DROP TABLE t").expect("a drop");
    let version = ffviz_tests::wal::version(&mut client);
    let to = ffviz_tests::wal::flushed(&mut client);
    let records: Vec<_> = ffviz_tests::wal::records(&instance, version, from, to).collect();
    drop(client);
    instance.stop("immediate");
    instance.start();
    let log = std::fs::read_to_string(instance.folder().join("log")).expect("the server's log");
    let told = told(&log);
    let (mut same, mut types) = (0, BTreeSet::new());
    for record in &records {
        let Some((name, theirs)) = told.get(&record.start) else { continue };
        let decoded = record.decode(version).expect("the server's own record");
        assert_eq!(format!("{}/{}", decoded.rmgr().name(), decoded.type_name()), *name, "{}", record.start);
        assert_eq!(describe(&decoded), *theirs, "{name} at {}", record.start);
        same += 1;
        types.insert(name.clone());
    }
    println!(
        "PostgreSQL {major}: {same} descriptions of {} types are those in the server's log: {types:?}",
        types.len()
    );
    assert!(types.len() >= 15, "{types:?}");
}

#[test]
fn descriptions_of_13_are_those_of_its_recovery() {
    check(13);
}

#[test]
fn descriptions_of_14_are_those_of_its_recovery() {
    check(14);
}
