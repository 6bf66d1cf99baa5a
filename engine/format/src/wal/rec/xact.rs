//! Transaction records (src/include/access/xact.h; `ParseCommitRecord`, `ParsePrepareRecord`,
//! src/backend/access/rmgrdesc/xactdesc.c).
//!
//! ```text
//!  COMMIT, ABORT   xact_time │ xinfo │ dbinfo │ subxacts │ files dropped │ statistics dropped │ messages │ 2PC xid, gid │ origin
//!                  8           only if xl_info has 0x80; each further part only if xinfo has its bit
//! ```

use super::standby::MESSAGE_SIZE;
use super::{Cut, Part, RelFileLocator, TimestampTz, XLogRecPtr};
use crate::page::PgVersion;
use crate::page::layout::{Wire, c_struct};

/// `XLOG_XACT_HAS_INFO` in `xl_info`
pub const XLOG_XACT_HAS_INFO: u8 = 0x80;
/// `XACT_XINFO_HAS_DBINFO`
pub const XACT_XINFO_HAS_DBINFO: u32 = 1;
/// `XACT_XINFO_HAS_SUBXACTS`
pub const XACT_XINFO_HAS_SUBXACTS: u32 = 1 << 1;
/// `XACT_XINFO_HAS_RELFILELOCATORS`
pub const XACT_XINFO_HAS_RELFILELOCATORS: u32 = 1 << 2;
/// `XACT_XINFO_HAS_INVALS`
pub const XACT_XINFO_HAS_INVALS: u32 = 1 << 3;
/// `XACT_XINFO_HAS_TWOPHASE`
pub const XACT_XINFO_HAS_TWOPHASE: u32 = 1 << 4;
/// `XACT_XINFO_HAS_ORIGIN`
pub const XACT_XINFO_HAS_ORIGIN: u32 = 1 << 5;
/// `XACT_XINFO_HAS_AE_LOCKS`
pub const XACT_XINFO_HAS_AE_LOCKS: u32 = 1 << 6;
/// `XACT_XINFO_HAS_GID`
pub const XACT_XINFO_HAS_GID: u32 = 1 << 7;
/// `XACT_XINFO_HAS_DROPPED_STATS`, from 15 on
pub const XACT_XINFO_HAS_DROPPED_STATS: u32 = 1 << 8;
/// `XACT_COMPLETION_APPLY_FEEDBACK`
pub const XACT_COMPLETION_APPLY_FEEDBACK: u32 = 1 << 29;
/// `XACT_COMPLETION_UPDATE_RELCACHE_FILE`
pub const XACT_COMPLETION_UPDATE_RELCACHE_FILE: u32 = 1 << 30;
/// `XACT_COMPLETION_FORCE_SYNC_COMMIT`
pub const XACT_COMPLETION_FORCE_SYNC_COMMIT: u32 = 1 << 31;

c_struct! {
    /// `xl_xact_commit` and `xl_xact_abort`, their fixed part.
    pub struct XlXactEnd, 8 {
        /// when the transaction ended
        0 => xact_time: TimestampTz,
    }
}

c_struct! {
    /// `xl_xact_xinfo`
    pub struct XlXactXinfo, 4 {
        /// which parts follow
        0 => xinfo: u32,
    }
}

c_struct! {
    /// `xl_xact_dbinfo`
    pub struct XlXactDbinfo, 8 {
        /// database
        0 => dbId: u32,
        /// its tablespace
        4 => tsId: u32,
    }
}

c_struct! {
    /// `xl_xact_origin`: where a replicated transaction committed first.
    pub struct XlXactOrigin, 16 {
        /// position of the commit there
        0 => origin_lsn: XLogRecPtr,
        /// when it committed there
        8 => origin_timestamp: TimestampTz,
    }
}

c_struct! {
    /// `xl_xact_stats_item` of 18: statistics that go with the transaction.
    pub struct XlXactStatsItem, 16 {
        /// kind of statistics
        0 => kind: i32,
        /// database
        4 => dboid: u32,
        /// object, low half
        8 => objid_lo: u32,
        /// object, high half
        12 => objid_hi: u32,
    }
}

c_struct! {
    /// `xl_xact_stats_item` of 15 to 17.
    pub struct XlXactStatsItem15, 12 {
        /// kind of statistics
        0 => kind: i32,
        /// database
        4 => dboid: u32,
        /// object
        8 => objoid: u32,
    }
}

