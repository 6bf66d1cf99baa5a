//! `DEDUP`, `DELETE`, `VACUUM` (`btree_xlog_dedup`, `btree_xlog_delete`, `btree_xlog_vacuum`): a leaf gets smaller.

use crate::redo::Redo;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::nbtree::Opaque;
use ffviz_format::nbtree::flags::BTP_HAS_GARBAGE;
use ffviz_format::nbtree::posting::{form_posting, heap_tids, update_posting};
use ffviz_format::page::{ItemPointer, OffsetNumber, Page};
use ffviz_format::wal::BlockRef;
use ffviz_format::wal::rec::btree::{
    BTDedupInterval, LeafLists, XlBtreeDedup, XlBtreeDelete, XlBtreeDelete13, XlBtreeVacuum,
};

/// Neighbours with equal keys become posting lists; the record says which.
pub(super) fn dedup(redo: &mut Redo<'_>) {
    let nintervals = XlBtreeDedup::new(redo.record.main_data).nintervals();
    redo.edit(0, |page, block| {
        let intervals = block.data.chunks_exact(BTDedupInterval::SIZE).take(usize::from(nintervals));
        let intervals: Vec<(u16, u16)> =
            intervals.map(BTDedupInterval::new).map(|interval| (interval.baseoff(), interval.nitems())).collect();
        *page = deduplicated(page, &intervals)?;
        Ok(())
    });
}

/// The page with each interval (first item, number of items) merged.
fn deduplicated(old: &Page, intervals: &[(u16, u16)]) -> Result<Page, String> {
    let mut opaque = Opaque::of(old)?;
    opaque.btpo_flags &= !BTP_HAS_GARBAGE;
    let mut page = opaque.page(old.size());
    let mut intervals = intervals.iter().peekable();
    let mut n = 1;
    while n <= old.item_count() {
        let item = old.index_item(OffsetNumber(n))?;
        let merged = intervals.next_if(|(baseoff, _)| *baseoff == n && n >= opaque.first_data_key());
        let place = OffsetNumber(page.item_count() + 1);
        match merged {
            Some((_, nitems)) => {
                page.add_item(&merge(old, n, *nitems)?, place, false)?;
                n = n.saturating_add((*nitems).max(1));
            }
            None => {
                page.add_item(item, place, false)?;
                n += 1;
            }
        }
    }
    match intervals.next() {
        Some((baseoff, _)) => Err(alloc::format!("the items to be merged from {baseoff} on are not there")),
        None => Ok(page),
    }
}

/// One posting list of so many items from a number on.
fn merge(page: &Page, first: u16, nitems: u16) -> Result<Vec<u8>, String> {
    let mut tids: Vec<ItemPointer> = Vec::new();
    for n in first..first.saturating_add(nitems) {
        let item = page.index_item(OffsetNumber(n))?;
        tids.extend(heap_tids(item)?.0);
        if tids.len() > usize::from(page.size()) {
            return Err(String::from("more TIDs than a page can hold are to be merged"));
        }
    }
    form_posting(page.index_item(OffsetNumber(first))?, &tids)
}

/// Items that a scan or the heap said are dead.
pub(super) fn delete(redo: &mut Redo<'_>) {
    let main = redo.record.main_data;
    // the counts of 14 and 15 stand where those of 16 do
    let (ndeleted, nupdated) = if !redo.record.version.deletes_from_posting_lists() {
        (XlBtreeDelete13::new(main).ndeleted(), 0)
    } else {
        let delete = XlBtreeDelete::new(main);
        (u32::from(delete.ndeleted()), delete.nupdated())
    };
    shrink(redo, ndeleted, nupdated);
}

/// Items whose rows VACUUM found dead.
pub(super) fn vacuum(redo: &mut Redo<'_>) {
    let vacuum = XlBtreeVacuum::new(redo.record.main_data);
    shrink(redo, u32::from(vacuum.ndeleted()), vacuum.nupdated());
}

/// Posting lists get shorter first, so that the numbers of the items still hold; then whole items go.
fn shrink(redo: &mut Redo<'_>, ndeleted: u32, nupdated: u16) {
    let version = redo.record.version;
    let apply = |page: &mut Page, block: &BlockRef<'_>| {
        let lists = LeafLists::new(block.data, ndeleted, nupdated);
        for update in &lists.updates {
            let n = OffsetNumber(update.offset);
            let tuple = update_posting(page.index_item(n)?, &update.ptids.values())?;
            page.index_tuple_overwrite(n, &tuple)?;
        }
        let mut opaque = Opaque::of(page)?;
        opaque.btpo_flags &= !BTP_HAS_GARBAGE;
        let deleted: Vec<OffsetNumber> = lists.deleted.each().map(OffsetNumber).collect();
        page.index_multi_delete(&deleted, version.major())?;
        opaque.write(page);
        Ok(())
    };
    // the first posting list may be as the record says, and the second not
    if nupdated > 0 {
        redo.change(0, apply)
    } else {
        redo.edit(0, apply)
    };
}
