//! TRUNCATE, as a statement (`ExecuteTruncate`, `ExecuteTruncateGuts`, src/backend/commands/tablecmds.c).

use super::partition;
use crate::sql::ast::Truncate;
use crate::sql::catalog::dependency;
use crate::sql::executor::trigger::truncate_triggers;
use crate::sql::tcop::Database;
use crate::storage::{LockMode, RelationLock};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// TRUNCATE; with CASCADE of all tables that refer to these too, which are locked now.
pub(in crate::sql) fn truncate(db: &mut Database, statement: &Truncate) -> Result<String, SqlError> {
    let mut found: Vec<Oid> = Vec::new();
    for name in &statement.tables {
        let named = partition::find_any_table(db, name)?;
        if name.only && db.cluster.catalog.partition_key(named).is_some() {
            let error = SqlError::new("42809", "cannot truncate only a partitioned table");
            let hint = "Do not specify the ONLY keyword, or use TRUNCATE ONLY on the partitions directly.";
            return Err(error.with_hint(hint));
        }
        for table in if name.only { Vec::from([named]) } else { db.cluster.catalog.inheritors(named) } {
            if !found.contains(&table) {
                found.push(table);
            }
        }
    }
    if statement.cascade {
        let mut more = dependency::referring_tables(db, &found);
        while !more.is_empty() {
            more.iter().try_for_each(|table| lock(db, *table))?;
            found.extend(more);
            more = dependency::referring_tables(db, &found);
        }
    }
    dependency::check_truncate(db, &found)?;
    let is_whole = |table: &&Oid| db.cluster.catalog.partition_key(**table).is_none();
    let whole: Vec<Oid> = found.iter().filter(is_whole).copied().collect();
    found.iter().try_for_each(|table| truncate_triggers(db, *table, true))?;
    whole.into_iter().try_for_each(|table| db.cluster.truncate(table))?;
    if statement.restart {
        let sequences: Vec<Oid> = found.iter().flat_map(|table| db.cluster.sequences_of(*table)).collect();
        sequences.into_iter().try_for_each(|sequence| restart(db, sequence))?;
    }
    db.cluster.log_truncate(&found, statement.cascade, statement.restart);
    found.iter().try_for_each(|table| truncate_triggers(db, *table, false))?;
    Ok("TRUNCATE TABLE".to_string())
}

fn lock(db: &mut Database, relation: Oid) -> Result<(), SqlError> {
    let lock = RelationLock { relation, mode: LockMode::AccessExclusive };
    if db.cluster.lock_relation(lock) {
        return Ok(());
    }
    let message = "TRUNCATE … CASCADE that waits for a table it is not told of is not simulated";
    Err(SqlError::new(crate::sql::error::NOT_SIMULATED, message))
}

/// `ResetSequence`
fn restart(db: &mut Database, sequence: Oid) -> Result<(), SqlError> {
    db.cluster.restart_sequence(sequence)?;
    if let Some(memory) = db.session().sequences.get_mut(&sequence) {
        memory.forget_cached();
    }
    Ok(())
}
