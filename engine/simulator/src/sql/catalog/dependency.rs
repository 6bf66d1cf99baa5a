//! What hangs on a table by foreign keys, and keeps it from going (`reportDependentObjects`,
//! src/backend/catalog/dependency.c; `heap_truncate_check_FKs`, src/backend/catalog/heap.c).

use crate::cluster::Class;
use crate::cluster::pg_class::{ColumnDefault, Constraint};
use crate::sql::ast::{Expr, ExprNode, Literal};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::generated::computed_of;
use crate::sql::tcop::Database;
use crate::storage::RelationData;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// A foreign key of a table that is not among those that go: its name, its table's oid and name, and the oid and name
/// of what it refers to.
struct Reference {
    name: String,
    from: (Oid, String),
    to: (Oid, String),
}

fn references(db: &Database, gone: &[Oid]) -> Vec<Reference> {
    let mut found = Vec::new();
    for class in db.cluster.catalog.classes().filter(|class| !gone.contains(&class.oid)) {
        for constraint in &class.constraints {
            if let Constraint::Foreign { name, table, .. } = constraint
                && gone.contains(table)
                && let Some(to) = db.cluster.catalog.class(*table)
            {
                let (from, to) = ((class.oid, class.name.clone()), (*table, to.name.clone()));
                found.push(Reference { name: name.clone(), from, to });
            }
        }
    }
    found
}

/// DROP TABLE: foreign keys of other tables go with CASCADE.
///
/// # Errors
/// PostgreSQL's, where one would be left.
pub(in crate::sql) fn drop_references(db: &mut Database, gone: &[Oid], cascade: bool) -> Result<(), SqlError> {
    let found = references(db, gone);
    let Some(first) = found.first() else { return Ok(()) };
    if cascade {
        for Reference { from, to, .. } in found {
            let leads_there = |constraint: &Constraint| match constraint {
                Constraint::Foreign { table, .. } => *table == to.0,
                Constraint::Index(_) | Constraint::Check { .. } | Constraint::NotNull { .. } => false,
            };
            db.cluster.drop_constraints(from.0, leads_there);
        }
        return Ok(());
    }
    let message = match gone {
        [_] => format!("cannot drop table {} because other objects depend on it", first.to.1),
        _ => String::from("cannot drop desired object(s) because other objects depend on them"),
    };
    let line = |it: &Reference| format!("constraint {} on table {} depends on table {}", it.name, it.from.1, it.to.1);
    let lines: Vec<String> = found.iter().map(line).collect();
    Err(SqlError::new("2BP01", message).with_detail(lines.join("\n")))
}

/// DROP CONSTRAINT of a key with its index: foreign keys that lead to it go with CASCADE.
///
/// # Errors
/// PostgreSQL's, where one would be left.
pub(in crate::sql) fn drop_references_to_key(
    db: &mut Database,
    table: Oid,
    index: Oid,
    name: &str,
    cascade: bool,
) -> Result<(), SqlError> {
    let leads_there =
        |constraint: &Constraint| matches!(constraint, Constraint::Foreign { index: to, .. } if *to == index);
    let classes = db.cluster.catalog.classes();
    let from: Vec<Arc<Class>> = classes.filter(|class| class.constraints.iter().any(leads_there)).cloned().collect();
    if from.is_empty() {
        return Ok(());
    }
    if cascade {
        from.iter().for_each(|class| db.cluster.drop_constraints(class.oid, leads_there));
        return Ok(());
    }
    let relation = db.cluster.pg.relation(table)?;
    let line = |class: &Class, it: &Constraint| {
        format!("constraint {} on table {} depends on index {name}", db.cluster.catalog.constraint_name(it), class.name)
    };
    let foreign = from.iter().flat_map(|class| class.constraints.iter().map(move |it| (class, it)));
    let lines: Vec<String> = foreign.filter(|(_, it)| leads_there(it)).map(|(class, it)| line(class, it)).collect();
    let what = format!("constraint {name} on table {}", relation.name);
    let error = SqlError::new("2BP01", format!("cannot drop {what} because other objects depend on it"));
    Err(error.with_detail(lines.join("\n")))
}

