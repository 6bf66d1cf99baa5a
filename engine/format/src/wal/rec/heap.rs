//! Heap records (src/include/access/heapam_xlog.h).

use crate::page::layout::c_struct;

/// `XLOG_HEAP_INIT_PAGE` in `xl_info`: the page is made anew
pub const XLOG_HEAP_INIT_PAGE: u8 = 0x80;
/// `XLH_INSERT_ALL_VISIBLE_CLEARED`, `XLH_DELETE_ALL_VISIBLE_CLEARED`, `XLH_UPDATE_OLD_ALL_VISIBLE_CLEARED`,
/// `XLH_LOCK_ALL_FROZEN_CLEARED`
pub const ALL_VISIBLE_CLEARED: u8 = 1 << 0;
/// `XLH_INSERT_ALL_FROZEN_SET`
pub const XLH_INSERT_ALL_FROZEN_SET: u8 = 1 << 5;
/// `XLH_DELETE_IS_SUPER`
pub const XLH_DELETE_IS_SUPER: u8 = 1 << 3;
/// `XLH_DELETE_IS_PARTITION_MOVE`
pub const XLH_DELETE_IS_PARTITION_MOVE: u8 = 1 << 4;
/// `XLH_UPDATE_CONTAINS_OLD_TUPLE`
pub const XLH_UPDATE_CONTAINS_OLD_TUPLE: u8 = 1 << 2;
/// `XLH_UPDATE_CONTAINS_OLD_KEY`
pub const XLH_UPDATE_CONTAINS_OLD_KEY: u8 = 1 << 3;
/// `XLH_UPDATE_PREFIX_FROM_OLD`
pub const XLH_UPDATE_PREFIX_FROM_OLD: u8 = 1 << 5;
/// `XLH_UPDATE_SUFFIX_FROM_OLD`
pub const XLH_UPDATE_SUFFIX_FROM_OLD: u8 = 1 << 6;
/// `XLH_DELETE_CONTAINS_OLD_TUPLE`
pub const XLH_DELETE_CONTAINS_OLD_TUPLE: u8 = 1 << 1;
/// `XLH_DELETE_CONTAINS_OLD_KEY`
pub const XLH_DELETE_CONTAINS_OLD_KEY: u8 = 1 << 2;

c_struct! {
    /// `xl_heap_insert`: INSERT.
    pub struct XlHeapInsert, 3 {
        /// line pointer of the new tuple
        0 => offnum: u16,
        /// flags of the insert
        2 => flags: u8,
    }
}

c_struct! {
    /// `xl_heap_delete`: DELETE.
    pub struct XlHeapDelete, 8 {
        /// the deleting transaction, or a multixact with it: the tuple's new `t_xmax`
        0 => xmax: u32,
        /// line pointer of the tuple
        4 => offnum: u16,
        /// flags of the tuple's `t_infomask` and `t_infomask2` that say what `t_xmax` does
        6 => infobits_set: u8,
        /// flags of the delete
        7 => flags: u8,
    }
}

c_struct! {
    /// `xl_heap_update`: UPDATE and `HOT_UPDATE`.
    pub struct XlHeapUpdate, 14 {
        /// the old version's new `t_xmax`
        0 => old_xmax: u32,
        /// line pointer of the old version
        4 => old_offnum: u16,
        /// flags of the old version's `t_infomask` and `t_infomask2` that say what `t_xmax` does
        6 => old_infobits_set: u8,
        /// flags of the update
        7 => flags: u8,
        /// the new version's `t_xmax`: a lock that goes on, else 0
        8 => new_xmax: u32,
        /// line pointer of the new version
        12 => new_offnum: u16,
    }
}

c_struct! {
    /// `xl_heap_truncate`: TRUNCATE, for logical decoding only; the relations' OIDs follow.
    pub struct XlHeapTruncate, 12 {
        /// database
        0 => dbId: u32,
        /// how many relations
        4 => nrelids: u32,
        /// flags of the command
        8 => flags: u8,
        /// alignment
        9 => padding: [u8; 3],
    }
}

c_struct! {
    /// `xl_heap_confirm`: `HEAP_CONFIRM`, a speculative insert that is final.
    pub struct XlHeapConfirm, 2 {
        /// line pointer of the tuple
        0 => offnum: u16,
    }
}

c_struct! {
    /// `xl_heap_lock` and `xl_heap_lock_updated`: LOCK and `LOCK_UPDATED`.
    pub struct XlHeapLock, 8 {
        /// the locking transaction, or a multixact with it: the tuple's new `t_xmax`
        0 => xmax: u32,
        /// line pointer of the tuple
        4 => offnum: u16,
        /// flags of the tuple's `t_infomask` and `t_infomask2` that say what `t_xmax` does
        6 => infobits_set: u8,
        /// flags of the lock
        7 => flags: u8,
    }
}

c_struct! {
    /// `xl_heap_inplace` of 18: INPLACE; the invalidation messages follow.
    pub struct XlHeapInplace, 20 {
        /// line pointer of the tuple
        0 => offnum: u16,
        /// alignment
        2 => padding1: [u8; 2],
        /// database of the messages
        4 => dbId: u32,
        /// its tablespace
        8 => tsId: u32,
        /// does the relation cache's file have to be made anew?
        12 => relcacheInitFileInval: bool,
        /// alignment
        13 => padding2: [u8; 3],
        /// how many invalidation messages
        16 => nmsgs: i32,
    }
}

c_struct! {
    /// `xl_heap_inplace` before 18.
    pub struct XlHeapInplace13, 2 {
        /// line pointer of the tuple
        0 => offnum: u16,
    }
}

c_struct! {
    /// `xl_heap_header`: what of a new tuple's header cannot be told from the rest of the record.
    pub struct XlHeapHeader, 5 {
        /// number of attributes, and three flags
        0 => t_infomask2: u16,
        /// flags
        2 => t_infomask: u16,
        /// where the columns begin, bytes from the tuple's start
        4 => t_hoff: u8,
    }
}
