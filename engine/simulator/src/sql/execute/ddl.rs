//! CREATE, DROP, TRUNCATE: from the tree of a statement to what the cluster is asked to make.

use super::{Database, dependency};
use crate::cluster::Lookup;
use crate::cluster::ddl::{ColumnSpec, ConstraintSpec, DefaultSpec, IndexSpec, KeySpec, TableSpec};
use crate::sql::StatementError;
use crate::sql::ast::{
    ColumnDefault, Constraint, ConstraintKind, CreateIndex, CreateTable, DefElem, Drop, DropKind, ExprNode, IndexElem,
    IndexMethod, Persistence, RangeVar,
};
use crate::sql::elsewhere;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::{Node, SYSTEM, deparse, type_name};
use crate::storage::{RelationData, Stop};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// What is said of the storage of a table or an index in WITH (…).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RelOptions {
    pub fillfactor: Option<u8>,
    pub toast_tuple_target: Option<u16>,
    pub deduplicate_items: bool,
}

impl RelOptions {
    /// Reads options; `least` is the smallest fillfactor.
    pub fn read(options: &[DefElem]) -> Result<Self, SqlError> {
        let mut read = Self { fillfactor: None, toast_tuple_target: None, deduplicate_items: true };
        for option in options {
            match option.name.as_str() {
                "fillfactor" => read.fillfactor = Some(number(option, 10, 100)? as u8),
                "toast_tuple_target" => read.toast_tuple_target = Some(number(option, 128, 8160)? as u16),
                "deduplicate_items" => read.deduplicate_items = is_true(option),
                // it decides nothing where autovacuum does not run
                name if name.contains("autovacuum_") => {}
                name => return Err(SqlError::new("22023", format!("unrecognized parameter \"{name}\""))),
            }
        }
        Ok(read)
    }
}

/// Are these storage parameters, with values that they can have?
///
/// # Errors
/// As `PostgreSQL` says it.
pub fn check_storage_parameters(options: &[DefElem]) -> Result<(), SqlError> {
    RelOptions::read(options).map(|_| ())
}

fn number(option: &DefElem, least: u32, most: u32) -> Result<u32, SqlError> {
    let text = option.value.as_deref().unwrap_or("true");
    let name = &option.name;
    let invalid = || SqlError::new("22023", format!("invalid value for integer option \"{name}\": {text}"));
    let value: u32 = text.parse().map_err(|_| invalid())?;
    let outside = || {
        let error = SqlError::new("22023", format!("value {text} out of bounds for option \"{name}\""));
        error.with_detail(format!("Valid values are between \"{least}\" and \"{most}\"."))
    };
    Some(value).filter(|value| (least..=most).contains(value)).ok_or_else(outside)
}

fn is_true(option: &DefElem) -> bool {
    !matches!(option.value.as_deref().map(str::to_ascii_lowercase).as_deref(), Some("off" | "false" | "no" | "0"))
}

/// CREATE TABLE.
pub(super) fn create_table(db: &mut Database, create: &CreateTable) -> Result<String, SqlError> {
    let tag = "CREATE TABLE".to_string();
    if create.if_not_exists && db.cluster.catalog.find(&create.name.name).is_some() {
        return Ok(tag);
    }
    let spec = table_spec(create)?;
    let (table, _) = db.cluster.create_table(&spec)?;
    let types = create.columns.iter().map(|column| column.type_name.oid);
    db.cluster.look_up(types.flat_map(|oid| [Lookup::TypeName(oid), Lookup::Type(oid)]).chain([Lookup::SchemaName]));
    for (n, column) in create.columns.iter().enumerate() {
        if let ColumnDefault::Expr(expr) = &column.default {
            db.expressions.defaults.insert((table, n as u16 + 1), expr.clone());
        }
    }
    Ok(tag)
}

fn table_spec(create: &CreateTable) -> Result<TableSpec, SqlError> {
    let options = RelOptions::read(&create.options)?;
    let columns = create.columns.iter().map(|column| ColumnSpec {
        name: column.name.clone(),
        ty: column.type_name,
        not_null: column.not_null,
        default: match &column.default {
            ColumnDefault::Null => DefaultSpec::Null,
            ColumnDefault::Expr(_) => DefaultSpec::Expr,
            ColumnDefault::Serial => DefaultSpec::Serial,
            ColumnDefault::Identity { always } => DefaultSpec::Identity { always: *always },
        },
    });
    let columns: Vec<ColumnSpec> = columns.collect();
    for (n, column) in columns.iter().enumerate() {
        check_name(&column.name)?;
        if columns[..n].iter().any(|other| other.name == column.name) {
            let message = format!("column \"{}\" specified more than once", column.name);
            return Err(SqlError::new("42701", message));
        }
    }
    let constraints = create.constraints.iter().map(|constraint| constraint_spec(constraint, &columns));
    Ok(TableSpec {
        name: create.name.name.clone(),
        unlogged: create.persistence == Persistence::Unlogged,
        constraints: constraints.collect::<Result<_, _>>()?,
        columns,
        fillfactor: options.fillfactor,
        toast_tuple_target: options.toast_tuple_target,
    })
}

