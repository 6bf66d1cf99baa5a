//! SET (…) and RESET (…): storage parameters (`ATExecSetRelOptions`, src/backend/commands/tablecmds.c).

use crate::sql::ast::DefElem;
use crate::sql::commands::ddl::{OptionsOf, RelOptions, kept_options};
use crate::sql::tcop::Database;
use crate::storage::RelationData;
use alloc::string::String;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

pub(super) fn set_options(db: &mut Database, relation: Oid, options: &[DefElem]) -> Result<(), SqlError> {
    let kind = OptionsOf::of(&*db.cluster.pg.relation(relation)?);
    let read = RelOptions::of(kind, options)?;
    kept_options(db, relation, options, &[]);
    let names_deduplication = options.iter().any(|option| option.name == "deduplicate_items");
    db.cluster.alter_options(relation, |relation: &mut RelationData| {
        relation.fillfactor = read.fillfactor.or(relation.fillfactor);
        relation.toast_tuple_target = read.toast_tuple_target.unwrap_or(relation.toast_tuple_target);
        let is_named = |name: &str| options.iter().any(|option| option.name == name);
        if is_named("vacuum_truncate") {
            relation.vacuum.truncate = read.vacuum.truncate;
        }
        if is_named("vacuum_index_cleanup") {
            relation.vacuum.index_cleanup = read.vacuum.index_cleanup;
        }
        if let Some(form) = relation.index.as_mut().filter(|_| names_deduplication) {
            form.deduplicate_items = read.deduplicate_items;
        }
    });
    Ok(())
}

pub(super) fn reset_options(db: &mut Database, relation: Oid, names: &[String]) {
    const DEFAULT_TARGET: u16 = 2032;
    kept_options(db, relation, &[], names);
    let is_reset = |name: &str| names.iter().any(|reset| reset == name);
    db.cluster.alter_options(relation, |relation| {
        if is_reset("fillfactor") {
            relation.fillfactor = None;
        }
        if is_reset("toast_tuple_target") {
            relation.toast_tuple_target = DEFAULT_TARGET;
        }
        if is_reset("vacuum_truncate") {
            relation.vacuum.truncate = None;
        }
        if is_reset("vacuum_index_cleanup") {
            relation.vacuum.index_cleanup = None;
        }
        if let Some(form) = relation.index.as_mut().filter(|_| is_reset("deduplicate_items")) {
            form.deduplicate_items = true;
        }
    });
}
