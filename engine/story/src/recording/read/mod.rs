//! Lines to states. Damage costs only what it hits, is reported with its line, and never leaves a stale page standing
//! as if it were current.

mod steps;

use self::steps::Statement;
use super::line::{CaptureLine, EndLine, FFREC, FFREC_STEPS, Format, GoneLine, Kind, PageLine, WalLine};
use super::wal::{self, Lines};
use crate::lesson::Lesson;
use crate::timeline::{Played, Timeline};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ffviz_format::page::Page;
use ffviz_format::state::{PageId, Relation, State};
use serde::Deserialize;

/// Reports beyond this many are only counted: a file of another kind would give one a line.
const MAX_LOST: usize = 100;

/// A file as far as it could be read.
#[derive(Debug, Clone)]
pub struct Recording {
    /// what it shows, a line; of the first capture that says so
    pub title: Option<String>,
    /// of a lesson: what is read beside the steps
    pub lesson: Option<Lesson>,
    /// the captures in order; `None` when not even one is whole enough
    pub timeline: Option<Timeline>,
    /// what is lost or odd, a sentence each, with the line's number
    pub lost: Vec<String>,
}

/// Reads a recording (not compressed); damage costs only what it hits.
#[must_use]
pub fn read(file: impl AsRef<[u8]>) -> Recording {
    let bytes = file.as_ref();
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut reader = Reader::default();
    for line in bytes.split(|byte| *byte == b'\n') {
        reader.number += 1;
        if !line.iter().all(u8::is_ascii_whitespace) {
            reader.line(line);
        }
    }
    reader.cut_off();
    reader.finish()
}

/// Where we are in the file.
#[derive(Default)]
struct Reader {
    number: usize,
    title: Option<String>,
    timeline: Option<Timeline>,
    lost: Vec<String>,
    unreported: usize,
    open: Option<Open>,
    /// first of the lines that belong to no capture, until there is one again
    outside: Option<usize>,
    /// a capture, or part of one, was lost before the next one
    gap: bool,
    lesson: Option<Lesson>,
    /// a step is lost, and what is behind it cannot be known
    ended: bool,
}

/// A capture of which the end was not yet seen.
struct Open {
    begun: usize,
    label: Option<String>,
    state: State,
    /// the pages this capture lists; the others of `state` are carried over from the capture before
    listed: BTreeSet<PageId>,
    /// `page` lines seen, readable or not
    page_lines: usize,
    relation_lines: usize,
    /// a line was lost of which nobody knows what it said
    blind: bool,
    wal: Lines,
    /// how the statement ended that a server ran
    played: Option<Played>,
    /// what is known of a simulated statement
    simulated: Option<Statement>,
}

impl Reader {
    fn report(&mut self, what: &str) {
        if self.lost.len() < MAX_LOST {
            self.lost.push(format!("line {}: {what}", self.number));
        } else {
            self.unreported += 1;
        }
    }

    fn line(&mut self, line: &[u8]) {
        let Some(kind) = self.parse::<Kind>(line) else { return };
        match &*kind.line {
            _ if self.ended => {}
            "lesson" => self.lesson = self.parse(line),
            "capture" => self.capture(line),
            _ if self.open.is_none() => {
                self.outside.get_or_insert(self.number);
                self.gap = true;
            }
            "relation" | "page" | "wal" | "gone" if self.in_statement() => {
                self.end_of_steps("a line stands here that is no step");
            }
            "relation" => self.relation(line),
            "page" => self.page(line),
            "wal" => self.wal(line),
            "step" => self.step(line),
            "gone" => self.gone(line),
            "end" => self.end(line),
            other => self.report(&format!("skipped, a line of the kind \"{}\" is not known", other.escape_default())),
        }
    }

    /// A line as one of the types; one that cannot be read is reported, and may have been anything.
    fn parse<'a, T: Deserialize<'a>>(&mut self, line: &'a [u8]) -> Option<T> {
        match serde_json::from_slice(line) {
            Ok(value) => Some(value),
            Err(error) => {
                match &mut self.open {
                    Some(open) => {
                        open.blind = true;
                        open.wal.lose(self.number);
                    }
                    None => self.gap = true,
                }
                self.report(&format!("lost, cannot be read: {}", reason(&error)));
                None
            }
        }
    }

