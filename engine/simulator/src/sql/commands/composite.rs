//! CREATE TYPE … AS (…), ALTER TYPE and DROP TYPE of such types (`DefineCompositeType`,
//! src/backend/commands/typecmds.c; `ATPrepAddColumn` and its like, tablecmds.c).

use super::partition::plain_kind;
use crate::cluster::CompositeType;
use crate::cluster::ddl::quote_identifier;
use crate::cluster::namespace::missing as missing_schema;
use crate::sql::ast::{AttributeAction, RangeVar};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::enums::mark;
use ffviz_format::datum::{Attribute, SqlError, SqlType};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// `DefineCompositeType`
pub(super) fn create(db: &mut Database, name: &RangeVar, columns: &[(String, SqlType)]) -> Result<(), SqlError> {
    let (schema, _) = db.creation(name)?;
    check_name(db, &schema, &name.name)?;
    if let Some(n) = (1..columns.len()).find(|n| columns[..*n].iter().any(|(name, _)| *name == columns[*n].0)) {
        return Err(SqlError::new("42701", format!("column \"{}\" specified more than once", columns[n].0)));
    }
    let attributes = (1..).zip(columns).map(|(num, (name, ty))| ty.attribute(num, name)).collect();
    db.cluster.lock_view();
    db.cluster.create_composite(&schema, &name.name, attributes);
    Ok(())
}

/// No type and no relation of the schema has that name.
fn check_name(db: &Database, schema: &str, name: &str) -> Result<(), SqlError> {
    let catalog = &db.cluster.catalog;
    let relation = catalog.find(schema, name).and_then(|oid| catalog.class(oid));
    let has_row_type = relation.is_some_and(|class| {
        let kind = plain_kind(class.kind);
        matches!(kind, RelKind::Table | RelKind::MaterializedView)
    });
    let is_view = catalog.views().any(|((in_schema, view), _)| in_schema == schema && view == name);
    if has_row_type || is_view || catalog.has_type(schema, name) {
        return Err(SqlError::new("42710", format!("type \"{name}\" already exists")));
    }
    db.cluster.check_new_name(schema, name)
}

/// Columns of tables that are of the type, as messages name them.
fn columns_of_type(db: &Database, oid: Oid) -> Vec<(Oid, String)> {
    let mut found = Vec::new();
    for (table, relation) in db.cluster.pg.relations.iter().filter(|(_, relation)| relation.kind == RelKind::Table) {
        let columns = relation.desc.attributes().iter().filter(|column| column.typid == oid && !column.dropped);
        found.extend(columns.map(|column| (*table, column.name.clone())));
    }
    found
}

