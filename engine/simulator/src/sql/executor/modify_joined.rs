//! UPDATE … FROM and DELETE … USING (`ExecModifyTable`, src/backend/executor/nodeModifyTable.c): the rows of a join, in
//! the order in which it gives them, each with the place of the row that is changed.

use super::modify::{Modify, Source};
use super::row::Row;
use super::select::Query;
use crate::access::heap::LockTupleMode;
use crate::sql::plan::JoinedPlan;
use crate::sql::tcop::Database;
use crate::storage::{MvccSnapshot, Outcome};
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::{ItemPointer, Oid};

/// The rows of a join that are changed.
#[derive(Debug)]
pub(super) struct Joined {
    pub query: Query,
    pub plan: Arc<JoinedPlan>,
    /// UPDATE?
    pub updates: bool,
    /// what came out of the join for the row at work
    found: Vec<Value>,
}

impl Joined {
    /// The columns that are set, from 0, with their new values.
    pub fn set(&self) -> impl Iterator<Item = (usize, &Value)> {
        self.plan.set.iter().map(|column| usize::from(*column)).zip(self.found.iter().skip(1))
    }

    /// The columns of other items that RETURNING reads, where it reads such: their place, and their values.
    fn beside(&self) -> Option<(usize, Vec<Value>)> {
        let (own, all) = self.plan.width;
        let mut beside = alloc::vec![Value::Null; all - own];
        for (slot, value) in self.plan.returned.iter().zip(&self.found[1 + self.plan.set.len()..]) {
            beside[usize::from(*slot) - own] = value.clone();
        }
        (!self.plan.returned.is_empty()).then_some((own, beside))
    }
}

impl Modify {
    /// Before the first row.
    pub(super) fn joined(
        db: &mut Database,
        table: Oid,
        plan: &Arc<JoinedPlan>,
        updates: bool,
        snapshot: &MvccSnapshot,
    ) -> Outcome<Self> {
        let query = Query::start(plan.query.clone(), snapshot);
        let rows = Joined { query, plan: plan.clone(), updates, found: Vec::new() };
        let set: Vec<u16> = plan.set.iter().map(|column| column + 1).collect();
        let mut modify = Self::start(db, table, Source::Joined(Box::new(rows)))?;
        modify.set = set.iter().copied().chain(modify.generated.that_follow(&set)).collect();
        Ok(modify)
    }

    /// The next row of the join is changed. Is there one?
    pub(super) fn next_joined(&mut self, db: &mut Database) -> Outcome<bool> {
        let Source::Joined(rows) = &mut self.source else { return Ok(false) };
        let Some(found) = rows.query.next(db)? else { return Ok(false) };
        let found = core::mem::take(found);
        let Some(Value::Tid(tid)) = found.first().cloned() else {
            return Err(SqlError::new("XX000", "ctid is NULL").into());
        };
        let natts = self.relation.desc.attributes().len();
        let row = Row { tid, values: rows.query.row().iter().take(natts).cloned().collect() };
        rows.found = found;
        let updates = rows.updates;
        if let Some((place, beside)) = rows.beside() {
            self.returned.beside(place, beside);
        }
        if updates {
            self.update_row(db, row, None)?
        } else {
            self.delete_row(db, row)?
        }
        Ok(true)
    }

    /// The row was changed by a transaction that committed: its newest version with the same rows of the other items,
    /// where these still belong together (`EvalPlanQual`).
    pub(super) fn newer_joined(
        &mut self,
        db: &mut Database,
        tid: ItemPointer,
        mode: LockTupleMode,
    ) -> Outcome<Option<Row>> {
        let relation = self.relation.clone();
        let Source::Joined(rows) = &mut self.source else { return Ok(None) };
        let Some((mut row, found)) = rows.query.newer(db, &relation, tid, mode)? else { return Ok(None) };
        row.values.truncate(relation.desc.attributes().len());
        rows.found = found;
        if let Some((place, beside)) = rows.beside() {
            self.returned.beside(place, beside);
        }
        Ok(Some(row))
    }
}
