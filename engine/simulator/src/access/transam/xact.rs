//! COMMIT, ABORT and ASSIGNMENT (`XactLogCommitRecord`, `XactLogAbortRecord`, `AssignTransactionId`,
//! src/backend/access/transam/xact.c); `wal::rec::xact` has the picture.

use super::standby::xid_bytes;
use super::{Assembly, BackendWal, Inserted, WalWriter};
use crate::version::Behaviour;
use alloc::vec::Vec;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{Lsn, Oid, PgVersion, TransactionId};
use ffviz_format::wal::XLR_SPECIAL_REL_UPDATE;
use ffviz_format::wal::rec::standby::MESSAGE_SIZE;
use ffviz_format::wal::rec::xact::{
    XACT_XINFO_HAS_DBINFO, XACT_XINFO_HAS_DROPPED_STATS, XACT_XINFO_HAS_GID, XACT_XINFO_HAS_INVALS,
    XACT_XINFO_HAS_ORIGIN, XACT_XINFO_HAS_RELFILELOCATORS, XACT_XINFO_HAS_SUBXACTS, XACT_XINFO_HAS_TWOPHASE,
    XLOG_XACT_HAS_INFO, XlXactAssignment, XlXactDbinfo, XlXactEnd, XlXactOrigin, XlXactStatsItem, XlXactStatsItem15,
    XlXactXinfo,
};
use ffviz_format::wal::rec::{TimestampTz, XLogRecPtr};
use ffviz_format::wal::record_type::XactType;
use ffviz_format::wal::{RelFileLocator, Rmgr};

/// Statistics that go with a transaction, from 15 on: `xl_xact_stats_item`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DroppedStats {
    /// kind of statistics
    pub kind: i32,
    /// database
    pub db: Oid,
    /// object
    pub object: u64,
}

/// Where a replicated transaction committed first: `xl_xact_origin`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct XactOrigin {
    /// position of the commit there
    pub lsn: Lsn,
    /// when it committed there
    pub timestamp: TimestampTz,
}

/// The end of a transaction; what is empty is not in the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct XactEndRecord<'a> {
    /// how it ends
    pub kind: XactType,
    /// when
    pub time: TimestampTz,
    /// bits of `xinfo` that announce no part: `XACT_COMPLETION_…`, `XACT_XINFO_HAS_AE_LOCKS`
    pub completion: u32,
    /// database and its tablespace: of a COMMIT with messages or under `wal_level` logical
    pub dbinfo: Option<(Oid, Oid)>,
    /// subtransactions that share its fate
    pub subxacts: &'a [TransactionId],
    /// files that go
    pub rels: &'a [RelFileLocator],
    /// statistics that go
    pub stats: &'a [DroppedStats],
    /// invalidation messages, of a COMMIT
    pub messages: &'a [[u8; MESSAGE_SIZE]],
    /// the prepared transaction, and its name under `wal_level` logical
    pub twophase: Option<(TransactionId, Option<&'a str>)>,
    /// where it comes from
    pub origin: Option<XactOrigin>,
}

