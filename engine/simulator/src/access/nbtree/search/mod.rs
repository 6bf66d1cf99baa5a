//! From the root to a leaf (src/backend/access/nbtree/nbtsearch.c).
//!
//! ```text
//!  fast root ─▶ last item < key ─▶ … ─▶ leaf: first item >= key
//!        └ on each page: is the key beyond the high key? then one to the right
//! ```

pub(super) mod key;

use self::key::Start;
use super::insert::Insertion;
use super::tuple::{self, Items};
use super::{Index, ScanKey};
use crate::storage::Outcome;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::nbtree::Opaque;
use ffviz_format::page::{BlockNumber, LpFlags, Page};

/// The pages on the way down: each with the item that was followed (`BTStackData`).
pub(super) type Stack = Vec<(BlockNumber, u16)>;

/// What a search within a leaf found, for the next one to begin with (`BTInsertStateData`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    /// the first item that may not be less than the key
    pub low: u16,
    /// the first item that is greater than the key
    pub stricthigh: u16,
    /// are all between them known to be equal to the key, but for the heap TID?
    pub are_equal: bool,
}

/// Where a new item goes on a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// its number
    pub offset: u16,
    /// the place of its TID within the posting list at that number; 0: none
    pub posting: u16,
    /// the TID lies within the list of a tuple that is marked dead
    pub in_dead_list: bool,
    /// for the next search on the page
    pub bounds: Option<Bounds>,
}

/// `PageGetFreeSpace`: what a new item with its line pointer may take.
pub(super) fn free_space(page: &Page) -> usize {
    exact_free_space(page).saturating_sub(4)
}

/// `PageGetExactFreeSpace`
pub(super) fn exact_free_space(page: &Page) -> usize {
    usize::from(page.header().pd_upper().saturating_sub(page.header().pd_lower()))
}

/// A page that is looked at.
#[derive(Clone, Copy)]
pub(super) struct OnPage<'a> {
    pub page: &'a Page,
    pub items: Items<'a>,
    pub opaque: Opaque,
}

impl OnPage<'_> {
    /// The items of a leaf that are equal to the key, as far as the first column tells all of them, and whether the
    /// leaf has room for a tuple of so many bytes. Where it finds none, the key is unique, and splits no posting list.
    /// `near`: as [`Start::near`].
    #[inline]
    pub fn equal_items(self, key: &ScanKey<'_>, near: u16, size: usize) -> Option<(Bounds, bool)> {
        let Self { page, items, opaque } = self;
        let (first, end) = (opaque.first_data_key(), items.count() + 1);
        let (low, stricthigh) = key.narrow(items, (first, end), Start::near(near, items, first));
        let is_known = if low == stricthigh {
            low < end || opaque.is_rightmost() || key.is_before(items.get(1))
        } else {
            key.is_number_of(items.get(low)) && key.is_number_of(items.get(stricthigh - 1))
        };
        is_known.then(|| (Bounds { low, stricthigh, are_equal: true }, free_space(page) >= size))
    }
}

