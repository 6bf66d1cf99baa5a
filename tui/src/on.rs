//! `--on CONNINFO`: a script, or a lesson, on a server in place of the simulator.

use crate::inbox::Mailbox;
use crate::source::Opened;
use crate::{book, environment, interrupt};
use clap::Args;
use ffviz_live::WorkloadServer;
use ffviz_live::script::{Ground, PlayOptions, ServerPlay, play};
use ffviz_simulator::sql::script::{Item, Script};
use ffviz_story::app::{Effect, Msg, Problem, RunReport, RunRequest};
use ffviz_story::lesson::Lesson;
use ffviz_story::timeline::Run;
use std::io::IsTerminal;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Pages of a fork that are looked at after each statement, from its beginning.
const PAGES: u32 = 1000;
/// Bytes of WAL of a statement that are read at most.
const WAL: u64 = 64 << 20;
/// Bytes of a page, as `--disk` counts them.
const PAGE: u64 = 8192;
/// Settings of a server by which its WAL is another one.
pub const COUNT: [&str; 5] = ["data_checksums", "wal_log_hints", "wal_compression", "full_page_writes", "wal_level"];
/// As much as the main thread has.
const STACK: usize = 8 << 20;

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

/// A server, and how a script runs there.
#[derive(Debug, Clone)]
pub struct On {
    conninfo: String,
    server_wide: bool,
    bounds: Bounds,
}

impl OnArgs {
    /// The server that is named, if one is.
    #[must_use]
    pub fn server(&self, bounds: Bounds) -> Option<On> {
        let conninfo = self.on.clone()?;
        Some(On { conninfo, server_wide: self.allow_server_wide, bounds })
    }
}

/// A workload's place on the server that was named, if one was; what is to be known of it goes to standard error.
///
/// # Errors
/// A server that cannot be reached, a role that may not: a sentence.
pub fn workload(args: &OnArgs, interrupt: &Arc<AtomicBool>) -> Result<Option<WorkloadServer>, String> {
    let Some(conninfo) = &args.on else { return Ok(None) };
    let mut told = |sentence: String| {
        if std::io::stderr().is_terminal() {
            environment::note(&sentence);
        }
    };
    WorkloadServer::open(conninfo, args.allow_server_wide, Arc::clone(interrupt), &mut told).map(Some)
}

impl On {
    /// Runs a script there; `told` are sentences about what was left before, and what would be left of this run.
    ///
    /// # Errors
    /// A sentence: why nothing of it was run.
    fn play(
        &self,
        script: &Script,
        interrupt: Arc<AtomicBool>,
        told: &mut dyn FnMut(String),
    ) -> Result<ServerPlay, String> {
        let options = PlayOptions {
            steps: self.bounds.steps,
            disk: self.bounds.disk.saturating_mul(PAGE),
            pages: PAGES,
            wal: WAL,
            server_wide: self.server_wide,
            interrupt,
        };
        let work = async {
            let ground = Ground::find(&self.conninfo).await?;
            for left in ground.leftovers().await? {
                told(left);
            }
            let walled = ground.admit(script, options.server_wide).map_err(|why| format!("{why}; nothing was sent"))?;
            let place = ground.place();
            let say = |drop: &str| {
                if std::io::stderr().is_terminal() {
                    told(format!("running on {place}; should it be killed, what is left is dropped by: {drop}"));
                }
            };
            play(ground, walled, options, say).await
        };
        ffviz_live::runtime()?.block_on(work).map_err(|failure| failure.sentence)
    }

    /// The same for a command without a screen; Ctrl-C stops it.
    ///
    /// # Errors
    /// A server that cannot be reached, a role that may not, a script that is refused: a sentence.
    pub fn run(&self, name: &str, script: &Script) -> Result<ServerPlay, String> {
        let mut told = |sentence: String| environment::note(&sentence);
        self.play(script, interrupt::flag()?, &mut told).map_err(|why| format!("{name}: {why}"))
    }

