//! Indexes of partitioned tables: each partition has a part of its own (`DefineIndex`,
//! src/backend/commands/indexcmds.c; `generateClonedIndexStmt`, src/backend/parser/parse_utilcmd.c;
//! `AttachPartitionEnsureIndexes`, src/backend/commands/tablecmds.c).

use super::refuse;
use crate::cluster::pg_class::Constraint;
use crate::sql::ast::{self, CreateIndex};
use crate::sql::catalog::Catalog;
use crate::sql::commands::constraint::add_index;
use crate::sql::commands::create_index::{build_new, define};
use crate::sql::commands::create_like::clone_index;
use crate::sql::tcop::Database;
use crate::storage::{Deferrable, RelationData};
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// CREATE INDEX of a partitioned table: the index, and its parts.
pub(in crate::sql::commands) fn create_on_partitions(
    db: &mut Database,
    table: Oid,
    create: &CreateIndex,
) -> Result<(), SqlError> {
    if create.unique {
        check_key(db, table, "UNIQUE", &create.keys.iter().filter_map(column_name).collect::<Vec<_>>())?;
    }
    match define(db, create)? {
        Some(index) => add_parts(db, table, index),
        None => Ok(()),
    }
}

fn column_name(key: &ast::IndexElem) -> Option<&str> {
    if let ast::ExprNode::Column { name, .. } = &key.expr.node { Some(name) } else { None }
}

/// PRIMARY KEY and UNIQUE of a partitioned table.
pub(in crate::sql::commands) fn add_constraint(
    db: &mut Database,
    table: Oid,
    constraint: &ast::Constraint,
) -> Result<(), SqlError> {
    if matches!(constraint.kind, ast::ConstraintKind::Exclude(_)) {
        return Err(refuse("EXCLUDE of a partitioned table"));
    }
    let ast::ConstraintKind::Index(index) = &constraint.kind else { return Ok(()) };
    if index.without_overlaps {
        return Err(refuse("a key WITHOUT OVERLAPS of a partitioned table"));
    }
    if constraint.deferrable != Deferrable::No {
        return Err(refuse("a deferrable constraint of a partitioned table"));
    }
    let word = if index.primary { "PRIMARY KEY" } else { "UNIQUE" };
    check_key(db, table, word, &constraint.columns.iter().map(|name| name.as_str()).collect::<Vec<_>>())?;
    let index = add_index(db, table, constraint)?;
    add_parts(db, table, index)
}

/// A key that is unique has the columns that tell partitions apart, since each of them is looked through alone.
fn check_key(db: &Database, table: Oid, word: &str, columns: &[&str]) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let Some(desc) = db.partition_desc(table) else { return Ok(()) };
    let names = desc.keys.iter().map(|(column, _)| relation.desc.attributes()[usize::from(*column)].name.as_str());
    let Some(missing) = names.into_iter().find(|name| !columns.contains(name)) else { return Ok(()) };
    let error = SqlError::new("0A000", "unique constraint on partitioned table must include all partitioning columns");
    Err(error.with_detail(format!(
        "{word} constraint on table \"{}\" lacks column \"{missing}\" which is part of the partition key.",
        relation.name
    )))
}

/// The parts that partitions have of a new index.
fn add_parts(db: &mut Database, table: Oid, index: Oid) -> Result<(), SqlError> {
    let Some(desc) = db.partition_desc(table) else { return Ok(()) };
    for part in &desc.parts {
        ensure_part(db, part.oid, index)?;
    }
    Ok(())
}

/// A new partition has parts of all indexes. Gives how many: without any the row of `pg_inherits` waits for the next
/// command.
pub(super) fn ensure_parts(db: &mut Database, parent: Oid, table: Oid) -> Result<usize, SqlError> {
    let indexes: Vec<Oid> = db.cluster.indexes_of(parent).map(|class| class.oid).collect();
    indexes.iter().try_for_each(|index| ensure_part(db, table, *index))?;
    Ok(indexes.len())
}

/// The table's part of an index: one that it has, or a new one.
fn ensure_part(db: &mut Database, table: Oid, index: Oid) -> Result<(), SqlError> {
    let like = db.cluster.pg.relation(index)?;
    let is_constraint = is_constraint(db, index);
    let own: Vec<Oid> = db.cluster.indexes_of(table).map(|class| class.oid).collect();
    for own in own {
        let data = db.cluster.pg.relation(own)?;
        let is_free = db.cluster.catalog.partition_parent(own).is_none();
        if is_free && is_same(db, &like, &data)? && (!is_constraint || self::is_constraint(db, own)) {
            db.cluster.set_parent_index(own, index);
            db.cluster.use_commands(1);
            return Ok(());
        }
    }
    let made = clone_index(db, table, &like, is_constraint)?;
    if db.cluster.catalog.partition_key(table).is_none() {
        build_new(db, made)?;
    }
    db.cluster.set_parent_index(made, index);
    add_parts(db, table, made)
}

fn is_constraint(db: &Database, index: Oid) -> bool {
    let table = db.cluster.catalog.class(index).and_then(|class| class.table);
    let class = table.and_then(|table| db.cluster.catalog.class(table));
    class.is_some_and(|class| class.constraints.contains(&Constraint::Index(index)))
}

/// `CompareIndexInfo`
fn is_same(db: &Database, one: &RelationData, other: &RelationData) -> Result<bool, SqlError> {
    let (Some(form), Some(its)) = (&one.index, &other.index) else { return Ok(false) };
    let is_same = form.unique == its.unique
        && form.nulls_not_distinct == its.nulls_not_distinct
        && form.n_keys == its.n_keys
        && form.summarizing == its.summarizing
        && form.gist == its.gist
        && form.partial == its.partial
        && form.columns == its.columns;
    let has_expressions = db.cluster.catalog.class(one.oid).is_some_and(|class| class.has_expressions);
    match is_same && (form.partial || has_expressions) {
        true => {
            Err(refuse("an index with expressions or a condition of a partitioned table whose partition has one too"))
        }
        false => Ok(is_same),
    }
}
