//! `pg_locks` (`pg_lock_status`, src/backend/utils/adt/lockfuncs.c), and advisory locks.
//!
//! What is listed is what statements that read and write rows are known to take. A transaction that has changed
//! definitions holds more; of it nothing is told.

use super::catalogs::{BOOL, INT2, INT4, OID, TEXT};
use super::{Rows, system};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::storage::{AdvisoryKey, AdvisoryLocks, LockMode, ObjectLock, RelationLock, ShownLock, ShownPredicateLock};
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::{Oid, TransactionId};

const XID: Oid = 28;

/// Asked for by relation, so that locks on the system's own do not come out.
pub const OF_RELATIONS: &str = "pg_locks of relations";
/// Asked for by `locktype`, so that locks on relations do not come out.
pub const OF_OTHERS: &str = "pg_locks of others";
/// Types of locks that no session has but the script's.
pub const OWN_TYPES: [&str; 2] = ["advisory", "transactionid"];

/// `pg_locks` of servers 13 to 18, by what initdb gives out.
pub(in crate::sql) const fn pg_locks_oid(major: u32) -> Oid {
    match major {
        ..14 => 12141,
        14 => 12290,
        _ => 12073,
    }
}

pub(super) fn pg_locks(_: u32) -> Vec<(&'static str, Oid)> {
    Vec::from([
        ("locktype", TEXT),
        ("database", OID),
        ("relation", OID),
        ("page", INT4),
        ("tuple", INT2),
        ("transactionid", XID),
        ("classid", OID),
        ("objid", OID),
        ("objsubid", INT2),
        ("pid", INT4),
        ("mode", TEXT),
        ("granted", BOOL),
        ("fastpath", BOOL),
    ])
}

/// What a row says beside whose it is.
struct Lock {
    locktype: &'static str,
    database: Option<Oid>,
    relation: Option<Oid>,
    transaction: Option<TransactionId>,
    /// what is no relation, nor a transaction
    object: Option<AdvisoryKey>,
}

impl Lock {
    const fn new(locktype: &'static str) -> Self {
        Self { locktype, database: None, relation: None, transaction: None, object: None }
    }

    fn row(&self, session: usize, mode: &str, granted: bool, fastpath: bool) -> Vec<Value> {
        let oid = |oid: Option<Oid>| oid.map_or(Value::Null, Value::Oid);
        Vec::from([
            Value::text(self.locktype),
            oid(self.database),
            oid(self.relation),
            Value::Null,
            Value::Null,
            oid(self.transaction),
            oid(self.object.map(|key| key.classid)),
            oid(self.object.map(|key| key.objid)),
            self.object.map_or(Value::Null, |key| Value::Int2(key.objsubid)),
            pid(session),
            Value::text(mode),
            Value::Bool(granted),
            Value::Bool(fastpath),
        ])
    }
}

/// `pg_backend_pid()` of a session.
pub(super) fn pid(session: usize) -> Value {
    Value::Int4(session as i32 + 1000)
}

/// The rows of locks that are on no relation.
pub(super) fn rows_of_others(db: &mut Database) -> Rows {
    lock_view(db);
    let database = Some(db.cluster.database);
    let mut rows = transaction_rows(db);
    rows.extend(advisory_rows(&db.cluster.pg.locks.advisory, database));
    rows
}

/// The view is read, and with it locked.
fn lock_view(db: &mut Database) {
    let relation = pg_locks_oid(db.cluster.version().major());
    db.cluster.lock_relation(RelationLock { relation, mode: LockMode::AccessShare });
}

fn transaction_rows(db: &Database) -> Rows {
    let mut rows = Rows::new();
    for (session, backend) in db.cluster.pg.backends.iter().enumerate() {
        // that of a savepoint that was released is not locked any more (`CommitSubTransaction`)
        for xid in backend.xact.iter().flat_map(|xact| &xact.levels).filter_map(|level| level.xid) {
            let lock = Lock { transaction: Some(xid), ..Lock::new("transactionid") };
            rows.push(lock.row(session, LockMode::Exclusive.name(), true, false));
        }
    }
    rows
}

