//! The lessons of the site: each chapter of the book is played, and what happened is kept as a recording, so that the
//! page needs no simulator.

use crate::inline::gzip;
use crate::{Asset, Outcome};
use ffviz_simulator::sql::player::play;
use ffviz_story::app::LESSONS;
use ffviz_story::lesson::{book, read};
use ffviz_story::recording;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The index of the library, which lists the lessons first.
const INDEX: &str = "snapshots/library.json";

/// Adds a trace a chapter, and puts the lessons into the index.
pub fn add(tutorials: &Path, assets: &mut Vec<Asset>) -> Outcome<()> {
    let mut entries = Vec::new();
    for chapter in book(&fs::read_to_string(tutorials.join("README.md"))?) {
        let name = format!("{LESSONS}/{}", chapter.name);
        let text = fs::read_to_string(tutorials.join(format!("{}.md", chapter.name)))?;
        let lesson = read(&text).map_err(|error| format!("{name}: {error}"))?;
        let played = play(lesson).map_err(|why| format!("{name}: {why}"))?;
        let trace = recording::save_lesson(&played.timeline, &played.lesson);
        assets.push(Asset { path: format!("snapshots/{name}.ffrec.gz"), bytes: gzip(trace.as_bytes())? });
        entries.push(json!({ "name": name, "title": format!("{}: {}", chapter.title, chapter.about) }));
    }
    let index = assets.iter_mut().find(|asset| asset.path == INDEX).ok_or("there is no index of the library")?;
    let recordings: Vec<Value> = serde_json::from_slice(&index.bytes)?;
    entries.extend(recordings);
    index.bytes = serde_json::to_vec(&entries)?;
    Ok(())
}
