//! CREATE, ALTER and DROP STATISTICS (src/backend/commands/statscmds.c).

use super::alter::find_column;
use crate::cluster::StatisticsObject;
use crate::cluster::ddl::object_names;
use crate::sql::StatementError;
use crate::sql::ast::{Expr, RangeVar, StatisticsStatement};
use crate::sql::catalog::plancat::range_of;
use crate::sql::elsewhere;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::{Node, SYSTEM};
use crate::sql::tcop::Database;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::datum::compare::comparator;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// Runs it.
pub(in crate::sql) fn run(db: &mut Database, statement: &StatisticsStatement) -> Result<String, SqlError> {
    match statement {
        StatisticsStatement::Create { name, if_not_exists, kinds, columns, expr, table } => {
            create(db, (name.as_ref(), *if_not_exists), kinds, (columns, expr.as_deref()), table)?;
        }
        StatisticsStatement::SetTarget { name, if_exists, target } => set_target(db, name, *if_exists, *target)?,
        StatisticsStatement::Rename { name, to } => {
            let (table, oid) = find(db, name)?;
            db.cluster.change_statistics(table, |class| {
                class.statistics_objects.iter_mut().filter(|it| it.oid == oid).for_each(|it| it.name.clone_from(to));
            });
        }
        StatisticsStatement::Drop { names, if_exists } => {
            let found = names.iter().map(|name| find(db, name));
            let found: Result<Vec<(Oid, Oid)>, SqlError> = match if_exists {
                true => Ok(found.flatten().collect()),
                false => found.collect(),
            };
            for (table, oid) in found? {
                db.cluster.change_statistics(table, |class| class.statistics_objects.retain(|it| it.oid != oid));
            }
        }
    }
    Ok(statement.tag().to_string())
}

/// `get_statistics_object_oid`: its table and its oid.
fn find(db: &Database, name: &RangeVar) -> Result<(Oid, Oid), SqlError> {
    let found = db.cluster.find_statistics(name.schema.as_deref(), &name.name);
    let missing = || SqlError::new("42704", format!("statistics object \"{name}\" does not exist"));
    found.map(|(table, object)| (table, object.oid)).ok_or_else(missing)
}

/// `CreateStatistics`
fn create(
    db: &mut Database,
    (name, if_not_exists): (Option<&RangeVar>, bool),
    kinds: &[String],
    (columns, expr): (&[String], Option<&Expr>),
    table: &RangeVar,
) -> Result<(), SqlError> {
    if db.find(table).is_none() && db.cluster.find_view(table.schema.as_deref(), &table.name).is_some() {
        return Err(wrong_kind(db, &table.name, "views"));
    }
    let oid = db.find(table).ok_or_else(|| elsewhere::relation(table, "relation"))?;
    check_kind(db, oid)?;
    let schema = match name {
        Some(name) => db.cluster.creation_schema(name.schema.as_deref())?,
        None => db.cluster.schema_of(oid).to_string(),
    };
    let name = name.map_or_else(|| chosen_name(db, &schema, &table.name, columns), |name| name.name.clone());
    if db.cluster.find_statistics(Some(&schema), &name).is_some() {
        let message = format!("statistics object \"{name}\" already exists");
        return if if_not_exists { Ok(()) } else { Err(SqlError::new("42710", message)) };
    }
    if let Some(expr) = expr {
        return create_of_expression(db, oid, (schema, name), kinds, expr);
    }
    let mut columns = columns.iter().map(|column| attnum(db, oid, column)).collect::<Result<Vec<u16>, _>>()?;
    if let Some(kind) = kinds.iter().find(|kind| !["ndistinct", "dependencies", "mcv"].contains(&kind.as_str())) {
        return Err(SqlError::new("42601", format!("unrecognized statistics kind \"{kind}\"")));
    }
    if columns.len() < 2 {
        return Err(SqlError::new("42P17", "extended statistics require at least 2 columns"));
    }
    if columns.iter().enumerate().any(|(n, column)| columns[..n].contains(column)) {
        return Err(SqlError::new("42701", "duplicate column name in statistics definition"));
    }
    columns.sort_unstable();
    let depends = columns.clone();
    let kinds = kinds_of(kinds);
    let object =
        StatisticsObject { oid: 0, schema, name, columns, expr: None, depends, kinds, target: None, data: None };
    db.cluster.create_statistics(oid, object);
    Ok(())
}

