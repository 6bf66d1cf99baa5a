//! A simulated cluster: an instance, its catalog, and what its sessions do besides changing rows.
//!
//! ```text
//!  Cluster ─┬─ pg        Instance: buffers, WAL, transactions, sessions
//!           ├─ pg_class  what pg_class, pg_attribute, pg_index say and the access methods need not know
//!           ├─ sessions  of each: what its transaction undoes or unlinks when it ends
//!           └─ clock     given, not read
//!
//!  xact       BEGIN, COMMIT, ROLLBACK, savepoints     statement   snapshots, command ids, autocommit
//!  checkpoint CHECKPOINT, full_page_writes            crash       what is lost; recovery: replay of WAL
//!  ddl        tables, indexes, sequences, their OIDs  sequence    nextval
//!  enums      enum types and their labels       composite  types of rows
//!  temporary  tables of one session               partition  tables that are parts of others
//!  relcache   what a session knows of relations      syscache  what else it has looked up
//!  roles      who there is, and who may do what
//!  uncommitted what it does not see of others' changes
//! ```
//!
//! The catalogs themselves have no pages here: their WAL and the records of their rows are left out, the OIDs and xids
//! that they use up are not.

mod catalog_rows;
mod checkpoint;
mod composite;
mod counters;
mod crash;
pub mod ddl;
pub mod deferred;
mod domains;
mod enums;
mod facts;
mod function;
pub mod inherit;
pub mod namespace;
pub mod partition;
pub mod pg_class;
mod pgstat;
mod portal;
mod recovery;
mod relcache;
pub mod roles;
pub mod sequence;
mod statement;
pub mod statistics;
mod syscache;
pub mod temporary;
mod trigger;
mod uncommitted;
mod undo;
mod view;
mod xact;

pub use checkpoint::ControlFile;
pub use composite::{CompositeType, RowTypes};
pub use counters::fresh_counters;
pub use crash::Torn;
pub use domains::{DomainCheck, DomainPart, DomainType, Domains};
pub use enums::EnumType;
pub use pg_class::{Catalog, Class, MatView};
pub use recovery::{Damaged, Replayed, Step, Verification, replay};
pub use statement::Before;
pub use statistics::{CommonRow, ExtendedStats, StatisticsObject};
pub use syscache::{Comparison, Lookup, Strategy};
pub use view::{ViewForm, ViewName};

use self::checkpoint::checkpoint_state;
use crate::access::transam::CheckpointKind;
use crate::storage::{FileId, Instance, LockMode, RelationData, RelationLock, SessionSettings, WaitFor};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::{Oid, PgVersion};
use ffviz_format::wal::{Compression, RelFileLocator};

/// `pg_default`
pub const DEFAULT_TABLESPACE: Oid = 1663;

/// A simulated server with its catalog.
#[derive(Debug, Clone)]
pub struct Cluster {
    /// pages, WAL, transactions, sessions
    pub pg: Instance,
    /// what is known of relations besides the relation cache
    pub catalog: Catalog,
    /// the time, in microseconds since 2000-01-01 UTC; whoever runs the cluster moves it
    pub clock: i64,
    /// OID of the database
    pub database: Oid,
    /// the relation of each file
    owners: BTreeMap<FileId, Oid>,
    /// by number of the backend
    sessions: Vec<Session>,
    /// what transactions of others have made of relations, while a statement of the running session runs
    uncommitted: Vec<uncommitted::Uncommitted>,
    control: ControlFile,
    /// why it does not start after a crash
    down: Option<SqlError>,
}

/// What a session's transaction leaves to be done at its end.
#[derive(Debug, Clone, Default)]
struct Session {
    /// relations as they were before the transaction changed them, oldest first
    undo: Vec<Undo>,
    /// its settings as they were before SET, oldest first (`guc_stack`)
    settings: Vec<KeptSettings>,
    /// files that an abort unlinks (`pendingDeletes` with `atCommit` false)
    created: Vec<(FileId, usize)>,
    /// files that a commit unlinks
    dropped: Vec<(FileId, usize)>,
    /// relations that came and went, for their statistics
    stats: Vec<pgstat::PendingStats>,
    /// rows of catalogs that the transaction has written, oldest first
    rows: Vec<catalog_rows::Written>,
    /// relations that it has opened, until it hears of a change of them
    known: BTreeMap<Oid, relcache::Known>,
    /// schemas and views as they were before the transaction changed them, oldest first
    names: Vec<(usize, namespace::Names)>,
    /// cursors that are open
    portals: Vec<portal::OpenPortal>,
    /// has it made a table that says ON COMMIT?
    on_commit: bool,
    /// what else it has looked up in catalogs
    looked_up: BTreeSet<Lookup>,
    /// what is checked when it commits
    deferred: deferred::Deferred,
}

/// A relation as it was; `None`: it was not there.
#[derive(Debug, Clone)]
struct Undo {
    /// depth of the (sub)transaction that changed it: 0 is the transaction itself
    depth: usize,
    /// is it a change that makes all sessions forget what they know of the relation?
    invalidates: bool,
    oid: Oid,
    class: Option<Arc<Class>>,
    relation: Option<Arc<RelationData>>,
}

