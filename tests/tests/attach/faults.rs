//! What happens to tables and servers while they are looked at: the last picture stays, and a sentence says what is the
//! matter.

use super::{Live, compare, main_pages, oid, read_args};
use ffviz_format::page::ForkNumber;
use ffviz_format::state::PageId;
use ffviz_story::app::{Effect, Msg};
use ffviz_tests::instance::{Instance, NEWEST};
use ffviz_tests::servers::Database;
use std::io::{Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const FILL: &str = "CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t SELECT g, repeat('v', 500) FROM generate_series(1, 3000) g";

#[test]
fn a_table_changes_under_the_reader() {
    let mut database = Database::create(NEWEST, "attach_faults");
    database.client.batch_execute(FILL).expect("a table");
    let t = oid(&mut database.client, "t");
    let live = Live::start(&database.url(), &["t"]).expect("attach");
    let before = live.captured();
    // rewritten: other files, the same table
    database.client.batch_execute("DELETE FROM t WHERE id > 1000").expect("delete");
    // a transaction that began before and is not over yet, such as a capture's, would keep the deleted rows
    let size = "SELECT pg_relation_size('t')";
    let full = database.client.query_one(size, &[]).expect("a size").get::<_, i64>(0);
    while database.client.query_one(size, &[]).expect("a size").get::<_, i64>(0) > full / 2 {
        database.client.batch_execute("VACUUM FULL t").expect("VACUUM FULL");
        std::thread::sleep(Duration::from_millis(10));
    }
    let after = live.capture(t);
    assert_ne!(before.relations[&t].filenode, after.relations[&t].filenode);
    compare(&after, &mut database.client);
    // a block that is no more
    let last = *main_pages(&before, t).last().expect("pages");
    live.ask(Effect::ReadPages { table: t, pages: vec![last] });
    let Msg::PagesRead(none) = live.next() else { panic!("pages") };
    assert!(none.pages.is_empty());
    database.client.batch_execute("TRUNCATE t").expect("TRUNCATE");
    assert!(main_pages(&live.capture(t), t).is_empty());
    database.client.batch_execute("DROP TABLE t").expect("DROP");
    let gone = live.capture(t);
    assert!(gone.relations.is_empty() && gone.pages.is_empty(), "that it is gone is a step, too");
    let told = live.failed();
    assert!(told.contains("t was dropped; what was captured before stays"), "{told}");
}

/// Tables are truncated, rewritten and grown as fast as the server can while captures are taken: each is whole, or says
/// what happened.
#[test]
fn a_table_changes_all_the_time() {
    let mut database = Database::create(NEWEST, "attach_races");
    database.client.batch_execute(FILL).expect("a table");
    let t = oid(&mut database.client, "t");
    let url = database.url();
    let live = Live::start(&url, &["t"]).expect("attach");
    let mut pages = live.captured().pages.len();
    let enough = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&enough);
    let churn = std::thread::spawn(move || {
        let mut client = postgres::Client::connect(&url, postgres::NoTls).expect("connection");
        let end = Instant::now() + Duration::from_secs(60);
        // pauses from none to half a second: whatever the machine's speed, some captures collide and some fit in
        // between
        for pause in (0..6).cycle().map(|n| Duration::from_millis(n * 100)) {
            if stop.load(Ordering::Relaxed) || Instant::now() > end {
                return;
            }
            let again = "TRUNCATE t; INSERT INTO t SELECT g, repeat('v', 500) FROM generate_series(1, 3000) g";
            client.batch_execute(again).expect("churn");
            client.batch_execute("DELETE FROM t WHERE id > 100").expect("churn");
            client.batch_execute("VACUUM t").expect("churn"); // gives pages at the end back
            std::thread::sleep(pause);
        }
    });
    let (mut captures, mut failures) = (0, Vec::new());
    let least = Instant::now() + Duration::from_secs(4);
    while !churn.is_finished() {
        enough.store(captures > 3 && Instant::now() > least, Ordering::Relaxed);
        live.ask(Effect::Capture { table: t, pages: Vec::new() });
        match live.next() {
            Msg::Captured(state) | Msg::CapturedWithWal(state, _) => {
                (captures, pages) = (captures + 1, pages + state.pages.len())
            }
            Msg::Failed(sentence) => failures.push(sentence),
            other => panic!("{other:?}"),
        }
    }
    churn.join().expect("churn");
    let known = |sentence: &String| {
        sentence.contains("holds a lock") || sentence.contains("t changes faster than it can be read")
    };
    assert!(failures.iter().all(known), "{failures:?}");
    assert!(captures > 3, "{captures} captures, {failures:?}");
    println!("{captures} captures with {pages} pages, {} refused for a moment", failures.len());
    let rest = live.capture(t);
    compare(&rest, &mut database.client);
}

#[test]
fn a_lock_is_not_waited_for() {
    let mut database = Database::create(NEWEST, "attach_lock");
    database.client.batch_execute(FILL).expect("a table");
    let t = oid(&mut database.client, "t");
    let live = Live::start(&database.url(), &[]).expect("attach");
    assert!(!live.tables().is_empty());
    let mut holder = database.client.transaction().expect("transaction");
    holder.batch_execute("LOCK TABLE t IN ACCESS EXCLUSIVE MODE").expect("lock");
    live.ask(Effect::ListTables);
    assert!(
        live.tables().iter().any(|entry| entry.oid == t && entry.bytes == 0),
        "its size is estimated, it was never vacuumed"
    );
    let start = Instant::now();
    live.ask(Effect::Capture { table: t, pages: Vec::new() });
    let told = live.failed();
    assert!(told.contains("another session holds a lock that keeps readers out"), "{told}");
    assert!(start.elapsed() < Duration::from_secs(5));
    holder.rollback().expect("rollback");
    assert!(!live.capture(t).pages.is_empty());
}

