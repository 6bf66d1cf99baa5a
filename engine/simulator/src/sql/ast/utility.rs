//! Transactions, settings, VACUUM and what else is no query.

pub use crate::access::heap::vacuum::IndexCleanup;

use super::RangeVar;
use alloc::string::String;
use alloc::vec::Vec;

/// A statement about the transaction (`TransactionStmt`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transaction {
    /// BEGIN
    Begin(TransactionModes),
    /// START TRANSACTION
    Start(TransactionModes),
    /// SET TRANSACTION
    Set(TransactionModes),
    /// SET SESSION CHARACTERISTICS AS TRANSACTION
    SetDefaults(TransactionModes),
    /// COMMIT, END
    Commit,
    /// ROLLBACK, ABORT
    Rollback,
    /// COMMIT AND CHAIN, ROLLBACK AND CHAIN: another one like it begins; is it COMMIT?
    Chain(bool),
    /// SAVEPOINT
    Savepoint(String),
    /// ROLLBACK TO
    RollbackTo(String),
    /// RELEASE
    Release(String),
    /// PREPARE TRANSACTION
    Prepare(String),
    /// COMMIT PREPARED, ROLLBACK PREPARED
    Finish(String),
}

/// What BEGIN may ask for; `None` is the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TransactionModes {
    /// ISOLATION LEVEL
    pub isolation: Option<IsolationLevel>,
    /// READ ONLY, READ WRITE
    pub read_only: Option<bool>,
    /// DEFERRABLE, of one that is SERIALIZABLE and READ ONLY
    pub deferrable: bool,
}

/// ISOLATION LEVEL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IsolationLevel {
    /// in PostgreSQL the same as READ COMMITTED
    ReadUncommitted,
    /// a snapshot a statement
    ReadCommitted,
    /// one snapshot
    RepeatableRead,
    /// one snapshot, and conflicts are found
    Serializable,
}

/// VACUUM.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Vacuum {
    /// which; none: all
    pub tables: Vec<RangeVar>,
    /// of each the columns that ANALYZE looks at; none: all
    pub columns: Vec<Vec<String>>,
    /// FULL
    pub full: bool,
    /// FREEZE
    pub freeze: bool,
    /// ANALYZE
    pub analyze: bool,
    /// DISABLE_PAGE_SKIPPING
    pub disable_page_skipping: bool,
    /// INDEX_CLEANUP; `None`: as the table says
    pub index_cleanup: Option<IndexCleanup>,
    /// TRUNCATE; `None`: as the table says
    pub truncate: Option<bool>,
    /// PARALLEL: how many workers at most, where it is said
    pub parallel: Option<u32>,
    /// PROCESS_TOAST, where it is said; from 14 on
    pub process_toast: Option<bool>,
    /// SKIP_LOCKED: tables that are locked are passed over
    pub skip_locked: bool,
    /// not PROCESS_MAIN: only the TOAST table is vacuumed
    pub skip_main: bool,
    /// ONLY_DATABASE_STATS: no table is
    pub only_database_stats: bool,
    /// BUFFER_USAGE_LIMIT as it is written, nothing where it has no value; pages are the same with any ring of buffers
    pub buffer_limit: Option<String>,
    /// the first option that came with 16
    pub newer: Option<&'static str>,
}

/// CLUSTER.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// which; none: all that were clustered before
    pub table: Option<RangeVar>,
    /// USING; `None`: the index that it was clustered by last
    pub index: Option<String>,
}

/// REINDEX.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reindex {
    /// CONCURRENTLY
    pub concurrently: bool,
    /// INDEX? Else TABLE
    pub index: bool,
    /// CONCURRENTLY as an option in parentheses, which came with 14
    pub by_option: bool,
    /// which
    pub name: RangeVar,
}

/// SET and RESET.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    /// the setting, in small letters; `None`: RESET ALL
    pub name: Option<String>,
    /// its value as text; `None`: RESET, or DEFAULT
    pub value: Option<String>,
    /// is it RESET?
    pub reset: bool,
    /// SET LOCAL: until the end of the transaction
    pub local: bool,
}

/// CREATE EXTENSION, DROP EXTENSION.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extension {
    /// CREATE? Else DROP
    pub create: bool,
    /// its name
    pub name: String,
    /// IF NOT EXISTS, IF EXISTS
    pub if_exists: bool,
}
