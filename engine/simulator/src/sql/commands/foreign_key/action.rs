//! ON DELETE and ON UPDATE: rows that refer to a key that went are changed, by statements like any other
//! (`RI_FKey_cascade_del`, `RI_FKey_cascade_upd`, `ri_set`, src/backend/utils/adt/ri_triggers.c).
//!
//! ```text
//!  CASCADE      DELETE FROM ONLY the referring table WHERE its columns = …;  UPDATE … SET its columns = the new key
//!  SET NULL     UPDATE … SET its columns = NULL
//!  SET DEFAULT  UPDATE … SET its columns = DEFAULT, and then none may refer to the old key
//! ```

use super::{Check, CheckKey, Event, GoneKey, Wants, open, plan, qualified, quoted, types_of};
use crate::cluster::pg_class::ForeignAction;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::modify::Modify;
use crate::sql::plan::Plan;
use crate::sql::tcop::Database;
use crate::storage::{LockMode, Outcome};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::Oid;
use ffviz_story::timeline::foreign_key;

/// Rows that are to be changed.
#[derive(Debug)]
pub(in crate::sql) struct Action {
    referring: Oid,
    key: CheckKey,
    values: Vec<Value>,
    types: Vec<Oid>,
    running: Option<Box<Modify>>,
    /// what is asked then
    then: Option<Check>,
    /// what is done to the rows
    action: ForeignAction,
}

impl Action {
    pub(super) fn new(db: &Database, gone: &GoneKey<'_>, action: ForeignAction) -> Self {
        let name = |attnum: &u16| quoted(&gone.referring.desc.attributes()[usize::from(attnum - 1)].name);
        let names: Vec<String> = gone.columns.iter().map(name).collect();
        let new = gone.new.as_ref().filter(|_| action == ForeignAction::Cascade);
        let set = |n: usize| match (action, new) {
            (ForeignAction::Cascade, Some(_)) => format!("{} = ${}", names[n], n + 1),
            (ForeignAction::SetDefault, _) => format!("{} = DEFAULT", names[n]),
            _ => format!("{} = NULL", names[n]),
        };
        let is_set = |n: &usize| gone.set.contains(&gone.columns[*n]);
        let first = if new.is_some() { names.len() + 1 } else { 1 };
        let conditions: Vec<String> = names.iter().zip(first..).map(|(name, n)| format!("{name} = ${n}")).collect();
        let (table, conditions) = (qualified(db, gone.referring), conditions.join(" AND "));
        let sql = match (action, new) {
            (ForeignAction::Cascade, None) => format!("DELETE FROM {table} WHERE {conditions}"),
            _ => {
                let set: Vec<String> = (0..names.len()).filter(is_set).map(set).collect();
                format!("UPDATE {table} SET {} WHERE {conditions}", set.join(", "))
            }
        };
        let types = types_of(gone.table, gone.keys);
        let types = if new.is_some() { [types.clone(), types].concat() } else { types };
        let values = new.into_iter().flatten().chain(&gone.values).cloned().collect();
        let key = CheckKey { constraint: gone.constraint.clone(), wants: Wants::Change, sql };
        let then = (action == ForeignAction::SetDefault).then(|| gone.check(db, true, gone.error("23503", "")));
        Self { referring: gone.referring.oid, key, values, types, running: None, then, action }
    }

    /// Changes the rows. What this asks for is done behind what else there is to do.
    pub(super) fn go_on(&mut self, db: &mut Database, events: &mut VecDeque<Event>) -> Outcome<()> {
        let what = match self.action {
            ForeignAction::SetNull => "SET NULL",
            ForeignAction::SetDefault => "SET DEFAULT",
            _ => "cascade",
        };
        let caller = db.cluster.pg.trace.enter_behind(|| foreign_key(what, &self.key.constraint.1));
        let kept = core::mem::replace(&mut db.params, self.values.clone());
        let done = self.change(db, events);
        db.params = kept;
        db.cluster.pg.trace.enter(caller);
        done?;
        match &mut self.then {
            Some(check) => check.go_on(db),
            None => Ok(()),
        }
    }

    fn change(&mut self, db: &mut Database, events: &mut VecDeque<Event>) -> Outcome<()> {
        if self.running.is_none() {
            open(db, self.referring, LockMode::RowExclusive)?;
            let indexes = db.cluster.pg.relation(self.referring)?.indexes.clone();
            indexes.into_iter().try_for_each(|index| open(db, index, LockMode::RowExclusive))?;
            let planned = plan(db, &self.key, &self.types)?;
            if let Some(xact) = &mut db.cluster.pg.backend_mut().xact {
                xact.next_command();
            }
            let snapshot = db.cluster.latest_snapshot();
            let modify = match planned {
                Plan::Update(plan) => Modify::update(db, plan, &snapshot)?,
                Plan::Delete(plan) => Modify::delete(db, &plan, &snapshot)?,
                _ => return Err(SqlError::new("XX000", format!("it changes nothing: {}", self.key.sql)).into()),
            };
            if modify.triggers.has_of_statement() {
                let message = "what a foreign key changes in a table with triggers for statements is not supported";
                return Err(SqlError::new(NOT_SIMULATED, message).into());
            }
            self.running = Some(Box::new(modify));
        }
        if let Some(modify) = &mut self.running {
            modify.change_rows(db)?;
            events.append(&mut modify.checks);
            modify.end(db);
        }
        Ok(())
    }
}
