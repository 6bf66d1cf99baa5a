//! CREATE TABLE … PARTITION OF (`DefineRelation`, `MergeAttributes`, src/backend/commands/tablecmds.c).
//!
//! ```text
//!  the table, with defaults and CHECKs ─▶ its bound ─▶ its parts of the indexes ─▶ NOT NULL ─▶ TOAST table
//! ```

use super::index::ensure_parts;
use super::{bound, partition_key, refuse};
use crate::cluster::Lookup;
use crate::cluster::ddl::{CheckConstraint, ColumnSpec, DefaultSpec, NotNull, TableSpec};
use crate::cluster::pg_class::{ColumnDefault, Constraint};
use crate::sql::ast::{self, CreateTable, PartitionOf, Persistence};
use crate::sql::catalog::Catalog;
use crate::sql::commands::ddl::{RelOptions, kept_options};
use crate::sql::elsewhere;
use crate::sql::tcop::Database;
use crate::storage::RelationData;
use crate::version::{Behaviour, SqlBehaviour};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// Makes the table.
pub(in crate::sql::commands) fn create_partition(
    db: &mut Database,
    create: &CreateTable,
    of: &PartitionOf,
) -> Result<String, SqlError> {
    let tag = "CREATE TABLE".to_string();
    let (schema, persistence, is_there) = db.creation_of_table(&create.name, create.persistence)?;
    if create.if_not_exists && is_there {
        return Ok(tag);
    }
    let parent = db.find(&of.table).ok_or_else(|| elsewhere::relation(&of.table, "relation"))?;
    let relation = db.cluster.pg.relation(parent)?;
    if !matches!(relation.kind, RelKind::Table | RelKind::PartitionedTable) {
        return Err(refuse("a partition of what is no table"));
    }
    if persistence == Persistence::Temporary || create.on_commit.is_some() {
        return Err(refuse("a temporary partition"));
    }
    if relation.desc.has_dropped() {
        return Err(refuse("a partition of a table of which a column was dropped"));
    }
    check_options(create)?;
    let key = create.partition_by.as_ref();
    let columns = key.map(|key| partition_key(key, &column_defs(&relation), persistence)).transpose()?;
    let options = RelOptions::read(&create.options)?;
    let spec = TableSpec {
        schema,
        name: create.name.name.clone(),
        persistence,
        columns: inherited(db, &relation),
        fillfactor: options.fillfactor,
        toast_tuple_target: options.toast_tuple_target,
        vacuum: options.vacuum,
        partition_key: columns,
        ..TableSpec::default()
    };
    let table = db.cluster.create_table(&spec)?;
    let not_partitioned = || SqlError::new("42P17", format!("\"{}\" is not partitioned", of.table.name));
    let desc = db.partition_desc(parent).ok_or_else(not_partitioned)?;
    kept_options(db, table, &create.options, &[]);
    inherit_identity(db, parent, table);
    inherit_checks(db, parent, table)?;
    let wanted = bound::transform(db, &relation, &desc, &of.bound)?;
    bound::check(db, &desc, &create.name.name, &wanted)?;
    bound::check_default(db, &desc, &wanted)?;
    db.cluster.store_partition_bound(table, parent, wanted);
    if key.is_some() {
        db.cluster.use_commands(1);
    }
    let parts = ensure_parts(db, parent, table)?;
    let has_not_null = inherit_not_null(db, parent, table)?;
    db.cluster.use_commands(u32::from(parts == 0 && !has_not_null));
    if key.is_none() {
        db.cluster.create_toast_table(table);
    }
    let types: Vec<Oid> = spec.columns.iter().map(|column| column.ty.oid).collect();
    let looked_up = types.into_iter().flat_map(|oid| [Lookup::TypeName(oid), Lookup::Type(oid)]);
    db.cluster.look_up(looked_up.chain([Lookup::SchemaName]));
    Ok(tag)
}

/// A partitioned table has no storage parameters.
pub(in crate::sql::commands) fn check_options(create: &CreateTable) -> Result<(), SqlError> {
    match create.partition_by.is_some() && !create.options.is_empty() {
        true => Err(refuse("a storage parameter of a partitioned table")),
        false => Ok(()),
    }
}

