//! GiST records (src/include/access/gistxlog.h).

use crate::page::layout::c_struct;

/// `XLOG_GIST_PAGE_UPDATE`: items of a page went and came
pub const XLOG_GIST_PAGE_UPDATE: u8 = 0x00;

c_struct! {
    /// `gistxlogPageUpdate`: the numbers of the items that went, then the tuples that came, are data of the page.
    pub struct GistxlogPageUpdate, 4 {
        /// how many items went
        0 => ntodelete: u16,
        /// how many tuples came
        2 => ntoinsert: u16,
    }
}
