//! WAL of inserts by their keys, and of updates by how they are spread: most of it are full-page images, where
//! changes are scattered.

use super::lab::{Lab, Workload, system};
use super::{Experiment, Figures, Outcome, Row};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use ffviz_story::timeline::Samples;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "full-page-writes",
    article: "Tomas Vondra, On the impact of full-page writes, 2ndQuadrant, November 2016",
    claim: "Inserts with random UUIDs as keys write some twenty times the WAL of those with a bigserial, since nearly each of them changes an index page for the \
            first time since the checkpoint. Uniform updates do so with any key; the more of them go to a few rows, the less. HOT updates leave indexes alone.",
    unit: "rows of the table before",
    scale: 400_000,
    article_scale: 10_000_000,
    keys: &[
        ("bytes", "WAL of a transaction, bytes"),
        ("images", "full-page images of a transaction"),
        ("times", "WAL of a transaction beside that of the first case of its kind"),
    ],
    run,
};

/// Transactions between two checkpoints are this part of the rows.
const PER_CHECKPOINT: u64 = 400;
const CHECKPOINTS: u64 = 4;

/// Key, column, first keys, an insert; how many times the WAL of the first the article has.
const INSERTS: [(&str, &str, &str, &str, Option<f64>); 3] = [
    ("bigserial", "bigserial", "(a) SELECT 1", "INSERT INTO t (a) VALUES (1);", Some(1.0)),
    ("uuid", "uuid", "SELECT gen_random_uuid(), 1", "INSERT INTO t VALUES (gen_random_uuid(), 1);", Some(20.0)),
    ("uuidv7", "uuid", "SELECT uuidv7(), 1", "INSERT INTO t VALUES (uuidv7(), 1);", None),
];

/// How updates are spread, as pgbench's function says it; 28.8 and 138.6 give the first hundredth a quarter and three
/// quarters.
const SPREADS: [(&str, &str); 3] = [
    ("uniform", "random(1, :scale)"),
    ("1% takes 25%", "random_exponential(1, :scale, 28.8)"),
    ("1% takes 75%", "random_exponential(1, :scale, 138.6)"),
];

fn run(lab: &mut Lab<'_>, rows: u64) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    inserts(lab, rows, &mut outcome)?;
    updates(lab, rows, &mut outcome)?;
    let distance = rows / PER_CHECKPOINT;
    outcome.notes = vec![
        format!(
            "A checkpoint after every {distance} transactions, {CHECKPOINTS} times; the article's come by the clock, at 5,000 transactions a second."
        ),
        "The article has more than 40 GB beside some 2 GB of WAL an hour: twenty times.".to_string(),
    ];
    outcome.notes.extend(half_pages(&outcome, distance));
    Ok(outcome)
}

/// Pages of half the size are not simulated: an estimate for the uniform HOT updates, which change the table alone.
///
/// Of M pages `M (1 - e^(-x))` are changed by chance, where x is how many changes a page gets. Of 2 M pages of half the
/// size, which get half as many each, it is `2 M (1 - e^(-x/2))`.
fn half_pages(outcome: &Outcome, distance: u64) -> Option<String> {
    let (_, samples) = outcome.runs.iter().find(|(name, _)| name == "HOT update, uniform")?;
    let pages = f64::from(samples.all.last()?.relations.iter().find(|relation| !relation.is_index)?.blocks);
    let images = samples.usage().wal.fpi as f64 / samples.transactions().max(1) as f64 * distance as f64;
    let share = (images / pages).min(0.999);
    let changes = -libm::log(1.0 - share);
    let times = 2.0 * (1.0 - libm::exp(-changes / 2.0)) / share;
    Some(format!(
        "Pages of 4 KiB are not simulated. An estimate, compared with no server: uniform HOT updates here write images of {:.0} of {pages:.0} pages between two checkpoints; \
         with twice as many pages of half the size it would be {times:.2} times as many images, and {:.0} % of their bytes.",
        images,
        times * 50.0
    ))
}

