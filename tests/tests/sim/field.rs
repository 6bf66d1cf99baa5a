//! Scripts as people type them (`tests/field`), statement by statement in the simulator and on servers: how many go the
//! same way, and what the others are.
//!
//! ```text
//!  same      the same command tag and rows, or the same SQLSTATE
//!  other     both run it, and tag, rows or waiting differ; or both fail, each with an error of its own
//!  refused   the simulator does not support it
//!  invented  the simulator gives an error of PostgreSQL's kind, the server runs it
//!  lax       the simulator runs it, the server gives an error
//! ```
//!
//! `T sim field -- --show-output` takes every third script on 18; all of them on 13, 14 and 18 runs
//! `T sim field::counts_of_all -- --ignored --show-output`. `FFVIZ_SCRIPT` chooses scripts by name, `FFVIZ_MAJOR` a
//! version, `FFVIZ_FIELD` another folder of scripts, of which nothing is expected. What it prints first is what most
//! statements wait for.

use super::fence::decoys;
use super::oracle::Oracle;
use ffviz_simulator::sql::error::{NOT_SIMULATED, without_list};
use ffviz_simulator::sql::script::Script;
use ffviz_simulator::sql::trace::{StatementTrace, TraceLine};
use ffviz_verify::annotate::annotate;
use ffviz_verify::command::Simulator;
use ffviz_verify::compare::{Comparison, Difference, compare_but};
use ffviz_verify::engine::Engine;
use ffviz_verify::volatile;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

/// How a statement went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Same,
    Refused,
    Invented,
    Lax,
    Other,
}

/// How many statements went which way, and how many scripts the simulator ran whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    statements: usize,
    same: usize,
    refused: usize,
    invented: usize,
    lax: usize,
    other: usize,
    scripts: usize,
    /// scripts of which each statement went the same way
    whole: usize,
    /// of those, scripts whose pages and records are equal too
    equal: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { statements, same, refused, invented, lax, other, scripts, whole, equal } = self;
        let share = 100.0 * *same as f64 / (*statements).max(1) as f64;
        write!(
            f,
            "{statements} statements: {same} the same ({share:.1} %), {refused} refused, {invented} invented, {lax} lax, \
             {other} otherwise different; {scripts} scripts: {whole} ran whole, {equal} of them with equal pages and WAL"
        )
    }
}

/// All that was found.
#[derive(Default)]
struct Found {
    counts: Counts,
    /// what differs, by its way and its reason: the statements
    reasons: BTreeMap<(Way, String), Vec<String>>,
}

/// Runs a script in both; nothing for what is no text, or is cut off so that no server is asked.
fn add(found: &mut Found, oracle: &Oracle, file: &Path) {
    let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
    let Ok(text) = fs::read_to_string(file) else { return };
    let script = Script::parse(text.trim_start_matches('\u{FEFF}')).expect("people write no directives");
    let mut facts = oracle.facts();
    let server = match oracle.run_in_own_database(&script) {
        Ok(run) => {
            facts.database = run.database;
            run.lines
        }
        Err(why) => {
            println!("{name}: left out: {why}");
            return;
        }
    };
    let annotated = annotate(&script, &server);
    let engine = Engine.run(&annotated, &facts).unwrap_or_else(|why| panic!("{name}: {why}")).lines;
    let left_out = volatile::not_comparable(&script);
    let comparison = compare_but(&server, &engine, oracle.version, left_out);
    let mut is_whole = true;
    for (theirs, ours) in statements(&server).zip(statements(&engine)) {
        let (way, reason) = judge(&comparison, theirs, ours);
        found.counts.add(way);
        is_whole &= way == Way::Same;
        if way != Way::Same {
            let place = format!("{name}, statement {}: {}", theirs.n, first_line(&theirs.sql));
            found.reasons.entry((way, reason)).or_default().push(place);
        }
    }
    let (asked, ran) = (script.statements().count(), statements(&server).count());
    if ran < asked {
        println!("{name}: the server's side breaks off after statement {ran} of {asked}");
    }
    found.counts.scripts += 1;
    found.counts.whole += usize::from(is_whole);
    let unknown = comparison.differences.iter().find(|it| !is_known(it));
    found.counts.equal += usize::from(is_whole && unknown.is_none());
    if is_whole && let Some(Difference { n, place, field, server, engine, .. }) = unknown {
        println!("{name}, statement {n}: {place}, {field}: server {server}, simulator {engine}");
    }
}

/// Is it that which the list of known differences says of the COMMIT of CREATE and DROP EXTENSION?
fn is_known(difference: &Difference) -> bool {
    difference.place.ends_with("Transaction/COMMIT") && difference.sql.to_uppercase().contains("EXTENSION")
}

