//! `ffviz record`: captures without a screen, appended to a file that stays readable whenever the program is killed.
//!
//! Each capture goes to the file in one write; one that was cut off lacks its `end` line and readers say so. In a `.gz`
//! each capture is a member of its own.

use crate::progress::ProgressLine;
use crate::{interrupt, source};
use ffviz_format::page::Oid;
use ffviz_format::state::State;
use ffviz_live::args::RecordArgs;
use ffviz_live::capture::{Capture, Source};
use ffviz_live::pages::Pace;
use ffviz_live::wal::Follower;
use ffviz_live::{Failure, Kind, Opened};
use ffviz_story::recording;
use ffviz_story::timeline::WalBetween;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// Records; the sentence says what was written.
///
/// # Errors
/// One sentence that says what is wrong and what to do.
pub fn run(args: &RecordArgs) -> Result<String, String> {
    if args.read.tables.is_empty() {
        return Err("which table? Name it with -t; ffviz attach lists them".to_owned());
    }
    let interrupted = interrupt::flag()?;
    let runtime = ffviz_live::runtime()?;
    let mut opened = runtime.block_on(Opened::open(&args.read)).map_err(|failure| failure.sentence)?;
    if let Some(refusal) = opened.access.refusal() {
        return Err(format!("there is nothing to record: {refusal}"));
    }
    opened.connector.stop_asking();
    let output = Output::open(&args.output)?;
    let progress = ProgressLine::new();
    let continues = args.wal.is_some() && !args.read.redact;
    let last = output.last();
    if let Some(others) = last.as_ref().and_then(|last| recorded_instead(last, &opened.tables)) {
        return Err(format!(
            "{} is a recording of {others}; name another file, or that table with -t too",
            output.name
        ));
    }
    let previous = last.filter(|last| continues && !last.redacted);
    let previous = previous.filter(|last| last.server == opened.access.server);
    let follower = Follower::new(args.wal_options()?);
    let wal = if previous.is_some() { follower.continuing() } else { follower };
    let recorder = Recorder { args, output, interrupted, progress, wal, previous, captures: 0, pages: 0, records: 0 };
    runtime.block_on(recorder.run(&mut opened)).map_err(|failure| failure.sentence)
}

/// What a recording is of, where none of these tables is in it.
fn recorded_instead(last: &State, tables: &[Oid]) -> Option<String> {
    let recorded = || last.relations.values().filter(|relation| relation.table.is_none());
    if recorded().any(|relation| tables.contains(&relation.oid)) {
        return None;
    }
    let names: Vec<&str> = recorded().map(|relation| relation.name.as_str()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

struct Recorder<'a> {
    args: &'a RecordArgs,
    output: Output,
    interrupted: Arc<AtomicBool>,
    progress: ProgressLine,
    wal: Follower,
    previous: Option<State>,
    captures: u64,
    pages: usize,
    /// of WAL
    records: usize,
}

impl Recorder<'_> {
    async fn run(mut self, opened: &mut Opened) -> Result<String, Failure> {
        let mut pace = Pace::new(self.args.read.pages_per_second);
        let count = self.args.count.unwrap_or(if self.args.every.is_some() { u64::MAX } else { 1 });
        let every = self.args.every.unwrap_or(Duration::from_secs(2));
        while self.captures < count && !self.interrupted.load(Ordering::Relaxed) {
            let next = Instant::now() + every;
            match self.capture(opened, &mut pace).await {
                Err(failure) if self.captures > 0 && failure.kind == Kind::Gone => {
                    self.reconnect(opened, &failure).await
                }
                outcome => outcome?,
            }
            if self.captures < count {
                self.sleep_until(next).await;
            }
        }
        self.progress.clear();
        if self.captures == 0 {
            return Err("interrupted before the first capture; nothing was recorded".to_owned().into());
        }
        let plural = if self.captures == 1 { "" } else { "s" };
        let name = self.args.output.display();
        let wal = self.args.wal.as_ref().map(|_| format!(" and {} WAL records", self.records)).unwrap_or_default();
        Ok(format!(
            "{} capture{plural} with {} pages{wal} written to {name}; ffviz replay {name} plays them",
            self.captures, self.pages
        ))
    }

    async fn capture(&mut self, opened: &Opened, pace: &mut Pace) -> Result<(), Failure> {
        self.progress.say(&format!("capture {} …", self.captures + 1));
        let mut source = Source { session: &opened.session, access: &opened.access, pace, pages: self.args.read.pages };
        let Capture { state, notes } = source.capture(&opened.tables, &BTreeSet::new(), self.previous.as_ref()).await?;
        for note in notes {
            self.progress.note(&note);
        }
        self.wal.follow(&opened.session, pace, self.previous.as_ref(), &state).await;
        let wal = self.wal.take(self.previous.as_ref());
        let wal = match (&self.previous, wal) {
            (Some(previous), Some(wal)) if self.args.read.redact => Some(recording::redact_wal(&wal, previous, &state)),
            (_, wal) => wal,
        };
        let label = self.args.label.as_deref().filter(|_| self.captures == 0);
        let title = self.args.title.as_deref().filter(|_| self.captures == 0);
        let label = if self.args.read.redact { label.and_then(recording::command_tag) } else { label };
        // the redacted form of what changed: a page that did not change has the same form again
        let text = if self.args.read.redact {
            let previous = self.previous.as_ref().map(recording::redact);
            recording::write(&recording::redact(&state), previous.as_ref(), title, label, wal.as_ref())
        } else {
            recording::write(&state, self.previous.as_ref(), title, label, wal.as_ref())
        };
        self.output.append(&text)?;
        self.tell(wal.as_ref());
        self.captures += 1;
        self.pages += state.pages.len();
        self.progress.say(&format!("capture {}: {} pages", self.captures, state.pages.len()));
        self.previous = Some(state);
        Ok(())
    }

    /// Counts the records of WAL, and says why they are not all.
    fn tell(&mut self, wal: Option<&WalBetween>) {
        let Some(wal) = wal else { return };
        self.records += wal.records.len();
        if let Some(gap) = &wal.gap {
            self.progress.note(&format!("capture {}: {gap}", self.captures + 1));
        }
    }

    /// Tries again and again, until Ctrl-C.
    async fn reconnect(&mut self, opened: &mut Opened, failure: &Failure) {
        self.progress.note(&format!("the connection is lost, connecting again … ({failure})"));
        let mut pause = Duration::from_millis(500);
        while !self.interrupted.load(Ordering::Relaxed) {
            self.sleep_until(Instant::now() + pause).await;
            pause = (pause * 2).min(Duration::from_secs(15));
            if opened.reopen().await.is_ok() {
                self.progress.note("connected again");
                return;
            }
        }
    }

    /// Sleeps in short pieces, to notice Ctrl-C.
    async fn sleep_until(&self, end: Instant) {
        const PIECE: Duration = Duration::from_millis(100);
        while !self.interrupted.load(Ordering::Relaxed) && Instant::now() < end {
            tokio::time::sleep_until(end.min(Instant::now() + PIECE)).await;
        }
    }
}

