//! Who may read pages: superusers through pageinspect, others through the wrapper a superuser has installed, and nobody
//! more than they may SELECT.

use super::{Live, compare, oid, refusal};
use ffviz_live::wrapper_sql;
use ffviz_story::app::{Effect, Msg};
use ffviz_story::timeline::Timeline;
use ffviz_tests::servers::{Database, MAJORS, connect, url};
use postgres::{Client, NoTls};

/// Makes roles anew; they belong to the server, so each test and version has its own.
fn roles(major: u32, names: &[&str]) {
    let mut admin = connect(major, "postgres");
    for name in names {
        admin.batch_execute(&format!("DROP ROLE IF EXISTS {name}; CREATE ROLE {name} LOGIN")).expect("a role");
    }
}

fn as_role(database: &Database, role: &str) -> String {
    url(database.major, &database.name).replace("postgres@", &format!("{role}@"))
}

#[test]
fn the_wrapper_serves_a_role_on_all_versions() {
    let mut pages = 0;
    for major in MAJORS {
        let (app, other) = (format!("attach_app_{major}"), format!("attach_other_{major}"));
        let mut database = Database::create(major, &format!("attach_rights_{major}"));
        database
            .client
            .batch_execute(&format!("DROP ROLE IF EXISTS {app}, {other}"))
            .expect("no role of an earlier run");
        roles(major, &[&app, &other]);
        let fill = format!(
            "CREATE TABLE mine (id int PRIMARY KEY, v text); INSERT INTO mine SELECT g, repeat(md5(g::text), 100) FROM generate_series(1, 300) g;
             INSERT INTO mine SELECT 0, string_agg(md5(g::text), '') FROM generate_series(1, 400) g;
             CREATE TABLE secret (id int PRIMARY KEY, v text); INSERT INTO secret VALUES (1, 'secret');
             CREATE TABLE rows (id int); INSERT INTO rows VALUES (1); ALTER TABLE rows ENABLE ROW LEVEL SECURITY;
             CREATE TABLE cols (id int, v text); INSERT INTO cols VALUES (1, 'x');
             CREATE SCHEMA closed; CREATE TABLE closed.t (id int); INSERT INTO closed.t VALUES (1);
             GRANT SELECT ON mine, rows, closed.t TO {app}; GRANT SELECT (id) ON cols TO {app}"
        );
        database.client.batch_execute(&fill).expect("tables");
        check_without_wrapper(&database, &app);
        database.client.batch_execute(&wrapper_sql(Some(&app))).expect("the wrapper can be installed");
        let live = Live::start(&as_role(&database, &app), &["mine"]).expect("attach");
        let state = live.captured();
        let mine = oid(&mut database.client, "mine");
        assert!(state.relations.len() == 4 && state.pages.len() > 8, "table, index, TOAST and its index");
        pages += compare(&state, &mut database.client);
        check_refused(&live, &mut database);
        check_other_role(&database, &other);
        drop(live);
        let _ = database.client.batch_execute(&format!("DROP OWNED BY {app}; DROP ROLE {app}, {other}"));
        assert!(state.relations.contains_key(&mine));
    }
    println!("compared {pages} pages read through the wrapper on {} versions", MAJORS.len());
}

/// Catalogs and statistics, and the sentence that says how to get more.
fn check_without_wrapper(database: &Database, app: &str) {
    let live = Live::start(&as_role(database, app), &["mine"]).expect("attach");
    let state = live.captured();
    assert!(state.pages.is_empty() && state.relations.len() == 4);
    assert!(state.relations.values().any(|relation| relation.stats.is_some() && relation.blocks.main > 0));
    // what nobody read is not counted as nothing; statistics may come later than this
    let told = format!("{:?}", Timeline::new(state, None).explain());
    assert!(!told.contains("0 tuples on"), "{told}");
    let sentence = live.failed();
    let advice = format!("ffviz attach --print-wrapper --grant-to {app} | psql -d {}", database.name);
    assert!(sentence.contains(&advice), "{sentence}");
    let list = Live::start(&as_role(database, app), &[]).expect("attach").tables();
    assert!(!list.is_empty() && list.iter().all(|t| t.refused.as_ref().is_some_and(|why| why.contains(&advice))));
}

