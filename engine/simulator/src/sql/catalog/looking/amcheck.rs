//! What amcheck says of indexes and tables. All that are made here are sound, so that it finds nothing
//! (`bt_index_check`, `verify_heapam`, contrib/amcheck); with `heapallindexed` the table is read, which leaves hint
//! bits.

use crate::sql::commands::rewrite::{no_wait, scan_rows};
use crate::sql::tcop::Database;
use crate::storage::{LockMode, RelationLock};
use crate::version::SqlBehaviour;
use alloc::format;
use ffviz_format::datum::{SqlError, Value};

/// `bt_index_check`, `bt_index_parent_check`
///
/// # Errors
/// Of what is no B-tree.
pub(in crate::sql) fn bt_index_check(db: &mut Database, args: &[Value], parent: bool) -> Result<Value, SqlError> {
    let index = db.looked_at(&args[0])?;
    let Some(form) = &index.index else {
        return Err(SqlError::new("42809", format!("\"{}\" is not an index", index.name)));
    };
    if form.summarizing || form.gist.is_some() {
        let kind = if form.summarizing { "brin" } else { "gist" };
        let (message, detail) = match db.cluster.version().names_checked_methods() {
            true => ("expected \"btree\" index as targets for verification", format!("is a {kind} index")),
            false => ("only B-Tree indexes are supported as targets for verification", "is not a B-Tree index".into()),
        };
        let error = SqlError::new("0A000", message);
        return Err(error.with_detail(format!("Relation \"{}\" {detail}.", index.name)));
    }
    let mode = if parent { LockMode::Share } else { LockMode::AccessShare };
    let table = db.cluster.pg.relation(form.table)?;
    for relation in [table.oid, index.oid] {
        if !db.cluster.lock_relation(RelationLock { relation, mode }) {
            return Err(super::not_simulated("checking an index of a table that another session has locked"));
        }
    }
    if matches!(args.get(1), Some(Value::Bool(true))) {
        if parent {
            return Err(super::not_simulated("bt_index_parent_check with heapallindexed"));
        }
        scan_rows(db, &table, |_, _| Ok(())).map_err(no_wait)?;
    }
    Ok(Value::text(""))
}
