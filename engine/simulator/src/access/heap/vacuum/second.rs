//! Indexes and the second pass: dead line pointers to which no entry leads any more can be used again (`lazy_vacuum`,
//! `lazy_vacuum_heap_page`, `heap_page_is_all_visible`, src/backend/access/heap/vacuumlazy.c).

use super::maps::{ALL_FROZEN, ALL_VISIBLE};
use super::{IndexCleanup, IndexVacuum, LazyVacuum};
use crate::access::heap::freeze::heap_tuple_needs_eventual_freeze;
use crate::access::heap::heap_tuple;
use crate::access::heap::prune::log_heap_vacuum;
use crate::access::heap::visibility::{HtsvResult, heap_tuple_satisfies_vacuum};
use crate::access::transam::{Assembly, WalLevel};
use crate::storage::{Buffer, Instance, Outcome};
use crate::version::Behaviour;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::page::{
    BlockNumber, FIRST_NORMAL_XID, FROZEN_XID, ItemIdData, ItemPointer, LpFlags, OffsetNumber, TransactionId, precedes,
    thousands,
};
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::heap2::XlHeapCleanupInfo;
use ffviz_format::wal::record_type::Heap2Type;

impl LazyVacuum<'_> {
    /// `lazy_vacuum`: entries of indexes, then the second pass; or neither, where few pages would gain by it.
    pub(super) fn lazy_vacuum(&mut self, pg: &mut Instance, indexes: &mut dyn IndexVacuum) -> Outcome<()> {
        if self.dead.is_empty() || self.bypasses(pg) {
            return Ok(());
        }
        let dead = core::mem::take(&mut self.dead);
        self.log_cleanup_info(pg);
        let tids = dead.iter().flat_map(|(block, list)| list.iter().map(|n| ItemPointer { block: *block, offset: *n }));
        indexes.bulk_delete(pg, &tids.collect::<Vec<_>>())?;
        for (block, list) in dead {
            let buf = Buffer::main(self.rel.file, block);
            pg.visibilitymap_pin(self.rel.file, block);
            self.lazy_vacuum_heap_page(pg, buf, &list);
            self.record_free_space(pg, buf);
        }
        Ok(())
    }

    /// May the dead line pointers wait: are they on less than 2 % of the pages?
    fn bypasses(&self, pg: &mut Instance) -> bool {
        if !pg.version.bypasses_index_vacuum() || self.params.index_cleanup != IndexCleanup::Auto {
            return false;
        }
        let threshold = (f64::from(self.rel_pages) * 0.02) as BlockNumber;
        let pages = self.dead.len() as BlockNumber;
        let (few, bypass) = (threshold, pages < threshold);
        pg.trace.tell(None, || {
            let what = if bypass { "the indexes are left alone" } else { "the indexes are vacuumed" };
            let [pages, all, threshold] = [pages, self.rel_pages, threshold].map(|pages| thousands(pages.into()));
            match few {
                0 => format!("{what}: dead line pointers on {pages} of {all} pages; in so small a table they do not wait"),
                _ => format!(
                    "{what}: dead line pointers on {pages} of {all} pages; they may wait where it is fewer than {threshold}"
                ),
            }
        });
        bypass
    }

    /// 13: what a standby has to know before entries go from indexes.
    fn log_cleanup_info(&self, pg: &mut Instance) {
        let logs = pg.buffers.is_permanent(self.rel.file) && pg.wal.settings.level >= WalLevel::Replica;
        if pg.version.carries_removed_xid() && logs && self.latest_removed != 0 {
            let main = XlHeapCleanupInfo::make(pg.buffers.locator(self.rel.file), self.latest_removed);
            let info = Heap2Type::CleanupInfo.info(pg.version);
            pg.log_about_no_page(|wal, backend| {
                wal.insert(backend, &Assembly { main: &[&main], ..Assembly::new(Rmgr::HEAP2, info) })
            });
        }
    }

    /// `lazy_vacuum_heap_page`: frees the line pointers; then the page may be all-visible.
    pub(super) fn lazy_vacuum_heap_page(&mut self, pg: &mut Instance, buf: Buffer, dead: &[OffsetNumber]) {
        let (truncates, major) = (pg.version.vacuum_truncates_line_pointers(), pg.version.major());
        let page = pg.buffers.page_mut(buf);
        for n in dead {
            page.set_item_id(*n, ItemIdData::UNUSED);
        }
        if truncates {
            page.truncate_line_pointer_array();
        } else {
            // a damaged page stays as it is, which a server would refuse to compact
            let _ = page.repair_fragmentation(major);
        }
        pg.mark_buffer_dirty(buf);
        log_heap_vacuum(pg, buf, dead, self.latest_removed);
        let Some((cutoff, all_frozen)) = self.heap_page_is_all_visible(pg, buf) else { return };
        let status = self.vm_status(pg, buf.block);
        pg.set_all_visible(buf);
        let wanted = ALL_VISIBLE | if all_frozen { ALL_FROZEN } else { 0 };
        let flags = if pg.version.freezes_pages() { wanted } else { wanted & !status };
        if flags != 0 {
            pg.visibilitymap_set(buf, cutoff, flags);
        }
    }

    /// `heap_page_is_all_visible`: the newest xmin, and whether nothing is left to freeze; `None` where it is not.
    fn heap_page_is_all_visible(&self, pg: &mut Instance, buf: Buffer) -> Option<(TransactionId, bool)> {
        let (mut cutoff, mut all_frozen) = (0, true);
        let by_page = pg.version.freezes_pages();
        for n in (1..=pg.buffers.page(buf).item_count()).map(OffsetNumber) {
            if pg.buffers.page(buf).item_id(n)?.lp_flags() == LpFlags::Dead {
                return None;
            }
            let Some(mut tuple) = heap_tuple(pg, buf, n) else { continue };
            let status = heap_tuple_satisfies_vacuum(pg, &mut tuple, buf, self.cutoffs.oldest_xmin);
            let xmin = if tuple.is_frozen() { FROZEN_XID } else { tuple.t_xmin };
            let is_seen = tuple.is_xmin_committed() && precedes(xmin, self.cutoffs.oldest_xmin);
            if status != HtsvResult::Live || !is_seen {
                return None;
            }
            // 13 to 15 count FrozenTransactionId too
            if (xmin >= FIRST_NORMAL_XID || !by_page) && precedes(cutoff, xmin) {
                cutoff = xmin;
            }
            all_frozen &= !heap_tuple_needs_eventual_freeze(&tuple);
        }
        Some((cutoff, all_frozen))
    }
}
