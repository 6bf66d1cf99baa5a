//! Random scripts in the simulator and on servers. One that differs is shrunk and kept in `tests/scripts/regressions`.
//!
//! `FFVIZ_SCRIPTS` says how many, `FFVIZ_SEED` from which seed on, `FFVIZ_LEVEL` how much they use (all levels in
//! turn), `FFVIZ_STATEMENTS` how long they are, `FFVIZ_TRIES` how often a shorter one is tried.
//!
//! Longer runs, of 1,000 scripts of some 53 statements a version, with one build each: of seeds 46000 to 46999 and
//! 47000 to 47999 none was different on any of the six; of 48000 to 48999 one was, in an EXPLAIN on 13 to 16, which is
//! mended.

use super::oracle::Oracle;
use super::random::number;
use super::scripts;
use super::suite::both;
use ffviz_simulator::sql::error::{NOT_SIMULATED, without_list};
use ffviz_simulator::sql::run::{RunOptions, Simulator, newest};
use ffviz_simulator::sql::script::{Item, Script};
use ffviz_simulator::sql::trace::TraceLine;
use ffviz_tests::generator::{Level, script, shrink};
use ffviz_verify::compare::{self, Comparison, Counts, report_counts};
use std::fs;

ffviz_tests::each_version!(random_scripts_equal_the_server: super::check);

/// Runs of a shortened script while one is shrunk.
const TRIES: u64 = 80;

fn check(major: u32) {
    let oracle = Oracle::start(major, false);
    let (mut counts, mut equal, mut refused, mut left_out, mut wrong) = (Counts::default(), 0, 0, 0, Vec::new());
    let (first, scripts) = (number("FFVIZ_SEED", 1), number("FFVIZ_SCRIPTS", 7));
    for seed in first..first + scripts {
        let level = number("FFVIZ_LEVEL", u64::from(Level::of_seed(seed).0)) as u32;
        let (script, left) = supported(script(seed, Level(level), number("FFVIZ_STATEMENTS", 50) as usize), major);
        left_out += left;
        let comparison = both(&oracle, &script).unwrap_or_else(|why| panic!("seed {seed} on {major}: {why}\n{script}"));
        counts.add(comparison.counts);
        if comparison.is_equal() {
            equal += 1;
        } else if let Some(why) = refusal(&comparison) {
            println!("{major}, seed {seed}: {why}");
            refused += 1;
        } else {
            let name = format!("{major}-level{level}-seed{seed}");
            wrong.push(format!("{name}:\n{}", kept(&oracle, &name, &script, &comparison)));
        }
    }
    let told = format!(
        "{major}: {scripts} random scripts from seed {first} on, {equal} equal, {refused} not wholly simulated, {} different; \
         {left_out} statements left out, which are not supported; {}",
        wrong.len(),
        report_counts(&counts)
    );
    println!("{told}");
    assert!(wrong.is_empty(), "{told}\n{}", wrong.join("\n"));
    assert!(counts.is_something(), "nothing was compared");
}

/// The script without the statements that the simulator does not support, and those of a session that waits: one would
/// end the comparison. How many those were.
fn supported(mut script: Script, major: u32) -> (Script, usize) {
    let mut simulator = Simulator::new(&RunOptions::new(newest(major)), true, false).expect("a simulator");
    let refusal = |line: &TraceLine| match line {
        TraceLine::Statement(it) if it.sqlstate.as_deref() == Some(NOT_SIMULATED) => it.error.clone(),
        // nobody can type it: the client has no prompt
        TraceLine::Statement(it) => it.error.clone().filter(|why| why.contains("still waits for a lock")),
        _ => None,
    };
    let before = script.items.len();
    script.items.retain(|item| {
        let why = simulator.item(item).lines.iter().find_map(refusal);
        if let (Some(why), Item::Statement(statement)) = (&why, item) {
            println!("left out: {}: {}", without_list(why), statement.sql);
        }
        why.is_none()
    });
    let left_out = before - script.items.len();
    let mut n = 0;
    for item in &mut script.items {
        if let Item::Statement(statement) = item {
            n += 1;
            statement.n = n;
        }
    }
    (script, left_out)
}

/// Where the first thing that differs is a statement that the simulator does not know: what it says of it.
fn refusal(comparison: &Comparison) -> Option<&str> {
    let mut first = comparison.differences.iter().take(2);
    first.find(|first| first.place == "outcome" && first.engine.contains("not simulated")).map(|it| it.engine.as_str())
}

/// Makes a script that differs as short as it can, keeps it, and tells what differs in it.
fn kept(oracle: &Oracle, name: &str, script: &Script, found: &Comparison) -> String {
    let kind = kind(found);
    let shortest = shrink(script, number("FFVIZ_TRIES", TRIES) as usize, |shorter| {
        both(oracle, shorter).is_ok_and(|found| self::kind(&found) == kind)
    });
    let folder = scripts::folder().join("regressions");
    let text = format!("-- Found by the random scripts: {kind}.\n{shortest}");
    let written = fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join(format!("{name}.sql")), text));
    written.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let comparison = both(oracle, &shortest).unwrap_or_default();
    format!("{shortest}{}", compare::text(&comparison))
}

/// What the first difference is about, without its numbers: a shorter script has others.
fn kind(comparison: &Comparison) -> String {
    let Some(first) = comparison.differences.first() else { return String::new() };
    let letters = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let field = first.field.split(" (").next().unwrap_or_default();
    letters(&format!("{}: {field}", first.place))
}