/// `CheckAttributeNamesTypes`
pub(super) fn check_name(column: &str) -> Result<(), SqlError> {
    if SYSTEM.iter().any(|(name, _)| *name == column) {
        let message = format!("column name \"{column}\" conflicts with a system column name");
        return Err(SqlError::new("42701", message));
    }
    Ok(())
}

fn constraint_spec(constraint: &Constraint, columns: &[ColumnSpec]) -> Result<ConstraintSpec, SqlError> {
    let number = |name: &String| {
        let missing = || SqlError::new("42703", format!("column \"{name}\" named in key does not exist"));
        columns.iter().position(|column| column.name == *name).ok_or_else(missing)
    };
    let numbers = |names: &[String]| names.iter().map(number).collect::<Result<Vec<usize>, SqlError>>();
    let (name, keys) = (constraint.name.clone(), numbers(&constraint.columns)?);
    let (include, options, primary) = match &constraint.kind {
        ConstraintKind::Primary { include, options } => (include, options, true),
        ConstraintKind::Unique { include, options } => (include, options, false),
        ConstraintKind::Foreign { table, columns } => {
            let (table, referenced) = (table.name.clone(), columns.clone());
            return Ok(ConstraintSpec::Foreign { name, columns: keys, table, referenced });
        }
    };
    let RelOptions { fillfactor, deduplicate_items, .. } = RelOptions::read(options)?;
    Ok(ConstraintSpec::Index {
        name,
        columns: keys,
        include: numbers(include)?,
        primary,
        fillfactor,
        deduplicate_items,
    })
}

/// DROP TABLE, DROP INDEX, DROP SEQUENCE.
pub(super) fn drop(db: &mut Database, drop: &Drop) -> Result<String, SqlError> {
    let (wanted, word) = (drop.kind.relkind(), drop.kind.word());
    let mut found = Vec::new();
    for name in &drop.names {
        match find(db, name, wanted, word) {
            Ok(oid) => found.push(oid),
            Err(_) if drop.if_exists => {}
            Err(error) => return Err(error),
        }
    }
    match drop.kind {
        DropKind::Table => dependency::drop_references(db, &found, drop.cascade)?,
        DropKind::Index => found.iter().try_for_each(|index| dependency::check_drop_index(db, *index))?,
        DropKind::Sequence => dependency::check_drop_sequences(db, &found, drop.cascade)?,
    }
    for oid in found {
        db.cluster.check_serializable_drop(oid)?;
        db.cluster.drop_relation(oid);
    }
    Ok(format!("DROP {}", word.to_uppercase()))
}

/// TRUNCATE.
pub(super) fn truncate(db: &mut Database, tables: &[RangeVar]) -> Result<String, SqlError> {
    let found: Result<Vec<Oid>, SqlError> = tables.iter().map(|name| find_table(db, name)).collect();
    let found = found?;
    dependency::check_truncate(db, &found)?;
    found.iter().try_for_each(|table| db.cluster.truncate(*table))?;
    db.cluster.log_truncate(&found);
    Ok("TRUNCATE TABLE".to_string())
}

/// A table by its name.
pub(super) fn find_table(db: &Database, name: &RangeVar) -> Result<Oid, SqlError> {
    let relation = db.open(name)?;
    match relation.kind {
        RelKind::Table => Ok(relation.oid),
        _ => Err(SqlError::new("42809", format!("\"{}\" is not a table", name.name))),
    }
}

fn find(db: &Database, name: &RangeVar, wanted: RelKind, word: &str) -> Result<Oid, SqlError> {
    let missing = || elsewhere::relation(name, word);
    let oid = db.find(name).ok_or_else(missing)?;
    let is_it = db.cluster.catalog.class(oid).is_some_and(|class| class.kind == wanted);
    let article = match wanted {
        RelKind::Index => "an index",
        RelKind::Sequence => "a sequence",
        _ => "a table",
    };
    is_it.then_some(oid).ok_or_else(|| SqlError::new("42809", format!("\"{}\" is not {article}", name.name)))
}

