//! Is there a duplicate? (`_bt_check_unique`, src/backend/access/nbtree/nbtinsert.c)
//!
//! ```text
//!  first item >= key ─▶ each with an equal key: any version of its row alive? ─▶ duplicate, or wait for the one who made it
//!                                              └ dead to everybody: the item is marked LP_DEAD
//! ```
//!
//! A key that its leaf has not goes to its place without a look at the table; of one that it has, the equal items are
//! found once. Of the version that an UPDATE has just replaced it is known what it is.

use super::{Insertion, UniqueCheck};
use crate::access::heap::scan::{heap_index_fetch_check, heap_index_fetch_replaced};
use crate::access::heap::visibility::{DirtyXids, Snapshot};
use crate::access::nbtree::tuple;
use crate::access::nbtree::tuple::Items;
use crate::access::nbtree::{Index, offset};
use crate::storage::{Outcome, Stop, WaitFor};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::nbtree::flags::BTP_HAS_GARBAGE;
use ffviz_format::page::{BlockNumber, ItemIdData, LpFlags};
use ffviz_story::timeline::Unlogged;

/// What the rows of one item are.
enum Found {
    /// no version of any row is visible
    None,
    /// and all are dead to everybody
    AllDead,
    /// one is visible
    Conflict(DirtyXids),
}

impl Index<'_> {
    /// Looks at every item with the key. Gives whether the key is surely unique; `Partial` gives up at the first doubt.
    pub(super) fn check_unique(&mut self, insertion: &mut Insertion<'_>, unique: UniqueCheck) -> Outcome<bool> {
        let (mut block, mut n) = (insertion.block, self.first_equal(insertion));
        // on the first page: where greater ones begin, and are those before equal?
        let mut known = insertion.bounds.map(|bounds| (bounds.stricthigh, bounds.are_equal));
        loop {
            let count = Items::of(self.page(block)).count();
            while n <= count {
                if known.is_some_and(|(end, _)| end == n) {
                    return Ok(true);
                }
                let items = Items::of(self.page(block));
                let lp = items.item_id(n);
                if lp.lp_flags() != LpFlags::Dead {
                    let is_equal = known.is_some_and(|(_, are_equal)| are_equal)
                        || self.compare_tuple(&insertion.key, items.get(n)) == Ordering::Equal;
                    if !is_equal {
                        return Ok(true);
                    }
                    match self.look_at(insertion, unique, block, n)? {
                        Found::None => {}
                        Found::AllDead => self.mark_dead(block, n, lp),
                        Found::Conflict(_) if unique == UniqueCheck::Partial => return Ok(false),
                        Found::Conflict(xids) => return self.conflict(xids, insertion).map(|()| true),
                    }
                }
                n += 1;
            }
            let Some(next) = self.next_with_key(block, insertion) else { return Ok(true) };
            self.read(next);
            (block, n, known) = (next, self.opaque(next).first_data_key(), None);
        }
    }

    /// The first item of the leaf that is not less than the key.
    fn first_equal(&self, insertion: &mut Insertion<'_>) -> u16 {
        if let Some(bounds) = insertion.bounds {
            return bounds.low;
        }
        let place = self.binary_search_insert(insertion);
        insertion.bounds = place.bounds;
        place.offset
    }

    /// Every row of an item.
    fn look_at(
        &mut self,
        insertion: &mut Insertion<'_>,
        unique: UniqueCheck,
        block: BlockNumber,
        n: u16,
    ) -> Outcome<Found> {
        let heap = match &mut insertion.heap {
            Some(heap) => heap,
            unknown => unknown.insert(self.heap()?),
        };
        let count = tuple::n_tids(Items::of(self.page(block)).get(n));
        let mut all_dead = true;
        for place in 0..count {
            let tid = tuple::tid(Items::of(self.page(block)).get(n), place);
            if unique == UniqueCheck::Existing && tid == tuple::tid(insertion.tuple, 0) {
                all_dead = false;
                continue;
            }
            if insertion.replaces == Some(tid) {
                heap_index_fetch_replaced(self.pg, heap, tid);
                all_dead = false;
                continue;
            }
            let search = heap_index_fetch_check(self.pg, heap, tid, Snapshot::Dirty)?;
            if search.found.is_some() {
                return Ok(Found::Conflict(search.running));
            }
            all_dead &= search.all_dead;
        }
        Ok(if all_dead { Found::AllDead } else { Found::None })
    }

    fn mark_dead(&mut self, block: BlockNumber, n: u16, lp: ItemIdData) {
        self.page_mut(block).set_item_id(offset(n), ItemIdData::new(lp.lp_off(), LpFlags::Dead as u8, lp.lp_len()));
        self.change_opaque(block, |opaque| opaque.btpo_flags |= BTP_HAS_GARBAGE);
        let buf = self.buffer(block);
        self.pg.mark_buffer_dirty_hint(buf, true);
        self.pg.note_unlogged(Unlogged::KilledItems, buf);
    }

    /// The right sibling, where duplicates may go on.
    fn next_with_key(&self, mut block: BlockNumber, insertion: &Insertion<'_>) -> Option<BlockNumber> {
        let is_equal = |block| self.compare_tuple(&insertion.key, tuple::item(self.page(block), 1)) == Ordering::Equal;
        let opaque = self.opaque(block);
        if opaque.is_rightmost() || !is_equal(block) {
            return None;
        }
        loop {
            block = self.opaque(block).btpo_next;
            if !self.opaque(block).is_ignored() {
                return Some(block);
            }
        }
    }

    /// The other transaction runs: wait for it. Else the statement fails, unless the new row is dead itself: that is
    /// looked up once more, and its page may be pruned by it.
    fn conflict(&mut self, xids: DirtyXids, insertion: &Insertion<'_>) -> Outcome<()> {
        if let Some(xid) = xids.xmin.or(xids.xmax) {
            return Err(Stop::Wait(WaitFor::Transaction(xid)));
        }
        let (heap, new_row) = (self.heap()?, tuple::tid(insertion.tuple, 0));
        if heap_index_fetch_check(self.pg, &heap, new_row, Snapshot::Own)?.found.is_none() {
            return Ok(());
        }
        // a conflict is told rather than the duplicate that comes of it
        self.pg.check_for_serializable_conflict_in(self.rel, None, Some(insertion.block))?;
        let message = format!("duplicate key value violates unique constraint \"{}\"", self.rel.name);
        let error = SqlError::new("23505", message);
        Err(Stop::Error(match self.key_description(insertion.key.values) {
            Some(key) => error.with_detail(format!("Key {key} already exists.")),
            None => error,
        }))
    }

    /// `BuildIndexValueDescription`: `(a, b)=(1, x)`
    pub(in crate::access::nbtree) fn key_description(&self, values: &[Value]) -> Option<String> {
        let names = self.rel.index.as_ref()?.key_names.as_ref()?;
        let columns = values.iter().zip(self.columns()).zip(self.rel.desc.attributes());
        let values: Vec<String> =
            columns.map(|((value, key), column)| key.plain(value).described(column.typid)).collect();
        Some(format!("({names})=({})", values.join(", ")))
    }
}
