//! WAL, write side: what an operation registers to a record's bytes, and bytes to their place
//! (src/backend/access/transam/xloginsert.c, xlog.c).
//!
//! ```text
//!  Assembly ──assemble──▶ bytes ──position──▶ start, end, xl_prev ──▶ Record … ──segments──▶ files of pg_wal
//!   blocks: page, data     images,                WalWriter             kept, or only counted
//!   main data              headers
//! ```
//!
//! Everything that is registered is borrowed until the record is inserted; a record costs no memory of its own unless
//! it is kept.

mod assemble;
mod checkpoint;
mod image;
mod kind;
mod other;
mod position;
mod segments;
mod standby;
#[cfg(test)]
mod tests;
mod writer;
mod xact;

pub use assemble::length;
pub use checkpoint::{CheckpointKind, CheckpointState, begin_checkpoint, log_checkpoint};
pub use kind::RecordKind;
pub use other::{
    XLH_TRUNCATE_CASCADE, XLH_TRUNCATE_RESTART_SEQS, log_clog_zeropage, log_committs_zeropage, log_heap_truncate,
    log_hint_image, log_multixact_create, log_multixact_zeropage, log_newpage, log_newpages, log_nextoid,
    log_smgr_create, log_smgr_truncate,
};
pub use position::InsertPosition;
pub use segments::SegmentBytes;
pub use standby::{RunningXacts, log_access_exclusive_locks, log_invalidations, log_running_xacts};
pub use writer::{BackendWal, Inserted, Keep, WalLevel, WalSettings, WalWriter};
pub use xact::{DroppedStats, XactEndRecord, XactOrigin, log_xact_assignment, log_xact_end};

use ffviz_format::wal::{BlockTag, Rmgr};

/// `REGBUF_FORCE_IMAGE`: an image in any case
pub const REGBUF_FORCE_IMAGE: u8 = 0x01;
/// `REGBUF_NO_IMAGE`: no image in any case
pub const REGBUF_NO_IMAGE: u8 = 0x02;
/// `REGBUF_WILL_INIT`: recovery makes the page anew, so no image either
pub const REGBUF_WILL_INIT: u8 = 0x04 | REGBUF_NO_IMAGE;
/// `REGBUF_STANDARD`: between `pd_lower` and `pd_upper` is a hole that an image leaves out
pub const REGBUF_STANDARD: u8 = 0x08;
/// `REGBUF_KEEP_DATA`: block data stays beside an image
pub const REGBUF_KEEP_DATA: u8 = 0x10;

/// A block that a record is about: `XLogRegisterBuffer` and `XLogRegisterBufData`.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// its number within the record; numbers ascend
    pub id: u8,
    /// which page
    pub tag: BlockTag,
    /// the page after the change, still with the `pd_lsn` from before it
    pub page: &'a [u8],
    /// `REGBUF_…`
    pub flags: u8,
    /// what is to be done to the page, in pieces that follow one another; at most 65,535 bytes
    pub data: &'a [&'a [u8]],
}

impl<'a> Block<'a> {
    /// A block without data.
    #[must_use]
    pub const fn new(id: u8, tag: BlockTag, page: &'a [u8], flags: u8) -> Self {
        Self { id, tag, page, flags, data: &[] }
    }
}

/// A record to be: everything that is registered between `XLogBeginInsert` and `XLogInsert`. `B`: the blocks, or what
/// makes them one after the other, so that nobody has to collect them.
#[derive(Debug, Clone, Copy)]
pub struct Assembly<'a, B = &'a [Block<'a>]> {
    /// resource manager
    pub rmgr: Rmgr,
    /// type of the record, and `XLR_SPECIAL_REL_UPDATE`
    pub info: u8,
    /// `XLOG_INCLUDE_ORIGIN`: does it name the replication origin of a session that has one?
    pub include_origin: bool,
    /// blocks, in ascending order of their ids
    pub blocks: B,
    /// main data, in pieces that follow one another
    pub main: &'a [&'a [u8]],
}

impl Assembly<'_> {
    /// A record without blocks and data.
    #[must_use]
    pub const fn new(rmgr: Rmgr, info: u8) -> Self {
        Self { rmgr, info, include_origin: false, blocks: &[], main: &[] }
    }
}
