//! The choice of scans: the nodes that EXPLAIN names, and what it says they cost, for tables of several sizes and all
//! ways of scanning forbidden in turn.

use crate::expressions::{World, type_of};
use ffviz_format::datum::input::input;
use ffviz_simulator::sql::catalog::{ColumnStats, EnabledScans, Ends, IndexInfo, IndexKey, TableInfo};
use ffviz_simulator::sql::expr::{Analyzer, Node, RangeTable, Typed};
use ffviz_simulator::sql::parse::{parse, parse_expr};
use ffviz_simulator::sql::plan::{Given, Plan, plan};
use ffviz_tests::instance::NEWEST;
use ffviz_tests::servers::{Database, MAJORS};
use postgres::{Client, SimpleQueryMessage};
use std::sync::Arc;

const COLUMNS: &[(&str, &str)] =
    &[("a", "int"), ("b", "int"), ("c", "text"), ("d", "timestamp"), ("f", "boolean"), ("v", "varchar(30)")];

/// Name, UNIQUE, keys, INCLUDE, WHERE; primary keys are called so too.
type Index = (&'static str, bool, &'static [&'static str], &'static [&'static str], Option<&'static str>);

const INDEXES: &[Index] = &[
    ("t_a", true, &["a"], &["b"], None),
    ("t_b", false, &["b"], &[], None),
    ("t_cd", false, &["c", "d desc"], &[], None),
    ("t_part", false, &["d"], &[], Some("b > 100")),
    ("t_lower", false, &["lower(v)"], &[], None),
];

/// Rows, and what is done then.
const TABLES: &[(u32, &str)] = &[
    (0, ""),
    (60, ""),
    (3000, "vacuum t"),
    (40000, ""),
    (3000, "update t set b = null where a % 7 = 0; update t set c = 'often' where a % 3 = 0; analyze t"),
    (20000, "vacuum analyze t; insert into t select i, 2000 + i, 'z' from generate_series(100000, 100500) i"),
    (
        40000,
        "delete from t where a % 3 = 0; vacuum t; insert into t select i, i, 'x' from generate_series(100000, 103000) i",
    ),
];

const STATEMENTS: &[&str] = &[
    "select * from t",
    "select * from t where a = 5",
    "select b from t where a = 5",
    "select a from t where a between 5 and 9",
    "select a, b from t where a > 5",
    "select * from t where a > 5",
    "select * from t where a < 5 and a > 1 and c = 'x'",
    "select * from t where a = 5::bigint",
    "select * from t where a in (1, 2, 3)",
    "select * from t where b in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10) and d is not null",
    "select * from t where b = 5",
    "select * from t where b = 5 and a > 3",
    "select * from t where 5 < b",
    "select * from t where b + 1 = 5",
    "select * from t where b = 2 + 3",
    "select * from t where b = 5 or b = 7",
    "select * from t where a = 5 or b = 7",
    "select * from t where a = 5 or f",
    "select * from t where (a = 5 and f) or (b = 7 and c = 'x')",
    "select * from t where b = 7 and c = 'x'",
    "select * from t where b <> 7",
    "select * from t where b is null",
    "select * from t where b is not null",
    "select * from t where not b > 7",
    "select * from t where c = 'x'",
    "select c from t where c = 'x' and d > '2024-01-01'",
    "select * from t where d > '2024-01-01'",
    "select * from t where d = '2024-01-01' and b > 200",
    "select * from t where b > 200",
    "select d from t where b > 100 and d < '2024-01-01'",
    "select * from t where lower(v) = 'x'",
    "select * from t where v = 'x'",
    "select * from t where f",
    "select * from t where a = null",
    "select * from t where a = 1 and false",
    "select count(*) from t",
    "select count(*), sum(b) from t where b between 3 and 5",
    "select max(b) from t",
    "select min(a), max(a) from t where c = 'x'",
    "select max(c) from t",
    "select max(f::int) from t",
    "select * from t order by a",
    "select * from t order by a limit 10",
    "select * from t order by a desc limit 10",
    "select * from t order by b, a limit 10",
    "select a from t order by a",
    "select * from t where b = 5 order by a",
    "select * from t where b = 5 order by b limit 2",
    "select * from t where c = 'x' order by d desc",
    "select * from t where c = 'x' order by d limit 1",
    "select * from t where b > 5 limit 1",
    "select * from t limit 5 offset 100",
    "select * from t where a = 5 for update",
    "select a from t where a = 5 for share",
    "select * from t where b > 5 order by b limit 3 for update skip locked",
    "select ctid, xmin, * from t",
    "select * from t where ctid = '(0,1)'",
    "select a, xmax from t where a = 5 and xmax = 0",
    "select * from t where a = 5 and ctid <> '(0,1)'",
    "select * from t where ctid in ('(0,1)', '(0,2)', '(1,1)')",
    "select * from t where ctid = any (array['(0,1)', '(1,1)']::tid[]) and b > 5",
    "select * from t where ctid = '(0,1)' or ctid = '(0,2)' and b = 5",
    "select * from t where ctid = '(0,1)' or a = 5",
    "select * from t where ctid > '(1,0)'",
    "select * from t where ctid > '(1,0)' and ctid <= '(3,7)' and c = 'x'",
    "select * from t where '(0,50)' >= ctid",
    "select * from t where ctid >= '(5,0)' and ctid < '(5,0)'",
    "select * from t where ctid < '(1000,0)' and a = 5",
    "select * from t where ctid <> '(0,7)'",
    "select * from t where xmin = 5 or cmin = '0'",
    "select * from t where ctid is null",
    "select * from t where ctid is not null and tableoid = 5",
    "select * from t where ctid = '(0,1)' for update",
    "select * from t where ctid > '(0,5)' order by a limit 3",
    "delete from t where ctid = '(0,3)'",
    "delete from t where ctid < '(3,0)'",
    "update t set c = 'y' where a = 5",
    "update t set c = 'y' where b = 5",
    "update t set c = 'y' where b between 1 and 3",
    "update t set c = 'y'",
    "delete from t where a in (1, 2)",
    "delete from t where c = 'x' and d is null",
    "delete from t where a % 3 = 0",
];

/// The settings in turn.
const SETTINGS: &[(&str, EnabledScans)] = &[
    ("reset all", EnabledScans::ALL),
    ("set enable_seqscan = off", EnabledScans { seqscan: false, ..EnabledScans::ALL }),
    ("set enable_bitmapscan = off", EnabledScans { bitmapscan: false, ..EnabledScans::ALL }),
    ("set enable_indexscan = off", EnabledScans { indexscan: false, ..EnabledScans::ALL }),
    ("set enable_indexonlyscan = off", EnabledScans { indexonlyscan: false, ..EnabledScans::ALL }),
    (
        "set enable_seqscan = off; set enable_bitmapscan = off",
        EnabledScans { seqscan: false, bitmapscan: false, ..EnabledScans::ALL },
    ),
];

/// A relation's blocks, relpages, reltuples and relallvisible.
fn sizes(client: &mut Client, name: &str) -> (u32, u32, f64, u32) {
    let sql =
        "select pg_relation_size(oid) / 8192, relpages, reltuples, relallvisible from pg_class where relname = $1";
    let row = client.query_one(sql, &[&name]).expect("the relation is there");
    let (blocks, relpages, reltuples, allvisible): (i64, i32, f32, i32) =
        (row.get(0), row.get(1), row.get(2), row.get(3));
    (blocks as u32, relpages as u32, reltuples.into(), allvisible as u32)
}

fn index_info(client: &mut Client, world: &World, index: &Index) -> IndexInfo {
    let (name, unique, keys, include, predicate) = index;
    let slot = |name: &str| COLUMNS.iter().position(|(known, _)| *known == name).expect("a column") as u16;
    let key = |key: &&str| {
        let expr = key.trim_end_matches(" desc");
        IndexKey { expr: typed(world, expr), descending: expr != *key, nulls_first: expr != *key, pattern: false }
    };
    let (blocks, relpages, reltuples, _) = sizes(client, name);
    // the server's own reading of the metapage gives the root's level
    let level: i64 = client.query_one("select level::int8 from bt_metap($1)", &[name]).expect("a metapage").get(0);
    IndexInfo {
        oid: 0,
        name: (*name).to_owned(),
        unique: *unique,
        primary: name.ends_with("_pkey"),
        excludes: false,
        gist: None,
        brin: None,
        immediate: true,
        keys: keys.iter().map(key).collect(),
        include: include.iter().map(|name| slot(name)).collect(),
        predicate: predicate.iter().map(|sql| typed(world, sql)).collect(),
        blocks,
        relpages,
        reltuples,
        height: level as u32,
        ends: Ends::default(),
    }
}

/// Makes the table anew on the server, and tells the engine what the server knows of it.
fn make(db: &mut Database, rows: u32, then: &str) -> World {
    let columns: Vec<String> = COLUMNS.iter().map(|(name, ty)| format!("{name} {ty}")).collect();
    let mut sql =
        format!("drop table if exists t; create table t ({}) with (autovacuum_enabled = off);", columns.join(", "));
    for (name, unique, keys, include, predicate) in INDEXES {
        let unique = if *unique { "unique" } else { "" };
        let include = if include.is_empty() { String::new() } else { format!("include ({})", include.join(", ")) };
        let predicate = predicate.map(|sql| format!("where {sql}")).unwrap_or_default();
        sql += &format!("create {unique} index {name} on t ({}) {include} {predicate};", keys.join(", "));
    }
    sql += &format!(
        "insert into t select i, i % 1000, 'x' || i % 50, timestamp '2024-01-01' + i * interval '1 hour', i % 3 = 0, left(md5(i::text), 20)
         from generate_series(1, {rows}) i;"
    );
    db.client.batch_execute(&sql).expect("the table is made");
    then.split(';').filter(|sql| !sql.trim().is_empty()).for_each(|sql| db.client.batch_execute(sql).expect(sql));
    let types: Vec<_> = COLUMNS.iter().map(|(name, ty)| (*name, type_of(ty))).collect();
    let mut world = World::new(db.major, "t", &types);
    let (blocks, relpages, reltuples, relallvisible) = sizes(&mut db.client, "t");
    let indexes = INDEXES
        .iter()
        .enumerate()
        .map(|(number, index)| IndexInfo { oid: number as u32, ..index_info(&mut db.client, &world, index) });
    let indexes = indexes.collect();
    let stats = statistics(&mut db.client, &world);
    world.table = TableInfo { blocks, relpages, reltuples, relallvisible, indexes, stats, ..world.table };
    assert_eq!(then.contains("analyze"), !world.table.stats.is_empty(), "{then}");
    if !world.table.stats.is_empty() {
        find_ends(&mut db.client, &mut world);
    }
    world
}

/// What the server's ANALYZE found, of columns and of the index on an expression.
fn statistics(client: &mut Client, world: &World) -> Vec<(Node, Arc<ColumnStats>)> {
    let sql = "select attname::text, null_frac, n_distinct, most_common_vals::text::text[], most_common_freqs,
                      histogram_bounds::text::text[], coalesce(correlation, 0)
               from pg_stats where tablename in ('t', 't_lower')";
    let rows = client.query(sql, &[]).expect(sql);
    let stats = |row: &postgres::Row| {
        let name: String = row.get(0);
        let slot = COLUMNS.iter().position(|(known, _)| *known == name);
        let ty = type_of(slot.map_or("text", |slot| COLUMNS[slot].1));
        let node = match slot {
            Some(slot) => Node::Slot(slot as u16),
            None => typed(world, "lower(v)").node,
        };
        let value = |text: &String| input(text, ty, &world.input).expect("a value");
        let texts = |column: usize| row.get::<_, Option<Vec<String>>>(column).unwrap_or_default();
        let freqs: Vec<f32> = row.get::<_, Option<Vec<f32>>>(4).unwrap_or_default();
        let stats = ColumnStats {
            null_frac: row.get::<_, f32>(1).into(),
            distinct: row.get::<_, f32>(2).into(),
            most_common: texts(3).iter().map(value).zip(freqs.into_iter().map(f64::from)).collect(),
            histogram: texts(5).iter().map(value).collect(),
            correlation: row.get::<_, f32>(6).into(),
            ..ColumnStats::default()
        };
        (node, Arc::new(stats))
    };
    rows.iter().map(stats).collect()
}

/// The least and the greatest value of each index' first key.
fn find_ends(client: &mut Client, world: &mut World) {
    let context = world.input;
    for (index, (_, _, keys, ..)) in world.table.indexes.iter_mut().zip(INDEXES) {
        let key = keys[0];
        let sql = format!("select min({key})::text, max({key})::text from t");
        let row = client.query_one(&sql, &[]).expect("values");
        let ty = index.keys[0].expr.ty;
        let value = |column: usize| {
            row.get::<_, Option<String>>(column).map(|text| input(&text, ty, &context).expect("a value"))
        };
        index.ends = Ends { least: value(0), greatest: value(1) };
    }
}

/// An expression over the table's columns.
fn typed(world: &World, sql: &str) -> Typed {
    let mut range = RangeTable::default();
    let attributes: Vec<_> = world.table.columns.iter().map(|column| column.attribute.clone()).collect();
    range.add_table("t", &attributes);
    Analyzer::new(&range, world.input, "index").decided(&parse_expr(sql).expect(sql)).expect(sql)
}

const NODES: &[&str] = &[
    "Seq Scan",
    "Index Scan",
    "Index Only Scan",
    "Bitmap Heap Scan",
    "Bitmap Index Scan",
    "BitmapAnd",
    "BitmapOr",
    "Sort  ",
    "Incremental Sort",
    "Update on",
    "Delete on",
    "Tid",
];

/// The nodes of the server's plan, and cost and rows of the uppermost scan.
fn explained(client: &mut Client, sql: &str) -> (Vec<String>, String) {
    let messages = client.simple_query(&format!("explain {sql}")).expect(sql);
    let text = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    };
    let lines: Vec<String> = messages.iter().filter_map(text).collect();
    let (mut nodes, mut cost) = (Vec::new(), String::new());
    for line in &lines {
        let line = line.trim_start().trim_start_matches("->").trim_start();
        let empty = line.starts_with("Result") && lines.iter().any(|line| line.contains("One-Time Filter: false"));
        if !empty && !NODES.iter().any(|node| line.starts_with(node)) {
            continue;
        }
        let (node, numbers) = line.split_once("  (").expect("costs");
        // the second scan of a table has an alias
        let node = node.rsplit_once(" t t_").map_or(node.to_owned(), |(node, _)| format!("{node} t"));
        if cost.is_empty() && node.contains("Scan") {
            cost = numbers.split(" width").next().expect("a width").to_owned();
        }
        nodes.push(node);
    }
    (nodes, cost)
}

/// Does the cost of the server's scan include what is done above it, such as computing outputs?
fn computes_outputs(sql: &str) -> bool {
    !sql.starts_with("select *") && !sql.starts_with("delete")
}

#[test]
fn scans_are_those_that_each_server_chooses() {
    for major in MAJORS {
        let mut db = Database::create(major, "sqlfront_plans");
        let (mut equal, mut costs, mut different) = (0, 0, Vec::new());
        for (rows, then) in TABLES {
            let mut world = make(&mut db, *rows, then);
            for (set, scans) in SETTINGS {
                db.client.batch_execute("reset all; set max_parallel_workers_per_gather = 0").expect("settings");
                set.split(';').for_each(|set| db.client.batch_execute(set).expect(set));
                db.client.batch_execute("set max_parallel_workers_per_gather = 0").expect("a setting");
                world.scans = *scans;
                // each version another half; the oldest and the newest all of them
                let is_whole = [MAJORS[0], NEWEST].contains(&major);
                let wanted = |(n, _): &(usize, &&str)| is_whole || (n + major as usize).is_multiple_of(2);
                for (_, sql) in STATEMENTS.iter().enumerate().filter(wanted) {
                    let ours = plan(&parse(sql).expect(sql), &mut world, &mut Given::default());
                    let ours = ours.expect(sql).expect("a plan");
                    let (nodes, cost) = explained(&mut db.client, sql);
                    let our_cost = ours.scan().map_or_else(String::new, |scan| {
                        format!("cost={:.2}..{:.2} rows={}", scan.cost.startup, scan.cost.total, scan.rows)
                    });
                    let same_cost = computes_outputs(sql)
                        || matches!(&ours, Plan::Select(select) if !select.extremes.is_empty())
                        || our_cost == cost;
                    if ours.explain() != nodes || !same_cost && !cost.is_empty() {
                        different.push(format!(
                            "{rows} rows, {then:.12}, {set}: {sql}\n  ours   {:?} {our_cost}\n  server {nodes:?} {cost}",
                            ours.explain()
                        ));
                    } else {
                        equal += 1;
                        costs += usize::from(!cost.is_empty() && our_cost == cost);
                    }
                }
            }
        }
        println!("PostgreSQL {major}: {equal} statements have the server's plan, {costs} of them its cost to the cent");
        assert!(
            different.is_empty(),
            "PostgreSQL {major}, {} of {} differ:\n{}",
            different.len(),
            different.len() + equal,
            different[..different.len().min(30)].join("\n")
        );
    }
}
