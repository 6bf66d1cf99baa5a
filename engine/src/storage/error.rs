//! Why an operation does not go on: an error, or another session that has to end first.

use crate::datum::SqlError;
use crate::page::TransactionId;

/// Why an operation stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// the statement fails, and its transaction with it
    Error(SqlError),
    /// the operation has done nothing that counts and is to be tried again once this transaction has ended (`XactLockTableWait`)
    Wait(TransactionId),
}

impl From<SqlError> for Stop {
    fn from(error: SqlError) -> Self {
        Self::Error(error)
    }
}

/// What most operations of the access methods give.
pub type Outcome<T> = Result<T, Stop>;
