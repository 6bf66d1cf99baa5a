//! Redo of Heap2 records (`heap2_redo`, src/backend/access/heap/heapam.c, from 18 on heapam_xlog.c).

use super::heap::{lock, set_visibility};
use super::tuple::{add_tuple, new_header, set_all_visible};
use super::{Redo, prune};
use alloc::string::String;
use ffviz_format::heap::heap_free_space;
use ffviz_format::page::maps::VISIBILITYMAP_VALID_BITS;
use ffviz_format::page::{ItemPointer, OffsetNumber, Page};
use ffviz_format::wal::BlockRef;
use ffviz_format::wal::rec::Cut;
use ffviz_format::wal::rec::heap::{ALL_VISIBLE_CLEARED, XLOG_HEAP_INIT_PAGE, XlHeapHeader};
use ffviz_format::wal::rec::heap2::{XlHeapMultiInsert, XlHeapVisible, XlMultiInsertTuple};
use ffviz_format::wal::record_type::Heap2Type;

/// Does what the record says.
pub(super) fn redo(redo: &mut Redo<'_>, of: Heap2Type) {
    match of {
        Heap2Type::Clean | Heap2Type::Prune => prune::prune(redo),
        Heap2Type::Vacuum => prune::vacuum(redo),
        Heap2Type::FreezePage => prune::freeze_page(redo),
        Heap2Type::PruneOnAccess | Heap2Type::PruneVacuumScan | Heap2Type::PruneVacuumCleanup => {
            prune::prune_freeze(redo)
        }
        Heap2Type::Visible => visible(redo),
        Heap2Type::MultiInsert => multi_insert(redo),
        Heap2Type::LockUpdated => lock(redo, true),
        // about snapshots on standbys, and for logical decoding
        Heap2Type::CleanupInfo | Heap2Type::Rewrite | Heap2Type::NewCid => {}
    }
}

/// `heap_xlog_visible`: block 0 is the page of the map, block 1 the heap page.
fn visible(redo: &mut Redo<'_>) {
    let Some(main) = redo.main_data(XlHeapVisible::SIZE).map(XlHeapVisible::new) else { return };
    let bits = main.flags() & VISIBILITYMAP_VALID_BITS;
    let Some(heap) = redo.block(1).map(|block| block.tag) else { return };
    if let Some(map) = redo.block(0).filter(|block| block.image.is_none_or(|image| !image.apply)) {
        redo.disk.begin_map(map.tag);
    }
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

/// `heap_xlog_multi_insert`
fn multi_insert(redo: &mut Redo<'_>) {
    let Some(main) = redo.main_data(XlHeapMultiInsert::SIZE) else { return };
    let (offsets, main) = (&main[XlHeapMultiInsert::SIZE..], XlHeapMultiInsert::new(main));
    let (flags, mut free) = (main.flags(), None);
    let is_init = redo.record.info() & XLOG_HEAP_INIT_PAGE != 0;
    let insert = MultiInsert { xid: redo.record.xid(), ntuples: main.ntuples(), offsets, is_init };
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
    /// Adds the tuples, which begin at even positions.
    fn add(&self, page: &mut Page, block: &BlockRef<'_>) -> Result<(), String> {
        let (mut cut, mut offsets) = (Cut::new(block.data), Cut::new(self.offsets));
        for i in 0..self.ntuples {
            let offset = OffsetNumber(if self.is_init { i.saturating_add(1) } else { offsets.value() });
            let tid = ItemPointer { block: block.tag.block, offset };
            cut.align(2);
            let head = cut.take(XlMultiInsertTuple::SIZE).bytes;
            let wanted = usize::from(XlMultiInsertTuple::new(head).datalen());
            let data = cut.take(wanted).bytes;
            if data.len() != wanted || wanted == 0 {
                return Err(String::from("the record ends within a tuple"));
            }
            // behind datalen the struct is an xl_heap_header
            let kept = XlHeapHeader::new(&head[size_of::<u16>()..]);
            add_tuple(page, &new_header(kept, tid, self.xid, 0), data)?;
        }
        if cut.is_empty() { Ok(()) } else { Err(String::from("bytes are left behind the last tuple")) }
    }
}
