//! Raw bytes of WAL to records, as they come: over page headers, pages and segments (`XLogDecodeNextRecord`, xlogreader.c).
//!
//! ```text
//!  page ├hdr┼ …record n ┼ record n+1 …   ┤├hdr┼ …rest of n+1 ┼ pad ┼ record n+2 ┤        each record starts at a multiple of 8
//!                             rem_len in the header of the next page says how much is to come
//! ```

use super::header::{XLP_FIRST_IS_CONTRECORD, XLP_FIRST_IS_OVERWRITE_CONTRECORD, XLP_LONG_HEADER};
use super::{Record, Rmgr, XLOG_BLCKSZ, XLogLongPageHeaderData, XLogPageHeaderData, XLogRecord, maxalign, page_magic};
use crate::page::layout::Wire;
use crate::page::{Lsn, PgVersion};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// No record is longer (`XLogRecordMaxSize`).
const MAX_RECORD: u32 = 1020 << 20;
/// `XLOG_SWITCH`
const XLOG_SWITCH: u8 = 0x40;
/// Bytes that were read are dropped from memory in pieces of this size: small enough that what is read next stays in the cache.
const DROP: usize = 1 << 16;

/// What comes next in the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// a record
    Record(Record),
    /// the bytes so far end within a record or before one: push more, or take this as the end
    More,
    /// here WAL ends, or is damaged
    End(EndOfWal),
}

/// Where and why no further record can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndOfWal {
    /// where the record would start
    pub at: Lsn,
    /// a sentence
    pub why: String,
    /// nothing was ever written here, or only an older segment of the same file: the usual end of WAL, no damage
    pub is_plain: bool,
}

/// A reader of WAL that is given bytes and gives records.
#[derive(Debug, Clone)]
pub struct WalStream {
    version: PgVersion,
    segment_size: u32,
    /// raw bytes from `raw_at` on
    raw: Vec<u8>,
    raw_at: Lsn,
    /// where the next record starts, or a page boundary before it
    at: Lsn,
    /// where the record before started: `xl_prev` must say so
    prev: Option<Lsn>,
    /// timeline of the last page header
    tli: u32,
    /// is `at` known to be where a record starts? Not at the beginning: there the rest of another record may come first
    aligned: bool,
    /// no further record can be read
    ended: Option<EndOfWal>,
}

/// Why a record cannot be put together now.
enum Stop {
    More,
    End(EndOfWal),
    /// the rest of the record was given up at this page: go on there
    Overwritten(Lsn),
}

impl Stop {
    /// The record that starts there is the one that cannot be read.
    fn of_record(self, start: Lsn) -> Self {
        match self {
            Self::End(end) => Self::End(EndOfWal { at: start, ..end }),
            other => other,
        }
    }
}

impl WalStream {
    /// A reader from a position on: the start of a record, or of a page or segment, where a record's rest that comes first is skipped.
    #[must_use]
    pub const fn new(start: Lsn, version: PgVersion, segment_size: u32) -> Self {
        Self {
            version,
            segment_size: if segment_size < XLOG_BLCKSZ { super::DEFAULT_SEGMENT_SIZE } else { segment_size },
            raw: Vec::new(),
            raw_at: start,
            at: start,
            prev: None,
            tli: 0,
            aligned: !start.0.is_multiple_of(XLOG_BLCKSZ as u64),
            ended: None,
        }
    }

    /// Where bytes are to be pushed from.
    #[must_use]
    pub fn wants(&self) -> Lsn {
        self.raw_at.plus(self.raw.len() as u64)
    }

    /// Where the next record starts, as far as it is known.
    #[must_use]
    pub const fn position(&self) -> Lsn {
        self.at
    }

    /// Timeline of the WAL page that was read last; 0 before the first.
    #[must_use]
    pub const fn timeline(&self) -> u32 {
        self.tli
    }

