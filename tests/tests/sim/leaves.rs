//! Which leaves a scan of a B-tree reads, and how often it searches the tree: scans for several values, and from 18 on
//! past columns that are not asked for (src/backend/access/nbtree/nbtutils.c, nbtpreprocesskeys.c). A server tells it
//! by EXPLAIN's `Index Searches` and by the SIREAD locks of a SERIALIZABLE transaction, the simulator by its steps.

use ffviz_format::page::PgVersion;
use ffviz_simulator::sql::run::{RunOptions, Simulator};
use ffviz_simulator::sql::script::Script;
use ffviz_simulator::storage::Happening;
use ffviz_tests::servers::Database;
use postgres::{Client, SimpleQueryMessage};

/// Types of the columns a, b, c; what row g has in them; the index. `a#g` is the value of a's type that belongs to a
/// number.
const TABLES: &[([&str; 3], &str, &str)] = &[
    (["int", "int", "int"], "a#(g % 10), b#(g % 500), c#(g % 7)", "(a, b, c)"),
    (["int", "text", "bigint"], "a#(g / 3), b#(g * 7 % 60), c#(g % 50)", "(a, b, c)"),
    (
        ["smallint", "int", "int"],
        "case when g % 5 > 0 then a#(g % 40) end, b#(g * 13 % 97), case when g % 3 > 0 then c#(g % 11) end",
        "(a desc, b, c nulls first)",
    ),
    (
        ["text", "numeric", "int"],
        "case when g % 9 > 0 then a#(g % 30) end, b#(g % 3), c#(g * 31 % 700)",
        "(a nulls first, b desc, c)",
    ),
    (
        ["date", "int", "text"],
        "a#(g / 100), case when g % 4 > 0 then b#(g % 4) end, c#(g * 101 % 2000)",
        "(a, b desc nulls last, c desc)",
    ),
    (["bigint", "date", "int"], "a#(g % 1000), b#(g % 2), c#(g % 5)", "(a, b, c)"),
];

const CONDITIONS: &[&str] = &[
    "b = b#40",
    "b = b#1",
    "c = c#4",
    "c = c#600",
    "b = b#1 and c = c#3",
    "a = a#5 and c = c#3",
    "a > a#4 and b = b#2",
    "a >= a#3 and a < a#9 and b = b#3",
    "a > a#3 and a < a#5 and c = c#2",
    "a >= a#7 and b > b#1 and c = c#5",
    "b in (b#1, b#30, b#90)",
    "a in (a#1, a#8, a#21) and c = c#1",
    "a in (a#2, a#3) and b in (b#0, b#2, b#50) and c in (c#1, c#6)",
    "a in (a#1, a#2, a#3, a#30) and a < a#3 and b = b#2",
    "a in (a#4, a#6) and b >= b#1 and b <= b#3",
    "b >= b#10 and b < b#12",
    "b > b#2 and c > c#3 and c < c#5",
    "a is null and c = c#4",
    "a is not null and b = b#1",
    "b is null and c = c#2",
    "c is null",
    "a > a#2000 and b = b#1",
    "a = a#3 and b > b#1 and c in (c#1, c#2, c#20)",
];

/// How the rows are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Bitmap,
    InOrder,
    Backward,
    FirstFew,
}

/// What is told of a scan: how often the tree was searched, where that is known, and which blocks of the index are
/// locked; none: all of it.
#[derive(Debug, PartialEq, Eq)]
struct Read {
    searches: Option<usize>,
    blocks: Option<Vec<u32>>,
}

#[test]
fn leaves_are_read_as_by_the_server() {
    for major in [17, 18] {
        let mut db = Database::create(major, "sim_leaves");
        let number: String = db.client.query_one("show server_version_num", &[]).expect("a version").get(0);
        let options = RunOptions::new(PgVersion(number.parse().expect("a number")));
        let (mut scans, mut leaves, mut several) = (0, 0, 0);
        for (types, row, index) in TABLES {
            let mut simulator = Simulator::new(&options, false, true).expect("a simulator");
            let row = with_values(row, *types);
            let setup = format!(
                "drop table if exists t; create table t (a {}, b {}, c {}) with (autovacuum_enabled = off);
                insert into t select {row} from generate_series(1, 3000) g;
                create index i on t {index} with (fillfactor = 20); vacuum analyze t;
                set enable_seqscan = off; set enable_sort = off; set enable_incremental_sort = off",
                types[0], types[1], types[2]
            );
            run(&mut simulator, &setup);
            Script::parse(&format!("{setup};")).expect("a script").statements().for_each(|statement| {
                db.client.batch_execute(&statement.sql).expect(&statement.sql);
            });
            for condition in CONDITIONS.iter().filter(|condition| major >= 18 || condition.contains(" in (")) {
                for wanted in [Wanted::Bitmap, Wanted::InOrder, Wanted::Backward, Wanted::FirstFew] {
                    let query = query(&with_values(condition, *types), index, wanted);
                    let settings = format!(
                        "set enable_bitmapscan = {}; set enable_indexscan = {}",
                        wanted == Wanted::Bitmap,
                        wanted != Wanted::Bitmap
                    );
                    db.client.batch_execute(&settings).expect("settings");
                    run(&mut simulator, &settings);
                    let expected = of_server(&mut db.client, &query, major);
                    let found = of_simulator(&mut simulator, &query, major);
                    assert_eq!(found, expected, "{major}, {types:?}, {index}: {query}");
                    scans += 1;
                    leaves += found.blocks.map_or(0, |blocks| blocks.len());
                    several += usize::from(found.searches.is_some_and(|searches| searches > 1));
                }
            }
        }
        println!("PostgreSQL {major}: {scans} scans of {leaves} leaves equal, {several} of them search several times");
        assert!(scans > 100 && leaves > 300 && (several > 100 || major < 18));
    }
}

