//! What can be asked of a timeline: which steps go together, what they touched, who wrote a byte last, what is to be
//! said of them.

use super::diff::changed_bytes;
use super::history::Here;
use super::xact::ending_xid;
use super::{Cause, Explanation, Group, How, PageChange, RelationChange, Replayed, Timeline, explain, who_did};
use crate::timeline::Usage;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::page::{Page, TransactionId};
use ffviz_format::state::{PageId, Relation};
use ffviz_format::wal::record_type::{Heap2Type, HeapType};
use ffviz_format::wal::{Record, RecordType, Rmgr};

impl Timeline {
    /// Did the simulator make its steps?
    #[must_use]
    pub fn is_simulated(&self) -> bool {
        self.groups.last().is_some_and(|group| matches!(group.how, How::Simulated { .. }))
    }

    /// Are its groups the statements of a script, whichever server ran it?
    #[must_use]
    pub fn is_script(&self) -> bool {
        self.groups.last().is_some_and(|group| group.outcome().is_some())
    }

    /// Label of the step that led to state n: usually the SQL.
    #[must_use]
    pub fn label(&self, n: usize) -> Option<&str> {
        self.moments.get(n)?.about.label.as_deref()
    }

    /// The statement of a DO block or of a function that did the step to state n, where the label is not it.
    #[must_use]
    pub fn within(&self, n: usize) -> Option<&Arc<str>> {
        self.moments.get(n)?.about.within.as_ref()
    }

    /// The trigger, foreign key or function that did the step to state n, which is not the statement's own.
    #[must_use]
    pub fn who_did(&self, n: usize) -> Option<String> {
        who_did(self.within(n)?)
    }

    /// The same of a step that changed rows: whoever set a hint bit on the way is no matter.
    fn who_changed_rows(&self, n: usize) -> Option<String> {
        let of = self.record(n)?.record_type(self.last.server.version);
        let is_insert = |of| matches!(of, RecordType::Heap2(Heap2Type::MultiInsert | Heap2Type::LockUpdated));
        let is_row = |of| matches!(of, RecordType::Heap(of) if of != HeapType::Inplace && of != HeapType::Confirm);
        (is_row(of) || is_insert(of)).then(|| self.who_did(n))?
    }

    /// Where the step that led to state n comes from.
    #[must_use]
    pub fn cause(&self, n: usize) -> Option<&Cause> {
        Some(&self.moments.get(n)?.cause)
    }

    /// The steps between two captures that the step to state n is one of.
    #[must_use]
    pub fn group(&self, n: usize) -> Option<&Group> {
        let at = self.groups.partition_point(|group| group.states.end <= n);
        self.groups.get(at)
    }

    /// The top-level transaction that wrote the record of the step to state n, as far as it is known whose
    /// subtransaction it was.
    #[must_use]
    pub fn transaction(&self, n: usize) -> Option<TransactionId> {
        let xid = match self.record(n)? {
            record if Rmgr(record.header().xl_rmid()) == Rmgr::TRANSACTION => {
                ending_xid(&record.decode(self.last.server.version).ok()?)
            }
            record => record.header().xl_xid(),
        };
        (xid != 0).then(|| self.transactions.top(xid))
    }

    /// The last state of the group of n, or of the next one: where the next statement or capture ends.
    #[must_use]
    pub fn next_group(&self, n: usize) -> usize {
        self.group(n + 1).map_or(self.len(), |group| group.states.end) - 1
    }

    /// The last state of the group before that of n.
    #[must_use]
    pub fn previous_group(&self, n: usize) -> usize {
        self.group(n).map_or(0, |group| group.states.start).saturating_sub(1)
    }

    /// The last of the neighbouring steps of one transaction, from the step behind n on.
    #[must_use]
    pub fn next_transaction(&self, n: usize) -> usize {
        let first = (n + 1).min(self.len() - 1);
        (first..self.len()).take_while(|m| self.is_one_transaction(first, *m)).last().unwrap_or(first)
    }

    /// The state before the neighbouring steps of the transaction that led to n.
    #[must_use]
    pub fn previous_transaction(&self, n: usize) -> usize {
        let first = (0..=n).rev().take_while(|m| self.is_one_transaction(n, *m)).last().unwrap_or(n);
        first.saturating_sub(1)
    }

    fn is_one_transaction(&self, n: usize, m: usize) -> bool {
        n == m || self.transaction(n).is_some() && self.transaction(n) == self.transaction(m)
    }

    /// What the first simulated statements cost, so many of them or all.
    #[must_use]
    pub fn usage(&self, statements: usize) -> Usage {
        let simulated = self.groups.iter().skip(1).take(statements).filter_map(|group| match &group.how {
            How::Simulated { usage, .. } => Some(*usage),
            _ => None,
        });
        simulated.fold(Usage::default(), |sum, usage| sum + usage)
    }

    /// The session that ran the statement whose step led to state n, where the script has more than one.
    #[must_use]
    pub fn session(&self, n: usize) -> Option<&str> {
        // a directive has none
        fn session(group: &Group) -> Option<&str> {
            Some(group.written()?.session.as_str()).filter(|session| !session.is_empty())
        }
        let sessions = || self.groups.iter().filter(|group| group.is_statement()).filter_map(session);
        let first = sessions().next()?;
        let here = self.group(n).and_then(session)?;
        sessions().any(|other| other != first).then_some(here)
    }

    /// All groups, in order.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The WAL record that is the step to state n.
    #[must_use]
    pub fn record(&self, n: usize) -> Option<&Record> {
        match self.cause(n)? {
            Cause::Record(record) => Some(record),
            _ => None,
        }
    }

