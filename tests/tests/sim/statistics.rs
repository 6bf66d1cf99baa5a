//! ANALYZE: the same script on a server and in the simulator, then pg_stats column by column, sizes in pg_class, and
//! the scans that are chosen.

use ffviz_format::page::PgVersion;
use ffviz_format::state::RelKind;
use ffviz_simulator::sql::run::{RunOptions, Simulator};
use ffviz_simulator::sql::script::Script;
use ffviz_tests::servers::{Database, MAJORS};
use postgres::{Client, SimpleQueryMessage};
use std::fmt::Write;

const SETUP: &str = "
create table t (a int primary key, b int, c text, d timestamp, f boolean, v varchar(30), n numeric, x text, k char(5), j jsonb, e int) with (autovacuum_enabled = off);
create index t_b on t (b);
create index t_cd on t (c, d desc);
create index t_part on t (d) where b > 100;
create index t_lower on t (lower(v));
create index t_e on t (e);
insert into t select i, i % 1000, 'x' || i % 50, timestamp '2024-01-01' + i * interval '1 hour', i % 3 = 0, left(md5(i::text), 20),
    i % 7 * 1.50, repeat(md5(i::text), i % 40), 'k' || i % 12, '{\"i\": 1}', null from generate_series(1, 3000) i;
update t set b = null where a % 7 = 0;
update t set c = 'often' where a % 3 = 0;
update t set b = b + 500 where a > 2500 and a % 2 = 0;
delete from t where a between 1500 and 1600";

/// What is done before each look.
const STEPS: &[&str] = &[
    "analyze t",
    "vacuum t",
    "vacuum analyze t",
    "insert into t select i, 2000 + i, 'z', null, true, 'Vv', 1, 'x', 'y', '[]', i from generate_series(100000, 100500) i; analyze t",
    "delete from t where a % 5 = 0; vacuum t; reindex table t",
    "insert into t select i, 2000 + i, 'z' || i, null, true, 'Vv', 1, 'x', 'y', '[]', i from generate_series(200000, 203500) i",
    "analyze t; truncate t; insert into t select i, i, null from generate_series(1, 400) i",
    "begin; insert into t select 1000 + i, i, null from generate_series(1, 400) i; analyze t; rollback",
    "analyze t; delete from t; analyze t",
];

const QUERIES: &[&str] = &[
    "select * from t where a = 5",
    "select * from t where b = 5",
    "select * from t where b = 5 and a > 3",
    "select * from t where b between 10 and 30",
    "select * from t where b < 400",
    "select * from t where b > 400",
    "select * from t where b > 1400",
    "select * from t where b is null",
    "select * from t where a > 2990",
    "select * from t where a < 40 and f",
    "select * from t where a in (1, 2, 3)",
    "select * from t where b in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10) and d is not null",
    "select * from t where c = 'x7'",
    "select * from t where c = 'often'",
    "select * from t where c = 'z'",
    "select * from t where c = 'x7' and d > '2024-03-01'",
    "select d from t where b > 100 and d < '2024-01-03'",
    "select * from t where lower(v) = 'vv'",
    "select * from t where lower(v) < '2'",
    "select * from t where e = 5",
    "select * from t where e > 100",
    "select * from t where d > '2024-04-01' and b > 200",
    "select a from t order by a limit 10",
    "select * from t order by b limit 10",
    "select max(b) from t",
    "select min(e) from t",
];

#[test]
fn what_analyze_finds_is_what_each_server_finds() {
    for major in MAJORS {
        let mut db = Database::create(major, "sim_statistics");
        let number: String = db.client.query_one("show server_version_num", &[]).expect("a version").get(0);
        let version = PgVersion(number.parse().expect("a number"));
        db.client.batch_execute("set max_parallel_workers_per_gather = 0").expect("a setting");
        let mut simulator = Simulator::new(&RunOptions::new(version), false, false).expect("a simulator");
        both(&mut db.client, &mut simulator, SETUP);
        let (mut lines, mut plans) = (0, 0);
        for step in STEPS {
            both(&mut db.client, &mut simulator, step);
            let (expected, found) = (of_server(&mut db.client), of_simulator(&simulator));
            assert_eq!(found, expected, "{major} after {step}");
            lines += expected.len();
            for query in QUERIES {
                let expected = explained(&mut db.client, query);
                // it runs on both sides: a scan sets hint bits, prunes, and marks dead entries
                assert_eq!(both(&mut db.client, &mut simulator, query), expected, "{major} after {step}: {query}");
                plans += 1;
            }
        }
        println!("PostgreSQL {major}: {lines} rows of pg_stats and pg_class equal, {plans} plans equal");
        assert!(lines > 50 && plans > 100);
    }
}

