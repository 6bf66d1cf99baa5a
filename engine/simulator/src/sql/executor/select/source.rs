//! Items of FROM behind the first table: loops within loops (src/backend/executor/nodeNestloop.c, nodeFunctionscan.c,
//! nodeSubqueryscan.c).
//!
//! ```text
//!  row of the table ─▶ first item: its next row ─ON, conditions─▶ second item, and so on
//!  none left: the one before moves on
//! ```
//!
//! Rows of tables and of queries that stand alone are read once, and looked up by their values where a condition says
//! `=`.

use super::set_operation::set_rows;
use super::{Query, start_series};
use crate::sql::ast::BinaryOp;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::row::{eval, fetch_value, holds, project};
use crate::sql::executor::scan::RowScan;
use crate::sql::expr::{Node, Series, Typed};
use crate::sql::plan::{CommonPlan, CommonRows, Scan, SelectPlan, Source, SourceRows};
use crate::sql::plpgsql::call_set;
use crate::sql::tcop::Database;
use crate::storage::{MvccSnapshot, Outcome};
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};

/// All rows of an item.
pub(in crate::sql) type Rows = Vec<Vec<Value>>;

/// An item whose rows are being read.
#[derive(Debug, Clone)]
pub(super) struct Cursor {
    rows: CursorRows,
    /// where its values begin in the row
    start: usize,
    /// rows that were read
    count: i64,
    /// did one satisfy the condition of the join?
    matched: bool,
}

#[derive(Debug, Clone)]
enum CursorRows {
    Series(Series),
    Rows(Arc<Rows>, usize),
    /// those of them with these numbers
    Found(Arc<Rows>, Vec<u32>, usize),
    /// what a statement of WITH returns, row by row
    Changed(Arc<CommonPlan>, usize),
    /// what a recursive query gives, row by row
    Recursive(Arc<CommonPlan>, usize),
}

/// Rows that are the same for each row before them.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    rows: Arc<Rows>,
    /// by the value that is looked for
    hash: Option<Arc<BTreeMap<Vec<u8>, Vec<u32>>>>,
}

impl Query {
    /// Moves the innermost item on, and what is around it where that is at its end; without a table there is one row.
    pub(super) fn advance(&mut self, db: &mut Database) -> Outcome<bool> {
        db.cluster.pg.interrupt.check()?;
        if let Some(join) = &mut self.join {
            return join.next(db, &mut self.input.values);
        }
        loop {
            while !self.cursors.is_empty() && !self.advance_source(db)? {
                if let Some(cursor) = self.cursors.pop() {
                    self.input.values.truncate(cursor.start);
                }
            }
            if self.cursors.is_empty() && !self.advance_scan(db)? {
                return self.advance_unmatched(db);
            }
            if self.cursors.len() == self.plan.sources.len() {
                return Ok(true);
            }
            // the next one further in begins
            self.open_source(db)?;
        }
    }

    /// The next row of the innermost item that satisfies its conditions.
    fn advance_source(&mut self, db: &mut Database) -> Outcome<bool> {
        let plan = self.plan.clone();
        let source = &plan.sources[self.cursors.len() - 1];
        loop {
            let Some(cursor) = self.cursors.last_mut() else { return Ok(false) };
            if !cursor.next(db, source, &mut self.input.values, &self.snapshot)? {
                if !source.keeps_left || core::mem::replace(&mut cursor.matched, true) {
                    return Ok(false);
                }
                self.input.values.truncate(cursor.start);
                self.input.values.resize(cursor.start + source.width(), Value::Null);
                if holds(db, &source.filter, &self.input.values)? {
                    return Ok(true);
                }
                return Ok(false);
            }
            if !source.on.is_empty() && !holds(db, &source.on, &self.input.values)? {
                continue;
            }
            cursor.matched = true;
            if source.keeps_right.is_some()
                && let Some(row) = cursor.row()
            {
                self.partnered.insert(row);
            }
            if source.filter.is_empty() || holds(db, &source.filter, &self.input.values)? {
                return Ok(true);
            }
        }
    }

