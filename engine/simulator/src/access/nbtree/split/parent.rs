//! The downlink to a new right page (`_bt_insert_parent`, `_bt_newlevel`, `_bt_getstackbuf`, `_bt_finish_split`,
//! src/backend/access/nbtree/nbtinsert.c).
//!
//! ```text
//!  parent   … │ key → left │ …      ──▶      … │ key → left │ left's high key → right │ …
//! ```

use super::append;
use crate::access::nbtree::Index;
use crate::access::nbtree::meta::{META_FLAGS, METAPAGE, Meta};
use crate::access::nbtree::search::Stack;
use crate::access::nbtree::tuple;
use crate::access::nbtree::tuple::minus_infinity;
use crate::access::transam::{REGBUF_STANDARD, REGBUF_WILL_INIT};
use crate::storage::{Outcome, Stop};
use alloc::format;
use ffviz_format::datum::SqlError;
use ffviz_format::nbtree::Opaque;
use ffviz_format::nbtree::flags::{BTP_INCOMPLETE_SPLIT, BTP_ROOT};
use ffviz_format::page::BlockNumber;
use ffviz_format::wal::rec::btree::XlBtreeNewroot;
use ffviz_format::wal::record_type::BtreeType;

impl Index<'_> {
    /// The left page was split, the right one has no downlink yet. `was_only`: the page was alone on its level before.
    pub(in crate::access::nbtree) fn insert_parent(
        &mut self,
        left: BlockNumber,
        right: BlockNumber,
        stack: &[(BlockNumber, u16)],
        was_root: bool,
        was_only: bool,
    ) -> Outcome<()> {
        if was_root {
            self.new_level(left, right);
            return Ok(());
        }
        let mut pivot = tuple::item(self.page(left), 1).to_vec();
        tuple::set_downlink(&mut pivot, right);
        let (parent, offset) = self.parent_of(left, stack)?;
        let above = stack.split_last().map_or(&[][..], |(_, above)| above);
        self.tell_downlink(left, right, parent, offset + 1);
        self.insert_on_page(parent, Some(left), above, &pivot, (offset + 1, 0), was_only).map(drop)
    }

    /// `_bt_getstackbuf`: the item with the downlink to a page; it may have moved to the right since it was followed.
    fn parent_of(&mut self, child: BlockNumber, stack: &[(BlockNumber, u16)]) -> Outcome<(BlockNumber, u16)> {
        // without a stack (an unfinished split at the fast root) the level above is looked through from the left
        let (mut block, mut start) = match stack.last() {
            Some(last) => *last,
            None => (self.leftmost_of_level(self.opaque(child).btpo_level + 1), 0),
        };
        loop {
            let (page, opaque) = (self.page(block), self.opaque(block));
            if opaque.is_split_incomplete() {
                let above = stack.split_last().map_or(Stack::new(), |(_, above)| above.to_vec());
                self.finish_split(block, &above)?;
                continue;
            }
            let (first, last) = (opaque.first_data_key(), page.item_count());
            let from = start.clamp(first, last + 1);
            let mut numbers = (from..=last).chain((first..from).rev());
            if let Some(n) = numbers.find(|n| tuple::downlink(tuple::item(page, *n)) == child) {
                return Ok((block, n));
            }
            if opaque.is_rightmost() {
                let message = format!("failed to re-find parent key in index \"{}\" for split pages", self.rel.name);
                return Err(Stop::Error(SqlError::new("XX000", message)));
            }
            (block, start) = (opaque.btpo_next, 0);
        }
    }

    /// `_bt_get_endpoint`: the first page of a level.
    pub(in crate::access::nbtree) fn leftmost_of_level(&self, level: u32) -> BlockNumber {
        let mut block = self.meta().root;
        while self.opaque(block).btpo_level > level {
            let first = self.opaque(block).first_data_key();
            block = tuple::downlink(tuple::item(self.page(block), first));
        }
        block
    }

    /// `_bt_newlevel`: the root was split.
    fn new_level(&mut self, left: BlockNumber, right: BlockNumber) {
        let root = self.allocate();
        let level = self.opaque(left).btpo_level + 1;
        let mut second = tuple::item(self.page(left), 1).to_vec();
        tuple::set_downlink(&mut second, right);
        let page = self.page_mut(root);
        Opaque { btpo_level: level, btpo_flags: BTP_ROOT, ..Opaque::default() }.write(page);
        append(page, &minus_infinity(left));
        append(page, &second);
        let tuples = page.slice(page.header().pd_upper()..page.special_start()).to_vec();
        let meta = self.meta();
        self.set_meta(Meta { root, level, fastroot: root, fastlevel: level, ..meta });
        self.change_opaque(left, |opaque| opaque.btpo_flags &= !BTP_INCOMPLETE_SPLIT);
        let buf = self.buffer(root);
        self.pg.trace.tell(Some(buf), || format!("the root was split: block {root} is the new one, on level {level}"));
        let meta = self.meta_record();
        let blocks = [
            (0, (root, REGBUF_WILL_INIT, &[&tuples[..]][..])),
            (1, (left, REGBUF_STANDARD, &[][..])),
            (2, (METAPAGE, META_FLAGS, &[&meta[..]][..])),
        ];
        self.log(BtreeType::Newroot, &XlBtreeNewroot::make(root, level), &blocks);
    }

    /// `_bt_finish_split`: a crash or an error came between the two records of a split; the downlink is put in now.
    pub(in crate::access::nbtree) fn finish_split(&mut self, left: BlockNumber, stack: &Stack) -> Outcome<()> {
        let opaque = self.opaque(left);
        let right = self.opaque(opaque.btpo_next);
        let was_root = opaque.is_leftmost() && right.is_rightmost() && self.meta().root == left;
        let was_only = opaque.is_leftmost() && right.is_rightmost();
        self.insert_parent(left, opaque.btpo_next, stack, was_root, was_only)
    }
}
