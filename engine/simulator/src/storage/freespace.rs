//! The free space map: where a page with room is looked for, and where room is recorded
//! (src/backend/storage/freespace/{freespace,fsmpage}.c).
//!
//! ```text
//!  root ── level 1 ── leaf pages: a slot a heap block          a search goes down from the root, to the right of the last answer;
//!                                                              where a page below has less than its slot above says, the slot is
//!                                                              corrected and the search begins again
//! ```

use super::Instance;
use super::buffers::{BLCKSZ, Buffer, FileId};
use core::ops::Range;
use ffviz_format::page::fsm::{FsmAddress, slots_per_page};
use ffviz_format::page::maps::{category, category_needed};
use ffviz_format::page::{BlockNumber, ForkNumber, Page};
use ffviz_story::timeline::Unlogged;

/// The root page's level.
const ROOT: FsmAddress = FsmAddress { level: 2, logpageno: 0 };
/// How often a search begins again at most; PostgreSQL gives up after so many.
const RESTARTS: u32 = 10_000;

/// The leaf page with a heap block's slot, and the slot (`fsm_get_location`).
const fn location(heap_block: BlockNumber) -> (FsmAddress, u16) {
    let slots = slots_per_page(BLCKSZ) as u32;
    (FsmAddress { level: 0, logpageno: heap_block / slots }, (heap_block % slots) as u16)
}

/// `fsm_get_parent`
const fn parent(of: FsmAddress) -> (FsmAddress, u16) {
    let slots = slots_per_page(BLCKSZ) as u32;
    (FsmAddress { level: of.level + 1, logpageno: of.logpageno / slots }, (of.logpageno % slots) as u16)
}

/// `fsm_get_child`
const fn child(of: FsmAddress, slot: u16) -> FsmAddress {
    FsmAddress { level: of.level - 1, logpageno: of.logpageno * slots_per_page(BLCKSZ) as u32 + slot as u32 }
}

impl Instance {
    fn fsm_buffer(file: FileId, page: FsmAddress) -> Buffer {
        Buffer { file, fork: ForkNumber::Fsm, block: page.block(BLCKSZ) }
    }

    /// `fsm_readbuf`: the page, where it exists; one that was never used is initialised when it is read.
    fn fsm_read(&mut self, file: FileId, page: FsmAddress, extend: bool) -> Option<Buffer> {
        let buf = Self::fsm_buffer(file, page);
        let there = self.buffers.nblocks(file, ForkNumber::Fsm);
        if buf.block >= there {
            if !extend {
                return None;
            }
            self.extend(file, ForkNumber::Fsm, buf.block + 1 - there);
        } else {
            self.read_buffer(buf);
        }
        if self.buffers.page(buf).is_new() {
            *self.buffers.page_mut(buf) = Page::init(BLCKSZ, 0);
        }
        Some(buf)
    }

    /// `fsm_set_avail` with what makes the change known.
    fn fsm_set(&mut self, buf: Buffer, slot: u16, category: u8) {
        if self.buffers.page_mut(buf).set_fsm_slot(slot, category) {
            self.mark_buffer_dirty_hint(buf, false);
            self.note_unlogged(Unlogged::FreeSpaceMap, buf);
        }
    }

    /// `fsm_search_avail`; the next search goes on from here, behind the slot where `advance` says so.
    fn fsm_search_avail(&mut self, buf: Buffer, needed: u8, advance: bool) -> Option<u16> {
        let slot = self.buffers.page(buf).search_fsm(needed)?;
        self.buffers.page_mut(buf).set_fp_next_slot(slot + u16::from(advance));
        self.note_unlogged(Unlogged::FreeSpaceMap, buf);
        Some(slot)
    }

    /// `fsm_search`: from the root down.
    fn fsm_search(&mut self, file: FileId, needed: u8) -> Option<BlockNumber> {
        let mut page = ROOT;
        for _ in 0..RESTARTS {
            let buf = self.fsm_read(file, page, false);
            let found = buf.and_then(|buf| self.fsm_search_avail(buf, needed, page.level == 0));
            match found {
                Some(slot) if page.level == 0 => {
                    let block = page.logpageno * u32::from(slots_per_page(BLCKSZ)) + u32::from(slot);
                    if self.fsm_does_block_exist(file, block) {
                        return Some(block);
                    }
                    let buf = buf?;
                    self.fsm_set(buf, slot, 0);
                    page = ROOT;
                }
                Some(slot) => page = child(page, slot),
                None if page == ROOT => return None,
                None => {
                    let least = buf.map_or(0, |buf| self.buffers.page(buf).fsm_root());
                    let (above, slot) = parent(page);
                    let above = self.fsm_read(file, above, true)?;
                    self.fsm_set(above, slot, least);
                    page = ROOT;
                }
            }
        }
        None
    }

