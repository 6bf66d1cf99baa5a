//! A page becomes two (`_bt_split`, src/backend/access/nbtree/nbtinsert.c).
//!
//! ```text
//!  ├ high key │ 1 2 3 4 5 6 ┤ + new   ──▶   ├ new high key │ 1 2 3 ┤ ⇄ ├ high key │ 4 new 5 6 ┤
//!  block b, full                            block b                    a new block; its downlink is still to come
//! ```

pub(super) mod parent;
pub(super) mod splitloc;
pub(super) mod truncate;

use super::split::splitloc::Split;
use super::tuple::{self, minus_infinity};
use super::{Block, Index};
use crate::access::transam::{REGBUF_STANDARD, REGBUF_WILL_INIT};
use crate::storage::BLCKSZ;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::nbtree::Opaque;
use ffviz_format::nbtree::flags::{BTP_HAS_GARBAGE, BTP_INCOMPLETE_SPLIT, BTP_ROOT, BTP_SPLIT_END};
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{BlockNumber, Page};
use ffviz_format::wal::rec::btree::XlBtreeSplit;
use ffviz_format::wal::record_type::BtreeType;

/// What is to be inserted into a page.
pub(super) struct NewItem<'a> {
    /// its number on the page
    pub offset: u16,
    /// the tuple, after it gave its TID to a posting list, where that was split
    pub tuple: Cow<'a, [u8]>,
    /// where a posting list is split: the tuple before that
    pub original: &'a [u8],
    /// the posting list with the new TID, at the number before
    pub posting: Option<Vec<u8>>,
    /// the place in the list; 0: no posting list is split
    pub posting_offset: u16,
}

impl NewItem<'_> {
    /// Number of the posting list that is split; 0: none.
    const fn posting_number(&self) -> u16 {
        if self.posting_offset == 0 { 0 } else { self.offset - 1 }
    }

    /// Puts the split posting list, which is as long as before, in its place.
    fn swap_posting(&self, page: &mut Page) {
        if let (Some(posting), Some(lp)) = (&self.posting, page.item_id(super::offset(self.posting_number()))) {
            page.write_bytes(lp.lp_off(), posting);
        }
    }
}

impl Index<'_> {
    /// Splits a page while the new item is put in; gives the right page. `child`: the page below whose split this one
    /// is due to.
    pub(super) fn split(&mut self, block: BlockNumber, child: Option<BlockNumber>, new: &NewItem<'_>) -> BlockNumber {
        let (mut old, opaque) = (self.page(block).clone(), self.opaque(block));
        let mut at = self.find_split_location(&old, opaque, new.offset, &new.tuple);
        new.swap_posting(&mut old);
        let high_key = self.high_key(&old, opaque, new, &at);
        let right_block = self.allocate();
        if let Some(told) = at.told.take() {
            self.tell_split(block, right_block, &old, opaque, told, &high_key);
        }
        let [left, mut right] = divide(&old, opaque, block, right_block, new, &at, &high_key);
        if !opaque.is_rightmost() {
            self.link_sibling(opaque.btpo_next, right_block, &mut right);
        }
        *self.page_mut(block) = left;
        *self.page_mut(right_block) = right;
        if let Some(child) = child {
            self.change_opaque(child, |opaque| opaque.btpo_flags &= !BTP_INCOMPLETE_SPLIT);
        }
        self.log_split((block, right_block), opaque, child, new, &at, &high_key);
        right_block
    }

    /// The left page's high key: what separates the last item on the left from the first on the right.
    fn high_key(&self, old: &Page, opaque: Opaque, new: &NewItem<'_>, at: &Split) -> Vec<u8> {
        let is_new_first = !at.newitemonleft && new.offset == at.firstrightoff;
        let first_right = if is_new_first { &new.tuple[..] } else { tuple::item(old, at.firstrightoff) };
        if !opaque.is_leaf() {
            return first_right.to_vec();
        }
        let is_new_last = at.newitemonleft && new.offset == at.firstrightoff;
        let last_left = if is_new_last { &new.tuple[..] } else { tuple::item(old, at.firstrightoff - 1) };
        self.truncate(last_left, first_right)
    }

    /// The old right sibling's left link; the right page ends a group of splits where the sibling was not split during
    /// the same VACUUM.
    fn link_sibling(&mut self, sibling: BlockNumber, right_block: BlockNumber, right: &mut Page) {
        let cycle = self.opaque(sibling).btpo_cycleid;
        let mut opaque = Opaque::of(right).unwrap_or_default();
        if opaque.btpo_cycleid != cycle {
            opaque.btpo_flags |= BTP_SPLIT_END;
            opaque.write(right);
        }
        self.change_opaque(sibling, |opaque| opaque.btpo_prev = right_block);
    }

    fn log_split(
        &mut self,
        (block, right_block): (BlockNumber, BlockNumber),
        old: Opaque,
        child: Option<BlockNumber>,
        new: &NewItem<'_>,
        at: &Split,
        high_key: &[u8],
    ) {
        let is_posting_left = new.posting_offset != 0 && new.posting_number() < at.firstrightoff;
        let posting_offset = if is_posting_left { new.posting_offset } else { 0 };
        let main = XlBtreeSplit::make(old.btpo_level, at.firstrightoff, new.offset, posting_offset);
        let item: &[u8] = match (is_posting_left, at.newitemonleft) {
            (true, _) => new.original,
            (false, true) => &new.tuple,
            (false, false) => &[],
        };
        let right = self.page(right_block);
        let tuples = right.slice(right.header().pd_upper()..right.special_start()).to_vec();
        let (left_data, right_data) = ([item, high_key], [&tuples[..]]);
        let mut blocks: Vec<(u8, Block<'_>)> = Vec::from([
            (0, (block, REGBUF_STANDARD, &left_data[..])),
            (1, (right_block, REGBUF_WILL_INIT, &right_data[..])),
        ]);
        if !old.is_rightmost() {
            blocks.push((2, (old.btpo_next, REGBUF_STANDARD, &[])));
        }
        if let Some(child) = child {
            blocks.push((3, (child, REGBUF_STANDARD, &[])));
        }
        self.log(if at.newitemonleft { BtreeType::SplitL } else { BtreeType::SplitR }, &main, &blocks);
    }
}

