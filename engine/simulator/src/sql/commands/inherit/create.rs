//! CREATE TABLE … INHERITS (`MergeAttributes`, `MergeCheckConstraint`, src/backend/commands/tablecmds.c;
//! `MergeWithExistingConstraint`, src/backend/catalog/heap.c).
//!
//! ```text
//!  columns of the first parent ─▶ of the next, those of one name merged ─▶ the table's own, likewise
//!  CHECKs of the parents ─▶ pg_inherits ─▶ own defaults ─▶ own CHECKs
//! ```

use super::{rebased, renumbered};
use crate::cluster::ddl::{CheckConstraint, NotNull};
use crate::cluster::inherit::Inherited;
use crate::cluster::pg_class::{ColumnDefault as Stored, Constraint, ExprId};
use crate::sql::ast::{ColumnDef, ColumnDefault, CreateTable, Expr, Persistence, RangeVar};
use crate::sql::catalog::plancat::NOWHERE;
use crate::sql::commands::column_storage;
use crate::sql::commands::partition::{find_any_table, refuse};
use crate::sql::elsewhere;
use crate::sql::expr::{RangeTable, Typed, type_name};
use crate::sql::tcop::Database;
use crate::storage::RelationData;
use crate::version::Behaviour;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, SqlError};
use ffviz_format::page::Oid;

/// What a new table has of its parents, and has itself.
#[derive(Debug)]
pub(in crate::sql::commands) struct Merged {
    /// the statement with the columns of the parents
    pub create: CreateTable,
    parents: Vec<Arc<RelationData>>,
    /// how each column is inherited
    columns: Vec<Inherited>,
    /// CHECKs, and how they are inherited
    checks: (Vec<CheckConstraint>, BTreeMap<String, Inherited>),
    /// has a column the default of a parent's; has one a default that was written?
    cooked: bool,
    raw: bool,
}

/// A column, as it comes to be.
struct Column {
    def: ColumnDef,
    inherited: Inherited,
    /// do parents give it other defaults than each other?
    conflicts: bool,
}

/// The statement with what the table inherits; `None`: it inherits from no table.
pub(in crate::sql::commands) fn merge(db: &mut Database, create: &CreateTable) -> Result<Option<Merged>, SqlError> {
    if create.inherits.is_empty() {
        return Ok(None);
    }
    if create.partition_by.is_some() {
        return Err(SqlError::new("42P16", "cannot create partitioned table as inheritance child"));
    }
    let mut parents: Vec<Arc<RelationData>> = Vec::new();
    for name in &create.inherits {
        let parent = parent(db, name, create.persistence)?;
        if parents.iter().any(|known| known.oid == parent.oid) {
            let message = format!("relation \"{}\" would be inherited from more than once", parent.name);
            return Err(SqlError::new("42P07", message));
        }
        parents.push(parent);
    }
    let mut columns: Vec<Column> = Vec::new();
    for parent in &parents {
        for attribute in parent.desc.attributes().iter().filter(|column| !column.dropped) {
            add_inherited(&mut columns, inherited(db, parent, attribute)?)?;
        }
    }
    let cooked: Vec<bool> = columns.iter().map(|column| !matches!(column.def.default, ColumnDefault::Null)).collect();
    let mut given = alloc::vec![false; columns.len()];
    for def in &create.columns {
        let place = add_own(&mut columns, def)?;
        given.resize(columns.len(), false);
        given[place] |= !matches!(def.default, ColumnDefault::Null);
    }
    if let Some(column) = columns.iter().find(|column| column.conflicts) {
        let message = format!("column \"{}\" inherits conflicting default values", column.def.name);
        return Err(SqlError::new("42611", message));
    }
    let cooked = cooked.iter().enumerate().any(|(n, is_cooked)| *is_cooked && !given[n]);
    let raw = columns.iter().zip(&given).any(|(column, given)| *given && !is_identity(&column.def));
    let kinds = columns.iter().map(|column| column.inherited).collect();
    let create = CreateTable { columns: columns.into_iter().map(|it| it.def).collect(), ..create.clone() };
    let checks = inherited_checks(db, &parents, &create.columns)?;
    Ok(Some(Merged { create, parents, columns: kinds, checks, cooked, raw }))
}

const fn is_identity(column: &ColumnDef) -> bool {
    matches!(column.default, ColumnDefault::Identity { .. })
}

