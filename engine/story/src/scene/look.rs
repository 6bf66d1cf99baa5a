//! What a scene is made from: one state, the step that led to it, and whether row data is hidden.

use crate::timeline::{Fates, Group, PageChange, Step, Timeline};
use alloc::sync::Arc;
use ffviz_format::page::{Oid, Page, PgVersion};
use ffviz_format::state::{PageId, Relation, State};

/// One moment, looked at.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// the state that is shown
    pub state: &'a State,
    /// the step that led to it
    pub step: &'a Step,
    /// how the statement ended that the step is one of, where it is known
    pub outcome: Option<&'a str>,
    /// what is known of transactions by then
    pub fates: Fates<'a>,
    /// the statement of a function that did the step, behind what called it
    pub within: Option<&'a str>,
    /// is row data hidden?
    pub redact: bool,
}

impl<'a> Look<'a> {
    /// The current state of a timeline.
    #[must_use]
    pub fn new(timeline: &'a Timeline, redact: bool) -> Self {
        let outcome = timeline.group(timeline.current()).and_then(Group::outcome);
        let (fates, within) = (timeline.fates(timeline.current()), timeline.within(timeline.current()));
        let within = within.map(AsRef::as_ref);
        Self { state: timeline.state(), step: timeline.step(), outcome, fates, within, redact }
    }

    /// The server's version.
    #[must_use]
    pub const fn version(&self) -> PgVersion {
        self.state.server.version
    }

    /// The bytes of a page, if they were read.
    #[must_use]
    pub fn page(&self, id: PageId) -> Option<&'a Page> {
        self.state.pages.get(&id)
    }

    /// A relation.
    #[must_use]
    pub fn relation(&self, oid: Oid) -> Option<&'a Arc<Relation>> {
        self.state.relations.get(&oid)
    }

    /// What the step did to a page, if it did anything.
    #[must_use]
    pub fn change(&self, id: PageId) -> Option<&'a PageChange> {
        let pages = &self.step.pages;
        pages.get(pages.binary_search_by_key(&id, |change| change.id).ok()?)
    }
}
