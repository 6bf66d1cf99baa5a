//! Constraints in information_schema (src/backend/catalog/information_schema.sql): which a table has, of which columns
//! they are, and what foreign keys refer to.

use super::Rows;
use super::catalogs::{INT4, TEXT};
use super::columns::own_tables;
use super::constraints::state;
use crate::cluster::Class;
use crate::cluster::pg_class::{Constraint, ForeignAction};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::DATABASE;
use crate::sql::ruleutils::PLAIN;
use crate::sql::tcop::Database;
use crate::storage::{Deferrable, IndexForm, RelationData};
use crate::version::{Behaviour, SqlBehaviour};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::{Oid, PgVersion};

type Columns = Vec<(&'static str, Oid)>;

fn texts(names: &[&'static str]) -> Columns {
    names.iter().map(|name| (*name, TEXT)).collect()
}

fn row(texts: &[&str]) -> Vec<Value> {
    texts.iter().map(|text| Value::text(text)).collect()
}

const fn yes(is: bool) -> &'static str {
    if is { "YES" } else { "NO" }
}

/// A constraint of a table.
struct OfTable<'a> {
    class: &'a Class,
    table: &'a RelationData,
    constraint: &'a Constraint,
}

fn all(db: &Database) -> impl Iterator<Item = OfTable<'_>> {
    own_tables(db).flat_map(|class| {
        let table: Option<&Arc<RelationData>> = db.cluster.pg.relations.get(&class.oid);
        let of = move |constraint| Some(OfTable { class, table: table?, constraint });
        class.constraints.iter().filter_map(of)
    })
}

/// A PRIMARY KEY or UNIQUE; nothing of an exclusion constraint.
fn key<'a>(db: &'a Database, constraint: &Constraint) -> Option<&'a IndexForm> {
    let Constraint::Index(index) = constraint else { return None };
    let form = db.cluster.pg.relations.get(index)?.index.as_ref()?;
    let is_exclusion = form.gist.as_ref().is_some_and(|gist| !gist.without_overlaps);
    (!is_exclusion).then_some(form)
}

/// Before NOT NULL was a constraint that has a name, these views gave it one: the schema, the table, the column, and
/// its name there.
fn unnamed_not_nulls(db: &Database) -> Vec<(&Class, String, String)> {
    if db.cluster.version().catalogs_not_null() {
        return Vec::new();
    }
    let mut named = Vec::new();
    for class in own_tables(db) {
        let Some(table) = db.cluster.pg.relations.get(&class.oid) else { continue };
        let namespace = db.cluster.catalog.namespace(&class.schema);
        for column in table.desc.attributes().iter().filter(|column| column.not_null && !column.dropped) {
            let name = format!("{namespace}_{}_{}_not_null", class.oid, column.num);
            named.push((class.as_ref(), name, column.name.clone()));
        }
    }
    named
}

pub(super) fn table_constraints_columns(major: u32) -> Columns {
    let mut columns = texts(&["constraint_catalog", "constraint_schema", "constraint_name"]);
    columns.extend(texts(&["table_catalog", "table_schema", "table_name", "constraint_type"]));
    columns.extend(texts(&["is_deferrable", "initially_deferred", "enforced"]));
    columns.extend(PgVersion::of_major(major).has_nulls_not_distinct().then_some(("nulls_distinct", TEXT)));
    columns
}