c_struct! {
    /// `xl_xact_assignment`: ASSIGNMENT; the subtransactions follow.
    pub struct XlXactAssignment, 8 {
        /// their top-level transaction
        0 => xtop: u32,
        /// how many subtransactions
        4 => nsubxacts: i32,
    }
}

c_struct! {
    /// `xl_xact_invals`: INVALIDATION; the messages follow.
    pub struct XlXactInvals, 4 {
        /// how many messages
        0 => nmsgs: i32,
    }
}

c_struct! {
    /// `xl_xact_prepare` of 15 and later: PREPARE.
    pub struct XlXactPrepare, 72 {
        /// 0x57F94534
        0 => magic: u32,
        /// bytes of the state
        4 => total_len: u32,
        /// the transaction
        8 => xid: u32,
        /// its database
        12 => database: u32,
        /// when it was prepared
        16 => prepared_at: TimestampTz,
        /// user who prepared it
        24 => owner: u32,
        /// how many subtransactions
        28 => nsubxacts: i32,
        /// how many files a commit removes
        32 => ncommitrels: i32,
        /// how many files an abort removes
        36 => nabortrels: i32,
        /// how many statistics a commit removes
        40 => ncommitstats: i32,
        /// how many statistics an abort removes
        44 => nabortstats: i32,
        /// how many invalidation messages
        48 => ninvalmsgs: i32,
        /// does the relation cache's file have to be made anew?
        52 => initfileinval: bool,
        /// alignment
        53 => padding: u8,
        /// bytes of the gid
        54 => gidlen: u16,
        /// position of the prepare where it was made first
        56 => origin_lsn: XLogRecPtr,
        /// when it was prepared there
        64 => origin_timestamp: TimestampTz,
    }
}

c_struct! {
    /// `xl_xact_prepare` of 13 and 14.
    pub struct XlXactPrepare13, 64 {
        /// 0x57F94534
        0 => magic: u32,
        /// bytes of the state
        4 => total_len: u32,
        /// the transaction
        8 => xid: u32,
        /// its database
        12 => database: u32,
        /// when it was prepared
        16 => prepared_at: TimestampTz,
        /// user who prepared it
        24 => owner: u32,
        /// how many subtransactions
        28 => nsubxacts: i32,
        /// how many files a commit removes
        32 => ncommitrels: i32,
        /// how many files an abort removes
        36 => nabortrels: i32,
        /// how many invalidation messages
        40 => ninvalmsgs: i32,
        /// does the relation cache's file have to be made anew?
        44 => initfileinval: bool,
        /// alignment
        45 => padding: u8,
        /// bytes of the gid
        46 => gidlen: u16,
        /// position of the prepare where it was made first
        48 => origin_lsn: XLogRecPtr,
        /// when it was prepared there
        56 => origin_timestamp: TimestampTz,
    }
}

/// A list within a COMMIT or ABORT: where the number of its elements stands, and the elements.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct List<'a> {
    /// four bytes with the number
    pub count: Part<'a>,
    /// the elements
    pub items: Part<'a>,
}

impl<'a> List<'a> {
    fn cut(cut: &mut Cut<'a>, size: usize) -> Self {
        let count = cut.take(i32::SIZE);
        let items = cut.array(usize::try_from(i32::get(count.bytes)).unwrap_or(0), size);
        Self { count, items }
    }
}

/// COMMIT, ABORT and those of prepared transactions, taken apart; parts that are not there are empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct XactEnd<'a> {
    /// [`XlXactEnd`]
    pub time: Part<'a>,
    /// [`XlXactXinfo`]
    pub xinfo: Part<'a>,
    /// [`XlXactDbinfo`]
    pub dbinfo: Part<'a>,
    /// committed or aborted subtransactions
    pub subxacts: List<'a>,
    /// files that go
    pub rels: List<'a>,
    /// statistics that go
    pub stats: List<'a>,
    /// invalidation messages
    pub msgs: List<'a>,
    /// the prepared transaction
    pub twophase_xid: Part<'a>,
    /// its name, with a zero behind it
    pub gid: Part<'a>,
    /// [`XlXactOrigin`]
    pub origin: Part<'a>,
}

/// Bytes of an `xl_xact_stats_item`.
#[must_use]
pub const fn stats_item_size(version: PgVersion) -> usize {
    if version.has_long_stats_ids() { XlXactStatsItem::SIZE } else { XlXactStatsItem15::SIZE }
}

