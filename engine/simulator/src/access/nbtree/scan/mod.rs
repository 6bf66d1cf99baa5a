//! An index scan, a leaf at a time (`_bt_first`, `_bt_readpage`, `_bt_next`, nbtsearch.c).
//!
//! ```text
//!  lower bound ─▶ leaf: all items within the bounds are remembered ─▶ their TIDs, one by one ─▶ next leaf
//!                       └ those whose rows turned out dead to everybody are marked LP_DEAD when the leaf is left
//! ```
//!
//! Backward it begins at the upper bound and goes to the left; of a posting list the TIDs come in their own order all
//! the same. A scan for several values (`= ANY`) is one a value, until 17 reads all those of a leaf at once (`arrays`),
//! as 18 does where a column is skipped.

pub(super) mod advance;
pub(super) mod arrays;
pub(super) mod check;
pub(super) mod keys;
pub(super) mod kill;
pub(super) mod skip;

use super::scan::arrays::Arrays;
use super::scan::check::KeyTest;
use super::scan::keys::ArrayKey;
use super::search::Stack;
use super::search::key::Start;
use super::tuple::{self, Items};
use super::{Index, ScanKey, offset};
use crate::storage::{Instance, Outcome, RelationData};
use crate::version::Behaviour;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::Value;
use ffviz_format::nbtree::Opaque;
use ffviz_format::page::{BlockNumber, ItemPointer, LpFlags, Lsn};

/// What a scan is to find: bounds in the order of the index on its first columns. An item with NULL in one of these
/// columns is left out, unless a bound is NULL there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IndexBounds {
    /// values of the first columns; none: from the beginning
    pub lower: Vec<Value>,
    /// does an item equal to them belong to it?
    pub lower_inclusive: bool,
    /// values of the first columns; none: to the end
    pub upper: Vec<Value>,
    /// does an item equal to them belong to it?
    pub upper_inclusive: bool,
}

impl IndexBounds {
    /// All items whose first columns have these values.
    #[must_use]
    pub fn equal(values: &[Value]) -> Self {
        Self { lower: values.to_vec(), lower_inclusive: true, upper: values.to_vec(), upper_inclusive: true }
    }
}

/// The bounds as keys that the items of a leaf are compared with.
pub(super) struct Ends<'a> {
    bounds: &'a IndexBounds,
    lower: ScanKey<'a>,
    upper: ScanKey<'a>,
}

impl<'a> Ends<'a> {
    pub fn of(rel: &RelationData, bounds: &'a IndexBounds) -> Self {
        // a high key that is equal as far as it goes stands before nothing that is
        let key = |values| {
            let mut key = ScanKey::new(rel, values);
            key.backward = true;
            key
        };
        Self { bounds, lower: key(&bounds.lower), upper: key(&bounds.upper) }
    }
}

/// A leaf as it was when it was read (`BTScanPosData`).
#[derive(Debug, Clone, Default)]
pub(super) struct Leaf {
    pub block: BlockNumber,
    pub lsn: Lsn,
    /// the leaf that comes after it: backward the left one
    next: BlockNumber,
    /// number of the item, TID; a posting list is several
    pub items: Vec<(u16, ItemPointer)>,
    at: usize,
    /// places in `items` whose rows are dead to everybody
    pub killed: Vec<usize>,
    pub is_last: bool,
}

impl Leaf {
    /// Entries are killed before the scan goes on. `lets_go`: it has let the leaf go meanwhile, if changes of that are
    /// logged, so that it is read once more (`dropPin`).
    fn leave(&self, pg: &mut Instance, rel: &RelationData, lets_go: bool) {
        let mut index = Index::new(pg, rel);
        if lets_go && rel.permanent && !self.killed.is_empty() {
            index.read(self.block);
        }
        index.kill_items(self);
    }
}

/// Where a scan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Stage {
    /// before the first leaf
    #[default]
    Before,
    /// on the leaf
    Leaf,
    /// behind the last one
    Behind,
}

