//! A new index tuple (`btinsert`, `_bt_doinsert`, `_bt_findinsertloc`, `_bt_insertonpg`,
//! src/backend/access/nbtree/nbtinsert.c).
//!
//! ```text
//!  descend ─▶ unique? ─▶ the leaf where it belongs ─▶ room? else make some ─▶ put it there, or split
//! ```

pub(super) mod unique;

use super::fast::begin::{Begin, Begun};
use super::meta::{META_FLAGS, METAPAGE, Meta};
use super::search::{Bounds, Place, Stack, free_space};
use super::split::{NewItem, posting_offset_bytes};
use super::tuple::{self, set_tid};
use super::{Block, Index, ScanKey};
use crate::access::transam::REGBUF_STANDARD;
use crate::storage::{Outcome, RelationData, Stop};
use alloc::borrow::Cow;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::form::index_append_tuple;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::nbtree::Opaque;
use ffviz_format::nbtree::flags::{BTP_INCOMPLETE_SPLIT, BTP_ROOT};
use ffviz_format::nbtree::posting::swap_posting;
use ffviz_format::page::{BlockNumber, ItemPointer, Page};
use ffviz_format::wal::rec::btree::XlBtreeInsert;
use ffviz_format::wal::record_type::BtreeType;

/// `BTMaxItemSize`
const MAX_ITEM_SIZE: usize = 2704;

/// `IndexUniqueCheck`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UniqueCheck {
    /// the index is not unique
    No,
    /// a duplicate is an error
    Yes,
    /// a possible duplicate is told, and the tuple inserted all the same (speculative insertion, a deferrable
    /// constraint)
    Partial,
    /// the tuple is there already: a duplicate of it is an error
    Existing,
}

/// What the executor knows of a new entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewEntry {
    /// the row version that it leads to
    pub tid: ItemPointer,
    /// is a duplicate looked for?
    pub unique: UniqueCheck,
    /// `indexUnchanged`: an UPDATE did not change the key (14+)
    pub unchanged: bool,
    /// the version that the same command has just replaced by this one, which is not heap-only
    pub replaces: Option<ItemPointer>,
}

/// What an insertion leaves for the next one of the same statement into the same index.
#[derive(Debug, Clone)]
pub struct LastInsert {
    /// where the next one begins
    begin: Begin,
    /// memory of its tuple
    tuple: Vec<u8>,
    /// the way to the leaf; none where that was known
    stack: Stack,
    /// the table, where it had to be asked
    heap: Option<Arc<RelationData>>,
}

impl LastInsert {
    /// Before the first insertion into that index.
    #[must_use]
    pub fn new(rel: &RelationData) -> Self {
        Self { begin: Begin::new(rel), tuple: Vec::new(), stack: Stack::new(), heap: None }
    }

    /// Looks ahead for entries with these values in their first columns. They come next, in this order; the first ones
    /// may be known already.
    pub fn look_ahead<'a>(&mut self, values: impl Iterator<Item = &'a Value>) {
        self.begin.look_ahead(values);
    }

    /// Others may have changed the tree meanwhile.
    pub fn forget_place(&mut self) {
        self.begin.forget_place();
    }

    /// Did it go elsewhere than the one before?
    #[must_use]
    pub const fn strays(&self) -> bool {
        self.begin.strays()
    }
}

/// A leaf where a key belongs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FoundLeaf {
    pub block: BlockNumber,
    /// the number of an item that may be near the key's place; 0: none is known
    pub near: u16,
    /// what is known of the place, as [`OnPage::equal_items`] gives it
    ///
    /// [`OnPage::equal_items`]: super::search::OnPage::equal_items
    pub equal: Option<(Bounds, bool)>,
}

/// An insertion on its way (`BTInsertStateData`).
pub(super) struct Insertion<'a> {
    pub key: ScanKey<'a>,
    pub tuple: &'a [u8],
    pub block: BlockNumber,
    /// the way to the leaf
    pub stack: &'a Stack,
    /// the number of an item that may be near its place; 0: none is known
    pub near: u16,
    /// what is known of its place on the page
    pub bounds: Option<Bounds>,
    /// is a duplicate known, or does the executor say that the key did not change?
    pub uniquedup: bool,
    pub check_unique: bool,
    /// `indexUnchanged`
    pub unchanged: bool,
    /// the version that the row version replaces
    pub replaces: Option<ItemPointer>,
    /// the table, once it was asked for
    pub heap: &'a mut Option<Arc<RelationData>>,
}

