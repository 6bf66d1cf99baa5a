//! VACUUM of an index (`btbulkdelete`, `btvacuumcleanup`, `btvacuumscan`, `btvacuumpage`,
//! src/backend/access/nbtree/nbtree.c).
//!
//! ```text
//!  every block in order: leaf ─▶ items of dead rows go ─▶ empty? out of the tree        deleted long ago ─▶ free space map
//! ```

pub(super) mod pagedel;

use super::Index;
use super::dedup::delete::Deletion;
use super::meta::{META_FLAGS, METAPAGE, Meta};
use crate::access::transam::REGBUF_STANDARD;
use crate::storage::BLCKSZ;
use alloc::vec::Vec;
use ffviz_format::nbtree::flags::{BTP_DELETED, BTP_HALF_DEAD, BTP_HAS_GARBAGE};
use ffviz_format::page::{BlockNumber, ForkNumber, ItemPointer, TransactionId, precedes};
use ffviz_format::wal::rec::btree::XlBtreeVacuum;
use ffviz_format::wal::record_type::BtreeType;

/// `IndexBulkDeleteResult`
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BulkDeleteResult {
    /// length of the index
    pub num_pages: BlockNumber,
    /// heap TIDs taken off
    pub tuples_removed: u64,
    /// heap TIDs that stay
    pub num_index_tuples: u64,
    /// pages that this VACUUM took out of the tree
    pub pages_newly_deleted: u32,
    /// pages that are out of the tree
    pub pages_deleted: u32,
    /// pages that may be used again
    pub pages_free: u32,
}

/// A scan of all pages (`BTVacState`).
pub(super) struct VacuumScan<'a> {
    /// is the row of that TID dead? `None`: cleanup only
    pub is_dead: Option<&'a dyn Fn(ItemPointer) -> bool>,
    pub result: BulkDeleteResult,
    /// 14+: pages deleted by this VACUUM, with the xid from which on they may be used again
    pub pending: Vec<(BlockNumber, u64)>,
    /// 13: the oldest xid on a deleted page
    pub oldest_xact: TransactionId,
    /// the block that the scan has reached
    pub at: BlockNumber,
}

