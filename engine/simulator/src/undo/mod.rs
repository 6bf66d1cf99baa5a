//! An engine that updates in place: old values go to undo pages, and who wants an older version puts them back.
//!
//! ```text
//!  UPDATE ─▶ undo record (old values) ─▶ undo page of the transaction        one record in the WAL
//!         ─▶ row, where it stands      ─▶ transaction item of its page      no new index entry
//!
//!  a snapshot that does not see the item's transaction ─▶ undo record ─▶ older version ─▶ … one that it sees
//!  ROLLBACK ─▶ the transaction's undo records, newest first, each with a record of its own
//! ```
//!
//! A model after what is published of Redrock Postgres; layouts, and which sizes are published, derived or assumed,
//! stand in `ffviz_format::undo`. What follows from none of it is a choice of this model:
//!
//! * A page's transaction item is given to another transaction as soon as everybody sees the first one's changes; a
//!   page without room for one more makes the statement wait for a transaction that runs, or is refused.
//! * A row that has become longer moves within its page; one that finds no room there is refused: rows do not migrate.
//! * A deleted row keeps its place, and that of a row that was rolled back stays empty.
//! * An UPDATE that changes a column of an index is refused: entries would have to say until when they count.
//! * An undo page is used again once everybody sees what its transaction did.

mod change;
mod items;
mod rollback;
mod segment;
#[cfg(test)]
mod tests;
mod version;

pub use change::{UndoChange, undo_delete, undo_insert, undo_update};
pub use rollback::undo_rollback;
pub use segment::{UndoSegment, undo_end};
pub use version::{
    undo_build_rows, undo_fetch_check, undo_newest, undo_newest_xid, undo_sees, undo_version, undo_version_xid,
    undo_visible_rows,
};

use crate::storage::{Instance, Stop};
use alloc::format;
use ffviz_format::datum::SqlError;
use ffviz_format::page::TransactionId;

/// PostgreSQL, or the engine that is modelled, would do it; this model does not.
pub(crate) fn not_modelled(what: &str) -> SqlError {
    /// as `NOT_SIMULATED`
    const NOT_MODELLED: &str = "ZZ000";
    SqlError::new(NOT_MODELLED, format!("{what} is not supported by the undo engine, which is a model"))
}

/// The same as an outcome.
fn refuse<T>(what: &str) -> Result<T, Stop> {
    Err(not_modelled(what).into())
}

/// Does everybody see what the transaction did, those who are going to look too?
fn all_see(pg: &mut Instance, xid: TransactionId) -> bool {
    let horizon = pg.compute_horizon();
    xid == 0 || pg.transam.did_commit(xid) && ffviz_format::page::precedes(xid, horizon)
}
