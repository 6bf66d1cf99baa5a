//! What VACUUM learns of the row versions that stay on a page: is the page all-visible, all-frozen, and should it be
//! frozen now? (`lazy_scan_prune`, src/backend/access/heap/vacuumlazy.c; from 17 on
//! `heap_prune_record_unchanged_lp_normal`, pruneheap.c)

use super::freeze::{HeapPageFreeze, HeapTupleFreeze, VacuumCutoffs, heap_prepare_freeze_tuple};
use super::visibility::HtsvResult;
use crate::storage::{Buffer, Instance, MultiXactId};
use crate::version::Behaviour;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::heap::HeapTuple;
use ffviz_format::page::{FIRST_NORMAL_XID, FROZEN_XID, TransactionId, precedes};

/// A page as VACUUM sees it.
#[derive(Debug, Clone)]
pub struct Survey {
    /// the VACUUM's bounds
    pub cutoffs: VacuumCutoffs,
    /// every row version that stays is visible to all; dead line pointers do not count here
    pub all_visible: bool,
    /// besides, none has an xid that matters, once the plans are carried out
    pub all_frozen: bool,
    /// newest xmin of an all-visible page
    pub visibility_cutoff_xid: TransactionId,
    /// what freezing would do
    pub plans: Vec<HeapTupleFreeze>,
    /// row versions that were frozen
    pub frozen: usize,
    /// may the page be the last one of the table?
    pub hastup: bool,
    /// row versions that count as live
    pub live: u32,
    /// row versions that somebody may still see, though they were deleted
    pub recently_dead: u32,
    /// about freezing the page as a whole
    pub pagefrz: HeapPageFreeze,
}

impl Survey {
    /// Nothing seen yet; `relfrozenxid` and `relminmxid` are the oldest that the VACUUM has seen to stay so far.
    #[must_use]
    pub const fn new(cutoffs: VacuumCutoffs, relfrozenxid: TransactionId, relminmxid: MultiXactId) -> Self {
        Self {
            cutoffs,
            all_visible: true,
            all_frozen: true,
            visibility_cutoff_xid: 0,
            plans: Vec::new(),
            frozen: 0,
            hastup: false,
            live: 0,
            recently_dead: 0,
            pagefrz: HeapPageFreeze::new(relfrozenxid, relminmxid),
        }
    }

    /// Looks at a row version that stays.
    pub fn look(&mut self, pg: &mut Instance, tuple: &HeapTuple, status: HtsvResult) {
        self.hastup = true;
        self.live += u32::from(matches!(status, HtsvResult::Live | HtsvResult::DeleteInProgress));
        self.recently_dead += u32::from(matches!(status, HtsvResult::RecentlyDead(_)));
        self.all_visible &= status == HtsvResult::Live && self.is_visible_to_all(pg, tuple);
        let prepared = heap_prepare_freeze_tuple(pg, tuple, &self.cutoffs, &mut self.pagefrz);
        self.all_frozen &= prepared.totally_frozen;
        self.plans.extend(prepared.plan);
    }

    /// Is its xmin older than every snapshot, and known so by its hint bit?
    fn is_visible_to_all(&mut self, pg: &Instance, tuple: &HeapTuple) -> bool {
        let xmin = if tuple.is_frozen() { FROZEN_XID } else { tuple.t_xmin };
        if !self.all_visible || !tuple.is_xmin_committed() || !precedes(xmin, self.cutoffs.oldest_xmin) {
            return false;
        }
        // 13 to 15 count FrozenTransactionId too
        let counts = xmin >= FIRST_NORMAL_XID || !pg.version.freezes_pages();
        if counts && precedes(self.visibility_cutoff_xid, xmin) {
            self.visibility_cutoff_xid = xmin;
        }
        true
    }

    /// From 17 on: is the page to be frozen? If not, the plans are dropped. `hint_image`: an image of the page was
    /// written for a hint bit.
    pub fn decides_to_freeze(
        &mut self,
        pg: &mut Instance,
        buf: Buffer,
        hint_image: bool,
        prune: bool,
        hint: bool,
    ) -> bool {
        if self.plans.is_empty() {
            return false;
        }
        let (required, whole) = (self.pagefrz.freeze_required, self.all_visible && self.all_frozen);
        let image_comes = || {
            let logged = prune || hint && pg.settings.log_hints();
            hint_image || logged && pg.buffer_needs_backup(buf)
        };
        let eager = !required && whole && pg.buffers.is_permanent(buf.file) && image_comes();
        let count = self.plans.len();
        if required || eager {
            let why = if required { "an xid is older than FreezeLimit" } else { "its image is written anyway" };
            pg.trace.tell(Some(buf), || format!("block {}: {count} row versions are frozen, since {why}", buf.block));
            return true;
        }
        pg.trace.tell(Some(buf), || {
            let versions = if count == 1 { "row version" } else { "row versions" };
            format!("block {}: not frozen, though {count} {versions} could be", buf.block)
        });
        self.drop_plans();
        false
    }

    /// The page is not frozen now.
    pub fn drop_plans(&mut self) {
        self.plans.clear();
        self.all_frozen = false;
    }

    /// Horizon of freezing the page: its newest xmin where all of it is frozen, else the last xid before `OldestXmin`.
    #[must_use]
    pub const fn freeze_horizon(&self) -> TransactionId {
        if self.all_visible && self.all_frozen {
            return self.visibility_cutoff_xid;
        }
        let before = self.cutoffs.oldest_xmin.wrapping_sub(1);
        if before < FIRST_NORMAL_XID { u32::MAX } else { before }
    }
}
