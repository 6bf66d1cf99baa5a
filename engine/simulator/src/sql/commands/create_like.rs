//! LIKE of CREATE TABLE: columns as those of another table, and what hangs on them (`transformTableLikeClause`,
//! `expandTableLikeClause`, src/backend/parser/parse_utilcmd.c).

use super::alter::find_column;
use super::column_storage;
use crate::cluster::Class;
use crate::cluster::ddl::{CheckConstraint, IndexConstraint, IndexSpec, KeySpec};
use crate::cluster::pg_class as pg_catalog;
use crate::sql::ast::{ColumnDef, ColumnDefault, CreateTable, LikeOption, SequenceOptions, TableLike};
use crate::sql::elsewhere;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::{Typed, deparse};
use crate::sql::tcop::Database;
use crate::storage::{IndexKey, RelationData};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, SqlError, SqlType};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// A table that another one is like.
#[derive(Debug)]
pub(super) struct Model {
    relation: Arc<RelationData>,
    class: Arc<Class>,
    including: Vec<LikeOption>,
    /// have its columns the same numbers in the new table?
    is_same: bool,
}

/// The statement with the columns of the other tables written out.
pub(super) fn expand(db: &mut Database, create: &CreateTable) -> Result<(CreateTable, Vec<Model>), SqlError> {
    let (mut expanded, mut models) = (create.clone(), Vec::new());
    for like in create.likes.iter().rev() {
        let model = Model::new(db, like)?;
        let columns = model.relation.desc.attributes().iter().filter(|column| !column.dropped);
        let columns: Vec<ColumnDef> =
            columns.map(|attribute| model.column(db, attribute)).collect::<Result<_, SqlError>>()?;
        expanded.columns.splice(like.after..like.after, columns);
        models.insert(0, model);
    }
    Ok((expanded, models))
}

impl Model {
    fn new(db: &Database, like: &TableLike) -> Result<Self, SqlError> {
        let missing = || elsewhere::relation(&like.name, "relation");
        let oid = db.find(&like.name).ok_or_else(missing)?;
        let class = db.cluster.catalog.class(oid).cloned().ok_or_else(missing)?;
        let relation = db.cluster.pg.relation(oid)?;
        let has_columns =
            matches!(relation.kind, RelKind::Table | RelKind::PartitionedTable | RelKind::MaterializedView);
        if !has_columns {
            let why = "like a relation that is no table is not supported";
            return Err(SqlError::new(NOT_SIMULATED, why));
        }
        let is_same = like.after == 0 && !relation.desc.has_dropped();
        Ok(Self { relation, class, including: like.including.clone(), is_same })
    }

    fn has(&self, option: LikeOption) -> bool {
        self.including.contains(&option)
    }

    fn column(&self, db: &Database, attribute: &Attribute) -> Result<ColumnDef, SqlError> {
        let ty = attribute.ty();
        let is_pglz = self.has(LikeOption::Compression) && self.class.compressed.contains(&attribute.num);
        let storage = column_storage::word(attribute.storage);
        let default = self.class.defaults.get(usize::from(attribute.num - 1)).copied().unwrap_or_default();
        let default = match default {
            pg_catalog::ColumnDefault::Identity { sequence, always } if self.has(LikeOption::Identity) => {
                let form = db.cluster.catalog.class(sequence).and_then(|class| class.sequence);
                form.map(|form| ColumnDefault::Identity { always, options: options_of(form) })
            }
            _ => None,
        };
        Ok(ColumnDef {
            name: attribute.name.clone(),
            type_name: ty,
            domain: self.class.domains.get(&attribute.num).copied(),
            storage: storage.filter(|_| self.has(LikeOption::Storage)),
            compression: is_pglz.then(|| String::from("pglz")),
            not_null: attribute.not_null,
            not_null_names: self.not_null_name(attribute.num),
            default: default.unwrap_or(ColumnDefault::Null),
        })
    }

