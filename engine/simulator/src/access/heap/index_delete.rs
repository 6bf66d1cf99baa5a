//! Which index entries lead to rows that nobody can see any more (`heap_index_delete_tuples`,
//! `bottomup_sort_and_shrink`, src/backend/access/heap/heapam.c), from 14 on; before, only the newest xid of such rows
//! is asked for.
//!
//! ```text
//!  candidates by heap block ─▶ bottom-up: the blocks with most promising ones first, six at most, as long as it pays
//!                           ─▶ each TID: is some version of its row not vacuumable? then the entry stays
//! ```

use super::heap_tuple;
use super::prune::advance_conflict_horizon;
use super::scan::heap_hot_search_buffer;
use super::visibility::{Snapshot, heap_tuple_get_update_xid};
use crate::storage::{Buffer, Instance, RelationData, TableAm};
use alloc::vec::Vec;
use core::cmp::Reverse;
use ffviz_format::heap::HeapTupleHeaderData;
use ffviz_format::heap::infomask::{
    HEAP_ONLY_TUPLE, HEAP_XMAX_INVALID, HEAP_XMAX_IS_MULTI, HEAP_XMIN_FROZEN, HEAP_XMIN_INVALID,
};
use ffviz_format::page::{BlockNumber, ItemIdData, ItemPointer, LpFlags, OffsetNumber, TransactionId};

/// `BOTTOMUP_MAX_NBLOCKS`
const BOTTOM_UP_MAX_BLOCKS: usize = 6;
/// `BOTTOMUP_TOLERANCE_NBLOCKS`: blocks so near one another are read for the price of one
const BOTTOM_UP_TOLERANCE: u32 = 3;
/// Fewer promising candidates than this make no difference between blocks.
const BOTTOM_UP_MIN_PROMISING: u32 = 4;

/// An index entry that may lead to a dead row (`TM_IndexDelete`, `TM_IndexStatus`): one number, by which entries are in
/// order of their rows' TIDs.
///
/// ```text
/// bit  63      32 31      16  15    14       13            0
///      ├ block ──┼ offset ──┼ known ┼ promising ┼ freespace ┤
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexDeleteTid(u64);

impl IndexDeleteTid {
    const KNOWN_DELETABLE: u64 = 1 << 15;
    const PROMISING: u64 = 1 << 14;
    const FREESPACE: u64 = Self::PROMISING - 1;

    /// An entry for the row, that would free so many bytes of the index page.
    #[must_use]
    #[inline]
    pub const fn new(tid: ItemPointer, freespace: u16) -> Self {
        Self((tid.block as u64) << 32 | (tid.offset.0 as u64) << 16 | freespace as u64 & Self::FREESPACE)
    }

    /// The same, if it is known to be dead.
    #[must_use]
    pub const fn known_deletable(self, known: bool) -> Self {
        if known { Self(self.0 | Self::KNOWN_DELETABLE) } else { self }
    }

    /// The same, if it is likely to be dead, where the heap is asked bottom-up.
    #[must_use]
    #[inline]
    pub const fn promising(self, promising: bool) -> Self {
        if promising { Self(self.0 | Self::PROMISING) } else { self }
    }

    /// The row.
    #[must_use]
    #[inline]
    pub const fn tid(self) -> ItemPointer {
        ItemPointer { block: self.block(), offset: OffsetNumber((self.0 >> 16) as u16) }
    }

    /// Its heap block.
    #[must_use]
    #[inline]
    pub const fn block(self) -> BlockNumber {
        (self.0 >> 32) as BlockNumber
    }

    const fn is_known_deletable(self) -> bool {
        self.0 & Self::KNOWN_DELETABLE != 0
    }

    /// Is it likely to be dead?
    #[must_use]
    #[inline]
    pub const fn is_promising(self) -> bool {
        self.0 & Self::PROMISING != 0
    }

