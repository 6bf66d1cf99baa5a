//! Views as information_schema lists them (src/backend/catalog/information_schema.sql; `relation_is_updatable`,
//! src/backend/rewrite/rewriteHandler.c): may rows be written through them?

use super::Rows;
use super::catalogs::{OID, TEXT};
use crate::sql::ast::{Expr, ExprNode, FromItem, Select, Target};
use crate::sql::catalog::{Catalog, View};
use crate::sql::expr::DATABASE;
use crate::sql::plan::not_updatable;
use crate::sql::tcop::Database;
use alloc::vec::Vec;
use ffviz_format::datum::Value;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// `information_schema.views`; behind its columns stand the views' OIDs.
pub(super) fn columns(_: u32) -> Vec<(&'static str, Oid)> {
    let names = ["table_catalog", "table_schema", "table_name", "view_definition", "check_option", "is_updatable"];
    let others = ["is_insertable_into", "is_trigger_updatable", "is_trigger_deletable", "is_trigger_insertable_into"];
    names.into_iter().chain(others).map(|name| (name, TEXT)).chain([("", OID)]).collect()
}

/// The rows of `information_schema.views`; the text of the query is worked out where it is read.
pub(super) fn rows(db: &Database) -> Rows {
    let row = |(schema, name, is_writable): (&str, &str, bool), view: &View, oid: Oid| {
        let check = match view.check {
            None => "NONE",
            Some(false) => "LOCAL",
            Some(true) => "CASCADED",
        };
        let writable = if is_writable { "YES" } else { "NO" };
        let texts = [DATABASE, schema, name, "", check, writable, writable, "NO", "NO", "NO"].map(Value::text);
        texts.into_iter().chain([Value::Oid(oid)]).collect()
    };
    all(db).map(|(schema, name, view, oid)| row((schema, name, is_writable(db, view)), view, oid)).collect()
}

/// Its views among the rows of `information_schema.tables`.
pub(super) fn of_tables(db: &Database) -> impl Iterator<Item = Vec<Value>> {
    all(db).map(|(schema, name, view, _)| {
        let writable = if is_writable(db, view) { "YES" } else { "NO" };
        [DATABASE, schema, name, "VIEW", writable, "NO"].map(Value::text).to_vec()
    })
}

fn all(db: &Database) -> impl Iterator<Item = (&str, &str, &View, Oid)> {
    db.cluster.catalog.views().filter_map(|((schema, name), form)| {
        let view = db.views.get(form.query as usize)?;
        Some((schema.as_str(), name.as_str(), &**view, form.oid))
    })
}

/// Do its rows stand for those of a table, with a column of it among them?
fn is_writable(db: &Database, view: &View) -> bool {
    let Select { from, targets, .. } = &view.query;
    let [FromItem::Table { name, .. }] = &from[..] else { return false };
    let is_column = |target: &Target| {
        matches!(target, Target::Star(_) | Target::Expr { expr: Expr { node: ExprNode::Column { .. }, .. }, .. })
    };
    not_updatable(&view.query).is_none()
        && targets.iter().any(is_column)
        && match db.view(name) {
            Some(below) => is_writable(db, &below),
            None => matches!(db.kind(name), Some(RelKind::Table | RelKind::PartitionedTable)),
        }
}
