//! Queries, row by row: scan, functions in FROM, aggregates, sort, LIMIT, row locks (src/backend/executor/nodeLimit.c,
//! nodeLockRows.c, nodeFunctionscan.c).
//!
//! ```text
//!  scan × other items of FROM ─▶ WHERE ─▶ aggregates │ targets ─▶ sort ─▶ lock ─▶ OFFSET, LIMIT
//! ```

mod agg;
mod general;
mod group_order;
mod grouping_sets;
mod hash_table;
mod incremental;
mod join;
mod printtup;
mod recursive;
mod set_operation;
mod sort;
mod sort_space;
pub(in crate::sql) mod source;
mod tuplesort;
mod window;

pub(in crate::sql) use recursive::Recursing;
pub(super) use sort::keys_of;
pub(super) use tuplesort::compare_keys;
pub(in crate::sql) use tuplesort::{SortTuple, Tuplesort};

use super::fast::projection::Projection;
use super::physical::returns_tuples;
use super::relock::{Locked, lock_newest, lock_row};
use super::row::{Row, eval, holds, project, push_system_values, read_row};
use super::scan::RowScan;
use super::slot::Slot;
use crate::access::heap::{LockTupleMode, heap_tuple};
use crate::plain::PLAIN;
use crate::sql::ast::{LockStrength, Locking};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::{Context, Env, Series, SeriesCall, Typed};
use crate::sql::plan::{OutputValue, SelectPlan, SortTarget, Source, SourceRows};
use crate::sql::tcop::Database;
use crate::storage::{Buffer, MvccSnapshot, Outcome, RelationData, TableAm};
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use alloc::vec::{IntoIter, Vec};
use ffviz_format::datum::{FormedTuple, SqlError, Value};
use ffviz_format::page::{ItemPointer, Oid};
use incremental::IncrementalSort;
use join::Join;
use source::{Cursor, Kept};

/// A query that runs.
#[derive(Debug, Clone)]
pub(in crate::sql) struct Query {
    plan: Arc<SelectPlan>,
    snapshot: MvccSnapshot,
    scan: Option<RowScan>,
    /// two tables that are joined as it was planned
    join: Option<Box<Join>>,
    /// what else is in FROM, as far as it was read; the last values are in the row at work
    cursors: Vec<Cursor>,
    /// rows of it that are the same for each row before
    kept: Vec<Option<Kept>>,
    /// rows of the last item of a FULL JOIN that have met one before; and how many were looked through for others
    partnered: BTreeSet<usize>,
    unmatched: usize,
    /// without a table: did its one row come?
    had_row: bool,
    state: State,
    /// what is done to each row where nothing but a projection stands between the scan and LIMIT
    projection: Option<Projection>,
    /// of rows that are sorted: where each target is computed
    places: Vec<SortTarget>,
    /// rows that may still be skipped and returned
    skip: i64,
    left: Option<i64>,
    /// set-returning functions among the targets, which may have more values for the row
    pending: Option<Pending>,
    /// the row that is at work
    input: Input,
    /// the row as it was found, where a newer version of it is at work
    found: Option<Input>,
    /// is that to be locked before it is returned?
    to_lock: bool,
    /// the row that comes out (`ps_ResultTupleSlot`)
    result: Vec<Value>,
    /// is that a tuple of the table as it stands there?
    returns_tuples: bool,
    /// the row that was locked last
    locked: Slot,
    /// `es_output_cid`
    locks_as: Option<crate::storage::CommandId>,
}

/// The targets of a row of which more rows may come.
#[derive(Debug, Clone, Default)]
struct Pending {
    values: Vec<Value>,
    /// set-returning functions, by the number of their target
    series: Vec<(usize, Series)>,
}

#[derive(Debug, Clone)]
enum State {
    Start,
    /// rows come as the scan finds them
    Stream,
    /// rows were read and sorted
    Sorted(IntoIter<SortTuple<Input>>),
    /// rows are read and sorted group by group; those of the group at work
    Groups(IncrementalSort<Input>, IntoIter<SortTuple<Input>>),
    /// rows that were made of several
    General(IntoIter<Vec<Value>>),
    /// one row of aggregates
    Aggregated(Option<Vec<Value>>),
    Done,
}

