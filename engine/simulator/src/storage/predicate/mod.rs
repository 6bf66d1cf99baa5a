//! Serializable snapshot isolation: which SERIALIZABLE transaction fails (src/backend/storage/lmgr/predicate.c,
//! README-SSI).
//!
//! ```text
//!  read   ─▶ SIREAD lock on the row, the block or the relation, kept until no transaction overlaps that had it
//!  write  ─▶ whose SIREAD locks are in the way?  ┐
//!  read   ─▶ who wrote what the snapshot hides?  ┴▶ conflict: the reader comes before the writer
//!
//!  Tin ──conflict──▶ pivot ──conflict──▶ Tout    and Tout commits first: no order of the three would do, one of them has to fail
//! ```
//!
//! | file | what |
//! | --- | --- |
//! | `target`, `local` | what a SIREAD lock is on; what a session remembers of its own, and when many become one |
//! | `lock`, `transfer` | locks taken; locks of pages and indexes that are split, joined or made anew |
//! | `sxact`, `begin`, `release` | a SERIALIZABLE transaction: what is known of it, how it begins, what is left of it at its end |
//! | `check`, `conflict`, `commit` | reads and writes that conflict; whether that is dangerous, then and at COMMIT |
//!
//! Memory has no end here: old transactions are not summarized, and no lock fails for want of memory.

mod begin;
mod check;
mod commit;
mod conflict;
mod local;
mod lock;
mod release;
mod sxact;
mod target;
mod transfer;
mod words;

pub use local::MySerializableXact;

use self::sxact::{SerCommitSeqNo, SerializableXact, SxactId};
use self::target::Target;
use super::Instance;
use super::relcache::RelationData;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::{BlockNumber, OffsetNumber, Oid, TransactionId};

/// What all sessions share of SERIALIZABLE transactions: `PredXactListData` and the tables of `predicate.c`.
#[derive(Debug, Clone, Default)]
pub struct PredicateLocks {
    /// `activeList`, in the order in which they began
    xacts: Vec<SerializableXact>,
    next: SxactId,
    /// `SerializableXidHash`
    by_xid: BTreeMap<TransactionId, SxactId>,
    /// `PredicateLockTargetHash`: who has a lock on it, the first first
    targets: BTreeMap<Target, Vec<SxactId>>,
    /// `FinishedSerializableTransactions`: those that committed and may still matter
    finished: VecDeque<SxactId>,
    /// `SxactGlobalXmin`: the oldest xmin of those that run
    global_xmin: Option<TransactionId>,
    /// `SxactGlobalXminCount`: how many have it
    global_xmin_count: u32,
    /// `WritableSxactCount`
    writable: u32,
    /// `LastSxactCommitSeqNo`
    last_commit: SerCommitSeqNo,
    /// `CanPartialClearThrough`
    can_partial_clear_through: SerCommitSeqNo,
    /// `HavePartialClearedThrough`
    have_partial_cleared_through: SerCommitSeqNo,
}

/// A SIREAD lock as `pg_locks` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownPredicateLock {
    /// whose
    pub session: usize,
    /// of what, or within what
    pub relation: Oid,
    /// the block, where it is one or of one
    pub page: Option<BlockNumber>,
    /// the row version
    pub tuple: Option<OffsetNumber>,
}

impl Instance {
    /// `GetPredicateLockStatusData`, of transactions that run; nothing where others matter still, whose sessions are
    /// not known.
    #[must_use]
    pub fn shown_predicate_locks(&self) -> Option<Vec<ShownPredicateLock>> {
        let session = |sxact: SxactId| {
            self.backends.iter().position(|it| it.serializable.as_ref().is_some_and(|own| own.id == sxact))
        };
        let mut shown = Vec::new();
        for (target, sxacts) in &self.predicate.targets {
            let (page, tuple) = match *target {
                Target::Relation(_) => (None, None),
                Target::Page(_, block) => (Some(block), None),
                Target::Tuple(_, tid) => (Some(tid.block), Some(tid.offset)),
            };
            for sxact in sxacts {
                shown.push(ShownPredicateLock { session: session(*sxact)?, relation: target.relation(), page, tuple });
            }
        }
        Some(shown)
    }

    /// `MySerializableXact` of the running session.
    fn my_sxact(&self) -> Option<SxactId> {
        self.backend().serializable.as_ref().map(|own| own.id)
    }

    /// `SerializationNeededForRead`, of a query's snapshot. A transaction that has turned out to be safe lets go of all
    /// that it has.
    fn serialization_needed_for_read(&mut self) -> Option<SxactId> {
        let own = self.my_sxact()?;
        if !self.predicate.xact(own).is_ro_safe() {
            return Some(own);
        }
        self.tell_safe();
        self.release_serializable_xact(false, true);
        None
    }
}

/// The error of a transaction that has to fail.
fn serialization_failure(reason: &str) -> SqlError {
    let message = "could not serialize access due to read/write dependencies among transactions";
    SqlError::new("40001", message).with_detail(format!("Reason code: {reason}."))
}
