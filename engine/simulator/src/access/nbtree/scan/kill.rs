//! Marking entries whose rows are dead to everybody, when a scan leaves their leaf (`_bt_killitems`,
//! src/backend/access/nbtree/nbtutils.c).

use super::Leaf;
use crate::access::nbtree::{Index, offset, tuple};
use alloc::vec::Vec;
use ffviz_format::nbtree::flags::BTP_HAS_GARBAGE;
use ffviz_format::page::{ItemIdData, ItemPointer, LpFlags};
use ffviz_story::timeline::Unlogged;

impl Index<'_> {
    /// `_bt_killitems`: marks entries that lead to rows that are dead to everybody, unless the leaf has changed since
    /// it was read.
    pub(super) fn kill_items(&mut self, leaf: &Leaf) {
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

    /// The item of a killed entry: a plain one with its TID, or a posting list all of whose TIDs were killed one after
    /// the other.
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
