//! CREATE INDEX (`DefineIndex`, `ComputeIndexAttrs`, src/backend/commands/indexcmds.c).

use super::ddl::{OptionsOf, RelOptions, kept_options};
use super::{concurrent, gist, partition};
use crate::cluster::ddl::{IndexSpec, KeySpec};
use crate::cluster::pg_class::ColumnDefault;
use crate::sql::StatementError;
use crate::sql::ast::{CreateIndex, ExprNode, IndexElem, IndexMethod};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::{Node, SYSTEM, Typed, deparse, type_name};
use crate::sql::tcop::Database;
use crate::storage::{RelationData, Stop};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::datum::compare::comparator;
use ffviz_format::datum::enums::is_enum;
use ffviz_format::datum::is_row;
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::page::Oid;

/// CREATE INDEX.
pub(in crate::sql) fn create_index(db: &mut Database, create: &CreateIndex) -> Result<String, SqlError> {
    if create.method == IndexMethod::Gist {
        gist::check(db, create)?;
    }
    if create.method == IndexMethod::Brin {
        check_brin(db, create)?;
    }
    if create.concurrently {
        return concurrent::create_index(db, create);
    }
    let table = partition::find_any_table(db, &create.table)?;
    if db.cluster.catalog.partition_key(table).is_some() {
        partition::create_on_partitions(db, table, create)?;
    } else if let Some(index) = define(db, create)? {
        build_new(db, index)?;
    }
    Ok("CREATE INDEX".to_string())
}

/// What no BRIN index has.
fn check_brin(db: &Database, create: &CreateIndex) -> Result<(), SqlError> {
    partition::find_any_table(db, &create.table)?;
    let has = |is_it: fn(&IndexElem) -> bool| create.keys.iter().any(is_it);
    let what = match create {
        CreateIndex { unique: true, .. } => "unique indexes",
        CreateIndex { include, .. } if !include.is_empty() => "included columns",
        _ if has(|key| key.descending) => "ASC/DESC options",
        _ if has(|key| key.nulls_first) => "NULLS FIRST/LAST options",
        _ => return Ok(()),
    };
    Err(SqlError::new("0A000", format!("access method \"brin\" does not support {what}")))
}

/// The index is there, without entries; `None`: there was one of that name.
pub(super) fn define(db: &mut Database, create: &CreateIndex) -> Result<Option<Oid>, SqlError> {
    let table = db.cluster.pg.relation(partition::find_any_table(db, &create.table)?)?;
    let schema = db.cluster.schema_of(table.oid);
    let name = match &create.name {
        Some(name) if create.if_not_exists && db.cluster.catalog.find(schema, name).is_some() => return Ok(None),
        Some(name) => name.clone(),
        None => db.cluster.choose_name(schema, &table.name, &column_names(create).join("_"), "idx"),
    };
    // `INDEX_MAX_KEYS`
    const MOST_COLUMNS: usize = 32;
    if create.keys.len() + create.include.len() > MOST_COLUMNS {
        return Err(SqlError::new("54011", format!("cannot use more than {MOST_COLUMNS} columns in an index")));
    }
    let kind = match create.method {
        IndexMethod::Btree => OptionsOf::Btree,
        IndexMethod::Brin => OptionsOf::Brin,
        IndexMethod::Gist => OptionsOf::Gist,
    };
    let options = RelOptions::of(kind, &create.options)?;
    let (keys, depends) = index_columns(db, &table, create)?;
    db.cluster.check_new_name(db.cluster.schema_of(table.oid), &name)?;
    let spec = IndexSpec {
        unique: create.unique,
        nulls_not_distinct: create.nulls_not_distinct,
        brin: create.method == IndexMethod::Brin,
        gist: gist::form_of(db, create.method, &keys)?,
        n_keys: create.keys.len() as u16,
        depends,
        partial: create.predicate.is_some(),
        fillfactor: options.fillfactor,
        deduplicate_items: options.deduplicate_items,
        ..IndexSpec::new(table.oid, &name, keys)
    };
    let index = db.cluster.define_index(&spec);
    kept_options(db, index, &create.options, &[]);
    for (n, key) in create.keys.iter().enumerate() {
        if spec.columns[n].attnum == 0 {
            let id = db.expressions.keep(&key.expr, Some(&table));
            db.expressions.keys.insert((index, n as u16), id);
        }
    }
    if let Some(predicate) = &create.predicate {
        let id = db.expressions.keep(predicate, Some(&table));
        db.expressions.predicates.insert(index, id);
    }
    Ok(Some(index))
}