fn parent(db: &Database, name: &RangeVar, persistence: Persistence) -> Result<Arc<RelationData>, SqlError> {
    if db.find(name).is_none() && db.cluster.find_view(name.schema.as_deref(), &name.name).is_none() {
        return Err(elsewhere::relation(name, "relation"));
    }
    let wrong = |message: String| Err(SqlError::new("42809", message));
    let Ok(oid) = find_any_table(db, name) else {
        return wrong(format!("inherited relation \"{}\" is not a table or foreign table", name.name));
    };
    if db.cluster.catalog.partition_key(oid).is_some() {
        return wrong(format!("cannot inherit from partitioned table \"{}\"", name.name));
    }
    if db.cluster.catalog.partition_parent(oid).is_some() {
        return wrong(format!("cannot inherit from partition \"{}\"", name.name));
    }
    if db.cluster.is_temporary(oid) && persistence != Persistence::Temporary {
        return wrong(format!("cannot inherit from temporary relation \"{}\"", name.name));
    }
    if !db.cluster.catalog.class(oid).is_some_and(|class| class.domains.is_empty()) {
        return Err(refuse("inheriting a column of a domain"));
    }
    db.cluster.pg.relation(oid)
}

/// A parent's column, as it would be written.
fn inherited(db: &Database, parent: &RelationData, attribute: &Attribute) -> Result<ColumnDef, SqlError> {
    let class = db.cluster.catalog.class(parent.oid);
    let default = class.and_then(|class| class.defaults.get(usize::from(attribute.num - 1)).copied());
    let is_pglz = class.is_some_and(|class| class.compressed.contains(&attribute.num));
    let stored = |id: ExprId| {
        let stored = db.expressions.get(id).ok_or_else(|| refuse("this default of a parent"))?;
        let names = stored.columns.iter().zip(parent.desc.attributes());
        match names.into_iter().all(|(name, column)| *name == column.name) {
            true => Ok(stored.expr.clone()),
            false => Err(refuse("inheriting a generated column whose table had columns renamed or dropped")),
        }
    };
    Ok(ColumnDef {
        name: attribute.name.clone(),
        type_name: attribute.ty(),
        domain: None,
        storage: column_storage::word(attribute.storage),
        compression: is_pglz.then(|| String::from("pglz")),
        not_null: attribute.not_null,
        not_null_names: Vec::new(),
        default: match default.unwrap_or_default() {
            Stored::Expr(id) => ColumnDefault::Expr(stored(id)?),
            Stored::Generated(id) => ColumnDefault::Generated(stored(id)?),
            Stored::Virtual(id) => ColumnDefault::Virtual(stored(id)?, String::new()),
            Stored::Sequence(sequence) => db.nextval_of(sequence).map_or(ColumnDefault::Null, ColumnDefault::Expr),
            Stored::Null | Stored::Identity { .. } => ColumnDefault::Null,
        },
    })
}

/// `MergeInheritedAttribute`
fn add_inherited(columns: &mut Vec<Column>, def: ColumnDef) -> Result<(), SqlError> {
    let Some(known) = columns.iter_mut().find(|column| column.def.name == def.name) else {
        columns.push(Column { def, inherited: Inherited { count: 1, local: false }, conflicts: false });
        return Ok(());
    };
    check_types("inherited column", &known.def, &def)?;
    known.inherited.count += 1;
    known.def.not_null |= def.not_null;
    match (&known.def.default, &def.default) {
        (_, ColumnDefault::Null) => {}
        (ColumnDefault::Null, _) => known.def.default = def.default,
        (one, other) if is_generated(one) != is_generated(other) => {
            let message = format!("inherited column \"{}\" has a generation conflict", def.name);
            return Err(SqlError::new("42611", message));
        }
        (one, other) => known.conflicts |= !is_same_default(one, other),
    }
    Ok(())
}

/// `MergeChildAttribute`. Gives the column's place.
fn add_own(columns: &mut Vec<Column>, def: &ColumnDef) -> Result<usize, SqlError> {
    let place = columns.iter().position(|column| column.def.name == def.name);
    let Some((place, known)) = place.and_then(|place| Some((place, columns.get_mut(place)?))) else {
        columns.push(Column { def: def.clone(), inherited: Inherited::LOCAL, conflicts: false });
        return Ok(columns.len() - 1);
    };
    if known.inherited.count == 0 || known.inherited.local {
        return Err(SqlError::new("42701", format!("column \"{}\" specified more than once", def.name)));
    }
    if def.storage.is_some() || def.compression.is_some() || def.domain.is_some() {
        return Err(refuse("STORAGE, COMPRESSION or a domain of a column that is inherited"));
    }
    if is_generated(&known.def.default) || is_generated(&def.default) {
        return Err(refuse("merging a generated column with an inherited one"));
    }
    check_types("column", &known.def, def)?;
    known.inherited.local = true;
    known.def.not_null |= def.not_null;
    known.def.not_null_names.clone_from(&def.not_null_names);
    if !matches!(def.default, ColumnDefault::Null) {
        known.def.default = def.default.clone();
        known.conflicts = false;
    }
    Ok(place)
}

