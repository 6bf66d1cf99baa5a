//! Where a page is split (`_bt_findsplitloc`, src/backend/access/nbtree/nbtsplitloc.c).
//!
//! ```text
//!  every place between two items ──legal?──▶ candidates ──by how far from the wanted fill──▶ the best few ──cheapest high key──▶ one
//! ```
//!
//! Which one wins decides every later page, so numbers are those of C: 16-bit differences, doubles cut to integers,
//! PostgreSQL's own sort.

mod even;
mod strategy;
mod words;

use crate::access::nbtree::search::exact_free_space;
use crate::access::nbtree::{Index, tuple};
use crate::qsort::PartialSort;
use alloc::string::String;
use alloc::vec::Vec;
use even::EvenPage;
use ffviz_format::nbtree::Opaque;
use ffviz_format::page::{ItemIdData, Page, maxalign};
use strategy::Strategy;

/// `sizeof(ItemIdData)`
const LINE_POINTER: i32 = ItemIdData::SIZE as i32;
/// Bytes of a page for items with their line pointers: 8152 at 8192 bytes.
const SPACE: i32 = 8192 - 24 - 16;
/// `MAXALIGN(sizeof(ItemPointerData))`: what a heap TID adds to a high key.
const HEAP_TID: i32 = 8;
/// A pivot without columns, with its line pointer.
const MINUS_INFINITY: i32 = 8 + LINE_POINTER;
/// `BTREE_NONLEAF_FILLFACTOR`
pub(in crate::access::nbtree) const NONLEAF_FILLFACTOR: u8 = 70;
/// `BTREE_SINGLEVAL_FILLFACTOR`
pub(in crate::access::nbtree) const SINGLEVAL_FILLFACTOR: u8 = 96;
/// `BTREE_DEFAULT_FILLFACTOR`
pub(in crate::access::nbtree) const DEFAULT_FILLFACTOR: u8 = 90;

/// A place to split (`SplitPoint`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SplitPoint {
    delta: i16,
    leftfree: i16,
    rightfree: i16,
    firstrightoff: u16,
    newitemonleft: bool,
}

/// The place that was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Split {
    /// the first item of the right page, by its number on the page to be split
    pub firstrightoff: u16,
    /// does the new item go to the left page?
    pub newitemonleft: bool,
    /// why there, and what else was weighed: where somebody listens
    pub told: Option<(String, Vec<String>)>,
}

/// The search for it (`FindSplitData`).
struct Finder<'a> {
    index: &'a Index<'a>,
    page: &'a Page,
    opaque: Opaque,
    newitem: &'a [u8],
    newitemoff: u16,
    /// with its line pointer
    newitemsz: i32,
    rightspace: i32,
    olddataitemstotal: i32,
    minfirstrightsz: i32,
    /// where all items have one size: the places as they are computed, of which only the best few are listed
    even: Option<EvenPage>,
    splits: Vec<SplitPoint>,
    /// how far they are sorted
    sorting: PartialSort,
}

impl Index<'_> {
    /// `_bt_findsplitloc`: where the page is split, which has no room for the new item at that number.
    pub(super) fn find_split_location(&self, page: &Page, opaque: Opaque, newitemoff: u16, newitem: &[u8]) -> Split {
        let high_key = if opaque.is_rightmost() { 0 } else { item_size(page, 1) };
        let rightspace = SPACE - high_key;
        let mut finder = Finder {
            index: self,
            page,
            opaque,
            newitem,
            newitemoff,
            newitemsz: newitem.len() as i32 + LINE_POINTER,
            rightspace,
            olddataitemstotal: rightspace - exact_free_space(page) as i32,
            minfirstrightsz: i32::MAX,
            even: None,
            splits: Vec::new(),
            sorting: PartialSort::default(),
        };
        match EvenPage::of(&finder).filter(|_| !finder.listened()) {
            Some(even) => (finder.minfirstrightsz, finder.even) = (even.size, Some(even)),
            None => finder.record_all(),
        }
        finder.choose()
    }

    fn fillfactor(&self) -> u8 {
        self.rel.fillfactor.unwrap_or(DEFAULT_FILLFACTOR)
    }
}

