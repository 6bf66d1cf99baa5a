//! One side of a join: a scan or another join, and what stands between it and the join
//! (src/backend/executor/nodeMaterial.c, nodeSort.c, nodeUnique.c).

use super::{Join, Layout, Values};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::hash::hash_of;
use crate::sql::executor::row::{eval, fetch_value};
use crate::sql::executor::running::{Counted, CountedSide, CountedSort};
use crate::sql::executor::scan::RowScan;
use crate::sql::executor::select::hash_table::order;
use crate::sql::executor::select::sort_space::{counted, minimal_tuple_size};
use crate::sql::executor::select::source::row_key;
use crate::sql::executor::select::{Query, SortTuple, Tuplesort};
use crate::sql::expr::{Node, SortKey, Typed};
use crate::sql::plan::{Between, JoinDistinct, JoinInput, JoinPlan, JoinSource, Method};
use crate::sql::tcop::Database;
use crate::storage::{MvccSnapshot, Outcome};
use crate::version::SqlBehaviour;
use alloc::boxed::Box;
use alloc::collections::{BTreeSet, VecDeque};
use alloc::sync::Arc;
use alloc::vec::{IntoIter, Vec};
use ffviz_format::datum::{SqlError, SqlType, TupleDesc, Value};
use ffviz_format::page::PgVersion;

/// A side of a join that runs.
#[derive(Debug, Clone)]
pub(super) struct Side {
    plan: Arc<JoinPlan>,
    /// 0: the outer one
    number: usize,
    /// how many values a row has
    pub width: usize,
    layout: Layout,
    /// what is compared of it, over its row
    keys: Vec<Typed>,
    /// its columns that are read above, likewise
    columns: Vec<Typed>,
    snapshot: MvccSnapshot,
    scan: Option<RowScan>,
    /// the query that gives its rows, likewise
    query: Option<Box<Query>>,
    /// of that query where all are read at once: those to come
    waiting: VecDeque<Values>,
    /// the join that gives its rows, once it has begun
    join: Option<Box<Join>>,
    /// rows that were made distinct, and how many there were
    distinct: Option<IntoIter<Values>>,
    distinct_rows: u64,
    /// does the join go back to a row of it?
    pub keeps_marks: bool,
    /// rows that are kept, and which of them is the next one
    kept: Vec<Values>,
    next: usize,
    /// are these all?
    has_all: bool,
    /// the next one when the mark was set
    mark: usize,
    /// what the scan did, and how often it was run
    counted: Counted,
    scans: Runs,
    /// rows that the node above it gave, and how often that was run
    pub gave: u64,
    loops: Runs,
    sorted: Option<CountedSort>,
    /// how the rows that are kept look
    desc: TupleDesc,
}

/// How often a node was run (`InstrEndLoop`).
#[derive(Debug, Clone, Copy, Default)]
struct Runs {
    count: u64,
    is_running: bool,
}

impl Runs {
    fn run(&mut self) {
        self.count += u64::from(!core::mem::replace(&mut self.is_running, true));
    }
}

impl Side {
    pub fn new(plan: &Arc<JoinPlan>, number: usize, snapshot: &MvccSnapshot) -> Self {
        let input = &plan.inputs[number];
        let layout = Layout::of(plan, &input.tables());
        let over = |exprs: &[Typed]| exprs.iter().map(|expr| layout.over(expr.clone())).collect::<Vec<Typed>>();
        Self {
            plan: plan.clone(),
            number,
            width: layout.width,
            keys: over(&plan.keys_of(number)),
            columns: over(&input.columns),
            snapshot: snapshot.clone(),
            scan: None,
            query: None,
            waiting: VecDeque::new(),
            join: None,
            distinct: None,
            distinct_rows: 0,
            keeps_marks: false,
            kept: Vec::new(),
            next: 0,
            has_all: false,
            mark: 0,
            counted: Counted::default(),
            scans: Runs::default(),
            gave: 0,
            loops: Runs::default(),
            sorted: None,
            desc: described(input.columns.iter().map(|column| column.ty)),
            layout,
        }
    }

