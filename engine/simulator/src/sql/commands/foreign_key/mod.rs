//! Foreign keys: the checks that are made when all rows of a statement are done (`RI_FKey_check`,
//! `RI_FKey_noaction_del`, src/backend/utils/adt/ri_triggers.c). As there, each is made of queries, planned like any
//! other.
//!
//! ```text
//!  a row that refers  SELECT 1 FROM ONLY the referred-to table WHERE its key = … FOR KEY SHARE    gives a row
//!  a key that goes    the same of that key: where another row has it now, all is well (`ri_Check_Pk_Match`)
//!                     SELECT 1 FROM ONLY the referring table WHERE its columns = … FOR KEY SHARE  gives none
//! ```
//!
//! Other actions than these change the rows that refer (`action`), after which come the checks that this asks for,
//! behind those that there are.
//!
//! The other table is opened, and locked, when the check begins: a statement that fails before has not met it. Rows
//! that are inserted open it though their key is NULL; of those that are updated no check is noted then
//! (`RI_FKey_fk_upd_check_required`).

mod action;
mod initial;

pub(super) use initial::initial_check;

use super::deferred::{self, Recheck, unique_key_recheck};
use crate::access::heap::scan::heap_fetch;
use crate::access::heap::visibility::Snapshot;
use crate::cluster::deferred::ConstraintId;
use crate::cluster::pg_class::{Constraint, ForeignAction};
use crate::sql::StatementError;
use crate::sql::executor::plan_source::PlanSource;
use crate::sql::executor::select::Query;
use crate::sql::executor::trigger::RowEvent;
use crate::sql::parse::parse;
use crate::sql::plan::{Plan, SelectPlan};
use crate::sql::tcop::Database;
use crate::storage::{Deferrable, LockMode, Outcome, RelationData, RelationLock, Stop, WaitFor};
use crate::version::Behaviour;
use action::Action;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::{ItemPointer, Oid};
use ffviz_story::timeline::foreign_key;

/// What is to be done at the end of the statement (`AfterTriggerEvent`).
#[derive(Debug)]
pub(in crate::sql) enum Event {
    /// a check is to be made
    Check(Box<Check>),
    /// an entry of a unique index may be a duplicate
    Recheck(Recheck),
    /// rows that refer to a key that went are to be changed
    Action(Box<Action>),
    /// a trigger of the script's own is to be called
    Row(Box<RowEvent>),
}

impl Event {
    /// Where the new version is that a check is of: until it is made, another may have taken its place.
    pub fn is_of(&mut self, tid: ItemPointer) {
        if let Self::Check(check) = self
            && check.is_new
        {
            check.row.1 = Some(tid);
        }
    }

    /// Does it; what this asks for comes behind what else there is to do. Where it has to wait, it goes on where it
    /// stopped.
    fn go_on(&mut self, db: &mut Database, events: &mut VecDeque<Self>) -> Outcome<()> {
        match self {
            Self::Check(check) => check.go_on(db),
            Self::Recheck(recheck) => unique_key_recheck(db, recheck),
            Self::Action(action) => action.go_on(db, events),
            Self::Row(event) => event.fire(db),
        }
    }
}

/// `AfterTriggerEndQuery`: all of them, one after the other, but those that are put off to the transaction's end.
pub(in crate::sql) fn fire(db: &mut Database, events: &mut VecDeque<Event>) -> Outcome<()> {
    while let Some(event) = events.pop_front() {
        let Some(mut event) = deferred::put_off(db, event) else { continue };
        if let Err(stop) = event.go_on(db, events) {
            events.push_front(event);
            return Err(stop);
        }
    }
    Ok(())
}

/// What is wrong with a row of MATCH FULL.
const MIXED: &str = "MATCH FULL does not allow mixing of null and nonnull key values.";

/// A check.
#[derive(Debug, Clone)]
pub(in crate::sql) struct Check {
    /// the constraint, and when it is checked
    pub of: (ConstraintId, Deferrable),
    /// the table and the place of a new row: where that is gone by then, nothing is asked
    pub row: (Oid, Option<ItemPointer>),
    /// is it asked of a new version? Else of one that went
    is_new: bool,
    /// is it wrong whatever the other table has?
    is_wrong: bool,
    /// the table that the key leads to, or from
    other: Oid,
    /// what is still to be asked, the next question last
    questions: Vec<Question>,
    values: Vec<Value>,
    types: Vec<Oid>,
    /// what is wrong where it fails
    error: SqlError,
}

/// A query of a check.
#[derive(Debug, Clone)]
struct Question {
    table: Oid,
    key: CheckKey,
    query: Option<Query>,
}

