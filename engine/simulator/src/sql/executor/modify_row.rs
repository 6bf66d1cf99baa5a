//! What INSERT, UPDATE and DELETE do with one row (`ExecInsert`, `ExecUpdate`, `ExecDelete`,
//! src/backend/executor/nodeModifyTable.c).
//!
//! ```text
//!  INSERT, UPDATE   the heap ─▶ an entry in each index
//!  UPDATE, DELETE   was it changed meanwhile? ─▶ its newest version, if that is still wanted
//! ```

use super::index::{EntriesOf, IndexUse, insert_entries, open_indexes};
use super::modify::{AtWork, Modify, Source};
use super::relock::{Locked, check_serializable, eval_plan_qual};
use super::row::{Row, compute, failing_row, forget_dropped, holds, materialize};
use super::trigger::Op;
use crate::access::heap::{
    InsertOptions, LockTupleMode, TmResult, UpdateIndexes, heap_delete, heap_insert, heap_update,
};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::plan::SetColumn;
use crate::sql::tcop::Database;
use crate::storage::{Buffer, Outcome, Stop, TableAm};
use crate::undo::undo_insert;
use crate::version::{Behaviour, SqlBehaviour};
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::ItemPointer;

impl Modify {
    /// `ExecInsert`
    pub(super) fn insert_row(&mut self, db: &mut Database, mut values: Vec<Value>) -> Outcome<()> {
        self.route(db, &values)?;
        if self.triggers.has(Op::Insert, true, true) {
            match self.before_row(db, Op::Insert, None, values)? {
                Some(changed) => values = changed,
                None => return Ok(()),
            }
        }
        self.insert_seen(db, values)
    }

    /// The same after triggers have seen it.
    pub(super) fn insert_seen(&mut self, db: &mut Database, mut values: Vec<Value>) -> Outcome<()> {
        self.generated.compute(db, &mut values, None)?;
        self.row_checks.check(db, &self.relation, &values)?;
        // without an index there is nothing to conflict with
        if let Some(plan) = self.on_conflict.clone().filter(|_| !self.relation.indexes.is_empty()) {
            return self.insert_unless(db, &plan, values);
        }
        self.row_events = self.checks.len();
        self.note_new(db, &values, None)?;
        self.form_inserted(&mut values);
        let (pg, tuple) = (&mut db.cluster.pg, &mut self.reused.tuple);
        if self.relation.am == TableAm::Undo {
            let tid = undo_insert(pg, &self.relation, tuple, self.cid)?;
            return self.index_row(db, values, tid, 0, IndexUse::Insert);
        }
        let tid = heap_insert(pg, &self.relation, tuple, self.cid, InsertOptions::NONE, None)?;
        self.index_row(db, values, tid, 0, IndexUse::Insert)
    }

    /// The tuple of a new row, unless there is one. Indexes get what is in it.
    pub(super) fn form_inserted(&mut self, values: &mut [Value]) {
        if !core::mem::take(&mut self.reused.is_formed) {
            self.reused.tuple.form_inserted(&self.relation.desc, values);
        }
        self.reused.tuple.keep_headers(&self.relation.desc, values);
    }

    /// `ExecUpdate`
    pub(super) fn update_row(&mut self, db: &mut Database, row: Row, computed: Option<Vec<Value>>) -> Outcome<()> {
        if self.relation.am == TableAm::Undo {
            return self.update_undo_row(db, row, computed);
        }
        if db.cluster.version().fetches_old_row() {
            db.cluster.pg.read_buffer(Buffer::main(self.relation.file, row.tid.block));
            self.old.store(&mut db.cluster.pg, Buffer::main(self.relation.file, row.tid.block));
        }
        let has_before = self.triggers.has(Op::Update, true, true);
        let mut values = match computed {
            Some(values) => values,
            None if has_before => match self.lock_for_trigger(db, row.tid, Op::Update) {
                Ok(_) => match self.triggered_values(db, &row)? {
                    Some(values) => values,
                    None => return Ok(()),
                },
                Err(stop @ Stop::Wait(_)) => return self.keep(AtWork::Update(row, None), stop),
                Err(stop) => return Err(stop),
            },
            None => self.new_values(db, &row)?,
        };
        if self.leaves_partition(db, &values)? {
            return self.move_row(db, row, values);
        }
        if db.cluster.version().updates_by_plan() {
            self.form_inserted(&mut values);
        } else {
            self.reused.tuple.form(&self.relation.desc, &values);
        }
        let updated = match heap_update(&mut db.cluster.pg, &self.relation, row.tid, &mut self.reused.tuple, self.cid) {
            Ok(updated) => updated,
            Err(stop) => return self.keep(AtWork::Update(row, Some(values)), stop),
        };
        match updated.tm {
            TmResult::Ok => {
                let usage = usage_of(updated.indexes);
                self.row_events = self.checks.len();
                self.note_old(db, &row.values, Some(&values))?;
                self.note_new(db, &values, Some(&row))?;
                self.returned.replaces(db, &self.relation, (&row.values, row.tid), false);
                self.replaced = Some(row.tid);
                let rows = (Some(&row.values[..]), Some(&values[..]));
                self.queue(db, Op::Update, rows, (Some(row.tid), Some(updated.tid)))?;
                if let Source::Update(scan, _) = &mut self.source {
                    scan.take_back(row.values);
                }
                self.index_row(db, values, updated.tid, 0, usage)
            }
            TmResult::Updated { .. } => {
                match self.newer(db, row, updated.lock_mode, |row| AtWork::Update(row, Some(values)))? {
                    Some(row) => self.update_row(db, row, None),
                    None => Ok(()),
                }
            }
            tm => self.skip(db, tm),
        }
    }

