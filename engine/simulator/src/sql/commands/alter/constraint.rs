//! ADD, DROP and VALIDATE CONSTRAINT (`ATExecAddConstraint`, `ATExecAddIndexConstraint`, `ATExecDropConstraint`,
//! `ATExecValidateConstraint`, src/backend/commands/tablecmds.c).

use super::Left;
use super::not_null;
use crate::cluster::pg_class as pg_catalog;
use crate::sql::ast::{AlteredConstraint, Constraint, ConstraintKind};
use crate::sql::catalog::dependency;
use crate::sql::commands::constraint;
use crate::sql::commands::constraint::RowCheck;
use crate::sql::commands::create_index::build_new;
use crate::sql::commands::foreign_key;
use crate::sql::commands::partition;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// Is it PRIMARY KEY or UNIQUE?
pub(super) const fn has_index(constraint: &Constraint) -> bool {
    use ConstraintKind::{Exclude, Index, UsingIndex};
    matches!(constraint.kind, Index(_) | UsingIndex { .. } | Exclude(_))
}

/// Is it NOT NULL?
pub(super) const fn is_not_null(constraint: &Constraint) -> bool {
    matches!(constraint.kind, ConstraintKind::NotNull)
}

/// ADD CONSTRAINT.
pub(super) fn add(db: &mut Database, table: Oid, added: &Constraint, left: &mut Left) -> Result<(), SqlError> {
    if added.not_valid && has_index(added) {
        let kind = match &added.kind {
            ConstraintKind::Exclude(_) => "EXCLUDE",
            _ if added.is_primary() => "PRIMARY KEY",
            _ => "UNIQUE",
        };
        return Err(SqlError::new("0A000", format!("{kind} constraints cannot be marked NOT VALID")));
    }
    check_overlaps(db, table, added)?;
    match &added.kind {
        ConstraintKind::Index(index) => {
            if index.primary {
                let relation = db.cluster.pg.relation(table)?;
                let columns = relation.desc.attributes().iter();
                let keys = columns.filter(|column| !column.dropped && added.columns.contains(&column.name));
                keys.map(|column| column.num).try_for_each(|attnum| not_null::of_key(db, table, attnum, left))?;
            }
            if db.cluster.catalog.partition_key(table).is_some() {
                return partition::add_constraint(db, table, added);
            }
            let index = constraint::add_index(db, table, added)?;
            left.makes_relation = true;
            // a table that is written anew gets its indexes then
            if left.added.is_empty() {
                build_new(db, index)?;
            }
        }
        ConstraintKind::Exclude(_) => add_exclusion(db, table, added, left)?,
        ConstraintKind::UsingIndex { primary, index } => {
            let name = added.name.as_deref().unwrap_or(index);
            let found = usable_index(db, table, index)?;
            db.cluster.check_primary(table, *primary)?;
            if name != index {
                db.cluster.check_new_name(db.cluster.schema_of(table), name)?;
            }
            if *primary {
                let form = db.cluster.pg.relation(found)?;
                let keys = form.index.iter().flat_map(|form| form.columns.iter().take(form.n_keys.into()));
                let keys: Vec<u16> = keys.map(|key| key.attnum).collect();
                for attnum in keys {
                    let commands = db.cluster.commands_of_known_not_null(table, attnum);
                    db.cluster.use_commands(commands);
                    not_null::of_key(db, table, attnum, left)?;
                }
            }
            db.cluster.adopt_index(table, found, name, *primary, added.deferrable);
        }
        ConstraintKind::Check(expr) => {
            let check = constraint::check(db, table, added, expr)?;
            let is_asked = check.validated;
            db.cluster.add_checks(table, &[check])?;
            let relation = db.cluster.pg.relation(table)?;
            let class = db.cluster.catalog.class(table).filter(|_| is_asked);
            let new = class.and_then(|class| class.constraints.last());
            left.verify.checks.extend(new.and_then(|new| RowCheck::new(db, &relation, new)));
        }
        ConstraintKind::NotNull => not_null::add(db, table, added, left)?,
        ConstraintKind::Foreign { .. } => {
            constraint::add_foreign_key(db, table, added, false)?;
            let is_asked = !added.not_valid && added.enforced != Some(false);
            let class = db.cluster.catalog.class(table).filter(|_| is_asked);
            let new = class.and_then(|class| class.constraints.last());
            left.foreign_keys.extend(new.map(|new| db.cluster.catalog.constraint_name(new).into()));
        }
    }
    Ok(())
}

