//! CREATE, DROP and REINDEX INDEX CONCURRENTLY: the same in several transactions, between which others may write
//! (`DefineIndex`, `ReindexRelationConcurrently`, src/backend/commands/indexcmds.c; `index_drop`,
//! `index_concurrently_build`, `validate_index`, src/backend/catalog/index.c).
//!
//! ```text
//!  CREATE    it is there ─▶ built of what a snapshot sees, ready ─▶ what is missing is added ─▶ valid
//!  REINDEX   the same with another index ─▶ names are exchanged ─▶ the old one is dead ─▶ and gone
//!  DROP      not valid ─▶ dead ─▶ gone
//!
//!  ─▶ is a COMMIT, and a wait for others
//! ```
//!
//! An index that cannot be built, as its keys are not unique, stays as it was made: nobody reads it or writes to it.
//!
//! Where others have a transaction open, which might be waited for, they are refused.

use super::create_index::{build_new, define};
use super::create_like::{copy_expressions, index_spec};
use super::ddl::find_table;
use super::reindex::{find, set_invalid};
use super::rewrite::scan_rows;
use super::vacuum::not_in_block;
use crate::access::nbtree::Index;
use crate::cluster::ddl::IndexSpec;
use crate::sql::ast::{CreateIndex, Drop, IndexMethod, RangeVar, Reindex};
use crate::sql::catalog::dependency;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::index::{BuildOf, build};
use crate::sql::tcop::Database;
use crate::storage::Stop;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// CREATE INDEX CONCURRENTLY.
pub(super) fn create_index(db: &mut Database, create: &CreateIndex) -> Result<String, SqlError> {
    find_table(db, &create.table)?;
    check(db, "CREATE INDEX CONCURRENTLY", Some(&create.table))?;
    if create.method != IndexMethod::Btree {
        return Err(SqlError::new(NOT_SIMULATED, "CREATE INDEX CONCURRENTLY of this type is not supported"));
    }
    if let Some(index) = define(db, create)? {
        build_in_turns(db, index)?;
    }
    Ok("CREATE INDEX".to_string())
}

/// REINDEX INDEX and TABLE CONCURRENTLY; what a table has are its indexes, then that of its TOAST table.
pub(super) fn reindex(db: &mut Database, reindex: &Reindex) -> Result<String, SqlError> {
    check(db, "REINDEX CONCURRENTLY", Some(&reindex.name))?;
    let old = if reindex.index {
        Vec::from([find(db, &reindex.name, RelKind::Index, "an index")?])
    } else {
        let table = find(db, &reindex.name, RelKind::Table, "a table or materialized view")?;
        let table = db.cluster.pg.relation(table)?;
        let toast = table.toast.map(|toast| db.cluster.pg.relation(toast)).transpose()?;
        let of_toast = toast.iter().flat_map(|toast| toast.indexes.iter());
        table.indexes.iter().chain(of_toast).copied().collect()
    };
    let pairs = old.into_iter().map(|old| define_copy(db, old)).collect::<Result<Vec<_>, _>>()?;
    if pairs.is_empty() {
        return Ok("REINDEX".to_string());
    }
    for pair in pairs.iter().filter(|pair| !can_build(db, pair.new)).map(|pair| pair.new).collect::<Vec<_>>() {
        set_invalid(db, pair, true);
    }
    next_transaction(db)?;
    for pair in &pairs {
        build_ready(db, pair.new)?;
        next_transaction(db)?;
    }
    for pair in &pairs {
        validate(db, pair.new)?;
        next_transaction(db)?;
    }
    // `index_concurrently_swap`
    db.cluster.pg.current_xid();
    for Copy { old, new, table, name } in &pairs {
        db.cluster.rename_relation(*old, &format!("{name}_ccold"));
        db.cluster.rename_relation(*new, name);
        db.cluster.swap_constraints(*table, *old, *new);
    }
    next_transaction(db)?;
    // `index_concurrently_set_dead`
    db.cluster.pg.current_xid();
    next_transaction(db)?;
    for Copy { old, .. } in &pairs {
        db.cluster.pg.tell_of_lock();
        db.cluster.drop_relation(*old);
    }
    Ok("REINDEX".to_string())
}

/// An index, and the one that takes its place.
struct Copy {
    old: Oid,
    new: Oid,
    table: Oid,
    name: String,
}

