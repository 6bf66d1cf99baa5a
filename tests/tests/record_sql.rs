//! `snapshots/record.sql` under plain psql: what it takes along, what it refuses, and that it changes nothing.

use ffviz_format::page::ForkNumber;
use ffviz_format::state::{RelKind, Relation, State};
use ffviz_live::wrapper_sql;
use ffviz_story::recording::{self, Recording};
use ffviz_tests::servers::{Database, MAJORS, url};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

fn psql(url: &str, variables: &[&str]) -> Command {
    let mut psql = Command::new("psql");
    psql.args(["-XqAt", "-f"]).arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots/record.sql"));
    psql.args(variables.iter().flat_map(|variable| ["-v", variable])).arg(url);
    psql.stdout(Stdio::piped()).stderr(Stdio::piped());
    psql
}

/// What it prints, and what it says on standard error.
fn record(url: &str, variables: &[&str]) -> (Vec<u8>, String, Option<i32>) {
    let output = psql(url, variables).output().expect("psql is installed");
    (output.stdout, String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
}

fn one(url: &str, variables: &[&str]) -> (Recording, State) {
    let (stdout, stderr, status) = record(url, variables);
    assert_eq!((stderr.as_str(), status), ("", Some(0)));
    let read = recording::read(&stdout);
    assert_eq!(read.lost, [""; 0]);
    let state = read.timeline.as_ref().expect("a capture").state().clone();
    (read, state)
}

const TABLES: &str = r#"
CREATE SCHEMA "Odd schema";
CREATE TABLE "Odd schema"."a ""b" (id int PRIMARY KEY, "Größe" text, gone int, part text);
INSERT INTO "Odd schema"."a ""b" SELECT i, (SELECT string_agg(md5(i::text || j), '') FROM generate_series(1, 100) j), i, 'x' FROM generate_series(1, 50) i;
ALTER TABLE "Odd schema"."a ""b" DROP gone, ADD late text DEFAULT 'a "q" \ {b},c';
CREATE INDEX ON "Odd schema"."a ""b" (lower(left("Größe", 9) || part)) WHERE id > 7;
CREATE INDEX ON "Odd schema"."a ""b" USING brin (part);
CREATE TABLE parts (id int, word text) PARTITION BY RANGE (id);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (10) TO (20);
CREATE INDEX ON parts (word);
INSERT INTO parts SELECT i, 'w' FROM generate_series(0, 19) i;
CREATE MATERIALIZED VIEW seen WITH (fillfactor = 70) AS SELECT 1 AS one;
CREATE SEQUENCE counter;
CREATE UNLOGGED TABLE light (id int PRIMARY KEY);
CREATE TABLE empty ();
CREATE ROLE ffviz_nobody LOGIN;
"#;

fn find<'a>(state: &'a State, name: &str) -> &'a Relation {
    state.relations.values().find(|relation| relation.name == name).unwrap_or_else(|| panic!("{name} is missing"))
}