/// A row before the targets: the table's place, and the values of the table's columns and the functions.
#[derive(Debug, Clone, Default)]
struct Input {
    tid: Option<ItemPointer>,
    values: Vec<Value>,
    /// targets that were computed before rows were sorted
    computed: Vec<Option<Value>>,
}

impl Query {
    /// Before the first row.
    pub fn start(plan: Arc<SelectPlan>, snapshot: &MvccSnapshot) -> Self {
        Self {
            plan,
            snapshot: snapshot.clone(),
            scan: None,
            join: None,
            cursors: Vec::new(),
            kept: Vec::new(),
            partnered: BTreeSet::new(),
            unmatched: 0,
            had_row: false,
            state: State::Start,
            projection: None,
            places: Vec::new(),
            skip: 0,
            left: None,
            pending: None,
            input: Input::default(),
            found: None,
            to_lock: false,
            result: Vec::new(),
            returns_tuples: false,
            locked: Slot::default(),
            locks_as: None,
        }
    }

    /// The next row that comes out; it is lent until the one after it is asked for, which takes its memory.
    pub fn next(&mut self, db: &mut Database) -> Outcome<Option<&mut Vec<Value>>> {
        if matches!(self.state, State::Start) {
            self.begin(db)?;
        }
        while self.left != Some(0) {
            let is_there = if self.projection.is_some() { self.next_projected(db)? } else { self.next_targets(db)? };
            if !is_there {
                break;
            }
            if self.skip > 0 {
                self.skip -= 1;
                continue;
            }
            self.left = self.left.map(|left| left - 1);
            return Ok(Some(&mut self.result));
        }
        self.end(db);
        Ok(None)
    }

    /// The row of all items of which the last one was computed that came out.
    pub fn row(&self) -> &[Value] {
        &self.input.values
    }

    /// Was there a row of this table in the row that came out last, or in its place NULLs of an outer join?
    pub fn has_met(&self, slot: u16) -> bool {
        let Some((join, plan)) = self.join.as_ref().zip(self.plan.join.as_ref()) else { return true };
        let table = plan.table_of(slot);
        (0..2).all(|side| join.met[side] || !plan.inputs[side].tables().contains(&table))
    }

    /// The newest version of the row of its first table that came out last, locked, with the same rows of the other
    /// tables, where the conditions still hold; and what comes out then (`EvalPlanQual`).
    pub fn newer(
        &mut self,
        db: &mut Database,
        relation: &RelationData,
        tid: ItemPointer,
        mode: LockTupleMode,
    ) -> Outcome<Option<(Row, Vec<Value>)>> {
        let conditions = match (&self.plan.join, &self.plan.scan) {
            (Some(join), _) => join.written.clone(),
            (None, Some(scan)) => Some(scan.filter.clone()),
            (None, None) => None,
        };
        let Some(conditions) = conditions else {
            let message = "a row of an outer join that another transaction has changed is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message).into());
        };
        let Some(found) = lock_newest(db, relation, tid, mode)? else { return Ok(None) };
        let Some(mut row) = read_row(db, relation, found) else { return Ok(None) };
        push_system_values(db, relation, found, &mut row.values);
        let all = self.input.values.len().max(row.values.len());
        let beside = self.input.values.iter().skip(row.values.len()).cloned();
        self.input.values = row.values.iter().cloned().chain(beside).take(all).collect();
        if !holds(db, &conditions, &self.input.values)? {
            return Ok(None);
        }
        self.targets(db, &[])?;
        Ok(Some((row, core::mem::take(&mut self.result))))
    }

    /// The place of the row that came out last, where it is one of a table.
    pub const fn place(&self) -> Option<ItemPointer> {
        self.input.tid
    }

    /// FOR UPDATE and its like?
    pub fn is_locking(&self) -> bool {
        self.plan.locking.is_some()
    }

    /// The table that it scans.
    pub fn scanned(&self) -> Option<Oid> {
        self.plan.scan.as_ref().map(|scan| scan.table).filter(|_| self.plan.sources.is_empty())
    }