/// Which query it is (`RI_QueryKey`): a session keeps the plans of each.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sql) struct CheckKey {
    /// the table that refers, and the constraint's name
    constraint: (Oid, String),
    wants: Wants,
    sql: String,
}

/// What a query of a check has to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wants {
    Row,
    NoRow,
    /// a row ends the check, without one it goes on
    RowOrMore,
    /// nothing: it changes rows
    Change,
}

impl Check {
    fn go_on(&mut self, db: &mut Database) -> Outcome<()> {
        if !self.is_row_alive(db)? {
            return Ok(());
        }
        lock(db, self.other)?;
        if self.is_wrong {
            return Err(self.error.clone().into());
        }
        let caller = db.cluster.pg.trace.enter_behind(|| foreign_key("check", &self.of.0.1));
        let kept = core::mem::replace(&mut db.params, self.values.clone());
        let is_right = self.ask(db);
        db.params = kept;
        db.cluster.pg.trace.enter(caller);
        match is_right? {
            true => Ok(()),
            false => Err(self.error.clone().into()),
        }
    }

    /// `RI_FKey_check`: a row that is gone, or another by now, is none that refers.
    fn is_row_alive(&self, db: &mut Database) -> Outcome<bool> {
        let (table, Some(tid)) = self.row else { return Ok(true) };
        let relation = db.cluster.pg.relation(table)?;
        Ok(heap_fetch(&mut db.cluster.pg, &relation, tid, Snapshot::Own)?.is_some())
    }

    fn ask(&mut self, db: &mut Database) -> Outcome<bool> {
        while let Some(question) = self.questions.last_mut() {
            let found = question.find(db, &self.types)?;
            match question.key.wants {
                Wants::Row => return Ok(found),
                Wants::NoRow => return Ok(!found),
                Wants::RowOrMore if found => return Ok(true),
                Wants::RowOrMore | Wants::Change => self.questions.pop(),
            };
        }
        Ok(true)
    }
}

impl Question {
    fn new(db: &Database, constraint: &(Oid, String), table: &RelationData, columns: &[u16], wants: Wants) -> Self {
        let name = |attnum: &u16| quoted(&table.desc.attributes()[usize::from(attnum - 1)].name);
        let conditions = (1..).zip(columns).map(|(n, column): (usize, &u16)| format!("{} = ${n}", name(column)));
        let conditions: Vec<String> = conditions.collect();
        let sql = format!("SELECT 1 FROM {} x WHERE {} FOR KEY SHARE", qualified(db, table), conditions.join(" AND "));
        Self { table: table.oid, key: CheckKey { constraint: constraint.clone(), wants, sql }, query: None }
    }

    fn find(&mut self, db: &mut Database, types: &[Oid]) -> Outcome<bool> {
        if self.query.is_none() {
            lock(db, self.table)?;
            let indexes = db.cluster.pg.relation(self.table)?.indexes.clone();
            indexes.into_iter().try_for_each(|index| lock(db, index))?;
            let planned = self.plan(db, types)?;
            if let Some(xact) = &mut db.cluster.pg.backend_mut().xact {
                xact.next_command();
            }
            // `ri_PerformCheck`: what refers to a key that goes is looked for as of now (`detectNewRows`)
            let snapshot = match self.key.wants {
                Wants::Row => db.cluster.take_snapshot(),
                Wants::NoRow | Wants::RowOrMore | Wants::Change => db.cluster.latest_snapshot(),
            };
            self.query = Some(Query::start(planned, &snapshot));
        }
        let Some(query) = &mut self.query else { return Ok(false) };
        let found = query.next(db)?.is_some();
        query.end(db);
        Ok(found)
    }

    fn plan(&self, db: &mut Database, types: &[Oid]) -> Outcome<Arc<SelectPlan>> {
        match plan(db, &self.key, types)? {
            Plan::Select(plan) => Ok(plan),
            _ => Err(SqlError::new("XX000", format!("no query: {}", self.key.sql)).into()),
        }
    }
}

/// `ri_FetchPreparedPlan`: where its tables have changed since, the query is prepared anew, as if it had never run.
fn plan(db: &mut Database, key: &CheckKey, types: &[Oid]) -> Outcome<Plan> {
    let known = db.session().checks.remove(key).filter(|known| known.is_valid(db));
    let prepared = known.map_or_else(|| Ok(PlanSource::new(parse(&key.sql)?, types.to_vec(), Vec::new())), Ok);
    let mut source = prepared.map_err(StatementError::error_with_place)?;
    let values = db.params.clone();
    let planned = source.plan(db, &values).map_err(StatementError::error_with_place)?;
    db.session().checks.insert(key.clone(), source);
    planned.ok_or_else(|| SqlError::new("XX000", format!("the check cannot be planned: {}", key.sql)).into())
}

