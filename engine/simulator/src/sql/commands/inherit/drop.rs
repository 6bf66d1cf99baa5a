//! DROP TABLE of one that others inherit from (`reportDependentObjects`, src/backend/catalog/dependency.c).
//!
//! ```text
//!  the table ◀── its sequences ◀── defaults that children have from it, and keep when they inherit no more
//!            ◀── children      ◀── theirs
//! ```

use crate::cluster::ddl::quote_identifier;
use crate::cluster::pg_class::ColumnDefault;
use crate::sql::ast::Expr;
use crate::sql::catalog::dependency::calls;
use crate::sql::tcop::Database;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// Children, and defaults that come from the sequences of these tables: they go with CASCADE only.
///
/// # Errors
/// PostgreSQL's, where one would be left.
pub(in crate::sql::commands) fn drop_children(db: &mut Database, gone: &[Oid], cascade: bool) -> Result<(), SqlError> {
    let all: Vec<Oid> = gone.iter().flat_map(|table| db.cluster.catalog.inheritors(*table)).collect();
    let defaults = defaults_from(db, &all);
    if cascade {
        for (table, column, _) in defaults {
            db.cluster.replace_default(table, column, ColumnDefault::Null);
        }
        return Ok(());
    }
    let mut lines: Vec<String> = defaults.into_iter().map(|(.., line)| line).collect();
    for table in gone {
        let mut found = Vec::new();
        add_children(db, *table, &mut found);
        for (child, parent) in found.into_iter().rev().filter(|(child, _)| !gone.contains(child)) {
            lines.push(format!("table {} depends on table {}", db.regclass_out(child), db.regclass_out(parent)));
        }
    }
    if lines.is_empty() {
        return Ok(());
    }
    let message = match gone {
        [table] => format!("cannot drop table {} because other objects depend on it", db.regclass_out(*table)),
        _ => String::from("cannot drop desired object(s) because other objects depend on them"),
    };
    Err(SqlError::new("2BP01", message).with_detail(lines.join("\n")))
}

/// Found from the youngest on, each once and behind what depends on it; told the other way round.
fn add_children(db: &Database, table: Oid, found: &mut Vec<(Oid, Oid)>) {
    let children: Vec<Oid> =
        db.cluster.catalog.classes().filter(|class| class.inherits_from(table)).map(|class| class.oid).collect();
    for child in children.into_iter().rev() {
        if !found.iter().any(|(known, _)| *known == child) {
            add_children(db, child, found);
            found.push((child, table));
        }
    }
}

/// Columns, from 0, of tables that stay, whose defaults come from sequences of those that go.
fn defaults_from(db: &Database, gone: &[Oid]) -> Vec<(Oid, usize, String)> {
    let mut found = Vec::new();
    for sequence in gone.iter().flat_map(|table| db.cluster.sequences_of(*table)) {
        let Some(named) = db.cluster.catalog.class(sequence) else { continue };
        let qualified = format!("{}.{}", quote_identifier(&named.schema), quote_identifier(&named.name));
        for class in db.cluster.catalog.classes().filter(|class| !gone.contains(&class.oid)) {
            let Ok(relation) = db.cluster.pg.relation(class.oid) else { continue };
            for (n, default) in class.defaults.iter().enumerate() {
                let ColumnDefault::Expr(id) = default else { continue };
                let is_named = |expr: &Expr| calls(expr, &named.name) || calls(expr, &qualified);
                if !db.expressions.get(*id).is_some_and(|stored| is_named(&stored.expr)) {
                    continue;
                }
                let column = relation.desc.attributes().get(n).map_or("", |column| &column.name);
                let what = format!("default value for column {column} of table {}", db.regclass_out(class.oid));
                found.push((class.oid, n, format!("{what} depends on sequence {}", db.regclass_out(sequence))));
            }
        }
    }
    found
}
