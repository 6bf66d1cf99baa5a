//! Checksums of pages on their way to disk and back (`PageSetChecksumCopy`, `PageSetChecksumInplace`, `PageIsVerified`,
//! src/backend/storage/page/bufpage.c).
//!
//! ```text
//!  memory  page, pd_checksum as it was read ── written ──▶ disk  page, pd_checksum of these bytes ── read ──▶ the same bytes still?
//! ```

use super::Instance;
use super::buffers::Buffer;
use alloc::format;
use alloc::string::String;
use ffviz_format::page::{BlockNumber, Page, PageHeaderData};

/// `PD_VALID_FLAG_BITS`
const VALID_FLAG_BITS: u16 = 0x0007;

/// What is wrong with a page that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidPage {
    /// the checksum that its bytes give, and that in its header, where they differ
    pub checksums: Option<(u16, u16)>,
    /// does the header make sense? Then `ignore_checksum_failure` lets the page pass
    pub header_sane: bool,
}

impl InvalidPage {
    /// What the server's log says of the checksum.
    #[must_use]
    pub fn checksum_message(self) -> Option<String> {
        let (calculated, expected) = self.checksums?;
        Some(format!("page verification failed, calculated checksum {calculated} but expected {expected}"))
    }
}

/// `PageIsVerified`: may a page be used that was read? Its checksum is compared where the server has them; a page of
/// zeros may always.
///
/// # Errors
/// What is wrong with it.
pub fn page_is_verified(page: &Page, block: BlockNumber, data_checksums: bool) -> Result<(), InvalidPage> {
    let header = page.header();
    let (lower, upper, special) = (header.pd_lower(), header.pd_upper(), header.pd_special());
    let mut invalid = InvalidPage { checksums: None, header_sane: false };
    // a page without pd_upper is new, if it is a page at all
    if upper != 0 {
        let (calculated, expected) = (page.checksum(block).unwrap_or(0), header.pd_checksum());
        invalid.checksums = Some((calculated, expected)).filter(|_| data_checksums && calculated != expected);
        invalid.header_sane = header.pd_flags() & !VALID_FLAG_BITS == 0
            && lower <= upper
            && upper <= special
            && usize::from(special) <= page.bytes().len()
            && special % 8 == 0;
        if invalid.header_sane && invalid.checksums.is_none() {
            return Ok(());
        }
    }
    if page.bytes().iter().all(|byte| *byte == 0) { Ok(()) } else { Err(invalid) }
}

impl Instance {
    /// `PageSetChecksumCopy`: what is written has a checksum, the page in memory keeps the one that it was read with.
    #[must_use]
    pub fn with_checksum(&self, mut page: Page, buf: Buffer) -> Page {
        if self.settings.data_checksums {
            set_checksum(&mut page, buf.block);
        }
        page
    }

    /// `PageSetChecksumInplace` and `smgrwrite`: the page goes to disk past the buffers, and whoever reads it later
    /// finds it as it was written.
    pub fn write_in_place(&mut self, buf: Buffer) {
        let page = self.buffers.page_mut(buf);
        if self.settings.data_checksums {
            set_checksum(page, buf.block);
        }
        self.buffers.written(buf);
        self.buffers.written_past(buf);
    }
}

/// The checksum of a page in its header; a new page has none.
fn set_checksum(page: &mut Page, block: BlockNumber) {
    if !page.is_new() {
        let sum = page.checksum(block).unwrap_or(0);
        page.write(PageHeaderData::bytes_of("pd_checksum", 0).start, &sum);
    }
}
