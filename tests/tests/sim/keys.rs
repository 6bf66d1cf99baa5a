//! A published comparison of ascending and scattered keys: 2 million rows, a checkpoint, and so many more: records,
//! images and bytes of WAL, in the simulator as EXPLAIN (WAL) of a server 18 tells them.
//!
//! `cargo test --release -p ffviz-tests --test sim keys -- --ignored --show-output`; `FFVIZ_ROWS` says how many rows
//! come first.

use super::random::number;
use ffviz_format::page::ForkNumber;
use ffviz_simulator::sql::run::{RunOptions, Simulator};
use ffviz_simulator::sql::script::Script;
use ffviz_tests::instance::{Instance, NEWEST};
use ffviz_tests::wal::version;
use postgres::{Client, SimpleQueryMessage};

/// Type of the key, rows that are added, records and images as they were published; there the table was filled by one
/// statement.
const CASES: [(&str, u64, u64, u64); 6] = [
    ("bigserial", 1000, 2035, 3),
    ("bigserial", 10_000, 20_332, 3),
    ("bigserial", 100_000, 203_306, 4),
    ("uuid", 1000, 2006, 967),
    ("uuid", 10_000, 20_044, 6214),
    ("uuid", 100_000, 200_423, 9672),
];

/// Rows of a statement that fills the table.
const PIECE: u64 = 50_000;

/// The rows from `first` on.
fn insert(key: &str, first: u64, rows: u64) -> String {
    let last = first + rows - 1;
    match key {
        "bigserial" => {
            format!("insert into t (n, md5) select i, md5(i::text) from generate_series({first}, {last}) i")
        }
        _ => {
            format!("insert into t select md5('k' || i)::uuid, i, md5(i::text) from generate_series({first}, {last}) i")
        }
    }
}

/// The table with so many rows.
fn warm(key: &str, rows: u64) -> Vec<String> {
    let pieces = (1..=rows).step_by(PIECE as usize).map(|first| insert(key, first, PIECE.min(rows + 1 - first)));
    let table =
        ["drop table if exists t".to_owned(), format!("create table t (id {key} primary key, n int, md5 text)")];
    table.into_iter().chain(pieces).chain(["checkpoint".to_owned()]).collect()
}

/// Records, images, bytes, as the server counts them.
fn server(client: &mut Client, insert: &str) -> [u64; 3] {
    let told =
        client.simple_query(&format!("explain (analyze, wal, costs false, format json) {insert}")).expect(insert);
    let text = told.iter().find_map(|row| if let SimpleQueryMessage::Row(row) = row { row.get(0) } else { None });
    let told: serde_json::Value = serde_json::from_str(text.expect("a row")).expect("JSON");
    ["WAL Records", "WAL FPI", "WAL Bytes"].map(|name| told[0]["Plan"][name].as_u64().expect("a counter"))
}

/// Runs a statement in the simulator, and tells the same.
fn simulator(simulator: &mut Simulator, sql: &str) -> [u64; 3] {
    let mut last = [0; 3];
    for item in &Script::parse(sql).expect("it can be read").items {
        let done = simulator.item(item);
        assert_eq!(done.refused, None, "{sql}");
        assert!(!done.simulated.outcome.starts_with("ERROR"), "{}", done.simulated.outcome);
        let wal = done.simulated.usage.wal;
        last = [wal.records, wal.fpi, wal.bytes];
    }
    last
}

/// Pages of the table and of its index.
fn pages(simulator: &Simulator) -> [i64; 2] {
    ["t", "t_pkey"].map(|name| {
        let file = simulator.db.cluster.open(name).expect("it was made").file;
        i64::from(simulator.db.cluster.pg.buffers.nblocks(file, ForkNumber::Main))
    })
}

#[test]
#[ignore = "minutes, in a release build"]
fn keys_cost_what_they_cost_the_server() {
    let rows = number("FFVIZ_ROWS", 2_000_000);
    let settings = "shared_buffers = 1GB\nmax_wal_size = 32GB\ncheckpoint_timeout = 1d\nbgwriter_lru_maxpages = 0";
    let instance = Instance::create_with(NEWEST, settings, &["--no-data-checksums"]);
    let mut client = instance.client();
    for key in ["bigserial", "uuid"] {
        let options = RunOptions { crashes: false, ..RunOptions::new(version(&mut client)) };
        let mut ours = Simulator::new(&options, false, false).expect("no settings");
        for sql in warm(key, rows) {
            client.batch_execute(&sql).expect("a statement");
            simulator(&mut ours, &sql);
        }
        let sql = "select pg_relation_size('t') / 8192, pg_relation_size('t_pkey') / 8192";
        let row = client.query_one(sql, &[]).expect("lengths");
        assert_eq!(pages(&ours), [row.get::<_, i64>(0), row.get::<_, i64>(1)], "{key}, {rows} rows");
        println!("{key}: {rows} rows in {} pages, index {}", pages(&ours)[0], pages(&ours)[1]);
        let mut next = rows + 1;
        for (_, more, records, images) in CASES.iter().filter(|case| case.0 == key) {
            client.batch_execute("checkpoint").expect("a checkpoint");
            simulator(&mut ours, "checkpoint");
            // EXPLAIN does not see the COMMIT
            simulator(&mut ours, "begin");
            let found = simulator(&mut ours, &insert(key, next, *more));
            simulator(&mut ours, "commit");
            let expected = server(&mut client, &insert(key, next, *more));
            assert_eq!(found, expected, "{key}, {more} rows more: records, images, bytes");
            println!(
                "{key} {more}: {} records, {} images, {} bytes; published {records}, {images}",
                found[0], found[1], found[2]
            );
            next += more;
        }
    }
}
