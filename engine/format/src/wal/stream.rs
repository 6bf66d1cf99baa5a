//! Raw bytes of WAL to records, as they come: over page headers, pages and segments (`XLogDecodeNextRecord`,
//! xlogreader.c).
//!
//! ```text
//!  page ├hdr┼ …record n ┼ record n+1 …   ┤├hdr┼ …rest of n+1 ┼ pad ┼ record n+2 ┤        each record starts at a multiple of 8
//!                             rem_len in the header of the next page says how much is to come
//! ```

use super::header::{XLP_FIRST_IS_CONTRECORD, XLP_FIRST_IS_OVERWRITE_CONTRECORD, XLP_LONG_HEADER};
use super::record_type::{XLR_RMGR_INFO_MASK, XlogType};
use super::{Record, RecordRef, Rmgr, XLOG_BLCKSZ, XLogLongPageHeaderData, XLogPageHeaderData, XLogRecord, maxalign};
use crate::page::layout::Wire;
use crate::page::{Lsn, PgVersion};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::convert::Infallible;
use core::ops::Range;

/// No record is longer (`XLogRecordMaxSize`).
const MAX_RECORD: u32 = 1020 << 20;
/// Memory for a record that is put together is kept for the next one, up to this size.
const KEPT: usize = 1 << 16;

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

/// The same, the record lent until the stream reads on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lent<'a> {
    /// a record
    Record(RecordRef<'a>),
    /// push more, or take this as the end
    More,
    /// here WAL ends, or is damaged
    End(EndOfWal),
}

/// Where and why no further record can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndOfWal {
    /// where the record would start
    pub at: Lsn,
    /// up to where it was looked at: a page, or a record's end
    pub looked_to: Lsn,
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
    /// raw bytes from `raw_at` on, `filled` of them; behind these there is room for more
    raw: Vec<u8>,
    raw_at: Lsn,
    filled: usize,
    /// the record that was last put together of pieces
    gathered: Vec<u8>,
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

/// A record that was found; its bytes are in `raw`, or put together in `gathered`.
struct Found {
    start: Lsn,
    end: Lsn,
    raw: Option<Range<usize>>,
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
    /// A reader from a position on: the start of a record, or of a page or segment, where a record's rest that comes
    /// first is skipped.
    #[must_use]
    pub const fn new(start: Lsn, version: PgVersion, segment_size: u32) -> Self {
        Self {
            version,
            segment_size: if segment_size < XLOG_BLCKSZ { super::DEFAULT_SEGMENT_SIZE } else { segment_size },
            raw: Vec::new(),
            raw_at: start,
            filled: 0,
            gathered: Vec::new(),
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
        self.raw_at.plus(self.filled as u64)
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
        let all = self.fill(bytes.len(), |room| {
            room.copy_from_slice(bytes);
            Ok::<_, Infallible>(bytes.len())
        });
        debug_assert_eq!(all, Ok(bytes.len()));
    }

    /// More bytes, from [`Self::wants`] on, without a copy: `read` writes up to so many of them, and says how many.
    ///
    /// # Errors
    /// What `read` says; then there are no more.
    pub fn fill<E>(&mut self, length: usize, read: impl FnOnce(&mut [u8]) -> Result<usize, E>) -> Result<usize, E> {
        // what was read goes as soon as there is less to move than goes: memory stays small, and each byte is moved
        // once at most
        let done = (self.at.0.saturating_sub(self.raw_at.0) as usize).min(self.filled);
        if done >= self.filled - done {
            self.raw.copy_within(done..self.filled, 0);
            self.filled -= done;
            self.raw_at = self.raw_at.plus(done as u64);
        }
        let end = self.filled.saturating_add(length);
        if self.raw.len() < end {
            self.raw.resize(end, 0);
        }
        let read = read(&mut self.raw[self.filled..end])?.min(length);
        self.filled += read;
        Ok(read)
    }

    /// The next record, to be kept.
    #[expect(clippy::should_implement_trait, reason = "an iterator would end for good at `More`")]
    pub fn next(&mut self) -> Next {
        match self.lend() {
            Lent::Record(record) => Next::Record(record.to_record()),
            Lent::More => Next::More,
            Lent::End(end) => Next::End(end),
        }
    }

    /// The next record, its bytes lent: neither memory nor, unless page headers cut it, a copy is made for it.
    pub fn lend(&mut self) -> Lent<'_> {
        if let Some(end) = &self.ended {
            return Lent::End(end.clone());
        }
        loop {
            match self.read() {
                Ok(found) => return Lent::Record(self.record(&found)),
                Err(Stop::More) => return Lent::More,
                Err(Stop::Overwritten(page)) => (self.at, self.prev) = (page, None),
                Err(Stop::End(end)) => {
                    self.ended = Some(end.clone());
                    return Lent::End(end);
                }
            }
        }
    }

