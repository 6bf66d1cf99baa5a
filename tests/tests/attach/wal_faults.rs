//! What can go wrong with the WAL between two captures: each time a sentence says so, the capture is whole, and the
//! next one has WAL again.

use super::wal::{capture, first, types, with_wal};
use super::{Live, oid, read_args, wal_args};
use ffviz_format::page::Oid;
use ffviz_format::state::State;
use ffviz_live::args::WalArgs;
use ffviz_story::app::{Effect, Msg};
use ffviz_story::timeline::WalBetween;
use ffviz_tests::instance::{Instance, NEWEST};
use postgres::Client;

const FILL: &str =
    "CREATE EXTENSION pageinspect; CREATE TABLE t (id int PRIMARY KEY, v text); CREATE TABLE other (v text);
    INSERT INTO t SELECT g, 'v' FROM generate_series(1, 100) g; CHECKPOINT";
/// Segments of 1 MB, of which the server keeps as few as it can.
const SMALL: &str = "min_wal_size = 2MB\nmax_wal_size = 2MB\nwal_level = replica";
const ARCHIVE: &str = "archive_mode = on";

fn start(instance: &Instance, wal: WalArgs) -> (Live, Oid) {
    let mut client = instance.client();
    client.batch_execute(FILL).expect("tables");
    let live = Live::with_wal_args(read_args(&instance.url("postgres"), &["t"]), false, wal).expect("attach");
    first(&live);
    (live, oid(&mut client, "t"))
}

/// So many MB of WAL that are not about t, in segments that are soon recycled.
fn write_away(client: &mut Client, megabytes: u32) {
    for _ in 0..megabytes {
        client.batch_execute("INSERT INTO other SELECT repeat('x', 1000) FROM generate_series(1, 900)").expect("rows");
    }
    for _ in 0..2 {
        client.batch_execute("SELECT pg_switch_wal()").expect("switch");
        client.batch_execute("CHECKPOINT").expect("checkpoint");
    }
}

/// After whatever happened: an update, and its record is there.
fn check_goes_on(live: &Live, table: Oid, client: &mut Client) {
    client.batch_execute("UPDATE t SET v = v || '!' WHERE id = 7").expect("update");
    let (state, wal) = capture(live, table);
    assert_eq!(wal.gap, None, "WAL goes on");
    let found = types(&wal, &state);
    assert!(found.iter().any(|name| name.starts_with("Heap/") && name.contains("UPDATE")), "{found:?}");
}

#[track_caller]
fn gap(wal: &WalBetween, wanted: &str) {
    let told = wal.gap.as_deref().unwrap_or("no gap");
    assert!(told.contains(wanted), "{told}");
    println!("{told}");
}

#[test]
fn segments_that_are_gone() {
    let instance = Instance::create_with(NEWEST, SMALL, &["--wal-segsize=1"]);
    let (live, t) = start(&instance, wal_args());
    let mut client = instance.client();
    client.batch_execute("UPDATE t SET v = 'w' WHERE id = 1").expect("update");
    write_away(&mut client, 4);
    let (state, wal) = capture(&live, t);
    gap(&wal, "is not on the server any more: it was recycled");
    assert!(!state.pages.is_empty());
    check_goes_on(&live, t, &mut client);
}

#[test]
fn an_archive_has_what_the_server_recycled() {
    let instance = Instance::create_with(NEWEST, &format!("{SMALL}\n{ARCHIVE}"), &["--wal-segsize=1"]);
    let archive = instance.folder().join("data").join("archive");
    let mut client = instance.client();
    let command = format!("mkdir -p {0} && gzip < %p > {0}/%f.gz", archive.display());
    client.batch_execute(&format!("ALTER SYSTEM SET archive_command = '{command}'")).expect("setting");
    client.batch_execute("SELECT pg_reload_conf(); SELECT pg_sleep(0.2)").expect("reload");
    client.batch_execute("SELECT pg_switch_wal()").expect("switch");
    while !archive.is_dir() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let (live, t) = start(&instance, WalArgs { wal: Some(archive), ..wal_args() });
    client.batch_execute("UPDATE t SET v = 'w' WHERE id = 1").expect("update");
    write_away(&mut client, 4);
    let (state, wal) = capture(&live, t);
    let found = types(&wal, &state);
    assert_eq!(wal.gap, None, "{found:?}");
    assert!(found.contains(&"Heap/HOT_UPDATE".to_owned()) && wal.others.records > 3600, "{found:?}");
    check_goes_on(&live, t, &mut client);
    println!("{} records from a compressed archive, {} left out", found.len(), wal.others.records);
}

