//! Constraints that are checked later: keys at the end of the statement (`unique_key_recheck`,
//! src/backend/commands/constraint.c), all that are put off at the end of the transaction (`AfterTriggerFireDeferred`,
//! src/backend/commands/trigger.c), or when SET CONSTRAINTS says so (`AfterTriggerSetState`).
//!
//! ```text
//!  a row ─▶ Event ─the statement ends─▶ put off? ─┬─ no ─▶ checked
//!                                                 └─ yes ▶ kept ─COMMIT, SET CONSTRAINTS─▶ checked
//! ```

use super::foreign_key::{Check, Event, fire};
use crate::access::heap::scan::heap_index_fetch_check;
use crate::access::heap::visibility::Snapshot;
use crate::cluster::deferred::ConstraintId;
use crate::cluster::pg_class::Constraint;
use crate::sql::ast::{DropKind, RangeVar, SetConstraints, Statement};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::index::recheck_entry;
use crate::sql::executor::row::read_row;
use crate::sql::executor::slot::Slot;
use crate::sql::executor::trigger::RowEvent;
use crate::sql::tcop::Database;
use crate::storage::{Buffer, Deferrable, LockMode, Outcome, RelationData, RelationLock, Stop, WaitFor};
use alloc::collections::{BTreeSet, VecDeque};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::{ItemPointer, Oid};

/// An entry of a unique index that may be a duplicate.
#[derive(Debug, Clone)]
pub(in crate::sql) struct Recheck {
    of: (ConstraintId, Deferrable),
    table: Oid,
    index: Oid,
    tid: ItemPointer,
    /// the version that it replaced
    old: Option<ItemPointer>,
}

impl Recheck {
    pub fn new(db: &Database, table: Oid, index: Oid, tid: ItemPointer, old: Option<ItemPointer>) -> Self {
        let name = db.cluster.catalog.class(index).map_or_else(String::new, |class| class.name.clone());
        let form = db.cluster.pg.relations.get(&index).and_then(|index| index.index.as_ref());
        let deferrable = form.map_or(Deferrable::No, |form| form.deferrable);
        Self { of: ((table, name), deferrable), table, index, tid, old }
    }
}

/// What can be put off.
#[derive(Debug, Clone)]
pub(in crate::sql) enum Later {
    /// of a foreign key
    Check(Check),
    /// of a key
    Recheck(Recheck),
    /// of a constraint trigger
    Row(RowEvent),
}

impl Later {
    fn table(&self) -> Oid {
        match self {
            Self::Check(check) => check.row.0,
            Self::Recheck(recheck) => recheck.table,
            Self::Row(event) => event.table,
        }
    }

    fn of(&self) -> &(ConstraintId, Deferrable) {
        match self {
            Self::Check(check) => &check.of,
            Self::Recheck(recheck) => &recheck.of,
            Self::Row(event) => &event.of,
        }
    }

    fn event(self) -> Event {
        match self {
            Self::Check(check) => Event::Check(check.into()),
            Self::Recheck(recheck) => Event::Recheck(recheck),
            Self::Row(event) => Event::Row(event.into()),
        }
    }
}

/// Events that are being fired, and wait. A copy of the server is made between statements, when there are none.
#[derive(Debug, Default)]
pub(in crate::sql) struct Due(VecDeque<Event>);