const fn is_generated(default: &ColumnDefault) -> bool {
    matches!(default, ColumnDefault::Generated(_) | ColumnDefault::Virtual(..))
}

/// `equal`, which takes no notice of where an expression stands.
fn is_same_default(one: &ColumnDefault, other: &ColumnDefault) -> bool {
    let plain = |expr: &Expr| {
        let mut expr = expr.clone();
        expr.visit_mut(&mut |part| part.position = NOWHERE);
        expr
    };
    match (one, other) {
        (ColumnDefault::Expr(one), ColumnDefault::Expr(other)) => plain(one) == plain(other),
        _ => one == other,
    }
}

fn check_types(what: &str, one: &ColumnDef, other: &ColumnDef) -> Result<(), SqlError> {
    let (ty, wanted) = (one.type_name, other.type_name);
    if ty == wanted {
        return Ok(());
    }
    if ty.oid == wanted.oid {
        return Err(refuse("merging columns of one type with different lengths"));
    }
    let error = SqlError::new("42804", format!("{what} \"{}\" has a type conflict", one.name));
    Err(error.with_detail(format!("{} versus {}", type_name(ty.oid), type_name(wanted.oid))))
}

impl Merged {
    fn names(&self) -> Vec<String> {
        self.create.columns.iter().map(|column| column.name.clone()).collect()
    }

    /// CHECKs of the parents, `pg_inherits`, and how all of it is inherited.
    pub(in crate::sql::commands) fn store(&self, db: &mut Database, table: Oid) -> Result<(), SqlError> {
        let (checks, counts) = &self.checks;
        db.cluster.add_checks_of_parents(table, checks, self.cooked)?;
        for parent in &self.parents {
            db.cluster.store_inheritance(table, parent.oid);
        }
        let columns = (1..).zip(&self.columns).filter(|(_, it)| it.count > 0).map(|(n, it)| (n, *it)).collect();
        db.cluster.edit_inheritance(table, |inheritance| {
            inheritance.columns = columns;
            inheritance.constraints.clone_from(counts);
        });
        Ok(())
    }

    /// NOT NULL from 18 on: the table's own, then those of the parents that it has not itself, by name
    /// (`AddRelationNotNullConstraints`).
    pub(in crate::sql::commands) fn add_not_nulls(
        &self,
        db: &mut Database,
        table: Oid,
        (own, has_checks): (Vec<NotNull>, bool),
    ) -> Result<(), SqlError> {
        let names = self.names();
        let (mut all, mut counts): (Vec<NotNull>, BTreeMap<u16, Inherited>) = (own, BTreeMap::new());
        let own: Vec<u16> = all.iter().map(|it| it.column).collect();
        for parent in &self.parents {
            for (name, column) in not_nulls_of(db, parent, &names) {
                let local = own.contains(&column);
                counts.entry(column).or_insert(Inherited { count: 0, local }).count += 1;
                if !all.iter().any(|known| known.column == column) {
                    let is_taken = all.iter().any(|known| known.name.as_ref() == Some(&name));
                    all.push(NotNull { name: (!is_taken).then_some(name), column, validated: true });
                }
            }
        }
        db.cluster.add_not_nulls(table, &all)?;
        // what the parents give has a command of its own, and defaults that are written; all else shares one
        let inherits_checks = !self.checks.0.is_empty();
        let of_parents = self.cooked || inherits_checks;
        let of_not_null = !all.is_empty() && db.cluster.version().catalogs_not_null();
        let count = |parts: &[bool]| parts.iter().filter(|is_there| **is_there).count() as u32;
        let used = count(&[self.cooked || self.raw, inherits_checks && !self.cooked, has_checks, of_not_null]);
        let wanted = 1 + count(&[of_parents, self.raw]);
        db.cluster.use_commands(wanted.saturating_sub(used));
        (wanted..used).for_each(|_| db.cluster.share_command());
        if !db.cluster.version().catalogs_not_null() {
            db.cluster.use_commands(self.keys_to_set());
        }
        let class = db.cluster.catalog.class(table);
        let mut named = Vec::new();
        for constraint in class.map_or(&[][..], |class| &class.constraints) {
            if let Constraint::NotNull { name, column, .. } = constraint {
                named.extend(counts.get(column).map(|inherited| (name.clone(), *inherited)));
            }
        }
        db.cluster.edit_inheritance(table, |inheritance| inheritance.constraints.extend(named));
        Ok(())
    }
}

