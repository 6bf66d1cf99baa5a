//! ALTER TABLE … INHERIT and NO INHERIT (`ATExecAddInherit`, `MergeAttributesIntoExisting`,
//! `MergeConstraintsIntoExisting`, `RemoveInheritance`, src/backend/commands/tablecmds.c).

use super::rebased;
use crate::cluster::inherit::{Inheritance, Inherited};
use crate::cluster::pg_class::Constraint;
use crate::sql::ast::RangeVar;
use crate::sql::commands::ddl::find_table;
use crate::sql::commands::partition::{find_any_table, refuse};
use crate::sql::tcop::Database;
use crate::storage::RelationData;
use crate::version::SqlBehaviour;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// INHERIT.
pub(in crate::sql::commands) fn inherit(db: &mut Database, table: Oid, name: &RangeVar) -> Result<(), SqlError> {
    let (parent, child) = (db.cluster.pg.relation(find_any_table(db, name)?)?, db.cluster.pg.relation(table)?);
    check_kinds(db, &parent, &child)?;
    if db.cluster.catalog.inheritors(table).contains(&parent.oid) {
        let error = SqlError::new("42P07", "circular inheritance not allowed");
        return Err(error.with_detail(format!("\"{}\" is already a child of \"{}\".", parent.name, child.name)));
    }
    if db.cluster.catalog.parents(table).contains(&parent.oid) {
        let message = format!("relation \"{}\" would be inherited from more than once", parent.name);
        return Err(SqlError::new("42P07", message));
    }
    let columns = merge_columns(db, &parent, &child)?;
    let constraints = merge_constraints(db, &parent, &child)?;
    db.cluster.edit_inheritance(table, |inheritance| {
        for attnum in columns {
            inheritance.columns.entry(attnum).or_insert(Inherited::LOCAL).count += 1;
        }
        for name in constraints {
            inheritance.constraints.entry(name).or_insert(Inherited::LOCAL).count += 1;
        }
    });
    db.cluster.store_inheritance(table, parent.oid);
    db.cluster.use_commands(1);
    Ok(())
}

fn check_kinds(db: &Database, parent: &RelationData, child: &RelationData) -> Result<(), SqlError> {
    let catalog = &db.cluster.catalog;
    let wrong = |message: String| Err(SqlError::new("42809", message));
    if catalog.partition_parent(child.oid).is_some() {
        return wrong(String::from("cannot change inheritance of a partition"));
    }
    if catalog.partition_key(child.oid).is_some() {
        return wrong(String::from("cannot change inheritance of partitioned table"));
    }
    if db.cluster.is_temporary(parent.oid) && !db.cluster.is_temporary(child.oid) {
        return wrong(format!("cannot inherit from temporary relation \"{}\"", parent.name));
    }
    if catalog.partition_key(parent.oid).is_some() {
        return wrong(format!("cannot inherit from partitioned table \"{}\"", parent.name));
    }
    if catalog.partition_parent(parent.oid).is_some() {
        return wrong(String::from("cannot inherit from a partition"));
    }
    let has_domains = |oid: Oid| catalog.class(oid).is_some_and(|class| !class.domains.is_empty());
    match has_domains(parent.oid) || has_domains(child.oid) {
        true => Err(refuse("inheriting where there are columns of domains")),
        false => Ok(()),
    }
}

/// The child's numbers of the parent's columns.
fn merge_columns(db: &Database, parent: &RelationData, child: &RelationData) -> Result<Vec<u16>, SqlError> {
    let wrong = |message: String| Err(SqlError::new("42804", message));
    let is_generated = |oid: Oid, attnum: u16| {
        let class = db.cluster.catalog.class(oid);
        class.and_then(|class| class.defaults.get(usize::from(attnum - 1))).is_some_and(|it| it.is_generated())
    };
    let mut found = Vec::new();
    for column in parent.desc.attributes().iter().filter(|column| !column.dropped) {
        let own = child.desc.attributes().iter().find(|own| !own.dropped && own.name == column.name);
        let Some(own) = own else { return wrong(format!("child table is missing column \"{}\"", column.name)) };
        if (own.typid, own.typmod) != (column.typid, column.typmod) {
            let message = format!("child table \"{}\" has different type for column \"{}\"", child.name, column.name);
            return wrong(message);
        }
        if column.not_null && !own.not_null {
            let is_named = db.cluster.version().names_attached_table();
            let table = if is_named { format!(" \"{}\"", child.name) } else { String::new() };
            return wrong(format!("column \"{}\" in child table{table} must be marked NOT NULL", column.name));
        }
        if is_generated(parent.oid, column.num) || is_generated(child.oid, own.num) {
            return Err(refuse("INHERIT of a table with generated columns"));
        }
        found.push(own.num);
    }
    Ok(found)
}