    /// A copy of NOT NULL has its name.
    fn not_null_name(&self, column: u16) -> Vec<String> {
        let names = self.class.constraints.iter().filter_map(|constraint| match constraint {
            pg_catalog::Constraint::NotNull { name, .. } if constraint.is_not_null_of(column) => Some(name.clone()),
            _ => None,
        });
        names.collect()
    }

    /// Have its columns the names still that they had when an expression was written?
    fn knows(&self, columns: &[String]) -> bool {
        self.is_same && columns.iter().zip(self.relation.desc.attributes()).all(|(name, column)| *name == column.name)
    }
}

fn renamed() -> SqlError {
    SqlError::new(NOT_SIMULATED, "LIKE of expressions over columns that have other names or places is not supported")
}

fn options_of(form: pg_catalog::SequenceForm) -> SequenceOptions {
    SequenceOptions {
        type_name: Some(SqlType::plain(form.typid)),
        start: Some(form.start),
        increment: Some(form.increment),
        min: Some(Some(form.min)),
        max: Some(Some(form.max)),
        cache: Some(form.cache),
        cycle: Some(form.cycle),
        ..SequenceOptions::default()
    }
}

/// INCLUDING DEFAULTS and GENERATED.
pub(super) fn add_defaults(db: &mut Database, table: Oid, model: &Model) -> Result<(), SqlError> {
    let all = model.relation.desc.attributes();
    let defaults = all.iter().zip(&model.class.defaults);
    for (attribute, default) in defaults.filter(|(column, _)| !column.dropped) {
        let new = match *default {
            pg_catalog::ColumnDefault::Expr(_) if model.has(LikeOption::Defaults) => *default,
            pg_catalog::ColumnDefault::Sequence(sequence) if model.has(LikeOption::Defaults) => {
                let Some(nextval) = db.nextval_of(sequence) else { continue };
                pg_catalog::ColumnDefault::Expr(db.expressions.keep(&nextval, None))
            }
            pg_catalog::ColumnDefault::Generated(id) | pg_catalog::ColumnDefault::Virtual(id)
                if model.has(LikeOption::Generated) =>
            {
                let is_known = db.expressions.get(id).is_some_and(|stored| model.knows(&stored.columns));
                if !is_known {
                    return Err(renamed());
                }
                *default
            }
            _ => continue,
        };
        let column = find_column(db, table, &attribute.name)?;
        db.cluster.set_default(table, column, new);
    }
    Ok(())
}

/// INCLUDING CONSTRAINTS: CHECKs, with their names.
pub(super) fn add_checks(db: &mut Database, table: Oid, model: &Model) -> Result<(), SqlError> {
    if !model.has(LikeOption::Constraints) {
        return Ok(());
    }
    let mut checks = Vec::new();
    for constraint in &model.class.constraints {
        let pg_catalog::Constraint::Check { name, columns, expr, enforced, no_inherit, .. } = constraint else {
            continue;
        };
        let is_known = db.expressions.get(*expr).is_some_and(|stored| model.knows(&stored.columns));
        if !is_known {
            return Err(renamed());
        }
        checks.push(CheckConstraint {
            name: Some(name.clone()),
            columns: columns.clone(),
            expr: *expr,
            validated: *enforced,
            enforced: *enforced,
            no_inherit: *no_inherit,
        });
    }
    checks.sort_by(|one, other| one.name.cmp(&other.name));
    checks.chunks(1).try_for_each(|check| db.cluster.add_checks(table, check))
}

/// INCLUDING INDEXES: with names that are made for the new table (`generateClonedIndexStmt`).
pub(super) fn add_indexes(db: &mut Database, table: Oid, model: &Model) -> Result<(), SqlError> {
    if !model.has(LikeOption::Indexes) {
        return Ok(());
    }
    let indexes: Vec<Oid> = db.cluster.indexes_of(model.relation.oid).map(|class| class.oid).collect();
    for index in indexes {
        let data = db.cluster.pg.relation(index)?;
        if !model.is_same {
            return Err(renamed());
        }
        let is_constraint = model.class.constraints.contains(&pg_catalog::Constraint::Index(index));
        let made = clone_index(db, table, &data, is_constraint)?;
        if db.cluster.catalog.partition_key(table).is_none() {
            db.cluster.build_empty(made);
        }
    }
    Ok(())
}

