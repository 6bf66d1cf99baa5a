//! What a run tells where the bytes alone would tell a wrong story.

use super::{RunOptions, Simulator};
use crate::sql::script::Script;
use crate::sql::trace::TraceLine;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlType, Value};
use ffviz_format::page::{Lsn, Page, PgVersion};
use ffviz_story::timeline::{WalUsage, who_goes_on};

/// Everything that each step tells.
fn told(script: &str) -> Vec<String> {
    let script = Script::parse(script).expect("a script");
    let version = PgVersion(180_004);
    let (mut timeline, _) = Simulator::timeline(&script, &RunOptions::new(version)).expect("a run");
    let mut told = Vec::new();
    for state in 0..timeline.len() {
        timeline.seek(state);
        told.extend(timeline.explain().events.into_iter().map(|event| event.what));
    }
    told
}

/// The statements of blocks and functions that did the steps of the last statement, each once.
fn at_work(script: &str) -> Vec<String> {
    let script = Script::parse(script).expect("a script");
    let (timeline, _) = Simulator::timeline(&script, &RunOptions::new(PgVersion(180_004))).expect("a run");
    let states = timeline.groups().last().expect("a statement").states.clone();
    let mut found: Vec<String> = states.map(|state| timeline.within(state).map_or("", |text| text).into()).collect();
    found.dedup();
    found
}

#[test]
fn a_step_of_a_block_says_which_of_its_statements_does_it() {
    let script = "create table t (a int, b int); insert into t values (1, 1); create table log (a int, was int);
        create function noted() returns trigger language plpgsql as $$ begin
            insert into log  values (new.a, old.b); return new; end $$;
        create trigger g after update on t for each row execute function noted();
        do $$ declare n int := 7; begin
            update t set b = n
             where a = 1;
            begin insert into nowhere values (1); exception when others then null; end;
            execute 'delete from ' || 'log';
        end $$;";
    let expected = [
        "update t set b = n where a = 1 · n = 7",
        "update t set b = n where a = 1 · n = 7 › trigger g of t › noted() › insert into log values (new.a, old.b) · \
         new.a = 1, old.b = 1",
        "delete from log",
        "",
    ];
    assert_eq!(at_work(script), expected);
}

#[test]
fn a_step_says_which_foreign_key_does_it() {
    let script = "create table p (a int primary key); create table c (a int references p on delete cascade);
        insert into p values (1); insert into c values (1), (1); delete from p;";
    assert_eq!(at_work(script), ["", "cascade of foreign key c_a_fkey", ""]);
}

/// What the simulator says of the last statement of a script that it refuses.
fn refused(version: u32, script: &str) -> String {
    let script = Script::parse(script).expect("a script");
    let mut simulator = Simulator::new(&RunOptions::new(PgVersion(version)), true, false).expect("a server");
    let lines: Vec<TraceLine> = script.items.iter().flat_map(|item| simulator.item(item).lines).collect();
    let last =
        lines.iter().rev().find_map(|line| if let TraceLine::Statement(line) = line { Some(line) } else { None });
    format!("{:?}", last.expect("a statement").error)
}

