//! What a session remembers of its own SIREAD locks (`LocalPredicateLockHash`), and when many of them become one
//! (`CheckAndPromotePredicateLockRequest`).
//!
//! It is a hint only: of a lock that a split of a page brought about it knows nothing.

use super::sxact::SxactId;
use super::target::Target;
use crate::storage::PredicateLockLimits;
use alloc::collections::BTreeMap;

/// `MySerializableXact`, `MyXactDidWrite` and `LocalPredicateLockHash` of a session.
#[derive(Debug, Clone)]
pub struct MySerializableXact {
    pub(super) id: SxactId,
    pub(super) did_write: bool,
    locks: BTreeMap<Target, LocalLock>,
}

/// `LOCALPREDICATELOCK`
#[derive(Debug, Clone, Copy, Default)]
struct LocalLock {
    held: bool,
    /// locks within it, those on rows of its pages too
    child_locks: u32,
}

impl MySerializableXact {
    pub(super) const fn new(id: SxactId) -> Self {
        Self { id, did_write: false, locks: BTreeMap::new() }
    }

    /// `PredicateLockExists`
    pub(super) fn holds(&self, target: Target) -> bool {
        self.locks.get(&target).is_some_and(|lock| lock.held)
    }

    /// `PredicateLockExists`, `CoarserLockCovers`
    pub(super) fn covers(&self, target: Target) -> bool {
        self.holds(target) || target.ancestors().any(|coarser| self.holds(coarser))
    }

    /// A lock is taken. Gives the coarsest one that is to take the place of this one and others beside it, where there
    /// are too many.
    pub(super) fn add(&mut self, target: Target, limits: PredicateLockLimits) -> Option<Target> {
        self.locks.entry(target).or_default().held = true;
        let mut promotion = None;
        for coarser in target.ancestors() {
            let lock = self.locks.entry(coarser).or_default();
            lock.child_locks += 1;
            if i64::from(lock.child_locks) > coarser.max_child_locks(limits) {
                promotion = Some(coarser);
            }
        }
        promotion
    }

    /// `DecrementParentLocks`: a lock within them has gone.
    pub(super) fn decrement_parents(&mut self, target: Target) {
        for coarser in target.ancestors() {
            let Some(lock) = self.locks.get_mut(&coarser) else { continue };
            lock.child_locks = lock.child_locks.saturating_sub(1);
            if lock.child_locks == 0 && !lock.held {
                self.locks.remove(&coarser);
            }
        }
    }

    /// The entry of a lock that the own write of the row has made needless.
    pub(super) fn forget(&mut self, target: Target) {
        self.locks.remove(&target);
        self.decrement_parents(target);
    }
}
