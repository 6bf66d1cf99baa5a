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
use super::{Command, Effect, Model, Msg, Place, RunReport, Source, View, ViewName, step, update, view};
use crate::scene::{RunTotals, Totals};
use crate::timeline::{Run, Timeline};
use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::state::PageId;

/// The other run.
#[derive(Debug, Clone)]
pub struct Versus {
    /// what is different: of the first run, of the other
    names: [String; 2],
    other: Model,
}

/// What stands beside the view.
#[derive(Debug, Clone, PartialEq)]
pub struct Beside {
    /// what is different: of the view, of the other
    pub names: [String; 2],
    /// the other run
    pub view: Rc<View>,
    /// what both cost
    pub totals: Totals,
}

/// The page that was chosen, and the state: to see afterwards what a message changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Moment {
    page: Option<PageId>,
    state: usize,
}

impl Moment {
    fn of(model: &Model) -> Self {
        let state = model.timeline.as_ref().map_or(0, Timeline::current);
        Self { page: model.home().or(model.place.page), state }
    }
}

/// The script that is open was run in another way too.
pub(super) fn opened(model: &mut Model, names: [String; 2], run: Run) {
    let Source::Script(name, _) = &model.source else { return };
    let mut other = Model::new(Vec::new());
    other.elsewhere = model.elsewhere;
    update(&mut other, Msg::Scripted { name: name.clone(), run });
    (model.steps.within, other.steps.within) = (true, true);
    // the same page of both is what can be compared
    for run in [&mut *model, &mut other] {
        if run.place.view == ViewName::Figure {
            run.show(ViewName::Page);
        }
    }
    let mut versus = Versus { names, other };
    versus.look_at_the_same(model);
    versus.go_to_the_same(model);
    put(model, Box::new(versus));
}

/// The other run stands beside, as long as the script is open.
fn put(model: &mut Model, versus: Box<Versus>) {
    if let Some(beside) = model.versus_mut() {
        *beside = Some(versus);
    }
}

/// Takes in a message where two runs are shown.
pub(super) fn take_in(model: &mut Model, mut versus: Box<Versus>, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Command(Command::StepForward) => {
            versus.step(model, true);
            put(model, versus);
            return Vec::new();
        }
        Msg::Command(Command::StepBack) => {
            versus.step(model, false);
            put(model, versus);
            return Vec::new();
        }
        // something else is open then
        Msg::Opened { .. } | Msg::Scripted { .. } | Msg::Lesson { .. } => {
            model.steps.within = false;
            return update(model, msg);
        }
        _ => {}
    }
    let before = Moment::of(model);
    let forwarded = forwarded(&msg);
    let effects = update(model, msg);
    if effects.contains(&Effect::StopRun) {
        script::stop(&mut versus.other);
    }
    if let Some(msg) = forwarded {
        update(&mut versus.other, msg);
    }
    let after = Moment::of(model);
    if before.page != after.page {
        versus.look_at_the_same(model);
    }
    if before != after {
        versus.go_to_the_same(model);
    }
    versus.share(model);
    put(model, versus);
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
        let (Some(one), Some(two), Some(page)) = (&model.timeline, &self.other.timeline, Moment::of(model).page) else {
            return;
        };
        if let Some(page) = same_page(one, two, page) {
            self.other.place.page = Some(page);
        }
    }

    /// The other run is seen in the same way.
    fn share(&mut self, model: &Model) {
        let other = &mut self.other;
        other.place = Place { page: other.place.page, ..model.place.clone() };
        (other.redact, other.steps.pinned, other.steps.whole) = (model.redact, model.steps.pinned, model.steps.whole);
        other.prepare();
    }
}

/// What stands beside the view of a script.
pub(super) fn beside(model: &Model) -> Option<Box<Beside>> {
    let Source::Script(_, script) = &model.source else { return None };
    let Versus { names, other } = script.versus.as_deref()?;
    let (one, two) = (model.timeline.as_ref()?, other.timeline.as_ref()?);
    let [first, second] = names;
    let runs = [(first, one), (second, two)].map(|(name, timeline)| RunTotals { name, timeline });
    let totals = Totals::new(&runs, item(one));
    Some(Box::new(Beside { names: names.clone(), view: Rc::new(view(other)), totals }))
}
