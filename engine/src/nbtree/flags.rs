//! The flag words of B-tree pages and index tuples, bit by bit (src/include/access/nbtree.h, src/include/access/itup.h).

use crate::page::Bit;
use alloc::vec::Vec;

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

/// size of the tuple, within `t_info`
pub const INDEX_SIZE_MASK: u16 = 0x1FFF;
/// `t_tid` is not simply a heap TID: pivot tuple or posting list
pub const INDEX_ALT_TID_MASK: u16 = 0x2000;
/// has variable-width attributes
pub const INDEX_VAR_MASK: u16 = 0x4000;
/// has a null bitmap
pub const INDEX_NULL_MASK: u16 = 0x8000;

/// the number within the offset field of a pivot tuple or posting list
pub const BT_OFFSET_MASK: u16 = 0x0FFF;
/// a pivot tuple ends with a heap TID
pub const BT_PIVOT_HEAP_TID_ATTR: u16 = 0x1000;
/// a posting list
pub const BT_IS_POSTING: u16 = 0x2000;

/// A bit's name, mask and meaning.
type Named = (&'static str, u16, &'static str);

const BTPO_FLAGS: [Named; 9] = [
    ("BTP_LEAF", BTP_LEAF, "leaf page: items point to heap tuples"),
    ("BTP_ROOT", BTP_ROOT, "root page: it has no parent"),
    ("BTP_DELETED", BTP_DELETED, "deleted from the tree"),
    ("BTP_META", BTP_META, "metapage"),
    ("BTP_HALF_DEAD", BTP_HALF_DEAD, "empty leaf whose downlink is gone, but which is still in the tree"),
    ("BTP_SPLIT_END", BTP_SPLIT_END, "rightmost page of a group of pages split during one VACUUM"),
    ("BTP_HAS_GARBAGE", BTP_HAS_GARBAGE, "has items marked LP_DEAD (a hint)"),
    ("BTP_INCOMPLETE_SPLIT", BTP_INCOMPLETE_SPLIT, "the right sibling has no downlink in the parent yet"),
    ("BTP_HAS_FULLXID", BTP_HAS_FULLXID, "deleted page that holds a 64-bit xid"),
];

const T_INFO: [Named; 4] = [
    ("INDEX_SIZE_MASK", INDEX_SIZE_MASK, "size of the tuple in bytes"),
    ("INDEX_ALT_TID_MASK", INDEX_ALT_TID_MASK, "t_tid is not a heap TID: pivot tuple or posting list"),
    ("INDEX_VAR_MASK", INDEX_VAR_MASK, "has variable-width attributes"),
    ("INDEX_NULL_MASK", INDEX_NULL_MASK, "has NULLs, so a null bitmap"),
];

const OFFSET_STATUS: [Named; 3] = [
    ("BT_OFFSET_MASK", BT_OFFSET_MASK, "number of key attributes present, or of TIDs in a posting list"),
    ("BT_PIVOT_HEAP_TID_ATTR", BT_PIVOT_HEAP_TID_ATTR, "the tuple ends with a heap TID, the tie-breaker"),
    ("BT_IS_POSTING", BT_IS_POSTING, "posting list: several heap TIDs for one key"),
];

fn bits(names: &[Named], word: u16) -> Vec<Bit> {
    let bit = |&(name, mask, meaning)| Bit { name, mask: u32::from(mask), set: word & mask != 0, meaning };
    names.iter().map(bit).collect()
}

/// `btpo_flags` bit by bit.
#[must_use]
pub fn btpo_flags(word: u16) -> Vec<Bit> {
    bits(&BTPO_FLAGS, word)
}

/// `t_info` bit by bit.
#[must_use]
pub fn t_info(word: u16) -> Vec<Bit> {
    bits(&T_INFO, word)
}

/// The offset field of a pivot tuple or posting list bit by bit.
#[must_use]
pub fn offset_status(word: u16) -> Vec<Bit> {
    bits(&OFFSET_STATUS, word)
}
