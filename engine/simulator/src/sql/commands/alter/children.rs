//! What ALTER TABLE does to the tables that inherit from the one that it names (`ATSimpleRecursion`, `ATExecAddColumn`,
//! `ATExecDropColumn`, `ATAddCheckNNConstraint`, `ATPrepAlterColumnType`, src/backend/commands/tablecmds.c).
//!
//! ```text
//!  ADD COLUMN     a child gets it, or one more parent has the column that it has already
//!  DROP COLUMN    a child loses it, unless another parent has it, or it was written for the child
//! ```

use super::{Queue, column, constraint, find_column, not_null};
use crate::cluster::Class;
use crate::cluster::ddl::NotNull;
use crate::cluster::inherit::{Inheritance, Inherited};
use crate::cluster::pg_class::{ColumnDefault as Stored, Constraint as Made};
use crate::sql::ast::{AlterAction, ColumnDef, ColumnDefault, Constraint, ConstraintKind};
use crate::sql::commands::partition::{self, refuse};
use crate::sql::tcop::Database;
use crate::version::Behaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, SqlError};
use ffviz_format::page::Oid;

/// An action on a table, and on those that inherit from it; `only`: not on them.
pub(super) fn run(
    db: &mut Database,
    (table, only): (Oid, bool),
    action: &AlterAction,
    queue: &mut Queue,
) -> Result<(), SqlError> {
    check_inherited(db, table, action)?;
    let is_partitioned = db.cluster.catalog.partition_key(table).is_some();
    if is_partitioned {
        partition::check_column(db, (table, only), action)?;
    }
    if !is_partitioned && !db.cluster.catalog.is_inherited(table) {
        return alone(db, table, action, queue);
    }
    match action {
        AlterAction::AddColumn { column, .. } => add_column(db, (table, only), column, queue),
        AlterAction::DropColumn { name, cascade, .. } => {
            drop_column(db, (table, only), (name, *cascade), action, queue)
        }
        AlterAction::AddConstraint(added) => add_constraint(db, (table, only), added, action, queue),
        AlterAction::DropConstraint { name, cascade, .. } => {
            drop_constraint(db, (table, only), (name, *cascade), action, queue)
        }
        AlterAction::SetNotNull { .. } if db.cluster.version().catalogs_not_null() => {
            set_not_null(db, (table, only), action, queue)
        }
        AlterAction::SetType { column, .. } if only => {
            let message = format!("type of inherited column \"{column}\" must be changed in child tables too");
            Err(SqlError::new("42P16", message))
        }
        AlterAction::SetExpression { .. }
        | AlterAction::DropExpression { .. }
        | AlterAction::ValidateConstraint(_)
        | AlterAction::AlterConstraint(..) => Err(refuse("this ALTER TABLE of a table with children")),
        _ if action.recurses() && !only => {
            let all = db.cluster.catalog.inheritors(table);
            all.into_iter().try_for_each(|table| alone(db, table, action, queue))
        }
        _ => alone(db, table, action, queue),
    }
}

fn alone(db: &mut Database, table: Oid, action: &AlterAction, queue: &mut Queue) -> Result<(), SqlError> {
    let left = queue.of(db, table)?;
    super::run(db, table, action, left)
}

/// What a table has of its parents is changed there.
fn check_inherited(db: &Database, table: Oid, action: &AlterAction) -> Result<(), SqlError> {
    let (column, word) = match action {
        AlterAction::DropColumn { name, .. } => (name, "drop"),
        AlterAction::SetType { column, .. } => (column, "alter"),
        AlterAction::AddColumn { .. } if db.cluster.catalog.partition_parent(table).is_some() => {
            return Err(SqlError::new("42809", "cannot add column to a partition"));
        }
        _ => return Ok(()),
    };
    let Ok(place) = find_column(db, table, column) else { return Ok(()) };
    match column_of(db, table, place as u16 + 1).count {
        0 => Ok(()),
        _ => Err(SqlError::new("42P16", format!("cannot {word} inherited column \"{column}\""))),
    }
}