fn query(condition: &str, index: &str, wanted: Wanted) -> String {
    let keys = index.trim_matches(['(', ')']).split(", ");
    let flipped = keys.map(|key| match key.split_once(' ') {
        None => format!("{key} desc"),
        Some((column, "desc")) => column.to_owned(),
        Some((column, "nulls first")) => format!("{column} desc nulls last"),
        Some((column, _)) => format!("{column} nulls first"),
    });
    let order = match wanted {
        Wanted::Bitmap => String::new(),
        Wanted::InOrder => format!(" order by {}", index.trim_matches(['(', ')'])),
        Wanted::Backward => format!(" order by {}", flipped.collect::<Vec<_>>().join(", ")),
        Wanted::FirstFew => format!(" order by {} limit 3", flipped.collect::<Vec<_>>().join(", ")),
    };
    format!("select * from t where {condition}{order}")
}

/// Puts values in place of `a#5` and `a#(g)`.
fn with_values(text: &str, types: [&str; 3]) -> String {
    let mut parts = text.split('#');
    let mut sql = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let column = sql.pop().and_then(|column| "abc".find(column)).expect("a column before #");
        let end = if part.starts_with('(') {
            part.find(')').map(|end| end + 1)
        } else {
            part.find(|c: char| !c.is_ascii_digit())
        };
        let (number, rest) = part.split_at(end.unwrap_or(part.len()));
        sql += &match types[column] {
            "text" => format!("lpad(({number})::text, 4, '0')"),
            "date" => format!("(date '2024-01-01' + ({number}))"),
            other => format!("({number})::{other}"),
        };
        sql += rest;
    }
    sql
}

fn of_server(client: &mut Client, query: &str, major: u32) -> Read {
    client.batch_execute("begin isolation level serializable").expect("it begins");
    let plan =
        client.simple_query(&format!("explain (analyze, costs off, timing off, summary off) {query}")).expect(query);
    let of_line = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => row.get(0)?.trim().strip_prefix("Index Searches: ")?.parse().ok(),
        _ => None,
    };
    let searches = plan.iter().find_map(of_line).filter(|_| major >= 18);
    let locks = "select page from pg_locks where mode = 'SIReadLock' and pid = pg_backend_pid() and relation = 'i'::regclass order by page";
    let pages: Option<Vec<i32>> = client.query(locks, &[]).expect(locks).iter().map(|row| row.get(0)).collect();
    client.batch_execute("commit").expect("it ends");
    Read { searches, blocks: pages.map(|pages| pages.iter().map(|page| page.cast_unsigned()).collect()) }
}

fn of_simulator(simulator: &mut Simulator, query: &str, major: u32) -> Read {
    run(simulator, "begin isolation level serializable");
    let told = run(simulator, query);
    run(simulator, "commit");
    let (mut blocks, mut searches, mut is_whole) = (Vec::new(), 0, false);
    for sentence in told {
        let block = sentence.strip_prefix("SIREAD lock on block ").and_then(|rest| rest.split_once(" of i,"));
        if let Some((block, _)) = block {
            // the planner looks up ends of the index before
            searches = searches.max(1);
            blocks.push(block.parse().expect("a number"));
        }
        searches += usize::from(searches > 0 && sentence.starts_with("i: the index scan"));
        is_whole |= sentence.ends_with("one on the whole of i takes their place");
    }
    blocks.sort_unstable();
    Read { searches: (major >= 18).then_some(searches), blocks: (!is_whole).then_some(blocks) }
}

/// Runs statements; gives what the last one told.
fn run(simulator: &mut Simulator, sql: &str) -> Vec<String> {
    let mut told = Vec::new();
    for item in &Script::parse(&format!("{sql};")).expect(sql).items {
        let done = simulator.item(item);
        assert!(!done.simulated.outcome.starts_with("ERROR"), "{sql}: {}", done.simulated.outcome);
        let sentence = |happening: Happening| match happening {
            Happening::Told(telling) => Some(telling.sentence),
            _ => None,
        };
        told = done.happenings.into_iter().filter_map(sentence).collect();
    }
    told
}