    /// `search_plan_tree`: does nothing stand above the scan of one table but LIMIT?
    pub fn is_simple_scan(&self) -> bool {
        !self.plan.is_general() && self.plan.aggregates.is_empty() && self.plan.sort.is_empty()
    }

    /// Are its rows the same, whatever is done with those before?
    pub fn stands_alone(&self) -> bool {
        let plan = &self.plan;
        let args = plan.sources.iter().flat_map(|source| source.args().iter().chain(&source.filter).chain(&source.on));
        let is_series = |source: &Source| matches!(source.rows, SourceRows::Series(_) | SourceRows::Value(_));
        if plan.is_general() || !plan.sources.iter().all(is_series) {
            return false;
        }
        let targets = plan.targets.iter().map(|target| target.value.expr());
        plan.scan.is_none() && plan.filter.iter().chain(args).all(Typed::stands_alone) && { targets }
            .all(|target| target.is_some_and(Typed::stands_alone))
    }

    /// Copies the tuple that the row that came out last is (`ExecFetchSlotHeapTuple`), if it is one.
    #[inline]
    pub fn copy_tuple(&self, db: &Database, copy: &mut FormedTuple) -> bool {
        self.returns_tuples && self.copy_found(db, copy)
    }

    fn copy_found(&self, db: &Database, copy: &mut FormedTuple) -> bool {
        let (Some(tid), Some(scan)) = (self.input.tid, &self.scan) else { return false };
        if scan.relation.am == TableAm::Undo || scan.maps_row() {
            return false;
        }
        let buf = Buffer::main(scan.relation.file, tid.block);
        let tuple = heap_tuple(&db.cluster.pg, buf, tid.offset);
        tuple.map(|tuple| copy.copy(db.cluster.pg.buffers.page(buf).slice(tuple.bytes))).is_some()
    }

    /// FOR UPDATE uses a command id up even where it finds no row (`standard_ExecutorStart`); a cursor does so when it
    /// is opened.
    pub fn take_command_id(&mut self, db: &mut Database) {
        if self.plan.locking.is_some() && self.locks_as.is_none() {
            self.locks_as = Some(db.cluster.pg.current_command_id());
        }
    }

    fn begin(&mut self, db: &mut Database) -> Outcome<()> {
        self.returns_tuples = returns_tuples(db, &self.plan);
        if self.plan.locking.is_some() {
            self.take_command_id(db);
        }
        self.left = count(db, self.plan.limit.as_ref())?;
        self.skip = count(db, self.plan.offset.as_ref())?.unwrap_or(0);
        if self.left == Some(0) {
            return Ok(());
        }
        if let Some(plan) = &self.plan.join {
            self.join = Some(Box::new(Join::new(plan, &self.snapshot)));
        } else if let Some(scan) = self.plan.scan.as_ref().filter(|_| self.plan.extremes.is_empty()) {
            self.scan = Some(RowScan::start(db, scan, &self.snapshot)?);
        }
        if self.plan.is_general() {
            self.state = State::General(self.general(db)?.into_iter());
            return Ok(());
        }
        if !PLAIN && self.plan.aggregates.is_empty() && self.plan.sort.is_empty() && self.plan.locking.is_none() {
            self.projection = Projection::new(&self.plan.targets);
        }
        self.state = if !self.plan.aggregates.is_empty() {
            let results = if self.plan.extremes.is_empty() { self.aggregate(db)? } else { self.extremes(db)? };
            State::Aggregated(Some(results))
        } else if self.plan.sort.is_empty() {
            State::Stream
        } else {
            self.start_sort(db)?
        };
        Ok(())
    }

    /// Are rows sorted by what is no column of theirs, and left out of them then?
    pub fn leaves_junk_out(&self) -> bool {
        !self.plan.sort.is_empty() && !self.plan.junk.is_empty()
    }

    /// The row that came out last comes back, as it was or empty: the next one takes its memory.
    #[inline]
    pub fn take_back(&mut self, mut result: Vec<Value>) {
        match &self.projection {
            Some(projection) => projection.release(&mut result),
            None => result.clear(),
        }
        self.result = result;
    }

