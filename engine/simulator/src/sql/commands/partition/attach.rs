//! ATTACH PARTITION (`ATExecAttachPartition`, src/backend/commands/tablecmds.c).
//!
//! ```text
//!  columns as the table's? ─▶ bound ─▶ parts of the indexes ─▶ rows within it, unless a CHECK says so
//!                                                            ─▶ none of them in DEFAULT
//! ```

use super::index::ensure_parts;
use super::{bound, find_any_table, qual, refuse};
use crate::cluster::pg_class::Constraint;
use crate::sql::ast::PartitionOf;
use crate::sql::catalog::Catalog;
use crate::sql::commands::constraint::bounds_of;
use crate::sql::tcop::Database;
use crate::storage::RelationData;
use alloc::format;
use alloc::string::ToString;
use ffviz_format::datum::{Attribute, SqlError};
use ffviz_format::page::Oid;

/// ATTACH PARTITION.
pub(in crate::sql::commands) fn attach(db: &mut Database, parent: Oid, of: &PartitionOf) -> Result<(), SqlError> {
    let table = find_any_table(db, &of.table)?;
    let (relation, child) = (db.cluster.pg.relation(parent)?, db.cluster.pg.relation(table)?);
    let Some(desc) = db.partition_desc(parent) else {
        return Err(refuse("ATTACH PARTITION of a table that is not partitioned"));
    };
    if db.cluster.catalog.partition_parent(table).is_some() {
        return Err(SqlError::new("42809", format!("\"{}\" is already a partition", child.name)));
    }
    if db.cluster.catalog.inheritors(table).contains(&parent) || db.cluster.is_temporary(table) {
        return Err(refuse("attaching this table"));
    }
    check_columns(db, &relation, &child)?;
    check_constraints(db, parent, &child)?;
    let wanted = bound::transform(db, &relation, &desc, &of.bound)?;
    bound::check(db, &desc, &child.name, &wanted)?;
    db.cluster.store_partition_bound(table, parent, wanted.clone());
    let parts = ensure_parts(db, parent, table)?;
    db.cluster.use_commands(u32::from(parts == 0));
    let bounds = bounds_of(db, table);
    for leaf in db.cluster.catalog.inheritors(table) {
        if db.cluster.catalog.partition_key(leaf).is_none() && !qual::is_implied(db, leaf, &bounds)? {
            bound::check_rows(db, leaf, &bounds)?;
        }
    }
    bound::check_default(db, &desc, &wanted)
}

/// `MergeAttributesIntoExisting`: other places than the table's are not simulated.
fn check_columns(db: &Database, parent: &RelationData, child: &RelationData) -> Result<(), SqlError> {
    let (ours, theirs) = (parent.desc.attributes(), child.desc.attributes());
    let is_same = |(one, other): (&Attribute, &Attribute)| {
        one.name == other.name && (one.typid, one.typmod, one.dropped) == (other.typid, other.typmod, other.dropped)
    };
    let of_name = |all: &[Attribute], name: &str| all.iter().find(|it| !it.dropped && it.name == name).cloned();
    if let Some(extra) = theirs.iter().find(|it| !it.dropped && of_name(ours, &it.name).is_none()) {
        let (own, above) = (&child.name, &parent.name);
        let message = format!("table \"{own}\" contains column \"{}\" not found in parent \"{above}\"", extra.name);
        let detail = "The new partition may contain only the columns present in parent.";
        return Err(SqlError::new("42804", message).with_detail(detail.to_string()));
    }
    for column in ours.iter().filter(|it| !it.dropped) {
        let Some(own) = of_name(theirs, &column.name) else {
            return Err(SqlError::new("42804", format!("child table is missing column \"{}\"", column.name)));
        };
        if (own.typid, own.typmod) != (column.typid, column.typmod) {
            let message = format!("child table \"{}\" has different type for column \"{}\"", child.name, own.name);
            return Err(SqlError::new("42804", message));
        }
    }
    if ours.len() != theirs.len() || !ours.iter().zip(theirs).all(is_same) {
        return Err(refuse("attaching a table whose columns are not those of the partitioned table, in their order"));
    }
    for (one, other) in ours.iter().zip(theirs) {
        if one.not_null && !other.not_null {
            let message = format!("column \"{}\" in child table \"{}\" must be marked NOT NULL", one.name, child.name);
            let before = format!("column \"{}\" in child table must be marked NOT NULL", one.name);
            let is_named = crate::version::SqlBehaviour::names_attached_table(db.cluster.version());
            return Err(SqlError::new("42804", if is_named { message } else { before }));
        }
    }
    Ok(())
}

/// `MergeConstraintsIntoExisting`
fn check_constraints(db: &Database, parent: Oid, child: &RelationData) -> Result<(), SqlError> {
    let wanted = db.cluster.catalog.class(parent).map_or(&[][..], |class| &class.constraints);
    for constraint in wanted {
        let Constraint::NotNull { column, .. } = constraint else { continue };
        if let Some(Constraint::NotNull { name, validated: false, .. }) = db.cluster.find_not_null(child.oid, *column) {
            let conflict = format!("constraint \"{name}\" conflicts with NOT VALID constraint");
            return Err(SqlError::new("42P17", format!("{conflict} on child table \"{}\"", child.name)));
        }
    }
    let is_check = |constraint: &Constraint| matches!(constraint, Constraint::Check { .. });
    let has = |oid: Oid| db.cluster.catalog.class(oid).is_some_and(|class| class.constraints.iter().any(is_check));
    match has(parent) || db.cluster.catalog.has_foreign_keys(child.oid) {
        true => Err(refuse("attaching where there are CHECKs of the partitioned table, or foreign keys")),
        false => Ok(()),
    }
}
