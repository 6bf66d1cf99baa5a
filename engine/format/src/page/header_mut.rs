//! A page's header to change, while the items are in nobody's way (`PageSetLSN`, `PageSetPrunable`,
//! src/include/storage/bufpage.h).

use super::{Lsn, Page, PageHeaderData, TransactionId, precedes};

/// The fields of a page's header that say nothing of where its items are, to change.
#[derive(Debug)]
pub struct HeaderMut<'a>(&'a mut [u8; PageHeaderData::SIZE]);

impl<'a> HeaderMut<'a> {
    /// Those of a page.
    ///
    /// # Panics
    /// Where it is no longer than a header.
    #[inline]
    pub fn of(page: &'a mut Page) -> Self {
        // asked for once: a page may share its memory with others, and to find out takes time
        Self::at_start(page.bytes_mut()).0
    }

    /// Those of the page that begins with these bytes, and what comes after them.
    #[inline]
    #[must_use]
    pub fn at_start(bytes: &'a mut [u8]) -> (Self, &'a mut [u8]) {
        let (header, rest) = bytes.split_first_chunk_mut().expect("a page is longer than its header");
        (Self(header), rest)
    }

    /// The header as it is.
    #[must_use]
    #[inline]
    pub const fn header(&self) -> PageHeaderData<'_> {
        PageHeaderData::new(self.0)
    }

    /// Sets `pd_lsn`.
    #[inline]
    pub fn set_pd_lsn(&mut self, lsn: Lsn) {
        PageHeaderData::edit(self.0).pd_lsn(lsn);
    }

    /// Sets `pd_flags`.
    #[inline]
    pub fn set_pd_flags(&mut self, flags: u16) {
        PageHeaderData::edit(self.0).pd_flags(flags);
    }

    /// Sets `pd_prune_xid`.
    #[inline]
    pub fn set_pd_prune_xid(&mut self, xid: TransactionId) {
        PageHeaderData::edit(self.0).pd_prune_xid(xid);
    }

    /// `PageSetPrunable`: the oldest xid that leaves something to prune.
    #[inline]
    pub fn set_prunable(&mut self, xid: TransactionId) {
        let known = self.header().pd_prune_xid();
        if known == 0 || precedes(xid, known) {
            self.set_pd_prune_xid(xid);
        }
    }
}
