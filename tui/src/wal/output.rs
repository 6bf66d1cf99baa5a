//! Where the list or the totals go: standard output, and a line of progress on the terminal meanwhile.

use super::args::WalCommand;
use super::entry::Entry;
use super::json;
use super::stats::Stats;
use super::text::{Layout, grouped};
use crate::progress::ProgressLine;
use ffviz_format::page::Lsn;
use ffviz_live::Failure;
use ffviz_live::segments::names::Names;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Stdout, Write};
use std::time::{Duration, Instant};

/// Time between two lines of progress, and before the first.
const PROGRESS: Duration = Duration::from_millis(250);

/// Does anybody read on?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// yes
    Open,
    /// whoever closed standard output has seen enough
    Closed,
}

/// What is written to.
pub struct Output {
    out: BufWriter<Stdout>,
    layout: Layout,
    is_text: bool,
    stats: Option<Stats>,
    is_closed: bool,
    /// where reading began
    start: Lsn,
    /// when the next line of progress is due; none where nobody would see it
    due: Option<Instant>,
    progress: ProgressLine,
}

impl Output {
    /// Standard output.
    #[must_use]
    pub fn new(args: &WalCommand, layout: Layout) -> Self {
        let progress = ProgressLine::new();
        let is_seen = progress.is_shown() && (args.stats || !io::stdout().is_terminal());
        Self {
            out: BufWriter::new(io::stdout()),
            layout,
            is_text: args.format.is_text(),
            stats: args.stats.then(Stats::default),
            is_closed: false,
            start: Lsn(0),
            due: is_seen.then(|| Instant::now() + PROGRESS),
            progress,
        }
    }

    /// Says what follows.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn begin(&mut self, what: &str, from: Lsn, to: Lsn) -> Result<(), Failure> {
        self.start = from;
        self.layout.lsn = to.to_string().len();
        if !self.is_text {
            return Ok(());
        }
        let span = grouped(to.0.saturating_sub(from.0).div_ceil(1024));
        let title = format!("{what} · {from} to {to}, {span} kB with page headers and padding");
        let header = if self.stats.is_some() { String::new() } else { self.layout.header() };
        self.line(&format!("{}\n{header}", self.layout.title(title))).map(drop)
    }

    /// A record.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn write(&mut self, entry: &Entry, names: &Names) -> Result<Written, Failure> {
        if let Some(stats) = &mut self.stats {
            stats.add(entry, names);
            return Ok(Written::Open);
        }
        let line = if self.is_text { self.layout.line(entry, names) } else { json::record(entry, names) };
        self.line(&line)
    }

    /// The totals, if they are asked for.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn finish(mut self) -> Result<(), Failure> {
        self.progress.clear();
        if let Some(stats) = self.stats.take() {
            let text = if self.is_text { self.layout.plain(stats.text()) } else { stats.json() };
            self.line(text.trim_end())?;
        }
        match self.out.flush() {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("standard output: {error}").into()),
            _ => Ok(()),
        }
    }

    /// Has whoever read it closed standard output?
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// A sentence for people, beside the output.
    pub fn note(&mut self, sentence: &str) {
        self.progress.note(sentence);
    }

    /// How far it is.
    pub fn progress(&mut self, at: Lsn, to: Lsn) {
        let Some(due) = self.due.filter(|due| Instant::now() >= *due) else { return };
        self.due = Some(due.max(Instant::now()) + PROGRESS);
        let megabytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let (done, all) = (at.0.saturating_sub(self.start.0), to.0.saturating_sub(self.start.0));
        self.progress.say(&format!("{:.1} of {:.1} MB of WAL …", megabytes(done), megabytes(all)));
    }

    fn line(&mut self, text: &str) -> Result<Written, Failure> {
        match writeln!(self.out, "{text}") {
            Ok(()) => Ok(Written::Open),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(Written::Closed)
            }
            Err(error) => Err(format!("standard output: {error}").into()),
        }
    }
}