    /// The row with what SET and the triggers say; nothing: it is left as it is.
    fn triggered_values(&mut self, db: &mut Database, row: &Row) -> Outcome<Option<Vec<Value>>> {
        let values = self.set_values(db, row)?;
        let Some(values) = self.before_row(db, Op::Update, Some(&row.values), values)? else { return Ok(None) };
        self.checked_values(db, values).map(Some)
    }

    /// The row with what SET says.
    pub(super) fn new_values(&mut self, db: &mut Database, row: &Row) -> Outcome<Vec<Value>> {
        let values = self.set_values(db, row)?;
        self.checked_values(db, values)
    }

    /// Generated columns, and what is asked of the new row.
    pub(super) fn checked_values(&mut self, db: &mut Database, mut values: Vec<Value>) -> Outcome<Vec<Value>> {
        forget_dropped(&self.relation, &mut values);
        self.generated.compute(db, &mut values, Some(&self.set))?;
        if !self.leaves_partition(db, &values)? {
            self.row_checks.check(db, &self.relation, &values)?;
        }
        Ok(values)
    }

    fn set_values(&mut self, db: &mut Database, row: &Row) -> Outcome<Vec<Value>> {
        let set: &[SetColumn] = if let Source::Update(_, set) = &self.source { set } else { &[] };
        let mut values = core::mem::take(&mut self.reused.values);
        // without the system columns
        if values.len() != self.relation.desc.attributes().len() {
            values.resize(self.relation.desc.attributes().len(), Value::Null);
        }
        values.iter_mut().zip(&row.values).for_each(|(value, old)| value.copy(old));
        let mut columns = set.iter().map(|set| usize::from(set.column));
        let calculations = self.reused.calculations.iter().map(Option::as_ref);
        compute(db, set.iter().map(|set| &set.value).zip(calculations), (&row.values, &[]), |value| {
            if let Some(place) = columns.next().and_then(|column| values.get_mut(column)) {
                *place = value;
            }
        })?;
        if let Source::Joined(rows) = &self.source {
            rows.set().for_each(|(column, value)| values[column].clone_from(value));
        }
        if !db.cluster.version().keeps_expanded_arrays() {
            materialize(&self.relation, &mut values);
        }
        Ok(values)
    }

    /// `ExecDelete`
    pub(super) fn delete_row(&mut self, db: &mut Database, row: Row) -> Outcome<()> {
        if self.relation.am == TableAm::Undo {
            return self.delete_undo_row(db, row);
        }
        if self.triggers.has(Op::Delete, true, true) {
            match self.lock_for_trigger(db, row.tid, Op::Delete) {
                Ok(_) => {}
                Err(stop @ Stop::Wait(_)) => return self.keep(AtWork::Delete(row), stop),
                Err(stop) => return Err(stop),
            }
            if !self.before_delete(db, &row.values)? {
                return Ok(());
            }
        }
        let tm = match heap_delete(&mut db.cluster.pg, &self.relation, row.tid, self.cid) {
            Ok(tm) => tm,
            Err(stop) => return self.keep(AtWork::Delete(row), stop),
        };
        match tm {
            TmResult::Ok => {
                self.note_old(db, &row.values, None)?;
                self.queue(db, Op::Delete, (Some(&row.values), None), (Some(row.tid), None))?;
                self.after_delete(db, row.tid);
                self.done += 1;
                self.returned.replaces(db, &self.relation, (&row.values, row.tid), true);
                self.returned.take(db, &self.relation, &row.values, row.tid)
            }
            TmResult::Updated { .. } => match self.newer(db, row, LockTupleMode::Exclusive, AtWork::Delete)? {
                Some(row) => self.delete_row(db, row),
                None => Ok(()),
            },
            tm => self.skip(db, tm),
        }
    }

