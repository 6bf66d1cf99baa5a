//! Visibility map pages (src/backend/access/heap/visibilitymap.c): two bits a heap block.
//!
//! ```text
//!  0        24                                          page size
//!  ├─header──┼ block 3 │ block 2 │ block 1 │ block 0 ┼ … ─┤   of each: bit 0 all-visible, bit 1 all-frozen
//! ```

use super::region::{self, Region, RegionKind};
use super::{Anomaly, Bit, BlockNumber, Page, PageHeaderData};
use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

/// `HEAPBLOCKS_PER_BYTE`
const HEAPBLOCKS_PER_BYTE: u32 = 4;
/// `VISIBILITYMAP_ALL_VISIBLE` of every block of a byte
const ALL_VISIBLE: u8 = 0x55;

/// The two bits of a heap block.
pub const VM_BITS: &[Bit] = &[
    Bit::new("VISIBILITYMAP_ALL_VISIBLE", 0x01, "all tuples are visible to everybody: index-only scans need not look"),
    Bit::new("VISIBILITYMAP_ALL_FROZEN", 0x02, "all tuples are frozen: VACUUM need never come again"),
];

/// What the map says of a heap block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct VmBits {
    /// `VISIBILITYMAP_ALL_VISIBLE`
    pub all_visible: bool,
    /// `VISIBILITYMAP_ALL_FROZEN`
    pub all_frozen: bool,
}

/// A page of the visibility map taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VmPage {
    /// the first heap block it tells about
    pub first: BlockNumber,
    /// the map's bytes, four heap blocks each
    pub map: Vec<u8>,
    /// every byte of the page, in order
    pub regions: Vec<Region>,
    /// what cannot be
    pub anomalies: Vec<Anomaly>,
}

/// `HEAPBLOCKS_PER_PAGE`: heap blocks that one page of the map tells about, 32672 at 8192 bytes.
#[must_use]
pub const fn heap_blocks_per_page(page_size: u16) -> u32 {
    page_size.saturating_sub(PageHeaderData::SIZE as u16) as u32 * HEAPBLOCKS_PER_BYTE
}

impl VmPage {
    /// Takes a page apart; `block` is its number within the fork.
    #[must_use]
    pub fn decode(page: &Page, block: BlockNumber) -> Self {
        let bytes = (PageHeaderData::SIZE as u16).min(page.size())..page.size();
        let mut vm = Self {
            first: block.saturating_mul(heap_blocks_per_page(page.size())),
            map: page.slice(bytes.clone()).to_vec(),
            regions: Vec::new(),
            anomalies: page.header_anomalies(),
        };
        vm.anomalies.extend(vm.check());
        let claims = [Region { bytes, kind: RegionKind::VmBits }];
        vm.regions = region::cover(page, &claims, &mut vm.anomalies);
        vm
    }

    /// The heap blocks this page can tell about.
    #[must_use]
    pub fn blocks(&self) -> Range<BlockNumber> {
        self.first..self.first.saturating_add(self.map.len() as u32 * HEAPBLOCKS_PER_BYTE)
    }

    /// What it says of a heap block; `None` for a block of another page of the map.
    #[must_use]
    pub fn bits(&self, heap_block: BlockNumber) -> Option<VmBits> {
        let place = heap_block.checked_sub(self.first)?;
        let byte = *self.map.get((place / HEAPBLOCKS_PER_BYTE) as usize)?;
        let both = byte >> (2 * (place % HEAPBLOCKS_PER_BYTE));
        Some(VmBits { all_visible: both & 1 != 0, all_frozen: both & 2 != 0 })
    }

    /// How many heap blocks are all-visible, and how many all-frozen (`pg_visibility_map_summary`).
    #[must_use]
    pub fn counts(&self) -> (u32, u32) {
        let count = |mask: u8| self.map.iter().map(|byte| (byte & mask).count_ones()).sum();
        (count(ALL_VISIBLE), count(ALL_VISIBLE << 1))
    }

    /// A block that is all-frozen is all-visible too.
    fn check(&self) -> Option<Anomaly> {
        let (i, byte) = self.map.iter().enumerate().find(|(_, byte)| (*byte >> 1) & !*byte & ALL_VISIBLE != 0)?;
        let within = ((byte >> 1) & !byte & ALL_VISIBLE).trailing_zeros() / 2;
        let block = self.first.saturating_add(i as u32 * HEAPBLOCKS_PER_BYTE + within);
        let at = PageHeaderData::SIZE as u16 + i as u16;
        Some(Anomaly::new(at..at + 1, format!("block {block} is all-frozen but not all-visible")))
    }
}
