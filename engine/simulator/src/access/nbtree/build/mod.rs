//! CREATE INDEX and REINDEX: a tree from sorted tuples, bottom up (`_bt_load`, `_bt_buildadd`, `_bt_uppershutdown`,
//! src/backend/access/nbtree/nbtsort.c).
//!
//! ```text
//!  sorted tuples ──▶ leaf being filled ── full ──▶ written; its low key goes to the level above, which is filled likewise
//! ```

pub(super) mod load;
pub(super) mod spool;

use super::build::spool::Spool;
use super::meta::{METAPAGE, Meta, metapage};
use super::search::free_space;
use super::split::append;
use super::split::splitloc::{DEFAULT_FILLFACTOR, NONLEAF_FILLFACTOR};
use super::tuple::{self, TID_ROOM, minus_infinity, set_downlink};
use super::{Index, offset};
use crate::storage::{BLCKSZ, MAX_PENDING_WRITES, Outcome, Stop};
use crate::version::Behaviour;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::nbtree::Opaque;
use ffviz_format::nbtree::flags::{BTP_LEAF, BTP_ROOT};
use ffviz_format::page::{BlockNumber, ForkNumber, ItemIdData, Page, PageHeaderData};

/// A level being built (`BTPageState`).
pub(super) struct Level {
    pub page: Page,
    block: BlockNumber,
    low_key: Vec<u8>,
    pub filling: Filling,
}

/// How far a page is filled.
pub(super) struct Filling {
    /// number of the last item; 1: the high key's, which is to come
    pub last: u16,
    /// bytes of the posting list of the tuple added last
    pub last_extra: usize,
    /// the page counts as full when less than this is free
    full: usize,
}

impl Filling {
    /// Does the page, with so much room left, take no tuple that needs so much?
    #[inline]
    pub const fn is_full(&self, free: usize, needed: usize) -> bool {
        free < needed || (free + self.last_extra < self.full && self.last > 2)
    }

    /// How many plain tuples of that size the page takes for sure, with so much room left.
    pub fn room_for(&self, free: usize, size: usize) -> usize {
        let (needed, each) = (size + TID_ROOM, size + ItemIdData::SIZE);
        if self.is_full(free, needed) {
            return 0;
        }
        let others = free.checked_sub(each + needed.max(self.full));
        others.map_or(1, |spare| 2 + spare / each)
    }

    /// The page has taken so many tuples, the last one with a posting list of that size.
    pub const fn take(&mut self, n: usize, extra: usize) {
        if n > 0 {
            self.last += n as u16;
            self.last_extra = extra;
        }
    }
}

/// A build at work (`BTWriteState`).
pub(super) struct Build {
    pub levels: Vec<Level>,
    next_block: BlockNumber,
    /// pages in the order in which they are complete
    done: Vec<(BlockNumber, Page)>,
    leaf_full: usize,
}

impl Index<'_> {
    /// `btbuild`: the index of these entries, in any order; the file has no block yet. `allequalimage`: equal keys are
    /// equal in every byte, so that they may share a posting list.
    ///
    /// # Errors
    /// A tuple that is too large; a duplicate, where the index is unique.
    pub fn build(&mut self, mut spool: Spool, allequalimage: bool) -> Outcome<()> {
        spool.sort(self);
        self.check_built_unique(&spool)?;
        let leaf_fill = usize::from(self.rel.fillfactor.unwrap_or(DEFAULT_FILLFACTOR));
        let leaf_full = usize::from(BLCKSZ) * (100 - leaf_fill) / 100;
        let mut build = Build { levels: Vec::new(), next_block: 1, done: Vec::new(), leaf_full };
        let merge =
            allequalimage && self.rel.index.as_ref().is_some_and(|index| !index.unique && index.deduplicate_items);
        if let Err(too_large) = build.load(self, spool, merge) {
            self.write_built_so_far(build.done);
            return Err(too_large);
        }
        let (root, level) = build.finish(self);
        let meta = Meta { root, level, fastroot: root, fastlevel: level, cleanup: 0, allequalimage };
        build.done.push((METAPAGE, metapage(meta)));
        self.write_built(build.done);
        Ok(())
    }

    /// `comparetup_index_btree`: no two live rows have the same key in a unique index. A NULL is like no other, unless
    /// NULLS NOT DISTINCT.
    fn check_built_unique(&self, spool: &Spool) -> Outcome<()> {
        let Some(form) = self.rel.index.as_ref().filter(|index| index.unique && !spool.is_ascending()) else {
            return Ok(());
        };
        let has_null =
            |tuple: &[u8]| !form.nulls_not_distinct && (0..self.n_keys()).any(|n| self.column(tuple, n).is_null());
        let mut alive = spool.alive();
        let Some(mut last) = alive.next() else { return Ok(()) };
        for tuple in alive {
            if self.keep_natts(last, tuple) > self.n_keys() && !has_null(tuple) {
                let message = format!("could not create unique index \"{}\"", self.rel.name);
                let error = SqlError::new("23505", message);
                let values: Vec<_> = (0..self.n_keys()).map(|n| self.column(tuple, n)).collect();
                return Err(Stop::Error(match self.key_description(&values) {
                    Some(key) => error.with_detail(format!("Key {key} is duplicated.")),
                    None => error,
                }));
            }
            last = tuple;
        }
        Ok(())
    }

    /// A build that stops has written and logged what was complete, from 17 on only whole batches.
    fn write_built_so_far(&mut self, mut pages: Vec<(BlockNumber, Page)>) {
        if self.pg.version.logs_built_pages_in_batches() {
            pages.truncate(pages.len() / MAX_PENDING_WRITES * MAX_PENDING_WRITES);
        }
        self.write_built(pages);
    }

    /// Logs and writes the pages: one by one, from 17 on up to 32 at a time.
    fn write_built(&mut self, pages: Vec<(BlockNumber, Page)>) {
        let blocks = pages.iter().map(|(block, _)| block + 1).max().unwrap_or(0);
        self.pg.extend(self.rel.file, ForkNumber::Main, blocks);
        let at_once = if self.pg.version.logs_built_pages_in_batches() { MAX_PENDING_WRITES } else { 1 };
        let mut pages = pages.into_iter();
        let mut batch = Vec::with_capacity(at_once);
        loop {
            batch.clear();
            for (block, page) in pages.by_ref().take(at_once) {
                *self.page_mut(block) = page;
                batch.push(block);
            }
            if batch.is_empty() {
                return;
            }
            batch.sort_unstable();
            self.pg.log_newpages(self.rel, &batch);
            batch.iter().for_each(|block| self.pg.write_in_place(self.buffer(*block)));
        }
    }
}