/// The settings of a session as a transaction found them.
#[derive(Debug, Clone)]
struct KeptSettings {
    /// depth of the (sub)transaction that changed them
    depth: usize,
    /// by SET LOCAL, which ends with the transaction?
    local: bool,
    /// what was set; nothing: all, or several
    name: Option<String>,
    settings: SessionSettings,
    /// `wal_compression`
    own_compression: Option<Option<Compression>>,
}

impl Cluster {
    /// A cluster without relations; `database` is the OID of the database that the script runs in, `clock` the time it
    /// begins at.
    #[must_use]
    pub fn new(mut pg: Instance, database: Oid, clock: i64) -> Self {
        pg.index_am = Some(ddl::INDEX_AM);
        let state = checkpoint_state(&pg, clock, CheckpointKind::Online);
        let control = ControlFile { redo: pg.wal.redo_rec_ptr(), state };
        Self {
            pg,
            catalog: Catalog::default(),
            clock,
            database,
            owners: BTreeMap::new(),
            sessions: Vec::new(),
            uncommitted: Vec::new(),
            control,
            down: None,
        }
    }

    /// The version whose bytes it makes.
    #[must_use]
    pub const fn version(&self) -> PgVersion {
        self.pg.version
    }

    fn session(&mut self) -> &mut Session {
        let wanted = self.pg.backends.len();
        if self.sessions.len() < wanted {
            self.sessions.resize_with(wanted, Session::default);
        }
        &mut self.sessions[self.pg.me]
    }

    /// How deep the running session's subtransactions are.
    fn depth(&self) -> usize {
        self.pg.backend().xact.as_ref().map_or(0, |xact| xact.levels.len() - 1)
    }

    /// The relation of that name.
    ///
    /// # Errors
    /// PostgreSQL's, where there is none.
    pub fn open(&self, name: &str) -> Result<Arc<RelationData>, SqlError> {
        let missing = || SqlError::new("42P01", alloc::format!("relation \"{name}\" does not exist"));
        self.pg.relation(self.find(None, name).ok_or_else(missing)?)
    }

    /// `relation_open`: takes a lock for the running session's transaction. Gives whether it has it now; else it stands
    /// in the queue.
    pub fn lock_relation(&mut self, lock: RelationLock) -> bool {
        let is_told = lock.mode == LockMode::AccessExclusive && self.pg.prepare_to_tell_of_lock().is_some();
        let depth = self.depth();
        let is_granted = self.pg.locks.acquire(self.pg.me, depth, lock);
        if is_told && is_granted {
            self.pg.tell_of_lock();
        }
        if is_granted {
            if self.is_temporary(lock.relation) {
                self.use_temporary();
            }
            self.know(lock.relation);
        }
        is_granted
    }

    /// The sessions that have what the session waits for.
    #[must_use]
    pub fn holders(&self, session: usize, on: WaitFor) -> Vec<usize> {
        match on {
            WaitFor::Transaction(xid) => {
                let top = self.pg.transam.topmost(xid);
                let backends = self.pg.backends.iter().enumerate();
                backends.filter(|(_, backend)| backend.top_xid() == Some(top)).map(|(at, _)| at).collect()
            }
            WaitFor::Lock(lock) => self.pg.locks.holders(session, lock).collect(),
            WaitFor::Advisory(key, shared) => self.pg.locks.advisory.holders(session, key, shared).collect(),
        }
    }

    /// `lock_and_open_sequence`: a sequence that is used stays locked until the transaction ends, savepoints or not.
    pub fn lock_sequence(&mut self, relation: Oid) {
        let lock = RelationLock { relation, mode: LockMode::RowExclusive };
        if self.pg.locks.blockers(self.pg.me, lock).next().is_none() {
            self.pg.locks.acquire(self.pg.me, 0, lock);
        }
    }

    /// Will the file go when the transaction commits that has dropped its relation?
    #[must_use]
    pub fn is_to_be_dropped(&self, file: FileId) -> bool {
        self.sessions.iter().flat_map(|session| &session.dropped).any(|(dropped, _)| *dropped == file)
    }

    /// The relation that a file is, or was, of.
    #[must_use]
    pub fn owner(&self, file: FileId) -> Option<Oid> {
        self.owners.get(&file).copied()
    }

    fn locator(&self, filenode: Oid) -> RelFileLocator {
        RelFileLocator { spc: DEFAULT_TABLESPACE, db: self.database, rel: filenode }
    }

    /// Keeps what is known of a relation, for the case that the transaction aborts. The rows of the catalogs that say
    /// so have records with the transaction's id, which are left out here. Where the change invalidates the relation,
    /// the session forgets its target block.
    fn remember(&mut self, oid: Oid, invalidates: bool) {
        self.pg.insert_catalog_record();
        let class = self.catalog.class(oid).cloned();
        let relation = self.pg.relations.get(&oid).cloned();
        if invalidates && let Some(relation) = &relation {
            self.pg.backend_mut().set_target_block(relation.file, None);
            self.forget(self.pg.me, oid);
        }
        self.pg.backend_mut().catalog_snapshot = false;
        let depth = self.depth();
        self.session().undo.push(Undo { depth, invalidates, oid, class, relation });
    }
}
