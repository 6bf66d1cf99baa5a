//! How a timeline grows by a simulated statement: what happened becomes steps, one a record, a change without a record,
//! a decision.
//!
//! ```text
//! relations that are new ─┐
//! Told        no page     ├─▶ steps of one group: the first with what it did to the
//! Record      its pages   │   catalog, the last with what went away
//! Within      no page     │   which statement of a function does what follows
//! NotLogged   its pages  ─┘   then the state as the server has it: what no step told is a step of its own
//! ```

use super::diff::{Diff, diff};
use super::history::About;
use super::{Cause, Group, How, PageChange, RelationChange, ResultSet, Timeline, Written};
use crate::timeline::{Unlogged, Usage};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::{ForkNumber, Page, thousands};
use ffviz_format::state::{PageId, RelKind, Relation, Server, State};

/// What happened in a statement.
#[derive(Debug, Clone)]
pub enum Happening {
    /// why pages changed, and the pages as they were after it
    Step(Cause, Vec<(PageId, Page)>),
    /// what follows is done by this statement of a block or of a function; by none: by the statement itself
    Within(Option<Arc<str>>),
}

/// A statement, or a directive, that was simulated.
#[derive(Debug, Clone, Default)]
pub struct Simulated {
    /// its SQL
    pub label: String,
    /// how it ended: the command tag, the error, that it waits
    pub outcome: String,
    /// the plan, a line each
    pub plan: Vec<String>,
    /// the rows that it gave, then those of statements that it let go on
    pub results: Vec<ResultSet>,
    /// where more happened than is kept one by one: how much
    pub left_out: Option<LeftOut>,
    /// what it cost: WAL, pages, updates
    pub usage: Usage,
    /// how it stands in its script
    pub written: Written,
}

/// A script as it was run.
#[derive(Debug, Clone)]
pub struct Run {
    /// its text
    pub text: String,
    /// where in the text each of its statements and directives ends; each is a group of the timeline, behind the start
    pub ends: Vec<usize>,
    /// its steps
    pub timeline: Timeline,
}

impl Run {
    /// A script that was run, at its first state that has something to see.
    #[must_use]
    pub fn new(text: String, ends: Vec<usize>, mut timeline: Timeline) -> Self {
        let first = first_to_see(&mut timeline);
        timeline.seek(first);
        Self { text, ends, timeline }
    }

    /// A script that nobody ran yet.
    #[must_use]
    pub fn none(text: String, server: Server) -> Self {
        Self { text, ends: Vec::new(), timeline: Timeline::new(State::empty(server), None) }
    }
}

impl Timeline {
    /// Appends a simulated statement; `next` is the state after it, with all pages; `happenings` are what happened, in
    /// order: why, and the pages as it left them. A statement that left nothing to see is one step that says how it
    /// ended. Does not move.
    pub fn push_simulated(&mut self, next: &State, done: Simulated, happenings: impl Iterator<Item = Happening>) {
        let first = self.len();
        let label = Some(done.label);
        self.append_catalog(next, label.as_ref(), &done.outcome);
        let mut within = None;
        for happening in happenings {
            match happening {
                Happening::Step(cause, pages) => self.append_happening(cause, pages, (label.as_ref(), within.as_ref())),
                Happening::Within(statement) => within = statement,
            }
        }
        self.append_rest(next, label.as_ref(), first, &done.outcome, done.left_out);
        let Simulated { plan, results, outcome, usage, written, .. } = done;
        let how = How::Simulated { plan, results, outcome, usage, written };
        self.groups.push(Group::new(first..self.len(), label, how));
    }

    /// What the statement did to the catalog: relations that are new, or have other columns, indexes or files. Their
    /// files are as long as they were; those that went stay until the statement's end.
    fn append_catalog(&mut self, next: &State, label: Option<&String>, outcome: &str) {
        let mut found = Diff::default();
        for (oid, relation) in &next.relations {
            let before = self.last.relations.get(oid);
            let mut after = Relation::clone(relation);
            let same_file = before.filter(|before| before.filenode == after.filenode);
            after.blocks = same_file.map_or_else(Default::default, |before| before.blocks);
            if before.is_none_or(|before| **before != after) {
                let after = Some(Arc::new(after));
                found.relations.push(RelationChange { oid: *oid, before: before.cloned(), after });
            }
        }
        let moved = |id: &PageId| found.relations.iter().any(|change| change.oid == id.relation && !same_file(change));
        let gone = self.last.pages.iter().filter(|(id, _)| moved(id));
        found.pages = gone.map(|(id, page)| PageChange { id: *id, before: Some(page.clone()), after: None }).collect();
        if !found.relations.is_empty() {
            let cause = Cause::Told { sentence: String::from(outcome), facts: Vec::new(), about: None };
            let about = About::of(&self.last, label);
            self.append(cause, found, about);
        }
    }

