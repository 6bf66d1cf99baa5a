//! Checksums of pages on their way to disk (`PageSetChecksumCopy`, `PageSetChecksumInplace`, src/backend/storage/page/bufpage.c).
//!
//! ```text
//!  memory  page, pd_checksum as it was read ── written ──▶ disk  page, pd_checksum of these bytes
//! ```

use super::Instance;
use super::buffers::Buffer;
use crate::page::{Page, PageHeaderData};

impl Instance {
    /// `PageSetChecksumCopy`: what is written has a checksum, the page in memory keeps the one that it was read with.
    #[must_use]
    pub fn with_checksum(&self, mut page: Page, buf: Buffer) -> Page {
        if self.settings.data_checksums && !page.is_new() {
            let sum = page.checksum(buf.block).unwrap_or(0);
            page.write(PageHeaderData::bytes_of("pd_checksum", 0).start, &sum);
        }
        page
    }

    /// `PageSetChecksumInplace` and `smgrwrite`: the page goes to disk past the buffers, and whoever reads it later finds it as it was written.
    pub fn write_in_place(&mut self, buf: Buffer) {
        let page = self.with_checksum(self.buffers.page(buf).clone(), buf);
        *self.buffers.page_mut(buf) = page;
        self.buffers.written(buf);
    }
}
