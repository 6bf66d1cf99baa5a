//! Both sides in the order of their keys, walked along together (`ExecMergeJoin`,
//! src/backend/executor/nodeMergejoin.c).
//!
//! ```text
//!  outer  1 3 3 4      the lesser one moves on until both are equal; then the inner row is marked
//!  inner  2 3 3 5      each further outer row with that key goes back to the mark
//! ```

use super::{Pair, Sides, Values};
use crate::sql::tcop::Database;
use crate::storage::Outcome;
use core::cmp::Ordering;
use ffviz_format::datum::Value;

/// A merge join that runs.
#[derive(Debug, Clone, Default)]
pub(super) struct MergeJoin {
    state: State,
    outer: Option<Row>,
    inner: Option<Row>,
    marked: Option<Row>,
}

/// A row with its key.
#[derive(Debug, Clone)]
struct Row {
    values: Values,
    key: Values,
    /// has it a partner?
    has_met: bool,
}

/// `mj_JoinState`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    FirstOuter,
    FirstInner,
    Join,
    NextInner,
    NextOuter,
    TestOuter,
    SkipTest,
    SkipOuter,
    SkipInner,
    EndOuter,
    EndInner,
    Done,
}

/// `MJEvalResult`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Read {
    Matchable,
    /// its key is NULL
    Unmatchable,
    /// there is none, or none that can have a partner
    End,
}

impl MergeJoin {
    pub fn next(&mut self, db: &mut Database, sides: &mut Sides) -> Outcome<Option<Pair>> {
        while self.state != State::Done {
            db.cluster.pg.interrupt.check()?;
            if let Some(pair) = self.step(db, sides)? {
                return Ok(Some(pair));
            }
        }
        Ok(None)
    }

    fn step(&mut self, db: &mut Database, sides: &mut Sides) -> Outcome<Option<Pair>> {
        match self.state {
            State::FirstOuter | State::NextOuter | State::SkipOuter => return self.advance_outer(db, sides),
            State::FirstInner | State::NextInner | State::SkipInner => return self.advance_inner(db, sides),
            State::Join => {
                let (Some(outer), Some(inner)) = (&mut self.outer, &mut self.inner) else { return Ok(None) };
                self.state = State::NextInner;
                if !sides.joins(db, &outer.values, &inner.values)? {
                    return Ok(None);
                }
                (outer.has_met, inner.has_met) = (true, true);
                if sides.is_once() {
                    self.state = State::NextOuter;
                }
                if sides.gives_pairs() {
                    return Ok(Some((Some(outer.values.clone()), Some(inner.values.clone()))));
                }
            }
            State::TestOuter => self.test_outer(sides),
            State::SkipTest => match self.compare(sides, self.inner.as_ref()) {
                Ordering::Equal => {
                    sides.inner.mark();
                    self.marked.clone_from(&self.inner);
                    self.state = State::Join;
                }
                Ordering::Less => self.state = State::SkipOuter,
                Ordering::Greater => self.state = State::SkipInner,
            },
            State::EndOuter => {
                if let Some(row) = self.inner.as_mut().filter(|row| !row.has_met) {
                    row.has_met = true;
                    let row = row.values.clone();
                    return Ok(Some((None, Some(row))));
                }
                self.read_inner(db, sides)?;
                if self.inner.is_none() {
                    self.state = State::Done;
                }
            }
            State::EndInner => {
                if let Some(row) = self.outer.as_mut().filter(|row| !row.has_met) {
                    row.has_met = true;
                    let row = row.values.clone();
                    return Ok(Some((Some(row), None)));
                }
                self.read_outer(db, sides)?;
                if self.outer.is_none() {
                    self.state = State::Done;
                }
            }
            State::Done => {}
        }
        Ok(None)
    }

