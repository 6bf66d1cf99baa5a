//! Which transaction a record belongs to, and what its end does to files (src/backend/access/transam/xact.c;
//! `xact_redo`).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use ffviz_format::page::TransactionId;
use ffviz_format::page::layout::Wire;
use ffviz_format::wal::rec::other::{XlSmgrCreate, XlSmgrTruncate};
use ffviz_format::wal::rec::xact::{Prepare, XactEnd, XlXactAssignment};
use ffviz_format::wal::record_type::{SmgrType, XactType};
use ffviz_format::wal::{DecodedRecord, RecordType, RelFileLocator};

/// A COMMIT or ABORT, also of a prepared transaction; or a PREPARE, which ends nothing yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ending {
    pub xid: TransactionId,
    pub subxacts: Vec<TransactionId>,
    /// files that are deleted with it
    pub dropped: Vec<RelFileLocator>,
    pub how: Outcome,
}

/// What becomes of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Committed,
    Aborted,
    Prepared,
}

impl Ending {
    /// Of a Transaction record; `None` where it is about something else.
    pub fn of(record: &DecodedRecord<'_>) -> Option<Self> {
        let RecordType::Xact(of) = record.record_type() else { return None };
        let how = match of {
            XactType::Commit | XactType::CommitPrepared => Outcome::Committed,
            XactType::Abort | XactType::AbortPrepared => Outcome::Aborted,
            XactType::Prepare => {
                let subxacts = Prepare::new(record.main_data, record.version).subxacts.values();
                return Some(Self { xid: record.xid(), subxacts, dropped: Vec::new(), how: Outcome::Prepared });
            }
            XactType::Assignment | XactType::Invalidations => return None,
        };
        let end = XactEnd::new(record.main_data, record.info(), record.version, how == Outcome::Committed);
        let prepared = end.twophase_xid.bytes;
        Some(Self {
            xid: if prepared.is_empty() { record.xid() } else { u32::get(prepared) },
            subxacts: end.subxacts.items.values(),
            dropped: end.rels.items.values(),
            how,
        })
    }

    /// The transaction and its subtransactions.
    pub fn xids(&self) -> impl Iterator<Item = TransactionId> {
        core::iter::once(self.xid).chain(self.subxacts.iter().copied())
    }
}

/// The transaction of a record; of COMMIT PREPARED the one that was prepared.
pub(super) fn ending_xid(record: &DecodedRecord<'_>) -> TransactionId {
    Ending::of(record).map_or_else(|| record.xid(), |ending| ending.xid)
}

/// The top-level transaction and the subtransactions that an ASSIGNMENT names.
fn assignment(record: &DecodedRecord<'_>) -> Option<(TransactionId, Vec<TransactionId>)> {
    let is_assignment = record.record_type() == RecordType::Xact(XactType::Assignment);
    let subxacts = record.main_data.get(XlXactAssignment::SIZE..).filter(|_| is_assignment)?;
    let top = XlXactAssignment::new(record.main_data).xtop();
    Some((top, subxacts.chunks_exact(u32::SIZE).map(u32::get).collect()))
}

/// The file that a Storage record makes.
pub(super) fn created_file(record: &DecodedRecord<'_>) -> Option<RelFileLocator> {
    let is_create = record.record_type() == RecordType::Smgr(SmgrType::Create);
    is_create.then(|| XlSmgrCreate::new(record.main_data).rlocator())
}

/// The file that a Storage record is about.
pub(super) fn storage_file(record: &DecodedRecord<'_>) -> Option<RelFileLocator> {
    let is_truncate = record.record_type() == RecordType::Smgr(SmgrType::Truncate);
    created_file(record).or_else(|| is_truncate.then(|| XlSmgrTruncate::new(record.main_data).rlocator()))
}

/// Subtransactions by their top-level transactions, as far as records tell: commits name theirs, aborted ones are named
/// only under `wal_level` logical, or when there are many.
#[derive(Debug, Clone, Default)]
pub(super) struct Transactions(BTreeMap<TransactionId, TransactionId>);

impl Transactions {
    /// Learns from a record.
    pub fn note(&mut self, record: &DecodedRecord<'_>) {
        // of a record that was rebuilt it is not told
        if let Some(top) = record.toplevel_xid.filter(|top| *top != 0) {
            self.0.insert(record.xid(), top);
        }
        let ending = Ending::of(record).map(|ending| (ending.xid, ending.subxacts));
        if let Some((top, subxacts)) = ending.or_else(|| assignment(record)) {
            self.0.extend(subxacts.into_iter().map(|sub| (sub, top)));
        }
    }

    /// What others know too.
    pub fn join(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// The top-level transaction of one.
    pub fn top(&self, xid: TransactionId) -> TransactionId {
        self.0.get(&xid).copied().unwrap_or(xid)
    }
}
