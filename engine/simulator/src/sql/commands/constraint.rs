//! Constraints that a statement makes: their columns and expressions are looked up (`transformIndexConstraint`,
//! src/backend/parser/parse_utilcmd.c; `ATAddForeignKeyConstraint`, src/backend/commands/tablecmds.c; `cookConstraint`,
//! src/backend/catalog/heap.c), and what they ask of rows (`ExecConstraints`, src/backend/executor/execMain.c).

use super::create_index::check_virtual;
use super::ddl::{OptionsOf, RelOptions, find_table, kept_options};
use super::gist;
use crate::cluster::ddl::{CheckConstraint, ForeignKey, IndexConstraint};
use crate::cluster::partition::PartitionBound;
use crate::cluster::pg_class as pg_catalog;
use crate::cluster::pg_class::ForeignAction;
use crate::sql::StatementError;
use crate::sql::ast::{Constraint, ConstraintKind, Expr, OnCommit};
use crate::sql::catalog::{Catalog, plancat};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::row::{check_not_null, eval, failing_row};
use crate::sql::expr::{Typed, has_key_equality, type_name};
use crate::sql::partition::PartitionDesc;
use crate::sql::permission;
use crate::sql::tcop::Database;
use crate::storage::{Deferrable, Outcome, Persistence, RelationData};
use crate::version::Behaviour;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::range::range_subtype;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::Oid;

/// The columns of that name, by `attnum`.
fn numbers(relation: &RelationData, names: &[String], missing: impl Fn(&str) -> String) -> Result<Vec<u16>, SqlError> {
    let number = |name: &String| {
        let found = relation.desc.attributes().iter().find(|column| !column.dropped && column.name == *name);
        found.map(|column| column.num).ok_or_else(|| SqlError::new("42703", missing(name)))
    };
    names.iter().map(number).collect()
}

/// PRIMARY KEY or UNIQUE, with an index that is empty. Gives the index.
pub(super) fn add_index(db: &mut Database, table: Oid, constraint: &Constraint) -> Result<Oid, SqlError> {
    if let ConstraintKind::Exclude(exclusion) = &constraint.kind {
        return gist::add_exclusion(db, table, constraint, exclusion);
    }
    let ConstraintKind::Index(index) = &constraint.kind else {
        return Err(SqlError::new("XX000", "not a constraint with an index"));
    };
    let relation = db.cluster.pg.relation(table)?;
    let numbers =
        |names: &[String]| numbers(&relation, names, |name| format!("column \"{name}\" named in key does not exist"));
    let (columns, include) = (numbers(&constraint.columns)?, numbers(&index.include)?);
    for (n, attnum) in columns.iter().enumerate() {
        if columns[..n].contains(attnum) {
            let kind = if index.primary { "primary key" } else { "unique" };
            let message = format!("column \"{}\" appears twice in {kind} constraint", constraint.columns[n]);
            return Err(SqlError::new("42701", message));
        }
        let column = relation.desc.attributes().get(usize::from(*attnum) - 1);
        if column.is_some_and(|column| !column.fields.is_empty()) {
            return Err(SqlError::new(NOT_SIMULATED, "an index of rows as values is not supported"));
        }
        column.map_or(Ok(()), |column| db.check_order(column.typid))?;
    }
    let what = if index.primary { "primary keys" } else { "unique constraints" };
    check_virtual(db, &relation, &columns, what)?;
    check_virtual(db, &relation, &include, what)?;
    let gist = match index.without_overlaps {
        true => Some(gist::without_overlaps(db, &relation, &columns)?),
        false => None,
    };
    let RelOptions { fillfactor, deduplicate_items, .. } = RelOptions::of(OptionsOf::Btree, &index.options)?;
    let made = db.cluster.add_index_constraint(
        table,
        &IndexConstraint {
            name: constraint.name.clone(),
            columns,
            include,
            primary: index.primary,
            deferrable: constraint.deferrable,
            nulls_not_distinct: index.nulls_not_distinct,
            gist,
            fillfactor,
            deduplicate_items,
            reuses: None,
        },
    )?;
    kept_options(db, made, &index.options, &[]);
    Ok(made)
}