/// Constraint triggers and exclusion constraints are not told of.
pub(super) fn table_constraints(db: &mut Database) -> Result<Rows, SqlError> {
    let has_nulls = db.cluster.version().has_nulls_not_distinct();
    let mut rows = Rows::new();
    let mut add = |class: &Class, name: &str, kind: &str, flags: [&str; 3], distinct: Option<&str>| {
        let mut columns = row(&[DATABASE, &class.schema, name, DATABASE, &class.schema, &class.name, kind]);
        columns.extend(row(&flags));
        columns.extend(has_nulls.then(|| distinct.map_or(Value::Null, Value::text)));
        rows.push(columns);
    };
    for OfTable { class, constraint, .. } in all(db) {
        let name = db.cluster.catalog.constraint_name(constraint);
        let (kind, deferrable, enforced, distinct) = match constraint {
            Constraint::Index(_) => match key(db, constraint) {
                None => continue,
                Some(form) if form.primary => ("PRIMARY KEY", form.deferrable, true, None),
                Some(form) => ("UNIQUE", form.deferrable, true, Some(yes(!form.nulls_not_distinct))),
            },
            Constraint::Check { enforced, .. } => ("CHECK", Deferrable::No, *enforced, None),
            Constraint::NotNull { .. } => ("CHECK", Deferrable::No, true, None),
            Constraint::Foreign { deferrable, enforced, .. } => ("FOREIGN KEY", *deferrable, *enforced, None),
        };
        let deferred = yes(deferrable == Deferrable::Deferred);
        add(class, name, kind, [yes(deferrable != Deferrable::No), deferred, yes(enforced)], distinct);
    }
    for (class, name, _) in unnamed_not_nulls(db) {
        add(class, &name, "CHECK", ["NO", "NO", "YES"], None);
    }
    Ok(rows)
}

pub(super) fn check_constraints_columns(_: u32) -> Columns {
    texts(&["constraint_catalog", "constraint_schema", "constraint_name", "check_clause"])
}

/// CHECK and NOT NULL. Until 16 the clause is cut out of `pg_get_constraintdef`, with what stands behind it.
pub(super) fn check_constraints(db: &mut Database) -> Result<Rows, SqlError> {
    let refuse = |what: &str| {
        let message = format!("information_schema.check_constraints {what} is not supported; pg_constraint has them");
        SqlError::new(NOT_SIMULATED, message)
    };
    if db.cluster.catalog.domains().iter().any(|domain| domain.has_constraints()) {
        return Err(refuse("where domains have constraints"));
    }
    let is_cut_out = !db.cluster.version().tells_checks_alone();
    let mut rows = Rows::new();
    for OfTable { class, table, constraint } in all(db) {
        let clause = match constraint {
            Constraint::Check { expr, validated, enforced, no_inherit, .. } => {
                let text = db.told_condition(table, *expr, PLAIN).ok_or_else(|| refuse("with such a condition"))?;
                let no_inherit = if *no_inherit { " NO INHERIT" } else { "" };
                match is_cut_out {
                    true => format!("({text}){no_inherit}{}", state(*validated, *enforced)),
                    false => text,
                }
            }
            Constraint::NotNull { column, .. } => format!("{} IS NOT NULL", column_name(table, *column)),
            Constraint::Index(_) | Constraint::Foreign { .. } => continue,
        };
        rows.push(row(&[DATABASE, &class.schema, db.cluster.catalog.constraint_name(constraint), &clause]));
    }
    for (class, name, column) in unnamed_not_nulls(db) {
        rows.push(row(&[DATABASE, &class.schema, &name, &format!("{column} IS NOT NULL")]));
    }
    Ok(rows)
}

fn column_name(table: &RelationData, attnum: u16) -> &str {
    let attribute = table.desc.attributes().get(usize::from(attnum).wrapping_sub(1));
    attribute.map_or("", |attribute| &attribute.name)
}

/// The columns of a key, or those of a foreign key.
fn key_columns(db: &Database, constraint: &Constraint) -> Option<Vec<u16>> {
    match constraint {
        Constraint::Foreign { columns, .. } => Some(columns.clone()),
        _ => {
            let form = key(db, constraint)?;
            Some(form.columns.iter().take(form.n_keys.into()).map(|column| column.attnum).collect())
        }
    }
}

pub(super) fn key_column_usage_columns(_: u32) -> Columns {
    let mut columns = texts(&["constraint_catalog", "constraint_schema", "constraint_name"]);
    columns.extend(texts(&["table_catalog", "table_schema", "table_name", "column_name"]));
    columns.extend(["ordinal_position", "position_in_unique_constraint"].map(|name| (name, INT4)));
    columns
}

