//! The visibility map of a relation (src/backend/access/heap/visibilitymap.c): setting its bits is logged (VISIBLE),
//! clearing them is not, except in the versions whose records name the map's page.

use super::Instance;
use super::buffers::{BLCKSZ, Buffer, FileId};
use super::xlog::Registered;
use crate::access::transam::{REGBUF_NO_IMAGE, REGBUF_STANDARD};
use ffviz_format::page::maps::VISIBILITYMAP_VALID_BITS;
use ffviz_format::page::vm::heap_blocks_per_page;
use ffviz_format::page::{BlockNumber, ForkNumber, Page, TransactionId};
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::heap2::XlHeapVisible;
use ffviz_format::wal::record_type::Heap2Type;
use ffviz_story::timeline::Unlogged;

impl Instance {
    /// The map's page with the bits of a heap block.
    #[must_use]
    pub const fn vm_buffer(file: FileId, heap_block: BlockNumber) -> Buffer {
        Buffer { file, fork: ForkNumber::Vm, block: heap_block / heap_blocks_per_page(BLCKSZ) }
    }

    /// `visibilitymap_pin`: the page is there afterwards. A map that grows makes all sessions forget the file's target
    /// block.
    pub fn visibilitymap_pin(&mut self, file: FileId, heap_block: BlockNumber) -> Buffer {
        let buf = Self::vm_buffer(file, heap_block);
        let there = self.buffers.nblocks(file, ForkNumber::Vm);
        if buf.block >= there {
            self.extend(file, ForkNumber::Vm, buf.block + 1 - there);
            self.forget_target_block(file);
        }
        if self.buffers.page(buf).is_new() {
            *self.buffers.page_mut(buf) = Page::init(BLCKSZ, 0);
        }
        buf
    }

    /// `vm_readbuf`: the map's page for a heap page, where there is one, is read.
    pub fn read_visibilitymap(&mut self, heap: Buffer) {
        let buf = Self::vm_buffer(heap.file, heap.block);
        if buf.block < self.buffers.nblocks(heap.file, ForkNumber::Vm) {
            self.read_buffer(buf);
        }
    }

    /// `visibilitymap_get_status`: 1 all-visible, 2 all-frozen.
    #[must_use]
    pub fn visibilitymap_status(&self, file: FileId, heap_block: BlockNumber) -> u8 {
        let buf = Self::vm_buffer(file, heap_block);
        if buf.block >= self.buffers.nblocks(file, ForkNumber::Vm) {
            0
        } else {
            self.buffers.page(buf).vm_bits(heap_block)
        }
    }

    /// `visibilitymap_clear`. Was any of the bits set? Then the page belongs to the record that follows.
    pub fn visibilitymap_clear(&mut self, file: FileId, heap_block: BlockNumber, bits: u8) -> bool {
        let buf = Self::vm_buffer(file, heap_block);
        if buf.block >= self.buffers.nblocks(file, ForkNumber::Vm) {
            return false;
        }
        let cleared = self.buffers.page(buf).vm_bits(heap_block) & bits != 0;
        if cleared {
            self.buffers.page_mut(buf).clear_vm_bits(heap_block, bits);
            self.mark_buffer_dirty(buf);
            self.trace.along(buf);
        }
        cleared
    }

    /// `visibilitymap_set` with its record: `flags` as the record has them, `cutoff` the newest xid on the page.
    pub fn visibilitymap_set(&mut self, heap: Buffer, cutoff: TransactionId, flags: u8) {
        let buf = self.visibilitymap_pin(heap.file, heap.block);
        if self.buffers.page(buf).vm_bits(heap.block) == flags & VISIBILITYMAP_VALID_BITS {
            return;
        }
        self.buffers.page_mut(buf).set_vm_bits(heap.block, flags);
        self.mark_buffer_dirty(buf);
        if !self.buffers.is_permanent(heap.file) {
            self.note_unlogged(Unlogged::Relation, buf);
            return;
        }
        let log_hints = self.settings.log_hints();
        let main = XlHeapVisible::make(cutoff, flags);
        let heap_flags = REGBUF_STANDARD | if log_hints { 0 } else { REGBUF_NO_IMAGE };
        let blocks = [
            Registered { id: 0, buf, flags: 0, data: &[], sets_lsn: true },
            Registered { id: 1, buf: heap, flags: heap_flags, data: &[], sets_lsn: log_hints },
        ];
        self.xlog_insert(Rmgr::HEAP2, Heap2Type::Visible.info(self.version), &[&main], &blocks);
    }
}
