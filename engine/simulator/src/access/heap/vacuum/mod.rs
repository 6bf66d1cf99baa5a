//! VACUUM of a table (src/backend/access/heap/vacuumlazy.c).
//!
//! ```text
//!  first pass    every page that is not skipped: prune, freeze, mark all-visible, collect dead line pointers
//!  indexes       entries that lead to them go
//!  second pass   the dead line pointers can be used again
//!  tail          empty pages at the end are given back
//! ```
//!
//! Without indexes the second pass of a page follows its first one at once; from 17 on both are one.

mod cutoffs;
mod eager;
mod first;
mod maps;
mod scan;
mod second;
mod stats;
mod truncate;

pub use cutoffs::vacuum_get_cutoffs;
pub use stats::{RelStats, VacuumStats, vac_estimate_reltuples};
pub use truncate::relation_truncate;

use super::freeze::VacuumCutoffs;
use super::prune::Vistest;
use crate::storage::{Instance, MultiXactId, Outcome, RelationData};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use eager::EagerScan;
use ffviz_format::page::{BlockNumber, ForkNumber, ItemPointer, OffsetNumber, Oid, TransactionId, precedes};
use stats::Counts;

/// `VacOptValue` of INDEX_CLEANUP
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IndexCleanup {
    /// few pages with dead line pointers may wait for the next VACUUM
    #[default]
    Auto,
    /// never wait
    On,
    /// leave the indexes alone
    Off,
}

/// `VacuumParams`, and what `pg_class` says of the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VacuumParams {
    /// FREEZE
    pub freeze: bool,
    /// DISABLE_PAGE_SKIPPING
    pub disable_page_skipping: bool,
    /// INDEX_CLEANUP
    pub index_cleanup: IndexCleanup,
    /// TRUNCATE
    pub truncate: bool,
    /// does no other session hold a lock on the table, so that its end may be cut off?
    pub may_lock_exclusively: bool,
    /// OID of the database
    pub database: Oid,
    /// `relpages` so far
    pub relpages: BlockNumber,
    /// `reltuples` so far; -1: nobody counted
    pub reltuples: f32,
    /// `relfrozenxid` so far
    pub relfrozenxid: TransactionId,
    /// `relminmxid` so far
    pub relminmxid: MultiXactId,
}

/// The indexes of the table, as VACUUM reaches them: they stand above the heap.
pub trait IndexVacuum {
    /// `lazy_vacuum_all_indexes`: removes the entries that lead to these TIDs, which ascend.
    ///
    /// # Errors
    /// Those of the indexes.
    fn bulk_delete(&mut self, pg: &mut Instance, dead: &[ItemPointer]) -> Outcome<()>;

    /// `lazy_cleanup_all_indexes`
    ///
    /// # Errors
    /// Those of the indexes.
    fn cleanup(&mut self, pg: &mut Instance) -> Outcome<()>;
}

/// `LVRelState`
struct LazyVacuum<'a> {
    rel: &'a RelationData,
    /// `vac_open_indexes`: has it indexes that get entries?
    has_indexes: bool,
    params: VacuumParams,
    cutoffs: VacuumCutoffs,
    aggressive: bool,
    /// are entries removed from indexes, and dead line pointers freed?
    do_index_vacuuming: bool,
    /// pages at the start, less those that were cut off
    rel_pages: BlockNumber,
    /// behind the last page with something on it
    nonempty_pages: BlockNumber,
    /// pages with dead line pointers, and those
    dead: Vec<(BlockNumber, Vec<OffsetNumber>)>,
    eager: EagerScan,
    /// newest xid that deleted something which went; 13 carries it from page to page
    latest_removed: TransactionId,
    counts: Counts,
}

impl LazyVacuum<'_> {
    const fn vistest(&self) -> Vistest {
        Vistest::OldestXmin(self.cutoffs.oldest_xmin)
    }
}

/// `heap_vacuum_rel`. The running session is in VACUUM's transaction: it has its snapshot, and `in_vacuum` set. What
/// changes in `pg_class` is the caller's, and with it the message that makes sessions forget the table's target block.
///
/// # Errors
/// Those of the indexes.
pub fn heap_vacuum_rel(
    pg: &mut Instance,
    rel: &RelationData,
    params: VacuumParams,
    indexes: &mut dyn IndexVacuum,
) -> Outcome<VacuumStats> {
    let (cutoffs, aggressive) = vacuum_get_cutoffs(pg, rel.file, &params);
    let mut vacuum = LazyVacuum {
        rel,
        has_indexes: pg.has_ready_index(rel),
        params,
        cutoffs,
        aggressive: aggressive || params.disable_page_skipping,
        do_index_vacuuming: params.index_cleanup != IndexCleanup::Off,
        rel_pages: pg.buffers.nblocks(rel.file, ForkNumber::Main),
        nonempty_pages: 0,
        dead: Vec::new(),
        eager: EagerScan::default(),
        latest_removed: 0,
        counts: Counts::new(cutoffs.oldest_xmin, cutoffs.oldest_mxact),
    };
    let name = &rel.name;
    pg.trace.tell(None, || {
        let (oldest, limit) = (cutoffs.oldest_xmin, cutoffs.freeze_limit);
        // while fewer transactions have run than vacuum_freeze_min_age, the limit is an xid from before the first one
        let freezes = match precedes(params.relfrozenxid, limit) {
            true => format!("xids before {limit} are to be frozen"),
            false => "no xid is old enough that it has to be frozen".to_string(),
        };
        format!("VACUUM of {name}: what was deleted before transaction {oldest} goes; {freezes}")
    });
    vacuum.eager = vacuum.eager_scan_setup(pg);
    vacuum.lazy_scan_heap(pg);
    // before the table's end may be cut off
    let reltuples = vacuum.reltuples(pg);
    vacuum.lazy_vacuum(pg, indexes)?;
    pg.free_space_map_vacuum_range(rel.file, 0..vacuum.rel_pages);
    if vacuum.has_indexes && params.index_cleanup != IndexCleanup::Off {
        indexes.cleanup(pg)?;
    }
    vacuum.lazy_truncate_heap(pg);
    Ok(vacuum.stats(pg, reltuples))
}
