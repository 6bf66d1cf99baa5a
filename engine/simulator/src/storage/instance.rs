//! A simulated server: what its sessions share, and the sessions.
//!
//! ```text
//!  Instance ─┬─ buffers     pages of all files          ├─ transam    xids, commit log
//!            ├─ wal         where the next record goes  ├─ relations  what the access methods know of each
//!            └─ backends    sessions, one of which runs: `me`
//! ```
//!
//! Every operation takes the instance and does what the running session would do. There are no locks on pages, since
//! only one session runs at a time; waiting for a transaction is an outcome ([`super::Stop::Wait`]).

use super::backend::Backend;
use super::buffers::{BLCKSZ, Buffer, Buffers, FileId};
use super::interrupt::Interrupt;
use super::lockmgr::LockTable;
use super::multixact::MultiXacts;
use super::pgstat::Statistics;
use super::predicate::PredicateLocks;
use super::relcache::RelationData;
use super::settings::Settings;
use super::trace::{Happening, Trace};
use super::transam::{Transam, Xact};
use super::usage::BufferUsage;
use crate::access::transam::{BackendWal, WalWriter};
use crate::undo::UndoSegment;
use crate::version::Behaviour;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::{Compaction, ForkNumber, ItemPointer, Lsn, Oid, Page, PgVersion, thousands};
use ffviz_story::timeline::{Unlogged, Usage};

/// A simulated server.
#[derive(Debug, Clone)]
pub struct Instance {
    /// the version whose bytes it makes
    pub version: PgVersion,
    /// settings of the server
    pub settings: Settings,
    /// pages
    pub buffers: Buffers,
    /// WAL
    pub wal: WalWriter,
    /// what the checkpointer keeps of WAL for itself
    pub checkpointer: BackendWal,
    /// transactions
    pub transam: Transam,
    /// locks on relations
    pub locks: LockTable,
    /// SERIALIZABLE transactions and their locks
    pub predicate: PredicateLocks,
    /// transactions that share a `t_xmax`
    pub multixacts: MultiXacts,
    /// undo pages, and whose they are
    pub undo: UndoSegment,
    /// `LogwrtResult.Flush`: how far the WAL is on disk
    pub flushed: Lsn,
    /// the relation cache, by oid
    pub relations: BTreeMap<Oid, Arc<RelationData>>,
    /// sessions
    pub backends: Vec<Backend>,
    /// the session that runs
    pub me: usize,
    /// what happens, when somebody wants to know
    pub trace: Trace,
    /// counters, but for those that `wal` and `buffers` have themselves: see [`Self::usage`]
    pub counted: Usage,
    /// blocks that were read, and new ones; which became dirty `buffers` knows
    pub blocks_read: BufferUsage,
    /// what has happened to tables and indexes
    pub stats: Statistics,
    /// is the running statement to end?
    pub interrupt: Interrupt,
    /// memory for pages that are pruned
    pub compaction: Compaction,
    /// how the TOAST code reaches indexes, which stand above it
    pub index_am: Option<IndexAm>,
}

/// `IndexAmRoutine`: the access method of indexes, as the heap calls it.
#[derive(Debug, Clone, Copy)]
pub struct IndexAm {
    /// `aminsert`: the index, the values of its columns, the TID
    pub insert: fn(&mut Instance, &RelationData, &[Value], ItemPointer) -> super::Outcome<()>,
    /// `amgettuple`: the TIDs of the entries whose first columns have these values, in the index's order
    pub lookup: fn(&mut Instance, &RelationData, &[Value]) -> super::Outcome<Vec<ItemPointer>>,
}

impl Instance {
    /// A server with one session and no relation. `settings` and those of `wal` decide the bytes.
    #[must_use]
    pub fn new(settings: Settings, wal: WalWriter, transam: Transam) -> Self {
        let locks = LockTable::new(wal.settings.version);
        let first = Backend::new(String::from("A"), wal.backend(), settings.of_sessions.clone());
        Self {
            checkpointer: wal.backend(),
            version: wal.settings.version,
            buffers: Buffers::new(settings.keep_disk),
            settings,
            wal,
            transam,
            locks,
            predicate: PredicateLocks::default(),
            multixacts: MultiXacts::default(),
            undo: UndoSegment::default(),
            flushed: Lsn(0),
            relations: BTreeMap::new(),
            backends: Vec::from([first]),
            me: 0,
            trace: Trace::default(),
            counted: Usage::default(),
            blocks_read: BufferUsage::default(),
            stats: Statistics::default(),
            interrupt: Interrupt::default(),
            compaction: Compaction::default(),
            index_am: None,
        }
    }

    /// The running session.
    #[must_use]
    pub fn backend(&self) -> &Backend {
        &self.backends[self.me]
    }

    /// The running session, to change.
    pub fn backend_mut(&mut self) -> &mut Backend {
        &mut self.backends[self.me]
    }

    /// A relation by its oid.
    ///
    /// # Errors
    /// PostgreSQL's error where there is none.
    pub fn relation(&self, oid: Oid) -> Result<Arc<RelationData>, SqlError> {
        let missing = || SqlError::new("XX000", alloc::format!("could not open relation with OID {oid}"));
        self.relations.get(&oid).cloned().ok_or_else(missing)
    }

    /// Has the table an index that gets entries (`indisready`)?
    #[must_use]
    pub fn has_ready_index(&self, table: &RelationData) -> bool {
        let is_ready = |index: &Oid| self.relations.get(index).is_none_or(|index| !index.is_invalid());
        table.indexes.iter().any(is_ready)
    }

