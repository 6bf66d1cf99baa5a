//! MERGE (`ExecMerge`, src/backend/executor/nodeModifyTable.c).
//!
//! ```text
//!  rows of source and table meet ─▶ MATCHED, NOT MATCHED BY TARGET, BY SOURCE
//!                                ─▶ the first WHEN that holds: UPDATE, DELETE, INSERT
//! ```

use super::modify::{Modify, Source};
use super::returning::Returned;
use super::row::{Row, eval, forget_dropped, holds, project};
use super::select::Query;
use crate::sql::ast::MergeMatch;
use crate::sql::plan::{MergePlan, PlannedAction};
use crate::sql::tcop::Database;
use crate::storage::{Buffer, MvccSnapshot, Outcome, TableAm};
use crate::undo::not_modelled;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::Value;

/// The row of the table, the kind of the pair, and its values: the table's columns, then the source's.
type Pair = (Option<Row>, MergeMatch, Vec<Value>);

/// A join that runs.
#[derive(Debug)]
pub(super) struct Merging {
    plan: Arc<MergePlan>,
    snapshot: MvccSnapshot,
    query: Query,
    /// came no row yet?
    is_first: bool,
    /// came the last one? In WITH it is asked once more, and a query would begin again
    is_done: bool,
}

impl Modify {
    /// MERGE, before the first row.
    pub(super) fn merge(db: &mut Database, plan: &Arc<MergePlan>, snapshot: &MvccSnapshot) -> Outcome<Self> {
        let query = Query::start(plan.query.clone(), snapshot);
        let merging = Merging { plan: plan.clone(), snapshot: snapshot.clone(), query, is_first: true, is_done: false };
        let mut modify = Self::start(db, plan.table, Source::Merge(Box::new(merging)))?;
        if modify.relation.am == TableAm::Undo {
            return Err(not_modelled("MERGE").into());
        }
        let replaces = |action: &PlannedAction| matches!(action, PlannedAction::Update(_) | PlannedAction::Delete);
        if plan.whens.iter().any(|when| replaces(&when.action)) {
            db.cluster.check_replica_identity(&modify.relation);
        }
        let mut set = Vec::new();
        for when in plan.whens.iter() {
            let PlannedAction::Update(columns) = &when.action else { continue };
            set.extend(columns.iter().map(|set| set.column + 1));
        }
        set.sort_unstable();
        set.dedup();
        modify.set = set.iter().copied().chain(modify.generated.that_follow(&set)).collect();
        modify.returned = Returned::new(plan.returning.clone());
        Ok(modify)
    }

    /// What the next pair asks for is done. Is there one?
    pub(super) fn next_merged(&mut self, db: &mut Database) -> Outcome<bool> {
        let Source::Merge(merging) = &mut self.source else { return Ok(false) };
        let Some((target, kind, values)) = merging.next(db)? else { return Ok(false) };
        let plan = merging.plan.clone();
        if let Some(row) = &target {
            self.old.store(&mut db.cluster.pg, Buffer::main(self.relation.file, row.tid.block));
        }
        for when in plan.whens.iter().filter(|when| when.kind == kind) {
            if !holds(db, &when.filter, &values)? {
                continue;
            }
            self.note_action(&plan, &when.action, &values);
            return self.act(db, &when.action, target, &values).map(|()| true);
        }
        Ok(true)
    }

    fn note_action(&mut self, plan: &MergePlan, action: &PlannedAction, values: &[Value]) {
        if plan.returning.is_none() {
            return;
        }
        let name = match action {
            PlannedAction::Update(_) => "UPDATE",
            PlannedAction::Delete => "DELETE",
            PlannedAction::Insert(_) | PlannedAction::Nothing => "INSERT",
        };
        let source = values[plan.width..].iter().cloned();
        self.returned.beside(plan.width, source.chain([Value::text(name)]).collect());
    }

    fn act(&mut self, db: &mut Database, action: &PlannedAction, target: Option<Row>, values: &[Value]) -> Outcome<()> {
        match (action, target) {
            (PlannedAction::Insert(row), _) => {
                let mut new = Vec::new();
                project(db, row.iter(), (values, &[]), &mut new)?;
                self.insert_row(db, new)
            }
            (PlannedAction::Delete, Some(row)) => self.delete_row(db, row),
            (PlannedAction::Update(set), Some(row)) => {
                let mut new = values[..self.relation.desc.attributes().len()].to_vec();
                for set in set.iter() {
                    new[usize::from(set.column)] = eval(db, &set.value, values, &[])?;
                }
                forget_dropped(&self.relation, &mut new);
                self.generated.compute(db, &mut new, Some(&self.set))?;
                self.row_checks.check(db, &self.relation, &new)?;
                self.update_row(db, row, Some(new))
            }
            (PlannedAction::Nothing | PlannedAction::Delete | PlannedAction::Update(_), _) => Ok(()),
        }
    }
}

impl Merging {
    fn next(&mut self, db: &mut Database) -> Outcome<Option<Pair>> {
        if self.is_done {
            return Ok(None);
        }
        let pair = self.next_pair(db)?;
        self.is_done = pair.is_none();
        Ok(pair)
    }

    fn next_pair(&mut self, db: &mut Database) -> Outcome<Option<Pair>> {
        let plan = self.plan.clone();
        let is_first = core::mem::replace(&mut self.is_first, false);
        let found = match self.query.next(db) {
            Ok(found) => found.map(core::mem::take),
            Err(stop) => {
                self.is_first = is_first;
                return Err(stop);
            }
        };
        let mut values = alloc::vec![Value::Null; plan.whole];
        let Some(found) = found else {
            let Some(alone) = plan.alone.as_ref().filter(|_| is_first) else { return Ok(None) };
            let mut query = Query::start(alone.clone(), &self.snapshot);
            let Some(row) = query.next(db)? else { return Ok(None) };
            plan.read.iter().zip(row).for_each(|(slot, value)| values[usize::from(*slot)] = value.clone());
            query.end(db);
            return Ok(Some((None, MergeMatch::ByTarget, values)));
        };
        let mut found = found.into_iter();
        let start = usize::from(plan.start);
        let row = match found.next() {
            Some(Value::Tid(tid)) => {
                let of_table = self.query.row().iter().skip(start).take(plan.width);
                values.iter_mut().zip(of_table).for_each(|(place, value)| place.clone_from(value));
                Some(Row { tid, values: values[..plan.width].to_vec() })
            }
            _ => None,
        };
        plan.read.iter().zip(found).for_each(|(slot, value)| values[usize::from(*slot)] = value);
        // what is not the table's is the source's
        let other = if start == 0 { plan.width as u16 } else { 0 };
        let kind = match row {
            None => MergeMatch::ByTarget,
            Some(_) if self.query.has_met(other) => MergeMatch::Matched,
            Some(_) => MergeMatch::BySource,
        };
        Ok(Some((row, kind, values)))
    }

    /// Lets go of what its scans hold.
    pub fn end(&mut self, db: &mut Database) {
        self.query.end(db);
    }
}
