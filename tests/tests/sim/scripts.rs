//! The suite of scripts, `tests/scripts`: one a rule, each with a comment that names it.

use ffviz_simulator::sql::script::Script;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A script of the suite.
pub struct Case {
    /// the file's name without `.sql`, with its folder
    pub name: String,
    pub text: String,
    pub script: Script,
}

/// Where they are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts")
}

/// Are only some of them wanted?
pub fn are_chosen() -> bool {
    std::env::var_os("FFVIZ_SCRIPT").is_some()
}

/// All of them, those found by the generator too. With FFVIZ_SCRIPT only those whose names hold that text.
pub fn all() -> Vec<Case> {
    let wanted = std::env::var("FFVIZ_SCRIPT").unwrap_or_default();
    let mut cases: Vec<Case> = ["", "regressions/"].iter().flat_map(|below| of_folder(below)).collect();
    cases.retain(|case| case.name.contains(&wanted));
    assert!(!cases.is_empty(), "no script in {}", folder().display());
    cases
}

fn of_folder(below: &str) -> Vec<Case> {
    let Ok(entries) = fs::read_dir(folder().join(below)) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "sql"));
    paths.sort();
    let case = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let script = Script::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let stem = path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
        Case { name: format!("{below}{stem}"), text, script }
    };
    paths.iter().map(case).collect()
}

/// The list of rules in `tests/scripts/README.md` names the scripts that there are.
#[test]
fn each_script_of_the_list_is_there() {
    let list = fs::read_to_string(folder().join("README.md")).expect("the list");
    let rows = list.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").nth(1));
    let named: BTreeSet<&str> = rows.filter_map(|row| row.split('`').nth(1)).collect();
    let there = of_folder("");
    let there = there.iter().map(|case| case.name.as_str()).filter(|name| name.starts_with("n-"));
    assert_eq!(named, there.collect::<BTreeSet<_>>());
}
