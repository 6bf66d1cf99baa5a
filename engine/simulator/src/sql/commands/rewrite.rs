//! ALTER TABLE that writes all rows anew (`ATRewriteTable`, src/backend/commands/tablecmds.c; `finish_heap_swap`,
//! src/backend/commands/cluster.c).
//!
//! ```text
//!  old file ── rows that are visible now, in their order, with the new columns' values ──▶ new file, new TOAST table ──▶ indexes anew
//! ```

use super::alter::find_column;
use super::constraint::RowCheck;
use super::reindex::reindex_index;
use crate::access::heap::scan::HeapScan;
use crate::access::heap::{BulkInsertState, InsertOptions, heap_insert};
use crate::sql::executor::index::BuildOf;
use crate::sql::executor::row::{eval, forget_dropped, read_row};
use crate::sql::expr::Typed;
use crate::sql::tcop::Database;
use crate::storage::{Outcome, Persistence, RelationData, Stop};
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
    /// of serial and identity
    pub sequence: Option<Oid>,
}

/// What all rows have to be asked.
#[derive(Debug, Default)]
pub(super) struct Verify {
    /// are there columns that have become NOT NULL?
    pub not_null: bool,
    /// CHECKs that are new
    pub checks: Vec<RowCheck>,
    /// columns whose NOT NULL is NOT VALID
    pub not_valid: Vec<u16>,
}

impl Verify {
    /// Is there anything to ask?
    pub const fn is_needed(&self) -> bool {
        self.not_null || !self.checks.is_empty()
    }

    fn row(&self, db: &mut Database, relation: &RelationData, values: &[Value]) -> Outcome<()> {
        check_not_null(relation, values, &self.not_valid)?;
        for check in &self.checks {
            if !check.holds(db, values)? {
                let (name, table) = (&check.name, &relation.name);
                let message = format!("check constraint \"{name}\" of relation \"{table}\" is violated by some row");
                return Err(SqlError::new("23514", message).into());
            }
        }
        Ok(())
    }
}

/// ALTER TABLE has the table alone.
pub(in crate::sql) fn no_wait(stop: Stop) -> SqlError {
    match stop {
        Stop::Error(error) => error,
        Stop::Wait(on) => SqlError::new("XX000", format!("ALTER TABLE met a row of {on}")),
    }
}

/// Looks at all rows that are there now, and leaves them as they are.
///
/// # Errors
/// PostgreSQL's, at the first row that may not be there.
pub(super) fn verify_rows(db: &mut Database, table: Oid, verify: &Verify) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    scan_rows(db, &relation, |db, values| verify.row(db, &relation, &values)).map_err(no_wait)
}

/// The rows that are there now, one after the other.
pub(in crate::sql) fn scan_rows(
    db: &mut Database,
    relation: &RelationData,
    mut each: impl FnMut(&mut Database, Vec<Value>) -> Outcome<()>,
) -> Outcome<()> {
    let snapshot = db.cluster.pg.get_snapshot();
    let mut scan = HeapScan::new(&db.cluster.pg, relation);
    while let Some((buf, offsets)) = scan.next_page(&mut db.cluster.pg, relation, &snapshot)? {
        db.cluster.pg.stats.of_mut(relation.oid).read += offsets.len() as u64;
        for offset in offsets {
            db.cluster.pg.interrupt.check()?;
            let Some(row) = read_row(db, relation, ItemPointer { block: buf.block, offset }) else { continue };
            each(db, row.values)?;
        }
    }
    scan.end(&mut db.cluster.pg);
    Ok(())
}

/// Writes the table anew; `before`: as its rows are; `persistence`: what it becomes, where that is something else.
///
/// # Errors
/// What the values raise; a row that may not be there.
pub(super) fn rewrite(
    db: &mut Database,
    before: &RelationData,
    new: &[NewColumn],
    verify: &Verify,
    persistence: Option<Persistence>,
) -> Result<(), SqlError> {
    let table = before.oid;
    let columns: Result<Vec<usize>, SqlError> = new.iter().map(|column| find_column(db, table, &column.name)).collect();
    let columns = columns?;
    let old = match persistence {
        Some(persistence) => db.cluster.begin_rewrite_as(table, persistence)?,
        None => db.cluster.begin_rewrite(table)?,
    };
    let old_rows = RelationData { desc: before.desc.clone(), ..RelationData::clone(&old) };
    copy_rows(db, &old_rows, new, &columns, verify).map_err(no_wait)?;
    db.cluster.swap_rewritten(&old);
    let indexes = db.cluster.pg.relation(table)?.indexes.clone();
    indexes.iter().try_for_each(|index| reindex_index(db, *index, BuildOf::Reindex))?;
    db.cluster.end_rewrite(&old);
    Ok(())
}

fn copy_rows(
    db: &mut Database,
    old: &RelationData,
    new: &[NewColumn],
    columns: &[usize],
    verify: &Verify,
) -> Outcome<()> {
    let (relation, cid) = (db.cluster.pg.relation(old.oid)?, db.cluster.pg.current_command_id());
    let options = InsertOptions { skip_fsm: true, ..InsertOptions::NONE };
    let (mut bistate, mut tuple) = (BulkInsertState::new(), FormedTuple::default());
    let mark = db.cluster.pg.stats.mark();
    scan_rows(db, old, |db, mut values| {
        values.extend((values.len()..relation.desc.attributes().len()).map(|column| relation.desc.missing(column)));
        forget_dropped(&relation, &mut values);
        for (column, NewColumn { value, .. }) in columns.iter().zip(new) {
            values[*column] = eval(db, value, &values, &[])?;
        }
        verify.row(db, &relation, &values)?;
        tuple.form(&relation.desc, &values);
        heap_insert(&mut db.cluster.pg, &relation, &mut tuple, cid, options, Some(&mut bistate)).map(drop)
    })?;
    db.cluster.pg.stats.forget_since(mark);
    bistate.release(&mut db.cluster.pg);
    Ok(())
}

fn check_not_null(relation: &RelationData, values: &[Value], not_valid: &[u16]) -> Result<(), SqlError> {
    let columns = relation.desc.attributes().iter().zip(values);
    let asked = columns.filter(|(column, _)| column.not_null && !column.dropped && !not_valid.contains(&column.num));
    match asked.into_iter().find(|(_, value)| value.is_null()) {
        None => Ok(()),
        Some((column, _)) => {
            let (column, table) = (&column.name, &relation.name);
            let message = format!("column \"{column}\" of relation \"{table}\" contains null values");
            Err(SqlError::new("23502", message))
        }
    }
}
