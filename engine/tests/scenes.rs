//! Every picture of every step of every shipped recording, and the program driven by messages.

use ffviz_engine::app::{Command, LibraryEntry, Model, Msg, View, ViewName, update, view};
use ffviz_engine::recording;
use ffviz_engine::scene::{PageScene, PartId, Scene};
use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};

fn snapshots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots")
}

/// The names of the shipped recordings, such as `18/hot-chain`.
fn names() -> Vec<String> {
    let text = std::fs::read_to_string(snapshots().join("library.json")).expect("library.json");
    let index: Vec<serde_json::Value> = serde_json::from_str(&text).expect("library.json is JSON");
    index.iter().map(|entry| entry["name"].as_str().expect("name").to_string()).collect()
}

/// A shipped recording, opened.
fn open(name: &str) -> Model {
    let packed = std::fs::read(snapshots().join(format!("{name}.ffrec.gz"))).expect(name);
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).expect(name);
    let read = recording::read(&text);
    let mut model = Model::new(vec![LibraryEntry { name: name.to_string(), title: String::new() }]);
    let timeline = read.timeline.expect("a timeline");
    update(&mut model, Msg::Opened { name: name.to_string(), timeline, lost: read.lost });
    model
}

fn command(model: &mut Model, command: Command) -> View {
    update(model, Msg::Command(command));
    view(model)
}

/// What must hold of every picture.
fn check_page(scene: &PageScene, place: &str) {
    let mut end = 0;
    for region in &scene.regions {
        assert_eq!(region.bytes.start, end, "{place}: a gap or overlap before {region:?}");
        assert!(region.bytes.start < region.bytes.end, "{place}: {region:?} is empty");
        assert!(region.changed.iter().all(|run| run.start >= region.bytes.start && run.end <= region.bytes.end));
        end = region.bytes.end;
    }
    assert_eq!(end, scene.size, "{place}: the regions do not cover the page");
    let rows: BTreeSet<PartId> = scene.rows.iter().map(|row| row.part).collect();
    assert_eq!(rows.len(), scene.rows.len(), "{place}: a row occurs twice");
    assert!(scene.rows.iter().all(|row| row.cells.len() == scene.columns.len()), "{place}: cells and columns");
    let parts: BTreeSet<PartId> = scene.regions.iter().map(|region| region.part).chain(rows).collect();
    assert_eq!(
        scene.regions.iter().map(|region| region.part).collect::<BTreeSet<_>>().len(),
        scene.regions.len(),
        "{place}"
    );
    for link in &scene.links {
        for part in [link.from, link.to] {
            assert!(matches!(part, PartId::Block(_)) || parts.contains(&part), "{place}: {link:?} leads nowhere");
        }
    }
}

#[test]
fn every_picture_of_every_recording_holds_together() {
    let (mut pages, mut parts) = (0, 0);
    for name in names() {
        let mut model = open(&name);
        let states = view(&model).timeline.count;
        for state in 0..states {
            update(&mut model, Msg::Seek(state));
            let ids: Vec<_> = model.look().expect("open").state.pages.keys().copied().collect();
            for id in ids {
                model.page = Some(id);
                for view_name in [ViewName::Page, ViewName::Map, ViewName::Tree] {
                    model.view = view_name;
                    let shown = view(&model);
                    let place = format!("{name} state {state} {id} {view_name:?}");
                    assert_ne!(shown.title, "", "{place}");
                    let Scene::Page(scene) = &shown.scene else { continue };
                    check_page(scene, &place);
                    for region in &scene.regions {
                        model.selected = Some(region.part);
                        let inspected = view(&model).inspector;
                        assert_ne!(inspected.title, "", "{place} {}", region.part);
                        parts += 1;
                    }
                    pages += 1;
                }
            }
        }
    }
    println!("{pages} pages, {parts} parts inspected");
    assert!(pages > 0 && parts > pages);
}

#[test]
fn forward_and_back_give_the_same_views() {
    let mut compared = 0;
    for name in names() {
        let mut model = open(&name);
        let mut seen = vec![view(&model)];
        for _ in 1..seen[0].timeline.count {
            seen.push(command(&mut model, Command::StepForward));
        }
        for expected in seen.iter().rev().skip(1) {
            assert_eq!(&command(&mut model, Command::StepBack), expected, "{name}");
            compared += 1;
        }
    }
    println!("{compared} views compared");
    assert!(compared > 0);
}
