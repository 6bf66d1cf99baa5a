//! Random scripts. On two servers of one version they do the same, and nearly all of their statements succeed: else
//! they would test little.

use super::oracle::Oracle;
use ffviz_simulator::sql::trace::TraceLine;
use ffviz_tests::generator::{Level, script};
use ffviz_verify::compare::{self, Counts, compare, report_counts};
use std::collections::BTreeMap;

ffviz_tests::each_version!(#[ignore = "the longer command: that the simulator equals the server says as much"] scripts_are_repeatable: super::check);

/// A number from the environment.
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn check(major: u32) {
    let (one, other) = (Oracle::start(major, false), Oracle::start(major, false));
    let (mut counts, mut failed) = (Counts::default(), BTreeMap::<String, u64>::new());
    let first = number("FFVIZ_SEED", 1);
    for seed in first..first + number("FFVIZ_SCRIPTS", 2) {
        let level = Level(u32::try_from(number("FFVIZ_LEVEL", 7 - seed % 7)).unwrap_or(1));
        let script = script(seed, level, 50);
        let run = |oracle: &Oracle| {
            oracle.run(&script).unwrap_or_else(|why| panic!("seed {seed} on {major}: {why}\n{script}"))
        };
        let (first, second) = (run(&one), run(&other));
        assert!(first.foreign.is_empty(), "seed {seed} on {major}: {:?}", first.foreign);
        let comparison = compare(&first.lines, &second.lines, one.version);
        assert!(comparison.differences.is_empty(), "seed {seed} on {major}:\n{}{script}", compare::text(&comparison));
        counts.add(comparison.counts);
        for line in &first.lines {
            if let TraceLine::Statement(statement) = line {
                assert!(!statement.waiting, "seed {seed}: statement {} waits", statement.n);
                statement.error.iter().for_each(|error| *failed.entry(error.clone()).or_default() += 1);
            }
        }
    }
    println!("{major}: {}; failed: {failed:?}", report_counts(&counts));
    assert!(counts.is_something() && failed.values().sum::<u64>() * 5 < counts.statements, "{failed:?}");
}
