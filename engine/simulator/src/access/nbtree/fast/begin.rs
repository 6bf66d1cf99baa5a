//! Where an insertion begins (`_bt_search_insert`, src/backend/access/nbtree/nbtinsert.c).
//!
//! ```text
//!  the rightmost leaf, where the key goes there
//!   └ else ▶ the leaf of the insertion before, or the one found ahead, or one that is known, where it goes there
//!              └ else ▶ down from the root
//! ```
//!
//! PostgreSQL keeps the rightmost leaf only. A search would come to the same leaf, so no page and no record tells the
//! difference.
//!
//! While keys come in an order, an insertion begins right behind the one before, or near it on that leaf, where the
//! items there say that it goes there.

use super::ahead::Ahead;
use super::leaves::Leaves;
use super::number::{Leading, NumberColumn};
use crate::access::nbtree::insert::FoundLeaf;
use crate::access::nbtree::meta::{METAPAGE, root_height};
use crate::access::nbtree::search::{Bounds, OnPage, Stack, free_space};
use crate::access::nbtree::{Index, ScanKey};
use crate::plain::PLAIN;
use crate::storage::{Outcome, RelationData};
use core::cmp::Ordering;
use ffviz_format::datum::Value;
use ffviz_format::nbtree::BTREE_FASTPATH_MIN_LEVEL;
use ffviz_format::page::{BlockNumber, ForkNumber};

/// What is kept of a statement's insertions into an index to begin the next one, which often goes next to the last.
#[derive(Debug, Clone)]
pub(in crate::access::nbtree) struct Begin {
    /// the index' first column, where that has numbers
    column: Option<NumberColumn>,
    /// the leaf the last one went to and its number there, unless the leaf was split
    place: Option<(BlockNumber, u16)>,
    /// did it go elsewhere than the one before? Then the next one is not looked for there: keys may come in no order
    strays: bool,
    /// the leaves that are known, as long as keys stray
    pub(super) leaves: Leaves,
    /// the ways to the leaves of the entries behind it, where they are known
    pub(super) ahead: Ahead,
}

/// Where an insertion begins.
pub(in crate::access::nbtree) enum Begun {
    /// its place is known, and no item there is equal; the leaf has room
    Place { block: BlockNumber, n: u16 },
    /// only the leaf is
    Leaf(FoundLeaf),
}

impl Begin {
    /// Before the first insertion into that index.
    pub fn new(rel: &RelationData) -> Self {
        let (leaves, ahead) = (Leaves::default(), Ahead::default());
        Self { column: NumberColumn::first_of(rel), place: None, strays: false, leaves, ahead }
    }

    /// As [`ScanKey::new`].
    #[inline]
    pub fn key<'a>(&self, values: &'a [Value]) -> ScanKey<'a> {
        ScanKey::by(self.column, values)
    }

    /// The tuple got that place, unless the leaf was split.
    pub const fn went_to(&mut self, place: Option<(BlockNumber, u16)>) {
        self.place = place;
    }

    /// Looks ahead for entries with these values in their first columns. They come next, in this order; the first ones
    /// may be known already.
    pub fn look_ahead<'a>(&mut self, values: impl Iterator<Item = &'a Value>) {
        let Self { column, ahead, .. } = self;
        for value in values.skip(ahead.len()) {
            ahead.add(column.and_then(|column| Leading::of(column, value)));
        }
    }

    /// Others may have changed the tree meanwhile.
    pub fn forget_place(&mut self) {
        self.place = None;
        self.leaves.clear();
        self.ahead.clear();
    }

    /// Did it go elsewhere than the one before?
    pub const fn strays(&self) -> bool {
        self.strays
    }
}

