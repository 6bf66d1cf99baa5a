//! Partitions, as statements make and change them (src/backend/commands/tablecmds.c).
//!
//! ```text
//!  key     PARTITION BY                      bound   FOR VALUES, and whether it fits the others
//!  create  CREATE TABLE … PARTITION OF       attach, detach  ATTACH PARTITION, DETACH PARTITION
//!  qual    the bounds as a CHECK             altered  what ALTER may do to it
//!  index   indexes of partitioned tables, and the parts of them that partitions have
//! ```

mod altered;
mod attach;
mod bound;
mod create;
mod detach;
mod index;
mod key;
mod qual;

pub(super) use altered::{check_column, find_altered, find_index};
pub(super) use attach::attach;
pub(super) use create::{check_options, create_partition};
pub(super) use detach::detach;
pub(super) use index::{add_constraint, create_on_partitions};
pub(super) use key::partition_key;

use super::ddl::find_table;
use crate::sql::ast::RangeVar;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::storage::{LockMode, RelationLock};
use alloc::format;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// A table by its name, partitioned or not.
pub(super) fn find_any_table(db: &Database, name: &RangeVar) -> Result<Oid, SqlError> {
    let oid = db.find(name);
    let is_partitioned =
        oid.and_then(|oid| db.cluster.catalog.class(oid)).is_some_and(|class| class.kind == RelKind::PartitionedTable);
    match oid.filter(|_| is_partitioned) {
        Some(oid) => Ok(oid),
        None => find_table(db, name),
    }
}

/// The table of these that is named, of one that may be named by way of a table that it is a partition of.
pub(super) fn root_among(db: &Database, table: Oid, names: &[RangeVar]) -> Oid {
    let named = |oid: &Oid| names.iter().any(|name| db.find(name) == Some(*oid));
    let ancestors = core::iter::successors(Some(table), |oid| db.cluster.catalog.partition_parent(*oid));
    ancestors.into_iter().find(named).unwrap_or(table)
}

/// What a relation is called, partitioned or not.
pub(in crate::sql) const fn plain_kind(kind: RelKind) -> RelKind {
    match kind {
        RelKind::PartitionedTable => RelKind::Table,
        RelKind::PartitionedIndex => RelKind::Index,
        other => other,
    }
}

/// What is not supported of partitioned tables.
pub(super) fn refuse(what: &str) -> SqlError {
    SqlError::new(NOT_SIMULATED, format!("{what} is not supported"))
}

/// Locks a partition that the statement does not name.
fn lock(db: &mut Database, relation: Oid) -> Result<(), SqlError> {
    match db.cluster.lock_relation(RelationLock { relation, mode: LockMode::AccessExclusive }) {
        true => Ok(()),
        false => Err(refuse("a statement that waits for a partition that it does not name")),
    }
}
