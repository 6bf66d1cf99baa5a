//! BEGIN, COMMIT, ROLLBACK and savepoints, as statements.

use super::Database;
use crate::sql::ast::{IsolationLevel as Written, Transaction, TransactionModes};
use crate::sql::error::NOT_SIMULATED;
use crate::storage::{IsolationLevel, SessionSettings, Xact};
use alloc::format;
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
            if modes.deferrable {
                check_safe(db)?;
            }
            if matches!(statement, Transaction::Start(_)) { "START TRANSACTION" } else { "BEGIN" }
        }
        Transaction::Set(modes) => {
            cluster.start_statement()?;
            set_modes(db, *modes)?;
            if !db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block) {
                db.cluster.end_statement()?;
            }
            "SET"
        }
        Transaction::SetDefaults(modes) => {
            cluster.start_statement()?;
            cluster.keep_settings(false, None);
            set_defaults(&mut cluster.pg.backend_mut().settings, *modes);
            cluster.end_statement()?;
            "SET"
        }
        Transaction::Commit => cluster.commit_block()?,
        Transaction::Rollback => {
            cluster.rollback_block();
            "ROLLBACK"
        }
        Transaction::Chain(commit) => chain(db, *commit)?,
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
        Transaction::Prepare(_) => prepare(db)?,
        Transaction::Finish(gid) => return Err(finish(db, gid)),
    };
    Ok(tag.to_string())
}

/// COMMIT and ROLLBACK AND CHAIN: the next transaction is as this one was (`SaveTransactionCharacteristics`).
fn chain(db: &mut Database, commit: bool) -> Result<&'static str, SqlError> {
    let xact = db.cluster.pg.backend().xact.as_ref().filter(|xact| xact.in_block);
    let Some((isolation, read_only)) = xact.map(|xact| (xact.isolation, xact.read_only)) else {
        let what = if commit { "COMMIT" } else { "ROLLBACK" };
        return Err(SqlError::new("25P01", format!("{what} AND CHAIN can only be used in transaction blocks")));
    };
    let tag = if commit {
        db.cluster.commit_block()?
    } else {
        db.cluster.rollback_block();
        "ROLLBACK"
    };
    db.cluster.start_statement()?;
    db.cluster.begin(Some(isolation));
    set_read_only(db, TransactionModes { read_only: Some(read_only), ..TransactionModes::default() });
    Ok(tag)
}

/// PREPARE TRANSACTION: outside of a block it is a ROLLBACK of nothing (`PrepareTransactionBlock`); a server without
/// `max_prepared_transactions` cannot end a block by it (`MarkAsPreparing`).
fn prepare(db: &mut Database) -> Result<&'static str, SqlError> {
    let xact = db.cluster.pg.backend().xact.as_ref();
    if xact.is_none_or(|xact| !xact.in_block || xact.failed) {
        db.cluster.rollback_block();
        return Ok("ROLLBACK");
    }
    check_disabled(db)?;
    // the block is over, as it is where COMMIT fails
    db.cluster.rollback_block();
    Err(SqlError::new("55000", "prepared transactions are disabled"))
}

/// COMMIT PREPARED and ROLLBACK PREPARED, where there is none (`LockGXACT`).
fn finish(db: &mut Database, gid: &str) -> SqlError {
    if let Err(error) = db.cluster.start_statement().and_then(|()| check_disabled(db)) {
        return error;
    }
    if db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block) {
        return SqlError::new("25001", "COMMIT PREPARED cannot run inside a transaction block");
    }
    SqlError::new("42704", format!("prepared transaction with identifier \"{gid}\" does not exist"))
}

fn check_disabled(db: &Database) -> Result<(), SqlError> {
    match db.setting("max_prepared_transactions") {
        Some((_, most)) if most != "0" => Err(SqlError::new(NOT_SIMULATED, "a prepared transaction is not supported")),
        _ => Ok(()),
    }
}

/// `transaction_read_only`
fn set_read_only(db: &mut Database, modes: TransactionModes) {
    if let (Some(read_only), Some(xact)) = (modes.read_only, &mut db.cluster.pg.backend_mut().xact) {
        xact.read_only = read_only;
    }
}

/// SET SESSION CHARACTERISTICS: what SET of the two settings says.
fn set_defaults(settings: &mut SessionSettings, modes: TransactionModes) {
    if let Some(level) = isolation(modes) {
        settings.default_transaction_isolation = level;
        settings.shown.insert("default_transaction_isolation".to_string(), level.name().to_string());
    }
    if let Some(read_only) = modes.read_only {
        settings.default_transaction_read_only = read_only;
        let shown = if read_only { "on" } else { "off" };
        settings.shown.insert("default_transaction_read_only".to_string(), shown.to_string());
    }
}

/// SERIALIZABLE READ ONLY DEFERRABLE begins where no transaction is open that could harm it (`GetSafeSnapshot`).
fn check_safe(db: &Database) -> Result<(), SqlError> {
    let pg = &db.cluster.pg;
    let may_harm = |xact: &Xact| xact.isolation == IsolationLevel::Serializable && !xact.read_only;
    let mut others = pg.backends.iter().enumerate().filter(|(n, _)| *n != pg.me);
    if others.any(|(_, backend)| backend.xact.as_ref().is_some_and(may_harm)) {
        return Err(SqlError::new(
            NOT_SIMULATED,
            "DEFERRABLE beside another SERIALIZABLE transaction is not supported",
        ));
    }
    Ok(())
}

/// SET TRANSACTION.
///
/// # Errors
/// What a transaction that has a snapshot cannot become any more (`check_transaction_isolation`,
/// `check_transaction_read_only`, src/backend/commands/variable.c).
pub(in crate::sql) fn set_modes(db: &mut Database, modes: TransactionModes) -> Result<(), SqlError> {
    if let Some(xact) = &mut db.cluster.pg.backend_mut().xact {
        let refuse = |message| Err(SqlError::new("25001", message));
        let is_nested = xact.levels.len() > 1;
        if modes.read_only == Some(false) && xact.read_only && xact.has_snapshot {
            return refuse("transaction read-write mode must be set before any query");
        }
        if let Some(level) = isolation(modes).filter(|level| *level != xact.isolation) {
            if xact.has_snapshot {
                return refuse("SET TRANSACTION ISOLATION LEVEL must be called before any query");
            }
            if is_nested {
                return refuse("SET TRANSACTION ISOLATION LEVEL must not be called in a subtransaction");
            }
            xact.isolation = level;
        }
    }
    set_read_only(db, modes);
    Ok(())
}

fn isolation(modes: TransactionModes) -> Option<IsolationLevel> {
    modes.isolation.map(level)
}

/// The level that is written so.
pub(in crate::sql) const fn level(written: Written) -> IsolationLevel {
    match written {
        Written::ReadUncommitted => IsolationLevel::ReadUncommitted,
        Written::ReadCommitted => IsolationLevel::ReadCommitted,
        Written::RepeatableRead => IsolationLevel::RepeatableRead,
        Written::Serializable => IsolationLevel::Serializable,
    }
}