/// Runs statements in both; gives the plan of the last.
fn both(client: &mut Client, simulator: &mut Simulator, sql: &str) -> Vec<String> {
    let mut plan = Vec::new();
    let script = Script::parse(&format!("{sql};")).expect(sql);
    for item in &script.items {
        let done = simulator.item(item);
        assert!(!done.simulated.outcome.starts_with("ERROR"), "{sql}: {}", done.simulated.outcome);
        plan = done.simulated.plan;
    }
    for statement in script.statements() {
        client.batch_execute(&statement.sql).expect(&statement.sql);
    }
    plan
}

fn of_server(client: &mut Client) -> Vec<String> {
    let sql = "select tablename || '.' || attname || format(': null %s width %s distinct %s correlation %s common %s %s histogram %s',
                      null_frac, avg_width, n_distinct, coalesce(correlation, 0), most_common_vals::text::text[], most_common_freqs, histogram_bounds::text::text[])
               from pg_stats where schemaname = 'public'
               union all select relname || ': ' || relpages || ' pages, ' || reltuples || ' tuples, ' || relallvisible || ' visible' from pg_class
               where relname like 't' or relname like 't\\_%'";
    let mut lines: Vec<String> = client.query(sql, &[]).expect(sql).iter().map(|row| row.get(0)).collect();
    lines.sort();
    lines
}

fn of_simulator(simulator: &Simulator) -> Vec<String> {
    let cluster = &simulator.db.cluster;
    let mut lines = Vec::new();
    for class in cluster.catalog.classes().filter(|class| class.kind != RelKind::Toast && class.name.starts_with('t')) {
        let (name, stats) = (&class.name, class.stats);
        lines.push(format!(
            "{name}: {} pages, {} tuples, {} visible",
            stats.relpages, stats.reltuples, stats.relallvisible
        ));
        let relation = cluster.pg.relation(class.oid).expect("it is there");
        for (attnum, stats) in &class.column_stats {
            let attribute = &relation.desc.attributes()[usize::from(*attnum) - 1];
            let text = |value| ffviz_format::datum::Value::output(value, attribute.typid).expect("a value");
            let (values, shares): (Vec<_>, Vec<_>) =
                stats.most_common.iter().map(|(value, share)| (text(value), (*share as f32).to_string())).unzip();
            let histogram: Vec<_> = stats.histogram.iter().map(text).collect();
            let (null, distinct, correlation) =
                (stats.null_frac as f32, stats.distinct as f32, stats.correlation as f32);
            let mut line = format!("{name}.{}: null {null} width {} distinct {distinct}", attribute.name, stats.width);
            write!(
                line,
                " correlation {correlation} common {} {} histogram {}",
                array(&values),
                array(&shares),
                array(&histogram)
            )
            .expect("a string takes it");
            lines.push(line);
        }
    }
    lines.sort();
    lines
}

/// An array as text; nothing where there is none.
fn array(values: &[String]) -> String {
    let quoted = |value: &String| {
        let plain = !value.is_empty() && !value.contains([' ', '"', '{', '}', ',', '\\']);
        if plain { value.clone() } else { format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"")) }
    };
    if values.is_empty() {
        String::new()
    } else {
        format!("{{{}}}", values.iter().map(quoted).collect::<Vec<_>>().join(","))
    }
}

const NODES: &[&str] = &["Seq Scan", "Index Scan", "Index Only Scan", "Bitmap", "Sort  ", "Incremental Sort"];

/// The nodes of the server's plan.
fn explained(client: &mut Client, sql: &str) -> Vec<String> {
    let messages = client.simple_query(&format!("explain {sql}")).expect(sql);
    let node = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => {
            let line = row.get(0)?.trim_start().trim_start_matches("->").trim_start().to_owned();
            let is_node = NODES.iter().any(|node| line.starts_with(node));
            is_node.then(|| line.split_once("  (").map_or(line.clone(), |(node, _)| node.to_owned()))
        }
        _ => None,
    };
    messages.iter().filter_map(node).collect()
}
