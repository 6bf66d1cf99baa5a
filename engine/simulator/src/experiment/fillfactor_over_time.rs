//! Random updates of accounts that fill their pages, and of those that leave a twentieth free: pages dirtied, as time
//! goes on.

use super::lab::{Lab, Workload, system};
use super::{Experiment, Outcome, Row};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use ffviz_story::timeline::{Sample, Samples};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "fillfactor-over-time",
    article: "Fabien Coelho, Postgres FILLFACTOR for UPDATE, 2014",
    claim: "With fillfactor 100 performance starts low and climbs, since a page that was updated has room for the next version; it peaks, falls again as VACUUM \
            gives the room to others, and settles near 200 transactions a second. With 95 it is steady, and better: near 230. The table is 3 per cent larger.",
    unit: "times 10,000 accounts",
    scale: 10,
    article_scale: 1000,
    keys: &[
        ("size_mb", "the table at the beginning, MB"),
        ("start", "pages dirtied a transaction, in the first chunk of 36"),
        ("best", "the fewest of all chunks"),
        ("end", "pages dirtied a transaction, in the last six chunks"),
        ("hot", "HOT updates of all, per cent"),
        ("tps", "transactions a second by the model, in the last six chunks"),
    ],
    run,
};

/// Chunks of 200 seconds, as the article runs them, and transactions of one, by accounts: each touches some 40 per
/// cent of the pages.
const CHUNKS: u64 = 36;
const CHUNK: u64 = 40;
/// The chunk that the first VACUUM comes before: the article's curve turns after 36 minutes.
const VACUUM_FROM: u64 = 11;
/// Samples that are kept.
const SAMPLES: usize = 180;
/// Transactions a second of the article: fillfactor, how many, MB of the table.
const ARTICLE: [(u32, f64, f64); 2] = [(100, 200.0, 743.0), (95, 230.0, 766.0)];

const SCRIPT: &str = "\\set aid random(1, 10000 * :scale)
\\set delta random(-5000, 5000)
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + :delta, filler = '2014-08-30 10:00:00.123456+02' WHERE aid = :aid;
END;
";

fn run(lab: &mut Lab<'_>, scale: u64) -> Result<Outcome, String> {
    let mut found = Vec::new();
    for (fillfactor, ..) in ARTICLE {
        (lab.say)(&format!("fillfactor {fillfactor}"));
        found.extend(one(lab, scale, fillfactor)?);
    }
    // one write a second is what the disk array does; how many it does follows from the article's rate with
    // fillfactor 95
    let writes = found.last().map_or(0.0, |(_, chunks)| settled(chunks)) * ARTICLE[1].1;
    let mut outcome = Outcome::default();
    for ((samples, chunks), (fillfactor, tps, size)) in found.into_iter().zip(ARTICLE) {
        let usage = samples.usage();
        let blocks =
            samples.all.first().and_then(|sample| sample.relation("pgbench_accounts")).map_or(0, |size| size.blocks);
        let best = chunks.iter().copied().fold(f64::INFINITY, f64::min);
        outcome.rows.push(Row {
            origin: lab.origin(),
            system: system(lab.newest()),
            case: vec![("fillfactor", fillfactor.to_string())],
            measured: vec![
                ("size_mb", f64::from(blocks) / 128.0),
                ("start", chunks.first().copied().unwrap_or_default()),
                ("best", best),
                ("end", settled(&chunks)),
                ("hot", usage.tup_hot_updated as f64 * 100.0 / usage.tup_updated.max(1) as f64),
                ("tps", writes / settled(&chunks).max(f64::EPSILON)),
            ],
            published: vec![("size_mb", size * scale as f64 / EXPERIMENT.article_scale as f64), ("tps", tps)],
        });
        outcome.runs.push((format!("fillfactor {fillfactor}"), samples));
    }
    outcome.notes = [
        "The model: the disks do so many random page writes a second, and each page dirtied between two checkpoints is one. How many they do is set by the \
         article's 230 transactions a second with fillfactor 95; all other rates follow.",
        "A checkpoint before each chunk. VACUUM runs before each from the twelfth on, when the article's curve turns: it tells only that autovacuum was at work.",
        "At the article's scale, ten million accounts, it is 730 and 766 MB, 117 and 230 transactions a second: three minutes.",
    ]
    .map(String::from)
    .into();
    Ok(outcome)
}

/// A table and its run: the samples, and pages dirtied a transaction of each chunk.
fn one(lab: &mut Lab<'_>, scale: u64, fillfactor: u32) -> Result<Option<(Samples, Vec<f64>)>, String> {
    let Some(mut server) = lab.open(lab.newest(), &[])? else { return Ok(None) };
    let rows = scale * 10_000;
    let setup = format!(
        "CREATE TABLE pgbench_accounts (aid int NOT NULL, bid int, abalance int, filler char(30)) WITH (fillfactor = {fillfactor});
         INSERT INTO pgbench_accounts SELECT g, (g - 1) / 100000 + 1, 0, '' FROM generate_series(1, {rows}) g;
         VACUUM ANALYZE pgbench_accounts;
         CREATE UNIQUE INDEX pgbench_accounts_pkey ON pgbench_accounts (aid);
         CHECKPOINT;"
    );
    server.sql(lab, &setup)?;
    let transactions = CHUNK * scale;
    let mut whole = Samples::default();
    for (n, seed) in (0..CHUNKS).zip(1..) {
        if n >= VACUUM_FROM {
            server.sql(lab, "VACUUM pgbench_accounts;")?;
        }
        server.sql(lab, "CHECKPOINT;")?;
        let workload =
            Workload { scripts: &[(SCRIPT, 1)], transactions, scale, checkpoint_every: None, autovacuum: false, seed };
        let (left, samples) = server.run(lab, workload)?;
        server = left;
        whole.append(samples);
    }
    let chunks = (0..CHUNKS).map(|n| dirtied(&whole.all, n * transactions..(n + 1) * transactions)).collect();
    whole.merge(SAMPLES);
    Ok(Some((whole, chunks)))
}

/// Pages dirtied a transaction, of the samples that end within.
fn dirtied(samples: &[Sample], within: core::ops::Range<u64>) -> f64 {
    let mut before = 0;
    let (mut pages, mut transactions) = (0, 0);
    for sample in samples {
        if sample.transactions > within.start && sample.transactions <= within.end {
            pages += sample.usage.blks_dirtied;
            transactions += sample.transactions - before;
        }
        before = sample.transactions;
    }
    pages as f64 / transactions.max(1) as f64
}

/// The last six chunks.
fn settled(chunks: &[f64]) -> f64 {
    let last = &chunks[chunks.len().saturating_sub(6)..];
    last.iter().sum::<f64>() / last.len().max(1) as f64
}