    /// The next row of the last item of a FULL JOIN that no row before has met; where there is one.
    fn advance_unmatched(&mut self, db: &mut Database) -> Outcome<bool> {
        let plan = self.plan.clone();
        let Some((level, start)) =
            plan.sources.len().checked_sub(1).zip(plan.sources.last().and_then(|it| it.keeps_right))
        else {
            return Ok(false);
        };
        let kept = self.kept(db, level, start)?;
        while self.unmatched < kept.rows.len() {
            self.unmatched += 1;
            let row = self.unmatched - 1;
            if self.partnered.contains(&row) {
                continue;
            }
            let values = &mut self.input.values;
            values.clear();
            values.resize(start, Value::Null);
            values.extend(kept.rows[row].iter().cloned());
            values.resize(start + plan.sources[level].width(), Value::Null);
            self.input.tid = None;
            return Ok(true);
        }
        Ok(false)
    }

    fn open_source(&mut self, db: &mut Database) -> Outcome<()> {
        let plan = self.plan.clone();
        let level = self.cursors.len();
        let source = &plan.sources[level];
        let start = self.input.values.len();
        let rows = match &source.rows {
            SourceRows::Series(call) => CursorRows::Series(start_series(db, call, &self.input.values)?),
            // what drives all else is read as it comes
            SourceRows::Common(common) if common.plan().is_some() && plan.scan.is_none() && plan.sources.len() == 1 => {
                CursorRows::Changed(common.clone(), 0)
            }
            SourceRows::Common(common)
                if matches!(common.rows, CommonRows::Recursive(..))
                    && source.keeps_right.is_none()
                    && key_of(source, start).is_none() =>
            {
                CursorRows::Recursive(common.clone(), 0)
            }
            _ if source.lateral => CursorRows::Rows(rows_of(db, source, &self.input.values, &self.snapshot)?, 0),
            _ => {
                let kept = self.kept(db, level, start)?;
                let key = kept.hash.as_ref().and_then(|hash| Some((hash, key_of(source, start)?)));
                match key {
                    Some((hash, (outer, _))) => {
                        let value = eval(db, &outer, &self.input.values, &[])?;
                        let found = bytes_of(&value).and_then(|bytes| hash.get(&bytes)).cloned();
                        CursorRows::Found(kept.rows.clone(), found.unwrap_or_default(), 0)
                    }
                    None => CursorRows::Rows(kept.rows.clone(), 0),
                }
            }
        };
        self.cursors.push(Cursor { rows, start, count: 0, matched: false });
        Ok(())
    }

    /// Its rows, read the first time that they are asked for.
    fn kept(&mut self, db: &mut Database, level: usize, start: usize) -> Outcome<Kept> {
        if self.kept.len() <= level {
            self.kept.resize(level + 1, None);
        }
        if let Some(kept) = &self.kept[level] {
            return Ok(kept.clone());
        }
        let plan = self.plan.clone();
        let source = &plan.sources[level];
        let rows = rows_of(db, source, &self.input.values, &self.snapshot)?;
        let hash = key_of(source, start).map(|(_, slot)| {
            let mut hash: BTreeMap<Vec<u8>, Vec<u32>> = BTreeMap::new();
            for (n, row) in rows.iter().enumerate() {
                if let Some(bytes) = row.get(slot).and_then(bytes_of) {
                    hash.entry(bytes).or_default().push(n as u32);
                }
            }
            Arc::new(hash)
        });
        let kept = Kept { rows, hash };
        self.kept[level] = Some(kept.clone());
        Ok(kept)
    }
}

impl Cursor {
    /// The number of the row that came last, where all are kept.
    fn row(&self) -> Option<usize> {
        match &self.rows {
            CursorRows::Rows(_, next) => next.checked_sub(1),
            CursorRows::Found(_, found, next) => found.get(next.checked_sub(1)?).map(|row| *row as usize),
            CursorRows::Series(_) | CursorRows::Changed(..) | CursorRows::Recursive(..) => None,
        }
    }

