//! ADD COLUMN, and what ALTER COLUMN sets (`ATExecAddColumn`, `ATExecColumnDefault`, `ATExecSetCompression`,
//! src/backend/commands/tablecmds.c).

use super::{Left, find_column, not_null};
use crate::cluster::ddl::{ColumnSpec, DefaultSpec};
use crate::cluster::pg_class as pg_catalog;
use crate::sql::ast::{ColumnDef, ColumnDefault, Expr, ExprNode, Literal, RangeVar, SequenceOptions};
use crate::sql::catalog::plancat::NOWHERE;
use crate::sql::commands::create_table::{check_name, column_spec};
use crate::sql::commands::defaults;
use crate::sql::commands::rewrite::NewColumn;
use crate::sql::commands::sequence::{alter_options, of_identity};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::generated;
use crate::sql::executor::generated::generation_expr;
use crate::sql::executor::row::eval;
use crate::sql::expr::{AssignedType, Typed};
use crate::sql::tcop::Database;
use crate::storage::Stop;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, SqlError, Value};
use ffviz_format::page::Oid;

/// SET DEFAULT and DROP DEFAULT, of a column from 0.
pub(super) fn set_default(
    db: &mut Database,
    table: Oid,
    column: usize,
    default: Option<&Expr>,
) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let Some(attribute) = relation.desc.attributes().get(column) else { return Ok(()) };
    let known = db.cluster.catalog.class(table).and_then(|class| class.defaults.get(column).copied());
    let kind = match known {
        Some(pg_catalog::ColumnDefault::Identity { .. }) => Some("an identity"),
        Some(it) if it.is_generated() => Some("a generated"),
        _ => None,
    };
    if let Some(kind) = kind {
        let (name, table) = (&attribute.name, &relation.name);
        let message = format!("column \"{name}\" of relation \"{table}\" is {kind} column");
        return Err(SqlError::new("42601", message));
    }
    let new = match default {
        None => pg_catalog::ColumnDefault::Null,
        Some(expr) => {
            let ty = attribute.ty();
            let domain = db.cluster.catalog.domain_of(table, attribute.num);
            defaults::cooked(db, expr, &attribute.name, AssignedType { ty, domain })?;
            pg_catalog::ColumnDefault::Expr(db.expressions.keep(expr, None))
        }
    };
    db.cluster.set_default(table, column, new);
    Ok(())
}

/// SET STATISTICS, of a column from 0 (`ATExecSetStatistics`).
pub(super) fn set_statistics(db: &mut Database, table: Oid, column: usize, target: i64) -> Result<(), SqlError> {
    const MOST: i64 = 10_000;
    if target < -1 {
        return Err(SqlError::new("22023", format!("statistics target {target} is too low")));
    }
    db.cluster.pg.current_xid();
    let attnum = column as u16 + 1;
    db.cluster.edit_class(table, |class| {
        match u16::try_from(target.min(MOST)) {
            Ok(target) => class.statistics_targets.insert(attnum, target),
            Err(_) => class.statistics_targets.remove(&attnum),
        };
    });
    db.cluster.alter_columns(table, |_| {});
    Ok(())
}

/// SET (n_distinct = …), RESET, of a column from 0 (`ATExecSetOptions`).
pub(super) fn set_distinct(
    db: &mut Database,
    table: Oid,
    column: usize,
    distinct: Option<f64>,
) -> Result<(), SqlError> {
    if let Some(value) = distinct.filter(|value| *value < -1.0) {
        let error = SqlError::new("22023", format!("value {value} out of bounds for option \"n_distinct\""));
        return Err(error.with_detail(format!("Valid values are between \"-1.000000\" and \"{:.6}\".", f64::MAX)));
    }
    db.cluster.pg.current_xid();
    let attnum = column as u16 + 1;
    db.cluster.edit_class(table, |class| {
        match distinct {
            Some(distinct) => class.distinct_options.insert(attnum, distinct),
            None => class.distinct_options.remove(&attnum),
        };
    });
    db.cluster.alter_columns(table, |_| {});
    Ok(())
}

