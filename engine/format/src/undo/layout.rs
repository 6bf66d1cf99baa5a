//! The structs of the undo engine's pages: what each byte is. Where a size comes from stands in [`super`].

use crate::page::layout::{Wire, c_struct};
use crate::page::{BlockNumber, PageHeaderData, TransactionId};
use crate::wal::RelFileLocator;
use crate::wal::rec::FullTransactionId;
use alloc::format;
use alloc::string::{String, ToString};

/// Bytes of a page's header: PostgreSQL's, then [`UndoPageData`].
pub const UNDO_HEADER_SIZE: u16 = PageHeaderData::SIZE as u16 + UndoPageData::SIZE as u16;

/// `pd_kind`: a page of a table
pub const UNDO_TABLE_PAGE: u16 = 1;
/// `pd_kind`: undo records of one transaction
pub const UNDO_PAGE: u16 = 2;
/// `pd_kind`: the transactions that have undo pages
pub const UNDO_SLOTS_PAGE: u16 = 3;

/// `ud_type`: the row was inserted, and had no older version
pub const UNDO_INSERT: u8 = 1;
/// `ud_type`: values were replaced
pub const UNDO_UPDATE: u8 = 2;
/// `ud_type`: the row was deleted
pub const UNDO_DELETE: u8 = 3;

c_struct! {
    /// What a page's header has behind `PageHeaderData`; the transaction items follow.
    pub struct UndoPageData, 16 {
        /// 1: a page of a table, 2: undo records, 3: the transactions that have undo pages
        0 => pd_kind: u16,
        /// number of transaction items
        2 => pd_nxacts: u16,
        /// of undo records: the page that the transaction filled before this one, 0 for none
        4 => pd_prev: BlockNumber,
        /// not used by this model
        8 => padding: [u8; 8],
    }
}

c_struct! {
    /// `ItemXactData`: a transaction that rows of the page, or the undo page, or a slot of the segment, belong to.
    pub struct ItemXactData, 24 {
        /// the transaction, 0 for none
        0 => ix_xid: FullTransactionId,
        /// its newest undo record about the page; of a slot its newest undo page
        8 => ix_undo: UndoRecPtr,
        /// not used by this model
        16 => padding: [u8; 8],
    }
}

c_struct! {
    /// What stands before a row; the null bitmap and the columns follow it without alignment of their own.
    pub struct UndoRowHeaderData, 5 {
        /// number of attributes
        0 => ur_natts: u16,
        /// `HEAP_HASNULL` and its likes, and whether the row is deleted
        2 => ur_infomask: u16,
        /// the transaction item of whoever changed the row last, 0 for one that everybody sees
        4 => ur_xact: u8,
    }
}

c_struct! {
    /// What stands before the old values in an undo record.
    pub struct UndoRecordData, 51 {
        /// what is to be taken back: 1 INSERT, 2 UPDATE, 3 DELETE
        0 => ud_type: u8,
        /// 1: the last value is all that follows in the row, which had another length
        1 => ud_flags: u8,
        /// the transaction, or subtransaction, that made the change
        2 => ud_xid: TransactionId,
        /// its command
        6 => ud_cid: u32,
        /// the file of the table
        10 => ud_locator: RelFileLocator,
        /// the row's block
        22 => ud_block: BlockNumber,
        /// the row's line pointer
        26 => ud_offset: u16,
        /// the transaction's undo record about the same page before this one
        28 => ud_prev: UndoRecPtr,
        /// who made the version that is kept here, 0 for one that everybody sees
        36 => ud_old_xid: TransactionId,
        /// that transaction's newest undo record about the page at the time
        40 => ud_old_undo: UndoRecPtr,
        /// the row's transaction item at the time
        48 => ud_old_xact: u8,
        /// number of values that follow
        49 => ud_npieces: u16,
    }
}

/// The address of an undo record: segment, block and line pointer in 8 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct UndoRecPtr(pub u64);

impl UndoRecPtr {
    /// no undo record
    pub const NONE: Self = Self(0);
    /// there is one segment
    const SEGMENT: u64 = 1;

    /// The record of that line pointer.
    #[must_use]
    pub const fn new(block: BlockNumber, item: u16) -> Self {
        Self(Self::SEGMENT << 48 | (block as u64) << 16 | item as u64)
    }

    /// Its block.
    #[must_use]
    pub const fn block(self) -> BlockNumber {
        (self.0 >> 16) as BlockNumber
    }

    /// Its line pointer.
    #[must_use]
    pub const fn item(self) -> u16 {
        self.0 as u16
    }

    /// Is it no record's?
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl Wire for UndoRecPtr {
    const SIZE: usize = 8;
    fn get(bytes: &[u8]) -> Self {
        Self(u64::get(bytes))
    }
    fn set(&self, bytes: &mut [u8]) {
        self.0.set(bytes);
    }
    fn show(&self) -> String {
        if self.is_none() { "none".to_string() } else { format!("undo ({},{})", self.block(), self.item()) }
    }
}
