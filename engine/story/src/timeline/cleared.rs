//! Which bits of visibility maps records have cleared: what places a page of such a map among the records.
//!
//! ```text
//!  VISIBLE   sets a bit      and the map page's pd_lsn
//!  UPDATE …  clears a bit    and leaves pd_lsn as it was (`visibilitymap_clear`, src/backend/access/heap/visibilitymap.c)
//!
//!  of equal pd_lsn   replayed  · ■ · ■        the bits that only the capture has were cleared by records: it was read before they
//!                    captured  ■ ■ · ■        were written, and is no news
//! ```
//!
//! Captures and records race, so a page of a map may be read at any moment between two of them, and its `pd_lsn` does
//! not say at which.

use crate::redo::{PageShape, mask};
use alloc::collections::BTreeMap;
use ffviz_format::page::maps::VISIBILITYMAP_VALID_BITS;
use ffviz_format::page::vm::VmPage;
use ffviz_format::page::{BlockNumber, ForkNumber, Lsn, Oid, Page, PageHeaderData, VmBits};
use ffviz_format::state::PageId;

/// Where the bits of heap pages were cleared last.
#[derive(Debug, Default)]
pub(super) struct Cleared {
    /// by heap page: the end of the last record that cleared all-visible, and of the last that cleared all-frozen
    heap: BTreeMap<PageId, [Lsn; 2]>,
    /// tables that were cut off: their shortest length, and the end of the last record that cut
    cut: BTreeMap<Oid, (BlockNumber, Lsn)>,
}

impl Cleared {
    /// A record that ends there says that it cleared these bits of a heap page.
    pub fn note(&mut self, heap: PageId, bits: u8, end: Lsn) {
        let last = self.heap.entry(heap).or_default();
        for (n, lsn) in last.iter_mut().enumerate().filter(|(n, _)| bits & VISIBILITYMAP_VALID_BITS & (1 << n) != 0) {
            debug_assert!(n < 2, "two bits a block");
            *lsn = end.max(*lsn);
        }
    }

    /// A record that ends there cut a table to so many blocks.
    pub fn note_cut(&mut self, table: Oid, blocks: BlockNumber, end: Lsn) {
        let cut = self.cut.entry(table).or_insert((blocks, end));
        *cut = (cut.0.min(blocks), cut.1.max(end));
    }

    /// Of two pages of a map with the same `pd_lsn`: did the captured one only not have yet what records cleared?
    pub fn explains(&self, map: PageId, replayed: &Page, captured: &Page) -> bool {
        let lsn = captured.header().pd_lsn();
        let header = |page: &Page| mask(page, PageShape::Vm, map.block).slice(0..PageHeaderData::SIZE as u16).to_vec();
        if map.fork != ForkNumber::Vm || lsn != replayed.header().pd_lsn() || header(replayed) != header(captured) {
            return false;
        }
        let (ours, theirs) = (VmPage::decode(replayed, map.block), VmPage::decode(captured, map.block));
        ours.blocks().all(|block| {
            let (ours, theirs) = (ours.bits(block).unwrap_or_default(), theirs.bits(block).unwrap_or_default());
            ours == theirs || self.explains_bits(PageId { fork: ForkNumber::Main, block, ..map }, lsn, ours, theirs)
        })
    }

    /// Was each bit that only the capture has cleared by a record behind `lsn`, and has it all bits that replay has?
    fn explains_bits(&self, heap: PageId, lsn: Lsn, ours: VmBits, theirs: VmBits) -> bool {
        let [visible, frozen] = self.heap.get(&heap).copied().unwrap_or_default();
        let is_cut = self.cut.get(&heap.relation).is_some_and(|(blocks, end)| heap.block >= *blocks && *end > lsn);
        let explained = |ours: bool, theirs: bool, end: Lsn| ours == theirs || theirs && (is_cut || end > lsn);
        explained(ours.all_visible, theirs.all_visible, visible)
            && explained(ours.all_frozen, theirs.all_frozen, frozen)
    }
}
