//! A lesson is played: its SQL runs in the simulator, its figures are computed, each section gets its states.
//!
//! ```text
//!  Lesson ──script──▶ items ──Simulator──▶ Timeline          one of all sections
//!             section n's SQL ──▶ Ran ──▶ its figures, and those of the question that is asked before it
//! ```

mod figures;
mod quantity;
#[cfg(all(test, feature = "native"))]
mod tests;

pub use figures::Wrong;

use crate::sql::run::{DEFAULT, RunOptions, Simulator, simulated_version};
use crate::sql::script::{Item, Script};
use crate::sql::trace::TraceLine;
use crate::storage::Happening;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::wal::Record;
use ffviz_story::lesson::Lesson;
use ffviz_story::timeline::Timeline;
use figures::Figures;

/// A lesson that was played.
#[derive(Debug, Clone)]
pub struct Played {
    /// it, with states, figures and answers
    pub lesson: Lesson,
    /// its steps
    pub timeline: Timeline,
    /// figures that are not what the text says
    pub wrong: Vec<Wrong>,
}

/// What the SQL of a section did.
struct Ran<'a> {
    simulator: &'a Simulator,
    /// the trace of its statements
    lines: &'a [TraceLine],
    /// all records
    records: &'a [Arc<Record>],
}

/// The server that a lesson is about.
///
/// # Errors
/// A version that is not simulated: a sentence.
pub fn options(lesson: &Lesson) -> Result<RunOptions, String> {
    let version = lesson.options.version.as_deref().map_or(Ok(DEFAULT), simulated_version)?;
    let settings = lesson.options.settings.clone();
    Ok(RunOptions { settings, xid: lesson.options.xid, ..RunOptions::new(version) })
}

/// Plays a lesson.
///
/// # Errors
/// SQL that is no script or that is not simulated, a setting that there is not, a figure that cannot be computed: a
/// sentence with its line.
pub fn play(mut lesson: Lesson) -> Result<Played, String> {
    let options = options(&lesson)?;
    let script = Script::parse(&lesson.script()).map_err(|error| format!("{error}"))?;
    let mut simulator = Simulator::new(&options, true, true)?;
    let mut timeline = Timeline::new(simulator.state(), None);
    let mut items = script.items.iter().peekable();
    let mut figures = Figures::default();
    let ends: Vec<u32> = lesson.sections.iter().skip(1).map(|next| next.line).chain([u32::MAX]).collect();
    for (n, end) in ends.into_iter().enumerate() {
        let first = timeline.len();
        let (mut lines, mut records) = (Vec::new(), Vec::new());
        while let Some(item) = items.next_if(|item| line_of(item) < end) {
            let done = simulator.item(item);
            if let Some(refused) = done.refused {
                return Err(refused);
            }
            lines.extend(done.lines);
            records.extend(done.happenings.iter().filter_map(record).cloned());
            simulator.append(&mut timeline, done.simulated, done.happenings);
        }
        let section = &mut lesson.sections[n];
        section.states = if n == 0 { 0..1 } else { first..timeline.len() };
        if section.states.is_empty() {
            return Err(format!("line {}: there is no statement in this SQL", section.line));
        }
        let ran = Ran { simulator: &simulator, lines: &lines, records: &records };
        figures.of_prose(&mut lesson.sections[n], &ran)?;
        if let Some(question) = n.checked_sub(1).and_then(|before| lesson.sections[before].question.as_mut()) {
            figures.of_question(question, &ran)?;
        }
    }
    Ok(Played { lesson, timeline, wrong: figures.wrong })
}

const fn line_of(item: &Item) -> u32 {
    match item {
        Item::Statement(statement) => statement.line,
        Item::Directive { line, .. } => *line,
    }
}

const fn record(happening: &Happening) -> Option<&Arc<Record>> {
    match happening {
        Happening::Record(record, _) => Some(record),
        _ => None,
    }
}
