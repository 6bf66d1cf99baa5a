//! INSERT … ON CONFLICT (`ExecInsert` with `ExecOnConflictUpdate`, src/backend/executor/nodeModifyTable.c): a row
//! that can be taken back, or an update of the one there is. And what a statement notes for the checks of foreign
//! keys.

use super::conflict::find_conflict;
use super::index::{EntriesOf, insert_entries, rechecks};
use super::modify::{AtWork, Modify};
use super::modify_row::usage_of;
use super::relock::check_serializable;
use super::row::{Row, eval, forget_dropped, holds, read_row};
use super::trigger::Op;
use crate::access::heap::visibility::heap_tuple_satisfies_mvcc;
use crate::access::heap::{
    FollowUpdates, InsertOptions, LockTupleMode, TmResult, heap_abort_speculative, heap_finish_speculative,
    heap_insert, heap_lock_tuple, heap_tuple, heap_update,
};
use crate::sql::commands::foreign_key::{Before, are_called, of_new_row, of_old_row};
use crate::sql::expr::Typed;
use crate::sql::plan::{ConflictPlan, SetColumn};
use crate::sql::tcop::Database;
use crate::storage::{Buffer, IsolationLevel, Outcome};
use alloc::vec::Vec;
use ffviz_format::datum::{FormedTuple, SqlError, Value};
use ffviz_format::page::ItemPointer;

impl Modify {
    /// Foreign keys that are to be checked for a new version (`RI_FKey_fk_upd_check_required`).
    pub(super) fn note_new(&mut self, db: &Database, new: &[Value], old: Option<&Row>) -> Outcome<()> {
        if self.has_triggers {
            let pg = &db.cluster.pg;
            let is_own = |row: &Row| {
                let tuple = heap_tuple(pg, Buffer::main(self.relation.file, row.tid.block), row.tid.offset);
                tuple.is_some_and(|tuple| pg.is_current_xid(tuple.t_xmin))
            };
            let before = match old {
                None => Before::Nothing,
                Some(old) if is_own(old) => Before::Own,
                Some(old) => Before::Row(&old.values),
            };
            self.checks.extend(of_new_row(db, &self.relation, new, before)?);
        }
        Ok(())
    }

    /// The same for one that goes.
    pub(super) fn note_old(&mut self, db: &Database, old: &[Value], new: Option<&[Value]>) -> Outcome<()> {
        if self.has_triggers {
            self.checks.extend(of_old_row(db, &self.relation, old, new)?);
        }
        Ok(())
    }

    /// Entries that may be duplicates are looked at later, as `AfterTriggerSaveEvent` orders triggers: by their names,
    /// in which those of a primary key come before those of foreign keys, and others behind them. And what is put off
    /// has to know where the new version is.
    pub(super) fn note_entries(&mut self, db: &Database, tid: ItemPointer, old: Option<ItemPointer>) {
        if !self.has_triggers {
            return;
        }
        for event in self.checks.iter_mut().skip(self.row_events) {
            event.is_of(tid);
        }
        let (first, others) = rechecks(db, self.relation.oid, &mut self.indexes, old);
        if !are_called(db, self.relation.oid) {
            return;
        }
        for recheck in first.into_iter().rev() {
            self.checks.insert(self.row_events, recheck);
        }
        self.checks.extend(others);
    }

    /// Looks for a row with the same key first, then inserts one that can be taken back.
    pub(super) fn insert_unless(
        &mut self,
        db: &mut Database,
        plan: &ConflictPlan,
        mut values: Vec<Value>,
    ) -> Outcome<()> {
        let found = match find_conflict(db, &self.relation, &mut self.indexes, &plan.indexes, &values) {
            Ok(found) => found,
            Err(stop) => return self.keep(AtWork::Insert(values), stop),
        };
        match (found, &plan.update) {
            (None, _) => {
                self.form_inserted(&mut values);
                let options = InsertOptions { speculative: true, ..InsertOptions::NONE };
                let (pg, tuple) = (&mut db.cluster.pg, &mut self.reused.tuple);
                let tid = heap_insert(pg, &self.relation, tuple, self.cid, options, None)?;
                self.at_work = Some(AtWork::Speculate { values, tid, next: 0 });
                Ok(())
            }
            (Some(tid), None) => self.check_tuple_visible(db, tid),
            (Some(tid), Some(update)) => self.update_instead(db, update, tid, values),
        }
    }

    /// Entries of a row that can be taken back; a duplicate means that another session was faster.
    pub(super) fn speculate(
        &mut self,
        db: &mut Database,
        values: Vec<Value>,
        tid: ItemPointer,
        mut next: usize,
    ) -> Outcome<()> {
        let of = EntriesOf::Speculative(self.on_conflict.as_ref().map_or(&[], |plan| &plan.indexes));
        match insert_entries(db, &mut self.indexes, &values, tid, &mut next, &of) {
            Ok(true) => {
                heap_finish_speculative(&mut db.cluster.pg, &self.relation, tid)?;
                self.row_events = self.checks.len();
                self.note_new(db, &values, None)?;
                self.note_entries(db, tid, None);
                self.queue(db, Op::Insert, (None, Some(&values)), (None, Some(tid)))?;
                self.check_views(db, &values)?;
                self.done += 1;
                self.returned.take(db, &self.relation, &values, tid)
            }
            Ok(false) => {
                heap_abort_speculative(&mut db.cluster.pg, &self.relation, tid)?;
                self.at_work = Some(AtWork::Insert(values));
                Ok(())
            }
            Err(stop) => self.keep(AtWork::Speculate { values, tid, next }, stop),
        }
    }