/// The columns as they would be written.
fn column_defs(relation: &RelationData) -> Vec<ast::ColumnDef> {
    let column = |attribute: &ffviz_format::datum::Attribute| ast::ColumnDef {
        name: attribute.name.clone(),
        type_name: attribute.ty(),
        domain: None,
        storage: None,
        compression: None,
        not_null: attribute.not_null,
        not_null_names: Vec::new(),
        default: ast::ColumnDefault::Null,
    };
    relation.desc.attributes().iter().map(column).collect()
}

/// `MergeAttributes`: the columns, with their defaults.
fn inherited(db: &mut Database, relation: &RelationData) -> Vec<ColumnSpec> {
    let class = db.cluster.catalog.class(relation.oid);
    let defaults = class.map(|class| class.defaults.clone()).unwrap_or_default();
    let compressed = class.map(|class| class.compressed.clone()).unwrap_or_default();
    let mut columns = Vec::new();
    for (n, attribute) in relation.desc.attributes().iter().enumerate() {
        let default = match defaults.get(n).copied().unwrap_or_default() {
            ColumnDefault::Expr(id) => DefaultSpec::Expr(id),
            ColumnDefault::Generated(id) => DefaultSpec::Generated(id),
            ColumnDefault::Virtual(id) => DefaultSpec::Virtual(id),
            ColumnDefault::Sequence(sequence) => match db.nextval_of(sequence) {
                Some(nextval) => DefaultSpec::Expr(db.expressions.keep(&nextval, None)),
                None => DefaultSpec::Null,
            },
            ColumnDefault::Null | ColumnDefault::Identity { .. } => DefaultSpec::Null,
        };
        columns.push(ColumnSpec {
            name: attribute.name.clone(),
            ty: attribute.ty(),
            not_null: attribute.not_null,
            default,
            storage: Some(attribute.storage),
            compressed: compressed.contains(&attribute.num),
            domain: None,
            sequence_name: None,
        });
    }
    columns
}

/// From 17 on a partition's identity columns take their values from the sequences of the table.
fn inherit_identity(db: &mut Database, parent: Oid, table: Oid) {
    if !db.cluster.version().inherits_identity() {
        return;
    }
    let defaults = db.cluster.catalog.class(parent).map(|class| class.defaults.clone()).unwrap_or_default();
    db.cluster.edit_class(table, |class| {
        for (own, default) in class.defaults.iter_mut().zip(defaults) {
            if matches!(default, ColumnDefault::Identity { .. }) {
                *own = default;
            }
        }
    });
}

/// CHECKs, with their names.
fn inherit_checks(db: &mut Database, parent: Oid, table: Oid) -> Result<(), SqlError> {
    let constraints = db.cluster.catalog.class(parent).map(|class| class.constraints.clone()).unwrap_or_default();
    let mut checks = Vec::new();
    for constraint in constraints {
        if let Constraint::Check { name, columns, expr, enforced, .. } = constraint {
            checks.push(CheckConstraint {
                name: Some(name),
                columns,
                expr,
                validated: enforced,
                enforced,
                no_inherit: false,
            });
        }
    }
    let defaults = db.cluster.catalog.class(table).map_or(&[][..], |class| &class.defaults);
    let with_defaults = defaults.iter().any(ColumnDefault::has_row);
    db.cluster.inherit_checks(table, &checks, with_defaults)
}

/// NOT NULL, with its names (`RelationGetNotNullConstraints`, which goes by these). Gives whether a row of
/// `pg_constraint` was written for any.
fn inherit_not_null(db: &mut Database, parent: Oid, table: Oid) -> Result<bool, SqlError> {
    let constraints = db.cluster.catalog.class(parent).map_or(&[][..], |class| &class.constraints);
    let not_null = |constraint: &Constraint| match constraint {
        Constraint::NotNull { name, column, .. } => {
            Some(NotNull { name: Some(name.clone()), column: *column, validated: true })
        }
        _ => None,
    };
    let mut inherited: Vec<NotNull> = constraints.iter().filter_map(not_null).collect();
    inherited.sort_by(|one, other| one.name.cmp(&other.name));
    db.cluster.add_not_nulls(table, &inherited)?;
    Ok(!inherited.is_empty() && db.cluster.version().catalogs_not_null())
}
