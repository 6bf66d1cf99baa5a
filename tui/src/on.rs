//! `--on CONNINFO`: a script, or a lesson, on a server in place of the simulator.

use crate::source::Opened;
use crate::{interrupt, lesson};
use clap::Args;
use ffviz_live::script::{Ground, PlayOptions, ServerPlay, play};
use ffviz_simulator::sql::script::{Item, Script};
use ffviz_story::lesson::Lesson;
use ffviz_story::timeline::Run;
use std::io::IsTerminal;

/// Pages of a fork that are looked at after each statement, from its beginning.
const PAGES: u32 = 1000;
/// Bytes of WAL of a statement that are read at most.
const WAL: u64 = 64 << 20;
/// Bytes of a page, as `--disk` counts them.
const PAGE: u64 = 8192;

/// Which server, and how far a script may reach there.
#[derive(Debug, Clone, Default, Args)]
pub struct OnArgs {
    /// Run it on this server, named as psql names it, in a database of its own that is dropped afterwards
    #[arg(long, value_name = "CONNINFO")]
    pub on: Option<String>,
    /// With --on: let the script do what the whole server notices: CHECKPOINT, pg_switch_wal()
    #[arg(long, requires = "on")]
    pub allow_server_wide: bool,
}

/// What is kept of a run, and how much room it may take.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// steps that are kept one by one
    pub steps: usize,
    /// pages on the disk
    pub disk: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { steps: 100_000, disk: (2 << 30) / PAGE }
    }
}

/// Runs a script there.
///
/// # Errors
/// A sentence: why nothing of it was run.
pub fn run(
    conninfo: &str,
    (name, script): (&str, &Script),
    args: &OnArgs,
    bounds: Bounds,
) -> Result<ServerPlay, String> {
    let options = PlayOptions {
        steps: bounds.steps,
        disk: bounds.disk.saturating_mul(PAGE),
        pages: PAGES,
        wal: WAL,
        server_wide: args.allow_server_wide,
        interrupt: interrupt::flag()?,
    };
    let is_watched = std::io::stderr().is_terminal();
    let work = async {
        let ground = Ground::find(conninfo).await?;
        for left in ground.leftovers().await? {
            eprintln!("ffviz: {left}");
        }
        let refused = |why| format!("{name}: {why}; nothing was sent");
        let walled = ground.admit(script, options.server_wide).map_err(refused)?;
        let place = ground.place();
        let told = |drop: &str| {
            if is_watched {
                eprintln!("ffviz: running on {place}; should it be killed, what is left is dropped by: {drop}");
            }
        };
        play(ground, walled, options, told).await
    };
    ffviz_live::runtime()?.block_on(work).map_err(|failure| failure.sentence)
}

/// What is told at the end of a run: what was not sent, and why it ended early.
#[must_use]
pub fn told(name: &str, played: &mut ServerPlay) -> Vec<String> {
    let mut told = std::mem::take(&mut played.refused);
    told.extend(played.stopped.take().map(|why| format!("{name}: {why}")));
    told
}

/// Runs a script there and opens it at the first state that has something to see.
///
/// # Errors
/// As [`run`]; a text that is no script.
pub fn open(conninfo: &str, (name, text): (&str, &str), args: &OnArgs, bounds: Bounds) -> Result<Opened, String> {
    let script = Script::parse(text).map_err(|error| format!("{name}: {error}"))?;
    let mut played = run(conninfo, (name, &script), args, bounds)?;
    let refused = told(name, &mut played);
    let timeline = Run::new(text.to_owned(), Vec::new(), played.timeline).timeline;
    Ok(Opened { refused, ..Opened::new(name, timeline) })
}

/// Plays a chapter's SQL there. Figures and answers are those that the simulator computes.
///
/// # Errors
/// As [`run`]; what is wrong with the chapter.
pub fn open_lesson(conninfo: &str, chapter: lesson::Chapter, args: &OnArgs) -> Result<Opened, String> {
    let simulated = lesson::play(chapter)?;
    let Some(mut lesson) = simulated.lesson else { return Err(format!("{}: no lesson", chapter.name)) };
    let script = Script::parse(&lesson.script()).map_err(|error| format!("{}.md: {error}", chapter.name))?;
    let mut played = run(conninfo, (chapter.name, &script), args, Bounds::default())?;
    let refused = told(chapter.name, &mut played);
    place_sections(&mut lesson, &script, &played.after);
    Ok(Opened { refused, lesson: Some(lesson), ..Opened::new(&simulated.name, played.timeline) })
}

/// Gives each section the states that its SQL has led to there; a section that was not reached has the last.
fn place_sections(lesson: &mut Lesson, script: &Script, after: &[usize]) {
    let line = |item: &Item| match item {
        Item::Statement(statement) => statement.line,
        Item::Directive { line, .. } => *line,
    };
    let lines: Vec<u32> = lesson.sections.iter().skip(1).map(|next| next.line).chain([u32::MAX]).collect();
    let count = after.last().copied().unwrap_or(1);
    let mut first = 1;
    for (n, (section, end)) in lesson.sections.iter_mut().zip(lines).enumerate() {
        let items = script.items.iter().filter(|item| line(item) < end).count();
        let behind = items.checked_sub(1).map_or(1, |last| after.get(last).copied().unwrap_or(count));
        section.states = match n {
            0 => 0..1,
            _ if behind > first => first..behind,
            _ => count - 1..count,
        };
        first = first.max(behind);
    }
}
