//! CREATE TABLE, as a statement (`DefineRelation`, src/backend/commands/tablecmds.c; `transformIndexConstraints`,
//! src/backend/parser/parse_utilcmd.c).
//!
//! ```text
//!  sequences ─▶ the table ─▶ CHECK ─▶ NOT NULL ─▶ TOAST table ─▶ PRIMARY KEY ─▶ UNIQUE ─▶ REFERENCES      wherever they were written
//! ```

use super::alter::find_column;
use super::ddl::{OptionsOf, RelOptions, kept_options};
use super::sequence::of_identity;
use super::{column_storage, constraint, create_like, defaults, inherit, partition};
use crate::cluster::Lookup;
use crate::cluster::ddl::{ColumnSpec, DefaultSpec, NotNull, TableSpec, conflicting_names};
use crate::cluster::partition::PartitionKey;
use crate::sql::ast::{
    ColumnDef, ColumnDefault, Constraint, ConstraintKind, CreateTable, OnCommit, PartitionBy, Persistence,
};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::generated;
use crate::sql::expr::SYSTEM;
use crate::sql::tcop::Database;
use crate::version::{Behaviour, SqlBehaviour};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::datum::enums::is_enum;
use ffviz_format::page::Oid;

/// CREATE TABLE.
pub(in crate::sql) fn create_table(db: &mut Database, create: &CreateTable) -> Result<String, SqlError> {
    if let Some(of) = &create.partition_of {
        return partition::create_partition(db, create, of);
    }
    let tag = "CREATE TABLE".to_string();
    let (schema, persistence, is_there) = db.creation_of_table(&create.name, create.persistence)?;
    if create.if_not_exists && is_there {
        return Ok(tag);
    }
    if db.cluster.catalog.has_type(&schema, &create.name.name) && !is_there {
        return Err(SqlError::new("42710", format!("type \"{}\" already exists", create.name.name)));
    }
    let (expanded, likes) = create_like::expand(db, create)?;
    let own = &expanded;
    let inherited = inherit::merge(db, own)?;
    let create = inherited.as_ref().map_or(own, |it| &it.create);
    check_primary_keys(create)?;
    for constraint in &create.constraints {
        let type_of = |name: &str| create.columns.iter().find(|it| it.name == name).map(|it| it.type_name.oid);
        constraint::check_overlaps(constraint, type_of)?;
    }
    let on_commit = on_commit(create.on_commit, persistence)?;
    let partition_by = create.partition_by.as_ref();
    if partition_by.is_some() && persistence == Persistence::Unlogged && db.cluster.version().refuses_unlogged_roots() {
        return Err(SqlError::new("0A000", "partitioned tables cannot be unlogged"));
    }
    let partition_key = partition_by.map(|by| partition_key(by, create, persistence)).transpose()?;
    let spec = TableSpec { schema, persistence, on_commit, partition_key, ..table_spec(db, create)? };
    let table = db.cluster.create_table(&spec)?;
    kept_options(db, table, &create.options, &[]);
    inherited.iter().try_for_each(|it| it.store(db, table))?;
    defaults::check(db, table, create)?;
    generated::check(db, table)?;
    add_constraints(db, table, (create, own), inherited.as_ref())?;
    match partition_by {
        Some(_) => db.cluster.use_commands(1),
        None => db.cluster.create_toast_table(table),
    }
    for like in &likes {
        create_like::add_defaults(db, table, like)?;
        create_like::add_checks(db, table, like)?;
    }
    for constraint in indexed(&create.constraints) {
        if partition_by.is_some() {
            partition::add_constraint(db, table, constraint)?;
            continue;
        }
        let index = constraint::add_index(db, table, constraint)?;
        db.cluster.build_empty(index);
    }
    for constraint in &create.constraints {
        if matches!(constraint.kind, ConstraintKind::Foreign { .. }) {
            constraint::add_foreign_key(db, table, constraint, true)?;
        }
    }
    likes.iter().try_for_each(|like| create_like::add_indexes(db, table, like))?;
    let types = create.columns.iter().map(|column| column.type_name.oid);
    db.cluster.look_up(types.flat_map(|oid| [Lookup::TypeName(oid), Lookup::Type(oid)]).chain([Lookup::SchemaName]));
    Ok(tag)
}