    /// Runs a script there, and gives it at the first state that has something to see, with the statements that were
    /// not sent, and why it ended early.
    ///
    /// # Errors
    /// As [`Self::run`]; a text that is no script.
    pub fn script(&self, name: &str, text: &str) -> Result<(Run, Vec<String>), String> {
        let (script, spans) = Script::parse_with_spans(text).map_err(|error| format!("{name}: {error}"))?;
        let mut played = self.run(name, &script)?;
        let refused = told(name, &mut played);
        Ok((as_run(text.to_owned(), &spans, played), refused))
    }

    /// Plays a chapter's SQL there. Figures and answers are those that the simulator computes.
    ///
    /// # Errors
    /// As [`Self::run`]; what is wrong with the chapter.
    pub fn lesson(&self, chapter: book::Chapter) -> Result<Opened, String> {
        let simulated = book::play(chapter)?;
        let Some(mut lesson) = simulated.lesson else { return Err(format!("{}: no lesson", chapter.name)) };
        let script = Script::parse(&lesson.script()).map_err(|error| format!("{}.md: {error}", chapter.name))?;
        let mut played = self.run(chapter.name, &script)?;
        let refused = told(chapter.name, &mut played);
        place_sections(&mut lesson, &script, &played.after);
        Ok(Opened { refused, lesson: Some(lesson), ..Opened::new(&simulated.name, played.timeline) })
    }
}

/// What is told at the end of a run: what was not sent, and why it ended early.
#[must_use]
pub fn told(name: &str, played: &mut ServerPlay) -> Vec<String> {
    let mut told = std::mem::take(&mut played.refused);
    told.extend(played.stopped.take().map(|why| format!("{name}: {why}")));
    told
}

/// As the program shows scripts that were run, as far as it came.
fn as_run(text: String, spans: &[Range<usize>], played: ServerPlay) -> Run {
    let ends = spans.iter().map(|span| span.end).take(played.after.len()).collect();
    Run::new(text, ends, played.timeline)
}

/// Runs edited scripts there, for the program on screen: one at a time, on a thread of its own.
pub struct Runner {
    server: On,
    mailbox: Mailbox,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Runner {
    /// Answers to that mailbox.
    #[must_use]
    pub fn new(server: On, mailbox: Mailbox) -> Self {
        Self { server, mailbox, stopped: Arc::default(), thread: None }
    }

    /// Performs what the model asks for.
    pub fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Run(request) => self.run(request),
            Effect::StopRun => self.stopped.store(true, Ordering::Relaxed),
            _ => drop(self.mailbox.send(Msg::Failed("this is a script that was run on a server".into()))),
        }
    }

    fn run(&mut self, request: RunRequest) {
        self.end();
        self.stopped = Arc::default();
        let (server, stopped, mailbox) = (self.server.clone(), Arc::clone(&self.stopped), self.mailbox.clone());
        let work = move || {
            let number = request.number;
            let report = report(&server, request, stopped);
            // the program may have ended
            let _ = mailbox.send(Msg::run(number, report));
        };
        match std::thread::Builder::new().stack_size(STACK).spawn(work) {
            Ok(thread) => self.thread = Some(thread),
            Err(error) => drop(self.mailbox.send(Msg::Failed(format!("the script cannot be run: {error}")))),
        }
    }

    /// Stops what runs, and waits until its database is dropped.
    fn end(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.end();
    }
}

/// What became of a request.
fn report(server: &On, request: RunRequest, stopped: Arc<AtomicBool>) -> RunReport {
    let wrong = |line: u32, sentence: String| {
        RunReport::Wrong(Problem { line: line as usize, column: None, sentence, runs: false, is_valid: false })
    };
    let (script, spans) = match Script::parse_with_spans(&request.text) {
        Ok(parsed) => parsed,
        Err(error) => return wrong(error.line, error.sentence),
    };
    match server.play(&script, stopped, &mut |_| {}) {
        Ok(played) => RunReport::Ran(Box::new(as_run(request.text, &spans, played)), None),
        Err(why) => {
            let line = why.strip_prefix("line ").and_then(|rest| rest.split(':').next()?.parse().ok());
            wrong(line.unwrap_or(1), why)
        }
    }
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
