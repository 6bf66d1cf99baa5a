//! Which records concern the tables of two captures: those about their files, the ends of the transactions that wrote these, and what
//! every reader of WAL wants to see, such as checkpoints. All others are only counted.

use ffviz_engine::page::{PgVersion, TransactionId};
use ffviz_engine::storage::{Relation, State};
use ffviz_engine::timeline::Tally;
use ffviz_engine::wal::{DecodedRecord, Record, RelFileLocator, Rmgr};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Takes what concerns some tables.
pub struct Filter {
    version: PgVersion,
    relations: Vec<Arc<Relation>>,
    xids: BTreeSet<TransactionId>,
    /// what was left out
    pub others: Tally,
}

impl Filter {
    /// For the tables of two captures.
    pub fn new(before: &State, after: &State) -> Self {
        let relations = before.relations.values().chain(after.relations.values()).cloned().collect();
        Self { version: after.server.version, relations, xids: BTreeSet::new(), others: Tally::default() }
    }

    /// Does it concern them? Else it is counted.
    pub fn takes(&mut self, record: &Record) -> bool {
        let taken = record.decode(self.version).is_ok_and(|decoded| self.concerns(&decoded));
        if !taken {
            self.others.records += 1;
            self.others.bytes += record.bytes.len() as u64;
        }
        taken
    }

    fn concerns(&mut self, decoded: &DecodedRecord<'_>) -> bool {
        let (rmgr, xid) = (decoded.rmgr(), decoded.xid());
        let ours = |file: RelFileLocator| self.relations.iter().any(|relation| relation.is_file(file));
        if decoded.blocks.iter().any(|block| ours(block.tag.locator)) || storage_file(decoded).is_some_and(ours) {
            if xid != 0 {
                self.xids.insert(xid);
            }
            return true;
        }
        match rmgr {
            Rmgr::TRANSACTION => self.xids.contains(&xid),
            Rmgr::XLOG => decoded.blocks.is_empty(),
            _ => false,
        }
    }
}

/// The file that a Storage record is about: `xl_smgr_create` begins with its locator, `xl_smgr_truncate` has it behind a block number.
fn storage_file(decoded: &DecodedRecord<'_>) -> Option<RelFileLocator> {
    const XLOG_SMGR_TRUNCATE: u8 = 0x20;
    if decoded.rmgr() != Rmgr::STORAGE {
        return None;
    }
    let at = if decoded.info() & 0xF0 == XLOG_SMGR_TRUNCATE { 4 } else { 0 };
    let word = |n: usize| {
        let bytes = decoded.main_data.get(at + 4 * n..at + 4 * n + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    Some(RelFileLocator { spc: word(0)?, db: word(1)?, rel: word(2)? })
}