    /// What it did.
    pub fn counted(&self, db: &Database) -> CountedSide {
        let keeps = matches!(self.input().between, Between::Materialize(_));
        let version = db.cluster.version();
        let sizes = self.kept.iter().filter(|_| keeps).map(|row| self.tuple_size(row));
        CountedSide {
            join: self.join.as_ref().map(|join| Box::new(join.counted(db))),
            distinct: self.distinct_rows,
            scan: self.counted.clone(),
            scans: self.scans.count,
            rows: self.gave,
            is_scan: self.input().between == Between::Nothing,
            loops: self.loops.count,
            sort: self.sorted,
            kept: kept_bytes(sizes, version),
        }
    }

    /// `t_len` of a row in memory.
    pub fn tuple_size(&self, row: &[Value]) -> usize {
        minimal_tuple_size(&self.desc, &self.columns_of(row))
    }

    fn columns_of(&self, row: &[Value]) -> Vec<Value> {
        self.columns.iter().filter_map(|column| column.stored(row).cloned()).collect()
    }

    /// The values of these columns of the whole row, of a row of this side.
    pub fn values_of(&self, db: &mut Database, columns: &[Typed], row: &[Value]) -> Outcome<Values> {
        let mut values = Vec::with_capacity(columns.len());
        for column in columns {
            let place = if let Node::Slot(slot) = column.node { self.layout.place(slot) } else { None };
            let mut value = place.map_or(Value::Null, |place| row[place].clone());
            fetch_value(db, column.ty.kind(), &mut value)?;
            values.push(value);
        }
        Ok(values)
    }

    /// `t_len` of such values in memory.
    pub fn values_size(columns: &[Typed], values: &[Value]) -> usize {
        minimal_tuple_size(&described(columns.iter().map(|column| column.ty)), values)
    }

    /// The whole row with what is known of a row of this side.
    pub fn whole(&self, row: &[Value]) -> Values {
        let mut whole = alloc::vec![Value::Null; self.plan.width];
        self.layout.spread(row.to_vec(), &mut whole);
        whole
    }

    /// The node above the scan gives a row, or tells that there is none.
    pub fn give(&mut self, is_there: bool) {
        self.loops.run();
        self.gave += u64::from(is_there);
    }

    pub fn input(&self) -> &JoinInput {
        &self.plan.inputs[self.number]
    }

    /// The values that are compared.
    pub fn key(&self, db: &mut Database, row: &[Value]) -> Outcome<Values> {
        let mut values = Vec::with_capacity(self.keys.len());
        for key in &self.keys {
            let mut value = match key.node {
                Node::Slot(slot) => row[usize::from(slot)].clone(),
                _ => eval(db, key, row, &[])?,
            };
            fetch_value(db, key.ty.kind(), &mut value)?;
            values.push(value);
        }
        Ok(values)
    }

    /// `ExecProcNode`; `outer`: the row that the scan reads.
    pub fn next(&mut self, db: &mut Database, outer: Option<&[Value]>) -> Outcome<Option<Values>> {
        let row = self.read(db, outer)?;
        self.give(row.is_some());
        Ok(row)
    }

    fn read(&mut self, db: &mut Database, outer: Option<&[Value]>) -> Outcome<Option<Values>> {
        match self.input().between {
            Between::Sort(_) if !self.has_all => self.sort(db)?,
            Between::Nothing if !self.keeps_marks => return self.below(db, outer),
            Between::Hash | Between::Memoize(_) => return self.below(db, outer),
            _ => {}
        }
        if self.next == self.kept.len() {
            if self.has_all {
                return Ok(None);
            }
            match self.below(db, outer)? {
                Some(row) => self.kept.push(row),
                None => {
                    self.has_all = true;
                    return Ok(None);
                }
            }
        }
        self.next += 1;
        Ok(self.kept.get(self.next - 1).cloned())
    }

    /// `ExecMarkPos`: the row that came last.
    pub fn mark(&mut self) {
        self.mark = self.next;
    }

    /// `ExecRestrPos`: what comes behind the marked row comes next.
    pub fn restore(&mut self) {
        self.next = self.mark;
    }

    /// The first row comes next, and its scan is let be.
    pub fn begin(&mut self) {
        self.next = 0;
        self.loops.is_running = false;
    }

