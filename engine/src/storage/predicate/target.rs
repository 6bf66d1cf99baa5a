//! What a SIREAD lock is on (`PREDICATELOCKTARGETTAG`, src/include/storage/predicate_internals.h).
//!
//! ```text
//!  row ⊂ block ⊂ relation        of an index: block ⊂ index
//! ```

use crate::page::{BlockNumber, ItemPointer, Oid};

/// `PREDICATELOCKTARGETTAG`
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    /// a table or an index
    Relation(Oid),
    /// a block of it
    Page(Oid, BlockNumber),
    /// a row version
    Tuple(Oid, ItemPointer),
}

impl Target {
    pub const fn relation(self) -> Oid {
        match self {
            Self::Relation(oid) | Self::Page(oid, _) | Self::Tuple(oid, _) => oid,
        }
    }

    /// `GetParentPredicateLockTag`
    const fn parent(self) -> Option<Self> {
        match self {
            Self::Relation(_) => None,
            Self::Page(oid, _) => Some(Self::Relation(oid)),
            Self::Tuple(oid, tid) => Some(Self::Page(oid, tid.block)),
        }
    }

    /// What is coarser, the finest first.
    pub fn ancestors(self) -> impl Iterator<Item = Self> {
        core::iter::successors(self.parent(), |target| target.parent())
    }

    /// `TargetTagIsCoveredBy`
    pub fn is_covered_by(self, coarser: Self) -> bool {
        self.ancestors().any(|target| target == coarser)
    }

    /// `MaxPredicateChildLocks`: how many locks within it a transaction may have beside each other. By the defaults of
    /// `max_pred_locks_per_page` and of `max_pred_locks_per_relation`, which is half of `max_pred_locks_per_transaction`.
    pub const fn max_child_locks(self) -> u32 {
        const MAX_PRED_LOCKS_PER_TRANSACTION: u32 = 64;
        match self {
            Self::Relation(_) => MAX_PRED_LOCKS_PER_TRANSACTION / 2 - 1,
            Self::Page(..) | Self::Tuple(..) => 2,
        }
    }
}
