//! `ffviz verify` on a server with decoys: whatever a script says, nothing there changes that is not the script's own.
//!
//! ```text
//!  decoys ─▶ digests ─▶ escapes, scripts as people type them, the suite ─▶ digests: the same
//!                       killed in the middle, connections lost           ─▶ the same, but for what is named as left
//! ```

pub mod decoys;
mod escapes;

use super::command::{run, told};
use super::oracle::Oracle;
use super::random::number;
use super::scripts;
use ffviz_verify::args::{Format, VerifyCommand};
use ffviz_verify::engine::Engine;
use postgres::{Client, NoTls};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

/// A server with decoys, and what they are.
struct Guarded {
    oracle: Oracle,
    client: Client,
    before: BTreeMap<String, String>,
    folder: tempfile::TempDir,
    /// scripts that were tried, and how many were refused, not sent as a whole, and compared
    tried: [usize; 4],
}

impl Guarded {
    fn start(major: u32) -> Self {
        let oracle = Oracle::start_with(major, false, "max_prepared_transactions = 5\nwal_level = logical");
        let mut client = Client::connect(&oracle.url(), NoTls).expect("a connection");
        let names = decoys::make(&mut client);
        let before = decoys::digests(&mut client, &oracle.data());
        println!("{major}: {} digests of decoys with {names} names in two schemas", before.len());
        Self { oracle, client, before, folder: tempfile::tempdir().expect("a folder"), tried: [0; 4] }
    }

    fn args(&self, file: PathBuf, own_database: bool) -> VerifyCommand {
        let server = self.oracle.address();
        VerifyCommand { file, server, own_database, allow_server_wide: false, keep: None, format: Format::Text }
    }

    fn file(&self, text: &str) -> PathBuf {
        let file = self.folder.path().join("script.sql");
        std::fs::write(&file, text).expect("a file");
        file
    }

    /// Nothing is otherwise.
    fn holds(&mut self, what: &str) {
        let after = decoys::digests(&mut self.client, &self.oracle.data());
        let changed = decoys::differences(&self.before, &after);
        assert!(changed.is_empty(), "{what}: {changed:?} changed");
    }

    /// Runs a script by `ffviz verify`.
    fn verify(&mut self, file: PathBuf, own_database: bool) -> Result<String, String> {
        let outcome = run(&self.args(file, own_database), &mut Engine, Arc::default());
        self.tried[0] += 1;
        let which = match &outcome {
            Err(_) => 1,
            Ok((_, Some("was not sent as a whole"))) => 2,
            Ok(_) => 3,
        };
        self.tried[which] += 1;
        outcome.map(|(report, _)| report)
    }
}

/// After how many scripts the decoys are looked at: `FFVIZ_EVERY`.
fn every() -> usize {
    number("FFVIZ_EVERY", 10) as usize
}

/// How much of what there is.
#[derive(Clone, Copy)]
struct Sample {
    /// of scripts as people type them every one of so many
    field: usize,
    /// of the suite; in databases of their own as many escapes
    suite: usize,
}

/// All escapes, scripts as people type them, and those of the suite.
fn check(major: u32, sample: Sample) {
    let mut guarded = Guarded::start(major);
    let escaped = guarded.oracle.data().join("escaped").display().to_string();
    for (n, (kind, sql)) in escapes::ESCAPES.iter().enumerate() {
        let file = guarded.file(&sql.replace("ESCAPED", &escaped));
        let told = guarded.verify(file.clone(), false);
        // a look at the digests takes longer than a script: each tenth time, and where it matters which it was, one
        // after each
        if n % every() == 0 {
            guarded.holds(&format!("{kind}, or one before: {told:?}"));
        }
        // in a database of its own much of it is allowed, and reaches no further than that
        if n % sample.suite == 0 {
            let told = guarded.verify(file, true);
            guarded.holds(&format!("{kind}, in a database of its own: {told:?}"));
        }
    }
    let suite = scripts::all()
        .into_iter()
        .step_by(sample.suite)
        .map(|case| scripts::folder().join(format!("{}.sql", case.name)));
    guarded.holds("all escapes");
    // what one version is not tried with the other is
    let field = decoys::field().into_iter().skip(major as usize % sample.field).step_by(sample.field);
    for file in field.chain(suite) {
        let name = file.display().to_string();
        let _ = guarded.verify(file, false);
        if guarded.tried[0].is_multiple_of(every()) {
            guarded.holds(&name);
        }
    }
    guarded.holds("all scripts");
    let [tried, refused, parts, whole] = guarded.tried;
    println!(
        "{major}: {tried} scripts by verify, {refused} refused, {parts} sent in part, {whole} as a whole; nothing has changed"
    );
    assert!(parts > 0 && whole > 10, "scripts were to be run");
}