/// Tables of which the role may not see every row and column.
fn check_refused(live: &Live, database: &mut Database) {
    live.ask(Effect::ListTables);
    let list = live.tables();
    let refused = |name: &str| list.iter().find(|t| t.name == name).map(|t| t.refused.is_some());
    assert_eq!(
        (refused("public.mine"), refused("public.secret"), refused("public.cols")),
        (Some(false), Some(true), Some(true))
    );
    for name in ["secret", "rows", "cols", "closed.t", "pg_catalog.pg_authid"] {
        let table = oid(&mut database.client, name);
        live.ask(Effect::Capture { table, pages: Vec::new() });
        let sentence = live.failed();
        assert!(sentence.contains("permission denied for relation"), "{name}: {sentence}");
    }
    // nor by the index or TOAST table of a forbidden one
    let toast = "SELECT reltoastrelid FROM pg_class WHERE relname = 'secret'";
    let toast: u32 = database.client.query_one(toast, &[]).expect("TOAST").get(0);
    let index = oid(&mut database.client, "secret_pkey");
    for relation in [toast, index] {
        live.ask(Effect::Capture { table: relation, pages: Vec::new() });
        match live.next() {
            Msg::Failed(sentence) => assert!(sentence.contains("permission denied"), "{sentence}"),
            Msg::Captured(state) | Msg::CapturedWithWal(state, _) => {
                assert!(state.pages.is_empty(), "an empty TOAST table")
            }
            other => panic!("{other:?}"),
        }
    }
}

/// The wrapper is not for everybody; the sentence says which GRANT.
fn check_other_role(database: &Database, other: &str) {
    let live = Live::start(&as_role(database, other), &["mine"]).expect("attach");
    assert!(live.captured().pages.is_empty());
    let sentence = live.failed();
    assert!(sentence.contains("GRANT USAGE ON SCHEMA ffviz TO"), "{sentence}");
    let mut client = Client::connect(&as_role(database, other), NoTls).expect("connection");
    let called = client.query("SELECT * FROM ffviz.get_raw_pages('mine'::regclass, 'main', '{0}')", &[]);
    assert!(called.is_err(), "PUBLIC may not call it");
}

#[test]
fn a_wrapper_that_no_superuser_made_is_not_used() {
    roles(18, &["attach_fake"]);
    let mut database = Database::create(18, "attach_fake");
    let fake = "CREATE TABLE t (id int); CREATE SCHEMA ffviz; GRANT ALL ON SCHEMA ffviz TO PUBLIC;
                CREATE FUNCTION ffviz.get_raw_pages(oid, text, bigint[]) RETURNS TABLE (block bigint, page bytea) LANGUAGE sql SECURITY DEFINER
                AS 'SELECT 0::bigint, ''fake''::bytea'; ALTER FUNCTION ffviz.get_raw_pages OWNER TO attach_fake; GRANT SELECT ON t TO attach_fake";
    database.client.batch_execute(fake).expect("a fake");
    let live = Live::start(&as_role(&database, "attach_fake"), &["t"]).expect("attach");
    assert!(live.captured().pages.is_empty());
    assert!(live.failed().contains("--print-wrapper"));
    database
        .client
        .batch_execute("DROP SCHEMA ffviz CASCADE; DROP OWNED BY attach_fake; DROP ROLE attach_fake")
        .expect("clean");
}

#[test]
fn a_missing_extension_is_said_and_one_in_another_schema_is_found() {
    let mut database = Database::create(18, "attach_extension");
    database
        .client
        .batch_execute("CREATE TABLE t (id int); INSERT INTO t VALUES (1); DROP EXTENSION pageinspect")
        .expect("a table");
    let live = Live::start(&database.url(), &["t"]).expect("attach");
    assert!(live.captured().pages.is_empty());
    let sentence = live.failed();
    assert!(
        sentence.contains("missing in database attach_extension; run there: CREATE EXTENSION pageinspect"),
        "{sentence}"
    );
    let move_it = r#"CREATE SCHEMA "In spect"; CREATE EXTENSION pageinspect SCHEMA "In spect""#;
    database.client.batch_execute(move_it).expect("the extension");
    assert_eq!(Live::start(&database.url(), &["t"]).expect("attach").captured().pages.len(), 1);
    let old = r#"DROP EXTENSION pageinspect; CREATE EXTENSION pageinspect VERSION '1.8'"#;
    database.client.batch_execute(old).expect("an old version of the extension");
    assert_eq!(
        Live::start(&database.url(), &["t"]).expect("attach").captured().pages.len(),
        1,
        "block numbers are int4 there"
    );
    let recorded = super::recording::record(&database.url(), &["t"], "missing.ffrec", |_| {});
    assert!(recorded.is_ok(), "{recorded:?}");
    assert!(refusal(&database.url(), &["nothing"]).contains("there is no table"));
}
