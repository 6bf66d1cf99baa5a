//! What `ffviz advise` reads: shapes, counters, who holds back pruning; and what it says where it may not, or there is
//! nothing to advise.

use ffviz_live::statistics::{self, TableStatistics};
use ffviz_simulator::advice::{Kind, Origin, Pattern, Updates, obstacles};
use ffviz_tests::instance::{Instance, NEWEST};
use ffviz_tests::servers::{Database, connect, url};

const TABLES: &str = "
    CREATE TABLE orders (id bigint PRIMARY KEY, customer int, tag char(3), placed timestamptz, who uuid, note text, nothing int) WITH (fillfactor = 90);
    CREATE INDEX ON orders (customer) INCLUDE (tag);
    CREATE INDEX ON orders (lower(note)) WHERE placed IS NOT NULL;
    CREATE INDEX ON orders USING brin (placed);
    ALTER TABLE orders DROP COLUMN tag;
    CREATE INDEX orders_customer_idx2 ON orders (customer) INCLUDE (who);
    INSERT INTO orders SELECT g, g % 50, now(), md5(g::text)::uuid, repeat('x', 9), NULL FROM generate_series(1, 1000) g;
    VACUUM ANALYZE orders;
    CREATE TABLE \"Fresh one\" (id int, v text) WITH (autovacuum_enabled = off);
    CREATE VIEW seen AS SELECT * FROM orders;
    CREATE MATERIALIZED VIEW kept AS SELECT * FROM orders;
    CREATE TABLE parted (id int) PARTITION BY RANGE (id); CREATE TABLE part1 PARTITION OF parted FOR VALUES FROM (0) TO (9);
    CREATE SEQUENCE numbers";

fn read(url: &str, table: &str) -> Result<TableStatistics, String> {
    let runtime = ffviz_live::runtime().expect("a runtime");
    runtime.block_on(statistics::read(url, table)).map_err(|failure| failure.sentence)
}

fn tells(read: &TableStatistics, origin: Origin, words: &str) {
    let found = read.facts.iter().any(|fact| fact.origin == origin && fact.text.contains(words));
    assert!(found, "no {words:?} in {:?}", read.facts);
}

fn database(major: u32, test: &str) -> Database {
    let mut database = Database::create(major, &format!("statistics_{test}_{major}"));
    for statement in TABLES.split(';') {
        database.client.batch_execute(statement).expect(statement);
    }
    database
}

#[test]
fn shapes_are_read() {
    for major in [13, 18] {
        let database = database(major, "shapes");
        let orders = read(&database.url(), "orders").expect("statistics");
        let shape = &orders.shape;
        let columns: Vec<(&str, Kind, f64, Option<f64>)> = shape
            .columns
            .iter()
            .map(|column| (column.name.as_str(), column.kind, column.nulls, column.distinct))
            .collect();
        assert_eq!(
            columns,
            [
                ("id", Kind::Int8, 0.0, None),
                ("customer", Kind::Int4, 0.0, Some(50.0)),
                ("placed", Kind::Int8, 0.0, Some(1.0)),
                ("who", Kind::Uuid, 0.0, None),
                ("note", Kind::Text(10), 0.0, Some(1.0)),
                ("nothing", Kind::Int4, 1.0, None),
            ]
        );
        assert_eq!((shape.name.as_str(), shape.fillfactor, shape.rows), ("public.orders", 90, 1000.0));
        let index = |name: &str| shape.indexes.iter().find(|index| index.name == name).expect(name);
        // an index goes with a column that it has
        assert!(shape.indexes.iter().all(|index| index.name != "orders_customer_tag_idx"));
        let lower = index("orders_lower_idx");
        assert!(lower.is_special && lower.keys.is_empty() && lower.others == [2, 4], "{lower:?}");
        let covering = index("orders_customer_idx2");
        assert_eq!((&covering.keys[..], &covering.others[..], covering.is_unique), (&[1][..], &[3][..], false));
        assert_eq!(index("orders_placed_idx").is_summarizing, major >= 16);
        assert!(shape.indexes[0].is_unique && shape.indexes[0].name == "orders_pkey");
        tells(&orders, Origin::Measured, "1,000 rows in ");
        if major < 16 {
            tells(&orders, Origin::NotRead, "servers count that from 16 on");
        }
        let fresh = read(&database.url(), "\"Fresh one\"").expect("statistics");
        assert_eq!(fresh.shape.name, "public.\"Fresh one\"");
        tells(&fresh, Origin::NotRead, "how many rows there are");
        tells(&fresh, Origin::NotRead, "widths of v: there are no statistics of them");
        tells(&fresh, Origin::Measured, "autovacuum_enabled = off");
    }
}

