//! The whole story of every shipped recording, as a golden text that people can read.

use ffviz_engine::recording;
use flate2::read::GzDecoder;
use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

fn recordings() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots");
    let mut found: Vec<PathBuf> = (13..=18)
        .filter_map(|major| fs::read_dir(root.join(major.to_string())).ok())
        .flatten()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".ffrec.gz"))
        .collect();
    found.sort();
    found
}

fn story(path: &Path) -> (String, usize) {
    let mut text = Vec::new();
    GzDecoder::new(fs::File::open(path).unwrap()).read_to_end(&mut text).unwrap();
    let read = recording::read(text);
    assert_eq!(read.lost, Vec::<String>::new(), "{}", path.display());
    let mut timeline = read.timeline.unwrap();
    let mut story = String::new();
    for n in 0..timeline.len() {
        timeline.seek(n);
        let explanation = timeline.explain();
        writeln!(story, "{n}. {}", timeline.label(n).unwrap_or("(no label)")).unwrap();
        writeln!(story, "   = {}", explanation.headline).unwrap();
        for event in &explanation.events {
            writeln!(story, "   - [{:?} at {}] {}", event.kind, event.page, event.what).unwrap();
            event.why.iter().for_each(|why| writeln!(story, "       {why}").unwrap());
        }
        writeln!(story).unwrap();
    }
    (story, timeline.len())
}

#[test]
fn every_step_of_every_recording_is_explained() {
    let mut steps = 0;
    let recordings = recordings();
    for path in &recordings {
        let name = format!(
            "{}-{}",
            path.parent().unwrap().file_name().unwrap().display(),
            path.file_name().unwrap().display()
        );
        let (story, len) = story(path);
        steps += len;
        insta::with_settings!({snapshot_path => "../golden/explain", prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_snapshot!(name.trim_end_matches(".ffrec.gz"), story);
        });
    }
    assert!(!recordings.is_empty(), "no recordings in snapshots/");
    println!("{} recordings, {steps} steps explained", recordings.len());
}
