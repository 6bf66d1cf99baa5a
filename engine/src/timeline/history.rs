//! The timeline itself: deltas between states, keyframes among them, and three states at hand.
//!
//! ```text
//! keyframe       δ1     δ2     δ3     δ4   keyframe    δ6     …     δn
//! state 0 ●──────○──────○──────○──────○──────●─────────○─────  … ───● last
//!                       ▲      ▲
//!                    before  state   we stand on state 3; the step to it is δ3, with both ends of every page it changed
//! ```
//!
//! A step either way applies two deltas. A jump copies the keyframe before it and applies the deltas from there; a keyframe is set when
//! the deltas since the last one take as much memory as it would, or when there are `REPLAY` page changes to replay.

use super::delta::{Delta, Way, put};
use super::diff::{Diff, changed_bytes, diff, holds};
use super::replay::{Place, Replay};
use super::rest::{Rest, rest};
use super::xact::{Transactions, ending_xid};
use super::{Cause, Explanation, Group, How, PageChange, RelationChange, Replayed, Sieve, Step, WalBetween, explain};
use crate::page::{Lsn, Oid, Page, TransactionId};
use crate::storage::{PageId, Server, State};
use crate::wal::{Record, RelFileLocator, Rmgr};
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

/// Page changes between two keyframes at most: some ten milliseconds of a jump.
const REPLAY: usize = 16_384;
/// Steps that are walked one by one rather than jumped.
const WALK: usize = 8;

/// States and the steps between them, and where we stand. Going one step costs what the step changed; jumping anywhere starts from the
/// nearest keyframe. There is always at least one state.
#[derive(Debug, Clone)]
pub struct Timeline {
    moments: Vec<Moment>,
    groups: Vec<Group>,
    keyframes: Vec<(usize, State)>,
    load: Load,
    transactions: Transactions,
    last: State,
    here: Box<Here>,
}

/// Where we stand.
#[derive(Debug, Clone)]
struct Here {
    current: usize,
    /// the state before the current one; at state 0 the same
    before: State,
    state: State,
    step: Step,
    /// what the current step made known or forgot, besides `step.pages`
    known: Vec<PageChange>,
}

/// All that is kept of a state besides pages and relations.
#[derive(Debug, Clone)]
struct About {
    label: Option<String>,
    server: Server,
    lsn: Option<Lsn>,
    redo: Option<Lsn>,
    at: Option<String>,
    redacted: bool,
}

/// A state, and the step that led to it.
#[derive(Debug, Clone)]
struct Moment {
    cause: Cause,
    about: About,
    /// in order of `PageId`
    pages: Vec<Delta>,
    relations: Box<[RelationChange]>,
}

/// What a replay goes by: the files that the records are about, and why the WAL is not all there.
struct Used<'a> {
    files: BTreeMap<RelFileLocator, Oid>,
    gap: Option<&'a str>,
}

/// What has gathered since the last keyframe.
#[derive(Debug, Clone, Default)]
struct Load {
    changes: usize,
    bytes: usize,
    pages: BTreeSet<PageId>,
}

impl Timeline {
    /// A timeline of one state.
    #[must_use]
    pub fn new(first: State, label: Option<String>) -> Self {
        let moment = Moment::new(Cause::Start, Diff::default(), About::of(&first, label.as_ref()));
        let (step, known) = moment.changes(&first, Way::Forward);
        let groups = Vec::from([Group { states: 0..1, label, how: How::Start }]);
        Self {
            moments: Vec::from([moment]),
            groups,
            keyframes: Vec::from([(0, first.clone())]),
            load: Load::default(),
            transactions: Transactions::default(),
            last: first.clone(),
            here: Box::new(Here { current: 0, before: first.clone(), state: first, step, known }),
        }
    }

    /// Appends a state; the step to it is the difference to the last one. Does not move.
    ///
    /// A page that `next` has and the last state had not, though its fork was long enough, was read for the first time: it joins
    /// the state and is no part of the step. In the same way a page that `next` leaves out is no longer known, unless its fork is too
    /// short for it now.
    pub fn push(&mut self, next: State, label: Option<String>) {
        self.push_measured(next, label, None);
    }

    /// Appends a capture without WAL; `why` is a sentence where WAL was asked for.
    fn push_measured(&mut self, next: State, label: Option<String>, why: Option<String>) {
        let found = diff(&self.last, &next);
        let about = About::of(&next, label.as_ref());
        self.groups.push(Group { states: self.len()..self.len() + 1, label, how: How::Measured(why) });
        self.append(Cause::Capture, found, about);
    }

