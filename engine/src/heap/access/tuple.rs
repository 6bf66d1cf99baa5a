//! A row version on a page in shared buffers (`HeapTupleData`, src/include/access/htup.h).

use crate::heap::HeapTuple;
use crate::page::{ItemPointer, LpFlags, OffsetNumber};
use crate::storage::{Buffer, Instance};

/// The row version of a line pointer that is `LP_NORMAL`.
#[must_use]
#[inline]
pub fn heap_tuple(pg: &Instance, buf: Buffer, n: OffsetNumber) -> Option<HeapTuple> {
    let page = pg.buffers.page(buf);
    let lp = page.item_id(n).filter(|lp| lp.lp_flags() == LpFlags::Normal)?;
    let bytes = lp.lp_off()..lp.lp_off() + lp.lp_len();
    Some(HeapTuple::decode(page, ItemPointer { block: buf.block, offset: n }, bytes))
}
