//! WAL: raw bytes of segments to records, records to their parts (src/backend/access/transam/xlogreader.c);
//! the simulator's `access::transam` goes the other way.
//!
//! ```text
//!  segment bytes ──stream──▶ Record (bytes, where) ──decode──▶ DecodedRecord
//!                                                               header │ block references: image, data │ main data
//!                                                               ──image──▶ the page      ──record_type──▶ what kind
//! ```
//!
//! Nothing here knows what a record means for a page: that is `redo` of `ffviz_story`.

mod blocks;
mod crc;
pub mod decode;
mod header;
mod image;
pub mod rec;
pub mod record;
pub mod record_type;
mod rmgr;
mod segment;
mod stream;

pub use blocks::Blocks;
pub use crc::crc32c;
pub use decode::{BlockRef, DecodedRecord};
pub use header::{
    XLP_FIRST_IS_CONTRECORD, XLP_LONG_HEADER, XLR_CHECK_CONSISTENCY, XLR_SPECIAL_REL_UPDATE, XLogLongPageHeaderData,
    XLogPageHeaderData, XLogRecord,
};
pub use image::{BlockImage, Compression};
pub use record::{BlockTag, PG_DEFAULT, PG_GLOBAL, Rebuilt, Record, RecordRef, RelFileLocator};
pub use record_type::RecordType;
pub use rmgr::Rmgr;
pub use segment::Segment;
pub use stream::{EndOfWal, Lent, Next, WalStream};

use crate::page::Lsn;

/// `XLOG_BLCKSZ`: size of a page of WAL; 8192 in all packages.
pub const XLOG_BLCKSZ: u32 = 8192;
/// `wal_segment_size` unless initdb was told otherwise.
pub const DEFAULT_SEGMENT_SIZE: u32 = 16 << 20;

/// A position rounded up to where a record may start.
pub const fn maxalign(at: u64) -> u64 {
    at.saturating_add(7) & !7
}

impl Lsn {
    /// The position so many bytes on.
    #[must_use]
    pub const fn plus(self, bytes: u64) -> Self {
        Self(self.0.saturating_add(bytes))
    }
}