const SAMPLE: Sample = Sample { field: 8, suite: 32 };

#[test]
fn nothing_changes_v13() {
    check(13, SAMPLE);
}

#[test]
fn nothing_changes_v18() {
    check(18, SAMPLE);
}

#[test]
#[ignore = "ten minutes: the whole suite by verify"]
fn nothing_changes_all() {
    let all = Sample { field: 1, suite: 1 };
    check(13, all);
    check(18, all);
}

/// A script that is not over soon.
const LONG: &str = "create table orders (a int); insert into orders values (1); begin; update orders set a = 2; select pg_sleep(20); commit;";

/// Where the child of the test below finds the server.
const CHILD: &str = "FFVIZ_FENCE_CHILD";

/// What is killed: not a test of its own.
#[test]
#[ignore = "run by a_killed_run_is_named_by_the_next_one"]
fn child() {
    let Ok(server) = std::env::var(CHILD) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("long.sql");
    std::fs::write(&file, LONG).expect("a file");
    let (own_database, allow_server_wide, keep, format) = (false, false, None, Format::Text);
    let args = VerifyCommand { file, server, own_database, allow_server_wide, keep, format };
    let _ = run(&args, &mut Engine, Arc::default());
}

/// Waits until the script sleeps on the server.
fn sleeps(client: &mut Client) {
    let asked = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(20)%' AND pid <> pg_backend_pid() AND state = 'active'";
    let began = Instant::now();
    while client.query_one(asked, &[]).expect("sessions").get::<_, i64>(0) == 0 {
        assert!(began.elapsed() < Duration::from_secs(60), "the script does not get that far");
        sleep(Duration::from_millis(20));
    }
}

/// Ends the sessions of all others, and says how many there were.
const TERMINATE: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";