    fn capture(&mut self, line: &[u8]) {
        self.cut_off();
        let Some(Format { ffrec }) = self.parse(line) else { return };
        if ![FFREC, FFREC_STEPS].contains(&ffrec) {
            let known = format!("this program reads {FFREC} and {FFREC_STEPS}");
            return self.report(&format!("capture lost, its format is {ffrec}, and {known}"));
        }
        let Some(capture) = self.parse::<CaptureLine>(line) else { return };
        if !capture.block_size.is_power_of_two() || !(1024..=32768).contains(&capture.block_size) {
            return self.report(&format!("capture lost, no page has {} bytes", capture.block_size));
        }
        self.report_outside();
        let server = capture.server();
        let previous = self.timeline.as_ref().map(Timeline::last);
        let carried =
            previous.filter(|last| last.server == server && !capture.whole && last.redacted == capture.redacted);
        let blind = core::mem::take(&mut self.gap);
        if capture.simulated.is_some() && (blind || carried.is_none()) {
            self.ended = true;
            return self.report("this statement, and all behind it, lost: what its steps begin with is not there");
        }
        let mut state = carried.cloned().unwrap_or_else(|| State::empty(server));
        (state.lsn, state.redo) = (capture.lsn(), capture.redo());
        state.system_identifier = capture.system_identifier();
        (state.at, state.redacted) = (capture.at, capture.redacted);
        self.title = self.title.take().or(capture.title);
        let mut wal = Lines::new(capture.wal);
        if blind {
            wal.lose_all("the capture before this one is damaged, so that the WAL since then does not follow it");
        }
        self.open = Some(Open {
            begun: self.number,
            label: capture.label,
            state,
            listed: BTreeSet::new(),
            page_lines: 0,
            relation_lines: 0,
            blind,
            wal,
            played: capture.played,
            simulated: capture.simulated.map(Statement::new),
        });
    }

    fn relation(&mut self, line: &[u8]) {
        let Some(relation) = self.parse::<Relation>(line) else { return };
        let Some(open) = &mut self.open else { return };
        open.relation_lines += 1;
        let state = &mut open.state;
        let oid = relation.oid;
        let before = state.relations.get(&oid);
        let kept =
            |id: &PageId| id.relation != oid || before.is_some_and(|before| relation.keeps(before, id.fork, id.block));
        state.pages.retain(|id, _| kept(id));
        state.relations.insert(oid, Arc::new(relation));
    }

    fn gone(&mut self, line: &[u8]) {
        let Some(GoneLine { oid }) = self.parse(line) else { return };
        let Some(open) = &mut self.open else { return };
        open.relation_lines += 1;
        open.state.relations.remove(&oid);
        open.state.pages.retain(|id, _| id.relation != oid);
    }

    fn page(&mut self, line: &[u8]) {
        if let Some(open) = &mut self.open {
            open.page_lines += 1;
        }
        let Some(page) = self.parse::<PageLine>(line) else { return };
        let Some(open) = &mut self.open else { return };
        let id = page.id();
        let again = if open.listed.insert(id) { "" } else { "an earlier line of this capture has the same page; " };
        let read = page_bytes(&open.state, &page);
        // what was carried over is not what this line said
        open.state.pages.remove(&id);
        match read {
            Ok(read) => {
                open.state.pages.insert(id, read);
                if !again.is_empty() {
                    self.report(&format!("page {id}: {again}this one counts"));
                }
            }
            Err(why) => self.report(&format!("page {id} lost, {again}{why}")),
        }
    }

    fn wal(&mut self, line: &[u8]) {
        let Some(Open { wal: lines, state, .. }) = &mut self.open else { return };
        lines.seen += 1;
        let parsed = serde_json::from_slice::<WalLine>(line).map_err(|error| reason(&error));
        let read = parsed.and_then(|line| wal::record(&line, &state.server)).and_then(|record| lines.push(record));
        if let Err(why) = read {
            lines.lose(self.number);
            self.report(&format!("a record of the WAL, and those behind it, lost: {why}"));
        }
    }

