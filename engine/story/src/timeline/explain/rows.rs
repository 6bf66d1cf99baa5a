//! A heap relation's changed pages side by side: which row versions are new, which stayed, which are gone.
//!
//! ```text
//! before  1 ■ xmin 700    2 ■ xmin 700
//! after   1 ↷ 3           2 ■ xmin 700   3 ■ xmin 702      kept: 2, removed: 1, added: 3
//! ```
//!
//! A line pointer's tuple is the same version as before when inserting xid, length and row data are the same;
//! everything else in its header may change while it lives.

use super::Captures;
use crate::timeline::PageChange;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use ffviz_format::heap::infomask::{HEAP_UPDATED, HEAP_XMAX_IS_MULTI};
use ffviz_format::heap::{HeapItem, HeapPage, HeapTuple, HeapTupleHeaderData};
use ffviz_format::page::{BlockNumber, ForkNumber, ItemPointer, LpFlags, OffsetNumber, Page, TransactionId};
use ffviz_format::state::{PageId, Relation};

/// `MAXALIGN`: rounded up to 8 bytes.
pub const fn maxalign(bytes: u16) -> u16 {
    bytes.saturating_add(7) & !7
}

/// A row version where it lies.
#[derive(Debug, Clone, Copy)]
pub struct Version<'a> {
    /// its place
    pub tid: ItemPointer,
    /// its page
    pub page: &'a Page,
    /// its header
    pub tuple: &'a HeapTuple,
}

impl<'a> Version<'a> {
    fn of(page: &'a Page, item: &'a HeapItem) -> Option<Self> {
        item.tuple.as_ref().map(|tuple| Self { tid: tuple.tid, page, tuple })
    }

    /// The row's bytes.
    pub fn data(&self) -> &'a [u8] {
        self.page.slice(self.tuple.data())
    }

    /// All that does not change while it lives: what stands behind the header, also where `t_hoff` says something
    /// impossible.
    fn behind_header(&self) -> &'a [u8] {
        self.page.slice(self.tuple.bytes.start + HeapTupleHeaderData::SIZE as u16..self.tuple.bytes.end)
    }

    /// Length in bytes, not rounded.
    pub fn len(&self) -> u16 {
        self.tuple.bytes.end.saturating_sub(self.tuple.bytes.start)
    }

    /// Are all of these `t_infomask` bits set?
    pub const fn has(&self, bits: u16) -> bool {
        self.tuple.t_infomask & bits == bits
    }

    /// The xid, or multixact, that deleted or updated this version; whether it committed is another question.
    pub const fn ended_by(&self) -> Option<TransactionId> {
        if self.tuple.t_xmax == 0 || self.tuple.is_locked_only() { None } else { Some(self.tuple.t_xmax) }
    }

    fn same_version(&self, other: &Self) -> bool {
        self.tuple.t_xmin == other.tuple.t_xmin
            && self.len() == other.len()
            && self.behind_header() == other.behind_header()
    }
}

