//! Transactions: ids, the commit log, subtransactions, command ids
//! (src/backend/access/transam/{varsup,clog,subtrans,xact}.c).

use super::multixact::MultiXactId;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::{Lsn, Oid, TransactionId, precedes};

/// Number of a command within its transaction.
pub type CommandId = u32;

/// What became of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum XidStatus {
    /// it runs
    InProgress,
    /// it committed
    Committed,
    /// it aborted, or its server crashed
    Aborted,
}

/// The commit log, and what else is counted up for the whole server.
#[derive(Debug, Clone)]
pub struct Transam {
    /// `nextXid`
    pub next_xid: TransactionId,
    /// `latestCompletedXid`
    pub latest_completed: TransactionId,
    /// `nextOid`
    pub next_oid: Oid,
    /// OIDs that may be given out before the next NEXTOID record (`oidCount`)
    pub oid_count: u32,
    /// the first xid that `status` is about; earlier ones committed
    first: TransactionId,
    status: Vec<XidStatus>,
    /// subtransaction → its parent (`pg_subtrans`)
    parents: BTreeMap<TransactionId, TransactionId>,
    /// of asynchronous commits: the LSN that has to be flushed before hint bits may say so, by group of 32 xids
    commit_lsns: BTreeMap<TransactionId, Lsn>,
}

/// `CLOG_XACTS_PER_LSN_GROUP`
const XACTS_PER_LSN_GROUP: TransactionId = 32;

impl Transam {
    /// All xids before `next_xid` have committed.
    #[must_use]
    pub const fn new(next_xid: TransactionId, next_oid: Oid) -> Self {
        Self {
            next_xid,
            latest_completed: next_xid - 1,
            next_oid,
            oid_count: 0,
            first: next_xid,
            status: Vec::new(),
            parents: BTreeMap::new(),
            commit_lsns: BTreeMap::new(),
        }
    }

    /// `GetNewTransactionId`; `parent` for a subtransaction.
    pub fn assign(&mut self, parent: Option<TransactionId>) -> TransactionId {
        let xid = self.next_xid;
        self.next_xid += 1;
        self.status.resize((xid - self.first) as usize + 1, XidStatus::InProgress);
        if let Some(parent) = parent {
            self.parents.insert(xid, parent);
        }
        xid
    }

    /// Skips xids that others used up: they count as committed.
    pub fn advance_to(&mut self, next_xid: TransactionId) {
        if precedes(self.next_xid, next_xid) {
            self.status.resize((next_xid - self.first) as usize, XidStatus::Committed);
            self.next_xid = next_xid;
            self.latest_completed = next_xid - 1;
        }
    }

    /// What became of it: the commit log, with running transactions told apart.
    #[must_use]
    pub fn status(&self, xid: TransactionId) -> XidStatus {
        match xid.checked_sub(self.first).and_then(|ix| self.status.get(ix as usize)) {
            Some(status) => *status,
            None if xid == 0 => XidStatus::Aborted,
            None => XidStatus::Committed,
        }
    }

    /// `TransactionIdDidCommit`
    #[must_use]
    pub fn did_commit(&self, xid: TransactionId) -> bool {
        self.status(xid) == XidStatus::Committed
    }

    /// `TransactionIdIsInProgress`
    #[must_use]
    pub fn is_in_progress(&self, xid: TransactionId) -> bool {
        self.status(xid) == XidStatus::InProgress
    }

    /// The transaction ended, with these subtransactions (`TransactionIdCommitTree`, `TransactionIdAbortTree`). `lsn`:
    /// end of the commit record that was not flushed.
    pub fn end(&mut self, xids: impl IntoIterator<Item = TransactionId>, status: XidStatus, lsn: Option<Lsn>) {
        for xid in xids {
            if let Some(place) = self.status.get_mut((xid - self.first) as usize) {
                *place = status;
            }
            if precedes(self.latest_completed, xid) {
                self.latest_completed = xid;
            }
            if let Some(lsn) = lsn {
                let group = self.commit_lsns.entry(xid / XACTS_PER_LSN_GROUP).or_default();
                *group = (*group).max(lsn);
            }
        }
    }

    /// `TransactionIdGetCommitLSN`: what has to be flushed before a hint bit may say that it committed.
    #[must_use]
    pub fn commit_lsn(&self, xid: TransactionId) -> Lsn {
        self.commit_lsns.get(&(xid / XACTS_PER_LSN_GROUP)).copied().unwrap_or_default()
    }

    /// `SubTransGetTopmostTransaction`
    #[must_use]
    pub fn topmost(&self, mut xid: TransactionId) -> TransactionId {
        while let Some(parent) = self.parents.get(&xid) {
            xid = *parent;
        }
        xid
    }

    /// The first OID that no NEXTOID record announced; the next one where so many are announced that there is no end.
    #[must_use]
    pub fn announced_oids(&self) -> Oid {
        self.next_oid.checked_add(self.oid_count).unwrap_or(self.next_oid)
    }

