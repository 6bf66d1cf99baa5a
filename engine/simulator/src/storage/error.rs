//! Why an operation does not go on: an error, or another session that has to end first.

use super::advisory::AdvisoryKey;
use super::lockmgr::RelationLock;
use core::fmt;
use ffviz_format::datum::SqlError;
use ffviz_format::page::TransactionId;

/// Why an operation stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// the statement fails, and its transaction with it
    Error(SqlError),
    /// the operation has done nothing that counts and is to be tried again once this has come
    Wait(WaitFor),
}

/// What a session waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitFor {
    /// the end of a transaction (`XactLockTableWait`)
    Transaction(TransactionId),
    /// a lock on a relation (`LockRelationOid`)
    Lock(RelationLock),
    /// an advisory lock; is a shared one enough?
    Advisory(AdvisoryKey, bool),
}

impl fmt::Display for WaitFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transaction(xid) => write!(f, "transaction {xid}"),
            Self::Advisory(key, _) => write!(f, "an advisory lock on {}, {}", key.classid, key.objid),
            Self::Lock(lock) => write!(f, "{} on relation {}", lock.mode.name(), lock.relation),
        }
    }
}

impl From<SqlError> for Stop {
    fn from(error: SqlError) -> Self {
        Self::Error(error)
    }
}

/// What most operations of the access methods give.
pub type Outcome<T> = Result<T, Stop>;