    /// Do late minor versions find the block in the file? Earlier ones do not ask.
    fn fsm_does_block_exist(&self, file: FileId, block: BlockNumber) -> bool {
        block < self.buffers.nblocks(file, ForkNumber::Main)
    }

    /// `GetPageWithFreeSpace`: a block that should have so much room.
    pub fn get_page_with_free_space(&mut self, file: FileId, space: u16) -> Option<BlockNumber> {
        self.fsm_search(file, category_needed(space, BLCKSZ))
    }

    /// `RecordPageWithFreeSpace`: the leaf level only.
    pub fn record_page_with_free_space(&mut self, file: FileId, block: BlockNumber, free: u16) {
        let (leaf, slot) = location(block);
        if let Some(buf) = self.fsm_read(file, leaf, true) {
            self.fsm_set(buf, slot, category(free, BLCKSZ));
        }
    }

    /// `RecordAndGetPageWithFreeSpace`: records one block's room and looks for another with enough, on the same leaf
    /// page first.
    pub fn record_and_get_page_with_free_space(
        &mut self,
        file: FileId,
        old: BlockNumber,
        free: u16,
        needed: u16,
    ) -> Option<BlockNumber> {
        let (leaf, slot) = location(old);
        let needed = category_needed(needed, BLCKSZ);
        let buf = self.fsm_read(file, leaf, true)?;
        self.fsm_set(buf, slot, category(free, BLCKSZ));
        if let Some(slot) = self.fsm_search_avail(buf, needed, true) {
            let block = leaf.logpageno * u32::from(slots_per_page(BLCKSZ)) + u32::from(slot);
            if self.fsm_does_block_exist(file, block) {
                return Some(block);
            }
        }
        self.fsm_search(file, needed)
    }

    /// `GetRecordedFreeSpace` as a category.
    pub fn recorded_free_space(&mut self, file: FileId, block: BlockNumber) -> u8 {
        let (leaf, slot) = location(block);
        self.fsm_read(file, leaf, false).map_or(0, |buf| self.buffers.page(buf).fsm_slot(slot))
    }

    /// `FreeSpaceMapVacuumRange`: raises and lowers the upper levels to what is below, for these heap blocks.
    pub fn free_space_map_vacuum_range(&mut self, file: FileId, blocks: Range<BlockNumber>) {
        if !blocks.is_empty() {
            self.fsm_vacuum_page(file, ROOT, &blocks);
        }
    }

    /// `fsm_vacuum_page`: the page's greatest category, and whether it is there.
    fn fsm_vacuum_page(&mut self, file: FileId, page: FsmAddress, blocks: &Range<BlockNumber>) -> Option<u8> {
        let buf = self.fsm_read(file, page, false)?;
        if page.level > 0 {
            let mut eof = false;
            for slot in slots_below(page, blocks) {
                let found = if eof { None } else { self.fsm_vacuum_page(file, child(page, slot), blocks) };
                eof |= found.is_none();
                if self.buffers.page(buf).fsm_slot(slot) != found.unwrap_or(0) {
                    self.fsm_set(buf, slot, found.unwrap_or(0));
                }
            }
        }
        let greatest = self.buffers.page(buf).fsm_root();
        self.buffers.page_mut(buf).set_fp_next_slot(0);
        self.note_unlogged(Unlogged::FreeSpaceMap, buf);
        Some(greatest)
    }
}

/// The slots of an upper page that lead to these heap blocks.
fn slots_below(page: FsmAddress, blocks: &Range<BlockNumber>) -> Range<u16> {
    let slots = u32::from(slots_per_page(BLCKSZ));
    // pages of the level below that lead to the first and the last block
    let below = slots.pow(u32::from(page.level));
    let (first, last) = (blocks.start / below, (blocks.end - 1) / below);
    let own = page.logpageno * slots;
    let from = first.saturating_sub(own).min(slots);
    let to = if last < own { 0 } else { (last - own + 1).min(slots) };
    from as u16..to as u16
}
