//! `SPLIT_L`, `SPLIT_R` (`btree_xlog_split`): one page becomes two.
//!
//! ```text
//!  block 0   the old page becomes the left one: new high key, items up to firstrightoff, maybe the new item
//!  block 1   the right page, wholly from the record
//!  block 2   the page to the right of both, if any: its left link
//!  block 3   not on leaves: the page below whose split made this one necessary
//! ```

use super::{clear_incomplete_split, restore_page};
use crate::redo::Redo;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::nbtree::Opaque;
use ffviz_format::nbtree::flags::{BTP_INCOMPLETE_SPLIT, BTP_LEAF};
use ffviz_format::nbtree::posting::{index_tuple_size, swap_posting};
use ffviz_format::page::{BlockNumber, OffsetNumber, Page, maxalign};
use ffviz_format::wal::rec::btree::XlBtreeSplit;

/// Does what the record says; `new_on_left`: the new item goes to the left page.
pub(super) fn redo(redo: &mut Redo<'_>, new_on_left: bool) {
    let split = XlBtreeSplit::new(redo.record.main_data);
    let block_number = |id: u8| redo.block(id).map(|block| block.tag.block);
    let (left, right, next) =
        (block_number(0).unwrap_or(0), block_number(1).unwrap_or(0), block_number(2).unwrap_or(0));
    let (level, size) = (split.level(), redo.disk.page_size);
    redo.edit(0, |page, block| {
        *page = Left::read(page, block.data, split, new_on_left)?.page(page, split, right)?;
        Ok(())
    });
    redo.init(1, |block| {
        let opaque = Opaque {
            btpo_prev: left,
            btpo_next: next,
            btpo_level: level,
            btpo_flags: if level == 0 { BTP_LEAF } else { 0 },
            btpo_cycleid: 0,
        };
        let mut page = opaque.page(size);
        restore_page(&mut page, block.data)?;
        Ok(page)
    });
    redo.edit(2, |page, _| Opaque::change(page, |opaque| opaque.btpo_prev = right));
    if level > 0 {
        clear_incomplete_split(redo, 3);
    }
}

/// What the record has for the left page.
struct Left<'a> {
    /// the new item and where it would have come on the old page, where it is on the left page
    new: Option<(u16, Vec<u8>)>,
    /// a posting list that took the new item's TID in, and its number
    posting: Option<(u16, Vec<u8>)>,
    high_key: &'a [u8],
}

impl<'a> Left<'a> {
    /// Block 0's data: the new item where it is needed, then the high key.
    fn read(page: &Page, data: &'a [u8], split: XlBtreeSplit<'_>, new_on_left: bool) -> Result<Self, String> {
        let (newitemoff, postingoff) = (split.newitemoff(), split.postingoff());
        let mut left = Self { new: None, posting: None, high_key: data };
        if new_on_left || postingoff != 0 {
            let (item, rest) = cut_tuple(data)?;
            left.high_key = rest;
            let mut new = item.to_vec();
            if postingoff != 0 {
                let before = newitemoff.saturating_sub(1);
                let (list, swapped) = swap_posting(item, page.index_item(OffsetNumber(before))?, postingoff)?;
                (left.posting, new) = (Some((before, list)), swapped);
            }
            left.new = new_on_left.then_some((newitemoff, new));
        }
        left.high_key = cut_tuple(left.high_key)?.0;
        Ok(left)
    }

    /// The left page, its items in the order of their numbers.
    fn page(&self, old: &Page, split: XlBtreeSplit<'_>, right: BlockNumber) -> Result<Page, String> {
        let mut opaque = Opaque::of(old)?;
        let first = opaque.first_data_key();
        opaque.btpo_flags = if split.level() == 0 { BTP_INCOMPLETE_SPLIT | BTP_LEAF } else { BTP_INCOMPLETE_SPLIT };
        opaque.btpo_next = right;
        opaque.btpo_cycleid = 0;
        let mut page = opaque.page(old.size());
        let mut add = |item: &[u8]| page.add_item(item, OffsetNumber(page.item_count() + 1), false);
        add(self.high_key)?;
        for n in first..split.firstrightoff().max(first) {
            if let Some((_, list)) = self.posting.as_ref().filter(|(at, _)| *at == n) {
                add(list)?;
                continue;
            }
            if let Some((_, new)) = self.new.as_ref().filter(|(at, _)| *at == n) {
                add(new)?;
            }
            add(old.index_item(OffsetNumber(n))?)?;
        }
        // the new item may be the last
        if let Some((_, new)) = self.new.as_ref().filter(|(at, _)| *at == split.firstrightoff().max(first)) {
            add(new)?;
        }
        Ok(page)
    }
}

/// The tuple at the front, with the bytes that align it, and the rest.
fn cut_tuple(data: &[u8]) -> Result<(&[u8], &[u8]), String> {
    let size = usize::from(maxalign(index_tuple_size(data)?));
    data.split_at_checked(size).ok_or_else(|| String::from("a tuple is cut off"))
}
