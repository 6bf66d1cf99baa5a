//! Which index entries lead to rows that nobody can see any more (`heap_index_delete_tuples`, `bottomup_sort_and_shrink`,
//! src/backend/access/heap/heapam.c), from 14 on; before, only the newest xid of such rows is asked for.
//!
//! ```text
//!  candidates by heap block ─▶ bottom-up: the blocks with most promising ones first, six at most, as long as it pays
//!                           ─▶ each TID: is some version of its row not vacuumable? then the entry stays
//! ```

use super::heap_tuple;
use super::prune::advance_conflict_horizon;
use super::scan::heap_hot_search_buffer;
use super::visibility::{Snapshot, heap_tuple_get_update_xid};
use crate::page::{BlockNumber, ItemIdData, ItemPointer, OffsetNumber, TransactionId};
use crate::storage::{Buffer, Instance, RelationData};
use alloc::vec::Vec;
use core::cmp::Reverse;

/// `BOTTOMUP_MAX_NBLOCKS`
const BOTTOM_UP_MAX_BLOCKS: usize = 6;
/// `BOTTOMUP_TOLERANCE_NBLOCKS`: blocks so near one another are read for the price of one
const BOTTOM_UP_TOLERANCE: u32 = 3;
/// Fewer promising candidates than this make no difference between blocks.
const BOTTOM_UP_MIN_PROMISING: u32 = 4;

/// An index entry that may lead to a dead row (`TM_IndexDelete`, `TM_IndexStatus`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexDeleteTid {
    /// the row
    pub tid: ItemPointer,
    /// is it known to be dead?
    pub known_deletable: bool,
    /// bottom-up: is it likely to be?
    pub promising: bool,
    /// bytes of the index page that it would free
    pub freespace: u32,
}

/// A question to the heap (`TM_IndexDeleteOp`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexDelete {
    /// the entries
    pub candidates: Vec<IndexDeleteTid>,
    /// bottom-up: bytes that are enough; `None`: all candidates are to be looked at
    pub bottom_up_target: Option<u32>,
}

/// The heap's answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IndexDeleted {
    /// entries that may go
    pub deletable: Vec<ItemPointer>,
    /// the newest xid that deleted one of their rows: snapshots older than it are in the way on a standby
    pub conflict_horizon: TransactionId,
}

/// The candidates in order of their TIDs, each as one number, which compares fast: its TID, and its number among them. They come in runs mostly, of
/// old versions and of new ones, which are merged.
fn sorted(candidates: &[IndexDeleteTid]) -> Vec<u64> {
    let number = |tid: ItemPointer, at: u16| u64::from(tid.block) << 32 | u64::from(tid.offset.0) << 16 | u64::from(at);
    let mut numbers: Vec<u64> = candidates.iter().zip(0..).map(|(candidate, at)| number(candidate.tid, at)).collect();
    numbers.sort();
    numbers
}

/// The candidate of such a number.
const fn of_number(candidates: &[IndexDeleteTid], number: u64) -> &IndexDeleteTid {
    &candidates[number as u16 as usize]
}

/// Candidates of one heap block, as a range of the sorted ones.
struct BlockGroup {
    block: BlockNumber,
    first: usize,
    count: usize,
    promising: u32,
}

/// Asks the heap.
pub fn heap_index_delete_tuples(pg: &mut Instance, heap: &RelationData, delete: IndexDelete) -> IndexDeleted {
    let IndexDelete { candidates, bottom_up_target } = delete;
    let sorted = sorted(&candidates);
    let mut groups = groups(&candidates, &sorted);
    let mut favorable = usize::MAX;
    if bottom_up_target.is_some() {
        favorable = sort_and_shrink(&mut groups);
    }
    let mut found = IndexDeleted::default();
    let (mut target, mut freed, mut last_freed) = (bottom_up_target.unwrap_or(u32::MAX), 0, 0);
    for (nth, group) in groups.iter().enumerate() {
        if bottom_up_target.is_some() {
            if nth > 0 && (freed == last_freed || freed >= target) {
                break;
            }
            last_freed = freed;
            target = if nth < favorable { target } else { target / 2 };
        }
        for candidate in
            sorted[group.first..group.first + group.count].iter().map(|number| of_number(&candidates, *number))
        {
            if is_deletable(pg, heap, *candidate) {
                freed += candidate.freespace;
                found.deletable.push(candidate.tid);
                advance_horizon(pg, heap, candidate.tid, &mut found.conflict_horizon);
            }
        }
    }
    found
}

