//! CREATE TYPE … AS (…), and ALTER TYPE of such types (`DefineCompositeType`,
//! src/backend/commands/typecmds.c; `ATPrepAddColumn` and its like, tablecmds.c).

use super::partition::plain_kind;
use crate::cluster::CompositeType;
use crate::cluster::namespace::missing as missing_schema;
use crate::sql::ast::{AttributeAction, RangeVar};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, SqlError};
use ffviz_format::page::{FIRST_NORMAL_OBJECT_ID, Oid};
use ffviz_format::state::RelKind;

/// `DefineCompositeType`
pub(super) fn create(db: &mut Database, name: &RangeVar, columns: &[Attribute]) -> Result<(), SqlError> {
    let (schema, _) = db.creation(name)?;
    check_name(db, &schema, &name.name)?;
    if let Some(n) = (1..columns.len()).find(|n| columns[..*n].iter().any(|it| it.name == columns[*n].name)) {
        return Err(SqlError::new("42701", format!("column \"{}\" specified more than once", columns[n].name)));
    }
    db.cluster.lock_view();
    db.cluster.create_composite(&schema, &name.name, columns.to_vec());
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
    // what a column that is added hangs on comes after it, where types of the system are pinned
    let hangs = |action: &&AttributeAction| matches!(action, AttributeAction::Add(column) if column.typid >= FIRST_NORMAL_OBJECT_ID);
    let commands = actions.len() + actions.iter().filter(hangs).count();
    db.cluster.alter_composite(ty.oid, commands as u32, |ty| ty.attributes = attributes);
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
        AttributeAction::Add(column) => {
            if place(attributes, &column.name).is_ok() {
                let column = &column.name;
                let message = format!("column \"{column}\" of relation \"{}\" already exists", ty.name);
                return Err(SqlError::new("42701", message));
            }
            let mut attribute = Attribute { num: attributes.len() as u16 + 1, ..column.clone() };
            db.cluster.complete(&mut attribute);
            attributes.push(attribute);
        }
        AttributeAction::Drop(column, if_exists) => {
            let at = match place(attributes, column) {
                Err(_) if *if_exists => return Ok(()),
                found => found?,
            };
            drop_attribute(attributes, at);
        }
        AttributeAction::SetType(column) => {
            let at = place(attributes, &column.name)?;
            check_not_stored(db, ty.oid, &ty.name)?;
            attributes[at] = Attribute { num: at as u16 + 1, ..column.clone() };
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

/// `RemoveAttributeById`, of a column from 0.
pub(super) fn drop_attribute(attributes: &mut [Attribute], at: usize) {
    let Some(attribute) = attributes.get_mut(at) else { return };
    attribute.name = format!("........pg.dropped.{}........", attribute.num);
    (attribute.dropped, attribute.typid, attribute.base) = (true, 0, None);
    attribute.type_name.clear();
}

/// `find_composite_type_dependencies`: no table has rows of a type that something is about to change, by its name.
pub(super) fn check_not_stored(db: &Database, row_type: Oid, changed: &str) -> Result<(), SqlError> {
    let Some((table, attnum)) = db.cluster.stored_in(row_type) else { return Ok(()) };
    let relation = db.cluster.pg.relation(table)?;
    let column = relation.desc.attributes().get(usize::from(attnum) - 1).map_or("", |column| &column.name);
    let message = format!("cannot alter type \"{changed}\" because column \"{}.{column}\" uses it", relation.name);
    Err(SqlError::new("0A000", message))
}

/// ALTER TYPE … RENAME TO.
pub(super) fn rename(db: &mut Database, name: &RangeVar, to: &str) -> Result<(), SqlError> {
    let ty = find(db, name)?.clone();
    check_name(db, &ty.schema, to)?;
    db.cluster.lock_view();
    db.cluster.alter_composite(ty.oid, 1, |ty| ty.name = to.to_string());
    Ok(())
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