impl Index<'_> {
    /// `btbulkdelete`: takes off the items whose rows are dead.
    pub fn bulk_delete(&mut self, is_dead: &dyn Fn(ItemPointer) -> bool) -> BulkDeleteResult {
        self.vacuum_scan(Some(is_dead))
    }

    /// `btvacuumcleanup`, with what `btbulkdelete` gave where it ran; without, the index is scanned only where deleted
    /// pages wait.
    pub fn vacuum_cleanup(&mut self, bulk: Option<BulkDeleteResult>) -> Option<BulkDeleteResult> {
        let result = match bulk {
            Some(result) => result,
            None if self.needs_cleanup() => self.vacuum_scan(None),
            None => return None,
        };
        if self.pg.version.has_btree_full_xids() {
            self.set_cleanup_info(result.pages_deleted - result.pages_free);
        }
        Some(result)
    }

    /// `_bt_vacuum_needs_cleanup`
    fn needs_cleanup(&self) -> bool {
        let waiting = self.meta().cleanup;
        if !self.pg.version.has_btree_full_xids() {
            return waiting != 0 && precedes(waiting, self.pg.backend().global_vis.recent_global_xmin);
        }
        waiting > 0 && waiting > self.pg.buffers.nblocks(self.rel.file, ForkNumber::Main) / 20
    }

    /// `_bt_set_cleanup_info`, in 13 `_bt_update_meta_cleanup_info`
    fn set_cleanup_info(&mut self, cleanup: u32) {
        let meta = self.meta();
        if meta.cleanup == cleanup {
            return;
        }
        self.set_meta(Meta { cleanup, ..meta });
        let record = self.meta_record();
        self.log(BtreeType::MetaCleanup, &[], &[(0, (METAPAGE, META_FLAGS, &[&record]))]);
    }

    /// `btvacuumscan`
    fn vacuum_scan(&mut self, is_dead: Option<&dyn Fn(ItemPointer) -> bool>) -> BulkDeleteResult {
        let mut scan =
            VacuumScan { is_dead, result: BulkDeleteResult::default(), pending: Vec::new(), oldest_xact: 0, at: 1 };
        while scan.at < self.pg.buffers.nblocks(self.rel.file, ForkNumber::Main) {
            self.vacuum_page(&mut scan);
            scan.at += 1;
        }
        scan.result.num_pages = self.pg.buffers.nblocks(self.rel.file, ForkNumber::Main);
        let is_13 = !self.pg.version.has_btree_full_xids();
        if !is_13 {
            self.finish_pending(&mut scan);
        }
        if scan.result.pages_free > 0 {
            self.pg.free_space_map_vacuum_range(self.rel.file, 0..BlockNumber::MAX);
        }
        if is_13 {
            self.set_cleanup_info(scan.oldest_xact);
        }
        scan.result
    }

    /// `_bt_pendingfsm_finalize`: pages deleted by this VACUUM that may be used again already.
    fn finish_pending(&mut self, scan: &mut VacuumScan<'_>) {
        if scan.is_dead.is_none() || scan.pending.is_empty() {
            return;
        }
        self.pg.compute_horizon();
        for (block, safexid) in core::mem::take(&mut scan.pending) {
            if !self.pg.is_removable(self.rel.file, safexid as u32) {
                break;
            }
            self.record_free_page(block);
            scan.result.pages_free += 1;
        }
    }

    /// `RecordFreeIndexPage`
    fn record_free_page(&mut self, block: BlockNumber) {
        self.pg.record_page_with_free_space(self.rel.file, block, BLCKSZ - 1);
    }

    /// `btvacuumpage`
    fn vacuum_page(&mut self, scan: &mut VacuumScan<'_>) {
        let block = scan.at;
        if self.page(block).is_new() || self.is_recyclable(block) {
            self.record_free_page(block);
            scan.result.pages_deleted += 1;
            scan.result.pages_free += 1;
            return;
        }
        let opaque = self.opaque(block);
        if opaque.btpo_flags & BTP_DELETED != 0 {
            scan.result.pages_deleted += 1;
            scan.note_deleted(opaque.btpo_level);
        } else if opaque.btpo_flags & BTP_HALF_DEAD != 0 {
            self.delete_page(block, scan);
        } else if opaque.is_leaf() {
            self.vacuum_leaf(block, scan);
        }
    }

    fn vacuum_leaf(&mut self, block: BlockNumber, scan: &mut VacuumScan<'_>) {
        let first = self.opaque(block).first_data_key();
        if let Some(is_dead) = scan.is_dead {
            let deletion = Deletion::of(self.page(block), first, is_dead);
            if !deletion.is_empty() {
                self.delete_items_by_vacuum(block, &deletion);
            }
            let lists: usize = deletion.updates.iter().map(|(_, places)| places.len()).sum();
            scan.result.tuples_removed += (deletion.items.len() + lists) as u64;
        }
        let page = self.page(block);
        if page.item_count() < first {
            self.delete_page(block, scan);
            return;
        }
        let live = super::tuple::data_items(page, first).into_iter().map(super::tuple::n_tids).sum::<usize>();
        scan.result.num_index_tuples += live as u64;
    }

    /// `_bt_delitems_vacuum`
    fn delete_items_by_vacuum(&mut self, block: BlockNumber, deletion: &Deletion) {
        let major = self.pg.version.major();
        deletion.apply(self.page_mut(block), major);
        self.change_opaque(block, |opaque| {
            opaque.btpo_cycleid = 0;
            opaque.btpo_flags &= !BTP_HAS_GARBAGE;
        });
        let main = XlBtreeVacuum::make(deletion.items.len() as u16, deletion.updates.len() as u16);
        self.log(BtreeType::Vacuum, &main, &[(0, (block, REGBUF_STANDARD, &[&deletion.record()]))]);
    }
}

impl VacuumScan<'_> {
    /// 13 keeps the oldest xid of deleted pages, which stands in place of their level.
    pub(super) const fn note_deleted(&mut self, xact: TransactionId) {
        if self.oldest_xact == 0 || precedes(xact, self.oldest_xact) {
            self.oldest_xact = xact;
        }
    }
}
