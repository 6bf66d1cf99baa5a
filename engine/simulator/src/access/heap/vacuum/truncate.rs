//! Giving back empty pages at the end of the table (`lazy_truncate_heap`, vacuumlazy.c; `RelationTruncate`,
//! src/backend/catalog/storage.c).
//!
//! ```text
//!  0 1 2 … last with something on it │ empty … empty │      worth it from 1,000 pages or a sixteenth of the table on
//! ```

use super::LazyVacuum;
use crate::access::transam::{log_access_exclusive_locks, log_smgr_truncate};
use crate::storage::{BLCKSZ, Buffer, Instance, RelationData};
use alloc::format;
use ffviz_format::page::fsm::FsmAddress;
use ffviz_format::page::vm::heap_blocks_per_page;
use ffviz_format::page::{BlockNumber, ForkNumber, LpFlags, thousands};
use ffviz_story::timeline::Unlogged;

/// `REL_TRUNCATE_MINIMUM`
const REL_TRUNCATE_MINIMUM: BlockNumber = 1000;
/// `REL_TRUNCATE_FRACTION`
const REL_TRUNCATE_FRACTION: BlockNumber = 16;
/// `SMGR_TRUNCATE_ALL`
const SMGR_TRUNCATE_ALL: i32 = 7;

impl LazyVacuum<'_> {
    /// `should_attempt_truncation`
    pub(super) fn should_attempt_truncation(&self) -> bool {
        let freeable = self.rel_pages - self.nonempty_pages;
        let is_worth_it = freeable >= REL_TRUNCATE_MINIMUM || freeable >= self.rel_pages / REL_TRUNCATE_FRACTION;
        self.params.truncate && freeable > 0 && is_worth_it
    }

    /// `lazy_truncate_heap`
    pub(super) fn lazy_truncate_heap(&mut self, pg: &mut Instance) {
        if !self.should_attempt_truncation() {
            return;
        }
        if !self.params.may_lock_exclusively {
            pg.trace.tell(None, || "the table's end is not cut off, since another session has the table locked".into());
            return;
        }
        self.lock_exclusively(pg);
        let blocks = self.count_nondeletable_pages(pg);
        if blocks < self.rel_pages {
            let before = self.rel_pages;
            pg.trace.tell(None, || {
                let [before, blocks] = [before, blocks].map(|pages| thousands(pages.into()));
                format!("the table's end is cut off: {before} pages become {blocks}")
            });
            relation_truncate(pg, self.rel, blocks);
            self.rel_pages = blocks;
        }
    }

    /// `LogAccessExclusiveLock`: the lock, also of an unlogged table, is told to standbys, for which the transaction
    /// needs an xid.
    fn lock_exclusively(&self, pg: &mut Instance) {
        let Some(xid) = pg.tell_of_lock() else { return };
        let lock = (xid, self.params.database, self.rel.oid);
        pg.log_about_no_page(|wal, backend| log_access_exclusive_locks(wal, backend, &[lock]));
    }

    /// `count_nondeletable_pages`: from the end on backwards; any line pointer in use keeps a page.
    fn count_nondeletable_pages(&self, pg: &Instance) -> BlockNumber {
        let is_used = |block: &BlockNumber| {
            let page = pg.buffers.page(Buffer::main(self.rel.file, *block));
            page.line_pointers().any(|(_, lp)| lp.lp_flags() != LpFlags::Unused)
        };
        let last = (self.nonempty_pages..self.rel_pages).rev().find(is_used);
        last.map_or(self.nonempty_pages, |block| block + 1)
    }
}

/// `RelationTruncate`: the table and its maps become shorter, and every session forgets the table's target block.
pub fn relation_truncate(pg: &mut Instance, rel: &RelationData, blocks: BlockNumber) {
    pg.forget_target_block(rel.file);
    let fsm = prepare_fsm(pg, rel, blocks);
    let vm = prepare_vm(pg, rel, blocks);
    if rel.permanent {
        let locator = pg.buffers.locator(rel.file);
        pg.log_about_no_page(|wal, backend| log_smgr_truncate(wal, backend, locator, blocks, SMGR_TRUNCATE_ALL));
    }
    pg.buffers.truncate(rel.file, ForkNumber::Main, blocks);
    if let Some(keep) = fsm {
        pg.buffers.truncate(rel.file, ForkNumber::Fsm, keep);
    }
    if let Some(keep) = vm {
        pg.buffers.truncate(rel.file, ForkNumber::Vm, keep);
    }
    if fsm.is_some() {
        pg.free_space_map_vacuum_range(rel.file, blocks..BlockNumber::MAX);
    }
}

/// A page of a map was cleared from some place on. Under checksums its image is logged, as a hint's would be.
fn log_map_page(pg: &mut Instance, rel: &RelationData, buf: Buffer, why: Unlogged) {
    pg.mark_buffer_dirty(buf);
    if rel.permanent && pg.settings.log_hints() {
        pg.log_newpage_buffer(buf, false);
    } else {
        pg.note_unlogged(why, buf);
    }
}

/// `FreeSpaceMapPrepareTruncateRel`: clears the slots behind the end; gives how many pages of the map stay, if it is to
/// be cut.
fn prepare_fsm(pg: &mut Instance, rel: &RelationData, blocks: BlockNumber) -> Option<BlockNumber> {
    let slots = u32::from(ffviz_format::page::fsm::slots_per_page(BLCKSZ));
    let leaf = FsmAddress { level: 0, logpageno: blocks / slots }.block(BLCKSZ);
    let (slot, there) = ((blocks % slots) as u16, pg.buffers.nblocks(rel.file, ForkNumber::Fsm));
    if slot == 0 {
        return (there > leaf).then_some(leaf);
    }
    if leaf >= there {
        return None;
    }
    let buf = Buffer { file: rel.file, fork: ForkNumber::Fsm, block: leaf };
    pg.buffers.page_mut(buf).truncate_fsm(slot);
    log_map_page(pg, rel, buf, Unlogged::FreeSpaceMap);
    Some(leaf + 1)
}

/// `visibilitymap_prepare_truncate`: the same of the visibility map.
fn prepare_vm(pg: &mut Instance, rel: &RelationData, blocks: BlockNumber) -> Option<BlockNumber> {
    let (per_page, there) = (heap_blocks_per_page(BLCKSZ), pg.buffers.nblocks(rel.file, ForkNumber::Vm));
    let mut keep = blocks / per_page;
    if !blocks.is_multiple_of(per_page) {
        if keep >= there {
            return None;
        }
        let buf = Buffer { file: rel.file, fork: ForkNumber::Vm, block: keep };
        pg.buffers.page_mut(buf).truncate_vm(blocks);
        log_map_page(pg, rel, buf, Unlogged::VisibilityMap);
        keep += 1;
    }
    (there > keep).then_some(keep)
}