fn inserts(lab: &mut Lab<'_>, rows: u64, outcome: &mut Outcome) -> Result<(), String> {
    let mut first = None;
    for (key, column, keys, insert, times) in INSERTS {
        (lab.say)(&format!("inserts by {key}"));
        let setup = format!(
            "CREATE TABLE t (id {column} PRIMARY KEY, a int); INSERT INTO t {keys} FROM generate_series(1, {rows}) g; VACUUM ANALYZE t; CHECKPOINT;"
        );
        let case = vec![("workload", "insert".to_string()), ("key", key.to_string()), ("setting", "-".to_string())];
        if key == "uuidv7" && lab.newest() < 18 {
            continue;
        }
        let Some(samples) = run_case(lab, rows, &setup, insert, &[])? else { continue };
        let measured = figures(&samples, &mut first);
        let published = times.map(|times| ("times", times)).into_iter().collect();
        outcome.rows.push(Row { origin: lab.origin(), system: system(lab.newest()), case, measured, published });
        outcome.runs.push((format!("insert, {key}"), samples));
    }
    Ok(())
}

fn updates(lab: &mut Lab<'_>, rows: u64, outcome: &mut Outcome) -> Result<(), String> {
    let mut first = None;
    let compressed = [("wal_compression", "pglz"), ("wal_compression", "lz4"), ("full_page_writes", "off")];
    let plain = SPREADS.into_iter().flat_map(|spread| [(spread, true, None), (spread, false, None)]);
    let settings = compressed.into_iter().map(|setting| (SPREADS[0], true, Some(setting)));
    for ((spread, random), hot, setting) in plain.chain(settings) {
        let kind = if hot { "HOT update" } else { "update of an indexed column" };
        (lab.say)(&format!("{kind}, {spread}"));
        let index = if hot { "" } else { "CREATE INDEX ON t (a);" };
        let setup = format!(
            "CREATE TABLE t (id bigint PRIMARY KEY, a int) WITH (fillfactor = 90); INSERT INTO t SELECT g, g FROM generate_series(1, {rows}) g; \
             {index} VACUUM ANALYZE t; CHECKPOINT;"
        );
        let script = format!("\\set id {random}\nUPDATE t SET a = a + 1 WHERE id = :id;");
        let told = setting.map_or_else(|| "-".to_string(), |(name, value)| format!("{name} = {value}"));
        let case = vec![("workload", format!("{kind}, {spread}")), ("key", "bigint".to_string()), ("setting", told)];
        let settings = setting.map(|setting| [setting]);
        let settings = settings.as_ref().map_or(&[][..], |one| &one[..]);
        let Some(samples) = run_case(lab, rows, &setup, &script, settings)? else { continue };
        let measured = figures(&samples, &mut first);
        outcome.rows.push(Row {
            origin: lab.origin(),
            system: system(lab.newest()),
            case,
            measured,
            published: vec![],
        });
        if setting.is_none() {
            outcome.runs.push((format!("{kind}, {spread}"), samples));
        }
    }
    Ok(())
}

fn run_case(
    lab: &mut Lab<'_>,
    rows: u64,
    setup: &str,
    script: &str,
    settings: &[(&str, &str)],
) -> Result<Option<Samples>, String> {
    let Some(mut server) = lab.open(lab.newest(), settings)? else { return Ok(None) };
    server.sql(lab, setup)?;
    let distance = (rows / PER_CHECKPOINT).max(1);
    let workload = Workload {
        scripts: &[(script, 1)],
        transactions: distance * CHECKPOINTS,
        scale: rows,
        checkpoint_every: Some(distance),
        autovacuum: false,
        seed: 1,
    };
    server.run(lab, workload).map(|(_, samples)| Some(samples))
}

/// `first`: bytes of the first case
fn figures(samples: &Samples, first: &mut Option<f64>) -> Figures {
    let (usage, n) = (samples.usage(), samples.transactions().max(1) as f64);
    let bytes = usage.wal.bytes as f64 / n;
    let first = *first.get_or_insert(bytes);
    vec![("bytes", bytes), ("images", usage.wal.fpi as f64 / n), ("times", bytes / first)]
}
