//! What stands before each page of WAL and before each record (src/include/access/xlog_internal.h, xlogrecord.h).

use crate::page::layout::c_struct;

c_struct! {
    /// `XLogPageHeaderData` with the bytes that align it.
    pub struct XLogPageHeaderData, 24 {
        /// `XLOG_PAGE_MAGIC`: the major version that wrote the page
        0 => xlp_magic: u16,
        /// 1: the first record goes on from the page before; 2: this is the long header; 4: images may be removed; 8:
        /// the record that went on here was given up
        2 => xlp_info: u16,
        /// timeline of the first record
        4 => xlp_tli: u32,
        /// position of this page
        8 => xlp_pageaddr: u64,
        /// bytes of the record from the page before that still come
        16 => xlp_rem_len: u32,
        /// alignment
        20 => padding: [u8; 4],
    }
}

c_struct! {
    /// `XLogLongPageHeaderData`: what the first page of a segment has behind the short header.
    pub struct XLogLongPageHeaderData, 16 {
        /// system identifier of the cluster
        0 => xlp_sysid: u64,
        /// size of a segment in bytes
        8 => xlp_seg_size: u32,
        /// size of a page of WAL in bytes
        12 => xlp_xlog_blcksz: u32,
    }
}

/// `XLP_FIRST_IS_CONTRECORD`
pub const XLP_FIRST_IS_CONTRECORD: u16 = 1;
/// `XLP_LONG_HEADER`
pub const XLP_LONG_HEADER: u16 = 2;
/// `XLP_FIRST_IS_OVERWRITE_CONTRECORD`
pub const XLP_FIRST_IS_OVERWRITE_CONTRECORD: u16 = 8;

c_struct! {
    /// `XLogRecord`: the first bytes of every record.
    pub struct XLogRecord, 24 {
        /// length of the whole record in bytes, this header included, not rounded
        0 => xl_tot_len: u32,
        /// the (sub)transaction that wrote it; 0: none
        4 => xl_xid: u32,
        /// where the record before starts
        8 => xl_prev: u64,
        /// high half: type of record, of the resource manager; 1 special handling of relations, 2 images are there to
        /// check consistency
        16 => xl_info: u8,
        /// which resource manager
        17 => xl_rmid: u8,
        /// alignment
        18 => padding: [u8; 2],
        /// CRC-32C of bytes 24 to the end and then of bytes 0 to 20
        20 => xl_crc: u32,
    }
}

/// `XLR_CHECK_CONSISTENCY` in `xl_info`: there are images besides those that recovery needs.
pub const XLR_CHECK_CONSISTENCY: u8 = 2;
/// `XLR_SPECIAL_REL_UPDATE` in `xl_info`: files come and go in a way that block references do not tell
pub const XLR_SPECIAL_REL_UPDATE: u8 = 1;