/// `transformIndexConstraint`, of a key WITHOUT OVERLAPS, and `processCASbits`, of NOT NULL: what is known before
/// anything is made.
///
/// # Errors
/// Too few columns; the last one has no range; NOT NULL that is deferrable.
pub(super) fn check_overlaps(constraint: &Constraint, type_of: impl Fn(&str) -> Option<Oid>) -> Result<(), SqlError> {
    match &constraint.kind {
        ConstraintKind::NotNull if constraint.deferrable != Deferrable::No => {
            return Err(SqlError::new("0A000", "NOT NULL constraints cannot be marked DEFERRABLE"));
        }
        ConstraintKind::Index(index) if index.without_overlaps => {}
        _ => return Ok(()),
    }
    let Some(last) = constraint.columns.last() else { return Ok(()) };
    if type_of(last).is_some_and(|ty| range_subtype(ty).is_none()) {
        let message = format!("column \"{last}\" in WITHOUT OVERLAPS is not a range or multirange type");
        return Err(SqlError::new("42804", message));
    }
    if constraint.columns.len() < 2 {
        return Err(SqlError::new("42601", "constraint using WITHOUT OVERLAPS needs at least two columns"));
    }
    if constraint.deferrable != Deferrable::No {
        return Err(SqlError::new(NOT_SIMULATED, "a key WITHOUT OVERLAPS that is deferrable is not supported"));
    }
    Ok(())
}

/// CHECK: its expression is analyzed, and kept.
pub(super) fn check(
    db: &mut Database,
    table: Oid,
    constraint: &Constraint,
    expr: &Expr,
) -> Result<CheckConstraint, SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let range = plancat::range_of(&relation);
    let mut analyzer = db.analyzer(&range);
    analyzer.clause = "CHECK";
    let typed = analyzer.condition(expr).map_err(StatementError::error_with_place)?;
    let mut slots = Vec::new();
    typed.slots(&mut slots);
    slots.sort_unstable();
    slots.dedup();
    let columns: Vec<u16> = slots.into_iter().map(|slot| slot + 1).collect();
    if check_virtual(db, &relation, &columns, "CHECKs").is_err() {
        return Err(SqlError::new(NOT_SIMULATED, "a CHECK of a virtual generated column is not supported"));
    }
    let expr = db.expressions.keep(expr, Some(&relation));
    let enforced = constraint.enforced != Some(false);
    let validated = !constraint.not_valid && enforced;
    let no_inherit = constraint.no_inherit;
    Ok(CheckConstraint { name: constraint.name.clone(), columns, expr, validated, enforced, no_inherit })
}

/// `ATAddForeignKeyConstraint`: may a table of that persistence refer to the other?
fn check_persistence(db: &Database, relation: &RelationData, target: &RelationData) -> Result<(), SqlError> {
    let buffers = &db.cluster.pg.buffers;
    let message = match (buffers.persistence(relation.file), buffers.persistence(target.file)) {
        (Persistence::Permanent, Persistence::Unlogged | Persistence::Temporary) => {
            "constraints on permanent tables may reference only permanent tables"
        }
        (Persistence::Unlogged, Persistence::Temporary) => {
            "constraints on unlogged tables may reference only permanent or unlogged tables"
        }
        (Persistence::Temporary, Persistence::Permanent | Persistence::Unlogged) => {
            "constraints on temporary tables may reference only temporary tables"
        }
        _ => {
            let class = db.cluster.catalog.class(target.oid);
            if class.is_some_and(|class| class.on_commit != OnCommit::Preserve) {
                let message = "a foreign key to a table with ON COMMIT DELETE ROWS or DROP is not supported";
                return Err(SqlError::new(NOT_SIMULATED, message));
            }
            return Ok(());
        }
    };
    Err(SqlError::new("42P16", message))
}

