//! Heap pages, read side: line pointers, tuples, HOT chains (src/include/access/htup_details.h, src/backend/access/heap/README.HOT).

use crate::datum::Attribute;
use crate::page::{Anomaly, Field, ItemIdData, ItemPointer, OffsetNumber, Page, PgVersion, Region, TransactionId};
use alloc::vec::Vec;
use core::ops::Range;

/// A heap page taken apart. Sequences have one too, with a special space of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapPage {
    /// one a line pointer, in order
    pub items: Vec<HeapItem>,
    /// the HOT chains of more than one member, by root
    pub chains: Vec<HotChain>,
    /// every byte of the page, in order
    pub regions: Vec<Region>,
    /// what cannot be
    pub anomalies: Vec<Anomaly>,
}

/// A line pointer and what it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapItem {
    /// its number
    pub offset: OffsetNumber,
    /// the four bytes
    pub lp: ItemIdData,
    /// of an `LP_NORMAL` whose tuple lies within the page
    pub tuple: Option<HeapTuple>,
}

/// `HeapTupleHeaderData` and where the row lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapTuple {
    /// the whole tuple on the page
    pub bytes: Range<u16>,
    /// inserting xid
    pub t_xmin: TransactionId,
    /// deleting or locking xid, or a multixact
    pub t_xmax: TransactionId,
    /// `t_cid`
    pub t_field3: u32,
    /// this or the next version
    pub t_ctid: ItemPointer,
    /// number of attributes and three flags
    pub t_infomask2: u16,
    /// flags
    pub t_infomask: u16,
    /// where the data begins, bytes from the tuple's start
    pub t_hoff: u8,
}

/// Versions of one row linked on one page: what an index entry for the root reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HotChain {
    /// the line pointer that indexes point to: a tuple or a redirect
    pub root: OffsetNumber,
    /// all members in the order of the links, root first
    pub members: Vec<OffsetNumber>,
}

impl HeapPage {
    /// Takes a page apart; whatever it holds, this gives a result.
    #[must_use]
    pub fn decode(page: &Page) -> Self {
        let _ = page;
        Self { items: Vec::new(), chains: Vec::new(), regions: Vec::new(), anomalies: Vec::new() }
    }

    /// The line pointer of that number.
    #[must_use]
    pub fn item(&self, offset: OffsetNumber) -> Option<&HeapItem> {
        self.items.get(usize::from(offset.0).checked_sub(1)?)
    }
}

impl HeapTuple {
    /// Every field of header and row with its bytes: header fields, null bitmap, then the columns of `attributes`.
    #[must_use]
    pub fn fields(&self, page: &Page, attributes: &[Attribute], version: PgVersion) -> Vec<Field> {
        let _ = (page, attributes, version);
        Vec::new()
    }
}
