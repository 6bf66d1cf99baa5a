//! `t_xmax` as a multixact: several transactions, at most one of which changed the row (`HeapTupleGetUpdateXid`,
//! src/backend/access/heap/heapam.c).

use crate::storage::Instance;
use ffviz_format::heap::HeapTuple;
use ffviz_format::page::TransactionId;

/// `HeapTupleHeaderGetUpdateXid`: the transaction that updated or deleted the row; 0 where the multixact has only
/// lockers.
#[must_use]
pub fn heap_tuple_get_update_xid(pg: &Instance, tuple: &HeapTuple) -> TransactionId {
    match tuple.update_xid() {
        Some(xid) => xid,
        None if tuple.is_locked_only() => 0,
        None => pg.multixacts.update_xid(tuple.t_xmax).unwrap_or(0),
    }
}
