//! Which records of a server's WAL are about some relations: all others, other people's data, are only counted.
//!
//! ```text
//! kept     a block, or a new or truncated file, of one of the relations
//!          the end of a transaction that wrote such a record, or that drops one of the files
//!          landmarks: checkpoints, switches of segments and of full_page_writes
//! counted  all else
//! ```

use super::WalBetween;
use super::xact::{Ending, Outcome, Transactions, storage_file};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::{Oid, PgVersion, TransactionId};
use ffviz_format::state::{Relation, State};
use ffviz_format::wal::record_type::XlogType;
use ffviz_format::wal::{DecodedRecord, Record, RecordType, RelFileLocator};
use serde::{Deserialize, Serialize};

/// How many records, and their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// number
    pub records: u64,
    /// bytes, without padding and page headers
    pub bytes: u64,
}

impl Tally {
    /// Counts a record.
    pub fn count(&mut self, record: &Record) {
        self.records += 1;
        self.bytes += record.bytes.len() as u64;
    }

    /// Adds another one.
    pub const fn add(&mut self, other: Self) {
        self.records += other.records;
        self.bytes += other.bytes;
    }
}

/// Takes the records that are about the relations of two captures; to be shown all records in order.
#[derive(Debug, Clone)]
pub struct Sieve {
    version: PgVersion,
    /// by number of their file
    relations: BTreeMap<Oid, Vec<Arc<Relation>>>,
    /// the files of theirs that were seen
    files: BTreeMap<RelFileLocator, Oid>,
    /// transactions that wrote about them
    xids: BTreeSet<TransactionId>,
    transactions: Transactions,
    ambiguous: Option<RelFileLocator>,
    /// what was left out
    pub others: Tally,
}

impl Sieve {
    /// For the relations of two captures.
    #[must_use]
    pub fn new(before: &State, after: &State) -> Self {
        let mut relations: BTreeMap<Oid, Vec<Arc<Relation>>> = BTreeMap::new();
        for relation in before.relations.values().chain(after.relations.values()) {
            relations.entry(relation.filenode).or_default().push(relation.clone());
        }
        Self {
            version: after.server.version,
            relations,
            files: BTreeMap::new(),
            xids: BTreeSet::new(),
            transactions: Transactions::default(),
            ambiguous: None,
            others: Tally::default(),
        }
    }

    /// The same, where these transactions, which have not ended yet, wrote about them before.
    #[must_use]
    pub fn continuing(self, open: BTreeSet<TransactionId>) -> Self {
        Self { xids: open, ..self }
    }

    /// The transactions that wrote about them, and of which no end was seen.
    #[must_use]
    pub fn open(&self) -> BTreeSet<TransactionId> {
        self.xids.clone()
    }

    /// Is the record about them? Else it is counted.
    pub fn takes(&mut self, record: &Record) -> bool {
        let taken = record.decode(self.version).is_ok_and(|decoded| self.concerns(&decoded));
        if !taken {
            self.others.count(record);
        }
        taken
    }

    fn concerns(&mut self, record: &DecodedRecord<'_>) -> bool {
        self.transactions.note(record);
        let files = record.blocks.iter().map(|block| block.tag.locator).chain(storage_file(record));
        // each file is to be noted
        let is_ours = files.filter(|file| self.owner(*file).is_some()).count() > 0;
        if is_ours {
            self.xids.extend(Some(record.xid()).filter(|xid| *xid != 0));
        }
        is_ours || self.is_end(record) || is_landmark(record)
    }

    fn is_end(&mut self, record: &DecodedRecord<'_>) -> bool {
        let Some(ending) = Ending::of(record) else { return false };
        let drops = ending.dropped.iter().filter(|file| self.owner(**file).is_some()).count();
        let wrote = ending.xids().filter(|xid| self.xids.contains(xid)).count();
        if ending.how != Outcome::Prepared {
            ending.xids().for_each(|xid| {
                self.xids.remove(&xid);
            });
        }
        drops > 0 || wrote > 0
    }

    /// The relation whose file it is.
    fn owner(&mut self, file: RelFileLocator) -> Option<Oid> {
        if let Some(oid) = self.files.get(&file) {
            return Some(*oid);
        }
        let relation = self.relations.get(&file.rel)?.iter().find(|relation| relation.is_file(file))?;
        // several databases may have a file of that number: where a recording does not name its database, the first one
        // counts
        if relation.database == 0 && self.files.keys().any(|known| known.rel == file.rel) {
            self.ambiguous = Some(file);
            return None;
        }
        self.files.insert(file, relation.oid);
        Some(relation.oid)
    }

    /// Why it is not certain that the records taken are theirs: a sentence.
    #[must_use]
    pub fn doubt(&self) -> Option<String> {
        self.ambiguous.map(|file| {
            let number = file.rel;
            alloc::format!("several databases have a file {number}, and it is not known which of them was captured")
        })
    }

    /// The files of theirs that were seen.
    pub(crate) fn files(&self) -> BTreeMap<RelFileLocator, Oid> {
        self.files.clone()
    }

    /// The files that were seen, and what is known of transactions.
    pub(super) fn finish(self) -> (BTreeMap<RelFileLocator, Oid>, Transactions) {
        (self.files, self.transactions)
    }
}

impl WalBetween {
    /// The records that are about the relations of two captures; the others are counted. All records between them must
    /// be given, in order.
    #[must_use]
    pub fn of(records: impl IntoIterator<Item = Record>, before: &State, after: &State) -> Self {
        let mut sieve = Sieve::new(before, after);
        let records = records.into_iter().filter(|record| sieve.takes(record)).collect();
        Self { records, others: sieve.others, gap: sieve.doubt() }
    }
}

/// Checkpoints, the switch to another segment, a restore point, `full_page_writes`, the end of recovery, where a
/// checkpoint began: what a reader of WAL wants to see wherever it is.
fn is_landmark(record: &DecodedRecord<'_>) -> bool {
    let RecordType::Xlog(of) = record.record_type() else { return false };
    match of {
        XlogType::CheckpointShutdown
        | XlogType::CheckpointOnline
        | XlogType::Switch
        | XlogType::RestorePoint
        | XlogType::FpwChange
        | XlogType::EndOfRecovery
        | XlogType::CheckpointRedo => true,
        XlogType::Noop
        | XlogType::NextOid
        | XlogType::BackupEnd
        | XlogType::ParameterChange
        | XlogType::FpiForHint
        | XlogType::Fpi
        | XlogType::OverwriteContrecord => false,
    }
}
