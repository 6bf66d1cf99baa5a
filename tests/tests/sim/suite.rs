//! The suite in the simulator and on servers; known differences stand in one list. What a script says of itself is
//! checked on the servers too. Each run has a third of the suite on the oldest server, another on the newest, and the
//! last third, with parts of these, in sixths on the others; `T sim suite::the_whole -- --ignored` has all on all.

use super::expected;
use super::known::Known;
use super::oracle::Oracle;
use super::scripts::{self, Case};
use ffviz_simulator::sql::script::Script;
use ffviz_simulator::sql::trace::TraceLine;
use ffviz_tests::instance::NEWEST;
use ffviz_tests::servers::MAJORS;
use ffviz_verify::annotate::annotate;
use ffviz_verify::command::{Simulator, compare_traces};
use ffviz_verify::compare::{self, Comparison, Counts, report_counts};
use ffviz_verify::engine::Engine;
use ffviz_verify::facts::ServerFacts;

ffviz_tests::each_version!(equals_the_server: super::check);
ffviz_tests::each_version!(#[ignore = "a minute or two a version"] the_whole: super::check_all);

/// Runs a script on the server.
fn on_server(oracle: &Oracle, script: &Script) -> Result<Vec<TraceLine>, String> {
    let run = oracle.run(script)?;
    match run.foreign.first() {
        Some(first) => Err(format!("others wrote: {first}")),
        None => Ok(run.lines),
    }
}

/// Runs it in the simulator, and compares.
fn beside(oracle: &Oracle, facts: &ServerFacts, script: &Script, server: &[TraceLine]) -> Result<Comparison, String> {
    let engine = Engine.run(&annotate(script, server), facts)?;
    Ok(compare_traces(script, server, engine, oracle.version))
}

/// Runs a script in both, from the settings that the server has before it.
pub fn both(oracle: &Oracle, script: &Script) -> Result<Comparison, String> {
    let facts = oracle.facts();
    let server = on_server(oracle, script)?;
    beside(oracle, &facts, script, &server)
}

/// What a suite found.
#[derive(Default)]
pub struct Found {
    pub counts: Counts,
    pub equal: usize,
    /// comments of scripts that were checked
    comments: usize,
    pub wrong: Vec<String>,
}

impl Found {
    /// Runs a script in both and compares; `says`: is what the script says of itself checked too?
    pub fn add(&mut self, oracle: &Oracle, case: &Case, known: &mut Known, says: bool) {
        let Case { name, script, text } = case;
        let major = oracle.version.major();
        let facts = oracle.facts();
        let server = on_server(oracle, script).unwrap_or_else(|why| panic!("{name} on {major}: {why}"));
        if says {
            let said = expected::check(text, script, &server, major);
            self.comments += said.checked;
            self.wrong.extend(said.wrong.into_iter().map(|wrong| format!("{name}: {wrong}")));
        }
        let mut comparison =
            beside(oracle, &facts, script, &server).unwrap_or_else(|why| panic!("{name} on {major}: {why}"));
        comparison.differences.retain(|difference| !known.has(name, difference));
        self.counts.add(comparison.counts);
        if comparison.differences.is_empty() {
            self.equal += 1;
        } else {
            self.wrong.push(format!("{name}:\n{}", compare::text(&comparison)));
        }
    }
}

fn check(major: u32) {
    let parts = if [MAJORS[0], NEWEST].contains(&major) { 3 } else { 6 };
    check_some(major, |n| n % parts == major as usize % parts, false);
}

fn check_all(major: u32) {
    check_some(major, |_| true, true);
}

/// Runs the scripts of these numbers; are they all?
fn check_some(major: u32, is_wanted: impl Fn(usize) -> bool, is_whole: bool) {
    let oracle = Oracle::start(major, false);
    let mut known = Known::of(major);
    let mut found = Found::default();
    let mut cases = scripts::all();
    let mut n = 0..;
    cases.retain(|_| n.next().is_some_and(&is_wanted));
    cases.iter().for_each(|case| found.add(&oracle, case, &mut known, true));
    let told = format!(
        "{major}: {} scripts, {} equal, {} comments checked; {}",
        cases.len(),
        found.equal,
        found.comments,
        report_counts(&found.counts)
    );
    println!("{told}");
    assert!(found.wrong.is_empty(), "{told}\n{}", found.wrong.join("\n"));
    assert!(found.counts.is_something(), "nothing was compared");
    assert!(found.comments > 0 || scripts::are_chosen(), "no comment of a script was checked");
    let vanished = known.vanished();
    assert!(
        !is_whole || vanished.is_empty(),
        "listed in known-differences.txt, but not there any more:\n{}",
        vanished.join("\n")
    );
}
