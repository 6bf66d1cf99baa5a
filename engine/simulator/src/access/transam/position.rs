//! Where records go: counted in bytes that are not page headers, and turned into positions (`XLogBytePosToRecPtr`,
//! `ReserveXLogInsertLocation`, xlog.c).
//!
//! ```text
//!  segment ├40┼ 8152 usable ├24┼ 8168 usable ├24┼ 8168 usable …├   a record takes MAXALIGN(xl_tot_len) of the usable bytes
//! ```

use ffviz_format::page::Lsn;
use ffviz_format::wal::{XLOG_BLCKSZ, XLogLongPageHeaderData, XLogPageHeaderData, XLogRecord, maxalign};

/// Size of a page of WAL in bytes.
const PAGE: u64 = XLOG_BLCKSZ as u64;
/// `SizeOfXLogShortPHD`
const SHORT: u64 = XLogPageHeaderData::SIZE as u64;
/// `SizeOfXLogLongPHD`
const LONG: u64 = SHORT + XLogLongPageHeaderData::SIZE as u64;
/// `UsableBytesInPage`
const USABLE: u64 = PAGE - SHORT;

/// Where the next record goes: `CurrBytePos` and `PrevBytePos` of `XLogCtlInsert`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InsertPosition {
    /// bytes a segment
    segment_size: u64,
    /// usable bytes before the next record
    curr: u64,
    /// where it starts, which follows from them
    next: Lsn,
    /// where the last record starts
    prev: Lsn,
}

/// A place for a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reserved {
    pub start: Lsn,
    pub end: Lsn,
    /// start of the record before
    pub prev: Lsn,
}

impl InsertPosition {
    /// The next record goes to `at` (behind the page header, where a page begins there); the last one started at
    /// `prev`.
    #[must_use]
    pub const fn new(at: Lsn, prev: Lsn, segment_size: u32) -> Self {
        let segment_size =
            if segment_size < XLOG_BLCKSZ { ffviz_format::wal::DEFAULT_SEGMENT_SIZE } else { segment_size };
        let empty = Self { segment_size: segment_size as u64, curr: 0, next: at, prev };
        let curr = empty.byte_pos(Lsn(maxalign(at.0)));
        Self { curr, next: empty.rec_ptr(curr), ..empty }
    }

    /// Bytes a segment.
    #[must_use]
    pub const fn segment_size(&self) -> u32 {
        self.segment_size as u32
    }

    /// Where the next record will start.
    #[must_use]
    pub const fn next_start(&self) -> Lsn {
        self.next
    }

    /// Where the last record ended: `GetXLogInsertRecPtr`, what `pg_current_wal_insert_lsn()` says.
    #[must_use]
    pub const fn insert_lsn(&self) -> Lsn {
        self.end_rec_ptr(self.curr)
    }

    /// Where the last record started.
    #[must_use]
    pub const fn prev_start(&self) -> Lsn {
        self.prev
    }

    /// `UsableBytesInSegment`
    const fn usable_in_segment(&self) -> u64 {
        self.segment_size / PAGE * USABLE - (LONG - SHORT)
    }

    /// `XLogBytePosToRecPtr`: where a record starts that has so many usable bytes before it.
    #[must_use]
    pub const fn rec_ptr(&self, bytes: u64) -> Lsn {
        let (segment, rest) = (bytes / self.usable_in_segment(), bytes % self.usable_in_segment());
        let first = PAGE - LONG;
        let offset = if rest < first {
            rest + LONG
        } else {
            PAGE + (rest - first) / USABLE * PAGE + (rest - first) % USABLE + SHORT
        };
        Lsn(segment * self.segment_size + offset)
    }

    /// `XLogBytePosToEndRecPtr`: where a record ends; before the page header, where it ends with a page.
    #[must_use]
    pub const fn end_rec_ptr(&self, bytes: u64) -> Lsn {
        let (segment, rest) = (bytes / self.usable_in_segment(), bytes % self.usable_in_segment());
        let first = PAGE - LONG;
        let offset = if rest == 0 {
            0
        } else if rest < first {
            rest + LONG
        } else {
            let (pages, on_page) = ((rest - first) / USABLE, (rest - first) % USABLE);
            PAGE + pages * PAGE + if on_page == 0 { 0 } else { on_page + SHORT }
        };
        Lsn(segment * self.segment_size + offset)
    }

    /// `XLogRecPtrToBytePos`: usable bytes before a position; a position within a page header counts as its end.
    #[must_use]
    pub const fn byte_pos(&self, at: Lsn) -> u64 {
        let (segment, offset) = (at.0 / self.segment_size, at.0 % self.segment_size);
        let (page, on_page) = (offset / PAGE, offset % PAGE);
        let before = segment * self.usable_in_segment();
        if page == 0 {
            before + on_page.saturating_sub(LONG)
        } else {
            before + (PAGE - LONG) + (page - 1) * USABLE + on_page.saturating_sub(SHORT)
        }
    }

    /// `ReserveXLogInsertLocation`: a place for a record of so many bytes.
    #[inline]
    pub(super) const fn reserve(&mut self, tot_len: u32) -> Reserved {
        let (start, length) = (self.next, maxalign(tot_len as u64));
        self.curr += length;
        // a record that ends within the page that it begins on passes no page header
        let (end, next) = if start.0 % PAGE + length < PAGE {
            (Lsn(start.0 + length), Lsn(start.0 + length))
        } else {
            (self.end_rec_ptr(self.curr), self.rec_ptr(self.curr))
        };
        let reserved = Reserved { start, end, prev: self.prev };
        (self.next, self.prev) = (next, start);
        reserved
    }

    /// `ReserveXLogSwitch`: a place for the record that ends a segment, and the rest of the segment with it; `None`
    /// where one begins here.
    pub(super) const fn reserve_switch(&mut self) -> Option<Reserved> {
        if self.insert_lsn().0.is_multiple_of(self.segment_size) {
            return None;
        }
        let place = self.reserve(XLogRecord::SIZE as u32);
        let end = Lsn(place.end.0.next_multiple_of(self.segment_size));
        self.curr = self.byte_pos(end);
        self.next = self.rec_ptr(self.curr);
        Some(Reserved { end, ..place })
    }
}