impl Build {
    pub(super) fn new_level(&mut self, level: u32) {
        let full =
            if level == 0 { self.leaf_full } else { usize::from(BLCKSZ) * usize::from(100 - NONLEAF_FILLFACTOR) / 100 };
        let (block, low_key) = (self.next(), minus_infinity(0).to_vec());
        let filling = Filling { last: 1, last_extra: 0, full };
        self.levels.push(Level { page: empty_page(level), block, low_key, filling });
    }

    fn next(&mut self) -> BlockNumber {
        self.next_block += 1;
        self.next_block - 1
    }

    /// `_bt_buildadd`, above the leaves: one more downlink.
    fn add(&mut self, index: &Index<'_>, level: usize, tuple: &[u8]) {
        let state = &self.levels[level];
        if state.filling.is_full(free_space(&state.page), tuple.len()) {
            self.next_page(index, level);
        }
        let state = &mut self.levels[level];
        state.filling.last += 1;
        if state.filling.last == 2 {
            append(&mut state.page, &minus_infinity(tuple::downlink(tuple)));
        } else {
            append(&mut state.page, tuple);
        }
    }

    /// The page is full: its last item becomes the first of the next one, and its high key.
    pub(super) fn next_page(&mut self, index: &Index<'_>, level: usize) {
        let next_block = self.next();
        let state = &mut self.levels[level];
        let mut old = core::mem::replace(&mut state.page, empty_page(level as u32));
        let old_block = core::mem::replace(&mut state.block, next_block);
        let last = core::mem::replace(&mut state.filling.last, 2);
        let last_item = tuple::item(&old, last).to_vec();
        if level == 0 {
            append(&mut state.page, &last_item);
        } else {
            append(&mut state.page, &minus_infinity(tuple::downlink(&last_item)));
        }
        let lp = old.item_id(offset(last)).unwrap_or(ItemIdData(0));
        old.set_item_id(offset(1), lp);
        old.set_item_id(offset(last), ItemIdData(0));
        let lower = old.header().pd_lower();
        old.set_pd_lower(lower - ItemIdData::SIZE as u16);
        if level == 0 {
            let high_key = index.truncate(tuple::item(&old, last - 1), &last_item);
            let written = old.index_tuple_overwrite(offset(1), &high_key);
            debug_assert!(written.is_ok(), "{written:?}");
        }
        let high_key = tuple::item(&old, 1).to_vec();
        let mut low_key = core::mem::replace(&mut self.levels[level].low_key, high_key);
        if level + 1 == self.levels.len() {
            self.new_level(level as u32 + 1);
        }
        set_downlink(&mut low_key, old_block);
        self.add(index, level + 1, &low_key);
        link(&mut old, |opaque| opaque.btpo_next = next_block);
        link(&mut self.levels[level].page, |opaque| opaque.btpo_prev = old_block);
        self.done.push((old_block, old));
    }

    /// `_bt_uppershutdown`: the last page of each level; the highest is the root. Gives it with its level.
    fn finish(&mut self, index: &Index<'_>) -> (BlockNumber, u32) {
        let (mut root, mut level) = (0, 0);
        while level < self.levels.len() {
            let (block, is_root) = (self.levels[level].block, level + 1 == self.levels.len());
            if is_root {
                root = block;
                link(&mut self.levels[level].page, |opaque| opaque.btpo_flags |= BTP_ROOT);
            } else {
                let mut low_key = self.levels[level].low_key.clone();
                set_downlink(&mut low_key, block);
                self.add(index, level + 1, &low_key);
            }
            let mut page = self.levels[level].page.clone();
            slide_left(&mut page);
            self.done.push((block, page));
            level += 1;
        }
        (root, level.saturating_sub(1) as u32)
    }
}

/// `_bt_blnewpage`: with a line pointer set aside for the high key.
fn empty_page(level: u32) -> Page {
    let btpo_flags = if level == 0 { BTP_LEAF } else { 0 };
    let mut page = Opaque { btpo_level: level, btpo_flags, ..Opaque::default() }.page(BLCKSZ);
    page.set_pd_lower((PageHeaderData::SIZE + ItemIdData::SIZE) as u16);
    page
}

fn link(page: &mut Page, change: impl FnOnce(&mut Opaque)) {
    let changed = Opaque::change(page, change);
    debug_assert!(changed.is_ok(), "{changed:?}");
}

/// `_bt_slideleft`: the rightmost page of a level has no high key, so its line pointers move down by one.
fn slide_left(page: &mut Page) {
    let count = page.item_count();
    for n in 2..=count {
        let lp = page.item_id(offset(n)).unwrap_or(ItemIdData(0));
        page.set_item_id(offset(n - 1), lp);
    }
    let lower = page.header().pd_lower();
    page.set_pd_lower(lower - ItemIdData::SIZE as u16);
}