/// The newest xid that deleted one of these rows: all that the heap is asked for before 14 (`heap_compute_xid_horizon_for_tuples`).
pub fn heap_compute_xid_horizon_for_tuples(pg: &Instance, heap: &RelationData, tids: &[ItemPointer]) -> TransactionId {
    let mut horizon = 0;
    tids.iter().for_each(|tid| advance_horizon(pg, heap, *tid, &mut horizon));
    horizon
}

/// The line pointer that an entry leads to, past a redirection.
fn first_version(pg: &Instance, heap: &RelationData, tid: ItemPointer) -> OffsetNumber {
    let lp = pg.buffers.page(Buffer::main(heap.file, tid.block)).item_id(tid.offset);
    lp.and_then(ItemIdData::redirect).unwrap_or(tid.offset)
}

fn groups(candidates: &[IndexDeleteTid], sorted: &[u64]) -> Vec<BlockGroup> {
    let mut groups = Vec::new();
    let mut first = 0;
    for of_block in sorted.chunk_by(|a, b| a >> 32 == b >> 32) {
        let promising = of_block.iter().map(|number| u32::from(of_number(candidates, *number).promising)).sum();
        groups.push(BlockGroup { block: (of_block[0] >> 32) as u32, first, count: of_block.len(), promising });
        first += of_block.len();
    }
    groups
}

/// `bottomup_sort_and_shrink`: the most promising blocks first, six at most; gives how many of them lie next to one another.
fn sort_and_shrink(groups: &mut Vec<BlockGroup>) -> usize {
    groups.sort_by_key(|group| {
        let promising = group.promising.max(BOTTOM_UP_MIN_PROMISING).next_power_of_two();
        (Reverse(promising), Reverse(group.count.next_power_of_two()), group.first)
    });
    groups.truncate(BOTTOM_UP_MAX_BLOCKS);
    let far = groups.windows(2).position(|pair| pair[0].block.abs_diff(pair[1].block) > BOTTOM_UP_TOLERANCE);
    far.map_or(groups.len(), |at| at + 1)
}

/// No version of the row is needed by anybody.
fn is_deletable(pg: &mut Instance, heap: &RelationData, candidate: IndexDeleteTid) -> bool {
    let buf = Buffer::main(heap.file, candidate.tid.block);
    candidate.known_deletable
        || heap_hot_search_buffer(pg, heap, buf, candidate.tid.offset, Snapshot::NonVacuumable, false)
            .is_ok_and(|search| search.found.is_none())
}

/// `HeapTupleHeaderAdvanceConflictHorizon` for the versions of a row.
fn advance_horizon(pg: &Instance, heap: &RelationData, tid: ItemPointer, horizon: &mut TransactionId) {
    let buf = Buffer::main(heap.file, tid.block);
    let (mut n, mut prior_xmax) = (first_version(pg, heap, tid), None);
    while let Some(tuple) = heap_tuple(pg, buf, n) {
        // the place was used again for another row: the chain ended before
        if prior_xmax.is_some_and(|xmax| xmax != tuple.t_xmin) {
            break;
        }
        advance_conflict_horizon(pg, &tuple, horizon);
        if !tuple.is_hot_updated() {
            break;
        }
        prior_xmax = Some(heap_tuple_get_update_xid(pg, &tuple));
        n = tuple.t_ctid.offset;
    }
}
