//! Records laid into the pages of segments: the files of pg_wal (`CopyXLogRecordToWAL`, `AdvanceXLInsertBuffer`,
//! src/backend/access/transam/xlog.c).
//!
//! ```text
//!  ├long header┼ records …  ┼ first part of a record ┤├short header┼ its rest ┼ records …
//!                                                       XLP_FIRST_IS_CONTRECORD, xlp_rem_len
//! ```

use alloc::vec::Vec;
use ffviz_format::page::PgVersion;
use ffviz_format::wal::{
    Record, Segment, XLOG_BLCKSZ, XLP_FIRST_IS_CONTRECORD, XLP_LONG_HEADER, XLogLongPageHeaderData, XLogPageHeaderData,
};

/// Size of a page of WAL in bytes.
const PAGE: usize = XLOG_BLCKSZ as usize;
/// `XLP_BKP_REMOVABLE`: no base backup runs that would need the images
const XLP_BKP_REMOVABLE: u16 = 4;

/// Segments in the making: whole segments from the one of the first record on, zeros where nothing is written.
#[derive(Debug, Clone)]
pub struct SegmentBytes {
    major: u32,
    system_identifier: u64,
    first: Segment,
    bytes: Vec<u8>,
}

impl SegmentBytes {
    /// Segments from that of a position on.
    #[must_use]
    pub const fn new(major: u32, system_identifier: u64, first: Segment) -> Self {
        Self { major, system_identifier, first, bytes: Vec::new() }
    }

    /// Lays a record in its place. Records come in the order of their positions.
    pub fn push(&mut self, record: &Record) {
        let mut at = (record.start.0 - self.first.start().0) as usize;
        self.pages_up_to(at);
        let mut rest: &[u8] = &record.bytes;
        loop {
            let room = PAGE - at % PAGE;
            let (now, later) = rest.split_at(rest.len().min(room));
            self.bytes[at..at + now.len()].copy_from_slice(now);
            rest = later;
            if rest.is_empty() {
                break;
            }
            at = self.add_page(rest.len() as u32);
        }
        // after XLOG_SWITCH the rest of the segment is zeros, without headers
        let end = (record.end.0 - self.first.start().0) as usize;
        self.bytes.resize(end.max(self.bytes.len()), 0);
    }

    /// Headers of the pages up to that of a position within the segments. What stands on its page before it is not
    /// known; readers skip it as the rest of an earlier record.
    fn pages_up_to(&mut self, at: usize) {
        while self.bytes.len() <= at {
            let start = self.bytes.len();
            let before = at.saturating_sub(start + self.header_size(start));
            self.add_page(if at - start < PAGE { before as u32 } else { 0 });
        }
    }

    /// Bytes of the header of the page at a position.
    const fn header_size(&self, start: usize) -> usize {
        let is_long = start.is_multiple_of(self.first.size as usize);
        XLogPageHeaderData::SIZE + if is_long { XLogLongPageHeaderData::SIZE } else { 0 }
    }

    /// A page with its header; gives the position behind it.
    fn add_page(&mut self, rem_len: u32) -> usize {
        let start = self.bytes.len();
        let size = self.header_size(start);
        let is_long = size > XLogPageHeaderData::SIZE;
        self.bytes.resize(start + PAGE, 0);
        let page = &mut self.bytes[start..];
        let info = XLP_BKP_REMOVABLE
            | if is_long { XLP_LONG_HEADER } else { 0 }
            | if rem_len > 0 { XLP_FIRST_IS_CONTRECORD } else { 0 };
        let address = self.first.start().0 + start as u64;
        let header = XLogPageHeaderData::make(
            PgVersion::of_major(self.major).page_magic(),
            info,
            self.first.tli,
            address,
            rem_len,
        );
        page[..header.len()].copy_from_slice(&header);
        if is_long {
            let long = XLogLongPageHeaderData::make(self.system_identifier, self.first.size, XLOG_BLCKSZ);
            page[header.len()..size].copy_from_slice(&long);
        }
        start + size
    }

    /// The segments, each with all its bytes.
    #[must_use]
    pub fn finish(mut self) -> Vec<(Segment, Vec<u8>)> {
        let size = self.first.size as usize;
        self.bytes.resize(self.bytes.len().next_multiple_of(size), 0);
        let numbered = self.bytes.chunks_exact(size).zip(self.first.number..);
        numbered.map(|(bytes, number)| (Segment { number, ..self.first }, bytes.to_vec())).collect()
    }
}