/// One page, before and after.
#[derive(Debug)]
pub struct PagePair<'a> {
    /// which
    pub block: u32,
    /// `None` for a page that the relation did not have yet
    pub before: Option<(&'a Page, HeapPage)>,
    /// the page now
    pub after: (&'a Page, HeapPage),
    /// of each line pointer after: does it lead to the version it led to before?
    kept: Vec<bool>,
}

impl<'a> PagePair<'a> {
    fn new(change: &'a PageChange) -> Option<Self> {
        let block = change.id.block;
        let decode = |page: &'a Page| (page, HeapPage::decode(page, block));
        let after = change.after.as_ref().map(decode)?;
        let mut pair = Self { block, before: change.before.as_ref().map(decode), after, kept: Vec::new() };
        pair.kept = pair.after.1.items.iter().map(|item| pair.is_same_version(item.offset)).collect();
        Some(pair)
    }

    fn is_same_version(&self, offset: OffsetNumber) -> bool {
        match (self.version_before(offset), self.version_after(offset)) {
            (Some(old), Some(new)) => old.same_version(&new),
            _ => false,
        }
    }

    /// The line pointer before.
    pub fn item_before(&self, offset: OffsetNumber) -> Option<&HeapItem> {
        self.before.as_ref()?.1.item(offset)
    }

    /// Number of line pointers before.
    pub fn items_before(&self) -> usize {
        self.before.as_ref().map_or(0, |(_, page)| page.items.len())
    }

    /// The version before, of that line pointer.
    pub fn version_before(&self, offset: OffsetNumber) -> Option<Version<'_>> {
        let (page, decoded) = self.before.as_ref()?;
        Version::of(page, decoded.item(offset)?)
    }

    /// The version after, of that line pointer.
    pub fn version_after(&self, offset: OffsetNumber) -> Option<Version<'_>> {
        Version::of(self.after.0, self.after.1.item(offset)?)
    }

    /// All versions after.
    pub fn versions_after(&self) -> impl Iterator<Item = Version<'_>> {
        self.after.1.items.iter().filter_map(|item| Version::of(self.after.0, item))
    }

    /// Does this line pointer lead to the version it led to before?
    pub fn kept(&self, offset: OffsetNumber) -> bool {
        usize::from(offset.0).checked_sub(1).and_then(|i| self.kept.get(i)).copied().unwrap_or(false)
    }

    /// Does the page show that it was pruned between the two moments, also of versions that came in between?
    pub fn was_pruned(&self) -> bool {
        let added = self.after.1.items.iter().skip(self.items_before());
        self.pruned() || added.into_iter().any(|item| item.tuple.is_none())
    }

    /// Does a line pointer lead to bytes that are no row version, before or after, without having changed its state?
    /// Then the difference tells of no INSERT and no pruning.
    pub fn is_unwritten(&self, offset: OffsetNumber) -> bool {
        let versions = self.version_before(offset).into_iter().chain(self.version_after(offset));
        self.version_after(offset).is_some() && versions.into_iter().any(|v| !v.tuple.is_row_version())
    }

    /// Does a line pointer show that a version came and went between the two moments? Other such versions may have left
    /// nothing to see.
    pub fn shows_gone(&self) -> bool {
        let was_empty = |item: &HeapItem| match self.item_before(item.offset).map(|before| before.lp.lp_flags()) {
            None => true,
            Some(was) => was == LpFlags::Unused && item.lp.lp_flags() != LpFlags::Unused,
        };
        self.after.1.items.iter().any(|item| item.tuple.is_none() && was_empty(item))
    }

    /// Is a version gone that nothing had ended before? So it was deleted or updated between the two moments.
    pub fn lost_live(&self) -> bool {
        let versions = self.before.iter().flat_map(|(page, d)| d.items.iter().filter_map(|i| Version::of(page, i)));
        let is_live = |v: &Version<'_>| v.ended_by().is_none() && !v.tuple.is_xmin_invalid();
        versions.into_iter().any(|v| is_live(&v) && !self.kept(v.tid.offset) && !self.is_unwritten(v.tid.offset))
    }

    /// Did pruning touch the page: versions removed, or tuples moved?
    pub fn pruned(&self) -> bool {
        let gone = |old: &Version<'_>| !self.kept(old.tid.offset) && !self.is_unwritten(old.tid.offset);
        let moved = |old: &Version<'_>| {
            self.version_after(old.tid.offset).is_some_and(|new| new.tuple.bytes.start != old.tuple.bytes.start)
        };
        let all = self.before.iter().flat_map(|(page, d)| d.items.iter().filter_map(|i| Version::of(page, i)));
        all.into_iter().any(|old| gone(&old) || moved(&old))
    }
}