/// ADD COLUMN; a DEFAULT that is the same for all rows is evaluated once, for the rows that there are. Where it
/// is not, the table is to be written anew.
pub(super) fn add_column(db: &mut Database, table: Oid, column: &ColumnDef, left: &mut Left) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    check_name(&column.name)?;
    if find_column(db, table, &column.name).is_ok() {
        let (name, table) = (&column.name, &relation.name);
        let message = format!("column \"{name}\" of relation \"{table}\" already exists");
        return Err(SqlError::new("42701", message));
    }
    let mut all: Vec<ColumnDef> = relation.desc.attributes().iter().map(named).collect();
    all.push(column.clone());
    let spec = column_spec(db, column, &all)?;
    let default = spec.default;
    let (typed, is_asked) = added_value(db, column)?;
    let missing = match &typed {
        Some(typed) if is_asked || !typed.is_pseudo_constant() => None,
        Some(typed) => Some(value_of(db, typed)?),
        None if matches!(default, DefaultSpec::Null | DefaultSpec::Virtual(_)) => Some(Value::Null),
        None => None,
    };
    // the rows of a partitioned table are those of its partitions
    let missing = missing.filter(|_| db.cluster.catalog.partition_key(table).is_none());
    // rows that are there have NULL in it, whatever they are asked
    left.verify.not_null |= column.not_null && (is_asked || missing.as_ref().is_some_and(Value::is_null));
    let rewrites = missing.is_none();
    let sequence = db.cluster.add_column(table, &spec, missing)?;
    if spec.not_null {
        not_null::of_new_column(db, table, column)?;
    }
    if let DefaultSpec::Generated(expr) = default {
        let added = db.cluster.pg.relation(table)?;
        generated::check(db, table)?;
        left.use_oids(db, 1);
        let value = generation_expr(db, &added, added.desc.attributes().len() - 1, expr)?;
        left.added.push(NewColumn { name: column.name.clone(), value, sequence: None });
        return Ok(());
    }
    if let DefaultSpec::Virtual(_) = default {
        generated::check(db, table)?;
    }
    let value = match sequence.and_then(|sequence| db.nextval_of(sequence)) {
        Some(nextval) => Some(defaults::cooked(db, &nextval, &column.name, column.type_name)?),
        None => typed,
    };
    left.makes_relation |= sequence.is_some();
    left.use_oids(db, db.cluster.oids_of_column(&spec));
    let name = column.name.clone();
    left.added.extend(value.filter(|_| rewrites).map(|value| NewColumn { name, value, sequence }));
    Ok(())
}

/// What a column that is new has in the rows that there are, and whether each of them is asked what its domain asks.
fn added_value(db: &Database, column: &ColumnDef) -> Result<(Option<Typed>, bool), SqlError> {
    let domain = column.domain.and_then(|domain| db.cluster.catalog.domain(domain));
    let is_asked = domain.is_some_and(|domain| domain.has_constraints());
    let of_domain = domain.and_then(|domain| db.expressions.get(domain.default?)).map(|stored| stored.expr.clone());
    let expr = match &column.default {
        ColumnDefault::Expr(expr) => Some(expr.clone()),
        ColumnDefault::Null if is_asked => {
            let null = Expr { node: ExprNode::Literal(Literal::Null), position: NOWHERE };
            Some(of_domain.unwrap_or(null))
        }
        ColumnDefault::Null if of_domain.is_some() => {
            let message = "ADD COLUMN of a domain with a DEFAULT and no constraints is not supported; CREATE TABLE is";
            return Err(SqlError::new(NOT_SIMULATED, message));
        }
        _ => None,
    };
    let ty = AssignedType { ty: column.type_name, domain: column.domain };
    Ok((expr.map(|expr| defaults::cooked(db, &expr, &column.name, ty)).transpose()?, is_asked))
}

/// A column of which nothing counts but the name.
fn named(attribute: &Attribute) -> ColumnDef {
    ColumnDef {
        name: attribute.name.clone(),
        type_name: attribute.ty(),
        domain: None,
        storage: None,
        compression: None,
        not_null: attribute.not_null,
        not_null_names: Vec::new(),
        default: ColumnDefault::Null,
    }
}

