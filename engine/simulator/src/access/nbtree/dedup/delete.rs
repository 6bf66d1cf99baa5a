//! Taking items off a leaf instead of splitting it (`_bt_delete_or_dedup_one_page`, `_bt_simpledel_pass`, nbtinsert.c;
//! `_bt_bottomupdel_pass`, nbtdedup.c; `_bt_delitems_delete`, nbtpage.c; in 13 `_bt_vacuum_one_page`).
//!
//! ```text
//!  no room ─▶ items marked LP_DEAD? they go, with others of the same heap blocks that turn out to be dead
//!          ─▶ duplicates, or an UPDATE that left the key alone? the heap is asked which versions are dead (bottom-up)
//!          ─▶ equal keys become posting lists
//! ```

use super::runs::Runs;
use crate::access::heap::{IndexDelete, IndexDeleteTid, heap_compute_xid_horizon_for_tuples, heap_index_delete_tuples};
use crate::access::nbtree::insert::Insertion;
use crate::access::nbtree::search::{exact_free_space, free_space};
use crate::access::nbtree::tell::Question;
use crate::access::nbtree::tuple;
use crate::access::nbtree::tuple::Items;
use crate::access::nbtree::{Index, offset};
use crate::access::transam::{REGBUF_STANDARD, WalLevel};
use crate::storage::Outcome;
use alloc::vec::Vec;
use ffviz_format::nbtree::flags::BTP_HAS_GARBAGE;
use ffviz_format::nbtree::posting::update_posting;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{
    BlockNumber, ItemIdData, ItemPointer, LpFlags, OffsetNumber, Page, TransactionId, first_where,
};
use ffviz_format::wal::rec::btree::{XlBtreeDelete, XlBtreeDelete13, XlBtreeDelete14, XlBtreeUpdate};
use ffviz_format::wal::record_type::BtreeType;

/// Bytes that a bottom-up pass tries to win at least: a sixteenth of a page.
const BOTTOM_UP_TARGET: usize = 8192 / 16;
/// What it has to win to count as a success: a 24th of a page.
const BOTTOM_UP_SUCCESS: usize = 8192 / 24;

/// Items to be taken off a leaf, in order of their numbers.
#[derive(Debug, Clone, Default)]
pub(in crate::access::nbtree) struct Deletion {
    /// whole items
    pub items: Vec<OffsetNumber>,
    /// posting lists: the item, the places in its list that go
    pub updates: Vec<(OffsetNumber, Vec<u16>)>,
}

impl Deletion {
    /// Of the items of a page those, or those parts, whose TIDs are dead.
    pub fn of(page: &Page, first: u16, is_dead: impl Fn(ItemPointer) -> bool) -> Self {
        let (mut deletion, items) = (Self::default(), Items::of(page));
        for n in first..=items.count() {
            let item = items.get(n);
            if tuple::is_posting(item) {
                deletion.of_list(offset(n), item, &is_dead);
            } else if is_dead(tuple::t_tid(item)) {
                deletion.items.push(offset(n));
            }
        }
        deletion
    }

    /// A posting list: all of it, or the places of those TIDs that are dead.
    fn of_list(&mut self, n: OffsetNumber, list: &[u8], is_dead: impl Fn(ItemPointer) -> bool) {
        let tids = (0..).zip(tuple::tids(list));
        let dead: Vec<u16> = tids.filter(|(_, tid)| is_dead(*tid)).map(|(at, _)| at).collect();
        if dead.len() == tuple::n_tids(list) {
            self.items.push(n);
        } else if !dead.is_empty() {
            self.updates.push((n, dead));
        }
    }

    /// Nothing to do?
    pub const fn is_empty(&self) -> bool {
        self.items.is_empty() && self.updates.is_empty()
    }

