//! `ffviz verify` with another server in the simulator's place: it finds equal what is, names what is not, and does not
//! take nothing for equality.

use super::oracle::Oracle;
use ffviz_simulator::sql::script::Script;
use ffviz_simulator::sql::trace::TraceLine;
use ffviz_tests::instance::NEWEST;
use ffviz_verify::args::{Format, VerifyCommand};
use ffviz_verify::command::{self, Simulated, Simulator};
use ffviz_verify::engine::Engine;
use ffviz_verify::facts::ServerFacts;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Runs `ffviz verify`, as the program does; what it tells beside its report is printed.
pub fn run(
    args: &VerifyCommand,
    simulator: &mut dyn Simulator,
    interrupt: Arc<AtomicBool>,
) -> Result<(String, Option<&'static str>), String> {
    told(args, simulator, interrupt, &mut |sentence| println!("{sentence}"))
}

/// The same, and `tell` gets what it tells beside its report.
pub fn told(
    args: &VerifyCommand,
    simulator: &mut dyn Simulator,
    interrupt: Arc<AtomicBool>,
    tell: &mut dyn FnMut(&str),
) -> Result<(String, Option<&'static str>), String> {
    command::run(args, &ffviz_tui::sim::file::read(&args.file)?, simulator, interrupt, tell)
}

/// A server that plays the simulator, and may be made to err.
struct Double<'a> {
    oracle: &'a Oracle,
    err: fn(&mut [TraceLine]),
}

impl Simulator for Double<'_> {
    fn unknown(&mut self, _: &Script, _: &ServerFacts) -> Result<BTreeMap<u32, String>, String> {
        Ok(BTreeMap::new())
    }

    fn run(&mut self, script: &Script, server: &ServerFacts) -> Result<Simulated, String> {
        assert_eq!(server.version, self.oracle.version);
        assert_eq!(server.settings.get("full_page_writes").map(String::as_str), Some("on"));
        let mut lines = self.oracle.run(script)?.lines;
        (self.err)(&mut lines);
        Ok(Simulated { lines, refused: None })
    }
}

const SCRIPT: &str = "create table t (a int primary key, b text);
    insert into t select g, 'row ' || g from generate_series(1, 100) g;
    update t set b = 'other' where a = 5;
    vacuum t;";

/// What the command prints, and whether it found all equal.
fn verify(text: &str, format: Format, err: fn(&mut [TraceLine])) -> Result<(String, bool), String> {
    let (server, double) = (Oracle::start(NEWEST, false), Oracle::start(NEWEST, false));
    let folder = tempfile::tempdir().expect("a folder");
    let (file, kept) = (folder.path().join("script.sql"), folder.path().join("kept.sql"));
    std::fs::write(&file, text).expect("a file");
    let (allow_server_wide, own_database, keep) = (false, false, Some(kept.clone()));
    let args = VerifyCommand { file, server: server.url(), own_database, allow_server_wide, keep, format };
    let (told, fault) = run(&args, &mut Double { oracle: &double, err }, Arc::default())?;
    let kept = std::fs::read_to_string(kept).expect("--keep writes");
    let (kept, script) = (Script::parse(&kept).expect("a script"), Script::parse(text).expect("a script"));
    assert_eq!(
        kept.statements().map(|s| &s.sql).collect::<Vec<_>>(),
        script.statements().map(|s| &s.sql).collect::<Vec<_>>()
    );
    assert!(kept.items.len() >= 3 * script.statements().count(), "counters before each statement");
    Ok((told, fault.is_none()))
}

fn nothing(_: &mut [TraceLine]) {}

#[test]
fn equal() {
    let (text, equal) = verify(SCRIPT, Format::Text, nothing).expect("a comparison");
    assert!(
        equal && text.contains("compared: 4 statements, ") && text.contains("\nequal (") && text.ends_with(")\n"),
        "{text}"
    );
}

