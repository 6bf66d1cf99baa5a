//! CREATE TYPE … AS ENUM and AS (…), ALTER TYPE, DROP TYPE (`DefineEnum`, `AlterEnum`, src/backend/commands/typecmds.c;
//! `RemoveObjects`, dropcmds.c).

use super::partition::plain_kind;
use super::{composite, domain};
use crate::cluster::EnumType;
use crate::cluster::ddl::quote_identifier;
use crate::cluster::namespace::missing as missing_schema;
use crate::sql::ast::{EnumStatement, RangeVar};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
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
        EnumStatement::Drop { names, if_exists } => drop(db, names, *if_exists)?,
        EnumStatement::AddValue { name, label, if_not_exists, neighbor } => {
            let neighbor = neighbor.as_ref().map(|(is_after, label)| (*is_after, label.as_str()));
            add_value(db, name, label, *if_not_exists, neighbor)?;
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

/// `RemoveObjects`, of types.
fn drop(db: &mut Database, names: &[RangeVar], if_exists: bool) -> Result<(), SqlError> {
    let is_domain = |name: &&RangeVar| db.cluster.find_domain(name.schema.as_deref(), &name.name).is_some();
    match names.iter().filter(is_domain).count() {
        0 => {}
        count if count == names.len() => return domain::drop(db, names, if_exists, false),
        _ => return Err(SqlError::new(NOT_SIMULATED, "DROP TYPE of domains and other types is not supported")),
    }
    if let [name] = names
        && db.cluster.find_composite(name.schema.as_deref(), &name.name).is_some()
    {
        return composite::drop(db, name);
    }
    if names.iter().any(|name| db.cluster.find_composite(name.schema.as_deref(), &name.name).is_some()) {
        return Err(SqlError::new(NOT_SIMULATED, "DROP TYPE of composite and other types is not supported"));
    }
    let mut found = Vec::new();
    for name in names {
        match find(db, name) {
            Ok(ty) => found.push((ty.oid, ty.name.clone())),
            Err(_) if if_exists => {}
            Err(error) => return Err(error),
        }
    }
    for (oid, name) in &found {
        check_dependents(db, *oid, name)?;
    }
    found.iter().for_each(|(oid, _)| db.cluster.drop_enum(*oid));
    Ok(())
}

/// `reportDependentObjects`: columns of tables; what views and functions do with types is not known here.
fn check_dependents(db: &mut Database, oid: Oid, name: &str) -> Result<(), SqlError> {
    let catalog = &db.cluster.catalog;
    if catalog.views().next().is_some() || catalog.functions().next().is_some() {
        let message = "DROP TYPE where there are views or functions is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    let ty = enums::mark(oid);
    let mut lines = Vec::new();
    for (table, relation) in db.cluster.pg.relations.iter().filter(|(_, relation)| relation.kind == RelKind::Table) {
        let columns = relation.desc.attributes().iter().filter(|column| column.typid == oid && !column.dropped);
        lines.extend(columns.map(|column| {
            let table = db.regclass_out(*table);
            format!("column {} of table {table} depends on type {ty}", quote_identifier(&column.name))
        }));
    }
    if lines.is_empty() {
        return Ok(());
    }
    // the tables are locked exclusively, which takes a transaction id
    db.cluster.pg.tell_of_lock();
    let message = format!("cannot drop type {} because other objects depend on it", quote_identifier(name));
    Err(SqlError::new("2BP01", message).with_detail(lines.join("\n")))
}

/// `typenameType`
fn find<'a>(db: &'a Database, name: &RangeVar) -> Result<&'a EnumType, SqlError> {
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