    const fn freespace(self) -> u32 {
        (self.0 & Self::FREESPACE) as u32
    }
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

/// Asks the heap.
pub fn heap_index_delete_tuples(pg: &mut Instance, heap: &RelationData, delete: IndexDelete) -> IndexDeleted {
    let IndexDelete { mut candidates, bottom_up_target } = delete;
    let mut found = IndexDeleted::default();
    // an entry of the undo engine's tables stays with its row's place
    if heap.am == TableAm::Undo {
        return found;
    }
    match bottom_up_target {
        Some(target) => bottom_up(pg, heap, &candidates, target, &mut found),
        None => {
            candidates.sort();
            ask(pg, heap, &candidates, &mut found);
        }
    }
    found
}

/// Block by block, as long as it pays. Mostly the first one says that it does not.
fn bottom_up(
    pg: &mut Instance,
    heap: &RelationData,
    candidates: &[IndexDeleteTid],
    mut target: u32,
    found: &mut IndexDeleted,
) {
    let blocks = sort_and_shrink(&blocks(candidates));
    let favorable = favorable(&blocks);
    let (mut freed, mut of_block) = (0, Vec::with_capacity(candidates.len()));
    for (nth, block) in blocks.into_iter().enumerate() {
        target = if nth < favorable { target } else { target / 2 };
        of_block.clear();
        of_block.extend(candidates.iter().copied().filter(|candidate| candidate.block() == block));
        of_block.sort();
        let more = ask(pg, heap, &of_block, found);
        freed += more;
        if more == 0 || freed >= target {
            break;
        }
    }
}

/// Asks about each of the candidates, which are in order; gives the bytes that the dead ones free.
fn ask(pg: &mut Instance, heap: &RelationData, candidates: &[IndexDeleteTid], found: &mut IndexDeleted) -> u32 {
    let mut freed = 0;
    for candidate in candidates {
        if is_deletable(pg, heap, *candidate) {
            freed += candidate.freespace();
            found.deletable.push(candidate.tid());
            advance_horizon(pg, heap, candidate.tid(), &mut found.conflict_horizon);
        }
    }
    freed
}

/// The newest xid that deleted one of these rows: all that the heap is asked for before 14
/// (`heap_compute_xid_horizon_for_tuples`).
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

/// How many candidates a heap block has.
struct BlockGroup {
    block: BlockNumber,
    count: u32,
    promising: u32,
}

/// The blocks of the candidates, in order. Neighbours on a leaf lead to few blocks as a rule: where one was counted
/// last is found again at once.
fn blocks(candidates: &[IndexDeleteTid]) -> Vec<BlockGroup> {
    const REMEMBERED: usize = 16;
    let (mut groups, mut last): (Vec<BlockGroup>, _) = (Vec::new(), [0; REMEMBERED]);
    for candidate in candidates {
        let (block, promising) = (candidate.block(), u32::from(candidate.is_promising()));
        let place = &mut last[block as usize % REMEMBERED];
        if let Some(group) = groups.get_mut(*place).filter(|group| group.block == block) {
            group.count += 1;
            group.promising += promising;
        } else {
            *place = groups.len();
            groups.push(BlockGroup { block, count: 1, promising });
        }
    }
    groups.sort_unstable_by_key(|group| group.block);
    groups.dedup_by(|more, group| {
        let is_same = more.block == group.block;
        if is_same {
            group.count += more.count;
            group.promising += more.promising;
        }
        is_same
    });
    groups
}

/// `bottomup_sort_and_shrink`: the most promising blocks first, six at most.
fn sort_and_shrink(groups: &[BlockGroup]) -> Vec<BlockNumber> {
    let rank = |group: &BlockGroup| {
        let promising = group.promising.max(BOTTOM_UP_MIN_PROMISING).next_power_of_two();
        (Reverse(promising), Reverse(group.count.next_power_of_two()), group.block)
    };
    let mut ranks: Vec<_> = groups.iter().map(rank).collect();
    ranks.sort_unstable();
    ranks.into_iter().take(BOTTOM_UP_MAX_BLOCKS).map(|(_, _, block)| block).collect()
}

/// `bottomup_nblocksfavorable`: how many of them lie next to one another.
fn favorable(blocks: &[BlockNumber]) -> usize {
    let far = blocks.windows(2).position(|pair| pair[0].abs_diff(pair[1]) > BOTTOM_UP_TOLERANCE);
    far.map_or(blocks.len(), |at| at + 1)
}

/// No version of the row is needed by anybody.
fn is_deletable(pg: &mut Instance, heap: &RelationData, candidate: IndexDeleteTid) -> bool {
    let (buf, tid) = (Buffer::main(heap.file, candidate.block()), candidate.tid());
    if candidate.is_known_deletable() {
        return true;
    }
    !is_needed_at_once(pg, buf, tid)
        && heap_hot_search_buffer(pg, heap, buf, tid.offset, Snapshot::NonVacuumable, false)
            .is_ok_and(|search| search.found.is_none())
}

/// Is the row's first version one that is surely needed? Of most rows it is, and the header's flags and the
/// transactions that run say it.
fn is_needed_at_once(pg: &Instance, buf: Buffer, tid: ItemPointer) -> bool {
    let page = pg.buffers.page(buf);
    let lp = page.item_id(tid.offset).filter(|lp| lp.lp_flags() == LpFlags::Normal);
    let tuple = lp.and_then(|lp| page.bytes().get(usize::from(lp.lp_off())..)?.first_chunk());
    let Some(header) = tuple.map(|tuple: &[u8; HeapTupleHeaderData::SIZE]| HeapTupleHeaderData::new(tuple)) else {
        return false;
    };
    let (flags, runs) = (header.t_infomask(), |xid| pg.transam.is_in_progress(xid));
    header.t_infomask2() & HEAP_ONLY_TUPLE == 0
        && match flags & HEAP_XMIN_FROZEN {
            0 => runs(header.t_xmin()),
            HEAP_XMIN_INVALID => false,
            _ => flags & HEAP_XMAX_INVALID != 0 || flags & HEAP_XMAX_IS_MULTI == 0 && runs(header.t_xmax()),
        }
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
