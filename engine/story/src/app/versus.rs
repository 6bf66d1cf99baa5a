//! Two runs of one script side by side, in lockstep: each step goes to the same step of the same statement, and waits
//! where one run has fewer.
//!
//! ```text
//!   as written      s1 ─ s1 ─ s1 ┬ s2 ─ s2 ─ s2 ─ s2 ┬ s3
//!   fillfactor=80   s1 ─ s1 ─────┴ s2 ───────────────┴ s3 ─ s3
//! ```
//!
//! The other run is a program of its own, whose messages follow from those of the first: what is looked at is the same
//! in both.
//!
//! The second follows the first by statement and step, by the names of relations, and by what is looked at. So each
//! picture, and editing, works in both without being written twice.

use super::script::{self, end_of, item, same_page};
use super::{Command, Effect, Model, Msg, RunReport, Source, View, ViewName, step, update, view};
use crate::scene::{RunTotals, Totals};
use crate::timeline::{Run, Timeline};
use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

/// The other run.
#[derive(Debug, Clone)]
pub(super) struct Versus {
    /// what is different: of the first run, of the other
    names: [String; 2],
    other: Model,
}

/// What stands beside the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beside {
    /// what is different: of the view, of the other
    pub names: [String; 2],
    /// the other run
    pub view: Rc<View>,
    /// what both cost
    pub totals: Totals,
}

/// Where a run is looked at: to see afterwards what a message changed.
type Place = (Option<ffviz_format::state::PageId>, usize);

/// The script that is open was run in another way too.
pub(super) fn opened(model: &mut Model, names: [String; 2], run: Run) {
    let Source::Script(name) = &model.source else { return };
    let mut other = Model::new(Vec::new());
    update(&mut other, Msg::Scripted { name: name.clone(), run });
    (model.within, other.within) = (true, true);
    // the same page of both is what can be compared
    for run in [&mut *model, &mut other] {
        if run.view == ViewName::Figure {
            run.show(ViewName::Page);
        }
    }
    let mut versus = Versus { names, other };
    versus.look_at_the_same(model);
    versus.go_to_the_same(model);
    model.versus = Some(Box::new(versus));
}

/// Takes in a message where two runs are shown.
pub(super) fn take_in(model: &mut Model, mut versus: Box<Versus>, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Command(Command::StepForward) => {
            versus.step(model, true);
            model.versus = Some(versus);
            return Vec::new();
        }
        Msg::Command(Command::StepBack) => {
            versus.step(model, false);
            model.versus = Some(versus);
            return Vec::new();
        }
        // something else is open then
        Msg::Opened { .. } | Msg::Scripted { .. } => {
            model.within = false;
            return update(model, msg);
        }
        _ => {}
    }
    let before = place(model);
    let forwarded = forwarded(&msg);
    let effects = update(model, msg);
    if effects.contains(&Effect::StopRun) {
        script::stop(&mut versus.other);
    }
    if let Some(msg) = forwarded {
        update(&mut versus.other, msg);
    }
    let after = place(model);
    if before.0 != after.0 {
        versus.look_at_the_same(model);
    }
    if before != after {
        versus.go_to_the_same(model);
    }
    versus.share(model);
    model.versus = Some(versus);
    effects
}

/// What concerns the script concerns both; how the other was run is told with the first.
fn forwarded(msg: &Msg) -> Option<Msg> {
    match msg {
        Msg::RunReport { number, report: RunReport::Ran(_, Some(other)) } => {
            Some(Msg::run(*number, RunReport::Ran(other.clone(), None)))
        }
        Msg::Run(_) | Msg::CloseEditor(_) | Msg::RunReport { .. } => Some(msg.clone()),
        Msg::Command(
            Command::Edit | Command::BranchOff | Command::Undo | Command::NextBranch | Command::PreviousBranch,
        ) => Some(msg.clone()),
        _ => None,
    }
}

/// The page that was chosen, and the state.
fn place(model: &Model) -> Place {
    (model.home().or(model.page), model.timeline.as_ref().map_or(0, Timeline::current))
}

/// A statement of a timeline, and how many of its steps are done, of how many.
struct At {
    item: usize,
    done: usize,
    of: usize,
}

impl At {
    fn of(timeline: &Timeline) -> Self {
        let item = item(timeline);
        let states = timeline.groups().get(item).map_or(0..1, |group| group.states.clone());
        Self { item, done: timeline.current() + 1 - states.start, of: states.len() }
    }
}

/// The state after so many steps of a statement, or its last.
fn state_at(timeline: &Timeline, item: usize, done: usize) -> usize {
    let end = end_of(timeline, item);
    timeline.groups().get(item).map_or(end, |group| (group.states.start + done).saturating_sub(1).min(end))
}

impl Versus {
    /// A step of both: the next one of this statement, where either has one; else the first of the next statement.
    fn step(&mut self, model: &mut Model, forward: bool) {
        let (Some(one), Some(two)) = (&model.timeline, &self.other.timeline) else { return };
        let (a, b) = (At::of(one), At::of(two));
        let (done, most) = (a.done.max(b.done), a.of.max(b.of));
        let (item, done) = match forward {
            true if done < most => (a.item, done + 1),
            true => (a.item + 1, 1),
            false if done > 1 => (a.item, done - 1),
            // the end of the statement before
            false => (a.item.saturating_sub(1), usize::MAX / 2),
        };
        let last = one.groups().len() <= item;
        let to = [one, two].map(|timeline| state_at(timeline, item, done));
        if last || !forward && a.item == 0 {
            let command = if forward { Command::StepForward } else { Command::StepBack };
            step::step(model, command);
            return;
        }
        for (model, to) in [&mut *model, &mut self.other].into_iter().zip(to) {
            model.status.clear();
            step::seek(model, to);
            model.prepare();
        }
    }

    /// Goes where the first run is: at the end of a statement to its end, else to the same step of it.
    fn go_to_the_same(&mut self, model: &Model) {
        let (Some(one), Some(two)) = (&model.timeline, &self.other.timeline) else { return };
        let at = At::of(one);
        let done = if at.done == at.of { usize::MAX / 2 } else { at.done };
        let to = state_at(two, at.item, done);
        step::seek(&mut self.other, to);
    }

    /// Looks at the page that was chosen in the first run, if the other has such a page.
    fn look_at_the_same(&mut self, model: &Model) {
        let (Some(one), Some(two), (Some(page), _)) = (&model.timeline, &self.other.timeline, place(model)) else {
            return;
        };
        if let Some(page) = same_page(one, two, page) {
            self.other.page = Some(page);
        }
    }

    /// The other run is seen in the same way.
    fn share(&mut self, model: &Model) {
        let other = &mut self.other;
        (other.view, other.selected, other.redact) = (model.view, model.selected, model.redact);
        (other.measure, other.zoom, other.pinned) = (model.measure, model.zoom, model.pinned);
        other.filter.clone_from(&model.filter);
        other.wal.list = model.wal.list;
        other.prepare();
    }

    /// What stands beside the view.
    pub(super) fn beside(&self, model: &Model) -> Option<Box<Beside>> {
        let (one, two) = (model.timeline.as_ref()?, self.other.timeline.as_ref()?);
        let [first, second] = &self.names;
        let runs = [(first, one), (second, two)].map(|(name, timeline)| RunTotals { name, timeline });
        let totals = Totals::new(&runs, item(one));
        Some(Box::new(Beside { names: self.names.clone(), view: Rc::new(view(&self.other)), totals }))
    }
}