/// How a column is inherited: all columns of a partition are its table's.
pub(super) fn column_of(db: &Database, table: Oid, attnum: u16) -> Inherited {
    match db.cluster.catalog.class(table) {
        Some(class) if class.partitioning.parent.is_some() => Inherited::OF_PARTITION,
        Some(class) => class.inheritance.column(attnum),
        None => Inherited::LOCAL,
    }
}

/// The same of a constraint of one of whose parents has one of that name.
fn constraint_of(class: &Class, name: &str) -> Inherited {
    match class.partitioning.parent {
        Some(_) => Inherited::OF_PARTITION,
        None => class.inheritance.constraint(name),
    }
}

/// How columns and constraints of a child are inherited is changed; those of a partition all are, once.
fn edit_inheritance(db: &mut Database, child: Oid, change: impl FnOnce(&mut Inheritance)) {
    if db.cluster.catalog.partition_parent(child).is_none() {
        db.cluster.edit_inheritance(child, change);
    }
}

fn children(db: &Database, table: Oid) -> Vec<Oid> {
    db.cluster.catalog.children(table).map(|class| class.oid).collect()
}

/// `ATExecAddColumn`
fn add_column(
    db: &mut Database,
    (table, only): (Oid, bool),
    added: &ColumnDef,
    queue: &mut Queue,
) -> Result<(), SqlError> {
    let invalid = |message: &'static str| Err(SqlError::new("42P16", message));
    if matches!(added.default, ColumnDefault::Identity { .. }) && !only {
        return invalid("cannot recursively add identity column to table that has child tables");
    }
    if only {
        return invalid("column must be added to child tables too");
    }
    let left = queue.of(db, table)?;
    column::add_column(db, table, added, left)?;
    let def = of_child(db, table, added)?;
    let mut merged = false;
    for child in children(db, table) {
        merged |= add_to_child(db, child, &def, queue)?;
    }
    db.cluster.use_commands(u32::from(merged));
    Ok(())
}

/// The column as a child gets it: with the parent's sequence, and with the name that NOT NULL has.
fn of_child(db: &Database, table: Oid, added: &ColumnDef) -> Result<ColumnDef, SqlError> {
    let attnum = find_column(db, table, &added.name)? as u16 + 1;
    let mut def = added.clone();
    let class = db.cluster.catalog.class(table);
    if let Some(Stored::Sequence(sequence)) = class.and_then(|class| class.defaults.get(usize::from(attnum - 1))) {
        def.default = db.nextval_of(*sequence).map_or(ColumnDefault::Null, ColumnDefault::Expr);
    }
    if let Some(Made::NotNull { name, .. }) = db.cluster.find_not_null(table, attnum) {
        def.not_null_names = Vec::from([name.clone()]);
    }
    Ok(def)
}

/// Was it there already?
fn add_to_child(db: &mut Database, child: Oid, def: &ColumnDef, queue: &mut Queue) -> Result<bool, SqlError> {
    let relation = db.cluster.pg.relation(child)?;
    if let Ok(place) = find_column(db, child, &def.name) {
        let own = &relation.desc.attributes()[place];
        if (own.ty().oid, own.typmod) != (def.type_name.oid, def.type_name.typmod) {
            let message = format!("child table \"{}\" has different type for column \"{}\"", relation.name, def.name);
            return Err(SqlError::new("42804", message));
        }
        if def.not_null {
            return Err(refuse("ADD COLUMN … NOT NULL where a child has the column already"));
        }
        edit_inheritance(db, child, |inheritance| {
            inheritance.columns.entry(place as u16 + 1).or_insert(Inherited::LOCAL).count += 1;
        });
        return Ok(true);
    }
    let left = queue.of(db, child)?;
    column::add_column(db, child, def, left)?;
    let attnum = relation.desc.attributes().len() as u16 + 1;
    let named = def.not_null_names.clone();
    edit_inheritance(db, child, |inheritance| {
        let inherited = Inherited { count: 1, local: false };
        inheritance.columns.insert(attnum, inherited);
        inheritance.constraints.extend(named.into_iter().map(|name| (name, inherited)));
    });
    for grandchild in children(db, child) {
        add_to_child(db, grandchild, def, queue)?;
    }
    Ok(false)
}

