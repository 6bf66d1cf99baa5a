//! The bar of steps, and what the current one did and why.

use super::{EventLine, PartId, StepMark, TimelineScene, words};
use crate::storage::PageId;
use crate::timeline::{Cause, Explanation, Step, Timeline};
use alloc::format;
use alloc::string::{String, ToString};

/// characters of a label on the bar
const LABEL_WIDTH: usize = 60;

impl StepMark {
    /// states shown on the bar to either side of the current one
    pub const WINDOW: usize = 250;
}

/// What may be shown of a label while row data is hidden.
pub type Hide = fn(&str) -> &'static str;

/// The timeline as both faces show it, with the explanation of its current step; `page` is the page that is looked at.
#[must_use]
pub fn scene(
    timeline: &Timeline,
    explanation: &Explanation,
    page: Option<PageId>,
    hide: Option<Hide>,
) -> TimelineScene {
    let label = |state| label(timeline, state, hide);
    let (current, count) = (timeline.current(), timeline.len());
    let step = timeline.step();
    let events = explanation.events.iter().map(|event| EventLine {
        page: event.page,
        part: event.item.map(PartId::LinePointer),
        what: event.what.clone(),
        why: event.why.clone().unwrap_or_default(),
    });
    let around = current.saturating_sub(StepMark::WINDOW)..count.min(current + StepMark::WINDOW + 1);
    let mark = |state: usize| {
        let here = page.is_some_and(|id| timeline.touches(state, id));
        let label = label(state);
        StepMark { state, label: words::shorten(&label, LABEL_WIDTH), here }
    };
    TimelineScene {
        current,
        count,
        label: label(current),
        headline: if explanation.headline.is_empty() { headline(step) } else { explanation.headline.clone() },
        events: events.collect(),
        marks: around.map(mark).collect(),
    }
}

fn label(timeline: &Timeline, state: usize, hide: Option<Hide>) -> String {
    match (timeline.label(state), timeline.cause(state)) {
        (Some(label), _) => hide.map_or(label, |hide| hide(label)).to_string(),
        (None, Some(Cause::Capture)) => format!("capture {state}"),
        (None, _) => "start".to_string(),
    }
}

/// What can be said where nothing was explained.
fn headline(step: &Step) -> String {
    match (&step.cause, step.pages.len()) {
        (Cause::Start, _) => "The first state.".to_string(),
        (_, 0) => "No page changed.".to_string(),
        (_, n) => format!("{} changed.", words::count(n as u64, "page")),
    }
}