    /// `RelationIdGetRelation`: what the session does not know of a relation, or has heard to be otherwise, it reads
    /// from the catalogs.
    ///
    /// # Errors
    /// As [`Self::relation`].
    pub fn open_relation(&mut self, oid: Oid) -> Result<Arc<RelationData>, SqlError> {
        if self.backend_mut().opened.insert(oid) {
            self.read_catalog();
        }
        self.relation(oid)
    }

    /// The same of one that was opened before, as it is now.
    ///
    /// # Errors
    /// As [`Self::relation`].
    pub fn reopen(&self, relation: &mut Arc<RelationData>) -> Result<(), SqlError> {
        let is_same = self.relations.get(&relation.oid).is_some_and(|now| Arc::ptr_eq(now, relation));
        if !is_same {
            *relation = self.relation(relation.oid)?;
        }
        Ok(())
    }

    /// Starts a transaction in the running session, unless it is in one, as the session's defaults have it.
    pub fn start_transaction(&mut self, in_block: bool) -> &mut Xact {
        let backend = self.backend_mut();
        let (isolation, read_only) =
            (backend.settings.default_transaction_isolation, backend.settings.default_transaction_read_only);
        backend.xact.get_or_insert_with(|| Xact { read_only, ..Xact::new(isolation, in_block) })
    }

    /// `ReadBuffer`'s pin: the page under a scan.
    pub fn pin(&mut self, buf: Buffer) {
        self.backend_mut().pins.push(buf);
    }

    /// `ReleaseBuffer`
    pub fn unpin(&mut self, buf: Buffer) {
        let pins = &mut self.backend_mut().pins;
        if let Some(at) = pins.iter().rposition(|pinned| *pinned == buf) {
            pins.swap_remove(at);
        }
    }

    /// How often sessions hold the page pinned.
    #[must_use]
    pub fn pin_count(&self, buf: Buffer) -> usize {
        self.backends.iter().flat_map(|backend| &backend.pins).filter(|pinned| **pinned == buf).count()
    }

    /// `CacheInvalidateRelcache` as all sessions see it at once: none knows a target block of the file any more.
    pub fn forget_target_block(&mut self, file: FileId) {
        for backend in &mut self.backends {
            backend.set_target_block(file, None);
        }
    }

    /// `MarkBufferDirty`
    #[inline]
    pub fn mark_buffer_dirty(&mut self, buf: Buffer) {
        self.buffers.mark_dirty(buf);
    }

    /// Makes blocks of zeros at the end of a fork (`smgrzeroextend`), and tells it. Gives the first.
    pub fn extend(&mut self, file: FileId, fork: ForkNumber, by: u32) -> u32 {
        let first = self.buffers.extend(file, fork, by);
        if matches!(fork, ForkNumber::Fsm | ForkNumber::Vm) && self.version.extends_maps_initialized() {
            for block in first..first + by {
                let buf = Buffer { file, fork, block };
                self.buffers.replace(buf, self.with_checksum(Page::init(BLCKSZ, 0), buf));
            }
        }
        self.counted.blks_written += u64::from(by);
        if matches!(fork, ForkNumber::Fsm | ForkNumber::Vm) && self.version.extends_maps_initialized() {
            // past the buffers, into which it is read then
            self.blocks_read.read += 1;
        } else {
            self.blocks_read.written += u64::from(by);
        }
        if self.buffers.blocks() > self.settings.disk_blocks {
            self.interrupt.raise(self.no_space_for(file));
        }
        if self.trace.on {
            let pages = (first..first + by).map(|block| Buffer { file, fork, block });
            let pages = pages.map(|buf| (buf, self.buffers.page(buf).clone())).collect();
            self.trace.add(Happening::NotLogged(Unlogged::Extension, pages));
        }
        first
    }

    /// `mdextend` where the disk is full. Here the block is made all the same, and the statement fails a moment later.
    #[cold]
    fn no_space_for(&self, file: FileId) -> SqlError {
        let (name, blocks) = (self.buffers.locator(file), thousands(self.settings.disk_blocks));
        let message = format!("could not extend file \"base/{}/{}\": No space left on device", name.db, name.rel);
        SqlError::new("53100", message).with_detail(format!("The simulated disk has room for {blocks} blocks."))
    }

    /// Tells that a page changed without a record. What changes again for the same reason is one happening.
    pub fn note_unlogged(&mut self, why: Unlogged, buf: Buffer) {
        if !self.trace.on {
            return;
        }
        let page = self.buffers.page(buf).clone();
        if let Some(Happening::NotLogged(last, pages)) = self.trace.happenings.last_mut()
            && *last == why
        {
            pages.retain(|(earlier, _)| *earlier != buf);
            pages.push((buf, page));
            return;
        }
        self.trace.add(Happening::NotLogged(why, Vec::from([(buf, page)])));
    }

    /// A session by its name.
    #[must_use]
    pub fn find_backend(&self, name: &str) -> Option<usize> {
        self.backends.iter().position(|backend| backend.name == name)
    }

    /// Lets a session run; one of a new name connects first.
    pub fn switch_to(&mut self, name: &str) {
        self.me = self.find_backend(name).unwrap_or_else(|| {
            let settings = self.settings.of_sessions.clone();
            self.backends.push(Backend::new(String::from(name), self.wal.backend(), settings));
            self.backends.len() - 1
        });
    }
}
