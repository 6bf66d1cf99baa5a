//! The pages that redo works on: those that are known of the files it was told to care for.
//!
//! ```text
//!  files, sorted ──▶ fork of a file ──▶ stretch of 64 blocks ──▶ page, where it is known
//! ```

use super::RelFileLocator;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use ffviz_format::page::{BlockNumber, ForkNumber, Lsn, Page, PgVersion};
use ffviz_format::wal::BlockTag;

/// Blocks a stretch.
const STRETCH: BlockNumber = 64;

/// Pages by file, fork and block.
#[derive(Debug, Clone)]
pub struct Disk {
    /// version of the server
    pub version: PgVersion,
    /// bytes a page
    pub page_size: u16,
    /// data checksums or `wal_log_hints` are on: setting hint bits counts as a change of the page
    /// (`XLogHintBitIsNeeded`)
    pub log_hints: bool,
    /// the files to care for; `None`: all
    pub only: Option<BTreeSet<RelFileLocator>>,
    /// Is this recovery after a crash? It begins at a checkpoint, so images and pages that are made anew count whatever
    /// `pd_lsn` on disk says: the rest of that page may be torn. Else pages may be newer than the records.
    pub is_recovery: bool,
    /// forks that pages are known of, in order
    forks: Vec<Fork>,
    /// visibility maps that had no page when replay began
    without_map: BTreeSet<RelFileLocator>,
}

/// What is known of a fork.
#[derive(Debug, Clone)]
struct Fork {
    key: u128,
    locator: RelFileLocator,
    fork: ForkNumber,
    /// by the number of the stretch; none where no page of it was ever known
    stretches: BTreeMap<BlockNumber, Vec<Option<Page>>>,
}

/// File and fork in one number: it is looked for with every block reference.
fn key(locator: RelFileLocator, fork: ForkNumber) -> u128 {
    let RelFileLocator { spc, db, rel } = locator;
    u128::from(spc) << 96 | u128::from(db) << 64 | u128::from(rel) << 32 | fork as u128
}

/// The stretch of a block, and its place there.
const fn place(block: BlockNumber) -> (BlockNumber, usize) {
    (block / STRETCH, (block % STRETCH) as usize)
}

impl Fork {
    fn page(&self, block: BlockNumber) -> Option<&Page> {
        let (stretch, at) = place(block);
        self.stretches.get(&stretch)?[at].as_ref()
    }

    /// The place of a page in a stretch of which pages are known.
    fn slot(&mut self, block: BlockNumber) -> Option<&mut Option<Page>> {
        let (stretch, at) = place(block);
        self.stretches.get_mut(&stretch).map(|pages| &mut pages[at])
    }

    fn put(&mut self, block: BlockNumber, page: Page) {
        let (stretch, at) = place(block);
        let pages = self.stretches.entry(stretch).or_insert_with(|| Vec::from([const { None }; STRETCH as usize]));
        pages[at] = Some(page);
    }

    fn pages(&self) -> impl Iterator<Item = (BlockTag, &Page)> {
        self.stretches.iter().flat_map(move |(stretch, pages)| {
            let first = stretch * STRETCH;
            (0..).zip(pages).filter_map(move |(n, page)| {
                let tag = BlockTag { locator: self.locator, fork: self.fork, block: first + n };
                page.as_ref().map(|page| (tag, page))
            })
        })
    }
}

impl PartialEq for Disk {
    fn eq(&self, other: &Self) -> bool {
        let facts = |disk: &Self| (disk.version, disk.page_size, disk.log_hints, disk.is_recovery);
        facts(self) == facts(other)
            && self.only == other.only
            && self.without_map == other.without_map
            && self.pages().eq(other.pages())
    }
}

impl Eq for Disk {}

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
            forks: Vec::new(),
            without_map: BTreeSet::new(),
        }
    }

    /// Are changes of this file to be made?
    #[must_use]
    pub fn wants(&self, locator: RelFileLocator) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(&locator))
    }

    fn fork(&self, locator: RelFileLocator, fork: ForkNumber) -> Option<&Fork> {
        let at = self.forks.binary_search_by_key(&key(locator, fork), |fork| fork.key).ok()?;
        self.forks.get(at)
    }

    fn fork_mut(&mut self, locator: RelFileLocator, fork: ForkNumber) -> Option<&mut Fork> {
        let at = self.forks.binary_search_by_key(&key(locator, fork), |fork| fork.key).ok()?;
        self.forks.get_mut(at)
    }

    /// A page, where it is known.
    #[must_use]
    pub fn page(&self, tag: BlockTag) -> Option<&Page> {
        self.fork(tag.locator, tag.fork)?.page(tag.block)
    }

    /// A page to change in place, where it is known.
    pub fn page_mut(&mut self, tag: BlockTag) -> Option<&mut Page> {
        self.fork_mut(tag.locator, tag.fork)?.slot(tag.block)?.as_mut()
    }

    /// The file's visibility map has no page yet. Its pages come to be without a record; the first that names one then
    /// finds it empty.
    pub fn without_map(&mut self, locator: RelFileLocator) {
        self.without_map.insert(locator);
    }

    /// Makes a page of a visibility map that is not known, where it can only be empty.
    pub(super) fn begin_map(&mut self, tag: BlockTag) {
        if self.page(tag).is_none() && self.without_map.contains(&tag.locator) {
            self.put(tag, Page::init(self.page_size, 0));
        }
    }

    /// Takes a page over.
    pub fn put(&mut self, tag: BlockTag, page: Page) {
        let key = key(tag.locator, tag.fork);
        let at = match self.forks.binary_search_by_key(&key, |fork| fork.key) {
            Ok(at) => at,
            Err(at) => {
                let new = Fork { key, locator: tag.locator, fork: tag.fork, stretches: BTreeMap::new() };
                self.forks.insert(at, new);
                at
            }
        };
        self.forks[at].put(tag.block, page);
    }

    /// Forgets a page: nobody knows what it is now.
    pub fn forget(&mut self, tag: BlockTag) {
        let slot = self.fork_mut(tag.locator, tag.fork).and_then(|fork| fork.slot(tag.block));
        slot.into_iter().for_each(|page| *page = None);
    }

    /// Forgets the pages of a fork from this block on, but for those that are newer than `end`: they were made after
    /// the cut. How many?
    pub fn truncate(&mut self, locator: RelFileLocator, fork: ForkNumber, blocks: BlockNumber, end: Lsn) -> usize {
        let is_recovery = self.is_recovery;
        let Some(fork) = self.fork_mut(locator, fork) else { return 0 };
        let (first, within) = place(blocks);
        let mut gone = 0;
        for (stretch, pages) in fork.stretches.range_mut(first..) {
            let skipped = if *stretch == first { within } else { 0 };
            for page in &mut pages[skipped..] {
                if page.as_ref().is_some_and(|page| is_recovery || page.header().pd_lsn() < end) {
                    *page = None;
                    gone += 1;
                }
            }
        }
        gone
    }

    /// Has the page a change already that a record is about to make anew or to bring an image of?
    pub(super) fn is_newer(&self, tag: BlockTag, end: Lsn) -> bool {
        !self.is_recovery && self.page(tag).is_some_and(|page| page.header().pd_lsn() >= end)
    }

    /// All pages, in order.
    pub fn pages(&self) -> impl Iterator<Item = (BlockTag, &Page)> {
        self.forks.iter().flat_map(Fork::pages)
    }
}
