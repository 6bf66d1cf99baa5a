//! Btree records (src/include/access/nbtxlog.h).

use super::super::RelFileLocator;
use super::{Cut, FullTransactionId, Part};
use crate::page::BlockNumber;
use crate::page::layout::c_struct;
use alloc::vec::Vec;

c_struct! {
    /// `xl_btree_metadata` of 14 and later: the metapage.
    pub struct XlBtreeMetadata, 28 {
        /// version of the index's layout
        0 => version: u32,
        /// block of the root
        4 => root: BlockNumber,
        /// level of the root
        8 => level: u32,
        /// block where searches start
        12 => fastroot: BlockNumber,
        /// level of the fast root
        16 => fastlevel: u32,
        /// deleted pages that the last VACUUM could not yet recycle
        20 => last_cleanup_num_delpages: u32,
        /// are equal keys equal in every byte, so that deduplication may merge them?
        24 => allequalimage: bool,
        /// alignment
        25 => padding: [u8; 3],
    }
}

c_struct! {
    /// `xl_btree_metadata` of 13.
    pub struct XlBtreeMetadata13, 40 {
        /// version of the index's layout
        0 => version: u32,
        /// block of the root
        4 => root: BlockNumber,
        /// level of the root
        8 => level: u32,
        /// block where searches start
        12 => fastroot: BlockNumber,
        /// level of the fast root
        16 => fastlevel: u32,
        /// oldest transaction that kept a deleted page from being recycled
        20 => oldest_btpo_xact: u32,
        /// rows of the table at the last cleanup
        24 => last_cleanup_num_heap_tuples: f64,
        /// are equal keys equal in every byte, so that deduplication may merge them?
        32 => allequalimage: bool,
        /// alignment
        33 => padding: [u8; 7],
    }
}

c_struct! {
    /// `xl_btree_insert`: `INSERT_LEAF`, `INSERT_UPPER`, `INSERT_META`, `INSERT_POST`.
    pub struct XlBtreeInsert, 2 {
        /// line pointer of the new index tuple
        0 => offnum: u16,
    }
}

c_struct! {
    /// `xl_btree_split`: `SPLIT_L`, `SPLIT_R`.
    pub struct XlBtreeSplit, 10 {
        /// level of the page, 0 for a leaf
        0 => level: u32,
        /// the first line pointer of the old page that goes to the right half
        4 => firstrightoff: u16,
        /// where the new index tuple would have come on the old page
        6 => newitemoff: u16,
        /// where a posting list is split, else 0
        8 => postingoff: u16,
    }
}

c_struct! {
    /// `xl_btree_dedup`: DEDUP.
    pub struct XlBtreeDedup, 2 {
        /// how many posting lists are made
        0 => nintervals: u16,
    }
}

c_struct! {
    /// `BTDedupInterval`: neighbours that become one posting list.
    pub struct BTDedupInterval, 4 {
        /// line pointer of the first
        0 => baseoff: u16,
        /// how many
        2 => nitems: u16,
    }
}

c_struct! {
    /// `xl_btree_delete` of 16 and later: DELETE.
    pub struct XlBtreeDelete, 9 {
        /// snapshots older than this on a standby are in the way
        0 => snapshotConflictHorizon: u32,
        /// index tuples that go
        4 => ndeleted: u16,
        /// posting lists that get shorter
        6 => nupdated: u16,
        /// is the table a catalog that logical decoding reads?
        8 => isCatalogRel: bool,
    }
}

c_struct! {
    /// `xl_btree_delete` of 14 and 15.
    pub struct XlBtreeDelete14, 8 {
        /// snapshots older than this on a standby are in the way
        0 => latestRemovedXid: u32,
        /// index tuples that go
        4 => ndeleted: u16,
        /// posting lists that get shorter
        6 => nupdated: u16,
    }
}

c_struct! {
    /// `xl_btree_delete` of 13.
    pub struct XlBtreeDelete13, 8 {
        /// snapshots older than this on a standby are in the way
        0 => latestRemovedXid: u32,
        /// index tuples that go
        4 => ndeleted: u32,
    }
}

c_struct! {
    /// `xl_btree_vacuum`: VACUUM.
    pub struct XlBtreeVacuum, 4 {
        /// index tuples that go
        0 => ndeleted: u16,
        /// posting lists that get shorter
        2 => nupdated: u16,
    }
}

c_struct! {
    /// `xl_btree_update`: which TIDs of a posting list go; their places in the list follow.
    pub struct XlBtreeUpdate, 2 {
        /// how many TIDs go
        0 => ndeletedtids: u16,
    }
}

