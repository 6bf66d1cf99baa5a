//! The page header in words: `pd_flags`, checksum state.

use super::look::Look;
use crate::page::checksum::ChecksumState;
use crate::page::header::PD_FLAGS;
use crate::page::{Bit, Page};
use crate::storage::PageId;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The flags that are set, by PostgreSQL's names.
#[must_use]
pub fn flag_words(pd_flags: u16) -> String {
    let set = Bit::spell(pd_flags, PD_FLAGS).into_iter().filter(|bit| bit.set);
    set.map(|bit| bit.name).collect::<Vec<_>>().join(" ")
}

/// Whether the checksum is there, and right.
#[must_use]
pub fn checksum_words(look: &Look<'_>, id: PageId, page: &Page) -> String {
    match (page.verify_checksum(id.block), look.state.server.data_checksums) {
        (ChecksumState::None, false) => "off".to_string(),
        (ChecksumState::None, true) => "none yet: the page was not written out".to_string(),
        (ChecksumState::Correct, _) => "correct".to_string(),
        (ChecksumState::Different(_), _) => "other bytes: the page changed since it was written out".to_string(),
    }
}
