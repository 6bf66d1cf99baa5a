//! GiST indexes: CREATE INDEX, EXCLUDE, keys WITHOUT OVERLAPS (`DefineIndex`, `ComputeIndexAttrs`,
//! src/backend/commands/indexcmds.c).

use super::create_index::index_columns;
use super::ddl::{OptionsOf, RelOptions, kept_options};
use crate::access::gist::{DefaultClass, GistClass, GistOp};
use crate::cluster::ddl::{IndexSpec, KeySpec};
use crate::sql::ast::{Constraint, CreateIndex, DefElem, Exclusion, IndexMethod, RangeVar};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::type_name;
use crate::sql::tcop::Database;
use crate::storage::{Deferrable, GistForm, Persistence, RelationData, TableAm};
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

fn refused(what: &str) -> SqlError {
    SqlError::new(NOT_SIMULATED, format!("{what} is not supported"))
}

/// What CREATE INDEX may ask of a GiST index.
///
/// # Errors
/// What no such index has; what is refused.
pub(super) fn check(db: &Database, create: &CreateIndex) -> Result<(), SqlError> {
    if create.unique {
        return Err(SqlError::new("0A000", "access method \"gist\" does not support unique indexes"));
    }
    if create.concurrently {
        return Err(refused("CREATE INDEX CONCURRENTLY of a GiST index"));
    }
    if create.keys.iter().any(|key| key.descending || key.nulls_first) {
        return Err(SqlError::new("0A000", "access method \"gist\" does not support ASC/DESC options"));
    }
    if let Ok(table) = super::partition::find_any_table(db, &create.table) {
        check_table(&*db.cluster.pg.relation(table)?, db)?;
    }
    check_parts(&create.include, &create.options)
}

/// May a table have such indexes here?
fn check_table(table: &RelationData, db: &Database) -> Result<(), SqlError> {
    if table.kind == RelKind::PartitionedTable || db.cluster.catalog.partition_key(table.oid).is_some() {
        return Err(refused("a GiST index of a partitioned table"));
    }
    if table.am == TableAm::Undo {
        return Err(refused("a GiST index of a table of the undo engine"));
    }
    match db.cluster.pg.buffers.persistence(table.file) {
        Persistence::Permanent => Ok(()),
        _ => Err(refused("a GiST index of a table that is temporary or UNLOGGED")),
    }
}

fn check_parts(include: &[alloc::string::String], options: &[DefElem]) -> Result<(), SqlError> {
    if !include.is_empty() {
        return Err(refused("INCLUDE of a GiST index"));
    }
    match options.iter().find(|option| option.name != "fillfactor") {
        Some(option) => Err(refused(&format!("the storage parameter {} of a GiST index", option.name))),
        None => Ok(()),
    }
}

/// The operator class of a key.
fn class_of(db: &Database, ty: Oid) -> Result<GistClass, SqlError> {
    match GistClass::of(ty, db.extensions.contains("btree_gist")) {
        DefaultClass::Known(class) => Ok(class),
        DefaultClass::None => {
            let ty = type_name(ty);
            let message = format!("data type {ty} has no default operator class for access method \"gist\"");
            Err(SqlError::new("42704", message))
        }
        DefaultClass::Unknown => Err(refused(&format!("a GiST index of type {}", type_name(ty)))),
    }
}

/// What an index by that method has besides, without a constraint.
///
/// # Errors
/// A type that it does not take.
pub(super) fn form_of(db: &Database, method: IndexMethod, keys: &[KeySpec]) -> Result<Option<GistForm>, SqlError> {
    if method != IndexMethod::Gist {
        return Ok(None);
    }
    let types: Vec<Oid> = keys.iter().map(|key| key.ty.oid).collect();
    let classes = types.iter().map(|ty| class_of(db, *ty)).collect::<Result<_, _>>()?;
    Ok(Some(GistForm { classes, types, operators: Vec::new(), without_overlaps: false }))
}

