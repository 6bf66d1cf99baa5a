//! A row version on a page in shared buffers (`HeapTupleData`, src/include/access/htup.h).

use crate::heap::HeapTuple;
use crate::page::{ItemPointer, LpFlags, OffsetNumber, Page};
use crate::storage::{Buffer, Instance};

/// The row version of a line pointer that is `LP_NORMAL`.
#[must_use]
#[inline]
pub fn heap_tuple(pg: &Instance, buf: Buffer, n: OffsetNumber) -> Option<HeapTuple> {
    heap_tuple_on(pg.buffers.page(buf), ItemPointer { block: buf.block, offset: n })
}

/// The same of a page that was looked up already.
#[must_use]
#[inline]
pub(super) fn heap_tuple_on(page: &Page, tid: ItemPointer) -> Option<HeapTuple> {
    let lp = page.item_id(tid.offset).filter(|lp| lp.lp_flags() == LpFlags::Normal)?;
    Some(HeapTuple::decode(page, tid, lp.lp_off()..lp.lp_off() + lp.lp_len()))
}
