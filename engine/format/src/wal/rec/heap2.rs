//! Heap2 records (src/include/access/heapam_xlog.h). LOCK_UPDATED has the struct of LOCK, `XlHeapLock`.

use super::super::RelFileLocator;
use super::{Cut, Part, XLogRecPtr};
use crate::page::ItemPointer;
use crate::page::layout::c_struct;

/// `XLHP_IS_CATALOG_REL`
pub const XLHP_IS_CATALOG_REL: u8 = 1 << 1;
/// `XLHP_CLEANUP_LOCK`
pub const XLHP_CLEANUP_LOCK: u8 = 1 << 2;
/// `XLHP_HAS_CONFLICT_HORIZON`
pub const XLHP_HAS_CONFLICT_HORIZON: u8 = 1 << 3;
/// `XLHP_HAS_FREEZE_PLANS`
pub const XLHP_HAS_FREEZE_PLANS: u8 = 1 << 4;
/// `XLHP_HAS_REDIRECTIONS`
pub const XLHP_HAS_REDIRECTIONS: u8 = 1 << 5;
/// `XLHP_HAS_DEAD_ITEMS`
pub const XLHP_HAS_DEAD_ITEMS: u8 = 1 << 6;
/// `XLHP_HAS_NOW_UNUSED_ITEMS`
pub const XLHP_HAS_NOW_UNUSED_ITEMS: u8 = 1 << 7;

c_struct! {
    /// `xl_heap_multi_insert`: `MULTI_INSERT`; line pointers follow, unless the page is made anew.
    pub struct XlHeapMultiInsert, 4 {
        /// flags of the insert
        0 => flags: u8,
        /// alignment
        1 => padding: u8,
        /// how many tuples
        2 => ntuples: u16,
    }
}

c_struct! {
    /// `xl_multi_insert_tuple`: before each tuple of a `MULTI_INSERT`, at an even byte.
    pub struct XlMultiInsertTuple, 7 {
        /// bytes of the tuple that follow
        0 => datalen: u16,
        /// number of attributes, and three flags
        2 => t_infomask2: u16,
        /// flags
        4 => t_infomask: u16,
        /// where the columns begin, bytes from the tuple's start
        6 => t_hoff: u8,
    }
}

c_struct! {
    /// `xl_heap_visible`: VISIBLE.
    pub struct XlHeapVisible, 5 {
        /// snapshots older than this on a standby are in the way; `cutoff_xid` before 16
        0 => snapshotConflictHorizon: u32,
        /// bits set in the visibility map
        4 => flags: u8,
    }
}

c_struct! {
    /// `xl_heap_new_cid`: `NEW_CID`, for logical decoding of catalogs.
    pub struct XlHeapNewCid, 34 {
        /// top-level transaction
        0 => top_xid: u32,
        /// command that inserted the tuple
        4 => cmin: u32,
        /// command that deleted it
        8 => cmax: u32,
        /// the combo command id that stands for both
        12 => combocid: u32,
        /// the catalog
        16 => target_locator: RelFileLocator,
        /// the tuple
        28 => target_tid: ItemPointer,
    }
}

c_struct! {
    /// `xl_heap_rewrite_mapping`: REWRITE, for logical decoding of catalogs; the mappings follow.
    pub struct XlHeapRewriteMapping, 40 {
        /// transaction that may need the mapping
        0 => mapped_xid: u32,
        /// database of the catalog
        4 => mapped_db: u32,
        /// the catalog
        8 => mapped_rel: u32,
        /// alignment
        12 => padding1: [u8; 4],
        /// where in the file of mappings
        16 => offset: i64,
        /// how many mappings
        24 => num_mappings: u32,
        /// alignment
        28 => padding2: [u8; 4],
        /// where the rewrite's WAL begins
        32 => start_lsn: XLogRecPtr,
    }
}