    /// Does it to a page: posting lists first, so that the numbers still hold.
    pub fn apply(&self, page: &mut Page, major: u32) {
        for (n, dead) in &self.updates {
            let shorter = page.index_item(*n).and_then(|item| update_posting(item, dead));
            let written = shorter.and_then(|tuple| page.index_tuple_overwrite(*n, &tuple));
            debug_assert!(written.is_ok(), "{written:?}");
        }
        if !self.items.is_empty() {
            let deleted = page.index_multi_delete(&self.items, major);
            debug_assert!(deleted.is_ok(), "{deleted:?}");
        }
    }

    /// The block data of DELETE and VACUUM: numbers of the items that go, of those that get shorter, and which places
    /// of each.
    pub fn record(&self) -> Vec<u8> {
        let mut data = Vec::new();
        let mut put = |n: u16| {
            let at = data.len();
            data.resize(at + u16::SIZE, 0);
            n.set(&mut data[at..]);
        };
        self.items.iter().chain(self.updates.iter().map(|(n, _)| n)).for_each(|n| put(n.0));
        for (_, places) in &self.updates {
            put(u16::get(&XlBtreeUpdate::make(places.len() as u16)));
            places.iter().for_each(|place| put(*place));
        }
        data
    }
}

/// Numbers of the items marked `LP_DEAD`.
fn dead_items(page: &Page, first: u16) -> Vec<OffsetNumber> {
    let is_dead = |word| ItemIdData::from(word).lp_flags() == LpFlags::Dead;
    if first_where(page.line_pointer_words(), is_dead).is_none() {
        return Vec::new();
    }
    let items = page.line_pointers().skip(usize::from(first) - 1);
    items.filter(|(_, lp)| lp.lp_flags() == LpFlags::Dead).map(|(n, _)| n).collect()
}

/// TIDs of dead rows, for one look at all items of a leaf.
struct DeadTids {
    sorted: Vec<ItemPointer>,
    /// a bit for each number that one of them gives: of most others it says at once that they are none of them
    bits: [u64; Self::WORDS],
}

impl DeadTids {
    const WORDS: usize = 16;

    fn of(mut tids: Vec<ItemPointer>) -> Self {
        tids.sort_unstable();
        let mut bits = [0; Self::WORDS];
        for tid in &tids {
            let (word, bit) = Self::bit(*tid);
            bits[word] |= bit;
        }
        Self { sorted: tids, bits }
    }

    /// Those of one heap block, and those of the next ones, give different numbers.
    #[inline]
    const fn bit(tid: ItemPointer) -> (usize, u64) {
        let number = tid.block.wrapping_mul(291).wrapping_add(tid.offset.0 as u32);
        (number as usize / 64 % Self::WORDS, 1 << (number % 64))
    }

    #[inline]
    fn has(&self, tid: ItemPointer) -> bool {
        let (word, bit) = Self::bit(tid);
        self.bits[word] & bit != 0 && self.sorted.binary_search(&tid).is_ok()
    }
}

/// What a bottom-up pass left.
enum BottomUp {
    /// enough was won, or nothing else would win more
    Enough,
    /// too little was won. The runs of equal keys, where the page is as it was
    TooLittle(Option<Runs>),
}

