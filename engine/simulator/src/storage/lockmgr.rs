//! Locks on relations (src/backend/storage/lmgr/lock.c, proc.c): who holds which, and who waits, in the order in which
//! they came.
//!
//! ```text
//!  AccessShare · RowShare · RowExclusive · ShareUpdateExclusive · Share · ShareRowExclusive · Exclusive · AccessExclusive
//!  SELECT      FOR UPDATE   INSERT …       VACUUM, ANALYZE        CREATE INDEX                            DROP, TRUNCATE, ALTER
//! ```

use super::advisory::AdvisoryLocks;
use crate::version::Behaviour;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use ffviz_format::page::{Oid, PgVersion};

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

    /// `ConflictsWithRelationFastPath`
    const fn is_strong(self) -> bool {
        matches!(self, Self::Share | Self::ShareRowExclusive | Self::Exclusive | Self::AccessExclusive)
    }

    /// `EligibleForRelationFastPath`
    const fn is_weak(self) -> bool {
        matches!(self, Self::AccessShare | Self::RowShare | Self::RowExclusive)
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
    /// `fpRelId`: the slot of its session that it stands in; none: in the lock table that all share
    slot: Option<u16>,
}

/// A lock as `pg_locks` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownLock {
    /// whose
    pub session: usize,
    /// which
    pub lock: RelationLock,
    /// has the session it?
    pub granted: bool,
    /// `fastpath`
    pub fastpath: bool,
}

/// A lock on what is no relation, which conflicts with no other here (`LockDatabaseObject`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObjectLock {
    /// whose
    pub session: usize,
    /// the catalog that it is in
    pub classid: Oid,
    /// which it is there
    pub objid: Oid,
    /// depth of the (sub)transaction that took it
    depth: usize,
}

/// `FP_LOCK_SLOTS_PER_GROUP`
const SLOTS: u16 = 16;

/// All locks on relations.
#[derive(Debug, Clone, Default)]
pub struct LockTable {
    held: Vec<Held>,
    /// objects in AccessShare mode
    objects: Vec<ObjectLock>,
    /// sessions that wait, the first to come first
    queue: Vec<(usize, RelationLock)>,
    /// `FastPathLockGroupsPerBackend`
    groups: u16,
    /// sessions that hold locks, or wait for rows, of which nothing is known here
    untold: BTreeSet<usize>,
    /// sessions that hold locks on the system's own relations
    of_catalogs: BTreeSet<usize>,
    /// advisory locks
    pub advisory: AdvisoryLocks,
}

impl LockTable {
    /// Nobody holds or waits.
    #[must_use]
    pub fn new(version: PgVersion) -> Self {
        Self { groups: version.fast_path_lock_groups(), ..Self::default() }
    }

    /// `LockAcquire`: gives whether the session has the lock now; else it stands in the queue.
    pub fn acquire(&mut self, session: usize, depth: usize, lock: RelationLock) -> bool {
        if self.has(session, lock) {
            return true;
        }
        if lock.mode.is_strong() {
            self.transfer(lock.relation);
        }
        if self.blockers(session, lock).next().is_some() {
            if !self.queue.contains(&(session, lock)) {
                self.queue.push((session, lock));
            }
            return false;
        }
        self.stop_waiting(session);
        let slot = if lock.mode.is_weak() { self.slot(session, lock.relation) } else { None };
        self.held.push(Held { session, lock, depth, slot });
        true
    }

    /// `LockDatabaseObject`, in AccessShare mode.
    pub fn acquire_object(&mut self, session: usize, depth: usize, (classid, objid): (Oid, Oid)) {
        let is_it = |held: &ObjectLock| (held.session, held.classid, held.objid) == (session, classid, objid);
        if !self.objects.iter().any(is_it) {
            self.objects.push(ObjectLock { session, classid, objid, depth });
        }
    }

    /// The locks on objects.
    #[must_use]
    pub fn objects(&self) -> &[ObjectLock] {
        &self.objects
    }

    /// `FastPathTransferRelationLocks`: whoever holds the relation weakly has it in the shared table from now on.
    fn transfer(&mut self, relation: Oid) {
        self.held.iter_mut().filter(|held| held.lock.relation == relation).for_each(|held| held.slot = None);
    }

    /// `FastPathGrantRelationLock`: the slot with that relation, or the last one that is free.
    fn slot(&self, session: usize, relation: Oid) -> Option<u16> {
        let is_of_it = |lock: &RelationLock| lock.relation == relation && lock.mode.is_strong();
        let mut strong = self.held.iter().map(|held| &held.lock).chain(self.queue.iter().map(|(_, lock)| lock));
        if strong.any(is_of_it) {
            return None;
        }
        let own = || self.held.iter().filter(move |held| held.session == session);
        let known = own().find(|held| held.lock.relation == relation && held.slot.is_some());
        // `FAST_PATH_REL_GROUP`
        let group = (u64::from(relation) * 49157 % u64::from(self.groups.max(1))) as u16;
        let free = |slot: &u16| own().all(|held| held.slot != Some(*slot));
        let last_free = || (group * SLOTS..(group + 1) * SLOTS).rev().find(free);
        known.map_or_else(last_free, |held| held.slot)
    }

    /// `GetLockStatusData`: those in slots by session and slot, the others as they were taken, then who waits.
    #[must_use]
    pub fn shown(&self) -> (Vec<ShownLock>, Vec<ShownLock>) {
        let show = |held: &Held| ShownLock {
            session: held.session,
            lock: held.lock,
            granted: true,
            fastpath: held.slot.is_some(),
        };
        let mut in_slots: Vec<&Held> = self.held.iter().filter(|held| held.slot.is_some()).collect();
        in_slots.sort_by_key(|held| (held.session, held.slot, held.lock.mode));
        let shared = self.held.iter().filter(|held| held.slot.is_none()).map(show);
        let waiting = self.queue.iter().map(|(session, lock)| ShownLock {
            session: *session,
            lock: *lock,
            granted: false,
            fastpath: false,
        });
        (in_slots.into_iter().map(show).collect(), shared.chain(waiting).collect())
    }

    /// The session holds what is not known here, until its transaction ends.
    pub fn note_untold(&mut self, session: usize) {
        self.untold.insert(session);
    }

    /// The session reads catalogs, and holds locks on them until its transaction ends.
    pub fn note_catalog(&mut self, session: usize) {
        self.of_catalogs.insert(session);
    }

    /// Does the session hold locks on catalogs?
    #[must_use]
    pub fn reads_catalogs(&self, session: usize) -> bool {
        self.of_catalogs.contains(&session)
    }

    /// Is it known what every session holds?
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.untold.is_empty()
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
        self.advisory.stop_waiting(session);
    }

    /// Locks of the (sub)transactions from `depth` on are let go.
    pub fn release(&mut self, session: usize, depth: usize) {
        self.held.retain(|held| held.session != session || held.depth < depth);
        self.objects.retain(|held| held.session != session || held.depth < depth);
        self.advisory.release(session, depth);
        if depth == 0 {
            self.untold.remove(&session);
            self.of_catalogs.remove(&session);
        }
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
        for held in self.objects.iter_mut().filter(|held| held.session == session) {
            held.depth = held.depth.min(depth);
        }
        self.advisory.join(session, depth);
    }

    /// Nobody holds or waits: the server was started anew.
    pub fn clear(&mut self) {
        *self = Self { groups: self.groups, ..Self::default() };
    }
}
