//! ALTER … SET SCHEMA (`AlterTableNamespace`, src/backend/commands/tablecmds.c; `AlterObjectNamespace_oid`, alter.c;
//! `AlterTypeNamespace`, typecmds.c). Indexes and the sequences of a table's columns go along.

use super::{domain, typecmds, view};
use crate::cluster::namespace::PG_TOAST;
use crate::cluster::pg_class::ColumnDefault;
use crate::cluster::temporary::PG_TEMP;
use crate::cluster::{Class, ViewName};
use crate::sql::ast::{SchemaOf, SetSchema};
use crate::sql::catalog::dependency::calls;
use crate::sql::commands::matview;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// Runs the statement. Gives its command tag.
pub(in crate::sql) fn run(db: &mut Database, set: &SetSchema) -> Result<String, SqlError> {
    match set.of {
        SchemaOf::Type | SchemaOf::Domain => of_type(db, set)?,
        _ => of_relation(db, set)?,
    }
    Ok(format!("ALTER {}", set.of.word().to_uppercase()))
}

fn refuse(what: &str) -> SqlError {
    SqlError::new(NOT_SIMULATED, format!("SET SCHEMA {what} is not supported"))
}

/// `AlterTableNamespace`
fn of_relation(db: &mut Database, set: &SetSchema) -> Result<(), SqlError> {
    let name = &set.name;
    let wrong = || SqlError::new("42809", format!("\"{}\" is not a {}", name.name, set.of.word()));
    if let Some((schema, view)) = db.cluster.find_view(name.schema.as_deref(), &name.name) {
        let (view, name): (Oid, ViewName) = (view.oid, (schema.to_string(), name.name.clone()));
        if !matches!(set.of, SchemaOf::Table | SchemaOf::View) {
            return Err(wrong());
        }
        check_schema(db, &name.0, &set.schema)?;
        return move_view(db, view, &name, &set.schema);
    }
    let Some(relation) = db.find(name) else {
        return if set.if_exists { Ok(()) } else { Err(db.missing(name, "relation")) };
    };
    let class = db.cluster.catalog.class(relation).cloned().ok_or_else(wrong)?;
    if !set.of.fits(class.relkind()) {
        return Err(if set.of == SchemaOf::Table { refuse("of an index") } else { wrong() });
    }
    if let Some(table) = class.table.filter(|_| class.kind == RelKind::Sequence) {
        let table = db.cluster.catalog.class(table).map_or("", |table| &table.name);
        let error = SqlError::new("0A000", "cannot move an owned sequence into another schema");
        return Err(error.with_detail(format!("Sequence \"{}\" is linked to table \"{table}\".", class.name)));
    }
    check_schema(db, &class.schema, &set.schema)?;
    if class.schema == set.schema {
        return Ok(());
    }
    if class.kind == RelKind::Sequence && is_named_in_default(db, &class.name) {
        return Err(refuse("of a sequence that a DEFAULT names"));
    }
    if !matview::readers(db, &[relation]).is_empty() || class.matview.is_some() {
        return Err(refuse("of a materialized view, or of what one reads,"));
    }
    move_relation(db, relation, &class, &set.schema)
}

/// The relation with what goes along.
fn move_relation(db: &mut Database, relation: Oid, class: &Class, to: &str) -> Result<(), SqlError> {
    let mut moved = Vec::from([relation]);
    moved.extend(db.cluster.catalog.indexes(relation).map(|index| index.oid));
    let is_owned = |it: &&Arc<Class>| it.kind == RelKind::Sequence && it.table == Some(relation);
    moved.extend(db.cluster.catalog.classes().filter(is_owned).map(|sequence| sequence.oid));
    for (place, oid) in moved.iter().enumerate() {
        let name = db.cluster.catalog.class(*oid).map_or_else(String::new, |class| class.name.clone());
        check_new_name(db, to, &name)?;
        if place == 0 && class.kind != RelKind::Sequence && db.cluster.catalog.has_type(to, &name) {
            return Err(type_exists(&name, to));
        }
    }
    view::follow_schema(db, relation, to)?;
    for oid in moved {
        db.cluster.set_schema(oid, to);
    }
    db.cluster.finish_rename();
    Ok(())
}