#[test]
fn a_wrong_bit_is_named() {
    fn flip(lines: &mut [TraceLine]) {
        let Some(TraceLine::Statement(update)) = lines.get_mut(2) else { panic!("the UPDATE") };
        let page = update.pages.iter_mut().find(|page| page.rel.as_deref() == Some("t")).expect("its page");
        // t_infomask of the first tuple, which lies last on the page
        let (_, lp) = page.page.line_pointers().next().expect("a line pointer");
        page.page.bytes_mut()[usize::from(lp.lp_off()) + 21] ^= 0x02;
        update.wal.pop();
        update.ends.pop();
    }
    let (text, equal) = verify(SCRIPT, Format::Text, flip).expect("a comparison");
    assert!(
        !equal && text.contains("page t/main:0: tuple 1, t_infomask") && text.contains("\n4 differences ("),
        "{text}"
    );
    assert!(text.contains("HEAP_XMIN_INVALID") && text.contains("record 1, Heap/HOT_UPDATE: record"), "{text}");
    assert!(text.contains("record 1 about no page: type\n    server  Transaction/COMMIT\n    engine  none"), "{text}");
    let (json, _) = verify(SCRIPT, Format::Json, flip).expect("a comparison");
    assert!(json.starts_with("{\"equal\":false,\"counts\":{\"statements\":4,") && json.contains("\"n\":3"), "{json}");
}

#[test]
fn records_of_one_form_and_two_types_differ() {
    fn rename(lines: &mut [TraceLine]) {
        let Some(TraceLine::Statement(update)) = lines.get_mut(2) else { panic!("the UPDATE") };
        update.wal[0].kind = "UPDATE".to_owned();
    }
    let (text, equal) = verify(SCRIPT, Format::Text, rename).expect("a comparison");
    let told = "record 1, Heap/HOT_UPDATE: type\n    server  Heap/HOT_UPDATE\n    engine  Heap/UPDATE";
    assert!(!equal && text.contains(told), "{text}");
}

#[test]
fn another_value_in_a_row_is_named() {
    fn err(lines: &mut [TraceLine]) {
        let Some(TraceLine::Statement(select)) = lines.get_mut(1) else { panic!("the SELECT") };
        let rows = select.result.as_mut().expect("its rows");
        rows.rows[1][0] = None;
        rows.columns[1] = "c".to_owned();
        rows.count += 1;
    }
    let script = "create table t (a int);\nselect g as n, g + 1 as b from generate_series(1, 3) g;";
    let (text, equal) = verify(script, Format::Text, err).expect("a comparison");
    let value = "result: row 2, n\n    server  2\n    engine  NULL";
    let names = "result: names of columns\n    server  n, b\n    engine  n, c";
    let count = "result: number of rows\n    server  3, some kept\n    engine  4, some kept";
    assert!(!equal && [value, names, count].iter().all(|told| text.contains(told)), "{text}");
    let (text, equal) = verify(script, Format::Text, nothing).expect("a comparison");
    assert!(equal && text.contains(", 3 rows,"), "{text}");
}

#[test]
fn nothing_compared_is_not_equal() {
    let (text, equal) = verify("begin; commit;", Format::Text, nothing).expect("a comparison");
    assert!(!equal && text.contains("nothing was compared"), "{text}");
    let left_out = "create table t (a float);\ninsert into t values (random());\ninsert into t values (1);";
    let (text, equal) = verify(left_out, Format::Text, nothing).expect("a comparison");
    assert!(!equal && text.contains("left out: 1 statements"), "{text}");
    assert!(
        text.starts_with("not comparable: statement 2: insert into t values (random())\n  random() gives other values"),
        "{text}"
    );
}

#[test]
fn a_script_that_others_would_notice_is_refused() {
    let told = verify("create table t (a int);\ncheckpoint;", Format::Text, nothing).expect_err("a refusal");
    assert!(told.contains("line 2: CHECKPOINT concerns the whole server"), "{told}");
}

/// The command as it is, with the engine beside a server.
fn by_the_engine(oracle: &Oracle, text: &str, allow_server_wide: bool) -> (String, bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("script.sql");
    std::fs::write(&file, text).expect("a file");
    let (own_database, keep, format) = (false, None, Format::Text);
    let args = VerifyCommand { file, server: oracle.url(), own_database, allow_server_wide, keep, format };
    let (told, fault) = run(&args, &mut Engine, Arc::default()).expect("a comparison");
    (told, fault.is_none())
}