    /// Appends a capture and the WAL since the last one: a step a record, and one for what was not logged. Records that are about neither
    /// the relations nor their transactions are only counted. Where no WAL can be used, the step is the difference. Does not move.
    pub fn push_replayed(&mut self, next: State, label: Option<String>, wal: WalBetween) {
        if self.last.server != next.server || self.last.redacted != next.redacted {
            let why = "the captures are of different servers, or only one is redacted, so that no WAL leads from one to the other";
            return self.push_measured(next, label, Some(wal.gap.unwrap_or_else(|| String::from(why))));
        }
        if wal.records.is_empty() && wal.gap.is_some() {
            return self.push_measured(next, label, wal.gap);
        }
        let WalBetween { mut records, mut others, gap } = wal;
        let mut sieve = Sieve::new(&self.last, &next);
        records.retain(|record| sieve.takes(record));
        others.add(sieve.others);
        let gap = gap.or_else(|| sieve.doubt());
        let (files, transactions) = sieve.finish();
        self.transactions.join(transactions);
        let first = self.len();
        let report = self.replay(&next, label.as_ref(), records, Used { files, gap: gap.as_deref() });
        let how = How::Replayed { report, others, gap };
        self.groups.push(Group { states: first..self.len(), label, how });
    }

    /// Appends a step a record and what is left to the capture.
    fn replay(&mut self, next: &State, label: Option<&String>, records: Vec<Record>, used: Used<'_>) -> Replayed {
        let mut replay = Replay::new(&self.last, used.files, &records);
        for record in records {
            let found = replay.take(&record, Place { state: &self.last, after: next });
            let redo = replay.redo_at(record.start).or(self.last.redo);
            let about = About { lsn: Some(record.end), redo, ..About::of(&self.last, label) };
            self.append(Cause::Record(Arc::new(record)), found, about);
        }
        let place = Place { state: &self.last, after: next };
        let Rest { not_logged, measured, silent } = rest(place, &mut replay, used.gap);
        let report = replay.report;
        let steps = self.len();
        for (cause, found) in [(Cause::NotLogged, not_logged), (Cause::Capture, measured)] {
            if !found.is_empty() {
                self.append(cause, found, About::of(next, label));
            }
        }
        if report.records == 0 && self.len() == steps {
            self.append(Cause::Capture, silent, About::of(next, label));
        } else {
            self.amend(silent, About::of(next, label));
        }
        report
    }

    /// Appends a step: the last state becomes what it leads to.
    fn append(&mut self, cause: Cause, found: Diff, about: About) {
        take(&mut self.last, found.pages.iter().chain(&found.known), &found.relations, Way::Forward);
        let moment = Moment::new(cause, found, about);
        moment.about.describe(&mut self.last);
        self.load.add(&moment.pages);
        self.moments.push(moment);
        if self.load.is_due(&self.last) {
            self.keyframes.push((self.len() - 1, self.last.clone()));
            self.load = Load::default();
        }
    }

    /// Adds to the last step what is no step of its own: statistics, and pages that became known.
    fn amend(&mut self, found: Diff, about: About) {
        let newest = self.len() - 1;
        let moment = &mut self.moments[newest];
        take(&mut self.last, &found.known, &found.relations, Way::Forward);
        about.describe(&mut self.last);
        moment.about = about;
        moment.pages.extend(found.known.iter().map(|change| Delta::new(change, true)));
        moment.pages.sort_by_key(|delta| delta.id);
        let mut relations = core::mem::take(&mut moment.relations).into_vec();
        for new in found.relations {
            match relations.iter_mut().find(|change| change.oid == new.oid) {
                Some(change) => change.after = new.after,
                None => relations.push(new),
            }
        }
        relations.sort_by_key(|change| change.oid);
        moment.relations = relations.into_boxed_slice();
        if let Some((_, keyframe)) = self.keyframes.last_mut().filter(|(at, _)| *at == newest) {
            keyframe.clone_from(&self.last);
        }
    }

