//! What a read of a SERIALIZABLE transaction asks of a version besides whether it is visible: who has changed it since,
//! or made it (`HeapCheckForSerializableConflictOut`, src/backend/access/heap/heapam.c).
//!
//! ```text
//!  visible    changed or locked meanwhile? ─▶ its deleter comes after the reader
//!  invisible  inserted meanwhile?          ─▶ its inserter does
//! ```
//!
//! It is asked as VACUUM asks, and that sets hint bits that a plain read does not: a lock that is over is told by
//! `HEAP_XMAX_INVALID`.

use super::multi::heap_tuple_get_update_xid;
use super::vacuum::{HtsvResult, heap_tuple_satisfies_vacuum};
use crate::storage::{Buffer, Instance, Outcome};
use ffviz_format::heap::HeapTuple;
use ffviz_format::page::precedes;

/// `HeapCheckForSerializableConflictOut`, of a version that a query has just looked at.
///
/// # Errors
/// Where the conflict is dangerous, and the session's transaction has to fail.
#[inline]
pub fn heap_check_for_serializable_conflict_out(
    pg: &mut Instance,
    tuple: &mut HeapTuple,
    buf: Buffer,
    visible: bool,
) -> Outcome<()> {
    if pg.check_for_serializable_conflict_out_needed()? { check(pg, tuple, buf, visible) } else { Ok(()) }
}

fn check(pg: &mut Instance, tuple: &mut HeapTuple, buf: Buffer, visible: bool) -> Outcome<()> {
    let oldest = pg.transaction_xmin();
    let xid = match heap_tuple_satisfies_vacuum(pg, tuple, buf, oldest) {
        HtsvResult::Live if visible => return Ok(()),
        HtsvResult::RecentlyDead(_) | HtsvResult::DeleteInProgress if visible => heap_tuple_get_update_xid(pg, tuple),
        HtsvResult::Dead => return Ok(()),
        _ => tuple.t_xmin,
    };
    if precedes(xid, oldest) || pg.is_current_xid(xid) {
        return Ok(());
    }
    let top = pg.transam.topmost(xid);
    if precedes(top, oldest) { Ok(()) } else { pg.check_for_serializable_conflict_out(top) }
}
