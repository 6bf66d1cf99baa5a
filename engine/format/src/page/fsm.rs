//! Free space map pages (src/include/storage/fsm_internals.h, src/backend/storage/freespace).
//!
//! ```text
//!  0        24             28                       28 + inner           page size
//!  ├─header──┼ fp_next_slot ┼ inner nodes: greatest ──┼ leaf nodes: a slot ─┤
//!                             of two children           a byte
//!
//! fork:  block 0 root ─▶ level 1: block 1 ─▶ leaf pages: blocks 2, 3, … ─▶ heap blocks 0 …, 4069 …
//! ```

use super::layout::c_struct;
use super::region::{self, Region, RegionKind};
use super::{Anomaly, BlockNumber, Page, PageHeaderData};
use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

c_struct! {
    /// `FSMPageData`; `fp_nodes` follows it.
    pub struct FSMPageData, 4 {
        /// slot at which the next search starts
        0 => fp_next_slot: i32,
    }
}

/// Bytes a category of free space stands for (`FSM_CAT_STEP` at 8192-byte blocks is 32: the block size over 256).
const FSM_CATEGORIES: u16 = 256;
/// Level of the root page.
const ROOT_LEVEL: u8 = 2;

/// A page of the free space map taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FsmPage {
    /// slot at which the next search starts
    pub fp_next_slot: i32,
    /// where the page stands in the tree of pages
    pub address: FsmAddress,
    /// `fp_nodes`: inner nodes, then one a slot; category of free space
    pub nodes: Vec<u8>,
    /// number of inner nodes
    pub inner: u16,
    /// every byte of the page, in order
    pub regions: Vec<Region>,
    /// what cannot be
    pub anomalies: Vec<Anomaly>,
}

/// Where an FSM page stands in the tree of pages (`FSMAddress`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FsmAddress {
    /// 0: its slots stand for heap blocks; 1 and 2: for FSM pages below
    pub level: u8,
    /// number of the page within its level
    pub logpageno: BlockNumber,
}

/// What a slot stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FsmTarget {
    /// a block of the table or index
    Heap(BlockNumber),
    /// a block of the free space map itself
    Fsm(BlockNumber),
}

/// `NonLeafNodesPerPage`
pub(super) const fn inner_nodes(page_size: u16) -> u16 {
    (page_size / 2).saturating_sub(1)
}

/// `SlotsPerFSMPage`: 4069 on a page of 8192 bytes.
#[must_use]
pub const fn slots_per_page(page_size: u16) -> u16 {
    let nodes = page_size.saturating_sub((PageHeaderData::SIZE + FSMPageData::SIZE) as u16);
    nodes.saturating_sub(inner_nodes(page_size))
}

impl FsmAddress {
    /// The page at that block of the fork (the inverse of `fsm_logical_to_physical`).
    #[must_use]
    pub fn of_block(block: BlockNumber, page_size: u16) -> Self {
        let slots = u32::from(slots_per_page(page_size));
        let Some(below_root) = block.checked_sub(1) else {
            return Self { level: ROOT_LEVEL, logpageno: 0 };
        };
        // a level-1 page is followed by its leaf pages
        let (subtree, place) = (below_root / (slots + 1), below_root % (slots + 1));
        match place.checked_sub(1) {
            None => Self { level: 1, logpageno: subtree },
            Some(leaf) => Self { level: 0, logpageno: subtree * slots + leaf },
        }
    }

    /// The block of the fork where the page is (`fsm_logical_to_physical`).
    #[must_use]
    pub fn block(self, page_size: u16) -> BlockNumber {
        let slots = u64::from(slots_per_page(page_size)).max(1);
        // pages that come before: of every level those up to the one that leads here
        let first_leaf = u64::from(self.logpageno) * slots.pow(u32::from(self.level));
        let before: u64 = (0..=u32::from(ROOT_LEVEL)).map(|level| first_leaf / slots.pow(level) + 1).sum();
        u32::try_from(before - u64::from(self.level) - 1).unwrap_or(BlockNumber::MAX)
    }