/// Waits until nobody but the test is connected.
fn alone(client: &mut Client) {
    while client.query_one(TERMINATE, &[]).expect("sessions").get::<_, i64>(0) > 0 {
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_killed_run_is_named_by_the_next_one() {
    [13, 18].into_iter().for_each(killed);
}

fn killed(major: u32) {
    let mut guarded = Guarded::start(major);
    let me = std::env::current_exe().expect("this test");
    let mut child = Command::new(me)
        .args(["--exact", "--ignored", "fence::child"])
        .env(CHILD, guarded.oracle.address())
        .stdout(Stdio::null())
        .spawn()
        .expect("a child");
    sleeps(&mut guarded.client);
    child.kill().expect("kill -9");
    let _ = child.wait();
    alone(&mut guarded.client);
    let left = guarded
        .client
        .query("SELECT nspname::text FROM pg_namespace WHERE nspname LIKE 'ffviz%'", &[])
        .expect("schemas");
    assert_eq!(left.len(), 1, "the schema of the killed run is left");
    let name: String = left[0].get(0);
    // another run does not touch it
    let file = guarded.file("create table t (a int); insert into t values (1);");
    let (mut beside, args) = (Vec::new(), guarded.args(file, false));
    let (report, _) = told(&args, &mut Engine, Arc::default(), &mut |sentence| beside.push(sentence.to_owned()))
        .expect("a comparison");
    assert!(report.contains("\nequal (postgres on "), "{major}: {report}");
    let drop = format!("DROP SCHEMA {name} CASCADE");
    assert!(beside.iter().any(|sentence| sentence.contains(&drop)), "{major}: {name} is not named: {beside:?}");
    let still = format!("SELECT a FROM {name}.orders");
    assert_eq!(guarded.client.query_one(&still, &[]).expect("its table").get::<_, i32>(0), 1);
    guarded.client.batch_execute(&drop).expect("as ffviz says");
    guarded.holds("a killed run");
}

#[test]
fn a_lost_connection_leaves_nothing() {
    for (major, own_database) in [(13, false), (18, false), (18, true)] {
        let mut guarded = Guarded::start(major);
        let file = guarded.file(LONG);
        let args = guarded.args(file, own_database);
        let running = thread::spawn(move || run(&args, &mut Engine, Arc::default()));
        sleeps(&mut guarded.client);
        // once: ffviz connects again
        guarded.client.query_one(TERMINATE, &[]).expect("sessions");
        let told = running.join().expect("no panic");
        assert!(told.is_err() || told.is_ok_and(|(_, fault)| fault.is_some()), "it is not found equal");
        guarded.holds("a lost connection");
    }
}

#[test]
fn ctrl_c_leaves_nothing() {
    let mut guarded = Guarded::start(18);
    let file = guarded.file(LONG);
    let (args, flag) = (guarded.args(file, false), Arc::new(std::sync::atomic::AtomicBool::new(false)));
    let interrupt = Arc::clone(&flag);
    let running = thread::spawn(move || run(&args, &mut Engine, interrupt));
    sleeps(&mut guarded.client);
    flag.store(true, std::sync::atomic::Ordering::Relaxed);
    let began = Instant::now();
    let told = running.join().expect("no panic").expect_err("stopped");
    assert!(told.starts_with("stopped") && began.elapsed() < Duration::from_secs(5), "{told}");
    guarded.holds("Ctrl-C");
}

#[test]
fn a_database_of_its_own() {
    for major in [13, 18] {
        let mut guarded = Guarded::start(major);
        let file = guarded.file("drop table if exists orders; create table public.orders (a int primary key, b text); insert into orders select g, 'x' from generate_series(1, 300) g; update public.orders set b = 'y'; select count(*) from orders;");
        let told = guarded.verify(file, true).expect("a comparison");
        assert!(told.contains("\nequal (postgres on "), "{major}: {told}");
        guarded.holds("a database of its own");
        // where something would happen to a table of a schema, a database of its own is named
        guarded.client.batch_execute("CREATE PUBLICATION everything FOR ALL TABLES").expect("a publication");
        let file = guarded.file("create table t (a int); insert into t values (1);");
        let told = guarded.verify(file.clone(), false).expect_err("it would be replicated");
        assert!(told.contains("publication everything") && told.contains("--own-database"), "{told}");
        assert!(guarded.verify(file, true).expect("a comparison").contains("\nequal (postgres on "));
    }
}

#[test]
fn settings_of_the_server_are_put_back() {
    let guarded = Guarded::start(18);
    let mut client = Client::connect(&guarded.oracle.address(), NoTls).expect("a connection");
    client.batch_execute("ALTER SYSTEM SET wal_compression = on").expect("a setting");
    client.batch_execute("SELECT pg_reload_conf()").expect("a reload");
    let before = decoys::digests(&mut client, &guarded.oracle.data());
    let text = "--@ set wal_compression off\ncreate table t (a int); insert into t values (1); alter system set full_page_writes = off; checkpoint;";
    let args = VerifyCommand { allow_server_wide: true, ..guarded.args(guarded.file(text), false) };
    let (told, _) = run(&args, &mut Engine, Arc::default()).expect("a comparison");
    let after = decoys::digests(&mut client, &guarded.oracle.data());
    let changed = decoys::differences(&before, &after);
    assert!(changed.is_empty(), "{changed:?}; {told}");
}

/// The file is there, so that a script that is written to it would be found.
#[test]
fn escapes_would_be_seen() {
    let mut guarded = Guarded::start(18);
    for sql in [
        "UPDATE other.orders SET v = v",
        "SELECT setval('public.decoy_seq', 78)",
        "CREATE ROLE escaped",
        "SELECT lo_create(4711)",
    ] {
        let before = decoys::digests(&mut guarded.client, Path::new("/"));
        guarded.client.batch_execute(sql).expect(sql);
        let after = decoys::digests(&mut guarded.client, Path::new("/"));
        assert!(!decoys::differences(&before, &after).is_empty(), "{sql} is not seen");
    }
}
