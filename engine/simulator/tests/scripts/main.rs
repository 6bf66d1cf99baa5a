//! Scripts in the program: run, edited, branched off, compared side by side.

mod script;
mod versus;

use ffviz_story::app::{Command, Model, Msg, View, update, view};
use ffviz_story::recording;
use std::io::Read as _;

/// Does what a key does, and shows the outcome.
fn command(model: &mut Model, command: Command) -> View {
    update(model, Msg::Command(command));
    view(model)
}

/// The program with a recording of a server open.
fn a_recording() -> Model {
    let mut text = String::new();
    let packed = include_bytes!("../../../../snapshots/18/hot-chain.ffrec.gz");
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).expect("gzip");
    let read = recording::read(&text);
    let mut model = Model::new(Vec::new());
    let timeline = read.timeline.expect("a timeline");
    update(&mut model, Msg::Opened { name: String::from("18/hot-chain"), timeline, lost: read.lost });
    model
}
