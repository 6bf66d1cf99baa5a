//! What is read: the same bytes as the server's own functions give, no more pages than asked for, names as in psql.

use super::{Live, compare, main_pages, oid, read_args, refusal};
use ffviz_format::page::ForkNumber;
use ffviz_format::state::{AccessMethod, PageId, RelKind};
use ffviz_story::app::Effect;
use ffviz_tests::servers::{Database, MAJORS};

const TABLES: &str = r#"
    CREATE SCHEMA "Odd.Schema";
    CREATE TABLE "Odd.Schema"."Say ""hi""" (id int PRIMARY KEY, "Name" text, gone int, big text) WITH (fillfactor = 70);
    CREATE INDEX "by name" ON "Odd.Schema"."Say ""hi""" (lower("Name")) INCLUDE (id) WHERE gone > 0;
    CREATE INDEX brin ON "Odd.Schema"."Say ""hi""" USING brin (id);
    INSERT INTO "Odd.Schema"."Say ""hi""" SELECT g, 'name ' || g, g, NULL FROM generate_series(1, 3000) g;
    INSERT INTO "Odd.Schema"."Say ""hi""" SELECT 0, 'big', 1, string_agg(md5(g::text), '') FROM generate_series(1, 400) g;
    ALTER TABLE "Odd.Schema"."Say ""hi""" ADD added int DEFAULT 7;
    ALTER TABLE "Odd.Schema"."Say ""hi""" DROP COLUMN added, ADD added2 text DEFAULT 'x';
    UPDATE "Odd.Schema"."Say ""hi""" SET "Name" = 'new' WHERE id % 10 = 0;
    CREATE TABLE parts (id int, v text) PARTITION BY RANGE (id);
    CREATE TABLE parts_a PARTITION OF parts FOR VALUES FROM (0) TO (10);
    CREATE TABLE parts_b PARTITION OF parts FOR VALUES FROM (10) TO (20);
    INSERT INTO parts SELECT g, repeat('v', 500) FROM generate_series(1, 19) g;
    CREATE MATERIALIZED VIEW mv AS SELECT g FROM generate_series(1, 500) g;
    CREATE UNLOGGED TABLE un (id int PRIMARY KEY);
    CREATE SEQUENCE seq;
    CREATE VIEW view AS SELECT 1;
    CREATE TABLE empty (id int PRIMARY KEY)"#;

#[test]
fn pages_and_facts_are_those_of_the_server() {
    let (mut pages, mut relations) = (0, 0);
    for major in MAJORS {
        let mut database = Database::create(major, &format!("attach_reading_{major}"));
        database.client.batch_execute(TABLES).expect("tables");
        database.client.batch_execute(r#"VACUUM "Odd.Schema"."Say ""hi""""#).expect("vacuum");
        let names = [r#""Odd.Schema"."Say ""hi""""#, "parts_*", "mv", "un", "seq", "empty"];
        await_statistics(&mut database.client);
        let live = Live::start(&database.url(), &names).expect("attach");
        let state = live.captured();
        assert_eq!(state.server.version.major(), major);
        assert!(state.lsn.is_some() && state.at.is_some());
        pages += compare(&state, &mut database.client);
        for relation in state.relations.values() {
            let facts = "SELECT pg_relation_filenode($1::oid), pg_relation_size($1::oid, 'main') / 8192, pg_relation_size($1::oid, 'fsm') / 8192,
                                pg_relation_size($1::oid, 'vm') / 8192, pg_relation_size($1::oid, 'init') / 8192";
            let row = database.client.query_one(facts, &[&relation.oid]).expect("facts");
            assert_eq!(row.get::<_, u32>(0), relation.filenode, "{}", relation.name);
            let blocks = relation.blocks;
            for (at, blocks) in [(1, blocks.main), (2, blocks.fsm), (3, blocks.vm), (4, blocks.init)] {
                assert_eq!(row.get::<_, i64>(at), i64::from(blocks), "{} fork {at}", relation.name);
            }
            let known = state.pages.keys().filter(|id| id.relation == relation.oid).count();
            assert_eq!(known, (blocks.main + blocks.fsm + blocks.vm + blocks.init) as usize, "{}", relation.name);
            relations += 1;
        }
        let table = oid(&mut database.client, names[0]);
        check_facts(&state, table);
    }
    println!("compared {pages} pages of {relations} relations on {} versions", MAJORS.len());
    assert!(pages > 500 && relations > 100);
}

/// The server counts tuples a little later than it changes them.
fn await_statistics(client: &mut postgres::Client) {
    let asked = r#"SELECT n_tup_upd FROM pg_stat_user_tables WHERE relname = 'Say "hi"'"#;
    let arrived = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        client.query_one(asked, &[]).expect("statistics").get::<_, i64>(0) == 301
    });
    assert!(arrived, "the statistics come within ten seconds");
}

