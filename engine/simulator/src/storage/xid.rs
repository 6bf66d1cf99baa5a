//! Transaction ids of the running session, and which of them the WAL knows (`AssignTransactionId`,
//! `IsSubxactTopXidLogPending`, src/backend/access/transam/xact.c).
//!
//! ```text
//!  level 0 ─ level 1 ─ level 2      from the outside in: a child's xid is later than its parent's
//!   740       741       742 …       the 64th that no record has named: ASSIGNMENT 740: 741 742 …
//! ```

use super::Instance;
use super::transam::{CommandId, Xact, XactLevel};
use crate::access::transam::{WalLevel, log_xact_assignment};
use crate::version::Behaviour;
use ffviz_format::page::TransactionId;

/// `PGPROC_MAX_CACHED_SUBXIDS`
const MAX_CACHED_SUBXIDS: usize = 64;

impl Instance {
    /// `GetCurrentTransactionId`: the xid of the running session's (sub)transaction, a new one where it has none.
    /// Parents get theirs first.
    #[inline]
    pub fn current_xid(&mut self) -> TransactionId {
        let known = self.backend().xact.as_ref().and_then(Xact::current_xid);
        known.unwrap_or_else(|| self.assign_current_xid())
    }

    #[inline(never)]
    fn assign_current_xid(&mut self) -> TransactionId {
        let xact = self.start_transaction(false);
        let depths = xact.levels.len();
        let mut parent = None;
        for depth in 0..depths {
            parent = Some(self.xid_of_level(depth, parent));
        }
        parent.unwrap_or(0)
    }

    /// `GetTopTransactionId`: the xid of the running session's transaction; its subtransactions get none.
    pub fn top_xid(&mut self) -> TransactionId {
        self.start_transaction(false);
        self.xid_of_level(0, None)
    }

    /// The xid of a level, a new one where it has none.
    fn xid_of_level(&mut self, depth: usize, parent: Option<TransactionId>) -> TransactionId {
        let level = |xact: &Xact| xact.levels.get(depth).and_then(|level| level.xid);
        if let Some(xid) = self.backend().xact.as_ref().and_then(level) {
            return xid;
        }
        let xid = self.transam.assign(parent);
        let is_logical = self.wal.settings.level >= WalLevel::Logical;
        let is_told = self.wal.settings.level >= WalLevel::Replica;
        let Some(xact) = self.backends[self.me].xact.as_mut() else { return xid };
        // a subtransaction is not to be the first that logical decoding hears of
        let unknown_top = is_logical && !xact.levels[0].did_log_xid;
        xact.levels[depth].xid = Some(xid);
        if depth == 0 {
            self.register_predicate_locking_xid(xid);
            return xid;
        }
        xact.advertise(xid);
        if is_told {
            xact.unreported.push(xid);
            if xact.unreported.len() >= MAX_CACHED_SUBXIDS || unknown_top {
                self.log_assignment();
            }
        }
        xid
    }

    /// ASSIGNMENT: standbys, whose list of a transaction's subtransactions has so many places, learn whose they are.
    fn log_assignment(&mut self) {
        let Some(xact) = self.backends[self.me].xact.as_mut() else { return };
        let (Some(top), subxacts) = (xact.top_xid(), core::mem::take(&mut xact.unreported)) else { return };
        self.log_about_no_page(|wal, backend| log_xact_assignment(wal, backend, top, &subxacts));
        if let Some(xact) = self.backends[self.me].xact.as_mut() {
            xact.levels[0].did_log_xid = true;
        }
    }

    /// What the next record is to say of the running transaction: its xid, and once for a subtransaction, from 14 on
    /// where WAL is for logical decoding, whose it is.
    #[inline]
    pub(crate) fn name_transaction(&mut self) {
        let names_top = self.wal.settings.level >= WalLevel::Logical && self.version.names_top_transaction();
        let backend = &mut self.backends[self.me];
        (backend.wal.xid, backend.wal.toplevel_xid) = (0, None);
        let Some(xact) = backend.xact.as_mut() else { return };
        let is_sub = xact.levels.len() > 1;
        let Some(level) = xact.levels.last_mut() else { return };
        let Some(xid) = level.xid else { return };
        backend.wal.xid = xid;
        level.did_log_xid = true;
        if is_sub && names_top && !level.top_xid_logged {
            level.top_xid_logged = true;
            backend.wal.toplevel_xid = xact.top_xid();
        }
    }

    /// `LogAccessExclusiveLockPrepare`: standbys are going to be told of the lock, by the number of the transaction.
    /// `None` where there are none.
    pub fn prepare_to_tell_of_lock(&mut self) -> Option<TransactionId> {
        (self.wal.settings.level >= WalLevel::Replica).then(|| self.current_xid())
    }

    /// `LogAccessExclusiveLock`: standbys are told of the lock, and at the transaction's end that it had some.
    pub fn tell_of_lock(&mut self) -> Option<TransactionId> {
        let xid = self.prepare_to_tell_of_lock();
        self.start_transaction(false).told_of_lock |= xid.is_some();
        xid
    }

    /// `GetCurrentTransactionIdIfAny`; 0 where it has none, as in `xl_xid`.
    #[must_use]
    pub fn current_xid_if_any(&self) -> TransactionId {
        self.backend().xact.as_ref().and_then(Xact::current_xid).unwrap_or(0)
    }

    /// `TransactionIdIsCurrentTransactionId`
    #[must_use]
    pub fn is_current_xid(&self, xid: TransactionId) -> bool {
        self.backend().xact.as_ref().is_some_and(|xact| xact.is_current(xid))
    }

    /// `GetCurrentCommandId(true)`: the command's number, which it uses up.
    pub fn current_command_id(&mut self) -> CommandId {
        let xact = self.start_transaction(false);
        xact.command_id_used = true;
        xact.command_id
    }
}

impl Xact {
    /// Others can look up the subtransaction (`GetNewTransactionId`), as long as there is room for it.
    fn advertise(&mut self, xid: TransactionId) {
        if self.subxids.len() < MAX_CACHED_SUBXIDS {
            self.subxids.push(xid);
        } else {
            self.overflowed = true;
        }
    }

    /// `XidCacheRemoveRunningXids`: a subtransaction aborted, and its children with it.
    pub fn remove_subxids(&mut self, xid: TransactionId, children: &[TransactionId]) {
        for gone in children.iter().rev().chain([&xid]) {
            if let Some(at) = self.subxids.iter().rposition(|subxid| subxid == gone) {
                self.subxids.swap_remove(at);
            }
        }
    }
}

impl XactLevel {
    /// The level aborted, and goes on as a new one after ROLLBACK TO: without an xid that the WAL could know.
    pub fn forget_xid(&mut self) {
        (self.xid, self.did_log_xid, self.top_xid_logged) = (None, false, false);
    }
}
