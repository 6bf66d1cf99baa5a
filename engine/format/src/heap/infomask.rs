//! The flag words of a tuple header, `t_infomask` and `t_infomask2` (src/include/access/htup_details.h).
//!
//! Names and grouping are those of `heap_tuple_infomask_flags`: a combined name is set when all of its bits are.

use super::{HeapTuple, HeapTupleHeaderData};
pub use crate::page::infomask::{HEAP_HASEXTERNAL, HEAP_HASNULL, HEAP_HASVARWIDTH, HEAP_NATTS_MASK};
use crate::page::layout::Wire;
use crate::page::{Bit, ItemIdData, Page, TransactionId};

/// locked FOR KEY SHARE
pub const HEAP_XMAX_KEYSHR_LOCK: u16 = 0x0010;
/// `t_cid` is a combo command id
pub const HEAP_COMBOCID: u16 = 0x0020;
/// deleted or locked exclusively
pub const HEAP_XMAX_EXCL_LOCK: u16 = 0x0040;
/// locked FOR SHARE: both lock bits
pub const HEAP_XMAX_SHR_LOCK: u16 = 0x0050;
/// locked, not deleted
pub const HEAP_XMAX_LOCK_ONLY: u16 = 0x0080;
/// hint: xmin committed
pub const HEAP_XMIN_COMMITTED: u16 = 0x0100;
/// hint: xmin aborted
pub const HEAP_XMIN_INVALID: u16 = 0x0200;
/// both: older than every transaction
pub const HEAP_XMIN_FROZEN: u16 = 0x0300;
/// hint: xmax committed
pub const HEAP_XMAX_COMMITTED: u16 = 0x0400;
/// hint: xmax aborted, or none
pub const HEAP_XMAX_INVALID: u16 = 0x0800;
/// xmax is a multixact
pub const HEAP_XMAX_IS_MULTI: u16 = 0x1000;
/// this version was made by an UPDATE
pub const HEAP_UPDATED: u16 = 0x2000;
/// moved by VACUUM FULL before 9.0
pub const HEAP_MOVED: u16 = 0xC000;
/// all bits that say how a tuple is locked
const HEAP_LOCK_MASK: u16 = HEAP_XMAX_SHR_LOCK;
/// all bits about xmax
pub const HEAP_XMAX_BITS: u16 =
    HEAP_XMAX_COMMITTED | HEAP_XMAX_INVALID | HEAP_XMAX_IS_MULTI | HEAP_LOCK_MASK | HEAP_XMAX_LOCK_ONLY;
/// all bits about transactions
pub const HEAP_XACT_MASK: u16 = 0xFFF0;
/// the same of `t_infomask2`
pub const HEAP2_XACT_MASK: u16 = 0xE000;

/// of `t_infomask2`: deleted, or a key column changed
pub const HEAP_KEYS_UPDATED: u16 = 0x2000;
/// the next version is in the same HOT chain
pub const HEAP_HOT_UPDATED: u16 = 0x4000;
/// no index entry leads here
pub const HEAP_ONLY_TUPLE: u16 = 0x8000;

/// The bits of `t_infomask`.
pub const INFOMASK: &[Bit] = &[
    Bit::new("HEAP_HASNULL", 0x0001, "some column is NULL: there is a null bitmap"),
    Bit::new("HEAP_HASVARWIDTH", 0x0002, "some column has variable width"),
    Bit::new("HEAP_HASEXTERNAL", 0x0004, "some value is stored in the TOAST table"),
    Bit::new("HEAP_HASOID_OLD", 0x0008, "has an object-ID field, as tables before 12 could"),
    Bit::new("HEAP_XMAX_KEYSHR_LOCK", 0x0010, "t_xmax holds a key-share lock"),
    Bit::new("HEAP_COMBOCID", 0x0020, "t_cid is a combo command id: inserted and deleted by one transaction"),
    Bit::new("HEAP_XMAX_EXCL_LOCK", 0x0040, "t_xmax holds an exclusive lock"),
    Bit::new("HEAP_XMAX_SHR_LOCK", 0x0050, "t_xmax holds a share lock"),
    Bit::new("HEAP_XMAX_LOCK_ONLY", 0x0080, "t_xmax only locks: the row is neither deleted nor updated"),
    Bit::new("HEAP_XMIN_COMMITTED", 0x0100, "hint: t_xmin committed"),
    Bit::new("HEAP_XMIN_INVALID", 0x0200, "hint: t_xmin aborted"),
    Bit::new("HEAP_XMIN_FROZEN", 0x0300, "frozen: older than every transaction, whatever t_xmin says"),
    Bit::new("HEAP_XMAX_COMMITTED", 0x0400, "hint: t_xmax committed"),
    Bit::new("HEAP_XMAX_INVALID", 0x0800, "hint: t_xmax is none, aborted, or held only a lock that is gone"),
    Bit::new("HEAP_XMAX_IS_MULTI", 0x1000, "t_xmax is a multixact: several transactions"),
    Bit::new("HEAP_UPDATED", 0x2000, "this version was made by an UPDATE"),
    Bit::new("HEAP_MOVED_OFF", 0x4000, "moved away by VACUUM FULL before 9.0"),
    Bit::new("HEAP_MOVED_IN", 0x8000, "moved here by VACUUM FULL before 9.0"),
    Bit::new("HEAP_MOVED", 0xC000, "both bits of VACUUM FULL before 9.0"),
];

