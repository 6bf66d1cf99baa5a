//! The recording format on the recordings of `snapshots/`: nothing lost, and writing what was read gives the same states.

use ffviz_engine::recording;
use ffviz_engine::storage::State;
use ffviz_engine::timeline::Timeline;
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
        assert!(written.len() < text.len(), "{name}: what did not change is left out");
        captures += timeline.len();
        pages += states(&timeline).iter().map(|(state, _)| state.pages.len()).sum::<usize>();
    }
    println!("{captures} captures with {pages} pages compared");
    assert!(pages > 0);
}
