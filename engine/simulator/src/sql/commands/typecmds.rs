//! CREATE TYPE … AS ENUM and AS (…), ALTER TYPE (`DefineEnum`, `AlterEnum`, src/backend/commands/typecmds.c).

use super::partition::plain_kind;
use super::{composite, drop_type};
use crate::cluster::EnumType;
use crate::cluster::namespace::missing as missing_schema;
use crate::sql::ast::{EnumStatement, RangeVar};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::datum::{SqlError, enums};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// `NAMEDATALEN`
const NAMEDATALEN: usize = 64;

/// Runs the statement. Gives its command tag.
pub(in crate::sql) fn run(db: &mut Database, statement: &EnumStatement) -> Result<String, SqlError> {
    match statement {
        EnumStatement::Create(name, labels) => create(db, name, labels)?,
        EnumStatement::CreateComposite(name, columns) => composite::create(db, name, columns)?,
        EnumStatement::AlterComposite(name, actions) => composite::alter(db, name, actions)?,
        EnumStatement::Rename(name, to) => composite::rename(db, name, to)?,
        EnumStatement::Drop { names, if_exists, cascade } => drop_type::drop(db, names, false, *if_exists, *cascade)?,
        EnumStatement::AddValue { name, label, if_not_exists, neighbor } => {
            let neighbor = neighbor.as_ref().map(|(is_after, label)| (*is_after, label.as_str()));
            add_value(db, name, label, *if_not_exists, neighbor)?;
        }
        EnumStatement::DropValue(_) => {
            return Err(SqlError::new("0A000", "dropping an enum value is not implemented"));
        }
        EnumStatement::RenameValue { name, from, to } => {
            let oid = find(db, name)?.oid;
            check_label(to)?;
            db.cluster.rename_label(oid, from, to)?;
        }
    }
    Ok(statement.tag().to_string())
}

/// `DefineEnum`
fn create(db: &mut Database, name: &RangeVar, labels: &[String]) -> Result<(), SqlError> {
    let (schema, _) = db.creation(name)?;
    let name = &name.name;
    let relation = db.cluster.catalog.find(&schema, name).and_then(|oid| db.cluster.catalog.class(oid));
    let has_row_type = relation
        .is_some_and(|class| matches!(plain_kind(class.kind), RelKind::Table | RelKind::MaterializedView))
        || db.cluster.catalog.views().any(|((in_schema, view), _)| *in_schema == schema && view == name);
    if has_row_type || db.cluster.catalog.has_type(&schema, name) {
        return Err(SqlError::new("42710", format!("type \"{name}\" already exists")));
    }
    labels.iter().try_for_each(|label| check_label(label))?;
    if (1..labels.len()).any(|n| labels[..n].contains(&labels[n])) {
        return Err(SqlError::new(NOT_SIMULATED, "an enum with a label twice is not supported"));
    }
    db.cluster.create_enum(&schema, name, labels);
    Ok(())
}

fn check_label(label: &str) -> Result<(), SqlError> {
    if label.len() < NAMEDATALEN {
        return Ok(());
    }
    let detail = format!("Labels must be {} bytes or less.", NAMEDATALEN - 1);
    Err(SqlError::new("42602", format!("invalid enum label \"{label}\"")).with_detail(detail))
}

/// `AddEnumLabel`
fn add_value(
    db: &mut Database,
    name: &RangeVar,
    label: &str,
    if_not_exists: bool,
    neighbor: Option<(bool, &str)>,
) -> Result<(), SqlError> {
    let ty = find(db, name)?;
    check_label(label)?;
    let oid = ty.oid;
    let Some(at) = ty.place(label, neighbor)? else {
        if if_not_exists {
            return Ok(());
        }
        return Err(SqlError::new("42710", format!("enum label \"{label}\" already exists")));
    };
    let made_by = ty.made_by;
    let xact = db.cluster.pg.backend().xact.as_ref();
    if xact.is_some_and(|xact| xact.in_block && xact.top_xid() == Some(made_by)) {
        let message = "ALTER TYPE … ADD VALUE in the transaction that made the type is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    let keeps_order = at == ty.labels.len();
    let is_key = |index: Oid| {
        let index = db.cluster.pg.relations.get(&index);
        index.is_some_and(|index| index.desc.attributes().iter().any(|key| key.typid == oid))
    };
    let is_index = |(oid, class): (&Oid, RelKind)| class == RelKind::Index && is_key(*oid);
    let kinds = db.cluster.pg.relations.iter().map(|(oid, relation)| (oid, relation.kind));
    if !keeps_order && kinds.into_iter().any(is_index) {
        let message = "a value between those of an enum that an index is of is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    db.cluster.add_label(oid, at, label);
    Ok(())
}

/// `typenameType`
pub(super) fn find<'a>(db: &'a Database, name: &RangeVar) -> Result<&'a EnumType, SqlError> {
    if let Some(schema) = &name.schema {
        db.cluster.check_schema(schema).map_err(|_| missing_schema(schema))?;
    }
    if let Some(domain) = db.cluster.find_domain(name.schema.as_deref(), &name.name) {
        return Err(SqlError::new("42809", format!("{} is not an enum", enums::mark(domain.oid))));
    }
    if let Some(ty) = db.cluster.find_composite(name.schema.as_deref(), &name.name) {
        return Err(SqlError::new("42809", format!("{} is not an enum", enums::mark(ty.oid))));
    }
    let missing = || SqlError::new("42704", format!("type \"{name}\" does not exist"));
    db.cluster.find_enum(name.schema.as_deref(), &name.name).ok_or_else(missing)
}