/// REFERENCES; `is_new`: is the table, so that no row has to be checked?
pub(super) fn add_foreign_key(
    db: &mut Database,
    table: Oid,
    constraint: &Constraint,
    is_new: bool,
) -> Result<(), SqlError> {
    let ConstraintKind::Foreign { table: name, columns, actions, deleted } = &constraint.kind else { return Ok(()) };
    let referenced = find_table(db, name)?;
    let (relation, target) = (db.cluster.pg.relation(table)?, db.cluster.pg.relation(referenced)?);
    check_persistence(db, &relation, &target)?;
    let missing = |name: &str| format!("column \"{name}\" referenced in foreign key constraint does not exist");
    let columns_from = numbers(&relation, &constraint.columns, missing)?;
    let named = numbers(&target, columns, missing)?;
    check_virtual(db, &relation, &columns_from, "foreign key constraints")?;
    let index = db.cluster.referenced_index(referenced, &named)?;
    let primary = || {
        let index = db.cluster.pg.relations.get(&index).and_then(|index| index.index.as_ref());
        index.map_or_else(Vec::new, |form| form.columns.iter().take(form.n_keys.into()).map(|key| key.attnum).collect())
    };
    let columns_to = if named.is_empty() { primary() } else { named };
    permission::check_references(db, referenced, &columns_to)?;
    if columns_from.len() != columns_to.len() {
        let message = "number of referencing and referenced columns for foreign key disagree";
        return Err(SqlError::new("42830", message));
    }
    let deleted = numbers(&relation, deleted, missing)?;
    if let Some(other) = deleted.iter().find(|attnum| !columns_from.contains(attnum)) {
        let name = &relation.desc.attributes()[usize::from(other - 1)].name;
        let message = format!("column \"{name}\" referenced in ON DELETE SET action must be part of foreign key");
        return Err(SqlError::new("42P10", message));
    }
    let key = ForeignKey {
        name: constraint.name.clone(),
        deleted,
        columns: columns_from,
        columns_to,
        referenced,
        index,
        actions: *actions,
        deferrable: constraint.deferrable,
        validated: (is_new || !constraint.not_valid) && constraint.enforced != Some(false),
        enforced: constraint.enforced != Some(false),
    };
    let is_of_domain = |attnum: &u16| db.cluster.catalog.domain_of(table, *attnum).is_some();
    let leaves_rows = |action| matches!(action, ForeignAction::NoAction | ForeignAction::Restrict);
    if !(leaves_rows(actions.update) && leaves_rows(actions.delete)) && key.columns.iter().any(is_of_domain) {
        let message = "a foreign key of a column of a domain that changes or deletes rows is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    check_key_types(db, &relation, &target, &key)?;
    db.cluster.add_foreign_key(table, &key)
}

/// Are there operators that compare the columns?
fn check_key_types(
    db: &Database,
    relation: &RelationData,
    target: &RelationData,
    key: &ForeignKey,
) -> Result<(), SqlError> {
    for (from, to) in key.columns.iter().zip(&key.columns_to) {
        let column = |relation: &RelationData, attnum: u16| relation.desc.attributes()[usize::from(attnum - 1)].clone();
        let (from, to) = (column(relation, *from), column(target, *to));
        if has_key_equality(from.typid, to.typid, db.cluster.version().major()) {
            continue;
        }
        let name = db.cluster.foreign_key_name(relation, key);
        let names = match db.cluster.version().tells_tables_of_keys() {
            true => format!("\"{}\" of the referencing table and \"{}\" of the referenced table", from.name, to.name),
            false => format!("\"{}\" and \"{}\"", from.name, to.name),
        };
        let (from, to) = (type_name(from.typid), type_name(to.typid));
        let error = SqlError::new("42804", format!("foreign key constraint \"{name}\" cannot be implemented"));
        return Err(error.with_detail(format!("Key columns {names} are of incompatible types: {from} and {to}.")));
    }
    Ok(())
}

/// What the CHECKs of a table ask of each row, in the order in which they are asked.
#[derive(Debug, Clone, Default)]
pub(in crate::sql) struct RowChecks {
    checks: Arc<[RowCheck]>,
    /// the partitioned tables that it is within, the outermost first, each with the bound of its partition
    bounds: Arc<[(PartitionDesc, PartitionBound)]>,
}

/// A CHECK, its ANDs apart.
#[derive(Debug)]
pub(super) struct RowCheck {
    pub name: String,
    pub condition: Vec<Typed>,
}

impl RowChecks {
    /// Those of a table, by their names (`CheckConstraintFetch`, src/backend/utils/cache/relcache.c).
    pub fn of(db: &Database, relation: &RelationData) -> Self {
        let constraints = db.cluster.catalog.class(relation.oid).map_or(&[][..], |class| &class.constraints);
        let mut checks: Vec<RowCheck> = constraints.iter().filter_map(|it| RowCheck::new(db, relation, it)).collect();
        checks.sort_by(|one, other| one.name.cmp(&other.name));
        Self { checks: checks.into(), bounds: bounds_of(db, relation.oid).into() }
    }

    /// Those of a row that goes to the partition by way of its table.
    pub fn of_routed(self) -> Self {
        Self { bounds: Arc::default(), ..self }
    }

    /// `ExecPartitionCheckEmitError`
    ///
    /// # Errors
    /// A row that the partition may not have.
    pub fn check_partition(&self, db: &mut Database, relation: &RelationData, values: &[Value]) -> Outcome<()> {
        if self.bounds.iter().all(|(desc, bound)| is_within(desc, bound, values)) {
            return Ok(());
        }
        let message = format!("new row for relation \"{}\" violates partition constraint", relation.name);
        Err(failing_row(db, relation, values, SqlError::new("23514", message))?.into())
    }

    /// Is the row one that the table may have?
    ///
    /// # Errors
    /// A NULL where there may be none; a CHECK that is false.
    #[inline]
    pub fn check(&self, db: &mut Database, relation: &RelationData, values: &[Value]) -> Outcome<()> {
        check_not_null(db, relation, values)?;
        for check in self.checks.iter() {
            if !check.holds(db, values)? {
                let (table, name) = (&relation.name, &check.name);
                let message = format!("new row for relation \"{table}\" violates check constraint \"{name}\"");
                return Err(failing_row(db, relation, values, SqlError::new("23514", message))?.into());
            }
        }
        self.check_partition(db, relation, values)
    }
}

/// `RelationGetPartitionQual`
pub(super) fn bounds_of(db: &Database, table: Oid) -> Vec<(PartitionDesc, PartitionBound)> {
    let mut bounds = Vec::new();
    let mut part = table;
    while let Some(class) = db.cluster.catalog.class(part)
        && let (Some(parent), Some(bound)) = (class.partitioning.parent, class.partitioning.bound.clone())
    {
        bounds.extend(db.partition_desc(parent).map(|desc| (desc, bound)));
        part = parent;
    }
    bounds.reverse();
    bounds
}

/// May a partition with that bound have the row?
pub(super) fn is_within(desc: &PartitionDesc, bound: &PartitionBound, values: &[Value]) -> bool {
    let key = desc.key_of(values);
    match bound {
        PartitionBound::Default => desc.find(&key) == desc.default_part(),
        bound => desc.takes(bound, &key),
    }
}

impl RowCheck {
    pub fn new(db: &Database, relation: &RelationData, constraint: &pg_catalog::Constraint) -> Option<Self> {
        let pg_catalog::Constraint::Check { name, expr, enforced: true, .. } = constraint else { return None };
        Some(Self { name: name.clone(), condition: db.stored_condition(relation, *expr) })
    }

    /// NULL is no violation.
    pub fn holds(&self, db: &mut Database, values: &[Value]) -> Outcome<bool> {
        for part in &self.condition {
            if eval(db, part, values, &[])? == Value::Bool(false) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
