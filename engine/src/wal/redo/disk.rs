//! The pages that redo works on: those that are known of the files it was told to care for.

use super::RelFileLocator;
use crate::page::{BlockNumber, ForkNumber, Lsn, Page, PgVersion};
use crate::wal::BlockTag;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// Pages by file, fork and block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disk {
    /// version of the server
    pub version: PgVersion,
    /// bytes a page
    pub page_size: u16,
    /// data checksums or `wal_log_hints` are on: setting hint bits counts as a change of the page (`XLogHintBitIsNeeded`)
    pub log_hints: bool,
    /// the files to care for; `None`: all
    pub only: Option<BTreeSet<RelFileLocator>>,
    /// Is this recovery after a crash? It begins at a checkpoint, so images and pages that are made anew count whatever `pd_lsn` on disk says:
    /// the rest of that page may be torn. Else pages may be newer than the records.
    pub is_recovery: bool,
    pages: BTreeMap<BlockTag, Page>,
    /// visibility maps that had no page when replay began
    without_map: BTreeSet<RelFileLocator>,
}

impl Disk {
    /// No page is known yet.
    #[must_use]
    pub const fn new(version: PgVersion, page_size: u16, log_hints: bool) -> Self {
        Self {
            version,
            page_size,
            log_hints,
            only: None,
            is_recovery: false,
            pages: BTreeMap::new(),
            without_map: BTreeSet::new(),
        }
    }

    /// Are changes of this file to be made?
    #[must_use]
    pub fn wants(&self, locator: RelFileLocator) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(&locator))
    }

    /// A page, where it is known.
    #[must_use]
    pub fn page(&self, tag: BlockTag) -> Option<&Page> {
        self.pages.get(&tag)
    }

    /// A page to change in place, where it is known.
    pub fn page_mut(&mut self, tag: BlockTag) -> Option<&mut Page> {
        self.pages.get_mut(&tag)
    }

    /// The file's visibility map has no page yet. Its pages come to be without a record; the first that names one then finds it empty.
    pub fn without_map(&mut self, locator: RelFileLocator) {
        self.without_map.insert(locator);
    }

    /// Makes a page of a visibility map that is not known, where it can only be empty.
    pub(super) fn begin_map(&mut self, tag: BlockTag) {
        if !self.pages.contains_key(&tag) && self.without_map.contains(&tag.locator) {
            self.pages.insert(tag, Page::init(self.page_size, 0));
        }
    }

    /// Takes a page over.
    pub fn put(&mut self, tag: BlockTag, page: Page) {
        self.pages.insert(tag, page);
    }

    /// Forgets a page: nobody knows what it is now.
    pub fn forget(&mut self, tag: BlockTag) {
        self.pages.remove(&tag);
    }

    /// Forgets the pages of a fork from this block on, but for those that are newer than `end`: they were made after the cut. How many?
    pub fn truncate(&mut self, locator: RelFileLocator, fork: ForkNumber, blocks: BlockNumber, end: Lsn) -> usize {
        let first = BlockTag { locator, fork, block: blocks };
        let last = BlockTag { locator, fork, block: BlockNumber::MAX };
        let goes = |page: &Page| self.is_recovery || page.header().pd_lsn() < end;
        let pages = self.pages.range(first..=last).filter(|(_, page)| goes(page));
        let gone: Vec<BlockTag> = pages.map(|(tag, _)| *tag).collect();
        for tag in &gone {
            self.pages.remove(tag);
        }
        gone.len()
    }

    /// Has the page a change already that a record is about to make anew or to bring an image of?
    pub(super) fn is_newer(&self, tag: BlockTag, end: Lsn) -> bool {
        !self.is_recovery && self.page(tag).is_some_and(|page| page.header().pd_lsn() >= end)
    }

    /// All pages, in order.
    pub fn pages(&self) -> impl Iterator<Item = (&BlockTag, &Page)> {
        self.pages.iter()
    }
}
