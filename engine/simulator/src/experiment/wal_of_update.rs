//! One UPDATE of every thousandth row: pages dirtied, WAL records, WAL bytes, by the length of a filler column, the
//! fillfactor, and whether a second column changes; on heap pages and by the engine that updates in place.

use super::lab::{Lab, Server, system};
use super::{Experiment, Origin, Outcome, Row};
use crate::storage::TableAm;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use ffviz_story::timeline::Usage;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "wal-of-update",
    article: "John Doe, on the performance of PostgreSQL's UPDATE and of Redrock Postgres, May 2026",
    claim: "With fillfactor 100 an UPDATE dirties a second heap page and the index, and logs whole rows and index entries; with 80 it is HOT: one page, one \
            record, and of it only what changes, from the first changed column to the last. An engine that updates in place and keeps old values in undo pages needs a \
            page, a record and a little undo in all cases.",
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

/// A case of the article: the table, and of each engine pages, records and bytes for ten million rows.
struct Case {
    filler: u32,
    fillfactor: u32,
    /// what is added to `bid`
    add: u32,
    heap: [u32; 3],
    undo: [u32; 3],
}

const fn case(filler: u32, fillfactor: u32, add: u32, heap: [u32; 3], undo: [u32; 3]) -> Case {
    Case { filler, fillfactor, add, heap, undo }
}

const CASES: [Case; 6] = [
    case(64, 100, 0, [20_142, 30_003, 2_720_132], [10_079, 10_077, 1_457_101]),
    case(64, 80, 0, [10_006, 10_000, 719_690], [10_078, 10_076, 1_457_677]),
    case(64, 80, 1, [10_006, 10_000, 1_439_716], [10_087, 10_085, 1_558_367]),
    case(128, 100, 0, [20_224, 30_003, 3_360_132], [10_078, 10_076, 1_457_303]),
    case(128, 80, 0, [10_009, 10_000, 719_710], [10_079, 10_077, 1_456_955]),
    case(128, 80, 1, [10_009, 10_000, 2_079_758], [10_088, 10_086, 1_558_449]),
];
/// Rows that the article's UPDATE changes.
const UPDATED: f64 = 10_000.0;

fn run(lab: &mut Lab<'_>, rows: u64) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let mut engines = vec![(TableAm::Heap, system(lab.newest()))];
    if lab.origin() == Origin::Simulated {
        engines.push((TableAm::Undo, "undo model".to_string()));
    }
    for (engine, name) in engines {
        for case in &CASES {
            (lab.say)(&format!("{name}, filler {}, fillfactor {}, bid + {}", case.filler, case.fillfactor, case.add));
            let Some(usage) = update(lab, engine, rows, case)? else { continue };
            let article = if engine == TableAm::Heap { case.heap } else { case.undo };
            outcome.rows.push(row(lab.origin(), &name, case, &usage, article, rows == EXPERIMENT.article_scale));
        }
    }
    outcome.notes = [
        "The article adds random(-5000, 5000) to the balance; here the number is calculated, so that a few bytes of HOT updates differ by chance.",
        "At ten million rows pages and records of PostgreSQL are the article's, and a server 18's, to the last one.",
        "The undo model is compared with no server: it follows what is published of Redrock Postgres, whose numbers stand beside it. That a page header has 40 bytes, a \
         transaction item 24, and that only old values of changed columns go to undo is published; 62 bytes of an undo record and 7 more a column follow from the published \
         pages and records. Assumed are the WAL records: 143 bytes of an UPDATE of one int4 (138 to 152 would be within 5 % too), 157 of two (148 to 163), 64 of a new \
         undo page (0 to 770).",
    ]
    .map(|note| note.split_whitespace().collect::<Vec<_>>().join(" "))
    .into();
    Ok(outcome)
}

/// What the UPDATE counts.
fn update(lab: &mut Lab<'_>, engine: TableAm, rows: u64, case: &Case) -> Result<Option<Usage>, String> {
    // as the article has it: the changes alone are logged
    let settings = [("full_page_writes", "off"), ("data_checksums", "on")];
    let opened = match engine {
        TableAm::Heap => lab.open(lab.newest(), &settings)?,
        TableAm::Undo => Some(Server::Simulated(Box::new(lab.server_with(engine, lab.newest(), &settings)?))),
    };
    let Some(mut server) = opened else { return Ok(None) };
    let Case { filler, fillfactor, add, .. } = case;
    let setup = format!(
        "CREATE TABLE pgbench_accounts (aid int PRIMARY KEY, bid int, filler char({filler}), abalance int)
             WITH (fillfactor = {fillfactor});
         INSERT INTO pgbench_accounts (aid, bid, filler, abalance)
             SELECT aid, (aid - 1) / 100000 + 1, '', 0 FROM generate_series(1, {rows}) AS aid;
         VACUUM ANALYZE pgbench_accounts;
         CHECKPOINT;
         BEGIN;"
    );
    server.sql(lab, &setup)?;
    let update = format!(
        "UPDATE pgbench_accounts SET bid = bid + {add}, abalance = abalance + (aid / 1000 * 7919) % 10001 - 5000
             WHERE mod(aid, 1000) = 1"
    );
    server.explained(lab, &update).map(Some)
}

fn row(origin: Origin, system: &str, case: &Case, usage: &Usage, article: [u32; 3], has_its_scale: bool) -> Row {
    let [dirtied, records, bytes] = article.map(f64::from);
    let (wal, updated) = (usage.wal, usage.tup_updated.max(1) as f64);
    let published = vec![("bytes_a_row", bytes / UPDATED)];
    let whole = vec![("dirtied", dirtied), ("records", records), ("bytes", bytes)];
    Row {
        origin,
        system: system.to_string(),
        case: vec![
            ("filler", case.filler.to_string()),
            ("fillfactor", case.fillfactor.to_string()),
            ("bid changes", if case.add == 1 { "yes" } else { "no" }.to_string()),
        ],
        measured: vec![
            ("dirtied", usage.blks_dirtied as f64),
            ("records", wal.records as f64),
            ("bytes", wal.bytes as f64),
            ("bytes_a_row", wal.bytes as f64 / updated),
        ],
        // totals can be compared at the article's scale only
        published: if has_its_scale { [whole, published].concat() } else { published },
    }
}
