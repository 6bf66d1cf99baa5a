//! CREATE SCHEMA, DROP SCHEMA (src/backend/commands/schemacmds.c, dropcmds.c).

use super::view;
use crate::cluster::temporary::PG_TEMP;
use crate::cluster::{ViewName, namespace};
use crate::sql::ast::{CreateSchema, DropSchema};
use crate::sql::catalog::dependency;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// `CreateSchemaCommand`
pub(in crate::sql) fn create(db: &mut Database, create: &CreateSchema) -> Result<String, SqlError> {
    let is_there = db.cluster.check_schema(&create.name).is_ok();
    if !(create.if_not_exists && is_there) {
        db.cluster.create_schema(&create.name)?;
    }
    Ok("CREATE SCHEMA".to_string())
}

/// `RemoveObjects`, of schemas: with CASCADE what is in them goes first.
pub(in crate::sql) fn drop(db: &mut Database, drop: &DropSchema) -> Result<String, SqlError> {
    let mut found: Vec<&str> = Vec::new();
    for name in &drop.names {
        if name.starts_with(PG_TEMP) || name.starts_with("pg_toast_temp") {
            return Err(SqlError::new(NOT_SIMULATED, "DROP SCHEMA of temporary tables is not supported"));
        }
        match db.cluster.catalog.schemas().any(|(known, _)| known == name) {
            true => found.push(name),
            false if drop.if_exists => {}
            false => return Err(namespace::missing(name)),
        }
    }
    if db.cluster.catalog.enums().iter().any(|ty| found.contains(&ty.schema.as_str())) {
        return Err(SqlError::new(NOT_SIMULATED, "DROP SCHEMA of enum types is not supported"));
    }
    if db.cluster.catalog.domains().iter().any(|domain| found.contains(&domain.schema.as_str())) {
        return Err(SqlError::new(NOT_SIMULATED, "DROP SCHEMA of domains is not supported"));
    }
    let views = views_in(db, &found);
    let within: Vec<Oid> = found.iter().flat_map(|name| db.cluster.in_schema(name)).collect();
    let is_empty = within.is_empty() && views.is_empty();
    if !drop.cascade && !is_empty {
        return Err(not_empty(db, &found, &within));
    }
    let is_table = |oid: &&Oid| db.cluster.catalog.class(**oid).is_some_and(|class| class.kind == RelKind::Table);
    let tables: Vec<Oid> = within.iter().filter(is_table).copied().collect();
    view::drop_dependents(db, &tables, true)?;
    views_in(db, &found).iter().for_each(|view| db.cluster.drop_view(view));
    dependency::drop_references(db, &tables, true)?;
    for oid in within {
        db.cluster.check_serializable_drop(oid)?;
        db.cluster.drop_relation(oid);
    }
    found.iter().for_each(|name| db.cluster.drop_schema(name));
    Ok("DROP SCHEMA".to_string())
}

fn views_in(db: &Database, schemas: &[&str]) -> Vec<ViewName> {
    let all = db.cluster.catalog.views().map(|(name, _)| name.clone());
    all.filter(|(schema, _)| schemas.contains(&schema.as_str())).collect()
}

/// `reportDependentObjects`
fn not_empty(db: &Database, schemas: &[&str], within: &[Oid]) -> SqlError {
    let message = match schemas {
        [one] => format!("cannot drop schema {one} because other objects depend on it"),
        _ => "cannot drop desired object(s) because other objects depend on them".to_string(),
    };
    let line = |oid: &Oid| {
        let class = db.cluster.catalog.class(*oid)?;
        let kind = if class.kind == RelKind::Sequence { "sequence" } else { "table" };
        Some(format!("{kind} {} depends on schema {}", db.regclass_out(*oid), class.schema))
    };
    let views =
        views_in(db, schemas).into_iter().map(|(schema, name)| format!("view {name} depends on schema {schema}"));
    let lines: Vec<String> = within.iter().rev().filter_map(line).chain(views).collect();
    SqlError::new("2BP01", message).with_detail(lines.join("\n"))
}