    /// Puts the next row behind those of the items before. Is there one?
    fn next(
        &mut self,
        db: &mut Database,
        source: &Source,
        values: &mut Vec<Value>,
        snapshot: &MvccSnapshot,
    ) -> Outcome<bool> {
        let is_there = match &mut self.rows {
            CursorRows::Series(series) => {
                // the value before is written over
                if values.len() <= self.start {
                    values.push(Value::Null);
                } else {
                    values.truncate(self.start + 1);
                }
                series.advance(db, &mut values[self.start])?
            }
            CursorRows::Rows(rows, next) => take(values, self.start, source.types.len(), rows.get(*next), next),
            CursorRows::Recursive(common, next) => {
                let row = db.recursive_row(common, *next, snapshot)?;
                take(values, self.start, source.types.len(), row.as_ref(), next)
            }
            CursorRows::Changed(common, next) => {
                let row = db.returned_row(common, *next)?;
                take(values, self.start, source.types.len(), row.as_ref(), next)
            }
            CursorRows::Found(rows, found, next) => {
                let row = found.get(*next).and_then(|n| rows.get(*n as usize));
                take(values, self.start, source.types.len(), row, next)
            }
        };
        if is_there && source.ordinality {
            self.count += 1;
            values.push(Value::Int8(self.count));
        }
        Ok(is_there)
    }
}

fn take(values: &mut Vec<Value>, start: usize, width: usize, row: Option<&Vec<Value>>, next: &mut usize) -> bool {
    values.truncate(start);
    values.extend(row.into_iter().flatten().take(width).cloned());
    // a function that was given NULL has a row of NULLs
    if row.is_some() {
        values.resize(start + width, Value::Null);
    }
    *next += 1;
    row.is_some()
}

/// Of a condition `x = column of the item`, where equal values have equal bytes: x, and the column's number.
fn key_of(source: &Source, start: usize) -> Option<(Typed, usize)> {
    /// boolean, int8, int2, int4, text, oid, tid, xid, varchar, date, uuid
    const BYTEWISE: [u32; 11] = [16, 20, 21, 23, 25, 26, 27, 28, 1043, 1082, 2950];
    let span = start..start + source.types.len();
    let slot = |expr: &Typed| match expr.node {
        Node::Slot(slot) if span.contains(&usize::from(slot)) => Some(usize::from(slot) - start),
        _ => None,
    };
    let is_before = |expr: &Typed| {
        let mut slots = Vec::new();
        expr.slots(&mut slots);
        !slots.is_empty() && slots.iter().all(|slot| usize::from(*slot) < start)
    };
    source.on.iter().chain(&source.filter).find_map(|clause| {
        let Node::Binary(BinaryOp::Eq, operands) = &clause.node else { return None };
        let (left, right) = &**operands;
        if left.ty.oid != right.ty.oid || !BYTEWISE.contains(&left.ty.oid) {
            return None;
        }
        match (slot(left), slot(right)) {
            (Some(slot), None) if is_before(right) => Some((right.clone(), slot)),
            (None, Some(slot)) if is_before(left) => Some((left.clone(), slot)),
            _ => None,
        }
    })
}

fn bytes_of(value: &Value) -> Option<Vec<u8>> {
    if value.is_null() {
        return None;
    }
    let mut bytes = Vec::new();
    match value.plain_bytes() {
        Some(plain) => bytes.extend_from_slice(plain),
        None => value.store(&mut bytes),
    }
    Some(bytes)
}