    /// The row was updated by a transaction that committed: its newest version, where it is still wanted.
    fn newer(
        &mut self,
        db: &mut Database,
        row: Row,
        mode: LockTupleMode,
        again: impl FnOnce(Row) -> AtWork,
    ) -> Outcome<Option<Row>> {
        check_serializable(db, "update")?;
        if matches!(self.source, Source::Merge(_)) {
            let message = "MERGE of a row that another transaction has changed is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message).into());
        }
        if matches!(self.source, Source::Joined(_)) {
            return match self.newer_joined(db, row.tid, mode) {
                Err(stop) => self.keep(again(row), stop).map(|()| None),
                newer => newer,
            };
        }
        let (Source::Update(scan, _) | Source::Delete(scan)) = &self.source else { return Ok(None) };
        match eval_plan_qual(db, scan, row.tid, mode) {
            Ok(Locked::Newer(newer)) => Ok(Some(newer)),
            Ok(Locked::Same) => Ok(Some(row)),
            Ok(Locked::Gone) => Ok(None),
            Err(stop) => self.keep(again(row), stop).map(|()| None),
        }
    }

    /// The row is as it was, and tried again where that was a wait.
    pub(super) fn keep(&mut self, row: AtWork, stop: Stop) -> Outcome<()> {
        self.at_work = Some(row);
        Err(stop)
    }

    /// A row that cannot be changed any more is left out, unless the transaction has one snapshot.
    pub(super) fn skip(&self, db: &Database, tm: TmResult) -> Outcome<()> {
        match tm {
            TmResult::SelfModified { .. } if self.is_merge() => {
                Err(SqlError::new("21000", "MERGE command cannot affect row a second time").into())
            }
            TmResult::SelfModified { cmax } if cmax != self.cid && !self.triggers.is_empty() => {
                let message =
                    "tuple to be changed was already modified by an operation triggered by the current command";
                Err(SqlError::new("27000", message).into())
            }
            TmResult::Deleted { .. } => {
                check_serializable(db, "delete")?;
                if self.is_merge() {
                    let message = "MERGE of a row that another transaction has deleted is not supported";
                    return Err(SqlError::new(NOT_SIMULATED, message).into());
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn is_merge(&self) -> bool {
        matches!(self.source, Source::Merge(_))
    }

    /// `ExecWithCheckOptions`
    pub(super) fn check_views(&self, db: &mut Database, values: &[Value]) -> Outcome<()> {
        for (view, conditions) in self.view_checks.iter() {
            if !holds(db, conditions, values)? {
                let message = alloc::format!("new row violates check option for view \"{view}\"");
                return Err(failing_row(db, &self.relation, values, SqlError::new("44000", message))?.into());
            }
        }
        Ok(())
    }

    /// Entries in the indexes, one after the other.
    pub(super) fn index_row(
        &mut self,
        db: &mut Database,
        values: Vec<Value>,
        tid: ItemPointer,
        mut next: usize,
        usage: IndexUse,
    ) -> Outcome<()> {
        let is_late = usage == IndexUse::Insert && matches!(self.source, Source::Merge(_));
        if (matches!(usage, IndexUse::Update | IndexUse::Summarizing) || is_late) && self.indexes.is_empty() {
            self.indexes = open_indexes(db, &self.relation)?;
        }
        let of = match usage {
            IndexUse::Insert => Some(EntriesOf::Insert),
            IndexUse::Update => Some(EntriesOf::Update { set: &self.set, replaces: self.replaced }),
            IndexUse::Summarizing => Some(EntriesOf::Summaries),
            IndexUse::None => None,
        };
        if let Some(of) = &of
            && let Err(stop) = insert_entries(db, &mut self.indexes, &values, tid, &mut next, of)
        {
            return self.keep(AtWork::Index { values, tid, next, usage }, stop);
        }
        let old = if usage == IndexUse::Update { self.replaced } else { None };
        self.note_entries(db, tid, old);
        if self.replaced.is_none() {
            self.queue(db, Op::Insert, (None, Some(&values)), (None, Some(tid)))?;
        }
        self.after_update(db);
        self.check_views(db, &values)?;
        if self.on_conflict.is_some() {
            self.old.clear(&mut db.cluster.pg);
        }
        self.done += 1;
        self.returned.take(db, &self.relation, &values, tid)?;
        self.take_back(values);
        Ok(())
    }
}

/// Which indexes get an entry for a new version.
pub(super) const fn usage_of(indexes: UpdateIndexes) -> IndexUse {
    match indexes {
        UpdateIndexes::None => IndexUse::None,
        UpdateIndexes::All => IndexUse::Update,
        UpdateIndexes::Summarizing => IndexUse::Summarizing,
    }
}
