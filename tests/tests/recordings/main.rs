//! The recording format: what was written is read again, and of a damaged file all that can be read.
//!
//! On the recordings of `snapshots/`, on random histories, and on both damaged in every way that was thought of.

#[path = "../histories/mod.rs"]
mod histories;
mod simulated;

use ffviz_format::page::{Lsn, Page};
use ffviz_format::state::State;
use ffviz_format::wal::{Record, crc32c};
use ffviz_story::recording;
use ffviz_story::timeline::{How, Tally, Timeline, WalBetween};
use histories::{ops, play, relation};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;
use std::io::Read as _;
use std::path::PathBuf;

/// Every recording of the library, by its name such as `18/hot-chain`.
fn library() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../snapshots");
    let index = std::fs::read_to_string(folder.join("library.json")).expect("snapshots/library.json");
    let index: Vec<serde_json::Value> = serde_json::from_str(&index).expect("library.json is JSON");
    let read = |entry: &serde_json::Value| {
        let name = entry["name"].as_str().expect("name").to_string();
        let packed = std::fs::read(folder.join(format!("{name}.ffrec.gz"))).expect(&name);
        let mut text = String::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).expect(&name);
        (name, text)
    };
    index.iter().map(read).collect()
}

fn states(timeline: &Timeline) -> Vec<(State, Option<String>)> {
    let mut timeline = timeline.clone();
    (0..timeline.len())
        .map(|n| {
            timeline.seek(n);
            (timeline.state().clone(), timeline.label(n).map(str::to_string))
        })
        .collect()
}

#[test]
fn library_is_whole_and_survives_writing() {
    let (mut captures, mut pages) = (0, 0);
    for (name, text) in library() {
        let read = recording::read(&text);
        assert_eq!(read.lost, [""; 0], "{name}");
        let timeline = read.timeline.expect("a timeline");
        let title = read.title.as_deref();
        assert!(title.is_some(), "{name} has no title");
        let written = recording::save(&timeline, title);
        let again = recording::read(&written);
        assert_eq!(again.lost, [""; 0], "{name}");
        assert_eq!(again.title.as_deref(), title, "{name}");
        assert_eq!(states(&timeline), states(&again.timeline.expect("a timeline")), "{name}");
        // psql writes all pages each time, ffviz record leaves out what did not change, as this does
        assert!(written.len() <= text.len(), "{name}: what did not change is left out");
        captures += timeline.len();
        pages += states(&timeline).iter().map(|(state, _)| state.pages.len()).sum::<usize>();
    }
    println!("{captures} captures with {pages} pages compared");
    assert!(pages > 0);
}

#[test]
fn random_histories_survive_writing() {
    let config = ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() };
    let compared = Cell::new(0);
    let run = TestRunner::new(config).run(&ops(), |ops| {
        let timeline = play(&ops, |_, _| ());
        let read = recording::read(recording::save(&timeline, Some("title")));
        prop_assert_eq!(read.lost, [""; 0]);
        prop_assert_eq!(read.title.as_deref(), Some("title"));
        prop_assert_eq!(states(&timeline), states(&read.timeline.expect("a timeline")));
        compared.set(compared.get() + timeline.len());
        Ok(())
    });
    println!("{} states of 300 histories written and read", compared.get());
    run.unwrap_or_else(|error| panic!("{error}"));
}

