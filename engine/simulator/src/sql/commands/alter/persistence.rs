//! SET LOGGED and SET UNLOGGED (`ATPrepChangePersistence`, src/backend/commands/tablecmds.c): the table is written
//! anew, its indexes too, and from 15 on its sequences.

use super::Left;
use crate::cluster::pg_class::Constraint;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::storage::Persistence;
use crate::version::Behaviour;
use alloc::format;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// What the table is to become when all else is done.
pub(super) fn set_persistence(db: &Database, table: Oid, wanted: Persistence, left: &mut Left) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let name = &relation.name;
    if left.persistence.is_some() {
        return Err(SqlError::new("42P16", "cannot change persistence setting twice"));
    }
    let now = db.cluster.pg.buffers.persistence(relation.file);
    if now == Persistence::Temporary {
        let message = format!("cannot change logged status of table \"{name}\" because it is temporary");
        return Err(SqlError::new("42P16", message));
    }
    if db.cluster.catalog.partition_parent(table).is_some() {
        return Err(SqlError::new(NOT_SIMULATED, "SET LOGGED or UNLOGGED of a partition is not supported"));
    }
    if now != wanted {
        check_foreign_keys(db, table, name, wanted)?;
        left.persistence = Some(wanted);
    }
    Ok(())
}

/// A permanent table refers to permanent tables only.
fn check_foreign_keys(db: &Database, table: Oid, name: &str, wanted: Persistence) -> Result<(), SqlError> {
    for class in db.cluster.catalog.classes() {
        for constraint in &class.constraints {
            let Constraint::Foreign { table: to, .. } = constraint else { continue };
            let (this, other) = if wanted == Persistence::Permanent { (class.oid, *to) } else { (*to, class.oid) };
            if this != table || other == table {
                continue;
            }
            let other = db.cluster.pg.relation(other)?;
            let is_permanent = db.cluster.pg.buffers.is_permanent(other.file);
            if is_permanent == (wanted == Persistence::Permanent) {
                continue;
            }
            let (to, what) = if is_permanent { ("unlogged", "logged") } else { ("logged", "unlogged") };
            let message = format!(
                "could not change table \"{name}\" to {to} because it references {what} table \"{}\"",
                other.name
            );
            return Err(SqlError::new("42P16", message));
        }
    }
    Ok(())
}

/// `SequenceChangePersistence`, of the table's sequences.
pub(super) fn change_sequences(db: &mut Database, table: Oid, wanted: Persistence) -> Result<(), SqlError> {
    if !db.cluster.version().has_unlogged_sequences() {
        return Ok(());
    }
    for sequence in db.cluster.sequences_of(table) {
        db.cluster.change_sequence_persistence(sequence, wanted)?;
    }
    Ok(())
}
