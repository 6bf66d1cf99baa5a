//! One UPDATE of every thousandth row: pages dirtied, WAL records, WAL bytes, by the length of a filler column, the
//! fillfactor, and whether a second column changes.

use super::lab::{Lab, system};
use super::{Experiment, Outcome, Row};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "wal-of-update",
    article: "John Doe, on the performance of PostgreSQL's UPDATE and of Redrock Postgres, May 2026",
    claim: "With fillfactor 100 an UPDATE dirties a second heap page and the index, and logs whole rows and index entries; with 80 it is HOT: one page, one \
            record, and of it only what changes, from the first changed column to the last.",
    unit: "rows of the table",
    scale: 100_000,
    article_scale: 10_000_000,
    keys: &[
        ("dirtied", "pages that the UPDATE dirtied, as EXPLAIN (BUFFERS) counts them"),
        ("records", "WAL records that it wrote, as EXPLAIN (WAL) counts them"),
        ("bytes", "their length"),
        ("bytes_a_row", "their length by the rows that it updated"),
    ],
    run,
};

/// Length of the filler, fillfactor, what is added to `bid`; the article's pages, records, bytes for ten million rows.
const CASES: [(u32, u32, u32, [u32; 3]); 6] = [
    (64, 100, 0, [20_142, 30_003, 2_720_132]),
    (64, 80, 0, [10_006, 10_000, 719_690]),
    (64, 80, 1, [10_006, 10_000, 1_439_716]),
    (128, 100, 0, [20_224, 30_003, 3_360_132]),
    (128, 80, 0, [10_009, 10_000, 719_710]),
    (128, 80, 1, [10_009, 10_000, 2_079_758]),
];
/// Rows that the article's UPDATE changes.
const UPDATED: f64 = 10_000.0;

fn run(lab: &mut Lab<'_>, rows: u64) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    for (filler, fillfactor, add, article) in CASES {
        (lab.say)(&format!("filler {filler}, fillfactor {fillfactor}, bid + {add}"));
        let mut server = lab.server(18, &[("full_page_writes", "off"), ("data_checksums", "on")])?;
        let setup = format!(
            "CREATE TABLE pgbench_accounts (aid int PRIMARY KEY, bid int, filler char({filler}), abalance int)
                 WITH (fillfactor = {fillfactor});
             INSERT INTO pgbench_accounts (aid, bid, filler, abalance)
                 SELECT aid, (aid - 1) / 100000 + 1, '', 0 FROM generate_series(1, {rows}) AS aid;
             VACUUM ANALYZE pgbench_accounts;
             CHECKPOINT;
             BEGIN;
             UPDATE pgbench_accounts SET bid = bid + {add}, abalance = abalance + (aid / 1000 * 7919) % 10001 - 5000
                 WHERE mod(aid, 1000) = 1;"
        );
        let usage = lab.sql(&mut server, &setup)?;
        let [dirtied, records, bytes] = article.map(f64::from);
        let (wal, updated) = (usage.wal, usage.tup_updated.max(1) as f64);
        let published = vec![("bytes_a_row", bytes / UPDATED)];
        let whole = vec![("dirtied", dirtied), ("records", records), ("bytes", bytes)];
        outcome.rows.push(Row {
            system: system(18),
            case: vec![
                ("filler", filler.to_string()),
                ("fillfactor", fillfactor.to_string()),
                ("bid changes", if add == 1 { "yes" } else { "no" }.to_string()),
            ],
            measured: vec![
                ("dirtied", usage.blks_dirtied as f64),
                ("records", wal.records as f64),
                ("bytes", wal.bytes as f64),
                ("bytes_a_row", wal.bytes as f64 / updated),
            ],
            // totals can be compared at the article's scale only
            published: if rows == EXPERIMENT.article_scale { [whole, published].concat() } else { published },
        });
    }
    outcome.notes = [
        "The article adds random(-5000, 5000) to the balance; here the number is calculated, so that a few bytes of HOT updates differ by chance.",
        "At ten million rows pages and records are the article's, and a server 18's, to the last one.",
    ]
    .map(String::from)
    .into();
    Ok(outcome)
}