/// The names of the child's constraints that the parent has too.
fn merge_constraints(db: &mut Database, parent: &RelationData, child: &RelationData) -> Result<Vec<String>, SqlError> {
    let names: Vec<String> = child.desc.attributes().iter().map(|column| column.name.clone()).collect();
    let constraints = db.cluster.catalog.class(parent.oid).map(|class| class.constraints.clone()).unwrap_or_default();
    let mut found = Vec::new();
    for constraint in constraints {
        match constraint {
            Constraint::Check { name, expr, no_inherit: false, .. } => {
                let wrong = |message: String| Err(SqlError::new("42804", message));
                let Some(Constraint::Check { expr: own, no_inherit, validated, .. }) =
                    db.cluster.find_constraint(child.oid, &name)
                else {
                    return wrong(format!("child table is missing constraint \"{name}\""));
                };
                let expr = rebased(db, expr, parent, &names)?;
                if db.stored_condition(child, expr) != db.stored_condition(child, own) {
                    let what = format!("child table \"{}\" has different definition", child.name);
                    return wrong(format!("{what} for check constraint \"{name}\""));
                }
                if no_inherit {
                    let what = format!("constraint \"{name}\" conflicts with non-inherited constraint");
                    return Err(SqlError::new("42P17", format!("{what} on child table \"{}\"", child.name)));
                }
                if !validated {
                    return Err(refuse("INHERIT of a table with a CHECK that is NOT VALID"));
                }
                found.push(name);
            }
            Constraint::NotNull { column, .. } => {
                let column = parent.desc.attributes().get(usize::from(column - 1)).map_or("", |column| &column.name);
                let place = names.iter().position(|name| name == column).map_or(0, |place| place as u16 + 1);
                if let Some(Constraint::NotNull { name, .. }) = db.cluster.find_not_null(child.oid, place) {
                    found.push(name.clone());
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// NO INHERIT.
pub(in crate::sql::commands) fn no_inherit(db: &mut Database, table: Oid, name: &RangeVar) -> Result<(), SqlError> {
    let (parent, child) = (db.cluster.pg.relation(find_table(db, name)?)?, db.cluster.pg.relation(table)?);
    if db.cluster.catalog.partition_parent(table).is_some() {
        return Err(SqlError::new("42809", "cannot change inheritance of a partition"));
    }
    if !db.cluster.catalog.parents(table).contains(&parent.oid) {
        let message = format!("relation \"{}\" is not a parent of relation \"{}\"", parent.name, child.name);
        return Err(SqlError::new("42P01", message));
    }
    let of_parent = |name: &str| parent.desc.attributes().iter().any(|column| !column.dropped && column.name == name);
    let own = child.desc.attributes().iter();
    let columns: Vec<u16> = own.filter(|column| of_parent(&column.name)).map(|column| column.num).collect();
    let mut constraints = Vec::new();
    let class = db.cluster.catalog.class(parent.oid);
    for constraint in class.map_or(&[][..], |class| &class.constraints) {
        match constraint {
            Constraint::Check { name, no_inherit: false, .. } => constraints.push(name.clone()),
            Constraint::NotNull { column, .. } => {
                let name = parent.desc.attributes().get(usize::from(column - 1)).map_or("", |column| &column.name);
                let own = child.desc.attributes().iter().find(|own| own.name == *name);
                if let Some(Constraint::NotNull { name, .. }) =
                    own.and_then(|own| db.cluster.find_not_null(table, own.num))
                {
                    constraints.push(name.clone());
                }
            }
            _ => {}
        }
    }
    db.cluster.drop_inheritance(table, parent.oid);
    db.cluster.edit_inheritance(table, |inheritance| {
        let Inheritance { columns: known, constraints: named, .. } = inheritance;
        columns.iter().for_each(|attnum| leave(known, attnum));
        constraints.iter().for_each(|name| leave(named, name));
    });
    db.cluster.use_commands(1);
    Ok(())
}

/// One parent less has it; what no parent has is the table's own.
fn leave<K: Ord>(known: &mut BTreeMap<K, Inherited>, key: &K) {
    if let Some(inherited) = known.get_mut(key) {
        inherited.count -= 1;
        if inherited.count == 0 {
            known.remove(key);
        }
    }
}
