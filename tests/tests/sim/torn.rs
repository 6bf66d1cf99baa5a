//! Without full-page images a torn page is found by its checksum when recovery reads it: the server does not start, and
//! says why; the simulator says the same. Without checksums it starts, and has the torn page.

use ffviz_format::page::{Page, PageHeaderData, PgVersion};
use ffviz_simulator::sql::run::{RunOptions, Simulator};
use ffviz_simulator::sql::script::Script;
use ffviz_simulator::storage::{Happening, page_is_verified};
use ffviz_tests::instance::Instance;
use ffviz_tests::wal::version;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};

ffviz_tests::each_version!(torn_page_with_checksums: super::check);

/// What both run before the power fails. With a scan before the checkpoint there are no hints left to set after it;
/// else the first is logged, before 15 with an image, which repairs the page.
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
        let Torn { path, version, log, checksum } = server(&instance, script);
        let (ours, told) = simulator(version, script);
        let Some(log) = log else {
            assert!(ours.starts_with("the server crashed, recovered"), "PostgreSQL {major}: {ours}");
            continue;
        };
        instance.configure("ignore_checksum_failure = on");
        instance.start();
        let (passes, _) = simulator_with(version, script, &[("ignore_checksum_failure", "on")]);
        assert!(passes.starts_with("the server crashed, recovered"), "PostgreSQL {major}: {passes}");
        let ours = ours.strip_prefix("the server does not start: ").expect("recovery fails on the page");
        let (start, rest) = ours.split_once("base/").expect("the file's name");
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '/');
        let expected = format!("{start}{path}{rest}");
        println!("PostgreSQL {major}: {checksum}; {expected}");
        assert!(log.lines().any(|line| line.ends_with(&expected)), "{expected}\n{log}");
        // the numbers are the pages' own, whose LSNs differ
        assert!(log.lines().any(|line| line.ends_with(&checksum)), "{checksum}\n{log}");
        let start = checksum.split_once(|c: char| c.is_ascii_digit()).map_or("", |(start, _)| start);
        assert!(told.iter().any(|sentence| sentence.starts_with(start)), "{start}: {told:?}");
        failed += 1;
    }
    assert_eq!(failed, if major < 15 { 1 } else { 2 });
}

/// What became of a server with a torn page.
struct Torn {
    /// the table's file
    path: String,
    version: PgVersion,
    /// its log, where it does not start
    log: Option<String>,
    /// what it is to say of the page's checksum
    checksum: String,
}

/// Tears the page.
fn server(instance: &Instance, script: &str) -> Torn {
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
    let torn = Page::new(&std::fs::read(instance.data().join(&path)).expect("the table's file")[..8192]);
    let damage = page_is_verified(&torn, 0, true).expect_err("a torn page");
    let checksum = damage.checksum_message().expect("another checksum");
    let started = catch_unwind(AssertUnwindSafe(|| instance.start())).is_ok();
    let log = std::fs::read_to_string(instance.folder().join("log")).expect("its log");
    Torn { path, version: number, log: (!started).then_some(log), checksum }
}

/// How the simulated crash ends, and what is told on the way.
fn simulator(version: PgVersion, script: &str) -> (String, Vec<String>) {
    simulator_with(version, script, &[])
}

fn simulator_with(version: PgVersion, script: &str, more: &[(&str, &str)]) -> (String, Vec<String>) {
    let settings = [("data_checksums", "on"), ("full_page_writes", "off")];
    let settings = settings.iter().chain(more).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let options = RunOptions { settings, ..RunOptions::new(version) };
    let script = Script::parse(&format!("{script}--@ crash torn t 0 4096\n")).expect("a script");
    let mut simulator = Simulator::new(&options, false, true).expect("settings that there are");
    let done = script.items.iter().map(|item| simulator.item(item)).last().expect("the crash");
    let told = done.happenings.into_iter().filter_map(|happening| match happening {
        Happening::Told(told) => Some(told.sentence),
        _ => None,
    });
    (done.simulated.outcome, told.collect())
}