    /// More bytes, from [`Self::wants`] on.
    pub fn push(&mut self, bytes: &[u8]) {
        let read = (self.at.0.saturating_sub(self.raw_at.0) as usize).min(self.raw.len());
        if read >= DROP {
            self.raw.drain(..read);
            self.raw_at = self.raw_at.plus(read as u64);
        }
        self.raw.extend_from_slice(bytes);
    }

    /// The next record.
    #[expect(clippy::should_implement_trait, reason = "an iterator would end for good at `More`")]
    pub fn next(&mut self) -> Next {
        if let Some(end) = &self.ended {
            return Next::End(end.clone());
        }
        loop {
            match self.read() {
                Ok(record) => return Next::Record(record),
                Err(Stop::More) => return Next::More,
                Err(Stop::Overwritten(page)) => (self.at, self.prev) = (page, None),
                Err(Stop::End(end)) => {
                    self.ended = Some(end.clone());
                    return Next::End(end);
                }
            }
        }
    }

    fn read(&mut self) -> Result<Record, Stop> {
        self.align()?;
        let start = self.start_of_record()?;
        let tot_len = u32::get(self.bytes(start, 4)?);
        if tot_len < XLogRecord::SIZE as u32 || tot_len > MAX_RECORD {
            let why = if tot_len == 0 {
                String::from("nothing is written here")
            } else {
                format!("a record of {tot_len} bytes cannot be")
            };
            return Err(self.end_at(start, why, tot_len == 0));
        }
        let (bytes, after) = self.gather(start, tot_len)?;
        let mut record = Record::new(start, Lsn(maxalign(after.0)), bytes);
        self.check(&record)?;
        let header = record.header();
        if Rmgr(header.xl_rmid()) == Rmgr::XLOG && header.xl_info() & 0xF0 == XLOG_SWITCH {
            // the rest of the segment is left unused
            let size = u64::from(self.segment_size);
            record.end = Lsn((record.end.0.saturating_sub(1) / size + 1).saturating_mul(size));
        }
        (self.at, self.prev) = (record.end, Some(start));
        Ok(record)
    }

    /// At the beginning of the stream: past the rest of a record that began before it.
    fn align(&mut self) -> Result<(), Stop> {
        while !self.aligned {
            let (_, rest) = self.page_header(self.at)?;
            let first = self.at.plus(self.header_size(self.at));
            let room = u64::from(XLOG_BLCKSZ) - first.0 % u64::from(XLOG_BLCKSZ);
            if u64::from(rest) < room {
                self.at = if rest == 0 { self.at } else { Lsn(maxalign(first.plus(u64::from(rest)).0)) };
                self.aligned = true;
            } else {
                self.at = first.plus(room);
                self.aligned = u64::from(rest) == room;
            }
        }
        Ok(())
    }

    /// Where the next record starts, behind the page header if `at` is a page's start.
    fn start_of_record(&mut self) -> Result<Lsn, Stop> {
        if !self.at.0.is_multiple_of(u64::from(XLOG_BLCKSZ)) {
            return Ok(self.at);
        }
        let (info, rest) = self.page_header(self.at)?;
        if info & XLP_FIRST_IS_CONTRECORD != 0 && rest > 0 && self.prev.is_some() {
            let why = format!("the page says that {rest} bytes of a record before it follow, and there is none");
            return Err(self.end_at(self.at, why, false));
        }
        Ok(self.at.plus(self.header_size(self.at)))
    }

