//! What a SIREAD lock is on (`PREDICATELOCKTARGETTAG`, src/include/storage/predicate_internals.h).
//!
//! ```text
//!  row ⊂ block ⊂ relation        of an index: block ⊂ index
//! ```

use crate::storage::PredicateLockLimits;
use ffviz_format::page::{BlockNumber, ItemPointer, Oid};

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

    /// `MaxPredicateChildLocks`: how many locks within it a transaction may have beside each other.
    pub const fn max_child_locks(self, limits: PredicateLockLimits) -> i64 {
        match self {
            Self::Relation(_) if limits.per_relation < 0 => {
                limits.per_transaction as i64 / -(limits.per_relation as i64) - 1
            }
            Self::Relation(_) => limits.per_relation as i64,
            Self::Page(..) | Self::Tuple(..) => limits.per_page as i64,
        }
    }
}
