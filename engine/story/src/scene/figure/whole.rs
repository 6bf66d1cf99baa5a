//! The figure of several steps at once, such as those of a statement: the event that says most of what happened tells
//! it, on pages as they were before the first step and are after the last. Where it did the same to many rows, all of
//! them together are the event.

use super::stage::Stage;
use super::{FigureScene, Plot, cast, notes, order};
use crate::scene::{Look, words};
use crate::timeline::{Cause, Explanation, PageChange, Span, Timeline};
use alloc::format;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;
use ffviz_format::state::{AccessMethod, PageId, RelKind, State};

/// rows from which on none is the one that the figure is about
const MANY: usize = 4;

/// Several steps as one event.
struct Event {
    span: Span,
    plot: Plot,
    told: Explanation,
}

impl Event {
    /// Nothing where there is only one step.
    fn of(timeline: &Timeline, states: &Range<usize>, redact: bool) -> Option<Self> {
        if states.len() < 2 || states.clone().any(|state| timeline.cause(state) == Some(&Cause::Capture)) {
            return None;
        }
        let mut span = timeline.span(states);
        let plots: Vec<(usize, Plot)> =
            states.clone().map(|state| (state, plot(timeline, &span.after, state))).collect();
        let (main, plot) = *plots.iter().min_by_key(|(_, plot)| Reverse(plot.rank()))?;
        if let Some(plot) = many(&plots) {
            let told = span.told(redact);
            return Some(Self { span, plot, told });
        }
        let (cause, told) = timeline.told_at(main, redact);
        span.step.cause = cause;
        let plot = refined(plot, &Look { state: &span.after, step: &span.step, outcome: None, redact }, &told);
        Some(Self { span, plot, told })
    }
}

/// What is told of these steps as one: of the event that says most of what happened, or of all rows together.
#[must_use]
pub fn told(timeline: &Timeline, states: &Range<usize>, redact: bool) -> Option<Explanation> {
    Event::of(timeline, states, redact).map(|event| event.told)
}

/// The figure of the steps that led to these states; nothing where there is only one.
#[must_use]
pub fn whole(timeline: &Timeline, states: &Range<usize>, redact: bool, home: Option<PageId>) -> Option<FigureScene> {
    let Event { span, plot, told } = Event::of(timeline, states, redact)?;
    let look = Look { state: &span.after, step: &span.step, outcome: None, redact };
    let mut stage = Stage::new(&look, &told, plot);
    stage.is_whole = true;
    cast::enter(&mut stage, home);
    notes::tell(&mut stage);
    let mut scene = stage.into_scene();
    order::by_time(&mut scene, timeline, states);
    let steps = words::count(states.len() as u64, "step");
    Some(FigureScene { title: format!("{} · {steps} in one", scene.title), ..scene })
}

fn plot(timeline: &Timeline, after: &State, state: usize) -> Plot {
    let Some(cause) = timeline.cause(state) else { return Plot::Quiet };
    let is_toast = |id: PageId| after.relations.get(&id.relation).is_some_and(|r| r.kind == RelKind::Toast);
    let is_of_toast = || timeline.touched(state).any(is_toast);
    match Plot::of_cause(cause, after.server.version) {
        _ if timeline.defines(state) => Plot::Catalog,
        Plot::Insert | Plot::ManyInserts if is_of_toast() => Plot::Toast,
        // chunks are deleted with the row that points to them
        Plot::Delete if is_of_toast() => Plot::Record,
        // the first root has no child, whose flags would change too
        Plot::NewRoot if timeline.touched(state).count() < 3 => Plot::FirstPage,
        plot => plot,
    }
}

/// The plot, as far as only what is told of the main step, or all changed pages together, say it.
fn refined(plot: Plot, look: &Look<'_>, told: &Explanation) -> Plot {
    let is_new_leaf = |change: &PageChange| {
        change.id.block > 0
            && change.before.is_none()
            && look.relation(change.id.relation).is_some_and(|relation| relation.am == AccessMethod::Btree)
    };
    match plot {
        Plot::Catalog if look.step.pages.iter().any(is_new_leaf) => Plot::IndexBuild,
        Plot::Prune => Plot::of(look, told),
        plot => plot,
    }
}

/// What was done to so many rows that they are told together.
fn many(plots: &[(usize, Plot)]) -> Option<Plot> {
    let count = |these: &[Plot]| plots.iter().filter(|(_, plot)| these.contains(plot)).count();
    let rows = [
        (Plot::ManyUpdates, count(&[Plot::Update, Plot::HotUpdate])),
        (Plot::ManyInserts, count(&[Plot::Insert, Plot::ManyInserts])),
        (Plot::Delete, count(&[Plot::Delete])),
    ];
    let (plot, most) = rows.into_iter().max_by_key(|(_, count)| *count)?;
    (most >= MANY).then_some(plot)
}