/// An item with its line pointer.
fn item_size(page: &Page, n: u16) -> i32 {
    let length = page.item_id(crate::access::nbtree::offset(n)).map_or(0, ItemIdData::lp_len);
    i32::from(maxalign(length)) + LINE_POINTER
}

/// Bytes of an item of a leaf that are its posting list.
fn posting_size(page: &Page, n: u16) -> i32 {
    let item = tuple::item(page, n);
    (tuple::size(item) - tuple::key_size(item)) as i32
}

impl Finder<'_> {
    /// All places that leave both pages within their space.
    fn record_all(&mut self) {
        self.splits.clear();
        self.splits.reserve(usize::from(self.page.item_count()) + 2);
        let mut left = 0;
        let (page, first) = (self.page, self.opaque.first_data_key());
        for (n, lp) in page.line_pointers().map(|(n, lp)| (n.0, lp)).skip(usize::from(first) - 1) {
            let size = i32::from(maxalign(lp.lp_len())) + LINE_POINTER;
            let posting = if self.opaque.is_leaf() && size > 64 { posting_size(page, n) } else { 0 };
            if n == self.newitemoff {
                self.record(n, false, left, self.newitemsz, 0);
            }
            self.record(n, n >= self.newitemoff, left, size, posting);
            left += size;
        }
        if self.newitemoff > self.page.item_count() {
            self.record(self.newitemoff, false, left, self.newitemsz, 0);
        }
    }

    /// `_bt_recsplitloc`; `left`: bytes of the items before the place; of the first one behind it the size, and how
    /// much of that is a posting list.
    #[inline]
    fn record(&mut self, firstrightoff: u16, newitemonleft: bool, left: i32, firstrightsz: i32, posting: i32) {
        let mut leftfree = SPACE - left - firstrightsz;
        let mut rightfree = self.rightspace - (self.olddataitemstotal - left);
        if self.opaque.is_leaf() {
            leftfree -= HEAP_TID - posting;
        } else {
            rightfree += firstrightsz - MINUS_INFINITY;
        }
        if newitemonleft {
            leftfree -= self.newitemsz;
        } else {
            rightfree -= self.newitemsz;
        }
        if leftfree >= 0 && rightfree >= 0 {
            self.minfirstrightsz = self.minfirstrightsz.min(firstrightsz);
            let (leftfree, rightfree) = (leftfree as i16, rightfree as i16);
            self.splits.push(SplitPoint { delta: 0, leftfree, rightfree, firstrightoff, newitemonleft });
        }
    }

    fn choose(self) -> Split {
        let leaf_fill = f64::from(self.index.fillfactor()) / 100.0;
        let is_rightmost = self.opaque.is_rightmost();
        let fill = if !self.opaque.is_leaf() {
            is_rightmost.then_some(f64::from(NONLEAF_FILLFACTOR) / 100.0)
        } else if is_rightmost {
            Some(leaf_fill)
        } else {
            match self.after_new_item() {
                Some(true) => Some(leaf_fill),
                Some(false) => {
                    if let Some(split) = self.behind_new_item() {
                        return split.chosen(self.listened().then(|| self.words_after_new_item(split)));
                    }
                    None
                }
                None => None,
            }
        };
        self.best(fill)
    }

    /// The place right behind the new item.
    fn behind_new_item(&self) -> Option<SplitPoint> {
        let there = |split: &SplitPoint| split.newitemonleft && split.firstrightoff == self.newitemoff;
        match &self.even {
            Some(even) => even.behind_new_item().filter(there),
            None => self.splits.iter().copied().find(there),
        }
    }

    /// The first and the last place.
    fn ends(&self) -> Option<(SplitPoint, SplitPoint)> {
        match &self.even {
            Some(even) => even.ends(),
            None => self.splits.first().copied().zip(self.splits.last().copied()),
        }
    }

    /// `_bt_afternewitemoff`: do insertions look like ascending runs within the index? Then the split is after the new
    /// item, by the fillfactor (`Some(true)`) or right there.
    fn after_new_item(&self) -> Option<bool> {
        let (n_keys, last) = (self.index.n_keys(), self.page.item_count());
        let is_uniform = self.newitemsz == self.minfirstrightsz
            && self.newitemsz * (i32::from(last) - 1) == self.olddataitemstotal
            && self.newitemsz <= 8 + 16 + LINE_POINTER;
        if n_keys == 1 || self.newitemoff == 2 || !is_uniform {
            return None;
        }
        let keeps_some = |before: &[u8]| {
            let keep = self.index.keep_natts_fast(before, self.newitem);
            1 < keep && keep <= n_keys
        };
        if self.newitemoff > last {
            return keeps_some(tuple::item(self.page, last)).then_some(true);
        }
        let before = tuple::item(self.page, self.newitemoff - 1);
        if tuple::is_posting(before) || !is_adjacent(before, self.newitem) || !keeps_some(before) {
            return None;
        }
        let leaf_fill = f64::from(self.index.fillfactor()) / 100.0;
        Some(f64::from(self.newitemoff) / (f64::from(last) + 1.0) > leaf_fill)
    }

    /// `_bt_deltasortsplits`: so far as somebody looks; where places are computed, of as many as
    /// [`Self::default_interval`] looks at.
    fn sort(&mut self, fill: Option<f64>) {
        let tolerance = self.tolerance();
        match self.even.as_ref().map(|even| even.nearest(fill, tolerance)) {
            Some(Some(nearest)) => self.splits = nearest,
            Some(None) => self.sort_all(fill),
            None => self.sort_recorded(fill),
        }
    }

    /// The same of all places.
    fn sort_all(&mut self, fill: Option<f64>) {
        if self.even.take().is_some() {
            self.record_all();
            self.sort_recorded(fill);
        }
    }

    /// Of places that were sorted before the next sort begins with those as they lie then, all of them.
    fn sort_recorded(&mut self, fill: Option<f64>) {
        self.sort_to(usize::MAX);
        self.splits.iter_mut().for_each(|split| split.weigh(fill));
        self.sorting = PartialSort::of(self.splits.len());
    }

    /// Brings the first so many of them to their places.
    fn sort_to(&mut self, n: usize) {
        self.sorting.sort_to(n, &mut self.splits, &mut |a, b| a.delta.cmp(&b.delta));
    }

    fn best(mut self, fill: Option<f64>) -> Split {
        let Some((leftpage, rightpage)) = self.ends() else {
            return Split { firstrightoff: self.newitemoff, newitemonleft: false, told: None };
        };
        self.sort(fill);
        let mut interval = self.default_interval();
        let (strategy, perfect) = self.strategy(interval, leftpage, rightpage);
        match strategy {
            Strategy::Default => {}
            Strategy::ManyDuplicates => {
                self.sort_all(fill);
                interval = self.splits.len();
                self.sort_to(interval);
            }
            Strategy::SingleValue => {
                self.sort(Some(f64::from(SINGLEVAL_FILLFACTOR) / 100.0));
                interval = 1;
                self.sort_to(interval);
            }
        }
        let chosen = self.best_of(interval, perfect, strategy);
        chosen.chosen(self.listened().then(|| self.words(fill, strategy, interval, chosen)))
    }
}

