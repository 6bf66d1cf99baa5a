//! The records of pruning, freezing and vacuuming a page, as each version writes them.
//!
//! ```text
//!  13      CLEAN   FREEZE_PAGE           CLEAN                    14, 15  PRUNE   FREEZE_PAGE           VACUUM
//!  16      PRUNE   FREEZE_PAGE by plans  VACUUM                   17+     PRUNE_ON_ACCESS, PRUNE_VACUUM_SCAN, PRUNE_VACUUM_CLEANUP
//! ```

use super::state::PruneState;
use crate::access::heap::freeze::HeapTupleFreeze;
use crate::access::transam::REGBUF_STANDARD;
use crate::storage::{Buffer, Instance, Registered};
use crate::version::Behaviour;
use alloc::vec::Vec;
use ffviz_format::page::{OffsetNumber, TransactionId};
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::heap2::{
    XLHP_CLEANUP_LOCK, XLHP_HAS_CONFLICT_HORIZON, XLHP_HAS_DEAD_ITEMS, XLHP_HAS_FREEZE_PLANS,
    XLHP_HAS_NOW_UNUSED_ITEMS, XLHP_HAS_REDIRECTIONS, XlHeapFreezePage13, XlHeapFreezePage16, XlHeapFreezePlan,
    XlHeapFreezeTuple, XlHeapPrune, XlHeapPrune13, XlHeapPrune16, XlHeapVacuum, XlhpFreezePlans, XlhpPruneItems,
};
use ffviz_format::wal::record_type::Heap2Type;
use ffviz_story::timeline::Unlogged;

/// `PruneReason`, which is the type of the record from 17 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PruneReason {
    /// `PRUNE_ON_ACCESS`
    OnAccess,
    /// `PRUNE_VACUUM_SCAN`
    VacuumScan,
    /// `PRUNE_VACUUM_CLEANUP`
    VacuumCleanup,
}

impl PruneReason {
    /// The type that it is.
    const fn record_type(self) -> Heap2Type {
        match self {
            Self::OnAccess => Heap2Type::PruneOnAccess,
            Self::VacuumScan => Heap2Type::PruneVacuumScan,
            Self::VacuumCleanup => Heap2Type::PruneVacuumCleanup,
        }
    }
}

/// Writes the record about the page, unless the relation is not logged.
fn insert(pg: &mut Instance, buf: Buffer, of: Heap2Type, main: &[&[u8]], data: &[&[u8]]) {
    if pg.buffers.is_permanent(buf.file) {
        let block = Registered { id: 0, buf, flags: REGBUF_STANDARD, data, sets_lsn: true };
        pg.xlog_insert(Rmgr::HEAP2, of.info(pg.version), main, &[block]);
    } else {
        pg.note_unlogged(Unlogged::Relation, buf);
    }
}

fn offsets(list: &[OffsetNumber]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size_of_val(list));
    put_offsets(list, &mut bytes);
    bytes
}

fn put_offsets(list: &[OffsetNumber], bytes: &mut Vec<u8>) {
    list.iter().for_each(|n| bytes.extend_from_slice(&n.0.to_le_bytes()));
}

fn put_pairs(list: &[(OffsetNumber, OffsetNumber)], bytes: &mut Vec<u8>) {
    list.iter().for_each(|(from, to)| put_offsets(&[*from, *to], bytes));
}

/// Bytes of the lists of a record.
fn size_of_lists(state: &PruneState) -> usize {
    state.redirected.len() * 4 + (state.now_dead.len() + state.now_unused.len()) * 2
}

/// `log_heap_clean` of 13, and what `heap_page_prune` of 14 to 16 logs.
pub fn log_heap_prune(pg: &mut Instance, buf: Buffer, state: &PruneState, horizon: TransactionId) {
    let (redirected, dead) = (state.redirected.len() as u16, state.now_dead.len() as u16);
    let mut lists = Vec::with_capacity(size_of_lists(state));
    put_pairs(&state.redirected, &mut lists);
    put_offsets(&state.now_dead, &mut lists);
    put_offsets(&state.now_unused, &mut lists);
    let data = [lists.as_slice()];
    if pg.version.freezes_pages() {
        insert(pg, buf, Heap2Type::Prune, &[&XlHeapPrune16::make(horizon, redirected, dead, false)], &data);
    } else {
        let of = if !pg.version.has_heap_vacuum_records() { Heap2Type::Clean } else { Heap2Type::Prune };
        insert(pg, buf, of, &[&XlHeapPrune13::make(horizon, redirected, dead)], &data);
    }
}

