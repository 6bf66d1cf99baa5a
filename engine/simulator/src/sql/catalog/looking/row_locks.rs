//! Which rows are locked, by whom and how (contrib/pgrowlocks). The numbers of processes are not told.

use super::Rows;
use crate::access::heap::heap_tuple;
use crate::access::heap::scan::HeapScan;
use crate::access::heap::visibility::{TmResult, heap_tuple_satisfies_update};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::storage::{MultiXactStatus, Stop};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value, make_array};
use ffviz_format::heap::HeapTuple;
use ffviz_format::heap::infomask::{
    HEAP_KEYS_UPDATED, HEAP_XMAX_EXCL_LOCK, HEAP_XMAX_KEYSHR_LOCK, HEAP_XMAX_LOCK_ONLY, HEAP_XMAX_SHR_LOCK,
};
use ffviz_format::page::{Oid, TransactionId};
use ffviz_format::state::RelKind;

const TEXT: Oid = 25;
const XID: Oid = 28;

/// `pgrowlocks`: of the rows that the statement sees those that a transaction which runs has locked or changed.
pub(super) fn rows(db: &mut Database, table: &Value) -> Result<Rows, SqlError> {
    let relation = db.opened(table)?;
    match relation.kind {
        RelKind::Table => {}
        RelKind::PartitionedTable => {
            let error = SqlError::new("42809", format!("\"{}\" is a partitioned table", relation.name));
            return Err(error.with_detail("Partitioned tables do not contain rows."));
        }
        _ => return Err(SqlError::new("42809", format!("\"{}\" is not a table", relation.name))),
    }
    let snapshot = db.running.snapshot.clone().unwrap_or_else(|| db.cluster.take_snapshot());
    let cid = db.cluster.pg.backend().xact.as_ref().map_or(0, |xact| xact.command_id);
    let (mut scan, mut rows) = (HeapScan::new(&db.cluster.pg, &relation), Rows::new());
    let failed = |stop| match stop {
        Stop::Error(error) => error,
        Stop::Wait(_) => SqlError::new("XX000", "pgrowlocks waits"),
    };
    while let Some((buf, offsets)) = scan.next_page(&mut db.cluster.pg, &relation, &snapshot).map_err(failed)? {
        db.cluster.pg.stats.of_mut(relation.oid).read += offsets.len() as u64;
        for offset in offsets {
            let Some(mut tuple) = heap_tuple(&db.cluster.pg, buf, offset) else { continue };
            let state = heap_tuple_satisfies_update(&mut db.cluster.pg, &mut tuple, buf, cid);
            if matches!(state, TmResult::BeingModified { .. }) {
                rows.push(row(db, &tuple)?);
            }
        }
    }
    Ok(rows)
}

fn row(db: &Database, tuple: &HeapTuple) -> Result<Vec<Value>, SqlError> {
    let locks: Vec<(TransactionId, &str)> = match tuple.is_xmax_multi() {
        true => {
            db.cluster.pg.multixacts.members(tuple.t_xmax).iter().map(|it| (it.xid, of_member(db, it.status))).collect()
        }
        false => Vec::from([(tuple.t_xmax, of_flags(tuple))]),
    };
    if locks.is_empty() {
        let message = "the members of a MultiXact that was made before the script are not known";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    let xids: Vec<Value> = locks.iter().map(|(xid, _)| Value::Oid(*xid)).collect();
    let modes: Vec<Value> = locks.iter().map(|(_, mode)| Value::text(mode)).collect();
    Ok(Vec::from([
        Value::Tid(tuple.tid),
        Value::Oid(tuple.t_xmax),
        Value::Bool(tuple.is_xmax_multi()),
        make_array(XID, &xids),
        make_array(TEXT, &modes),
    ]))
}

fn of_member(db: &Database, status: MultiXactStatus) -> &'static str {
    let names_alike = db.cluster.version().names_row_locks_alike();
    match status {
        MultiXactStatus::ForKeyShare if !names_alike => "Key Share",
        MultiXactStatus::ForShare if !names_alike => "Share",
        MultiXactStatus::ForKeyShare => "For Key Share",
        MultiXactStatus::ForShare => "For Share",
        MultiXactStatus::ForNoKeyUpdate => "For No Key Update",
        MultiXactStatus::ForUpdate => "For Update",
        MultiXactStatus::NoKeyUpdate => "No Key Update",
        MultiXactStatus::Update => "Update",
    }
}

fn of_flags(tuple: &HeapTuple) -> &'static str {
    let has_keys = tuple.t_infomask2 & HEAP_KEYS_UPDATED != 0;
    if tuple.t_infomask & HEAP_XMAX_LOCK_ONLY == 0 {
        return if has_keys { "Update" } else { "No Key Update" };
    }
    match tuple.t_infomask & HEAP_XMAX_SHR_LOCK {
        HEAP_XMAX_SHR_LOCK => "For Share",
        HEAP_XMAX_KEYSHR_LOCK => "For Key Share",
        HEAP_XMAX_EXCL_LOCK if has_keys => "For Update",
        HEAP_XMAX_EXCL_LOCK => "For No Key Update",
        _ => "transient upgrade status",
    }
}
