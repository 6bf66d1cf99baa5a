//! The value at an end of an index, which the planner asks for (`get_actual_variable_endpoint`,
//! src/backend/utils/adt/selfuncs.c).
//!
//! ```text
//!  first entry ─▶ its row is dead to everybody: the entry is killed ─▶ the next one ─▶ … ─▶ its row may be seen by somebody: its value
//! ```
//!
//! Rows whose inserter has not committed count, as they would turn up soon. What is read is treated as by any scan:
//! pages are pruned, hint bits set.

use crate::access::heap::scan::{IndexFetch, heap_index_fetch};
use crate::access::heap::visibility::Snapshot;
use crate::access::nbtree::{IndexBounds, IndexScan};
use crate::sql::catalog::End;
use crate::sql::tcop::Database;
use crate::storage::{Outcome, RelationData, Stop};
use alloc::vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::Oid;

/// `VISITED_PAGES_LIMIT`: after so many pages with nothing but dead rows the planner does without.
const VISITED_PAGES_LIMIT: usize = 100;

/// Its value, where there is one and it is found soon.
pub(super) fn index_end(db: &mut Database, table: Oid, index: Oid, end: End) -> Result<Option<Value>, SqlError> {
    let (table, index) = (db.cluster.pg.relation(table)?, db.cluster.pg.relation(index)?);
    let Some(key) = index.index.as_ref().and_then(|form| form.columns.first()) else { return Ok(None) };
    // the statement is planned under a snapshot
    db.cluster.take_snapshot();
    let beyond = vec![Value::Null];
    let all = IndexBounds { lower_inclusive: true, upper_inclusive: true, ..IndexBounds::default() };
    let bounds = if key.nulls_first {
        IndexBounds { lower: beyond, lower_inclusive: false, ..all }
    } else {
        IndexBounds { upper: beyond, upper_inclusive: false, ..all }
    };
    let mut scan = IndexScan::new(bounds, (end == End::Greatest) != key.desc);
    let mut fetch = IndexFetch::default();
    let found = first_value(db, &table, &index, &mut scan, &mut fetch);
    fetch.end(&mut db.cluster.pg);
    scan.end(&mut db.cluster.pg, &index);
    match found {
        Ok(found) => Ok(found),
        Err(Stop::Error(error)) => Err(error),
        Err(Stop::Wait(_)) => Err(SqlError::new("XX000", "the planner waits for a row")),
    }
}

fn first_value(
    db: &mut Database,
    table: &RelationData,
    index: &RelationData,
    scan: &mut IndexScan,
    fetch: &mut IndexFetch,
) -> Outcome<Option<Value>> {
    let pg = &mut db.cluster.pg;
    let (mut last_block, mut visited) = (None, 0);
    while let Some(tid) = scan.next(pg, index)? {
        if pg.visibilitymap_status(table.file, tid.block) & 1 != 0 {
            return Ok(scan.first_column(pg, index));
        }
        let (found, all_dead) = heap_index_fetch(pg, table, fetch, tid, Snapshot::NonVacuumable)?;
        if found.is_some() {
            return Ok(scan.first_column(pg, index));
        }
        if last_block.replace(tid.block) != Some(tid.block) {
            visited += 1;
            if visited > VISITED_PAGES_LIMIT {
                return Ok(None);
            }
        }
        if all_dead {
            scan.kill_prior();
        }
    }
    Ok(None)
}