#[test]
fn what_there_is_no_advice_for_is_said() {
    let database = database(18, "refused");
    for (table, expected) in [
        ("absent", "there is no table absent"),
        ("seen", "public.seen is a view and has no pages; look at the tables it reads"),
        ("kept", "public.kept is a materialized view, which no UPDATE changes"),
        (
            "parted",
            "public.parted is a partitioned table and has no pages of its own; its partitions have: -t 'public.part1'",
        ),
        ("numbers", "public.numbers is no table"),
        ("*", "* names "),
        ("pg_class", "pg_catalog.pg_class is a system catalog"),
    ] {
        let told = read(&database.url(), table).expect_err(table);
        assert!(told.contains(expected), "{table}: {told}");
    }
    assert!(read(&database.url(), "part1").is_ok());
}

/// What a role may not see is said; catalogs and counters are for everybody.
#[test]
fn a_role_without_rights() {
    for major in [13, 18] {
        let role = format!("statistics_role_{major}");
        let mut admin = connect(major, "postgres");
        admin.batch_execute(&format!("DROP ROLE IF EXISTS {role}; CREATE ROLE {role} LOGIN")).expect("a role");
        let database = database(major, "rights");
        let as_role = url(major, &database.name).replace("postgres@", &format!("{role}@"));
        let orders = read(&as_role, "orders").expect("statistics");
        tells(&orders, Origin::NotRead, &format!("widths of note: role {role} may not SELECT from public.orders"));
        tells(&orders, Origin::NotRead, &format!("GRANT pg_read_all_stats TO {role}"));
        tells(&orders, Origin::Assumed, "what the pages hold, by the rows");
        assert_eq!(orders.shape.indexes.len(), 4);
        drop(database);
        admin.batch_execute(&format!("DROP ROLE {role}")).expect("the role goes");
    }
}

/// A snapshot that is held, and counters that tell how many updates change an indexed column.
#[test]
fn what_keeps_updates_from_being_hot() {
    let mut database = database(18, "hot");
    let mut holder = connect(18, &database.name);
    holder.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1").expect("a snapshot");
    let update = "DO $$ BEGIN FOR i IN 1..1500 LOOP
        IF i % 4 = 0 THEN UPDATE orders SET customer = customer + 1 WHERE id = i % 900 + 1;
        ELSE UPDATE orders SET nothing = i WHERE id = i % 900 + 1; END IF; COMMIT; END LOOP; END $$";
    database.client.batch_execute(update).expect("updates");
    database.client.execute("SELECT pg_stat_force_next_flush()", &[]).expect("counters");
    let orders = read(&database.url(), "orders").expect("statistics");
    let counters = orders.observed.counters.expect("counters");
    assert_eq!(counters.updated, 1500);
    let share = counters.indexed_share().expect("a share");
    assert!((share - 0.25).abs() < 0.1, "{share}: {counters:?}");
    let Updates::Indexed(_, Origin::Measured) = orders.observed.updates() else { panic!("{:?}", orders.observed) };
    let pattern = Pattern::new(&orders.shape, &orders.observed.updates()).expect("a pattern");
    let told = obstacles(&orders.shape, &pattern, &orders.observed).join("\n");
    assert!(told.contains("(idle in transaction for ") && told.contains("transactions have begun after"), "{told}");
    assert!(told.contains("1,500 updates, ") && told.contains("orders_customer_idx2 (customer, who)"), "{told}");
}

/// By pg_stat_statements it is known which columns change.
#[test]
fn statements_name_the_columns() {
    for major in [13, NEWEST] {
        let instance = Instance::create(major, "shared_preload_libraries = pg_stat_statements");
        let mut client = instance.client();
        let sql = "CREATE SCHEMA tools; CREATE EXTENSION pg_stat_statements SCHEMA tools; CREATE ROLE looker LOGIN;
            CREATE TABLE t (id int PRIMARY KEY, a int, \"B\" int); CREATE INDEX on_b ON t (\"B\");
            INSERT INTO t SELECT g, 0, 0 FROM generate_series(1, 100) g";
        client.batch_execute(sql).expect("tables");
        client.execute("ANALYZE t", &[]).expect("ANALYZE");
        client.execute("UPDATE t SET a = a + 1", &[]).expect("100 rows");
        client.execute("UPDATE public.t SET \"B\" = 5, a = 7 WHERE id <= 25", &[]).expect("25 rows");
        let read_it = read(&instance.url("postgres"), "t").expect("statistics");
        let statements: Vec<(Vec<&str>, u64)> = read_it
            .observed
            .statements
            .iter()
            .map(|statement| (statement.columns.iter().map(String::as_str).collect(), statement.rows))
            .collect();
        assert_eq!(statements, [(vec!["B", "a"], 25), (vec!["a"], 100)], "{:?}", read_it.facts);
        let pattern = Pattern::new(&read_it.shape, &read_it.observed.updates()).expect("a pattern");
        let told = obstacles(&read_it.shape, &pattern, &read_it.observed).join("\n");
        assert!(
            told.contains("column B, which 20 % of the updates set, is in index on_b, which nobody has scanned:"),
            "{told}"
        );
        // whoever may not read the view's schema is told so
        let other = instance.url("postgres").replace("postgres@", "looker@");
        let looker = read(&other, "t").expect("statistics");
        tells(&looker, Origin::NotRead, "no extension pg_stat_statements in this database that the role may use");
    }
}
