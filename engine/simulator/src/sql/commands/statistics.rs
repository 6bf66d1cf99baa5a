//! CREATE, ALTER and DROP STATISTICS (src/backend/commands/statscmds.c), and where the planner would ask what ANALYZE
//! gathers for them, which is refused: plans and the order of groups would be others.

use super::alter::find_column;
use crate::sql::ast::{RangeVar, StatisticsStatement};
use crate::sql::elsewhere;
use crate::sql::expr::SYSTEM;
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
        StatisticsStatement::Create { name, if_not_exists, kinds, columns, table } => {
            create(db, (name, *if_not_exists), kinds, columns, table)?;
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
    (name, if_not_exists): (&RangeVar, bool),
    kinds: &[String],
    columns: &[String],
    table: &RangeVar,
) -> Result<(), SqlError> {
    if db.find(table).is_none() && db.cluster.find_view(table.schema.as_deref(), &table.name).is_some() {
        return Err(wrong_kind(db, &table.name, "views"));
    }
    let oid = db.find(table).ok_or_else(|| elsewhere::relation(table, "relation"))?;
    check_kind(db, oid)?;
    let schema = db.cluster.creation_schema(name.schema.as_deref())?;
    if db.cluster.find_statistics(Some(&schema), &name.name).is_some() {
        let message = format!("statistics object \"{}\" already exists", name.name);
        return if if_not_exists { Ok(()) } else { Err(SqlError::new("42710", message)) };
    }
    let columns = columns.iter().map(|column| attnum(db, oid, column)).collect::<Result<Vec<u16>, _>>()?;
    if let Some(kind) = kinds.iter().find(|kind| !["ndistinct", "dependencies", "mcv"].contains(&kind.as_str())) {
        return Err(SqlError::new("42601", format!("unrecognized statistics kind \"{kind}\"")));
    }
    if columns.len() < 2 {
        return Err(SqlError::new("42P17", "extended statistics require at least 2 columns"));
    }
    if columns.iter().enumerate().any(|(n, column)| columns[..n].contains(column)) {
        return Err(SqlError::new("42701", "duplicate column name in statistics definition"));
    }
    db.cluster.create_statistics(oid, schema, name.name.clone(), columns);
    Ok(())
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
