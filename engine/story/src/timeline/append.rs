//! How a timeline grows: by captures, by captures with the WAL between them, by pages that are read later.

use super::delta::{Delta, Way};
use super::diff::{Diff, diff, holds};
use super::history::{About, Load, Moment, take};
use super::replay::{Place, Replay};
use super::rest::{Rest, rest};
use super::{Cause, Group, How, PageChange, Played, Replayed, Sieve, Timeline, Unlogged, WalBetween};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::{Oid, Page};
use ffviz_format::state::{PageId, State};
use ffviz_format::wal::{Record, RelFileLocator};

/// What a replay goes by: the files that the records are about, and why the WAL is not all there.
struct Used<'a> {
    files: BTreeMap<RelFileLocator, Oid>,
    gap: Option<&'a str>,
    is_recovery: bool,
}

impl Timeline {
    /// Appends a state; the step to it is the difference to the last one. Does not move.
    ///
    /// A page that `next` has and the last state had not, though its fork was long enough, was read for the first time:
    /// it joins the state and is no part of the step. In the same way a page that `next` leaves out is no longer known,
    /// unless its fork is too short for it now.
    pub fn push(&mut self, next: State, label: Option<String>) {
        self.push_measured(next, label, None);
    }

    /// Appends a capture without WAL; `why` is a sentence where WAL was asked for.
    fn push_measured(&mut self, next: State, label: Option<String>, why: Option<String>) {
        let found = diff(&self.last, &next);
        let about = About::of(&next, label.as_ref());
        self.groups.push(Group::new(self.len()..self.len() + 1, label, How::Measured(why)));
        self.append(Cause::Capture, found, about);
    }

    /// Appends a capture and the WAL since the last one: a step a record, and one for what was not logged. Records that
    /// are about neither the relations nor their transactions are only counted. Where no WAL can be used, the step is
    /// the difference. Does not move.
    pub fn push_replayed(&mut self, next: State, label: Option<String>, wal: WalBetween) {
        if self.last.server != next.server || self.last.redacted != next.redacted {
            let why = "the captures are of different servers, or only one is redacted, so that no WAL leads from one to the other";
            return self.push_measured(next, label, Some(wal.gap.unwrap_or_else(|| String::from(why))));
        }
        if wal.records.is_empty() && wal.gap.is_some() {
            return self.push_measured(next, label, wal.gap);
        }
        let first = self.len();
        let how = self.replay_between(&next, label.as_ref(), wal, false);
        self.groups.push(Group::new(first..self.len(), label, how));
    }

    /// Appends a crash of the server and its recovery, as one group: a step to `disk`, the pages as the crash left them
    /// in the server's files, and a step a record of `wal`, all that recovery replays over them, to the capture `next`.
    /// Does not move.
    pub fn push_crashed(&mut self, disk: &State, next: &State, label: Option<String>, wal: WalBetween, played: Played) {
        let first = self.len();
        let found = diff(&self.last, disk);
        self.append(Cause::Unlogged(Unlogged::Crash), found, About::of(disk, label.as_ref()));
        let how = self.replay_between(next, label.as_ref(), wal, true);
        self.groups.push(Group { played: Some(played), ..Group::new(first..self.len(), label, how) });
    }

    /// Appends a step a record and what is left to the capture; `is_recovery`: the records begin at a checkpoint,
    /// before what the timeline has seen, and find the pages as a crash left them.
    fn replay_between(&mut self, next: &State, label: Option<&String>, wal: WalBetween, is_recovery: bool) -> How {
        let WalBetween { mut records, mut others, gap } = wal;
        let mut sieve = Sieve::new(&self.last, next).continuing(core::mem::take(&mut self.open));
        records.retain(|record| sieve.takes(record));
        others.add(sieve.others);
        let gap = gap.or_else(|| sieve.doubt());
        self.open = sieve.open();
        let (files, transactions) = sieve.finish();
        self.transactions.join(transactions);
        let report = self.replay(next, label, records, Used { files, gap: gap.as_deref(), is_recovery });
        How::Replayed { report, others, gap }
    }

    /// Appends a capture after a statement that a server ran, with the WAL since the last one where it was asked for.
    /// One that left nothing to see is one step that says how it ended. Does not move.
    pub fn push_played(&mut self, next: State, label: Option<String>, wal: Option<WalBetween>, played: Played) {
        match wal {
            Some(wal) => self.push_replayed(next, label, wal),
            None => self.push(next, label),
        }
        let (Some(group), Some(moment)) = (self.groups.last_mut(), self.moments.last_mut()) else { return };
        let is_nothing = group.states.len() == 1 && moment.pages.iter().all(|delta| delta.known);
        if is_nothing && moment.cause == Cause::Capture && moment.relations.iter().all(|change| !change.is_seen()) {
            let (facts, about) = (Vec::new(), None);
            moment.cause = Cause::Told { sentence: played.outcome.clone(), facts, about };
        }
        group.played = Some(played);
    }

    /// Appends a step a record and what is left to the capture.
    fn replay(&mut self, next: &State, label: Option<&String>, records: Vec<Record>, used: Used<'_>) -> Replayed {
        let mut replay = Replay::new(&self.last, used.files, &records);
        if used.is_recovery {
            replay.recovers();
        }
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
    pub(super) fn append(&mut self, cause: Cause, found: Diff, about: About) {
        take(&mut self.last, found.pages.iter().chain(&found.known), &found.relations, Way::Forward);
        self.endings.note(self.moments.len(), &cause, self.last.server.version);
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
    pub(super) fn amend(&mut self, found: Diff, about: About) {
        let newest = self.len() - 1;
        let moment = &mut self.moments[newest];
        take(&mut self.last, &found.known, &found.relations, Way::Forward);
        about.describe(&mut self.last);
        let within = moment.about.within.take();
        moment.about = About { within, ..about };
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

    /// Pages that were read after the last capture, before a next one: they join the **last** state, without a step.
    /// Earlier states do not get them, since nobody knows how those pages looked then. Such a page counts as added only
    /// where its fork grew in the last step. A page that the last state already has is left as it is; those whose bytes
    /// differ by now are returned: the database has moved on, and a new capture would show it.
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
}
