//! What redo writes to row versions (`heap_xlog_*`, src/backend/access/heap/heapam.c, from 18 on heapam_xlog.c).

use alloc::format;
use alloc::string::String;
use core::ops::Range;
use ffviz_format::heap::infomask::{
    HEAP_COMBOCID, HEAP_HOT_UPDATED, HEAP_KEYS_UPDATED, HEAP_MOVED, HEAP_XMAX_BITS, HEAP_XMAX_EXCL_LOCK,
    HEAP_XMAX_IS_MULTI, HEAP_XMAX_KEYSHR_LOCK, HEAP_XMAX_LOCK_ONLY,
};
use ffviz_format::heap::{HeapTuple, HeapTupleHeaderData};
use ffviz_format::page::header::PD_ALL_VISIBLE;
use ffviz_format::page::{BlockNumber, ItemPointer, LpFlags, OffsetNumber, Page, TransactionId};
use ffviz_format::wal::rec::heap::XlHeapHeader;

/// The header of a new version; its command id is `FirstCommandId`, whatever it was.
pub(super) fn new_header(
    kept: XlHeapHeader<'_>,
    tid: ItemPointer,
    xmin: TransactionId,
    xmax: TransactionId,
) -> HeapTuple {
    HeapTuple {
        tid,
        bytes: 0..0,
        t_xmin: xmin,
        t_xmax: xmax,
        t_field3: 0,
        t_ctid: tid,
        t_infomask2: kept.t_infomask2(),
        t_infomask: kept.t_infomask() & !HEAP_COMBOCID,
        t_hoff: kept.t_hoff(),
    }
}

/// Puts a tuple on its page: its header and what follows it.
pub(super) fn add_tuple(page: &mut Page, header: &HeapTuple, data: &[u8]) -> Result<(), String> {
    let length = HeapTupleHeaderData::SIZE + data.len();
    page.add_item_with(length, header.tid.offset, true, |bytes, to| {
        let mut place = Place { bytes, at: to };
        place.put(&header.header());
        place.put(data);
    })
}

/// Where the next bytes of a tuple come to lie.
pub(super) struct Place<'a> {
    pub(super) bytes: &'a mut [u8],
    pub(super) at: usize,
}

impl Place<'_> {
    /// Puts bytes there.
    pub(super) fn put(&mut self, piece: &[u8]) {
        self.bytes[self.at..][..piece.len()].copy_from_slice(piece);
        self.at += piece.len();
    }

    /// Puts bytes of the page there.
    pub(super) fn copy(&mut self, from: &Range<u16>) {
        self.bytes.copy_within(usize::from(from.start)..usize::from(from.end), self.at);
        self.at += from.len();
    }
}

/// The tuple that a line pointer leads to.
pub(super) fn tuple(page: &Page, block: BlockNumber, n: OffsetNumber) -> Result<HeapTuple, String> {
    let lp = page.item_id(n).filter(|lp| lp.lp_flags() == LpFlags::Normal);
    let lp = lp.ok_or_else(|| format!("line pointer {n} leads to no tuple"))?;
    let bytes = page.tuple_bytes(n, lp, HeapTupleHeaderData::SIZE as u16).map_err(|anomaly| anomaly.text)?;
    Ok(HeapTuple::decode(page, ItemPointer { block, offset: n }, bytes))
}

/// `fix_infomask_from_infobits`, after everything that told of an older xmax is cleared.
pub(super) fn set_infobits(tuple: &mut HeapTuple, infobits: u8) {
    const INFOBITS: [(u8, u16); 4] = [
        (0x01, HEAP_XMAX_IS_MULTI),
        (0x02, HEAP_XMAX_LOCK_ONLY),
        (0x04, HEAP_XMAX_EXCL_LOCK),
        (0x08, HEAP_XMAX_KEYSHR_LOCK),
    ];
    const XLHL_KEYS_UPDATED: u8 = 0x10;
    tuple.t_infomask &= !(HEAP_XMAX_BITS | HEAP_MOVED);
    tuple.t_infomask2 &= !HEAP_KEYS_UPDATED;
    for (bit, mask) in INFOBITS {
        if infobits & bit != 0 {
            tuple.t_infomask |= mask;
        }
    }
    if infobits & XLHL_KEYS_UPDATED != 0 {
        tuple.t_infomask2 |= HEAP_KEYS_UPDATED;
    }
}

/// `HeapTupleHeaderSetCmax` with `FirstCommandId`: redo does not know the command.
pub(super) const fn forget_command(tuple: &mut HeapTuple) {
    tuple.t_field3 = 0;
    tuple.t_infomask &= !HEAP_COMBOCID;
}

/// `HeapTupleHeaderSetHotUpdated` or its opposite.
pub(super) const fn set_hot_updated(tuple: &mut HeapTuple, hot: bool) {
    tuple.t_infomask2 &= !HEAP_HOT_UPDATED;
    if hot {
        tuple.t_infomask2 |= HEAP_HOT_UPDATED;
    }
}

/// `PageSetAllVisible` or `PageClearAllVisible`.
pub(super) fn set_all_visible(page: &mut Page, all_visible: bool) {
    let flags = page.header().pd_flags() & !PD_ALL_VISIBLE;
    page.set_pd_flags(if all_visible { flags | PD_ALL_VISIBLE } else { flags });
}
