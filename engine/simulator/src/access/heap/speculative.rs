//! The end of a speculative insertion (INSERT … ON CONFLICT): the row stays, or is taken back because an index met the
//! same key (`heap_finish_speculative`, `heap_abort_speculative`, src/backend/access/heap/heapam.c).
//!
//! ```text
//!  t_ctid = token ─┬─ no conflict ▶ t_ctid = own place, CONFIRM
//!                  └─ conflict    ▶ t_xmin = 0, so that nobody ever sees it, DELETE
//! ```

use super::record::{heap_block, log_change, write_and_log_header, write_header};
use super::toast::heap_toast_delete;
use super::tuple::heap_tuple_on;
use super::xmax::{NewXmax, compute_infobits};
use crate::storage::{Buffer, Instance, Outcome, RelationData};
use ffviz_format::datum::SqlError;
use ffviz_format::heap::HeapTuple;
use ffviz_format::page::{ItemPointer, Page};
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::heap::{XLH_DELETE_IS_SUPER, XlHeapConfirm, XlHeapDelete};
use ffviz_format::wal::record_type::HeapType;

/// The tuple at a place that has one.
///
/// # Errors
/// PostgreSQL's error where there is none.
#[inline]
pub(super) fn tuple_at(page: &Page, tid: ItemPointer) -> Result<HeapTuple, SqlError> {
    heap_tuple_on(page, tid).ok_or_else(|| SqlError::new("XX000", "invalid lp"))
}

/// `heap_finish_speculative`
///
/// # Errors
/// Where there is no such row.
pub fn heap_finish_speculative(pg: &mut Instance, rel: &RelationData, tid: ItemPointer) -> Outcome<()> {
    let buf = Buffer::main(rel.file, tid.block);
    let mut tuple = tuple_at(pg.buffers.page(buf), tid)?;
    tuple.t_ctid = tid;
    let main = XlHeapConfirm::make(tid.offset.0);
    write_and_log_header(pg, rel, (buf, &tuple), (Rmgr::HEAP, HeapType::Confirm.info()), &main, None);
    Ok(())
}

/// `heap_abort_speculative`; also of the chunks of such a row's values in the TOAST table.
///
/// # Errors
/// Where there is no such row.
pub fn heap_abort_speculative(pg: &mut Instance, rel: &RelationData, tid: ItemPointer) -> Outcome<()> {
    let xid = pg.current_xid();
    let buf = Buffer::main(rel.file, tid.block);
    let mut tuple = tuple_at(pg.buffers.page(buf), tid)?;
    // TransactionXmin: the oldest xid that the session's snapshots need
    let oldest = pg.backend().proc_xmin.unwrap_or(xid);
    pg.buffers.header_mut(buf).set_prunable(oldest);
    NewXmax { xmax: tuple.t_xmax, infomask: 0, infomask2: 0 }.set(&mut tuple);
    tuple.t_xmin = 0;
    tuple.t_ctid = tid;
    write_header(&mut pg.buffers, buf, &tuple);
    pg.mark_buffer_dirty(buf);
    let infobits = compute_infobits(tuple.t_infomask, tuple.t_infomask2);
    let main = XlHeapDelete::make(xid, tid.offset.0, infobits, XLH_DELETE_IS_SUPER);
    log_change(pg, rel, (Rmgr::HEAP, HeapType::Delete.info()), &[&main], &[heap_block(0, buf, 0, &[])], &[]);
    heap_toast_delete(pg, rel, buf, &tuple, true)
}