#[test]
fn watching_makes_a_step_only_of_a_change() {
    let mut database = Database::create(NEWEST, "attach_watch");
    database.client.batch_execute(FILL).expect("a table");
    let t = oid(&mut database.client, "t");
    let live = Live::start(&database.url(), &["t"]).expect("attach");
    let first = live.captured();
    live.ask(Effect::Watch(true));
    std::thread::sleep(Duration::from_secs(1));
    database.client.batch_execute("UPDATE t SET v = 'new' WHERE id = 1").expect("update");
    let second = live.captured();
    let changed: Vec<_> = second.pages.iter().filter(|(id, page)| first.pages.get(id) != Some(*page)).collect();
    assert!(
        changed.iter().any(|(id, _)| id.relation == t && id.fork == ForkNumber::Main),
        "{} pages changed",
        changed.len()
    );
    let shared =
        second.pages.iter().filter(|(id, page)| first.pages.get(id).is_some_and(|before| before.same(page))).count();
    assert_eq!(shared + changed.len(), second.pages.len(), "pages that are the same are kept once");
    database.client.batch_execute("DROP TABLE t").expect("DROP");
    assert!(live.captured().relations.is_empty());
    assert!(live.failed().contains("t was dropped"));
    live.ask(Effect::Watch(false));
}

#[test]
fn a_server_that_goes_away_comes_back() {
    let instance = Instance::create(NEWEST, "");
    let mut client = instance.client();
    client.batch_execute(&format!("CREATE EXTENSION pageinspect; {FILL}; CHECKPOINT")).expect("a table");
    let t = oid(&mut client, "t");
    let file: String = client.query_one("SELECT pg_relation_filepath('t')", &[]).expect("the file").get(0);
    let live = Live::start(&instance.url("postgres"), &["t"]).expect("attach");
    let before = live.captured();
    instance.stop("fast");
    live.ask(Effect::Capture { table: t, pages: Vec::new() });
    let told = live.failed();
    assert!(told.contains("connection lost, connecting again …; the last picture stays"), "{told}");
    let told = live.failed();
    assert!(told.contains("still no connection") && told.contains("no server answers at"), "{told}");
    damage(&instance, &file, 2);
    instance.start();
    loop {
        match live.next() {
            Msg::Done(told) => break assert!(told.contains("connected again"), "{told}"),
            Msg::Failed(told) => assert!(told.contains("still no connection"), "{told}"),
            other => panic!("{other:?}"),
        }
    }
    // what was asked for is done in the end. One page has a broken header: PostgreSQL refuses it, all others are read,
    // and it is shown as it is on disk
    let after = live.captured();
    let told = live.failed();
    assert!(told.contains("page 2 of t is damaged") && told.contains("invalid page in block 2"), "{told}");
    assert!(told.contains("shown as it is on disk"), "{told}");
    let bad = PageId { relation: t, fork: ForkNumber::Main, block: 2 };
    assert_eq!(&after.pages[&bad].bytes()[12..14], [0xFF, 0xFF]);
    let others = |id: &&PageId| **id != bad;
    assert_eq!(
        before.pages.keys().filter(others).collect::<Vec<_>>(),
        after.pages.keys().filter(others).collect::<Vec<_>>()
    );
    // the checksum is set when a page is written; the FSM is not logged and may be another after a restart
    let without_checksum = |bytes: &[u8]| [&bytes[..8], &bytes[10..]].concat();
    let same = |id| without_checksum(before.pages[id].bytes()) == without_checksum(after.pages[id].bytes());
    assert!(before.pages.keys().filter(others).filter(|id| id.fork == ForkNumber::Main).all(same));
    // connections ended one by one, as an administrator does
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ffviz'";
    let ended = instance.client().query(end, &[]).expect("terminate").len();
    assert_eq!(ended, 1, "one connection, and it says whose it is");
    live.ask(Effect::Capture { table: t, pages: Vec::new() });
    assert!(live.failed().contains("connection lost"));
    assert!(matches!(live.next(), Msg::Done(_)));
    assert_eq!(live.captured().pages.len(), after.pages.len(), "what was asked for is done in the end");
}

/// Writes nonsense to `pd_lower` of a block of a stopped server.
fn damage(instance: &Instance, file: &str, block: u64) {
    let mut file = std::fs::OpenOptions::new().write(true).open(instance.data().join(file)).expect("the table's file");
    file.seek(SeekFrom::Start(block * 8192 + 12)).expect("seek");
    file.write_all(&[0xFF, 0xFF]).expect("write");
}

#[test]
fn the_pace_is_kept_and_nothing_is_left_in_the_session() {
    let mut database = Database::create(NEWEST, "attach_polite");
    database.client.batch_execute(FILL).expect("a table");
    database.client.batch_execute("VACUUM t").expect("vacuum");
    let args = ffviz_live::args::ReadArgs { pages_per_second: 100, ..read_args(&database.url(), &["t"]) };
    let start = Instant::now();
    let live = Live::with(args).expect("attach");
    let pages = live.captured().pages.len();
    assert!(pages > 200, "{pages}");
    assert!(start.elapsed() > Duration::from_secs(1), "{pages} pages at 100 a second in {:?}", start.elapsed());
    let state = "SELECT state, backend_xmin::text, backend_xid::text FROM pg_stat_activity WHERE application_name = 'ffviz' AND datname = 'attach_polite'";
    let row = database.client.query_one(state, &[]).expect("one session");
    assert_eq!(row.get::<_, Option<&str>>(0), Some("idle"));
    assert_eq!((row.get::<_, Option<&str>>(1), row.get::<_, Option<&str>>(2)), (None, None), "no snapshot is held");
}
