//! BEGIN, COMMIT, ROLLBACK and savepoints, as statements.

use super::Database;
use crate::sql::ast::{IsolationLevel as Written, Transaction, TransactionModes};
use crate::storage::IsolationLevel;
use alloc::string::{String, ToString};
use ffviz_format::datum::SqlError;

/// What became of such a statement.
#[derive(Debug)]
pub enum TransactionOutcome {
    /// its tag
    Done(String),
    /// outside a block, or of an unknown savepoint
    Failed(SqlError),
}

/// Runs one. It is no part of the transaction that it begins or ends.
pub fn run_transaction(db: &mut Database, statement: &Transaction) -> TransactionOutcome {
    run(db, statement).map_or_else(TransactionOutcome::Failed, TransactionOutcome::Done)
}

fn run(db: &mut Database, statement: &Transaction) -> Result<String, SqlError> {
    let cluster = &mut db.cluster;
    let tag = match statement {
        Transaction::Begin(modes) | Transaction::Start(modes) => {
            cluster.start_statement()?;
            cluster.begin(isolation(*modes));
            set_read_only(db, *modes);
            if matches!(statement, Transaction::Start(_)) { "START TRANSACTION" } else { "BEGIN" }
        }
        Transaction::Set(modes) => {
            cluster.start_statement()?;
            set(db, *modes)?;
            "SET"
        }
        Transaction::Commit => cluster.commit_block()?,
        Transaction::Rollback => {
            cluster.rollback_block();
            "ROLLBACK"
        }
        Transaction::Savepoint(name) => {
            cluster.start_statement()?;
            cluster.savepoint(name)?;
            "SAVEPOINT"
        }
        Transaction::RollbackTo(name) => {
            cluster.rollback_to(name)?;
            "ROLLBACK"
        }
        Transaction::Release(name) => {
            cluster.start_statement()?;
            cluster.release(name)?;
            "RELEASE"
        }
    };
    Ok(tag.to_string())
}

/// `transaction_read_only`
fn set_read_only(db: &mut Database, modes: TransactionModes) {
    if let (Some(read_only), Some(xact)) = (modes.read_only, &mut db.cluster.pg.backend_mut().xact) {
        xact.read_only = read_only;
    }
}

fn set(db: &mut Database, modes: TransactionModes) -> Result<(), SqlError> {
    set_read_only(db, modes);
    let (Some(level), Some(xact)) = (isolation(modes), &mut db.cluster.pg.backend_mut().xact) else { return Ok(()) };
    xact.isolation = level;
    Ok(())
}

fn isolation(modes: TransactionModes) -> Option<IsolationLevel> {
    modes.isolation.map(|level| match level {
        Written::ReadUncommitted | Written::ReadCommitted => IsolationLevel::ReadCommitted,
        Written::RepeatableRead => IsolationLevel::RepeatableRead,
        Written::Serializable => IsolationLevel::Serializable,
    })
}
