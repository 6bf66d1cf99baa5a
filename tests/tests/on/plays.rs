//! What a script did on a server, as steps: with WAL, with waits, within a transaction, and kept as a recording.

use super::{errors, on, on_with, options, outcomes};
use ffviz_live::script::{PlayOptions, ServerPlay};
use ffviz_story::recording;
use ffviz_story::timeline::{Cause, How, Timeline};
use ffviz_tests::servers::url;

const SCRIPT: &str = "
create table t (id int primary key, v text);
insert into t select g, 'row ' || g from generate_series(1, 5) g;
update t set v = 'x' where id = 3;
\\timing on
select * from t where id = 3;
insert into t values (3, 'twice');
begin;
create table u (a int);
insert into u values (1);
commit;
copy u from stdin;
2
3
\\.
vacuum t;
";

/// All groups with WAL are equal to what the server shows; gives how many pages were compared.
fn compared(timeline: &Timeline) -> usize {
    let mut compared = 0;
    for group in timeline.groups().iter().skip(1) {
        match &group.how {
            How::Replayed { report, gap, .. } => {
                assert_eq!((report.differing.len(), gap), (0, &None), "{:?}: {report:?}", group.label);
                compared += report.compared;
            }
            // of psql's commands there is nothing to read
            How::Measured(None) => assert!(group.label.as_ref().is_some_and(|label| label.starts_with('\\'))),
            how => panic!("{:?}: {how:?}", group.label),
        }
    }
    compared
}

fn checked(major: u32) -> ServerPlay {
    let played = on(&url(major, "postgres"), SCRIPT).expect("it is played");
    assert_eq!((&played.stopped, &played.refused), (&None, &Vec::new()), "{major}");
    assert_eq!(
        outcomes(&played),
        [
            "CREATE TABLE",
            "INSERT 0 5",
            "UPDATE 1",
            "psql's \\timing: skipped",
            "SELECT 1",
            "ERROR: duplicate key value violates unique constraint \"t_pkey\" DETAIL: Key (id)=(3) already exists.",
            "BEGIN",
            "CREATE TABLE",
            "INSERT 0 1",
            "COMMIT",
            "COPY 2",
            "VACUUM",
        ],
        "{major}"
    );
    played
}

#[test]
fn a_script_becomes_a_timeline() {
    for major in [13, 15, 18] {
        let played = checked(major);
        let timeline = &played.timeline;
        assert!(compared(timeline) >= 10, "{major}");
        let records = (1..timeline.len()).filter(|n| matches!(timeline.cause(*n), Some(Cause::Record(_)))).count();
        assert!(records > 20 && timeline.len() < 60, "{major}: {records} records, {} states", timeline.len());
        // the rows of the table that an open transaction made, and its COMMIT
        let of = |label: &str| timeline.groups().iter().find(|group| group.label.as_deref() == Some(label));
        for (label, step) in [("insert into u values (1)", "INSERT+INIT"), ("commit", "COMMIT")] {
            let states = of(label).expect(label).states.clone();
            let record = states.filter_map(|n| timeline.record(n)).find_map(|record| {
                let decoded = record.decode(timeline.last().server.version).ok()?;
                (decoded.type_name() == step).then_some(())
            });
            assert!(record.is_some(), "{major}: {label} has no record {step}");
        }
        let rows = of("select * from t where id = 3").expect("the query").results();
        assert_eq!(rows[0].rows, [[Some("3".to_owned()), Some("x".to_owned())]], "{major}");
        let u = timeline.last().relations.values().find(|relation| relation.name == "u").expect("u");
        assert_eq!(u.blocks.main, 1, "{major}");
        // as a trace tells it: the lines of statements, their pages and their WAL
        assert_eq!(played.lines.len(), 11);
        assert!(
            played.lines[1].pages().len() >= 2 && played.lines[1].wal().len() == 11,
            "{major}: {:?}",
            played.lines[1].wal().len()
        );
    }
}

#[test]
fn a_recording_keeps_it() {
    let played = checked(18);
    let read = recording::read(recording::save(&played.timeline, Some("on"))).timeline.expect("a timeline");
    let told = |timeline: &Timeline| {
        let mut timeline = timeline.clone();
        let headlines = (0..timeline.len()).map(|n| {
            timeline.seek(n);
            timeline.explain().headline
        });
        headlines.collect::<Vec<_>>()
    };
    assert_eq!(told(&read), told(&played.timeline));
    let ended = |timeline: &Timeline| timeline.groups().iter().map(|group| group.played.clone()).collect::<Vec<_>>();
    assert_eq!(ended(&read), ended(&played.timeline));
}

#[test]
fn sessions_wait_and_go_on() {
    let text = "
create table t (id int primary key, n int);
insert into t values (1, 1), (2, 2);
begin;
update t set n = 10 where id = 1;
--@ session B
update t set n = 20 where id = 1;
--@ session A
commit;
begin;
update t set n = 1 where id = 1;
--@ session B
begin;
update t set n = 1 where id = 2;
update t set n = 2 where id = 1;
--@ session A
update t set n = 2 where id = 2;
";
    for major in [13, 18] {
        let played = on(&url(major, "postgres"), text).expect("it is played");
        let told = outcomes(&played);
        assert_eq!(told[4], "waits for another transaction", "{major}: {told:?}");
        assert_eq!(told[5], "COMMIT; statement 5 of session B went on: UPDATE 1", "{major}");
        assert_eq!(told[10], "waits for another transaction", "{major}");
        assert!(told[11].contains("ERROR: deadlock detected"), "{major}: {told:?}");
        compared(&played.timeline);
        assert_eq!(played.stopped, None);
    }
}