    fn end(&mut self, line: &[u8]) {
        let Some(EndLine { pages, relations, wal, steps }) = self.parse(line) else { return };
        let Some(mut open) = self.open.take() else { return };
        if let Some(statement) = open.simulated.take() {
            return self.end_of_statement(open, statement, steps);
        }
        if let Some(said) = wal.filter(|said| *said != open.wal.seen && open.wal.is_whole()) {
            let found = open.wal.seen;
            open.wal.lose_all("lines of the recording are lost, and with them some of the WAL");
            self.report(&format!(
                "the capture should have {said} records of the WAL, {found} were found: none is used"
            ));
        }
        let relations = relations.unwrap_or(open.relation_lines);
        for (what, said, found) in [("pages", pages, open.page_lines), ("relations", relations, open.relation_lines)] {
            if said != found {
                open.blind = true;
                self.report(&format!("the capture should have {said} {what}, {found} were found"));
            }
        }
        self.close(open);
    }

    /// The capture that is open, if any, has no end: the file was cut, or another one follows.
    fn cut_off(&mut self) {
        let Some(mut open) = self.open.take() else { return };
        open.blind = true;
        let (begun, pages) = (open.begun, open.listed.len());
        self.report(&format!("the capture begun in line {begun} was cut off here, after {pages} pages"));
        if let Some(statement) = open.simulated.take() {
            self.ended = true;
            self.keep(open, statement);
        } else if open.relation_lines + pages > 0 {
            self.close(open);
        } else {
            self.gap = true;
        }
    }

    fn close(&mut self, open: Open) {
        let Open { label, mut state, listed, blind, wal, played, .. } = open;
        if blind {
            // a lost line may have changed any page, so that only those listed are known
            state.pages.retain(|id, _| listed.contains(id));
        }
        match (&mut self.timeline, wal.finish()) {
            (Some(timeline), wal) if played.is_some() => {
                timeline.push_played(state, label, wal, played.unwrap_or_default());
            }
            (Some(timeline), Some(wal)) => timeline.push_replayed(state, label, wal),
            (Some(timeline), None) => timeline.push(state, label),
            (None, _) => self.timeline = Some(Timeline::new(state, label)),
        }
    }

    fn report_outside(&mut self) {
        if let Some(first) = self.outside.take() {
            self.report(&format!("the lines from {first} to here are lost, they belong to no capture"));
        }
    }

    fn finish(mut self) -> Recording {
        self.report_outside();
        if self.unreported > 0 {
            self.lost.push(format!("and {} more", self.unreported));
        }
        if self.timeline.is_none() {
            self.lost.push(String::from("there is no capture in it that can be shown"));
        }
        let states = self.timeline.as_ref().map_or(0, Timeline::len);
        let lesson = self.lesson.and_then(|lesson| lesson.of_states(states));
        Recording { title: self.title, lesson, timeline: self.timeline, lost: self.lost }
    }
}

/// The page of a line, or why it cannot be one.
fn page_bytes(state: &State, line: &PageLine) -> Result<Page, String> {
    let relation = state.relations.get(&line.oid).ok_or("its relation is not known")?;
    let length = relation.blocks.of(line.fork);
    if line.block >= length {
        return Err(format!("the fork has {length} {}", if length == 1 { "block" } else { "blocks" }));
    }
    let bytes = STANDARD.decode(&*line.data).map_err(|error| format!("its base64 is damaged: {error}"))?;
    if bytes.len() != usize::from(state.server.block_size) {
        return Err(format!("it has {} bytes instead of {}", bytes.len(), state.server.block_size));
    }
    Ok(match state.pages.get(&line.id()) {
        Some(known) if known.bytes() == bytes => known.clone(),
        _ => Page::new(&bytes),
    })
}

/// serde's reason without its position: the line is all one, and its number is said already.
fn reason(error: &serde_json::Error) -> String {
    let text = format!("{error}");
    String::from(text.split(" at line ").next().unwrap_or(&text))
}
