//! An index scan, a leaf at a time (`_bt_first`, `_bt_readpage`, `_bt_next`, nbtsearch.c; `_bt_killitems`, nbtutils.c).
//!
//! ```text
//!  lower bound ─▶ leaf: all items within the bounds are remembered ─▶ their TIDs, one by one ─▶ next leaf
//!                       └ those whose rows turned out dead to everybody are marked LP_DEAD when the leaf is left
//! ```

use super::{Index, ScanKey, offset, tuple};
use crate::datum::Value;
use crate::nbtree::flags::BTP_HAS_GARBAGE;
use crate::page::{BlockNumber, ItemIdData, ItemPointer, LpFlags, Lsn};
use crate::storage::{Instance, Outcome, RelationData, Unlogged};
use alloc::vec::Vec;
use core::cmp::Ordering;

/// What a scan is to find: bounds in the order of the index on its first columns. An item with NULL in one of these columns is left out.
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

/// A leaf as it was when it was read (`BTScanPosData`).
#[derive(Debug, Clone)]
struct Leaf {
    block: BlockNumber,
    lsn: Lsn,
    next: BlockNumber,
    /// number of the item, TID; a posting list is several
    items: Vec<(u16, ItemPointer)>,
    at: usize,
    /// places in `items` whose rows are dead to everybody
    killed: Vec<usize>,
    is_last: bool,
}

/// A scan on its way.
#[derive(Debug, Clone)]
pub struct IndexScan {
    bounds: IndexBounds,
    leaf: Option<Leaf>,
    started: bool,
}

impl IndexScan {
    /// A scan that has not begun.
    #[must_use]
    pub const fn new(bounds: IndexBounds) -> Self {
        Self { bounds, leaf: None, started: false }
    }

    /// `btgettuple`: the TID of the next entry.
    ///
    /// # Errors
    /// None so far.
    pub fn next(&mut self, pg: &mut Instance, rel: &RelationData) -> Outcome<Option<ItemPointer>> {
        let mut index = Index::new(pg, rel);
        if !self.started {
            self.started = true;
            let key = ScanKey { values: self.bounds.lower.clone(), scantid: None };
            let Some((block, stack)) = index.search(&key, false)? else { return Ok(None) };
            if !stack.is_empty() {
                index.tell_scan(block);
            }
            self.leaf = Some(index.read_leaf(block, &self.bounds));
        }
        loop {
            let Some(leaf) = &mut self.leaf else { return Ok(None) };
            if let Some((_, tid)) = leaf.items.get(leaf.at) {
                leaf.at += 1;
                return Ok(Some(*tid));
            }
            let next = Some(leaf.next).filter(|next| *next != 0 && !leaf.is_last);
            index.kill_items(leaf);
            self.leaf = next.map(|block| index.read_leaf(block, &self.bounds));
        }
    }

    /// `kill_prior_tuple`: no version of the row that was given last is visible to anybody.
    pub fn kill_prior(&mut self) {
        if let Some(leaf) = self.leaf.as_mut().filter(|leaf| leaf.at > 0) {
            leaf.killed.push(leaf.at - 1);
        }
    }

    /// `btendscan`: marks what is left to be marked.
    pub fn end(&mut self, pg: &mut Instance, rel: &RelationData) {
        if let Some(leaf) = self.leaf.take() {
            Index::new(pg, rel).kill_items(&leaf);
        }
    }
}