/// `heap_truncate_find_FKs`: the tables that refer to these and are not among them, by oid.
pub(in crate::sql) fn referring_tables(db: &Database, to: &[Oid]) -> Vec<Oid> {
    let mut found: Vec<Oid> = references(db, to).into_iter().map(|reference| reference.from.0).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// `heap_truncate_check_FKs`, TRUNCATE: tables that refer to these have to be among them. Of one without triggers, to
/// which only foreign keys lead that are not enforced, nobody asks.
///
/// # Errors
/// PostgreSQL's, where one is not.
pub(in crate::sql) fn check_truncate(db: &Database, gone: &[Oid]) -> Result<(), SqlError> {
    let has_triggers = |class: &Arc<Class>| class.stats.has_triggers;
    let is_asked = |it: &Reference| {
        db.cluster.catalog.partition_key(it.to.0).is_some()
            || db.cluster.catalog.class(it.to.0).is_some_and(has_triggers)
    };
    match references(db, gone).iter().find(|it| is_asked(it)) {
        None => Ok(()),
        Some(Reference { from, to, .. }) => {
            let error = SqlError::new("0A000", "cannot truncate a table referenced in a foreign key constraint");
            Err(error.with_detail(format!("Table \"{}\" references \"{}\".", from.1, to.1)))
        }
    }
}

/// DROP INDEX: that of a key goes with its constraint only.
///
/// # Errors
/// PostgreSQL's.
pub(in crate::sql) fn check_drop_index(db: &Database, index: Oid) -> Result<(), SqlError> {
    let is_it = |constraint: &Constraint| *constraint == Constraint::Index(index);
    let mut classes = db.cluster.catalog.classes();
    let Some(table) = classes.find(|class| class.constraints.iter().any(is_it)) else { return Ok(()) };
    let name = db.cluster.catalog.class(index).map_or("", |class| class.name.as_str());
    let message = format!("cannot drop index {name} because constraint {name} on table {} requires it", table.name);
    Err(SqlError::new("2BP01", message))
}

/// DROP SEQUENCE: a column's values may come from it.
///
/// # Errors
/// PostgreSQL's, where they do; with CASCADE it would be the column's default that goes.
pub(in crate::sql) fn check_drop_sequences(db: &Database, gone: &[Oid], cascade: bool) -> Result<(), SqlError> {
    let mut lines = Vec::new();
    for sequence in gone {
        let name = db.cluster.catalog.class(*sequence).map_or("", |class| class.name.as_str());
        for table in db.cluster.catalog.classes() {
            for (default, attnum) in table.defaults.iter().zip(1_u16..) {
                let relation = db.cluster.pg.relation(table.oid)?;
                let column = relation.desc.attributes().get(usize::from(attnum) - 1).map_or("", |column| &column.name);
                let what = format!("column {column} of table {}", table.name);
                let of_expr = |id| db.expressions.get(id).is_some_and(|stored| calls(&stored.expr, name));
                match default {
                    ColumnDefault::Identity { sequence: of, .. } if of == sequence => {
                        let message = format!("cannot drop sequence {name} because {what} requires it");
                        return Err(SqlError::new("2BP01", message));
                    }
                    ColumnDefault::Sequence(of) if of == sequence => {}
                    ColumnDefault::Expr(id) if of_expr(*id) => {}
                    _ => continue,
                }
                lines.push(format!("default value for {what} depends on sequence {name}"));
            }
        }
    }
    if lines.is_empty() {
        return Ok(());
    }
    if cascade {
        return Err(SqlError::new(NOT_SIMULATED, "DROP SEQUENCE … CASCADE of a column's default is not simulated"));
    }
    let message = match gone {
        [one] => {
            let name = db.cluster.catalog.class(*one).map_or("", |class| class.name.as_str());
            format!("cannot drop sequence {name} because other objects depend on it")
        }
        _ => String::from("cannot drop desired object(s) because other objects depend on them"),
    };
    Err(SqlError::new("2BP01", message).with_detail(lines.join("\n")))
}

/// Is the sequence named in the expression?
pub(in crate::sql) fn calls(expr: &Expr, sequence: &str) -> bool {
    match &expr.node {
        ExprNode::Function { args, .. } => args.iter().any(|arg| {
            matches!(&arg.node, ExprNode::Literal(Literal::String(name)) if name == sequence) || calls(arg, sequence)
        }),
        ExprNode::Binary(_, left, right) => calls(left, sequence) || calls(right, sequence),
        ExprNode::Cast(inner, _) | ExprNode::Domain(inner, ..) | ExprNode::Minus(inner) => calls(inner, sequence),
        _ => false,
    }
}

/// DROP COLUMN, from 0, with the generated columns that are computed of it, which before 15 go without being asked for,
/// and with CASCADE the keys of other tables that refer to it.
///
/// # Errors
/// PostgreSQL's, where something depends on it.
pub(in crate::sql) fn drop_column(db: &mut Database, table: Oid, column: usize, cascade: bool) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let attnum = column as u16 + 1;
    if !cascade {
        let name = relation.desc.attributes().get(column).map_or("", |column| &column.name);
        let mut lines = generated_lines(db, &relation, column)?;
        lines.extend(references_to_column(db, &relation, attnum).map(|(_, line)| line));
        if !lines.is_empty() {
            let what = format!("column {name} of table {}", relation.name);
            let error = SqlError::new("2BP01", format!("cannot drop {what} because other objects depend on it"));
            return Err(error.with_detail(lines.join("\n")));
        }
    }
    for generated in computed_of(db, &relation, column)?.into_iter().rev() {
        drop_column(db, table, generated, true)?;
    }
    let from: Vec<(Oid, Oid)> = references_to_column(db, &relation, attnum).map(|(reference, _)| reference).collect();
    for (from, index) in from {
        let leads_there =
            |constraint: &Constraint| matches!(constraint, Constraint::Foreign { index: to, .. } if *to == index);
        db.cluster.drop_constraints(from, leads_there);
    }
    db.cluster.drop_column(table, column);
    Ok(())
}