/// Damage of one place in a file, given as a share of its length.
#[derive(Debug, Clone)]
enum Damage {
    /// the file ends here
    Cut(f64),
    /// other bytes stand here
    Bytes(f64, Vec<u8>),
    /// that many bytes are missing
    Hole(f64, usize),
    /// a piece stands here a second time
    Again(f64, usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let json =
        prop::sample::select(vec!["{", "}", "\"", ",", "\n", "9", "-", "null", "[", "99999999999", "\\u0000", "é"]);
    prop_oneof![
        (0.0..1.0).prop_map(Damage::Cut),
        (0.0..1.0, prop::collection::vec(any::<u8>(), 1..20)).prop_map(|(at, bytes)| Damage::Bytes(at, bytes)),
        (0.0..1.0, json).prop_map(|(at, text)| Damage::Bytes(at, text.as_bytes().to_vec())),
        (0.0..1.0, 1..30_000usize).prop_map(|(at, len)| Damage::Hole(at, len)),
        (0.0..1.0, 1..30_000usize).prop_map(|(at, len)| Damage::Again(at, len)),
    ]
}

fn hurt(file: &mut Vec<u8>, damage: &Damage) {
    let place = |share: f64, len: usize| ((share * len as f64) as usize).min(len);
    let len = file.len();
    let to = |at: usize, more: usize| at.saturating_add(more).min(len);
    match damage {
        Damage::Cut(at) => file.truncate(place(*at, len)),
        Damage::Bytes(at, bytes) => {
            let at = place(*at, len);
            file.splice(at..to(at, bytes.len()), bytes.iter().copied());
        }
        Damage::Hole(at, more) => {
            let at = place(*at, len);
            file.drain(at..to(at, *more));
        }
        Damage::Again(at, more) => {
            let at = place(*at, len);
            let piece = file[at..to(at, *more)].to_vec();
            file.splice(at..at, piece);
        }
    }
}

#[test]
fn damaged_recordings_are_read_as_far_as_they_go() {
    let files = incremental().into_iter().chain([simulated::short()]);
    let files: Vec<Vec<u8>> = files.map(String::into_bytes).collect();
    let config = ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() };
    let (tried, kept, reported) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let strategy = (0..files.len(), prop::collection::vec(damage(), 1..4));
    let run = TestRunner::new(config).run(&strategy, |(which, damages)| {
        let mut file = files[which].clone();
        damages.iter().for_each(|damage| hurt(&mut file, damage));
        let read = recording::read(&file);
        tried.set(tried.get() + 1);
        reported.set(reported.get() + usize::from(!read.lost.is_empty()));
        if let Some(mut timeline) = read.timeline {
            kept.set(kept.get() + 1);
            for n in 0..timeline.len() {
                timeline.seek(n);
                let _ = timeline.explain();
                for (id, page) in &timeline.state().pages {
                    let relation = timeline.state().relations.get(&id.relation);
                    prop_assert!(relation.is_some_and(|r| id.block < r.blocks.of(id.fork)), "{id} has no place");
                    prop_assert_eq!(page.size(), timeline.state().server.block_size);
                }
            }
        }
        Ok(())
    });
    println!(
        "{} damaged files: {} still showed something, {} said what was lost",
        tried.get(),
        kept.get(),
        reported.get()
    );
    run.unwrap_or_else(|error| panic!("{error}"));
}

/// Some recordings as `ffviz record` writes them: pages only where they changed, so that a lost line matters later.
fn incremental() -> Vec<String> {
    let some = ["18/hot-chain", "13/delete-vacuum-reuse", "14/dedup-bottomup"];
    let files: Vec<String> = (library().iter())
        .filter(|(name, _)| some.contains(&name.as_str()))
        .map(|(_, text)| recording::save(&recording::read(text).timeline.expect("a timeline"), None))
        .collect();
    assert_eq!(files.len(), some.len());
    files
}

