//! Around a statement: transaction, snapshot and command id before it; end of the command, or of its transaction, after
//! it (`exec_simple_query`, src/backend/tcop/postgres.c; src/backend/utils/time/snapmgr.c).

use super::Cluster;
use crate::storage::{IsolationLevel, MvccSnapshot, RelationLock};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::{Lsn, Oid, TransactionId};

/// The running session before a statement, for one that turns out not to be simulated.
#[derive(Debug, Clone)]
pub struct Before {
    wal: Lsn,
    /// pages changed, and made clean no more
    pages: (u64, u64),
    next: (TransactionId, Oid),
    command: u32,
    changes: usize,
    has_snapshot: bool,
    locks: Vec<RelationLock>,
}

impl Cluster {
    /// The running session as it is.
    #[must_use]
    pub fn before_statement(&self) -> Before {
        let (backend, usage) = (self.pg.backend(), self.pg.usage());
        Before {
            wal: self.pg.wal.position().insert_lsn(),
            pages: (usage.pages_changed, usage.blks_dirtied),
            next: (self.pg.transam.next_xid, self.pg.transam.next_oid),
            command: backend.xact.as_ref().map_or(0, |xact| xact.command_id),
            changes: self.sessions.get(self.pg.me).map_or(0, |session| session.undo.len()),
            has_snapshot: backend.snapshot.is_some(),
            locks: self.pg.locks.held(self.pg.me),
        }
    }

    /// A statement is not simulated. Where it has done nothing yet, the transaction around it is left as it was; else
    /// it fails. Gives whether it was left.
    pub fn skip_statement(&mut self, before: &Before) -> bool {
        let now = self.before_statement();
        let did = |state: &Before| (state.wal, state.pages, state.next, state.command, state.changes);
        let in_block = self.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block);
        if !in_block || did(&now) != did(before) {
            self.fail_statement();
            return did(&now) == did(before);
        }
        self.release_snapshot();
        if !before.has_snapshot
            && self.pg.backend().xact.as_ref().is_none_or(|xact| xact.isolation != IsolationLevel::Serializable)
        {
            let xmin = self.portal_xmin();
            let backend = self.pg.backend_mut();
            (backend.snapshot, backend.proc_xmin, backend.catalog_snapshot) = (None, xmin, false);
        }
        self.pg.locks.keep(self.pg.me, &before.locks);
        true
    }

    /// A statement begins in the running session.
    ///
    /// # Errors
    /// In a transaction that has failed, and where the server did not start after a crash.
    pub fn start_statement(&mut self) -> Result<(), SqlError> {
        if let Some(why) = &self.down {
            return Err(why.clone());
        }
        if self.pg.backend().xact.as_ref().is_some_and(|xact| xact.failed) {
            let message = "current transaction is aborted, commands ignored until end of transaction block";
            return Err(SqlError::new("25P02", message));
        }
        self.pg.start_transaction(false);
        Ok(())
    }

    /// `GetTransactionSnapshot`: the snapshot of the statement that begins; from REPEATABLE READ on that of the
    /// transaction's first.
    pub fn take_snapshot(&mut self) -> MvccSnapshot {
        let backend = self.pg.backend();
        let keeps = backend.xact.as_ref().is_some_and(|xact| xact.isolation > IsolationLevel::ReadCommitted);
        let command = backend.xact.as_ref().map_or(0, |xact| xact.command_id);
        let kept = backend.snapshot.clone().filter(|_| keeps);
        let snapshot = match kept {
            Some(first) => MvccSnapshot { curcid: command, ..first },
            None => self.first_snapshot(),
        };
        let backend = self.pg.backend_mut();
        backend.snapshot = Some(snapshot.clone());
        if let Some(xact) = &mut backend.xact {
            xact.has_snapshot = true;
        }
        snapshot
    }

    /// `GetLatestSnapshot`: as of now, also in a transaction that keeps its first one.
    pub fn latest_snapshot(&mut self) -> MvccSnapshot {
        match self.pg.backend().xact.as_ref().is_some_and(|xact| xact.isolation > IsolationLevel::ReadCommitted) {
            true => self.pg.get_snapshot(),
            false => self.take_snapshot(),
        }
    }

    /// A new snapshot. From that of its first statement on others may conflict with a SERIALIZABLE transaction.
    fn first_snapshot(&mut self) -> MvccSnapshot {
        let snapshot = self.pg.get_snapshot();
        if self.pg.backend().xact.as_ref().is_some_and(|xact| xact.isolation == IsolationLevel::Serializable) {
            self.pg.begin_serializable(&snapshot);
        }
        snapshot
    }

    /// A statement of the running session is at its end: `CommandCounterIncrement`, and COMMIT where it is alone.
    ///
    /// # Errors
    /// Where COMMIT fails.
    pub fn end_statement(&mut self) -> Result<(), SqlError> {
        self.release_snapshot();
        match &mut self.pg.backend_mut().xact {
            Some(xact) if xact.in_block => xact.next_command(),
            Some(_) => self.commit()?,
            None => {}
        }
        Ok(())
    }

    /// A statement of the running session failed.
    pub fn fail_statement(&mut self) {
        self.release_snapshot();
        self.fail();
    }

    /// `SnapshotResetXmin`: between statements only a snapshot of the whole transaction or of a cursor holds back the
    /// horizon.
    pub(crate) fn release_snapshot(&mut self) {
        let (pins, xmin) = (self.portal_pins(), self.portal_xmin());
        let backend = self.pg.backend_mut();
        backend.pins = pins;
        let keeps = backend.xact.as_ref().is_some_and(|xact| xact.isolation > IsolationLevel::ReadCommitted);
        if !keeps {
            backend.snapshot = None;
            backend.proc_xmin = xmin;
            backend.catalog_snapshot = false;
        }
    }
}