#[test]
fn what_is_not_supported_is_refused_in_a_sentence() {
    let check = |version, sql: &str, expected: &str| {
        let said = refused(version, &format!("create table t (a int primary key, b int);\n{sql};"));
        assert!(said.contains(expected), "{version}: {sql}: {said}");
    };
    check(180_004, "create index on t ((ctid::text))", "system column ctid is not supported here");
    let upsert = "insert into t values (1) on conflict (a) do update set b = 1 where t.xmin = 1";
    check(180_004, upsert, "system column xmin is not supported here");
    check(180_004, "create table u as select xmin from t", "a column of type xid is not supported");
    let on = "t.b = s.a and t.a = 1 or t.a > s.a and t.a = 2";
    let merge = &format!("merge into t using (values (1), (2)) s(a) on {on} when matched then delete");
    check(180_004, merge, "MERGE of a source whose join is not known for certain");
    check(140_023, merge, "syntax error at or near \\\"merge\\\"");
    check(160_014, &format!("{merge} returning *"), "syntax error at or near \\\"returning\\\"");
    let renamed = "update t set a = 1 returning with (old as o) o.a";
    check(170_010, renamed, "syntax error at or near \\\"with\\\"");
    check(170_010, "update t set a = 1 returning old.a", "missing FROM-clause entry for table");
    check(
        130_023,
        "update t set a = 1 returning xmin",
        "in RETURNING of INSERT and UPDATE are not supported before 14",
    );
    check(
        180_004,
        "explain (costs off, verbose) select * from t, generate_series(1, 2)",
        "EXPLAIN of this plan is not supported",
    );
    check(180_004, "explain (costs off) insert into t select 1 limit 1", "EXPLAIN of this plan is not supported");
    let united = "explain (costs off) select a from t union select b from t";
    check(180_004, united, "EXPLAIN of this plan is not supported");
    check(180_004, "explain (settings) select 1", "EXPLAIN option SETTINGS is not supported");
    check(180_004, "explain (analyze, format json) select 1", "EXPLAIN of ANALYZE in another format than text");
    let locks = "explain (analyze, buffers off) select * from t limit 1 for update";
    check(180_004, locks, "EXPLAIN of this plan with ANALYZE is not supported");
    let unknown = "explain select * from t where a::boolean";
    check(180_004, unknown, "EXPLAIN of this plan with costs is not supported");
    check(180_004, "select * from pg_operator", "the catalog pg_operator is not simulated");
    check(180_004, "select * from pg_catalog.pg_language", "the catalog pg_catalog.pg_language is not simulated");
    check(180_004, "select * from pg_catalog.pg_proc", "pg_proc without a condition such as oid = …");
    check(130_023, "select * from pg_stat_slru", "the catalog pg_stat_slru is not simulated");
    check(
        180_004,
        "select * from information_schema.tables",
        "information_schema.tables without a condition such as table_schema",
    );
    check(180_004, "vacuum pg_class", "the catalog pg_class is not simulated");
    check(180_004, "drop table pg_class", "the catalog pg_class is not simulated");
    check(180_004, "delete from pg_class", "the catalog pg_class is not simulated");
    check(180_004, "select * from pg_nothing", "relation \\\"pg_nothing\\\" does not exist");
    check(140_023, "select * from t_pkey", "\\\"t_pkey\\\" is an index");
    check(150_018, "select * from t_pkey", "cannot open relation \\\"t_pkey\\\"");
    check(
        180_004,
        "set bytea_output = 'escape'",
        "bytea_output = escape is not supported; the simulator has it at hex",
    );
    check(180_004, "alter system set wal_level = minimal", "wal_level = minimal is not supported");
    check(180_004, "alter system set autovacuum = on", "autovacuum = on is not supported");
    check(180_004, "show data_directory", "data_directory is not supported");
    check(180_004, "set no_such_setting = 1", "unrecognized configuration parameter \\\"no_such_setting\\\"");
    check(180_004, "show no_such_setting", "unrecognized configuration parameter \\\"no_such_setting\\\"");
    check(180_004, "create table u (xmin int)", "conflicts with a system column name");
}

#[test]
fn a_run_with_more_steps_than_are_kept_comes_to_the_same_end() {
    let script = "create table t (a int primary key); insert into t select generate_series(1, 900);
        update t set a = -a; select count(*) from t; drop table t; create table u as select generate_series(1, 9) b;";
    let script = Script::parse(script).expect("a script");
    let run = |steps| {
        let options = RunOptions { steps, ..RunOptions::new(PgVersion(180_004)) };
        Simulator::timeline(&script, &options).expect("a run")
    };
    let ((all, all_lines), (mut cut, cut_lines)) = (run(usize::MAX), run(100));
    assert!(all.len() > 2_000 && (100..120).contains(&cut.len()), "{} and {} steps", all.len(), cut.len());
    assert_eq!(all.last(), cut.last());
    assert_eq!(all_lines, cut_lines);
    let steps = cut.len();
    let headline = |state| {
        cut.seek(state);
        cut.explain().headline
    };
    let told: Vec<String> = (0..steps).map(headline).filter(|told| told.contains("in one step")).collect();
    assert_eq!(told.len(), 5, "{told:#?}");
    assert!(told[0].starts_with("the rest of the statement in one step: "), "{told:#?}");
    assert!(told[1].starts_with("the whole statement in one step: "), "{told:#?}");
}

