//! Reads and writes look for those that they conflict with (`CheckForSerializableConflictOut`,
//! `CheckForSerializableConflictIn`, `CheckTableForSerializableConflictIn`).
//!
//! ```text
//!  a read finds a version that the snapshot hides, or one that was changed since: its writer comes after the reader
//!  a write finds SIREAD locks on the row, then its block, then the table: their holders come before the writer
//! ```

use super::target::Target;
use super::{Instance, RelationData, SxactId, serialization_failure};
use crate::storage::Outcome;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::{BlockNumber, ItemPointer, TransactionId, precedes};

impl Instance {
    /// `CheckForSerializableConflictOutNeeded`: does the session read in a SERIALIZABLE transaction that may conflict
    /// with others?
    ///
    /// # Errors
    /// Where it has to fail.
    pub fn check_for_serializable_conflict_out_needed(&mut self) -> Outcome<bool> {
        if self.backend().serializable.is_none() {
            return Ok(false);
        }
        let Some(own) = self.serialization_needed_for_read() else { return Ok(false) };
        self.check_doomed(own, "during conflict out checking")?;
        Ok(true)
    }

    /// `CheckForSerializableConflictOut`: the session reads what this transaction, the outermost of its kind, has
    /// changed.
    ///
    /// # Errors
    /// Where that is dangerous, and the session's transaction the one to fail.
    pub fn check_for_serializable_conflict_out(&mut self, xid: TransactionId) -> Outcome<()> {
        let Some(own) = self.serialization_needed_for_read() else { return Ok(()) };
        let Some(writer) = self.predicate.by_xid.get(&xid).copied().filter(|writer| *writer != own) else {
            return Ok(());
        };
        let (me, it) = (self.predicate.xact(own), self.predicate.xact(writer));
        let comes_first = me.is_read_only()
            && it.is_committed()
            && (!it.has_conflict_out() || me.last_commit_before_snapshot < it.earliest_out_conflict_commit);
        if it.is_doomed() || comes_first || !self.xid_is_concurrent(xid) {
            return Ok(());
        }
        if !self.predicate.rw_conflict_exists(own, writer) {
            self.flag_rw_conflict(own, writer)?;
        }
        Ok(())
    }

    /// `XidIsConcurrent`: does the transaction's snapshot hide it?
    fn xid_is_concurrent(&self, xid: TransactionId) -> bool {
        self.backend().snapshot.as_ref().is_some_and(|snapshot| self.in_snapshot(xid, snapshot))
    }

    /// `CheckForSerializableConflictIn`: the session is about to write into the relation; `tid` is the row version that
    /// it changes, `block` where that lies, or the leaf of an index that gets an entry.
    ///
    /// # Errors
    /// Where that is dangerous, and the session's transaction the one to fail.
    #[inline]
    pub fn check_for_serializable_conflict_in(
        &mut self,
        rel: &RelationData,
        tid: Option<ItemPointer>,
        block: Option<BlockNumber>,
    ) -> Outcome<()> {
        match self.my_sxact() {
            None => Ok(()),
            Some(own) => Ok(self.check_targets_for_conflicts_in(own, rel, tid, block)?),
        }
    }

    /// From the finest to the coarsest, so that a lock that is promoted meanwhile is not missed.
    fn check_targets_for_conflicts_in(
        &mut self,
        own: SxactId,
        rel: &RelationData,
        tid: Option<ItemPointer>,
        block: Option<BlockNumber>,
    ) -> Result<(), SqlError> {
        self.check_doomed(own, "during conflict in checking")?;
        self.note_write();
        let tuple = tid.map(|tid| Target::Tuple(rel.oid, tid));
        let page = block.map(|block| Target::Page(rel.oid, block));
        for target in tuple.into_iter().chain(page).chain([Target::Relation(rel.oid)]) {
            self.check_target_for_conflicts_in(own, target)?;
        }
        Ok(())
    }

    /// `CheckTargetForConflictsIn`. The lock of a row that the session itself has read goes, since it writes the row;
    /// unless a subtransaction does, which may yet be undone.
    fn check_target_for_conflicts_in(&mut self, own: SxactId, target: Target) -> Result<(), SqlError> {
        let holders = self.predicate.targets.get(&target).cloned().unwrap_or_default();
        for reader in holders.iter().copied().filter(|reader| *reader != own) {
            if self.overlaps(reader) && !self.predicate.rw_conflict_exists(reader, own) {
                self.flag_rw_conflict(reader, own)?;
            }
        }
        let is_sub = self.backend().xact.as_ref().is_some_and(|xact| xact.levels.len() > 1);
        if matches!(target, Target::Tuple(..)) && !is_sub && holders.contains(&own) {
            self.predicate.remove_lock(target, own);
            if let Some(own) = &mut self.backend_mut().serializable {
                own.forget(target);
            }
        }
        Ok(())
    }

    /// Does it matter to the running transaction? Not where it fails, and not where it had ended when the snapshot was
    /// taken.
    fn overlaps(&self, reader: SxactId) -> bool {
        let xact = self.predicate.xact(reader);
        let xmin = self.backend().snapshot.as_ref().map(|snapshot| snapshot.xmin);
        let ended_after = || xmin.is_some_and(|xmin| precedes(xmin, xact.finished_before));
        !xact.is_doomed() && (!xact.is_committed() || ended_after())
    }

    /// `CheckTableForSerializableConflictIn`: all rows of the table go at once, by TRUNCATE or DROP TABLE.
    ///
    /// # Errors
    /// Where that is dangerous, and the session's transaction the one to fail.
    pub fn check_table_for_serializable_conflict_in(&mut self, table: &RelationData) -> Result<(), SqlError> {
        let Some(own) = self.my_sxact() else { return Ok(()) };
        self.note_write();
        let locks = self.predicate.targets.iter().filter(|(target, _)| target.relation() == table.oid);
        let readers: Vec<SxactId> = locks.flat_map(|(_, holders)| holders).copied().filter(|id| *id != own).collect();
        for reader in readers {
            if !self.predicate.rw_conflict_exists(reader, own) {
                self.flag_rw_conflict(reader, own)?;
            }
        }
        Ok(())
    }

    /// `MyXactDidWrite`
    fn note_write(&mut self) {
        if let Some(own) = &mut self.backend_mut().serializable {
            own.did_write = true;
        }
    }

    /// Has another session decided that this transaction has to fail?
    pub(super) fn check_doomed(&self, own: SxactId, when: &str) -> Result<(), SqlError> {
        match self.predicate.xact(own).is_doomed() {
            true => Err(serialization_failure(&alloc::format!("Canceled on identification as a pivot, {when}"))),
            false => Ok(()),
        }
    }
}