fn move_view(db: &mut Database, view: Oid, name: &ViewName, to: &str) -> Result<(), SqlError> {
    if name.0 == to {
        return Ok(());
    }
    if !matview::readers(db, &[view]).is_empty() {
        return Err(refuse("of what a materialized view reads"));
    }
    check_new_name(db, to, &name.1)?;
    if db.cluster.catalog.has_type(to, &name.1) {
        return Err(type_exists(&name.1, to));
    }
    view::follow_schema(db, view, to)?;
    db.cluster.lock_view();
    db.cluster.move_view(name, (to.to_string(), name.1.clone()));
    Ok(())
}

/// No relation of the schema has that name, a composite type's neither.
fn check_new_name(db: &Database, schema: &str, name: &str) -> Result<(), SqlError> {
    let is_free = db.cluster.check_new_name(schema, name).is_ok();
    if is_free && db.cluster.catalog.composite_named(schema, name).is_none() {
        return Ok(());
    }
    Err(SqlError::new("42P07", format!("relation \"{name}\" already exists in schema \"{schema}\"")))
}

fn type_exists(name: &str, schema: &str) -> SqlError {
    SqlError::new("42710", format!("type \"{name}\" already exists in schema \"{schema}\""))
}

/// `CheckSetNamespace`, once the schema is found.
fn check_schema(db: &Database, from: &str, to: &str) -> Result<(), SqlError> {
    db.cluster.check_schema(to)?;
    let wrong = |what: &str| Err(SqlError::new("0A000", format!("cannot move objects into or out of {what}")));
    if from.starts_with(PG_TEMP) || to.starts_with(PG_TEMP) {
        return wrong("temporary schemas");
    }
    match to {
        _ if to == PG_TOAST.0 => wrong("TOAST schema"),
        "pg_catalog" | "information_schema" => Err(refuse("to one of the system's own")),
        _ => Ok(()),
    }
}

/// Is a sequence of that name the text in a call within a DEFAULT?
fn is_named_in_default(db: &Database, sequence: &str) -> bool {
    let names_it = |default: &ColumnDefault| match default {
        ColumnDefault::Expr(id) => db.expressions.get(*id).is_some_and(|stored| calls(&stored.expr, sequence)),
        _ => false,
    };
    db.cluster.catalog.classes().any(|class| class.defaults.iter().any(names_it))
}

/// `AlterTypeNamespace`
fn of_type(db: &mut Database, set: &SetSchema) -> Result<(), SqlError> {
    let (schema, name) = (set.name.schema.as_deref(), &set.name.name);
    let oid = match db.cluster.find_type(schema, name) {
        Some(oid) if set.of == SchemaOf::Type => oid,
        None if set.of == SchemaOf::Type => match db.find(&set.name) {
            Some(table) if db.cluster.catalog.class(table).is_some_and(|class| class.row_type.is_some()) => {
                db.cluster.check_schema(&set.schema)?;
                if db.cluster.catalog.has_type(&set.schema, name) {
                    return Err(type_exists(name, &set.schema));
                }
                let error = SqlError::new("42809", format!("{} is a table's row type", db.regclass_out(table)));
                return Err(error.with_hint("Use ALTER TABLE instead."));
            }
            _ => typecmds::find(db, &set.name)?.oid,
        },
        _ => domain::find(db, &set.name, |name| format!("{name} is not a domain"))?.oid,
    };
    let catalog = &db.cluster.catalog;
    let from = db.cluster.schema_of_type(oid).unwrap_or_default();
    check_schema(db, from, &set.schema)?;
    if from == set.schema {
        return Ok(());
    }
    let is_table = |oid| catalog.class(oid).is_some_and(|class| class.row_type.is_some());
    let is_taken = catalog.find(&set.schema, name).is_some_and(is_table) || catalog.view(&set.schema, name).is_some();
    if is_taken || catalog.has_type(&set.schema, name) {
        return Err(type_exists(name, &set.schema));
    }
    if catalog.composite(oid).is_some() {
        check_new_name(db, &set.schema, name)?;
    }
    db.cluster.set_type_schema(oid, &set.schema);
    Ok(())
}