/// The rows; `whole`: also of what the system's own relations are locked by.
///
/// # Errors
/// A sentence, where a session holds what is not known here.
pub(super) fn rows(db: &mut Database, whole: bool) -> Result<Rows, SqlError> {
    lock_view(db);
    let pg = &db.cluster.pg;
    let predicate = pg.shown_predicate_locks();
    if !pg.locks.is_told() || predicate.is_none() || whole && pg.locks.reads_catalogs(pg.me) {
        let message = "pg_locks within or beside a transaction that changes definitions, reads other catalogs without \
                       asking for a relation, or waits for a row, or beside one that was SERIALIZABLE, is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    let database = Some(db.cluster.database);
    let of_relation = |shown: &ShownLock| {
        let database = if system::is_shared(shown.lock.relation) { Some(0) } else { database };
        let lock = Lock { database, relation: Some(shown.lock.relation), ..Lock::new("relation") };
        lock.row(shown.session, shown.lock.mode.name(), shown.granted, shown.fastpath)
    };
    let (in_slots, shared) = pg.locks.shown();
    let mut rows = Rows::new();
    for (session, backend) in pg.backends.iter().enumerate() {
        rows.extend(in_slots.iter().filter(|shown| shown.session == session).map(of_relation));
        if backend.xact.is_some() {
            rows.push(Lock::new("virtualxid").row(session, LockMode::Exclusive.name(), true, true));
        }
    }
    rows.extend(shared.iter().map(of_relation));
    rows.extend(pg.locks.objects().iter().map(|lock| object_row(lock, database)));
    rows.extend(transaction_rows(db));
    rows.extend(predicate.unwrap_or_default().iter().map(|lock| predicate_row(lock, database)));
    rows.extend(advisory_rows(&pg.locks.advisory, database));
    Ok(rows)
}

fn object_row(lock: &ObjectLock, database: Option<Oid>) -> Vec<Value> {
    let object = AdvisoryKey { classid: lock.classid, objid: lock.objid, objsubid: 0 };
    let shown = Lock { database, object: Some(object), ..Lock::new("object") };
    shown.row(lock.session, LockMode::AccessShare.name(), true, false)
}

fn predicate_row(lock: &ShownPredicateLock, database: Option<Oid>) -> Vec<Value> {
    let locktype = match (lock.page, lock.tuple) {
        (_, Some(_)) => "tuple",
        (Some(_), None) => "page",
        (None, None) => "relation",
    };
    let shown = Lock { database, relation: Some(lock.relation), ..Lock::new(locktype) };
    let mut row = shown.row(lock.session, "SIReadLock", true, false);
    row[3] = lock.page.map_or(Value::Null, |page| Value::Int4(page as i32));
    row[4] = lock.tuple.map_or(Value::Null, |tuple| Value::Int2(tuple.0.cast_signed()));
    row
}

/// Those that sessions have, and those that they wait for.
fn advisory_rows(locks: &AdvisoryLocks, database: Option<Oid>) -> Rows {
    let held = locks.shown().into_iter().map(|lock| ((lock.session, lock.key, lock.shared), true));
    let all = held.chain(locks.waiting().iter().map(|waiting| (*waiting, false)));
    all.map(|(lock, granted)| advisory_row(lock, database, granted)).collect()
}

fn advisory_row(
    (session, key, shared): (usize, AdvisoryKey, bool),
    database: Option<Oid>,
    granted: bool,
) -> Vec<Value> {
    let mode = if shared { LockMode::Share } else { LockMode::Exclusive };
    let shown = Lock { database, object: Some(key), ..Lock::new("advisory") };
    shown.row(session, mode.name(), granted, false)
}

/// How an advisory lock is taken.
#[derive(Debug, Clone, Copy)]
pub(in crate::sql) struct Advisory {
    /// it is the transaction's
    pub xact: bool,
    /// others may have it too
    pub shared: bool,
    /// without waiting
    pub tries: bool,
}

impl Database {
    /// `pg_advisory_lock` and its like.
    pub(in crate::sql) fn advisory_lock(&mut self, args: &[Value], how: Advisory) -> Result<Value, SqlError> {
        let pg = &mut self.cluster.pg;
        let levels = pg.backend().xact.as_ref().map_or(1, |xact| xact.levels.len());
        let depth = how.xact.then(|| levels - 1);
        let is_held = pg.locks.advisory.acquire(pg.me, advisory_key(args), how.shared, depth);
        match (how.tries, is_held) {
            (true, _) => Ok(Value::Bool(is_held)),
            (false, true) => Ok(Value::text("")),
            (false, false) => {
                let message = "waiting for an advisory lock within a statement is not supported; ask for it alone, by a \
                               number, or use pg_try_advisory_lock, which does not wait";
                Err(SqlError::new(NOT_SIMULATED, message))
            }
        }
    }

    /// `pg_advisory_unlock`
    pub(in crate::sql) fn advisory_unlock(&mut self, args: &[Value], shared: bool) -> Value {
        let pg = &mut self.cluster.pg;
        Value::Bool(pg.locks.advisory.unlock(pg.me, advisory_key(args), shared))
    }

    /// `pg_advisory_unlock_all`
    pub(in crate::sql) fn advisory_unlock_all(&mut self) -> Value {
        let pg = &mut self.cluster.pg;
        pg.locks.advisory.unlock_all(pg.me);
        Value::text("")
    }
}

/// `SET_LOCKTAG_INT64`, `SET_LOCKTAG_INT32`: of a bigint, or of two integers.
pub(in crate::sql) fn advisory_key(args: &[Value]) -> AdvisoryKey {
    let number = |n: usize| args.get(n).and_then(Value::integer).unwrap_or(0);
    match args.len() {
        1 => AdvisoryKey { classid: (number(0) >> 32) as u32, objid: number(0) as u32, objsubid: 1 },
        _ => AdvisoryKey { classid: number(0) as u32, objid: number(1) as u32, objsubid: 2 },
    }
}