#[test]
fn what_a_session_waits_in_cannot_go_on() {
    let text = "
create table t (a int); insert into t values (1);
begin; update t set a = 2;
--@ session B
update t set a = 3; select 1;";
    let played = on(&url(18, "postgres"), text).expect("it is played so far");
    assert_eq!(outcomes(&played).len(), 5);
    let why = played.stopped.expect("it cannot go on");
    assert!(why.starts_with("line 5: session B still waits for a lock in statement 5"), "{why}");
}

#[test]
fn long_runs_are_bounded() {
    let text = "create table t (a int); insert into t select generate_series(1, 3000); update t set a = 0 where a = 1;";
    let played = on_with(&url(18, "postgres"), text, PlayOptions { steps: 1000, ..options() }).expect("it is played");
    assert!(played.timeline.len() < 1000);
    let how = &played.timeline.groups()[2].how;
    assert!(matches!(how, How::Measured(Some(why)) if why.contains("--steps")), "{how:?}");
    // more than the room that it may take
    let text = "create table t (a text); insert into t select repeat('x', 1000) from generate_series(1, 10000000) g;";
    let played = on_with(&url(18, "postgres"), text, PlayOptions { disk: 50 << 20, ..options() }).expect("played");
    assert!(played.stopped.as_ref().is_some_and(|why| why.contains("--disk")), "{:?}", played.stopped);
}

#[test]
fn what_is_not_sent_is_told() {
    let text = "create table t (a int); checkpoint; set session authorization default; select 'open";
    let played = on(&url(18, "postgres"), text).expect("it is played");
    assert_eq!(played.refused.len(), 3, "{:?}", played.refused);
    assert!(played.refused[0].contains("--allow-server-wide"), "{:?}", played.refused);
    let played = on_with(&url(18, "postgres"), text, PlayOptions { server_wide: true, ..options() }).expect("played");
    assert_eq!((played.refused.len(), outcomes(&played)[1]), (2, "CHECKPOINT"));
    for text in ["drop database postgres;", "create role r;", "--@ crash", "copy (select 1) to program 'true';"] {
        let why = on(&url(18, "postgres"), &format!("create table t (a int);\n{text}")).expect_err(text);
        assert!(why.starts_with("line 2: "), "{text}: {why}");
    }
}

#[test]
fn copies_that_fail_are_part_of_the_play() {
    let text = "create table t (a int, b int);\ncopy nosuch from stdin;\n1\n\\.\ncopy t (a, c) from stdin;\n1\t2\n\\.\ncopy t from stdin;\nx\n\\.
copy t (b, a) from stdin;\n1\t2\n\\.\nbegin; select 1/0;\ncopy t from stdin;\n1\t2\n\\.\nrollback; begin read only;\ncopy t from stdin;\n1\t2\n\\.\n";
    for major in [13, 18] {
        let played = on(&url(major, "postgres"), text).expect("it is played");
        assert_eq!(played.stopped, None, "{major}");
        let told: Vec<String> = errors(&played).into_iter().map(|(_, error)| error).collect();
        assert_eq!(
            told,
            [
                "relation \"nosuch\" does not exist",
                "column \"c\" of relation \"t\" does not exist",
                "invalid input syntax for type integer: \"x\"",
                "division by zero",
                "current transaction is aborted, commands ignored until end of transaction block",
                "cannot execute COPY FROM in a read-only transaction",
            ],
            "{major}"
        );
        assert_eq!(outcomes(&played)[4], "COPY 1");
    }
}

#[test]
fn functions_and_extensions() {
    let text = r#"
create extension pageinspect; create extension if not exists pg_visibility; create extension "uuid-ossp" with schema public;
create extension pg_buffercache;
create table t (a int); insert into t select generate_series(1, 300); vacuum t;
select count(*) from heap_page_items(get_raw_page('t', 0));
select all_visible from pg_visibility_map('t', 0);
select count(*) > 0 from pg_buffercache;
create function items(rel text) returns bigint language sql as $$ select count(*) from heap_page_items(get_raw_page(rel, 0)) $$;
select items('t');
create procedure fill(n int) language plpgsql as $$ begin for i in 1..n loop insert into t values (i); commit; end loop; end $$;
call fill(3);
do $$ begin for i in 1..3 loop execute format('create table t_%s (a int)', i); end loop; end $$;
create function make(name text) returns void language plpgsql as $$ begin execute 'create table ' || name || ' (a int)'; end $$;
select make('made'); insert into made values (1);
do $$ begin insert into t values (0); commit; insert into t values (0); rollback; end $$;
copy t to stdout;
set wal_compression = on; show wal_compression;
select pg_catalog.set_config('search_path', '', false);
select count(*) from public.t;
"#;
    for major in [13, 18] {
        let played = on(&url(major, "postgres"), text).expect("it is played");
        assert_eq!((errors(&played), &played.stopped), (Vec::new(), &None), "{major}");
        let told = outcomes(&played);
        assert_eq!(told[20..24], ["SET", "SHOW", "SET", "SELECT 1"], "{major}: {told:?}");
        assert!(told.contains(&"COPY 304"), "{major}: {told:?}");
        for name in ["t_1", "t_3", "made"] {
            let found = played.timeline.last().relations.values().any(|relation| relation.name == name);
            assert!(found, "{major}: {name}");
        }
    }
}
