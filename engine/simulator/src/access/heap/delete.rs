//! `heap_delete` (src/backend/access/heap/heapam.c).
//!
//! ```text
//!  may it be deleted? ─▶ t_xmax = xid, HEAP_KEYS_UPDATED, t_ctid = own place ─▶ DELETE ─▶ its values in the TOAST table
//! ```

use super::conflict::{is_only_locked, multixact_conflict, updated_or_deleted};
use super::record::{ALL_VISIBLE_CLEARED, clear_all_visible, heap_block, log_change, write_header};
use super::replica_identity::extract_replica_identity;
use super::speculative::tuple_at;
use super::toast::heap_toast_delete;
use super::visibility::{TmResult, heap_tuple_satisfies_update};
use super::xmax::{LockTupleMode, adjust_cmax, compute_infobits, compute_new_xmax_infomask, set_cmax};
use crate::storage::{Buffer, CommandId, Instance, Outcome, RelationData, Stop, WaitFor};
use ffviz_format::datum::SqlError;
use ffviz_format::heap::infomask::HEAP_HOT_UPDATED;
use ffviz_format::heap::{HeapTuple, MOVED_PARTITIONS};
use ffviz_format::page::ItemPointer;
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::heap::{
    XLH_DELETE_CONTAINS_OLD_KEY, XLH_DELETE_CONTAINS_OLD_TUPLE, XLH_DELETE_IS_PARTITION_MOVE, XlHeapDelete,
};
use ffviz_format::wal::record_type::HeapType;

/// `heap_delete`: [`TmResult::Ok`] where the row is deleted now, else why it is not.
///
/// # Errors
/// A row that the command cannot see; what deleting its long values meets; [`Stop::Wait`] for a transaction that locks
/// or changes it.
pub fn heap_delete(pg: &mut Instance, rel: &RelationData, tid: ItemPointer, cid: CommandId) -> Outcome<TmResult> {
    delete(pg, rel, tid, cid, false)
}

/// The same of a row that UPDATE puts into another partition (`changingPart`).
///
/// # Errors
/// As [`heap_delete`].
pub fn heap_delete_moved(pg: &mut Instance, rel: &RelationData, tid: ItemPointer, cid: CommandId) -> Outcome<TmResult> {
    delete(pg, rel, tid, cid, true)
}

fn delete(
    pg: &mut Instance,
    rel: &RelationData,
    tid: ItemPointer,
    cid: CommandId,
    is_moved: bool,
) -> Outcome<TmResult> {
    let xid = pg.current_xid();
    let buf = Buffer::main(rel.file, tid.block);
    pg.read_buffer(buf);
    let mut tuple = tuple_at(pg.buffers.page(buf), tid)?;
    let result = may_delete(pg, &mut tuple, buf, cid)?;
    if result != TmResult::Ok {
        return Ok(result);
    }
    pg.check_for_serializable_conflict_in(rel, Some(tid), Some(tid.block))?;
    let cmax = adjust_cmax(pg, &tuple, cid);
    let old_row = extract_replica_identity(pg, rel, buf, &tuple, true)?;
    let xmax = compute_new_xmax_infomask(pg, &tuple, xid, LockTupleMode::Exclusive, true);
    let cleared = clear_all_visible(pg, buf);
    xmax.set(&mut tuple);
    set_cmax(&mut tuple, cmax);
    tuple.t_infomask2 &= !HEAP_HOT_UPDATED;
    tuple.t_ctid = if is_moved { MOVED_PARTITIONS } else { tid };
    write_header(&mut pg.buffers, buf, &tuple).set_prunable(xid);
    pg.mark_buffer_dirty(buf);

    let infobits = compute_infobits(tuple.t_infomask, tuple.t_infomask2);
    let old_flag = old_row.flag(XLH_DELETE_CONTAINS_OLD_KEY, XLH_DELETE_CONTAINS_OLD_TUPLE);
    let moved_flag = if is_moved { XLH_DELETE_IS_PARTITION_MOVE } else { 0 };
    let flags = cleared.bit(ALL_VISIBLE_CLEARED) | old_flag | moved_flag;
    let main: &[u8] = &XlHeapDelete::make(xmax.xmax, tid.offset.0, infobits, flags);
    let old = old_row.bytes(pg, buf, &tuple);
    let block = heap_block(0, buf, 0, &[]);
    log_change(pg, rel, (Rmgr::HEAP, HeapType::Delete.info()), &[main, &old], &[block], &[(1, cleared.map)]);
    heap_toast_delete(pg, rel, buf, &tuple, false)?;
    pg.count_deleted(rel.oid);
    Ok(TmResult::Ok)
}

/// Nobody else may have the row in any way.
fn may_delete(pg: &mut Instance, tuple: &mut HeapTuple, buf: Buffer, cid: CommandId) -> Outcome<TmResult> {
    match heap_tuple_satisfies_update(pg, tuple, buf, cid) {
        TmResult::Invisible => Err(SqlError::new("55000", "attempted to delete invisible tuple").into()),
        TmResult::BeingModified { xid } => {
            let wait = if tuple.is_xmax_multi() {
                multixact_conflict(pg, xid, LockTupleMode::Exclusive).wait
            } else {
                Some(xid).filter(|xid| !pg.is_current_xid(*xid))
            };
            match wait {
                Some(xid) => Err(Stop::Wait(WaitFor::Transaction(xid))),
                None if is_only_locked(pg, tuple) => Ok(TmResult::Ok),
                None => Ok(updated_or_deleted(pg, tuple)),
            }
        }
        other => Ok(other),
    }
}