/// An index like another one, of a table with the same columns; with a constraint, where the other one has one. It has
/// no entries yet.
pub(super) fn clone_index(
    db: &mut Database,
    table: Oid,
    like: &RelationData,
    is_constraint: bool,
) -> Result<Oid, SqlError> {
    let Some(form) = &like.index else { return Err(SqlError::new("XX000", "an index is missing")) };
    if is_constraint && form.gist.as_ref().is_some_and(|gist| !gist.without_overlaps) {
        return Err(SqlError::new(NOT_SIMULATED, "LIKE of a table with EXCLUDE is not supported"));
    }
    let n_keys = usize::from(form.n_keys);
    let attnums: Vec<u16> = form.columns.iter().map(|key| key.attnum).collect();
    let made = if is_constraint {
        let constraint = IndexConstraint {
            name: None,
            columns: attnums[..n_keys].to_vec(),
            include: attnums[n_keys..].to_vec(),
            primary: form.primary,
            deferrable: form.deferrable,
            nulls_not_distinct: form.nulls_not_distinct,
            fillfactor: like.fillfactor,
            deduplicate_items: form.deduplicate_items,
            reuses: None,
            gist: form.gist.clone(),
        };
        db.cluster.add_index_constraint(table, &constraint)?
    } else {
        let new = db.cluster.pg.relation(table)?;
        let spec = index_spec(db, &new, like)?;
        db.cluster.define_index(&spec)
    };
    copy_expressions(db, like.oid, made, form.columns.len());
    Ok(made)
}

/// An index like another one, of a table with the same columns.
pub(super) fn index_spec(db: &Database, new: &RelationData, data: &RelationData) -> Result<IndexSpec, SqlError> {
    let missing = || SqlError::new("XX000", "an index is missing");
    let (class, form) =
        (db.cluster.catalog.class(data.oid).ok_or_else(missing)?, data.index.as_ref().ok_or_else(missing)?);
    let range = crate::sql::catalog::plancat::range_of(new);
    let typed = db.index_expressions(new, data);
    let column = |((key, attribute), typed): ((&IndexKey, &Attribute), &Typed)| {
        KeySpec::like(*key, &attribute.name, typed.ty, deparse::index_key(typed, &range))
    };
    let columns: Vec<KeySpec> = form.columns.iter().zip(data.desc.attributes()).zip(&typed).map(column).collect();
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let name = db.cluster.choose_name(db.cluster.schema_of(new.oid), &new.name, &names.join("_"), "idx");
    Ok(IndexSpec {
        reuses: None,
        unique: form.unique,
        nulls_not_distinct: form.nulls_not_distinct,
        brin: class.is_brin,
        gist: form.gist.clone(),
        n_keys: form.n_keys,
        depends: class.depends.clone(),
        partial: form.partial,
        fillfactor: data.fillfactor,
        deduplicate_items: form.deduplicate_items,
        ..IndexSpec::new(new.oid, &name, columns)
    })
}

/// The expressions of an index are those of another one, and its storage parameters.
pub(super) fn copy_expressions(db: &mut Database, from: Oid, to: Oid, columns: usize) {
    let options = db.cluster.catalog.class(from).map(|class| class.options.clone()).unwrap_or_default();
    if !options.is_empty() {
        db.cluster.edit_class(to, |class| class.options = options);
    }
    for n in 0..columns as u16 {
        if let Some(id) = db.expressions.keys.get(&(from, n)).copied() {
            db.expressions.keys.insert((to, n), id);
        }
    }
    if let Some(id) = db.expressions.predicates.get(&from).copied() {
        db.expressions.predicates.insert(to, id);
    }
}
