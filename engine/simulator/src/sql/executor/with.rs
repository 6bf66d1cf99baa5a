//! Statements of WITH that change rows (`CteScanNext`, src/backend/executor/nodeCtescan.c; `ExecPostprocessPlan`,
//! src/backend/executor/execMain.c).
//!
//! ```text
//!  the statement reads a row of WITH ─▶ that one changes a row and returns it …
//!  at the end: the rest, the last of WITH first ─▶ foreign keys
//! ```
//!
//! All have one snapshot and one command id: none sees what another does.

use super::modify::Modify;
use super::select::source::Rows;
use crate::sql::commands::foreign_key::fire;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::plan::{CommonPlan, Plan};
use crate::sql::tcop::{Database, Work};
use crate::storage::{MvccSnapshot, Outcome};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};

/// Those of the statement that runs, by the places of their plans.
#[derive(Debug, Default)]
pub(in crate::sql) struct Changes(BTreeMap<usize, Changing>);

/// One that runs, and what it has returned.
#[derive(Debug)]
struct Changing {
    /// `None` while it is at work
    modify: Option<Box<Modify>>,
    rows: Rows,
}

impl Clone for Changes {
    /// A copy of the database is asked, and does not go on with the statement.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The statement, and what WITH has to be brought to its end behind it.
#[derive(Debug)]
pub(in crate::sql) struct With {
    pub work: Work,
    changes: Vec<Arc<CommonPlan>>,
    /// that of the statement, once it is done
    tag: Option<String>,
}

fn place(plan: &Arc<CommonPlan>) -> usize {
    Arc::as_ptr(plan) as usize
}

impl With {
    /// Begins those that change rows.
    pub fn start(db: &mut Database, changes: &[Arc<CommonPlan>], snapshot: &MvccSnapshot) -> Outcome<()> {
        for change in changes {
            let Some(plan) = change.plan() else { continue };
            let mut modify = Modify::of(db, plan.clone(), snapshot)?;
            if !modify.triggers.is_empty() {
                let message = "a statement of WITH that changes a table with triggers is not supported";
                return Err(SqlError::new(NOT_SIMULATED, message).into());
            }
            modify.returned.pipe();
            let changing = Changing { modify: Some(Box::new(modify)), rows: Vec::new() };
            db.running.changes.0.insert(place(change), changing);
        }
        Ok(())
    }

    pub const fn new(work: Work, changes: Vec<Arc<CommonPlan>>) -> Self {
        Self { work, changes, tag: None }
    }

    /// To the end. Gives the command tag.
    pub fn go_on(&mut self, db: &mut Database) -> Outcome<String> {
        if self.tag.is_none() {
            self.tag = Some(match &mut self.work {
                Work::Modify(modify) => {
                    modify.change_rows(db)?;
                    modify.tag()
                }
                work => work.run(db)?,
            });
        }
        for change in self.changes.iter().rev() {
            db.with_change(change, |db, modify| modify.change_rows(db))?;
        }
        for change in &self.changes {
            db.with_change(change, |db, modify| fire(db, &mut modify.checks))?;
        }
        if let Work::Modify(modify) = &mut self.work {
            fire(db, &mut modify.checks)?;
            modify.returned.send(db)?;
            modify.end(db);
        }
        for change in &self.changes {
            db.with_change(change, |db, modify| {
                modify.end(db);
                Ok(())
            })?;
        }
        Ok(self.tag.clone().unwrap_or_default())
    }
}

impl Modify {
    /// By whichever plan.
    pub(in crate::sql) fn of(db: &mut Database, plan: Plan, snapshot: &MvccSnapshot) -> Outcome<Self> {
        match plan {
            Plan::Insert(plan) => Self::insert(db, plan, snapshot),
            Plan::Update(plan) => Self::update(db, plan, snapshot),
            Plan::Delete(plan) => Self::delete(db, &plan, snapshot),
            Plan::Merge(plan) => Self::merge(db, &plan, snapshot),
            Plan::Select(_) | Plan::With(_) => Err(SqlError::new("XX000", "a query changes no rows").into()),
        }
    }
}

impl Database {
    /// Something done with one of WITH, which is back afterwards, also where it has to wait.
    fn with_change<T: Default>(
        &mut self,
        plan: &Arc<CommonPlan>,
        work: impl FnOnce(&mut Self, &mut Modify) -> Outcome<T>,
    ) -> Outcome<T> {
        let changing = self.running.changes.0.get_mut(&place(plan));
        let Some(mut modify) = changing.and_then(|changing| changing.modify.take()) else { return Ok(T::default()) };
        let done = work(self, &mut modify);
        if let Some(changing) = self.running.changes.0.get_mut(&place(plan)) {
            changing.modify = Some(modify);
        }
        done
    }

    /// The row of that number that one of WITH returns, for which it changes one if there is none yet.
    pub(super) fn returned_row(&mut self, plan: &Arc<CommonPlan>, number: usize) -> Outcome<Option<Vec<Value>>> {
        let known = |db: &Self| db.running.changes.0.get(&place(plan))?.rows.get(number).cloned();
        if let Some(row) = known(self) {
            return Ok(Some(row));
        }
        let row = self.with_change(plan, |db, modify| modify.next_returned(db))?;
        if let (Some(row), Some(changing)) = (&row, self.running.changes.0.get_mut(&place(plan))) {
            changing.rows.push(row.clone());
        }
        Ok(row)
    }

    /// All of them.
    pub(super) fn returned_rows(&mut self, plan: &Arc<CommonPlan>) -> Outcome<Arc<Rows>> {
        let mut rows = Vec::new();
        while let Some(row) = self.returned_row(plan, rows.len())? {
            rows.push(row);
        }
        Ok(Arc::new(rows))
    }
}