/// What a server has and the simulator has not fails no transaction.
#[test]
fn a_catalog_that_is_not_simulated_leaves_the_transaction_alone() {
    let script = "create table t (a int); begin; insert into t values (1); select * from pg_operator; set bytea_output = 'escape'; insert into t values (2); commit;";
    let script = Script::parse(script).expect("a script");
    let mut simulator = Simulator::new(&RunOptions::new(PgVersion(180_004)), true, false).expect("a server");
    let done: Vec<_> = script.items.iter().map(|item| simulator.item(item)).collect();
    assert_eq!(done.iter().filter(|done| done.refused.is_some()).count(), 2);
    let outcomes: Vec<&str> = done.iter().map(|done| done.simulated.outcome.as_str()).collect();
    assert!(outcomes[3].starts_with("skipped by the simulator: the catalog pg_operator"), "{outcomes:?}");
    assert_eq!(outcomes[5..], ["INSERT 0 1", "COMMIT"], "{outcomes:?}");
}

#[test]
fn a_statement_fails_that_the_disk_has_no_room_for() {
    let script = "create table t (a int, b char(1000)); insert into t select generate_series(1, 1000000000);
        select count(*) from t; drop table t; create table t (a int); insert into t values (1);";
    let script = Script::parse(script).expect("a script");
    let options = RunOptions { disk_blocks: 20, crashes: false, ..RunOptions::new(PgVersion(180_004)) };
    let mut simulator = Simulator::new(&options, true, false).expect("a server");
    let lines: Vec<TraceLine> = script.items.iter().flat_map(|item| simulator.item(item).lines).collect();
    let ended = lines.iter().map(|line| match line {
        TraceLine::Statement(line) => (line.status.clone(), line.error.clone()),
        line => panic!("{line:?}"),
    });
    let ended: Vec<String> = ended.map(|(status, error)| error.or(status).unwrap_or_default()).collect();
    let no_space = "could not extend file \"base/5/16384\": No space left on device";
    assert_eq!(ended, ["CREATE TABLE", no_space, "SELECT 1", "DROP TABLE", "CREATE TABLE", "INSERT 0 1"]);
    assert!(simulator.db.cluster.pg.buffers.blocks() < 20);
}

const TORN: &str = "create table t (a int, b char(300));
    insert into t select g, 'x' from generate_series(1, 13) g;
    checkpoint;
    update t set b = 'y' where a = 1;
    --@ crash torn t 0 4096
    select 1;";

#[test]
fn a_torn_page_was_not_pruned() {
    let told = told(TORN);
    let has = |what: &str| told.iter().any(|event| event == what);
    let torn = "block 0 is torn: new above, old below; byte 4,096 is the first to show it";
    assert!(has(torn), "{told:#?}");
    assert!(has("block 0 is the record's image now"), "{told:#?}");
    assert!(!told.iter().any(|event| event.contains("pruned")), "{told:#?}");
}

/// A reader's hint bit on bytes that were never written: nothing was inserted there, and nothing pruned.
#[test]
fn what_was_never_written_is_no_row() {
    let off = "alter system set full_page_writes = off; select pg_reload_conf(); checkpoint";
    let script = TORN.replace("checkpoint", off).replace("select 1", "select * from t").replace("(1, 13)", "(1, 10)");
    let told = told(&script);
    let hinted = "hint bit HEAP_XMIN_INVALID set on (0,11), which is no row version";
    assert!(told.iter().any(|event| event == hinted), "{told:#?}");
    let after_crash = told.iter().skip_while(|event| !event.contains("is torn"));
    let wrong =
        |event: &&String| ["INSERT", "pruned block", "LP_UNUSED", "rolled back"].iter().any(|w| event.contains(w));
    assert_eq!(after_crash.filter(wrong).collect::<Vec<_>>(), [""; 0], "{told:#?}");
}