impl<'a> XactEnd<'a> {
    /// Cuts main data; ABORT has no messages.
    #[must_use]
    pub fn new(main_data: &'a [u8], info: u8, version: PgVersion, is_commit: bool) -> Self {
        let mut cut = Cut::new(main_data);
        let mut end = Self { time: cut.take(XlXactEnd::SIZE), ..Self::default() };
        if info & XLOG_XACT_HAS_INFO == 0 {
            return end;
        }
        end.xinfo = cut.take(XlXactXinfo::SIZE);
        let xinfo = end.xinfo();
        let has = |bit: u32| xinfo & bit != 0;
        if has(XACT_XINFO_HAS_DBINFO) {
            end.dbinfo = cut.take(XlXactDbinfo::SIZE);
        }
        if has(XACT_XINFO_HAS_SUBXACTS) {
            end.subxacts = List::cut(&mut cut, u32::SIZE);
        }
        if has(XACT_XINFO_HAS_RELFILELOCATORS) {
            end.rels = List::cut(&mut cut, RelFileLocator::SIZE);
        }
        if has(XACT_XINFO_HAS_DROPPED_STATS) {
            end.stats = List::cut(&mut cut, stats_item_size(version));
        }
        if has(XACT_XINFO_HAS_INVALS) && is_commit {
            end.msgs = List::cut(&mut cut, MESSAGE_SIZE);
        }
        if has(XACT_XINFO_HAS_TWOPHASE) {
            end.twophase_xid = cut.take(u32::SIZE);
            if has(XACT_XINFO_HAS_GID) {
                let rest = main_data.get(cut.position()..).unwrap_or(&[]);
                end.gid = cut.take(rest.iter().position(|byte| *byte == 0).map_or(rest.len(), |zero| zero + 1));
            }
        }
        if has(XACT_XINFO_HAS_ORIGIN) {
            end.origin = cut.take(XlXactOrigin::SIZE);
        }
        end
    }

    /// Its bits; 0 where it has none.
    #[must_use]
    pub fn xinfo(&self) -> u32 {
        XlXactXinfo::new(self.xinfo.bytes).xinfo()
    }
}

/// PREPARE, taken apart: each part begins at a multiple of 8.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prepare<'a> {
    /// [`XlXactPrepare`]
    pub header: Part<'a>,
    /// its name, with a zero behind it
    pub gid: Part<'a>,
    /// subtransactions
    pub subxacts: Part<'a>,
    /// files that a commit removes
    pub commit_rels: Part<'a>,
    /// files that an abort removes
    pub abort_rels: Part<'a>,
    /// statistics that a commit removes
    pub commit_stats: Part<'a>,
    /// statistics that an abort removes
    pub abort_stats: Part<'a>,
    /// invalidation messages
    pub msgs: Part<'a>,
    /// what the resource managers keep: locks and the like
    pub rest: Part<'a>,
}

impl<'a> Prepare<'a> {
    /// Cuts main data.
    #[must_use]
    pub fn new(main_data: &'a [u8], version: PgVersion) -> Self {
        let mut cut = Cut::new(main_data);
        let has_stats = version.drops_stats_by_transaction();
        let header = cut.take(if has_stats { XlXactPrepare::SIZE } else { XlXactPrepare13::SIZE });
        let (new, old) = (XlXactPrepare::new(header.bytes), XlXactPrepare13::new(header.bytes));
        let (gidlen, nmsgs) =
            if has_stats { (new.gidlen(), new.ninvalmsgs()) } else { (old.gidlen(), old.ninvalmsgs()) };
        let stats = if has_stats { (new.ncommitstats(), new.nabortstats()) } else { (0, 0) };
        let mut part = |count: i32, size: usize| {
            let part = cut.array(usize::try_from(count).unwrap_or(0), size);
            cut.align(8);
            part
        };
        Self {
            gid: part(i32::from(gidlen), 1),
            subxacts: part(new.nsubxacts(), u32::SIZE),
            commit_rels: part(new.ncommitrels(), RelFileLocator::SIZE),
            abort_rels: part(new.nabortrels(), RelFileLocator::SIZE),
            commit_stats: part(stats.0, stats_item_size(version)),
            abort_stats: part(stats.1, stats_item_size(version)),
            msgs: part(nmsgs, MESSAGE_SIZE),
            header,
            rest: cut.rest(),
        }
    }
}
