//! What a page tells of a tuple's state, without the commit log: hint bits, lock bits and links.

use super::HeapTuple;
use super::infomask::{HEAP_XMAX_COMMITTED, HEAP_XMAX_INVALID, HEAP_XMIN_COMMITTED};
use crate::page::{BlockNumber, ItemIdData, ItemPointer, OffsetNumber, Page};

/// What a row version is, as far as its page tells. `HeapOnly`, `Live` and `Locked` are the newest version of their
/// row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TupleState {
    /// neither deleted nor updated
    Live,
    /// the same, and reachable through its HOT chain only
    HeapOnly,
    /// neither deleted nor updated, but locked
    Locked,
    /// updated, and the next version is in the same HOT chain
    HotUpdated,
    /// updated, and the next version has index entries of its own
    Updated,
    /// updated, and the next version went to another partition
    MovedPartition,
    /// deleted
    Deleted,
    /// inserted by a transaction that failed
    Aborted,
}

/// What a page tells of a transaction: its hint bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum XactStatus {
    /// no transaction
    None,
    /// no hint bit yet: running, committed or aborted; the commit log knows
    Unknown,
    /// committed
    Committed,
    /// aborted (or, of `t_xmax`, nothing but a lock that is gone)
    Aborted,
    /// committed before every transaction
    Frozen,
}

/// `MovedPartitionsBlockNumber` and `MovedPartitionsOffsetNumber` (src/include/storage/itemptr.h)
pub const MOVED_PARTITIONS: ItemPointer = ItemPointer { block: BlockNumber::MAX, offset: OffsetNumber(0xFFFD) };
/// `SpecTokenOffsetNumber`: the insertion is not final yet
pub const SPEC_TOKEN_OFFSET_NUMBER: OffsetNumber = OffsetNumber(0xFFFE);

/// Is the tuple of a line pointer an old version, or one that never was?
#[must_use]
pub fn is_old_version(page: &Page, lp: ItemIdData) -> bool {
    // only its being equal to t_ctid or not matters to the tuple's own place, and both cases are old
    let nowhere = ItemPointer { block: BlockNumber::MAX, offset: OffsetNumber(0) };
    let tuple = HeapTuple::decode(page, nowhere, lp.lp_off()..lp.lp_off().saturating_add(lp.lp_len()));
    !matches!(tuple.state(), TupleState::Live | TupleState::HeapOnly | TupleState::Locked)
}

impl HeapTuple {
    /// Did an UPDATE put the row into another partition (`HeapTupleHeaderIndicatesMovedPartitions`)?
    #[must_use]
    pub fn is_moved_to_partition(&self) -> bool {
        self.t_ctid == MOVED_PARTITIONS
    }

    /// Its state. Where a hint bit is missing, `t_xmin` and `t_xmax` are taken as committed: see [`Self::xmin_status`].
    #[must_use]
    pub fn state(&self) -> TupleState {
        if self.is_xmin_invalid() {
            TupleState::Aborted
        } else if matches!(self.xmax_status(), XactStatus::None | XactStatus::Aborted) {
            if self.is_heap_only() { TupleState::HeapOnly } else { TupleState::Live }
        } else if self.is_locked_only() {
            TupleState::Locked
        } else if self.is_hot_updated() {
            TupleState::HotUpdated
        } else if self.is_moved_to_partition() {
            TupleState::MovedPartition
        } else if self.t_ctid == self.tid {
            TupleState::Deleted
        } else {
            TupleState::Updated
        }
    }

    /// What the page tells of the inserting transaction.
    #[must_use]
    pub const fn xmin_status(&self) -> XactStatus {
        if self.is_frozen() {
            XactStatus::Frozen
        } else if self.is_xmin_invalid() {
            XactStatus::Aborted
        } else if self.t_infomask & HEAP_XMIN_COMMITTED != 0 {
            XactStatus::Committed
        } else {
            XactStatus::Unknown
        }
    }

    /// What the page tells of the deleting, updating or locking transaction.
    #[must_use]
    pub const fn xmax_status(&self) -> XactStatus {
        if self.t_xmax == 0 {
            XactStatus::None
        } else if self.t_infomask & HEAP_XMAX_INVALID != 0 {
            XactStatus::Aborted
        } else if self.t_infomask & HEAP_XMAX_COMMITTED != 0 {
            XactStatus::Committed
        } else {
            XactStatus::Unknown
        }
    }
}