#[test]
fn a_page_that_was_not_written_is_as_it_was() {
    let told = told(&TORN.replace(" torn t 0 4096", ""));
    assert!(told.iter().any(|event| event == "block 0 as last written"), "{told:#?}");
    assert!(!told.iter().any(|event| event.contains("pruned") || event.contains("image now")), "{told:#?}");
}

#[test]
fn the_first_record_goes_where_the_script_says_and_none_goes_back() {
    let text = "--@ lsn 0/14EC028\ncreate table t (a int);\ninsert into t values (1);\n--@ lsn 0/14EC028\ninsert into t values (2);";
    let script = Script::parse(text).expect("a script");
    let mut simulator = Simulator::new(&RunOptions::new(PgVersion(180_004)), true, false).expect("a server");
    let lines: Vec<TraceLine> = script.items.iter().flat_map(|item| simulator.item(item).lines).collect();
    let statements =
        lines.iter().filter_map(|line| if let TraceLine::Statement(line) = line { Some(line) } else { None });
    let starts: Vec<Lsn> =
        statements.flat_map(|line| line.wal.iter().filter_map(|wal| Some(wal.record.as_ref()?.start))).collect();
    assert!(starts.first().is_some_and(|first| (0x14E_C028..0x14F_0000).contains(&first.0)), "{starts:?}");
    assert!(starts.is_sorted() && starts.len() == 2, "{starts:?}");
}

/// All pages, and what was written of WAL, once rows were updated by key: by one prepared statement, or each by a
/// statement of its own. Some fail, and in between the table and its index are made anew.
fn updated_by_key(is_prepared: bool) -> (Vec<Page>, WalUsage) {
    const SETUP: &str = "create table t (id int primary key, n int, filler char(84)) with (fillfactor = 90);
        insert into t select i, i, '' from generate_series(1, 2000) i; vacuum analyze t;";
    let mut simulator = Simulator::new(&RunOptions::new(PgVersion(180_004)), false, false).expect("a server");
    let run = |simulator: &mut Simulator, sql: &str| {
        Script::parse(sql).expect("a script").items.iter().for_each(|item| drop(simulator.item(item)));
    };
    run(&mut simulator, SETUP);
    let sql = "update t set n = n + 1 / (id - $2) where id = $1";
    let mut prepared = simulator.prepare(sql, &[SqlType::INT4.oid; 2]).expect("a plan");
    for turn in 0..600 {
        let key = turn * 7 % 100 + 1;
        let fails = turn % 50 == 49;
        let minus = if fails { key } else { 0 };
        if is_prepared {
            let done = simulator.execute(&mut prepared, &[Value::Int4(key), Value::Int4(minus)]);
            assert_eq!(done.is_err(), fails, "turn {turn}: {done:?}");
        } else {
            run(&mut simulator, &format!("update t set n = n + 1 / (id - {minus}) where id = {key};"));
        }
        if turn == 300 {
            run(&mut simulator, "vacuum full t;");
        }
    }
    let pg = &simulator.db.cluster.pg;
    (pg.buffers.all().map(|buf| pg.buffers.page(buf).clone()).collect(), pg.wal.usage())
}

#[test]
fn a_statement_that_is_run_again_does_what_a_new_one_does() {
    let ((pages, usage), (others, expected)) = (updated_by_key(true), updated_by_key(false));
    assert_eq!(usage, expected);
    assert_eq!(pages.len(), others.len());
    assert!(
        pages == others,
        "{} of {} pages differ",
        pages.iter().zip(&others).filter(|(a, b)| a != b).count(),
        pages.len()
    );
}