c_struct! {
    /// `xl_btree_mark_page_halfdead`: `MARK_PAGE_HALFDEAD`.
    pub struct XlBtreeMarkPageHalfdead, 20 {
        /// line pointer of the downlink in the parent that goes
        0 => poffset: u16,
        /// alignment
        2 => padding: [u8; 2],
        /// the leaf
        4 => leafblk: BlockNumber,
        /// its left sibling
        8 => leftblk: BlockNumber,
        /// its right sibling
        12 => rightblk: BlockNumber,
        /// highest page of the subtree that goes, 4294967295 for the leaf alone
        16 => topparent: BlockNumber,
    }
}

c_struct! {
    /// `xl_btree_unlink_page` of 14 and later: `UNLINK_PAGE`, `UNLINK_PAGE_META`.
    pub struct XlBtreeUnlinkPage, 36 {
        /// left sibling of the page, 0 for none
        0 => leftsib: BlockNumber,
        /// right sibling
        4 => rightsib: BlockNumber,
        /// level of the page
        8 => level: u32,
        /// alignment
        12 => padding: [u8; 4],
        /// the page may be recycled when every transaction is newer
        16 => safexid: FullTransactionId,
        /// left sibling of the half-dead leaf
        24 => leafleftsib: BlockNumber,
        /// right sibling of the half-dead leaf
        28 => leafrightsib: BlockNumber,
        /// next page of the subtree that goes, 4294967295 for none
        32 => leaftopparent: BlockNumber,
    }
}

c_struct! {
    /// `xl_btree_unlink_page` of 13.
    pub struct XlBtreeUnlinkPage13, 24 {
        /// left sibling of the page, 0 for none
        0 => leftsib: BlockNumber,
        /// right sibling
        4 => rightsib: BlockNumber,
        /// left sibling of the half-dead leaf
        8 => leafleftsib: BlockNumber,
        /// right sibling of the half-dead leaf
        12 => leafrightsib: BlockNumber,
        /// next page of the subtree that goes, 4294967295 for none
        16 => topparent: BlockNumber,
        /// the page may be recycled when every transaction is newer
        20 => btpo_xact: u32,
    }
}

c_struct! {
    /// `xl_btree_newroot`: NEWROOT.
    pub struct XlBtreeNewroot, 8 {
        /// block of the new root
        0 => rootblk: BlockNumber,
        /// its level
        4 => level: u32,
    }
}

c_struct! {
    /// `xl_btree_reuse_page` of 16 and later: `REUSE_PAGE`.
    pub struct XlBtreeReusePage, 25 {
        /// the index
        0 => locator: RelFileLocator,
        /// the deleted page that is taken again
        12 => block: BlockNumber,
        /// snapshots older than this on a standby are in the way
        16 => snapshotConflictHorizon: FullTransactionId,
        /// is the table a catalog that logical decoding reads?
        24 => isCatalogRel: bool,
    }
}

c_struct! {
    /// `xl_btree_reuse_page` of 14 and 15.
    pub struct XlBtreeReusePage14, 24 {
        /// the index
        0 => node: RelFileLocator,
        /// the deleted page that is taken again
        12 => block: BlockNumber,
        /// snapshots older than this on a standby are in the way
        16 => latestRemovedFullXid: FullTransactionId,
    }
}

c_struct! {
    /// `xl_btree_reuse_page` of 13.
    pub struct XlBtreeReusePage13, 20 {
        /// the index
        0 => node: RelFileLocator,
        /// the deleted page that is taken again
        12 => block: BlockNumber,
        /// snapshots older than this on a standby are in the way
        16 => latestRemovedXid: u32,
    }
}

/// A posting list that gets shorter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update<'a> {
    /// line pointer of its index tuple
    pub offset: u16,
    /// the number of TIDs
    pub count: Part<'a>,
    /// which TIDs of the list go, counted from 0
    pub ptids: Part<'a>,
}

/// The lists of a record that takes index tuples off a leaf (DELETE, VACUUM), in block 0's data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LeafLists<'a> {
    /// line pointers of the index tuples that go
    pub deleted: Part<'a>,
    /// line pointers of posting lists that get shorter
    pub updated: Part<'a>,
    /// how these get shorter
    pub updates: Vec<Update<'a>>,
}

impl<'a> LeafLists<'a> {
    /// Cuts the data.
    #[must_use]
    pub fn new(data: &'a [u8], ndeleted: u32, nupdated: u16) -> Self {
        let mut cut = Cut::new(data);
        let deleted = cut.array(ndeleted as usize, 2);
        let updated = cut.array(usize::from(nupdated), 2);
        let mut updates = Vec::new();
        for offset in updated.values() {
            let count = cut.take(XlBtreeUpdate::SIZE);
            let ptids = cut.array(usize::from(XlBtreeUpdate::new(count.bytes).ndeletedtids()), 2);
            updates.push(Update { offset, count, ptids });
        }
        Self { deleted, updated, updates }
    }
}
