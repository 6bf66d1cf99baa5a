//! The verdict "HOT or not" against the server's own count, update by update: random widths, fillfactors, indexes and
//! columns.
//!
//! Two claims a single UPDATE: what the tuple's flags say is what `n_tup_hot_upd` counted, and what columns and room
//! alone predict (`HotDecision::predicted`, which does not look at those flags) is the same.

use ffviz_story::timeline::{Event, EventKind, HotDecision};
use ffviz_tests::capture::{capture, explain, reread};
use ffviz_tests::servers::{Database, MAJORS, connect};

/// A small generator of numbers: the same sequence in every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

const TABLES: &[(&str, &str)] = &[
    ("plain", "CREATE TABLE plain (id int PRIMARY KEY, a int, b text, c int)"),
    (
        "full80",
        "CREATE TABLE full80 (id int PRIMARY KEY, a int, b text, c int) WITH (fillfactor = 80); CREATE INDEX ON full80 (c)",
    ),
    (
        "full50",
        "CREATE TABLE full50 (id int PRIMARY KEY, a int, b text, c int) WITH (fillfactor = 50); CREATE INDEX ON full50 USING hash (b)",
    ),
    (
        "brin",
        "CREATE TABLE brin (id int PRIMARY KEY, a int, b text, c int); CREATE INDEX ON brin USING brin (a); CREATE INDEX ON brin (c)",
    ),
    (
        "expr",
        "CREATE TABLE expr (id int PRIMARY KEY, a int, b text, c int) WITH (fillfactor = 70); CREATE INDEX ON expr (md5(b)) WHERE c > 500",
    ),
    ("none", "CREATE TABLE none (id int, a int, b text, c int) WITH (fillfactor = 90)"),
    ("grown", "CREATE TABLE grown (id int PRIMARY KEY, a int, b text) WITH (fillfactor = 60)"),
];

/// Updates a table.
const UPDATES: usize = 40;

fn fill(db: &mut Database, table: &str, sql: &str) {
    db.client.batch_execute(sql).unwrap();
    let columns = if table == "grown" { "id, a, b" } else { "id, a, b, c" };
    let values = if table == "grown" { "n, n, repeat('x', n)" } else { "n, n, repeat('x', n), n * 10" };
    db.client
        .batch_execute(&format!("INSERT INTO {table} ({columns}) SELECT {values} FROM generate_series(1, 90) AS n"))
        .unwrap();
    if table == "grown" {
        db.client.batch_execute("ALTER TABLE grown ADD c int DEFAULT 7; CREATE INDEX ON grown (c)").unwrap();
    }
}

/// `SET` of one to three columns, to new values or to the old ones.
fn assignments(numbers: &mut Numbers) -> String {
    let mut set = Vec::new();
    if numbers.below(3) == 0 {
        set.push(format!("a = {}", numbers.below(4)));
    }
    if numbers.below(5) == 0 {
        set.push(if numbers.below(2) == 0 { "c = c".to_owned() } else { format!("c = {}", numbers.below(1000)) });
    }
    if set.is_empty() || numbers.below(3) == 0 {
        let width = match numbers.below(10) {
            0 | 1 => 2600 + 400 * numbers.below(2),
            2 => 500 + numbers.below(800),
            _ => numbers.below(250),
        };
        // Values that compress, and values that do not.
        let text = if numbers.below(2) == 0 {
            "repeat('y', {})"
        } else {
            "substr((SELECT string_agg(md5(i::text), '') FROM generate_series(1, 200) i), 1, {})"
        };
        set.push(format!("b = {}", text.replace("{}", &width.to_string())));
    }
    set.join(", ")
}

/// One UPDATE: was it HOT, according to the server?
fn update(db: &mut Database, table: &str, set: &str, id: u64) -> bool {
    let counted = "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_xact_user_tables WHERE relname = $1";
    let mut transaction = db.client.transaction().unwrap();
    // What earlier transactions have not reported yet is counted too.
    let before = transaction.query_one(counted, &[&table]).unwrap();
    transaction.batch_execute(&format!("UPDATE {table} SET {set} WHERE id = {id}")).unwrap();
    let after = transaction.query_one(counted, &[&table]).unwrap();
    transaction.commit().unwrap();
    let difference = |column: usize| after.get::<_, i64>(column) - before.get::<_, i64>(column);
    assert_eq!(difference(0), 1);
    difference(1) == 1
}

#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    hot: usize,
    column: usize,
    room: usize,
    page_full: usize,
    /// the old and the new value are stored alike, but were compared before the new one was compressed
    compressed: usize,
}

fn judge(tally: &mut Tally, event: &Event, decision: &HotDecision, server: bool, context: &str) {
    tally.compared += 1;
    assert_eq!(decision.hot, server, "{context}: {event:#?}");
    let predicted = decision.predicted();
    if predicted != Some(server) {
        let words = event.why.as_deref().unwrap_or_default();
        assert!(!server && words.contains("before it is compressed"), "{context}: predicted {predicted:?}: {event:#?}");
        tally.compressed += 1;
        return;
    }
    let fits = decision.free.is_some_and(|free| decision.needed <= free);
    assert_eq!(decision.same_page(), fits, "{context}: the arithmetic does not agree with the place: {event:#?}");
    if server {
        tally.hot += 1
    } else if decision.is_blocked() {
        tally.column += 1
    } else if decision.page_full {
        tally.page_full += 1
    } else {
        tally.room += 1
    }
}

#[test]
fn the_verdict_is_the_servers_for_every_update() {
    let mut total = 0;
    for major in MAJORS {
        let mut db = Database::create(major, "explain_hot");
        let mut other = connect(major, &db.name);
        let mut tally = Tally::default();
        for (table, sql) in TABLES {
            fill(&mut db, table, sql);
            let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15 ^ table.len() as u64);
            let mut state = capture(&db, &[table]);
            for n in 0..UPDATES {
                // For a while another transaction keeps a snapshot, so that nothing can be pruned.
                match n {
                    30 => other.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1").unwrap(),
                    60 => other.batch_execute("COMMIT").unwrap(),
                    _ => {}
                }
                let set = assignments(&mut numbers);
                let most = if numbers.below(2) == 0 { 6 } else { 40 };
                let server = update(&mut db, table, &set, 1 + numbers.below(most));
                let next = reread(&mut db, &state, table);
                let explanation = explain(&state, &next);
                let events: Vec<&Event> = explanation.events.iter().filter(|e| e.kind == EventKind::Update).collect();
                let context = format!("PostgreSQL {major}, {table}, update {n}: {set}");
                let [event] = events.as_slice() else { panic!("{context}: {explanation:#?}") };
                judge(&mut tally, event, event.hot.as_ref().unwrap(), server, &context);
                state = next;
            }
        }
        println!("PostgreSQL {major}: {tally:?}");
        assert!(tally.hot > 50 && tally.column > 50 && tally.room > 20, "one-sided: {tally:?}");
        assert_eq!(tally.page_full > 0, major < 15, "PD_PAGE_FULL: {tally:?}");
        total += tally.compared;
    }
    println!("{total} updates compared with n_tup_hot_upd");
}
