//! A step's address: the statement and which of its steps, or the event and which of those. Unlike the number of a
//! state it stays good when other decisions are told: those are not counted.
//!
//! ```text
//! 18            state 18
//! 6.all         all steps of statement 6 in one
//! 6.2           the second step of statement 6 that changed or wrote something
//! 6.hot-update  its first HOT update
//! 6.insert.3    its third INSERT
//! ```

use super::figure::Plot;
use super::{Look, words};
use crate::timeline::{Cause, Group, Timeline};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::str::FromStr;

/// A step, as links and command lines name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepName {
    /// a state of the timeline, from 0
    State(usize),
    /// all steps of a statement, from 1
    Whole(usize),
    /// step n of a statement, both from 1
    Nth(usize, usize),
    /// the n-th event of that sort of a statement, from 1
    Event(usize, Plot, usize),
}

impl FromStr for StepName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            "name a step by its number, such as 18, by statement and step, such as 6.2, or by statement and event, such as 6.hot-update; 6.all is all steps of statement 6"
                .to_string()
        };
        let number = |part: &str| part.parse::<usize>().map_err(|_| wrong());
        let parts: Vec<&str> = text.split('.').collect();
        match parts[..] {
            [state] => Ok(Self::State(number(state)?)),
            [statement, "all"] => Ok(Self::Whole(number(statement)?)),
            [statement, which] if which.starts_with(|c: char| c.is_ascii_digit()) => {
                Ok(Self::Nth(number(statement)?, number(which)?))
            }
            [statement, event] => Ok(Self::Event(number(statement)?, plot(event)?, 1)),
            [statement, event, n] => Ok(Self::Event(number(statement)?, plot(event)?, number(n)?)),
            _ => Err(wrong()),
        }
    }
}

fn plot(name: &str) -> Result<Plot, String> {
    Plot::ALL.into_iter().find(|plot| plot.name() == name).ok_or_else(|| {
        let mut names: Vec<&str> = Plot::ALL.into_iter().map(Plot::name).collect();
        names.dedup();
        format!("{name} is no event; there are {}", names.join(", "))
    })
}

impl StepName {
    /// The state that it leads to.
    ///
    /// # Errors
    /// A sentence that says which there are.
    pub fn find(self, timeline: &Timeline) -> Result<usize, String> {
        match self {
            Self::State(state) => Ok(state),
            Self::Whole(statement) => Ok(of_statement(timeline, statement)?.states.end - 1),
            Self::Nth(statement, n) => {
                let steps = of_statement(timeline, statement)?.states.clone().filter(|state| does(timeline, *state));
                let steps: Vec<usize> = steps.collect();
                let found = n.checked_sub(1).and_then(|n| steps.get(n));
                found.copied().ok_or_else(|| {
                    format!(
                        "statement {statement} has {} that change something",
                        words::count(steps.len() as u64, "step")
                    )
                })
            }
            Self::Event(statement, plot, n) => {
                let states = of_statement(timeline, statement)?.states.clone();
                let mut timeline = timeline.clone();
                let plots: Vec<(usize, Plot)> = states.map(|state| (state, plot_of(&mut timeline, state))).collect();
                let found = plots.iter().filter(|(_, other)| other.name() == plot.name()).nth(n.saturating_sub(1));
                found.map(|(state, _)| *state).ok_or_else(|| {
                    let mut names: Vec<&str> = plots.iter().map(|(_, plot)| plot.name()).collect();
                    names.dedup();
                    format!("statement {statement} has no such event; its steps are {}", names.join(", "))
                })
            }
        }
    }
}

fn plot_of(timeline: &mut Timeline, state: usize) -> Plot {
    timeline.seek(state);
    let told = timeline.explain();
    Plot::of(&Look::new(timeline, false), &told)
}

/// The statement of that number, from 1.
fn of_statement(timeline: &Timeline, statement: usize) -> Result<&Group, String> {
    let mut statements = timeline.groups().iter().filter(|group| group.is_statement());
    let count = statements.clone().count();
    let found = statement.checked_sub(1).and_then(|n| statements.nth(n));
    found.ok_or_else(|| format!("statement {statement}: there are statements 1 to {count}"))
}

/// Does the step do something, rather than tell of a decision?
fn does(timeline: &Timeline, state: usize) -> bool {
    !matches!(timeline.cause(state), Some(Cause::Told { .. })) || timeline.defines(state)
}

/// The address of a state: `6.2`, `6.decision.1`; nothing before the first statement, or within a directive.
#[must_use]
pub fn address(timeline: &Timeline, state: usize) -> Option<String> {
    let group = timeline.group(state).filter(|group| group.is_statement())?;
    let statements = timeline.groups().iter().filter(|other| other.is_statement());
    let statement = statements.take_while(|other| other.states.start <= state).count();
    let earlier = |is_it: &dyn Fn(usize) -> bool| (group.states.start..=state).filter(|state| is_it(*state)).count();
    Some(match does(timeline, state) {
        true => format!("{statement}.{}", earlier(&|state| does(timeline, state))),
        false => format!("{statement}.{}.{}", Plot::Decision.name(), earlier(&|state| !does(timeline, state))),
    })
}