/// `index_concurrently_create_copy`
fn define_copy(db: &mut Database, old: Oid) -> Result<Copy, SqlError> {
    let data = db.cluster.pg.relation(old)?;
    let Some(form) = data.index.clone().filter(|form| form.is_btree()) else {
        let message = "REINDEX CONCURRENTLY of an index that is no B-tree is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    };
    let table = db.cluster.pg.relation(form.table)?;
    let spec = index_spec(db, &table, &data)?;
    let new = db.cluster.define_index(&IndexSpec { name: format!("{}_ccnew", data.name), ..spec });
    copy_expressions(db, old, new, form.columns.len());
    Ok(Copy { old, new, table: form.table, name: data.name.to_string() })
}

/// DROP INDEX CONCURRENTLY, until the index is dropped as any other.
pub(super) fn before_drop(db: &mut Database, drop: &Drop) -> Result<(), SqlError> {
    let unknown = |what: &str| SqlError::new("0A000", format!("DROP INDEX CONCURRENTLY does not support {what}"));
    check(db, "DROP INDEX CONCURRENTLY", drop.names.first())?;
    let [name] = &drop.names[..] else { return Err(unknown("dropping multiple objects")) };
    if drop.cascade {
        return Err(unknown("CASCADE"));
    }
    // what is not there the other part says
    let Some(index) = db.find(name) else { return Ok(()) };
    if !db.cluster.catalog.class(index).is_some_and(|class| class.kind == RelKind::Index) {
        return Ok(());
    }
    dependency::check_drop_index(db, index)?;
    for _ in ["not valid any more", "dead"] {
        db.cluster.pg.current_xid();
        next_transaction(db)?;
    }
    db.cluster.pg.tell_of_lock();
    Ok(())
}

pub(super) fn check(db: &Database, what: &str, of: Option<&RangeVar>) -> Result<(), SqlError> {
    not_in_block(db, what)?;
    // a server does it as without the word, in one transaction
    if of.and_then(|name| db.find(name)).is_some_and(|relation| db.cluster.is_temporary(relation)) {
        return Err(SqlError::new(NOT_SIMULATED, format!("{what} of a temporary table is not supported")));
    }
    let me = db.cluster.pg.me;
    let others = db.cluster.pg.backends.iter().enumerate().filter(|(session, _)| *session != me);
    if others.map(|(_, backend)| backend).any(|backend| backend.xact.is_some()) {
        let message = format!("{what} while another session has a transaction open is not supported");
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    Ok(())
}

/// COMMIT, and on in a transaction of its own.
pub(super) fn next_transaction(db: &mut Database) -> Result<(), SqlError> {
    db.cluster.end_statement()?;
    db.cluster.pg.start_transaction(false);
    Ok(())
}

/// From an index that is defined to one that is valid but for the COMMIT.
fn build_in_turns(db: &mut Database, index: Oid) -> Result<(), SqlError> {
    if !can_build(db, index) {
        set_invalid(db, index, true);
    }
    next_transaction(db)?;
    build_ready(db, index)?;
    next_transaction(db)?;
    validate(db, index)?;
    next_transaction(db)?;
    db.cluster.pg.current_xid();
    Ok(())
}

/// Can the index be built? One that cannot stays, and is not valid.
fn can_build(db: &Database, index: Oid) -> bool {
    build_new(&mut db.clone(), index).is_ok()
}

/// `index_concurrently_build`
fn build_ready(db: &mut Database, index: Oid) -> Result<(), SqlError> {
    read_all(db, index)?;
    build(db, index, BuildOf::Concurrent).map_err(no_wait)?;
    db.cluster.pg.current_xid();
    Ok(())
}

/// `validate_index`: which rows does it have, and which has the table?
fn validate(db: &mut Database, index: Oid) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(index)?;
    Index::new(&mut db.cluster.pg, &relation).bulk_delete(&|_| false);
    read_all(db, index)
}

/// The table of the index is read with a snapshot, which prunes its pages.
fn read_all(db: &mut Database, index: Oid) -> Result<(), SqlError> {
    let Some(table) = db.cluster.pg.relation(index)?.index.as_ref().map(|form| form.table) else { return Ok(()) };
    let table = db.cluster.pg.relation(table)?;
    db.cluster.take_snapshot();
    scan_rows(db, &table, |_, _| Ok(())).map_err(no_wait)
}

fn no_wait(stop: Stop) -> SqlError {
    match stop {
        Stop::Error(error) => error,
        Stop::Wait(_) => SqlError::new("XX000", "an index that is built waits for a row"),
    }
}
