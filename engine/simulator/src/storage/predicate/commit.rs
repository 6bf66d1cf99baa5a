//! COMMIT looks for what would be dangerous as soon as it is done (`PreCommit_CheckForSerializationFailure`).
//!
//! ```text
//!  far ──▶ near ──▶ this one      this one commits first, so that the near one is a pivot: it has to fail, at what it does next
//! ```

use super::sxact::{SerializableXact, SxactId};
use super::{Instance, PredicateLocks};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;

impl Instance {
    /// `PreCommit_CheckForSerializationFailure`
    ///
    /// # Errors
    /// Where the transaction has to fail.
    pub fn pre_commit_check_for_serialization_failure(&mut self) -> Result<(), SqlError> {
        let Some(own) = self.my_sxact() else { return Ok(()) };
        self.check_doomed(own, "during commit attempt")?;
        for near in self.predicate.xact(own).in_conflicts.clone() {
            if self.predicate.is_pivot(near, own) {
                self.predicate.xact_mut(near).doom();
                self.tell_failure(near);
            }
        }
        self.predicate.last_commit += 1;
        let seq_no = self.predicate.last_commit;
        self.predicate.xact_mut(own).prepare(seq_no);
        Ok(())
    }
}

impl PredicateLocks {
    /// Does it run, and has it a conflict in from the one that commits, or from one that runs and writes?
    fn is_pivot(&self, near: SxactId, own: SxactId) -> bool {
        let near = self.xact(near);
        let may_fail = |far: &SerializableXact| far.runs() && !far.is_read_only();
        let far: Vec<SxactId> = near.in_conflicts.clone();
        near.runs() && far.into_iter().any(|far| far == own || may_fail(self.xact(far)))
    }
}