/// `ATExecDropColumn`: the children first.
fn drop_column(
    db: &mut Database,
    (table, only): (Oid, bool),
    (name, cascade): (&str, bool),
    action: &AlterAction,
    queue: &mut Queue,
) -> Result<(), SqlError> {
    if find_column(db, table, name).is_err() {
        return alone(db, table, action, queue);
    }
    for child in children(db, table) {
        let Ok(place) = find_column(db, child, name) else { continue };
        let attnum = place as u16 + 1;
        let inherited = column_of(db, child, attnum);
        if !only && inherited.count == 1 && !inherited.local {
            let drop = AlterAction::DropColumn { name: name.to_string(), if_exists: false, cascade };
            drop_column(db, (child, false), (name, cascade), &drop, queue)?;
            continue;
        }
        edit_inheritance(db, child, |inheritance| {
            let left = Inherited { count: inherited.count.saturating_sub(1), local: inherited.local || only };
            match left {
                Inherited::LOCAL => inheritance.columns.remove(&attnum),
                left => inheritance.columns.insert(attnum, left),
            };
        });
        db.cluster.use_commands(1);
    }
    alone(db, table, action, queue)
}

/// `ATAddCheckNNConstraint`, of a CHECK; others are of the table alone.
fn add_constraint(
    db: &mut Database,
    (table, only): (Oid, bool),
    added: &Constraint,
    action: &AlterAction,
    queue: &mut Queue,
) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    match &added.kind {
        ConstraintKind::Check(_) if !added.no_inherit => {}
        ConstraintKind::NotNull => return Err(refuse("ADD NOT NULL of a table with children")),
        _ if added.is_primary() => {
            let may_be_null = |column: &&Attribute| added.columns.contains(&column.name) && !column.not_null;
            for column in relation.desc.attributes().iter().filter(may_be_null) {
                keyed_not_null(db, (table, only), &column.name, queue)?;
            }
            return alone(db, table, action, queue);
        }
        _ => return alone(db, table, action, queue),
    }
    if only {
        return Err(SqlError::new("42P16", "constraint must be added to child tables too"));
    }
    alone(db, table, action, queue)?;
    let class = db.cluster.catalog.class(table);
    let made = class.and_then(|class| class.constraints.last()).map(|made| db.cluster.catalog.constraint_name(made));
    let name: String = made.unwrap_or_default().into();
    let named = Constraint { name: Some(name.clone()), ..added.clone() };
    children(db, table).into_iter().try_for_each(|child| add_check(db, child, (&name, &named), queue))
}

/// A column of a new primary key is NOT NULL, in all partitions too.
fn keyed_not_null(
    db: &mut Database,
    (table, only): (Oid, bool),
    column: &str,
    queue: &mut Queue,
) -> Result<(), SqlError> {
    if only || db.cluster.catalog.partition_key(table).is_none() {
        return Err(refuse("PRIMARY KEY of a table with children by columns that are not NOT NULL already"));
    }
    let action = AlterAction::SetNotNull { column: column.to_string(), not_null: true };
    if db.cluster.version().catalogs_not_null() {
        return set_not_null(db, (table, only), &action, queue);
    }
    let all = db.cluster.catalog.inheritors(table);
    all.into_iter().try_for_each(|table| alone(db, table, &action, queue))
}

