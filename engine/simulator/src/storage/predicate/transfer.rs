//! What was locked lies somewhere else now (`PredicateLockPageSplit`, `TransferPredicateLocksToNewTarget`,
//! `DropAllPredicateLocksFromTable`).
//!
//! ```text
//!  a leaf is split              its locks are copied to the new leaf
//!  a leaf leaves the tree       its locks are copied to its right sibling
//!  an index goes, or is rebuilt, and a table that is rewritten: its locks become locks on the whole table
//! ```

use super::target::Target;
use super::{Instance, RelationData, SxactId};
use alloc::vec::Vec;
use ffviz_format::page::BlockNumber;

impl Instance {
    /// `PredicateLockPageSplit`, and `PredicateLockPageCombine`, which is the same: whoever has a lock on the old block
    /// has one on the new one too.
    pub fn predicate_lock_page_split(&mut self, rel: &RelationData, old: BlockNumber, new: BlockNumber) {
        if self.predicate.global_xmin.is_none() {
            return;
        }
        let holders = self.predicate.targets.get(&Target::Page(rel.oid, old)).cloned().unwrap_or_default();
        for holder in &holders {
            self.predicate.create_lock(Target::Page(rel.oid, new), *holder);
        }
        if !holders.is_empty() {
            self.tell_split_locks(rel, old, new);
        }
    }

    /// `TransferPredicateLocksToHeapRelation`: locks within the table, or anywhere in the index, become locks on the
    /// table.
    pub fn transfer_predicate_locks_to_heap_relation(&mut self, rel: &RelationData) {
        if self.predicate.global_xmin.is_none() {
            return;
        }
        let heap = Target::Relation(rel.index.as_ref().map_or(rel.oid, |index| index.table));
        let is_moved = |target: &Target| target.relation() == rel.oid && *target != heap;
        let moved = self.predicate.targets.iter().filter(|(target, _)| is_moved(target));
        let moved: Vec<(Target, Vec<SxactId>)> = moved.map(|(target, holders)| (*target, holders.clone())).collect();
        for (target, holders) in moved {
            for holder in holders {
                self.predicate.remove_lock(target, holder);
                self.predicate.create_lock(heap, holder);
            }
        }
    }
}
