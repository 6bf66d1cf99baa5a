//! The page: 8 KiB (4 to 32) as PostgreSQL lays them out, src/include/storage/bufpage.h.
//!
//! ```text
//!  0          24                pd_lower          pd_upper              pd_special     8192
//!  ├─header───┼─line pointers──▶┤      hole       ├◀──────tuples────────┼──special──────┤
//! ```
//!
//! Decoding never fails: it gives what can be read, and a list of anomalies.

pub mod anomaly;
pub mod brin;
pub mod checksum;
mod compact;
pub mod field;
mod fork;
pub mod fsm;
#[cfg(test)]
pub(crate) mod garbage;
pub mod gist;
#[cfg(test)]
pub(crate) mod golden;
pub mod header;
mod header_mut;
mod index;
pub mod infomask;
mod inspect;
pub mod item_id;
pub mod kind;
pub mod layout;
pub mod maps;
pub mod memory;
pub mod nbtree;
pub mod numbers;
pub mod region;
mod repair;
#[cfg(test)]
mod tests;
pub mod version;
pub mod vm;
mod write;
mod xid;

pub use anomaly::Anomaly;
pub use checksum::ChecksumState;
pub use compact::Compaction;
pub use field::{Bit, Field};
pub use fork::ForkNumber;
pub use fsm::FsmPage;
pub use header::PageHeaderData;
pub use header_mut::HeaderMut;
pub use item_id::{ItemIdData, LpFlags, first_where};
pub use kind::PageKind;
pub use numbers::{
    BlockNumber, FIRST_NORMAL_OBJECT_ID, ItemPointer, LocationIndex, Lsn, OffsetNumber, Oid, TransactionId, bytes,
    count, thousands,
};
pub use region::{Region, RegionKind};
pub use version::{MAJORS, PgVersion};
pub use vm::{VmBits, VmPage};
pub use write::{Appender, maxalign};
pub use xid::{FIRST_NORMAL_XID, FROZEN_XID, precedes, precedes_or_equals};

use triomphe::{Arc, HeaderSlice};

/// Tuples start at multiples of this many bytes (`MAXIMUM_ALIGNOF` on every 64-bit platform).
pub const MAXALIGN: u16 = 8;
/// `BLCKSZ`: bytes of a page, unless the server was built otherwise.
pub const BLCKSZ: u16 = 8192;

/// One page: bytes that are shared between all steps in which they do not change. Their `Arc` has no weak references:
/// to ask whether others share them, before each change, takes the standard library's ten times as long as the change
/// itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page(Arc<HeaderSlice<Aligned, [u8]>>);

/// Where the bytes of a page may begin: so that a short index tuple lies within a line of the processor's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(16))]
struct Aligned;

