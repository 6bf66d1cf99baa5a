//! NOT NULL of ALTER TABLE, as a flag of a column and, from 18 on, a constraint (`ATExecSetNotNull`,
//! `ATExecDropNotNull`, `dropconstraint_internal`, `ATPrepAddPrimaryKey`, src/backend/commands/tablecmds.c).

use super::{Left, find_column};
use crate::cluster::ddl::NotNull;
use crate::cluster::pg_class::{ColumnDefault, Constraint};
use crate::sql::ast;
use crate::sql::commands::create_table::virtual_not_null;
use crate::sql::expr::{Node, SYSTEM};
use crate::sql::tcop::Database;
use crate::storage::ReplicaIdentity;
use alloc::format;
use alloc::string::String;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// SET NOT NULL and DROP NOT NULL, of a column by its `attnum`.
pub(super) fn set_not_null(
    db: &mut Database,
    table: Oid,
    column: u16,
    not_null: bool,
    left: &mut Left,
) -> Result<(), SqlError> {
    if not_null {
        check_virtual(db, table, column)?;
        return store(db, table, NotNull { name: None, column, validated: true }, left);
    }
    check_identity(db, table, column)?;
    check_key(db, table, column)?;
    if has_flag(db, table, column) {
        db.cluster.drop_not_null(table, column);
    }
    Ok(())
}

/// The column may not be NULL from now on; one that is NOT VALID becomes valid.
pub(super) fn store(db: &mut Database, table: Oid, not_null: NotNull, left: &mut Left) -> Result<(), SqlError> {
    if let Some((name, false)) = known(db, table, not_null.column) {
        db.cluster.set_validated(table, &name);
        left.verify.not_null = true;
        return Ok(());
    }
    if has_flag(db, table, not_null.column) {
        return Ok(());
    }
    db.cluster.add_not_null(table, &not_null)?;
    left.use_oids(db, db.cluster.oids_of_not_null());
    left.verify.not_null |= not_null.validated && !is_implied(db, table, not_null.column);
    Ok(())
}

/// ADD NOT NULL, with a name or without.
pub(super) fn add(db: &mut Database, table: Oid, added: &ast::Constraint, left: &mut Left) -> Result<(), SqlError> {
    let column = added.columns.first().map_or("", |name| name);
    if SYSTEM.iter().any(|(name, _)| *name == column) {
        let message = format!("cannot add not-null constraint on system column \"{column}\"");
        return Err(SqlError::new("0A000", message));
    }
    let attnum = find_column(db, table, column)? as u16 + 1;
    check_virtual(db, table, attnum)?;
    let Some((name, validated)) = known(db, table, attnum) else {
        let not_null = NotNull { name: added.name.clone(), column: attnum, validated: !added.not_valid };
        return store(db, table, not_null, left);
    };
    // `AdjustNotNullInheritance`
    let relation = db.cluster.pg.relation(table)?;
    if !validated && !added.not_valid {
        let message = format!("incompatible NOT VALID constraint \"{name}\" on relation \"{}\"", relation.name);
        return Err(SqlError::new("55000", message));
    }
    if let Some(new) = added.name.as_ref().filter(|new| **new != name) {
        let what = format!("\"{new}\" on column \"{column}\" of table \"{}\"", relation.name);
        let error = SqlError::new("55000", format!("cannot create not-null constraint {what}"));
        return Err(
            error.with_detail(format!("A not-null constraint named \"{name}\" already exists for this column."))
        );
    }
    db.cluster.use_commands(1);
    Ok(())
}

/// A column of a primary key is NOT NULL.
pub(super) fn of_key(db: &mut Database, table: Oid, column: u16, left: &mut Left) -> Result<(), SqlError> {
    if let Some((name, false)) = known(db, table, column) {
        let relation = db.cluster.pg.relation(table)?;
        let column = &relation.desc.attributes()[usize::from(column - 1)].name;
        let error = SqlError::new("55000", format!("cannot create primary key on column \"{column}\""));
        let what = format!("\"{name}\" on column \"{column}\" of table \"{}\"", relation.name);
        return Err(
            error.with_detail(format!("The constraint {what}, marked NOT VALID, is incompatible with a primary key."))
        );
    }
    store(db, table, NotNull { name: None, column, validated: true }, left)
}