    /// Pages that were read after the last capture, before a next one: they join the **last** state, without a step. Earlier states
    /// do not get them, since nobody knows how those pages looked then. Such a page counts as added only where its fork grew in the last
    /// step. A page that the last state already has is left as it is; those whose bytes differ by now are returned: the database has
    /// moved on, and a new capture would show it.
    pub fn add_pages(&mut self, pages: impl IntoIterator<Item = (PageId, Page)>) -> Vec<PageId> {
        let mut stale = Vec::new();
        for (id, page) in pages {
            match self.last.pages.get(&id) {
                Some(known) if *known != page => stale.push(id),
                Some(_) => {}
                None => self.add_page(id, page),
            }
        }
        let newest = self.len() - 1;
        let here = &mut *self.here;
        if here.current == newest {
            here.state.pages.clone_from(&self.last.pages);
            if newest == 0 {
                here.before.pages.clone_from(&self.last.pages);
            }
            (here.step, here.known) = self.moments[newest].changes(&here.before, Way::Forward);
        }
        stale
    }

    fn add_page(&mut self, id: PageId, page: Page) {
        let newest = self.len() - 1;
        if let Some((_, keyframe)) = self.keyframes.last_mut().filter(|(at, _)| *at == newest) {
            keyframe.pages.insert(id, page.clone());
        }
        if newest > 0 {
            let now = self.last.relations.get(&id.relation);
            let Moment { pages: deltas, relations, .. } = &mut self.moments[newest];
            let then =
                relations.iter().find(|change| change.oid == id.relation).map_or(now, |change| change.before.as_ref());
            let was_there = holds(then.map(AsRef::as_ref), now.map(AsRef::as_ref), id);
            let at = deltas.binary_search_by_key(&id, |delta| delta.id);
            // a page that the capture left out may have been known before it: then what differs has changed since
            let before = at.ok().and_then(|at| deltas.remove(at).change(None, Way::Forward).before);
            if before.as_ref() != Some(&page) {
                let known = before.is_none() && was_there;
                let change = PageChange { id, before, after: Some(page.clone()) };
                deltas.insert(at.unwrap_or_else(|at| at), Delta::new(&change, known));
            }
        }
        self.last.pages.insert(id, page);
    }

    /// Number of states; steps between them are one fewer.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a timeline has at least one state")]
    pub const fn len(&self) -> usize {
        self.moments.len()
    }

    /// Number of the state we stand on, from 0.
    #[must_use]
    pub const fn current(&self) -> usize {
        self.here.current
    }

    /// Goes to a state; past the end is the last one.
    pub fn seek(&mut self, to: usize) {
        let to = to.min(self.len() - 1);
        if to.abs_diff(self.here.current) > WALK {
            return self.jump(to);
        }
        while self.here.current < to {
            self.here.forward(&self.moments);
        }
        while self.here.current > to {
            self.here.back(&self.moments);
        }
    }

    /// From the keyframe before `to`; every state has one, since state 0 is a keyframe.
    fn jump(&mut self, to: usize) {
        let before = to.saturating_sub(1);
        let nearest = self.keyframes.partition_point(|(at, _)| *at <= before) - 1;
        let (at, keyframe) = &self.keyframes[nearest];
        let here = &mut *self.here;
        here.before = keyframe.clone();
        for moment in &self.moments[*at + 1..=before] {
            moment.replay(&mut here.before);
        }
        self.moments[before].about.describe(&mut here.before);
        here.state = here.before.clone();
        here.current = to;
        here.arrive(&self.moments[to]);
    }

    /// The state we stand on.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.here.state
    }

    /// The state before the step that led here; at state 0 there is none.
    #[must_use]
    pub fn before(&self) -> Option<&State> {
        (self.here.current > 0).then_some(&self.here.before)
    }

    /// The newest state, wherever we stand.
    #[must_use]
    pub const fn last(&self) -> &State {
        &self.last
    }

    /// The step that led to the state we stand on; at state 0 it is empty.
    #[must_use]
    pub const fn step(&self) -> &Step {
        &self.here.step
    }

    /// Label of the step that led to state n: usually the SQL.
    #[must_use]
    pub fn label(&self, n: usize) -> Option<&str> {
        self.moments.get(n)?.about.label.as_deref()
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

    /// The top-level transaction that wrote the record of the step to state n, as far as it is known whose subtransaction it was.
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
        self.explain_as(false)
    }

    /// The same without any row data in its words: for a projector.
    #[must_use]
    pub fn explain_hidden(&self) -> Explanation {
        self.explain_as(true)
    }

    fn explain_as(&self, redact: bool) -> Explanation {
        let Some(before) = self.before() else { return explain::start(self.state()) };
        let mut told = explain::explain_with(before, self.state(), self.step(), redact);
        if let (Cause::Capture, Some(How::Replayed { report: Replayed { measured: Some(why), .. }, .. })) =
            (&self.step().cause, self.group(self.current()).map(|group| &group.how))
        {
            told.events.insert(0, explain::measured(self.step(), why));
        }
        told
    }
}

