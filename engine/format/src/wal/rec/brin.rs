//! BRIN records (src/include/access/brin_xlog.h).

use crate::page::BlockNumber;
use crate::page::layout::c_struct;

/// `XLOG_BRIN_CREATE_INDEX`: the metapage
pub const XLOG_BRIN_CREATE_INDEX: u8 = 0x00;
/// `XLOG_BRIN_INSERT`: a summary came
pub const XLOG_BRIN_INSERT: u8 = 0x10;
/// `XLOG_BRIN_UPDATE`: a summary moved to another page
pub const XLOG_BRIN_UPDATE: u8 = 0x20;
/// `XLOG_BRIN_SAMEPAGE_UPDATE`: a summary changed in its place
pub const XLOG_BRIN_SAMEPAGE_UPDATE: u8 = 0x30;
/// `XLOG_BRIN_REVMAP_EXTEND`: one more page of the range map
pub const XLOG_BRIN_REVMAP_EXTEND: u8 = 0x40;
/// `XLOG_BRIN_DESUMMARIZE`: a summary went
pub const XLOG_BRIN_DESUMMARIZE: u8 = 0x50;
/// `XLOG_BRIN_OPMASK`
pub const XLOG_BRIN_OPMASK: u8 = 0x70;
/// `XLOG_BRIN_INIT_PAGE`: the page of the summary is made anew
pub const XLOG_BRIN_INIT_PAGE: u8 = 0x80;

c_struct! {
    /// `xl_brin_createidx`
    pub struct XlBrinCreateidx, 6 {
        /// pages of the table that one summary is of
        0 => pagesPerRange: BlockNumber,
        /// `BRIN_CURRENT_VERSION`
        4 => version: u16,
    }
}

c_struct! {
    /// `xl_brin_insert`; block 0 has the tuple, block 1 is the page of the range map.
    pub struct XlBrinInsert, 10 {
        /// the first page of the range
        0 => heapBlk: BlockNumber,
        /// pages of the table that one summary is of
        4 => pagesPerRange: BlockNumber,
        /// the number of the new item
        8 => offnum: u16,
    }
}

c_struct! {
    /// `xl_brin_update`; block 2 is the page that the summary leaves. What follows is an [`XlBrinInsert`].
    pub struct XlBrinUpdate, 4 {
        /// the number of the old item
        0 => oldOffnum: u16,
        /// what the compiler leaves out
        2 => padding: u16,
    }
}

c_struct! {
    /// `xl_brin_samepage_update`; block 0 has the tuple.
    pub struct XlBrinSamepageUpdate, 2 {
        /// the number of the item
        0 => offnum: u16,
    }
}

c_struct! {
    /// `xl_brin_revmap_extend`; block 0 is the metapage, block 1 the new page of the range map.
    pub struct XlBrinRevmapExtend, 4 {
        /// the new page
        0 => targetBlk: BlockNumber,
    }
}

c_struct! {
    /// `xl_brin_desummarize`; block 0 is the page of the range map, block 1 that of the summary.
    pub struct XlBrinDesummarize, 10 {
        /// pages of the table that one summary is of
        0 => pagesPerRange: BlockNumber,
        /// a page of the range
        4 => heapBlk: BlockNumber,
        /// the number of the item
        8 => regOffset: u16,
    }
}
