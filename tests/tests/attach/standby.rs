//! A standby whose recovery cancels readers, and a pooler in transaction mode.

use super::{Live, compare, oid, read_args};
use ffviz_story::app::{Effect, Msg};
use ffviz_tests::instance::{Instance, NEWEST};
use postgres::{Client, NoTls};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const FILL: &str =
    "CREATE EXTENSION pageinspect; CREATE UNLOGGED TABLE un (id int); CREATE TABLE t (id int PRIMARY KEY, v text);
                    INSERT INTO t SELECT g, repeat('v', 500) FROM generate_series(1, 50000) g";

#[test]
fn a_standby_that_cancels_readers() {
    let primary = Instance::create(NEWEST, "wal_level = replica\nhot_standby_feedback = off");
    primary.client().batch_execute(FILL).expect("a table");
    primary.stop("fast");
    let standby = primary.standby("max_standby_streaming_delay = 0\nhot_standby = on");
    primary.start();
    standby.start();
    let t = oid(&mut primary.client(), "t");
    let args = ffviz_live::args::ReadArgs { pages: 5000, ..read_args(&standby.url("postgres"), &["t"]) };
    let live = Live::with(args).expect("attach");
    let state = live.captured();
    assert!(state.lsn.is_some(), "the position of replay");
    let mut pages = compare(&state, &mut standby.client());
    let stop = Arc::new(AtomicBool::new(false));
    let churn = churn(&primary, Arc::clone(&stop));
    let asked = "SELECT sum(confl_snapshot + confl_lock + confl_bufferpin + confl_deadlock)::int8 FROM pg_stat_database_conflicts";
    let (mut conflicts, mut captures, mut failures) = (0_i64, 0, Vec::new());
    let end = Instant::now() + Duration::from_secs(40);
    while Instant::now() < end && (conflicts < 3 || captures < 5) {
        live.ask(Effect::Capture { table: t, pages: Vec::new() });
        loop {
            match live.next() {
                Msg::Captured(state) | Msg::CapturedWithWal(state, _) => {
                    break (captures, pages) = (captures + 1, pages + state.pages.len());
                }
                // recovery may end a whole connection; there is a new one, and then the capture
                Msg::Failed(sentence) if sentence.contains("connecting again") => {}
                Msg::Done(_) => {}
                Msg::Failed(sentence) => break failures.push(sentence),
                other => panic!("{other:?}"),
            }
        }
        // recovery may cancel this query too, or end the connection as it begins: then the next round asks again
        let told = Client::connect(&standby.url("postgres"), NoTls).and_then(|mut client| client.query_one(asked, &[]));
        conflicts = told.map_or(conflicts, |row| row.get(0));
    }
    stop.store(true, Ordering::Relaxed);
    churn.join().expect("churn");
    println!(
        "{captures} captures with {pages} pages while {conflicts} queries were cancelled; {} gave up",
        failures.len()
    );
    assert!(conflicts > 0, "recovery has cancelled a reader");
    assert!(captures > failures.len(), "cancelled reads are tried again: {captures} captures, {failures:?}");
    assert!(failures.iter().all(|told| told.contains("conflict with recovery")), "{failures:?}");
    let entry = Live::start(&standby.url("postgres"), &[])
        .expect("attach")
        .tables()
        .into_iter()
        .find(|t| t.name == "public.un");
    assert!(
        entry.is_some_and(|un| un
            .refused
            .is_some_and(|why| why.contains("a standby has no pages of an unlogged table")))
    );
}

/// Bursts of updates on the primary, each soon pruned: row versions that readers on the standby might still see are
/// removed there. The table is another one than is read: such conflicts are the whole database's.
fn churn(primary: &Instance, stop: Arc<AtomicBool>) -> std::thread::JoinHandle<()> {
    let mut client = primary.client();
    let wide = "CREATE TABLE wide (id int, pad text); ALTER TABLE wide ALTER pad SET STORAGE PLAIN; INSERT INTO wide VALUES (1, repeat('x', 2000))";
    client.batch_execute(wide).expect("a table");
    std::thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            let burst = "DO $$ BEGIN FOR i IN 1..100 LOOP UPDATE wide SET id = i; COMMIT; END LOOP; END $$";
            client.batch_execute(burst).expect("updates");
            std::thread::sleep(Duration::from_millis(100));
        }
    })
}

struct Pooler(Child);

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// pgbouncer, in transaction mode with two server connections, before an instance.
fn pooler(instance: &Instance) -> (Pooler, u16) {
    let port = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port").port();
    let users = instance.write("users.txt", "\"postgres\" \"\"\n", 0o644);
    let text = format!(
        "[databases]\npostgres = host=127.0.0.1 port={} dbname=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
         unix_socket_dir =\nauth_type = any\nauth_file = {}\npool_mode = transaction\ndefault_pool_size = 2\nuser = postgres\n",
        instance.port,
        users.display()
    );
    let text = text.replace("user = postgres\n", "").replace("dbname=postgres", "dbname=postgres user=postgres");
    let file = instance.write("pgbouncer.ini", &text, 0o644);
    let mut command = Command::new("setpriv");
    let owner = std::env::var("FFVIZ_SERVERS_USER").unwrap_or_else(|_| "ffviz-servers".to_owned());
    let root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.trim_ascii() == b"0");
    if root {
        command
            .args([format!("--reuid={owner}"), format!("--regid={owner}"), "--clear-groups".to_owned()])
            .arg("pgbouncer");
    } else {
        command = Command::new("pgbouncer");
    }
    let child = command
        .arg(file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("pgbouncer (Debian package pgbouncer) is installed");
    let pooler = Pooler(child);
    let end = Instant::now() + Duration::from_secs(10);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < end, "pgbouncer answers");
        std::thread::sleep(Duration::from_millis(50));
    }
    (pooler, port)
}

#[test]
fn a_pooler_in_transaction_mode() {
    let instance = Instance::create(NEWEST, "");
    instance.client().batch_execute(FILL).expect("a table");
    let t = oid(&mut instance.client(), "t");
    let xid = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text";
    let next_xid = || instance.client().query_one(xid, &[]).expect("xid").get::<_, String>(0);
    let before = next_xid();
    let (_pooler, port) = pooler(&instance);
    let url = format!("postgresql://postgres@127.0.0.1:{port}/postgres");
    // several at once on two server connections: each transaction may meet another one
    let lives: Vec<_> = (0..4).map(|_| Live::start(&url, &["t"]).expect("attach through the pooler")).collect();
    let mut pages = 0;
    for _ in 0..3 {
        lives.iter().for_each(|live| live.ask(Effect::Capture { table: t, pages: Vec::new() }));
        for live in &lives {
            pages += compare(&live.captured(), &mut instance.client());
        }
    }
    println!("compared {pages} pages read by 4 clients through 2 server connections");
    assert_eq!(before, next_xid(), "no transaction was one that writes");
    instance.client().batch_execute("UPDATE t SET v = 'new' WHERE id = 1").expect("update");
    for live in &lives {
        let (_, wal) = super::wal_faults::until(live, t, "Heap/HOT_UPDATE");
        assert_eq!(wal.gap, None);
    }
    let left =
        "SELECT count(*) FROM pg_settings WHERE name IN ('lock_timeout', 'statement_timeout') AND setting <> '0'";
    let mut other = Client::connect(&url, NoTls).expect("another client of the pooler");
    for message in other.simple_query(left).expect("settings") {
        if let postgres::SimpleQueryMessage::Row(row) = message {
            assert_eq!(row.get(0), Some("0"), "no setting is left behind for the next client");
        }
    }
}
