//! ALTER TABLE that writes all rows anew (`ATRewriteTable`, src/backend/commands/tablecmds.c; `finish_heap_swap`, src/backend/commands/cluster.c).
//!
//! ```text
//!  old file ── rows that are visible now, in their order, with the new columns' values ──▶ new file, new TOAST table ──▶ indexes anew
//! ```

use super::Database;
use super::alter::find_column;
use super::index::BuildOf;
use super::reindex::reindex_index;
use super::row::{eval, forget_dropped, read_row};
use crate::access::heap::scan::HeapScan;
use crate::access::heap::{BulkInsertState, InsertOptions, heap_insert};
use crate::sql::expr::Typed;
use crate::storage::{Outcome, RelationData, Stop};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::{FormedTuple, SqlError, Value};
use ffviz_format::page::{ItemPointer, Oid};

/// A column that is new, and the value that each row is to have in it.
#[derive(Debug)]
pub(super) struct NewColumn {
    pub name: String,
    pub value: Typed,
    /// OIDs that it uses up
    pub oids: usize,
    /// of serial and identity
    pub sequence: Option<Oid>,
}

/// Writes the table anew.
///
/// # Errors
/// What the values raise; a NULL where there may be none.
pub(super) fn rewrite(db: &mut Database, table: Oid, new: &[NewColumn]) -> Result<(), SqlError> {
    let no_wait = |stop| match stop {
        Stop::Error(error) => error,
        Stop::Wait(on) => SqlError::new("XX000", format!("ALTER TABLE met a row of {on}")),
    };
    let columns: Result<Vec<usize>, SqlError> = new.iter().map(|column| find_column(db, table, &column.name)).collect();
    let columns = columns?;
    let (before, behind) = oids(new);
    let old = db.cluster.begin_rewrite(table, before)?;
    copy_rows(db, table, &old, new, &columns).map_err(no_wait)?;
    let sequences: Vec<Oid> = new.iter().filter_map(|column| column.sequence).collect();
    db.cluster.swap_rewritten(&old, &sequences);
    old.indexes.iter().try_for_each(|index| reindex_index(db, *index, BuildOf::Reindex))?;
    db.cluster.end_rewrite(&old, behind);
    Ok(())
}

/// How many OIDs the columns use up before the new files have their numbers, and behind. A script's `--@ oid` is that of the first relation: where that
/// is a sequence, its column and those behind it come before the files; else none may.
fn oids(new: &[NewColumn]) -> (usize, usize) {
    let sum = |columns: &[NewColumn]| columns.iter().map(|column| column.oids).sum();
    match new.iter().position(|column| column.sequence.is_some()) {
        Some(first) => (sum(&new[first..]), 0),
        None => (0, sum(new)),
    }
}

fn copy_rows(db: &mut Database, table: Oid, old: &RelationData, new: &[NewColumn], columns: &[usize]) -> Outcome<()> {
    let (relation, cid) = (db.cluster.pg.relation(table)?, db.cluster.pg.current_command_id());
    let snapshot = db.cluster.pg.get_snapshot();
    let options = InsertOptions { skip_fsm: true, ..InsertOptions::NONE };
    let (mut bistate, mut tuple) = (BulkInsertState::new(), FormedTuple::default());
    let mut scan = HeapScan::new(&db.cluster.pg, old);
    while let Some((buf, offsets)) = scan.next_page(&mut db.cluster.pg, old, &snapshot)? {
        for offset in offsets {
            db.cluster.pg.interrupt.check()?;
            let Some(row) = read_row(db, old, ItemPointer { block: buf.block, offset }) else { continue };
            let mut values = row.values;
            forget_dropped(&relation, &mut values);
            for (column, NewColumn { value, .. }) in columns.iter().zip(new) {
                values[*column] = eval(db, value, &[], &[])?;
            }
            check_not_null(&relation, &values)?;
            tuple.form(&relation.desc, &values);
            heap_insert(&mut db.cluster.pg, &relation, &mut tuple, cid, options, Some(&mut bistate))?;
        }
    }
    scan.end(&mut db.cluster.pg);
    bistate.release(&mut db.cluster.pg);
    Ok(())
}

fn check_not_null(relation: &RelationData, values: &[Value]) -> Result<(), SqlError> {
    let columns = relation.desc.attributes().iter().zip(values);
    match columns.into_iter().find(|(column, value)| column.not_null && !column.dropped && value.is_null()) {
        None => Ok(()),
        Some((column, _)) => {
            let (column, table) = (&column.name, &relation.name);
            let message = format!("column \"{column}\" of relation \"{table}\" contains null values");
            Err(SqlError::new("23502", message))
        }
    }
}