/// ADD GENERATED AS IDENTITY, of a column from 0 (`ATExecAddIdentity`).
pub(super) fn add_identity(
    db: &mut Database,
    table: Oid,
    column: usize,
    always: bool,
    options: &SequenceOptions,
    left: &mut Left,
) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let Some(attribute) = relation.desc.attributes().get(column) else { return Ok(()) };
    let what = format!("column \"{}\" of relation \"{}\"", attribute.name, relation.name);
    let ty = attribute.ty();
    let wrong = |why: &str| Err(SqlError::new("55000", format!("{what} {why}")));
    let default = DefaultSpec::Identity { always, sequence: of_identity(options, ty)? };
    let spec = ColumnSpec {
        name: attribute.name.clone(),
        ty,
        not_null: true,
        default,
        storage: None,
        compressed: false,
        domain: None,
        sequence_name: options.sequence_name(),
    };
    check_sequence_name(db, options, table)?;
    let sequence = db.cluster.make_identity(table, &spec)?;
    if !attribute.not_null {
        return wrong("must be declared NOT NULL before identity can be added");
    }
    match db.cluster.catalog.class(table).and_then(|class| class.defaults.get(column).copied()) {
        Some(pg_catalog::ColumnDefault::Identity { .. }) => return wrong("is already an identity column"),
        Some(pg_catalog::ColumnDefault::Null) | None => {}
        Some(_) => return wrong("already has a default value"),
    }
    left.makes_relation = true;
    db.cluster.add_identity(table, column, &spec, sequence);
    Ok(())
}

/// An identity's sequence may not have the name of another relation.
fn check_sequence_name(db: &Database, options: &SequenceOptions, table: Oid) -> Result<(), SqlError> {
    let Some(RangeVar { schema, name, .. }) = &options.name else { return Ok(()) };
    let schema = schema.clone().unwrap_or_else(|| String::from(db.cluster.schema_of(table)));
    match db.find(&RangeVar::new(Some(schema), name.clone())) {
        Some(_) => Err(SqlError::new("42P07", format!("relation \"{name}\" already exists"))),
        None => Ok(()),
    }
}

/// SET GENERATED and RESTART, of a column from 0 (`ATExecSetIdentity`): its sequence first.
pub(super) fn set_identity(
    db: &mut Database,
    table: Oid,
    column: usize,
    always: Option<bool>,
    options: &SequenceOptions,
) -> Result<(), SqlError> {
    let default = db.cluster.catalog.class(table).and_then(|class| class.defaults.get(column).copied());
    let Some(pg_catalog::ColumnDefault::Identity { sequence, .. }) = default else {
        let relation = db.cluster.pg.relation(table)?;
        let name = relation.desc.attributes().get(column).map_or("", |column| &column.name);
        let message = format!("column \"{name}\" of relation \"{}\" is not an identity column", relation.name);
        return Err(SqlError::new("55000", message));
    };
    if *options != SequenceOptions::default() {
        alter_options(db, sequence, options)?;
    }
    if let Some(always) = always {
        db.cluster.set_identity(table, column, pg_catalog::ColumnDefault::Identity { sequence, always });
    }
    Ok(())
}

/// DROP IDENTITY, of a column from 0 (`ATExecDropIdentity`).
pub(super) fn drop_identity(db: &mut Database, table: Oid, column: usize, if_exists: bool) -> Result<(), SqlError> {
    let default = db.cluster.catalog.class(table).and_then(|class| class.defaults.get(column).copied());
    if matches!(default, Some(pg_catalog::ColumnDefault::Identity { .. })) {
        db.cluster.drop_identity(table, column);
        return Ok(());
    }
    let relation = db.cluster.pg.relation(table)?;
    let name = relation.desc.attributes().get(column).map_or("", |column| &column.name);
    let message = format!("column \"{name}\" of relation \"{}\" is not an identity column", relation.name);
    if if_exists { Ok(()) } else { Err(SqlError::new("55000", message)) }
}

fn value_of(db: &mut Database, typed: &Typed) -> Result<Value, SqlError> {
    match eval(db, typed, &[], &[]) {
        Ok(value) => Ok(value),
        Err(Stop::Error(error)) => Err(error),
        Err(Stop::Wait(_)) => Err(SqlError::new("XX000", "a DEFAULT waits")),
    }
}
