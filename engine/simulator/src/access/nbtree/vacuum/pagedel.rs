//! A leaf without items leaves the tree (`_bt_pagedel`, `_bt_mark_page_halfdead`, `_bt_unlink_halfdead_page`,
//! src/backend/access/nbtree/nbtpage.c).
//!
//! ```text
//!  1  parent   … │ a → left │ b → empty │ c → right │ …   ──▶   … │ a → left │ b → right │ …      the leaf is half-dead
//!  2  left ⇄ empty ⇄ right                                ──▶   left ⇄ right                      the leaf is deleted
//! ```
//!
//! Where the leaf is the only child of its parent, the parent goes too, and so on: then step 2 happens to each of them,
//! the leaf last.

use super::VacuumScan;
use crate::access::nbtree::meta::{META_FLAGS, METAPAGE, Meta};
use crate::access::nbtree::tuple;
use crate::access::nbtree::tuple::{minus_infinity, set_downlink};
use crate::access::nbtree::{Block, Index, offset};
use crate::access::transam::{REGBUF_STANDARD, REGBUF_WILL_INIT};
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::nbtree::Opaque;
use ffviz_format::nbtree::flags::{BTP_DELETED, BTP_HALF_DEAD, BTP_HAS_FULLXID, BTP_INCOMPLETE_SPLIT, BTP_ROOT};
use ffviz_format::page::nbtree::BTDeletedPageData;
use ffviz_format::page::{BlockNumber, PageHeaderData};
use ffviz_format::wal::rec::FullTransactionId;
use ffviz_format::wal::rec::btree::{XlBtreeMarkPageHalfdead, XlBtreeUnlinkPage, XlBtreeUnlinkPage13};
use ffviz_format::wal::record_type::BtreeType;

/// Where the half-dead leaf says that it is itself what goes next.
const LEAF_ITSELF: BlockNumber = BlockNumber::MAX;

/// What of the tree goes with a leaf.
struct Subtree {
    /// the page that keeps a downlink to the right
    parent: BlockNumber,
    /// the item in it that leads to the branch
    offset: u16,
    /// the highest page of the branch
    top: BlockNumber,
    /// its right sibling
    right_of_top: BlockNumber,
}

