//! The suite in the simulator and on servers, without and with data checksums; known differences stand in one list.

use super::known::Known;
use super::oracle::Oracle;
use super::scripts::{self, Case};
use ffviz_engine::sql::script::Script;
use ffviz_tui::verify::annotate::annotate;
use ffviz_tui::verify::command::{Simulator, compare_traces};
use ffviz_tui::verify::compare::{self, Comparison, Counts, report_counts};
use ffviz_tui::verify::engine::Engine;

each_version!(equals_the_server: super::check);

/// Runs a script in both.
pub fn both(oracle: &mut Oracle, script: &Script) -> Result<Comparison, String> {
    let run = oracle.run(script)?;
    if let Some(first) = run.foreign.first() {
        return Err(format!("others wrote: {first}"));
    }
    let engine = Engine.run(&annotate(script, &run.lines), &oracle.facts())?;
    Ok(compare_traces(script, &run.lines, engine, oracle.version))
}

fn check(major: u32) {
    let mut oracle = Oracle::start(major, false);
    let mut known = Known::of(major);
    let (mut counts, mut wrong, mut equal) = (Counts::default(), Vec::new(), 0);
    let cases = scripts::all();
    for Case { name, script, .. } in &cases {
        let mut comparison = both(&mut oracle, script).unwrap_or_else(|why| panic!("{name} on {major}: {why}"));
        comparison.differences.retain(|difference| !known.has(name, difference));
        counts.add(comparison.counts);
        if comparison.differences.is_empty() {
            equal += 1;
        } else {
            wrong.push(format!("{name}:\n{}", compare::text(&comparison)));
        }
    }
    let told = format!("{major}: {} scripts, {equal} equal; {}", cases.len(), report_counts(&counts));
    println!("{told}");
    assert!(wrong.is_empty(), "{told}\n{}", wrong.join("\n"));
    assert!(counts.is_something(), "nothing was compared");
    let vanished = known.vanished();
    assert!(vanished.is_empty(), "listed in known-differences.txt, but not there any more:\n{}", vanished.join("\n"));
}
