//! What VACUUM counted, and what it says of the table in `pg_class` (`vac_estimate_reltuples`, `vac_update_relstats`,
//! src/backend/commands/vacuum.c).

use super::LazyVacuum;
use super::maps::{ALL_FROZEN, ALL_VISIBLE};
use crate::storage::{Instance, MultiXactId};
use crate::version::Behaviour;
use ffviz_format::page::{BlockNumber, PgVersion, TransactionId, precedes};

/// What is counted on the way.
pub(super) struct Counts {
    /// pages visited
    pub scanned: BlockNumber,
    /// pages skipped that are all-frozen
    pub skipped_frozen: BlockNumber,
    /// was a page skipped that is only all-visible?
    pub skipped_all_visible: bool,
    /// row versions that count as live
    pub live: u64,
    /// row versions that somebody may still see, though they were deleted
    pub recently_dead: u64,
    /// oldest xid that stays in the table, as far as was seen
    pub new_relfrozenxid: TransactionId,
    /// oldest multixact that stays in the table, as far as was seen
    pub new_relminmxid: MultiXactId,
}

impl Counts {
    pub(super) const fn new(oldest_xmin: TransactionId, oldest_mxact: MultiXactId) -> Self {
        Self {
            scanned: 0,
            skipped_frozen: 0,
            skipped_all_visible: false,
            live: 0,
            recently_dead: 0,
            new_relfrozenxid: oldest_xmin,
            new_relminmxid: oldest_mxact,
        }
    }
}

/// The table's new figures in `pg_class`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RelStats {
    /// `relpages`
    pub relpages: BlockNumber,
    /// `reltuples`
    pub reltuples: f32,
    /// `relallvisible`
    pub relallvisible: BlockNumber,
    /// `relallfrozen`, from 18 on; 0 before
    pub relallfrozen: BlockNumber,
    /// `relfrozenxid`, where it advances
    pub relfrozenxid: Option<TransactionId>,
    /// `relminmxid`, where it advances
    pub relminmxid: Option<MultiXactId>,
}

/// What a VACUUM did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VacuumStats {
    /// pages visited
    pub scanned_pages: BlockNumber,
    /// row versions that stay though they were deleted
    pub recently_dead: u64,
    /// new figures
    pub class: RelStats,
}

impl LazyVacuum<'_> {
    /// What is said of the table at the end.
    pub(super) fn stats(&self, pg: &Instance, reltuples: f32) -> VacuumStats {
        let count = |bit| (0..self.rel_pages).filter(|block| self.vm_status(pg, *block) & bit != 0).count() as u32;
        let keeps_old = !pg.version.counts_from_unknown() && self.counts.scanned == 0 && self.rel_pages > 0;
        let (relfrozenxid, relminmxid) = self.oldest_left(pg);
        let class = RelStats {
            relpages: if keeps_old { self.params.relpages } else { self.rel_pages },
            reltuples,
            relallvisible: count(ALL_VISIBLE),
            relallfrozen: if pg.version.keeps_all_frozen_pages() { count(ALL_FROZEN) } else { 0 },
            relfrozenxid,
            relminmxid,
        };
        VacuumStats { scanned_pages: self.counts.scanned, recently_dead: self.counts.recently_dead, class }
    }

    /// Before 15 FreezeLimit and MultiXactCutoff, where nothing older can be left; then the oldest that were seen to
    /// stay.
    fn oldest_left(&self, pg: &Instance) -> (Option<TransactionId>, Option<MultiXactId>) {
        let (xid, multi, is_sure) = if pg.version.vacuums_last_page() {
            (self.counts.new_relfrozenxid, self.counts.new_relminmxid, !self.counts.skipped_all_visible)
        } else {
            let all = self.counts.scanned + self.counts.skipped_frozen >= self.rel_pages;
            (self.cutoffs.freeze_limit, self.cutoffs.multi_cutoff, all)
        };
        let xid = Some(xid).filter(|xid| is_sure && precedes(self.params.relfrozenxid, *xid));
        (xid, Some(multi).filter(|multi| is_sure && self.params.relminmxid < *multi))
    }

    /// How many rows the table has now.
    pub(super) fn reltuples(&self, pg: &Instance) -> f32 {
        let known = (self.params.reltuples, self.params.relpages);
        vac_estimate_reltuples(pg.version, known, self.rel_pages, self.counts.scanned, self.counts.live) as f32
    }
}

/// `vac_estimate_reltuples`; `known`: `reltuples` and `relpages` so far.
#[must_use]
pub fn vac_estimate_reltuples(
    version: PgVersion,
    (reltuples, relpages): (f32, BlockNumber),
    total: BlockNumber,
    scanned: BlockNumber,
    counted: u64,
) -> f64 {
    let (old, old_pages) = (f64::from(reltuples), f64::from(relpages));
    let (total, scanned, counted) = (f64::from(total), f64::from(scanned), counted as f64);
    if scanned >= total {
        return counted;
    }
    let too_few = version.vacuums_last_page() && (scanned <= 1.0 || old_pages == total && scanned < total * 0.02);
    if scanned == 0.0 || too_few {
        return old;
    }
    let estimate = if old < 0.0 || old_pages == 0.0 {
        counted / scanned * total
    } else {
        old / old_pages * (total - scanned) + counted
    };
    ((estimate + 0.5) as u64) as f64
}