/// Statements about 60 rows by chance: most update one, some move rows to other pages, delete, insert, lock, or do so
/// in a transaction that is rolled back; now and then another session keeps what is dead from going.
fn by_chance(seed: &mut u64) -> String {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let (chance, key) = ((*seed >> 40) % 100, (*seed >> 33) % 60 + 1);
    let longer = 80 + (*seed >> 50) % 20;
    match chance {
        0 => format!("delete from t where id = {key};"),
        1 | 2 => format!("insert into t values ({key}, 1, '') on conflict (id) do update set n = 0;"),
        3 => format!("begin; update t set n = n + 1 where id = {key}; rollback;"),
        4 => format!("begin; update t set filler = 'no' where id / 3 = {key} / 3; rollback;"),
        5 => format!("begin; select id from t where id = {key} for update; commit;"),
        6 => format!(
            "begin; savepoint a; update t set n = 5 where id = {key}; rollback to a; delete from t where id = {key}; commit;"
        ),
        7 => format!(
            "--@ session b\nbegin isolation level repeatable read; select n from t where id = {key};\n--@ session A\n"
        ),
        8..=12 => "--@ session b\ncommit;\n--@ session A\n".into(),
        13 => "vacuum t;".into(),
        14..30 => format!("update t set filler = repeat('x', {longer}) where id = {key};"),
        30 => format!("update t set id = -id where id = {key};"),
        _ => format!("update t set n = n + 1 where id = {key};"),
    }
}

#[test]
fn pages_are_pruned_alike_whatever_is_known_of_them() {
    const SETUP: &str = "create table t (id int primary key, n int, filler text) with (fillfactor = 90);
        insert into t select i, i, repeat('x', 84) from generate_series(1, 60) i;";
    let run = |simulator: &mut Simulator, sql: &str| {
        Script::parse(sql).expect("a script").items.iter().for_each(|item| drop(simulator.item(item)));
    };
    let mut seed = 1;
    for version in [130_020, 160_009, 180_004] {
        let new = || Simulator::new(&RunOptions::new(PgVersion(version)), false, false).expect("a server");
        let (mut knows, mut forgets) = (new(), new());
        [&mut knows, &mut forgets].into_iter().for_each(|simulator| run(simulator, SETUP));
        let mut known = 0;
        for turn in 0..500 {
            let sql = by_chance(&mut seed);
            [&mut knows, &mut forgets].into_iter().for_each(|simulator| run(simulator, &sql));
            for buf in knows.db.cluster.pg.buffers.all() {
                let (page, other) =
                    (knows.db.cluster.pg.buffers.page(buf), forgets.db.cluster.pg.buffers.page_mut(buf));
                assert!(page == other, "{version}, turn {turn}: {buf:?} differs after {sql}");
                known += usize::from(knows.db.cluster.pg.buffers.changed_items(buf).is_some());
            }
        }
        assert!(known > 100, "{version}: nothing was tested, as only {known} times something was known of a page");
    }
}

#[test]
fn rows_are_kept_where_somebody_looks() {
    let script = Script::parse(
        "create table t (a int, b text);
        insert into t select g, null from generate_series(1, 30) g returning a, b;
        select a, a || 'x' from t order by a desc;
        update t set b = 'y' where a = 1 / 0 returning a;
        do $$begin for i in 1..3 loop update t set b = 'z' where a = i; end loop; end$$;
        select 1 where false;",
    );
    let results = |traces, tells| {
        let mut simulator = Simulator::new(&RunOptions::new(PgVersion(180_004)), traces, tells).expect("a server");
        let items = script.as_ref().expect("a script").items.iter();
        items.flat_map(|item| simulator.item(item).simulated.results).collect::<Vec<_>>()
    };
    assert!(results(false, false).is_empty());
    let sizes =
        |traces, tells| results(traces, tells).iter().map(|set| (set.rows.len(), set.count)).collect::<Vec<_>>();
    assert_eq!(sizes(false, true), [(20, 30), (20, 30), (0, 0)]);
    assert_eq!(sizes(true, false), [(30, 30), (30, 30), (0, 0)]);
    let shown = results(false, true);
    assert_eq!(
        (&*shown[0].columns, &*shown[1].columns, &*shown[2].columns),
        (
            &["a", "b"].map(String::from)[..],
            &["a", "?column?"].map(String::from)[..],
            &["?column?"].map(String::from)[..]
        )
    );
    assert_eq!(shown[0].rows[1], [Some("2".into()), None]);
    assert_eq!(shown[1].rows[0], [Some("30".into()), Some("30x".into())]);
    assert!(shown[1].is_number(0) && !shown[1].is_number(1));
}

