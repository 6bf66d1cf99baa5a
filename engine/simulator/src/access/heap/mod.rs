//! The heap access method: what PostgreSQL does to heap pages (src/backend/access/heap).
//!
//! ```text
//!  read     scan ── visibility ── hint bits
//!  write    insert, update, delete, lock ── hio: which page ── xmax: who has the row ── toast: long values
//!  tidy up  prune ── freeze ── vacuum
//! ```

mod bulk;
mod columns;
mod conflict;
mod delete;
mod extend;
mod fast;
pub mod freeze;
mod freeze_multi;
mod hio;
mod index_delete;
mod insert;
mod lock;
mod lock_updated;
mod multi_insert;
pub mod prune;
mod record;
mod replica_identity;
mod rewrite;
pub mod scan;
mod speculative;
mod survey;
mod toast;
mod toast_store;
mod tuple;
mod update;
mod update_record;
pub mod vacuum;
pub mod visibility;
mod xmax;

pub use bulk::BulkInsertState;
pub use delete::{heap_delete, heap_delete_moved};
pub use hio::MAX_HEAP_TUPLE_SIZE;
pub use index_delete::{
    IndexDelete, IndexDeleteTid, IndexDeleted, heap_compute_xid_horizon_for_tuples, heap_index_delete_tuples,
};
pub use insert::{InsertOptions, heap_insert};
pub use lock::{FollowUpdates, heap_lock_tuple};
pub use multi_insert::heap_multi_insert;
pub use replica_identity::has_replica_identity;
pub use rewrite::heap_copy_for_cluster;
pub use speculative::{heap_abort_speculative, heap_finish_speculative};
pub use toast::{detoast_attr, detoast_external_attr};
pub use tuple::heap_tuple;
pub use update::{UpdateIndexes, UpdateResult, heap_update};
pub use visibility::TmResult;
pub use xmax::LockTupleMode;
