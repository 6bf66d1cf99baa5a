//! A simulated step as a recording keeps it, and a timeline that grows by such steps again.

use super::diff::Diff;
use super::history::About;
use super::{Cause, Group, How, PageChange, RelationChange, Timeline};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::{Lsn, Oid, Page};
use ffviz_format::state::{PageId, Relation};

/// A step, with what is there after it.
#[derive(Debug, Clone)]
pub struct KeptStep {
    /// where it comes from
    pub cause: Cause,
    /// pages that it made, changed or, without a page, took away
    pub pages: Vec<(PageId, Option<Page>)>,
    /// pages that only became known, or are so no longer
    pub known: Vec<(PageId, Option<Page>)>,
    /// relations likewise
    pub relations: Vec<(Oid, Option<Arc<Relation>>)>,
    /// WAL position after it
    pub lsn: Option<Lsn>,
    /// redo pointer after it
    pub redo: Option<Lsn>,
    /// the statement of a block or of a function that did it
    pub within: Option<Arc<str>>,
}

impl Timeline {
    /// The current step.
    #[must_use]
    pub fn kept(&self) -> KeptStep {
        let after = |change: &PageChange| (change.id, change.after.clone());
        KeptStep {
            cause: self.step().cause.clone(),
            pages: self.step().pages.iter().map(after).collect(),
            known: self.here.known.iter().map(after).collect(),
            relations: self.step().relations.iter().map(|change| (change.oid, change.after.clone())).collect(),
            lsn: self.state().lsn,
            redo: self.state().redo,
            within: self.within(self.current()).cloned(),
        }
    }

    /// Appends the steps of a statement that was simulated. Does not move.
    pub fn push_kept(&mut self, label: Option<String>, how: How, steps: Vec<KeptStep>) {
        let first = self.len();
        for step in steps {
            let change = |(id, after)| PageChange { id, before: self.last.pages.get(&id).cloned(), after };
            let relation = |(oid, after)| RelationChange { oid, before: self.last.relations.get(&oid).cloned(), after };
            let found = Diff {
                pages: step.pages.into_iter().map(change).collect(),
                known: step.known.into_iter().map(change).collect(),
                relations: step.relations.into_iter().map(relation).collect(),
            };
            let about =
                About { lsn: step.lsn, redo: step.redo, within: step.within, ..About::of(&self.last, label.as_ref()) };
            self.append(step.cause, found, about);
        }
        if self.len() > first {
            self.groups.push(Group::new(first..self.len(), label, how));
        }
    }
}