/// The entries of an index that is new.
pub(super) fn build_new(db: &mut Database, index: Oid) -> Result<(), SqlError> {
    match crate::sql::executor::index::build(db, index, crate::sql::executor::index::BuildOf::Create) {
        Ok(()) => Ok(()),
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
    let mut expr = &key.expr;
    // a cast is called as what is cast
    while let ExprNode::Cast(inner, _) = &expr.node {
        expr = inner;
    }
    match &expr.node {
        ExprNode::Column { name, .. } | ExprNode::Function { name, .. } => name.clone(),
        ExprNode::Field(_, name) => name.clone(),
        _ => "expr".to_string(),
    }
}

/// `CheckMutability`
fn check_immutable(expr: &Typed, part: &str) -> Result<(), SqlError> {
    if expr.is_mutable() {
        let message = format!("functions in index {part} must be marked IMMUTABLE");
        return Err(SqlError::new("42P17", message));
    }
    Ok(())
}

/// `ResolveOpClass`: of the types that tables can have here, those that an access method does not take.
fn check_operator_class(ty: Oid, method: IndexMethod) -> Result<(), SqlError> {
    /// json
    const NO_ORDER: &[Oid] = &[114];
    /// boolean, json, jsonb, int[], text[]; no enum either
    const NO_RANGES: &[Oid] = &[16, 114, 3802, 1007, 1009];
    /// inet, cidr: `inet_inclusion_ops`
    const INCLUSION: &[Oid] = &[869, 650];
    if is_row(ty) {
        return Err(SqlError::new(NOT_SIMULATED, "an index of rows as values is not supported"));
    }
    let (without, name) = match method {
        IndexMethod::Btree => (NO_ORDER, "btree"),
        IndexMethod::Brin => (NO_RANGES, "brin"),
        // asked for where its key's form is
        IndexMethod::Gist => return Ok(()),
    };
    if !(without.contains(&ty) || method == IndexMethod::Brin && is_enum(ty)) {
        if method == IndexMethod::Brin
            && (Kind::of(ty) == Kind::Range || INCLUSION.contains(&ty) || comparator(ty).is_none())
        {
            let message = format!("a BRIN index of type {} is not supported", type_name(ty));
            return Err(SqlError::new(NOT_SIMULATED, message));
        }
        return Ok(());
    }
    let ty = type_name(ty);
    let message = format!("data type {ty} has no default operator class for access method \"{name}\"");
    Err(SqlError::new("42704", message))
}

/// The types of an operator class of BRIN; none: it is not known.
fn of_minmax(name: &str) -> &'static [Oid] {
    match name {
        "int2_minmax_ops" => &[21],
        "int4_minmax_ops" => &[23],
        "int8_minmax_ops" => &[20],
        "text_minmax_ops" => &[25, 1043],
        "bpchar_minmax_ops" => &[1042],
        "numeric_minmax_ops" => &[1700],
        "float8_minmax_ops" => &[701],
        "date_minmax_ops" => &[1082],
        "timestamp_minmax_ops" => &[1114],
        "timestamptz_minmax_ops" => &[1184],
        "uuid_minmax_ops" => &[2950],
        _ => &[],
    }
}

