//! Statements that only define something, in one step: what they do to the catalog and to files comes before the first
//! page that is worth a look.
//!
//! ```text
//! CREATE TABLE  ─ catalog ─ storage ─ metapage ─ commit ─▶ INSERT …        one press of → where folded
//! ```

use super::Model;
use crate::timeline::{Group, Timeline};
use alloc::format;
use ffviz_format::page::ForkNumber;
use ffviz_format::state::{PageId, RelKind};

/// Where a step forward to this state leads: past the other steps of its statement, where they are folded.
pub(super) fn forward(model: &mut Model, to: usize) -> usize {
    let Some(last) = model.folded(to).map(|group| group.states.end - 1) else { return to };
    if last > to {
        let steps = last - to + 1;
        model.status = format!("{steps} steps of catalog and files in one. `d` shows each of them.");
    }
    last
}

/// Where a step back from this state leads.
pub(super) fn back(model: &Model, from: usize) -> usize {
    model.folded(from).map_or(from, |group| group.states.start).saturating_sub(1)
}

/// Shows each step, or folds them again.
pub(super) fn toggle(model: &mut Model) {
    model.steps.unfolded = !model.steps.unfolded;
    model.status = match model.steps.unfolded {
        true => "Each step is shown, those of catalog and files too.",
        false => "Steps of catalog and files are folded into one.",
    }
    .into();
}

impl Model {
    /// The group of a state, where its steps are one.
    fn folded(&self, state: usize) -> Option<&Group> {
        let timeline = self.timeline.as_ref().filter(|_| !self.steps.unfolded)?;
        timeline.group(state).filter(|group| group.states.len() > 1 && only_defines(timeline, group))
    }
}

/// Does a statement make, change or drop relations, and write no page but the beginnings of indexes and sequences?
fn only_defines(timeline: &Timeline, group: &Group) -> bool {
    let is_beginning = |id: &PageId| {
        let relation = timeline.last().relations.get(&id.relation);
        id.fork == ForkNumber::Main
            && id.block == 0
            && relation.is_some_and(|relation| matches!(relation.kind, RelKind::Index | RelKind::Sequence))
    };
    group.is_statement()
        // what it does to the catalog is its first step, or what a server shows when it is done
        && (timeline.defines(group.states.start) || group.played.is_some() && group.states.clone().any(|n| timeline.makes(n)))
        && group.states.clone().all(|state| timeline.touched(state).all(|id| is_beginning(&id)))
}