#[test]
fn rows_without_an_end_take_little_memory() {
    let script = "create table t (a int); select repeat('wide ', 100), g from generate_series(1, 100000) g;";
    let script = Script::parse(script).expect("a script");
    let mut simulator = Simulator::new(&RunOptions::new(PgVersion(180_004)), false, true).expect("a server");
    let results: Vec<_> = script.items.iter().flat_map(|item| simulator.item(item).simulated.results).collect();
    let [set] = &results[..] else { panic!("one statement gives rows") };
    assert_eq!((set.count, set.rows.len()), (100_000, 20));
    assert!(set.rows.iter().all(|row| row[0].as_ref().is_some_and(|text| text.chars().count() == 121)));
}

/// How each statement of a script ends, and how many are refused.
fn ends(script: &str) -> (Vec<String>, usize) {
    let script = Script::parse(script).expect("a script");
    let mut simulator = Simulator::new(&RunOptions::new(PgVersion(180_004)), true, true).expect("a server");
    let done: Vec<_> = script.items.iter().map(|item| simulator.item(item)).collect();
    let refused = done.iter().filter(|done| done.refused.is_some()).count();
    (done.into_iter().map(|done| done.simulated.outcome).collect(), refused)
}

#[test]
fn what_is_not_supported_is_skipped_and_leaves_the_transaction() {
    let check = |sql: &str, refused: usize, last: &str| {
        let (ends, count) =
            ends(&format!("create table t (id int primary key, v int);\ninsert into t values (1, 1);\n{sql};"));
        assert_eq!((count, ends.last().map(String::as_str)), (refused, Some(last)), "{sql}: {ends:?}");
    };
    // by the parser, by the analyzer, while it runs; what comes after it runs
    let inspected = "begin; update t set v = 2; select pg_stat_get_numscans(1); update t set v = 3; commit";
    check(inspected, 1, "COMMIT");
    check("begin; create language v; insert into t values (2, 2); commit", 1, "COMMIT");
    check("begin; set timezone = 'Africa/Casablanca'; insert into t values (2, 2); commit", 1, "COMMIT");
    check(
        "begin isolation level repeatable read; select pg_stat_get_numscans(v) from t; update t set v = 5; commit",
        1,
        "COMMIT",
    );
    check(
        "begin isolation level serializable; select pg_stat_get_numscans(v) from t; update t set v = 5; commit",
        1,
        "COMMIT",
    );
    check(
        "begin; savepoint a; select pg_stat_get_numscans(v) from t; update t set v = 5; release a; commit",
        1,
        "COMMIT",
    );
    check(
        "begin; do $$ begin for i in 1..2 loop insert into t values (pg_stat_get_numscans(i), 1); end loop; end $$; commit",
        1,
        "COMMIT",
    );
    check("select pg_stat_get_numscans(v) from t; update t set v = 4", 1, "UPDATE 1");
    // what PostgreSQL raises itself ends the transaction
    check("begin; insert into t values (1, 1); commit", 0, "ROLLBACK");
    check("begin; select nothing from t; commit", 0, "ROLLBACK");
    check("begin; selec 1; commit", 1, "ROLLBACK");
    check("begin; select nothing from t; create language v; commit", 0, "ROLLBACK");
    // it has done something before it is known that it is not supported
    let late = "begin; do $$ begin for i in 2..3 loop insert into t values (i, 1); insert into t values (pg_stat_get_numscans(i), 1); end loop; end $$; commit";
    check(late, 1, "ROLLBACK");
}

#[test]
fn a_skipped_statement_lets_go_of_its_locks() {
    let (ends, refused) = ends(
        "create table t (id int, v int);\n--@ session a\nbegin;\nupdate t set v = pg_stat_get_numscans(v);\n--@ session b\ntruncate t;\n--@ session a\ncommit;",
    );
    assert_eq!((refused, ends.iter().any(|end| end == "waits for another transaction")), (1, false), "{ends:?}");
}