    /// `ExecReScan`: the first row comes next; `outer`: the row that the scan reads.
    pub fn rescan(&mut self, db: &mut Database, outer: Option<&[Value]>) -> Outcome<()> {
        self.begin();
        match self.input().between {
            Between::Nothing | Between::Memoize(_) if self.distinct.is_some() => {
                Err(SqlError::new(NOT_SIMULATED, "distinct rows that are read again are not supported").into())
            }
            Between::Nothing | Between::Memoize(_) if self.scan.is_some() => self.counting(db, outer, Self::again),
            Between::Nothing | Between::Memoize(_) => {
                self.scans.is_running = false;
                if let Some(mut query) = self.query.take() {
                    query.end(db);
                }
                match &mut self.join {
                    Some(join) => join.rescan(db),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// The next row of what is below, which may be made distinct first.
    fn below(&mut self, db: &mut Database, outer: Option<&[Value]>) -> Outcome<Option<Values>> {
        let Some(distinct) = self.input().distinct.clone() else { return self.scanned(db, outer) };
        if self.distinct.is_none() {
            let rows = self.made_distinct(db, &distinct)?;
            self.distinct_rows = rows.len() as u64;
            self.distinct = Some(rows.into_iter());
        }
        Ok(self.distinct.as_mut().and_then(Iterator::next))
    }

    /// HashAggregate, or Sort and Unique, of all rows.
    fn made_distinct(&mut self, db: &mut Database, distinct: &JoinDistinct) -> Outcome<Vec<Values>> {
        let columns: Vec<Typed> = distinct.columns.iter().map(|column| self.layout.over(column.clone())).collect();
        let (mut seen, mut rows, mut goes_on) = (BTreeSet::new(), Vec::new(), false);
        let keys: Vec<SortKey> = columns.iter().map(ascending).collect();
        let mut sort = Tuplesort::new(&keys, 0, None);
        while let Some(row) = self.scanned(db, None)? {
            let values = self.values_of(db, &distinct.columns, &row)?;
            if distinct.sort.is_some() {
                sort.put(db, SortTuple { by: values, row })?;
                continue;
            }
            goes_on = !seen.insert(row_key(&values));
            if !goes_on {
                rows.push((values, row));
            }
        }
        if distinct.sort.is_some() {
            let mut rows: Vec<(Values, Values)> = sort.perform(db)?.into_iter().map(|it| (it.by, it.row)).collect();
            rows.dedup_by(|next, one| row_key(&next.0) == row_key(&one.0));
            return Ok(rows.into_iter().map(|(_, row)| row).collect());
        }
        let hashes: Option<Vec<u32>> = rows.iter().map(|(values, _)| hash_of(values)).collect();
        let Some(hashes) = hashes else {
            let message = "a hash table of distinct rows of this type is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message).into());
        };
        let mut rows: Vec<Option<Values>> = rows.into_iter().map(|(_, row)| Some(row)).collect();
        Ok(order(&hashes, distinct.rows, goes_on).into_iter().filter_map(|at| rows[at].take()).collect())
    }

    fn again(&mut self, db: &mut Database) -> Outcome<()> {
        self.scans.is_running = false;
        let is_index =
            matches!(&self.input().source, JoinSource::Scan(_, scan) if matches!(scan.method, Method::Index(_)));
        match &mut self.scan {
            Some(scan) if is_index => scan.rescan(db, self.snapshot.clone()),
            _ => {
                self.close(db);
                Ok(())
            }
        }
    }

    /// The next row of the scan, which begins with the first one.
    fn scanned(&mut self, db: &mut Database, outer: Option<&[Value]>) -> Outcome<Option<Values>> {
        self.scans.run();
        let scan = match &self.input().source {
            JoinSource::Scan(_, scan) => scan.clone(),
            JoinSource::Join(plan) => {
                let plan = plan.clone();
                let join = self.join.get_or_insert_with(|| Box::new(Join::new(&plan, &self.snapshot)));
                return join.next_row(db);
            }
            JoinSource::Rows(_, plan, _) => {
                let (plan, snapshot) = (plan.clone(), self.snapshot.clone());
                let reads_all =
                    self.input().distinct.is_some() || matches!(self.input().between, Between::Hash | Between::Sort(_));
                return self.counting(db, None, |side, db| {
                    let query = side.query.get_or_insert_with(|| Box::new(Query::start(plan, &snapshot)));
                    if !reads_all {
                        return Ok(query.next(db)?.map(core::mem::take));
                    }
                    // where it waits for a lock the rows before are kept
                    while let Some(row) = query.next(db)? {
                        side.waiting.push_back(core::mem::take(row));
                    }
                    Ok(side.waiting.pop_front())
                });
            }
        };
        self.counting(db, outer, |side, db| {
            if side.scan.is_none() {
                side.scan = Some(RowScan::start(db, &scan, &side.snapshot)?);
            }
            let Some(row) = side.scan.as_mut().map_or(Ok(None), |scan| scan.next(db))? else { return Ok(None) };
            let mut values = row.values;
            // nobody reads system columns that the scan does not give
            values.resize(side.width, Value::Null);
            Ok(Some(values))
        })
    }

    /// Does something to the scan, whose work is counted apart from that of the other side.
    fn counting<T>(
        &mut self,
        db: &mut Database,
        outer: Option<&[Value]>,
        work: impl FnOnce(&mut Self, &mut Database) -> T,
    ) -> T {
        let outside = core::mem::replace(&mut db.running.counted, core::mem::take(&mut self.counted));
        outer.into_iter().for_each(|row| db.running.outer.push(row.to_vec()));
        let done = work(self, db);
        if outer.is_some() {
            db.running.outer.pop();
        }
        self.counted = core::mem::replace(&mut db.running.counted, outside);
        done
    }

    /// `ExecSort`
    fn sort(&mut self, db: &mut Database) -> Outcome<()> {
        let keys: Vec<SortKey> = self.keys.iter().map(ascending).collect();
        let mut sort = Tuplesort::new(&keys, 0, None);
        while let Some(row) = self.below(db, None)? {
            let by = match self.keys.iter().all(|key| matches!(key.node, Node::Slot(_))) {
                true => self.keys.iter().filter_map(|key| key.stored(&row)).cloned().collect(),
                false => self.key(db, &row)?,
            };
            sort.put(db, SortTuple { by, row })?;
        }
        self.kept = sort.perform(db)?.into_iter().map(|tuple| tuple.row).collect();
        if db.running.counted.counts_sort {
            let types: Vec<SqlType> = self.input().columns.iter().map(|column| column.ty).collect();
            let rows = self.kept.iter().map(|row| self.columns_of(row));
            self.sorted = Some(counted(&types, db.cluster.version(), (self.kept.len(), None), rows));
        }
        (self.has_all, self.next) = (true, 0);
        Ok(())
    }

    pub fn end(&mut self, db: &mut Database) {
        self.counting(db, None, Self::close);
    }

    fn close(&mut self, db: &mut Database) {
        if let Some(mut scan) = self.scan.take() {
            scan.end(db);
        }
        if let Some(query) = &mut self.query {
            query.end(db);
        }
        if let Some(join) = &mut self.join {
            join.sides.outer.end(db);
            join.sides.inner.end(db);
        }
    }
}

fn described(types: impl Iterator<Item = SqlType>) -> TupleDesc {
    TupleDesc::new((1..).zip(types).map(|(n, ty)| ty.attribute(n, "")).collect())
}

/// `tuplestore_get_stats`: an array of pointers, and each row as a piece of memory.
fn kept_bytes(sizes: impl Iterator<Item = usize>, version: PgVersion) -> u64 {
    /// places that there are at first
    const PLACES: usize = 2048;
    const POINTER: usize = 8;
    let (mut count, mut bytes) = (0, 0);
    for size in sizes {
        count += 1;
        bytes += size.next_multiple_of(8) + POINTER;
    }
    let mut places = PLACES;
    while count >= places {
        places *= 2;
    }
    (places * POINTER + version.chunk_header() + bytes) as u64
}

fn ascending(key: &Typed) -> SortKey {
    SortKey { expr: key.clone(), descending: false, nulls_first: false }
}