    /// `ExecOnConflictUpdate`
    fn update_instead(
        &mut self,
        db: &mut Database,
        (set, filter): &(Vec<SetColumn>, Vec<Typed>),
        tid: ItemPointer,
        values: Vec<Value>,
    ) -> Outcome<()> {
        let is_key_column =
            |set: &SetColumn| self.relation.indexed.iter().any(|it| it.key && it.attnum == set.column + 1);
        let is_key = set.iter().any(is_key_column);
        let mode = if is_key { LockTupleMode::Exclusive } else { LockTupleMode::NoKeyExclusive };
        match heap_lock_tuple(&mut db.cluster.pg, &self.relation, tid, self.cid, mode, FollowUpdates::No) {
            Ok(TmResult::Ok) => {}
            Ok(TmResult::Invisible) => {
                let message = "ON CONFLICT DO UPDATE command cannot affect row a second time";
                return Err(SqlError::new("21000", message).into());
            }
            // it changed meanwhile: looked for anew
            Ok(changed) => {
                let is_gone = matches!(changed, TmResult::Deleted { .. });
                check_serializable(db, if is_gone { "delete" } else { "update" })?;
                self.at_work = Some(AtWork::Insert(values));
                return Ok(());
            }
            Err(stop) => return self.keep(AtWork::Insert(values), stop),
        }
        self.check_tuple_visible(db, tid)?;
        // the row stays in a slot, and its page pinned, until the update has its index entries
        self.old.store(&mut db.cluster.pg, Buffer::main(self.relation.file, tid.block));
        let Some(row) = read_row(db, &self.relation, tid) else { return Ok(()) };
        // EXCLUDED is a tuple that has been formed
        let (excluded, mut values) = (FormedTuple::inserted(&self.relation.desc, &values), Vec::new());
        self.relation.desc.read(excluded.data(), excluded.nulls(), excluded.natts.into(), &mut values);
        let both: Vec<Value> = row.values.iter().chain(&values).cloned().collect();
        if !holds(db, filter, &both)? {
            self.old.clear(&mut db.cluster.pg);
            return Ok(());
        }
        let mut new = row.values.clone();
        for SetColumn { column, value } in set {
            new[usize::from(*column)] = eval(db, value, &both, &[])?;
        }
        if self.triggers.has(Op::Update, true, true) {
            self.lock_for_trigger(db, row.tid, Op::Update)?;
            match self.before_row(db, Op::Update, Some(&row.values), new)? {
                Some(changed) => new = changed,
                None => {
                    self.old.clear(&mut db.cluster.pg);
                    return Ok(());
                }
            }
        }
        self.store_update(db, &row, new)
    }

    /// `ExecCheckTupleVisible`: a transaction with one snapshot may not act on a row that this does not show, unless it
    /// has made the row itself.
    fn check_tuple_visible(&self, db: &mut Database, tid: ItemPointer) -> Outcome<()> {
        let (pg, buf) = (&mut db.cluster.pg, Buffer::main(self.relation.file, tid.block));
        let keeps = pg.backend().xact.as_ref().is_some_and(|xact| xact.isolation > IsolationLevel::ReadCommitted);
        let snapshot = pg.backend().snapshot.clone().filter(|_| keeps);
        let (Some(snapshot), Some(mut tuple)) = (snapshot, heap_tuple(pg, buf, tid.offset)) else { return Ok(()) };
        let is_fine = heap_tuple_satisfies_mvcc(pg, &mut tuple, buf, &snapshot) || pg.is_current_xid(tuple.t_xmin);
        if is_fine { Ok(()) } else { check_serializable(db, "update") }
    }

    /// Puts a new version in place of one that is locked.
    fn store_update(&mut self, db: &mut Database, row: &Row, values: Vec<Value>) -> Outcome<()> {
        let mut values = values;
        forget_dropped(&self.relation, &mut values);
        self.generated.compute(db, &mut values, Some(&self.set))?;
        self.row_checks.check(db, &self.relation, &values)?;
        self.reused.tuple.form(&self.relation.desc, &values);
        let updated = heap_update(&mut db.cluster.pg, &self.relation, row.tid, &mut self.reused.tuple, self.cid)?;
        self.row_events = self.checks.len();
        self.note_old(db, &row.values, Some(&values))?;
        self.note_new(db, &values, Some(row))?;
        self.returned.replaces(db, &self.relation, (&row.values, row.tid), false);
        self.replaced = Some(row.tid);
        let rows = (Some(&row.values[..]), Some(&values[..]));
        self.queue(db, Op::Update, rows, (Some(row.tid), Some(updated.tid)))?;
        let usage = usage_of(updated.indexes);
        self.at_work = Some(AtWork::Index { values, tid: updated.tid, next: 0, usage });
        Ok(())
    }
}