c_struct! {
    /// `LogicalRewriteMappingData` (src/include/access/rewriteheap.h): where a row of a rewritten catalog went.
    pub struct LogicalRewriteMappingData, 36 {
        /// file before
        0 => old_locator: RelFileLocator,
        /// file after
        12 => new_locator: RelFileLocator,
        /// row before
        24 => old_tid: ItemPointer,
        /// row after
        30 => new_tid: ItemPointer,
    }
}

c_struct! {
    /// `xl_heap_prune` of 17 and 18; `snapshotConflictHorizon` may follow.
    pub struct XlHeapPrune, 2 {
        /// not written by all versions: what it says is undefined
        0 => reason: u8,
        /// what is in the record
        1 => flags: u8,
    }
}

c_struct! {
    /// `xl_heap_prune` of 16.
    pub struct XlHeapPrune16, 9 {
        /// snapshots older than this on a standby are in the way
        0 => snapshotConflictHorizon: u32,
        /// line pointers that now redirect
        4 => nredirected: u16,
        /// line pointers that are now dead
        6 => ndead: u16,
        /// is the table a catalog that logical decoding reads?
        8 => isCatalogRel: bool,
    }
}

c_struct! {
    /// `xl_heap_clean` of 13, `xl_heap_prune` of 14 and 15.
    pub struct XlHeapPrune13, 8 {
        /// snapshots older than this on a standby are in the way
        0 => latestRemovedXid: u32,
        /// line pointers that now redirect
        4 => nredirected: u16,
        /// line pointers that are now dead
        6 => ndead: u16,
    }
}

c_struct! {
    /// `xl_heap_vacuum`: VACUUM, 14 to 16.
    pub struct XlHeapVacuum, 2 {
        /// dead line pointers that are now unused
        0 => nunused: u16,
    }
}

c_struct! {
    /// `xl_heap_freeze_page` of 16: `FREEZE_PAGE`.
    pub struct XlHeapFreezePage16, 7 {
        /// snapshots older than this on a standby are in the way
        0 => snapshotConflictHorizon: u32,
        /// how many freeze plans
        4 => nplans: u16,
        /// is the table a catalog that logical decoding reads?
        6 => isCatalogRel: bool,
    }
}

c_struct! {
    /// `xl_heap_freeze_page` of 13 to 15: `FREEZE_PAGE`.
    pub struct XlHeapFreezePage13, 6 {
        /// transactions before this one are frozen
        0 => cutoff_xid: u32,
        /// how many tuples
        4 => ntuples: u16,
    }
}

c_struct! {
    /// `xl_heap_freeze_tuple` of 13 to 15: how one tuple is frozen.
    pub struct XlHeapFreezeTuple, 12 {
        /// new `t_xmax`
        0 => xmax: u32,
        /// line pointer of the tuple
        4 => offset: u16,
        /// new flags
        6 => t_infomask2: u16,
        /// new flags
        8 => t_infomask: u16,
        /// what happens to `t_xvac` of tuples that 8.4 or older moved
        10 => frzflags: u8,
        /// alignment
        11 => padding: u8,
    }
}

c_struct! {
    /// `xl_heap_freeze_plan` of 16, `xlhp_freeze_plan` of 17 and 18: how some tuples are frozen alike.
    pub struct XlHeapFreezePlan, 12 {
        /// new `t_xmax`
        0 => xmax: u32,
        /// new flags
        4 => t_infomask2: u16,
        /// new flags
        6 => t_infomask: u16,
        /// what happens to `t_xvac` of tuples that 8.4 or older moved
        8 => frzflags: u8,
        /// alignment
        9 => padding: u8,
        /// how many tuples; their line pointers stand behind everything else
        10 => ntuples: u16,
    }
}

c_struct! {
    /// `xlhp_freeze_plans` of 17 and 18, before the plans.
    pub struct XlhpFreezePlans, 4 {
        /// how many plans
        0 => nplans: u16,
        /// alignment
        2 => padding: [u8; 2],
    }
}

c_struct! {
    /// `xlhp_prune_items` of 17 and 18, before redirections, dead or unused line pointers.
    pub struct XlhpPruneItems, 2 {
        /// how many; a redirection has two numbers
        0 => ntargets: u16,
    }
}