/// `ResolveOpClass`, of one that is named: is it one that compares bytes, whatever the collation is?
fn is_pattern(opclass: Option<&str>, ty: Oid, method: IndexMethod) -> Result<bool, SqlError> {
    const TEXT: Oid = 25;
    const BPCHAR: Oid = 1042;
    const VARCHAR: Oid = 1043;
    let Some(name) = opclass else { return Ok(false) };
    let (of, pattern): (&[Oid], bool) = match name {
        _ if method != IndexMethod::Btree => (of_minmax(name), false),
        "text_pattern_ops" | "varchar_pattern_ops" => (&[TEXT, VARCHAR], true),
        "text_ops" | "varchar_ops" => (&[TEXT, VARCHAR], false),
        "bpchar_pattern_ops" => (&[BPCHAR], true),
        "bpchar_ops" => (&[BPCHAR], false),
        "int2_ops" => (&[21], false),
        "int4_ops" => (&[23], false),
        "int8_ops" => (&[20], false),
        "numeric_ops" => (&[1700], false),
        "uuid_ops" => (&[2950], false),
        "date_ops" => (&[1082], false),
        "timestamp_ops" => (&[1114], false),
        "timestamptz_ops" => (&[1184], false),
        _ => (&[], false),
    };
    if of.is_empty() {
        return Err(SqlError::new(NOT_SIMULATED, format!("the operator class {name} is not supported")));
    }
    if !of.contains(&ty) {
        let message = format!("operator class \"{name}\" does not accept data type {}", type_name(ty));
        return Err(SqlError::new("42804", message));
    }
    Ok(pattern)
}

/// `DefineIndex`, and foreign keys: columns, by `attnum`, that no tuple has.
pub(super) fn check_virtual(db: &Database, table: &RelationData, columns: &[u16], what: &str) -> Result<(), SqlError> {
    let defaults = db.cluster.catalog.class(table.oid).map_or(&[][..], |class| &class.defaults);
    let is_virtual =
        |attnum: &u16| matches!(defaults.get(usize::from(*attnum).wrapping_sub(1)), Some(ColumnDefault::Virtual(_)));
    if columns.iter().any(is_virtual) {
        return Err(SqlError::new("0A000", format!("{what} on virtual generated columns are not supported")));
    }
    Ok(())
}

/// The columns of the index, keys first, and the table's columns that it depends on.
pub(super) fn index_columns(
    db: &Database,
    table: &RelationData,
    create: &CreateIndex,
) -> Result<(Vec<KeySpec>, Vec<u16>), SqlError> {
    let range = crate::sql::catalog::plancat::range_of(table);
    let (mut columns, mut slots) = (Vec::new(), Vec::new());
    for key in &create.keys {
        if let ExprNode::Column { table: None, name } = &key.expr.node
            && SYSTEM.iter().any(|(known, _)| known == name)
        {
            return Err(SqlError::new("0A000", "index creation on system columns is not supported"));
        }
        let missing = |error: StatementError| match &key.expr.node {
            ExprNode::Column { name, .. } if error.error.sqlstate == "42703" => no_column(name),
            _ => error.error_with_place(),
        };
        let typed = db.analyzer(&range).decided(&key.expr).map_err(missing)?;
        typed.slots(&mut slots);
        check_operator_class(typed.ty.oid, create.method)?;
        if create.method != IndexMethod::Gist {
            db.check_order(typed.ty.oid)?;
        }
        check_immutable(&typed, "expression")?;
        columns.push(KeySpec {
            attnum: if let Node::Slot(slot) = typed.node { slot + 1 } else { 0 },
            name: key_name(key),
            text: deparse::index_key(&typed, &range),
            ty: typed.ty,
            desc: key.descending,
            nulls_first: key.nulls_first,
            pattern: is_pattern(key.opclass.as_deref(), typed.ty.oid, create.method)?,
        });
    }
    for name in &create.include {
        let found = range.column(None, name).map_err(StatementError::error_with_place)?;
        let (slot, ty) = found.ok_or_else(|| no_column(name))?;
        slots.push(slot);
        let text = None;
        let (attnum, name) = (slot + 1, name.clone());
        columns.push(KeySpec { attnum, name, text, ty, desc: false, nulls_first: false, pattern: false });
    }
    if let Some(predicate) = &create.predicate {
        let condition = db.analyzer(&range).condition(predicate).map_err(StatementError::error_with_place)?;
        check_immutable(&condition, "predicate")?;
        condition.slots(&mut slots);
    }
    let depends: Vec<u16> = slots.into_iter().map(|slot| slot + 1).collect();
    check_virtual(db, table, &depends, "indexes")?;
    Ok((columns, depends))
}

/// A key is looked for in the catalog, not in the statement: nothing is pointed to (`ComputeIndexAttrs`).
fn no_column(name: &str) -> SqlError {
    SqlError::new("42703", format!("column \"{name}\" does not exist"))
}
