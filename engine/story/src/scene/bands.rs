//! The statements on the bar of steps, a band each: what was done, in a sign, a word or a line, as there is room.
//!
//! ```text
//! │ + INSERT │ ~ UPDATE        │ × VACUUM   │     one band a statement, as wide as it has steps
//! ```

use super::timeline::{Hide, label};
use super::words;
use crate::timeline::{Group, How, Timeline};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

/// characters of a label in a band's tooltip
const LABEL_WIDTH: usize = 100;

/// A statement, transaction or capture on the bar of steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BandScene {
    /// the states of it that the bar shows
    pub states: Range<usize>,
    /// a sign for what was done, the same in every font
    pub glyph: char,
    /// one word: `UPDATE`
    pub word: String,
    /// what was done, shortened: the SQL, where it is known
    pub label: String,
    /// is the current state in it?
    pub current: bool,
}

/// The bands of these states.
pub(super) fn bands(timeline: &Timeline, around: &Range<usize>, hide: Option<Hide>) -> Vec<BandScene> {
    let groups = timeline.groups();
    let first = groups.partition_point(|group| group.states.end <= around.start);
    let shown = groups.iter().skip(first).take_while(|group| group.states.start < around.end);
    shown.filter(|group| group.states.start > 0).map(|group| band(timeline, group, around, hide)).collect()
}

fn band(timeline: &Timeline, group: &Group, around: &Range<usize>, hide: Option<Hide>) -> BandScene {
    let states = group.states.start.max(around.start)..group.states.end.min(around.end);
    let full = label(timeline, group.states.start, hide);
    let word = word(group, &full);
    BandScene {
        glyph: glyph(&word),
        label: words::shorten(&full, LABEL_WIDTH),
        current: group.states.contains(&timeline.current()),
        states,
        word,
    }
}

/// The statement's first word; of a directive of a script its own; of what was not simulated, that it is a capture.
fn word(group: &Group, label: &str) -> String {
    let text = label.trim_start_matches("--@").trim_start();
    let first = text.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default().to_ascii_uppercase();
    match &group.how {
        _ if STATEMENTS.iter().any(|(word, _)| *word == first) => first,
        How::Simulated { .. } => first,
        How::Start | How::Measured(_) | How::Replayed { .. } => "capture".to_string(),
    }
}

/// Statements with their signs.
const STATEMENTS: [(&str, char); 22] = [
    ("CREATE", '□'),
    ("ALTER", '□'),
    ("DROP", '□'),
    ("TRUNCATE", '□'),
    ("INSERT", '+'),
    ("COPY", '+'),
    ("UPDATE", '~'),
    ("MERGE", '~'),
    ("DELETE", '-'),
    ("SELECT", '?'),
    ("TABLE", '?'),
    ("VALUES", '?'),
    ("WITH", '?'),
    ("EXPLAIN", '?'),
    ("VACUUM", '×'),
    ("ANALYZE", '×'),
    ("BEGIN", '('),
    ("START", '('),
    ("COMMIT", ')'),
    ("END", ')'),
    ("ROLLBACK", '<'),
    ("CHECKPOINT", '#'),
];

fn glyph(word: &str) -> char {
    let known = STATEMENTS.iter().find(|(statement, _)| *statement == word);
    match word {
        "CRASH" => '!',
        _ => known.map_or('·', |(_, glyph)| *glyph),
    }
}