    /// `ExecScan`: the next row as the scan finds it, where there is one.
    fn next_projected(&mut self, db: &mut Database) -> Outcome<bool> {
        let is_there = self.next_input(db)?;
        if let Some(projection) = self.projection.as_ref().filter(|_| is_there) {
            projection.project(db, &self.plan.targets, &self.input.values, &mut self.result)?;
        }
        Ok(is_there)
    }

    /// The targets of the next row, where there is one.
    fn next_targets(&mut self, db: &mut Database) -> Outcome<bool> {
        loop {
            db.cluster.pg.interrupt.check()?;
            if let Some(Pending { mut values, mut series }) = self.pending.take() {
                // side by side, and NULL of those that are at their end (`ExecProjectSRF`)
                let mut is_there = false;
                for (at, series) in &mut series {
                    match series.advance(db, &mut values[*at])? {
                        true => is_there = true,
                        false => values[*at] = Value::Null,
                    }
                }
                if is_there {
                    self.result.clone_from(&values);
                    self.over_series(db)?;
                    self.pending = Some(Pending { values, series });
                    return Ok(true);
                }
            }
            if let State::General(rows) = &mut self.state {
                let Some(row) = rows.next() else { return Ok(false) };
                self.result = row;
                return Ok(true);
            }
            if let State::Aggregated(results) = &mut self.state {
                let Some(results) = results.take() else { return Ok(false) };
                self.targets(db, &results)?;
                if self.pending.is_none() {
                    return Ok(true);
                }
                continue;
            }
            if !self.next_locked(db)? {
                return Ok(false);
            }
            self.targets(db, &[])?;
            if self.pending.is_none() {
                return Ok(true);
            }
        }
    }

    /// What comes out of the values of set-returning functions.
    fn over_series(&mut self, db: &mut Database) -> Outcome<()> {
        for (target, result) in self.plan.targets.iter().zip(&mut self.result) {
            if let OutputValue::Series(SeriesCall { over: Some(over), .. }) = &target.value {
                *result = eval(db, over, &self.input.values, core::slice::from_ref(result))?;
            }
        }
        Ok(())
    }

    /// The targets over the row at work, or over aggregates; set-returning functions among them are begun.
    fn targets(&mut self, db: &mut Database, aggregates: &[Value]) -> Outcome<()> {
        let row = if aggregates.is_empty() { &self.input.values[..] } else { &[] };
        let computed = core::mem::take(&mut self.input.computed);
        if computed.is_empty() && self.plan.targets.iter().all(|target| target.value.expr().is_some()) {
            let expressions = self.plan.targets.iter().filter_map(|target| target.value.expr());
            return project(db, expressions, (row, aggregates), &mut self.result);
        }
        self.result.clear();
        for (at, target) in self.plan.targets.iter().enumerate() {
            match &target.value {
                OutputValue::Expr(expr) => match computed.get(at).cloned().flatten() {
                    Some(value) => self.result.push(value),
                    None => self.result.push(eval(db, expr, row, aggregates)?),
                },
                OutputValue::Series(call) => {
                    let series = start_series(db, call, row)?;
                    self.result.push(Value::Null);
                    self.pending.get_or_insert_default().series.push((at, series));
                }
            }
        }
        if let Some(pending) = &mut self.pending {
            pending.values.clone_from(&self.result);
        }
        Ok(())
    }