/// Rows of the relation are going to be locked.
fn lock(db: &mut Database, relation: Oid) -> Outcome<()> {
    open(db, relation, LockMode::RowShare)
}

fn open(db: &mut Database, relation: Oid, mode: LockMode) -> Outcome<()> {
    let lock = RelationLock { relation, mode };
    if db.cluster.lock_relation(lock) { Ok(()) } else { Err(Stop::Wait(WaitFor::Lock(lock))) }
}

/// `quoteRelationName`: with the schema, as `search_path` is another one later.
fn qualified(db: &Database, relation: &RelationData) -> String {
    format!("{}.{}", quoted(db.cluster.schema_of(relation.oid)), quoted(&relation.name))
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// `TriggerEnabled`, of the triggers of keys.
pub(in crate::sql) fn are_called(db: &Database, table: Oid) -> bool {
    let firing = db.cluster.catalog.class(table).map(|class| class.internal_triggers);
    firing.unwrap_or_default().fires(db.cluster.pg.backend().settings.replica)
}

/// What a new version of a row comes after.
#[derive(Debug, Clone, Copy)]
pub(in crate::sql) enum Before<'a> {
    /// it is inserted
    Nothing,
    /// a version that the transaction has made itself: nothing is known yet of its keys
    Own,
    /// another version
    Row(&'a [Value]),
}

/// What a new version of a row asks for.
pub(in crate::sql) fn of_new_row(
    db: &Database,
    table: &RelationData,
    new: &[Value],
    before: Before<'_>,
) -> Outcome<Vec<Event>> {
    let Some(class) = db.cluster.catalog.class(table.oid) else { return Ok(Vec::new()) };
    if !are_called(db, table.oid) {
        return Ok(Vec::new());
    }
    let mut checks = Vec::new();
    for constraint in &class.constraints {
        let Constraint::Foreign {
            name, columns, table: referred, columns_to, actions, deferrable, enforced: true, ..
        } = constraint
        else {
            continue;
        };
        let key = |row: &[Value]| values_of(table, row, columns);
        let nulls = key(new).iter().filter(|value| value.is_null()).count();
        let has_null = nulls > 0;
        let is_mixed = actions.full && has_null && nulls < columns.len();
        let is_needless = match before {
            Before::Nothing => false,
            _ if is_mixed => false,
            Before::Own => has_null,
            Before::Row(old) => has_null || key(old) == key(new),
        };
        if is_needless {
            continue;
        }
        let referred = db.cluster.pg.relation(*referred)?;
        let message =
            format!("insert or update on table \"{}\" violates foreign key constraint \"{name}\"", table.name);
        let detail = match is_mixed {
            true => MIXED.into(),
            false => {
                let key = key_description(table, columns, new);
                format!("Key {key} is not present in table \"{}\".", referred.name)
            }
        };
        let (values, types) = (key(new), types_of(table, columns));
        let constraint = (table.oid, name.clone());
        let question = (!has_null).then(|| Question::new(db, &constraint, &referred, columns_to, Wants::Row));
        let error = SqlError::new("23503", message).with_detail(detail);
        let questions = question.into_iter().collect();
        let (of, row) = ((constraint, *deferrable), (table.oid, None));
        checks.push(Event::Check(Box::new(Check {
            of,
            row,
            is_new: true,
            is_wrong: is_mixed,
            other: referred.oid,
            questions,
            values,
            types,
            error,
        })));
    }
    Ok(checks)
}

/// What a version that goes asks for: `new` is the version after, of an UPDATE.
pub(in crate::sql) fn of_old_row(
    db: &Database,
    table: &RelationData,
    old: &[Value],
    new: Option<&[Value]>,
) -> Outcome<Vec<Event>> {
    let mut events = Vec::new();
    if !are_called(db, table.oid) {
        return Ok(events);
    }
    for class in db.cluster.catalog.classes() {
        for constraint in &class.constraints {
            let Constraint::Foreign { name, columns, table: referred, columns_to, actions, .. } = constraint else {
                continue;
            };
            let Constraint::Foreign { deleted, deferrable, enforced, .. } = constraint else {
                continue;
            };
            if *referred != table.oid || !enforced {
                continue;
            }
            let key = values_of(table, old, columns_to);
            if key.iter().any(Value::is_null) || new.is_some_and(|new| values_of(table, new, columns_to) == key) {
                continue;
            }
            let gone = GoneKey {
                constraint: (class.oid, name.clone()),
                deferrable: *deferrable,
                table,
                referring: &*db.cluster.pg.relation(class.oid)?,
                columns,
                keys: columns_to,
                set: if new.is_some() || deleted.is_empty() { columns } else { deleted },
                told: key_description(table, columns_to, old),
                values: key,
                new: new.map(|new| values_of(table, new, columns_to)),
            };
            let action = if new.is_some() { actions.update } else { actions.delete };
            events.push(match action {
                ForeignAction::NoAction => Event::Check(Box::new(gone.check(db, true, gone.error("23503", "")))),
                ForeignAction::Restrict => Event::Check(Box::new(gone.check(db, false, gone.restricted(db)))),
                _ => Event::Action(Box::new(Action::new(db, &gone, action))),
            });
        }
    }
    Ok(events)
}

/// A key that went, and a foreign key that leads to it.
struct GoneKey<'a> {
    /// the table that refers, and the constraint's name
    constraint: ConstraintId,
    deferrable: Deferrable,
    /// the table of the key
    table: &'a RelationData,
    referring: &'a RelationData,
    /// of the table that refers
    columns: &'a [u16],
    /// those that they refer to
    keys: &'a [u16],
    /// columns of the table that refers which SET NULL and SET DEFAULT set
    set: &'a [u16],
    values: Vec<Value>,
    /// `(a)=(1)`
    told: String,
    /// the key after, of an UPDATE
    new: Option<Vec<Value>>,
}