    /// A crash: what ran has aborted. Xids from `next_xid` on, of which nothing is in the WAL, are given out again.
    pub fn crash(&mut self, next_xid: TransactionId) {
        self.next_xid = next_xid;
        self.status.truncate(next_xid.saturating_sub(self.first) as usize);
        self.parents.retain(|xid, _| precedes(*xid, next_xid));
        self.commit_lsns.clear();
        for status in &mut self.status {
            if *status == XidStatus::InProgress {
                *status = XidStatus::Aborted;
            }
        }
        self.latest_completed = self.next_xid - 1;
    }
}

/// `IsolationLevel`
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum IsolationLevel {
    /// READ UNCOMMITTED, which is the same as the next but for its name
    ReadUncommitted,
    /// READ COMMITTED
    #[default]
    ReadCommitted,
    /// REPEATABLE READ
    RepeatableRead,
    /// SERIALIZABLE
    Serializable,
}

impl IsolationLevel {
    /// As SHOW gives it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadUncommitted => "read uncommitted",
            Self::ReadCommitted => "read committed",
            Self::RepeatableRead => "repeatable read",
            Self::Serializable => "serializable",
        }
    }
}

/// A level of the transaction of a session: the transaction itself, or a savepoint in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct XactLevel {
    /// its xid, once it has one
    pub xid: Option<TransactionId>,
    /// name of the savepoint
    pub savepoint: Option<String>,
    /// xids of released savepoints, which commit with this level
    pub children: Vec<TransactionId>,
    /// `didLogXid`: is the xid in a record?
    pub did_log_xid: bool,
    /// `topXidLogged`: has a record said whose subtransaction it is?
    pub top_xid_logged: bool,
}

/// The transaction of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Xact {
    /// isolation level
    pub isolation: IsolationLevel,
    /// the transaction and the savepoints in it, outermost first; never empty
    pub levels: Vec<XactLevel>,
    /// did BEGIN start it, so that it goes on after the statement?
    pub in_block: bool,
    /// `XactReadOnly`
    pub read_only: bool,
    /// an error happened: only ROLLBACK goes on
    pub failed: bool,
    /// `FirstSnapshotSet`: has a query asked for a snapshot?
    pub has_snapshot: bool,
    /// `currentCommandId`
    pub command_id: CommandId,
    /// did a command use it, so that the next one has to have another?
    pub command_id_used: bool,
    /// subtransaction xids that no ASSIGNMENT record has named yet
    pub unreported: Vec<TransactionId>,
    /// `MyProc->subxids`: subtransactions that did not abort, as other sessions can look them up
    pub subxids: Vec<TransactionId>,
    /// `subxidStatus.overflowed`: there were more of them than have room there
    pub overflowed: bool,
    /// `OldestMemberMXactId`: it is a member of none before this one
    pub oldest_member: Option<MultiXactId>,
    /// `XACT_FLAGS_ACQUIREDACCESSEXCLUSIVELOCK`: standbys have been told of a lock of it
    pub told_of_lock: bool,
    /// `XACT_FLAGS_ACCESSEDTEMPNAMESPACE`: has it opened a temporary relation?
    pub used_temporary: bool,
    /// the `MultiXacts` that it made or read (`MXactCache`)
    pub multixacts: Vec<MultiXactId>,
    /// `localBackendStatusTable`: its xid and xmin as it has read them first in `pg_stat_activity`
    pub shown: Option<(Option<TransactionId>, Option<TransactionId>)>,
}

impl Xact {
    /// A transaction that begins.
    #[must_use]
    pub fn new(isolation: IsolationLevel, in_block: bool) -> Self {
        Self {
            isolation,
            levels: Vec::from([XactLevel::default()]),
            in_block,
            read_only: false,
            failed: false,
            has_snapshot: false,
            command_id: 0,
            command_id_used: false,
            unreported: Vec::new(),
            subxids: Vec::new(),
            overflowed: false,
            oldest_member: None,
            told_of_lock: false,
            used_temporary: false,
            multixacts: Vec::new(),
            shown: None,
        }
    }

    /// `GetTopTransactionIdIfAny`
    #[must_use]
    pub fn top_xid(&self) -> Option<TransactionId> {
        self.levels[0].xid
    }

    /// `GetCurrentTransactionIdIfAny`
    #[must_use]
    pub fn current_xid(&self) -> Option<TransactionId> {
        self.levels.last().and_then(|level| level.xid)
    }

    /// `TransactionIdIsCurrentTransactionId`: it, or a subtransaction of it that did not abort.
    #[must_use]
    pub fn is_current(&self, xid: TransactionId) -> bool {
        self.levels.iter().any(|level| level.xid == Some(xid) || level.children.contains(&xid))
    }

    /// `CommandCounterIncrement`
    pub const fn next_command(&mut self) {
        if self.command_id_used {
            self.command_id += 1;
            self.command_id_used = false;
        }
    }
}
