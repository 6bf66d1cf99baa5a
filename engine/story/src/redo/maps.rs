//! What redo does to the visibility map and the free space map beside the pages that a record names
//! (`visibilitymap_clear`, src/backend/access/heap/visibilitymap.c; `XLogRecordPageWithFreeSpace`,
//! src/backend/storage/freespace/freespace.c).

use super::Redo;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use ffviz_format::page::fsm::{FsmAddress, slots_per_page};
use ffviz_format::page::maps::category;
use ffviz_format::page::vm::heap_blocks_per_page;
use ffviz_format::page::{ForkNumber, Page};
use ffviz_format::wal::BlockTag;

/// Room below which INSERT and UPDATE tell the free space map: a fifth of a page.
const LOW: u16 = 5;

impl Redo<'_> {
    /// The page of the visibility map that tells about a heap page.
    pub(super) fn vm_tag(&self, heap: BlockTag) -> BlockTag {
        let block = heap.block / heap_blocks_per_page(self.disk.page_size).max(1);
        BlockTag { fork: ForkNumber::Vm, block, ..heap }
    }

    /// Clears bits of the heap pages with these block ids, if the record says that they were cleared. In late minor
    /// versions it names the page of the map, whose LSN changes then; else redo does it in passing.
    pub(super) fn clear_vm(&mut self, cleared: bool, ids: &[u8], bits: u8) {
        if !cleared {
            return;
        }
        let heap: Vec<BlockTag> = ids.iter().filter_map(|id| self.block(*id)).map(|block| block.tag).collect();
        let wanted = heap.iter().filter(|page| self.disk.wants(page.locator));
        self.effects.cleared.extend(wanted.map(|page| (*page, bits)));
        let maps: BTreeSet<BlockTag> = heap.iter().map(|page| self.vm_tag(*page)).collect();
        for map in maps.into_iter().filter(|map| self.disk.wants(map.locator)).collect::<Vec<_>>() {
            let here: Vec<BlockTag> = heap.iter().filter(|page| self.vm_tag(**page) == map).copied().collect();
            let clear = |page: &mut Page| {
                let cleared = here.iter().filter(|heap| page.clear_vm_bits(heap.block, bits));
                cleared.count() > 0
            };
            if let Some(block) = self.record.blocks.iter().find(|block| block.tag == map) {
                self.edit(block.id, |page, _| {
                    clear(page);
                    Ok(())
                });
            } else {
                self.clear_in_passing(map, clear);
            }
        }
    }

    fn clear_in_passing(&mut self, map: BlockTag, clear: impl FnOnce(&mut Page) -> bool) {
        let end = self.record.record.end;
        match self.disk.page_mut(map) {
            None => self.effects.unknown.push(map),
            // bits were set after this record was written: the page has had the change
            Some(page) if page.header().pd_lsn() >= end => {}
            Some(page) => {
                if clear(page) {
                    self.effects.changed.push(map);
                }
            }
        }
    }

    /// What INSERT, MULTI_INSERT and UPDATE do when they changed the page and left little room.
    pub(super) fn note_low_space(&mut self, id: u8, free: Option<u16>) {
        if let Some(free) = free.filter(|free| *free < self.disk.page_size / LOW) {
            self.note_space(id, free);
        }
    }

    /// `XLogRecordPageWithFreeSpace`, if that page of the map is known.
    pub(super) fn note_space(&mut self, id: u8, free: u16) {
        let Some(heap) = self.block(id).map(|block| block.tag) else { return };
        let (size, slots) = (self.disk.page_size, u32::from(slots_per_page(self.disk.page_size)).max(1));
        let address = FsmAddress { level: 0, logpageno: heap.block / slots };
        let map = BlockTag { fork: ForkNumber::Fsm, block: address.block(size), ..heap };
        let Some(page) = self.disk.page_mut(map) else { return };
        if page.is_new() {
            *page = Page::init(size, 0);
        }
        if page.set_fsm_slot((heap.block % slots) as u16, category(free, size)) {
            self.effects.changed.push(map);
        }
    }
}
