//! The flag words of B-tree pages and index tuples, bit by bit (src/include/access/nbtree.h,
//! src/include/access/itup.h).

use crate::page::Bit;
pub use crate::page::nbtree::{INDEX_NULL_MASK, INDEX_SIZE_MASK, INDEX_VAR_MASK};

/// leaf page
pub const BTP_LEAF: u16 = 1 << 0;
/// the true root
pub const BTP_ROOT: u16 = 1 << 1;
/// deleted from the tree
pub const BTP_DELETED: u16 = 1 << 2;
/// the metapage
pub const BTP_META: u16 = 1 << 3;
/// empty, on the way to being deleted
pub const BTP_HALF_DEAD: u16 = 1 << 4;
/// rightmost page of a group of pages split from one
pub const BTP_SPLIT_END: u16 = 1 << 5;
/// has items marked `LP_DEAD` (a hint)
pub const BTP_HAS_GARBAGE: u16 = 1 << 6;
/// the right sibling's downlink is missing
pub const BTP_INCOMPLETE_SPLIT: u16 = 1 << 7;
/// deleted, with a 64-bit xid (14 and later)
pub const BTP_HAS_FULLXID: u16 = 1 << 8;

/// `t_tid` is not simply a heap TID: pivot tuple or posting list
pub const INDEX_ALT_TID_MASK: u16 = 0x2000;

/// the number within the offset field of a pivot tuple or posting list
pub const BT_OFFSET_MASK: u16 = 0x0FFF;
/// a pivot tuple ends with a heap TID
pub const BT_PIVOT_HEAP_TID_ATTR: u16 = 0x1000;
/// a posting list
pub const BT_IS_POSTING: u16 = 0x2000;

/// The bits of `btpo_flags`.
pub const BTPO_FLAGS: &[Bit] = &[
    Bit::new("BTP_LEAF", BTP_LEAF as u32, "leaf page: items point to heap tuples"),
    Bit::new("BTP_ROOT", BTP_ROOT as u32, "root page: it has no parent"),
    Bit::new("BTP_DELETED", BTP_DELETED as u32, "deleted from the tree"),
    Bit::new("BTP_META", BTP_META as u32, "metapage"),
    Bit::new(
        "BTP_HALF_DEAD",
        BTP_HALF_DEAD as u32,
        "empty leaf whose downlink is gone, but which is still in the tree",
    ),
    Bit::new("BTP_SPLIT_END", BTP_SPLIT_END as u32, "rightmost page of a group of pages split during one VACUUM"),
    Bit::new("BTP_HAS_GARBAGE", BTP_HAS_GARBAGE as u32, "has items marked LP_DEAD (a hint)"),
    Bit::new(
        "BTP_INCOMPLETE_SPLIT",
        BTP_INCOMPLETE_SPLIT as u32,
        "the right sibling has no downlink in the parent yet",
    ),
    Bit::new("BTP_HAS_FULLXID", BTP_HAS_FULLXID as u32, "deleted page that holds a 64-bit xid"),
];

/// The flags within `t_info`.
pub const T_INFO: &[Bit] = &[
    Bit::new("INDEX_ALT_TID_MASK", INDEX_ALT_TID_MASK as u32, "t_tid is not a heap TID: pivot tuple or posting list"),
    Bit::new("INDEX_VAR_MASK", INDEX_VAR_MASK as u32, "has variable-width attributes"),
    Bit::new("INDEX_NULL_MASK", INDEX_NULL_MASK as u32, "has NULLs, so a null bitmap"),
];

/// The flags within the offset number of a pivot tuple or posting list.
pub const OFFSET_STATUS: &[Bit] = &[
    Bit::new(
        "BT_PIVOT_HEAP_TID_ATTR",
        BT_PIVOT_HEAP_TID_ATTR as u32,
        "the tuple ends with a heap TID, the tie-breaker",
    ),
    Bit::new("BT_IS_POSTING", BT_IS_POSTING as u32, "posting list: several heap TIDs for one key"),
];
