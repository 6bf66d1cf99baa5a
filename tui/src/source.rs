//! What a SOURCE on the command line is: a recording, a name of the library, or a relation file.

use crate::library;
use ffviz_engine::app::Msg;
use ffviz_engine::recording;
use ffviz_engine::timeline::Timeline;
use std::io::Read;
use std::path::Path;

/// A source as far as it could be read.
pub struct Opened {
    /// how it is called on screen
    pub name: String,
    /// its states
    pub timeline: Timeline,
    /// what was lost while reading, a sentence each
    pub lost: Vec<String>,
}

impl From<Opened> for Msg {
    fn from(opened: Opened) -> Self {
        Self::Opened { name: opened.name, timeline: opened.timeline, lost: opened.lost }
    }
}

/// Opens a recording by path or by its name in the library.
///
/// # Errors
/// A sentence that says what is wrong and what to do.
pub fn recording(source: &str) -> Result<Opened, String> {
    if let Some(bytes) = library::find(source) {
        return read_recording(source, bytes);
    }
    let path = Path::new(source);
    if !path.exists() {
        return Err(format!("{source}: no such file, nor a recording of the library; `ffviz list` names those"));
    }
    let bytes = std::fs::read(path).map_err(|error| format!("{source}: {error}"))?;
    let name = path.file_name().map_or(source.into(), |name| name.to_string_lossy());
    read_recording(name.trim_end_matches(".gz").trim_end_matches(".ffrec"), &bytes)
}

/// Reads the bytes of a recording, compressed or not.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn read_recording(name: &str, bytes: &[u8]) -> Result<Opened, String> {
    let (text, cut) = decompress(bytes);
    let recording::Recording { timeline, mut lost, .. } = recording::read(&text);
    lost.extend(cut.map(|error| format!("the compressed file ends early or is damaged: {error}")));
    match timeline {
        Some(timeline) => Ok(Opened { name: name.to_owned(), timeline, lost }),
        None => {
            let why = lost.first().map_or("it has no capture", String::as_str);
            Err(format!("{name}: nothing in it can be shown: {why}"))
        }
    }
}

/// What can be had of a gzip file; anything else is taken as it is.
fn decompress(bytes: &[u8]) -> (Vec<u8>, Option<std::io::Error>) {
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        return (bytes.to_vec(), None);
    }
    let mut text = Vec::new();
    let result = flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut text);
    (text, result.err())
}