impl GoneKey<'_> {
    /// `RI_FKey_noaction_del`, `RI_FKey_restrict_del`; `again`: may another row have the key by now?
    fn check(&self, db: &Database, again: bool, error: SqlError) -> Check {
        let mut questions = vec![Question::new(db, &self.constraint, self.referring, self.columns, Wants::NoRow)];
        if again {
            questions.push(Question::new(db, &self.constraint, self.table, self.keys, Wants::RowOrMore));
        }
        let types = types_of(self.table, self.keys);
        // RESTRICT and the check that comes after SET DEFAULT are not put off
        let deferrable = if again { self.deferrable } else { Deferrable::No };
        let (of, row) = ((self.constraint.clone(), deferrable), (self.table.oid, None));
        Check {
            of,
            row,
            is_new: false,
            is_wrong: false,
            other: self.referring.oid,
            questions,
            values: self.values.clone(),
            types,
            error,
        }
    }

    fn error(&self, code: &'static str, setting: &str) -> SqlError {
        let (table, referring, name) = (&self.table.name, &self.referring.name, &self.constraint.1);
        let what = format!("{setting}foreign key constraint \"{name}\" on table \"{referring}\"");
        let message = format!("update or delete on table \"{table}\" violates {what}");
        let detail = format!("Key {} is still referenced from table \"{referring}\".", self.told);
        SqlError::new(code, message).with_detail(detail)
    }

    /// From 18 on RESTRICT has an error of its own.
    fn restricted(&self, db: &Database) -> SqlError {
        if !db.cluster.version().tells_of_restrict() {
            return self.error("23503", "");
        }
        let error = self.error("23001", "RESTRICT setting of ");
        error.with_detail(format!("Key {} is referenced from table \"{}\".", self.told, self.referring.name))
    }
}

/// The columns of a row that make a key, whatever headers they are stored with.
fn values_of(table: &RelationData, row: &[Value], columns: &[u16]) -> Vec<Value> {
    let value = |column: usize| row[column].detoasted(table.desc.kind(column)).unwrap_or_else(|| row[column].clone());
    columns.iter().map(|attnum| value(usize::from(attnum - 1))).collect()
}

/// `ri_ReportViolation`: `(a, b)=(1, x)`, names as they are.
fn key_description(table: &RelationData, columns: &[u16], row: &[Value]) -> String {
    let named = |attnum: &u16| table.desc.attributes().get(usize::from(attnum - 1));
    let names: Vec<&str> = columns.iter().filter_map(|attnum| Some(named(attnum)?.name.as_str())).collect();
    let values = values_of(table, row, columns).into_iter().zip(types_of(table, columns));
    let values: Vec<String> = values.map(|(value, typid)| value.described(typid)).collect();
    format!("({})=({})", names.join(", "), values.join(", "))
}

fn types_of(table: &RelationData, columns: &[u16]) -> Vec<Oid> {
    columns.iter().map(|attnum| table.desc.attributes()[usize::from(attnum - 1)].typid).collect()
}