impl Index<'_> {
    /// Where a tuple of that size begins; `stack` gets the way to its leaf, unless that was known.
    #[inline]
    pub(in crate::access::nbtree) fn begin_insert(
        &mut self,
        key: &ScanKey<'_>,
        size: usize,
        begin: &mut Begin,
        stack: &mut Stack,
    ) -> Outcome<Begun> {
        if begin.ahead.advance() {
            self.go_ahead(begin);
        }
        let rightmost = self.rightmost_leaf(key, size);
        if let Some((block, Some(n))) = rightmost {
            return Ok(Begun::Place { block, n });
        }
        let before = begin.place.take();
        let near = if begin.strays { self.place_ahead(begin) } else { before };
        let near = near.filter(|_| !PLAIN);
        if begin.strays || rightmost.is_some() {
            stack.clear();
        }
        let leaf = match rightmost {
            Some((block, _)) => FoundLeaf { block, near: 0, equal: self.on_page(block).equal_items(key, 0, size) },
            None => self.find_leaf(key, size, near, begin, stack)?,
        };
        begin.strays = before.map_or(begin.strays, |(block, _)| block != leaf.block);
        Ok(match leaf.equal {
            Some((Bounds { low, stricthigh, .. }, true)) if low == stricthigh => {
                begin.place = Some((leaf.block, low));
                Begun::Place { block: leaf.block, n: low }
            }
            _ => Begun::Leaf(leaf),
        })
    }

    /// `_bt_search_insert`: the leaf that the last key went to, where that is the rightmost one and the new key goes
    /// there too, behind its first item. It has room, so that nobody has to know the way to it. Of a key behind the
    /// last item it gives the number too.
    fn rightmost_leaf(&mut self, key: &ScanKey<'_>, size: usize) -> Option<(BlockNumber, Option<u16>)> {
        let block = self.pg.backend().target_block(self.rel.file)?;
        // of a lower tree PostgreSQL does not keep it
        let is_kept = root_height(self.page(METAPAGE)) >= BTREE_FASTPATH_MIN_LEVEL;
        if is_kept {
            self.read(block);
        }
        let OnPage { page, items, opaque } = self.on_page(block);
        let is_behind = |n| self.compare_tuple(key, items.get(n)) == Ordering::Greater;
        let has_room = opaque.is_leaf()
            && opaque.is_rightmost()
            && !opaque.is_ignored()
            && free_space(page) > size
            && items.count() > 0;
        let place = items.count() + 1;
        let is_last = has_room && is_behind(items.count());
        if !(is_last || has_room && is_behind(1)) {
            self.pg.backend_mut().set_target_block(self.rel.file, None);
            return None;
        }
        if !is_kept {
            self.read_way(block);
        }
        Some((block, is_last.then_some(place)))
    }

    /// The leaf where the key belongs: one that is known, or from the root. `near`: a leaf, and an item there, that it
    /// may go behind. `size`: of the tuple. `stack` gets the way to the leaf.
    fn find_leaf(
        &mut self,
        key: &ScanKey<'_>,
        size: usize,
        near: Option<(BlockNumber, u16)>,
        begin: &mut Begin,
        stack: &mut Stack,
    ) -> Outcome<FoundLeaf> {
        let Begin { leaves, strays, .. } = begin;
        let number = key.number().filter(|_| *strays);
        let known = number.and_then(|number| leaves.get(number)).map(|block| (block, 0));
        if let Some((block, near)) = near.or(known) {
            let found = self.follow(key, block, near, size);
            if found.is_some() {
                self.read_way(block);
                return Ok(FoundLeaf { block, near, equal: found });
            }
            let on = self.on_page(block);
            if self.belongs_to_leaf(key, on) {
                let equal = on.equal_items(key, near, size);
                self.read_way(block);
                return Ok(FoundLeaf { block, near, equal });
            }
        }
        stack.clear();
        let found = |block, on: OnPage<'_>| FoundLeaf { block, near: 0, equal: on.equal_items(key, 0, size) };
        // there is a root, made if need be
        let leaf = self.search(key, true, stack, found)?.unwrap_or_default();
        if let Some(number) = number {
            leaves.learn(number, leaf.block, self.pages());
        }
        Ok(leaf)
    }

    /// What a search for the leaf would have read: the pages above it are at hand since the one before.
    fn read_way(&mut self, leaf: BlockNumber) {
        let meta = self.meta();
        self.read_root(meta.fastroot, true);
        if meta.fastlevel > 0 {
            self.pg.blocks_read.hit += u64::from(meta.fastlevel - 1);
            self.read(leaf);
        }
    }

    /// How many pages the index has.
    pub(super) fn pages(&self) -> BlockNumber {
        self.pg.buffers.nblocks(self.rel.file, ForkNumber::Main)
    }

    /// The items equal to the key, where it goes right behind the insertion before, between items of the same leaf; and
    /// whether that has room.
    fn follow(&self, key: &ScanKey<'_>, block: BlockNumber, n: u16, size: usize) -> Option<(Bounds, bool)> {
        let OnPage { page, items, opaque } = self.on_page(block);
        let is_in_tree = opaque.is_leaf() && !opaque.is_ignored() && !opaque.is_split_incomplete();
        if !is_in_tree || n < opaque.first_data_key() {
            return None;
        }
        let (low, stricthigh) = key.follow(items, n)?;
        Some((Bounds { low, stricthigh, are_equal: true }, free_space(page) >= size))
    }

    /// Would a search come to that leaf: is the key behind its first item, and not beyond its high key?
    fn belongs_to_leaf(&self, key: &ScanKey<'_>, OnPage { opaque, items, .. }: OnPage<'_>) -> bool {
        opaque.is_leaf()
            && !opaque.is_ignored()
            && !opaque.is_split_incomplete()
            && items.count() >= opaque.first_data_key()
            && (opaque.is_rightmost() || self.compare_tuple(key, items.get(1)) != Ordering::Greater)
            && self.compare_tuple(key, items.get(opaque.first_data_key())) == Ordering::Greater
    }
}