/// Of an expression alone, of which ANALYZE then finds what it finds of a column.
fn create_of_expression(
    db: &mut Database,
    table: Oid,
    (schema, name): (String, String),
    kinds: &[String],
    expr: &Expr,
) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let range = range_of(&relation);
    let mut analyzer = db.analyzer(&range);
    analyzer.clause = "statistics expressions";
    let typed = analyzer.decided(expr).map_err(StatementError::error_with_place)?;
    if let Node::Slot(_) = typed.node {
        return Err(SqlError::new("42P17", "extended statistics require at least 2 columns"));
    }
    if !db.cluster.version().has_statistics_of_expressions() {
        return Err(SqlError::new("0A000", "only simple column references are allowed in CREATE STATISTICS"));
    }
    if !kinds.is_empty() {
        let message = "when building statistics on a single expression, statistics kinds may not be specified";
        return Err(SqlError::new("0A000", message));
    }
    let mut slots = Vec::new();
    typed.slots(&mut slots);
    let depends = slots.into_iter().map(|slot| slot + 1).collect();
    let (expr, kinds) = (Some(db.expressions.keep(expr, Some(&relation))), Vec::from([b'e']));
    let object =
        StatisticsObject { oid: 0, schema, name, columns: Vec::new(), expr, depends, kinds, target: None, data: None };
    db.cluster.create_statistics(table, object);
    Ok(())
}

/// `stxkind`; without names all of them.
fn kinds_of(names: &[String]) -> Vec<u8> {
    let is_wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    let all = [("ndistinct", b'd'), ("dependencies", b'f'), ("mcv", b'm')];
    all.into_iter().filter(|(name, _)| is_wanted(name)).map(|(_, kind)| kind).collect()
}

/// `ChooseExtendedStatisticName`
fn chosen_name(db: &Database, schema: &str, table: &str, columns: &[String]) -> String {
    let is_free = |name: &String| db.cluster.find_statistics(Some(schema), name).is_none();
    let columns = if columns.is_empty() { "expr".to_string() } else { columns.join("_") };
    object_names(table, &columns, "stat").find(is_free).unwrap_or_default()
}

/// Of which kinds of relations there are some.
fn check_kind(db: &Database, oid: Oid) -> Result<(), SqlError> {
    let class = db.cluster.catalog.class(oid);
    let (name, kind) = class.map_or(("", RelKind::Table), |class| (class.name.as_str(), class.relkind()));
    let what = match kind {
        RelKind::Index | RelKind::PartitionedIndex => "indexes",
        RelKind::Sequence => "sequences",
        RelKind::Toast => "TOAST tables",
        _ => return Ok(()),
    };
    Err(wrong_kind(db, name, what))
}

fn wrong_kind(db: &Database, name: &str, what: &str) -> SqlError {
    if db.cluster.version().details_kinds() {
        let error = SqlError::new("42809", format!("cannot define statistics for relation \"{name}\""));
        return error.with_detail(format!("This operation is not supported for {what}."));
    }
    SqlError::new("42809", format!("relation \"{name}\" is not a table, foreign table, or materialized view"))
}

fn attnum(db: &Database, table: Oid, name: &str) -> Result<u16, SqlError> {
    if SYSTEM.iter().any(|(known, _)| *known == name) {
        return Err(SqlError::new("0A000", "statistics creation on system columns is not supported"));
    }
    let missing = |_| SqlError::new("42703", format!("column \"{name}\" does not exist"));
    let column = find_column(db, table, name).map_err(missing)?;
    let relation = db.cluster.pg.relation(table)?;
    let attribute = &relation.desc.attributes()[column];
    if !attribute.fields.is_empty() {
        return Err(SqlError::new(NOT_SIMULATED, "statistics of rows as values are not supported"));
    }
    if comparator(attribute.typid).is_none() {
        let ty = &attribute.type_name;
        let why = format!("its type {ty} has no default btree operator class");
        return Err(SqlError::new("0A000", format!("column \"{name}\" cannot be used in statistics because {why}")));
    }
    Ok(attribute.num)
}

/// `AlterStatistics`
fn set_target(db: &mut Database, name: &RangeVar, if_exists: bool, target: i64) -> Result<(), SqlError> {
    const MOST: i64 = 10_000;
    if target < -1 {
        return Err(SqlError::new("22023", format!("statistics target {target} is too low")));
    }
    let (table, oid) = match find(db, name) {
        Err(_) if if_exists => return Ok(()),
        found => found?,
    };
    let target = u16::try_from(target.min(MOST)).ok();
    db.cluster.change_statistics(table, |class| {
        class.statistics_objects.iter_mut().filter(|it| it.oid == oid).for_each(|it| it.target = target);
    });
    Ok(())
}
