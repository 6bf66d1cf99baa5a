//! Triggers that are called (`ExecCallTriggerFunc`, `ExecBRUpdateTriggers`, `AfterTriggerEndQuery`,
//! src/backend/commands/trigger.c).
//!
//! ```text
//!  BEFORE STATEMENT ─▶ each row: locked, BEFORE ROW ─▶ the heap, indexes …
//!                   ─▶ AFTER ROW of each ─▶ AFTER STATEMENT
//! ```

use super::modify::{Modify, Source};
use super::relock::check_serializable;
use super::row::{eval, fetch_value};
use crate::access::heap::{FollowUpdates, LockTupleMode, TmResult, heap_lock_tuple, heap_tuple};
use crate::cluster::deferred::ConstraintId;
use crate::cluster::pg_class::{Firing, Trigger};
use crate::sql::ast::TG;
use crate::sql::catalog::Catalog as _;
use crate::sql::commands::foreign_key::Event as ForeignEvent;
use crate::sql::commands::trigger::SUPPRESSES;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::select::source::no_wait;
use crate::sql::expr::{Analyzer, Context, RangeTable};
use crate::sql::plpgsql::{Returns, TransitionTable, run_function};
use crate::sql::tcop::Database;
use crate::storage::{Buffer, Deferrable, Outcome, RelationData};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, SqlType, Value, make_array_from};
use ffviz_format::page::{ItemPointer, Oid};
use ffviz_story::timeline::trigger as name_of_trigger;

/// What a trigger is called for (`TRIGGER_EVENT_…`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Insert,
    Update,
    Delete,
    Truncate,
}

/// The triggers of the table that a statement changes (`TriggerDesc`).
#[derive(Debug, Default)]
pub(in crate::sql) struct Triggers {
    all: Vec<Trigger>,
    /// is the session a replica?
    replica: bool,
    /// rows that were changed, for those that come after
    events: VecDeque<Event>,
    /// rows before and after, for those with transition tables
    transitions: Transitions,
    /// was the statement told of?
    started: bool,
    /// is the row at work older than a column, so that its version is shorter than one that replaces it?
    is_short: bool,
    /// were those after it queued?
    ended: bool,
}

/// `AfterTriggersTableData`: what was done, the rows before and after.
#[derive(Debug, Default)]
struct Transitions {
    old: Vec<(Op, Vec<Value>)>,
    new: Vec<(Op, Vec<Value>)>,
}

/// A trigger that is to be called for a row beside what keys ask for (`AfterTriggerEventData`).
#[derive(Debug, Clone)]
pub(in crate::sql) struct RowEvent {
    /// the constraint, where it is one, and when it is checked
    pub of: (ConstraintId, Deferrable),
    /// its table
    pub table: Oid,
    trigger: Trigger,
    op: Op,
    old: Option<Vec<Value>>,
    new: Option<Vec<Value>>,
    places: Places,
}

impl RowEvent {
    /// Calls it.
    pub fn fire(&self, db: &mut Database) -> Outcome<()> {
        let relation = db.cluster.pg.relation(self.table)?;
        let old = readable(db, &relation, self.old.as_deref())?;
        let new = readable(db, &relation, self.new.as_deref())?;
        tell_call(db, &relation, &self.trigger, self.op);
        let rows = (old.as_deref(), new.as_deref());
        call_function(db, &relation, &self.trigger, self.op, rows, (self.places, Vec::new()))?;
        Ok(())
    }
}

/// `AfterTriggerEventData`
#[derive(Debug)]
struct Event {
    op: Op,
    row: bool,
    old: Option<Vec<Value>>,
    new: Option<Vec<Value>>,
    /// where they are stored
    places: Places,
}

/// Where the row before and the row after are stored, once they are.
type Places = (Option<ItemPointer>, Option<ItemPointer>);

