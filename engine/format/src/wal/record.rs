//! A record as bytes, and which page a record is about (`XLogRecord`, src/include/access/xlogrecord.h).
//!
//! ```text
//!  RecordRef   lent    its bytes are the stream's, until the stream reads on        most are looked at once
//!  Record      kept    its bytes are its own                                        a timeline's
//! ```
//!
//! A kept record has bytes of its own, so that no piece of WAL stays in memory for the sake of one record in it. It
//! stays bytes, taken apart when it is looked at: a timeline of 100,000 records is little more than their WAL.

use super::{RecordType, Rmgr, XLogRecord, crc32c};
use crate::page::{BlockNumber, ForkNumber, Lsn, Oid, Page, PgVersion};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

/// A file of a relation: `RelFileLocator` (`RelFileNode` before 16).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelFileLocator {
    /// tablespace; 1663 is `pg_default`
    pub spc: Oid,
    /// database; 0 for a shared relation
    pub db: Oid,
    /// `pg_class.relfilenode`
    pub rel: Oid,
}

/// `DEFAULTTABLESPACE_OID`: `pg_default` (src/include/catalog/pg_tablespace.dat)
pub const PG_DEFAULT: Oid = 1663;
/// `GLOBALTABLESPACE_OID`: `pg_global`
pub const PG_GLOBAL: Oid = 1664;

impl fmt::Display for RelFileLocator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.spc, self.db, self.rel)
    }
}

/// Which page a record is about: `BufferTag`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockTag {
    /// the file
    pub locator: RelFileLocator,
    /// the fork
    pub fork: ForkNumber,
    /// the block in it
    pub block: BlockNumber,
}

impl fmt::Display for BlockTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} blk {}", self.locator, self.fork.name(), self.block)
    }
}

/// A record as it stands in the WAL, put together where page headers cut it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// where it starts
    pub start: Lsn,
    /// where it ends: what `pd_lsn` of the pages becomes that it changes
    pub end: Lsn,
    /// its `xl_tot_len` bytes
    pub bytes: Arc<[u8]>,
    /// pages that stand in for images of these block ids, where the bytes of the image were replaced (redacted
    /// recordings) or need a decompressor that not every build has
    pub restored: Vec<(u8, Page)>,
    /// that it was not read: it is made of what a server told of it
    pub rebuilt: Option<Arc<Rebuilt>>,
}

/// What is not known of a record that was made of what a server told of it (`rebuild` of `ffviz_story`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rebuilt {
    /// bytes that nobody told, zero in the record, in order
    pub untold: Vec<Range<u32>>,
    /// redo would have to read main data that nobody told
    pub lacks_main_data: bool,
    /// what the server says of main data, where that could not be turned into bytes
    pub description: Option<String>,
}

/// A record whose bytes are somebody else's: those of a [`Record`], or of the stream that reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordRef<'a> {
    /// where it starts
    pub start: Lsn,
    /// where it ends
    pub end: Lsn,
    /// its `xl_tot_len` bytes
    pub bytes: &'a [u8],
    /// pages that stand in for images
    pub restored: &'a [(u8, Page)],
    /// that it was not read
    pub rebuilt: Option<&'a Arc<Rebuilt>>,
}

impl Record {
    /// A record with its images in its bytes.
    #[must_use]
    pub const fn new(start: Lsn, end: Lsn, bytes: Arc<[u8]>) -> Self {
        Self { start, end, bytes, restored: Vec::new(), rebuilt: None }
    }

    /// Lends its bytes.
    #[must_use]
    #[inline]
    pub fn lend(&self) -> RecordRef<'_> {
        let Self { start, end, bytes, restored, rebuilt } = self;
        RecordRef { start: *start, end: *end, bytes, restored, rebuilt: rebuilt.as_ref() }
    }

    /// Its header.
    #[must_use]
    pub fn header(&self) -> XLogRecord<'_> {
        XLogRecord::new(&self.bytes)
    }

    /// Which type of record it is, in WAL of that version.
    #[must_use]
    pub fn record_type(&self, version: PgVersion) -> RecordType {
        self.lend().record_type(version)
    }

    /// Name of its type, as `pg_waldump` of that version prints it.
    #[must_use]
    pub fn type_name(&self, version: PgVersion) -> String {
        let header = self.header();
        Rmgr(header.xl_rmid()).type_name(header.xl_info(), version)
    }

    /// Are these bytes known? Those of a record that was read are.
    #[must_use]
    pub fn is_told(&self, bytes: &Range<u32>) -> bool {
        self.lend().is_told(bytes)
    }

    /// Is `xl_crc` that of the bytes?
    #[must_use]
    pub fn is_crc_right(&self) -> bool {
        self.lend().is_crc_right()
    }
}

impl<'a> RecordRef<'a> {
    /// A record with its images in its bytes.
    #[must_use]
    #[inline]
    pub const fn new(start: Lsn, end: Lsn, bytes: &'a [u8]) -> Self {
        Self { start, end, bytes, restored: &[], rebuilt: None }
    }

    /// A copy to be kept.
    #[must_use]
    pub fn to_record(self) -> Record {
        let Self { start, end, bytes, restored, rebuilt } = self;
        Record { start, end, bytes: Arc::from(bytes), restored: restored.to_vec(), rebuilt: rebuilt.cloned() }
    }

    /// Its header.
    #[must_use]
    #[inline]
    pub const fn header(self) -> XLogRecord<'a> {
        XLogRecord::new(self.bytes)
    }

    /// Which type of record it is, in WAL of that version.
    #[must_use]
    #[inline]
    pub fn record_type(self, version: PgVersion) -> RecordType {
        let header = self.header();
        RecordType::decode(Rmgr(header.xl_rmid()), header.xl_info(), version)
    }

    /// What the server says of it, where main data could not be made of that.
    pub fn description(self) -> Option<&'a str> {
        self.rebuilt?.description.as_deref()
    }

    /// Are these bytes known? Those of a record that was read are.
    #[must_use]
    pub fn is_told(self, bytes: &Range<u32>) -> bool {
        let is_among = |untold: &Range<u32>| untold.start < bytes.end && bytes.start < untold.end;
        self.rebuilt.is_none_or(|rebuilt| !rebuilt.untold.iter().any(is_among))
    }

    /// Is `xl_crc` that of the bytes?
    #[must_use]
    pub fn is_crc_right(self) -> bool {
        let Some((header, rest)) = self.bytes.split_at_checked(XLogRecord::SIZE) else { return false };
        crc32c(&[rest, &header[..CRC_AT]]) == self.header().xl_crc()
    }
}

/// where `xl_crc` lies in the header
pub const CRC_AT: usize = 20;
