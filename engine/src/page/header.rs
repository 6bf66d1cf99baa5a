//! `PageHeaderData`, the first 24 bytes of every page (src/include/storage/bufpage.h).

use super::layout::c_struct;
use super::numbers::{Lsn, TransactionId};

c_struct! {
    /// `PageHeaderData`; the line pointers follow it.
    pub struct PageHeaderData, 24 {
        /// end of the last WAL record that changed the page
        0 => pd_lsn: Lsn,
        /// checksum, set when the page is written out; 0 where checksums are off
        8 => pd_checksum: u16,
        /// hints: free line pointers, page full, all visible
        10 => pd_flags: u16,
        /// end of the line pointers, start of the hole
        12 => pd_lower: u16,
        /// end of the hole, start of the tuples
        14 => pd_upper: u16,
        /// start of the special space; the page's size where there is none
        16 => pd_special: u16,
        /// page size in bytes, with the layout version in the low byte
        18 => pd_pagesize_version: u16,
        /// oldest xid whose deletion or update may let this page be pruned
        20 => pd_prune_xid: TransactionId,
    }
}