#[test]
fn no_stale_page_stands_in_for_a_lost_line() {
    let (mut files, mut pages) = (0, 0);
    for file in incremental() {
        let whole = states(&recording::read(&file).timeline.expect("a timeline"));
        let lines: Vec<&str> = file.lines().collect();
        for lost in 0..lines.len() {
            let rest: Vec<&str> = lines.iter().enumerate().filter(|(n, _)| *n != lost).map(|(_, line)| *line).collect();
            let read = recording::read(rest.join("\n"));
            let is_relation = lines[lost].starts_with(r#"{"line":"relation""#);
            assert!(
                is_relation || !read.lost.is_empty(),
                "losing line {} is not noticed: {:.60}",
                lost + 1,
                lines[lost]
            );
            for (state, label) in read.timeline.iter().flat_map(states) {
                let (recorded, _) = whole.iter().find(|(s, _)| s.at == state.at).expect("a capture of that time");
                for (id, page) in &state.pages {
                    assert!(
                        recorded.pages.get(id) == Some(page),
                        "line {}: {id} is not as it was at {label:?}",
                        lost + 1
                    );
                    pages += 1;
                }
            }
            files += 1;
        }
    }
    println!("{files} files with one line lost, {pages} pages as they were recorded");
}

/// Two captures of one page each, with the lines to be damaged as they are given.
fn two_captures(change: impl Fn(&mut Vec<String>)) -> recording::Recording {
    let page = |byte: u8| ["\"", &base64_of(&[byte; 1024]), "\""].concat();
    let mut lines: Vec<String> = [
        r#"{"line":"capture","ffrec":1,"version":180004,"block_size":1024,"label":"first"}"#,
        r#"{"line":"relation","oid":1,"schema":"public","name":"t","kind":"r","am":"heap","blocks":{"main":2},"attributes":[]}"#,
        &format!(r#"{{"line":"page","oid":1,"fork":"main","block":0,"data":{}}}"#, page(1)),
        r#"{"line":"end","pages":1}"#,
        r#"{"line":"capture","ffrec":1,"version":180004,"block_size":1024,"label":"second"}"#,
        &format!(r#"{{"line":"page","oid":1,"fork":"main","block":0,"data":{}}}"#, page(2)),
        r#"{"line":"end","pages":1}"#,
    ]
    .map(str::to_string)
    .to_vec();
    change(&mut lines);
    recording::read(lines.join("\n"))
}

fn base64_of(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |three: &[u8]| {
        let bits = three.iter().chain(&[0, 0]).take(3).fold(0u32, |bits, byte| bits << 8 | u32::from(*byte));
        let digit =
            |n: usize| if n <= three.len() { DIGITS[(bits >> (18 - 6 * n) & 63) as usize] as char } else { '=' };
        (0..4).map(digit).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

/// First bytes of block 0 in each state, and what is said to be lost.
fn seen(read: &recording::Recording) -> (Vec<Option<u8>>, String) {
    let block = |(state, _): (State, _)| state.pages.values().next().map(|page| page.bytes()[0]);
    (read.timeline.iter().flat_map(states).map(block).collect(), read.lost.join("; "))
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn each_damage_is_told() {
    let replace = |n: usize, from: &'static str, to: &'static str| {
        move |lines: &mut Vec<String>| {
            assert!(lines[n].contains(from), "{from} is not in {}", lines[n]);
            lines[n] = lines[n].replace(from, to);
        }
    };
    let set = |n: usize, text: &'static str| move |lines: &mut Vec<String>| lines[n] = text.to_string();
    type Change = Box<dyn Fn(&mut Vec<String>)>;
    let cases: Vec<(Change, &[Option<u8>], &str)> = vec![
        (Box::new(|_| ()), &[Some(1), Some(2)], ""),
        (Box::new(replace(5, "{", "{{")), &[Some(1), None], "line 6: lost, cannot be read"),
        (Box::new(|lines| lines[5].truncate(200)), &[Some(1), None], "line 6: lost, cannot be read: EOF"),
        (
            Box::new(|lines| drop(lines.pop())),
            &[Some(1), Some(2)],
            "the capture begun in line 5 was cut off here, after 1 pages",
        ),
        (
            Box::new(|lines| drop(lines.remove(3))),
            &[Some(1), Some(2)],
            "line 4: the capture begun in line 1 was cut off",
        ),
        (
            Box::new(|lines| lines.truncate(5)),
            &[Some(1)],
            "the capture begun in line 5 was cut off here, after 0 pages",
        ),
        (
            Box::new(replace(4, "\"ffrec\":1", "\"ffrec\":3")),
            &[Some(1)],
            "line 5: capture lost, its format is 3, and this program reads 1 and 2",
        ),
        (
            Box::new(set(5, r#"{"line":"cluster","lsn":"0/1"}"#)),
            &[Some(1), None],
            "a line of the kind \"cluster\" is not known",
        ),
        (
            Box::new(|lines| lines.insert(2, lines[2].clone())),
            &[Some(1), Some(2)],
            "line 4: page 1/main/0: an earlier line",
        ),
        (
            Box::new(replace(5, "\"oid\":1", "\"oid\":7")),
            &[Some(1), Some(1)],
            "line 6: page 7/main/0 lost, its relation is not known",
        ),
        (Box::new(replace(5, "AgIC", "Ag?C")), &[Some(1), None], "line 6: page 1/main/0 lost, its base64 is damaged"),
        (
            Box::new(replace(5, "AgIC", "")),
            &[Some(1), None],
            "line 6: page 1/main/0 lost, it has 1 bytes instead of 1024",
        ),
        (
            Box::new(set(5, r#"{"line":"page","oid":1,"fork":"main","block":0,"data":"AAAA"}"#)),
            &[Some(1), None],
            "it has 3 bytes instead of 1024",
        ),
        (
            Box::new(replace(5, "\"block\":0", "\"block\":4294967295")),
            &[Some(1), Some(1)],
            "4294967295 lost, the fork has 2 blocks",
        ),
        (
            Box::new(replace(5, "\"block\":0", "\"block\":-1")),
            &[Some(1), None],
            "line 6: lost, cannot be read: invalid value",
        ),
        (Box::new(replace(5, "main", "side")), &[Some(1), None], "line 6: lost, cannot be read: unknown variant"),
        (Box::new(replace(4, "1024", "0")), &[Some(1)], "line 5: capture lost, no page has 0 bytes"),
        (Box::new(replace(4, "1024", "1000")), &[Some(1)], "line 5: capture lost, no page has 1000 bytes"),
        (Box::new(replace(4, "1024", "99999999999")), &[Some(1)], "line 5: lost, cannot be read"),
        (Box::new(replace(4, "1024", "2048")), &[Some(1), None], "its relation is not known"),
        (
            Box::new(replace(6, "\"pages\":1", "\"pages\":3")),
            &[Some(1), Some(2)],
            "the capture should have 3 pages, 1 were found",
        ),
        (Box::new(|lines| drop(lines.drain(..4))), &[None], "line 2: page 1/main/0 lost, its relation is not known"),
        (
            Box::new(|lines| drop(lines.drain(..1))),
            &[None],
            "the lines from 1 to here are lost, they belong to no capture",
        ),
        (Box::new(set(4, r#"{"line":"gone","oid":1}"#)), &[Some(1)], "the lines from 5 to here are lost"),
        (Box::new(|lines| lines.iter_mut().for_each(|line| line.push('\r'))), &[Some(1), Some(2)], ""),
        (Box::new(|lines| lines.insert(0, "\u{feff}".to_string())), &[Some(1), Some(2)], ""),
        (Box::new(Vec::clear), &[], "there is no capture in it that can be shown"),
        (Box::new(set(1, "[[[[[[[[")), &[None, None], "line 2: lost, cannot be read"),
    ];
    for (n, (change, expected, lost)) in cases.iter().enumerate() {
        let read = two_captures(change);
        let (blocks, said) = seen(&read);
        assert_eq!(&blocks, expected, "case {n}: {said}");
        assert!(said.contains(lost) && said.is_empty() == lost.is_empty(), "case {n}: {said:?} does not say {lost:?}");
    }
    let garbage = recording::read([0x1f, 0x8b, 8, 0, 10, 0, 255, 10, 13, 10]);
    assert!(garbage.timeline.is_none() && !garbage.lost.is_empty());
    let many = recording::read("x\n".repeat(10_000));
    assert_eq!(many.lost.len(), 102, "reports are bounded");
    println!("{} kinds of damage told", cases.len() + 2);
}

/// A record without blocks or data: the switch to another segment, which is told wherever it is.
fn switch_record(start: u64) -> Record {
    let mut bytes = vec![0; 24];
    bytes[0] = 24;
    bytes[16] = 0x40;
    let crc = crc32c(&[&[], &bytes[..20]]);
    bytes[20..].copy_from_slice(&crc.to_le_bytes());
    Record::new(Lsn(start), Lsn(start + 24), bytes.into())
}

#[test]
fn damaged_wal_is_used_up_to_the_damage() {
    let records: Vec<Record> = [0x100, 0x200, 0x300].map(switch_record).to_vec();
    let others = Tally { records: 5, bytes: 500 };
    let page = |byte: u8| Page::new(&[byte; 1024]);
    let mut first = histories::empty();
    first.relations.insert(1, relation(1, 1, 1).into());
    first.pages.insert(histories::id(1, 0), page(1));
    let mut second = first.clone();
    second.pages.insert(histories::id(1, 0), page(2));
    let wal = WalBetween { records, others, gap: Some("the rest is not written yet".into()) };
    let file = recording::write(&first, None, None, None, None)
        + &recording::write(&second, Some(&first), None, Some("x"), Some(&wal));
    let lines: Vec<&str> = file.lines().collect();
    assert!(lines[6].starts_with(r#"{"line":"wal","start":"0/200","end":"0/218","data":"#), "{}", lines[6]);
    // lines of the file, how many steps are records, whether the capture's page is known, the gap that is told
    let cut = |at: usize, length: usize| lines[at][..length].to_string();
    let cases = [
        (vec![], 3, true, "the rest is not written yet"),
        (vec![(6, cut(6, 40))], 1, true, "line 7 of the recording is damaged"),
        (vec![(6, lines[6].replace("\"data\":\"G", "\"data\":\"?"))], 1, true, "line 7 of the recording is damaged"),
        (vec![(6, lines[6].replace("\"data\":\"G", "\"data\":\"H"))], 1, true, "line 7 of the recording is damaged"),
        (vec![(6, lines[6].replace("0/200", "0/110"))], 1, true, "line 7 of the recording is damaged"),
        (vec![(6, lines[6].replace("0/200", "0-200"))], 1, true, "line 7 of the recording is damaged"),
        (vec![(6, String::new())], 0, true, "lines of the recording are lost"),
        (vec![(8, String::new())], 3, false, "the rest is not written yet"),
        (vec![(9, String::new())], 3, true, "the rest is not written yet"),
        (vec![(2, "{".into())], 3, true, "the rest is not written yet"),
        (vec![(0, "{".into())], 0, false, ""),
    ];
    for (n, (changes, steps, known, gap)) in cases.iter().enumerate() {
        let mut damaged: Vec<String> = lines.iter().map(ToString::to_string).collect();
        changes.iter().for_each(|(at, line)| damaged[*at].clone_from(line));
        let read = recording::read(damaged.join("\n"));
        let timeline = read.timeline.expect("a timeline");
        let found = (0..timeline.len()).filter(|n| timeline.record(*n).is_some()).count();
        assert_eq!(found, *steps, "case {n}: {:?}", read.lost);
        assert_eq!(timeline.last().pages.values().next() == Some(&page(2)), *known, "case {n}");
        let said = match timeline.groups().last().map(|group| &group.how) {
            Some(How::Replayed { gap, others: Tally { records: 5, .. }, .. } | How::Measured(gap)) => gap.clone(),
            _ => None,
        };
        assert!(said.as_deref().unwrap_or_default().starts_with(gap), "case {n}: {said:?}");
        assert_eq!(read.lost.is_empty(), n == 0, "case {n}");
    }
    println!("{} kinds of damage to WAL told", cases.len() - 1);
}
