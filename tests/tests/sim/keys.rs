//! A published comparison of ascending and scattered keys: 2 million rows, a checkpoint, and so many more: records, images and bytes of WAL. The table came from
//! PostgreSQL 17.10 and 18.4; images are those of pages that the checkpoint has left behind.
//!
//! `cargo test --release -p ffviz-tests --test sim keys -- --ignored --show-output`; `FFVIZ_ROWS` says how many rows come first.

use super::random::number;
use ffviz_engine::page::{ForkNumber, PgVersion};
use ffviz_engine::sql::run::{RunOptions, Simulator};
use ffviz_engine::sql::script::Script;
use ffviz_engine::wal::{Record, Rmgr};

/// A key, as the table names it: its column, the columns that are inserted, rows, and what was measured: records, their bytes without images, images, their bytes.
struct Measured {
    key: &'static str,
    rows: u64,
    records: u64,
    record_bytes: u64,
    images: u64,
    image_bytes: u64,
}

const fn measured(key: &'static str, rows: u64, [records, record_bytes, images, image_bytes]: [u64; 4]) -> Measured {
    Measured { key, rows, records, record_bytes, images, image_bytes }
}

const TABLE: [Measured; 6] = [
    measured("bigserial", 1000, [2035, 169_315, 3, 15_220]),
    measured("bigserial", 10_000, [20_332, 1_690_582, 3, 16_132]),
    measured("bigserial", 100_000, [203_306, 16_909_568, 4, 15_056]),
    measured("uuid", 1000, [2006, 179_882, 967, 5_898_340]),
    measured("uuid", 10_000, [20_044, 1_839_069, 6214, 37_533_044]),
    measured("uuid", 100_000, [200_423, 19_354_239, 9672, 57_385_072]),
];

/// Pages of the table and of the index with 2 million rows.
const WARM: [(&str, u32, u32); 2] = [("bigserial", 18_692, 5486), ("uuid", 20_619, 9627)];

fn run(simulator: &mut Simulator, sql: &str) {
    for item in &Script::parse(sql).expect("it can be read").items {
        assert_eq!(simulator.item(item).refused, None, "{sql}");
    }
}

/// The rows from `first` on.
fn insert(key: &str, first: u64, rows: u64) -> String {
    let last = first + rows - 1;
    match key {
        "bigserial" => {
            format!("insert into t (n, md5) select i, md5(i::text) from generate_series({first}, {last}) i;")
        }
        _ => format!(
            "insert into t select md5('k' || i)::uuid, i, md5(i::text) from generate_series({first}, {last}) i;"
        ),
    }
}

fn warm(key: &str, rows: u64) -> Simulator {
    let options = RunOptions::new(PgVersion(180_004));
    let mut simulator = Simulator::new(&options, false, false).expect("no settings");
    run(&mut simulator, &format!("create table t (id {key} primary key, n int, md5 text);"));
    for first in (1..=rows).step_by(50_000) {
        run(&mut simulator, &insert(key, first, 50_000.min(rows + 1 - first)));
        simulator.db.cluster.pg.wal.take_records();
    }
    run(&mut simulator, "checkpoint;");
    simulator
}

/// Records but the commit, their bytes without images, images, their bytes.
fn sums(records: &[Record], version: PgVersion) -> [u64; 4] {
    let mut sums = [0; 4];
    for record in records {
        let decoded = record.decode(version).expect("an own record");
        if decoded.rmgr() == Rmgr::TRANSACTION {
            continue;
        }
        let images = decoded.blocks.iter().filter_map(|block| block.image);
        let (count, bytes) = images.fold((0, 0), |(n, sum), image| (n + 1, sum + image.bytes.len() as u64));
        let record_bytes = u64::from(decoded.tot_len()) - bytes;
        for (sum, more) in sums.iter_mut().zip([1, record_bytes, count, bytes]) {
            *sum += more;
        }
    }
    sums
}

#[test]
#[ignore = "minutes, in a release build"]
fn keys_cost_what_was_measured() {
    let rows = number("FFVIZ_ROWS", 2_000_000);
    for (key, heap, index) in WARM {
        let mut warm = warm(key, rows);
        let blocks = |simulator: &Simulator, name: &str| {
            let file = simulator.db.cluster.open(name).expect("it was made").file;
            simulator.db.cluster.pg.buffers.nblocks(file, ForkNumber::Main)
        };
        println!(
            "{key}: {rows} rows in {} pages, index {}; measured {heap}, {index}",
            blocks(&warm, "t"),
            blocks(&warm, "t_pkey")
        );
        warm.db.cluster.pg.wal.take_records();
        let mut next = rows + 1;
        for line in TABLE.iter().filter(|line| line.key == key) {
            // each line was measured after those above it, behind a checkpoint
            run(&mut warm, "checkpoint;");
            warm.db.cluster.pg.wal.take_records();
            run(&mut warm, &insert(key, next, line.rows));
            next += line.rows;
            let found = sums(&warm.db.cluster.pg.wal.take_records(), PgVersion(180_004));
            let expected = [line.records, line.record_bytes, line.images, line.image_bytes];
            println!("{key} {}: records, bytes, images, bytes: {found:?}; measured {expected:?}", line.rows);
        }
    }
}
