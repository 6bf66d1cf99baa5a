//! DROP TYPE and DROP DOMAIN, with what depends on them (`RemoveObjects`, src/backend/commands/dropcmds.c;
//! `findDependentObjects`, `reportDependentObjects`, src/backend/catalog/dependency.c).

use super::{composite, domain, typecmds};
use crate::cluster::ddl::quote_identifier;
use crate::sql::ast::{ExprNode, RangeVar};
use crate::sql::catalog::dependency;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::enums::mark;
use ffviz_format::datum::{SqlError, type_oid};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// DROP TYPE, of types of any kind, or DROP DOMAIN.
pub(super) fn drop(
    db: &mut Database,
    names: &[RangeVar],
    only_domains: bool,
    if_exists: bool,
    cascade: bool,
) -> Result<(), SqlError> {
    let mut gone: Vec<Oid> = Vec::new();
    for name in names {
        match find(db, name, only_domains) {
            Ok(oid) => gone.extend((!gone.contains(&oid)).then_some(oid)),
            Err(error) if if_exists && matches!(error.sqlstate, "42704" | "3F000") => {}
            Err(error) => return Err(error),
        }
    }
    drop_types(db, &gone, cascade)
}

/// The same of those that are found.
pub(super) fn drop_types(db: &mut Database, gone: &[Oid], cascade: bool) -> Result<(), SqlError> {
    drop_dependents(db, gone, cascade)?;
    for oid in gone.iter().copied() {
        if db.cluster.catalog.domain(oid).is_some() {
            db.cluster.drop_domain(oid);
        } else if db.cluster.catalog.enum_type(oid).is_some() {
            db.cluster.drop_enum(oid);
        } else {
            db.cluster.lock_view();
            db.cluster.drop_composite(oid);
        }
    }
    Ok(())
}

/// `get_object_address_type`
fn find(db: &Database, name: &RangeVar, only_domains: bool) -> Result<Oid, SqlError> {
    if only_domains {
        return Ok(domain::find(db, name, |_| format!("\"{name}\" is not a domain"))?.oid);
    }
    match db.cluster.find_type(name.schema.as_deref(), &name.name) {
        Some(oid) => Ok(oid),
        None => typecmds::find(db, name).map(|ty| ty.oid),
    }
}

/// Columns of the types go with CASCADE; what views do with types is not known here.
fn drop_dependents(db: &mut Database, gone: &[Oid], cascade: bool) -> Result<(), SqlError> {
    let is_used = |oid: &Oid| {
        let is_in_expression = db.expressions.cast_to(*oid) || is_in_default(db, *oid);
        is_in_expression || is_told_by_function(db, *oid) || is_in_view(db, *oid)
    };
    if gone.iter().any(is_used) {
        let message = "DROP of a type that a view, a function or an expression uses is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    let mut columns: Vec<(Oid, u16)> = Vec::new();
    let mut lines = Vec::new();
    for oid in gone.iter().rev() {
        for (relation, attnum) in db.cluster.columns_of_type(*oid) {
            // a composite type that goes too takes its columns along
            let of = db.cluster.catalog.composites().iter().find(|ty| ty.relation == relation);
            if of.is_some_and(|ty| gone.contains(&ty.oid)) {
                continue;
            }
            let (column, place) = match of {
                Some(ty) => (ty.attributes.get(usize::from(attnum) - 1), format!("composite type {}", mark(ty.oid))),
                None => {
                    let relation = db.cluster.pg.relations.get(&relation);
                    let column = relation.and_then(|it| it.desc.attributes().get(usize::from(attnum) - 1));
                    (column, format!("table {}", relation.map_or_else(String::new, |it| db.regclass_out(it.oid))))
                }
            };
            let column = column.map_or_else(String::new, |column| quote_identifier(&column.name));
            lines.push(format!("column {column} of {place} depends on type {}", mark(*oid)));
            columns.push((relation, attnum));
        }
    }
    if lines.is_empty() {
        return Ok(());
    }
    if cascade {
        return columns.into_iter().rev().try_for_each(|(relation, attnum)| drop_column(db, relation, attnum));
    }
    // the relations are locked exclusively, which takes a transaction id
    db.cluster.pg.tell_of_lock();
    let message = match gone {
        [one] => format!("cannot drop type {} because other objects depend on it", mark(*one)),
        _ => String::from("cannot drop desired object(s) because other objects depend on them"),
    };
    Err(SqlError::new("2BP01", message).with_detail(lines.join("\n")))
}

/// Has a column of rows in which the type is a DEFAULT, which casts to it?
fn is_in_default(db: &Database, oid: Oid) -> bool {
    let catalog = &db.cluster.catalog;
    db.cluster.columns_of_type(oid).into_iter().any(|(relation, _)| {
        let Some(of) = catalog.composites().iter().find(|ty| ty.relation == relation) else { return false };
        let has_default = |(table, attnum): (Oid, u16)| {
            let defaults = catalog.class(table).map_or(&[][..], |class| &class.defaults);
            defaults.get(usize::from(attnum) - 1).is_some_and(|default| default.has_row())
        };
        db.cluster.columns_of_type(of.oid).into_iter().any(has_default) || is_in_default(db, of.oid)
    })
}

/// Has a view columns of the type, does it cast to it, or read a table that has columns of it?
fn is_in_view(db: &Database, oid: Oid) -> bool {
    let tables: Vec<Oid> = db.cluster.columns_of_type(oid).into_iter().map(|(relation, _)| relation).collect();
    db.cluster.catalog.views().any(|(_, form)| {
        let Some(view) = db.views.get(form.query as usize) else { return true };
        let mut is_cast = false;
        view.query.clone().visit_mut(&mut |expr| {
            is_cast |= match &expr.node {
                ExprNode::Cast(_, to) => type_oid(to.oid) == oid,
                ExprNode::Domain(_, _, domain) => *domain == oid,
                _ => false,
            };
        });
        is_cast
            || view.types.iter().any(|ty| type_oid(ty.oid) == oid)
            || form.depends.iter().any(|table| tables.contains(table))
    })
}

/// Has a function an argument or a result of the type? A domain there is not told from the type below it.
fn is_told_by_function(db: &Database, oid: Oid) -> bool {
    let catalog = &db.cluster.catalog;
    if catalog.domain(oid).is_some() {
        return catalog.functions().next().is_some();
    }
    db.functions.iter().any(|function| {
        let types =
            function.arguments.iter().map(|(_, ty)| ty.oid).chain(function.columns.iter().map(|(_, ty)| ty.oid));
        function.row_oid == Some(oid) || types.map(type_oid).any(|of| of == oid)
    })
}

/// A column of a table or of a composite type, by `attnum`.
fn drop_column(db: &mut Database, relation: Oid, attnum: u16) -> Result<(), SqlError> {
    let of_type = db.cluster.catalog.composites().iter().find(|ty| ty.relation == relation).map(|ty| ty.oid);
    if let Some(oid) = of_type {
        db.cluster.alter_composite(oid, 1, |ty| composite::drop_attribute(&mut ty.attributes, usize::from(attnum) - 1));
        return Ok(());
    }
    let class = db.cluster.catalog.class(relation);
    let is_alone =
        class.is_some_and(|class| class.partitioning.parent.is_none() && class.kind != RelKind::PartitionedTable);
    if !is_alone || db.cluster.catalog.is_inherited(relation) {
        let message = "DROP TYPE … CASCADE of a column that tables inherit is not supported; drop the column first";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    dependency::drop_column(db, relation, usize::from(attnum) - 1, true)
}