/// The bits of `t_infomask2` above the number of attributes.
pub const INFOMASK2: &[Bit] = &[
    Bit::new("HEAP_KEYS_UPDATED", 0x2000, "deleted, or a key column changed: key-share locks conflict"),
    Bit::new("HEAP_HOT_UPDATED", 0x4000, "the next version is on this page, in the same HOT chain"),
    Bit::new("HEAP_ONLY_TUPLE", 0x8000, "no index entry leads here: reached through the HOT chain only"),
];

/// What the flag words alone tell of a row version. Who looks at all of a page asks no more of most of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints {
    /// no index entry leads to it
    pub is_heap_only: bool,
    /// its inserting transaction is known to have committed, and none to have deleted it: it is alive
    pub is_live: bool,
}

impl Hints {
    /// Those of a line pointer's tuple; none where the page ends before them.
    #[must_use]
    #[inline]
    pub fn of(page: &Page, lp: ItemIdData) -> Self {
        const T_INFOMASK2: usize = HeapTupleHeaderData::FIELDS[4].offset as usize;
        const LIVE: u16 = HEAP_XMIN_COMMITTED | HEAP_XMAX_INVALID;
        let at = usize::from(lp.lp_off()) + T_INFOMASK2;
        let words = page.bytes().get(at..at + u32::SIZE).map_or(0, u32::get);
        let (t_infomask2, t_infomask) = (words as u16, (words >> 16) as u16);
        Self { is_heap_only: t_infomask2 & HEAP_ONLY_TUPLE != 0, is_live: t_infomask & LIVE == LIVE }
    }

    /// Is it alive, and no later member of a HOT chain?
    #[must_use]
    #[inline]
    pub const fn is_sure_root(self) -> bool {
        self.is_live & !self.is_heap_only
    }
}

impl HeapTuple {
    const fn has(&self, mask: u16) -> bool {
        self.t_infomask & mask == mask
    }

    /// Has a later version in the same HOT chain, as far as is known (`HeapTupleHeaderIsHotUpdated`)?
    #[must_use]
    pub const fn is_hot_updated(&self) -> bool {
        self.t_infomask2 & HEAP_HOT_UPDATED != 0 && !self.has(HEAP_XMAX_INVALID) && !self.is_xmin_invalid()
    }

    /// Does no index entry lead here (`HeapTupleHeaderIsHeapOnly`)?
    #[must_use]
    pub const fn is_heap_only(&self) -> bool {
        self.t_infomask2 & HEAP_ONLY_TUPLE != 0
    }

    /// Is the inserting transaction known to have committed (`HeapTupleHeaderXminCommitted`)? So it is of a frozen row.
    #[must_use]
    pub const fn is_xmin_committed(&self) -> bool {
        self.has(HEAP_XMIN_COMMITTED)
    }

    /// Is the transaction of `t_xmax` known to have committed?
    #[must_use]
    pub const fn is_xmax_committed(&self) -> bool {
        self.has(HEAP_XMAX_COMMITTED)
    }

    /// Is there no `t_xmax` that matters, as far as is known?
    #[must_use]
    pub const fn is_xmax_invalid(&self) -> bool {
        self.has(HEAP_XMAX_INVALID)
    }

    /// Is `t_xmax` a multixact?
    #[must_use]
    pub const fn is_xmax_multi(&self) -> bool {
        self.has(HEAP_XMAX_IS_MULTI)
    }

    /// Is the inserting transaction known to have failed (`HeapTupleHeaderXminInvalid`)?
    #[must_use]
    pub const fn is_xmin_invalid(&self) -> bool {
        self.t_infomask & HEAP_XMIN_FROZEN == HEAP_XMIN_INVALID
    }

    /// Do the hint bits alone say that it is alive ([`Hints::is_live`])?
    #[must_use]
    pub const fn is_surely_live(&self) -> bool {
        self.has(HEAP_XMIN_COMMITTED | HEAP_XMAX_INVALID)
    }

    /// Is it visible to every transaction, whatever `t_xmin` (`HeapTupleHeaderXminFrozen`)?
    #[must_use]
    pub const fn is_frozen(&self) -> bool {
        self.has(HEAP_XMIN_FROZEN)
    }

    /// Does `t_xmax` only lock the row (`HEAP_XMAX_IS_LOCKED_ONLY`)?
    #[must_use]
    pub const fn is_locked_only(&self) -> bool {
        self.has(HEAP_XMAX_LOCK_ONLY) || self.t_infomask & (HEAP_XMAX_IS_MULTI | HEAP_LOCK_MASK) == HEAP_XMAX_EXCL_LOCK
    }

    /// The xid that updated or deleted the row; `None` for a multixact, whose members the page does not tell.
    #[must_use]
    pub const fn update_xid(&self) -> Option<TransactionId> {
        if self.has(HEAP_XMAX_IS_MULTI) { None } else { Some(self.t_xmax) }
    }
}
