//! CREATE SCHEMA, DROP SCHEMA (src/backend/commands/schemacmds.c, dropcmds.c).

use super::{drop_type, user, view};
use crate::cluster::temporary::PG_TEMP;
use crate::cluster::{ViewName, namespace};
use crate::sql::ast::{CreateSchema, DropSchema};
use crate::sql::catalog::dependency;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Reverse;
use ffviz_format::datum::SqlError;
use ffviz_format::datum::enums::mark;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// `CreateSchemaCommand`
pub(in crate::sql) fn create(db: &mut Database, create: &CreateSchema) -> Result<String, SqlError> {
    let owner = create.owner.as_ref().map(|owner| user::find_role(db, owner)).transpose()?;
    let of_owner = owner.and_then(|owner| db.cluster.role_name(owner)).map(ToString::to_string);
    let name = create.name.clone().or(of_owner).unwrap_or_default();
    let is_there = db.cluster.check_schema(&name).is_ok();
    if !(create.if_not_exists && is_there) {
        // it is made as its owner
        let before = db.cluster.pg.backend().settings.definer;
        db.cluster.pg.backend_mut().settings.definer = owner.or(before);
        let created = db.cluster.create_schema(&name);
        db.cluster.pg.backend_mut().settings.definer = before;
        created?;
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
    let (views, types) = (views_in(db, &found), types_in(db, &found));
    let within: Vec<Oid> = found.iter().flat_map(|name| db.cluster.in_schema(name)).collect();
    let is_empty = within.is_empty() && views.is_empty() && types.is_empty();
    if !drop.cascade && !is_empty {
        // relations are locked exclusively, which takes a transaction id
        let composites = db.cluster.catalog.composites();
        let has_relations =
            !within.is_empty() || !views.is_empty() || composites.iter().any(|it| types.contains(&it.oid));
        if has_relations {
            db.cluster.pg.tell_of_lock();
        }
        return Err(not_empty(db, &found, &within)?);
    }
    let is_table = |oid: &&Oid| db.cluster.catalog.class(**oid).is_some_and(|class| class.kind == RelKind::Table);
    let tables: Vec<Oid> = within.iter().filter(is_table).copied().collect();
    let of_views = views.iter().filter_map(|(schema, name)| Some(db.cluster.catalog.view(schema, name)?.oid));
    let read: Vec<Oid> = tables.iter().copied().chain(of_views).collect();
    view::drop_dependents(db, &read, true)?;
    views_in(db, &found).iter().for_each(|view| db.cluster.drop_view(view));
    dependency::drop_references(db, &tables, true)?;
    for oid in within {
        db.cluster.check_serializable_drop(oid)?;
        db.cluster.drop_relation(oid);
    }
    drop_type::drop_types(db, &types, true)?;
    found.iter().for_each(|name| db.cluster.drop_schema(name));
    Ok("DROP SCHEMA".to_string())
}

fn views_in(db: &Database, schemas: &[&str]) -> Vec<ViewName> {
    let all = db.cluster.catalog.views().map(|(name, _)| name.clone());
    all.filter(|(schema, _)| schemas.contains(&schema.as_str())).collect()
}

/// Types of schemas that are no tables', by OID.
fn types_in(db: &Database, schemas: &[&str]) -> Vec<Oid> {
    let catalog = &db.cluster.catalog;
    let enums = catalog.enums().iter().map(|ty| (&ty.schema, ty.oid));
    let composites = catalog.composites().iter().map(|ty| (&ty.schema, ty.oid));
    let all = enums.chain(composites).chain(catalog.domains().iter().map(|domain| (&domain.schema, domain.oid)));
    let mut found: Vec<Oid> =
        all.filter(|(schema, _)| schemas.contains(&schema.as_str())).map(|(_, oid)| oid).collect();
    found.sort_unstable();
    found
}

/// `reportDependentObjects`: the oldest first.
fn not_empty(db: &Database, schemas: &[&str], within: &[Oid]) -> Result<SqlError, SqlError> {
    let message = match schemas {
        [one] => format!("cannot drop schema {one} because other objects depend on it"),
        _ => "cannot drop desired object(s) because other objects depend on them".to_string(),
    };
    let catalog = &db.cluster.catalog;
    let line = |oid: &Oid| {
        let class = catalog.class(*oid)?;
        let kind = if class.kind == RelKind::Sequence { "sequence" } else { "table" };
        Some((*oid, format!("{kind} {} depends on schema {}", db.regclass_out(*oid), class.schema)))
    };
    let view = |(schema, name): ViewName| {
        let oid = catalog.view(&schema, &name).map_or(0, |view| view.oid);
        (oid, format!("view {} depends on schema {schema}", db.regclass_out(oid)))
    };
    let mut lines: Vec<(Oid, String)> = within.iter().filter_map(line).collect();
    lines.extend(views_in(db, schemas).into_iter().map(view));
    for oid in types_in(db, schemas) {
        let goes = |relation: Oid| {
            let of_type = catalog.composites().iter().find(|ty| ty.relation == relation);
            within.contains(&relation) || of_type.is_some_and(|ty| schemas.contains(&ty.schema.as_str()))
        };
        if db.cluster.columns_of_type(oid).iter().any(|(relation, _)| !goes(*relation)) {
            let message = "DROP SCHEMA of a type that columns elsewhere are of is not supported without CASCADE";
            return Err(SqlError::new(NOT_SIMULATED, message));
        }
        let schema = db.cluster.schema_of_type(oid).unwrap_or_default();
        lines.push((oid, format!("type {} depends on schema {schema}", mark(oid))));
    }
    lines.sort_by_key(|(oid, _)| *oid);
    // of several schemas the last first
    let of = |line: &str| schemas.iter().position(|schema| line.ends_with(&format!(" {schema}")));
    lines.sort_by_key(|(_, line)| Reverse(of(line)));
    let lines: Vec<String> = lines.into_iter().map(|(_, line)| line).collect();
    Ok(SqlError::new("2BP01", message).with_detail(lines.join("\n")))
}