impl Index<'_> {
    /// `_bt_readpage`
    fn read_leaf(&self, mut block: BlockNumber, bounds: &IndexBounds) -> Leaf {
        while self.opaque(block).is_ignored() && self.opaque(block).btpo_next != 0 {
            block = self.opaque(block).btpo_next;
        }
        let (page, opaque) = (self.page(block), self.opaque(block));
        let lsn = page.header().pd_lsn();
        let mut leaf =
            Leaf { block, lsn, next: opaque.btpo_next, items: Vec::new(), at: 0, killed: Vec::new(), is_last: false };
        for n in opaque.first_data_key()..=page.item_count() {
            let item = tuple::item(page, n);
            let is_dead = page.item_id(offset(n)).is_some_and(|lp| lp.lp_flags() == LpFlags::Dead);
            match self.within(item, bounds) {
                Ordering::Less => {}
                Ordering::Greater => {
                    leaf.is_last = true;
                    break;
                }
                Ordering::Equal if is_dead => {}
                Ordering::Equal => leaf.items.extend(tuple::tids(item).map(|tid| (n, tid))),
            }
        }
        leaf
    }

    /// Is the item before the bounds, within them (equal), or behind them?
    fn within(&self, item: &[u8], bounds: &IndexBounds) -> Ordering {
        let behind = self.compare_columns(item, &bounds.upper);
        if behind == Ordering::Greater
            || (behind == Ordering::Equal && !bounds.upper.is_empty() && !bounds.upper_inclusive)
        {
            return Ordering::Greater;
        }
        let before = self.compare_columns(item, &bounds.lower);
        if before == Ordering::Less
            || (before == Ordering::Equal && !bounds.lower.is_empty() && !bounds.lower_inclusive)
        {
            return Ordering::Less;
        }
        let bounded = bounds.lower.len().max(bounds.upper.len()) as u16;
        let has_null = (0..bounded).any(|n| self.column(item, n).is_null());
        if has_null { Ordering::Less } else { Ordering::Equal }
    }

    /// The first columns of an item against values, in the order of the index.
    fn compare_columns(&self, item: &[u8], values: &[Value]) -> Ordering {
        let columns = (0..).zip(values).zip(&self.columns);
        let orders = columns.map(|((n, value), column)| column.order(&self.column(item, n), value));
        orders.into_iter().find(|order| *order != Ordering::Equal).unwrap_or(Ordering::Equal)
    }

    /// `_bt_killitems`: marks entries that lead to rows that are dead to everybody, unless the leaf has changed since it was read.
    fn kill_items(&mut self, leaf: &Leaf) {
        if leaf.killed.is_empty() || (self.rel.permanent && self.page(leaf.block).header().pd_lsn() != leaf.lsn) {
            return;
        }
        let mut marked = false;
        let mut kills = leaf.killed.iter();
        while let Some(kill) = kills.next() {
            let (from, _) = leaf.items[*kill];
            let Some((n, lp)) = self.find_killed(leaf, *kill, from) else { continue };
            let count = tuple::n_tids(tuple::item(self.page(leaf.block), n));
            // the other TIDs of a posting list are remembered right behind the first
            kills.by_ref().take(count - 1).for_each(drop);
            if lp.lp_flags() != LpFlags::Dead {
                let dead = ItemIdData::new(lp.lp_off(), LpFlags::Dead as u8, lp.lp_len());
                self.page_mut(leaf.block).set_item_id(offset(n), dead);
                marked = true;
            }
        }
        if marked {
            self.change_opaque(leaf.block, |opaque| opaque.btpo_flags |= BTP_HAS_GARBAGE);
            let buf = self.buffer(leaf.block);
            self.pg.mark_buffer_dirty_hint(buf, true);
            self.pg.note_unlogged(Unlogged::KilledItems, buf);
        }
    }

    /// The item of a killed entry: a plain one with its TID, or a posting list all of whose TIDs were killed one after the other.
    fn find_killed(&self, leaf: &Leaf, kill: usize, from: u16) -> Option<(u16, ItemIdData)> {
        let page = self.page(leaf.block);
        let place = leaf.killed.iter().position(|killed| *killed == kill)?;
        let killed: Vec<ItemPointer> = leaf.killed[place..].iter().map(|at| leaf.items[*at].1).collect();
        (from..=page.item_count()).find_map(|n| {
            let item = tuple::item(page, n);
            let is_it = tuple::n_tids(item) <= killed.len()
                && tuple::tids(item).zip(&killed).all(|(tid, killed)| tid == *killed);
            is_it.then(|| page.item_id(offset(n)).map(|lp| (n, lp))).flatten()
        })
    }
}
