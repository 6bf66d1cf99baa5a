//! B-tree pages, read side (src/include/access/nbtree.h, src/backend/access/nbtree/README).
//!
//! ```text
//!            metapage ──btm_root──▶ root, level 2
//!                            downlinks ╱       ╲
//!                    internal, level 1 ─btpo_next▶ internal, level 1
//!                    ╱       ╲                     ╱       ╲
//!               leaf ──▶ leaf ──▶ leaf ──▶ leaf ──▶ leaf ──▶ leaf      each item leads to one heap tuple, or to several
//! ```
//!
//! Every page but the rightmost of its level begins with its *high key*: no key on the page is greater.

mod decode;
mod descent;
mod fields;
pub mod flags;
#[cfg(test)]
mod garbage;
mod key;
mod opaque;
pub mod posting;
pub mod search;
#[cfg(test)]
mod tests;
pub mod tree;
mod tuple;
mod words;

pub use descent::{Turn, descent};
pub use opaque::Opaque;
pub use words::level_word;

/// `BTREE_FASTPATH_MIN_LEVEL`: from this level of the root on a session remembers the rightmost leaf that it inserted
/// into (src/backend/access/nbtree/nbtinsert.c).
pub const BTREE_FASTPATH_MIN_LEVEL: u32 = 2;

use crate::page::{Anomaly, BlockNumber, ItemIdData, ItemPointer, OffsetNumber, Region};
use alloc::vec::Vec;
use core::ops::Range;

/// A B-tree page taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct BtPage {
    /// what sort of page
    pub kind: BtKind,
    /// left sibling, 0 for none
    pub btpo_prev: BlockNumber,
    /// right sibling, 0 for none
    pub btpo_next: BlockNumber,
    /// 0 on leaves; on 13's deleted pages the field holds an xid
    pub btpo_level: u32,
    /// `BTP_…`
    pub btpo_flags: u16,
    /// vacuum cycle of the latest split
    pub btpo_cycleid: u16,
    /// one a line pointer, in order; the high key is one of them
    pub items: Vec<BtItem>,
    /// of a metapage
    pub meta: Option<BtMeta>,
    /// of a deleted page: the xid after which it may be recycled (32 bits in 13)
    pub safexid: Option<u64>,
    /// every byte of the page, in order
    pub regions: Vec<Region>,
    /// what cannot be
    pub anomalies: Vec<Anomaly>,
}

/// What sort of page of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BtKind {
    /// block 0
    Meta,
    /// items point to heap tuples; a root that is the only page of the tree is a leaf too
    Leaf,
    /// items point to pages below
    Internal,
    /// an empty leaf without downlink
    HalfDead,
    /// no longer part of the tree
    Deleted,
    /// all zero
    New,
}

/// `BTMetaPageData`
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BtMeta {
    /// 0x053162 in every B-tree index
    pub btm_magic: u32,
    /// 4 since PostgreSQL 12
    pub btm_version: u32,
    /// block of the true root, 0 for an empty index
    pub btm_root: BlockNumber,
    /// its level
    pub btm_level: u32,
    /// block of the fast root
    pub btm_fastroot: BlockNumber,
    /// its level
    pub btm_fastlevel: u32,
    /// `btm_last_cleanup_num_delpages`, in 13 `btm_oldest_btpo_xact`
    pub btm_cleanup: u32,
    /// rows of the table at the last cleanup, -1 for unknown
    pub btm_last_cleanup_num_heap_tuples: f64,
    /// may equal keys be merged to posting lists?
    pub btm_allequalimage: bool,
}

/// A line pointer and its index tuple.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BtItem {
    /// its number
    pub offset: OffsetNumber,
    /// the four bytes; `LP_DEAD` marks a killed entry
    pub lp: ItemIdData,
    /// the tuple, where it lies within the page
    pub tuple: Option<IndexTuple>,
}

/// An index tuple.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexTuple {
    /// the whole tuple on the page
    pub bytes: Range<u16>,
    /// what it leads to
    pub kind: IndexTupleKind,
    /// `t_tid` as it stands; what it means depends on the kind
    pub t_tid: ItemPointer,
    /// size, and whether it has nulls or variable-width columns
    pub t_info: u16,
    /// the key columns within the page, with the alignment bytes after them; INCLUDE columns too
    pub key: Range<u16>,
}

/// The kinds of index tuple.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexTupleKind {
    /// leaf: one heap tuple
    Plain(ItemPointer),
    /// leaf: several heap tuples with one key
    Posting(Vec<ItemPointer>),
    /// internal page: a page below
    Downlink {
        /// the page
        child: BlockNumber,
        /// key columns present; the others are truncated ("minus infinity")
        n_keys: u16,
        /// the tie-breaker, where it was not truncated
        heap_tid: Option<ItemPointer>,
    },
    /// upper bound of the page
    HighKey {
        /// key columns present
        n_keys: u16,
        /// the tie-breaker, where it was not truncated
        heap_tid: Option<ItemPointer>,
    },
    /// half-dead page, in the place of the high key: what is left to be deleted
    TopParent(Option<BlockNumber>),
}

impl BtPage {
    /// Rightmost pages of their level (`P_RIGHTMOST`) have no high key.
    #[must_use]
    pub const fn is_rightmost(&self) -> bool {
        self.btpo_next == 0
    }

    /// The upper bound of the page, where it has one.
    #[must_use]
    pub fn high_key(&self) -> Option<&IndexTuple> {
        self.items.first()?.tuple.as_ref().filter(|t| matches!(t.kind, IndexTupleKind::HighKey { .. }))
    }

    /// The data items: all but the high key (`P_FIRSTDATAKEY`).
    #[must_use]
    pub fn data_items(&self) -> &[BtItem] {
        let first = match (self.kind, self.is_rightmost()) {
            (BtKind::HalfDead, _) | (_, false) => 1,
            (_, true) => 0,
        };
        self.items.get(first..).unwrap_or(&[])
    }

    /// The line pointer of that number.
    #[must_use]
    pub fn item(&self, offset: OffsetNumber) -> Option<&BtItem> {
        self.items.get(usize::from(offset.0).checked_sub(1)?)
    }
}
