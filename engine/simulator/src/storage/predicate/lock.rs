//! SIREAD locks are taken where something is read (`PredicateLockRelation`, `PredicateLockPage`, `PredicateLockTID`,
//! `PredicateLockAcquire`).
//!
//! ```text
//!  a lock on the same, or on what it lies in? ─ yes ▶ nothing
//!       │ no
//!  too many locks within the block, the relation? ─ yes ▶ one on it; those within it go
//! ```

use super::target::Target;
use super::{Instance, PredicateLocks, RelationData, SxactId};
use alloc::vec::Vec;
use ffviz_format::page::{BlockNumber, ItemPointer, TransactionId};

impl Instance {
    /// `PredicateLockRelation`: a sequential scan.
    pub fn predicate_lock_relation(&mut self, rel: &RelationData) {
        if self.backend().serializable.is_some() && self.serialization_needed_for_read().is_some() {
            self.predicate_lock_acquire(rel, Target::Relation(rel.oid));
        }
    }

    /// `PredicateLockPage`: a leaf of an index, or a block of a table of which the visibility map was read instead.
    pub fn predicate_lock_page(&mut self, rel: &RelationData, block: BlockNumber) {
        if self.backend().serializable.is_some() && self.serialization_needed_for_read().is_some() {
            self.predicate_lock_acquire(rel, Target::Page(rel.oid, block));
        }
    }

    /// `PredicateLockTID`: a row version; not where the own transaction wrote it.
    pub fn predicate_lock_tid(&mut self, rel: &RelationData, tid: ItemPointer, xmin: TransactionId) {
        if self.backend().serializable.is_none() || self.serialization_needed_for_read().is_none() {
            return;
        }
        if !self.is_current_xid(xmin) {
            self.predicate_lock_acquire(rel, Target::Tuple(rel.oid, tid));
        }
    }

    /// `PredicateLockAcquire`
    fn predicate_lock_acquire(&mut self, rel: &RelationData, target: Target) {
        // `PredicateLockingNeededForRelation`
        if self.buffers.is_temporary(rel.file) {
            return;
        }
        let Some(own) = self.backends[self.me].serializable.as_mut().filter(|own| !own.covers(target)) else { return };
        let promotion = own.add(target, self.settings.predicate_locks);
        self.predicate.create_lock(target, own.id);
        match promotion {
            Some(coarser) => {
                self.tell_promotion(rel, coarser);
                self.predicate_lock_acquire(rel, coarser);
            }
            None => {
                self.delete_child_target_locks(target);
                self.tell_lock(rel, target);
            }
        }
    }

    /// `DeleteChildTargetLocks`: locks within the new one are not needed any more.
    fn delete_child_target_locks(&mut self, target: Target) {
        let Some(own) = self.backends[self.me].serializable.as_mut() else { return };
        for covered in self.predicate.locks_within(target, own.id) {
            self.predicate.remove_lock(covered, own.id);
            own.decrement_parents(covered);
        }
    }
}

impl PredicateLocks {
    /// `CreatePredicateLock`: nothing where the transaction has it.
    pub(super) fn create_lock(&mut self, target: Target, id: SxactId) {
        if self.xact_mut(id).locks.insert(target) {
            self.targets.entry(target).or_default().push(id);
        }
    }

    /// The lock goes, and its target with the last one.
    pub(super) fn remove_lock(&mut self, target: Target, id: SxactId) {
        self.xact_mut(id).locks.remove(&target);
        self.forget_holder(target, id);
    }

    /// `RemoveTargetIfNoLongerUsed`
    pub(super) fn forget_holder(&mut self, target: Target, id: SxactId) {
        let Some(holders) = self.targets.get_mut(&target) else { return };
        holders.retain(|holder| *holder != id);
        if holders.is_empty() {
            self.targets.remove(&target);
        }
    }

    fn locks_within(&self, target: Target, id: SxactId) -> Vec<Target> {
        self.xact(id).locks.iter().copied().filter(|lock| lock.is_covered_by(target)).collect()
    }
}
