//! A session of the simulated server: what PostgreSQL keeps in a backend's own memory.

use super::buffers::{Buffer, FileId};
use super::error::WaitFor;
use super::predicate::MySerializableXact;
use super::settings::SessionSettings;
use super::snapshot::{GlobalVis, MvccSnapshot};
use super::transam::{CommandId, Xact};
use crate::access::transam::BackendWal;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::{BlockNumber, Oid, TransactionId};

/// `InvalidBlockNumber`
pub const INVALID_BLOCK: BlockNumber = BlockNumber::MAX;

/// A session.
#[derive(Debug, Clone)]
pub struct Backend {
    /// its name in the script
    pub name: String,
    /// what SET set
    pub settings: SessionSettings,
    /// its transaction
    pub xact: Option<Xact>,
    /// the snapshot of a REPEATABLE READ transaction, or of the statement that runs
    pub snapshot: Option<MvccSnapshot>,
    /// `MyProc->xmin`: what it advertises
    pub proc_xmin: Option<TransactionId>,
    /// its SERIALIZABLE transaction, from the first snapshot on, unless nobody could conflict with it
    pub serializable: Option<MySerializableXact>,
    /// `PROC_IN_VACUUM`: others need not heed its xmin
    pub in_vacuum: bool,
    /// horizon bounds
    pub global_vis: GlobalVis,
    /// what it keeps of WAL for itself
    pub wal: BackendWal,
    /// combo command ids of the transaction: (cmin, cmax) by number
    pub combo_cids: Vec<(CommandId, CommandId)>,
    /// `speculativeInsertionToken`: of its last speculative insertion
    pub speculative_token: u32,
    /// `smgr_targblock` by file
    targets: Vec<BlockNumber>,
    /// pages that its scans hold pinned
    pub pins: Vec<Buffer>,
    /// relations that it has opened, until it hears of a change of them (`RelationIdCache`)
    pub opened: BTreeSet<Oid>,
    /// `rd_amcache` of indexes that it has opened: where it takes searches to begin, without asking the metapage; 0: it
    /// has to ask
    pub roots: BTreeMap<Oid, BlockNumber>,
    /// `CatalogSnapshot`: has it one that is valid?
    pub catalog_snapshot: bool,
    /// what its statement waits for
    pub waits: Option<WaitFor>,
}

impl Backend {
    /// A session that just connected.
    #[must_use]
    pub fn new(name: String, wal: BackendWal, settings: SessionSettings) -> Self {
        Self {
            name,
            settings,
            xact: None,
            snapshot: None,
            proc_xmin: None,
            serializable: None,
            in_vacuum: false,
            global_vis: GlobalVis::default(),
            wal,
            combo_cids: Vec::new(),
            speculative_token: 0,
            targets: Vec::new(),
            pins: Vec::new(),
            opened: BTreeSet::new(),
            roots: BTreeMap::new(),
            catalog_snapshot: false,
            waits: None,
        }
    }

    /// `GetComboCommandId`: the number of a pair of cmin and cmax, a new one unless it has one.
    pub fn combo_command_id(&mut self, pair: (CommandId, CommandId)) -> CommandId {
        let combos = &mut self.combo_cids;
        let known = combos.iter().rposition(|known| *known == pair);
        let at = known.unwrap_or_else(|| {
            combos.push(pair);
            combos.len() - 1
        });
        at as CommandId
    }

    /// Its transaction's xid, once it has one.
    #[must_use]
    pub fn top_xid(&self) -> Option<TransactionId> {
        self.xact.as_ref()?.top_xid()
    }

    /// `RelationGetTargetBlock`
    #[must_use]
    pub fn target_block(&self, file: FileId) -> Option<BlockNumber> {
        self.targets.get(file.0 as usize).copied().filter(|block| *block != INVALID_BLOCK)
    }

    /// `RelationSetTargetBlock`
    pub fn set_target_block(&mut self, file: FileId, block: Option<BlockNumber>) {
        let ix = file.0 as usize;
        if self.targets.len() <= ix {
            self.targets.resize(ix + 1, INVALID_BLOCK);
        }
        self.targets[ix] = block.unwrap_or(INVALID_BLOCK);
    }

    /// Forgets all target blocks: `smgrreleaseall`.
    pub fn forget_targets(&mut self) {
        self.targets.clear();
    }
}