    /// The last step, up to the state we stand on, that changed any of these bytes of a page.
    #[must_use]
    pub fn last_writer(&self, id: PageId, bytes: &Range<u16>) -> Option<usize> {
        (1..=self.current()).rev().find(|n| {
            let pages = &self.moments[*n].pages;
            pages
                .binary_search_by_key(&id, |delta| delta.id)
                .is_ok_and(|at| !pages[at].known && pages[at].touches(bytes))
        })
    }

    /// The pages that the step to state n changed, added or removed, in order.
    pub fn touched(&self, n: usize) -> impl Iterator<Item = PageId> {
        self.moments
            .get(n)
            .into_iter()
            .flat_map(|moment| &moment.pages)
            .filter(|delta| !delta.known)
            .map(|delta| delta.id)
    }

    /// Did the step to state n do something to the catalog: make, change or drop relations?
    #[must_use]
    pub fn defines(&self, n: usize) -> bool {
        let moment = self.moments.get(n);
        moment.is_some_and(|moment| matches!(moment.cause, Cause::Told { .. }) && !moment.relations.is_empty())
    }

    /// Did a relation come or go with the step to state n?
    #[must_use]
    pub fn makes(&self, n: usize) -> bool {
        let comes_or_goes = |change: &RelationChange| change.before.is_none() || change.after.is_none();
        self.moments.get(n).is_some_and(|moment| moment.relations.iter().any(comes_or_goes))
    }

    /// Did a relation come, go or get another file with the step to state n?
    #[must_use]
    pub fn brings_files(&self, n: usize) -> bool {
        let file = |relation: &Option<Arc<Relation>>| relation.as_ref().map(|relation| relation.filenode);
        let is_other = |change: &RelationChange| file(&change.before) != file(&change.after);
        self.moments.get(n).is_some_and(|moment| moment.relations.iter().any(is_other))
    }

    /// Did the step to state n change this page?
    #[must_use]
    pub fn touches(&self, n: usize, id: PageId) -> bool {
        let pages = self.moments.get(n).map_or(&[][..], |moment| &moment.pages);
        pages.binary_search_by_key(&id, |delta| delta.id).is_ok_and(|at| !pages[at].known)
    }

    /// What the current step did to a page, if it did anything.
    #[must_use]
    pub fn change(&self, id: PageId) -> Option<&PageChange> {
        let pages = &self.here.step.pages;
        pages.binary_search_by_key(&id, |change| change.id).ok().map(|at| &pages[at])
    }

    /// The page as it was before the current step; `None` when it was not there, or is not known.
    #[must_use]
    pub fn previous(&self, id: PageId) -> Option<&Page> {
        self.before()?.pages.get(&id)
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
        self.explain_at(&self.here, false)
    }

    /// The same without any row data in its words: for a projector.
    #[must_use]
    pub fn explain_hidden(&self) -> Explanation {
        self.explain_at(&self.here, true)
    }

    /// How the statement whose last step led to the current state ended, where it failed or was not run; `redact`:
    /// without its words, which may have row data.
    #[must_use]
    pub fn failure(&self, redact: bool) -> Option<String> {
        let Here { current, state, .. } = &*self.here;
        let group = self.group(*current).filter(|group| group.states.end == current + 1)?;
        explain::failure(group.outcome()?, redact || state.redacted)
    }

    /// The numbers of the statements that failed or were not run, and how each ended; `redact` as for
    /// [`Self::failure`].
    #[must_use]
    pub fn failures(&self, redact: bool) -> Vec<(usize, String)> {
        let redact = redact || self.here.state.redacted;
        let statements = (1..).zip(self.groups().iter().filter(|group| group.is_statement()));
        statements.filter_map(|(n, group)| Some((n, explain::failure(group.outcome()?, redact)?))).collect()
    }

    /// Was the statement not run whose last step led to the current state, since the simulator does not know it?
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        let ends = |group: &&Group| group.states.end == self.current() + 1;
        let outcome = self.group(self.current()).filter(ends).and_then(Group::outcome);
        outcome.is_some_and(|outcome| outcome.contains(explain::NOT_SUPPORTED))
    }

    /// Is the current state one of a statement that was not run, here or on a server?
    #[must_use]
    pub fn is_not_run(&self) -> bool {
        let outcome = self.group(self.current()).and_then(Group::outcome);
        outcome.is_some_and(|outcome| [explain::NOT_SUPPORTED, explain::NOT_SENT].iter().any(|it| outcome.contains(it)))
    }

    /// What the step that led to a state did, and why.
    pub(super) fn explain_at(&self, here: &Here, redact: bool) -> Explanation {
        let Here { current, before, state, step, .. } = here;
        if *current == 0 {
            return explain::start(state);
        }
        let mut told = explain::explain_with(before, state, step, redact);
        let group = self.group(*current);
        let hides = redact || state.redacted;
        if let Some(who) = self.who_changed_rows(*current) {
            told.headline = format!("{}, by {who}", told.headline);
        }
        let ended = group.and_then(|group| Some((group, group.outcome()?)));
        if let Some((group, outcome)) = ended.filter(|(group, _)| group.states.start == *current) {
            explain::tell_plan(&mut told, group.plan(), outcome, hides);
        }
        if let Some((_, outcome)) = ended.filter(|(group, _)| group.states.end == current + 1) {
            explain::tell_outcome(&mut told, outcome, hides);
        }
        if step.cause != Cause::Capture {
            return told;
        }
        match group.map(|group| &group.how) {
            Some(How::Replayed { report: Replayed { measured: Some(why), .. }, .. }) => {
                told.events.insert(0, explain::measured(step, why));
            }
            Some(How::Measured(Some(why))) => told.events.push(explain::without_wal(step, why)),
            _ => {}
        }
        told
    }
}