/// `MergeCheckConstraint`: CHECKs of the parents, those of several with one name as one.
fn inherited_checks(
    db: &mut Database,
    parents: &[Arc<RelationData>],
    child: &[ColumnDef],
) -> Result<(Vec<CheckConstraint>, BTreeMap<String, Inherited>), SqlError> {
    let names: Vec<String> = child.iter().map(|column| column.name.clone()).collect();
    let (mut checks, mut counts): (Vec<CheckConstraint>, BTreeMap<String, Inherited>) = Default::default();
    for parent in parents {
        let constraints = db.cluster.catalog.class(parent.oid).map(|class| class.constraints.clone());
        for constraint in constraints.unwrap_or_default() {
            let Constraint::Check { name, columns, expr, enforced, no_inherit: false, .. } = constraint else {
                continue;
            };
            let expr = rebased(db, expr, parent, &names)?;
            if let Some(known) = checks.iter().find(|known| known.name.as_ref() == Some(&name)) {
                if condition(db, child, known.expr) != condition(db, child, expr) {
                    let what = format!("check constraint name \"{name}\" appears multiple times");
                    return Err(SqlError::new("42710", format!("{what} but with different expressions")));
                }
                counts.entry(name).and_modify(|it| it.count += 1);
                continue;
            }
            counts.insert(name.clone(), Inherited { count: 1, local: false });
            let columns = renumbered(&columns, parent, &names)?;
            let validated = enforced;
            checks.push(CheckConstraint { name: Some(name), columns, expr, validated, enforced, no_inherit: false });
        }
    }
    Ok((checks, counts))
}

/// A condition over the columns of a table that is not made yet.
fn condition(db: &Database, columns: &[ColumnDef], id: ExprId) -> Vec<Typed> {
    let Some(stored) = db.expressions.get(id) else { return Vec::new() };
    let column = |(n, name): (usize, &String)| columns.get(n).map(|it| it.type_name.attribute(n as u16 + 1, name));
    let attributes: Vec<Attribute> = stored.columns.iter().enumerate().filter_map(column).collect();
    let mut range = RangeTable::default();
    range.add_table("", &attributes);
    db.condition_over(&range, stored)
}

impl Merged {
    /// Columns of the primary key that the table has of its parents alone, and that may be NULL there: before 18 each
    /// is SET NOT NULL by a command of its own (`transformIndexConstraint`).
    fn keys_to_set(&self) -> u32 {
        let primary = self.create.constraints.iter().filter(|constraint| constraint.is_primary());
        let keys = primary.flat_map(|constraint| &constraint.columns);
        let place =
            |key: &String| self.create.columns.iter().position(|column| column.name == *key && !column.not_null);
        keys.filter_map(place).filter(|place| !self.columns[*place].local).count() as u32
    }
}

/// A parent's NOT NULL constraints, with the numbers that their columns have in the child, by name.
fn not_nulls_of(db: &Database, parent: &RelationData, child: &[String]) -> Vec<(String, u16)> {
    let class = db.cluster.catalog.class(parent.oid);
    let mut found: Vec<(String, u16)> = Vec::new();
    for constraint in class.map_or(&[][..], |class| &class.constraints) {
        let Constraint::NotNull { name, column, .. } = constraint else { continue };
        let column = parent.desc.attributes().get(usize::from(column - 1));
        let place = column.and_then(|column| child.iter().position(|name| *name == column.name));
        found.extend(place.map(|place| (name.clone(), place as u16 + 1)));
    }
    found.sort();
    found
}

/// The table's own CHECKs, but for those that a parent has too.
pub(in crate::sql::commands) fn own_checks(
    db: &mut Database,
    table: Oid,
    checks: Vec<CheckConstraint>,
) -> Result<Vec<CheckConstraint>, SqlError> {
    let mut left: Vec<CheckConstraint> = Vec::new();
    for check in checks {
        if let Some(name) = check.name.as_ref().filter(|_| left.iter().any(|other| other.name == check.name)) {
            return Err(SqlError::new("42710", format!("check constraint \"{name}\" already exists")));
        }
        let known = check.name.as_ref().and_then(|name| db.cluster.find_constraint(table, name));
        match (known, &check.name) {
            (Some(Constraint::Check { expr, .. }), Some(name)) => {
                merge_check(db, table, name, (expr, &check))?;
            }
            _ => left.push(check),
        }
    }
    Ok(left)
}

/// A CHECK of a name that the table has already, by inheritance.
fn merge_check(
    db: &mut Database,
    table: Oid,
    name: &str,
    (known, new): (ExprId, &CheckConstraint),
) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    if db.stored_condition(&relation, known) != db.stored_condition(&relation, new.expr) {
        let message = format!("constraint \"{name}\" for relation \"{}\" already exists", relation.name);
        return Err(SqlError::new("42710", message));
    }
    db.cluster.edit_inheritance(table, |inheritance| {
        if let Some(inherited) = inheritance.constraints.get_mut(name) {
            inherited.local = true;
        }
    });
    Ok(())
}