impl Here {
    fn forward(&mut self, moments: &[Moment]) {
        take(&mut self.before, self.step.pages.iter().chain(&self.known), &self.step.relations, Way::Forward);
        moments[self.current].about.describe(&mut self.before);
        self.current += 1;
        self.arrive(&moments[self.current]);
    }

    fn back(&mut self, moments: &[Moment]) {
        take(&mut self.state, self.step.pages.iter().chain(&self.known), &self.step.relations, Way::Back);
        self.current -= 1;
        let moment = &moments[self.current];
        moment.about.describe(&mut self.state);
        (self.step, self.known) = moment.changes(&self.state, Way::Back);
        take(&mut self.before, self.step.pages.iter().chain(&self.known), &self.step.relations, Way::Back);
        moments[self.current.saturating_sub(1)].about.describe(&mut self.before);
    }

    /// Takes the step to the current state, of which `before` and `state` are still at its beginning.
    fn arrive(&mut self, moment: &Moment) {
        (self.step, self.known) = moment.changes(&self.before, Way::Forward);
        take(&mut self.state, self.step.pages.iter().chain(&self.known), &self.step.relations, Way::Forward);
        moment.about.describe(&mut self.state);
    }
}

impl Moment {
    fn new(cause: Cause, found: Diff, about: About) -> Self {
        let mut pages: Vec<Delta> = found.pages.iter().map(|change| Delta::new(change, false)).collect();
        pages.extend(found.known.iter().map(|change| Delta::new(change, true)));
        pages.sort_unstable_by_key(|delta| delta.id);
        Self { cause, about, pages, relations: found.relations.into_boxed_slice() }
    }

    /// The step with both ends of its pages, and what became known or was forgotten; `here` is the state where `way` begins.
    fn changes(&self, here: &State, way: Way) -> (Step, Vec<PageChange>) {
        let change = |delta: &Delta| delta.change(here.pages.get(&delta.id), way);
        let step = Step {
            cause: self.cause.clone(),
            label: self.about.label.clone(),
            pages: self.pages.iter().filter(|delta| !delta.known).map(change).collect(),
            relations: self.relations.to_vec(),
        };
        (step, self.pages.iter().filter(|delta| delta.known).map(change).collect())
    }

    /// Takes the step forwards in place.
    fn replay(&self, state: &mut State) {
        for delta in &self.pages {
            delta.apply(&mut state.pages);
        }
        take(state, [], &self.relations, Way::Forward);
    }
}

impl About {
    fn of(state: &State, label: Option<&String>) -> Self {
        Self {
            label: label.cloned(),
            server: state.server.clone(),
            lsn: state.lsn,
            redo: state.redo,
            at: state.at.clone(),
            redacted: state.redacted,
        }
    }

    /// Writes it to the state.
    fn describe(&self, state: &mut State) {
        state.server.clone_from(&self.server);
        state.at.clone_from(&self.at);
        (state.lsn, state.redo, state.redacted) = (self.lsn, self.redo, self.redacted);
    }
}

/// Takes changes of pages and relations in a state.
fn take<'a>(
    state: &mut State,
    pages: impl IntoIterator<Item = &'a PageChange>,
    relations: &[RelationChange],
    way: Way,
) {
    for change in pages {
        put(&mut state.pages, change.id, if way == Way::Forward { &change.after } else { &change.before });
    }
    for change in relations {
        put(&mut state.relations, change.oid, if way == Way::Forward { &change.after } else { &change.before });
    }
}

impl Load {
    fn add(&mut self, deltas: &[Delta]) {
        self.changes += deltas.len();
        self.bytes += deltas.iter().map(Delta::weight).sum::<usize>();
        self.pages.extend(deltas.iter().map(|delta| delta.id));
    }

    /// Is it time for a keyframe?
    fn is_due(&self, state: &State) -> bool {
        let shared = state.pages.len() * size_of::<(PageId, Page)>() * 2;
        let own = self.pages.len() * usize::from(state.server.block_size);
        self.changes >= REPLAY || self.bytes >= shared + own
    }
}
