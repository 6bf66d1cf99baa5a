//! The states on the bar of steps: captures are check points, records between them are small, checkpoints and redo
//! pointers stand out.

use super::wal::{checkpoint_redo, ends_transaction};
use super::{Role, words};
use crate::timeline::{Cause, Group, How, Timeline};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::page::Lsn;
use ffviz_format::wal::{Record, Rmgr};

/// A state on the timeline bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepMark {
    /// its number, to `Seek` to
    pub state: usize,
    /// what was done, shortened: usually the SQL
    pub label: String,
    /// did the step to it change the page that is shown?
    pub here: bool,
    /// what it is
    pub kind: MarkKind,
}

/// What a state on the timeline bar is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarkKind {
    /// a capture that was not compared with a replay
    Capture,
    /// a capture, and replay led to the same pages
    Equal,
    /// a capture, and replay led to other pages
    Differs,
    /// after a WAL record
    Record,
    /// after the record that ends a transaction
    End,
    /// after a checkpoint's record
    Checkpoint,
    /// the record that a redo pointer leads to
    Redo,
    /// after a change that is not logged
    NotLogged,
    /// a decision, which changed nothing
    Told,
}

impl MarkKind {
    /// The kinds with different signs, as a legend tells them.
    pub const LEGEND: [(Self, &'static str); 6] = [
        (Self::Capture, "end of a statement, or a capture"),
        (Self::Record, "a step on the way there"),
        (Self::End, "end of a transaction"),
        (Self::Differs, Self::Differs.word()),
        (Self::Checkpoint, Self::Checkpoint.word()),
        (Self::Redo, Self::Redo.word()),
    ];

    /// In words.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Capture => "capture",
            Self::Equal => "capture, equal to the replay",
            Self::Differs => "capture, differs from the replay",
            Self::Record => "record",
            Self::End => "end of transaction",
            Self::Checkpoint => "checkpoint",
            Self::Redo => "redo pointer",
            Self::NotLogged => "not logged",
            Self::Told => "told",
        }
    }

    /// A sign that tells it without colour; `here`: the step changed the page that is shown.
    #[must_use]
    pub const fn glyph(self, here: bool) -> char {
        match (self, here) {
            (Self::Capture | Self::Equal, true) => '●',
            (Self::Capture | Self::Equal, false) => '○',
            (Self::Differs, _) => '✗',
            (Self::Record | Self::NotLogged | Self::Told, true) => '•',
            (Self::Record | Self::NotLogged | Self::Told, false) => '·',
            (Self::End, _) => '│',
            (Self::Checkpoint, _) => Role::WalCheckpoint.glyph(),
            (Self::Redo, _) => Role::WalRedo.glyph(),
        }
    }

    /// The same in ASCII.
    #[must_use]
    pub const fn ascii(self, here: bool) -> char {
        match (self, here) {
            (Self::Capture | Self::Equal, true) => '@',
            (Self::Capture | Self::Equal, false) => 'o',
            (Self::Differs, _) => 'X',
            (Self::Record | Self::NotLogged | Self::Told, true) => '*',
            (Self::Record | Self::NotLogged | Self::Told, false) => '.',
            (Self::End, _) => '|',
            (Self::Checkpoint, _) => Role::WalCheckpoint.ascii(),
            (Self::Redo, _) => Role::WalRedo.ascii(),
        }
    }
}

impl StepMark {
    /// states shown on the bar to either side of the current one
    pub const WINDOW: usize = 250;
}

/// What each of these states is.
pub(super) fn kinds(timeline: &Timeline, states: Range<usize>) -> Vec<MarkKind> {
    let version = timeline.last().server.version;
    let redo = |state: usize| checkpoint_redo(timeline.record(state)?, version);
    let pointers: Vec<Lsn> = states.clone().filter_map(redo).collect();
    let mut kinds: Vec<MarkKind> = states.clone().map(|state| kind(timeline, state)).collect();
    for pointer in pointers {
        let start = |state: &usize| timeline.record(*state).map(|record| record.start);
        let at = states.clone().find(|state| start(state).is_some_and(|start| start >= pointer));
        let is_within =
            |at: &usize| start(at) == Some(pointer) || (states.start..*at).any(|state| start(&state).is_some());
        if let Some(kind) = at.filter(is_within).and_then(|at| kinds.get_mut(at - states.start)) {
            *kind = MarkKind::Redo;
        }
    }
    kinds
}

fn kind(timeline: &Timeline, state: usize) -> MarkKind {
    let group = timeline.group(state).filter(|group| group.states.end == state + 1);
    match (group, timeline.record(state)) {
        (Some(group), _) => checked(group),
        (None, Some(record)) if checkpoint_redo(record, timeline.last().server.version).is_some() => {
            MarkKind::Checkpoint
        }
        (None, Some(record)) if ends_transaction(record, timeline.last().server.version) => MarkKind::End,
        (None, Some(_)) => MarkKind::Record,
        (None, None) if matches!(timeline.cause(state), Some(Cause::Told { .. })) => MarkKind::Told,
        (None, None) => MarkKind::NotLogged,
    }
}

/// What the check by the capture said.
fn checked(group: &Group) -> MarkKind {
    match &group.how {
        How::Replayed { report, .. } if report.compared > 0 && report.differing.is_empty() => MarkKind::Equal,
        How::Replayed { report, .. } if !report.differing.is_empty() => MarkKind::Differs,
        _ => MarkKind::Capture,
    }
}

/// How much WAL several steps wrote together: `simulated: 4 records · 812 bytes`
pub(super) fn records_words(timeline: &Timeline, states: impl Iterator<Item = usize>, how: &str) -> String {
    let sizes: Vec<u64> = states.filter_map(|state| Some(timeline.record(state)?.bytes.len() as u64)).collect();
    let records = words::count(sizes.len() as u64, "record");
    format!("{how}: {records} · {}", words::bytes(sizes.iter().sum()))
}

/// The record in a line, after the word for how the step became known: `replayed: record 0/1A2B3C8 · Heap HOT_UPDATE ·
/// 71 bytes · xid 757`
pub(super) fn record_words(timeline: &Timeline, record: &Record, how: &str) -> String {
    let header = record.header();
    let rmgr = Rmgr(header.xl_rmid());
    let kind = record.type_name(timeline.last().server.version);
    let xid = match header.xl_xid() {
        0 => String::new(),
        xid => format!(" · xid {xid}"),
    };
    let bytes = words::bytes(record.bytes.len() as u64);
    format!("{how}: record {} · {} {kind} · {bytes}{xid}", record.start, rmgr.name())
}
