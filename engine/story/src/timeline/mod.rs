//! The trace as a value: states at moments, steps between them; seek, forwards and back.
//!
//! ```text
//! state 0 ──step 1──▶ state 1 ──step 2──▶ state 2 …
//! ```
//!
//! A step is one WAL record, replayed, or a change that is not logged; or the difference of two captures, where the WAL
//! between them is not known. It says which pages it changed, with the bytes before and after, so it can be taken
//! either way. The steps from one capture to the next are a [`Group`].

mod append;
mod captures;
mod cleared;
mod delta;
mod diff;
pub mod explain;
mod fates;
mod group;
mod history;
mod kept;
mod query;
mod replay;
mod rest;
mod result;
mod sample;
mod sieve;
mod simulated;
mod span;
mod unlogged;
mod usage;
mod verdict;
mod written;
mod xact;

pub use captures::{Capture, IMAGES};
pub use diff::changed_bytes;
pub use explain::{EventKind, HotDecision, goal, torn_at};
pub use explain::{NOT_SENT, NOT_SUPPORTED, failure, headline_of};
pub use fates::Fates;
pub use group::{Group, How, Played};
pub use history::Timeline;
pub use kept::KeptStep;
pub use replay::{Replayed, WalBetween};
pub use result::ResultSet;
pub use sample::{RelationSize, Sample, Samples};
pub use sieve::{Sieve, Tally};
pub use simulated::{Happening, LeftOut, Run, Simulated};
pub use span::Span;
pub use unlogged::Unlogged;
pub use usage::{Usage, WalUsage};
pub use verdict::{Verdict, compare};
pub use written::{CALLS, Written, Wrong, foreign_key, goes_on, trigger, who_did, who_goes_on};

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::{OffsetNumber, Oid, Page};
use ffviz_format::state::{PageId, Relation};
use ffviz_format::wal::Record;

/// Where a step comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// the first state: nothing before it
    Start,
    /// the difference of two captures: measured, without knowing what happened in between
    Capture,
    /// this WAL record, replayed over the pages
    Record(Arc<Record>),
    /// what changed without a record: hint bits, `LP_DEAD` marks, the free space map; found when replay was compared
    /// with a capture
    NotLogged,
    /// what the simulator changed without a record, and why
    Unlogged(Unlogged),
    /// a decision of the simulator's, which changed nothing
    Told {
        /// what was decided, with its numbers
        sentence: String,
        /// what it was decided by, a sentence each
        facts: Vec<String>,
        /// the page that it is about
        about: Option<PageId>,
    },
}

/// A page that a step made, changed or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageChange {
    /// which
    pub id: PageId,
    /// the page before; `None` when it was not there
    pub before: Option<Page>,
    /// the page after; `None` when it is gone
    pub after: Option<Page>,
}

/// Facts about a relation that a step changed: its length, its columns, its existence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationChange {
    /// which
    pub oid: Oid,
    /// before
    pub before: Option<Arc<Relation>>,
    /// after
    pub after: Option<Arc<Relation>>,
}

impl RelationChange {
    /// Has it another file than before: are its rows written anew, or gone?
    #[must_use]
    pub fn is_rewritten(&self) -> bool {
        let (Some(before), Some(after)) = (&self.before, &self.after) else { return false };
        before.filenode != after.filenode
    }

    /// Is more of it another than statistics?
    fn is_seen(&self) -> bool {
        let (Some(before), Some(after)) = (&self.before, &self.after) else { return true };
        Relation { stats: before.stats, ..Relation::clone(after) } != **before
    }
}

/// From one state to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// where it comes from
    pub cause: Cause,
    /// what the person who recorded it wrote down: usually the SQL
    pub label: Option<String>,
    /// in order of `PageId`
    pub pages: Vec<PageChange>,
    /// in order of oid
    pub relations: Vec<RelationChange>,
}

impl Step {
    /// Is it a record of the recovery after a crash of the script's: one that is replayed, or the checkpoint at its
    /// end?
    #[must_use]
    pub fn is_redo(&self) -> bool {
        let is_crash = self.label.as_ref().is_some_and(|label| label.starts_with("--@ crash"));
        is_crash && matches!(self.cause, Cause::Record(_))
    }
}

/// What a step did, in words, made from the bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Explanation {
    /// one line: what happened
    pub headline: String,
    /// one a line pointer, page or fork that took part, most important first
    pub events: Vec<Event>,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// what sort of thing, for machines
    pub kind: EventKind,
    /// where
    pub page: PageId,
    /// the line pointer that it is about
    pub item: Option<OffsetNumber>,
    /// how many such things it stands for: many of a sort are told in one event
    pub count: usize,
    /// what: a sentence
    pub what: String,
    /// why: a sentence or more; for an UPDATE why it was, or was not, HOT
    pub why: Option<String>,
    /// of an UPDATE: what decided whether it was HOT
    pub hot: Option<HotDecision>,
    /// of INSERT and UPDATE: how many of them are known to have been rolled back
    pub rolled_back: usize,
    /// of a measured step: may there have been more that left nothing to be seen, since pruning took it away?
    pub at_least: bool,
}

impl Event {
    /// Something that happened once to a page as a whole, without words yet.
    #[must_use]
    pub const fn new(kind: EventKind, page: PageId) -> Self {
        Self {
            kind,
            page,
            item: None,
            count: 1,
            what: String::new(),
            why: None,
            hot: None,
            rolled_back: 0,
            at_least: false,
        }
    }
}