/// The changed pages of one heap relation.
#[derive(Debug)]
pub struct TableDiff<'a> {
    /// the relation as it is now
    pub relation: &'a Relation,
    /// in block order
    pub pages: Vec<PagePair<'a>>,
}

/// An UPDATE as the pages show it.
#[derive(Debug, Clone, Copy)]
pub struct Update<'a> {
    /// the old version, where it is still there
    pub old: Option<Version<'a>>,
    /// the new version
    pub new: Version<'a>,
}

impl<'a> TableDiff<'a> {
    /// Takes the changed pages of a relation apart.
    pub fn new(relation: &'a Relation, captures: &Captures<'a>) -> Self {
        let changes = captures.changes(relation.oid, ForkNumber::Main);
        Self { relation, pages: changes.filter_map(PagePair::new).collect() }
    }

    /// Names a block of the relation.
    pub const fn id(&self, block: BlockNumber) -> PageId {
        PageId { relation: self.relation.oid, fork: ForkNumber::Main, block }
    }

    /// The page pair of a block.
    pub fn page(&self, block: u32) -> Option<&PagePair<'a>> {
        self.pages.binary_search_by_key(&block, |pair| pair.block).ok().map(|i| &self.pages[i])
    }

    /// Versions that were not there before.
    pub fn added(&self) -> impl Iterator<Item = Version<'_>> {
        self.others(false)
    }

    /// Between two captures: may rows have come and gone unseen?
    pub fn lacks_rows(&self, captures: &Captures<'_>) -> bool {
        captures.is_measured() && self.pages.iter().any(PagePair::shows_gone)
    }

    /// The same of UPDATE and DELETE, which may have ended versions that are gone.
    pub fn lacks_ends(&self, captures: &Captures<'_>) -> bool {
        captures.is_measured() && self.pages.iter().any(|pair| pair.shows_gone() || pair.lost_live())
    }

    /// Line pointers that lead to other bytes than before, which are no row version, or were none.
    pub fn unwritten(&self) -> impl Iterator<Item = Version<'_>> {
        self.others(true)
    }

    fn others(&self, unwritten: bool) -> impl Iterator<Item = Version<'_>> {
        self.pages.iter().flat_map(move |pair| {
            let is_other =
                move |v: &Version<'_>| !pair.kept(v.tid.offset) && pair.is_unwritten(v.tid.offset) == unwritten;
            pair.versions_after().filter(is_other)
        })
    }

    /// Versions that were there before and still are: before, after.
    pub fn kept(&self) -> impl Iterator<Item = (Version<'_>, Version<'_>)> {
        self.pages.iter().flat_map(|pair| {
            pair.versions_after()
                .filter(|v| pair.kept(v.tid.offset))
                .filter_map(|new| pair.version_before(new.tid.offset).map(|old| (old, new)))
        })
    }

    /// The UPDATEs, in the order in which they happened as far as xids and chains tell it.
    pub fn updates(&self) -> Vec<Update<'_>> {
        let olds: BTreeMap<ItemPointer, Version<'_>> = self
            .pages
            .iter()
            .flat_map(PagePair::versions_after)
            .filter(|v| v.tuple.t_ctid != v.tid && v.ended_by().is_some())
            .map(|v| (v.tuple.t_ctid, v))
            .collect();
        let follows =
            |old: &Version<'_>, new: &Version<'_>| old.has(HEAP_XMAX_IS_MULTI) || old.tuple.t_xmax == new.tuple.t_xmin;
        let mut updates: Vec<Update<'_>> = self
            .added()
            .filter(|new| new.has(HEAP_UPDATED))
            .map(|new| Update { old: olds.get(&new.tid).copied().filter(|old| follows(old, &new)), new })
            .collect();
        // Within a transaction command ids tell the order, unless they are combo ids.
        updates.sort_by_key(|u| (u.new.tuple.t_xmin, u.new.tuple.t_field3, u.old.map(|old| old.tid)));
        updates
    }
}
