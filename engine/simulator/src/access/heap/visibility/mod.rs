//! Which row versions count, for whom (src/backend/access/heap/heapam_visibility.c).
//!
//! ```text
//!  t_xmin ─ aborted ─▶ no         t_xmax ─ none, aborted, only a lock ─▶ yes
//!         ─ running ─▶ only own          ─ running ─▶ yes, unless own
//!         ─ committed ─▶ see t_xmax      ─ committed ─▶ no
//! ```
//!
//! Each kind of snapshot asks the two questions in its own way. What the commit log answered is kept in the row version
//! as a hint bit, so that reading may change a page.

mod dirty;
mod hint;
mod multi;
mod mvcc;
mod serializable;
mod update;
mod vacuum;

pub use dirty::{DirtyXids, heap_tuple_satisfies_dirty, heap_tuple_satisfies_self, heap_tuple_satisfies_toast};
pub use hint::set_hint_bits;
pub use multi::heap_tuple_get_update_xid;
pub use mvcc::{heap_tuple_header_get_cmax, heap_tuple_header_get_cmin, heap_tuple_satisfies_mvcc};
pub use serializable::heap_check_for_serializable_conflict_out;
pub use update::{TmResult, heap_tuple_satisfies_update};
pub use vacuum::{
    HtsvResult, heap_tuple_is_surely_dead, heap_tuple_satisfies_non_vacuumable, heap_tuple_satisfies_vacuum,
    heap_tuple_satisfies_vacuum_horizon,
};

use crate::storage::{Buffer, Instance, MvccSnapshot};
use ffviz_format::heap::HeapTuple;

/// `SnapshotData` by type: whose eyes a row version is looked at with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Snapshot<'a> {
    /// `SNAPSHOT_MVCC`: of a query
    Mvcc(&'a MvccSnapshot),
    /// `SNAPSHOT_SELF`: committed, or of the own transaction, at this moment
    Own,
    /// `SNAPSHOT_ANY`
    Any,
    /// `SNAPSHOT_DIRTY`: what runs counts too
    Dirty,
    /// `SNAPSHOT_TOAST`: chunks of a value whose row was seen
    Toast,
    /// `SNAPSHOT_NON_VACUUMABLE`: some transaction may still see it
    NonVacuumable,
}

/// `HeapTupleSatisfiesVisibility`
pub fn heap_tuple_satisfies_visibility(
    pg: &mut Instance,
    tuple: &mut HeapTuple,
    buf: Buffer,
    snapshot: Snapshot<'_>,
) -> bool {
    match snapshot {
        Snapshot::Mvcc(mvcc) => heap_tuple_satisfies_mvcc(pg, tuple, buf, mvcc),
        Snapshot::Own => heap_tuple_satisfies_self(pg, tuple, buf),
        Snapshot::Any => true,
        Snapshot::Dirty => heap_tuple_satisfies_dirty(pg, tuple, buf).is_some(),
        Snapshot::Toast => heap_tuple_satisfies_toast(tuple),
        Snapshot::NonVacuumable => heap_tuple_satisfies_non_vacuumable(pg, tuple, buf),
    }
}
