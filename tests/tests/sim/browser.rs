//! One hundred random scripts, each with a digest of the pages and the WAL that the simulator makes of it: natively
//! here, and as a wasm module in `web/test/simulator.test.mjs`, where they have to be the same.
//!
//! `FFVIZ_GOLDEN=1 T sim browser` writes them anew, where the simulator has changed.

use ffviz_simulator::sql::run::{Play, RunOptions, newest};
use ffviz_story::recording::Saver;
use ffviz_tests::generator::{Level, script};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::Path;

const SCRIPTS: usize = 100;
const STATEMENTS: usize = 8;
/// Longer ones are left out: they are kept in the repository.
const LONGEST: usize = 2500;

/// SHA-256 of what each step did to pages and wrote as WAL, its first 16 bytes.
fn digest(recording: &str) -> String {
    let mut digest = Sha256::new();
    for line in recording.lines() {
        let line: Value = serde_json::from_str(line).expect("a line of JSON");
        digest.update(line["record"]["data"].as_str().unwrap_or_default());
        for page in line["pages"].as_array().into_iter().flatten() {
            let fork = page["fork"].as_str().unwrap_or_default();
            digest.update(format!("{} {fork} {};", page["oid"], page["block"]));
            digest.update(page["data"].as_str().unwrap_or_default());
            for run in page["runs"].as_array().into_iter().flatten() {
                digest.update(format!("{}:{},", run[0], run[1].as_str().unwrap_or_default()));
            }
        }
    }
    let hex = |mut hex: String, byte: &u8| {
        let _ = write!(hex, "{byte:02x}");
        hex
    };
    digest.finalize()[..16].iter().fold(String::new(), hex)
}

/// A script, and its digest.
fn entry(sql: String) -> Value {
    let mut play = Play::new(sql.clone(), &RunOptions::new(newest(18))).expect("a script");
    let (mut saver, mut recording) = (Saver::default(), String::new());
    while play.next() {
        recording += &saver.more(play.timeline(), None);
    }
    recording += &saver.more(play.timeline(), None);
    json!({ "sql": sql, "digest": digest(&recording) })
}

#[test]
fn random_scripts_have_their_digests() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/test/random-scripts.json");
    let scripts = (1..).map(|seed| script(seed, Level::of_seed(seed), STATEMENTS).to_string());
    let made: Vec<Value> = scripts.filter(|sql| sql.len() <= LONGEST).take(SCRIPTS).map(entry).collect();
    let lines: Vec<String> = made.iter().map(Value::to_string).collect();
    let text = format!("[\n{}\n]\n", lines.join(",\n"));
    if std::env::var_os("FFVIZ_GOLDEN").is_some() {
        std::fs::write(&path, text).expect("it can be written");
        return;
    }
    let kept = std::fs::read_to_string(&path).expect("web/test/random-scripts.json");
    let differing = kept.lines().zip(text.lines()).filter(|(kept, made)| kept != made).count();
    assert!(kept == text, "{differing} scripts have other pages, or are others; FFVIZ_GOLDEN=1 writes them anew");
}
