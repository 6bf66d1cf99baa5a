//! The lines of a recording as serde types: one declaration for reading and writing.

use crate::lesson::Lesson;
use crate::timeline::{Played, ResultSet, Tally, Unlogged, Usage, WalBetween, Written};
use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::{BlockNumber, ForkNumber, Lsn, Oid, PgVersion};
use ffviz_format::state::{PageId, Relation, Server, State};
use serde::{Deserialize, Serialize};

/// The version of the format of a capture.
pub(super) const FFREC: u32 = 1;
/// The version of one that has steps: who knows only captures must not take it for one.
pub(super) const FFREC_STEPS: u32 = 2;

/// What every line has: its kind.
#[derive(Deserialize)]
pub(super) struct Kind<'a> {
    #[serde(borrow)]
    pub line: Cow<'a, str>,
}

/// What tells one version of the format from another, read before the rest.
#[derive(Deserialize)]
pub(super) struct Format {
    pub ffrec: u32,
}

/// `{"line":"capture",…}`
#[derive(Serialize, Deserialize)]
pub(super) struct CaptureLine {
    pub ffrec: u32,
    pub version: PgVersion,
    pub block_size: u16,
    #[serde(default)]
    pub data_checksums: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub log_hints: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lsn: Option<String>,
    /// system identifier of the cluster: a text, since it is longer than the integers of many JSON readers
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// redo pointer of the last checkpoint
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redo: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub redacted: bool,
    /// nothing of the capture before carries over
    #[serde(default, skip_serializing_if = "is_false")]
    pub whole: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// the WAL since the capture before was read
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wal: Option<WalFacts>,
    /// how the statement ended that a server ran before it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<Played>,
    /// the capture has `step` lines in place of relations and pages
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulated: Option<SimulatedFacts>,
}

/// The member `simulated` of a capture: what is known of the statement.
#[derive(Serialize, Deserialize)]
pub(super) struct SimulatedFacts {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<ResultSet>,
    pub outcome: String,
    #[serde(default)]
    pub usage: Usage,
    #[serde(default, skip_serializing_if = "Written::is_empty")]
    pub written: Written,
}

/// The member `wal` of a capture: how complete its `wal` lines are.
#[derive(Serialize, Deserialize)]
pub(super) struct WalFacts {
    /// records that were left out, since they are about other relations
    #[serde(default)]
    pub others: Tally,
    /// why the records are not all
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<String>,
}

impl WalFacts {
    /// What is to be said of these records.
    pub fn of(wal: &WalBetween) -> Self {
        Self { others: wal.others, gap: wal.gap.clone() }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

impl CaptureLine {
    /// The line that begins the capture of `state`.
    pub fn of(state: &State, title: Option<&str>, label: Option<&str>) -> Self {
        Self {
            ffrec: FFREC,
            version: state.server.version,
            block_size: state.server.block_size,
            data_checksums: state.server.data_checksums,
            log_hints: state.server.log_hints,
            at: state.at.clone(),
            lsn: state.lsn.map(|lsn| lsn.to_string()),
            system: state.system_identifier.map(|number| number.to_string()),
            redo: state.redo.map(|lsn| lsn.to_string()),
            redacted: state.redacted,
            whole: false,
            title: title.map(ToString::to_string),
            label: label.map(ToString::to_string),
            wal: None,
            played: None,
            simulated: None,
        }
    }

    /// The server it names.
    pub const fn server(&self) -> Server {
        let data_checksums = self.data_checksums;
        Server {
            version: self.version,
            block_size: self.block_size,
            data_checksums,
            log_hints: self.log_hints || data_checksums,
        }
    }

    /// Its WAL position; one that is no LSN counts as missing.
    pub fn lsn(&self) -> Option<Lsn> {
        self.lsn.as_ref()?.parse().ok()
    }

    /// The cluster's system identifier; one that is no number counts as missing.
    pub fn system_identifier(&self) -> Option<u64> {
        self.system.as_ref()?.parse().ok()
    }

    /// The redo pointer of its last checkpoint; one that is no LSN counts as missing.
    pub fn redo(&self) -> Option<Lsn> {
        self.redo.as_ref()?.parse().ok()
    }
}

/// `{"line":"page",…}`
#[derive(Serialize, Deserialize)]
pub(super) struct PageLine<'a> {
    pub oid: Oid,
    pub fork: ForkNumber,
    pub block: BlockNumber,
    #[serde(borrow)]
    pub data: Cow<'a, str>,
}

impl PageLine<'_> {
    /// Which page it is.
    pub const fn id(&self) -> PageId {
        PageId { relation: self.oid, fork: self.fork, block: self.block }
    }
}