fn check_facts(state: &ffviz_format::state::State, table: u32) {
    let relation = &state.relations[&table];
    assert_eq!((relation.schema.as_str(), relation.name.as_str()), ("Odd.Schema", "Say \"hi\""));
    assert_eq!((relation.kind, &relation.am, relation.fillfactor), (RelKind::Table, &AccessMethod::Heap, Some(70)));
    let names: Vec<_> =
        relation.attributes.iter().map(|a| (a.name.as_str(), a.dropped, a.missing.as_deref())).collect();
    assert_eq!(names[1], ("Name", false, None));
    assert_eq!(names[4], ("........pg.dropped.5........", true, None));
    assert_eq!(names[5], ("added2", false, Some("x")));
    let index = |name: &str| {
        let found = state.indexes(table).find(|index| index.name == name).expect("the index");
        (found.am.clone(), found.index.clone().expect("index facts"))
    };
    let (am, key) = index("Say \"hi\"_pkey");
    assert_eq!((am, key.unique, key.primary, key.n_keys), (AccessMethod::Btree, true, true, 1));
    assert_eq!((key.columns, key.depends), (vec![1], vec![1]));
    let (_, partial) = index("by name");
    assert_eq!((partial.columns, partial.n_keys), (vec![0, 1], 1), "an expression and an INCLUDE column");
    assert_eq!(partial.depends, [1, 2, 3], "INCLUDE, expression, predicate");
    let (am, brin) = index("brin");
    assert_eq!((am, brin.summarizing), (AccessMethod::Other("brin".to_owned()), true));
    let toast = state.relations.values().find(|r| r.kind == RelKind::Toast && r.table == Some(table)).expect("TOAST");
    assert!(toast.blocks.main > 0 && state.indexes(toast.oid).count() == 1);
    let stats = relation.stats.expect("statistics");
    assert!(stats.n_tup_upd == 301 && stats.n_tup_hot_upd <= 301, "{stats:?}");
}

