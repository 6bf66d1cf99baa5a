//! Advisory locks (src/backend/utils/adt/lockfuncs.c).

use crate::sql::catalog::looking::Advisory;
use crate::sql::expr::pg_catalog::{BOOL, INT4, INT8, VOID};
use crate::sql::expr::pg_proc::{Proc, asks};
use crate::sql::tcop::Database;
use ffviz_format::datum::Value;
use ffviz_format::datum::error::Result;
use ffviz_format::page::Oid;

const ONE: &[Oid] = &[INT8];
const TWO: &[Oid] = &[INT4, INT4];

type Lock = fn(&mut Database, &[Value]) -> Result<Value>;

const LOCK: Lock = |db, args| db.advisory_lock(args, Advisory { xact: false, shared: false, tries: false });
const LOCK_SHARED: Lock = |db, args| db.advisory_lock(args, Advisory { xact: false, shared: true, tries: false });
const XACT: Lock = |db, args| db.advisory_lock(args, Advisory { xact: true, shared: false, tries: false });
const XACT_SHARED: Lock = |db, args| db.advisory_lock(args, Advisory { xact: true, shared: true, tries: false });
const TRY: Lock = |db, args| db.advisory_lock(args, Advisory { xact: false, shared: false, tries: true });
const TRY_SHARED: Lock = |db, args| db.advisory_lock(args, Advisory { xact: false, shared: true, tries: true });
const TRY_XACT: Lock = |db, args| db.advisory_lock(args, Advisory { xact: true, shared: false, tries: true });
const TRY_XACT_SHARED: Lock = |db, args| db.advisory_lock(args, Advisory { xact: true, shared: true, tries: true });
const UNLOCK: Lock = |db, args| Ok(db.advisory_unlock(args, false));
const UNLOCK_SHARED: Lock = |db, args| Ok(db.advisory_unlock(args, true));

pub(super) const PROCS: &[Proc] = &[
    asks("pg_advisory_lock", ONE, VOID, LOCK).volatile(),
    asks("pg_advisory_lock", TWO, VOID, LOCK).volatile(),
    asks("pg_advisory_lock_shared", ONE, VOID, LOCK_SHARED).volatile(),
    asks("pg_advisory_lock_shared", TWO, VOID, LOCK_SHARED).volatile(),
    asks("pg_advisory_unlock", ONE, BOOL, UNLOCK).volatile(),
    asks("pg_advisory_unlock", TWO, BOOL, UNLOCK).volatile(),
    asks("pg_advisory_unlock_all", &[], VOID, |db, _| Ok(db.advisory_unlock_all())).volatile(),
    asks("pg_advisory_unlock_shared", ONE, BOOL, UNLOCK_SHARED).volatile(),
    asks("pg_advisory_unlock_shared", TWO, BOOL, UNLOCK_SHARED).volatile(),
    asks("pg_advisory_xact_lock", ONE, VOID, XACT).volatile(),
    asks("pg_advisory_xact_lock", TWO, VOID, XACT).volatile(),
    asks("pg_advisory_xact_lock_shared", ONE, VOID, XACT_SHARED).volatile(),
    asks("pg_advisory_xact_lock_shared", TWO, VOID, XACT_SHARED).volatile(),
    asks("pg_try_advisory_lock", ONE, BOOL, TRY).volatile(),
    asks("pg_try_advisory_lock", TWO, BOOL, TRY).volatile(),
    asks("pg_try_advisory_lock_shared", ONE, BOOL, TRY_SHARED).volatile(),
    asks("pg_try_advisory_lock_shared", TWO, BOOL, TRY_SHARED).volatile(),
    asks("pg_try_advisory_xact_lock", ONE, BOOL, TRY_XACT).volatile(),
    asks("pg_try_advisory_xact_lock", TWO, BOOL, TRY_XACT).volatile(),
    asks("pg_try_advisory_xact_lock_shared", ONE, BOOL, TRY_XACT_SHARED).volatile(),
    asks("pg_try_advisory_xact_lock_shared", TWO, BOOL, TRY_XACT_SHARED).volatile(),
];
