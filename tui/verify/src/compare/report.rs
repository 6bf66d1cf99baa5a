//! A comparison in words, and as JSON.

use super::{Comparison, Counts, Difference, NotComparable};
use ffviz_format::page::thousands;
use ffviz_live::fence::LeftOut;
use std::fmt::Write;

/// Differences told to people: what follows the first ones mostly follows from them.
const TOLD: usize = 40;

/// For people.
#[must_use]
pub fn text(comparison: &Comparison) -> String {
    let mut text = String::new();
    let mut last = None;
    for difference in comparison.differences.iter().take(TOLD) {
        if last.replace(difference.n) != Some(difference.n) {
            let _ = writeln!(text, "statement {}: {}", difference.n, shortened(&difference.sql));
        }
        let Difference { place, field, server, engine, .. } = difference;
        let _ = writeln!(text, "  {place}: {field}\n    server  {server}\n    engine  {engine}");
    }
    if comparison.differences.len() > TOLD {
        let _ = writeln!(text, "… and {} more, which --format json tells", comparison.differences.len() - TOLD);
    }
    for NotComparable { n, sql, function } in &comparison.not_comparable {
        let sql = shortened(sql);
        let _ = writeln!(
            text,
            "not comparable: statement {n}: {sql}\n  {function}() gives other values each time; tables that it changes are not compared from there on"
        );
    }
    for LeftOut { n, line, sql, why } in &comparison.not_sent {
        // what the simulator knows instead is told by ffviz sim
        let why = why.split("; the simulator knows").next().unwrap_or_default();
        let _ = writeln!(text, "not sent: statement {n} (line {line}): {}\n  {why}", shortened(sql));
    }
    let _ = writeln!(text, "compared: {}", counts(&comparison.counts));
    text + &verdict(comparison)
}

/// For programs: one object.
///
/// # Errors
/// serde's, which has none for these types.
pub fn json(comparison: &Comparison) -> Result<String, String> {
    #[derive(serde::Serialize)]
    struct Whole<'a> {
        equal: bool,
        #[serde(flatten)]
        comparison: &'a Comparison,
    }
    let whole = Whole { equal: comparison.fault().is_none(), comparison };
    serde_json::to_string(&whole).map(|text| text + "\n").map_err(|error| error.to_string())
}

/// `12 statements, 30 page images (245,760 bytes), 44 WAL records, …`
#[must_use]
pub fn counts(counts: &Counts) -> String {
    let Counts { statements, pages, bytes, rows, records, lsns, positions, ends, .. } = *counts;
    let of = |count: u64, what: &str| (count > 0).then(|| format!("{} {what}", thousands(count)));
    let left_out = [
        of(counts.left_out, "statements"),
        of(counts.indexes_left_out, "indexes, which are not simulated"),
        of(counts.messages_left_out, "invalidation messages about catalogs, which are not simulated"),
    ];
    let left_out: Vec<String> = left_out.into_iter().flatten().collect();
    let left_out = if left_out.is_empty() { String::new() } else { format!("; left out: {}", left_out.join(", ")) };
    format!(
        "{} statements, {} page images ({} bytes), {} rows, {} WAL records, {} values of pd_lsn, {} positions in the WAL, {} ends of transactions{left_out}",
        thousands(statements),
        thousands(pages),
        thousands(bytes),
        thousands(rows),
        thousands(records),
        thousands(lsns),
        thousands(positions),
        thousands(ends)
    )
}

fn verdict(comparison: &Comparison) -> String {
    match (comparison.differences.len(), comparison.not_sent.len()) {
        (0, 0) if comparison.counts.is_something() => "equal\n".to_owned(),
        (0, 1) if comparison.counts.is_something() => "equal, but for 1 statement that was not sent\n".to_owned(),
        (0, left) if comparison.counts.is_something() => {
            format!("equal, but for {left} statements that were not sent\n")
        }
        (0, _) => "nothing was compared: no statement changed a page, wrote WAL or gave rows\n".to_owned(),
        (1, _) => "1 difference\n".to_owned(),
        (n, _) => format!("{n} differences\n"),
    }
}

/// A statement in a line.
fn shortened(sql: &str) -> String {
    const SHOWN: usize = 120;
    let line: String = sql.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() > SHOWN { line.chars().take(SHOWN - 1).chain(['…']).collect() } else { line }
}