    /// The bytes of a record, and the position after them.
    fn gather(&mut self, start: Lsn, tot_len: u32) -> Result<(Arc<[u8]>, Lsn), Stop> {
        let room = |at: Lsn| u64::from(XLOG_BLCKSZ) - at.0 % u64::from(XLOG_BLCKSZ);
        let mut left = u64::from(tot_len);
        if left <= room(start) {
            return Ok((Arc::from(self.bytes(start, tot_len as usize)?), start.plus(left)));
        }
        // all headers first, so that a long record is copied once, however small the pieces are in which it comes
        let mut pieces = Vec::new();
        let mut at = start;
        loop {
            let piece = left.min(room(at));
            self.bytes(at, piece as usize)?;
            pieces.push((at, piece as usize));
            (at, left) = (at.plus(piece), left - piece);
            if left == 0 {
                break;
            }
            let (info, rest) = self.page_header(at).map_err(|stop| stop.of_record(start))?;
            if info & XLP_FIRST_IS_OVERWRITE_CONTRECORD != 0 {
                return Err(Stop::Overwritten(at));
            }
            if info & XLP_FIRST_IS_CONTRECORD == 0 || u64::from(rest) != left {
                let why = format!("the record goes on for {left} bytes, the page at {at} says {rest}");
                return Err(self.end_at(start, why, false));
            }
            at = at.plus(self.header_size(at));
        }
        let mut gathered = Vec::with_capacity(tot_len as usize);
        for (from, length) in pieces {
            gathered.extend_from_slice(self.bytes(from, length)?);
        }
        Ok((Arc::from(gathered), at))
    }

    fn check(&self, record: &Record) -> Result<(), Stop> {
        let prev = Lsn(record.header().xl_prev());
        if self.prev.is_some_and(|known| known != prev) || prev >= record.start {
            return Err(self.end_at(record.start, format!("xl_prev is {prev}, which is not the record before"), false));
        }
        if !record.is_crc_right() {
            return Err(self.end_at(record.start, String::from("the record's CRC is wrong"), false));
        }
        Ok(())
    }

    /// Checks the header of the page at a position: `xlp_info` and `xlp_rem_len`.
    fn page_header(&mut self, at: Lsn) -> Result<(u16, u32), Stop> {
        let size = self.header_size(at) as usize;
        let bytes = self.bytes(at, size)?;
        let header = XLogPageHeaderData::new(bytes);
        let (magic, address) = (header.xlp_magic(), Lsn(header.xlp_pageaddr()));
        let (info, rest, tli) = (header.xlp_info(), header.xlp_rem_len(), header.xlp_tli());
        let is_long = size > XLogPageHeaderData::SIZE;
        let segment_size =
            XLogLongPageHeaderData::new(bytes.get(XLogPageHeaderData::SIZE..).unwrap_or(&[])).xlp_seg_size();
        if magic == 0 {
            return Err(self.end_at(at, String::from("nothing is written here"), true));
        }
        if magic != page_magic(self.version.major()) {
            let (major, wanted) = (self.version.major(), page_magic(self.version.major()));
            return Err(self.end_at(
                at,
                format!("this is no WAL of PostgreSQL {major}: magic {magic:04X}, not {wanted:04X}"),
                false,
            ));
        }
        if address != at {
            return Err(self.end_at(at, format!("the page is that of {address}, an older use of the file"), true));
        }
        if is_long != (info & XLP_LONG_HEADER != 0) || (is_long && segment_size != self.segment_size) {
            return Err(self.end_at(
                at,
                format!("the header does not fit segments of {} bytes", self.segment_size),
                false,
            ));
        }
        self.tli = tli;
        Ok((info, rest))
    }

    /// Bytes of the header of the page at a position.
    const fn header_size(&self, at: Lsn) -> u64 {
        let short = XLogPageHeaderData::SIZE as u64;
        if at.0.is_multiple_of(self.segment_size as u64) { short + XLogLongPageHeaderData::SIZE as u64 } else { short }
    }

    fn bytes(&self, at: Lsn, length: usize) -> Result<&[u8], Stop> {
        let from = at.0.saturating_sub(self.raw_at.0) as usize;
        self.raw.get(from..from.saturating_add(length)).ok_or(Stop::More)
    }

    fn end_at(&self, at: Lsn, why: String, is_plain: bool) -> Stop {
        Stop::End(EndOfWal { at, why, is_plain })
    }
}
