//! Descriptions of 13 and 14, which have no pg_walinspect, against what the server itself prints while it replays.
//!
//! A record whose page is gone (its table was dropped later) makes recovery log a DEBUG1 message, and its context is
//! the description:
//!
//! ```text
//! CONTEXT:  WAL redo at 0/17A4C58 for Heap/INSERT: off 5 flags 0x00; blkref #0: rel 1663/13383/16384, blk 0
//! ```
//!
//! So pages are made before a checkpoint and changed after it, without images; then the table is dropped, the server
//! stopped, and started.
//!
//! A standby says more: at DEBUG4 it notes the transaction of each record, prepared ones, locks, messages to caches,
//! and positions that it flushes to; a checkpoint that brings a new oldest transaction, and settings too high for the
//! standby, are told too. No message comes with XLOG's NEXTOID, SWITCH, BACKUP_END, RESTORE_POINT, FPW_CHANGE,
//! OVERWRITE_CONTRECORD and END_OF_RECOVERY: recovery does its work on them without a word, or hardly ever meets them.
//! Their descriptions have no witness on 13 and 14; the code is that which is compared with pg_walinspect from 15 on.

use ffviz_format::page::{Lsn, PgVersion};
use ffviz_format::wal::{Record, Rmgr};
use ffviz_story::describe::describe;
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

/// Whose records are described as PostgreSQL describes them.
const DESCRIBED: [Rmgr; 8] =
    [Rmgr::XLOG, Rmgr::TRANSACTION, Rmgr::STORAGE, Rmgr::STANDBY, Rmgr::HEAP2, Rmgr::HEAP, Rmgr::BTREE, Rmgr::SEQUENCE];

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
    let types = compare(major, version, &records, &log);
    assert!(types.len() >= 15, "{types:?}");
}

/// Compares what is told with the engine's descriptions; the types that were.
fn compare(major: u32, version: PgVersion, records: &[Record], log: &str) -> BTreeSet<String> {
    let told = told(log);
    let (mut same, mut types) = (0, BTreeSet::new());
    for record in records {
        let Some((name, theirs)) = told.get(&record.start) else { continue };
        let decoded = record.decode(version).expect("the server's own record");
        assert_eq!(format!("{}/{}", decoded.rmgr().name(), decoded.type_name()), *name, "{}", record.start);
        if DESCRIBED.contains(&decoded.rmgr()) {
            assert_eq!(describe(&decoded).trim_end(), theirs.trim_end(), "{name} at {}", record.start);
            same += 1;
            types.insert(name.clone());
        }
    }
    println!(
        "PostgreSQL {major}: {same} descriptions of {} types are those in the server's log: {types:?}",
        types.len()
    );
    types
}

/// Transactions with everything that their records can hold, files, locks, a sequence, 100 subtransactions.
const TRANSACTIONS: [&str; 18] = [
    "CREATE TABLE s (id serial PRIMARY KEY, v int); CREATE SEQUENCE counter",
    "INSERT INTO s (v) SELECT g FROM generate_series(1, 500) g",
    "SELECT nextval('counter'), setval('counter', 70)",
    "BEGIN; CREATE TABLE gone (v int); CREATE INDEX ON gone (v); ROLLBACK",
    "BEGIN; INSERT INTO s (v) VALUES (1); SAVEPOINT a; INSERT INTO s (v) VALUES (2); SAVEPOINT b; INSERT INTO s (v) VALUES (3); COMMIT",
    "DO $$ BEGIN FOR i IN 1..100 LOOP BEGIN INSERT INTO s (v) VALUES (i); EXCEPTION WHEN division_by_zero THEN NULL; END; END LOOP; END $$",
    "BEGIN; INSERT INTO s (v) VALUES (4); SAVEPOINT a; DELETE FROM s WHERE v = 4; ROLLBACK",
    "BEGIN; UPDATE s SET v = 5 WHERE v = 4; CREATE TABLE later (v int); PREPARE TRANSACTION 'one'",
    "COMMIT PREPARED 'one'",
    "BEGIN; DROP TABLE later; PREPARE TRANSACTION 'two'",
    "ROLLBACK PREPARED 'two'",
    "BEGIN; LOCK TABLE s IN ACCESS EXCLUSIVE MODE; DELETE FROM s WHERE v > 100; COMMIT",
    "VACUUM s",
    "TRUNCATE s",
    "ALTER TABLE s ADD w int DEFAULT 3",
    "CREATE INDEX ON s (w)",
    "DROP TABLE later, s",
    "ALTER DATABASE template0 ALLOW_CONNECTIONS true",
];
/// Types that must be among those that a standby tells of.
const TOLD: [&str; 12] = [
    "Transaction/COMMIT",
    "Transaction/ABORT",
    "Transaction/PREPARE",
    "Transaction/COMMIT_PREPARED",
    "Transaction/ABORT_PREPARED",
    "Transaction/ASSIGNMENT",
    "Storage/CREATE",
    "Standby/LOCK",
    "Standby/RUNNING_XACTS",
    "Sequence/LOG",
    "XLOG/CHECKPOINT_SHUTDOWN",
    "XLOG/PARAMETER_CHANGE",
];

fn check_standby(major: u32) {
    let settings = "timezone = 'UTC'\nlog_timezone = 'UTC'\nwal_level = replica\nmax_prepared_transactions = 4";
    let primary = Instance::create(major, settings);
    primary.stop("fast");
    let standby = primary.standby("hot_standby = on\nlog_min_messages = debug4\ntrace_recovery_messages = debug4");
    primary.start();
    let mut client = primary.client();
    let version = ffviz_tests::wal::version(&mut client);
    let from = ffviz_tests::wal::insert_position(&mut client);
    standby.start();
    for sql in TRANSACTIONS {
        client.batch_execute(sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    }
    for database in ["template0", "template1", "postgres"] {
        let mut client = postgres::Client::connect(&primary.url(database), postgres::NoTls).expect("a database");
        client.batch_execute("VACUUM (FREEZE)").expect("VACUUM");
    }
    client.batch_execute("CHECKPOINT").expect("a checkpoint");
    drop(client);
    primary.stop("fast");
    primary.configure(&format!("{settings}\nmax_connections = 200"));
    primary.start();
    let to = ffviz_tests::wal::flushed(&mut primary.client());
    let log = wait_for(&standby, "for XLOG/PARAMETER_CHANGE: ");
    let records: Vec<_> = ffviz_tests::wal::records(&primary, version, from, to).collect();
    let types = compare(major, version, &records, &log);
    let missing: Vec<_> = TOLD.iter().filter(|name| !types.contains(**name)).collect();
    assert!(missing.is_empty(), "{major}: the standby does not tell of {missing:?}");
}

/// The server's log, once it has these words.
fn wait_for(instance: &Instance, words: &str) -> String {
    for _ in 0..300 {
        let log = std::fs::read(instance.folder().join("log")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log).into_owned();
        if log.contains(words) {
            return log;
        }
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    panic!("the log never says {words:?}");
}

#[test]
fn descriptions_of_13_are_those_of_its_standby() {
    check_standby(13);
}

#[test]
fn descriptions_of_14_are_those_of_its_standby() {
    check_standby(14);
}

#[test]
fn descriptions_of_13_are_those_of_its_recovery() {
    check(13);
}

#[test]
fn descriptions_of_14_are_those_of_its_recovery() {
    check(14);
}