pub(super) fn key_column_usage(db: &mut Database) -> Result<Rows, SqlError> {
    let mut rows = Rows::new();
    for OfTable { class, table, constraint } in all(db) {
        let name = db.cluster.catalog.constraint_name(constraint);
        for (n, column) in key_columns(db, constraint).unwrap_or_default().into_iter().enumerate() {
            let texts = [DATABASE, &class.schema, name, DATABASE, &class.schema, &class.name];
            let mut columns = row(&texts);
            columns.extend([Value::text(column_name(table, column)), Value::Int4(n as i32 + 1)]);
            columns.push(position_in_key(db, constraint, n).map_or(Value::Null, Value::Int4));
            rows.push(columns);
        }
    }
    Ok(rows)
}

/// `_pg_index_position`: where the column that a foreign key's nth one refers to stands in the key.
fn position_in_key(db: &Database, constraint: &Constraint, n: usize) -> Option<i32> {
    let Constraint::Foreign { columns_to, index, .. } = constraint else { return None };
    let form = db.cluster.pg.relations.get(index)?.index.as_ref()?;
    let at = form.columns.iter().position(|column| Some(&column.attnum) == columns_to.get(n))?;
    Some(at as i32 + 1)
}

pub(super) fn constraint_column_usage_columns(_: u32) -> Columns {
    let mut columns = texts(&["table_catalog", "table_schema", "table_name", "column_name"]);
    columns.extend(texts(&["constraint_catalog", "constraint_schema", "constraint_name"]));
    columns
}

/// The columns that constraints are about: of a foreign key those that it refers to.
pub(super) fn constraint_column_usage(db: &mut Database) -> Result<Rows, SqlError> {
    let mut rows = Rows::new();
    for OfTable { class, table, constraint } in all(db) {
        let name = db.cluster.catalog.constraint_name(constraint);
        let (of, relation, columns) = match constraint {
            Constraint::Foreign { table: to, columns_to, .. } => {
                let found = db.cluster.catalog.class(*to).zip(db.cluster.pg.relations.get(to));
                let Some((of, relation)) = found else { continue };
                (of.as_ref(), relation.as_ref(), columns_to.clone())
            }
            Constraint::Check { columns, .. } => (class, table, columns.clone()),
            Constraint::NotNull { column, .. } => (class, table, Vec::from([*column])),
            Constraint::Index(_) => (class, table, key_columns(db, constraint).unwrap_or_default()),
        };
        for column in columns {
            let its = [DATABASE, &of.schema, &of.name, column_name(relation, column)];
            rows.push(row(&[&its[..], &[DATABASE, &class.schema, name]].concat()));
        }
    }
    Ok(rows)
}

pub(super) fn referential_constraints_columns(_: u32) -> Columns {
    let mut columns = texts(&["constraint_catalog", "constraint_schema", "constraint_name"]);
    columns.extend(texts(&["unique_constraint_catalog", "unique_constraint_schema", "unique_constraint_name"]));
    columns.extend(texts(&["match_option", "update_rule", "delete_rule"]));
    columns
}

/// Foreign keys, with the key that each refers to: nothing where that is an index without a constraint.
pub(super) fn referential_constraints(db: &mut Database) -> Result<Rows, SqlError> {
    let mut rows = Rows::new();
    for OfTable { class, constraint, .. } in all(db) {
        let Constraint::Foreign { table: to, index, actions, .. } = constraint else { continue };
        let mut columns = row(&[DATABASE, &class.schema, db.cluster.catalog.constraint_name(constraint)]);
        let key = Constraint::Index(*index);
        let of = db.cluster.catalog.class(*to).filter(|to| to.constraints.contains(&key));
        columns.extend(match of {
            Some(of) => row(&[DATABASE, &of.schema, db.cluster.catalog.constraint_name(&key)]),
            None => [Value::Null, Value::Null, Value::Null].to_vec(),
        });
        let option = if actions.full { "FULL" } else { "NONE" };
        columns.extend(row(&[option, rule(actions.update), rule(actions.delete)]));
        rows.push(columns);
    }
    Ok(rows)
}

const fn rule(action: ForeignAction) -> &'static str {
    match action {
        ForeignAction::NoAction => "NO ACTION",
        ForeignAction::Restrict => "RESTRICT",
        ForeignAction::Cascade => "CASCADE",
        ForeignAction::SetNull => "SET NULL",
        ForeignAction::SetDefault => "SET DEFAULT",
    }
}