/// CHECK and NOT NULL: `own` is the statement without what the table inherits.
fn add_constraints(
    db: &mut Database,
    table: Oid,
    (create, own): (&CreateTable, &CreateTable),
    inherited: Option<&inherit::Merged>,
) -> Result<(), SqlError> {
    let mut checks = Vec::new();
    for constraint in &create.constraints {
        if let ConstraintKind::Check(expr) = &constraint.kind {
            checks.push(constraint::check(db, table, constraint, expr)?);
        }
    }
    let not_nulls = not_nulls(db, table, own)?;
    match inherited {
        Some(inherited) => {
            let checks = inherit::own_checks(db, table, checks)?;
            db.cluster.add_checks(table, &checks)?;
            inherited.add_not_nulls(db, table, (not_nulls, !checks.is_empty()))?;
        }
        None => {
            db.cluster.add_checks(table, &checks)?;
            if !checks.is_empty() && !not_nulls.is_empty() && db.cluster.version().catalogs_not_null() {
                db.cluster.share_command();
            }
            db.cluster.add_not_nulls(table, &not_nulls)?;
        }
    }
    Ok(())
}

/// The key of a partitioned table, which has neither storage parameters nor, here, foreign keys.
fn partition_key(by: &PartitionBy, create: &CreateTable, persistence: Persistence) -> Result<PartitionKey, SqlError> {
    partition::check_options(create)?;
    if create.columns.iter().any(|column| column.domain.is_some()) {
        return Err(partition::refuse("a column of a domain in a partitioned table"));
    }
    if create.constraints.iter().any(|constraint| matches!(constraint.kind, ConstraintKind::Foreign { .. })) {
        return Err(partition::refuse("a foreign key of a partitioned table"));
    }
    partition::partition_key(by, &create.columns, persistence)
}

/// NOT NULL as constraints: those of columns, those of the table, and what a primary key makes so.
fn not_nulls(db: &Database, table: Oid, create: &CreateTable) -> Result<Vec<NotNull>, SqlError> {
    let number = |name: &str| Ok::<_, SqlError>(find_column(db, table, name)? as u16 + 1);
    let mut all = Vec::new();
    for column in create.columns.iter().filter(|column| column.not_null) {
        all.push(NotNull {
            name: column.not_null_names.first().cloned(),
            column: number(&column.name)?,
            validated: true,
        });
    }
    let of_table = create.constraints.iter().filter(|constraint| constraint.kind == ConstraintKind::NotNull);
    let primary = create.constraints.iter().filter(|constraint| constraint.is_primary());
    for constraint in of_table.chain(primary) {
        let name = constraint.name.clone().filter(|_| !constraint.is_primary());
        for column in &constraint.columns {
            all.push(NotNull { name: name.clone(), column: number(column)?, validated: true });
        }
    }
    Ok(all)
}

/// `transformColumnDefinition`: CONSTRAINT gives NOT NULL of a column one name.
fn check_not_null_names(db: &Database, column: &ColumnDef) -> Result<(), SqlError> {
    let Some(first) = column.not_null_names.first() else { return Ok(()) };
    match column.not_null_names.iter().find(|name| *name != first) {
        Some(other) if db.cluster.version().catalogs_not_null() => Err(conflicting_names("XX000", first, other)),
        _ => Ok(()),
    }
}

fn check_primary_keys(create: &CreateTable) -> Result<(), SqlError> {
    if create.constraints.iter().filter(|constraint| constraint.is_primary()).count() > 1 {
        let message = format!("multiple primary keys for table \"{}\" are not allowed", create.name.name);
        return Err(SqlError::new("42P16", message));
    }
    Ok(())
}

/// Constraints with an index: the primary key first; one that asks for what another asks for already is left out.
fn indexed(constraints: &[Constraint]) -> Vec<&Constraint> {
    let (primary, others): (Vec<_>, Vec<_>) = constraints.iter().partition(|constraint| constraint.is_primary());
    let mut kept: Vec<&Constraint> = Vec::new();
    for constraint in primary.into_iter().chain(others) {
        let index = match &constraint.kind {
            ConstraintKind::Index(index) => index,
            ConstraintKind::Exclude(_) => {
                kept.push(constraint);
                continue;
            }
            _ => continue,
        };
        let is_same = |known: &&Constraint| {
            let ConstraintKind::Index(other) = &known.kind else { return false };
            known.columns == constraint.columns
                && other.include == index.include
                && other.nulls_not_distinct == index.nulls_not_distinct
        };
        if !kept.iter().any(is_same) {
            kept.push(constraint);
        }
    }
    kept
}

/// ON COMMIT, which temporary tables alone have.
pub(super) fn on_commit(said: Option<OnCommit>, persistence: Persistence) -> Result<OnCommit, SqlError> {
    if said.is_some() && persistence != Persistence::Temporary {
        return Err(SqlError::new("42P16", "ON COMMIT can only be used on temporary tables"));
    }
    Ok(said.unwrap_or_default())
}

