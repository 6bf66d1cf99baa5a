//! A page in the first pass: prune, look at what stays, freeze (`lazy_scan_prune`,
//! src/backend/access/heap/vacuumlazy.c).
//!
//! ```text
//!  13–15  prune, then freeze each row version that is old enough
//!  16     prune, then freeze the page where it must, or where an image was paid for anyway
//!  17+    both in one record
//! ```

use super::LazyVacuum;
use crate::access::heap::freeze::heap_freeze_prepared_tuples;
use crate::access::heap::heap_tuple;
use crate::access::heap::prune::{PruneReason, heap_page_prune, heap_page_prune_and_freeze, log_heap_freeze};
use crate::access::heap::survey::Survey;
use crate::access::heap::visibility::heap_tuple_satisfies_vacuum;
use crate::storage::{Buffer, Instance};
use crate::version::Behaviour;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::page::{LpFlags, OffsetNumber, TransactionId};

/// `LVPagePruneState`: what the first pass found on a page.
pub(super) struct ScannedPage {
    /// line pointers that are `LP_DEAD`
    pub dead: Vec<OffsetNumber>,
    /// may the page not be cut off?
    pub hastup: bool,
    /// is every row version visible to all, and no line pointer dead?
    pub all_visible: bool,
    /// is nothing on it that could ever need freezing?
    pub all_frozen: bool,
    /// newest xmin, for the record about the visibility map
    pub visibility_cutoff_xid: TransactionId,
}

impl LazyVacuum<'_> {
    /// `lazy_scan_prune`
    pub(super) fn lazy_scan_prune(&mut self, pg: &mut Instance, buf: Buffer) -> ScannedPage {
        let mut survey = Survey::new(self.cutoffs, self.counts.new_relfrozenxid, self.counts.new_relminmxid);
        if pg.version.prunes_and_freezes_at_once() {
            let (vistest, unused) = (self.vistest(), !self.has_indexes);
            heap_page_prune_and_freeze(pg, buf, vistest, unused, Some(&mut survey), PruneReason::VacuumScan);
        } else {
            self.prune_then_freeze(pg, buf, &mut survey);
        }
        let by_page = pg.version.freezes_pages();
        let frozen_now = survey.frozen > 0 || survey.all_frozen;
        let seen = &survey.pagefrz;
        (self.counts.new_relfrozenxid, self.counts.new_relminmxid) = match frozen_now || !by_page {
            true => (seen.freeze_relfrozenxid, seen.freeze_relminmxid),
            false => (seen.no_freeze_relfrozenxid, seen.no_freeze_relminmxid),
        };
        self.counts.live += u64::from(survey.live);
        self.counts.recently_dead += u64::from(survey.recently_dead);
        let dead = dead_items(pg, buf);
        let all_visible = survey.all_visible && dead.is_empty();
        let all_frozen = all_visible && survey.all_frozen;
        let visibility_cutoff_xid = if by_page && all_frozen { 0 } else { survey.visibility_cutoff_xid };
        ScannedPage { dead, hastup: survey.hastup, all_visible, all_frozen, visibility_cutoff_xid }
    }

    /// 13 to 16.
    fn prune_then_freeze(&mut self, pg: &mut Instance, buf: Buffer, survey: &mut Survey) {
        let images_before = pg.backend().wal.usage.fpi;
        let carried = if pg.version.carries_removed_xid() { self.latest_removed } else { 0 };
        let pruned = heap_page_prune(pg, buf, self.vistest(), carried);
        if pg.version.carries_removed_xid() {
            self.latest_removed = pruned.latest_xid_removed;
        }
        for n in (1..=pg.buffers.page(buf).item_count()).map(OffsetNumber) {
            survey.hastup |= flags(pg, buf, n) == LpFlags::Redirect;
            if let Some(mut tuple) = heap_tuple(pg, buf, n) {
                let status = heap_tuple_satisfies_vacuum(pg, &mut tuple, buf, self.cutoffs.oldest_xmin);
                survey.look(pg, &tuple, status);
            }
        }
        if survey.plans.is_empty() {
            return;
        }
        let paid = pg.backend().wal.usage.fpi != images_before;
        let by_page = pg.version.freezes_pages();
        let eager = paid && survey.all_visible && survey.all_frozen;
        if by_page && !survey.pagefrz.freeze_required && !eager {
            pg.trace.tell(Some(buf), || {
                format!("block {}: not frozen, since no xid is before FreezeLimit and no image was written", buf.block)
            });
            return survey.drop_plans();
        }
        let horizon = if by_page { survey.freeze_horizon() } else { self.cutoffs.freeze_limit };
        survey.frozen = survey.plans.len();
        let count = survey.frozen;
        pg.trace.tell(Some(buf), || format!("block {}: {count} row versions are frozen", buf.block));
        heap_freeze_prepared_tuples(pg, buf, &survey.plans);
        pg.mark_buffer_dirty(buf);
        log_heap_freeze(pg, buf, horizon, &survey.plans);
    }
}

fn flags(pg: &Instance, buf: Buffer, n: OffsetNumber) -> LpFlags {
    pg.buffers.page(buf).item_id(n).map_or(LpFlags::Unused, |lp| lp.lp_flags())
}

/// The line pointers that are `LP_DEAD`.
fn dead_items(pg: &Instance, buf: Buffer) -> Vec<OffsetNumber> {
    let all = pg.buffers.page(buf).line_pointers();
    all.filter(|(_, lp)| lp.lp_flags() == LpFlags::Dead).map(|(n, _)| n).collect()
}