impl Op {
    const fn name(self) -> &'static str {
        match self {
            Self::Insert => "INSERT",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Truncate => "TRUNCATE",
        }
    }

    const fn is_of(self, trigger: &Trigger) -> bool {
        match self {
            Self::Insert => trigger.insert,
            Self::Update => trigger.update,
            Self::Delete => trigger.delete,
            Self::Truncate => trigger.truncate,
        }
    }
}

impl Triggers {
    /// Those of a table. For one that is disabled a row is prepared all the same, and then it is not called.
    pub fn of(db: &Database, relation: &RelationData) -> Self {
        let class = db.cluster.catalog.class(relation.oid);
        let replica = db.cluster.pg.backend().settings.replica;
        Self { all: class.map_or_else(Vec::new, |class| class.triggers.clone()), replica, ..Self::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Is there one of these (`trig_update_before_row` and its like)?
    pub(super) fn has(&self, op: Op, before: bool, row: bool) -> bool {
        self.all.iter().any(|it| it.before == before && it.row == row && op.is_of(it))
    }

    /// Does one come after, with a table of the rows?
    fn has_transitions(&self, op: Op) -> bool {
        let has_tables = |it: &Trigger| it.old_table.is_some() || it.new_table.is_some();
        self.all.iter().any(|it| has_tables(it) && op.is_of(it))
    }

    /// Is one called for a statement?
    pub fn has_of_statement(&self) -> bool {
        self.all.iter().any(|it| !it.row)
    }

    /// Does one come after rows that cannot be called among the checks of keys: with tables of the rows, or before
    /// them?
    fn has_apart(&self) -> bool {
        let has_tables = |it: &Trigger| it.old_table.is_some() || it.new_table.is_some();
        self.all.iter().any(|it| !it.before && it.row && (has_tables(it) || it.name.as_str() < "RI_D"))
    }

    /// Is one a constraint?
    fn has_constraint(&self) -> bool {
        self.all.iter().any(|it| it.constraint.is_some())
    }
}

impl Modify {
    /// What this statement does.
    fn ops(&self) -> Vec<Op> {
        match &self.source {
            Source::Values(..) | Source::Query(..) => {
                let updates = self.on_conflict.as_ref().is_some_and(|plan| plan.update.is_some());
                if updates { Vec::from([Op::Insert, Op::Update]) } else { Vec::from([Op::Insert]) }
            }
            Source::Update(..) => Vec::from([Op::Update]),
            _ => Vec::from([Op::Delete]),
        }
    }

    /// `fireBSTriggers`
    pub(super) fn before_statement(&mut self, db: &mut Database) -> Outcome<()> {
        if self.triggers.is_empty() || core::mem::replace(&mut self.triggers.started, true) {
            return Ok(());
        }
        for op in self.ops() {
            for trigger in self.wanted(op, true, false) {
                self.call(db, &trigger, op, (None, None), (None, None))?;
            }
        }
        Ok(())
    }

    /// `AfterTriggerEndQuery`
    pub(super) fn after_statement(&mut self, db: &mut Database) -> Outcome<()> {
        if self.triggers.is_empty() {
            return Ok(());
        }
        if !core::mem::replace(&mut self.triggers.ended, true) {
            for op in self.ops().into_iter().rev() {
                self.triggers.events.push_back(Event { op, row: false, old: None, new: None, places: (None, None) });
            }
        }
        while let Some(event) = self.triggers.events.pop_front() {
            for trigger in self.wanted(event.op, false, event.row) {
                self.call(db, &trigger, event.op, (event.old.as_deref(), event.new.as_deref()), event.places)?;
            }
        }
        Ok(())
    }

    fn wanted(&self, op: Op, before: bool, row: bool) -> Vec<Trigger> {
        let columns = |it: &Trigger| {
            op != Op::Update || it.update_of.is_empty() || it.update_of.iter().any(|column| self.set.contains(column))
        };
        let replica = self.triggers.replica;
        let is_wanted = |it: &&Trigger| {
            it.enabled.fires(replica) && it.before == before && it.row == row && op.is_of(it) && columns(it)
        };
        self.triggers.all.iter().filter(is_wanted).cloned().collect()
    }

    /// A row was changed, which those that come after are told of.
    pub(super) fn queue(
        &mut self,
        db: &mut Database,
        op: Op,
        (old, new): (Option<&[Value]>, Option<&[Value]>),
        places: Places,
    ) -> Outcome<()> {
        if self.triggers.has_transitions(op) {
            let natts = self.relation.desc.attributes().len();
            let row = |values: &[Value]| (op, values.iter().take(natts).cloned().collect());
            self.triggers.transitions.old.extend(old.map(row));
            self.triggers.transitions.new.extend(new.map(row));
        }
        if !self.triggers.has(op, false, true) {
            return Ok(());
        }
        if !self.has_triggers && !self.triggers.has_constraint() {
            let natts = self.relation.desc.attributes().len();
            let row = |values: &[Value]| values.iter().take(natts).cloned().collect();
            self.triggers.events.push_back(Event { op, row: true, old: old.map(row), new: new.map(row), places });
            return Ok(());
        }
        let relation = self.relation.clone();
        for trigger in self.wanted(op, false, true) {
            if trigger.when.is_some() {
                let (old, new) = (readable(db, &relation, old)?, readable(db, &relation, new)?);
                if !is_when(db, &relation, &trigger, (old.as_deref(), new.as_deref()))? {
                    continue;
                }
            }
            let deferrable = trigger.constraint.unwrap_or(Deferrable::No);
            let (old, new) = (old.map(<[Value]>::to_vec), new.map(<[Value]>::to_vec));
            let of = ((relation.oid, trigger.name.clone()), deferrable);
            let event = RowEvent { of, table: relation.oid, trigger, op, old, new, places };
            self.checks.push_back(ForeignEvent::Row(Box::new(event)));
        }
        Ok(())
    }

    /// `ExecBRInsertTriggers`, `ExecBRUpdateTriggers`: the row as they leave it; nothing: it is left out.
    pub(super) fn before_row(
        &mut self,
        db: &mut Database,
        op: Op,
        old: Option<&[Value]>,
        mut new: Vec<Value>,
    ) -> Outcome<Option<Vec<Value>>> {
        let class = db.cluster.catalog.class(self.relation.oid);
        let domains = class.map(|class| class.domains.clone()).unwrap_or_default();
        for trigger in self.wanted(op, true, true) {
            match self.call(db, &trigger, op, (old, Some(&new)), (None, None))? {
                Some(row) => {
                    // what a function sets is what the domain may have (`exec_assign_value`)
                    for (attnum, domain) in &domains {
                        let column = usize::from(attnum - 1);
                        if row[column] != new[column] {
                            db.coerce_to_domain(&row[column], *domain)?;
                        }
                    }
                    new = row;
                }
                None => return Ok(None),
            }
        }
        Ok(Some(new))
    }

    /// `ExecBRDeleteTriggers`: is the row to go?
    pub(super) fn before_delete(&mut self, db: &mut Database, old: &[Value]) -> Outcome<bool> {
        for trigger in self.wanted(Op::Delete, true, true) {
            if self.call(db, &trigger, Op::Delete, (Some(old), None), (None, None))?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `GetTupleForTrigger`: the row is locked before they see it. Is it there?
    pub(super) fn lock_for_trigger(&mut self, db: &mut Database, tid: ItemPointer, op: Op) -> Outcome<bool> {
        let is_key = |column: &u16| self.relation.indexed.iter().any(|it| it.key && it.attnum == *column);
        let mode = match op {
            Op::Update if !self.set.iter().any(is_key) => LockTupleMode::NoKeyExclusive,
            _ => LockTupleMode::Exclusive,
        };
        let relation = self.relation.clone();
        db.cluster.pg.trace.tell(Some(Buffer::main(relation.file, tid.block)), || {
            format!("row {tid} is locked next: a BEFORE {} trigger is given its newest version", op.name())
        });
        match heap_lock_tuple(&mut db.cluster.pg, &relation, tid, self.cid, mode, FollowUpdates::No)? {
            TmResult::Ok => {}
            TmResult::SelfModified { .. } => {
                let what = if op == Op::Update { "updated" } else { "deleted" };
                let message =
                    format!("tuple to be {what} was already modified by an operation triggered by the current command");
                return Err(SqlError::new("27000", message).into());
            }
            _ => {
                check_serializable(db, "update")?;
                let message = "a trigger of a row that another transaction has changed is not supported";
                return Err(SqlError::new(NOT_SIMULATED, message).into());
            }
        }
        self.of_triggers.store(&mut db.cluster.pg, Buffer::main(self.relation.file, tid.block));
        self.triggers.is_short = !self.is_whole(db, tid);
        Ok(true)
    }

    /// One call. Gives the row that comes back.
    fn call(
        &mut self,
        db: &mut Database,
        trigger: &Trigger,
        op: Op,
        (old, new): (Option<&[Value]>, Option<&[Value]>),
        places: Places,
    ) -> Outcome<Option<Vec<Value>>> {
        let relation = self.relation.clone();
        let (old_read, new_read) = (readable(db, &relation, old)?, readable(db, &relation, new)?);
        let unchanged = || new.or(old).map(<[Value]>::to_vec);
        if !is_when(db, &relation, trigger, (old_read.as_deref(), new_read.as_deref()))? {
            return Ok(unchanged());
        }
        tell_call(db, &relation, trigger, op);
        if trigger.function == SUPPRESSES {
            return self.suppressed(trigger, op, old, new);
        }
        let tables = self.tables_of(db, trigger, op)?;
        let returned =
            call_function(db, &relation, trigger, op, (old_read.as_deref(), new_read.as_deref()), (places, tables))?;
        let Some(returned) = returned else { return Ok(None) };
        // what was not assigned stays as it is stored
        let given = if op == Op::Delete { (old, &old_read) } else { (new, &new_read) };
        let (Some(stored), Some(read)) = (given.0, given.1) else { return Ok(Some(returned)) };
        let mut values = stored.to_vec();
        for (at, value) in returned.into_iter().enumerate() {
            if read.get(at) != Some(&value)
                && let Some(place) = values.get_mut(at)
            {
                *place = value;
            }
        }
        Ok(Some(values))
    }

    /// The transition tables that a trigger names.
    fn tables_of(&self, db: &mut Database, trigger: &Trigger, op: Op) -> Outcome<Vec<TransitionTable>> {
        let named = [
            (&trigger.old_table, &self.triggers.transitions.old),
            (&trigger.new_table, &self.triggers.transitions.new),
        ];
        let mut tables = Vec::new();
        let is_there: Vec<bool> = self.relation.desc.attributes().iter().map(|it| !it.dropped).collect();
        for (name, rows) in named {
            let Some(name) = name else { continue };
            let mut all = Vec::new();
            for (_, row) in rows.iter().filter(|(of, _)| *of == op) {
                let row = readable(db, &self.relation, Some(row))?.unwrap_or_default();
                all.push(row.into_iter().zip(&is_there).filter(|(_, there)| **there).map(|(value, _)| value).collect());
            }
            let columns = columns_of(&self.relation).into_iter().filter(|(name, _)| !name.is_empty()).collect();
            tables.push(TransitionTable { name: name.clone(), columns, rows: Arc::new(all) });
        }
        Ok(tables)
    }

    /// `suppress_redundant_updates_trigger`
    fn suppressed(
        &self,
        trigger: &Trigger,
        op: Op,
        old: Option<&[Value]>,
        new: Option<&[Value]>,
    ) -> Outcome<Option<Vec<Value>>> {
        let (Some(old), Some(new)) = (old, new) else {
            let what = if trigger.before && trigger.row { "for update" } else { "before update" };
            let message = format!("{SUPPRESSES}: must be called {what}");
            return Err(SqlError::new("39P01", message).into());
        };
        if op != Op::Update || !trigger.before {
            return Err(SqlError::new("39P01", format!("{SUPPRESSES}: must be called before update")).into());
        }
        let natts = self.relation.desc.attributes().len();
        let is_same = !self.triggers.is_short && old.iter().take(natts).eq(new.iter().take(natts));
        Ok((!is_same).then(|| new.to_vec()))
    }

    /// Is the version at the place as long as rows of the table are now?
    fn is_whole(&self, db: &Database, tid: ItemPointer) -> bool {
        let tuple = heap_tuple(&db.cluster.pg, Buffer::main(self.relation.file, tid.block), tid.offset);
        tuple.is_some_and(|tuple| usize::from(tuple.natts()) == self.relation.desc.attributes().len())
    }

    /// Only plain statements call triggers here.
    pub(super) fn check_triggers(&self) -> Outcome<()> {
        let is_routed = self.routing.as_ref().is_some_and(|routing| !routing.is_of_children());
        let is_plain = !matches!(self.source, Source::Merge(_)) && !is_routed;
        let is_seen = self.triggers.all.iter().any(|it| it.enabled != Firing::Disabled || it.before && it.row);
        let is_among = self.has_triggers || self.triggers.has_constraint();
        if !is_seen || is_plain && !(is_among && self.triggers.has_apart()) {
            return Ok(());
        }
        let message = "triggers beside MERGE or foreign keys are not supported";
        Err(SqlError::new(NOT_SIMULATED, message).into())
    }
}

fn tell_call(db: &mut Database, relation: &RelationData, trigger: &Trigger, op: Op) {
    db.cluster.pg.trace.tell(None, || {
        let when = if trigger.before { "BEFORE" } else { "AFTER" };
        let each = if trigger.row { "ROW" } else { "STATEMENT" };
        let (op, name, function) = (op.name(), &trigger.name, &trigger.function);
        format!("trigger {name} of {}, {when} {op} FOR EACH {each}: {function}() is called", relation.name)
    });
}

/// Calls the function of a trigger. Gives the row that comes back.
fn call_function(
    db: &mut Database,
    relation: &RelationData,
    trigger: &Trigger,
    op: Op,
    (old, new): (Option<&[Value]>, Option<&[Value]>),
    (places, tables): (Places, Vec<TransitionTable>),
) -> Outcome<Option<Vec<Value>>> {
    let number = db.cluster.catalog.function(&trigger.function);
    let missing = || SqlError::new("42883", format!("function {}() does not exist", trigger.function));
    let function = number.and_then(|number| db.functions.get(number as usize)).cloned().ok_or_else(missing)?;
    let Some(variables) = function.body.routine().trigger else { return Ok(None) };
    let columns = columns_of(relation);
    let told = told(db, relation, trigger, op);
    let caller = db.cluster.pg.trace.enter_behind(|| name_of_trigger(&trigger.name, &relation.name));
    db.session().trigger_depth += 1;
    let ran = run_function(db, &function, relation.oid, Returns::Trigger, |interpreter| {
        if trigger.row {
            interpreter.set_row(variables.new, columns.clone(), new.map(<[Value]>::to_vec));
            interpreter.set_row(variables.old, columns.clone(), old.map(<[Value]>::to_vec));
            interpreter.set_place(variables.new, relation.oid, places.1);
            interpreter.set_place(variables.old, relation.oid, places.0);
        }
        interpreter.tables = tables;
        told.into_iter().enumerate().for_each(|(n, value)| interpreter.set(variables.first + n, value));
    });
    db.session().trigger_depth -= 1;
    db.cluster.pg.trace.enter(caller);
    Ok(ran?.returned_row)
}

/// `ExecBSTruncateTriggers`, `ExecASTruncateTriggers`
///
/// # Errors
/// What the functions raise.
pub(in crate::sql) fn truncate_triggers(db: &mut Database, table: Oid, before: bool) -> Result<(), SqlError> {
    let class = db.cluster.catalog.class(table);
    let replica = db.cluster.pg.backend().settings.replica;
    let is_wanted = |it: &&Trigger| it.enabled.fires(replica) && it.truncate && it.before == before;
    let triggers: Vec<Trigger> =
        class.iter().flat_map(|class| class.triggers.iter().filter(is_wanted)).cloned().collect();
    let relation = db.cluster.pg.relation(table)?;
    for trigger in triggers {
        if trigger.function == SUPPRESSES {
            return Err(SqlError::new("39P01", format!("{SUPPRESSES}: must be called for each row")));
        }
        if trigger.when.is_some() {
            return Err(SqlError::new(NOT_SIMULATED, "WHEN of a trigger of TRUNCATE is not supported"));
        }
        call_function(db, &relation, &trigger, Op::Truncate, (None, None), ((None, None), Vec::new()))
            .map_err(no_wait)?;
    }
    Ok(())
}

fn columns_of(relation: &RelationData) -> Vec<(String, SqlType)> {
    let column = |it: &ffviz_format::datum::Attribute| {
        let name = if it.dropped { String::new() } else { it.name.clone() };
        (name, it.ty())
    };
    relation.desc.attributes().iter().map(column).collect()
}

/// A row with its values fetched.
fn readable(db: &mut Database, relation: &RelationData, row: Option<&[Value]>) -> Outcome<Option<Vec<Value>>> {
    let Some(row) = row else { return Ok(None) };
    let mut values: Vec<Value> = row.iter().take(relation.desc.attributes().len()).cloned().collect();
    for ((_, ty), value) in columns_of(relation).iter().zip(&mut values) {
        fetch_value(db, ty.kind(), value)?;
    }
    Ok(Some(values))
}

/// WHEN
fn is_when(
    db: &mut Database,
    relation: &RelationData,
    trigger: &Trigger,
    (old, new): (Option<&[Value]>, Option<&[Value]>),
) -> Outcome<bool> {
    let Some(when) = trigger.when.and_then(|id| db.expressions.get(id)).cloned() else { return Ok(true) };
    let (mut names, mut types, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (row, word) in [(old, "old"), (new, "new")] {
        for ((name, ty), value) in columns_of(relation).into_iter().zip(row.into_iter().flatten()) {
            names.push(format!("{word}.{name}"));
            types.push(ty.oid);
            values.push(value.clone());
        }
    }
    let range = RangeTable::default();
    let mut analyzer = Analyzer::new(&range, Context::input(db), "WHEN");
    (analyzer.params, analyzer.variables) = (types, &names);
    (analyzer.functions, analyzer.enums, analyzer.extensions) = (db.sql_functions(), db.enums(), db.extensions());
    analyzer.row_types = db.row_types();
    let typed = analyzer.condition(&when.expr).map_err(crate::sql::StatementError::error_with_place)?;
    let outside = core::mem::replace(&mut db.params, values);
    let holds = eval(db, &typed, &[], &[]);
    db.params = outside;
    Ok(holds? == Value::Bool(true))
}

/// The variables that begin with `tg_`, in the order of [`TG`].
fn told(db: &Database, relation: &RelationData, trigger: &Trigger, op: Op) -> Vec<Value> {
    let schema = db.cluster.catalog.class(relation.oid).map_or("", |class| &class.schema);
    let arguments = i32::try_from(trigger.arguments.len()).unwrap_or(0);
    let value = |(name, _): (&str, SqlType)| match name {
        "tg_name" => Value::text(&trigger.name),
        "tg_when" => Value::text(if trigger.before { "BEFORE" } else { "AFTER" }),
        "tg_level" => Value::text(if trigger.row { "ROW" } else { "STATEMENT" }),
        "tg_op" => Value::text(op.name()),
        "tg_relid" => Value::Oid(relation.oid),
        "tg_table_schema" => Value::text(schema),
        "tg_nargs" => Value::Int4(arguments),
        "tg_argv" if trigger.arguments.is_empty() => Value::Null,
        "tg_argv" => {
            let texts: Vec<Value> = trigger.arguments.iter().map(|text| Value::text(text)).collect();
            make_array_from(SqlType::TEXT.oid, 0, &texts)
        }
        _ => Value::text(&relation.name),
    };
    TG.into_iter().map(value).collect()
}
