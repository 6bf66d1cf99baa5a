//! The whole story of every shipped recording, as a golden text that people can read.

use ffviz_format::page::{Lsn, Page};
use ffviz_format::state::State;
use ffviz_story::recording;
use ffviz_story::timeline::{EventKind, Timeline};
use ffviz_tests::capture::explain;
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

fn open(path: &Path) -> Timeline {
    let mut text = Vec::new();
    GzDecoder::new(fs::File::open(path).unwrap()).read_to_end(&mut text).unwrap();
    let read = recording::read(text);
    assert_eq!(read.lost, Vec::<String>::new(), "{}", path.display());
    read.timeline.unwrap()
}

fn states(path: &Path) -> Vec<State> {
    let mut timeline = open(path);
    let each = (0..timeline.len()).map(|n| {
        timeline.seek(n);
        timeline.state().clone()
    });
    each.collect()
}

fn story(path: &Path) -> (String, usize) {
    let mut timeline = open(path);
    let mut story = String::new();
    for n in 0..timeline.len() {
        timeline.seek(n);
        let explanation = timeline.explain();
        writeln!(story, "{n}. {}", timeline.label(n).unwrap_or("(no label)")).unwrap();
        writeln!(story, "   = {}", explanation.headline).unwrap();
        for event in &explanation.events {
            let name = timeline.state().relations.get(&event.page.relation).map_or("?", |relation| &relation.name);
            let place = format!("{name} {} {}", event.page.fork.name(), event.page.block);
            writeln!(story, "   - [{:?}, {place}] {}", event.kind, event.what).unwrap();
            event.why.iter().for_each(|why| writeln!(story, "       {why}").unwrap());
        }
        writeln!(story).unwrap();
    }
    (without_counters(&story), timeline.len())
}

/// Transaction numbers, WAL positions and files depend on what the server did before: they are masked, so that a
/// recording taken anew tells the same.
fn without_counters(story: &str) -> String {
    let words = story.split_inclusive([' ', '\n']).map(|word| {
        let bare = word.trim_end().trim_end_matches([',', '.', ':', ';']);
        let file = bare.strip_prefix("base/").map(|_| "base/N/N");
        let position = (bare.len() > 5 && bare.parse::<Lsn>().is_ok()).then_some("N/N");
        file.or(position).map_or_else(|| word.to_owned(), |mask| mask.to_owned() + &word[bare.len()..])
    });
    let story: String = words.collect();
    const BEFORE: [&str; 4] = ["transaction ", "pd_prune_xid ", "safexid ", "t_xmax = "];
    BEFORE.iter().fold(story.to_owned(), |text, word| {
        let mut parts = text.split(word);
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |masked, part| {
            let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
            let number = if rest.len() < part.len() { "N" } else { "" };
            masked + word + number + rest
        })
    })
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

#[test]
fn pages_that_were_not_read_before_are_not_new() {
    let mut compared = 0;
    for path in &recordings() {
        let states = states(path);
        let after = &states[states.len() - 1];
        let mut before = after.clone();
        before.pages.retain(|id, _| id.block % 2 == 0);
        assert_eq!(explain(&before, after).headline, "nothing changed between the two captures", "{}", path.display());
        compared += after.pages.len() - before.pages.len();
    }
    assert!(compared > 0);
    println!("{compared} pages read later");
}

#[test]
fn redacted_recordings_are_explained_without_row_data() {
    let (mut updates, mut hot) = (0, 0);
    for path in &recordings() {
        let states = states(path);
        for pair in states.windows(2) {
            let plain = explain(&pair[0], &pair[1]);
            let hidden = explain(&recording::redact(&pair[0]), &recording::redact(&pair[1]));
            let kinds = |explanation: &ffviz_story::timeline::Explanation| {
                explanation.events.iter().map(|e| (e.kind, e.count, e.hot.as_ref().map(|h| h.hot))).collect::<Vec<_>>()
            };
            // replay leaves other bytes in unused space than the server does: "not logged" in a capture, zero in a
            // redacted one
            let told = |explanation| {
                let kinds = kinds(explanation);
                kinds.into_iter().filter(|(kind, ..)| *kind != EventKind::Other).collect::<Vec<_>>()
            };
            assert_eq!(told(&hidden), told(&plain), "{}", path.display());
            assert!(hidden.events.len() <= plain.events.len(), "{}", path.display());
            for event in hidden.events.iter().filter_map(|e| e.hot.as_ref()) {
                assert_eq!(event.blocking, None);
                updates += 1;
                hot += usize::from(event.hot);
            }
        }
    }
    println!("{updates} updates in redacted recordings, {hot} HOT");
    assert!(updates > hot && hot > 0);
}

/// The same state with some bytes of its pages replaced, mostly in headers, line pointers and special space.
fn damage(state: &State, next: &mut impl FnMut(usize) -> usize) -> State {
    let mut damaged = state.clone();
    for page in damaged.pages.values_mut() {
        if next(2) == 0 {
            continue;
        }
        let mut bytes = page.bytes().to_vec();
        for _ in 0..=next(20) {
            let area = [24, 120, bytes.len()][next(3)];
            let at = if next(4) == 0 { bytes.len() - 1 - next(16) } else { next(area) };
            bytes[at] = [0, 0xFF, next(256) as u8][next(3)];
        }
        *page = Page::new(&bytes);
    }
    damaged
}

#[test]
fn damaged_pages_are_explained_without_panic() {
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = move |n: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % n as u64) as usize
    };
    let mut tried = 0;
    for path in &recordings() {
        for pair in states(path).windows(2) {
            for _ in 0..20 {
                let explanation = explain(&damage(&pair[0], &mut next), &damage(&pair[1], &mut next));
                assert!(!explanation.headline.is_empty());
                tried += 1;
            }
        }
    }
    println!("{tried} steps between damaged states explained");
}
