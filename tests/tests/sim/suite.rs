//! The suite in the simulator and on servers; known differences stand in one list. What a script says of itself is checked on the servers too.

use super::expected;
use super::known::Known;
use super::oracle::Oracle;
use super::scripts::{self, Case};
use ffviz_engine::sql::script::Script;
use ffviz_engine::sql::trace::TraceLine;
use ffviz_tui::verify::annotate::annotate;
use ffviz_tui::verify::command::{Simulator, compare_traces};
use ffviz_tui::verify::compare::{self, Comparison, Counts, report_counts};
use ffviz_tui::verify::engine::Engine;
use ffviz_tui::verify::facts::ServerFacts;

each_version!(equals_the_server: super::check);

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
struct Found {
    counts: Counts,
    equal: usize,
    /// comments of scripts that were checked
    comments: usize,
    wrong: Vec<String>,
}

impl Found {
    /// Runs a script in both and compares; `says`: is what the script says of itself checked too?
    fn add(&mut self, oracle: &Oracle, case: &Case, known: &mut Known, says: bool) {
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
    let oracle = Oracle::start(major, false);
    let mut known = Known::of(major);
    let mut found = Found::default();
    let cases = scripts::all();
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
    assert!(found.counts.is_something() && found.comments > 0, "nothing was compared");
    let vanished = known.vanished();
    assert!(vanished.is_empty(), "listed in known-differences.txt, but not there any more:\n{}", vanished.join("\n"));
}

mod other_settings {
    //! The same scripts on servers whose settings make other records: all of them by the longer command, a part in each run.

    use super::{Found, Known, Oracle, report_counts, scripts};

    /// Settings, and whether the cluster has data checksums. Those of one line differ from the default in one thing only, but for the last.
    const VARIANTS: [(&str, bool, &str); 5] = [
        ("data checksums", true, ""),
        ("wal_log_hints", false, "wal_log_hints = on"),
        ("wal_level logical", false, "wal_level = logical"),
        ("wal_compression", false, "wal_compression = on"),
        ("full_page_writes off", false, "full_page_writes = off"),
    ];
    /// All that lengthens records at once.
    const TOGETHER: (&str, bool, &str) =
        ("data checksums, wal_level logical, wal_compression", true, "wal_level = logical\nwal_compression = on");

    each_version!(a_part_of_them: super::part);
    each_version!(#[ignore = "some minutes"] all_of_them: super::all);

    fn run(major: u32, (name, checksums, settings): (&str, bool, &str), is_wanted: impl Fn(usize) -> bool) -> Vec<String> {
        let oracle = Oracle::start_with(major, checksums, settings);
        let (mut known, mut found) = (Known::of(major), Found::default());
        let cases = scripts::all();
        let wanted = cases.iter().enumerate().filter(|(n, _)| is_wanted(*n));
        wanted.clone().for_each(|(_, case)| found.add(&oracle, case, &mut known, false));
        let (scripts, counts) = (wanted.count(), report_counts(&found.counts));
        let told = format!("{major} with {name}: {scripts} scripts, {} equal; {counts}", found.equal);
        println!("{told}");
        assert!(found.counts.is_something(), "{told}: nothing was compared");
        found.wrong.into_iter().map(|wrong| format!("{told}\n{wrong}")).collect()
    }

    fn all(major: u32) {
        let wanted = std::env::var("FFVIZ_SETTINGS").unwrap_or_default();
        let variants = VARIANTS.into_iter().chain([TOGETHER]).filter(|variant| variant.0.contains(&wanted));
        let wrong: Vec<String> = variants.flat_map(|variant| run(major, variant, |_| true)).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// Each version runs every sixth script, each another one.
    fn part(major: u32) {
        let wrong = run(major, TOGETHER, |n| n as u32 % 6 == major - 13);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
