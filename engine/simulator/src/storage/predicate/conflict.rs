//! A conflict between two transactions: is it dangerous, and who has to fail (`FlagRWConflict`,
//! `OnConflict_CheckForSerializationFailure`)?
//!
//! ```text
//!  reader ──▶ writer ──▶ T2       T2 has committed, or is about to, before both
//!  T0 ──▶ reader ──▶ writer       the writer has committed, or is about to, before both
//! ```
//!
//! The writer fails; where nobody can make it fail any more, the reader does.

use super::sxact::SxactId;
use super::{Instance, PredicateLocks, serialization_failure};
use alloc::format;
use ffviz_format::datum::SqlError;

impl Instance {
    /// `FlagRWConflict`
    pub(super) fn flag_rw_conflict(&mut self, reader: SxactId, writer: SxactId) -> Result<(), SqlError> {
        self.tell_conflict(reader, writer);
        if self.predicate.is_dangerous(reader, writer) {
            self.fail_one(reader, writer)?;
        }
        self.predicate.set_rw_conflict(reader, writer);
        Ok(())
    }

    /// The writer fails: at once where it is the session's own transaction, else at what it does next.
    fn fail_one(&mut self, reader: SxactId, writer: SxactId) -> Result<(), SqlError> {
        let it = self.predicate.xact(writer);
        let (is_prepared, xid) = (it.is_prepared(), it.top_xid.unwrap_or_default());
        if self.my_sxact() == Some(writer) {
            self.tell_failure(writer);
            return Err(serialization_failure("Canceled on identification as a pivot, during write"));
        }
        if is_prepared {
            self.tell_failure(reader);
            let reason = format!("Canceled on conflict out to pivot {xid}, during read");
            return Err(serialization_failure(&reason));
        }
        self.predicate.xact_mut(writer).doom();
        self.tell_failure(writer);
        Ok(())
    }
}

impl PredicateLocks {
    /// `OnConflict_CheckForSerializationFailure`
    fn is_dangerous(&self, reader: SxactId, writer: SxactId) -> bool {
        let it = self.xact(writer);
        it.is_committed() && it.has_conflict_out()
            || self.makes_writer_pivot(reader, writer)
            || self.makes_reader_pivot(reader, writer)
    }

    /// Has the writer a conflict out to one that commits first? Not where the reader or the writer had committed before
    /// it, nor where the reader reads only and began before its commit.
    fn makes_writer_pivot(&self, reader: SxactId, writer: SxactId) -> bool {
        let (from, to) = (self.xact(reader), self.xact(writer));
        to.out_conflicts.iter().map(|t2| self.xact(*t2)).any(|t2| {
            t2.is_prepared()
                && (!from.is_committed() || t2.prepare_seq_no <= from.commit_seq_no)
                && (!to.is_committed() || t2.prepare_seq_no <= to.commit_seq_no)
                && (!from.is_read_only() || t2.prepare_seq_no <= from.last_commit_before_snapshot)
        })
    }

    /// Does the writer commit first, and is there a conflict in to the reader? Not from one that had committed before
    /// the writer, nor from one that reads only and overlaps it.
    fn makes_reader_pivot(&self, reader: SxactId, writer: SxactId) -> bool {
        let (from, to) = (self.xact(reader), self.xact(writer));
        if !to.is_prepared() || from.is_read_only() {
            return false;
        }
        from.in_conflicts.iter().map(|t0| self.xact(*t0)).any(|t0| {
            !t0.is_doomed()
                && (!t0.is_committed() || t0.commit_seq_no >= to.prepare_seq_no)
                && (!t0.is_read_only() || t0.last_commit_before_snapshot >= to.prepare_seq_no)
        })
    }
}
