//! VACUUM FULL and CLUSTER: the table is written anew, and then its indexes (`cluster_rel`,
//! src/backend/commands/cluster.c).
//!
//! ```text
//!  old file ── versions that somebody may still see, old ones frozen ──▶ new file
//!           ──▶ indexes anew ──▶ the old files go
//! ```

use super::reindex::reindex_index;
use crate::access::heap::heap_copy_for_cluster;
use crate::access::heap::vacuum::{IndexCleanup, VacuumParams, vacuum_get_cutoffs};
use crate::sql::executor::index::BuildOf;
use crate::sql::tcop::Database;
use crate::storage::{Outcome, RelationData, Stop};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::{ItemPointer, Oid, TransactionId, precedes};

/// VACUUM FULL of a table, in a transaction of its own, which has begun.
pub(super) fn vacuum_full(db: &mut Database, table: Oid) -> Result<(), SqlError> {
    rewrite_table(db, table, |_, _, _| Ok(None))?;
    db.cluster.end_statement()
}

/// Writes a table anew. `order` gives the places of the old file as CLUSTER sorts them, at least of versions that are
/// not dead by a horizon; else they stay as they are.
pub(super) fn rewrite_table(
    db: &mut Database,
    table: Oid,
    order: impl FnOnce(&mut Database, &RelationData, TransactionId) -> Outcome<Option<Vec<ItemPointer>>>,
) -> Result<(), SqlError> {
    let waits = |stop| match stop {
        Stop::Error(error) => error,
        Stop::Wait(_) => SqlError::new("XX000", "VACUUM FULL waits for a row"),
    };
    if db.cluster.pg.backend().snapshot.is_none() {
        db.cluster.take_snapshot();
    }
    db.cluster.pg.tell_of_lock();
    let stats = db.cluster.known_stats(table);
    // it has nothing that could be written anew
    if db.cluster.catalog.class(table).and_then(|class| class.matview.as_ref()).is_some_and(|it| !it.populated) {
        return Ok(());
    }
    let old = db.cluster.begin_rewrite(table)?;
    let params = VacuumParams {
        freeze: true,
        disable_page_skipping: false,
        index_cleanup: IndexCleanup::Auto,
        truncate: false,
        may_lock_exclusively: true,
        database: db.cluster.database,
        relpages: stats.relpages,
        reltuples: stats.reltuples,
        relfrozenxid: stats.relfrozenxid,
        relminmxid: stats.relminmxid,
    };
    let (mut cutoffs, _) = vacuum_get_cutoffs(&mut db.cluster.pg, old.file, &params);
    // they must not go back
    if precedes(cutoffs.freeze_limit, stats.relfrozenxid) {
        cutoffs.freeze_limit = stats.relfrozenxid;
    }
    cutoffs.multi_cutoff = cutoffs.multi_cutoff.max(stats.relminmxid);
    let new = db.cluster.pg.relation(table)?;
    let order = order(db, &old, cutoffs.oldest_xmin).map_err(waits)?;
    let rows = heap_copy_for_cluster(&mut db.cluster.pg, &old, &new, cutoffs, order.as_deref()).map_err(waits)?;
    let transient = db.cluster.swap_by_content(&old, rows, cutoffs);
    old.indexes.iter().try_for_each(|index| reindex_index(db, *index, BuildOf::UncheckedReindex))?;
    db.cluster.end_swap(&old, transient);
    // the transient table goes
    db.cluster.use_commands(2);
    Ok(())
}