/// The file, open for appending.
struct Output {
    file: File,
    name: String,
    compressed: bool,
}

impl Output {
    /// Opens or creates it. An existing file must be a recording, and whole: what follows a cut cannot be read.
    fn open(path: &Path) -> Result<Self, String> {
        let name = path.display().to_string();
        let wrong = |error: std::io::Error| format!("{name} cannot be written: {error}");
        let compressed = path.extension().is_some_and(|ending| ending == "gz");
        let mut file = OpenOptions::new().create(true).read(true).append(true).open(path).map_err(wrong)?;
        if file.metadata().map_err(wrong)?.len() > 0 {
            let tail = check(&file, compressed).map_err(|why| format!("{name} exists and {why}; name another file"))?;
            if tail != Some(b'\n') && !compressed {
                file.write_all(b"\n").map_err(wrong)?; // a line that a killed program left unfinished
            }
        }
        Ok(Self { file, name, compressed })
    }

    /// The last capture that the file has.
    fn last(&self) -> Option<State> {
        let bytes = std::fs::read(&self.name).ok()?;
        let recorded = source::read_recording(&self.name, &bytes).ok()?;
        Some(recorded.timeline.last().clone())
    }

    /// One capture in one write, then to disk.
    fn append(&mut self, text: &str) -> Result<(), String> {
        let bytes = if self.compressed {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish())
        } else {
            Ok(text.as_bytes().to_vec())
        };
        let written = bytes.and_then(|bytes| self.file.write_all(&bytes)).and_then(|()| self.file.sync_data());
        written.map_err(|error| format!("{} cannot be written: {error}; what was recorded before is whole", self.name))
    }
}

/// The last byte of a recording; or what is wrong with it.
fn check(file: &File, compressed: bool) -> Result<Option<u8>, &'static str> {
    const START: &[u8] = b"{\"line\":\"capture\"";
    let mut reader: Box<dyn BufRead> =
        if compressed { Box::new(BufReader::new(MultiGzDecoder::new(file))) } else { Box::new(BufReader::new(file)) };
    let mut start = [0; START.len()];
    reader.read_exact(&mut start).map_err(|_| "is not a recording")?;
    if start != START {
        return Err("is not a recording");
    }
    let mut last = start.last().copied();
    loop {
        let chunk = reader.fill_buf().map_err(|_| "is damaged")?;
        if chunk.is_empty() {
            return Ok(last);
        }
        last = chunk.last().copied();
        let length = chunk.len();
        reader.consume(length);
    }
}
