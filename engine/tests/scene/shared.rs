//! Shipped recordings, opened in the program.

use ffviz_engine::app::{Command, LibraryEntry, Model, Msg, View, update, view};
use ffviz_engine::recording;
use ffviz_engine::storage::State;
use ffviz_engine::timeline::Timeline;
use std::io::Read as _;
use std::path::{Path, PathBuf};

fn snapshots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots")
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

/// Does what a key does, and shows the outcome.
pub fn command(model: &mut Model, command: Command) -> View {
    update(model, Msg::Command(command));
    view(model)
}