#[test]
fn the_last_step_of_a_statement_says_how_it_failed() {
    let check = |sql: &str, expected: &str| {
        let script = Script::parse(&format!("create table t (id int primary key);\ninsert into t values (1);\n{sql};"));
        let options = RunOptions::new(PgVersion(180_004));
        let (mut timeline, _) = Simulator::timeline(&script.expect("a script"), &options).expect("a run");
        let last = timeline.groups().last().expect("a group").states.end - 1;
        timeline.seek(last);
        let told = timeline.explain();
        assert!(told.headline.starts_with(expected), "{sql}: {}", told.headline);
        let hidden = timeline.explain_hidden();
        assert!(!hidden.headline.contains("(1)"), "{sql}: {}", hidden.headline);
    };
    let duplicate =
        "ERROR: duplicate key value violates unique constraint \"t_pkey\" DETAIL: Key (id)=(1) already exists";
    check("insert into t values (1)", duplicate);
    check("select nothing from t", "ERROR: column \"nothing\" does not exist");
    check("create language v", "skipped by the simulator: CREATE LANGUAGE is not supported");
    check("selec 1", "ERROR: syntax error at or near \"selec\"");
}

/// Where a statement is wrong is a place in the script; steps of one that had waited are its session's.
#[test]
fn a_step_says_where_and_who() {
    let script = "create table t (a int);\ninsert into t values (1);\nselect a,\n  b from t;\n--@ session B\nbegin;\nupdate t set a = 2;
        --@ session A\nupdate t set a = 3;\n--@ session B\ncommit;";
    let script = Script::parse(script).expect("a script");
    let (timeline, _) = Simulator::timeline(&script, &RunOptions::new(PgVersion(180_004))).expect("a run");
    let written: Vec<_> = timeline.groups().iter().filter_map(|group| group.written()).collect();
    let wrong = written[2].wrong.as_ref().map(|wrong| (wrong.line, wrong.text.as_str(), wrong.column));
    assert_eq!(wrong, Some((4, "  b from t", 3)));
    let last = timeline.groups().last().expect("a group").states.clone();
    let who: Vec<_> = last.clone().map(|state| timeline.within(state).and_then(|within| who_goes_on(within))).collect();
    assert_eq!((who.first(), who.last()), (Some(&None), Some(&Some("A"))), "{who:?}");
    assert_eq!(timeline.session(last.start), Some("B"));
}

/// What comes later and asks for what a refused statement would have made is no mistake.
#[test]
fn what_was_not_created_is_said_of_what_asks_for_it() {
    let script = "create table t (a int); begin; create foreign table v (a int) server s; select * from v; insert into t values (1);
        alter table t add column m macaddr; select m from t; select n from t; rollback; create table v (a int); select * from v;
        create table q (id serial primary key, x geometry); begin; select nextval('q_id_seq'); select 1;";
    let script = Script::parse(script).expect("a script");
    let mut simulator = Simulator::new(&RunOptions::new(PgVersion(180_004)), true, false).expect("a server");
    let done: Vec<_> = script.items.iter().map(|item| simulator.item(item)).collect();
    let outcomes: Vec<&str> = done.iter().map(|done| done.simulated.outcome.as_str()).collect();
    let not_there = "skipped by the simulator: v was not created, since statement 3 is not supported";
    assert_eq!(outcomes[3..5], [not_there, "INSERT 0 1"], "{outcomes:?}");
    assert_eq!(outcomes[6], "skipped by the simulator: m was not created, since statement 6 is not supported");
    assert_eq!(outcomes[7], "ERROR: column \"n\" does not exist");
    assert_eq!(outcomes[10], "SELECT 0", "{outcomes:?}");
    // nor its sequence
    assert!(outcomes[13].starts_with("skipped by the simulator: q was not created"), "{outcomes:?}");
    assert_eq!(outcomes[14], "SELECT 1", "{outcomes:?}");
}

