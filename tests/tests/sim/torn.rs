//! With checksums and without full-page images a torn page ends recovery: the server does not start, and says why; the simulator says the same.

use ffviz_engine::page::{Page, PageHeaderData, PgVersion};
use ffviz_engine::sql::run::{RunOptions, Simulator};
use ffviz_engine::sql::script::Script;
use ffviz_tests::instance::Instance;
use ffviz_tests::wal::version;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};

each_version!(torn_page_with_checksums: super::check);

/// What both run before the power fails. With a scan before the checkpoint there are no hints left to set after it; else the first is logged,
/// before 15 with an image, which repairs the page.
const SCRIPTS: [&str; 2] = [
    "create table t (a int, b char(300));
insert into t select g, 'x' from generate_series(1, 20) g;
select count(*) from t;
checkpoint;
update t set b = 'y' where a = 1;
update t set b = 'z' where a = 2;
",
    "create table t (a int, b char(300));
insert into t select g, 'x' from generate_series(1, 20) g;
checkpoint;
update t set b = 'y' where a = 1;
update t set b = 'z' where a = 2;
",
];

fn check(major: u32) {
    let args: &[&str] = if major < 18 { &["--data-checksums"] } else { &[] };
    let mut failed = 0;
    for script in SCRIPTS {
        let instance = Instance::create_with(major, "full_page_writes = off\nshared_buffers = 256MB", args);
        let (path, number, log) = server(&instance, script);
        let ours = simulator(number, script);
        let Some(log) = log else {
            assert!(ours.starts_with("the server crashed, recovered"), "PostgreSQL {major}: {ours}");
            continue;
        };
        let ours = ours.strip_prefix("the server does not start: ").expect("recovery fails on the page");
        let (start, rest) = ours.split_once("base/").expect("the file's name");
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '/');
        let expected = format!("{start}{path}{rest}");
        println!("PostgreSQL {major}: {expected}");
        assert!(log.lines().any(|line| line.ends_with(&expected)), "{expected}\n{log}");
        failed += 1;
    }
    assert_eq!(failed, if major < 15 { 1 } else { 2 });
}

/// Tears the page. The table's file, the server's version, and its log where it does not start.
fn server(instance: &Instance, script: &str) -> (String, PgVersion, Option<String>) {
    let mut client = instance.client();
    client.batch_execute("CREATE EXTENSION pageinspect").expect("pageinspect");
    for statement in script.lines() {
        client.batch_execute(statement).expect("a statement");
    }
    let row = client.query_one("SELECT pg_relation_filepath('t'), get_raw_page('t', 0)", &[]).expect("the page");
    let (path, bytes): (String, Vec<u8>) = (row.get(0), row.get(1));
    let number = version(&mut client);
    drop(client);
    let mut page = Page::new(&bytes);
    let sum = page.checksum(0).expect("a whole page");
    page.write(PageHeaderData::bytes_of("pd_checksum", 0).start, &sum);
    instance.stop("immediate");
    let file = std::fs::OpenOptions::new().write(true).open(instance.data().join(&path)).expect("the table's file");
    file.write_all_at(&page.bytes()[..4096], 0).expect("half of a page");
    let started = catch_unwind(AssertUnwindSafe(|| instance.start())).is_ok();
    let log = std::fs::read_to_string(instance.folder().join("log")).expect("its log");
    (path, number, (!started).then_some(log))
}

/// How the simulated crash ends.
fn simulator(version: PgVersion, script: &str) -> String {
    let settings = [("data_checksums", "on"), ("full_page_writes", "off")];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let options = RunOptions { settings, ..RunOptions::new(version) };
    let script = Script::parse(&format!("{script}--@ crash torn t 0 4096\n")).expect("a script");
    let mut simulator = Simulator::new(&options, false, false).expect("settings that there are");
    let done = script.items.iter().map(|item| simulator.item(item)).last().expect("the crash");
    done.simulated.outcome
}
