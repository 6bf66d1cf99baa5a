//! Where an insertion begins (`_bt_search_insert`, src/backend/access/nbtree/nbtinsert.c).
//!
//! ```text
//!  the rightmost leaf, where the key goes there ─ else ▶ the leaf of the insertion before, where it goes there ─ else ▶ down from the root
//! ```
//!
//! PostgreSQL keeps the rightmost leaf only. A search would come to the same leaf, so no page and no record tells the difference.

use super::ahead::Ahead;
use super::insert::Insertion;
use super::number::Leading;
use super::search::{Bounds, Stack, free_space};
use super::tuple::Items;
use super::{Index, ScanKey};
use crate::datum::Value;
use crate::nbtree::Opaque;
use crate::page::BlockNumber;
use crate::storage::{Outcome, RelationData};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// What an insertion leaves for the next one of the same statement, which often goes next to it.
#[derive(Debug, Clone, Default)]
pub struct LastInsert {
    /// memory of its tuple
    pub(super) tuple: Vec<u8>,
    /// the leaf it went to and its number there, unless the leaf was split
    pub(super) place: Option<(BlockNumber, u16)>,
    /// did it go elsewhere than the one before? Then the next one is not looked for there: keys may come in no order
    pub(super) strays: bool,
    /// the way to that leaf
    pub(super) stack: Stack,
    /// the ways to the leaves of the entries behind it, where they are known
    pub(super) ahead: Ahead,
    /// the table, where it had to be asked
    pub(super) heap: Option<Arc<RelationData>>,
}

impl LastInsert {
    /// Others may have changed the tree meanwhile.
    pub fn forget_place(&mut self) {
        self.place = None;
        self.ahead.clear();
    }

    /// Did it go elsewhere than the one before?
    #[must_use]
    pub const fn strays(&self) -> bool {
        self.strays
    }
}

impl Index<'_> {
    /// Looks ahead for entries with these values in their first columns. They come next, in this order.
    pub fn look_ahead<'a>(&mut self, values: impl Iterator<Item = &'a Value>, last: &mut LastInsert) {
        last.ahead.clear();
        for value in values {
            let Some(number) = Leading::of(self.rel, value) else { return last.ahead.clear() };
            last.ahead.add(number);
        }
        self.go_ahead(&mut last.ahead);
    }

    /// `_bt_search_insert`: the leaf that the last key went to, where that is the rightmost one and the new key goes there too, behind its
    /// first item. It has room, so that nobody has to know the way to it. Of a key behind the last item it gives the number too.
    pub(super) fn rightmost_leaf(&mut self, key: &ScanKey<'_>, size: usize) -> Option<(BlockNumber, Option<u16>)> {
        let block = self.pg.backend().target_block(self.rel.file)?;
        let page = self.page(block);
        let (opaque, items) = (Opaque::at_end(page), Items::of(page));
        let is_behind = |n| self.compare_tuple(key, items.get(n)) == Ordering::Greater;
        let has_room = opaque.is_leaf()
            && opaque.is_rightmost()
            && !opaque.is_ignored()
            && free_space(page) > size
            && items.count() > 0;
        if has_room && is_behind(items.count()) {
            return Some((block, Some(items.count() + 1)));
        }
        if has_room && is_behind(1) {
            return Some((block, None));
        }
        self.pg.backend_mut().set_target_block(self.rel.file, None);
        None
    }

    /// The leaf where the key belongs, and the way to it: the rightmost one, where that is known, or that of the insertion before, or from the root. Gives what
    /// is known of the place there, as [`Self::equal_items`].
    pub(super) fn find_leaf(
        &mut self,
        insertion: &mut Insertion<'_>,
        rightmost: Option<BlockNumber>,
        last: Option<(BlockNumber, u16)>,
        ahead: Option<(BlockNumber, u16)>,
    ) -> Outcome<Option<(Bounds, bool)>> {
        if let Some(block) = rightmost {
            (insertion.block, insertion.stack) = (block, Stack::new());
            return Ok(self.equal_items(insertion));
        }
        if let Some((block, near)) = last {
            insertion.block = block;
            let found = self.follow(&insertion.key, (block, near), insertion.tuple.len());
            if found.is_some() {
                return Ok(found);
            }
            if self.belongs_to_leaf(&insertion.key, block) {
                insertion.near = near;
                return Ok(self.equal_items(insertion));
            }
        }
        if let Some((block, near)) = ahead.filter(|(block, _)| self.belongs_to_leaf(&insertion.key, *block)) {
            (insertion.block, insertion.near) = (block, near);
            return Ok(self.equal_items(insertion));
        }
        insertion.stack.clear();
        if let Some(block) = self.search(&insertion.key, true, &mut insertion.stack)? {
            insertion.block = block;
        }
        Ok(self.equal_items(insertion))
    }

    /// The items equal to the key, where it goes right behind the insertion before, between items of the same leaf; and whether that has room.
    fn follow(&self, key: &ScanKey<'_>, (block, n): (BlockNumber, u16), size: usize) -> Option<(Bounds, bool)> {
        let page = self.page(block);
        let opaque = Opaque::at_end(page);
        let is_in_tree = opaque.is_leaf() && !opaque.is_ignored() && !opaque.is_split_incomplete();
        if !is_in_tree || n < opaque.first_data_key() {
            return None;
        }
        let (low, stricthigh) = key.follow(Items::of(page), n)?;
        Some((Bounds { low, stricthigh, are_equal: true }, free_space(page) >= size))
    }

    /// Would a search come to that leaf: is the key behind its first item, and not beyond its high key?
    fn belongs_to_leaf(&self, key: &ScanKey<'_>, block: BlockNumber) -> bool {
        let page = self.page(block);
        let (opaque, items) = (Opaque::at_end(page), Items::of(page));
        opaque.is_leaf()
            && !opaque.is_ignored()
            && !opaque.is_split_incomplete()
            && items.count() >= opaque.first_data_key()
            && (opaque.is_rightmost() || self.compare_tuple(key, items.get(1)) != Ordering::Greater)
            && self.compare_tuple(key, items.get(opaque.first_data_key())) == Ordering::Greater
    }
}