    /// The next outer row; the one before comes out alone where it has no partner.
    fn advance_outer(&mut self, db: &mut Database, sides: &mut Sides) -> Outcome<Option<Pair>> {
        if let Some(row) = self.outer.as_mut().filter(|row| sides.fills_outer() && !row.has_met) {
            row.has_met = true;
            let row = row.values.clone();
            return Ok(Some((Some(row), None)));
        }
        let state = match (self.read_outer(db, sides)?, self.state) {
            (Read::Matchable, State::FirstOuter) => State::FirstInner,
            (Read::Matchable, State::NextOuter) => State::TestOuter,
            (Read::Matchable, _) => State::SkipTest,
            (Read::Unmatchable, same) => same,
            // the inner side is not begun yet
            (Read::End, State::FirstOuter) if sides.fills_inner() => {
                self.inner = None;
                State::EndOuter
            }
            (Read::End, _) if sides.fills_inner() && self.inner.is_some() => State::EndOuter,
            (Read::End, _) => State::Done,
        };
        self.state = state;
        Ok(None)
    }

    /// The next inner row, likewise.
    fn advance_inner(&mut self, db: &mut Database, sides: &mut Sides) -> Outcome<Option<Pair>> {
        if let Some(row) = self.inner.as_mut().filter(|row| sides.fills_inner() && !row.has_met) {
            row.has_met = true;
            let row = row.values.clone();
            return Ok(Some((None, Some(row))));
        }
        let read = self.read_inner(db, sides)?;
        self.state = match (read, self.state) {
            (Read::Matchable, State::NextInner) => match self.compare(sides, self.inner.as_ref()) {
                Ordering::Equal => State::Join,
                _ => State::NextOuter,
            },
            (_, State::NextInner) => {
                // what has no partner for its NULL ends the side, though rows are left
                if read == Read::End {
                    self.inner = None;
                }
                State::NextOuter
            }
            (Read::Matchable, _) => State::SkipTest,
            (Read::Unmatchable, same) => same,
            (Read::End, _) if sides.fills_outer() && self.outer.is_some() => State::EndInner,
            (Read::End, _) => State::Done,
        };
        Ok(None)
    }

    /// Has the new outer row the key of the marked inner one?
    fn test_outer(&mut self, sides: &mut Sides) {
        if self.compare(sides, self.marked.as_ref()).is_eq() {
            if !sides.plan.skips_marks {
                sides.inner.restore();
                self.inner.clone_from(&self.marked);
                self.inner.iter_mut().for_each(|row| row.has_met = true);
            }
            self.state = State::Join;
            return;
        }
        self.state = match &self.inner {
            Some(row) if !row.key.iter().any(Value::is_null) => State::SkipTest,
            Some(_) if sides.fills_inner() => State::SkipInner,
            _ if sides.fills_outer() => State::EndInner,
            _ => State::Done,
        };
    }

    fn compare(&self, sides: &Sides, inner: Option<&Row>) -> Ordering {
        match (&self.outer, inner) {
            (Some(outer), Some(inner)) => sides.compare(&outer.key, &inner.key),
            _ => Ordering::Equal,
        }
    }

    fn read_outer(&mut self, db: &mut Database, sides: &mut Sides) -> Outcome<Read> {
        let Some(values) = sides.outer.next(db, None)? else {
            self.outer = None;
            return Ok(Read::End);
        };
        let key = sides.outer.key(db, &values)?;
        let read = read(&key, sides.fills_outer());
        self.outer = Some(Row { values, key, has_met: false });
        Ok(read)
    }

    fn read_inner(&mut self, db: &mut Database, sides: &mut Sides) -> Outcome<Read> {
        let Some(values) = sides.inner.next(db, None)? else {
            self.inner = None;
            return Ok(Read::End);
        };
        let key = sides.inner.key(db, &values)?;
        let read = read(&key, sides.fills_inner());
        self.inner = Some(Row { values, key, has_met: false });
        Ok(read)
    }
}

/// `MJEvalOuterValues`, `MJEvalInnerValues`: behind the first NULL of the first key come NULLs only.
fn read(key: &[Value], is_filled: bool) -> Read {
    let ends = key.first().is_some_and(Value::is_null);
    match (key.iter().any(Value::is_null), is_filled || !ends) {
        (false, _) => Read::Matchable,
        (true, true) => Read::Unmatchable,
        (true, false) => Read::End,
    }
}
