//! The page header in words: `pd_flags`, checksum state.

use super::look::Look;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::checksum::ChecksumState;
use ffviz_format::page::header::PD_FLAGS;
use ffviz_format::page::{Bit, Page};
use ffviz_format::state::PageId;

/// The flags that are set, by PostgreSQL's names.
#[must_use]
pub fn flag_words(pd_flags: u16) -> String {
    let set = Bit::spell(pd_flags, PD_FLAGS).into_iter().filter(|bit| bit.set);
    set.map(|bit| bit.name).collect::<Vec<_>>().join(" ")
}

/// Whether the checksum is there, and right. In a server's memory a page changes and keeps the checksum it was read
/// with; in a file it may not.
#[must_use]
pub fn checksum_words(look: &Look<'_>, id: PageId, page: &Page) -> String {
    let (checksums, is_file) = (look.state.server.data_checksums, look.state.file.is_some());
    match (page.verify_checksum(id.block), checksums) {
        (ChecksumState::None, false) if is_file => "none: data checksums are off (assumed)".to_string(),
        (ChecksumState::None, false) => "off".to_string(),
        (ChecksumState::None, true) if is_file => "none, and other pages of the file have one".to_string(),
        (ChecksumState::None, true) => "none yet: the page was not written out".to_string(),
        (ChecksumState::Correct, _) => "correct".to_string(),
        (ChecksumState::Different(right), _) if is_file => format!("wrong: the bytes give {right}"),
        (ChecksumState::Different(_), false) => "off: the one that is here is older".to_string(),
        (ChecksumState::Different(_), true) => {
            "other bytes: the page changed since it was written out, or is damaged".to_string()
        }
    }
}

/// What cannot be of a page as it was read, whoever takes it apart.
#[must_use]
pub fn damage(look: &Look<'_>, id: PageId, page: &Page) -> Vec<String> {
    let (size, whole) = (page.size(), look.state.server.block_size);
    let is_file = look.state.file.is_some();
    if size < whole {
        let there = format!("only {size} of the page's {whole} bytes are there");
        return Vec::from([if is_file { format!("{there}: the file ends within it") } else { there }]);
    }
    match page.verify_checksum(id.block) {
        ChecksumState::Different(right) if is_file => {
            let stored = page.header().pd_checksum();
            Vec::from([format!(
                "pd_checksum is {stored}, the bytes give {right}: the page is damaged, unless data checksums were turned off, which nobody told"
            )])
        }
        ChecksumState::None if is_file && look.state.server.data_checksums && !page.is_zero() => {
            Vec::from([String::from(
                "pd_checksum is 0, which no page with a checksum has, and other pages of the file have one: \
             a server that verifies checksums does not read this page",
            )])
        }
        _ => Vec::new(),
    }
}