/// All rows of an item, for the row before it.
fn rows_of(db: &mut Database, source: &Source, row: &[Value], snapshot: &MvccSnapshot) -> Outcome<Arc<Rows>> {
    match &source.rows {
        SourceRows::Series(_) => Ok(Arc::default()),
        SourceRows::Function(name, args) => {
            let mut values = Vec::new();
            project(db, args, (row, &[]), &mut values)?;
            for (arg, value) in args.iter().zip(&mut values) {
                fetch_value(db, arg.ty.kind(), value)?;
            }
            Ok(Arc::new(db.set_function(name, &values)?))
        }
        SourceRows::Routine(function, args) => {
            let mut values = Vec::with_capacity(args.len());
            for arg in args {
                values.push(eval(db, arg, row, &[])?);
            }
            Ok(Arc::new(call_set(db, function, values)?))
        }
        SourceRows::Value(expr) => Ok(Arc::new(Vec::from([Vec::from([eval(db, expr, row, &[])?])]))),
        SourceRows::Values(list) => {
            let mut rows = Vec::with_capacity(list.len());
            for exprs in list {
                let mut values = Vec::new();
                project(db, exprs, (&[], &[]), &mut values)?;
                rows.push(values);
            }
            Ok(Arc::new(rows))
        }
        SourceRows::Table(scan) => table_rows(db, scan, snapshot),
        SourceRows::Query(plan) if source.lateral => {
            db.running.outer.push(row.to_vec());
            let rows = query_rows(db, plan, snapshot, None);
            db.running.outer.pop();
            rows
        }
        SourceRows::Query(plan) => query_rows(db, plan, snapshot, None),
        SourceRows::Common(plan) => common_rows(db, plan, snapshot),
        SourceRows::Work(name) | SourceRows::Transition(name) => {
            Ok(db.running.work.get(name).cloned().unwrap_or_default())
        }
        SourceRows::Set(plan) => set_rows(db, plan, snapshot),
    }
}

fn table_rows(db: &mut Database, scan: &Arc<Scan>, snapshot: &MvccSnapshot) -> Outcome<Arc<Rows>> {
    let mut rows = Vec::new();
    let mut scan = RowScan::start(db, scan, snapshot)?;
    while let Some(row) = scan.next(db)? {
        rows.push(row.values);
    }
    scan.end(db);
    Ok(Arc::new(rows))
}

/// The first rows of a query, at most so many where a number is given.
pub(in crate::sql) fn query_rows(
    db: &mut Database,
    plan: &Arc<SelectPlan>,
    snapshot: &MvccSnapshot,
    most: Option<usize>,
) -> Outcome<Arc<Rows>> {
    let mut query = Query::start(plan.clone(), snapshot);
    let mut rows = Vec::new();
    while most.is_none_or(|most| rows.len() < most) {
        let Some(row) = query.next(db)? else { break };
        rows.push(core::mem::take(row));
    }
    query.end(db);
    for row in &mut rows {
        for (target, value) in plan.targets.iter().zip(row) {
            fetch_value(db, target.value.ty().kind(), value)?;
        }
    }
    Ok(Arc::new(rows))
}

/// A query of WITH is run once a statement.
fn common_rows(db: &mut Database, plan: &Arc<CommonPlan>, snapshot: &MvccSnapshot) -> Outcome<Arc<Rows>> {
    let key = Arc::as_ptr(plan) as usize;
    if let Some((_, rows)) = db.running.commons.get(&key) {
        return Ok(rows.clone());
    }
    let rows = match &plan.rows {
        CommonRows::Change(_) => db.returned_rows(plan)?,
        CommonRows::Query(query) => query_rows(db, query, snapshot, None)?,
        CommonRows::Recursive(..) => db.recursive_rows(plan, snapshot)?,
    };
    db.running.commons.insert(key, (plan.clone(), rows.clone()));
    Ok(rows)
}

/// Values that are equal have equal keys, as far as their bytes say it.
pub(super) fn row_key(row: &[Value]) -> Vec<Option<Vec<u8>>> {
    row.iter().map(bytes_of).collect()
}

/// What a query within an expression cannot do: wait.
pub(in crate::sql) fn no_wait(stop: crate::storage::Stop) -> SqlError {
    match stop {
        crate::storage::Stop::Error(error) => error,
        crate::storage::Stop::Wait(_) => SqlError::new(
            NOT_SIMULATED,
            "a query within an expression that waits for another session is not supported; begin with the query alone",
        ),
    }
}
