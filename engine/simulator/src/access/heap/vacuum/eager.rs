//! Eager scanning, from 18 on: a VACUUM that is not aggressive visits some pages that are all-visible but not
//! all-frozen, and freezes them, so that the next aggressive one has less to do (`heap_vacuum_eager_scan_setup`,
//! src/backend/access/heap/vacuumlazy.c).
//!
//! ```text
//!  block 0            4096               8192               12288
//!  ├──── region ──────┼──── region ──────┼──── region ──────┤      in each at most 3 % of its pages may be visited in vain;
//!                                                                  in all at most 20 % of such pages are frozen
//! ```
//!
//! On a server the first region ends somewhere by chance, here at block 0. So the same pages are visited as long as
//! none was visited in vain.
//!
//! A server's chance is `pg_prng`, with a seed of its own in each process. It matters in tables of 8,192 pages or more,
//! and there only where pages were visited in vain.

use super::LazyVacuum;
use super::maps::{ALL_FROZEN, ALL_VISIBLE};
use crate::storage::Instance;
use crate::version::Behaviour;
use alloc::format;
use ffviz_format::page::{BlockNumber, FIRST_NORMAL_XID, precedes};

/// `EAGER_SCAN_REGION_SIZE`
const EAGER_SCAN_REGION_SIZE: BlockNumber = 4096;
/// `MAX_EAGER_FREEZE_SUCCESS_RATE`
const MAX_EAGER_FREEZE_SUCCESS_RATE: f64 = 0.2;

/// How many pages may still be visited eagerly; by default none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct EagerScan {
    /// `next_eager_scan_region_start`; `None` where there is no eager scanning, or no more
    next_region: Option<BlockNumber>,
    max_fails_per_region: u32,
    remaining_fails: u32,
    remaining_successes: u32,
    /// was the page that was visited eagerly last frozen? It is not counted yet
    last: Option<bool>,
}

impl LazyVacuum<'_> {
    /// `heap_vacuum_eager_scan_setup`. That a table has old `MultiXacts` only is not considered.
    pub(super) fn eager_scan_setup(&self, pg: &mut Instance) -> EagerScan {
        let own = pg.backend().settings.vacuum_max_eager_freeze_failure_rate;
        let rate = own.unwrap_or(pg.settings.vacuum_max_eager_freeze_failure_rate);
        let oldest = self.params.relfrozenxid;
        let may_freeze = oldest >= FIRST_NORMAL_XID && precedes(oldest, self.cutoffs.freeze_limit);
        let is_small = self.rel_pages < 2 * EAGER_SCAN_REGION_SIZE;
        if !pg.version.scans_eagerly() || rate == 0.0 || self.aggressive || is_small || !may_freeze {
            return EagerScan::default();
        }
        let is_candidate = |block: &BlockNumber| self.vm_status(pg, *block) & (ALL_VISIBLE | ALL_FROZEN) == ALL_VISIBLE;
        let candidates = (0..self.rel_pages).filter(is_candidate).count();
        let remaining_successes = (MAX_EAGER_FREEZE_SUCCESS_RATE * candidates as f64) as u32;
        if remaining_successes == 0 {
            return EagerScan::default();
        }
        pg.trace.tell(None, || {
            format!(
                "up to {remaining_successes} pages that are all-visible but not all-frozen are visited too, and frozen"
            )
        });
        let max_fails_per_region = (rate * f64::from(EAGER_SCAN_REGION_SIZE)) as u32;
        EagerScan { next_region: Some(0), max_fails_per_region, remaining_successes, ..EagerScan::default() }
    }
}

impl EagerScan {
    /// A page is looked up in the visibility map: a new region may begin.
    pub(super) fn enter(&mut self, block: BlockNumber) {
        if let Some(start) = self.next_region.filter(|start| block >= *start) {
            self.remaining_fails = self.max_fails_per_region;
            self.next_region = Some(start + EAGER_SCAN_REGION_SIZE);
        }
    }

    /// May a page be visited that is all-visible?
    pub(super) const fn is_wanted(&self) -> bool {
        self.remaining_fails > 0
    }

    /// A page was visited eagerly: was it frozen?
    pub(super) const fn visited(&mut self, frozen: bool) {
        self.last = Some(frozen);
    }

    /// Counts the last page: not before the next one has been chosen, as the stream of pages is one ahead
    /// (`read_stream_next_buffer`).
    pub(super) fn count(&mut self) {
        match self.last.take() {
            Some(true) => {
                self.remaining_successes = self.remaining_successes.saturating_sub(1);
                if self.remaining_successes == 0 {
                    *self = Self::default();
                }
            }
            Some(false) => self.remaining_fails = self.remaining_fails.saturating_sub(1),
            None => {}
        }
    }
}
