//! Indexes: `pg_index`, and `pg_indexes` with their definitions (src/include/catalog/pg_index.h;
//! src/backend/catalog/system_views.sql).

use super::Rows;
use super::catalogs::{BOOL, INT2, OID, PG_NODE_TREE, TEXT, is_of_toast};
use crate::cluster::Class;
use crate::sql::commands::plain_kind;
use crate::sql::expr::INT2_VECTOR;
use crate::sql::tcop::Database;
use crate::storage::{Deferrable, RelationData, ReplicaIdentity};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value, make_array_from};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

pub(super) fn pg_index(_: u32) -> Vec<(&'static str, Oid)> {
    Vec::from([
        ("indexrelid", OID),
        ("indrelid", OID),
        ("indnatts", INT2),
        ("indnkeyatts", INT2),
        ("indisunique", BOOL),
        ("indisprimary", BOOL),
        ("indisvalid", BOOL),
        ("indcheckxmin", BOOL),
        ("indisready", BOOL),
        ("indislive", BOOL),
        ("indisclustered", BOOL),
        ("indisexclusion", BOOL),
        ("indimmediate", BOOL),
        ("indisreplident", BOOL),
        ("indkey", INT2_VECTOR),
        ("indexprs", PG_NODE_TREE),
        ("indpred", PG_NODE_TREE),
    ])
}

pub(super) fn rows(db: &Database) -> Rows {
    let relations = db.cluster.pg.relations.values();
    let row = |relation: &RelationData| {
        let form = relation.index.as_ref()?;
        let table = db.cluster.pg.relations.get(&form.table)?;
        Some(Vec::from([
            Value::Oid(relation.oid),
            Value::Oid(form.table),
            Value::Int2(form.columns.len() as i16),
            Value::Int2(form.n_keys as i16),
            Value::Bool(form.unique),
            Value::Bool(form.primary),
            Value::Bool(!form.invalid),
            Value::Bool(form.check_xmin.is_some()),
            Value::Bool(!form.invalid),
            Value::Bool(true),
            Value::Bool(
                db.cluster.catalog.class(form.table).is_some_and(|table| table.clustered == Some(relation.oid)),
            ),
            Value::Bool(form.gist.as_ref().is_some_and(|gist| !gist.operators.is_empty())),
            Value::Bool(form.deferrable == Deferrable::No),
            Value::Bool(table.replica_identity == ReplicaIdentity::Index(relation.oid)),
            {
                let columns = form.columns.iter().map(|key| Value::Int2(key.attnum as i16));
                make_array_from(INT2, 0, &columns.collect::<Vec<_>>())
            },
            db.index_keys(table, relation),
            db.index_predicate(table, relation),
        ]))
    };
    relations.filter_map(|relation| row(relation)).collect()
}

pub(super) fn pg_indexes(_: u32) -> Vec<(&'static str, Oid)> {
    Vec::from([
        ("schemaname", TEXT),
        ("tablename", TEXT),
        ("indexname", TEXT),
        ("tablespace", TEXT),
        ("indexdef", TEXT),
    ])
}

pub(super) fn definitions(db: &Database) -> Result<Rows, SqlError> {
    let is_own = |class: &&Arc<Class>| plain_kind(class.relkind()) == RelKind::Index && !is_of_toast(db, class);
    let mut rows = Rows::new();
    for class in db.cluster.catalog.classes().filter(is_own) {
        let (definition, table) = (db.index_definition(class.oid, false)?, class.table);
        let Some(table) = table.and_then(|table| db.cluster.catalog.class(table)) else { continue };
        let texts = [Value::text(&class.schema), Value::text(&table.name), Value::text(&class.name)];
        let definition = definition.map_or(Value::Null, |text| Value::text(&text));
        rows.push(texts.into_iter().chain([Value::Null, definition]).collect());
    }
    Ok(rows)
}