impl Clone for Due {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// `unique_key_recheck`: is the key of a row that is still there the only one by now?
pub(super) fn unique_key_recheck(db: &mut Database, recheck: &Recheck) -> Outcome<()> {
    let lock = RelationLock { relation: recheck.index, mode: LockMode::RowExclusive };
    if !db.cluster.lock_relation(lock) {
        return Err(Stop::Wait(WaitFor::Lock(lock)));
    }
    let table = db.cluster.pg.relation(recheck.table)?;
    // the slots that the trigger is given both versions in have their pages pinned, which are so not pruned
    let mut slots = [Some(recheck.tid), recheck.old].map(|tid| {
        let mut slot = Slot::default();
        if let Some(tid) = tid {
            slot.store(&mut db.cluster.pg, Buffer::main(table.file, tid.block));
        }
        slot
    });
    let done = recheck_row(db, &table, recheck);
    slots.iter_mut().for_each(|slot| slot.clear(&mut db.cluster.pg));
    done
}

fn recheck_row(db: &mut Database, table: &RelationData, recheck: &Recheck) -> Outcome<()> {
    let found = heap_index_fetch_check(&mut db.cluster.pg, table, recheck.tid, Snapshot::Own)?.found;
    let Some(row) = found.and_then(|tid| read_row(db, table, tid)) else { return Ok(()) };
    recheck_entry(db, table, recheck.index, &row.values, recheck.tid)
}

/// `afterTriggerMarkEvents`: an event that is put off is kept, any other is given back.
pub(super) fn put_off(db: &mut Database, event: Event) -> Option<Event> {
    let later = match event {
        Event::Check(check) => Later::Check(*check),
        Event::Recheck(recheck) => Later::Recheck(recheck),
        Event::Row(event) => Later::Row(*event),
        Event::Action(_) => return Some(event),
    };
    let (constraint, deferrable) = later.of();
    if !db.cluster.is_put_off(constraint, *deferrable) || db.session().fires_all {
        return Some(later.event());
    }
    let number = db.cluster.put_off();
    db.session().deferred.insert(number, later);
    None
}

/// A statement is at its end: where that ends the transaction, all that was put off is checked, and what comes of it
/// (`AfterTriggerFireDeferred`).
pub(in crate::sql) fn fire_deferred(db: &mut Database) -> Outcome<()> {
    let is_in_block = db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block);
    if is_in_block || !db.cluster.has_deferred() && !db.session().fires_all {
        return Ok(());
    }
    db.session().fires_all = true;
    db.cluster.take_snapshot();
    let fired = fire_due(db, |_, _| true);
    if !matches!(fired, Err(Stop::Wait(_))) {
        db.session().fires_all = false;
    }
    fired
}

/// The transaction is over: nothing is being checked any more.
pub(in crate::sql) fn forget_due(db: &mut Database) {
    let session = db.session();
    session.due.0.clear();
    session.fires_all = false;
}

/// Those events that are wanted, in their order; what a wait leaves of them is done first when it is called again.
fn fire_due(db: &mut Database, is_wanted: impl Fn(&Database, &Later) -> bool) -> Outcome<()> {
    loop {
        let mut due = core::mem::take(&mut db.session().due.0);
        if due.is_empty() {
            due = take_deferred(db, &is_wanted);
        }
        if due.is_empty() {
            return Ok(());
        }
        let fired = fire(db, &mut due);
        if let Err(stop) = fired {
            if let Stop::Wait(_) = stop {
                db.session().due.0 = due;
            }
            return Err(stop);
        }
    }
}

fn take_deferred(db: &mut Database, is_wanted: &impl Fn(&Database, &Later) -> bool) -> VecDeque<Event> {
    let waiting = db.cluster.deferred();
    let mut kept = core::mem::take(&mut db.session().deferred);
    let wanted: BTreeSet<u64> =
        waiting.into_iter().filter(|number| kept.get(number).is_some_and(|later| is_wanted(db, later))).collect();
    let taken = wanted.iter().filter_map(|number| kept.get(number).cloned()).map(Later::event).collect();
    db.cluster.make_deferred(&wanted);
    // without those of subtransactions that were undone
    let known = db.cluster.known_deferred();
    kept.retain(|number, _| known.contains(number));
    db.session().deferred = kept;
    taken
}

/// SET CONSTRAINTS. Outside of a block it only warns.
pub(in crate::sql) fn set_constraints(db: &mut Database, set: &SetConstraints) -> Outcome<()> {
    let mut named = Vec::new();
    for name in &set.names {
        named.extend(find(db, name, set.deferred)?);
    }
    let is_in_block = db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block);
    // names of constraints that cannot be deferred say nothing
    if is_in_block && (set.names.is_empty() || !named.is_empty()) {
        db.cluster.set_constraints(named, set.deferred);
    }
    Ok(())
}

/// What SET CONSTRAINTS IMMEDIATE has made due.
pub(in crate::sql) fn fire_immediate(db: &mut Database) -> Outcome<()> {
    fire_due(db, |db, later| {
        let (constraint, deferrable) = later.of();
        !db.cluster.is_put_off(constraint, *deferrable)
    })
}

