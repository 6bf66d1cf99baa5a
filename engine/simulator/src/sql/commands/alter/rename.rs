//! ALTER … RENAME (`ExecRenameStmt`, src/backend/commands/alter.c; `RenameRelation`, `renameatt`, `RenameConstraint`,
//! src/backend/commands/tablecmds.c).

use super::children::column_of;
use super::find_column;
use crate::cluster::ViewName;
use crate::cluster::pg_class::Constraint;
use crate::sql::ast::{DropKind, Rename, RenamePart, Renamed};
use crate::sql::catalog::plancat;
use crate::sql::commands::create_table::check_name;
use crate::sql::commands::function_body::{self, Touched};
use crate::sql::commands::{matview, partition, trigger, view};
use crate::sql::expr::deparse;
use crate::sql::tcop::Database;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// RENAME.
pub(in crate::sql) fn rename(db: &mut Database, rename: &Rename) -> Result<String, SqlError> {
    let tag = format!("ALTER {}", rename.kind.word().to_uppercase());
    if let Some(name) = view::name_of_view(db, &rename.name) {
        return rename_view(db, &name, rename).map(|()| tag);
    }
    let Some(relation) = db.find(&rename.name) else {
        return if rename.if_exists { Ok(tag) } else { Err(db.missing(&rename.name, "relation")) };
    };
    check_kind(db, rename, relation)?;
    if let RenamePart::Constraint(_) = &rename.part
        && rename.kind == Renamed::Stored(DropKind::MaterializedView)
    {
        return Err(partition::refuse("RENAME CONSTRAINT of a materialized view"));
    }
    if !matview::readers(db, &[relation]).is_empty() {
        return Err(partition::refuse("another name of what a materialized view reads"));
    }
    match &rename.part {
        RenamePart::Relation => {
            db.cluster.check_new_name(db.cluster.schema_of(relation), &rename.to)?;
            function_body::check_unread(db, relation, Touched::Whole)?;
            view::follow_rename(db, relation, &rename.to)?;
            db.cluster.rename_relation(relation, &rename.to);
            db.cluster.finish_rename();
        }
        RenamePart::Column(from) => {
            trigger::check_column(db, relation)?;
            function_body::check_unread(db, relation, Touched::Column(from))?;
            column(db, (relation, rename.name.only), from, &rename.to)?;
            view::follow_column_rename(db, relation, from, &rename.to)?;
        }
        RenamePart::Constraint(from) => constraint(db, (relation, rename.name.only), from, &rename.to)?,
    }
    Ok(tag)
}

/// Of a view.
fn rename_view(db: &mut Database, name: &ViewName, rename: &Rename) -> Result<(), SqlError> {
    use DropKind::{Index, MaterializedView, Sequence};
    let wrong = |article| Err(SqlError::new("42809", format!("\"{}\" is not {article}", name.1)));
    match rename.kind {
        Renamed::Stored(Sequence) => return wrong("a sequence"),
        Renamed::Stored(MaterializedView) => return wrong("a materialized view"),
        Renamed::Stored(Index) => return Err(partition::refuse("ALTER INDEX of a view")),
        Renamed::Stored(DropKind::Table) | Renamed::View => {}
    }
    match &rename.part {
        RenamePart::Relation => {
            db.cluster.lock_view();
            db.cluster.check_new_name(&name.0, &rename.to)?;
            view::rename(db, name, &rename.to)
        }
        RenamePart::Column(from) => view::rename_column(db, name, from, &rename.to),
        RenamePart::Constraint(_) => Err(partition::refuse("RENAME CONSTRAINT of a view")),
    }
}

fn check_kind(db: &Database, rename: &Rename, relation: Oid) -> Result<(), SqlError> {
    let kind = db.cluster.catalog.class(relation).map(|class| partition::plain_kind(class.relkind()));
    let partitioning = db.cluster.catalog.class(relation).map(|class| &class.partitioning);
    if matches!(rename.part, RenamePart::Constraint(_))
        && partitioning.is_some_and(|it| it.key.is_some() || it.parent.is_some())
    {
        return Err(partition::refuse("another name of a constraint of partitions"));
    }
    let wrong = |article| Err(SqlError::new("42809", format!("\"{}\" is not {article}", rename.name.name)));
    let kind_told = match rename.kind {
        Renamed::View => return wrong("a view"),
        Renamed::Stored(kind) => kind,
    };
    match kind_told {
        DropKind::Sequence if kind != Some(RelKind::Sequence) => wrong("a sequence"),
        DropKind::MaterializedView if kind != Some(RelKind::MaterializedView) => wrong("a materialized view"),
        DropKind::Table if rename.part != RenamePart::Relation && kind == Some(RelKind::MaterializedView) => Ok(()),
        DropKind::Table if rename.part != RenamePart::Relation && kind != Some(RelKind::Table) => wrong("a table"),
        _ => Ok(()),
    }
}

