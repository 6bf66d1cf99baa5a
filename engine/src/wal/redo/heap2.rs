//! Redo of Heap2 records (`heap2_redo`, src/backend/access/heap/heapam.c, from 18 on heapam_xlog.c).

use super::heap::{ALL_VISIBLE_CLEARED, XLOG_HEAP_INIT_PAGE, XLOG_HEAP_OPMASK, lock, set_visibility};
use super::tuple::{NewHeader, at, item, set_all_visible};
use super::{Redo, prune};
use crate::heap::heap_free_space;
use crate::page::maps::VISIBILITYMAP_VALID_BITS;
use crate::page::{ItemPointer, OffsetNumber, Page};
use crate::wal::BlockRef;
use alloc::string::String;

/// Does what the record says.
pub(super) fn redo(redo: &mut Redo<'_>) {
    // REWRITE, 0x00, and NEW_CID, 0x70, are for logical decoding
    match redo.record.info() & XLOG_HEAP_OPMASK {
        kind @ 0x10..=0x30 => prune::redo(redo, kind),
        0x40 => visible(redo),
        0x50 => multi_insert(redo),
        0x60 => lock(redo, true),
        _ => {}
    }
}

/// `heap_xlog_visible`: block 0 is the page of the map, block 1 the heap page; `xl_heap_visible` is {xid u32, flags u8}.
fn visible(redo: &mut Redo<'_>) {
    let Some(main) = redo.main_data(5) else { return };
    let bits = at::<u8>(main, 4) & VISIBILITYMAP_VALID_BITS;
    let Some(heap) = redo.block(1).map(|block| block.tag) else { return };
    redo.edit(0, |page, _| {
        if page.is_new() {
            *page = Page::init(page.size(), 0);
        }
        page.set_vm_bits(heap.block, bits);
        Ok(())
    });
    redo.edit_hint(1, |page, _| {
        set_all_visible(page, true);
        Ok(())
    });
    if let Some(page) = redo.disk.page(heap) {
        let hole = page.header().pd_upper().saturating_sub(page.header().pd_lower());
        redo.note_space(1, hole.saturating_sub(4));
    }
}

/// `heap_xlog_multi_insert`: `xl_heap_multi_insert` is {flags u8, padding, ntuples u16, offsets …}.
fn multi_insert(redo: &mut Redo<'_>) {
    let Some(main) = redo.main_data(4) else { return };
    let (flags, mut free) = (at::<u8>(main, 0), None);
    let insert = MultiInsert {
        xid: redo.record.xid(),
        ntuples: at(main, 2),
        offsets: main.get(4..).unwrap_or(&[]),
        is_init: redo.record.info() & XLOG_HEAP_INIT_PAGE != 0,
    };
    redo.change_or_init(|page, block| {
        // all of them or none
        let mut changed = page.clone();
        insert.add(&mut changed, block)?;
        *page = changed;
        set_visibility(page, flags);
        free = Some(heap_free_space(page));
        Ok(())
    });
    redo.clear_vm(flags & ALL_VISIBLE_CLEARED != 0, &[0], VISIBILITYMAP_VALID_BITS);
    redo.note_low_space(0, free);
}

struct MultiInsert<'a> {
    xid: u32,
    ntuples: u16,
    /// numbers of the line pointers, unless the page is made anew
    offsets: &'a [u8],
    is_init: bool,
}

impl MultiInsert<'_> {
    /// Adds the tuples; each is an `xl_multi_insert_tuple` {datalen u16, `xl_heap_header`} at an even position, and the data.
    fn add(&self, page: &mut Page, block: &BlockRef<'_>) -> Result<(), String> {
        const DATALEN: usize = 2;
        let (data, mut next) = (block.data, 0_usize);
        for i in 0..self.ntuples {
            let n = if self.is_init { i.saturating_add(1) } else { at(self.offsets, usize::from(i) * 2) };
            let start = next.next_multiple_of(2);
            let from = start + DATALEN + NewHeader::SIZE;
            next = from + usize::from(at::<u16>(data, start));
            let bytes = data.get(from..next).ok_or("the record ends within a tuple")?;
            let tid = ItemPointer { block: block.tag.block, offset: OffsetNumber(n) };
            let header = NewHeader::read(&data[start + DATALEN..]).tuple(tid, self.xid, 0);
            page.add_item(&item(&header, &[bytes]), tid.offset, true)?;
        }
        if next == data.len() { Ok(()) } else { Err(String::from("bytes are left behind the last tuple")) }
    }
}