/// All constraints of that name in the first schema that has one, those that can be deferred.
fn find(db: &Database, name: &RangeVar, deferred: bool) -> Result<Vec<ConstraintId>, SqlError> {
    let catalog = &db.cluster.catalog;
    let schemas = match &name.schema {
        Some(schema) if catalog.schemas().all(|(known, _)| known != schema) => {
            return Err(SqlError::new("3F000", format!("schema \"{schema}\" does not exist")));
        }
        Some(schema) => Vec::from([schema.as_str()]),
        None => db.cluster.search_path(),
    };
    for schema in schemas {
        let mut is_found = false;
        let mut found = Vec::new();
        for class in catalog.classes().filter(|class| class.schema == schema) {
            for constraint in class.constraints.iter().filter(|it| catalog.constraint_name(it) == name.name) {
                is_found = true;
                if deferrable_of(db, constraint) != Deferrable::No {
                    found.push((class.oid, name.name.clone()));
                } else if deferred {
                    return Err(not_deferrable(name));
                }
            }
            for trigger in class.triggers.iter().filter(|it| it.name == name.name) {
                let Some(deferrable) = trigger.constraint else { continue };
                is_found = true;
                if deferrable != Deferrable::No {
                    found.push((class.oid, name.name.clone()));
                } else if deferred {
                    return Err(not_deferrable(name));
                }
            }
        }
        if is_found {
            return Ok(found);
        }
    }
    Err(SqlError::new("42704", format!("constraint \"{name}\" does not exist")))
}

fn not_deferrable(name: &RangeVar) -> SqlError {
    SqlError::new("42809", format!("constraint \"{}\" is not deferrable", name.name))
}

/// `condeferrable`, `condeferred`
pub(in crate::sql) fn deferrable_of(db: &Database, constraint: &Constraint) -> Deferrable {
    match constraint {
        Constraint::Index(index) => {
            let form = db.cluster.pg.relations.get(index).and_then(|index| index.index.as_ref());
            form.map_or(Deferrable::No, |form| form.deferrable)
        }
        Constraint::Foreign { deferrable, .. } => *deferrable,
        Constraint::Check { .. } | Constraint::NotNull { .. } => Deferrable::No,
    }
}

/// `CheckTableNotInUse`: a table whose rows are still to be checked is not changed otherwise.
pub(in crate::sql) fn check_not_in_use(db: &mut Database, statement: &Statement) -> Result<(), SqlError> {
    if !db.cluster.has_deferred() {
        return Ok(());
    }
    let (verb, names): (_, &[RangeVar]) = match statement {
        Statement::AlterTable(alter) => ("ALTER TABLE", core::slice::from_ref(&alter.name)),
        Statement::Drop(drop) if drop.kind == DropKind::Table => ("DROP TABLE", &drop.names),
        Statement::Truncate(truncate) => ("TRUNCATE", &truncate.tables),
        Statement::CreateIndex(_) | Statement::Reindex(_) | Statement::Cluster(_) => {
            let message = "CREATE INDEX, REINDEX or CLUSTER while constraints are deferred is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message));
        }
        _ => return Ok(()),
    };
    let waiting = db.cluster.deferred();
    let pending: Vec<Oid> =
        db.session().deferred.iter().filter(|(n, _)| waiting.contains(n)).map(|(_, later)| later.table()).collect();
    for name in names {
        let used = db.find(name).filter(|oid| {
            let of = db.cluster.catalog.class(*oid).and_then(|class| class.table).unwrap_or(*oid);
            pending.contains(&of)
        });
        if used.is_some() {
            let message = format!("cannot {verb} \"{}\" because it has pending trigger events", name.name);
            return Err(SqlError::new("55006", message));
        }
    }
    Ok(())
}

/// The tag.
pub(in crate::sql) fn run(db: &mut Database, set: &SetConstraints, is_told: &mut bool) -> Outcome<String> {
    if !core::mem::replace(is_told, true) {
        set_constraints(db, set)?;
    }
    fire_immediate(db)?;
    Ok("SET CONSTRAINTS".to_string())
}
