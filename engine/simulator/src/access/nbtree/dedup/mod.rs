//! Equal keys become posting lists (`_bt_dedup_pass`, src/backend/access/nbtree/nbtdedup.c).
//!
//! ```text
//!  │ 7 (0,1) │ 7 (0,2) │ 7 (0,5) │ 9 (0,3) │   ──▶   │ 7 (0,1)(0,2)(0,5) │ 9 (0,3) │
//! ```
//!
//! On a page that holds one value only (*single value strategy*) the lists are kept smaller towards the end, so that
//! the page splits well.

pub(super) mod delete;
pub(super) mod runs;

use super::Index;
use super::dedup::runs::Runs;
use super::insert::Insertion;
use super::split::splitloc::SINGLEVAL_FILLFACTOR;
use super::tuple::{self, Items};
use crate::access::transam::REGBUF_STANDARD;
use crate::storage::BLCKSZ;
use alloc::vec::Vec;
use ffviz_format::nbtree::flags::BTP_HAS_GARBAGE;
use ffviz_format::nbtree::posting::{form_posting_in, form_posting_of};
use ffviz_format::page::{Appender, Page};
use ffviz_format::wal::rec::btree::{BTDedupInterval, XlBtreeDedup};
use ffviz_format::wal::record_type::BtreeType;

/// Half of `BTMaxItemSize`: what a posting list made on insert may have at most.
const MAX_POSTING_SIZE: usize = 1352;
/// Bytes of a page for items with their line pointers.
const SPACE: usize = 8152;
/// What a group of at least so many TIDs counts as when no more fit: a full one.
const FULL_GROUP: usize = 50;

/// Items that become one (`BTDedupState`).
#[derive(Debug, Clone, Default)]
pub(super) struct Group<'a> {
    /// the first of them
    pub base: &'a [u8],
    /// number of the first
    pub first: u16,
    /// how many items
    pub n_items: u16,
    /// how many TIDs the items have, and the TIDs, once there are two items
    n_tids: usize,
    tids: Vec<u8>,
    /// memory of the posting list
    merged: Vec<u8>,
}

impl<'a> Group<'a> {
    /// `_bt_dedup_start_pending`
    pub fn start(item: &'a [u8], first: u16) -> Self {
        let mut group = Self::default();
        group.restart(item, first);
        group
    }

    /// The same in this one's memory.
    pub fn restart(&mut self, item: &'a [u8], first: u16) {
        (self.base, self.first, self.n_items) = (item, first, 1);
        self.tids.clear();
    }

    fn n_tids(&self) -> usize {
        if self.n_items == 1 { tuple::n_tids(self.base) } else { self.n_tids }
    }

    /// Bytes of a posting list of so many TIDs.
    fn size(&self, n_tids: usize) -> usize {
        (tuple::key_size(self.base) + n_tids * tuple::TID_SIZE).next_multiple_of(8)
    }

    /// Would it be within the size with this item too?
    pub fn fits(&self, item: &[u8], max_size: usize) -> bool {
        self.size(self.n_tids() + tuple::n_tids(item)) <= max_size
    }

    /// `_bt_dedup_save_htid`, for an item that fits.
    pub fn take(&mut self, item: &[u8]) {
        if self.n_items == 1 {
            self.tids.extend_from_slice(tuple::tid_bytes(self.base));
        }
        self.tids.extend_from_slice(tuple::tid_bytes(item));
        self.count(item);
    }

    /// The same where the posting list is made of the items themselves.
    fn count(&mut self, item: &[u8]) {
        self.n_tids = self.n_tids() + tuple::n_tids(item);
        self.n_items += 1;
    }

    /// The item or the posting list (`_bt_dedup_finish_pending`).
    pub fn finish(&mut self) -> &[u8] {
        let is_merged = self.n_items > 1 && form_posting_in(&mut self.merged, self.base, &self.tids).is_ok();
        if is_merged { &self.merged } else { self.base }
    }

    /// Puts the posting list of the items on a page.
    fn put(&self, items: Items<'_>, page: &mut Appender<'_>) -> bool {
        let key = &self.base[..tuple::key_size(self.base)];
        let lists = (self.first..self.first + self.n_items).map(|n| tuple::tid_bytes(items.get(n)));
        page.put_with(self.size(self.n_tids), |place| form_posting_of(place, key, self.n_tids as u16, lists))
    }
}

/// How far single value strategy has come.
struct SingleValue {
    on: bool,
    /// groups that are full
    n_full: u32,
    max_size: usize,
    /// what the size is reduced by for the sixth group
    reduction: usize,
    merging: bool,
}

