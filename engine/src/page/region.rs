//! Who owns which byte: every byte of a page belongs to exactly one region.

use super::numbers::OffsetNumber;
use alloc::vec::Vec;
use core::ops::Range;

/// A run of bytes with one owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// where, in bytes
    pub bytes: Range<u16>,
    /// what
    pub kind: RegionKind,
}

/// What a run of bytes is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RegionKind {
    /// `PageHeaderData`
    PageHeader,
    /// `ItemIdData` number n
    LinePointer(OffsetNumber),
    /// between `pd_lower` and `pd_upper`
    Hole,
    /// the tuple that line pointer n leads to
    Tuple(OffsetNumber),
    /// alignment bytes after the tuple of line pointer n
    Padding(OffsetNumber),
    /// the special space
    Special,
    /// contents of a metapage (`BTMetaPageData`) or of a deleted B-tree page (`BTDeletedPageData`)
    Meta,
    /// `fp_next_slot` of an FSM page
    FsmNextSlot,
    /// upper nodes of an FSM page's tree
    FsmInner,
    /// leaf nodes of an FSM page: one byte a block
    FsmLeaf,
    /// the bits of a VM page: two a heap block
    VmBits,
    /// bytes between tuples that no line pointer leads to, starting at the given position
    Residue(u16),
    /// a page that was never written: all of it
    New,
}

/// Checks the invariant: sorted, without gap or overlap, from 0 to `size`.
#[must_use]
pub fn covers(regions: &[Region], size: u16) -> bool {
    let ends: Vec<u16> = regions.iter().map(|r| r.bytes.end).collect();
    regions.first().is_some_and(|r| r.bytes.start == 0)
        && ends.last() == Some(&size)
        && regions.iter().all(|r| r.bytes.start < r.bytes.end)
        && regions.iter().skip(1).zip(&ends).all(|(r, end)| r.bytes.start == *end)
}
