//! Shipped recordings, opened in the program.

use ffviz_format::heap::HeapPage;
use ffviz_format::nbtree::BtPage;
use ffviz_format::page::{ForkNumber, Page};
use ffviz_format::state::{AccessMethod, PageId, State};
use ffviz_story::app::{Command, LibraryEntry, Model, Msg, View, update, view};
use ffviz_story::recording;
use ffviz_story::timeline::Timeline;
use std::io::Read as _;
use std::path::{Path, PathBuf};

fn snapshots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../snapshots")
}

/// The library as the program lists it.
pub fn library() -> Vec<LibraryEntry> {
    let text = std::fs::read_to_string(snapshots().join("library.json")).expect("library.json");
    let index: Vec<serde_json::Value> = serde_json::from_str(&text).expect("library.json is JSON");
    let text = |entry: &serde_json::Value, key: &str| entry[key].as_str().expect(key).to_string();
    index.iter().map(|entry| LibraryEntry { name: text(entry, "name"), title: text(entry, "title") }).collect()
}

/// The steps of a shipped recording, such as `18/hot-chain`.
pub fn timeline(name: &str) -> Timeline {
    let packed = std::fs::read(snapshots().join(format!("{name}.ffrec.gz"))).expect(name);
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).expect(name);
    let read = recording::read(&text);
    assert_eq!(read.lost, [""; 0], "{name}");
    read.timeline.expect("a timeline")
}

/// The program with a shipped recording open.
pub fn open(name: &str) -> Model {
    let mut model = Model::new(library());
    update(&mut model, Msg::Opened { name: name.to_string(), timeline: timeline(name), lost: Vec::new() });
    model
}

/// Every state of a shipped recording.
pub fn states(name: &str) -> Vec<State> {
    let mut timeline = timeline(name);
    let numbers = 0..timeline.len();
    let state = |n| {
        timeline.seek(n);
        timeline.state().clone()
    };
    numbers.map(state).collect()
}

/// The program with a shipped recording open whose xids begin at 700 and whose LSNs are 0/0, so that pictures stay the
/// same when the recordings are taken anew.
pub fn open_settled(name: &str) -> Model {
    let states = states(name);
    let base = states.iter().flat_map(xids).filter(|xid| *xid >= 3).min().expect("an xid") - 700;
    let mut settled: Option<Timeline> = None;
    for mut state in states {
        settle(&mut state, base);
        match &mut settled {
            None => settled = Some(Timeline::new(state, None)),
            Some(timeline) => timeline.push(state, None),
        }
    }
    let mut model = Model::new(library());
    let timeline = settled.expect("a state");
    update(&mut model, Msg::Opened { name: name.to_string(), timeline, lost: Vec::new() });
    model
}

/// The inserting xids of a state's rows.
fn xids(state: &State) -> impl Iterator<Item = u32> {
    let pages = state.pages.iter().filter(|(id, _)| is_heap(state, id));
    let tuples = pages.flat_map(|(id, page)| HeapPage::decode(page, id.block).items).filter_map(|item| item.tuple);
    tuples.map(|tuple| tuple.t_xmin)
}

fn is_heap(state: &State, id: &PageId) -> bool {
    id.fork == ForkNumber::Main && state.relations[&id.relation].am == AccessMethod::Heap
}

fn settle(state: &mut State, base: u32) {
    let all = state.clone();
    for (id, page) in &mut state.pages {
        let mut bytes = page.bytes().to_vec();
        let mut lower = |at: usize| {
            let xid = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
            bytes[at..at + 4].copy_from_slice(&(if xid >= base { xid - base } else { xid }).to_le_bytes());
        };
        if is_heap(&all, id) {
            lower(20);
            for tuple in HeapPage::decode(page, id.block).items.into_iter().filter_map(|item| item.tuple) {
                lower(tuple.bytes.start.into());
                lower(usize::from(tuple.bytes.start) + 4);
            }
        } else if BtPage::decode(page, all.server.version).safexid.is_some() {
            lower(24);
        }
        bytes[..8].fill(0);
        *page = Page::new(&bytes);
    }
}

/// Does what a key does, and shows the outcome.
pub fn command(model: &mut Model, command: Command) -> View {
    update(model, Msg::Command(command));
    view(model)
}
