//! REINDEX: each index gets a new file, and is built anew from the rows of its table (`ReindexTable`,
//! src/backend/commands/indexcmds.c; `reindex_relation`, `reindex_index`, src/backend/catalog/index.c).

use super::concurrent;
use super::partition::{plain_kind, refuse};
use crate::sql::ast::{RangeVar, Reindex};
use crate::sql::executor::index::BuildOf;
use crate::sql::tcop::Database;
use crate::storage::Stop;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// REINDEX TABLE, with the index of its TOAST table; REINDEX INDEX.
pub(in crate::sql) fn reindex(db: &mut Database, reindex: &Reindex) -> Result<String, SqlError> {
    if reindex.concurrently {
        return concurrent::reindex(db, reindex);
    }
    let indexes = if reindex.index {
        Vec::from([find(db, &reindex.name, RelKind::Index, "an index")?])
    } else {
        let table = find(db, &reindex.name, RelKind::Table, "a table or materialized view")?;
        db.cluster.indexes_to_rebuild(table)
    };
    for index in indexes {
        reindex_index(db, index, BuildOf::Reindex)?;
    }
    Ok("REINDEX".to_string())
}

/// `RangeVarGetRelid`, and what kind of relation it has to be.
pub(super) fn find(db: &Database, name: &RangeVar, kind: RelKind, words: &str) -> Result<Oid, SqlError> {
    let relation = db.open(name)?;
    if plain_kind(relation.kind) != relation.kind {
        return Err(refuse("REINDEX of what is partitioned"));
    }
    let wrong = || SqlError::new("42809", format!("\"{}\" is not {words}", name.name));
    (relation.kind == kind).then_some(relation.oid).ok_or_else(wrong)
}

/// `index_set_state_flags`: an index that could not be built, or is at last.
pub(super) fn set_invalid(db: &mut Database, index: Oid, invalid: bool) {
    db.cluster.edit_relation(index, |relation| {
        relation.index.iter_mut().for_each(|form| form.invalid = invalid);
    });
}

/// `reindex_index`; the index is locked against all, that of a TOAST table too.
pub(super) fn reindex_index(db: &mut Database, index: Oid, how: BuildOf) -> Result<(), SqlError> {
    db.cluster.pg.tell_of_lock();
    db.cluster.set_new_file(index);
    match crate::sql::executor::index::build(db, index, how) {
        Ok(()) => {
            // index_update_stats writes into the table's row of pg_class too, so that everybody forgets where rows were
            // put last
            let table = db.cluster.pg.relation(index)?.index.as_ref().map(|form| form.table);
            table.into_iter().for_each(|table| db.cluster.edit_relation(table, |_| {}));
            if db.cluster.pg.relation(index)?.is_invalid() {
                set_invalid(db, index, false);
            }
            Ok(())
        }
        Err(Stop::Error(error)) => Err(error),
        Err(Stop::Wait(on)) => Err(SqlError::new("XX000", format!("REINDEX met a row of {on}"))),
    }
}
