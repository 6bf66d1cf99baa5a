//! Who owns which byte: every byte of a page belongs to exactly one region.
//!
//! [`cover`] makes the exact cover out of claims: the header, the line pointers, the tuples, the special space. What
//! nobody claims is padding after a tuple, the hole between `pd_lower` and `pd_upper`, or residue. Where claims
//! overlap, which only corruption makes, the first in byte order keeps the bytes.

use super::anomaly::Anomaly;
use super::header::PageHeaderData;
use super::item_id::ItemIdData;
use super::numbers::OffsetNumber;
use super::{MAXALIGN, Page};
use alloc::format;
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
    /// transaction item n of an undo engine's page
    TransactionItem(u16),
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

impl RegionKind {
    /// As an anomaly names it.
    fn name(self) -> alloc::string::String {
        match self {
            Self::Tuple(n) => format!("tuple of line pointer {n}"),
            Self::LinePointer(n) => format!("line pointer {n}"),
            Self::PageHeader => "page header".into(),
            Self::Special => "special space".into(),
            other => format!("{other:?}"),
        }
    }
}

/// Checks the invariant: sorted, without gap or overlap, from 0 to `size`. A page without bytes has no regions.
#[must_use]
pub fn covers(regions: &[Region], size: u16) -> bool {
    let mut end = 0;
    let joined = regions.iter().all(|r| {
        let fits = r.bytes.start == end && r.bytes.start < r.bytes.end;
        end = r.bytes.end;
        fits
    });
    joined && end == size
}

/// The exact cover of a page: header, line pointers, `claims` (tuples, or other contents), special space, and what is
/// between. A page with other contents than tuples has no line pointers, whatever `pd_lower` says. Overlaps are added
/// to `anomalies`. A claim that reaches beyond the page is cut.
#[must_use]
pub fn cover(page: &Page, claims: &[Region], anomalies: &mut Vec<Anomaly>) -> Vec<Region> {
    let size = page.size();
    if size == 0 {
        return Vec::new();
    }
    if page.is_zero() {
        return Vec::from([Region { bytes: 0..size, kind: RegionKind::New }]);
    }
    let header = PageHeaderData::SIZE as u16;
    let has_items = claims.iter().all(|claim| matches!(claim.kind, RegionKind::Tuple(_)));
    let item_count = if has_items { page.item_count() } else { 0 };
    let mut all = Vec::with_capacity(claims.len() + usize::from(item_count) + 2);
    all.push(Region { bytes: 0..header, kind: RegionKind::PageHeader });
    for n in 1..=item_count {
        let at = header + (n - 1) * ItemIdData::SIZE as u16;
        all.push(Region { bytes: at..at + ItemIdData::SIZE as u16, kind: RegionKind::LinePointer(OffsetNumber(n)) });
    }
    all.extend_from_slice(claims);
    cover_claims(page, all, anomalies)
}

/// The same of a page with a layout of its own: the header and all else are among the claims, but for the special
/// space.
#[must_use]
pub fn cover_claims(page: &Page, mut claims: Vec<Region>, anomalies: &mut Vec<Anomaly>) -> Vec<Region> {
    let size = page.size();
    if size == 0 {
        return Vec::new();
    }
    if page.is_zero() {
        return Vec::from([Region { bytes: 0..size, kind: RegionKind::New }]);
    }
    claims.push(Region { bytes: page.special_start()..size, kind: RegionKind::Special });
    claims.sort_by_key(|claim| claim.bytes.start);
    Painter { page, regions: Vec::with_capacity(2 * claims.len()), end: 0, hole_seen: false }.paint(&claims, anomalies)
}

/// Lays claims side by side, in byte order.
struct Painter<'a> {
    page: &'a Page,
    regions: Vec<Region>,
    /// all bytes before this one have an owner
    end: u16,
    hole_seen: bool,
}

impl Painter<'_> {
    fn paint(mut self, claims: &[Region], anomalies: &mut Vec<Anomaly>) -> Vec<Region> {
        for claim in claims {
            let bytes = claim.bytes.start..claim.bytes.end.min(self.page.size());
            if bytes.is_empty() {
                continue;
            }
            if let Some(owner) = self.regions.last().filter(|_| bytes.start < self.end) {
                let shared = bytes.start..bytes.end.min(self.end);
                let text = format!("{} overlaps {}", claim.kind.name(), owner.kind.name());
                anomalies.push(Anomaly::new(shared, text));
            }
            self.fill_to(bytes.start);
            self.push(bytes.end, claim.kind);
        }
        self.fill_to(self.page.size());
        self.regions
    }

    /// Gives the bytes up to `end` to `kind`, if there are any left.
    fn push(&mut self, end: u16, kind: RegionKind) {
        if self.end < end {
            self.regions.push(Region { bytes: self.end..end, kind });
            self.end = end;
        }
    }

    /// Says what the unclaimed bytes up to `end` are.
    fn fill_to(&mut self, end: u16) {
        if self.end >= end {
            return;
        }
        if let Some(RegionKind::Tuple(n)) = self.regions.last().map(|r| r.kind) {
            let aligned = self.end.checked_next_multiple_of(MAXALIGN).unwrap_or(end);
            self.push(aligned.min(end), RegionKind::Padding(n));
        }
        let header = self.page.header();
        let (lower, upper) = (header.pd_lower(), header.pd_upper());
        self.push(lower.min(end), RegionKind::Residue(self.end));
        if self.end >= lower && !self.hole_seen && self.end < upper.min(end) {
            self.hole_seen = true;
            self.push(upper.min(end), RegionKind::Hole);
        }
        self.push(end, RegionKind::Residue(self.end));
    }
}