/// What a refused statement would have done to rows or rights, or asked for, decides what comes later.
#[test]
fn what_was_not_done_is_said_of_what_depends_on_it() {
    let check = |sql: &str, last: &str| {
        let (ends, _) =
            ends(&format!("create table t (id int primary key, v int);\ninsert into t values (1, 1);\n{sql};"));
        assert_eq!(ends.last().map(String::as_str), Some(last), "{sql}: {ends:?}");
    };
    // it had begun: its transaction ends
    let rows = "skipped by the simulator: t may have other rows on a server, since statement 3 is not supported";
    check("delete from t where pg_stat_get_numscans(id) = 0; insert into t values (1, 2)", rows);
    check("delete from t where pg_stat_get_numscans(id) = 0; begin; insert into t values (1, 2); commit", "ROLLBACK");
    check(
        "select pg_stat_get_numscans(id) from t; insert into t values (1, 2)",
        "ERROR: duplicate key value violates unique constraint \"t_pkey\" DETAIL: Key (id)=(1) already exists.",
    );
    let doubt = "SELECT 1; t may have other rows on a server, since statement 3 is not supported";
    check("delete from t where pg_stat_get_numscans(id) = 0; select * from T", doubt);
    check("delete from t where pg_stat_get_numscans(id) = 0; truncate t; select * from t", "SELECT 0");
    let written = "SELECT 1; u may have other rows on a server, since statement 3 is not supported";
    check(
        "delete from t where pg_stat_get_numscans(id) = 0; create table u (b int); insert into u select id from t; select * from u",
        written,
    );
    let role = "skipped by the simulator: statement 4 is not supported: what another role may do and see is not known";
    let made = "create role r; grant usage on language sql to r; set role r;";
    check(&format!("{made} select * from t"), role);
    check("create role r; alter table t enable row level security; set session authorization r; select 1", role);
    check(&format!("{made} reset role; select * from t"), "SELECT 1");
    check("create role r; set role r; select * from t", "ERROR: permission denied for table t");
    check("begin; create role r; set local role r; commit; select * from t", "SELECT 1");
    check("set session statement_timeout = 0; select * from t", "SELECT 1");
    let others = "skipped by the simulator: statement 3 is not supported: what a server with it does to t is not known";
    check("create table u (id int references t, g geometry); delete from t", others);
    check("create table u (id int references t, g geometry); insert into t values (2, 2)", "INSERT 0 1");
}

/// A column with its table's schema, of that table only.
#[test]
fn columns_are_named_with_a_schema() {
    let check = |sql: &str, last: &str| {
        let (ends, _) = ends(&format!(
            "create schema app;\ncreate table app.c (id int, b text);\ncreate table c (id int);\n\
             insert into app.c values (1, 'x'), (2, 'y');\n{sql};"
        ));
        assert_eq!(ends.last().map(String::as_str), Some(last), "{sql}: {ends:?}");
    };
    check("select app.c.b from app.c where app.c.id = 1", "SELECT 1");
    check("select app.c.* from app.c", "SELECT 2");
    check("update app.c set b = 'z' where app.c.id = 2", "UPDATE 1");
    check("select app.d.b from app.c", "ERROR: missing FROM-clause entry for table \"d\"");
    let other = "skipped by the simulator: public.c of a table that is named otherwise in FROM is not supported";
    check("select public.c.id from app.c", other);
}

/// A setting that decides nothing here is accepted, and that is said.
#[test]
fn a_setting_without_effect_says_so() {
    let run = |sql: &str| {
        let script = Script::parse(sql).expect("a script");
        let mut simulator = Simulator::new(&RunOptions::new(PgVersion(180_004)), true, false).expect("a server");
        script.items.iter().map(|item| simulator.item(item).simulated.outcome).collect::<Vec<_>>()
    };
    assert_eq!(run("set track_io_timing = on"), ["SET; track_io_timing has no effect on what is shown here"]);
    assert_eq!(run("set enable_seqscan = off"), ["SET"]);
    assert_eq!(run("set random_page_cost = 4.0"), ["SET"]);
    assert_eq!(
        run("set log_connections = on"),
        ["ERROR: parameter \"log_connections\" cannot be set after connection start"]
    );
    let twice = run(
        "set default_transaction_isolation = 'serializable'; show transaction_isolation; begin; show transaction_isolation;",
    );
    assert_eq!(twice[0], "SET");
}