impl Index<'_> {
    /// `_bt_pagedel`, and then the right sibling where that is empty too.
    pub(super) fn delete_page(&mut self, mut leaf: BlockNumber, scan: &mut VacuumScan<'_>) {
        loop {
            if self.opaque(leaf).btpo_flags & BTP_HALF_DEAD == 0
                && (!self.may_delete(leaf) || !self.mark_half_dead(leaf))
            {
                return;
            }
            let mut is_right_empty = false;
            while self.opaque(leaf).btpo_flags & BTP_HALF_DEAD != 0 {
                is_right_empty = self.unlink(leaf, scan);
            }
            if !is_right_empty {
                return;
            }
            leaf = self.opaque(leaf).btpo_next;
        }
    }

    fn may_delete(&self, leaf: BlockNumber) -> bool {
        let opaque = self.opaque(leaf);
        let is_empty = self.page(leaf).item_count() < opaque.first_data_key();
        let is_in_place = !opaque.is_rightmost() && opaque.btpo_flags & (BTP_ROOT | BTP_INCOMPLETE_SPLIT) == 0;
        is_empty && is_in_place && (opaque.is_leftmost() || !self.opaque(opaque.btpo_prev).is_split_incomplete())
    }

    /// `_bt_mark_page_halfdead`: the first step. Not where the branch is the last of its parent.
    fn mark_half_dead(&mut self, leaf: BlockNumber) -> bool {
        let opaque = self.opaque(leaf);
        if self.opaque(opaque.btpo_next).btpo_flags & BTP_HALF_DEAD != 0 {
            return false;
        }
        let Some(subtree) = self.subtree_parent(leaf) else { return false };
        let Subtree { parent, offset: at, top, right_of_top } = subtree;
        self.pg.predicate_lock_page_split(self.rel, leaf, opaque.btpo_next);
        let page = self.page_mut(parent);
        let lp = page.item_id(offset(at)).map_or(0, ffviz_format::page::ItemIdData::lp_off);
        let mut header = tuple::item(page, at)[..8].to_vec();
        set_downlink(&mut header, right_of_top);
        page.write_bytes(lp, &header);
        let deleted = page.index_tuple_delete(offset(at + 1));
        debug_assert!(deleted.is_ok(), "{deleted:?}");
        let top_parent = if top == leaf { LEAF_ITSELF } else { top };
        let page = self.page_mut(leaf);
        let written = page.index_tuple_overwrite(offset(1), &minus_infinity(top_parent));
        debug_assert!(written.is_ok(), "{written:?}");
        self.change_opaque(leaf, |opaque| opaque.btpo_flags |= BTP_HALF_DEAD);
        let buf = self.buffer(leaf);
        self.pg.trace.tell(Some(buf), || {
            format!("block {leaf} is empty: its downlink goes, its key space belongs to the right sibling now")
        });
        let main = XlBtreeMarkPageHalfdead::make(at, leaf, opaque.btpo_prev, opaque.btpo_next, top_parent);
        let blocks = [(0, (leaf, REGBUF_WILL_INIT, &[][..])), (1, (parent, REGBUF_STANDARD, &[][..]))];
        self.log(BtreeType::MarkPageHalfdead, &main, &blocks);
        true
    }

    /// `_bt_lock_subtree_parent`: the lowest page above that keeps another child to the right; `child` is the top of
    /// the branch so far.
    fn subtree_parent(&self, child: BlockNumber) -> Option<Subtree> {
        let (parent, at) = self.find_parent(child)?;
        let (page, opaque) = (self.page(parent), self.opaque(parent));
        if at < page.item_count() {
            let right_of_top = self.opaque(child).btpo_next;
            return Some(Subtree { parent, offset: at, top: child, right_of_top });
        }
        if at != opaque.first_data_key() || opaque.is_rightmost() {
            return None;
        }
        if !opaque.is_leftmost() && self.opaque(opaque.btpo_prev).is_split_incomplete() {
            return None;
        }
        self.subtree_parent(parent)
    }

    /// The item with the downlink to a page. PostgreSQL descends to the leaf by its high key; the way is the same.
    fn find_parent(&self, child: BlockNumber) -> Option<(BlockNumber, u16)> {
        let level = self.opaque(child).btpo_level + 1;
        if self.meta().level < level {
            return None;
        }
        let mut block = self.leftmost_of_level(level);
        loop {
            let (page, opaque) = (self.page(block), self.opaque(block));
            let mut items = opaque.first_data_key()..=page.item_count();
            if let Some(n) = items.find(|n| tuple::downlink(tuple::item(page, *n)) == child) {
                return Some((block, n));
            }
            block = Some(opaque.btpo_next).filter(|next| *next != 0)?;
        }
    }

    /// `_bt_unlink_halfdead_page`: the second step, for the top of the branch that is left. Is the right sibling of the
    /// leaf empty?
    fn unlink(&mut self, leaf: BlockNumber, scan: &mut VacuumScan<'_>) -> bool {
        let top = tuple::downlink(tuple::item(self.page(leaf), 1));
        let (target, next_top) = if top == LEAF_ITSELF { (leaf, LEAF_ITSELF) } else { (top, self.next_top(top, leaf)) };
        let (opaque, leaf_opaque) = (self.opaque(target), self.opaque(leaf));
        let (left, right) = (opaque.btpo_prev, opaque.btpo_next);
        let right_opaque = self.opaque(right);
        let is_right_empty = self.page(right).item_count() < right_opaque.first_data_key();
        let meta = self.meta();
        let lowers_root = left == 0 && right_opaque.is_rightmost() && meta.fastlevel <= opaque.btpo_level + 1;
        if left != 0 {
            self.change_opaque(left, |opaque| opaque.btpo_next = right);
        }
        self.change_opaque(right, |opaque| opaque.btpo_prev = left);
        if target != leaf {
            let page = self.page_mut(leaf);
            let at = page.item_id(offset(1)).map_or(0, ffviz_format::page::ItemIdData::lp_off);
            page.write_bytes(at, &minus_infinity(next_top));
        }
        if lowers_root {
            self.set_meta(Meta { fastroot: right, fastlevel: opaque.btpo_level, ..meta });
        }
        let safexid = self.mark_deleted(target, scan);
        self.log_unlink(target, leaf, (opaque, leaf_opaque), next_top, safexid, lowers_root);
        is_right_empty
    }

    /// The page below the top of a branch; the leaf is told as itself.
    fn next_top(&self, top: BlockNumber, leaf: BlockNumber) -> BlockNumber {
        let first = self.opaque(top).first_data_key();
        let below = tuple::downlink(tuple::item(self.page(top), first));
        if below == leaf { LEAF_ITSELF } else { below }
    }

    /// `BTPageSetDeleted`: what was on the page stays where it was.
    fn mark_deleted(&mut self, block: BlockNumber, scan: &mut VacuumScan<'_>) -> u64 {
        let safexid = u64::from(self.pg.transam.next_xid);
        if !self.pg.version.has_btree_full_xids() {
            self.change_opaque(block, |opaque| {
                opaque.btpo_flags = opaque.btpo_flags & !BTP_HALF_DEAD | BTP_DELETED;
                opaque.btpo_level = safexid as u32;
            });
            scan.note_deleted(safexid as u32);
        } else {
            let page = self.page_mut(block);
            let (start, special) = (PageHeaderData::SIZE as u16, page.special_start());
            page.set_pd_lower(start + BTDeletedPageData::SIZE as u16);
            page.set_pd_upper(special);
            page.write(start, &safexid);
            self.change_opaque(block, |opaque| {
                opaque.btpo_flags = opaque.btpo_flags & !BTP_HALF_DEAD | BTP_DELETED | BTP_HAS_FULLXID;
                opaque.btpo_cycleid = 0;
            });
            scan.pending.push((block, safexid));
        }
        scan.result.pages_newly_deleted += 1;
        if block <= scan.at {
            scan.result.pages_deleted += 1;
        }
        safexid
    }

    fn log_unlink(
        &mut self,
        target: BlockNumber,
        leaf: BlockNumber,
        (opaque, leaf_opaque): (Opaque, Opaque),
        next_top: BlockNumber,
        safexid: u64,
        with_meta: bool,
    ) {
        let Opaque { btpo_prev: left, btpo_next: right, btpo_level: level, .. } = opaque;
        let (leaf_left, leaf_right) = (leaf_opaque.btpo_prev, leaf_opaque.btpo_next);
        let main: Vec<u8> = if !self.pg.version.has_btree_full_xids() {
            XlBtreeUnlinkPage13::make(left, right, leaf_left, leaf_right, next_top, safexid as u32).into()
        } else {
            XlBtreeUnlinkPage::make(left, right, level, FullTransactionId(safexid), leaf_left, leaf_right, next_top)
                .into()
        };
        let meta = self.meta_record();
        let meta_data = [&meta[..]];
        let mut blocks: Vec<(u8, Block<'_>)> = Vec::from([(0, (target, REGBUF_WILL_INIT, &[][..]))]);
        if left != 0 {
            blocks.push((1, (left, REGBUF_STANDARD, &[])));
        }
        blocks.push((2, (right, REGBUF_STANDARD, &[])));
        if target != leaf {
            blocks.push((3, (leaf, REGBUF_WILL_INIT, &[])));
        }
        if with_meta {
            blocks.push((4, (METAPAGE, META_FLAGS, &meta_data)));
        }
        self.log(if with_meta { BtreeType::UnlinkPageMeta } else { BtreeType::UnlinkPage }, &main, &blocks);
    }
}