#[test]
fn no_difference_is_invented() {
    let oracle = Oracle::start(NEWEST, false);
    // catalogs get files with numbers as those of users' relations
    oracle.execute(
        "VACUUM FULL pg_catalog.pg_class; VACUUM FULL pg_catalog.pg_attribute; VACUUM FULL pg_catalog.pg_depend",
    );
    oracle.execute("REINDEX SYSTEM postgres");
    for text in [
        SCRIPT,
        "create table l (id int, at timestamptz default now()); insert into l (id) values (1); insert into l default values;
         create table m (a int); insert into m values (1);",
        "create table l (id int, at timestamp default current_timestamp); insert into l (id) values (1);
         create table k (like l including defaults); insert into k (id) values (1); alter table k rename to m;
         insert into m (id) values (2); create table n (a int); insert into n values (1);",
        "create table l (id uuid primary key default gen_random_uuid(), v int); insert into l (v) values (1); update l set v = 2;
         create table m (a int); insert into m values (1);",
        "create table m (a int); insert into m values (1); create view v as select a from m; select * from v; drop view v;",
        "create table m (a int); insert into m values (1);\ncopy m from stdin",
    ] {
        let (told, equal) = by_the_engine(&oracle, text, false);
        assert!(equal && told.contains("\nequal ("), "{text}: {told}");
    }
}

#[test]
fn what_is_not_known_is_not_sent() {
    let oracle = Oracle::start(NEWEST, false);
    let text =
        "create table a (id int);\ninsert into a values (1);\ncreate aggregate w (int) (sfunc = int4pl, stype = int);\nalter table a rename to b;\n
        begin;\nselect * from heap_page_items(get_raw_page('a', 0));\nupdate a set id = 2;\ncommit;";
    let (told, equal) = by_the_engine(&oracle, text, false);
    assert!(!equal && told.contains("\nequal, but for 2 statements that were not sent ("), "{told}");
    assert!(told.contains("not sent: statement 3 (line 3): create aggregate w"), "{told}");
}

#[test]
fn a_checkpoint_of_the_script_leaves_its_wal() {
    let oracle = Oracle::start_with(NEWEST, false, "wal_keep_size = 0\nmax_wal_size = 1GB\nmin_wal_size = 32MB");
    let insert = "insert into t select g, repeat('x', 900) from generate_series(1, 20000) g; checkpoint;";
    let text = format!("create table t (a int, b text); {insert} {insert} {insert} select pg_sleep(1); {insert}");
    let (told, equal) = by_the_engine(&oracle, &text, true);
    assert!(equal, "{told}");
}

#[test]
fn how_a_statement_failed_is_compared_though_its_rows_are_not() {
    fn fail(lines: &mut [TraceLine]) {
        let Some(TraceLine::Statement(insert)) = lines.get_mut(1) else { panic!("the INSERT") };
        (insert.status, insert.error) = (None, Some("it failed".to_owned()));
    }
    let script = "create table t (a float);\ninsert into t values (random());\ncreate table u (a int);\ninsert into u values (1);";
    let (told, equal) = verify(script, Format::Text, fail).expect("a comparison");
    assert!(!equal && told.contains("outcome: error\n    server  none\n    engine  it failed"), "{told}");
    let (told, equal) = verify(script, Format::Text, nothing).expect("a comparison");
    assert!(equal, "{told}");
}

#[test]
fn a_later_name_is_none_of_an_earlier_record() {
    let oracle = Oracle::start(NEWEST, false);
    let script = Script::parse(
        "create table a (id int); insert into a values (1); alter table a rename to b; insert into b values (2);",
    );
    let lines = oracle.run(&script.expect("a script")).expect("a run").lines;
    let names: Vec<Option<&str>> = lines
        .iter()
        .filter_map(|line| match line {
            TraceLine::Statement(statement) => statement.wal.first(),
            _ => None,
        })
        .map(|wal| wal.blocks[0].rel.as_deref())
        .collect();
    assert_eq!(names, [Some("a"), Some("b")]);
}