/// What the error says of generated columns that are computed of a column, from 0; before 15 they go with it.
pub(in crate::sql) fn generated_lines(
    db: &Database,
    relation: &RelationData,
    column: usize,
) -> Result<Vec<String>, SqlError> {
    if !db.cluster.version().keeps_generated_columns() {
        return Ok(Vec::new());
    }
    let name = |column: usize| relation.desc.attributes().get(column).map_or("", |column| &column.name);
    let line = |generated: usize| {
        let table = &relation.name;
        format!("column {} of table {table} depends on column {} of table {table}", name(generated), name(column))
    };
    Ok(computed_of(db, relation, column)?.into_iter().map(line).collect())
}

/// Foreign keys that lead to a key with this column: from which table to which index, and what the error says.
fn references_to_column(
    db: &Database,
    relation: &RelationData,
    attnum: u16,
) -> impl Iterator<Item = ((Oid, Oid), String)> {
    let has_column = |index: Oid| db.cluster.catalog.class(index).is_some_and(|class| class.depends.contains(&attnum));
    let column = relation.desc.attributes().get(usize::from(attnum - 1)).map_or("", |column| &column.name);
    let what = format!("column {column} of table {}", relation.name);
    let mut found = Vec::new();
    for class in db.cluster.catalog.classes() {
        for constraint in &class.constraints {
            let Constraint::Foreign { name, table: to, index, .. } = constraint else { continue };
            if *to == relation.oid && has_column(*index) && class.oid != relation.oid {
                let line = format!("constraint {name} on table {} depends on {what}", class.name);
                found.push(((class.oid, *index), line));
            }
        }
    }
    found.into_iter()
}
