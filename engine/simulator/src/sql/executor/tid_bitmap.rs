//! A bitmap of row versions, by block; of a lossy block it is only known that it may have some
//! (src/backend/nodes/tidbitmap.c). What would not fit into work_mem is not made lossy here.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use ffviz_format::page::{BlockNumber, ItemPointer, OffsetNumber};

/// The first block of a chunk (`PAGES_PER_CHUNK`).
const fn header_of(block: BlockNumber) -> BlockNumber {
    const PAGES: BlockNumber = 256;
    block - block % PAGES
}

/// What a bitmap has of a block.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum BitmapPage {
    /// maybe rows
    Lossy,
    /// these line pointers, in order; are their rows to be asked whether they satisfy the conditions?
    Exact { offsets: Vec<OffsetNumber>, rechecks: bool },
}

impl BitmapPage {
    /// Are the conditions to be asked of its rows?
    pub const fn rechecks(&self) -> bool {
        matches!(self, Self::Lossy | Self::Exact { rechecks: true, .. })
    }

    /// Its line pointers, where it has them.
    pub fn offsets(&self) -> Option<&[OffsetNumber]> {
        match self {
            Self::Lossy => None,
            Self::Exact { offsets, .. } => Some(offsets),
        }
    }

    /// `tbm_union_page`
    fn join(&mut self, other: Self) {
        match (self, other) {
            (Self::Lossy, _) => {}
            (own, Self::Lossy) => *own = Self::Lossy,
            (Self::Exact { offsets, rechecks }, Self::Exact { offsets: more, rechecks: asks }) => {
                offsets.extend(more);
                offsets.sort_unstable();
                offsets.dedup();
                *rechecks |= asks;
            }
        }
    }

    /// `tbm_intersect_page`: is anything left? A block that is lossy stays so.
    fn meet(&mut self, other: &Self) -> bool {
        let Self::Exact { offsets, rechecks } = self else { return true };
        match other {
            Self::Lossy => *rechecks = true,
            Self::Exact { offsets: others, rechecks: asks } => {
                offsets.retain(|n| others.binary_search(n).is_ok());
                *rechecks |= asks;
            }
        }
        !offsets.is_empty()
    }
}

/// A bitmap.
#[derive(Debug, Clone, Default)]
pub(super) struct TidBitmap {
    /// what it has, in order
    pub pages: BTreeMap<BlockNumber, BitmapPage>,
}

impl TidBitmap {
    /// `tbm_add_tuples`
    pub fn of_tids(tids: Vec<ItemPointer>) -> Self {
        let mut found: BTreeMap<BlockNumber, Vec<OffsetNumber>> = BTreeMap::new();
        tids.into_iter().for_each(|tid| found.entry(tid.block).or_default().push(tid.offset));
        let page = |(block, mut offsets): (BlockNumber, Vec<OffsetNumber>)| {
            offsets.sort_unstable();
            offsets.dedup();
            (block, BitmapPage::Exact { offsets, rechecks: false })
        };
        Self { pages: found.into_iter().map(page).collect() }
    }

    /// `tbm_add_page`
    pub fn of_blocks(blocks: impl IntoIterator<Item = BlockNumber>) -> Self {
        Self { pages: blocks.into_iter().map(|block| (block, BitmapPage::Lossy)).collect() }
    }

    /// `tbm_union`
    pub fn union(&mut self, other: Self) {
        for (block, page) in other.pages {
            match self.pages.get_mut(&block) {
                Some(own) => own.join(page),
                None => {
                    self.pages.insert(block, page);
                }
            }
        }
        self.spoil_headers();
    }

    /// `tbm_mark_page_lossy`: the entry of the first block of a chunk stands for the lossy blocks of the chunk, so that
    /// it becomes lossy itself.
    fn spoil_headers(&mut self) {
        let is_lossy = |(block, page): (&BlockNumber, &BitmapPage)| (*page == BitmapPage::Lossy).then_some(*block);
        let mut headers: Vec<BlockNumber> = self.pages.iter().filter_map(is_lossy).map(header_of).collect();
        headers.dedup();
        for header in headers {
            if let Some(page) = self.pages.get_mut(&header) {
                *page = BitmapPage::Lossy;
            }
        }
    }

    /// `tbm_intersect`
    pub fn intersect(&mut self, other: &Self) {
        self.pages.retain(|block, page| other.pages.get(block).is_some_and(|other| page.meet(other)));
    }
}
