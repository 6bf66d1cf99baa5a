//! A row version on a page in shared buffers (`HeapTupleData`, src/include/access/htup.h).

use crate::storage::{Buffer, Instance};
use ffviz_format::heap::HeapTuple;
use ffviz_format::page::{ItemIdData, ItemPointer, LpFlags, OffsetNumber, Page};

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
    heap_tuple_at(page, tid, page.item_id(tid.offset)?)
}

/// The same, whose line pointer was read too.
#[must_use]
#[inline]
pub(super) fn heap_tuple_at(page: &Page, tid: ItemPointer, lp: ItemIdData) -> Option<HeapTuple> {
    let bytes = lp.lp_off()..lp.lp_off() + lp.lp_len();
    (lp.lp_flags() == LpFlags::Normal).then(|| HeapTuple::decode(page, tid, bytes))
}
