//! DETACH PARTITION (`ATExecDetachPartition`, `DetachPartitionFinalize`, src/backend/commands/tablecmds.c).
//!
//! ```text
//!  CONCURRENTLY   pending, its bound kept as a CHECK ─▶ COMMIT, and a wait for others ─▶ it stands alone
//! ```

use super::{find_any_table, qual, refuse};
use crate::cluster::partition::PartitionBound;
use crate::sql::ast::{DetachHow, RangeVar};
use crate::sql::catalog::Catalog;
use crate::sql::commands::{concurrent, constraint};
use crate::sql::tcop::Database;
use alloc::format;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// DETACH PARTITION.
pub(in crate::sql::commands) fn detach(
    db: &mut Database,
    parent: Oid,
    name: &RangeVar,
    how: DetachHow,
) -> Result<(), SqlError> {
    let default = db.partition_desc(parent).and_then(|desc| desc.default_part());
    if how == DetachHow::Concurrently {
        concurrent::check(db, "ALTER TABLE ... DETACH CONCURRENTLY", Some(name))?;
        if default.is_some() {
            let message = "cannot detach partitions concurrently when a default partition exists";
            return Err(SqlError::new("55000", message));
        }
    }
    let table = find_any_table(db, name)?;
    let (child, relation) = (db.cluster.pg.relation(table)?, db.cluster.pg.relation(parent)?);
    if db.cluster.catalog.partition_parent(table) != Some(parent) {
        let message = format!("relation \"{}\" is not a partition of relation \"{}\"", child.name, relation.name);
        return Err(SqlError::new("42P01", message));
    }
    match how {
        // one that waits to be finished is left only by a server that was stopped meanwhile
        DetachHow::Finalize => {
            let error = SqlError::new("55000", format!("cannot complete detaching partition \"{}\"", child.name));
            return Err(error.with_detail("There's no pending concurrent detach."));
        }
        DetachHow::Concurrently => {
            db.cluster.pg.current_xid();
            keep_bound(db, table)?;
            concurrent::next_transaction(db)?;
            db.cluster.pg.current_xid();
            db.cluster.pg.tell_of_lock();
        }
        DetachHow::Plainly => {
            if let Some(default) = default {
                super::lock(db, default)?;
            }
        }
    }
    db.cluster.remove_inheritance(table, parent);
    Ok(())
}

/// `DetachAddConstraintIfNeeded`: what its bound says of its rows stays as a CHECK, unless its own say as much.
fn keep_bound(db: &mut Database, table: Oid) -> Result<(), SqlError> {
    if db.cluster.catalog.partition_key(table).is_some() {
        return Err(refuse("DETACH PARTITION … CONCURRENTLY of a partition that has partitions"));
    }
    let bounds = constraint::bounds_of(db, table);
    if bounds.iter().any(|(_, bound)| matches!(bound, PartitionBound::Hash(..))) {
        // `satisfies_hash_partition` of the table: it would bind the partition to it
        return Ok(());
    }
    let refused = || refuse("DETACH PARTITION … CONCURRENTLY where the key is of several columns");
    let check = qual::as_check(db, table, &bounds)?.ok_or_else(refused)?;
    if qual::is_implied(db, table, &bounds)? {
        return Ok(());
    }
    db.cluster.add_check(table, &check)
}