impl Page {
    /// Takes over the bytes of a page; 4 to 32 KiB in PostgreSQL, but any length up to 64 KiB − 1 is accepted, longer
    /// input is cut.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        Self(Arc::from_header_and_slice(Aligned, &bytes[..bytes.len().min(usize::from(u16::MAX))]))
    }

    /// A page of zeros.
    #[must_use]
    pub fn zero(size: u16) -> Self {
        static ZEROS: [u8; 8192] = [0; 8192];
        ZEROS.get(..size.into()).map_or_else(|| Self::new(&alloc::vec![0; size.into()]), Self::new)
    }

    /// All bytes.
    #[must_use]
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.0.slice
    }

    /// Asks memory for what lies there and is read soon.
    #[inline]
    pub fn ask_for(&self, at: u16) {
        memory::ask_for(self.bytes(), at.into());
    }

    /// Comes what lies there from memory together with what lies at `known`, which was read?
    #[inline]
    pub fn is_at_hand(&self, at: u16, known: u16) -> bool {
        memory::are_together(self.bytes(), at.into(), known.into())
    }

    /// All bytes, to change: a page that shares its memory with others gets a copy of its own.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        if !Arc::is_unique(&self.0) {
            *self = Self::new(self.bytes());
        }
        Arc::get_mut(&mut self.0).map_or(&mut [], |bytes| &mut bytes.slice)
    }

    /// The page's size in bytes: 8192 unless the server was built otherwise.
    #[must_use]
    #[inline]
    pub fn size(&self) -> u16 {
        self.0.slice.len() as u16
    }

    /// `PageHeaderData` at the start of the page; zeros, where the page is shorter than that.
    #[must_use]
    #[inline]
    pub fn header(&self) -> PageHeaderData<'_> {
        const NONE: [u8; PageHeaderData::SIZE] = [0; PageHeaderData::SIZE];
        // a view of known length: its fields are then read without asking whether they are there
        PageHeaderData::new(self.0.slice.first_chunk().unwrap_or(&NONE))
    }

    /// Whether nothing was ever written here (`PageIsNew`).
    #[must_use]
    #[inline]
    pub fn is_new(&self) -> bool {
        self.header().pd_upper() == 0
    }

    /// Whether nothing is here at all. A page that is new by its header, and has other bytes, no server takes.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.is_new() && self.bytes().iter().all(|byte| *byte == 0)
    }

    /// Where the special space starts: `pd_special`, or the page's end where that cannot be.
    #[must_use]
    #[inline]
    pub fn special_start(&self) -> u16 {
        let special = self.header().pd_special();
        if (PageHeaderData::SIZE as u16..=self.size()).contains(&special) { special } else { self.size() }
    }

    /// Bytes between `pd_lower` and `pd_upper`: what every view calls free. A page that was never written is free as a
    /// whole.
    #[must_use]
    #[inline]
    pub fn free(&self) -> u16 {
        let header = self.header();
        // a header of zeros over rows tells nothing of free bytes
        if self.is_new() && self.is_zero() {
            return self.room();
        }
        header.pd_upper().saturating_sub(header.pd_lower()).min(self.room())
    }

    /// Bytes for line pointers and tuples: all but the page header and the special space. A page's fill is a share of
    /// them, as in `pgstatindex`.
    #[must_use]
    #[inline]
    pub fn room(&self) -> u16 {
        self.special_start().saturating_sub(PageHeaderData::SIZE as u16)
    }

    /// Number of line pointers (`PageGetMaxOffsetNumber`), as far as they lie within the page.
    #[must_use]
    #[inline]
    pub fn item_count(&self) -> u16 {
        // a shorter page has no room for one
        let Some(header) = self.0.slice.first_chunk::<{ PageHeaderData::SIZE }>() else { return 0 };
        let (header, size) = (PageHeaderData::new(header), self.size());
        if header.pd_upper() == 0 {
            return 0;
        }
        let special = header.pd_special();
        let special = if (PageHeaderData::SIZE as u16..=size).contains(&special) { special } else { size };
        header.pd_lower().min(special).saturating_sub(PageHeaderData::SIZE as u16) / ItemIdData::SIZE as u16
    }

    /// The line pointers in order, from number 1.
    #[inline]
    pub fn line_pointers(&self) -> impl Iterator<Item = (OffsetNumber, ItemIdData)> {
        (1..).zip(self.line_pointer_words()).map(|(n, word)| (OffsetNumber(n), ItemIdData::from(*word)))
    }

    /// The line pointers as they are stored.
    #[inline]
    pub fn line_pointer_words(&self) -> &[[u8; ItemIdData::SIZE]] {
        let (words, _) = self.0.slice.get(PageHeaderData::SIZE..).unwrap_or(&[]).as_chunks();
        words.get(..self.item_count().into()).unwrap_or(words)
    }

    /// Bytes of the page; those that are not there are left out.
    #[must_use]
    #[inline]
    pub fn slice(&self, bytes: core::ops::Range<u16>) -> &[u8] {
        let end = usize::from(bytes.end).min(self.0.slice.len());
        self.0.slice.get(usize::from(bytes.start)..end).unwrap_or(&[])
    }

    /// Do both share the same memory? Then they are equal, and comparing them costs nothing.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
