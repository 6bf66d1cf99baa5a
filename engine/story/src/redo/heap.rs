//! Redo of Heap records (`heap_redo`, src/backend/access/heap/heapam.c, from 18 on heapam_xlog.c).

use super::tuple::{add_tuple, forget_command, new_header, set_all_visible, set_hot_updated, set_infobits, tuple};
use super::{Action, Redo};
use alloc::format;
use alloc::string::String;
use ffviz_format::heap::{MOVED_PARTITIONS, heap_free_space};
use ffviz_format::page::maps::{VISIBILITYMAP_ALL_FROZEN, VISIBILITYMAP_VALID_BITS};
use ffviz_format::page::{HeaderMut, ItemPointer, OffsetNumber, Page};
use ffviz_format::wal::BlockRef;
use ffviz_format::wal::rec::heap::{
    ALL_VISIBLE_CLEARED, XLH_DELETE_IS_PARTITION_MOVE, XLH_DELETE_IS_SUPER, XLH_INSERT_ALL_FROZEN_SET,
    XLOG_HEAP_INIT_PAGE, XlHeapConfirm, XlHeapDelete, XlHeapHeader, XlHeapInplace13, XlHeapInsert, XlHeapLock,
};
use ffviz_format::wal::record_type::HeapType;

/// Does what the record says.
pub(super) fn redo(redo: &mut Redo<'_>, of: HeapType) {
    match of {
        HeapType::Insert => insert(redo),
        HeapType::Delete => delete(redo),
        HeapType::Update => super::update::redo(redo, false),
        HeapType::HotUpdate => super::update::redo(redo, true),
        HeapType::Confirm => confirm(redo),
        HeapType::Lock => lock(redo, false),
        HeapType::Inplace => inplace(redo),
        // for logical decoding: Storage records cut the files
        HeapType::Truncate => {}
    }
}

/// `heap_xlog_insert`
fn insert(redo: &mut Redo<'_>) {
    let Some(main) = redo.main_data(XlHeapInsert::SIZE).map(XlHeapInsert::new) else { return };
    let (n, flags) = (OffsetNumber(main.offnum()), main.flags());
    let (xid, mut free) = (redo.record.xid(), None);
    let add = |page: &mut Page, block: &BlockRef<'_>| {
        let data = block.data.get(XlHeapHeader::SIZE..).ok_or("the record has no tuple")?;
        let tid = ItemPointer { block: block.tag.block, offset: n };
        let header = new_header(XlHeapHeader::new(block.data), tid, xid, 0);
        add_tuple(page, &header, data)?;
        set_visibility(page, flags);
        free = Some(heap_free_space(page));
        Ok(())
    };
    redo.change_or_init(add);
    redo.clear_vm(flags & ALL_VISIBLE_CLEARED != 0, &[0], VISIBILITYMAP_VALID_BITS);
    redo.note_low_space(0, free);
}

/// The page's flag, as INSERT and MULTI_INSERT set it.
pub(super) fn set_visibility(page: &mut Page, flags: u8) {
    if flags & ALL_VISIBLE_CLEARED != 0 {
        set_all_visible(page, false);
    }
    if flags & XLH_INSERT_ALL_FROZEN_SET != 0 {
        set_all_visible(page, true);
    }
}

/// `heap_xlog_delete`
fn delete(redo: &mut Redo<'_>) {
    let Some(main) = redo.main_data(XlHeapDelete::SIZE).map(XlHeapDelete::new) else { return };
    let (flags, xid) = (main.flags(), redo.record.xid());
    redo.edit(0, |page, block| {
        let mut old = tuple(page, block.tag.block, OffsetNumber(main.offnum()))?;
        set_infobits(&mut old, main.infobits_set());
        set_hot_updated(&mut old, false);
        if flags & XLH_DELETE_IS_SUPER == 0 {
            old.t_xmax = main.xmax();
        } else {
            // a speculative insertion is taken back
            old.t_xmin = 0;
        }
        forget_command(&mut old);
        old.t_ctid = if flags & XLH_DELETE_IS_PARTITION_MOVE == 0 { old.tid } else { MOVED_PARTITIONS };
        old.write(page);
        HeaderMut::of(page).set_prunable(xid);
        if flags & ALL_VISIBLE_CLEARED != 0 {
            set_all_visible(page, false);
        }
        Ok(())
    });
    redo.clear_vm(flags & ALL_VISIBLE_CLEARED != 0, &[0], VISIBILITYMAP_VALID_BITS);
}

/// `heap_xlog_confirm`: a speculative insertion stays.
fn confirm(redo: &mut Redo<'_>) {
    let Some(main) = redo.main_data(XlHeapConfirm::SIZE).map(XlHeapConfirm::new) else { return };
    redo.edit(0, |page, block| {
        let mut new = tuple(page, block.tag.block, OffsetNumber(main.offnum()))?;
        new.t_ctid = new.tid;
        new.write(page);
        Ok(())
    });
}

/// `heap_xlog_lock`, and with `updated` `heap_xlog_lock_updated`: the lock goes on to a newer version.
pub(super) fn lock(redo: &mut Redo<'_>, updated: bool) {
    let Some(main) = redo.main_data(XlHeapLock::SIZE).map(XlHeapLock::new) else { return };
    redo.edit(0, |page, block| {
        let mut old = tuple(page, block.tag.block, OffsetNumber(main.offnum()))?;
        set_infobits(&mut old, main.infobits_set());
        if !updated && old.is_locked_only() {
            set_hot_updated(&mut old, false);
            old.t_ctid = old.tid;
        }
        old.t_xmax = main.xmax();
        if !updated {
            forget_command(&mut old);
        }
        old.write(page);
        Ok(())
    });
    redo.clear_vm(main.flags() & ALL_VISIBLE_CLEARED != 0, &[0], VISIBILITYMAP_ALL_FROZEN);
}

/// `heap_xlog_inplace`: the columns of a catalog row are overwritten. In all versions the struct begins with the line
/// pointer.
fn inplace(redo: &mut Redo<'_>) {
    let Some(main) = redo.main_data(XlHeapInplace13::SIZE).map(XlHeapInplace13::new) else { return };
    redo.edit(0, |page, block| {
        let row = tuple(page, block.tag.block, OffsetNumber(main.offnum()))?;
        let place = row.data();
        if place.len() != block.data.len() {
            return Err(wrong_length(block.data.len(), place.len()));
        }
        page.write_bytes(place.start, block.data);
        Ok(())
    });
}

fn wrong_length(is: usize, wanted: usize) -> String {
    format!("the record has {is} bytes for a row of {wanted}")
}

impl<'a> Redo<'a> {
    /// A change of block 0, which is made anew first where the record says so.
    pub(super) fn change_or_init(
        &mut self,
        apply: impl FnOnce(&mut Page, &BlockRef<'a>) -> Result<(), String>,
    ) -> Action {
        if self.record.info() & XLOG_HEAP_INIT_PAGE == 0 {
            return self.edit(0, apply);
        }
        let size = self.disk.page_size;
        self.init(0, |block| {
            let mut page = Page::init(size, 0);
            apply(&mut page, block)?;
            Ok(page)
        })
    }
}