/// CREATE INDEX.
pub(super) fn create_index(db: &mut Database, create: &CreateIndex) -> Result<String, SqlError> {
    let tag = "CREATE INDEX".to_string();
    let table = db.cluster.pg.relation(find_table(db, &create.table)?)?;
    let name = match &create.name {
        Some(name) if create.if_not_exists && db.cluster.catalog.find(name).is_some() => return Ok(tag),
        Some(name) => name.clone(),
        None => db.cluster.choose_name(&table.name, &column_names(create).join("_"), "idx"),
    };
    db.cluster.check_new_name(&name)?;
    let options = RelOptions::read(&create.options)?;
    let (keys, depends) = index_columns(db, &table, create)?;
    let spec = IndexSpec {
        unique: create.unique,
        brin: create.method == IndexMethod::Brin,
        n_keys: create.keys.len() as u16,
        depends,
        partial: create.predicate.is_some(),
        fillfactor: options.fillfactor,
        deduplicate_items: options.deduplicate_items,
        ..IndexSpec::new(table.oid, &name, keys)
    };
    let index = db.cluster.define_index(&spec);
    for (n, key) in create.keys.iter().enumerate() {
        if spec.columns[n].attnum == 0 {
            db.expressions.keys.insert((index, n as u16), key.expr.clone());
        }
    }
    if let Some(predicate) = &create.predicate {
        db.expressions.predicates.insert(index, predicate.clone());
    }
    match super::index::build(db, index, super::index::BuildOf::Create) {
        Ok(()) => Ok(tag),
        Err(Stop::Error(error)) => Err(error),
        Err(Stop::Wait(_)) => Err(SqlError::new(
            NOT_SIMULATED,
            "CREATE INDEX that waits for a row of another transaction is not simulated",
        )),
    }
}

/// `ChooseIndexColumnNames`: those of INCLUDE too; a name that comes again has a number.
fn column_names(create: &CreateIndex) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in create.keys.iter().map(key_name).chain(create.include.iter().cloned()) {
        let numbered = (1..).map(|n| format!("{name}{n}"));
        let free = core::iter::once(name.clone()).chain(numbered).find(|name| !names.contains(name));
        names.extend(free);
    }
    names
}

/// The name of a key's column in the index, before a number is put behind it.
fn key_name(key: &IndexElem) -> String {
    match &key.expr.node {
        ExprNode::Column { name, .. } | ExprNode::Function { name, .. } => name.clone(),
        _ => "expr".to_string(),
    }
}

/// `ResolveOpClass`: of the types that tables can have here, those that an access method does not take.
fn check_operator_class(ty: Oid, method: IndexMethod) -> Result<(), SqlError> {
    /// json
    const NO_ORDER: &[Oid] = &[114];
    /// boolean, json, jsonb, int[], text[]
    const NO_RANGES: &[Oid] = &[16, 114, 3802, 1007, 1009];
    let (without, name) = match method {
        IndexMethod::Btree => (NO_ORDER, "btree"),
        IndexMethod::Brin => (NO_RANGES, "brin"),
    };
    if !without.contains(&ty) {
        return Ok(());
    }
    let ty = type_name(ty);
    let message = format!("data type {ty} has no default operator class for access method \"{name}\"");
    Err(SqlError::new("42704", message))
}

/// The columns of the index, keys first, and the table's columns that it depends on.
fn index_columns(
    db: &Database,
    table: &RelationData,
    create: &CreateIndex,
) -> Result<(Vec<KeySpec>, Vec<u16>), SqlError> {
    let range = super::catalog::range_of(table);
    let (mut columns, mut slots) = (Vec::new(), Vec::new());
    for key in &create.keys {
        let typed = db.analyzer(&range).decided(&key.expr).map_err(StatementError::error_with_place)?;
        typed.slots(&mut slots);
        check_operator_class(typed.ty.oid, create.method)?;
        columns.push(KeySpec {
            attnum: if let Node::Slot(slot) = typed.node { slot + 1 } else { 0 },
            name: key_name(key),
            text: deparse::index_key(&typed, &range),
            ty: typed.ty,
            desc: key.descending,
            nulls_first: key.nulls_first,
        });
    }
    for name in &create.include {
        let found = range.column(None, name).map_err(StatementError::error_with_place)?;
        let missing = || SqlError::new("42703", format!("column \"{name}\" does not exist"));
        let (slot, ty) = found.ok_or_else(missing)?;
        slots.push(slot);
        let text = None;
        columns.push(KeySpec { attnum: slot + 1, name: name.clone(), text, ty, desc: false, nulls_first: false });
    }
    if let Some(predicate) = &create.predicate {
        db.analyzer(&range).condition(predicate).map_err(StatementError::error_with_place)?.slots(&mut slots);
    }
    Ok((columns, slots.into_iter().map(|slot| slot + 1).collect()))
}