/// The second pass of VACUUM: dead line pointers are unused now. 13 writes a CLEAN record, with the horizon of the
/// whole VACUUM.
pub fn log_heap_vacuum(pg: &mut Instance, buf: Buffer, unused: &[OffsetNumber], horizon: TransactionId) {
    let list = offsets(unused);
    if !pg.version.vacuum_truncates_line_pointers() {
        insert(pg, buf, Heap2Type::Clean, &[&XlHeapPrune13::make(horizon, 0, 0)], &[&list]);
    } else if !pg.version.prunes_and_freezes_at_once() {
        insert(pg, buf, Heap2Type::Vacuum, &[&XlHeapVacuum::make(unused.len() as u16)], &[&list]);
    } else {
        let count = XlhpPruneItems::make(unused.len() as u16);
        let main = XlHeapPrune::make(0, XLHP_HAS_NOW_UNUSED_ITEMS);
        insert(pg, buf, PruneReason::VacuumCleanup.record_type(), &[&main], &[&count, &list]);
    }
}

/// `log_heap_freeze` of 13 to 15 with a struct for each row version, and `heap_freeze_execute_prepared` of 16 with
/// plans.
pub fn log_heap_freeze(pg: &mut Instance, buf: Buffer, horizon: TransactionId, frozen: &[HeapTupleFreeze]) {
    if pg.version.freezes_pages() {
        let (count, plans, list) = plans(frozen);
        let main = XlHeapFreezePage16::make(horizon, count, false);
        return insert(pg, buf, Heap2Type::FreezePage, &[&main], &[&plans, &list]);
    }
    let one = |t: &HeapTupleFreeze| XlHeapFreezeTuple::make(t.xmax, t.offset.0, t.t_infomask2, t.t_infomask, 0);
    let tuples: Vec<u8> = frozen.iter().flat_map(one).collect();
    let main = XlHeapFreezePage13::make(horizon, frozen.len() as u16);
    insert(pg, buf, Heap2Type::FreezePage, &[&main], &[&tuples]);
}

/// `heap_log_freeze_plan`: row versions that are frozen alike share a plan. How many plans, the plans, and the line
/// pointers of each.
fn plans(frozen: &[HeapTupleFreeze]) -> (u16, Vec<u8>, Vec<u8>) {
    let mut sorted = frozen.to_vec();
    sorted.sort_unstable();
    let alike = |a: &HeapTupleFreeze, b: &HeapTupleFreeze| {
        (a.xmax, a.t_infomask2, a.t_infomask) == (b.xmax, b.t_infomask2, b.t_infomask)
    };
    let groups = sorted.chunk_by(alike);
    let plan = |group: &[HeapTupleFreeze]| {
        let first = group[0];
        XlHeapFreezePlan::make(first.xmax, first.t_infomask2, first.t_infomask, 0, group.len() as u16)
    };
    let list = sorted.iter().flat_map(|tuple| tuple.offset.0.to_le_bytes()).collect();
    (groups.clone().count() as u16, groups.flat_map(plan).collect(), list)
}

/// `log_heap_prune_and_freeze`, from 17 on: only the parts that there are. The `reason` byte is left as it is in
/// memory, here 0.
pub fn log_heap_prune_and_freeze(
    pg: &mut Instance,
    buf: Buffer,
    reason: PruneReason,
    horizon: TransactionId,
    frozen: &[HeapTupleFreeze],
    state: &PruneState,
) {
    let mut flags = XLHP_CLEANUP_LOCK;
    let mut data = Vec::with_capacity(3 * XlhpPruneItems::SIZE + size_of_lists(state));
    let mut frozen_tuples = Vec::new();
    if !frozen.is_empty() {
        let (nplans, plans, list) = plans(frozen);
        flags |= XLHP_HAS_FREEZE_PLANS;
        data.extend_from_slice(&XlhpFreezePlans::make(nplans));
        data.extend(plans);
        frozen_tuples = list;
    }
    if !state.redirected.is_empty() {
        flags |= XLHP_HAS_REDIRECTIONS;
        data.extend_from_slice(&XlhpPruneItems::make(state.redirected.len() as u16));
        put_pairs(&state.redirected, &mut data);
    }
    for (list, flag) in [(&state.now_dead, XLHP_HAS_DEAD_ITEMS), (&state.now_unused, XLHP_HAS_NOW_UNUSED_ITEMS)] {
        if !list.is_empty() {
            flags |= flag;
            data.extend_from_slice(&XlhpPruneItems::make(list.len() as u16));
            put_offsets(list, &mut data);
        }
    }
    data.extend(frozen_tuples);
    if horizon != 0 {
        flags |= XLHP_HAS_CONFLICT_HORIZON;
    }
    let main = XlHeapPrune::make(0, flags);
    let horizon = horizon.to_le_bytes();
    let main: &[&[u8]] = if flags & XLHP_HAS_CONFLICT_HORIZON != 0 { &[&main, &horizon] } else { &[&main] };
    insert(pg, buf, reason.record_type(), main, &[&data]);
}
