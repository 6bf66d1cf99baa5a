//! What ALTER may do to partitioned tables, their columns and indexes, and to partitions (`ATPrepDropColumn`,
//! `ATPrepAlterColumnType`, src/backend/commands/tablecmds.c).

use super::{find_any_table, refuse};
use crate::cluster::Class;
use crate::sql::ast::{AlterAction, AlterTable, ColumnDefault, ConstraintKind, RangeVar};
use crate::sql::catalog::Catalog;
use crate::sql::commands::alter::find_column;
use crate::sql::partition::PartitionDesc;
use crate::sql::tcop::Database;
use alloc::format;
use alloc::sync::Arc;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// The index of ALTER INDEX, which is not supported of one that is partitioned.
pub(in crate::sql::commands) fn find_index(db: &Database, name: &RangeVar) -> Result<Oid, SqlError> {
    let relation = db.open(name)?;
    match relation.kind {
        RelKind::PartitionedIndex => Err(refuse("this ALTER INDEX of a partitioned index")),
        _ => Ok(relation.oid),
    }
}

/// The table of ALTER TABLE: what is done to a partitioned table, and what to a partition, is not supported but for
/// what is known to go no further.
pub(in crate::sql::commands) fn find_altered(db: &Database, alter: &AlterTable) -> Result<Oid, SqlError> {
    let table = find_any_table(db, &alter.name)?;
    let is_of_table = |action: &AlterAction| match action {
        AlterAction::AttachPartition(_) | AlterAction::DetachPartition(..) | AlterAction::OwnerTo(_) => true,
        AlterAction::AddColumn { column, .. } => {
            use ColumnDefault::{Generated, Identity, Virtual};
            !matches!(column.default, Identity { .. } | Generated(_) | Virtual(..))
        }
        AlterAction::DropColumn { .. }
        | AlterAction::DropConstraint { .. }
        | AlterAction::SetDefault { .. }
        | AlterAction::SetType { .. }
        | AlterAction::SetNotNull { not_null: true, .. } => true,
        AlterAction::AddConstraint(constraint) => {
            use ConstraintKind::{Check, Exclude, Index};
            matches!(constraint.kind, Index(_) | Exclude(_) | Check(_))
        }
        _ => false,
    };
    let is_of_partition = |action: &AlterAction| {
        matches!(
            action,
            AlterAction::SetOptions(_)
                | AlterAction::ResetOptions(_)
                | AlterAction::OwnerTo(_)
                | AlterAction::SetStatistics { .. }
                | AlterAction::SetDistinct { .. }
                | AlterAction::SetStorage { .. }
                | AlterAction::ReplicaIdentity(_)
                | AlterAction::DropConstraint { .. }
                | AlterAction::ValidateConstraint(_)
                | AlterAction::SetDefault { .. }
                | AlterAction::AddColumn { .. }
                | AlterAction::DropColumn { .. }
                | AlterAction::SetType { .. }
                | AlterAction::SetNotNull { not_null: true, .. }
        ) || matches!(action, AlterAction::AddConstraint(it) if it.kind != ConstraintKind::NotNull)
    };
    let class = db.cluster.catalog.class(table);
    let partitioning = class.map(|class| &class.partitioning);
    if partitioning.is_some_and(|it| it.key.is_some()) && !alter.actions.iter().all(is_of_table) {
        return Err(refuse(&format!("this ALTER TABLE of the partitioned table {}", alter.name)));
    }
    if partitioning.is_some_and(|it| it.key.is_none() && it.parent.is_some())
        && !alter.actions.iter().all(is_of_partition)
    {
        return Err(refuse(&format!("this ALTER TABLE of the partition {}", alter.name)));
    }
    Ok(table)
}

/// What an action may not do to a column of a partitioned table: it cannot go from it alone, nor, if it is of the key,
/// at all.
pub(in crate::sql::commands) fn check_column(
    db: &Database,
    (table, only): (Oid, bool),
    action: &AlterAction,
) -> Result<(), SqlError> {
    let (column, word) = match action {
        AlterAction::DropColumn { name, .. } => (name, "drop"),
        AlterAction::SetType { column, .. } => (column, "alter"),
        _ => return Ok(()),
    };
    let Ok(place) = find_column(db, table, column) else { return Ok(()) };
    let relation = db.cluster.pg.relation(table)?;
    let is_key = |desc: PartitionDesc| desc.keys.iter().any(|(key, _)| usize::from(*key) == place);
    if db.partition_desc(table).is_some_and(is_key) {
        let message = format!(
            "cannot {word} column \"{column}\" because it is part of the partition key of relation \"{}\"",
            relation.name
        );
        return Err(SqlError::new("42P16", message));
    }
    let is_indexed = |class: &Arc<Class>| {
        let form = db.cluster.pg.relations.get(&class.oid).and_then(|index| index.index.as_ref());
        form.is_some_and(|form| form.columns.iter().any(|key| usize::from(key.attnum) == place + 1))
    };
    if db.cluster.indexes_of(table).any(is_indexed) {
        return Err(refuse("this ALTER TABLE of a column that an index of the partitioned table has"));
    }
    if only && db.cluster.catalog.partitions(table).next().is_some() && word == "drop" {
        let message = "cannot drop column from only the partitioned table when partitions exist";
        return Err(SqlError::new("42P16", message).with_hint("Do not specify the ONLY keyword."));
    }
    Ok(())
}
