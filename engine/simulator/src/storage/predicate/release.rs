//! What is left of a SERIALIZABLE transaction at its end (`ReleasePredicateLocks`, `ClearOldPredicateLocks`,
//! `ReleaseOneSerializableXact`).
//!
//! ```text
//!  ROLLBACK   its locks and conflicts go at once
//!  COMMIT     they stay, until all SERIALIZABLE transactions have ended that began before it did
//!             when nobody is left that writes, its locks and the conflicts in go, the conflicts out stay
//! ```

use super::sxact::{SerCommitSeqNo, SxactId};
use super::{Instance, PredicateLocks};
use ffviz_format::page::{TransactionId, precedes, precedes_or_equals};

impl Instance {
    /// `ReleasePredicateLocks`, at the end of a transaction.
    pub fn release_predicate_locks(&mut self, is_commit: bool) {
        if self.backend().serializable.is_some() {
            self.release_serializable_xact(is_commit, false);
        }
    }

    /// The same, also for one that reads only and has turned out to be safe (`is_safe`).
    pub(super) fn release_serializable_xact(&mut self, is_commit: bool, is_safe: bool) {
        debug_assert!(!(is_commit && is_safe));
        let next_xid = self.transam.next_xid;
        if let Some(own) = self.backend_mut().serializable.take() {
            self.predicate.release(own.id, is_commit, own.did_write, next_xid);
        }
    }
}

impl PredicateLocks {
    fn release(&mut self, own: SxactId, is_commit: bool, did_write: bool, next_xid: TransactionId) {
        let is_declared_read_only = self.xact(own).is_read_only();
        self.mark_ended(own, is_commit, did_write, next_xid);
        if is_declared_read_only {
            self.xact(own).possible_unsafe.clone().into_iter().for_each(|active| {
                self.release_possible_unsafe_conflict(own, active);
            });
        } else {
            self.writable -= 1;
            if self.writable == 0 {
                self.can_partial_clear_through = self.last_commit;
            }
        }
        self.release_out_conflicts(own, is_commit);
        self.release_in_conflicts(own, is_commit);
        if !is_declared_read_only {
            self.judge_readers(own, is_commit && did_write);
        }
        let needs_to_clear = self.leave_global_xmin(own);
        if is_commit {
            self.finished.push_back(own);
        } else {
            self.release_one(own, false);
        }
        if needs_to_clear {
            self.clear_old();
        }
    }

    fn mark_ended(&mut self, own: SxactId, is_commit: bool, did_write: bool, next_xid: TransactionId) {
        self.last_commit += SerCommitSeqNo::from(is_commit);
        let seq_no = self.last_commit;
        let xact = self.xact_mut(own);
        xact.finished_before = next_xid;
        if !is_commit {
            xact.doom();
            return;
        }
        xact.commit(seq_no);
        if !did_write {
            xact.set_read_only();
        }
    }

    /// Those to transactions that have committed, and to such as began after all commits so far; whether there were any
    /// of the first is noted.
    fn release_out_conflicts(&mut self, own: SxactId, is_commit: bool) {
        for writer in self.xact(own).out_conflicts.clone() {
            let it = self.xact(writer);
            let (has_committed, prepared) = (it.is_committed(), it.prepare_seq_no);
            let is_later = it.last_commit_before_snapshot >= self.last_commit;
            if is_commit && has_committed && !self.xact(own).is_read_only() {
                self.xact_mut(own).note_conflict_out(prepared);
            }
            if !is_commit || has_committed || is_later {
                self.release_rw_conflict(own, writer);
            }
        }
    }

    /// Those from transactions that have committed, or read only.
    fn release_in_conflicts(&mut self, own: SxactId, is_commit: bool) {
        for reader in self.xact(own).in_conflicts.clone() {
            let it = self.xact(reader);
            if !is_commit || it.is_committed() || it.is_read_only() {
                self.release_rw_conflict(reader, own);
            }
        }
    }

    /// One that might have made the snapshots of readers unsafe has ended: has it (`FlagSxactUnsafe`)? The last that
    /// has not makes them safe.
    fn judge_readers(&mut self, own: SxactId, wrote: bool) {
        for reader in self.xact(own).possible_unsafe.clone() {
            let it = self.xact(own);
            let is_unsafe = wrote
                && it.has_conflict_out()
                && it.earliest_out_conflict_commit <= self.xact(reader).last_commit_before_snapshot;
            if is_unsafe {
                for active in self.xact(reader).possible_unsafe.clone() {
                    self.release_possible_unsafe_conflict(reader, active);
                }
                continue;
            }
            self.release_possible_unsafe_conflict(reader, own);
            if self.xact(reader).possible_unsafe.is_empty() {
                self.xact_mut(reader).set_ro_safe();
            }
        }
    }

    /// The last with the oldest xmin has ended: there is a new oldest (`SetNewSxactGlobalXmin`), and what it is later
    /// than can go.
    fn leave_global_xmin(&mut self, own: SxactId) -> bool {
        if Some(self.xact(own).xmin) != self.global_xmin {
            return false;
        }
        self.global_xmin_count -= 1;
        if self.global_xmin_count > 0 {
            return false;
        }
        // one that is to fail runs until it does
        let run = self.xacts.iter().filter(|xact| xact.id != own && !xact.is_committed());
        let oldest = |oldest, xmin| if precedes(xmin, oldest) { xmin } else { oldest };
        self.global_xmin = run.clone().map(|xact| xact.xmin).reduce(oldest);
        self.global_xmin_count = run.filter(|xact| Some(xact.xmin) == self.global_xmin).count() as u32;
        true
    }

    /// `ClearOldPredicateLocks`: they are in the order of their commits, so that the first that still matters is the
    /// end.
    fn clear_old(&mut self) {
        for id in self.finished.clone() {
            let xact = self.xact(id);
            let (ended, seq_no, is_read_only) = (xact.finished_before, xact.commit_seq_no, xact.is_read_only());
            let is_over = self.global_xmin.is_none_or(|xmin| precedes_or_equals(ended, xmin));
            let only_readers = seq_no > self.have_partial_cleared_through && seq_no <= self.can_partial_clear_through;
            if !is_over && !only_readers {
                break;
            }
            if is_over || is_read_only {
                self.finished.retain(|finished| *finished != id);
                self.release_one(id, false);
            } else {
                self.release_one(id, true);
            }
            if !is_over {
                self.have_partial_cleared_through = seq_no;
            }
        }
    }

    /// `ReleaseOneSerializableXact`: `partial` keeps the transaction and its conflicts out.
    fn release_one(&mut self, id: SxactId, partial: bool) {
        for target in core::mem::take(&mut self.xact_mut(id).locks) {
            self.forget_holder(target, id);
        }
        for reader in self.xact(id).in_conflicts.clone() {
            self.release_rw_conflict(reader, id);
        }
        if partial {
            return;
        }
        for writer in self.xact(id).out_conflicts.clone() {
            self.release_rw_conflict(id, writer);
        }
        let place = self.place(id);
        let gone = self.xacts.remove(place);
        if let Some(xid) = gone.top_xid {
            self.by_xid.remove(&xid);
        }
    }
}