    /// What slot n of the page stands for.
    #[must_use]
    pub fn target(self, slot: u16, page_size: u16) -> FsmTarget {
        let slots = u32::from(slots_per_page(page_size));
        let number = self.logpageno.saturating_mul(slots).saturating_add(u32::from(slot));
        match self.level.checked_sub(1) {
            None => FsmTarget::Heap(number),
            Some(level) => FsmTarget::Fsm(Self { level, logpageno: number }.block(page_size)),
        }
    }
}

impl FsmPage {
    /// Takes a page apart; `block` is its number within the fork.
    #[must_use]
    pub fn decode(page: &Page, block: BlockNumber) -> Self {
        let [next_slot, inner, leaf] = parts(page.size());
        let mut fsm = Self {
            fp_next_slot: FSMPageData::new(page.slice(next_slot.clone())).fp_next_slot(),
            address: FsmAddress::of_block(block, page.size()),
            nodes: page.slice(inner.start..leaf.end).to_vec(),
            inner: inner_nodes(page.size()),
            regions: Vec::new(),
            anomalies: page.header_anomalies(),
        };
        fsm.anomalies.extend(fsm.check(inner.start));
        let claims = [
            Region { bytes: next_slot, kind: RegionKind::FsmNextSlot },
            Region { bytes: inner, kind: RegionKind::FsmInner },
            Region { bytes: leaf, kind: RegionKind::FsmLeaf },
        ];
        fsm.regions = region::cover(page, &claims, &mut fsm.anomalies);
        fsm
    }

    /// Categories of the slots, in order.
    #[must_use]
    pub fn slots(&self) -> &[u8] {
        self.nodes.get(usize::from(self.inner)..).unwrap_or(&[])
    }

    /// Greatest category of all slots, as the root node says.
    #[must_use]
    pub fn root(&self) -> u8 {
        self.nodes.first().copied().unwrap_or(0)
    }

    /// The binary tree on the page: each inner node is the greater of its children.
    fn check(&self, start: u16) -> Option<Anomaly> {
        let value = |node: usize| self.nodes.get(node).copied().unwrap_or(0);
        let greatest = |node: usize| value(2 * node + 1).max(value(2 * node + 2));
        let mut wrong = (0..usize::from(self.inner)).filter(|node| value(*node) != greatest(*node));
        let first = wrong.next()?;
        let at = start + first as u16;
        let text = format!(
            "node {first} is {}, the greater of its children {}; {} more nodes differ so",
            value(first),
            greatest(first),
            wrong.count()
        );
        Some(Anomaly::new(at..at + 1, text))
    }
}

/// `fp_next_slot`, inner nodes and leaf nodes on a page of that size.
fn parts(size: u16) -> [Range<u16>; 3] {
    let start = (PageHeaderData::SIZE as u16).min(size);
    let nodes = (start + FSMPageData::SIZE as u16).min(size);
    let leaves = (nodes + inner_nodes(size)).min(size);
    [start..nodes, nodes..leaves, leaves..size]
}

/// Free bytes that a category stands for, at least (`fsm_space_cat_to_avail`): 32 a category on pages of 8192 bytes.
#[must_use]
pub const fn category_bytes(category: u8, page_size: u16) -> u16 {
    let step = page_size / FSM_CATEGORIES;
    // the last category is kept for requests of the greatest tuple there can be
    if category == u8::MAX { max_request(page_size) } else { category as u16 * step }
}

/// `MaxFSMRequestSize`, `MaxHeapTupleSize`: what a page without tuples has for one.
pub(super) const fn max_request(page_size: u16) -> u16 {
    const HEADER_AND_LINE_POINTER: u16 = 32;
    page_size.saturating_sub(HEADER_AND_LINE_POINTER)
}