/// `{"line":"wal",…}`: a record of the WAL between the capture before and this one
#[derive(Serialize, Deserialize)]
pub(super) struct WalLine<'a> {
    pub start: Cow<'a, str>,
    pub end: Cow<'a, str>,
    #[serde(borrow)]
    pub data: Cow<'a, str>,
    /// by block id: pages that stand in for images
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub restored: BTreeMap<u8, String>,
    /// of a record that was rebuilt from what the server told of it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rebuilt: Option<RebuiltFacts>,
}

/// `{"line":"step",…}`: a step of a simulated statement; one of `record`, `unlogged`, `told` says what it is
#[derive(Serialize, Deserialize, Default)]
pub(super) struct StepLine<'a> {
    /// its number in the statement, from 1
    pub n: usize,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub record: Option<WalLine<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unlogged: Option<Unlogged>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
    /// the statement of a block or of a function that did it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// what a decision was made by
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    /// the page that it is about
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<StepPage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lsn: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redo: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<Relation>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<Oid>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<StepPage>,
}

/// A page that a step changed: whole, or the bytes that are others than before.
#[derive(Serialize, Deserialize)]
pub(super) struct StepPage {
    pub oid: Oid,
    pub fork: ForkNumber,
    pub block: BlockNumber,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// first byte, and the bytes from there on
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<(u16, String)>,
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub gone: bool,
    /// it only became known
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub known: bool,
}

impl From<PageId> for StepPage {
    fn from(id: PageId) -> Self {
        let (data, runs) = (None, Vec::new());
        Self { oid: id.relation, fork: id.fork, block: id.block, data, runs, gone: false, known: false }
    }
}

/// What is not known of a rebuilt record.
#[derive(Serialize, Deserialize)]
pub(super) struct RebuiltFacts {
    /// first byte, and the byte behind the last, of what nobody told
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untold: Vec<(u32, u32)>,
    /// redo would read main data that nobody told
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub lacks_main_data: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// `{"line":"gone",…}`
#[derive(Serialize, Deserialize)]
pub(super) struct GoneLine {
    pub oid: Oid,
}

/// `{"line":"end",…}`
#[derive(Serialize, Deserialize)]
pub(super) struct EndLine {
    pub pages: usize,
    /// `relation` and `gone` lines
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relations: Option<usize>,
    /// `wal` lines
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wal: Option<usize>,
    /// `step` lines
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<usize>,
}

/// A line with its kind in front, for writing.
#[derive(Serialize)]
pub(super) struct Tagged<'a, T> {
    pub line: &'static str,
    #[serde(flatten)]
    pub rest: &'a T,
}

/// One line of the file, for writing.
pub(super) enum FileLine<'a> {
    Lesson(&'a Lesson),
    Step(&'a StepLine<'a>),
    Capture(&'a CaptureLine),
    Wal(&'a WalLine<'a>),
    Relation(&'a Relation),
    Page(&'a PageLine<'a>),
    Gone(&'a GoneLine),
    End(&'a EndLine),
}

impl FileLine<'_> {
    /// Appends the line and its line break.
    pub fn write(&self, out: &mut String) {
        let text = match self {
            Self::Lesson(rest) => serde_json::to_string(&Tagged { line: "lesson", rest }),
            Self::Step(rest) => serde_json::to_string(&Tagged { line: "step", rest }),
            Self::Capture(rest) => serde_json::to_string(&Tagged { line: "capture", rest }),
            Self::Wal(rest) => serde_json::to_string(&Tagged { line: "wal", rest }),
            Self::Relation(rest) => serde_json::to_string(&Tagged { line: "relation", rest }),
            Self::Page(rest) => serde_json::to_string(&Tagged { line: "page", rest }),
            Self::Gone(rest) => serde_json::to_string(&Tagged { line: "gone", rest }),
            Self::End(rest) => serde_json::to_string(&Tagged { line: "end", rest }),
        };
        // these types have string keys and no fallible serializer, so there is no error to lose
        out.push_str(&text.unwrap_or_default());
        out.push('\n');
    }
}