fn add_check(
    db: &mut Database,
    child: Oid,
    (name, added): (&str, &Constraint),
    queue: &mut Queue,
) -> Result<(), SqlError> {
    let begins = match db.cluster.find_constraint(child, name) {
        Some(known) => {
            merge_check(db, child, &known, added)?;
            Inherited::LOCAL
        }
        None => {
            let left = queue.of(db, child)?;
            constraint::add(db, child, added, left)?;
            Inherited { count: 0, local: false }
        }
    };
    edit_inheritance(db, child, |inheritance| {
        inheritance.constraints.entry(name.into()).or_insert(begins).count += 1;
    });
    children(db, child).into_iter().try_for_each(|child| add_check(db, child, (name, added), queue))
}

/// `MergeWithExistingConstraint`
fn merge_check(db: &mut Database, child: Oid, known: &Made, added: &Constraint) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(child)?;
    let name = added.name.as_deref().unwrap_or_default();
    let exists =
        || SqlError::new("42710", format!("constraint \"{name}\" for relation \"{}\" already exists", relation.name));
    let (Made::Check { expr, .. }, ConstraintKind::Check(new)) = (known, &added.kind) else { return Err(exists()) };
    let new = db.expressions.keep(new, Some(&relation));
    if db.stored_condition(&relation, *expr) != db.stored_condition(&relation, new) {
        return Err(exists());
    }
    db.cluster.use_commands(1);
    Ok(())
}

/// `ATExecDropConstraint`
fn drop_constraint(
    db: &mut Database,
    (table, only): (Oid, bool),
    (name, cascade): (&str, bool),
    action: &AlterAction,
    queue: &mut Queue,
) -> Result<(), SqlError> {
    let found = db.cluster.find_constraint(table, name);
    match found {
        Some(Made::Check { no_inherit: false, .. }) => {}
        Some(Made::NotNull { .. }) => return Err(refuse("DROP of NOT NULL of a table with children")),
        _ => return alone(db, table, action, queue),
    }
    alone(db, table, action, queue)?;
    for child in children(db, table) {
        let Some(class) = db.cluster.catalog.class(child) else { continue };
        let inherited = constraint_of(class, name);
        let left = Inherited { count: inherited.count.saturating_sub(1), local: inherited.local || only };
        edit_inheritance(db, child, |inheritance| {
            match left {
                Inherited { count: 0, .. } => inheritance.constraints.remove(name),
                left => inheritance.constraints.insert(name.into(), left),
            };
        });
        if left.count > 0 || left.local {
            db.cluster.use_commands(1);
            continue;
        }
        let drop = AlterAction::DropConstraint { name: name.to_string(), if_exists: false, cascade };
        drop_constraint(db, (child, false), (name, cascade), &drop, queue)?;
    }
    Ok(())
}

/// `ATExecSetNotNull` from 18 on, where a child's constraint has the name of its parent's.
fn set_not_null(
    db: &mut Database,
    (table, only): (Oid, bool),
    action: &AlterAction,
    queue: &mut Queue,
) -> Result<(), SqlError> {
    let AlterAction::SetNotNull { column, not_null: true } = action else {
        return Err(refuse("DROP NOT NULL of a table with children"));
    };
    let attnum = find_column(db, table, column)? as u16 + 1;
    if only || db.cluster.find_not_null(table, attnum).is_some() {
        return Err(refuse("this SET NOT NULL of a table with children"));
    }
    alone(db, table, action, queue)?;
    let Some(Made::NotNull { name, .. }) = db.cluster.find_not_null(table, attnum) else { return Ok(()) };
    let name = name.clone();
    for child in db.cluster.catalog.inheritors(table).into_iter().skip(1) {
        let attnum = find_column(db, child, column)? as u16 + 1;
        if db.cluster.find_not_null(child, attnum).is_some() || db.cluster.catalog.parents(child).len() > 1 {
            return Err(refuse("SET NOT NULL where a child has it, or has several parents"));
        }
        let left = queue.of(db, child)?;
        not_null::store(db, child, NotNull { name: Some(name.clone()), column: attnum, validated: true }, left)?;
        edit_inheritance(db, child, |inheritance| {
            inheritance.constraints.insert(name.clone(), Inherited { count: 1, local: false });
        });
    }
    Ok(())
}
