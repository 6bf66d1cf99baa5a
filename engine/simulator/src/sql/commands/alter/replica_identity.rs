//! REPLICA IDENTITY (`ATExecReplicaIdentity`, src/backend/commands/tablecmds.c).

use crate::sql::ast;
use crate::sql::tcop::Database;
use crate::storage::ReplicaIdentity;
use alloc::format;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// Sets it.
pub(super) fn replica_identity(db: &mut Database, table: Oid, wanted: &ast::ReplicaIdentity) -> Result<(), SqlError> {
    let identity = match wanted {
        ast::ReplicaIdentity::Default => ReplicaIdentity::Default,
        ast::ReplicaIdentity::Full => ReplicaIdentity::Full,
        ast::ReplicaIdentity::Nothing => ReplicaIdentity::Nothing,
        ast::ReplicaIdentity::Index(name) => ReplicaIdentity::Index(identity_index(db, table, name)?),
    };
    db.cluster.set_replica_identity(table, identity);
    Ok(())
}

/// The index of that name, whose keys tell each row of the table from all others.
fn identity_index(db: &Database, table: Oid, name: &str) -> Result<Oid, SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let missing = || SqlError::new("42704", format!("index \"{name}\" for table \"{}\" does not exist", relation.name));
    let index = db.cluster.catalog.find(db.cluster.schema_of(table), name).ok_or_else(missing)?;
    let index = db.cluster.pg.relation(index)?;
    let Some(form) = index.index.as_ref().filter(|form| form.table == table) else {
        let message = format!("\"{name}\" is not an index for table \"{}\"", relation.name);
        return Err(SqlError::new("42809", message));
    };
    let cannot =
        |code, kind| Err(SqlError::new(code, format!("cannot use {kind} index \"{name}\" as replica identity")));
    if !form.unique {
        return cannot("42809", "non-unique");
    }
    let keys = || form.columns.iter().take(form.n_keys.into());
    if keys().any(|key| key.attnum == 0) {
        return cannot("0A000", "expression");
    }
    if form.partial {
        return cannot("0A000", "partial");
    }
    let columns = keys().filter_map(|key| relation.desc.attributes().get(usize::from(key.attnum - 1)));
    match columns.into_iter().find(|column| !column.not_null) {
        None => Ok(index.oid),
        Some(column) => {
            let why = format!("column \"{}\" is nullable", column.name);
            let message = format!("index \"{name}\" cannot be used as replica identity because {why}");
            Err(SqlError::new("42P16", message))
        }
    }
}