fn takes_everything_along(db: &Database) -> usize {
    let names = r#"tables='"Odd schema"."a ""b"','parts','seen','counter','light','empty'"#;
    let (read, state) = one(&db.url(), &[names, "title=A 'title'", r#"label=UPDATE "t" SET x = 'ü\n'"#]);
    let timeline = read.timeline.expect("a capture");
    assert_eq!((read.title.as_deref(), timeline.label(0)), (Some("A 'title'"), Some(r#"UPDATE "t" SET x = 'ü\n'"#)));
    assert_eq!(state.server.version.major(), db.major);
    assert!(state.lsn.is_some() && state.at.is_some());

    let odd = find(&state, "a \"b");
    assert_eq!((odd.schema.as_str(), odd.attributes[1].name.as_str()), ("Odd schema", "Größe"));
    assert!(odd.attributes[2].dropped && odd.attributes[2].len == 4 && odd.attributes[2].typid == 0);
    assert_eq!(odd.attributes[4].missing.as_deref(), Some(r#"a "q" \ {b},c"#));
    let expression = find(&state, "a \"b_lower_idx").index.clone().expect("an index");
    assert_eq!((expression.columns, expression.depends, expression.summarizing), (vec![0], vec![1, 2, 4], false));
    let key = find(&state, "a \"b_pkey").index.clone().expect("an index");
    assert_eq!((key.unique, key.primary, key.n_keys, key.columns, key.depends), (true, true, 1, vec![1], vec![1]));
    assert!(find(&state, "a \"b_part_idx").index.as_ref().is_some_and(|index| index.summarizing));
    let toast = find(&state, &format!("pg_toast_{}", odd.oid));
    assert!(toast.kind == RelKind::Toast && toast.table == Some(odd.oid) && toast.blocks.main > 10);
    assert_eq!(find(&state, &format!("pg_toast_{}_index", odd.oid)).table, Some(toast.oid));

    assert_eq!(state.indexes(find(&state, "parts_1").oid).count(), 1, "a partition's index comes along");
    assert_eq!(find(&state, "parts_2").blocks.main, 1);
    assert_eq!((find(&state, "seen").kind, find(&state, "seen").fillfactor), (RelKind::MaterializedView, Some(70)));
    assert_eq!(state.fork(find(&state, "counter").oid, ForkNumber::Main).count(), 1);
    assert_eq!(state.fork(find(&state, "light_pkey").oid, ForkNumber::Init).count(), 1);
    assert!(find(&state, "empty").attributes.is_empty());
    state.pages.len()
}

fn bounds_and_repeats(db: &Database) {
    let (_, state) = one(&db.url(), &[r#"tables='"Odd schema"."a ""b"'"#, "max_pages=2"]);
    let long = state.relations.values().find(|r| r.kind == RelKind::Toast).expect("a TOAST table");
    assert!(long.blocks.main > 2 && state.fork(long.oid, ForkNumber::Main).count() == 2);

    let appended = [record(&db.url(), &["tables='seen'"]).0, record(&db.url(), &["tables='light'"]).0].concat();
    let read = recording::read(appended);
    assert_eq!((read.lost.len(), read.timeline.map(|timeline| timeline.last().relations.len())), (0, Some(3)));

    let mut watching = psql(&db.url(), &["tables='seen'", "watch=0.2"]).spawn().expect("psql is installed");
    let lines = BufReader::new(watching.stdout.take().expect("its output")).lines();
    let (mut told, mut captures) = (String::new(), 0);
    for line in lines.map(|line| line.expect("text")) {
        captures += usize::from(line.replace(' ', "").starts_with("{\"line\":\"end\""));
        told += &(line + "\n");
        if captures == 3 {
            break;
        }
    }
    watching.kill().expect("it still runs");
    watching.wait().expect("it ends");
    let read = recording::read(told);
    assert!(read.timeline.is_some_and(|timeline| timeline.len() > 2), "{:?}", read.lost);
}

fn says_what_is_wrong(db: &mut Database) {
    let nobody = db.url().replace("postgres@", "ffviz_nobody@");
    let (_, with_extension, _) = record(&nobody, &["tables='seen'"]);
    assert!(with_extension.contains("role ffviz_nobody may not read pages"), "{with_extension}");
    db.client.batch_execute(&wrapper_sql(Some("ffviz_nobody"))).expect("a superuser installs the wrapper");
    db.client.batch_execute("GRANT SELECT ON seen TO ffviz_nobody").expect("a grant");
    let (_, mine) = one(&nobody, &["tables='seen'"]);
    assert_eq!(mine.pages, one(&db.url(), &["tables='seen'"]).1.pages, "the wrapper gives the same pages");
    let (_, theirs, status) = record(&nobody, &["tables='light'"]);
    assert!(theirs.contains("permission denied for relation public.light") && status == Some(3), "{theirs}");

    let (_, without, status) = record(&url(db.major, "postgres"), &["tables='pg_class'"]);
    if status != Some(0) {
        assert!(without.contains("pageinspect is not installed in database postgres"), "{without}");
    }
    let (stdout, missing, status) = record(&db.url(), &["tables='nowhere'"]);
    assert!(missing.contains("relation \"nowhere\" does not exist"), "{missing}");
    assert_eq!((stdout.len(), status), (0, Some(3)));
    let (_, none, status) = record(&db.url(), &[]);
    assert!(none.contains("say which tables") && status != Some(0), "{none}");
}

#[test]
fn captures_on_all_versions() {
    for major in MAJORS {
        let mut db = Database::create(major, &format!("ffviz_record_{major}"));
        db.client.batch_execute("DROP ROLE IF EXISTS ffviz_nobody").expect("a role of ours");
        db.client.batch_execute(TABLES).expect("tables");
        let changes = "SELECT pg_current_xact_id_if_assigned()::text, (SELECT count(*) FROM pg_class)::text";
        let objects: String = db.client.query_one(changes, &[]).expect("a row").get(1);
        let pages = takes_everything_along(&db);
        bounds_and_repeats(&db);
        says_what_is_wrong(&mut db);
        db.client.batch_execute("DROP SCHEMA ffviz CASCADE").expect("the wrapper");
        let after: String = db.client.query_one(changes, &[]).expect("a row").get(1);
        assert_eq!(objects, after, "it creates no objects");
        db.client.batch_execute("DROP OWNED BY ffviz_nobody; DROP ROLE ffviz_nobody").expect("a role of ours");
        println!("PostgreSQL {major}: {pages} pages captured");
    }
}