impl SingleValue {
    fn new(on: bool, newitemsz: usize) -> Self {
        let left_free = SPACE - (newitemsz + 8);
        let reduction = (left_free as f64 * (f64::from(100 - SINGLEVAL_FILLFACTOR) / 100.0)) as usize;
        Self { on, n_full: 0, max_size: MAX_POSTING_SIZE, reduction, merging: true }
    }

    /// A group ended.
    fn group_ends(&mut self) {
        if !self.on {
            return;
        }
        if self.n_full == 5 {
            self.max_size = self.max_size.saturating_sub(self.reduction);
        } else if self.n_full == 6 {
            (self.merging, self.on) = (false, false);
        }
    }
}

impl Index<'_> {
    /// Is deduplication possible and wanted?
    pub(super) fn may_dedup(&self) -> bool {
        self.rel.index.as_ref().is_some_and(|index| index.deduplicate_items) && self.meta().allequalimage
    }

    /// `_bt_dedup_pass`. `bottom_up`: single value strategy is out of the question. `runs`: the runs of equal keys,
    /// where they are known.
    pub(super) fn dedup_pass(&mut self, insertion: &Insertion<'_>, bottom_up: bool, runs: Option<Runs>) {
        let block = insertion.block;
        let (old, mut opaque) = (self.page(block).clone(), self.opaque(block));
        let (items, first) = (Items::of(&old), opaque.first_data_key());
        let runs = runs.unwrap_or_else(|| self.runs_of_equal_keys(items, first, |_, _| {}));
        if runs.is_empty() {
            return;
        }
        let is_single_value = !bottom_up && self.is_single_value(&old, first, insertion.tuple);
        let single = SingleValue::new(is_single_value, insertion.tuple.len() + 4);
        opaque.btpo_flags &= !BTP_HAS_GARBAGE;
        let mut page = opaque.page(BLCKSZ);
        page.set_pd_lsn(old.header().pd_lsn());
        let intervals = merge(&old, &runs, single, &mut page);
        if !intervals.is_empty() {
            let n_intervals = (intervals.len() / BTDedupInterval::SIZE) as u16;
            self.tell_dedup(block, &page, n_intervals, is_single_value);
            self.put_deduplicated(block, page, &intervals);
        }
    }

    fn put_deduplicated(&mut self, block: u32, page: Page, intervals: &[u8]) {
        let n_intervals = (intervals.len() / BTDedupInterval::SIZE) as u16;
        *self.page_mut(block) = page;
        self.log(BtreeType::Dedup, &XlBtreeDedup::make(n_intervals), &[(0, (block, REGBUF_STANDARD, &[intervals]))]);
    }

    /// `_bt_do_singleval`: do the first and the last item have the new one's key?
    fn is_single_value(&self, page: &Page, first: u16, new: &[u8]) -> bool {
        let is_equal = |n| self.keep_natts_fast(new, tuple::item(page, n)) > self.n_keys();
        is_equal(first) && is_equal(page.item_count())
    }
}

/// Fills the new page; gives the intervals of items that became one.
fn merge(old: &Page, runs: &Runs, mut single: SingleValue, page: &mut Page) -> Vec<u8> {
    let (items, mut appender) = (Items::of(old), page.appender());
    let mut intervals = Vec::with_capacity(runs.len() * BTDedupInterval::SIZE);
    // items stay as they are from this one on
    let mut copied_to = 1;
    let mut finish = |group: &Group<'_>| {
        if group.n_items > 1 {
            let has_room = appender.put_items(old, copied_to..group.first) && group.put(items, &mut appender);
            debug_assert!(has_room, "merged items take less");
            copied_to = group.first + group.n_items;
            intervals.extend(BTDedupInterval::make(group.first, group.n_items));
        }
    };
    for run in runs {
        let mut group = Group::start(items.get(run.start), run.start);
        for n in run.start + 1..run.end {
            let item = items.get(n);
            if single.merging && joins(&group, item, &mut single) {
                group.count(item);
                continue;
            }
            finish(&group);
            single.group_ends();
            group.restart(item, n);
        }
        finish(&group);
        single.group_ends();
    }
    appender.put_items(old, copied_to..items.count() + 1);
    intervals
}

/// Is there room for an item with the group's key?
fn joins(group: &Group<'_>, item: &[u8], single: &mut SingleValue) -> bool {
    let fits = group.fits(item, single.max_size);
    if !fits && group.n_tids() > FULL_GROUP {
        single.n_full += 1;
    }
    fits
}
