//! Redo of Storage records (`smgr_redo`, src/backend/catalog/storage.c): a table loses its end, and its maps theirs.
//!
//! ```text
//!  main ├ 0 ┼ 1 ┼ 2 ┼ 3 ┤ ──▶ ├ 0 ┼ 1 ┤     maps: whole pages behind go, on the last page the rest is cleared
//! ```

use super::{Redo, RelFileLocator};
use ffviz_format::page::fsm::{FsmAddress, slots_per_page};
use ffviz_format::page::vm::heap_blocks_per_page;
use ffviz_format::page::{BlockNumber, ForkNumber, Page};
use ffviz_format::wal::BlockTag;
use ffviz_format::wal::rec::other::{XlSmgrCreate, XlSmgrTruncate};
use ffviz_format::wal::record_type::SmgrType;

/// `SMGR_TRUNCATE_HEAP`
const SMGR_TRUNCATE_HEAP: i32 = 1;
/// `SMGR_TRUNCATE_VM`
const SMGR_TRUNCATE_VM: i32 = 2;
/// `SMGR_TRUNCATE_FSM`
const SMGR_TRUNCATE_FSM: i32 = 4;

/// Does what the record says.
pub(super) fn redo(redo: &mut Redo<'_>, of: SmgrType) {
    match of {
        SmgrType::Create => create(redo),
        SmgrType::Truncate => truncate(redo),
    }
}

/// `XLOG_SMGR_CREATE`: a file without pages, and without maps.
fn create(redo: &mut Redo<'_>) {
    const MAIN_FORKNUM: i32 = 0;
    let Some(main) = redo.main_data(XlSmgrCreate::SIZE).map(XlSmgrCreate::new) else { return };
    if main.forkNum() == MAIN_FORKNUM && redo.disk.wants(main.rlocator()) {
        redo.disk.without_map(main.rlocator());
    }
}

/// `XLOG_SMGR_TRUNCATE`
fn truncate(redo: &mut Redo<'_>) {
    let Some(main) = redo.main_data(XlSmgrTruncate::SIZE).map(XlSmgrTruncate::new) else { return };
    let (locator, blocks, flags) = (main.rlocator(), main.blkno(), main.flags());
    if !redo.disk.wants(locator) {
        return;
    }
    let cut = Cut { locator, blocks };
    if flags & SMGR_TRUNCATE_HEAP != 0 {
        redo.disk.truncate(locator, ForkNumber::Main, blocks, redo.record.record.end);
        redo.effects.truncated.push((locator, ForkNumber::Main, blocks));
    }
    if flags & SMGR_TRUNCATE_FSM != 0 {
        cut.fsm(redo);
    }
    if flags & SMGR_TRUNCATE_VM != 0 {
        cut.vm(redo);
    }
}

/// A table that is cut to so many blocks.
struct Cut {
    locator: RelFileLocator,
    blocks: BlockNumber,
}

impl Cut {
    const fn tag(&self, fork: ForkNumber, block: BlockNumber) -> BlockTag {
        BlockTag { locator: self.locator, fork, block }
    }

    fn truncate(&self, redo: &mut Redo<'_>, fork: ForkNumber, blocks: BlockNumber) {
        if redo.disk.truncate(self.locator, fork, blocks, redo.record.record.end) > 0 {
            redo.effects.truncated.push((self.locator, fork, blocks));
        }
    }

    /// `visibilitymap_prepare_truncate`
    fn vm(&self, redo: &mut Redo<'_>) {
        let per_page = heap_blocks_per_page(redo.disk.page_size).max(1);
        let (last, within) = (self.blocks / per_page, self.blocks % per_page);
        let tag = self.tag(ForkNumber::Vm, last);
        if within > 0 {
            let is_newer = redo.disk.is_newer(tag, redo.record.record.end);
            let page = redo.disk.page_mut(tag).filter(|_| !is_newer);
            if page.is_some_and(|page| page.truncate_vm(self.blocks)) {
                redo.effects.changed.push(tag);
            }
        }
        self.truncate(redo, ForkNumber::Vm, last.saturating_add(u32::from(within > 0)));
    }

    /// `FreeSpaceMapPrepareTruncateRel`, and `FreeSpaceMapVacuumRange` for the pages above.
    fn fsm(&self, redo: &mut Redo<'_>) {
        let size = redo.disk.page_size;
        let slots = u32::from(slots_per_page(size)).max(1);
        let (leaf, slot) = (self.blocks / slots, (self.blocks % slots) as u16);
        let mut address = FsmAddress { level: 0, logpageno: leaf };
        let first = address.block(size);
        let mut greatest = 0;
        if slot > 0 {
            greatest = self.fsm_page(redo, address, slot);
        }
        self.truncate(redo, ForkNumber::Fsm, first.saturating_add(u32::from(slot > 0)));
        // the pages above learn what is left
        for level in 1..=2 {
            let place = (address.logpageno % slots) as u16;
            address = FsmAddress { level, logpageno: address.logpageno / slots };
            let tag = self.tag(ForkNumber::Fsm, address.block(size));
            let Some(page) = redo.disk.page_mut(tag) else { return };
            let is_new = fsm_readbuf(page);
            let is_set = page.set_fsm_slot(place, greatest);
            if page.truncate_fsm(place.saturating_add(1)) || is_set || is_new {
                redo.effects.changed.push(tag);
            }
            greatest = page.fsm_root();
        }
    }

    /// Clears the slots of a leaf page from this one on; what is the greatest category left?
    fn fsm_page(&self, redo: &mut Redo<'_>, address: FsmAddress, slot: u16) -> u8 {
        let tag = self.tag(ForkNumber::Fsm, address.block(redo.disk.page_size));
        let Some(page) = redo.disk.page_mut(tag) else { return 0 };
        let is_new = fsm_readbuf(page);
        if page.truncate_fsm(slot) || is_new {
            redo.effects.changed.push(tag);
        }
        page.fsm_root()
    }
}

/// `fsm_readbuf`: a page that was never written is initialised when it is read. Was it?
fn fsm_readbuf(page: &mut Page) -> bool {
    let is_new = page.is_new();
    if is_new {
        *page = Page::init(page.size(), 0);
    }
    is_new
}
