//! Looking at pages, maps and catalogs from SQL (`tests/scripts/looking`): what the functions of contrib and the
//! catalogs say of the simulated pages, row by row as servers say it of theirs. Each script runs in a database of its
//! own, which has the extensions that it makes. Those of `15-walinspect` are for 15 and later.

use super::oracle::Oracle;
use ffviz_simulator::sql::script::Script;
use ffviz_simulator::sql::trace::TraceLine;
use ffviz_verify::annotate::annotate;
use ffviz_verify::command::Simulator;
use ffviz_verify::compare::{Difference, compare};
use ffviz_verify::engine::Engine;
use ffviz_verify::volatile::not_comparable;
use std::fs;
use std::path::Path;

/// All scripts on a server of that version; how many rows were compared.
fn check(major: u32) -> u64 {
    let oracle = Oracle::start(major, true);
    let folder = super::scripts::folder().join("looking");
    let wanted = std::env::var("FFVIZ_SCRIPT").unwrap_or_default();
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("the scripts").map(|entry| entry.expect("a file").path()).collect();
    files.retain(|file| file.to_string_lossy().contains(&wanted) && first_version(file) <= major);
    files.sort();
    let (mut rows, mut wrong) = (0, Vec::new());
    for file in files {
        let text = fs::read_to_string(&file).expect("a script");
        let script = Script::parse(&text).expect("a script");
        let mut facts = oracle.facts();
        let server = oracle.run_in_own_database(&script).expect("a run");
        facts.database = server.database;
        let engine = Engine.run(&annotate(&script, &server.lines), &facts).expect("a run").lines;
        let comparison = compare(&server.lines, &engine, oracle.version);
        rows += comparison.counts.rows;
        let volatile = not_comparable(&script);
        let counts = |it: &&Difference| {
            (it.place.starts_with("result") || it.place == "outcome") && !volatile.contains_key(&it.n)
        };
        for difference in comparison.differences.iter().filter(counts) {
            wrong.push(format!("{major}, {}: {difference:?}", file.display()));
        }
        let refused = engine
            .iter()
            .filter(|line| matches!(line, TraceLine::Statement(it) if it.sqlstate.as_deref() == Some("ZZ000")));
        wrong.extend(refused.map(|line| format!("{major}, {}: refused: {line:?}", file.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    rows
}

/// The number before its name; without one, every version.
fn first_version(file: &Path) -> u32 {
    let name = file.file_name().expect("a name").to_string_lossy();
    name.split_once('-').and_then(|(number, _)| number.parse().ok()).unwrap_or(0)
}

fn is_enough(rows: u64) {
    println!("{rows} rows of what looks at pages compared");
    assert!(rows > 30 || super::scripts::are_chosen(), "{rows} rows are too few");
}

#[test]
fn the_oldest_server_says_the_same() {
    is_enough(check(13));
}

/// The first one with pg_walinspect, whose functions were others in it.
#[test]
fn version_15_says_the_same() {
    is_enough(check(15));
}

#[test]
fn the_newest_server_says_the_same() {
    is_enough(check(18));
}
