//! The C structs of B-tree pages (src/include/access/nbtree.h, src/include/access/itup.h).
//!
//! ```text
//!  0        24                                                     pd_special     page size
//!  ├─header──┼─ BTMetaPageData, BTDeletedPageData or line pointers … ──┼─ BTPageOpaqueData ─┤
//! ```

use super::layout::c_struct;
use super::numbers::{BlockNumber, ItemPointer};

/// `BTREE_MAGIC`: this is the metapage of a B-tree
pub const BTREE_MAGIC: u32 = 0x05_3162;
/// `BTREE_VERSION`, since PostgreSQL 12
pub const BTREE_VERSION: u32 = 4;
/// `btm_last_cleanup_num_heap_tuples`, which is no longer counted
pub const UNKNOWN_HEAP_TUPLES: f64 = -1.0;

/// size of the tuple, within `t_info`
pub const INDEX_SIZE_MASK: u16 = 0x1FFF;
/// has variable-width attributes
pub const INDEX_VAR_MASK: u16 = 0x4000;
/// has a null bitmap
pub const INDEX_NULL_MASK: u16 = 0x8000;

c_struct! {
    /// `BTPageOpaqueData`: the special space at the end of every B-tree page.
    pub struct BTPageOpaqueData, 16 {
        /// left sibling, 0 for none
        0 => btpo_prev: BlockNumber,
        /// right sibling, 0 for none: then the page is the rightmost of its level and has no high key
        4 => btpo_next: BlockNumber,
        /// level in the tree, 0 for leaves
        8 => btpo_level: u32,
        /// what sort of page
        12 => btpo_flags: u16,
        /// number of the VACUUM during which the page was last split, 0 for none
        14 => btpo_cycleid: u16,
    }
}

c_struct! {
    /// `BTMetaPageData` of PostgreSQL 14 and later, after the page header of block 0.
    pub struct BTMetaPageData, 48 {
        /// 0x053162 in every B-tree index
        0 => btm_magic: u32,
        /// version of the index's layout: 4 since PostgreSQL 12
        4 => btm_version: u32,
        /// block of the root, 0 while the index is empty
        8 => btm_root: BlockNumber,
        /// level of the root
        12 => btm_level: u32,
        /// block where searches start: the lowest page that is alone on its level
        16 => btm_fastroot: BlockNumber,
        /// level of the fast root
        20 => btm_fastlevel: u32,
        /// deleted pages that the last VACUUM could not yet recycle
        24 => btm_last_cleanup_num_delpages: u32,
        /// alignment
        28 => padding1: [u8; 4],
        /// rows of the table at the last cleanup; no longer used, -1
        32 => btm_last_cleanup_num_heap_tuples: f64,
        /// 1 when equal keys are equal in every byte, so that deduplication may merge them
        40 => btm_allequalimage: u8,
        /// alignment
        41 => padding2: [u8; 7],
    }
}

c_struct! {
    /// `BTMetaPageData` of PostgreSQL 13, after the page header of block 0.
    pub struct BTMetaPageData13, 48 {
        /// 0x053162 in every B-tree index
        0 => btm_magic: u32,
        /// version of the index's layout: 4 since PostgreSQL 12
        4 => btm_version: u32,
        /// block of the root, 0 while the index is empty
        8 => btm_root: BlockNumber,
        /// level of the root
        12 => btm_level: u32,
        /// block where searches start: the lowest page that is alone on its level
        16 => btm_fastroot: BlockNumber,
        /// level of the fast root
        20 => btm_fastlevel: u32,
        /// oldest xid on any deleted page, 0 for none
        24 => btm_oldest_btpo_xact: u32,
        /// alignment
        28 => padding1: [u8; 4],
        /// rows of the table at the last cleanup; -1 from 13.3 on
        32 => btm_last_cleanup_num_heap_tuples: f64,
        /// 1 when equal keys are equal in every byte, so that deduplication may merge them
        40 => btm_allequalimage: u8,
        /// alignment
        41 => padding2: [u8; 7],
    }
}

c_struct! {
    /// `BTDeletedPageData` of PostgreSQL 14 and later: all that a deleted page holds.
    pub struct BTDeletedPageData, 8 {
        /// the page may be recycled once no transaction older than this 64-bit xid runs
        0 => safexid: u64,
    }
}

c_struct! {
    /// `IndexTupleData`: the header of every index tuple.
    pub struct IndexTupleData, 8 {
        /// the heap tuple, the page below, or facts about the key, depending on `t_info`
        0 => t_tid: ItemPointer,
        /// size in bytes and three flags
        6 => t_info: u16,
    }
}
