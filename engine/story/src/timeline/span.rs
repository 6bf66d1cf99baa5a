//! Several steps seen as one, such as those of a statement: from the state before the first to the state after the
//! last.

use super::diff::diff;
use super::{Cause, Explanation, Step, Timeline, explain};
use core::ops::Range;
use ffviz_format::state::State;

/// Steps as one.
#[derive(Debug, Clone)]
pub struct Span {
    before: State,
    /// the state after the last
    pub after: State,
    /// all changes together
    pub step: Step,
}

impl Timeline {
    /// The steps that led to these states as one: the difference of what was before them and what is after.
    #[must_use]
    pub fn span(&self, states: &Range<usize>) -> Span {
        let (before, after) = (self.here_at(states.start).before, self.here_at(states.end - 1).state);
        let found = diff(&before, &after);
        let label = self.label(states.start).map(Into::into);
        let step = Step { cause: Cause::Capture, label, pages: found.pages, relations: found.relations };
        Span { before, after, step }
    }

    /// What the step that led to a state did, wherever we stand, and where it comes from.
    #[must_use]
    pub fn told_at(&self, state: usize, redact: bool) -> (Cause, Explanation) {
        let here = self.here_at(state);
        let told = self.explain_at(&here, redact);
        (here.step.cause, told)
    }
}

impl Span {
    /// What all the steps did, told as what lies between two captures is.
    #[must_use]
    pub fn told(&self, redact: bool) -> Explanation {
        explain::explain_with(&self.before, &self.after, &self.step, redact)
    }
}