    /// A step with these pages as they are after it.
    fn append_happening(
        &mut self,
        cause: Cause,
        pages: Vec<(PageId, Page)>,
        (label, within): (Option<&String>, Option<&Arc<str>>),
    ) {
        let mut found = Diff::default();
        let mut lengths: BTreeMap<_, Relation> = BTreeMap::new();
        for (id, after) in pages {
            let Some(relation) = self.last.relations.get(&id.relation) else { continue };
            let longer = lengths.get(&id.relation).map_or(relation.blocks, |relation| relation.blocks);
            if id.block >= longer.of(id.fork) {
                let grown = lengths.entry(id.relation).or_insert_with(|| Relation::clone(relation));
                grown.blocks.set(id.fork, id.block + 1);
            }
            let before = self.last.pages.get(&id).cloned();
            if before.as_ref() != Some(&after) {
                found.pages.push(PageChange { id, before, after: Some(after) });
            }
        }
        found.pages.sort_unstable_by_key(|change| change.id);
        found.relations = lengths.into_iter().map(|(oid, after)| self.relation_change(oid, Some(after))).collect();
        if let Cause::Unlogged(_) = cause
            && found.is_empty()
        {
            return;
        }
        let about = About { within: within.cloned(), ..About::of(&self.last, label) };
        let about = match &cause {
            Cause::Record(record) => About { lsn: Some(record.end), ..about },
            _ => about,
        };
        self.append(cause, found, about);
    }

    fn relation_change(&self, oid: ffviz_format::page::Oid, after: Option<Relation>) -> RelationChange {
        RelationChange { oid, before: self.last.relations.get(&oid).cloned(), after: after.map(Arc::new) }
    }

    /// What the steps left to the state: files and relations that are gone, changes that nothing told.
    fn append_rest(
        &mut self,
        next: &State,
        label: Option<&String>,
        first: usize,
        outcome: &str,
        left_out: Option<LeftOut>,
    ) {
        let rest = diff(&self.last, next);
        let about = About::of(next, label);
        if !rest.is_empty() {
            let only_fsm =
                rest.relations.is_empty() && rest.pages.iter().all(|change| change.id.fork == ForkNumber::Fsm);
            let why = if only_fsm { Unlogged::FreeSpaceMap } else { Unlogged::Files };
            self.append(left_out.map_or(Cause::Unlogged(why), LeftOut::cause), rest, about);
        } else if self.len() == first {
            let cause = Cause::Told { sentence: String::from(outcome), facts: Vec::new(), about: None };
            self.append(cause, rest, about);
        } else {
            self.amend(rest, about);
        }
    }
}

/// What happened in a statement beyond what is kept one by one.
#[derive(Debug, Clone, Copy)]
pub struct LeftOut {
    /// its WAL records that are steps
    pub records_told: u64,
    /// all its WAL records
    pub records: u64,
}

impl LeftOut {
    /// All that is left of it, as one step.
    fn cause(self) -> Cause {
        let records = self.records - self.records_told;
        let rest = if self.records_told > 0 { "the rest of the statement" } else { "the whole statement" };
        let s = if records == 1 { "" } else { "s" };
        let sentence = format!("{rest} in one step: {} WAL record{s}", thousands(records));
        let why = String::from("The run has more steps than are kept one by one; ffviz sim --steps N keeps more.");
        Cause::Told { sentence, facts: Vec::from([why]), about: None }
    }
}

/// Is the relation's file the one it was?
fn same_file(change: &RelationChange) -> bool {
    let file = |relation: &Option<Arc<Relation>>| relation.as_ref().map(|relation| relation.filenode);
    change.before.is_none() || file(&change.before) == file(&change.after)
}

/// The state to begin with. A server that was just started has nothing to see, and CREATE TABLE makes pages of indexes
/// only: what a script is about begins with the first row. A page of zeros, by which a file has just grown, shows
/// nothing either.
fn first_to_see(timeline: &mut Timeline) -> usize {
    let is_row = |timeline: &Timeline, state: usize, id: PageId| {
        let relation = timeline.last().relations.get(&id.relation);
        let is_of_table = relation.is_some_and(|relation| relation.kind == RelKind::Table);
        id.fork == ForkNumber::Main && is_of_table && matches!(timeline.cause(state), Some(Cause::Record(_)))
    };
    first_with(timeline, &is_row).or_else(|| first_with(timeline, &|_, _, _| true)).unwrap_or(timeline.len() - 1)
}

/// The first state whose step wrote to such a page.
fn first_with(timeline: &mut Timeline, wanted: &dyn Fn(&Timeline, usize, PageId) -> bool) -> Option<usize> {
    (0..timeline.len()).find(|state| {
        let touched: Vec<PageId> = timeline.touched(*state).filter(|id| wanted(timeline, *state, *id)).collect();
        if touched.is_empty() {
            return false;
        }
        timeline.seek(*state);
        touched.iter().any(|id| timeline.state().pages.get(id).is_some_and(|page| !page.is_new()))
    })
}
