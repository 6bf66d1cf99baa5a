//! Room on a heap page: what decides whether the next version of a row can stay here
//! (src/backend/storage/page/bufpage.c).

use super::HeapTupleHeaderData;
use crate::page::header::PD_HAS_FREE_LINES;
use crate::page::{ItemIdData, LpFlags, MAXALIGN, Page, PageHeaderData, bytes};
use alloc::string::String;

/// Most line pointers on a heap page of that size: 291 at 8192 bytes (`MaxHeapTuplesPerPage`).
#[must_use]
pub const fn max_heap_tuples_per_page(page_size: u16) -> u16 {
    let least = (HeapTupleHeaderData::SIZE as u16).next_multiple_of(MAXALIGN) + ItemIdData::SIZE as u16;
    page_size.saturating_sub(PageHeaderData::SIZE as u16) / least
}

/// Bytes that a new tuple may take beside a new line pointer, rounded up to MAXALIGN (`PageGetHeapFreeSpace`). None
/// where the page has as many line pointers as it may and none to use again.
#[must_use]
#[inline]
pub fn heap_free_space(page: &Page) -> u16 {
    let header = page.header();
    let hole = header.pd_upper().saturating_sub(header.pd_lower());
    let may_reuse = || {
        let is_unused = |lp: ItemIdData| lp.lp_flags() == LpFlags::Unused;
        header.pd_flags() & PD_HAS_FREE_LINES != 0 && page.line_pointers().any(|(_, lp)| is_unused(lp))
    };
    let most = max_heap_tuples_per_page(page.size());
    // line pointers that would end there are too few
    let has_few = header.pd_lower() < PageHeaderData::SIZE as u16 + most * ItemIdData::SIZE as u16;
    let is_full = !has_few && page.item_count() >= most && !may_reuse();
    if is_full { 0 } else { hole.saturating_sub(ItemIdData::SIZE as u16) }
}

/// What is free, in words that agree with every view: `648 bytes`, the whole hole, with the line pointer that
/// PostgreSQL's arithmetic leaves out. `free`: what [`heap_free_space`] makes of it.
#[must_use]
pub fn hole_words(hole: u16, free: u16) -> String {
    let no_line_pointer = if free == 0 && hole > ItemIdData::SIZE as u16 { " but no line pointer" } else { "" };
    bytes(hole.into()) + no_line_pointer
}
