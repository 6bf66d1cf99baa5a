//! The invariants of ARCHITECTURE.md that can be read off the source tree.
//!
//! Licences are checked here, not by cargo-deny, which has to be compiled first and would take a good part of CI's
//! time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates of the engine, low to high, and the modules of each, low to high: a crate and a module may use only what
/// stands before it. Modules within one string work on each other.
const ENGINE: [(&str, &[&str]); 3] = [
    ("format", &["page", "datum", "wal", "state", "heap", "nbtree", "undo"]),
    ("story", &["describe", "rebuild", "redo", "timeline", "lesson", "scene", "recording", "app"]),
    (
        "simulator",
        &["plain", "version", "qsort", "storage access undo", "cluster", "sql", "pgbench", "experiment", "advice"],
    ),
];

/// The module of a path such as `heap/mod.rs` or `heap::HotChain`.
fn module_of(path: &str) -> &str {
    path.split(['/', '.', ':', ';', ',', '}', ' ']).next().unwrap_or_default()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is below the root").to_owned()
}

/// The files that git knows, or would know, with this ending, relative to the root.
fn files(ending: &str) -> Vec<String> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", &format!("*{ending}")])
        .current_dir(root())
        .output()
        .expect("git is there");
    let listed = String::from_utf8(listed.stdout).expect("file names are UTF-8");
    listed.lines().filter(|name| root().join(name).exists()).map(str::to_owned).collect()
}

/// The Rust files below a folder; there must be some, or the test would check nothing.
fn rust_files(below: &str) -> Vec<String> {
    let found: Vec<String> = files(".rs").into_iter().filter(|name| name.starts_with(below)).collect();
    assert!(!found.is_empty(), "no Rust file below {below}");
    found
}

