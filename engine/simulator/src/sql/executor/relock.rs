//! A row that another transaction changed meanwhile: its newest version is locked and looked at again
//! (`heapam_tuple_lock`, src/backend/access/heap/heapam_handler.c; `EvalPlanQual`, src/backend/executor/execMain.c).
//!
//! ```text
//!  READ COMMITTED     follow t_ctid ─▶ lock ─▶ does the condition still hold? ─▶ go on with that version, or skip the row
//!  REPEATABLE READ    40001: could not serialize access
//! ```

use super::row::Row;
use super::scan::RowScan;
use crate::access::heap::visibility::{
    heap_tuple_get_update_xid, heap_tuple_header_get_cmin, heap_tuple_satisfies_dirty,
};
use crate::access::heap::{FollowUpdates, LockTupleMode, TmResult, heap_lock_tuple, heap_tuple};
use crate::sql::ast::LockWait;
use crate::sql::tcop::Database;
use crate::storage::{Buffer, IsolationLevel, Outcome, RelationData, Stop, TableAm, WaitFor};
use crate::undo::not_modelled;
use ffviz_format::datum::SqlError;
use ffviz_format::heap::MOVED_PARTITIONS;
use ffviz_format::page::{ItemPointer, TransactionId};

/// What became of a row that was to be locked.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Locked {
    /// it is locked
    Same,
    /// a newer version is, which satisfies the condition too
    Newer(Row),
    /// it is deleted, or does not satisfy the condition any more
    Gone,
}

/// `ExecLockRows` for one row; `has_waited`: that was begun before, and there was a wait.
///
/// # Errors
/// Where another session has it and waiting is not wanted; in REPEATABLE READ where it changed; [`Stop::Wait`].
pub(super) fn lock_row(
    db: &mut Database,
    scan: &RowScan,
    tid: ItemPointer,
    mode: LockTupleMode,
    (wait, has_waited): (LockWait, bool),
    cid: crate::storage::CommandId,
) -> Outcome<Locked> {
    let relation = scan.relation.clone();
    if relation.am == TableAm::Undo {
        return Err(not_modelled("a lock on rows").into());
    }
    let follow = if has_waited { FollowUpdates::AfterWait } else { FollowUpdates::Yes };
    match lock_last_version(db, &relation, tid, (mode, follow), cid) {
        Ok(found) => judge(db, scan, tid, found),
        Err(Stop::Wait(_)) if wait == LockWait::Skip => Ok(Locked::Gone),
        Err(Stop::Wait(_)) if wait == LockWait::Error => {
            let message = alloc::format!("could not obtain lock on row in relation \"{}\"", relation.name);
            Err(SqlError::new("55P03", message).into())
        }
        Err(stop) => Err(stop),
    }
}

/// After an UPDATE or DELETE found the row updated: its newest version, locked, where it still satisfies the condition.
///
/// # Errors
/// As [`lock_row`].
pub(super) fn eval_plan_qual(
    db: &mut Database,
    scan: &RowScan,
    tid: ItemPointer,
    mode: LockTupleMode,
) -> Outcome<Locked> {
    let relation = scan.relation.clone();
    let found = lock_newest(db, &relation, tid, mode)?;
    judge(db, scan, tid, found)
}

/// The same without the condition: where the version is that is locked.
///
/// # Errors
/// As [`lock_row`].
pub(super) fn lock_newest(
    db: &mut Database,
    relation: &RelationData,
    tid: ItemPointer,
    mode: LockTupleMode,
) -> Outcome<Option<ItemPointer>> {
    let cid = db.cluster.pg.current_command_id();
    lock_last_version(db, relation, tid, (mode, FollowUpdates::No), cid)
}

fn judge(db: &mut Database, scan: &RowScan, tid: ItemPointer, found: Option<ItemPointer>) -> Outcome<Locked> {
    let Some(found) = found else { return Ok(Locked::Gone) };
    if found == tid {
        return Ok(Locked::Same);
    }
    let Some(row) = scan.newer(db, found) else { return Ok(Locked::Gone) };
    Ok(if scan.rechecks(db, &row)? { Locked::Newer(row) } else { Locked::Gone })
}

/// An error where the transaction has one snapshot.
///
/// # Errors
/// `could not serialize access`
pub(super) fn check_serializable(db: &Database, did: &str) -> Outcome<()> {
    let isolation = db.cluster.pg.backend().xact.as_ref().map(|xact| xact.isolation);
    if isolation.is_some_and(|isolation| isolation > IsolationLevel::ReadCommitted) {
        let message = alloc::format!("could not serialize access due to concurrent {did}");
        return Err(SqlError::new("40001", message).into());
    }
    Ok(())
}

/// `heapam_tuple_lock` with `TUPLE_LOCK_FLAG_FIND_LAST_VERSION`: the place of the version that is locked now; `None`
/// where the row is gone.
fn lock_last_version(
    db: &mut Database,
    relation: &RelationData,
    mut tid: ItemPointer,
    (mode, follow): (LockTupleMode, FollowUpdates),
    cid: crate::storage::CommandId,
) -> Outcome<Option<ItemPointer>> {
    loop {
        match heap_lock_tuple(&mut db.cluster.pg, relation, tid, cid, mode, follow)? {
            TmResult::Ok => return Ok(Some(tid)),
            TmResult::Updated { ctid, xmax } if ctid != tid => {
                check_serializable(db, "update")?;
                check_moved(ctid)?;
                match live_version(db, relation, ctid, xmax, cid)? {
                    Some(next) => tid = next,
                    None => return Ok(None),
                }
            }
            TmResult::Deleted { .. } | TmResult::Updated { .. } => {
                check_serializable(db, "delete")?;
                return Ok(None);
            }
            TmResult::Invisible | TmResult::SelfModified { .. } | TmResult::BeingModified { .. } => return Ok(None),
        }
    }
}

/// The next version is in another partition, where nobody looks for it.
fn check_moved(ctid: ItemPointer) -> Outcome<()> {
    if ctid != MOVED_PARTITIONS {
        return Ok(());
    }
    let message = "tuple to be locked was already moved to another partition due to concurrent update";
    Err(SqlError::new("40001", message).into())
}

/// Follows the chain of versions to one that is not known to be dead.
fn live_version(
    db: &mut Database,
    relation: &RelationData,
    mut tid: ItemPointer,
    mut prior_xmax: TransactionId,
    cid: u32,
) -> Outcome<Option<ItemPointer>> {
    loop {
        let pg = &mut db.cluster.pg;
        let buf = Buffer::main(relation.file, tid.block);
        let Some(mut tuple) = heap_tuple(pg, buf, tid.offset).filter(|tuple| tuple.t_xmin == prior_xmax) else {
            return Ok(None);
        };
        if let Some(running) = heap_tuple_satisfies_dirty(pg, &mut tuple, buf) {
            if let Some(xmax) = running.xmax {
                return Err(Stop::Wait(WaitFor::Transaction(xmax)));
            }
            let is_own = pg.is_current_xid(prior_xmax) && heap_tuple_header_get_cmin(pg, &tuple) >= cid;
            return Ok((!is_own).then_some(tid));
        }
        if tuple.t_ctid == tid {
            return Ok(None);
        }
        check_moved(tuple.t_ctid)?;
        prior_xmax = heap_tuple_get_update_xid(pg, &tuple);
        tid = tuple.t_ctid;
    }
}