/// RENAME COLUMN (`renameatt_internal`); `only`: not of the tables that inherit from it.
fn column(db: &mut Database, (table, only): (Oid, bool), from: &str, to: &str) -> Result<(), SqlError> {
    let all = db.cluster.catalog.inheritors(table);
    let invalid = |message: String| Err(SqlError::new("42P16", message));
    if only && all.len() > 1 && find_column(db, table, from).is_ok() {
        return invalid(format!("inherited column \"{from}\" must be renamed in child tables too"));
    }
    // a child's column is that of these alone, or one of another parent has another name
    for renamed in all.iter().rev() {
        let count = inherited_count(db, *renamed, from);
        let mut parents = db.cluster.catalog.parents(*renamed);
        parents.extend(db.cluster.catalog.partition_parent(*renamed));
        if count > parents.iter().filter(|parent| all.contains(parent)).count() {
            return invalid(format!("cannot rename inherited column \"{from}\""));
        }
        if *renamed != table {
            view::check_alter(db, *renamed, true, false)?;
        }
        rename_column(db, *renamed, from, to)?;
    }
    db.cluster.finish_rename();
    Ok(())
}

/// `attinhcount` of the column of that name.
fn inherited_count(db: &Database, table: Oid, column: &str) -> usize {
    let place = find_column(db, table, column);
    place.map_or(0, |place| column_of(db, table, place as u16 + 1).count.into())
}

/// Of one table. Expressions that name the column know it by its number.
fn rename_column(db: &mut Database, table: Oid, from: &str, to: &str) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let missing = |_| SqlError::new("42703", format!("column \"{from}\" does not exist"));
    let number = find_column(db, table, from).map_err(missing)?;
    check_name(to)?;
    if find_column(db, table, to).is_ok() {
        let message = format!("column \"{to}\" of relation \"{}\" already exists", relation.name);
        return Err(SqlError::new("42701", message));
    }
    db.cluster.rename_column(table, number, to);
    for index in &relation.indexes {
        let names = key_names(db, table, *index)?;
        db.cluster.set_key_names(*index, names);
    }
    Ok(())
}

/// `pg_get_indexdef_columns`
fn key_names(db: &Database, table: Oid, index: Oid) -> Result<Option<String>, SqlError> {
    let (table, index) = (db.cluster.pg.relation(table)?, db.cluster.pg.relation(index)?);
    let range = plancat::range_of(&table);
    let n_keys = index.index.as_ref().map_or(0, |form| usize::from(form.n_keys));
    let keys = db.index_expressions(&table, &index);
    let names: Option<Vec<String>> = keys.iter().take(n_keys).map(|key| deparse::index_key(key, &range)).collect();
    Ok(names.map(|names| names.join(", ")))
}

/// RENAME CONSTRAINT; that of an index renames the index.
fn constraint(db: &mut Database, (table, only): (Oid, bool), from: &str, to: &str) -> Result<(), SqlError> {
    let inherited = db.cluster.catalog.class(table).map(|class| class.inheritance.constraint(from));
    if inherited.is_some_and(|inherited| inherited.count > 0) {
        return Err(SqlError::new("42P16", format!("cannot rename inherited constraint \"{from}\"")));
    }
    let is_passed_on = match db.cluster.find_constraint(table, from) {
        Some(Constraint::Check { no_inherit, .. }) => !no_inherit,
        Some(Constraint::NotNull { .. }) => true,
        _ => false,
    };
    let all = match is_passed_on {
        true => db.cluster.catalog.inheritors(table),
        false => Vec::from([table]),
    };
    if only && all.len() > 1 {
        let message = format!("inherited constraint \"{from}\" must be renamed in child tables too");
        return Err(SqlError::new("42P16", message));
    }
    for child in all.iter().skip(1) {
        let inherited = db.cluster.catalog.class(*child).map(|class| class.inheritance.constraint(from));
        if inherited.is_none_or(|inherited| inherited.count != 1 || inherited.local) {
            return Err(partition::refuse("another name of a constraint that a child has of several tables"));
        }
    }
    all.into_iter().rev().try_for_each(|table| rename_constraint(db, table, from, to))?;
    db.cluster.finish_rename();
    Ok(())
}

/// Of one table.
fn rename_constraint(db: &mut Database, table: Oid, from: &str, to: &str) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let Some(found) = db.cluster.find_constraint(table, from) else {
        let message = format!("constraint \"{from}\" for table \"{}\" does not exist", relation.name);
        return Err(SqlError::new("42704", message));
    };
    if let Constraint::Index(index) = found {
        db.cluster.check_new_name(db.cluster.schema_of(table), to)?;
        db.cluster.rename_relation(index, to);
    } else {
        if db.cluster.find_constraint(table, to).is_some() {
            let message = format!("constraint \"{to}\" for relation \"{}\" already exists", relation.name);
            return Err(SqlError::new("42710", message));
        }
        db.cluster.rename_constraint(table, from, to);
    }
    Ok(())
}