#[test]
fn the_list_has_what_can_be_looked_at() {
    for major in [13, 18] {
        let mut database = Database::create(major, &format!("attach_list_{major}"));
        database.client.batch_execute(TABLES).expect("tables");
        database.client.batch_execute("CREATE TEMP TABLE mine (id int)").expect("a temporary table");
        await_statistics(&mut database.client);
        let live = Live::start(&database.url(), &[]).expect("attach");
        let tables = live.tables();
        let of = |name: &str| tables.iter().find(|t| t.name == name).unwrap_or_else(|| panic!("{name} in {tables:#?}"));
        let place = |name: &str| tables.iter().position(|t| t.name == name);
        assert_eq!(tables[0].name, r#""Odd.Schema"."Say ""hi""""#, "the largest first");
        assert_eq!((tables[0].fillfactor, tables[0].dead, tables[0].kind.as_str()), (70, 301, "table"));
        assert!(tables[0].hot_percent.is_some() && tables[0].refused.is_none());
        assert_eq!(of("public.parts").kind, "partitioned table");
        assert!(of("public.parts").refused.is_some());
        assert_eq!(of("public.parts_a").kind, "partition of public.parts");
        assert!(place("public.parts") < place("public.parts_a"));
        assert_eq!(
            place("public.parts").map(|n| n + 2).max(place("public.parts_a")),
            place("public.parts").map(|n| n + 2)
        );
        assert_eq!(of("public.mv").kind, "materialized view");
        assert_eq!(of("public.seq").kind, "sequence");
        assert!(tables.iter().any(|t| t.kind.starts_with("TOAST table of \"Odd.Schema\"")));
        assert!(
            !tables.iter().any(|t| t.name.contains("mine") || t.name.contains("view") || t.name.contains("pg_class"))
        );
        let system = Live::with(ffviz_live::args::ReadArgs { system: true, ..read_args(&database.url(), &[]) });
        assert!(system.expect("attach").tables().iter().any(|t| t.name == "pg_catalog.pg_class"));
    }
}

#[test]
fn what_has_no_pages_is_said() {
    let mut database = Database::create(18, "attach_names");
    database.client.batch_execute(TABLES).expect("tables");
    let url = database.url();
    for (name, told) in [
        ("view", "public.view is a view and has no pages"),
        ("parts", "its partitions have: -t 'public.parts_a' -t 'public.parts_b'"),
        ("nothing", "there is no table nothing"),
        ("pg_class", "pg_class is in the system catalogs; --system takes their tables too"),
        ("Say", "\"Name\" if it has capital letters"),
        ("other.public.mv", "in another database than attach_names"),
        ("\"mv", "a quote without its end"),
        ("", "is not a table's name"),
        ("x'); DROP TABLE mv; --", "there is no table"),
    ] {
        let sentence = refusal(&url, &[name]);
        assert!(sentence.contains(told), "{name}: {sentence}");
    }
    // an index stands for its table; names are folded; patterns find several
    for (name, tables) in
        [("MV", 1), ("un_pkey", 1), ("parts_?", 2), ("\"Odd.Schema\".*", 1), ("attach_names.public.mv", 1)]
    {
        let state = Live::start(&url, &[name]).unwrap_or_else(|e| panic!("{name}: {e}")).captured();
        assert_eq!(state.relations.values().filter(|r| r.table.is_none()).count(), tables, "{name}");
    }
}

#[test]
fn no_more_pages_than_asked_for() {
    let mut database = Database::create(18, "attach_caps");
    let fill = "CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t SELECT g, repeat(md5(g::text), 15) FROM generate_series(1, 30000) g;
                CREATE INDEX t_v ON t (v, id)";
    database.client.batch_execute(fill).expect("tables");
    database.client.batch_execute("VACUUM t").expect("vacuum");
    let t = oid(&mut database.client, "t");
    let args = ffviz_live::args::ReadArgs { pages: 40, ..read_args(&database.url(), &["t"]) };
    let live = Live::with(args).expect("attach");
    let state = live.captured();
    let blocks = state.relations[&t].blocks;
    assert!(blocks.main >= 2000 && blocks.fsm > 0 && blocks.vm == 1, "{blocks:?}");
    assert_eq!(main_pages(&state, t).len(), 40);
    assert_eq!(state.fork(t, ForkNumber::Vm).count(), 1, "the map of all pages");
    assert_eq!(state.fork(t, ForkNumber::Fsm).count(), blocks.fsm as usize);
    for index in state.indexes(t) {
        let pages = main_pages(&state, index.oid);
        assert_eq!(pages.len(), 10, "{}", index.name);
    }
    let of_text = state.indexes(t).find(|index| index.name == "t_v").expect("the index");
    let last = main_pages(&state, of_text.oid).last().map_or(0, |id| id.block);
    assert!(last > 10, "the root of a large tree is far from its start, not at {last}");
    let far = PageId { relation: t, fork: ForkNumber::Main, block: blocks.main - 1 };
    let beyond = PageId { block: blocks.main + 5, ..far };
    live.ask(Effect::ReadPages { table: t, pages: vec![far, beyond] });
    let ffviz_story::app::Msg::PagesRead(more) = live.next() else { panic!("pages") };
    assert_eq!(more.pages.keys().collect::<Vec<_>>(), [&far], "what is beyond the end is left out");
    let again = live.capture(t);
    assert_eq!(main_pages(&again, t).len(), 41, "what was looked at is read again");
    println!("compared {} pages", compare(&again, &mut database.client));
}