/// A scan on its way.
#[derive(Debug, Clone, Default)]
pub struct IndexScan {
    /// what each part of it is to find
    bounds: Vec<IndexBounds>,
    /// which of them it is at
    at: usize,
    /// the same from 17 on, where there is more than one: all together
    arrays: Arrays,
    /// what an item between the bounds has to pass too
    tests: Arc<[KeyTest]>,
    backward: bool,
    stage: Stage,
    /// the leaf that it is on; else memory for the next one
    leaf: Leaf,
    /// does it belong to a query, so that a SERIALIZABLE transaction has SIREAD locks on its leaves?
    of_query: bool,
    /// is it asked for more than TIDs (`xs_want_itup`)?
    wants_tuples: bool,
    /// how often the tree was searched (`nsearches`)
    searches: u64,
}

impl IndexScan {
    /// How often the tree was searched since this was asked last.
    pub const fn take_searches(&mut self) -> u64 {
        core::mem::replace(&mut self.searches, 0)
    }

    /// A scan that has not begun.
    #[must_use]
    pub fn new(bounds: IndexBounds, backward: bool) -> Self {
        Self { bounds: alloc::vec![bounds], backward, ..Self::default() }
    }

    /// `btrescan`: before the first entry of these bounds, which the scan takes over for those that it had, with
    /// conditions that set no bounds. Several stand in the scan's order, and one scan follows the other. Where there
    /// are keys with several values these are the bounds.
    pub fn rescan(
        &mut self,
        bounds: &mut Vec<IndexBounds>,
        keys: Vec<ArrayKey>,
        tests: Arc<[KeyTest]>,
        backward: bool,
    ) {
        core::mem::swap(&mut self.bounds, bounds);
        self.arrays = Arrays { keys: keys.into_iter().map(|ArrayKey(key)| key).collect(), ..Arrays::default() };
        self.arrays.start(backward);
        let is_over = self.bounds.is_empty() && self.arrays.keys.is_empty();
        self.stage = if is_over { Stage::Behind } else { Stage::Before };
        (self.at, self.tests, self.backward) = (0, tests, backward);
    }

    /// By a query's snapshot (`IsMVCCSnapshot`); `wants_tuples`: of an Index Only Scan.
    #[must_use]
    pub fn of_query(wants_tuples: bool) -> Self {
        Self { of_query: true, wants_tuples, ..Self::default() }
    }

    /// `btgettuple`: the TID of the next entry.
    ///
    /// # Errors
    /// None so far.
    pub fn next(&mut self, pg: &mut Instance, rel: &RelationData) -> Outcome<Option<ItemPointer>> {
        loop {
            if self.stage == Stage::Before {
                self.searches += 1;
                let first = self.first_leaf(pg, rel)?;
                if first.is_none() && self.of_query {
                    // nothing finer is there
                    pg.predicate_lock_relation(rel);
                }
                self.read(pg, rel, first, true);
            }
            while self.stage == Stage::Leaf {
                let leaf = &mut self.leaf;
                if let Some((_, tid)) = leaf.items.get(leaf.at) {
                    leaf.at += 1;
                    return Ok(Some(*tid));
                }
                let next = Some(leaf.next).filter(|next| *next != 0 && !leaf.is_last);
                leaf.leave(pg, rel, self.of_query && !self.wants_tuples);
                self.read(pg, rel, next, false);
            }
            if !self.start_prim_scan() {
                return Ok(None);
            }
        }
    }

    fn first_leaf(&self, pg: &mut Instance, rel: &RelationData) -> Outcome<Option<BlockNumber>> {
        let mut index = Index::new(pg, rel);
        if self.reads_arrays() {
            let start = index.start_of(&self.arrays.keys, self.backward);
            return index.first_leaf(&start, self.backward, self.arrays.has_begun);
        }
        index.first_leaf(&self.bounds[self.at], self.backward, false)
    }

    const fn reads_arrays(&self) -> bool {
        !self.arrays.keys.is_empty()
    }

    /// `_bt_start_prim_scan`, before 17 `_bt_advance_array_keys`: is the tree to be searched again, for other values?
    fn start_prim_scan(&mut self) -> bool {
        let goes_on = if self.reads_arrays() {
            self.arrays.start_prim_scan()
        } else {
            self.at += 1;
            self.at < self.bounds.len()
        };
        if goes_on {
            self.stage = Stage::Before;
        }
        goes_on
    }

