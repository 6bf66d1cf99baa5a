//! `step` lines of a file: each is checked against the one before, since what comes behind a step that is lost would be
//! built on sand.

use super::{Open, Reader, reason};
use crate::recording::line::{SimulatedFacts, StepLine};
use crate::recording::step;
use crate::timeline::{How, KeptStep};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::state::State;

/// A simulated statement, as far as its steps were read.
pub(super) struct Statement {
    facts: SimulatedFacts,
    steps: Vec<KeptStep>,
}

impl Statement {
    /// What the capture says of it.
    pub const fn new(facts: SimulatedFacts) -> Self {
        Self { facts, steps: Vec::new() }
    }

    /// Takes the next step; or says why it cannot be that.
    fn push(&mut self, line: &[u8], state: &mut State) -> Result<(), String> {
        let line = serde_json::from_slice::<StepLine>(line).map_err(|error| reason(&error))?;
        if line.n != self.steps.len() + 1 {
            return Err(format!("it is number {} of the statement, and {} are known", line.n, self.steps.len()));
        }
        self.steps.push(step::step(line, state)?);
        Ok(())
    }
}

impl Reader {
    /// Do lines belong to a simulated statement here?
    pub(super) fn in_statement(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.simulated.is_some())
    }

    /// A step; one that is lost ends all steps.
    pub(super) fn step(&mut self, line: &[u8]) {
        let Some(Open { simulated: Some(statement), state, blind, .. }) = &mut self.open else {
            return self.report("skipped, a step stands only in a statement that was simulated");
        };
        let read = if *blind { Err("a line before it is".into()) } else { statement.push(line, state) };
        if let Err(why) = read {
            self.end_of_steps(&why);
        }
    }

    /// What was read before this line is kept, nothing behind it is.
    pub(super) fn end_of_steps(&mut self, why: &str) {
        self.report(&format!("this line, and all behind it, lost: {why}"));
        self.ended = true;
        if let Some(mut open) = self.open.take()
            && let Some(statement) = open.simulated.take()
        {
            self.keep(open, statement);
        }
    }

    /// The statement's `end` line says how many steps there are.
    pub(super) fn end_of_statement(&mut self, open: Open, statement: Statement, said: Option<usize>) {
        let found = statement.steps.len();
        if open.blind || said != Some(found) {
            self.report(&format!("what comes behind {found} steps of this statement is lost"));
            self.ended = true;
        }
        self.keep(open, statement);
    }

    /// Appends the steps.
    pub(super) fn keep(&mut self, open: Open, statement: Statement) {
        let Statement { facts: SimulatedFacts { plan, results, outcome, usage, written }, steps } = statement;
        if let Some(timeline) = &mut self.timeline {
            timeline.push_kept(open.label, How::Simulated { plan, results, outcome, usage, written }, steps);
        }
    }
}
