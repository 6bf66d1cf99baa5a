//! What a SOURCE on the command line is: a recording, a name of the library, a script for the simulator, or a relation
//! file. A live database is `live`'s.

use crate::relation_file::{self, Hints};
use crate::{book, library, sim};
use ffviz_format::state::PageId;
use ffviz_simulator::sql::run::{DEFAULT, RunOptions};
use ffviz_story::app::Msg;
use ffviz_story::lesson::Lesson;
use ffviz_story::recording;
use ffviz_story::timeline::Timeline;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// the first bytes of a gzip file
const GZIP: &[u8] = &[0x1F, 0x8B];
/// bytes that tell what a file is
const HEAD: u64 = 4096;

/// A source as far as it could be read.
pub struct Opened {
    /// how it is called on screen
    pub name: String,
    /// its states
    pub timeline: Timeline,
    /// what was lost while reading, a sentence each
    pub lost: Vec<String>,
    /// what is to be said of how it was read, a sentence each
    pub told: Vec<String>,
    /// statements of a script that were refused, a sentence each
    pub refused: Vec<String>,
    /// the page to begin with, where it is not the first
    pub page: Option<PageId>,
    /// of a lesson: what is read beside its steps
    pub lesson: Option<Lesson>,
}

impl Opened {
    /// A source that was read whole.
    #[must_use]
    pub fn new(name: &str, timeline: Timeline) -> Self {
        let (lost, told, refused) = (Vec::new(), Vec::new(), Vec::new());
        Self { name: name.to_owned(), timeline, lost, told, refused, page: None, lesson: None }
    }
}

impl From<Opened> for Msg {
    fn from(opened: Opened) -> Self {
        let Opened { name, timeline, lost, lesson, .. } = opened;
        match lesson {
            Some(lesson) => Self::Lesson { name, lesson, timeline },
            None => Self::Opened { name, timeline, lost },
        }
    }
}

/// Opens a recording by path or by its name in the library, or a relation file.
///
/// # Errors
/// A sentence that says what is wrong and what to do.
pub fn open(source: &str, hints: &Hints) -> Result<Opened, String> {
    if let Some(opened) = of_library(source) {
        return opened;
    }
    let path = Path::new(source);
    if path.is_dir() {
        return Err(format!(
            "{source}: a folder; name a file in it: a recording, a script, a relation file. `ffviz wal {source}` reads a folder of WAL segments"
        ));
    }
    if !path.is_file() {
        return Err(format!(
            "{source}: no such file, nor a lesson or a recording of the library; `ffviz` without more lists those"
        ));
    }
    let name = path.file_name().map_or(source.into(), |name| name.to_string_lossy());
    if path.extension().is_some_and(|extension| extension == "sql") {
        let options = RunOptions::new(hints.version.unwrap_or(DEFAULT));
        let (run, refused) = sim::command::play(source, sim::file::read(path)?, &options)?;
        return Ok(Opened { refused, ..Opened::new(&name, run.timeline) });
    }
    let say = |error: std::io::Error| format!("{source}: {error}");
    // a relation file may be longer than there is memory: what it is, its beginning tells
    let mut head = Vec::new();
    File::open(path).map_err(say)?.take(HEAD).read_to_end(&mut head).map_err(say)?;
    if is_recording(&head) {
        let bytes = std::fs::read(path).map_err(say)?;
        return read_recording(name.trim_end_matches(".gz").trim_end_matches(".ffrec"), &bytes);
    }
    if name.contains(".ffrec") {
        let why = if head.is_empty() { "it is empty" } else { "it is no JSON Lines" };
        return Err(format!("{source}: no recording: {why}"));
    }
    if is_segment(&name, &head) {
        return Err(format!(
            "{source}: a segment of the WAL, which has no pages; `ffviz wal {source}` lists its records"
        ));
    }
    if is_control_file(&head) {
        return Err(format!(
            "{source}: the control file of a cluster, which has no pages; pg_controldata prints what is in it"
        ));
    }
    let relation_file::Opened { timeline, page, told } = relation_file::open(path, hints)?;
    Ok(Opened { told, page, ..Opened::new(&name, timeline) })
}

/// What the library has of this name: a lesson, which is played, or a recording.
///
/// # Errors
/// What is wrong with it.
pub fn of_library(name: &str) -> Option<Result<Opened, String>> {
    let recording = || library::whole_name(name).and_then(|name| Some(read_recording(name, library::find(name)?)));
    book::find(name).map(book::play).or_else(recording)
}

/// JSON Lines, or a gzip file.
fn is_recording(bytes: &[u8]) -> bool {
    let bytes = sim::file::without_mark(bytes);
    bytes.starts_with(GZIP) || bytes.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'{')
}

/// A file of WAL, whatever it is called: it begins with a long page header (`XLogLongPageHeaderData` of
/// src/include/access/xlog_internal.h). One that nothing was written to yet is known by its name of 24 digits.
fn is_segment(name: &str, head: &[u8]) -> bool {
    let digits = name.split('.').next().unwrap_or_default();
    let is_named = digits.len() == 24 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has_magic = matches!(head, [_, 0xD0 | 0xD1, ..]);
    let is_power = |at: usize, least: u32, most: u32| {
        number(head, at).is_some_and(|size| size.is_power_of_two() && (least..=most).contains(&size))
    };
    // xlp_seg_size and xlp_xlog_blcksz
    let has_sizes = is_power(32, 1 << 20, 1 << 30) && is_power(36, 1 << 10, 1 << 16);
    has_magic && (is_named || has_sizes) || is_named && head.iter().all(|byte| *byte == 0)
}

/// `global/pg_control`: after the system identifier its own version, as in 1300 or 1800, and the catalogs', a date
/// (`ControlFileData` of src/include/catalog/pg_control.h).
fn is_control_file(head: &[u8]) -> bool {
    let is_between = |at: usize, from: u32, to: u32| number(head, at).is_some_and(|value| (from..to).contains(&value));
    is_between(8, 900, 3000) && is_between(12, 200_000_000, 210_000_000)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Reads the bytes of a recording, compressed or not.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn read_recording(name: &str, bytes: &[u8]) -> Result<Opened, String> {
    let (text, cut) = decompress(bytes);
    let recording::Recording { timeline, mut lost, lesson, .. } = recording::read(sim::file::without_mark(&text));
    lost.extend(cut.map(|error| format!("the compressed file ends early or is damaged: {error}")));
    match timeline {
        Some(timeline) => Ok(Opened { lost, lesson, ..Opened::new(name, timeline) }),
        None => {
            let why = lost.first().map_or("it has no capture", String::as_str);
            Err(format!("{name}: nothing in it can be shown: {why}"))
        }
    }
}

/// What can be had of a gzip file; anything else is taken as it is.
fn decompress(bytes: &[u8]) -> (Vec<u8>, Option<std::io::Error>) {
    if !bytes.starts_with(GZIP) {
        return (bytes.to_vec(), None);
    }
    let mut text = Vec::new();
    let result = flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut text);
    (text, result.err())
}
