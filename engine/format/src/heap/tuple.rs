//! `HeapTupleHeaderData`: what stands before every row version (src/include/access/htup_details.h).
//!
//! ```text
//!  0       4       8           12       18          20         22       23
//!  ├ t_xmin ┼ t_xmax ┼ t_field3 ┼ t_ctid ┼ infomask2 ┼ infomask ┼ t_hoff ┼ t_bits … t_hoff ┼ columns …
//! ```

use super::infomask::{HEAP_HASNULL, HEAP_NATTS_MASK};
use crate::page::layout::{Wire, c_struct};
use crate::page::{Anomaly, ItemPointer, MAXALIGN, Page, PageHeaderData, TransactionId};
use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

c_struct! {
    /// `HeapTupleHeaderData`; the null bitmap follows it.
    pub struct HeapTupleHeaderData, 23 {
        /// inserting transaction
        0 => t_xmin: TransactionId,
        /// deleting, updating or locking transaction, or a multixact of several
        4 => t_xmax: TransactionId,
        /// command id within the inserting or deleting transaction, or a combo of both
        8 => t_field3: u32,
        /// TID of this version, or of the one that follows it
        12 => t_ctid: ItemPointer,
        /// number of attributes, and three flags
        18 => t_infomask2: u16,
        /// flags
        20 => t_infomask: u16,
        /// where the columns begin, bytes from the tuple's start
        22 => t_hoff: u8,
    }
}

/// `HeapTupleHeaderData` and where the row lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapTuple {
    /// its own place: block and line pointer
    pub tid: ItemPointer,
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

impl HeapTuple {
    /// Reads the header of the tuple at `bytes`, whose own place is `tid`; bytes that are missing read as zero.
    #[must_use]
    #[inline]
    pub fn decode(page: &Page, tid: ItemPointer, bytes: Range<u16>) -> Self {
        // a copy of known length: its fields are then read without asking whether they are there
        let header = <[u8; HeapTupleHeaderData::SIZE]>::get(page.slice(bytes.clone()));
        let header = HeapTupleHeaderData::new(&header);
        Self {
            tid,
            bytes,
            t_xmin: header.t_xmin(),
            t_xmax: header.t_xmax(),
            t_field3: header.t_field3(),
            t_ctid: header.t_ctid(),
            t_infomask2: header.t_infomask2(),
            t_infomask: header.t_infomask(),
            t_hoff: header.t_hoff(),
        }
    }

    /// The header as it stands before the null bitmap.
    #[must_use]
    #[inline]
    pub fn header(&self) -> [u8; HeapTupleHeaderData::SIZE] {
        let mut bytes = [0; HeapTupleHeaderData::SIZE];
        let at = |n: usize| usize::from(HeapTupleHeaderData::FIELDS[n].offset);
        self.t_xmin.set(&mut bytes[at(0)..]);
        self.t_xmax.set(&mut bytes[at(1)..]);
        self.t_field3.set(&mut bytes[at(2)..]);
        self.t_ctid.set(&mut bytes[at(3)..]);
        self.t_infomask2.set(&mut bytes[at(4)..]);
        self.t_infomask.set(&mut bytes[at(5)..]);
        self.t_hoff.set(&mut bytes[at(6)..]);
        bytes
    }

    /// Writes the header to its place on the page.
    pub fn write(&self, page: &mut Page) {
        page.write_bytes(self.bytes.start, &self.header());
    }

    /// Number of attributes the row was made with (`HeapTupleHeaderGetNatts`); columns added later are not in it.
    #[must_use]
    pub const fn natts(&self) -> u16 {
        self.t_infomask2 & HEAP_NATTS_MASK
    }

    /// Can it be a row version? Each names the transaction that made it, and its columns begin behind its header. Bytes
    /// that were never written, as behind a line pointer of a torn page, are none.
    #[must_use]
    pub const fn is_row_version(&self) -> bool {
        self.t_xmin != 0 && self.t_hoff as usize >= HeapTupleHeaderData::SIZE
    }

    /// The null bitmap on the page: a bit a column, set where there is a value. Empty where no column is NULL.
    #[must_use]
    pub fn null_bitmap(&self) -> Range<u16> {
        let start = self.bytes.start + HeapTupleHeaderData::SIZE as u16;
        let len = if self.t_infomask & HEAP_HASNULL == 0 { 0 } else { self.natts().div_ceil(8) };
        start..start.saturating_add(len).min(self.bytes.end)
    }

    /// The columns on the page.
    #[must_use]
    pub fn data(&self) -> Range<u16> {
        let start = self.bytes.start.saturating_add(u16::from(self.t_hoff));
        start.min(self.bytes.end)..self.bytes.end
    }

    /// Adds what cannot be in the header.
    pub(super) fn check(&self, page: &Page, anomalies: &mut Vec<Anomaly>) {
        let (n, hoff, len) = (self.tid.offset, u16::from(self.t_hoff), self.bytes.end - self.bytes.start);
        let mut wrong = |text| anomalies.push(Anomaly::new(self.bytes.clone(), format!("tuple {n}: {text}")));
        let least = (HeapTupleHeaderData::SIZE as u16 + self.null_bitmap().len() as u16).next_multiple_of(MAXALIGN);
        if hoff > len {
            wrong(format!("t_hoff {hoff} exceeds lp_len {len}"));
        } else if hoff < least {
            wrong(format!("t_hoff {hoff} is less than {least}, the size of header and null bitmap"));
        } else if !hoff.is_multiple_of(MAXALIGN) {
            wrong(format!("t_hoff {hoff} is not a multiple of {MAXALIGN}"));
        }
        if !self.bytes.start.is_multiple_of(MAXALIGN) {
            wrong(format!("lp_off {} is not a multiple of {MAXALIGN}", self.bytes.start));
        }
        let upper = page.header().pd_upper();
        if self.bytes.start < upper && self.bytes.start >= PageHeaderData::SIZE as u16 {
            wrong(format!("lp_off {} is less than pd_upper {upper}", self.bytes.start));
        }
    }
}
