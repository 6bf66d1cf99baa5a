//! The trace as a value: states at moments, steps between them; seek, forwards and back.
//!
//! ```text
//! state 0 ──step 1──▶ state 1 ──step 2──▶ state 2 …
//! ```
//!
//! A step is the difference of two captures. It says which pages it changed, with the bytes before and after, so it can be taken
//! either way; a later kind of step (one WAL record) will be a further `Cause`, and nothing else here changes.

mod diff;
pub mod explain;

pub use explain::{EventKind, HotDecision};

use crate::page::{OffsetNumber, Oid, Page};
use crate::storage::{PageId, Relation, State};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;
pub use diff::changed_bytes;
use diff::{Diff, diff};

/// Where a step comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// the first state: nothing before it
    Start,
    /// the difference of two captures: measured, without knowing what happened in between
    Capture,
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
}

/// States and the steps between them, and where we stand. Going one step costs what the step changed; jumping anywhere starts from the
/// nearest keyframe.
#[derive(Debug, Clone)]
pub struct Timeline {
    states: Vec<State>,
    steps: Vec<Step>,
    current: usize,
}

impl Timeline {
    /// A timeline of one state.
    #[must_use]
    pub fn new(first: State, label: Option<String>) -> Self {
        let start = Step { cause: Cause::Start, label, pages: Vec::new(), relations: Vec::new() };
        Self { states: Vec::from([first]), steps: Vec::from([start]), current: 0 }
    }

    /// Appends a state; the step to it is the difference to the last one. Does not move.
    ///
    /// A page that `next` has and the last state had not, though its fork was long enough, was read for the first time: it joins
    /// the state and is no part of the step.
    pub fn push(&mut self, next: State, label: Option<String>) {
        let Diff { pages, relations, .. } = diff(self.last(), &next);
        self.states.push(next);
        self.steps.push(Step { cause: Cause::Capture, label, pages, relations });
    }

    /// Pages that were read after the last capture, before a next one: they join the **last** state, without a step. Earlier states
    /// do not get them, since nobody knows how those pages looked then. A page that the last state already has is left as it is;
    /// those whose bytes differ by now are returned: the database has moved on, and a new capture would show it.
    pub fn add_pages(&mut self, pages: impl IntoIterator<Item = (PageId, Page)>) -> Vec<PageId> {
        let mut stale = Vec::new();
        let Some(last) = self.states.last_mut() else { return stale };
        for (id, page) in pages {
            match last.pages.get(&id) {
                Some(known) if *known != page => stale.push(id),
                Some(_) => {}
                None => {
                    last.pages.insert(id, page);
                }
            }
        }
        stale
    }

    /// Number of states; steps between them are one fewer.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a timeline has at least one state")]
    pub const fn len(&self) -> usize {
        self.steps.len()
    }

    /// Number of the state we stand on, from 0.
    #[must_use]
    pub const fn current(&self) -> usize {
        self.current
    }

    /// Goes to a state; past the end is the last one.
    pub fn seek(&mut self, to: usize) {
        self.current = to.min(self.len() - 1);
    }

    /// The state we stand on.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.states[self.current]
    }

    /// The newest state, wherever we stand.
    #[must_use]
    pub fn last(&self) -> &State {
        &self.states[self.states.len() - 1]
    }

    /// The step that led to the state we stand on; at state 0 it is empty.
    #[must_use]
    pub fn step(&self) -> &Step {
        &self.steps[self.current]
    }

    /// The step that led to state n.
    #[must_use]
    pub fn step_to(&self, n: usize) -> Option<&Step> {
        self.steps.get(n)
    }

    /// Label of the step that led to state n: usually the SQL.
    #[must_use]
    pub fn label(&self, n: usize) -> Option<&str> {
        self.steps.get(n)?.label.as_deref()
    }

    /// What the current step did to a page, if it did anything.
    #[must_use]
    pub fn change(&self, id: PageId) -> Option<&PageChange> {
        let pages = &self.step().pages;
        pages.binary_search_by_key(&id, |change| change.id).ok().map(|at| &pages[at])
    }

    /// The page as it was before the current step; `None` when it was not there, or is not known.
    #[must_use]
    pub fn previous(&self, id: PageId) -> Option<&Page> {
        match self.change(id) {
            Some(change) => change.before.as_ref(),
            None if self.current == 0 => None,
            None => self.states[self.current - 1].pages.get(&id),
        }
    }

    /// The runs of bytes of a page that the current step changed, in order; of an added page all of them.
    #[must_use]
    pub fn changed(&self, id: PageId) -> Vec<Range<u16>> {
        match self.change(id) {
            Some(PageChange { before: Some(before), after: Some(after), .. }) => changed_bytes(before, after),
            Some(PageChange { after: Some(added), .. }) => core::iter::once(0..added.size()).collect(),
            _ => Vec::new(),
        }
    }

    /// What the step that led to the current state did, and why.
    #[must_use]
    pub fn explain(&self) -> Explanation {
        match self.current.checked_sub(1) {
            Some(before) => explain::explain(&self.states[before], self.state(), self.step()),
            None => Explanation::default(),
        }
    }
}