fn table_spec(db: &mut Database, create: &CreateTable) -> Result<TableSpec, SqlError> {
    let options = RelOptions::of(OptionsOf::Table, &create.options)?;
    for (n, column) in create.columns.iter().enumerate() {
        if create.columns[..n].iter().any(|other| other.name == column.name) {
            let message = format!("column \"{}\" specified more than once", column.name);
            return Err(SqlError::new("42701", message));
        }
    }
    let columns = create.columns.iter().map(|column| column_spec(db, column, &create.columns));
    let mut columns: Vec<ColumnSpec> = columns.collect::<Result<_, _>>()?;
    columns.iter().try_for_each(|column| check_name(&column.name))?;
    for constraint in create.constraints.iter().filter(|constraint| !constraint.columns.is_empty()) {
        let includes: &[String] = match &constraint.kind {
            ConstraintKind::Index(index) => &index.include,
            _ => &[],
        };
        for name in constraint.columns.iter().chain(includes) {
            let is_key = matches!(constraint.kind, ConstraintKind::Index(_));
            let Some(column) = columns.iter_mut().find(|column| column.name == *name) else {
                if is_key {
                    return Err(SqlError::new("42703", format!("column \"{name}\" named in key does not exist")));
                }
                continue;
            };
            if constraint.kind == ConstraintKind::NotNull && matches!(column.default, DefaultSpec::Virtual(_)) {
                return Err(virtual_not_null());
            }
            let makes_so = constraint.is_primary() || constraint.kind == ConstraintKind::NotNull;
            column.not_null |= makes_so && constraint.columns.contains(name);
        }
    }
    Ok(options.table(String::new(), &create.name.name, columns))
}

/// A column to be made, of a table with these; its DEFAULT is kept.
pub(super) fn column_spec(db: &mut Database, column: &ColumnDef, all: &[ColumnDef]) -> Result<ColumnSpec, SqlError> {
    check_not_null_names(db, column)?;
    Ok(ColumnSpec {
        name: column.name.clone(),
        ty: column.type_name,
        domain: column.domain,
        sequence_name: match &column.default {
            ColumnDefault::Identity { options, .. } => options.sequence_name(),
            _ => None,
        },
        compressed: column
            .compression
            .as_ref()
            .map_or(Ok(false), |method| column_storage::is_pglz(column.type_name, method))?,
        storage: column.storage.as_ref().map(|word| column_storage::storage(column.type_name, word)).transpose()?,
        not_null: column.not_null,
        default: match &column.default {
            ColumnDefault::Null => DefaultSpec::Null,
            ColumnDefault::Expr(expr) => DefaultSpec::Expr(db.expressions.keep(expr, None)),
            ColumnDefault::Serial => DefaultSpec::Serial,
            ColumnDefault::Generated(expr) => {
                let names = all.iter().map(|column| column.name.clone()).collect();
                DefaultSpec::Generated(db.expressions.keep_over(expr, names))
            }
            ColumnDefault::Virtual(expr, _) => {
                virtual_column(column)?;
                let names = all.iter().map(|column| column.name.clone()).collect();
                DefaultSpec::Virtual(db.expressions.keep_over(expr, names))
            }
            ColumnDefault::Identity { .. } if column.domain.is_some() => {
                return Err(SqlError::new("22023", "identity column type must be smallint, integer, or bigint"));
            }
            ColumnDefault::Identity { always, options } => {
                DefaultSpec::Identity { always: *always, sequence: of_identity(options, column.type_name)? }
            }
        },
    })
}

/// `CheckAttributeType`, with `CHKATYPE_IS_VIRTUAL`.
fn virtual_column(column: &ColumnDef) -> Result<(), SqlError> {
    if column.domain.is_some() {
        let message = format!("virtual generated column \"{}\" cannot have a domain type", column.name);
        return Err(SqlError::new("0A000", message));
    }
    if is_enum(column.type_name.oid) {
        let message = format!("virtual generated column \"{}\" cannot have a user-defined type", column.name);
        let detail = "Virtual generated columns that make use of user-defined types are not yet supported.";
        return Err(SqlError::new("0A000", message).with_detail(detail));
    }
    if column.not_null { Err(virtual_not_null()) } else { Ok(()) }
}

/// Such a column is computed of each row that comes, and asked (`ExecRelGenVirtualNotNull`).
pub(super) fn virtual_not_null() -> SqlError {
    SqlError::new(NOT_SIMULATED, "NOT NULL of a virtual generated column is not supported")
}

/// `CheckAttributeNamesTypes`
pub(super) fn check_name(column: &str) -> Result<(), SqlError> {
    if SYSTEM.iter().any(|(name, _)| *name == column) {
        let message = format!("column name \"{column}\" conflicts with a system column name");
        return Err(SqlError::new("42701", message));
    }
    Ok(())
}
