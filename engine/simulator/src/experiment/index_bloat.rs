//! Updates of single rows, whose keys are normally distributed: how three indexes grow, with and without bottom-up
//! deletion.

use super::lab::{Lab, Workload, system};
use super::{Experiment, Outcome, Row};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use ffviz_format::nbtree::Opaque;
use ffviz_format::nbtree::flags::BTP_LEAF;
use ffviz_format::page::{Page, PageHeaderData};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "index-bloat",
    article: "Laurenz Albe, Index bloat reduced in PostgreSQL v14, CYBERTEC, September 2021",
    claim: "In 13 the index on a column that does not change is bloated out of shape, since nobody scans it and its dead entries stay; from 14 on bottom-up \
            deletion avoids most of its page splits. The primary key gets a little better, the index on the changed column does not.",
    unit: "transactions of ten updates of one row each",
    scale: 3000,
    article_scale: 60_000,
    keys: &[
        ("pages", "pages of the index"),
        ("density", "avg_leaf_density of pgstatindex, per cent"),
        ("splits", "page splits, of all three indexes"),
    ],
    run,
};

const TABLE: &str = "CREATE TABLE testtab (id bigint PRIMARY KEY, unchanged int, changed int);
    INSERT INTO testtab SELECT g, g, 0 FROM generate_series(1, 10000) g;
    CREATE INDEX testtab_unchanged_idx ON testtab (unchanged);
    CREATE INDEX testtab_changed_idx ON testtab (changed);
    VACUUM ANALYZE testtab;";
const UPDATE: &str = "UPDATE testtab SET changed = changed + 1 WHERE id = :id;\n";
const INDEXES: [&str; 3] = ["testtab_pkey", "testtab_unchanged_idx", "testtab_changed_idx"];

fn run(lab: &mut Lab<'_>, transactions: u64) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let script = String::from("\\set id random_gaussian(1, 10000, 10)\n") + &UPDATE.repeat(10);
    for major in lab.majors(&[13, 14, 18]) {
        (lab.say)(&format!("PostgreSQL {major}"));
        let Some(mut server) = lab.open(major, &[])? else { continue };
        server.sql(lab, TABLE)?;
        let workload = Workload {
            scripts: &[(&script, 1)],
            transactions,
            scale: 1,
            checkpoint_every: None,
            autovacuum: false,
            seed: 1,
        };
        let (mut server, samples) = server.run(lab, workload)?;
        let splits: u64 = samples.all.iter().map(|sample| sample.wal_of("Btree/SPLIT").records).sum();
        for index in INDEXES {
            let (pages, density) = density(&server.pages(Some(index))?);
            outcome.rows.push(Row {
                origin: lab.origin(),
                system: system(major),
                case: vec![("index", index.to_string())],
                measured: vec![("pages", pages), ("density", density), ("splits", splits as f64)],
                published: vec![],
            });
        }
        outcome.runs.push((system(major), samples));
    }
    outcome.notes = [
        "The article's six clients at once are one here. Its tables of figures are pictures; the order of them is what it tells in words.",
        "VACUUM does not run, as autovacuum does in the article.",
    ]
    .map(String::from)
    .into();
    Ok(outcome)
}

/// Pages of an index, and `avg_leaf_density` (contrib/pgstattuple/pgstatindex.c).
fn density(pages: &[Page]) -> (f64, f64) {
    let (mut free, mut whole) = (0.0, 0.0);
    for page in pages.iter().skip(1) {
        if Opaque::read(page).is_some_and(|opaque| opaque.btpo_flags & BTP_LEAF != 0) {
            free += f64::from(page.free());
            whole += f64::from(page.special_start()) - PageHeaderData::SIZE as f64;
        }
    }
    (pages.len() as f64, 100.0 - free * 100.0 / f64::max(whole, 1.0))
}
