//! Runs that are broken off, servers that stop, roles without rights: what there is is shown, what is left is named.

use super::{leftovers, on, on_with, outcomes, stopped_by};
use ffviz_story::timeline::How;
use ffviz_tests::instance::Instance;
use postgres::Client;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

/// A script that is not over soon.
const LONG: &str =
    "create table t (a int); insert into t values (1); begin; update t set a = 2; select pg_sleep(20); commit;";

/// Waits until the script sleeps on the server.
fn sleeps(client: &mut Client) {
    let asked = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(20)%' AND pid <> pg_backend_pid() AND state = 'active'";
    let began = Instant::now();
    while client.query_one(asked, &[]).expect("sessions").get::<_, i64>(0) == 0 {
        assert!(began.elapsed() < Duration::from_secs(60), "the script does not get that far");
        sleep(Duration::from_millis(20));
    }
}

fn own_databases(client: &mut Client) -> Vec<String> {
    let rows = client.query("SELECT datname::text FROM pg_database WHERE datname LIKE 'ffviz%'", &[]);
    rows.expect("databases").iter().map(|row| row.get(0)).collect()
}

#[test]
fn ctrl_c_leaves_nothing() {
    let instance = Instance::create(18, "");
    let mut client = instance.client();
    let flag = Arc::new(AtomicBool::new(false));
    let (url, options) = (instance.url("postgres"), stopped_by(&flag));
    let running = thread::spawn(move || on_with(&url, LONG, options));
    sleeps(&mut client);
    // who runs is no leftover
    assert_eq!(leftovers(&instance.url("postgres")), Vec::<String>::new());
    flag.store(true, Ordering::Relaxed);
    let began = Instant::now();
    let played = running.join().expect("no panic").expect("what there is");
    assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
    assert_eq!(played.stopped.as_deref(), Some("stopped"));
    assert_eq!(outcomes(&played), ["CREATE TABLE", "INSERT 0 1", "BEGIN", "UPDATE 1"]);
    assert_eq!(own_databases(&mut client), Vec::<String>::new());
}

#[test]
fn a_lost_connection_leaves_nothing() {
    const TERMINATE: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
        WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
    let instance = Instance::create(18, "");
    let mut client = instance.client();
    let url = instance.url("postgres");
    let running = thread::spawn(move || on(&url, LONG));
    sleeps(&mut client);
    client.query_one(TERMINATE, &[]).expect("sessions");
    let played = running.join().expect("no panic").expect("what there is");
    assert!(played.stopped.is_some() && outcomes(&played).len() == 4, "{played:?}");
    assert_eq!(own_databases(&mut client), Vec::<String>::new(), "{:?}", played.stopped);
}

#[test]
fn a_server_that_stops_in_the_middle() {
    let instance = Instance::create(13, "");
    let mut client = instance.client();
    let url = instance.url("postgres");
    let running = thread::spawn(move || on(&url, LONG));
    sleeps(&mut client);
    instance.stop("immediate");
    let played = running.join().expect("no panic").expect("what there is");
    let why = played.stopped.as_deref().expect("it was stopped");
    assert!(why.contains("left on the server: DROP DATABASE ffviz_script_"), "{why}");
    assert_eq!(outcomes(&played).len(), 4, "{why}");
    // the next run names what is left, and does not touch it
    instance.start();
    let mut client = instance.client();
    let names = own_databases(&mut client);
    let [name] = names.as_slice() else { panic!("{names:?} are left") };
    let url = instance.url("postgres");
    let told = leftovers(&url);
    assert_eq!(told.len(), 1);
    assert!(told[0].ends_with(&format!("DROP DATABASE {name}")), "{told:?}");
    on(&url, "create table t (a int);").expect("it is played");
    assert_eq!(own_databases(&mut client), names);
    client.batch_execute(&format!("DROP DATABASE {name}")).expect("as it is told");
    assert_eq!(leftovers(&url), Vec::<String>::new());
}

#[test]
fn who_is_no_superuser() {
    for major in [13, 18] {
        let instance = Instance::create(major, "");
        let mut client = instance.client();
        client
            .batch_execute("CREATE ROLE app LOGIN; CREATE TABLE orders (a int); INSERT INTO orders VALUES (1)")
            .expect("a role");
        let url = instance.url("postgres").replace("postgres@", "app@");
        let why = on(&url, "create table t (a int);").expect_err("pages cannot be read");
        assert!(why.contains("needs a superuser") && why.contains("app"), "{major}: {why}");
        // with the wrapper it reads pages of its own tables, and runs in a schema of its own
        for part in ffviz_live::wrapper_sql(Some("app")).split_inclusive("COMMIT;") {
            client.batch_execute(part).expect("the wrapper");
        }
        let why = on(&url, "create table t (a int);").expect_err("no schema can be made");
        assert!(why.contains("needs the right CREATE on the database"), "{major}: {why}");
        client.batch_execute("GRANT CREATE ON DATABASE postgres TO app").expect("a right");
        let text = "create table orders (a int primary key); insert into orders values (1), (2); grant select on orders to public; update orders set a = 3 where a = 1;";
        let played = on(&url, text).expect("it is played");
        assert_eq!(played.stopped, None, "{major}");
        let told = outcomes(&played);
        assert_eq!((told[0], told[1], told[3]), ("CREATE TABLE", "INSERT 0 2", "UPDATE 1"), "{major}: {told:?}");
        assert!(told[2].starts_with("not sent: ") && played.refused.len() == 1, "{major}: {told:?}");
        // it may not read WAL: steps are differences, and that is told
        let how = &played.timeline.groups()[2].how;
        assert!(matches!(how, How::Measured(Some(why)) if why.contains("may not read WAL")), "{major}: {how:?}");
        assert!(played.timeline.last().pages.len() >= 3, "{major}");
        let why = on(&url, "drop table public.orders;").expect_err("it is beyond its schema");
        assert!(why.contains("public.orders"), "{major}: {why}");
        let rows = client.query("SELECT nspname::text FROM pg_namespace WHERE nspname LIKE 'ffviz_script%'", &[]);
        assert_eq!(rows.expect("schemas").len(), 0, "{major}");
        let count = client.query_one("SELECT count(*) FROM orders", &[]).expect("its rows");
        assert_eq!(count.get::<_, i64>(0), 1, "{major}");
    }
}

#[test]
fn where_nothing_can_be_played() {
    let instance = Instance::create(18, "");
    instance.stop("fast");
    let standby = instance.standby("hot_standby = on");
    instance.start();
    standby.start();
    let why = on(&standby.url("postgres"), "create table t (a int);").expect_err("it is a standby");
    assert!(why.contains("name its primary"), "{why}");
    let why = on("host=127.0.0.1 port=1 user=nobody", "select 1;").expect_err("nobody is there");
    assert!(why.contains("no server answers"), "{why}");
}