fn statements(lines: &[TraceLine]) -> impl Iterator<Item = &StatementTrace> {
    lines.iter().filter_map(|line| match line {
        TraceLine::Statement(statement) => Some(statement),
        _ => None,
    })
}

impl Counts {
    fn add(&mut self, way: Way) {
        self.statements += 1;
        *match way {
            Way::Same => &mut self.same,
            Way::Refused => &mut self.refused,
            Way::Invented => &mut self.invented,
            Way::Lax => &mut self.lax,
            Way::Other => &mut self.other,
        } += 1;
    }
}

/// How a statement went, and in what words that is counted.
fn judge(comparison: &Comparison, server: &StatementTrace, engine: &StatementTrace) -> (Way, String) {
    let error = |trace: &StatementTrace| trace.error.clone().unwrap_or_default();
    if engine.sqlstate.as_deref() == Some(NOT_SIMULATED) {
        return (Way::Refused, without_place(without_list(&error(engine))).to_owned());
    }
    match (&server.error, &engine.error) {
        (None, Some(ours)) => return (Way::Invented, ours.clone()),
        (Some(theirs), None) => return (Way::Lax, theirs.clone()),
        (Some(theirs), Some(ours)) if server.sqlstate != engine.sqlstate => {
            return (Way::Other, format!("server: {theirs}; simulator: {ours}"));
        }
        (Some(_), Some(_)) => return (Way::Same, String::new()),
        (None, None) => {}
    }
    let is_told = |place: &str| place == "outcome" || place.starts_with("result");
    match comparison.differences.iter().find(|it| it.n == server.n && is_told(&it.place)) {
        Some(Difference { place, field, server, engine, .. }) => {
            (Way::Other, format!("{place}, {field}: server {server}, simulator {engine}"))
        }
        None => (Way::Same, String::new()),
    }
}

/// A refusal without its line and column.
fn without_place(refusal: &str) -> &str {
    refusal.rsplit_once(" (line ").map_or(refusal, |(said, _)| said)
}

fn first_line(sql: &str) -> String {
    const SHOWN: usize = 90;
    sql.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SHOWN).collect()
}

/// Runs every `step`th script on a server of that version; what was counted.
fn counted(major: u32, step: usize) -> Counts {
    let oracle = Oracle::start(major, true);
    let mut found = Found::default();
    let wanted = std::env::var("FFVIZ_SCRIPT").unwrap_or_default();
    let files = decoys::field();
    let chosen = files.iter().filter(|file| file.to_string_lossy().contains(&wanted)).step_by(step);
    chosen.for_each(|file| add(&mut found, &oracle, file));
    let mut reasons: Vec<_> = found.reasons.iter().collect();
    reasons.sort_by_key(|((way, _), places)| (*way, std::cmp::Reverse(places.len())));
    for ((way, reason), places) in reasons {
        println!("{:4}  {way:?}: {reason}", places.len());
        places.iter().for_each(|place| println!("          {place}"));
    }
    println!("{major}: {}", found.counts);
    found.counts
}

/// Never less than what was reached.
fn check(major: u32, step: usize, floor: Counts) {
    let counts = counted(major, step);
    if super::scripts::are_chosen() || decoys::other_field().is_some() {
        return;
    }
    assert!(counts.same >= floor.same, "fewer statements go the same way: {counts}\nbefore: {floor}");
    assert!(counts.invented <= floor.invented, "more errors that PostgreSQL does not give: {counts}\nbefore: {floor}");
    assert!(counts.lax <= floor.lax, "more is accepted that PostgreSQL refuses: {counts}\nbefore: {floor}");
    assert!(counts.whole >= floor.whole, "fewer scripts run whole: {counts}\nbefore: {floor}");
}

/// 307 and 33 on a quiet machine. Where it is busy, the server writes a record of its own in between at times
/// (RUNNING_XACTS), and a position in the WAL that a script asks for is another one.
#[test]
fn counts_of_a_sample() {
    check(18, 3, Counts { same: 306, invented: 0, lax: 0, whole: 32, ..Counts::default() });
}

#[test]
#[ignore = "five minutes: every script as people type them on three versions"]
fn counts_of_all() {
    let chosen: Option<u32> = std::env::var("FFVIZ_MAJOR").ok().and_then(|text| text.parse().ok());
    let floors = [
        (13, Counts { same: 651, invented: 49, lax: 10, whole: 52, ..Counts::default() }),
        (14, Counts { same: 654, invented: 49, lax: 9, whole: 52, ..Counts::default() }),
        (18, Counts { same: 650, invented: 51, lax: 8, whole: 50, ..Counts::default() }),
    ];
    for (major, floor) in floors.into_iter().filter(|(major, _)| chosen.is_none_or(|it| it == *major)) {
        check(major, 1, floor);
    }
}
