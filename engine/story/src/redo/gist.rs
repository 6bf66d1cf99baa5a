//! Redo of GiST records (`gist_redo`, src/backend/access/gist/gistxlog.c): of `PAGE_UPDATE` of one page; of the others
//! only the images are taken.

use super::{Redo, other};
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::gist::{F_LEAF, F_TUPLES_DELETED, gist_mark, gist_opaque};
use ffviz_format::page::layout::Wire;
use ffviz_format::page::nbtree::{INDEX_SIZE_MASK, IndexTupleData};
use ffviz_format::page::{OffsetNumber, Page};
use ffviz_format::wal::rec::gist::{GistxlogPageUpdate, XLOG_GIST_PAGE_UPDATE};

/// Does what the record says.
pub(super) fn redo(redo: &mut Redo<'_>) {
    const OF_RMGR: u8 = 0xF0;
    let is_update = redo.record.info() & OF_RMGR == XLOG_GIST_PAGE_UPDATE;
    // a second page is that of a split which this downlink ends
    if !is_update || redo.block(1).is_some() {
        return other::take_images(redo, true);
    }
    let Some(main) = redo.main_data(GistxlogPageUpdate::SIZE) else { return };
    let update = GistxlogPageUpdate::new(main);
    let (deleted, inserted) = (update.ntodelete(), update.ntoinsert());
    let major = redo.disk.version.major();
    redo.change(0, |page, block| page_update(page, block.data, (deleted, inserted), major));
}

/// `gistRedoPageUpdateRecord`
fn page_update(page: &mut Page, data: &[u8], (deleted, inserted): (u16, u16), major: u32) -> Result<(), String> {
    let numbers = usize::from(deleted) * u16::SIZE;
    let (numbers, mut tuples) = data.split_at_checked(numbers).ok_or("numbers of items are missing")?;
    let numbers: Vec<OffsetNumber> = numbers.chunks_exact(u16::SIZE).map(|n| OffsetNumber(u16::get(n))).collect();
    if let ([only], 1) = (&numbers[..], inserted) {
        return page.index_tuple_overwrite(*only, tuples);
    }
    if !numbers.is_empty() {
        page.index_multi_delete(&numbers, major)?;
        if gist_opaque(page).is_some_and(|opaque| opaque.flags() & F_LEAF != 0) {
            gist_mark(page, F_TUPLES_DELETED)?;
        }
    }
    while !tuples.is_empty() {
        let header = tuples.get(..IndexTupleData::SIZE).ok_or("a tuple is cut off")?;
        let size = usize::from(IndexTupleData::new(header).t_info() & INDEX_SIZE_MASK);
        let (tuple, rest) = tuples.split_at_checked(size).filter(|_| size > 0).ok_or("a tuple is cut off")?;
        page.add_item(tuple, OffsetNumber(page.item_count() + 1), false)?;
        tuples = rest;
    }
    Ok(())
}