fn read(name: &str) -> String {
    // a script as people type them is in another encoding
    let bytes = fs::read(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Lines of `name` for which `is_bad` holds, as `name:line: text`.
fn bad_lines(name: &str, is_bad: impl Fn(&str) -> bool) -> Vec<String> {
    let text = read(name);
    let numbered = text.lines().enumerate().filter(|(_, line)| is_bad(line));
    numbered.map(|(at, line)| format!("{name}:{}: {}", at + 1, line.trim())).collect()
}

#[track_caller]
fn none(what: &str, found: impl Iterator<Item = String>) {
    let found: Vec<String> = found.collect();
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

#[test]
fn engine_crates_use_only_lower_ones() {
    let manifest = |crate_: &str| read(&format!("engine/{crate_}/Cargo.toml"));
    for (n, (crate_, _)) in ENGINE.iter().enumerate() {
        let used = |other: &str| manifest(crate_).contains(&format!("ffviz-{other}"));
        let found: Vec<&str> =
            ENGINE.iter().map(|(other, _)| *other).filter(|other| used(other) && other != crate_).collect();
        let lower: Vec<&str> = ENGINE[..n].iter().map(|(other, _)| *other).collect();
        assert_eq!(found, lower, "engine/{crate_}/Cargo.toml");
    }
    for (folder, allowed) in [("web", ["format", "story"].as_slice()), ("tests", &["format", "story", "simulator"])] {
        let manifest = read(&format!("{folder}/Cargo.toml"));
        let used = ENGINE.iter().map(|(other, _)| *other).filter(|other| manifest.contains(&format!("ffviz-{other}")));
        assert_eq!(used.collect::<Vec<_>>(), allowed, "{folder}/Cargo.toml");
    }
}

#[test]
fn engine_modules_use_only_lower_ones() {
    let mut uses = 0;
    let mut wrong = Vec::new();
    for (crate_, order) in ENGINE {
        let sources = format!("engine/{crate_}/src/");
        let place = |module: &str| order.iter().position(|known| known.split(' ').any(|known| known == module));
        for name in rust_files(&sources).into_iter().filter(|name| !name.ends_with("/tests.rs")) {
            let module = module_of(&name[sources.len()..]);
            let Some(at) = place(module) else {
                assert_eq!(module, "lib", "{name}: ARCHITECTURE.md and this test do not know the module {module}");
                continue;
            };
            for line in read(&name).lines().take_while(|line| !line.starts_with("#[cfg(test)]")) {
                for used in line.split("crate::").skip(1).map(module_of) {
                    let Some(target) = place(used) else { continue };
                    uses += 1;
                    if target > at {
                        wrong.push(format!("{name} ({module}) uses {used}"));
                    }
                }
            }
        }
    }
    println!("{uses} uses between modules of the engine");
    assert!(uses > 50, "the test no longer finds the uses");
    none("a module of the engine uses one that stands to its right", wrong.into_iter());
}

#[test]
fn the_simulator_does_not_know_what_is_shown() {
    let shown = ["scene", "recording", "app"];
    let shows = |line: &str| shown.iter().any(|module| line.contains(&format!("ffviz_story::{module}")));
    none(
        "the simulator uses what is shown",
        rust_files("engine/simulator/src/").iter().flat_map(|name| bad_lines(name, shows)),
    );
}

#[test]
fn engine_can_do_no_io() {
    for (crate_, _) in ENGINE {
        let lib = read(&format!("engine/{crate_}/src/lib.rs"));
        assert!(lib.contains("#![no_std]") && lib.contains("#![forbid(unsafe_code)]"), "{crate_}");
        // without this line the compiler knows no file, clock, thread or hash map
        let above = lib.lines().zip(lib.lines().skip(1)).filter(|(_, line)| line.contains("extern crate std"));
        none(
            "std is for the engine's own tests",
            above.filter(|(above, _)| *above != "#[cfg(test)]").map(|(_, line)| line.into()),
        );
    }
}

#[test]
fn both_faces_have_the_same_views() {
    let views = |folder: &str| -> BTreeSet<String> {
        let names = rust_files(folder);
        // how a face draws a view may take files of its own, in a folder of that name
        names.iter().map(|name| name[folder.len()..].to_owned()).filter(|name| !name.contains('/')).collect()
    };
    assert_eq!(views("tui/src/view/"), views("web/src/view/"), "both faces have the same view files");
}

#[test]
fn faces_know_no_page_layout() {
    let low = ["page::header", "page::item_id", "page::layout", "heap", "nbtree", "datum"];
    let uses_low = |line: &str| low.iter().any(|module| line.contains(&format!("ffviz_format::{module}")));
    let views = ["tui/src/view/", "web/src/view/"].into_iter().flat_map(rust_files);
    none("a view takes scenes, not pages", views.flat_map(|name| bad_lines(&name, uses_low)));
}

/// The name and the value of a constant that is a number of PostgreSQL's, as far as a line tells: its name is long and
/// of several words, or one of those that PostgreSQL writes together. Names such as `WIDTH` are a file's own.
fn number_with_a_name(line: &str) -> Option<(&str, f64)> {
    const TOGETHER: [&str; 3] = ["BLCKSZ", "MAXALIGN", "VARHDRSZ"];
    let (visible, declared) = line.split_once("const ")?;
    let is_declared = visible.trim().is_empty() || visible.trim_start().starts_with("pub");
    let (name, rest) = declared.split_once(": ")?;
    let is_upper = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let is_long = name.len() >= 8 && name.contains('_');
    let (_, value) = rest.strip_suffix(';')?.split_once(" = ")?;
    (is_declared && is_upper && (is_long || TOGETHER.contains(&name))).then_some((name, number(value)?))
}

/// `4`, `0x0004`, `1 << 2`, `OffsetNumber(4)`
fn number(text: &str) -> Option<f64> {
    let text = text.split_once('(').map_or(text, |(_, within)| within.trim_end_matches(')')).replace('_', "");
    let one = |text: &str| match text.trim().strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok().map(f64::from),
        None => text.trim().parse().ok(),
    };
    match text.split_once("<<") {
        Some((number, bits)) => Some(one(number)? * one(bits)?.exp2()),
        None => one(&text),
    }
}

#[test]
fn constants_of_postgresql_are_declared_once() {
    assert_eq!(number_with_a_name("    const VARHDRSZ: usize = 4;"), Some(("VARHDRSZ", 4.0)));
    assert_eq!(number_with_a_name("pub(super) const PD_PAGE_FULL: u16 = 1 << 1;"), Some(("PD_PAGE_FULL", 2.0)));
    assert_eq!(
        number_with_a_name("pub const SPEC_TOKEN: OffsetNumber = OffsetNumber(0xFF);"),
        Some(("SPEC_TOKEN", 255.0))
    );
    assert_eq!(number_with_a_name("const VARHDRSZ: u32 = varlena::VARHDRSZ as u32;"), None);
    let mut declared: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for name in rust_files("engine/") {
        if !name.contains("/src/") || name.contains("/tests/") || name.ends_with("tests.rs") {
            continue;
        }
        let text = read(&name);
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for (at, line) in code.lines().enumerate() {
            if let Some((constant, value)) = number_with_a_name(line) {
                declared
                    .entry((constant.to_owned(), value.to_string()))
                    .or_default()
                    .push(format!("{name}:{}", at + 1));
            }
        }
    }
    assert!(declared.len() > 300, "{} constants are found", declared.len());
    let twice = declared.into_iter().filter(|(_, places)| places.len() > 1);
    none("declared twice", twice.map(|((name, value), places)| format!("{name} = {value}: {}", places.join(", "))));
}

/// `version.major() >= 14`, `self.major < SINCE`: a version that is compared with a number, or with the name of one.
fn compares_version(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let is_version = |before: &str| {
        let before = before.trim_end();
        ["major", "major()", "version.0", "version().0"].iter().any(|end| before.ends_with(end))
    };
    let is_number = |after: &str| {
        let after = after.trim_start_matches('=').trim_start();
        after.starts_with(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase()) || after.starts_with("if ")
    };
    code.match_indices(['<', '>', '=']).any(|(at, _)| {
        let before = code[..at].strip_suffix('!').unwrap_or(&code[..at]);
        let is_whole = !code[at + 1..].starts_with('>') && is_version(before);
        is_whole
            && (code[at..].starts_with("==") || !code[at..].starts_with('=') || before.len() < at)
            && is_number(&code[at + 1..])
    })
}

#[test]
fn versions_are_asked_not_compared() {
    assert!(compares_version("if self.input.major >= if *negated { 15 } else { 14 } {"));
    assert!(compares_version("db.cluster.version().major() < EXACT_SINCE"));
    assert!(compares_version("self.version().major() != 14 && self.version().0 >= 140_002"));
    assert!(!compares_version("let major = 14; // 13 and major >= 14"));
    assert!(!compares_version("category(from, major) == 'A', |major| proc.since <= major"));
    let sources = ["engine/", "tui/"].into_iter().flat_map(rust_files);
    let questions = |name: &str| name.contains("/version.rs") || name.contains("/version/");
    let sources = sources.filter(|name| name.contains("/src/") && !questions(name) && !name.ends_with("tests.rs"));
    none("a version is compared with a number", sources.flat_map(|name| bad_lines(&name, compares_version)));
}

#[test]
fn every_source_file_says_what_it_is() {
    none("no sentence at the top", rust_files("").into_iter().filter(|name| !read(name).starts_with("//!")));
    none("longer than 700 lines", rust_files("").into_iter().filter(|name| read(name).lines().count() > 700));
}

/// The text of a line that is a comment and nothing else.
fn comment(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!']).trim_start())
}

#[test]
fn comments_end_at_120_columns() {
    const WIDTH: usize = 120;
    let mut comments = 0;
    let mut long = Vec::new();
    for name in rust_files("") {
        // pictures and tables stand as they are
        let mut in_block = false;
        for (at, line) in read(&name).lines().enumerate() {
            let text = comment(line);
            comments += usize::from(text.is_some());
            let is_fence = text.is_some_and(|text| text.starts_with("```"));
            in_block = text.is_some() && in_block != is_fence;
            let is_prose = text.is_some_and(|text| !text.starts_with('|')) && !in_block;
            if is_prose && line.chars().count() > WIDTH {
                long.push(format!("{name}:{}: {}", at + 1, line.trim()));
            }
        }
    }
    assert!(comments > 10_000, "{comments} lines of comments are found");
    none("a comment's line ends behind column 120", long.into_iter());
}

#[test]
fn nothing_unfinished_and_no_path_of_a_machine() {
    let unfinished = ["todo", "unimplemented"].map(|name| format!("{name}!("));
    let marks = [["FIX", "ME"], ["XX", "X"]].map(|parts| parts.concat());
    let homes = ["home", "root"].map(|folder| format!("/{folder}/"));
    let words: Vec<String> = unfinished.into_iter().chain(marks).chain(homes).collect();
    let endings = [".rs", ".md", ".toml", ".sql", ".html", ".css", ".mjs", ".js"];
    let sources = endings.iter().flat_map(|ending| files(ending));
    let is_bad = |line: &str| words.iter().any(|word| line.contains(word.as_str()));
    none("unfinished, or of one machine only", sources.flat_map(|name| bad_lines(&name, is_bad)));
}

/// Text of a script goes to a server in one file, which only a runner of what the fence has admitted uses.
#[test]
fn statements_go_to_servers_by_one_door() {
    const DOOR: &str = "tui/live/src/script/session.rs";
    let senders = ["simple_query(", "copy_in", "batch_execute(&statement", "batch_execute(sql)"];
    let sources = ["tui/src/", "tui/live/src/", "tui/verify/src/"].into_iter().flat_map(rust_files);
    let bad = sources.filter(|name| name != DOOR).flat_map(|name| {
        // the question of target_session_attrs is ours
        let is_ours = |line: &str| line.contains("simple_query(asked)");
        bad_lines(&name, |line| senders.iter().any(|sender| line.contains(sender)) && !is_ours(line))
    });
    none("a statement is sent past the fence", bad);
    let runner = read("tui/verify/src/runner.rs");
    assert!(
        runner.contains("pub async fn run(mut self, script: &Admitted)"),
        "a runner takes what the fence has admitted"
    );
    let player = read("tui/live/src/script/play.rs");
    assert!(player.contains("    walled: Walled,\n    options: PlayOptions,\n"), "so does what plays any SQL");
}

#[test]
fn glossary_words_are_in_use() {
    let sources: String = rust_files("engine/").iter().map(|name| read(name).to_lowercase()).collect();
    let glossary = read("GLOSSARY.md");
    let terms: Vec<&str> = glossary.lines().filter_map(|line| line.strip_prefix("| **")?.split("**").next()).collect();
    assert!(terms.len() > 30, "the glossary's table was not found");
    let unused = terms.iter().filter(|term| !sources.contains(&term.trim_matches('`').to_lowercase()));
    none("in GLOSSARY.md, but nowhere in the engine", unused.map(|term| (*term).to_owned()));
}

#[test]
fn licences_of_dependencies_are_free() {
    let allowed = [
        "MIT",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "ISC",
        "Zlib",
        "Unicode-3.0",
        "Unlicense",
        "0BSD",
        "BSL-1.0",
        "CC0-1.0",
        "MPL-2.0",
        "CDLA-Permissive-2.0",
        "Unicode-DFS-2016",
        "WTFPL",
    ];
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    println!("{} packages", packages.len());
    // of alternatives one must be allowed, of several that hold together all
    let one = |licence: &str| {
        let name = licence.trim().trim_matches(['(', ')']).split(" WITH ").next().unwrap_or_default();
        allowed.contains(&name)
    };
    let free = |text: &str| text.replace('/', " OR ").split(" AND ").all(|part| part.split(" OR ").any(one));
    let closed = packages.iter().filter(|package| !package["license"].as_str().is_some_and(free));
    none("licence not on the list", closed.map(|package| format!("{} {}", package["name"], package["license"])));
}