/// What a key WITHOUT OVERLAPS has to be.
fn check_overlaps(db: &Database, table: Oid, added: &Constraint) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let columns = relation.desc.attributes().iter().filter(|column| !column.dropped);
    let type_of = |name: &str| columns.clone().find(|column| column.name == name).map(|column| column.typid);
    constraint::check_overlaps(added, type_of)
}

/// EXCLUDE.
fn add_exclusion(db: &mut Database, table: Oid, added: &Constraint, left: &mut Left) -> Result<(), SqlError> {
    let index = constraint::add_index(db, table, added)?;
    left.makes_relation = true;
    // a table that is written anew gets its indexes then
    if left.added.is_empty() {
        build_new(db, index)?;
    }
    Ok(())
}

/// `transformIndexConstraint`, of USING INDEX.
fn usable_index(db: &Database, table: Oid, name: &str) -> Result<Oid, SqlError> {
    let missing = || SqlError::new("42704", format!("index \"{name}\" does not exist"));
    let oid = db.cluster.catalog.find(db.cluster.schema_of(table), name).ok_or_else(missing)?;
    let index = db.cluster.pg.relation(oid)?;
    let Some(form) = &index.index else { return Err(missing()) };
    let wrong = |code, message| Err(SqlError::new(code, message));
    if form.table != table {
        let relation = db.cluster.pg.relation(table)?;
        return wrong("55000", format!("index \"{name}\" does not belong to table \"{}\"", relation.name));
    }
    let is_its = |constraint: &pg_catalog::Constraint| *constraint == pg_catalog::Constraint::Index(oid);
    if db.cluster.catalog.class(table).is_some_and(|class| class.constraints.iter().any(is_its)) {
        return wrong("55000", format!("index \"{name}\" is already associated with a constraint"));
    }
    if !form.unique {
        let error = SqlError::new("42809", format!("\"{name}\" is not a unique index"));
        return Err(error.with_detail("Cannot create a primary key or unique constraint using such an index."));
    }
    let keys: Vec<_> = form.columns.iter().take(form.n_keys.into()).collect();
    if keys.iter().any(|key| key.attnum == 0) {
        let error = SqlError::new("42809", format!("index \"{name}\" contains expressions"));
        return Err(error.with_detail("Cannot create a primary key or unique constraint using such an index."));
    }
    if form.partial {
        let error = SqlError::new("42809", format!("\"{name}\" is a partial index"));
        return Err(error.with_detail("Cannot create a primary key or unique constraint using such an index."));
    }
    if let Some(n) = keys.iter().position(|key| key.desc || key.nulls_first) {
        let message = format!("index \"{name}\" column number {} does not have default sorting behavior", n + 1);
        let error = SqlError::new("42809", message);
        return Err(error.with_detail("Cannot create a primary key or unique constraint using such an index."));
    }
    Ok(oid)
}

fn find(db: &Database, table: Oid, name: &str) -> Result<pg_catalog::Constraint, SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let missing = || {
        let message = format!("constraint \"{name}\" of relation \"{}\" does not exist", relation.name);
        SqlError::new("42704", message)
    };
    db.cluster.find_constraint(table, name).ok_or_else(missing)
}

/// DROP CONSTRAINT.
pub(super) fn drop(db: &mut Database, table: Oid, name: &str, if_exists: bool, cascade: bool) -> Result<(), SqlError> {
    match find(db, table, name) {
        Ok(constraint) => {
            check_inherited(db, table, &constraint, name)?;
            if let pg_catalog::Constraint::NotNull { column, .. } = constraint {
                return not_null::drop_constraint(db, table, column);
            }
            if let pg_catalog::Constraint::Index(index) = constraint {
                dependency::drop_references_to_key(db, table, index, name, cascade)?;
            }
            db.cluster.drop_constraint(table, &constraint);
            Ok(())
        }
        Err(_) if if_exists => Ok(()),
        Err(error) => Err(error),
    }
}

