//! `PageHeaderData`, the first 24 bytes of every page (src/include/storage/bufpage.h).
//!
//! ```text
//!  0        8        10     12       14       16         18                  20            24
//!  ├ pd_lsn ┼ checksum ┼ flags ┼ pd_lower ┼ pd_upper ┼ pd_special ┼ pagesize_version ┼ prune_xid ┤
//! ```

use super::anomaly::Anomaly;
use super::field::Bit;
use super::layout::{FieldSpec, c_struct};
use super::numbers::{Lsn, TransactionId};
use super::{MAXALIGN, Page};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

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

/// there may be `LP_UNUSED` line pointers
pub const PD_HAS_FREE_LINES: u16 = 0x0001;
/// an UPDATE found no room
pub const PD_PAGE_FULL: u16 = 0x0002;
/// all tuples are visible to everybody
pub const PD_ALL_VISIBLE: u16 = 0x0004;

/// The bits of `pd_flags`.
pub const PD_FLAGS: &[Bit] = &[
    Bit::new("PD_HAS_FREE_LINES", PD_HAS_FREE_LINES as u32, "there may be LP_UNUSED line pointers to use again"),
    Bit::new("PD_PAGE_FULL", PD_PAGE_FULL as u32, "an UPDATE found no room here: the next reader should prune"),
    Bit::new("PD_ALL_VISIBLE", PD_ALL_VISIBLE as u32, "all tuples are visible to everybody"),
];

/// `PD_VALID_FLAG_BITS`
const PD_VALID_FLAG_BITS: u16 = 0x0007;
/// `PG_PAGE_LAYOUT_VERSION`, since 8.3
const PG_PAGE_LAYOUT_VERSION: u16 = 4;

impl PageHeaderData<'_> {
    /// Page size in bytes, as the header says.
    #[must_use]
    pub fn page_size(&self) -> u16 {
        self.pd_pagesize_version() & 0xFF00
    }

    /// Version of the page's layout: 4.
    #[must_use]
    pub fn layout_version(&self) -> u16 {
        self.pd_pagesize_version() & 0x00FF
    }

    /// What cannot be in the header of a page of that many bytes: the checks of `PageIsVerified`, each in words.
    #[must_use]
    pub fn anomalies(&self, size: u16) -> Vec<Anomaly> {
        let (lower, upper, special) = (self.pd_lower(), self.pd_upper(), self.pd_special());
        let unknown = self.pd_flags() & !PD_VALID_FLAG_BITS;
        let mut found = Vec::new();
        let mut check = |wrong: bool, field: usize, text: &dyn Fn() -> String| {
            if wrong {
                let FieldSpec { offset, len, .. } = Self::FIELDS[field];
                found.push(Anomaly::new(offset..offset + len, text()));
            }
        };
        check(size < Self::SIZE as u16, 0, &|| format!("the page has {size} bytes: less than its header"));
        check(unknown != 0, 2, &|| format!("pd_flags has unknown bits {unknown:#06x}"));
        check(lower < Self::SIZE as u16, 3, &|| format!("pd_lower {lower} lies within the page header"));
        check(lower > upper, 3, &|| format!("pd_lower {lower} exceeds pd_upper {upper}"));
        check(upper > special, 4, &|| format!("pd_upper {upper} exceeds pd_special {special}"));
        check(special > size, 5, &|| format!("pd_special {special} exceeds the page size {size}"));
        check(!special.is_multiple_of(MAXALIGN), 5, &|| {
            format!("pd_special {special} is not a multiple of {MAXALIGN}")
        });
        let (said, version) = (self.page_size(), self.layout_version());
        check(said != size, 6, &|| format!("page size {said} in the header, {size} bytes here"));
        check(version != PG_PAGE_LAYOUT_VERSION, 6, &|| {
            format!("page layout version {version} is not {PG_PAGE_LAYOUT_VERSION}")
        });
        found
    }
}

impl Page {
    /// What cannot be in this page's header; a page that was never written must be all zeros.
    #[must_use]
    pub fn header_anomalies(&self) -> Vec<Anomaly> {
        if !self.is_new() {
            return self.header().anomalies(self.size());
        }
        let stray = self.bytes().iter().position(|byte| *byte != 0);
        stray
            .map(|at| at as u16)
            .map(|at| {
                let text = format!(
                    "pd_upper is 0 as on a page that was never written, but byte {at} is not zero: a server says \"invalid page\""
                );
                Anomaly::new(at..at + 1, text)
            })
            .into_iter()
            .collect()
    }
}
