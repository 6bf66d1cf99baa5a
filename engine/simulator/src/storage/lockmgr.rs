//! Locks on relations (src/backend/storage/lmgr/lock.c, proc.c): who holds which, and who waits, in the order in which
//! they came.
//!
//! ```text
//!  AccessShare · RowShare · RowExclusive · ShareUpdateExclusive · Share · ShareRowExclusive · Exclusive · AccessExclusive
//!  SELECT      FOR UPDATE   INSERT …       VACUUM, ANALYZE        CREATE INDEX                            DROP, TRUNCATE, ALTER
//! ```

use alloc::vec::Vec;
use ffviz_format::page::Oid;

/// `LOCKMODE`, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LockMode {
    /// SELECT
    AccessShare,
    /// SELECT FOR UPDATE and its like
    RowShare,
    /// INSERT, UPDATE, DELETE, COPY
    RowExclusive,
    /// VACUUM, ANALYZE, storage parameters
    ShareUpdateExclusive,
    /// CREATE INDEX, REINDEX
    Share,
    /// foreign keys
    ShareRowExclusive,
    /// no statement here
    Exclusive,
    /// DROP, TRUNCATE, most of ALTER TABLE
    AccessExclusive,
}

impl LockMode {
    /// `LockConflicts`
    #[must_use]
    pub fn conflicts_with(self, other: Self) -> bool {
        use LockMode::{AccessExclusive, AccessShare, Exclusive, RowExclusive, RowShare, Share, ShareUpdateExclusive};
        let (weak, strong) = (self.min(other), self.max(other));
        match weak {
            AccessShare => strong == AccessExclusive,
            RowShare => strong >= Exclusive,
            RowExclusive => strong >= Share,
            ShareUpdateExclusive => strong >= ShareUpdateExclusive,
            Share => strong != Share,
            _ => true,
        }
    }

    /// Its name in the messages of PostgreSQL.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AccessShare => "AccessShareLock",
            Self::RowShare => "RowShareLock",
            Self::RowExclusive => "RowExclusiveLock",
            Self::ShareUpdateExclusive => "ShareUpdateExclusiveLock",
            Self::Share => "ShareLock",
            Self::ShareRowExclusive => "ShareRowExclusiveLock",
            Self::Exclusive => "ExclusiveLock",
            Self::AccessExclusive => "AccessExclusiveLock",
        }
    }
}

/// A lock that a session wants, or has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelationLock {
    /// the relation
    pub relation: Oid,
    /// how strong
    pub mode: LockMode,
}

/// A lock that a session has.
#[derive(Debug, Clone, Copy)]
struct Held {
    session: usize,
    lock: RelationLock,
    /// depth of the (sub)transaction that took it
    depth: usize,
}

/// All locks on relations.
#[derive(Debug, Clone, Default)]
pub struct LockTable {
    held: Vec<Held>,
    /// sessions that wait, the first to come first
    queue: Vec<(usize, RelationLock)>,
}

impl LockTable {
    /// `LockAcquire`: gives whether the session has the lock now; else it stands in the queue.
    pub fn acquire(&mut self, session: usize, depth: usize, lock: RelationLock) -> bool {
        if self.has(session, lock) {
            return true;
        }
        if self.blockers(session, lock).next().is_some() {
            if !self.queue.contains(&(session, lock)) {
                self.queue.push((session, lock));
            }
            return false;
        }
        self.stop_waiting(session);
        self.held.push(Held { session, lock, depth });
        true
    }

    fn has(&self, session: usize, lock: RelationLock) -> bool {
        self.held.iter().any(|held| held.session == session && held.lock == lock)
    }

    /// The sessions that hold what is in conflict with the lock, then those that wait for such a lock and came first.
    pub fn blockers(&self, session: usize, lock: RelationLock) -> impl Iterator<Item = usize> {
        self.holders(session, lock).chain(self.ahead(session, lock))
    }

    /// The sessions that hold what is in conflict with the lock.
    pub fn holders(&self, session: usize, lock: RelationLock) -> impl Iterator<Item = usize> {
        let is_other = move |held: &&Held| held.session != session && held.lock.relation == lock.relation;
        let conflicts = move |held: &&Held| held.lock.mode.conflicts_with(lock.mode);
        self.held.iter().filter(is_other).filter(conflicts).map(|held| held.session)
    }

    /// Those that wait for what is in conflict with it and came first. Whoever waits for this session itself is passed
    /// by (`ProcSleep`).
    fn ahead(&self, session: usize, lock: RelationLock) -> impl Iterator<Item = usize> {
        let before = self.queue.iter().take_while(move |waiting| **waiting != (session, lock));
        let conflicts = move |(other, wanted): &&(usize, RelationLock)| {
            *other != session && wanted.relation == lock.relation && wanted.mode.conflicts_with(lock.mode)
        };
        let waits_for_me =
            move |other: usize, wanted: RelationLock| self.holders(other, wanted).any(|it| it == session);
        before.filter(conflicts).filter(move |(other, wanted)| !waits_for_me(*other, *wanted)).map(|(other, _)| *other)
    }

    /// Does another session hold any lock on the relation? Then nobody gets it exclusively (`ConditionalLockRelation`).
    #[must_use]
    pub fn is_shared(&self, session: usize, relation: Oid) -> bool {
        self.holders(session, RelationLock { relation, mode: LockMode::AccessExclusive }).next().is_some()
    }

    /// The session waits no longer.
    pub fn stop_waiting(&mut self, session: usize) {
        self.queue.retain(|(waiting, _)| *waiting != session);
    }

    /// Locks of the (sub)transactions from `depth` on are let go.
    pub fn release(&mut self, session: usize, depth: usize) {
        self.held.retain(|held| held.session != session || held.depth < depth);
        self.stop_waiting(session);
    }

    /// What a session holds.
    #[must_use]
    pub fn held(&self, session: usize) -> Vec<RelationLock> {
        self.held.iter().filter(|held| held.session == session).map(|held| held.lock).collect()
    }

    /// A session lets go of all but these locks.
    pub fn keep(&mut self, session: usize, kept: &[RelationLock]) {
        self.held.retain(|held| held.session != session || kept.contains(&held.lock));
        self.stop_waiting(session);
    }

    /// A subtransaction has joined the one around it, of that depth.
    pub fn join(&mut self, session: usize, depth: usize) {
        for held in self.held.iter_mut().filter(|held| held.session == session) {
            held.depth = held.depth.min(depth);
        }
    }

    /// Nobody holds or waits: the server was started anew.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}
