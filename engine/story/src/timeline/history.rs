//! The timeline itself: deltas between states, keyframes among them, and three states at hand.
//!
//! ```text
//! keyframe       δ1     δ2     δ3     δ4   keyframe    δ6     …     δn
//! state 0 ●──────○──────○──────○──────○──────●─────────○─────  … ───● last
//!                       ▲      ▲
//!                    before  state   we stand on state 3; the step to it is δ3, with both ends of its pages
//! ```
//!
//! A step either way applies two deltas. A jump copies the keyframe before it and applies the deltas from there; a
//! keyframe is set when the deltas since the last one take as much memory as it would, or when there are `REPLAY` page
//! changes to replay.

use super::delta::{Delta, Way, put};
use super::diff::Diff;
use super::fates::Endings;
use super::xact::Transactions;
use super::{Cause, Group, How, PageChange, RelationChange, Step};
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::{Lsn, Page, TransactionId};
use ffviz_format::state::{PageId, Server, State};

/// Page changes between two keyframes at most: some ten milliseconds of a jump.
const REPLAY: usize = 16_384;
/// Steps that are walked one by one rather than jumped.
const WALK: usize = 8;

/// States and the steps between them, and where we stand. Going one step costs what the step changed; jumping anywhere
/// starts from the nearest keyframe. There is always at least one state.
#[derive(Debug, Clone)]
pub struct Timeline {
    pub(super) moments: Vec<Moment>,
    pub(super) groups: Vec<Group>,
    pub(super) keyframes: Vec<(usize, State)>,
    pub(super) load: Load,
    pub(super) transactions: Transactions,
    pub(super) endings: Endings,
    /// those that wrote, and of which no end was seen
    pub(super) open: BTreeSet<TransactionId>,
    pub(super) last: State,
    pub(super) here: Box<Here>,
}

/// Where we stand.
#[derive(Debug, Clone)]
pub(super) struct Here {
    pub(super) current: usize,
    /// the state before the current one; at state 0 the same
    pub(super) before: State,
    pub(super) state: State,
    pub(super) step: Step,
    /// what the current step made known or forgot, besides `step.pages`
    pub(super) known: Vec<PageChange>,
}

/// All that is kept of a state besides pages and relations.
#[derive(Debug, Clone)]
pub(super) struct About {
    pub(super) label: Option<String>,
    /// the statement of a block or of a function that did it
    pub(super) within: Option<Arc<str>>,
    pub(super) server: Server,
    pub(super) lsn: Option<Lsn>,
    pub(super) redo: Option<Lsn>,
    pub(super) at: Option<String>,
    pub(super) redacted: bool,
}

/// A state, and the step that led to it.
#[derive(Debug, Clone)]
pub(super) struct Moment {
    pub(super) cause: Cause,
    pub(super) about: About,
    /// in order of `PageId`
    pub(super) pages: Vec<Delta>,
    pub(super) relations: Box<[RelationChange]>,
}

/// What has gathered since the last keyframe.
#[derive(Debug, Clone, Default)]
pub(super) struct Load {
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
        let groups = Vec::from([Group::new(0..1, label, How::Start)]);
        Self {
            moments: Vec::from([moment]),
            groups,
            keyframes: Vec::from([(0, first.clone())]),
            load: Load::default(),
            transactions: Transactions::default(),
            endings: Endings::default(),
            open: BTreeSet::new(),
            last: first.clone(),
            here: Box::new(Here { current: 0, before: first.clone(), state: first, step, known }),
        }
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

    fn jump(&mut self, to: usize) {
        *self.here = self.here_at(to);
    }

    /// What there is at a state, wherever we stand: from the keyframe before it; every state has one, since state 0 is
    /// a keyframe.
    pub(super) fn here_at(&self, to: usize) -> Here {
        let before = to.saturating_sub(1);
        let nearest = self.keyframes.partition_point(|(at, _)| *at <= before) - 1;
        let (at, keyframe) = &self.keyframes[nearest];
        let mut state = keyframe.clone();
        for moment in &self.moments[*at + 1..=before] {
            moment.replay(&mut state);
        }
        self.moments[before].about.describe(&mut state);
        let (step, known) = self.moments[to].changes(&state, Way::Forward);
        let mut here = Here { current: to, before: state.clone(), state, step, known };
        here.take_step(&self.moments[to]);
        here
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
        self.take_step(moment);
    }

    fn take_step(&mut self, moment: &Moment) {
        take(&mut self.state, self.step.pages.iter().chain(&self.known), &self.step.relations, Way::Forward);
        moment.about.describe(&mut self.state);
    }
}

impl Moment {
    pub(super) fn new(cause: Cause, found: Diff, about: About) -> Self {
        let mut pages: Vec<Delta> = found.pages.iter().map(|change| Delta::new(change, false)).collect();
        pages.extend(found.known.iter().map(|change| Delta::new(change, true)));
        pages.sort_unstable_by_key(|delta| delta.id);
        Self { cause, about, pages, relations: found.relations.into_boxed_slice() }
    }

    /// The step with both ends of its pages, and what became known or was forgotten; `here` is the state where `way`
    /// begins.
    pub(super) fn changes(&self, here: &State, way: Way) -> (Step, Vec<PageChange>) {
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
    pub(super) fn replay(&self, state: &mut State) {
        for delta in &self.pages {
            delta.apply(&mut state.pages);
        }
        take(state, [], &self.relations, Way::Forward);
    }
}

impl About {
    pub(super) fn of(state: &State, label: Option<&String>) -> Self {
        Self {
            label: label.cloned(),
            within: None,
            server: state.server.clone(),
            lsn: state.lsn,
            redo: state.redo,
            at: state.at.clone(),
            redacted: state.redacted,
        }
    }

    /// Writes it to the state.
    pub(super) fn describe(&self, state: &mut State) {
        state.server.clone_from(&self.server);
        state.at.clone_from(&self.at);
        (state.lsn, state.redo, state.redacted) = (self.lsn, self.redo, self.redacted);
    }
}

/// Takes changes of pages and relations in a state.
pub(super) fn take<'a>(
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
    pub(super) fn add(&mut self, deltas: &[Delta]) {
        self.changes += deltas.len();
        self.bytes += deltas.iter().map(Delta::weight).sum::<usize>();
        self.pages.extend(deltas.iter().map(|delta| delta.id));
    }

    /// Is it time for a keyframe?
    pub(super) fn is_due(&self, state: &State) -> bool {
        let shared = state.pages.len() * size_of::<(PageId, Page)>() * 2;
        let own = self.pages.len() * usize::from(state.server.block_size);
        self.changes >= REPLAY || self.bytes >= shared + own
    }
}
