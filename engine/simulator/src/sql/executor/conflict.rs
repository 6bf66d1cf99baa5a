//! ON CONFLICT: is there a row with the same key, or one that may become one (`ExecCheckIndexConstraints`,
//! src/backend/executor/execIndexing.c)?

use super::index::OpenIndex;
use crate::access::gist::{Gist, GistEntry};
use crate::access::heap::scan::heap_index_fetch_check;
use crate::access::heap::visibility::Snapshot;
use crate::access::nbtree::{IndexBounds, IndexScan};
use crate::sql::tcop::Database;
use crate::storage::{Outcome, RelationData, Stop, WaitFor};
use alloc::format;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::{ItemPointer, OffsetNumber, Oid};

/// The place of a row that has the same key in one of the indexes that decide.
///
/// # Errors
/// [`Stop::Wait`] for a transaction that inserts or deletes such a row.
pub(super) fn find_conflict(
    db: &mut Database,
    table: &RelationData,
    indexes: &mut [OpenIndex],
    arbiters: &[Oid],
    values: &[Value],
) -> Outcome<Option<ItemPointer>> {
    for index in indexes.iter_mut().filter(|index| arbiters.contains(&index.relation.oid)) {
        if !index.is_immediate() {
            let what = "deferrable unique constraints/exclusion constraints as arbiters";
            return Err(SqlError::new("55000", format!("ON CONFLICT does not support {what}")).into());
        }
        let n_keys = index.relation.index.as_ref().map_or(0, |form| form.n_keys.into());
        let Some(key) = index.entry(db, values)?.map(|entry| entry[..n_keys].to_vec()) else { continue };
        let compares_nulls = index.relation.index.as_ref().is_some_and(|form| form.nulls_not_distinct);
        if !compares_nulls && key.iter().any(Value::is_null) {
            continue;
        }
        if index.is_gist() {
            let entry = GistEntry { values: key, tid: ItemPointer { block: u32::MAX, offset: OffsetNumber(0) } };
            match Gist::new(&mut db.cluster.pg, &index.relation).find_conflict(&entry)? {
                Some(found) => return Ok(Some(found)),
                None => continue,
            }
        }
        let pg = &mut db.cluster.pg;
        let mut scan = IndexScan::new(IndexBounds::equal(&key), false);
        let mut found = None;
        while let Some(tid) = scan.next(pg, &index.relation)? {
            let search = heap_index_fetch_check(pg, table, tid, Snapshot::Dirty)?;
            if search.all_dead {
                scan.kill_prior();
            }
            if let Some(tid) = search.found {
                let running = search.running.xmin.or(search.running.xmax).filter(|xid| !pg.is_current_xid(*xid));
                found = Some((tid, running));
                break;
            }
        }
        scan.end(pg, &index.relation);
        match found {
            Some((_, Some(running))) => return Err(Stop::Wait(WaitFor::Transaction(running))),
            Some((tid, None)) => return Ok(Some(tid)),
            None => {}
        }
    }
    Ok(None)
}
