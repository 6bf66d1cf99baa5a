//! Advisory locks (src/backend/utils/adt/lockfuncs.c; src/backend/storage/lmgr/lock.c): what a script locks that is no
//! relation and no row. Those of a session stay until they are let go as often as they were taken, also over
//! ROLLBACK; those of a transaction until it ends.

use alloc::vec::Vec;

/// What is locked (`SET_LOCKTAG_ADVISORY`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdvisoryKey {
    /// `classid`: the upper half of a bigint, or the first of two integers
    pub classid: u32,
    /// `objid`
    pub objid: u32,
    /// `objsubid`: 1 of a bigint, 2 of two integers
    pub objsubid: i16,
}

/// A lock that a session has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdvisoryLock {
    /// whose
    pub session: usize,
    /// of what
    pub key: AdvisoryKey,
    /// `ShareLock`, not `ExclusiveLock`
    pub shared: bool,
    /// depth of the (sub)transaction that took it; none: it is the session's
    depth: Option<usize>,
    /// how often
    count: u32,
}

/// All of them.
#[derive(Debug, Clone, Default)]
pub struct AdvisoryLocks {
    held: Vec<AdvisoryLock>,
    /// sessions that wait, with what they wait for, and whether a shared lock is enough
    queue: Vec<(usize, AdvisoryKey, bool)>,
}

impl AdvisoryLocks {
    /// Sessions that have what the session wants.
    pub fn holders(&self, session: usize, key: AdvisoryKey, shared: bool) -> impl Iterator<Item = usize> {
        let conflicts =
            move |held: &&AdvisoryLock| held.session != session && held.key == key && !(held.shared && shared);
        self.held.iter().filter(conflicts).map(|held| held.session)
    }

    /// The session waits from here on.
    pub fn wait(&mut self, session: usize, key: AdvisoryKey, shared: bool) {
        self.queue.push((session, key, shared));
    }

    /// The session waits no longer.
    pub fn stop_waiting(&mut self, session: usize) {
        self.queue.retain(|(waiting, ..)| *waiting != session);
    }

    /// Those that wait.
    #[must_use]
    pub fn waiting(&self) -> &[(usize, AdvisoryKey, bool)] {
        &self.queue
    }

    /// `LockAcquire`: gives whether the session has the lock; else another one has it.
    pub fn acquire(&mut self, session: usize, key: AdvisoryKey, shared: bool, depth: Option<usize>) -> bool {
        if self.holders(session, key, shared).next().is_some() {
            return false;
        }
        let is_it = |held: &&mut AdvisoryLock| {
            (held.session, held.key, held.shared, held.depth) == (session, key, shared, depth)
        };
        match self.held.iter_mut().find(is_it) {
            Some(held) => held.count += 1,
            None => self.held.push(AdvisoryLock { session, key, shared, depth, count: 1 }),
        }
        true
    }

    /// `LockRelease`: once. Gives whether the session had it.
    pub fn unlock(&mut self, session: usize, key: AdvisoryKey, shared: bool) -> bool {
        let is_it = |held: &AdvisoryLock| {
            held.session == session && held.key == key && held.shared == shared && held.depth.is_none()
        };
        let Some(at) = self.held.iter().position(is_it) else { return false };
        self.held[at].count -= 1;
        if self.held[at].count == 0 {
            self.held.remove(at);
        }
        true
    }

    /// `LockReleaseSession`
    pub fn unlock_all(&mut self, session: usize) {
        self.held.retain(|held| held.session != session || held.depth.is_some());
    }

    /// Those of the (sub)transactions from `depth` on are let go.
    pub(super) fn release(&mut self, session: usize, depth: usize) {
        self.held.retain(|held| held.session != session || held.depth.is_none_or(|its| its < depth));
    }

    /// A subtransaction has joined the one around it, of that depth.
    pub(super) fn join(&mut self, session: usize, depth: usize) {
        for held in self.held.iter_mut().filter(|held| held.session == session) {
            held.depth = held.depth.map(|its| its.min(depth));
        }
    }

    /// Each lock once, however often and as whatever it was taken.
    #[must_use]
    pub fn shown(&self) -> Vec<AdvisoryLock> {
        let mut shown: Vec<AdvisoryLock> = Vec::new();
        for lock in &self.held {
            let is_same = |other: &AdvisoryLock| {
                (other.session, other.key, other.shared) == (lock.session, lock.key, lock.shared)
            };
            if !shown.iter().any(is_same) {
                shown.push(*lock);
            }
        }
        shown
    }
}
