//! UPDATE and DELETE of one row of the undo engine: it stays in its place, so that a newer version is found where the
//! old one was.

use super::index::IndexUse;
use super::modify::{AtWork, Modify, Source};
use super::relock::check_serializable;
use super::row::Row;
use crate::sql::tcop::Database;
use crate::storage::{MvccSnapshot, Outcome};
use crate::undo::{UndoChange, undo_delete, undo_update};
use alloc::vec::Vec;
use ffviz_format::datum::Value;

impl Modify {
    /// The row with new values: computed with the statement's snapshot, or, where another transaction has changed it
    /// since, anew.
    pub(super) fn update_undo_row(&mut self, db: &mut Database, row: Row, computed: Option<Vec<Value>>) -> Outcome<()> {
        let (mut row, mut computed, mut since) = (row, computed, self.snapshot());
        loop {
            let values = match computed.take() {
                Some(values) => values,
                None => self.new_values(db, &row)?,
            };
            self.reused.tuple.form(&self.relation.desc, &values);
            let seen = (self.cid, since.as_ref());
            match undo_update(&mut db.cluster.pg, &self.relation, row.tid, &self.reused.tuple, seen) {
                Err(stop) => return self.keep(AtWork::Update(row, Some(values)), stop),
                Ok(UndoChange::Done) => return self.index_row(db, values, row.tid, 0, IndexUse::None),
                Ok(UndoChange::Changed) => match self.newer_row(db, &row)? {
                    Some(newer) => row = newer,
                    None => return Ok(()),
                },
                Ok(UndoChange::OwnChange) => return Ok(()),
                Ok(UndoChange::Gone) => return check_serializable(db, "delete"),
            }
            since = None;
        }
    }

    /// The row goes.
    pub(super) fn delete_undo_row(&mut self, db: &mut Database, row: Row) -> Outcome<()> {
        let (mut row, mut since) = (row, self.snapshot());
        loop {
            match undo_delete(&mut db.cluster.pg, &self.relation, row.tid, (self.cid, since.as_ref())) {
                Err(stop) => return self.keep(AtWork::Delete(row), stop),
                Ok(UndoChange::Done) => {
                    self.done += 1;
                    return self.returned.take(db, &self.relation, &row.values, row.tid);
                }
                Ok(UndoChange::Changed) => match self.newer_row(db, &row)? {
                    Some(newer) => row = newer,
                    None => return Ok(()),
                },
                Ok(UndoChange::OwnChange) => return Ok(()),
                Ok(UndoChange::Gone) => return check_serializable(db, "delete"),
            }
            since = None;
        }
    }

    /// What the statement sees.
    fn snapshot(&self) -> Option<MvccSnapshot> {
        match &self.source {
            Source::Update(scan, _) | Source::Delete(scan) => Some(scan.snapshot().clone()),
            Source::Values(..) | Source::Query(..) | Source::Joined(..) | Source::Merge(_) => None,
        }
    }

    /// The row was changed by a transaction that committed: as it is now, where it is still wanted.
    fn newer_row(&self, db: &mut Database, row: &Row) -> Outcome<Option<Row>> {
        check_serializable(db, "update")?;
        let (Source::Update(scan, _) | Source::Delete(scan)) = &self.source else { return Ok(None) };
        let Some(newer) = scan.newer(db, row.tid) else { return Ok(None) };
        Ok(scan.rechecks(db, &newer)?.then_some(newer))
    }
}