#[test]
fn more_than_the_limit() {
    let instance = Instance::create(NEWEST, "max_wal_size = 1GB");
    let (live, t) = start(&instance, WalArgs { wal: None, wal_limit: 2 << 20 });
    let mut client = instance.client();
    for _ in 0..5 {
        client.batch_execute("INSERT INTO other SELECT repeat('x', 1000) FROM generate_series(1, 1000)").expect("rows");
    }
    client.batch_execute("UPDATE t SET v = 'w' WHERE id = 1").expect("update");
    let (_, wal) = capture(&live, t);
    gap(&wal, "of WAL since the last capture, more than --wal-limit 2MB");
    assert!(wal.records.is_empty());
    check_goes_on(&live, t, &mut client);
}

/// The messages until the connection stands again and what was asked for is there.
fn capture_again(live: &Live, table: Oid) -> (State, WalBetween) {
    live.ask(Effect::Capture { table, pages: Vec::new() });
    loop {
        match live.next() {
            Msg::CapturedWithWal(state, wal) => return (state, wal),
            Msg::Failed(told) => assert!(told.contains("connect"), "{told}"),
            Msg::Done(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn restarts_and_crashes() {
    let instance = Instance::create(NEWEST, "wal_writer_delay = 10s");
    let (live, t) = start(&instance, wal_args());
    instance.client().batch_execute("UPDATE t SET v = 'w' WHERE id = 1").expect("update");
    instance.stop("fast");
    instance.start();
    let (state, wal) = capture_again(&live, t);
    let found = types(&wal, &state);
    assert_eq!(wal.gap, None, "{found:?}");
    let place =
        |name: &str| found.iter().position(|known| known == name).unwrap_or_else(|| panic!("{name}: {found:?}"));
    assert!(place("Heap/HOT_UPDATE") < place("XLOG/CHECKPOINT_SHUTDOWN"));
    // a crash while WAL of an open transaction is in memory only, and a capture has already shown what it did
    let mut open = instance.client();
    open.batch_execute("BEGIN; UPDATE t SET v = 'lost' WHERE id = 2").expect("an open transaction");
    let (_, wal) = capture(&live, t);
    gap(&wal, "(a transaction that goes on, or synchronous_commit = off): the last changes are measured");
    instance.stop("immediate");
    instance.start();
    let (_, wal) = capture_again(&live, t);
    gap(&wal, "the server crashed, and what the last capture shows after ");
    check_goes_on(&live, t, &mut instance.client());
}

/// Stops one instance and starts another one at its port.
fn take_over(from: &Instance, to: &Instance) {
    from.stop("fast");
    to.stop("fast");
    to.configure(&format!("port = {}", from.port));
    to.start();
}

#[test]
fn another_cluster_answers() {
    // with arguments of its own for initdb, and so with a system identifier of its own
    let (one, two) = (Instance::create(NEWEST, ""), Instance::create_with(NEWEST, "", &["--no-instructions"]));
    let (live, t) = start(&one, wal_args());
    two.client().batch_execute(FILL).expect("tables");
    take_over(&one, &two);
    let (_, wal) = capture_again(&live, t);
    gap(&wal, "another cluster answers now (system identifier ");
    check_goes_on(&live, t, &mut one.client());
}

#[test]
fn a_standby_and_its_promotion() {
    for major in [13, NEWEST] {
        let primary = Instance::create(major, "wal_level = replica\nhot_standby_feedback = on");
        primary.client().batch_execute(FILL).expect("tables");
        primary.stop("fast");
        let standby = primary.standby("hot_standby = on");
        primary.start();
        standby.start();
        let t = oid(&mut primary.client(), "t");
        let live = Live::with(read_args(&standby.url("postgres"), &["t"])).expect("attach");
        first(&live);
        primary.client().batch_execute("UPDATE t SET v = 'w' WHERE id = 1").expect("update");
        let (state, wal) = until(&live, t, "Heap/HOT_UPDATE");
        assert_eq!(wal.gap, None, "{major}: {:?}", types(&wal, &state));
        primary.stop("fast");
        let mut client = standby.client();
        client.batch_execute("SELECT pg_promote()").expect("promotion");
        client.batch_execute("UPDATE t SET v = 'x' WHERE id = 2").expect("update");
        let (state, wal) = until(&live, t, "Heap/HOT_UPDATE");
        let found = types(&wal, &state);
        assert_eq!(wal.gap, None, "{major}: {found:?}");
        check_goes_on(&live, t, &mut client);
        println!("{major}: over the promotion: {found:?}");
    }
}

/// Captures until a record of that type has come; all WAL up to then.
pub fn until(live: &Live, table: Oid, name: &str) -> (State, WalBetween) {
    let mut all = WalBetween::default();
    for _ in 0..100 {
        let (state, wal) = capture(live, table);
        all.records.extend(wal.records);
        all.gap = all.gap.or(wal.gap);
        if types(&all, &state).iter().any(|known| known == name) {
            return (state, all);
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("no {name} in {:?}", all.gap);
}

#[test]
fn a_server_that_went_another_way() {
    let primary = Instance::create(NEWEST, "wal_level = replica");
    let (live, t) = start(&primary, wal_args());
    primary.stop("fast");
    let standby = primary.standby("hot_standby = on");
    standby.start();
    standby.client().batch_execute("SELECT pg_promote()").expect("promotion");
    primary.start();
    primary.client().batch_execute("UPDATE t SET v = 'abandoned' WHERE id = 1").expect("update");
    capture_again(&live, t);
    take_over(&primary, &standby);
    primary
        .client()
        .batch_execute("INSERT INTO other SELECT repeat('x', 1000) FROM generate_series(1, 100)")
        .expect("rows");
    let (_, wal) = capture_again(&live, t);
    gap(&wal, "the server left timeline 1 at ");
    check_goes_on(&live, t, &mut primary.client());
}

#[test]
fn a_role_gets_the_rights_one_after_the_other() {
    let instance = Instance::create(NEWEST, "");
    let mut client = instance.client();
    client.batch_execute(FILL).expect("tables");
    client.batch_execute("CREATE ROLE app LOGIN; GRANT SELECT ON t TO app").expect("role");
    client.batch_execute("DROP EXTENSION pageinspect").expect("drop");
    client.batch_execute(&ffviz_live::wrapper_sql(Some("app"))).expect("wrapper");
    let t = oid(&mut client, "t");
    let live = Live::start(&instance.url("postgres").replace("postgres@", "app@"), &["t"]).expect("attach");
    first(&live);
    let mut next = |sql: &str| {
        client.batch_execute(sql).expect("sql");
        client.batch_execute("UPDATE t SET v = v || 'x' WHERE id = 1").expect("update");
        live.ask(Effect::Capture { table: t, pages: Vec::new() });
        with_wal(&live).1
    };
    let none = next("");
    gap(&none, "GRANT EXECUTE ON FUNCTION pg_read_binary_file(text, bigint, bigint, boolean) TO app");
    let described = next("CREATE EXTENSION pg_walinspect; GRANT pg_read_server_files TO app");
    assert_eq!(described.gap, None);
    assert!(described.records.iter().all(|record| record.rebuilt.is_some()) && described.records.len() == 2);
    let read = next("GRANT EXECUTE ON FUNCTION pg_read_binary_file(text, bigint, bigint, boolean) TO app");
    assert_eq!(read.gap, None);
    assert!(read.records.iter().all(|record| record.rebuilt.is_none()) && !read.records.is_empty());
}

/// Six sessions write as fast as they can while it is watched: no gap but what is told, and nothing twice.
#[test]
fn a_primary_under_load() {
    let instance = Instance::create(NEWEST, "max_wal_size = 4GB");
    let (live, t) = start(&instance, wal_args());
    let writers: Vec<_> = (0..6)
        .map(|n| {
            let mut client = instance.client();
            let sql = format!("DO $$ BEGIN FOR i IN 1..1500 LOOP UPDATE t SET v = i::text WHERE id = {n} + i % 50; INSERT INTO other VALUES (repeat('x', 200)); COMMIT; END LOOP; END $$");
            std::thread::spawn(move || client.batch_execute(&sql).expect("load"))
        })
        .collect();
    let (mut captures, mut records, mut last) = (0, 0, None);
    while writers.iter().any(|writer| !writer.is_finished()) || captures < 3 {
        let (_, wal) = capture(&live, t);
        if let Some(told) = &wal.gap {
            assert!(told.contains("the last changes are measured"), "{told}");
        }
        for record in &wal.records {
            assert!(last.is_none_or(|last| record.start >= last), "in order, none twice");
            last = Some(record.end);
        }
        (captures, records) = (captures + 1, records + wal.records.len());
    }
    writers.into_iter().for_each(|writer| writer.join().expect("load"));
    records += capture(&live, t).1.records.len();
    assert!(records >= 6 * 1500 * 2, "an update and a commit each: {records}");
    println!("{captures} captures with {records} records");
}