impl Index<'_> {
    /// `btinsert`: an entry for a heap tuple. Gives whether the key is surely unique, where that was asked for.
    ///
    /// # Errors
    /// A duplicate, a tuple that is too large; waiting for the transaction that inserted or deleted a duplicate.
    pub fn insert(&mut self, values: &[Value], new: NewEntry, last: &mut LastInsert) -> Outcome<bool> {
        last.tuple.clear();
        index_append_tuple(&self.rel.desc, values, &mut last.tuple)?;
        set_tid(&mut last.tuple, new.tid);
        let mut key = last.begin.key(values.get(..self.n_keys().into()).unwrap_or(values));
        let is_comparable = || self.rel.index.as_ref().is_some_and(|index| index.nulls_not_distinct) || !key.any_null();
        let check_unique = new.unique != UniqueCheck::No && is_comparable();
        key.scantid = if check_unique { None } else { Some(new.tid) };
        match self.begin_insert(&key, last.tuple.len(), &mut last.begin, &mut last.stack)? {
            Begun::Place { block, n } => self.put(block, n, &last.tuple).map(|()| true),
            Begun::Leaf(leaf) => self.insert_on_leaf(key, check_unique, leaf, new, last),
        }
    }

    /// The same of an entry that is there (`UNIQUE_CHECK_EXISTING`): is its key unique by now?
    ///
    /// # Errors
    /// A duplicate; waiting for the transaction that inserted or deleted one.
    pub fn recheck(&mut self, values: &[Value], tid: ItemPointer) -> Outcome<()> {
        let mut last = LastInsert::new(self.rel);
        index_append_tuple(&self.rel.desc, values, &mut last.tuple)?;
        set_tid(&mut last.tuple, tid);
        let key = last.begin.key(values.get(..self.n_keys().into()).unwrap_or(values));
        let begun = self.begin_insert(&key, last.tuple.len(), &mut last.begin, &mut last.stack)?;
        let Begun::Leaf(leaf) = begun else { return Err(self.not_found_again()) };
        let LastInsert { tuple, stack, heap, .. } = &mut last;
        let mut insertion = Insertion {
            key,
            tuple,
            block: leaf.block,
            stack,
            near: leaf.near,
            bounds: leaf.equal.map(|(bounds, _)| bounds),
            uniquedup: false,
            check_unique: true,
            unchanged: false,
            replaces: None,
            heap,
        };
        self.check_unique(&mut insertion, UniqueCheck::Existing).map(|_| ())
    }

    /// The leaf is known. Gives whether the key is unique; `last` learns the place it got, unless the leaf was split.
    #[inline(never)]
    fn insert_on_leaf(
        &mut self,
        key: ScanKey<'_>,
        check_unique: bool,
        leaf: FoundLeaf,
        new: NewEntry,
        last: &mut LastInsert,
    ) -> Outcome<bool> {
        let LastInsert { begin, tuple, stack, heap } = last;
        if stack.is_empty() && free_space(self.page(leaf.block)) < tuple.len() {
            // the leaf was known, but it may have to be split
            self.search(&key, true, stack, |_, _| ())?;
        }
        let mut insertion = Insertion {
            key,
            tuple,
            block: leaf.block,
            stack,
            near: leaf.near,
            bounds: leaf.equal.map(|(bounds, _)| bounds),
            uniquedup: new.unchanged,
            check_unique,
            unchanged: new.unchanged,
            replaces: new.replaces,
            heap,
        };
        let mut is_unique = true;
        if check_unique {
            is_unique = self.check_unique(&mut insertion, new.unique)?;
            insertion.key.scantid = Some(new.tid);
        }
        self.pg.check_for_serializable_conflict_in(self.rel, None, Some(insertion.block))?;
        let Place { offset, posting, .. } = self.find_insert_location(&mut insertion)?;
        let Insertion { block, stack, tuple, .. } = insertion;
        let is_split = self.insert_on_page(block, None, stack, tuple, (offset, posting), false)?;
        begin.went_to((!is_split).then_some((block, offset)));
        Ok(is_unique)
    }

    /// A key that equals none, of which the place is known, on a leaf that has room.
    fn put(&mut self, block: BlockNumber, n: u16, tuple: &[u8]) -> Outcome<()> {
        self.pg.check_for_serializable_conflict_in(self.rel, None, Some(block))?;
        self.check_third_page(tuple)?;
        self.put_item(block, n, tuple);
        Ok(())
    }

    /// A new item of a leaf that has room.
    fn put_item(&mut self, block: BlockNumber, n: u16, tuple: &[u8]) {
        let change = |page: &mut Page| {
            let has_room = page.insert_item(tuple, super::offset(n));
            debug_assert!(has_room, "{} bytes", tuple.len());
            Opaque::at_end(page).is_rightmost()
        };
        let record = (BtreeType::InsertLeaf, &XlBtreeInsert::make(n)[..], &[tuple][..]);
        if self.change_and_log(block, change, record) {
            self.pg.backend_mut().set_target_block(self.rel.file, Some(block));
        }
    }

    /// `_bt_findinsertloc`: the leaf and the place on it; where there is no room, some is made if that can be.
    fn find_insert_location(&mut self, insertion: &mut Insertion<'_>) -> Outcome<Place> {
        self.check_third_page(insertion.tuple)?;
        if insertion.check_unique {
            self.step_right(insertion)?;
        }
        if free_space(self.page(insertion.block)) < insertion.tuple.len() {
            let before = self.pg.trace.on.then(|| self.page(insertion.block).clone());
            self.make_room(insertion)?;
            before.inspect(|before| self.tell_room(insertion, before));
        }
        let place = self.binary_search_insert(insertion);
        if !place.in_dead_list {
            return Ok(place);
        }
        self.delete_dead_items(insertion)?;
        insertion.bounds = None;
        Ok(self.binary_search_insert(insertion))
    }

    /// Among many duplicates the place by heap TID may be further to the right than where the check began.
    fn step_right(&mut self, insertion: &mut Insertion<'_>) -> Outcome<()> {
        insertion.uniquedup |= insertion.bounds.is_some_and(|bounds| bounds.low < bounds.stricthigh);
        loop {
            let last = self.page(insertion.block).item_count();
            if insertion.bounds.is_some_and(|b| b.low <= b.stricthigh && b.stricthigh <= last) {
                return Ok(());
            }
            let opaque = self.opaque(insertion.block);
            if opaque.is_rightmost() {
                return Ok(());
            }
            let high_key = tuple::item(self.page(insertion.block), 1);
            if self.compare_tuple(&insertion.key, high_key) != Ordering::Greater {
                return Ok(());
            }
            insertion.block = self.right_sibling(insertion)?;
            insertion.bounds = None;
            insertion.uniquedup = true;
        }
    }

    /// `_bt_stepright`: the next page that is in the tree, its split finished.
    fn right_sibling(&mut self, insertion: &Insertion<'_>) -> Outcome<BlockNumber> {
        let mut block = self.opaque(insertion.block).btpo_next;
        loop {
            self.read(block);
            if self.opaque(block).is_split_incomplete() {
                self.finish_split(block, insertion.stack)?;
            }
            let opaque = self.opaque(block);
            if !opaque.is_ignored() {
                return Ok(block);
            }
            block = opaque.btpo_next;
        }
    }

    #[cold]
    fn not_found_again(&self) -> Stop {
        SqlError::new("XX000", format!("failed to re-find tuple within index \"{}\"", self.rel.name)).into()
    }

    /// `_bt_check_third_page`: three tuples and a high key must have room on a page.
    #[inline]
    pub(super) fn check_third_page(&self, tuple: &[u8]) -> Outcome<()> {
        if tuple.len() <= MAX_ITEM_SIZE { Ok(()) } else { Err(self.too_large(tuple)) }
    }

    #[cold]
    fn too_large(&self, tuple: &[u8]) -> Stop {
        let size = tuple.len();
        let message = format!(
            "index row size {size} exceeds btree version 4 maximum {MAX_ITEM_SIZE} for index \"{}\"",
            self.rel.name
        );
        let error = SqlError::new("54000", message);
        Stop::Error(match (self.heap(), tuple::tids(tuple).next()) {
            (Ok(heap), Some(tid)) => {
                error.with_detail(format!("Index row references tuple {tid} in relation \"{}\".", heap.name))
            }
            _ => error,
        })
    }

    /// `_bt_insertonpg`: puts the tuple there, or splits the page, and tells whether it did. `child`: of a downlink,
    /// the page on its left whose split it finishes.
    pub(super) fn insert_on_page(
        &mut self,
        block: BlockNumber,
        child: Option<BlockNumber>,
        stack: &[(BlockNumber, u16)],
        original: &[u8],
        (offset, posting_offset): (u16, u16),
        split_only_page: bool,
    ) -> Outcome<bool> {
        let mut new = NewItem { offset, tuple: Cow::Borrowed(original), original, posting: None, posting_offset };
        if posting_offset != 0 {
            let list = tuple::item(self.page(block), offset);
            let swapped = swap_posting(original, list, posting_offset);
            let (list, swapped) = swapped.map_err(|why| Stop::Error(SqlError::new("XX002", why)))?;
            new = NewItem { offset: offset + 1, tuple: Cow::Owned(swapped), posting: Some(list), ..new };
            new.tell_posting(self, block);
        }
        if free_space(self.page(block)) < new.tuple.len() {
            let opaque = self.opaque(block);
            let was_root = opaque.btpo_flags & BTP_ROOT != 0;
            let was_only = opaque.is_leftmost() && opaque.is_rightmost();
            let right = self.split(block, child, &new);
            self.pg.predicate_lock_page_split(self.rel, block, right);
            return self.insert_parent(block, right, stack, was_root, was_only).map(|()| true);
        }
        if child.is_none() && new.posting.is_none() && !split_only_page {
            self.put_item(block, offset, original);
        } else {
            self.add_item(block, child, &new, split_only_page);
        }
        Ok(false)
    }

    /// There is room: the item comes in, and where it finishes a split, the child learns that.
    fn add_item(&mut self, block: BlockNumber, child: Option<BlockNumber>, new: &NewItem<'_>, split_only_page: bool) {
        let page = self.page_mut(block);
        if let Some(list) = &new.posting {
            let lp = page.item_id(super::offset(new.offset - 1));
            page.write_bytes(lp.map_or(0, ffviz_format::page::ItemIdData::lp_off), list);
        }
        let added = page.add_item(&new.tuple, super::offset(new.offset), false);
        debug_assert!(added.is_ok(), "{added:?}");
        let opaque = Opaque::at_end(page);
        let moves_fastroot = split_only_page && self.moves_fastroot(block, opaque.btpo_level);
        if opaque.is_leaf() && opaque.is_rightmost() {
            self.pg.backend_mut().set_target_block(self.rel.file, Some(block));
        }
        if let Some(child) = child {
            self.change_opaque(child, |opaque| opaque.btpo_flags &= !BTP_INCOMPLETE_SPLIT);
        }
        self.log_insert(block, child, new, moves_fastroot);
    }

    /// The fast root becomes a page above it, which is not the only one of its level any more.
    fn moves_fastroot(&mut self, block: BlockNumber, level: u32) -> bool {
        let meta = self.meta();
        let moves = meta.fastlevel < level;
        if moves {
            self.set_meta(Meta { fastroot: block, fastlevel: level, ..meta });
        }
        moves
    }

    fn log_insert(&mut self, block: BlockNumber, child: Option<BlockNumber>, new: &NewItem<'_>, with_meta: bool) {
        let place = posting_offset_bytes(new.posting_offset);
        let meta = if with_meta { self.meta_record() } else { Vec::new() };
        let (of, data): (BtreeType, &[&[u8]]) = match (child, new.posting_offset, with_meta) {
            (None, 0, _) => (BtreeType::InsertLeaf, &[&new.tuple]),
            (None, _, _) => (BtreeType::InsertPost, &[&place, new.original]),
            (Some(_), _, false) => (BtreeType::InsertUpper, &[&new.tuple]),
            (Some(_), _, true) => (BtreeType::InsertMeta, &[&new.tuple]),
        };
        let meta_data = [&meta[..]];
        let mut blocks: [(u8, Block<'_>); 3] = [(0, (block, REGBUF_STANDARD, data)); 3];
        let mut n = 1;
        if let Some(child) = child {
            blocks[n] = (1, (child, REGBUF_STANDARD, &[]));
            n += 1;
        }
        if with_meta {
            blocks[n] = (2, (METAPAGE, META_FLAGS, &meta_data));
            n += 1;
        }
        self.log(of, &XlBtreeInsert::make(new.offset), &blocks[..n]);
    }
}
