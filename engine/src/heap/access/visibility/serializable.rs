//! What a read of a SERIALIZABLE transaction leaves on the page (`HeapCheckForSerializableConflictOut`, src/backend/access/heap/heapam.c).
//!
//! Whether the version was changed meanwhile is asked as VACUUM asks, and that sets hint bits that a plain read does not: a lock that is over is
//! told by `HEAP_XMAX_INVALID`. Conflicts themselves (src/backend/storage/lmgr/predicate.c) are not looked for: no transaction fails.

use super::vacuum::heap_tuple_satisfies_vacuum_horizon;
use crate::heap::access::heap_tuple;
use crate::page::OffsetNumber;
use crate::storage::{Buffer, Instance, IsolationLevel, Xact};

/// `SerializationNeededForRead`: does the session read in a SERIALIZABLE transaction? One that only reads, beside none that writes, is as
/// good as REPEATABLE READ.
fn is_needed(pg: &Instance) -> bool {
    let is_serializable = |xact: &&Xact| xact.isolation == IsolationLevel::Serializable;
    let Some(own) = pg.backend().xact.as_ref().filter(is_serializable) else { return false };
    let mut all = pg.backends.iter().filter_map(|backend| backend.xact.as_ref()).filter(is_serializable);
    !own.read_only || all.any(|xact| !xact.read_only)
}

/// Looks at versions that a query has just looked at.
pub fn heap_check_for_serializable_conflict_out(pg: &mut Instance, buf: Buffer, versions: &[OffsetNumber]) {
    if !is_needed(pg) {
        return;
    }
    for n in versions {
        if let Some(mut tuple) = heap_tuple(pg, buf, *n) {
            heap_tuple_satisfies_vacuum_horizon(pg, &mut tuple, buf);
        }
    }
}