    #[inline]
    fn record(&self, found: &Found) -> RecordRef<'_> {
        let bytes = match &found.raw {
            Some(raw) => self.raw.get(raw.clone()).unwrap_or(&[]),
            None => &self.gathered,
        };
        RecordRef::new(found.start, found.end, bytes)
    }

    #[inline]
    fn read(&mut self) -> Result<Found, Stop> {
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
        let room = u64::from(XLOG_BLCKSZ) - start.0 % u64::from(XLOG_BLCKSZ);
        let (raw, after) = if u64::from(tot_len) <= room {
            (Some(self.range(start, tot_len as usize)?), start.plus(tot_len.into()))
        } else {
            (None, self.gather(start, tot_len)?)
        };
        let mut found = Found { start, end: Lsn(maxalign(after.0)), raw };
        let record = self.record(&found);
        self.check(record)?;
        let header = record.header();
        if Rmgr(header.xl_rmid()) == Rmgr::XLOG && header.xl_info() & XLR_RMGR_INFO_MASK == XlogType::Switch.info() {
            // the rest of the segment is left unused
            let size = u64::from(self.segment_size);
            found.end = Lsn((found.end.0.saturating_sub(1) / size + 1).saturating_mul(size));
        }
        (self.at, self.prev) = (found.end, Some(start));
        Ok(found)
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

    /// Puts a record together that goes on on further pages: the position after it.
    fn gather(&mut self, start: Lsn, tot_len: u32) -> Result<Lsn, Stop> {
        let room = |at: Lsn| u64::from(XLOG_BLCKSZ) - at.0 % u64::from(XLOG_BLCKSZ);
        let mut left = u64::from(tot_len);
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
                return Err(self.end_at(at, why, false).of_record(start));
            }
            at = at.plus(self.header_size(at));
        }
        let mut gathered = core::mem::take(&mut self.gathered);
        gathered.clear();
        gathered.shrink_to(KEPT);
        gathered.reserve_exact(tot_len as usize);
        for (from, length) in pieces {
            gathered.extend_from_slice(self.bytes(from, length)?);
        }
        self.gathered = gathered;
        Ok(at)
    }

    #[inline]
    fn check(&self, record: RecordRef<'_>) -> Result<(), Stop> {
        let prev = Lsn(record.header().xl_prev());
        if self.prev.is_some_and(|known| known != prev) || prev >= record.start {
            return Err(self.end_at(record.start, format!("xl_prev is {prev}, which is not the record before"), false));
        }
        if !record.is_crc_right() {
            let stop = self.end_at(record.end, String::from("the record's CRC is wrong"), false);
            return Err(stop.of_record(record.start));
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
        if magic != self.version.page_magic() {
            let (major, wanted) = (self.version.major(), self.version.page_magic());
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

    #[inline]
    fn bytes(&self, at: Lsn, length: usize) -> Result<&[u8], Stop> {
        let range = self.range(at, length)?;
        self.raw.get(range).ok_or(Stop::More)
    }

    /// Where these bytes are in `raw`.
    #[inline]
    fn range(&self, at: Lsn, length: usize) -> Result<Range<usize>, Stop> {
        let from = at.0.saturating_sub(self.raw_at.0) as usize;
        let end = from.saturating_add(length);
        if end <= self.filled { Ok(from..end) } else { Err(Stop::More) }
    }

    fn end_at(&self, at: Lsn, why: String, is_plain: bool) -> Stop {
        Stop::End(EndOfWal { at, looked_to: at, why, is_plain })
    }
}
