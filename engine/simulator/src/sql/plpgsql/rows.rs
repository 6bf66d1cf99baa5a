//! Loops over rows (`exec_for_query`, src/pl/plpgsql/src/pl_exec.c).

use super::cursor::unnamed;
use super::{Interpreter, Loop, RowLoop, Running};
use crate::sql::ast::{Embedded, Statement};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::storage::{Outcome, Stop};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};

/// Rows that are fetched first, and then each time.
const FETCHED: (usize, usize) = (10, 50);

impl Interpreter {
    pub(super) fn for_rows(&mut self, db: &mut Database, number: usize, query: &Embedded) -> Outcome<()> {
        let mut running = self.begin(db, query)?;
        self.at_work(db, None);
        self.check_rows_of_loop(db, &mut running, &query.statement)?;
        self.open(db, number, running);
        Ok(())
    }

    pub(super) fn for_dynamic(
        &mut self,
        db: &mut Database,
        number: usize,
        text: &Embedded,
        using: &[Embedded],
    ) -> Outcome<()> {
        let running = self.begin_dynamic(db, text, using)?;
        self.at_work(db, None);
        if !running.execution.is_query() && !running.is_explained {
            return Err(SqlError::new("42P11", "cannot open a query that is no SELECT as cursor").into());
        }
        self.open(db, number, running);
        Ok(())
    }

    /// `PORTAL_ONE_RETURNING`: a statement that changes rows is at its end before the first turn.
    fn check_rows_of_loop(&mut self, db: &mut Database, running: &mut Running, statement: &Statement) -> Outcome<()> {
        if running.execution.is_query() {
            return Ok(());
        }
        if running.columns.is_empty() {
            let what = match statement {
                Statement::Insert(_) => "INSERT",
                Statement::Update(_) => "UPDATE",
                _ => "DELETE",
            };
            return Err(SqlError::new("42P11", format!("cannot open {what} query as cursor")).into());
        }
        running.finish(db, Some(usize::MAX)).map_err(|stop| match stop {
            Stop::Wait(_) => {
                let message = "a loop over rows that a statement changes, which waits, is not supported";
                Stop::Error(SqlError::new(NOT_SIMULATED, message))
            }
            stop => stop,
        })
    }

    fn open(&mut self, db: &mut Database, number: usize, mut running: Running) {
        // it is a cursor without a name
        unnamed(db);
        // where the transaction may end meanwhile nothing is fetched ahead
        let wanted = if self.atomic { FETCHED.0 } else { 1 };
        self.loops[number] = Loop::Rows(Box::new(RowLoop {
            fetched: core::mem::take(&mut running.rows).into(),
            running,
            wanted,
            ended: false,
            ran: false,
            depth: self.tries.len(),
        }));
    }

    /// The next row; is there one?
    pub(super) fn next_row(&mut self, db: &mut Database, number: usize, targets: &[usize]) -> Outcome<bool> {
        if let Loop::Cursor(_) = &self.loops[number] {
            return self.next_of_cursor(db, number, targets);
        }
        let Loop::Rows(mut rows) = core::mem::take(&mut self.loops[number]) else { return Ok(false) };
        self.at_work(db, rows.running.told.as_ref());
        let fetched = rows.fetch(db, self.atomic);
        self.at_work(db, None);
        let row = match fetched {
            Ok(row) => row,
            Err(stop) => {
                self.loops[number] = Loop::Rows(rows);
                return Err(stop);
            }
        };
        let columns = rows.running.columns.clone();
        let (is_there, is_empty) = (row.is_some(), row.is_none() && !rows.ran);
        rows.ran |= is_there;
        self.loops[number] = Loop::Rows(rows);
        if is_there || is_empty {
            self.move_row(db, targets, &columns, row.as_deref())?;
        }
        Ok(is_there)
    }

    pub(super) fn end_loop(&mut self, db: &mut Database, number: usize) {
        let ran = match core::mem::take(&mut self.loops[number]) {
            Loop::Rows(mut rows) => {
                rows.running.execution.end(db);
                rows.ran
            }
            Loop::Cursor(one) => self.end_cursor_loop(db, &one),
            Loop::Integers { ran, .. } | Loop::Elements { ran, .. } => ran,
            Loop::Ended => return,
        };
        self.set_found(ran);
    }

    /// Those that are still open are closed.
    pub(super) fn close_loops(&mut self, db: &mut Database, depth: usize) {
        for at in 0..self.loops.len() {
            match &mut self.loops[at] {
                Loop::Rows(rows) if rows.depth >= depth => {
                    rows.running.execution.end(db);
                    self.loops[at] = Loop::Ended;
                }
                Loop::Cursor(one) if one.is_within(depth) => self.end_loop(db, at),
                _ => {}
            }
        }
    }

    /// Those that a block began that has failed are gone, with what they held.
    pub(super) fn forget_loops(&mut self, depth: usize) {
        for one in &mut self.loops {
            let is_within = match one {
                Loop::Rows(rows) => rows.depth >= depth,
                Loop::Cursor(cursor) => cursor.is_within(depth),
                _ => false,
            };
            if is_within {
                *one = Loop::Ended;
            }
        }
    }
}

impl RowLoop {
    /// The next row, of those that were fetched or are fetched now.
    fn fetch(&mut self, db: &mut Database, atomic: bool) -> Outcome<Option<Vec<Value>>> {
        if self.fetched.is_empty() && !self.ended {
            while self.wanted > 0 {
                let Some(row) = self.running.execution.next_row(db, true)? else {
                    self.ended = true;
                    break;
                };
                self.fetched.push_back(row);
                self.wanted -= 1;
            }
            self.wanted = if atomic { FETCHED.1 } else { 1 };
        }
        Ok(self.fetched.pop_front())
    }
}