/// ALTER TYPE of a composite type.
pub(super) fn alter(db: &mut Database, name: &RangeVar, actions: &[AttributeAction]) -> Result<(), SqlError> {
    let ty = find(db, name)?.clone();
    if db.cluster.catalog.functions().next().is_some() {
        let message = "ALTER TYPE of a composite type where there are functions is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    let mut attributes = ty.attributes.clone();
    db.cluster.lock_view();
    for action in actions {
        change(db, &ty, &mut attributes, action)?;
    }
    db.cluster.alter_composite(ty.oid, |ty| ty.attributes = attributes);
    Ok(())
}

/// One of its actions.
fn change(
    db: &mut Database,
    ty: &CompositeType,
    attributes: &mut Vec<Attribute>,
    action: &AttributeAction,
) -> Result<(), SqlError> {
    let place = |attributes: &[Attribute], column: &str| {
        let found = attributes.iter().position(|it| !it.dropped && it.name == column);
        let message = || format!("column \"{column}\" of relation \"{}\" does not exist", ty.name);
        found.ok_or_else(|| SqlError::new("42703", message()))
    };
    match action {
        AttributeAction::Add(column, of) => {
            if place(attributes, column).is_ok() {
                let message = format!("column \"{column}\" of relation \"{}\" already exists", ty.name);
                return Err(SqlError::new("42701", message));
            }
            let mut attribute = of.attribute(attributes.len() as u16 + 1, column);
            db.cluster.complete(&mut attribute);
            attributes.push(attribute);
        }
        AttributeAction::Drop(column, if_exists) => {
            let at = match place(attributes, column) {
                Err(_) if *if_exists => return Ok(()),
                found => found?,
            };
            let attribute = &mut attributes[at];
            attribute.name = format!("........pg.dropped.{}........", attribute.num);
            (attribute.dropped, attribute.typid) = (true, 0);
            attribute.type_name.clear();
        }
        AttributeAction::SetType(column, of) => {
            let at = place(attributes, column)?;
            if let Some((table, used)) = columns_of_type(db, ty.oid).first() {
                let table = db.cluster.catalog.class(*table).map_or_else(String::new, |class| class.name.clone());
                let message = format!("cannot alter type \"{}\" because column \"{table}.{used}\" uses it", ty.name);
                return Err(SqlError::new("0A000", message));
            }
            attributes[at] = of.attribute(at as u16 + 1, column);
            db.cluster.complete(&mut attributes[at]);
        }
        AttributeAction::Rename(from, to) => {
            let at = place(attributes, from)
                .map_err(|_| SqlError::new("42703", format!("column \"{from}\" does not exist")))?;
            if place(attributes, to).is_ok() {
                let message = format!("column \"{to}\" of relation \"{}\" already exists", ty.name);
                return Err(SqlError::new("42701", message));
            }
            attributes[at].name.clone_from(to);
        }
    }
    Ok(())
}

/// ALTER TYPE … RENAME TO.
pub(super) fn rename(db: &mut Database, name: &RangeVar, to: &str) -> Result<(), SqlError> {
    let ty = find(db, name)?.clone();
    check_name(db, &ty.schema, to)?;
    db.cluster.lock_view();
    db.cluster.alter_composite(ty.oid, |ty| ty.name = to.to_string());
    Ok(())
}

/// DROP TYPE of one.
pub(super) fn drop(db: &mut Database, name: &RangeVar) -> Result<(), SqlError> {
    let ty = find(db, name)?.clone();
    let catalog = &db.cluster.catalog;
    if catalog.views().next().is_some() || catalog.functions().next().is_some() {
        let message = "DROP TYPE where there are views or functions is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    let mut lines = Vec::new();
    for (table, column) in columns_of_type(db, ty.oid) {
        let (column, table) = (quote_identifier(&column), db.regclass_out(table));
        lines.push(format!("column {column} of table {table} depends on type {}", mark(ty.oid)));
    }
    for other in db.cluster.catalog.composites().iter() {
        let columns = other.attributes.iter().filter(|column| column.typid == ty.oid && !column.dropped);
        for column in columns {
            let column = quote_identifier(&column.name);
            lines.push(format!(
                "column {column} of composite type {} depends on type {}",
                mark(other.oid),
                mark(ty.oid)
            ));
        }
    }
    if lines.is_empty() {
        db.cluster.lock_view();
        db.cluster.drop_composite(ty.oid);
        return Ok(());
    }
    if lines.len() > 1 {
        let message = "DROP TYPE of a type that several columns are of is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    // the relations are locked exclusively, which takes a transaction id
    db.cluster.pg.tell_of_lock();
    let message = format!("cannot drop type {} because other objects depend on it", mark(ty.oid));
    Err(SqlError::new("2BP01", message).with_detail(lines.join("\n")))
}

/// `typenameType`, of one that is a composite type.
pub(super) fn find<'a>(db: &'a Database, name: &RangeVar) -> Result<&'a CompositeType, SqlError> {
    if let Some(schema) = &name.schema {
        db.cluster.check_schema(schema).map_err(|_| missing_schema(schema))?;
    }
    if db.cluster.find_enum(name.schema.as_deref(), &name.name).is_some() {
        let message = "ALTER TYPE of an enum as of a composite type is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    let missing = || SqlError::new("42704", format!("type \"{name}\" does not exist"));
    db.cluster.find_composite(name.schema.as_deref(), &name.name).ok_or_else(missing)
}