/// A partition keeps what it has of its table, and a child what it has of its parents.
fn check_inherited(db: &Database, table: Oid, found: &pg_catalog::Constraint, name: &str) -> Result<(), SqlError> {
    let class = db.cluster.catalog.class(table);
    let of_parents = class.is_some_and(|class| class.inheritance.constraint(name).count > 0);
    let Some(parent) = db.cluster.catalog.partition_parent(table).filter(|_| !of_parents) else {
        return if of_parents { Err(inherited(db, table, name)?) } else { Ok(()) };
    };
    let is_inherited = match found {
        pg_catalog::Constraint::Index(index) => db.cluster.catalog.partition_parent(*index).is_some(),
        pg_catalog::Constraint::NotNull { column, .. } => db.cluster.find_not_null(parent, *column).is_some(),
        pg_catalog::Constraint::Check { .. } | pg_catalog::Constraint::Foreign { .. } => {
            db.cluster.find_constraint(parent, name).is_some()
        }
    };
    if !is_inherited {
        return Ok(());
    }
    Err(inherited(db, table, name)?)
}

fn inherited(db: &Database, table: Oid, name: &str) -> Result<SqlError, SqlError> {
    let relation = &db.cluster.pg.relation(table)?.name;
    let message = format!("cannot drop inherited constraint \"{name}\" of relation \"{relation}\"");
    Ok(SqlError::new("42P16", message))
}

/// ALTER CONSTRAINT.
pub(super) fn alter(
    db: &mut Database,
    table: Oid,
    name: &str,
    to: AlteredConstraint,
    left: &mut Left,
) -> Result<(), SqlError> {
    let found = find(db, table, name)?;
    let pg_catalog::Constraint::Foreign { deferrable: now, enforced, .. } = found else {
        let what = format!("constraint \"{name}\" of relation \"{}\"", db.cluster.pg.relation(table)?.name);
        return Err(SqlError::new(
            "42809",
            match to.deferrable {
                Some(_) => format!("{what} is not a foreign key constraint"),
                None => format!("cannot alter enforceability of {what}"),
            },
        ));
    };
    if !enforced && to.deferrable.is_some() || to.deferrable.is_some() && to.enforced.is_some() {
        let message = "ALTER CONSTRAINT … DEFERRABLE of one that is NOT ENFORCED, or beside ENFORCED, is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    match to.deferrable {
        Some(deferrable) if deferrable != now => db.cluster.set_deferrable(table, name, deferrable),
        _ => {}
    }
    if let Some(wanted) = to.enforced.filter(|wanted| *wanted != enforced) {
        db.cluster.set_enforced(table, name, wanted);
        left.foreign_keys.extend(wanted.then(|| name.into()));
    }
    Ok(())
}

/// VALIDATE CONSTRAINT.
pub(super) fn validate(db: &mut Database, table: Oid, name: &str, left: &mut Left) -> Result<(), SqlError> {
    let constraint = find(db, table, name)?;
    let is_valid = match &constraint {
        pg_catalog::Constraint::Index(_) => {
            let what = format!("constraint \"{name}\" of relation \"{}\"", db.cluster.pg.relation(table)?.name);
            return Err(if db.cluster.version().validates_not_null() {
                let error = SqlError::new("42809", format!("cannot validate {what}"));
                error.with_detail("This operation is not supported for this type of constraint.")
            } else {
                SqlError::new("42809", format!("{what} is not a foreign key or check constraint"))
            });
        }
        pg_catalog::Constraint::Check { validated, .. }
        | pg_catalog::Constraint::NotNull { validated, .. }
        | pg_catalog::Constraint::Foreign { validated, .. } => *validated,
    };
    if matches!(
        constraint,
        pg_catalog::Constraint::Foreign { enforced: false, .. } | pg_catalog::Constraint::Check { enforced: false, .. }
    ) {
        return Err(SqlError::new("55000", "cannot validate NOT ENFORCED constraint"));
    }
    if is_valid {
        return Ok(());
    }
    let relation = db.cluster.pg.relation(table)?;
    match &constraint {
        pg_catalog::Constraint::Foreign { .. } => left.foreign_keys.push(name.into()),
        pg_catalog::Constraint::NotNull { .. } => left.verify.not_null = true,
        _ => left.verify.checks.extend(RowCheck::new(db, &relation, &constraint)),
    }
    db.cluster.set_validated(table, name);
    Ok(())
}

/// Do all rows have what they refer to?
pub(super) fn check_foreign_key(db: &mut Database, table: Oid, name: &str) -> Result<(), SqlError> {
    let constraint = find(db, table, name)?;
    foreign_key::initial_check(db, table, &constraint)
}