c_struct! {
    /// `xl_heap_cleanup_info`: `CLEANUP_INFO`, only 13.
    pub struct XlHeapCleanupInfo, 16 {
        /// the table
        0 => node: RelFileLocator,
        /// snapshots older than this on a standby are in the way
        12 => latestRemovedXid: u32,
    }
}

/// The lists of a record that prunes, vacuums or freezes a heap page; where they lie is counted from the start of block
/// 0's data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageLists<'a> {
    /// freeze plans ([`XlHeapFreezePlan`]), or frozen tuples before 16 ([`XlHeapFreezeTuple`])
    pub plans: Part<'a>,
    /// pairs of line pointers: the first now redirects to the second
    pub redirected: Part<'a>,
    /// line pointers that are now dead
    pub dead: Part<'a>,
    /// line pointers that are now unused
    pub unused: Part<'a>,
    /// line pointers of the tuples that the plans freeze, plan by plan
    pub frozen: Part<'a>,
    /// where 17 and 18 keep the numbers of elements: of plans, redirected, dead, unused
    pub counts: [Part<'a>; 4],
}

/// Bytes of a redirection, and of a line pointer's number.
const PAIR: usize = 4;
const OFFSET: usize = 2;

impl<'a> PageLists<'a> {
    /// `CLEAN` of 13, `PRUNE` of 14 to 16: what is neither redirected nor dead is unused.
    #[must_use]
    pub fn prune(data: &'a [u8], nredirected: u16, ndead: u16) -> Self {
        let mut cut = Cut::new(data);
        let redirected = cut.array(usize::from(nredirected), PAIR);
        let dead = cut.array(usize::from(ndead), OFFSET);
        Self { redirected, dead, unused: cut.rest(), ..Self::default() }
    }

    /// `VACUUM` of 14 to 16.
    #[must_use]
    pub fn vacuum(data: &'a [u8]) -> Self {
        Self { unused: Cut::new(data).rest(), ..Self::default() }
    }

    /// `FREEZE_PAGE` of 13 to 15, with a struct for each tuple.
    #[must_use]
    pub fn freeze_tuples(data: &'a [u8], ntuples: u16) -> Self {
        Self { plans: Cut::new(data).array(usize::from(ntuples), XlHeapFreezeTuple::SIZE), ..Self::default() }
    }

    /// `FREEZE_PAGE` of 16.
    #[must_use]
    pub fn freeze_plans(data: &'a [u8], nplans: u16) -> Self {
        let mut cut = Cut::new(data);
        let plans = cut.array(usize::from(nplans), XlHeapFreezePlan::SIZE);
        Self { plans, frozen: cut.rest(), ..Self::default() }
    }

    /// The `PRUNE_…` records of 17 and 18 (`heap_xlog_deserialize_prune_and_freeze`).
    #[must_use]
    pub fn prune_and_freeze(data: &'a [u8], flags: u8) -> Self {
        let mut cut = Cut::new(data);
        let mut list = |flag: u8, header: usize, size: usize| {
            if flags & flag == 0 {
                return Default::default();
            }
            let count = cut.take(header);
            let items = cut.array(usize::from(XlhpPruneItems::new(count.bytes).ntargets()), size);
            (count, items)
        };
        let (plan_count, plans) = list(XLHP_HAS_FREEZE_PLANS, XlhpFreezePlans::SIZE, XlHeapFreezePlan::SIZE);
        let (redirect_count, redirected) = list(XLHP_HAS_REDIRECTIONS, XlhpPruneItems::SIZE, PAIR);
        let (dead_count, dead) = list(XLHP_HAS_DEAD_ITEMS, XlhpPruneItems::SIZE, OFFSET);
        let (unused_count, unused) = list(XLHP_HAS_NOW_UNUSED_ITEMS, XlhpPruneItems::SIZE, OFFSET);
        let frozen = cut.rest();
        Self { plans, redirected, dead, unused, frozen, counts: [plan_count, redirect_count, dead_count, unused_count] }
    }
}