impl XactEndRecord<'_> {
    /// The end of a transaction with nothing to tell besides.
    #[must_use]
    pub const fn new(kind: XactType, time: TimestampTz) -> Self {
        Self {
            kind,
            time,
            completion: 0,
            dbinfo: None,
            subxacts: &[],
            rels: &[],
            stats: &[],
            messages: &[],
            twophase: None,
            origin: None,
        }
    }

    fn xinfo(&self) -> u32 {
        let has = |is_there: bool, bit: u32| if is_there { bit } else { 0 };
        self.completion
            | has(self.dbinfo.is_some(), XACT_XINFO_HAS_DBINFO)
            | has(!self.subxacts.is_empty(), XACT_XINFO_HAS_SUBXACTS)
            | has(!self.rels.is_empty(), XACT_XINFO_HAS_RELFILELOCATORS)
            | has(!self.stats.is_empty(), XACT_XINFO_HAS_DROPPED_STATS)
            | has(!self.messages.is_empty(), XACT_XINFO_HAS_INVALS)
            | has(self.twophase.is_some(), XACT_XINFO_HAS_TWOPHASE)
            | has(self.twophase.is_some_and(|(_, gid)| gid.is_some()), XACT_XINFO_HAS_GID)
            | has(self.origin.is_some(), XACT_XINFO_HAS_ORIGIN)
    }

    /// The parts after `xinfo`.
    fn parts(&self, version: PgVersion) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Some((db, tablespace)) = self.dbinfo {
            bytes.extend(XlXactDbinfo::make(db, tablespace));
        }
        list(&mut bytes, self.subxacts.len(), xid_bytes(self.subxacts));
        list(&mut bytes, self.rels.len(), self.rels.iter().flat_map(locator_bytes));
        list(&mut bytes, self.stats.len(), self.stats.iter().flat_map(|item| item.bytes(version)));
        list(&mut bytes, self.messages.len(), self.messages.as_flattened().iter().copied());
        if let Some((xid, gid)) = self.twophase {
            bytes.extend(xid.to_le_bytes());
            if let Some(gid) = gid {
                bytes.extend(gid.bytes().chain([0]));
            }
        }
        if let Some(origin) = self.origin {
            bytes.extend(XlXactOrigin::make(XLogRecPtr(origin.lsn), origin.timestamp));
        }
        bytes
    }
}

impl DroppedStats {
    fn bytes(&self, version: PgVersion) -> Vec<u8> {
        if version.has_long_stats_ids() {
            return XlXactStatsItem::make(self.kind, self.db, self.object as u32, (self.object >> 32) as u32).to_vec();
        }
        XlXactStatsItem15::make(self.kind, self.db, self.object as u32).to_vec()
    }
}

fn locator_bytes(locator: &RelFileLocator) -> [u8; RelFileLocator::SIZE] {
    let mut bytes = [0; RelFileLocator::SIZE];
    locator.set(&mut bytes);
    bytes
}

/// How many elements, and the elements; nothing where there are none.
fn list(bytes: &mut Vec<u8>, count: usize, items: impl IntoIterator<Item = u8>) {
    if count > 0 {
        bytes.extend((count as i32).to_le_bytes());
        bytes.extend(items);
    }
}

/// `XactLogCommitRecord`, `XactLogAbortRecord`.
pub fn log_xact_end(wal: &mut WalWriter, backend: &mut BackendWal, end: &XactEndRecord<'_>) -> Inserted {
    let xinfo = end.xinfo();
    let has_info = if xinfo != 0 { XLOG_XACT_HAS_INFO } else { 0 };
    let version = wal.settings.version;
    // 13 does not say of a transaction that drops files that it does
    let special = if end.rels.is_empty() || !version.marks_dropped_files() { 0 } else { XLR_SPECIAL_REL_UPDATE };
    let time: &[u8] = &XlXactEnd::make(end.time);
    let rest = end.parts(version);
    let main = [time, &XlXactXinfo::make(xinfo), &rest];
    let assembly = Assembly {
        main: if xinfo != 0 { &main } else { &main[..1] },
        include_origin: end.origin.is_some(),
        ..Assembly::new(Rmgr::TRANSACTION, end.kind.info() | has_info | special)
    };
    wal.insert(backend, &assembly)
}

/// ASSIGNMENT: these subtransactions belong to `top`.
pub fn log_xact_assignment(
    wal: &mut WalWriter,
    backend: &mut BackendWal,
    top: TransactionId,
    subxacts: &[TransactionId],
) -> Inserted {
    let head: &[u8] = &XlXactAssignment::make(top, subxacts.len() as i32);
    let main = [head, &xid_bytes(subxacts)];
    wal.insert(backend, &Assembly { main: &main, ..Assembly::new(Rmgr::TRANSACTION, XactType::Assignment.info()) })
}