impl SplitPoint {
    /// Sets how far it is from the wanted fill of the left page; from one half, where none is wanted.
    fn weigh(&mut self, fill: Option<f64>) {
        self.delta = difference(fill, self.leftfree, self.rightfree).saturating_abs();
    }

    /// Does it leave another space than that one?
    fn is_far(&self, other: Self, tolerance: i16) -> bool {
        let is_near = |free: i16, wanted: i16| (wanted - tolerance..=wanted + tolerance).contains(&free);
        !is_near(self.leftfree, other.leftfree) || !is_near(self.rightfree, other.rightfree)
    }

    const fn chosen(self, told: Option<(String, Vec<String>)>) -> Split {
        Split { firstrightoff: self.firstrightoff, newitemonleft: self.newitemonleft, told }
    }
}

/// How much too much is free on the left page.
fn difference(fill: Option<f64>, left: i16, right: i16) -> i16 {
    match fill {
        Some(fill) => (fill * f64::from(left) - (1.0 - fill) * f64::from(right)) as i16,
        None => left - right,
    }
}

/// `_bt_adjacenthtid`: were the rows of both tuples inserted one after the other, as far as their places tell?
fn is_adjacent(low: &[u8], high: &[u8]) -> bool {
    let (low, high) = (tuple::t_tid(low), tuple::t_tid(high));
    low.block == high.block || (low.block + 1 == high.block && high.offset.0 == 1)
}