impl Index<'_> {
    /// `_bt_search`: the leaf where the key belongs; the way to it goes into `stack`. `for_update`: a root is made
    /// where there is none, and splits that were not finished are. Gives what is asked for of the leaf, as long as it
    /// is at hand.
    pub(super) fn search<T>(
        &mut self,
        key: &ScanKey<'_>,
        for_update: bool,
        stack: &mut Stack,
        ask: impl FnOnce(BlockNumber, OnPage<'_>) -> T,
    ) -> Outcome<Option<T>> {
        let Some(mut block) = self.get_root(for_update) else { return Ok(None) };
        loop {
            let on = self.on_page(block);
            if !self.stays(key, on, for_update) {
                block = self.move_right(block, for_update, stack)?;
                self.read(block);
                continue;
            }
            if on.opaque.is_leaf() {
                return Ok(Some(ask(block, on)));
            }
            let n = self.binary_search(key, on);
            stack.push((block, n));
            block = tuple::downlink(on.items.get(n));
            self.read(block);
        }
    }

    /// A page to look at more than once.
    #[inline]
    pub(super) fn on_page(&self, block: BlockNumber) -> OnPage<'_> {
        let page = self.page(block);
        OnPage { page, items: Items::of(page), opaque: Opaque::at_end(page) }
    }

    /// Does the key belong to the page, and not to one to the right of it? A page in an unfinished split has to be
    /// looked at, if `finish`.
    #[inline]
    fn stays(&self, key: &ScanKey<'_>, OnPage { opaque, items, .. }: OnPage<'_>, finish: bool) -> bool {
        let is_passed_by = opaque.is_ignored() || finish && opaque.is_split_incomplete();
        opaque.is_rightmost() || !(is_passed_by || key.is_beyond(self.compare_tuple(key, items.get(1))))
    }

    /// `_bt_moveright`: the page was split meanwhile, or is on its way out. A split that was not finished is; else the
    /// key belongs to the right.
    fn move_right(&mut self, block: BlockNumber, finish: bool, stack: &Stack) -> Outcome<BlockNumber> {
        let opaque = self.opaque(block);
        if finish && opaque.is_split_incomplete() {
            return self.finish_split(block, stack).map(|()| block);
        }
        Ok(opaque.btpo_next)
    }

    /// `_bt_binsrch` on an internal page: the last item that is less than the key, of `nextkey` that is not greater.
    /// The first one is less than everything.
    fn binary_search(&self, key: &ScanKey<'_>, OnPage { items, opaque, .. }: OnPage<'_>) -> u16 {
        let first = opaque.first_data_key();
        let range = (first + 1, items.count() + 1);
        let (mut low, mut high) = key.narrow(items, range, Start::on_page(items, first));
        while high > low {
            let mid = low + (high - low) / 2;
            if key.is_beyond(self.compare_tuple(key, items.get(mid))) {
                low = mid + 1;
            } else {
                high = mid;
            }
        }
        low - 1
    }

    /// `_bt_binsrch_insert`: the first item of a leaf that is not less than the key; within the bounds of an earlier
    /// search.
    pub(super) fn binary_search_insert(&self, insertion: &Insertion<'_>) -> Place {
        let (page, key, bounds) = (self.page(insertion.block), &insertion.key, insertion.bounds);
        if let Some(Bounds { low, stricthigh, .. }) = bounds
            && low >= stricthigh
        {
            return Place { offset: low, posting: 0, in_dead_list: false, bounds: None };
        }
        let (items, first) = (Items::of(page), Opaque::at_end(page).first_data_key());
        let (low, high) = bounds.map_or((first, items.count() + 1), |b| (b.low, b.stricthigh));
        let mut place = Place { offset: low, posting: 0, in_dead_list: false, bounds: None };
        // a page without data items
        if bounds.is_none() && items.count() < first || high < low {
            return place;
        }
        let are_equal = bounds.is_some_and(|bounds| bounds.are_equal);
        let (mut low, mut high) = if are_equal {
            (low, high)
        } else {
            key.narrow(items, (low, high), Start::near(insertion.near, items, first))
        };
        let mut stricthigh = high;
        while high > low {
            let mid = low + (high - low) / 2;
            let item = items.get(mid);
            let order = if are_equal { key.order_tid(item) } else { self.compare_tuple(key, item) };
            if order == Ordering::Greater {
                low = mid + 1;
                continue;
            }
            high = mid;
            if order == Ordering::Less {
                stricthigh = high;
            } else if let Some(scantid) = key.scantid {
                let is_dead = page.item_id(super::offset(mid)).is_some_and(|lp| lp.lp_flags() == LpFlags::Dead);
                place.in_dead_list = tuple::is_posting(item) && is_dead;
                place.posting = if is_dead { 0 } else { search_posting(item, scantid) };
            }
        }
        Place { offset: low, bounds: Some(Bounds { low, stricthigh, are_equal: false }), ..place }
    }
}

/// `_bt_binsrch_posting`: the first TID of the list that is not less; 0 for a tuple without a list.
fn search_posting(item: &[u8], scantid: ffviz_format::page::ItemPointer) -> u16 {
    if !tuple::is_posting(item) {
        return 0;
    }
    let (mut low, mut high) = (0, tuple::n_tids(item));
    while high > low {
        let mid = low + (high - low) / 2;
        match scantid.cmp(&tuple::tid(item, mid)) {
            Ordering::Greater => low = mid + 1,
            Ordering::Less => high = mid,
            Ordering::Equal => return mid as u16,
        }
    }
    low as u16
}
