//! Moving in time: by step, by transaction, to any state. What is looked at follows to the page that changed, unless it
//! is pinned.
//!
//! ```text
//!   home: the page that was chosen        step changed it ──▶ shown
//!                                         step changed others only ──▶ one of those is shown, until a step changes home again
//! ```
//!
//! Which page is shown depends on the state and on home, not on the way there: forth and back show the same.
//!
//! With a step a record, a page that was chosen once would mostly stand still: so stepping follows the change. `f`
//! pins.

use super::{Command, Model, ViewName, course, fold};
use crate::scene::wal::ends_transaction;
use crate::timeline::{Cause, Timeline};
use alloc::string::ToString;
use core::ops::Range;
use ffviz_format::page::ForkNumber;
use ffviz_format::state::PageId;

/// How steps go, and where the last one led.
#[derive(Debug, Clone, Default)]
pub(super) struct Steps {
    /// is each step of catalog and files shown?
    pub unfolded: bool,
    /// stepping stays on the page that is shown, even where another changed
    pub pinned: bool,
    /// steps follow changes to pages of the relation that is shown only: where two runs are compared
    pub within: bool,
    /// was the state reached by statement? Then all its steps are looked at as one.
    pub whole: bool,
    pub followed: Option<Followed>,
}

/// The page that was chosen, and the one that is shown in its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Followed {
    pub home: PageId,
    shown: PageId,
}

/// One step, or to an end.
pub(super) fn step(model: &mut Model, command: Command) {
    let current = model.timeline.as_ref().map_or(0, Timeline::current);
    match (command, current) {
        (Command::StepBack, 0) => model.status = "This is the first state.".to_string(),
        (Command::StepBack, _) => {
            let to = fold::back(model, current);
            seek(model, to);
        }
        (Command::StepForward, _) => {
            let to = fold::forward(model, current + 1);
            advance(model, to);
            model.steps.whole |= to > current + 1;
        }
        (Command::Last, _) => seek(model, usize::MAX),
        _ => seek(model, 0),
    }
}

/// To where the next statement, transaction or capture ends, or the one before.
pub(super) fn group(model: &mut Model, forward: bool) {
    let Some(timeline) = &model.timeline else { return };
    let current = timeline.current();
    match (forward, current) {
        (false, 0) => model.status = "This is the first state.".to_string(),
        (false, _) => seek(model, group_end(timeline, current, forward)),
        (true, _) => advance(model, group_end(timeline, current, forward)),
    }
    model.steps.whole = true;
}

/// Goes to the end of a statement, whose figure is then of all its steps.
pub(super) fn seek_whole(model: &mut Model, to: usize) {
    seek(model, to);
    model.steps.whole = true;
}

/// The states of the statement, transaction or capture that ends where we stand.
pub(super) fn group_of(timeline: &Timeline) -> Option<Range<usize>> {
    let end = timeline.current();
    let start = if end == 0 { return None } else { group_end(timeline, end, false) + 1 };
    (group_end(timeline, end - 1, true) == end).then_some(start..end + 1)
}

/// Goes on to a state, or to the question of a lesson that is asked before it.
pub(super) fn advance(model: &mut Model, to: usize) {
    match course::question_before(model, to) {
        Some(question) => course::ask(model, question),
        None => seek(model, to),
    }
}

/// Past the last state is one more than there are.
fn group_end(timeline: &Timeline, from: usize, forward: bool) -> usize {
    let version = timeline.last().server.version;
    let is_end = |state: &usize| {
        let ends_group = timeline.group(*state).is_some_and(|group| group.states.end == state + 1);
        // a statement of a script is known from its beginning to its end; between captures, transactions are what
        // stands out
        ends_group
            || !timeline.is_script() && timeline.record(*state).is_some_and(|record| ends_transaction(record, version))
    };
    match forward {
        true => (from + 1..timeline.len()).find(is_end).unwrap_or(timeline.len()),
        false => (0..from).rev().find(is_end).unwrap_or(0),
    }
}

/// Goes to a state.
pub(super) fn seek(model: &mut Model, to: usize) {
    let Some(timeline) = &mut model.timeline else { return };
    let before = timeline.current();
    timeline.seek(to);
    if timeline.current() == before && to > before {
        model.status = "This is the last state.".to_string();
        return;
    }
    model.steps.whole = false;
    course::arrive(model);
    match model.place.view {
        ViewName::Wal => model.place.selected = model.current_record().or(model.place.selected),
        // another step is another figure
        ViewName::Figure => {
            follow(model);
            model.place.selected = None;
        }
        ViewName::Page if !model.steps.pinned => follow(model),
        _ => {}
    }
    course::select(model);
}

/// Shows a page that the step changed.
fn follow(model: &mut Model) {
    let (Some(timeline), Some(page)) = (&model.timeline, model.place.page) else { return };
    let home = model.home().unwrap_or(page);
    let first = timeline.group(timeline.current()).map_or(0, |group| group.states.start);
    // a step that changed no page, such as a commit, leaves in sight what the one before it changed
    let is_compared = |id: &PageId| !model.steps.within || (id.relation, id.fork) == (home.relation, home.fork);
    let changed = (first..=timeline.current())
        .rev()
        .find_map(|state| changed_page(timeline, state, Some(home)).filter(is_compared));
    // at its end a section of a lesson is about what it is about
    let shown = changed.filter(|_| !course::ends_section(model)).unwrap_or(home);
    model.steps.followed = (shown != home).then_some(Followed { home, shown });
    if shown != page {
        (model.place.page, model.place.selected) = (Some(shown), None);
    }
}

/// The page of a step to look at: this one where it changed, else one of the same fork, else the first of a main fork.
pub(super) fn changed_page(timeline: &Timeline, state: usize, home: Option<PageId>) -> Option<PageId> {
    if let Some(Cause::Told { about: Some(about), .. }) = timeline.cause(state) {
        return Some(*about);
    }
    if let Some(home) = home.filter(|home| timeline.touches(state, *home)) {
        return Some(home);
    }
    let pages = || timeline.touched(state).filter(|id| timeline.state().pages.contains_key(id));
    let same = pages().find(|id| home.is_some_and(|home| (home.relation, home.fork) == (id.relation, id.fork)));
    same.or_else(|| pages().find(|id| id.fork == ForkNumber::Main)).or_else(|| pages().next())
}

/// Stays on the page that is shown, or follows again.
pub(super) fn pin(model: &mut Model) {
    model.steps.pinned = !model.steps.pinned;
    model.steps.followed = None;
    model.status = match model.steps.pinned {
        true => "Steps stay on this page.",
        false => "Steps follow to the page that changed.",
    }
    .to_string();
}

impl Model {
    /// The page that was chosen, where a step led to another one.
    pub(super) fn home(&self) -> Option<PageId> {
        self.steps.followed.filter(|followed| self.place.page == Some(followed.shown)).map(|followed| followed.home)
    }
}