/// EXCLUDE, with an index that is empty. Gives the index.
///
/// # Errors
/// An operator that is not the operator class' or is not its own commutator; what is refused.
pub(super) fn add_exclusion(
    db: &mut Database,
    table: Oid,
    constraint: &Constraint,
    exclusion: &Exclusion,
) -> Result<Oid, SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    if constraint.deferrable != Deferrable::No {
        return Err(refused("an EXCLUDE that is deferrable"));
    }
    check_table(&relation, db)?;
    check_parts(&exclusion.include, &exclusion.options)?;
    let create = CreateIndex {
        name: None,
        table: RangeVar::new(None, relation.name.clone()),
        unique: false,
        concurrently: false,
        if_not_exists: false,
        method: IndexMethod::Gist,
        keys: exclusion.elements.iter().map(|(element, _)| element.clone()).collect(),
        include: Vec::new(),
        nulls_not_distinct: false,
        options: exclusion.options.clone(),
        predicate: exclusion.predicate.clone(),
    };
    let (keys, depends) = index_columns(db, &relation, &create)?;
    let mut form = form_of(db, create.method, &keys)?;
    if let Some(form) = &mut form {
        let names = exclusion.elements.iter().map(|(_, name)| name.as_str());
        let each = form.classes.iter().zip(&form.types).zip(names);
        form.operators =
            each.map(|((class, ty), name)| exclusion_operator(*class, *ty, name)).collect::<Result<_, _>>()?;
    }
    let options = RelOptions::of(OptionsOf::Gist, &create.options)?;
    let spec = IndexSpec {
        gist: form,
        n_keys: keys.len() as u16,
        depends,
        partial: create.predicate.is_some(),
        fillfactor: options.fillfactor,
        ..IndexSpec::new(table, "", keys)
    };
    let computed: Vec<bool> = spec.columns.iter().map(|column| column.attnum == 0).collect();
    let index = db.cluster.add_exclusion(table, constraint.name.as_deref(), spec)?;
    kept_options(db, index, &create.options, &[]);
    for (n, (key, _)) in exclusion.elements.iter().enumerate().filter(|(n, _)| computed[*n]) {
        let id = db.expressions.keep(&key.expr, Some(&relation));
        db.expressions.keys.insert((index, n as u16), id);
    }
    if let Some(predicate) = &create.predicate {
        let id = db.expressions.keep(predicate, Some(&relation));
        db.expressions.predicates.insert(index, id);
    }
    Ok(index)
}

/// The operator of a key of EXCLUDE.
fn exclusion_operator(class: GistClass, ty: Oid, name: &str) -> Result<GistOp, SqlError> {
    let of = type_name(ty);
    let Some(op) = class.operator(name, ty, ty) else {
        return Err(refused(&format!("EXCLUDE of {of} with operator {name}")));
    };
    if matches!(op, GistOp::Equal | GistOp::NotEqual | GistOp::Overlaps | GistOp::Adjacent) {
        return Ok(op);
    }
    let of = if class == GistClass::Range { "anyrange".into() } else { of };
    let error = SqlError::new("42809", format!("operator {name}({of},{of}) is not commutative"));
    Err(error.with_detail("Only commutative operators can be used in exclusion constraints."))
}

/// The form of the index of a key WITHOUT OVERLAPS, of columns of these types, the last of which is the range.
///
/// # Errors
/// A type that it does not take.
pub(super) fn without_overlaps(db: &Database, relation: &RelationData, columns: &[u16]) -> Result<GistForm, SqlError> {
    check_table(relation, db)?;
    let types: Vec<Oid> =
        columns.iter().filter_map(|n| relation.desc.attributes().get(usize::from(*n) - 1)).map(|it| it.typid).collect();
    let classes: Vec<GistClass> = types.iter().map(|ty| class_of(db, *ty)).collect::<Result<_, _>>()?;
    let operator = |n: usize| if n + 1 == columns.len() { GistOp::Overlaps } else { GistOp::Equal };
    Ok(GistForm { operators: (0..classes.len()).map(operator).collect(), classes, types, without_overlaps: true })
}
