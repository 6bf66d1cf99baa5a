//! B-tree pages, read side (src/include/access/nbtree.h, src/backend/access/nbtree/README).

use crate::datum::Attribute;
use crate::page::{Anomaly, BlockNumber, Field, ItemIdData, ItemPointer, OffsetNumber, Page, PgVersion, Region};
use alloc::vec::Vec;
use core::ops::Range;

/// A B-tree page taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BtMeta {
    /// block of the true root, 0 for an empty index
    pub btm_root: BlockNumber,
    /// its level
    pub btm_level: u32,
    /// block of the fast root
    pub btm_fastroot: BlockNumber,
    /// its level
    pub btm_fastlevel: u32,
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
    /// size, and whether it has nulls or variable-width columns
    pub t_info: u16,
    /// the key columns within the page
    pub key: Range<u16>,
}

/// The three kinds of tuple, and the high key.
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
}

impl BtPage {
    /// Takes a page apart; whatever it holds, this gives a result. `block` 0 is the metapage.
    #[must_use]
    pub fn decode(page: &Page, version: PgVersion) -> Self {
        let _ = (page, version);
        Self {
            kind: BtKind::New,
            btpo_prev: 0,
            btpo_next: 0,
            btpo_level: 0,
            btpo_flags: 0,
            btpo_cycleid: 0,
            items: Vec::new(),
            meta: None,
            safexid: None,
            regions: Vec::new(),
            anomalies: Vec::new(),
        }
    }
}

impl IndexTuple {
    /// Every field with its bytes: `t_tid`, `t_info`, null bitmap, key columns, TIDs.
    #[must_use]
    pub fn fields(&self, page: &Page, attributes: &[Attribute], n_keys: u16) -> Vec<Field> {
        let _ = (page, attributes, n_keys);
        Vec::new()
    }
}