    /// Goes to a leaf, which is locked whatever is found on it, or behind the last one.
    fn read(&mut self, pg: &mut Instance, rel: &RelationData, block: Option<BlockNumber>, is_first: bool) {
        self.stage = if block.is_some() { Stage::Leaf } else { Stage::Behind };
        let Some(block) = block else { return };
        let mut index = Index::new(pg, rel);
        if !is_first {
            index.read(block);
        }
        index.begin_leaf(block, self.backward, &mut self.leaf);
        if self.reads_arrays() {
            index.read_leaf_for_arrays(&mut self.arrays, &self.tests, self.backward, is_first, &mut self.leaf);
        } else {
            index.read_leaf(&self.bounds[self.at], &self.tests, self.backward, &mut self.leaf);
        }
        if self.of_query {
            pg.predicate_lock_page(rel, self.leaf.block);
        }
    }

    fn on_leaf(&mut self) -> Option<&mut Leaf> {
        (self.stage == Stage::Leaf).then_some(&mut self.leaf)
    }

    /// The first column of the entry that was given last, itself where it is compressed.
    pub fn first_column(&mut self, pg: &mut Instance, rel: &RelationData) -> Option<Value> {
        let leaf = self.on_leaf()?;
        let (item, _) = leaf.items.get(leaf.at.checked_sub(1)?)?;
        let index = Index::new(pg, rel);
        let value = index.column(tuple::item(index.page(leaf.block), *item), 0);
        index.columns().next().map(|column| column.plain(&value).into_owned())
    }

    /// `kill_prior_tuple`: no version of the row that was given last is visible to anybody.
    pub fn kill_prior(&mut self) {
        if let Some(leaf) = self.on_leaf().filter(|leaf| leaf.at > 0) {
            leaf.killed.push(leaf.at - 1);
        }
    }

    /// `btendscan`: marks what is left to be marked.
    pub fn end(&mut self, pg: &mut Instance, rel: &RelationData) {
        let lets_go = self.of_query && !self.wants_tuples;
        if let Some(leaf) = self.on_leaf() {
            leaf.leave(pg, rel, lets_go);
        }
        self.stage = Stage::Behind;
    }
}

