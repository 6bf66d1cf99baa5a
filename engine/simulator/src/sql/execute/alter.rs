//! ALTER TABLE and ALTER INDEX SET, as statements.

use super::ddl::{RelOptions, check_name, find_table};
use super::rewrite::{NewColumn, rewrite};
use super::row::eval;
use super::{Database, dependency};
use crate::cluster::ddl::{ColumnSpec, DefaultSpec};
use crate::sql::StatementError;
use crate::sql::ast::{self, AlterAction, AlterTable, ColumnDef, ColumnDefault, DefElem, Expr};
use crate::sql::expr::{RangeTable, Typed};
use crate::storage::{RelationData, ReplicaIdentity, Stop};
use crate::version::Behaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::{ForkNumber, Oid};

/// Runs it.
pub(super) fn alter_table(db: &mut Database, alter: &AlterTable) -> Result<String, SqlError> {
    let relation = if alter.index { db.open(&alter.name)?.oid } else { find_table(db, &alter.name)? };
    let mut added = Vec::new();
    for action in &alter.actions {
        match action {
            AlterAction::SetOptions(options) => set_options(db, relation, options)?,
            AlterAction::ResetOptions(names) => reset_options(db, relation, names),
            AlterAction::AddColumn { column, if_not_exists } => {
                added.extend(add_column(db, relation, column, *if_not_exists)?);
            }
            AlterAction::DropColumn { name, if_exists } => match find_column(db, relation, name) {
                Ok(column) => {
                    dependency::check_drop_column(db, relation, column as u16 + 1)?;
                    db.cluster.drop_column(relation, column);
                }
                Err(_) if *if_exists => {}
                Err(error) => return Err(error),
            },
            AlterAction::SetStorage { column, storage } => {
                let column = find_column(db, relation, column)?;
                db.cluster.set_storage(relation, column, *storage);
            }
            AlterAction::ReplicaIdentity(identity) => replica_identity(db, relation, identity)?,
            AlterAction::SetCompression { column, method } => set_compression(db, relation, column, method)?,
        }
    }
    if !added.is_empty() {
        rewrite(db, relation, &added)?;
    }
    Ok(if alter.index { "ALTER INDEX" } else { "ALTER TABLE" }.to_string())
}

fn set_options(db: &mut Database, relation: Oid, options: &[DefElem]) -> Result<(), SqlError> {
    let read = RelOptions::read(options)?;
    let names_deduplication = options.iter().any(|option| option.name == "deduplicate_items");
    db.cluster.alter_options(relation, |relation: &mut RelationData| {
        relation.fillfactor = read.fillfactor.or(relation.fillfactor);
        relation.toast_tuple_target = read.toast_tuple_target.unwrap_or(relation.toast_tuple_target);
        if let Some(form) = relation.index.as_mut().filter(|_| names_deduplication) {
            form.deduplicate_items = read.deduplicate_items;
        }
    });
    Ok(())
}

fn reset_options(db: &mut Database, relation: Oid, names: &[String]) {
    const DEFAULT_TARGET: u16 = 2032;
    let is_reset = |name: &str| names.iter().any(|reset| reset == name);
    db.cluster.alter_options(relation, |relation| {
        if is_reset("fillfactor") {
            relation.fillfactor = None;
        }
        if is_reset("toast_tuple_target") {
            relation.toast_tuple_target = DEFAULT_TARGET;
        }
        if let Some(form) = relation.index.as_mut().filter(|_| is_reset("deduplicate_items")) {
            form.deduplicate_items = true;
        }
    });
}

