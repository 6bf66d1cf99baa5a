//! Rows of INSERT … SELECT and of COPY whose places in indexes are looked for some rows ahead, where entries are
//! scattered over a large index: their pages come from memory while the rows before them are inserted
//! ([`OpenIndex::look_ahead`]).
//!
//! ```text
//!  one by one   work out, insert │ work out, insert │ …
//!  ahead        work out sixteen │ insert, look ahead │ insert, look ahead │ … for sixteen rows, while those of the sixteen before are inserted
//! ```
//!
//! PostgreSQL works a row out when the one before has been inserted. From outside the difference cannot be told: only
//! rows that depend on nothing that insertions change are worked out early, and an error among them comes when its
//! row's turn has come.

use crate::sql::executor::index::OpenIndex;
use crate::sql::executor::modify::{Modify, Source};
use crate::sql::executor::row::project;
use crate::sql::tcop::Database;
use crate::storage::{Outcome, Stop};
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use ffviz_format::datum::Value;

/// So many rows come together; those of the next time are looked for while they are inserted, a step an insertion.
pub(in crate::sql) const ROWS: usize = 16;

/// The rows of a query behind the one at work.
#[derive(Debug, Default)]
pub(in crate::sql) struct Ahead {
    /// may they be worked out before it is their turn?
    pub is_allowed: bool,
    rows: VecDeque<Vec<Value>>,
    /// memory of rows that are done
    spare: Vec<Vec<Value>>,
    /// what stopped the query behind them
    stop: Option<Stop>,
}

impl Ahead {
    /// Is neither a row ahead nor what stopped the query?
    #[inline]
    fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.stop.is_none()
    }

    /// May the rows behind those that are looked for be worked out, and is it time?
    #[inline]
    fn wants_more(&self) -> bool {
        self.is_allowed && self.rows.len() <= ROWS && self.stop.is_none()
    }

    fn next(&mut self) -> Outcome<Option<Vec<Value>>> {
        match self.rows.pop_front() {
            Some(row) => Ok(Some(row)),
            None => self.stop.take().map_or(Ok(None), Err),
        }
    }

    /// A row that is done gives its memory to one that is still to come, where there are some ahead; else it comes
    /// back.
    #[inline]
    pub fn take_back(&mut self, row: Vec<Value>) -> Option<Vec<Value>> {
        if self.rows.is_empty() {
            return Some(row);
        }
        self.spare.push(row);
        None
    }
}

/// Is there an index that looking ahead is worth while for?
pub(in crate::sql) fn is_any_scattered(db: &Database, indexes: &[OpenIndex]) -> bool {
    indexes.iter().any(|index| index.is_scattered(db))
}

/// Looks for the places of rows that come next, in all indexes where that is worth while.
pub(in crate::sql) fn look_ahead<'a>(
    db: &Database,
    indexes: &mut [OpenIndex],
    rows: impl Iterator<Item = &'a [Value]> + Clone,
) {
    for index in indexes {
        if index.is_scattered(db) {
            index.look_ahead(rows.clone());
        }
    }
}

impl Modify {
    /// The next row of the query.
    #[inline]
    pub(in crate::sql) fn next_row(&mut self, db: &mut Database) -> Outcome<Option<Vec<Value>>> {
        if self.reused.ahead.wants_more() && is_any_scattered(db, &self.indexes) {
            self.work_ahead(db);
        }
        if self.reused.ahead.is_empty() { self.query_row(db) } else { self.reused.ahead.next() }
    }

    /// Works the next rows out.
    #[inline(never)]
    fn work_ahead(&mut self, db: &mut Database) {
        while self.reused.ahead.rows.len() < 2 * ROWS {
            if let Some(spare) = self.reused.ahead.spare.pop() {
                self.lend(spare);
            }
            match self.query_row(db) {
                Ok(Some(row)) => self.reused.ahead.rows.push_back(row),
                Ok(None) => break,
                Err(stop) => {
                    self.reused.ahead.stop = Some(stop);
                    break;
                }
            }
        }
        look_ahead(db, &mut self.indexes, self.reused.ahead.rows.iter().map(Vec::as_slice));
    }

    /// Memory for the row that is worked out next.
    fn lend(&mut self, row: Vec<Value>) {
        match &mut self.source {
            Source::Query(query, None) => query.take_back(row),
            _ => self.reused.values = row,
        }
    }

    #[inline]
    fn query_row(&mut self, db: &mut Database) -> Outcome<Option<Vec<Value>>> {
        let Source::Query(query, columns) = &mut self.source else { return Ok(None) };
        let Some(row) = query.next(db)? else { return Ok(None) };
        let values = match columns {
            None => core::mem::take(row),
            Some(columns) => {
                let mut values = core::mem::take(&mut self.reused.values);
                project(db, columns.iter(), (row, &[]), &mut values)?;
                values
            }
        };
        self.reused.is_formed = self.reused.is_whole && query.copy_tuple(db, &mut self.reused.tuple);
        Ok(Some(values))
    }
}