/// NOT NULL of a column that has been added as such.
pub(super) fn of_new_column(db: &mut Database, table: Oid, column: &ast::ColumnDef) -> Result<(), SqlError> {
    let attnum = find_column(db, table, &column.name)? as u16 + 1;
    let not_null = NotNull { name: column.not_null_names.first().cloned(), column: attnum, validated: true };
    db.cluster.catalog_not_null(table, &not_null)
}

/// DROP CONSTRAINT of it, where `dropconstraint_internal` asks what ALTER COLUMN asks in another order.
pub(super) fn drop_constraint(db: &mut Database, table: Oid, column: u16) -> Result<(), SqlError> {
    check_key(db, table, column)?;
    check_identity(db, table, column)?;
    db.cluster.drop_not_null(table, column);
    Ok(())
}

/// The name of a column's constraint, and whether it is valid.
fn known(db: &Database, table: Oid, column: u16) -> Option<(String, bool)> {
    match db.cluster.find_not_null(table, column)? {
        Constraint::NotNull { name, validated, .. } => Some((name.clone(), *validated)),
        _ => None,
    }
}

fn has_flag(db: &Database, table: Oid, column: u16) -> bool {
    let relation = db.cluster.pg.relations.get(&table);
    let attribute = relation.and_then(|relation| relation.desc.attributes().get(usize::from(column - 1)));
    attribute.is_some_and(|attribute| attribute.not_null)
}

/// `NotNullImpliedByRelConstraints`: does a CHECK say it already?
fn is_implied(db: &Database, table: Oid, attnum: u16) -> bool {
    let Some(class) = db.cluster.catalog.class(table) else { return false };
    let Ok(relation) = db.cluster.pg.relation(table) else { return false };
    class.constraints.iter().any(|constraint| {
        let Constraint::Check { expr, validated: true, .. } = constraint else { return false };
        db.stored_condition(&relation, *expr).iter().any(|part| match &part.node {
            Node::IsNull(operand, true) => operand.node == Node::Slot(attnum - 1),
            _ => false,
        })
    })
}

fn default_of(db: &Database, table: Oid, column: u16) -> Option<ColumnDefault> {
    db.cluster.catalog.class(table)?.defaults.get(usize::from(column - 1)).copied()
}

/// A key says itself that it may not have such a column.
fn check_virtual(db: &Database, table: Oid, column: u16) -> Result<(), SqlError> {
    match default_of(db, table, column) {
        Some(ColumnDefault::Virtual(_)) => Err(virtual_not_null()),
        _ => Ok(()),
    }
}

fn check_identity(db: &Database, table: Oid, attnum: u16) -> Result<(), SqlError> {
    if !matches!(default_of(db, table, attnum), Some(ColumnDefault::Identity { .. })) {
        return Ok(());
    }
    let relation = db.cluster.pg.relation(table)?;
    let name = &relation.desc.attributes()[usize::from(attnum - 1)].name;
    let message = format!("column \"{name}\" of relation \"{}\" is an identity column", relation.name);
    Err(SqlError::new("42601", message))
}

/// Is the column in a key that rows are known by?
fn check_key(db: &Database, table: Oid, attnum: u16) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let name = &relation.desc.attributes()[usize::from(attnum - 1)].name;
    let form = |index: &Oid| db.cluster.pg.relations.get(index).and_then(|index| index.index.as_ref());
    let has_column = |index: &Oid| {
        form(index).is_some_and(|form| form.columns.iter().take(form.n_keys.into()).any(|key| key.attnum == attnum))
    };
    for index in relation.indexes.iter().filter(|index| has_column(index)) {
        if form(index).is_some_and(|form| form.primary) {
            return Err(SqlError::new("42P16", format!("column \"{name}\" is in a primary key")));
        }
        if relation.replica_identity == ReplicaIdentity::Index(*index) {
            let message = format!("column \"{name}\" is in index used as replica identity");
            return Err(SqlError::new("42P16", message));
        }
    }
    Ok(())
}