/// `ATExecReplicaIdentity`
fn replica_identity(db: &mut Database, table: Oid, wanted: &ast::ReplicaIdentity) -> Result<(), SqlError> {
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
    let index = db.cluster.catalog.find(name).ok_or_else(missing)?;
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

/// `ATExecSetCompression`. What pglz compresses stays the same; a server without lz4 refuses lz4, as this one does.
fn set_compression(db: &mut Database, table: Oid, column: &str, method: &str) -> Result<(), SqlError> {
    if !db.cluster.version().has_column_compression() {
        return Err(SqlError::new("42601", "syntax error at or near \"compression\""));
    }
    let column = find_column(db, table, column)?;
    let relation = db.cluster.pg.relation(table)?;
    let is_toastable = relation.desc.attributes().get(column).is_some_and(|attribute| attribute.len == -1);
    let ty = relation.desc.attributes().get(column).map_or("", |attribute| &attribute.type_name);
    match method {
        "default" => {}
        _ if !is_toastable => {
            return Err(SqlError::new("0A000", format!("column data type {ty} does not support compression")));
        }
        "pglz" => {}
        "lz4" => {
            let error = SqlError::new("0A000", "compression method lz4 not supported");
            return Err(error.with_detail("This functionality requires the server to be built with lz4 support."));
        }
        other => return Err(SqlError::new("22023", format!("invalid compression method \"{other}\""))),
    }
    db.cluster.alter_columns(table, |_| {});
    Ok(())
}

pub(super) fn find_column(db: &Database, table: Oid, name: &str) -> Result<usize, SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let found = relation.desc.attributes().iter().position(|column| !column.dropped && column.name == name);
    let missing = || format!("column \"{name}\" of relation \"{}\" does not exist", relation.name);
    found.ok_or_else(|| SqlError::new("42703", missing()))
}

/// ADD COLUMN; a DEFAULT that is the same for all rows is evaluated once, for the rows that there are. Gives the column
/// where it is not.
fn add_column(
    db: &mut Database,
    table: Oid,
    column: &ColumnDef,
    if_not_exists: bool,
) -> Result<Option<NewColumn>, SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    check_name(&column.name)?;
    if find_column(db, table, &column.name).is_ok() {
        let (name, table) = (&column.name, &relation.name);
        let message = format!("column \"{name}\" of relation \"{table}\" already exists");
        return if if_not_exists { Ok(None) } else { Err(SqlError::new("42701", message)) };
    }
    let default = match &column.default {
        ColumnDefault::Null => DefaultSpec::Null,
        ColumnDefault::Expr(_) => DefaultSpec::Expr,
        ColumnDefault::Serial => DefaultSpec::Serial,
        ColumnDefault::Identity { always } => DefaultSpec::Identity { always: *always },
    };
    let typed = match &column.default {
        ColumnDefault::Expr(expr) => Some(assigned(db, expr, column)?),
        _ => None,
    };
    let missing = match &typed {
        Some(typed) if !typed.is_pseudo_constant() => None,
        Some(typed) => Some(value_of(db, typed)?),
        None if default == DefaultSpec::Null => Some(Value::Null),
        None => None,
    };
    let has_rows = db.cluster.pg.buffers.nblocks(relation.file, ForkNumber::Main) > 0;
    if column.not_null && missing.as_ref().is_some_and(Value::is_null) && has_rows {
        let message = format!("column \"{}\" of relation \"{}\" contains null values", column.name, relation.name);
        return Err(SqlError::new("23502", message));
    }
    let rewrites = missing.is_none();
    let spec = ColumnSpec { name: column.name.clone(), ty: column.type_name, not_null: column.not_null, default };
    let sequence = db.cluster.add_column(table, &spec, missing)?;
    if let ColumnDefault::Expr(expr) = &column.default {
        let added: Vec<_> = db.cluster.pg.relation(table)?.desc.attributes().iter().map(|column| column.num).collect();
        db.expressions.defaults.insert((table, added.last().copied().unwrap_or_default()), expr.clone());
    }
    let value = match sequence.and_then(|sequence| db.nextval_of(sequence)) {
        Some(nextval) => Some(assigned(db, &nextval, column)?),
        None => typed,
    };
    let (name, oids) = (column.name.clone(), db.cluster.oids_of_column(&spec));
    Ok(value.filter(|_| rewrites).map(|value| NewColumn { name, value, oids, sequence }))
}

/// A DEFAULT as the column takes it.
fn assigned(db: &Database, expr: &Expr, column: &ColumnDef) -> Result<Typed, SqlError> {
    let range = RangeTable::default();
    let typed = db.analyzer(&range).assigned(expr, &column.name, column.type_name);
    typed.map_err(StatementError::error_with_place)
}

fn value_of(db: &mut Database, typed: &Typed) -> Result<Value, SqlError> {
    match eval(db, typed, &[], &[]) {
        Ok(value) => Ok(value),
        Err(Stop::Error(error)) => Err(error),
        Err(Stop::Wait(_)) => Err(SqlError::new("XX000", "a DEFAULT waits")),
    }
}