/// Both pages, filled.
fn divide(
    old: &Page,
    opaque: Opaque,
    block: BlockNumber,
    right_block: BlockNumber,
    new: &NewItem<'_>,
    at: &Split,
    high_key: &[u8],
) -> [Page; 2] {
    let flags = opaque.btpo_flags & !(BTP_ROOT | BTP_SPLIT_END | BTP_HAS_GARBAGE);
    let left = Opaque { btpo_next: right_block, btpo_flags: flags | BTP_INCOMPLETE_SPLIT, btpo_cycleid: 0, ..opaque };
    let right = Opaque { btpo_prev: block, btpo_flags: flags, btpo_cycleid: 0, ..opaque };
    let mut pages = [left.page(BLCKSZ), right.page(BLCKSZ)];
    pages[0].set_pd_lsn(old.header().pd_lsn());
    append(&mut pages[0], high_key);
    if !opaque.is_rightmost() {
        append(&mut pages[1], tuple::item(old, 1));
    }
    let (first, end, between) = (opaque.first_data_key(), old.item_count() + 1, at.firstrightoff);
    let [left, right] = &mut pages;
    // the new item stands before the old one of its number
    let start = new.offset.min(between);
    append_old(left, old, first..start);
    if at.newitemonleft {
        append(left, &new.tuple);
    }
    append_old(left, old, start..between);
    let mut from = between;
    let mut on_right = (!at.newitemonleft).then_some(&new.tuple[..]);
    if !opaque.is_leaf() {
        // of the first one the downlink only
        let is_first = on_right.is_some() && new.offset == between;
        let first = if is_first { on_right.take() } else { None };
        from += u16::from(!is_first);
        append(right, &minus_infinity(tuple::downlink(first.unwrap_or_else(|| tuple::item(old, between)))));
    }
    let start = new.offset.max(from);
    append_old(right, old, from..start);
    if let Some(tuple) = on_right {
        append(right, tuple);
    }
    append_old(right, old, start..end);
    pages
}

fn append_old(page: &mut Page, old: &Page, numbers: Range<u16>) {
    let have_room = page.append_items(old, numbers);
    debug_assert!(have_room);
}

/// Adds an item behind the others. There is room: that is what the split was made for.
pub(super) fn append(page: &mut Page, item: &[u8]) {
    let has_room = page.append_item(item);
    debug_assert!(has_room, "{} bytes", item.len());
}

/// The place in a posting list as the record has it.
pub(super) fn posting_offset_bytes(place: u16) -> [u8; 2] {
    let mut bytes = [0; 2];
    place.set(&mut bytes);
    bytes
}