impl Index<'_> {
    /// The leaf that a scan begins with, or that it skips to (`_bt_first`).
    fn first_leaf(&mut self, bounds: &IndexBounds, backward: bool, skips: bool) -> Outcome<Option<BlockNumber>> {
        if backward && bounds.upper.is_empty() {
            return Ok(self.last_leaf());
        }
        let (values, inclusive) = match backward {
            true => (&bounds.upper, bounds.upper_inclusive),
            false => (&bounds.lower, bounds.lower_inclusive),
        };
        let mut key = ScanKey::new(self.rel, values);
        key.nextkey = !values.is_empty() && inclusive == backward;
        key.backward = backward && self.pg.version.finds_end_of_backward_scan();
        let mut stack = Stack::new();
        let Some(block) = self.search(&key, false, &mut stack, |block, _| block)? else { return Ok(None) };
        if !stack.is_empty() {
            self.tell_scan(block, (values, inclusive, backward), skips);
        }
        Ok(Some(block))
    }

    /// `_bt_get_endpoint`
    fn last_leaf(&mut self) -> Option<BlockNumber> {
        let mut block = self.get_root(false)?;
        loop {
            let (page, opaque) = (self.page(block), self.opaque(block));
            if !opaque.is_rightmost() {
                block = opaque.btpo_next
            } else if opaque.is_leaf() {
                return Some(block);
            } else {
                block = tuple::downlink(tuple::item(page, page.item_count()))
            }
            self.read(block);
        }
    }

    /// Goes to a leaf, or over those that are no longer in use to the next one.
    fn begin_leaf(&mut self, mut block: BlockNumber, backward: bool, leaf: &mut Leaf) {
        let beside = |opaque: Opaque| if backward { opaque.btpo_prev } else { opaque.btpo_next };
        while self.opaque(block).is_ignored() && beside(self.opaque(block)) != 0 {
            block = beside(self.opaque(block));
            self.read(block);
        }
        let (page, opaque) = (self.page(block), self.opaque(block));
        (leaf.block, leaf.lsn, leaf.next, leaf.at, leaf.is_last) =
            (block, page.header().pd_lsn(), beside(opaque), 0, false);
        leaf.items.clear();
        leaf.killed.clear();
    }

    /// `_bt_readpage`
    fn read_leaf(&self, bounds: &IndexBounds, tests: &[KeyTest], backward: bool, leaf: &mut Leaf) {
        let (page, opaque) = (self.page(leaf.block), self.opaque(leaf.block));
        let (first, last) = (opaque.first_data_key(), page.item_count());
        let (ends, end) = (Ends::of(self.rel, bounds), if backward { Ordering::Less } else { Ordering::Greater });
        let items = Items::of(page);
        let is_dead = |n: u16| page.item_id(offset(n)).is_some_and(|lp| lp.lp_flags() == LpFlags::Dead);
        let (from, to) = if backward {
            (first, self.first_behind(items, first, &ends))
        } else {
            (self.first_within(items, first, &ends), last + 1)
        };
        for n in (from..to).map(|n| if backward { to - 1 - (n - from) } else { n }) {
            let item = items.get(n);
            // of the other end the search has decided
            let is_beyond = if backward { self.is_before(item, &ends) } else { self.is_behind(item, &ends) };
            let place = if is_beyond { end } else { self.place_of_null(item, bounds) };
            match place {
                Ordering::Equal if !is_dead(n) && self.passes(item, tests) => {
                    leaf.items.extend(tuple::tids(item).map(|tid| (n, tid)));
                }
                _ if place == end => {
                    leaf.is_last = true;
                    break;
                }
                _ => {}
            }
        }
        leaf.is_last =
            leaf.is_last || !backward && !opaque.is_rightmost() && self.is_behind(tuple::item(page, 1), &ends);
    }

    /// `_bt_binsrch` on a leaf: the first item, from `first` on, that is not before the bounds; one more than the last
    /// where all are.
    pub(super) fn first_within(&self, items: Items<'_>, first: u16, ends: &Ends<'_>) -> u16 {
        first_where(items, first, &ends.lower, |item| !self.is_before(item, ends))
    }

    /// The same of the first item behind the bounds.
    pub(super) fn first_behind(&self, items: Items<'_>, first: u16, ends: &Ends<'_>) -> u16 {
        first_where(items, first, &ends.upper, |item| self.is_behind(item, ends))
    }

    pub(super) fn is_before(&self, item: &[u8], ends: &Ends<'_>) -> bool {
        match self.compare_tuple(&ends.lower, item) {
            Ordering::Greater => true,
            Ordering::Equal => !ends.bounds.lower.is_empty() && !ends.bounds.lower_inclusive,
            Ordering::Less => false,
        }
    }

    pub(super) fn is_behind(&self, item: &[u8], ends: &Ends<'_>) -> bool {
        match self.compare_tuple(&ends.upper, item) {
            Ordering::Less => true,
            Ordering::Equal => !ends.bounds.upper.is_empty() && !ends.bounds.upper_inclusive,
            Ordering::Greater => false,
        }
    }

    /// Where an item lies that has a NULL where a bound has a value: with the column's NULLs, before the bounds or
    /// behind them; else equal.
    pub(super) fn place_of_null(&self, item: &[u8], bounds: &IndexBounds) -> Ordering {
        let (nulls, data) = tuple::columns(item);
        if nulls.is_empty() {
            return Ordering::Equal;
        }
        let is_wanted =
            |n: usize| [&bounds.lower, &bounds.upper].iter().any(|values| values.get(n).is_some_and(Value::is_null));
        let bounded = self.columns().take(bounds.lower.len().max(bounds.upper.len())).enumerate();
        let is_null = |n: usize| self.rel.desc.stored_at(data, nulls, n).is_none() && !is_wanted(n);
        match bounded.into_iter().find(|(n, _)| is_null(*n)) {
            Some((_, column)) if column.key.nulls_first => Ordering::Less,
            Some(_) => Ordering::Greater,
            None => Ordering::Equal,
        }
    }
}

/// The first item, from `first` on, of which this is true, as it is then of all behind it; its place is that of the
/// key.
fn first_where(items: Items<'_>, first: u16, key: &ScanKey<'_>, is_true: impl Fn(&[u8]) -> bool) -> u16 {
    let (mut low, mut high) = key.narrow(items, (first, items.count() + 1), Start::Between(items.count()));
    while low < high {
        let middle = low + (high - low) / 2;
        if is_true(items.get(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}
