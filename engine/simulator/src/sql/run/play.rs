//! A script run item by item into a timeline: whoever plays it can say how far it is, and stop.
//!
//! ```text
//!  text ──▶ Play ──next, next, …──▶ Run
//!    └─▶ Mistake: what is wrong, and where
//! ```

use super::{RunOptions, Simulator};
use crate::sql::StatementError;
use crate::sql::ast::{DomainStatement, EnumStatement, Object, RangeVar, Statement as Tree};
use crate::sql::error::Refusal;
use crate::sql::parse::{TypeName, parse_with};
use crate::sql::script::{Item, Script, Statement};
use crate::storage::Interrupt;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;
use core::sync::atomic::AtomicBool;
use ffviz_format::datum::SqlType;
use ffviz_format::page::{FIRST_NORMAL_OBJECT_ID, Oid};
use ffviz_story::timeline::{Run, Timeline};

/// A script that is being run.
#[derive(Debug)]
pub struct Play {
    text: String,
    script: Script,
    spans: Vec<Range<usize>>,
    simulator: Simulator,
    timeline: Timeline,
    done: usize,
    /// statements that the simulator does not know, a sentence each
    pub refused: Vec<String>,
}

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// line of the text, from 1
    pub line: usize,
    /// character of the line, from 1, where it is known
    pub column: Option<usize>,
    /// what is wrong, a sentence
    pub sentence: String,
    /// can it be run all the same, as a statement that is not understood?
    pub runs: bool,
    /// is it PostgreSQL's SQL, and only not supported?
    pub is_valid: bool,
}

impl Play {
    /// A script that is not begun yet.
    ///
    /// # Errors
    /// A text that is no script; a setting that there is not.
    pub fn new(text: String, options: &RunOptions) -> Result<Self, String> {
        let (script, spans) = Script::parse_with_spans(&text).map_err(|error| error.to_string())?;
        let mut simulator = Simulator::new(options, false, true)?;
        simulator.keep_for_variables(&script);
        let timeline = Timeline::new(simulator.state(), None);
        Ok(Self { text, script, spans, simulator, timeline, done: 0, refused: Vec::new() })
    }

    /// The statement that runs ends soon after the flag is set.
    pub fn interrupt_by(&mut self, flag: Arc<AtomicBool>) {
        self.simulator.db.cluster.pg.interrupt = Interrupt::new(flag);
    }

    /// What is wrong with a text, if anything is: it is no script, or one of its statements is not understood.
    #[must_use]
    pub fn mistake(text: &str) -> Option<Mistake> {
        match Script::parse_with_spans(text) {
            Err(error) => Some(Mistake {
                line: error.line as usize,
                column: None,
                sentence: error.sentence,
                runs: false,
                is_valid: false,
            }),
            Ok((script, _)) if script.items.is_empty() => {
                let sentence = String::from("There is no statement in it");
                Some(Mistake { line: 1, column: None, sentence, runs: false, is_valid: false })
            }
            Ok((script, spans)) => {
                let mut types = Vec::new();
                script.items.iter().zip(spans).find_map(|(item, span)| match item {
                    Item::Statement(statement) => wrong(statement, &mut types, text, span.start),
                    Item::Directive { .. } => None,
                })
            }
        }
    }

    /// Runs the next statement or directive; `false` where there is none left.
    #[expect(clippy::should_implement_trait, reason = "what it gives is asked for at the end")]
    pub fn next(&mut self) -> bool {
        let Some(item) = self.script.items.get(self.done) else { return false };
        let done = self.simulator.item(item);
        self.refused.extend(done.refused);
        self.simulator.append(&mut self.timeline, done.simulated, done.happenings);
        self.done += 1;
        true
    }

    /// How many statements and directives are done, and how many there are.
    #[must_use]
    pub const fn progress(&self) -> (usize, usize) {
        (self.done, self.script.items.len())
    }

    /// What was run.
    #[must_use]
    pub fn finish(self) -> Run {
        let ends = self.ends();
        Run::new(self.text, ends, self.timeline)
    }

    /// What happened so far.
    #[must_use]
    pub const fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Where in the text each statement and directive ends, in bytes.
    #[must_use]
    pub fn ends(&self) -> Vec<usize> {
        self.spans.iter().map(|span| span.end).collect()
    }
}

/// What is wrong with a statement that begins at that byte of the text, and where. `types`: those that statements
/// before it make.
fn wrong(statement: &Statement, types: &mut Vec<(RangeVar, TypeName)>, text: &str, start: usize) -> Option<Mistake> {
    let error = match parse_with(&statement.sql, types.as_slice().into()) {
        Ok(Tree::Object(Object::Enum(EnumStatement::Create(name, _)))) => {
            types.push((name, TypeName { ty: SqlType::plain(FIRST_NORMAL_OBJECT_ID), domain: None }));
            return None;
        }
        Ok(Tree::Object(Object::Enum(EnumStatement::CreateComposite(name, _)))) => {
            types.push((name, TypeName { ty: SqlType::plain(Oid::MAX), domain: None }));
            return None;
        }
        Ok(Tree::CreateTable(create)) => {
            types.push((create.name, TypeName { ty: SqlType::plain(Oid::MAX), domain: None }));
            return None;
        }
        Ok(Tree::Object(Object::Domain(domain))) => {
            if let DomainStatement::Create { name, base, .. } = *domain {
                types.push((name, TypeName { ty: base, domain: Some(Oid::MAX) }));
            }
            return None;
        }
        parsed => parsed.err()?,
    };
    let StatementError { refusal, error, position } = error;
    if refusal == Refusal::Server {
        return None;
    }
    let place = position.map(|position| {
        let before = text.get(..start).unwrap_or_default();
        let line_before = before.rsplit('\n').next().unwrap_or_default();
        let left = if position.line == 1 { line_before.chars().count() } else { 0 };
        ((statement.line + position.line - 1) as usize, left + position.column as usize)
    });
    let (line, column) = place.map_or((statement.line as usize, None), |(line, column)| (line, Some(column)));
    let is_valid = refusal == Refusal::Unsupported;
    Some(Mistake { line, column, sentence: error.message.to_string(), runs: true, is_valid })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ffviz_format::page::PgVersion;

    /// A script opens at the first page that has something on it.
    #[test]
    fn a_script_opens_at_a_page_that_was_written() {
        for text in
            ["create table t (a int); insert into t values (1); select 1;", "create table t (a int primary key);"]
        {
            let mut play = Play::new(String::from(text), &RunOptions::new(PgVersion(180_004))).expect("a script");
            while play.next() {}
            let timeline = play.finish().timeline;
            let touched: Vec<_> = timeline.touched(timeline.current()).collect();
            let pages = touched.iter().filter_map(|id| timeline.state().pages.get(id));
            assert!(pages.clone().any(|page| !page.is_new()), "{text}: {touched:?}");
        }
    }
}