impl Index<'_> {
    /// The leaf has no room for the new item.
    pub(in crate::access::nbtree) fn make_room(&mut self, insertion: &mut Insertion<'_>) -> Outcome<()> {
        if self.pg.version.deletes_bottom_up() { self.delete_or_dedup(insertion) } else { self.make_room_13(insertion) }
    }

    /// 13: dead items go where the page is flagged, then equal keys are merged.
    fn make_room_13(&mut self, insertion: &mut Insertion<'_>) -> Outcome<()> {
        let block = insertion.block;
        if self.opaque(block).btpo_flags & BTP_HAS_GARBAGE != 0 {
            self.vacuum_one_page(block)?;
            (insertion.bounds, insertion.uniquedup) = (None, true);
        }
        let wanted = !insertion.check_unique || insertion.uniquedup;
        if !self.may_dedup() || !wanted || free_space(self.page(block)) >= insertion.tuple.len() {
            return Ok(());
        }
        insertion.bounds = None;
        if self.vacuum_one_page(block)? && free_space(self.page(block)) >= insertion.tuple.len() {
            return Ok(());
        }
        self.dedup_pass(insertion, insertion.check_unique, None);
        Ok(())
    }

    /// `_bt_vacuum_one_page`, 13: the items marked dead go. Were there any?
    fn vacuum_one_page(&mut self, block: BlockNumber) -> Outcome<bool> {
        let items = dead_items(self.page(block), self.opaque(block).first_data_key());
        if items.is_empty() {
            return Ok(false);
        }
        let tids: Vec<ItemPointer> =
            items.iter().flat_map(|n| tuple::tids(tuple::item(self.page(block), n.0))).collect();
        let horizon = if self.pg.wal.settings.level >= WalLevel::Replica {
            let heap = self.heap()?;
            heap_compute_xid_horizon_for_tuples(self.pg, &heap, &tids)
        } else {
            0
        };
        let deletion = Deletion { items, updates: Vec::new() };
        self.tell_deletion(block, &deletion, None);
        self.delete_items(block, &deletion, horizon);
        Ok(true)
    }

    /// Only the items marked dead, and what goes with them.
    pub(in crate::access::nbtree) fn delete_dead_items(&mut self, insertion: &Insertion<'_>) -> Outcome<()> {
        if !self.pg.version.deletes_bottom_up() {
            self.vacuum_one_page(insertion.block)?;
            return Ok(());
        }
        let dead = dead_items(self.page(insertion.block), self.opaque(insertion.block).first_data_key());
        self.simple_deletion(insertion, &dead)
    }

    /// `_bt_delete_or_dedup_one_page`, from 14 on.
    fn delete_or_dedup(&mut self, insertion: &mut Insertion<'_>) -> Outcome<()> {
        let block = insertion.block;
        let dead = dead_items(self.page(block), self.opaque(block).first_data_key());
        if !dead.is_empty() {
            self.simple_deletion(insertion, &dead)?;
            insertion.bounds = None;
            if free_space(self.page(block)) >= insertion.tuple.len() {
                return Ok(());
            }
            insertion.uniquedup = true;
        }
        if insertion.check_unique && !insertion.uniquedup {
            return Ok(());
        }
        insertion.bounds = None;
        let bottom_up = insertion.unchanged || insertion.uniquedup;
        let known = match bottom_up.then(|| self.bottom_up_deletion(insertion)).transpose()? {
            Some(BottomUp::Enough) => return Ok(()),
            Some(BottomUp::TooLittle(known)) => known,
            None => None,
        };
        if self.may_dedup() {
            self.dedup_pass(insertion, bottom_up, known);
        }
        Ok(())
    }

    /// `_bt_simpledel_pass`: items marked dead, and others of the same heap blocks that the heap says are dead.
    fn simple_deletion(&mut self, insertion: &Insertion<'_>, dead: &[OffsetNumber]) -> Outcome<()> {
        let (page, first) = (self.page(insertion.block).clone(), self.opaque(insertion.block).first_data_key());
        let items = Items::of(&page);
        let mut blocks = Vec::from([tuple::t_tid(insertion.tuple).block]);
        blocks.extend(dead.iter().flat_map(|n| tuple::tids(items.get(n.0))).map(|tid| tid.block));
        blocks.sort_unstable();
        blocks.dedup();
        let mut candidates = Vec::new();
        for n in first..=items.count() {
            let known = items.item_id(n).lp_flags() == LpFlags::Dead;
            let tids = tuple::tids(items.get(n)).filter(|tid| known || blocks.binary_search(&tid.block).is_ok());
            candidates.extend(tids.map(|tid| IndexDeleteTid::new(tid, 0).known_deletable(known)));
        }
        self.delete_what_heap_says(insertion.block, candidates, None)?;
        Ok(())
    }

    /// `_bt_bottomupdel_pass`: versions of the same rows are looked for in the heap. Was enough won, or is a split
    /// better? (No run of equal keys is larger than a page, which is what groups of this pass may be.)
    fn bottom_up_deletion(&mut self, insertion: &Insertion<'_>) -> Outcome<BottomUp> {
        let (page, first) = (self.page(insertion.block).clone(), self.opaque(insertion.block).first_data_key());
        let newitemsz = insertion.tuple.len() + 4;
        let items = Items::of(&page);
        let mut candidates = Vec::with_capacity(items.count().into());
        let runs = self.runs_of_equal_keys(items, first, |item, is_duplicate| {
            add_candidates(item, is_duplicate, &mut candidates);
        });
        let target = BOTTOM_UP_TARGET.max(newitemsz);
        let is_changed = self.delete_what_heap_says(insertion.block, candidates, Some(target))?;
        let free = exact_free_space(self.page(insertion.block));
        if runs.is_empty() || free >= BOTTOM_UP_SUCCESS.max(newitemsz) {
            return Ok(BottomUp::Enough);
        }
        Ok(BottomUp::TooLittle((!is_changed).then_some(runs)))
    }

    /// Asks the heap which of the candidates are dead, and takes those off the page. Were there any?
    fn delete_what_heap_says(
        &mut self,
        block: BlockNumber,
        candidates: Vec<IndexDeleteTid>,
        bottom_up_target: Option<usize>,
    ) -> Outcome<bool> {
        let heap = self.heap()?;
        let question = self.pg.trace.on.then(|| Question::of(&candidates, bottom_up_target));
        let delete = IndexDelete { candidates, bottom_up_target: bottom_up_target.map(|bytes| bytes as u32) };
        let found = heap_index_delete_tuples(self.pg, &heap, delete);
        let deletion = if found.deletable.is_empty() {
            // an UPDATE of all rows asks of every page, and its own old versions are not dead yet
            Deletion::default()
        } else {
            let (first, dead) = (self.opaque(block).first_data_key(), DeadTids::of(found.deletable));
            Deletion::of(self.page(block), first, |tid| dead.has(tid))
        };
        self.tell_deletion(block, &deletion, question);
        if !deletion.is_empty() {
            let horizon = if self.pg.wal.settings.level >= WalLevel::Replica { found.conflict_horizon } else { 0 };
            self.delete_items(block, &deletion, horizon);
        }
        Ok(!deletion.is_empty())
    }

    /// `_bt_delitems_delete`
    fn delete_items(&mut self, block: BlockNumber, deletion: &Deletion, horizon: TransactionId) {
        let version = self.pg.version;
        deletion.apply(self.page_mut(block), version.major());
        self.change_opaque(block, |opaque| opaque.btpo_flags &= !BTP_HAS_GARBAGE);
        let (items, updates) = (deletion.items.len() as u16, deletion.updates.len() as u16);
        let data = deletion.record();
        let main: Vec<u8> = if version.marks_catalogs() {
            XlBtreeDelete::make(horizon, items, updates, false).into()
        } else if version.deletes_from_posting_lists() {
            XlBtreeDelete14::make(horizon, items, updates).into()
        } else {
            XlBtreeDelete13::make(horizon, u32::from(items)).into()
        };
        self.log(BtreeType::Delete, &main, &[(0, (block, REGBUF_STANDARD, &[&data]))]);
    }
}

/// The TIDs of an item for a bottom-up pass. Of a plain item among duplicates the TID is promising, of a posting list
/// one at an end where most of it points to one heap block.
#[inline]
fn add_candidates(item: &[u8], is_duplicate: bool, candidates: &mut Vec<IndexDeleteTid>) {
    if !tuple::is_posting(item) {
        let candidate = IndexDeleteTid::new(tuple::t_tid(item), item.len() as u16 + 4);
        candidates.push(candidate.promising(is_duplicate));
        return;
    }
    let count = tuple::n_tids(item);
    let block = |place: usize| tuple::tid(item, place).block;
    let first = is_duplicate && block(0) == block(count / 2);
    let last = is_duplicate && !first && block(count / 2) == block(count - 1);
    candidates.extend((0..).zip(tuple::tids(item)).map(|(place, tid)| {
        let candidate = IndexDeleteTid::new(tid, tuple::TID_SIZE as u16);
        candidate.promising((first && place == 0) || (last && place == count - 1))
    }));
}