    /// The next row, locked where rows are to be; where there is one.
    fn next_locked(&mut self, db: &mut Database) -> Outcome<bool> {
        loop {
            let has_waited = core::mem::take(&mut self.to_lock);
            let is_there = match &mut self.state {
                _ if has_waited => true,
                State::Sorted(rows) => {
                    let next = rows.next();
                    next.map(|tuple| self.take_sorted(tuple)).is_some()
                }
                State::Groups(..) => {
                    let next = self.next_of_groups(db)?;
                    next.map(|tuple| self.take_sorted(tuple)).is_some()
                }
                State::Stream => self.next_input(db)?,
                _ => false,
            };
            self.locked.clear(&mut db.cluster.pg);
            if !is_there {
                return Ok(false);
            }
            let (Some(locking), Some(tid), Some(scan)) = (self.plan.locking, self.input.tid, &self.scan) else {
                return Ok(true);
            };
            let cid = self.locks_as.unwrap_or_default();
            let locked = match lock_row(db, scan, tid, mode(locking), (locking.wait, has_waited), cid) {
                Ok(locked) => locked,
                Err(stop) => {
                    // on waiting the row is kept, and tried again
                    self.to_lock = true;
                    return Err(stop);
                }
            };
            self.locked.store(&mut db.cluster.pg, Buffer::main(scan.relation.file, tid.block));
            match locked {
                Locked::Same => return Ok(true),
                Locked::Newer(row) => {
                    self.take_newer(row);
                    return Ok(true);
                }
                Locked::Gone => {}
            }
        }
    }

    /// A newer version of the row is at work, with the same values of the functions.
    fn take_newer(&mut self, row: Row) {
        let behind: usize = self.plan.sources.iter().map(Source::width).sum();
        let width = self.input.values.len().saturating_sub(behind);
        let values = row.values.into_iter().chain(self.input.values[width..].iter().cloned()).collect();
        let newer = Input { tid: Some(row.tid), values, computed: Vec::new() };
        self.found = Some(core::mem::replace(&mut self.input, newer));
    }

    /// The next row of the table with the next values of the functions, that satisfies WHERE; where there is one.
    fn next_input(&mut self, db: &mut Database) -> Outcome<bool> {
        if let Some(found) = self.found.take() {
            self.input = found;
        }
        while self.advance(db)? {
            if self.plan.filter.is_empty() || holds(db, &self.plan.filter, &self.input.values)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The next row of the table.
    fn advance_scan(&mut self, db: &mut Database) -> Outcome<bool> {
        let Some(scan) = &mut self.scan else { return Ok(!core::mem::replace(&mut self.had_row, true)) };
        scan.take_back(core::mem::take(&mut self.input.values));
        let Some(row) = scan.next(db)? else { return Ok(false) };
        (self.input.tid, self.input.values) = (Some(row.tid), row.values);
        Ok(true)
    }

    /// Lets go of what the scan holds.
    pub fn end(&mut self, db: &mut Database) {
        self.locked.clear(&mut db.cluster.pg);
        if let Some(scan) = &mut self.scan {
            scan.end(db);
        }
        if let Some(join) = &mut self.join {
            join.end(db);
        }
        self.state = State::Done;
    }
}

/// LIMIT, OFFSET: NULL is none.
fn count(db: &mut Database, expr: Option<&Typed>) -> Outcome<Option<i64>> {
    let Some(expr) = expr else { return Ok(None) };
    match eval(db, expr, &[], &[])? {
        Value::Int8(count) if count < 0 => Err(SqlError::new("2201W", "LIMIT must not be negative").into()),
        Value::Int8(count) => Ok(Some(count)),
        _ => Ok(None),
    }
}

fn start_series(db: &mut Database, call: &SeriesCall, values: &[Value]) -> Outcome<Series> {
    let params = core::mem::take(&mut db.params);
    let outer = core::mem::take(&mut db.running.outer);
    let mut env = Env::new(values, &params, db as &mut dyn Context);
    env.outer = &outer;
    let started = call.start(&mut env);
    db.params = params;
    db.running.outer = outer;
    Ok(started?)
}

/// HAVING over the aggregates of a group and its first row.
fn holds_aggregates(db: &mut Database, having: &[Typed], row: &[Value], aggregates: &[Value]) -> Outcome<bool> {
    for condition in having {
        if eval(db, condition, row, aggregates)? != Value::Bool(true) {
            return Ok(false);
        }
    }
    Ok(true)
}

const fn mode(locking: Locking) -> LockTupleMode {
    match locking.strength {
        LockStrength::KeyShare => LockTupleMode::KeyShare,
        LockStrength::Share => LockTupleMode::Share,
        LockStrength::NoKeyUpdate => LockTupleMode::NoKeyExclusive,
        LockStrength::Update => LockTupleMode::Exclusive,
    }
}
