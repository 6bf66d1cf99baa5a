//! One side of a join: a scan, and what stands between it and the join (src/backend/executor/nodeMaterial.c,
//! nodeSort.c).

use super::Values;
use crate::sql::executor::row::fetch_value;
use crate::sql::executor::running::{Counted, CountedSide, CountedSort};
use crate::sql::executor::scan::RowScan;
use crate::sql::executor::select::sort_space::{counted, minimal_tuple_size};
use crate::sql::executor::select::{SortTuple, Tuplesort};
use crate::sql::expr::{Node, SortKey, Typed};
use crate::sql::plan::{Between, JoinInput, JoinPlan, Method};
use crate::sql::tcop::Database;
use crate::storage::{MvccSnapshot, Outcome};
use crate::version::SqlBehaviour;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlType, TupleDesc, Value};
use ffviz_format::page::PgVersion;

/// A side of a join that runs.
#[derive(Debug, Clone)]
pub(super) struct Side {
    plan: Arc<JoinPlan>,
    /// 0: the outer one
    number: usize,
    /// how many values a row has
    pub width: usize,
    /// what is compared of it
    key: Option<Typed>,
    snapshot: MvccSnapshot,
    scan: Option<RowScan>,
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
    pub fn new(plan: &Arc<JoinPlan>, number: usize, width: usize, snapshot: &MvccSnapshot) -> Self {
        Self {
            plan: plan.clone(),
            number,
            width,
            key: plan.key(plan.inputs[number].table),
            snapshot: snapshot.clone(),
            scan: None,
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
            desc: described(plan.inputs[number].columns.iter().map(|column| column.ty)),
        }
    }

    /// What it did.
    pub fn counted(&self, db: &Database) -> CountedSide {
        let keeps = matches!(self.input().between, Between::Materialize(_));
        let version = db.cluster.version();
        let sizes = self.kept.iter().filter(|_| keeps).map(|row| self.tuple_size(row));
        CountedSide {
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
        self.input().columns.iter().filter_map(|column| column.stored(row).cloned()).collect()
    }

    /// The same of its key alone.
    pub fn key_size(&self, key: &Value) -> usize {
        minimal_tuple_size(&described(self.key.iter().map(|key| key.ty)), core::slice::from_ref(key))
    }

    /// The node above the scan gives a row, or tells that there is none.
    pub fn give(&mut self, is_there: bool) {
        self.loops.run();
        self.gave += u64::from(is_there);
    }

    pub fn input(&self) -> &JoinInput {
        &self.plan.inputs[self.number]
    }

    /// The value that is compared.
    pub fn key(&self, db: &mut Database, row: &[Value]) -> Outcome<Value> {
        let Some(Typed { node: Node::Slot(slot), ty }) = &self.key else { return Ok(Value::Null) };
        let mut value = row[usize::from(*slot)].clone();
        fetch_value(db, ty.kind(), &mut value)?;
        Ok(value)
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
            Between::Nothing if !self.keeps_marks => return self.scanned(db, outer),
            Between::Hash | Between::Memoize(_) => return self.scanned(db, outer),
            _ => {}
        }
        if self.next == self.kept.len() {
            if self.has_all {
                return Ok(None);
            }
            match self.scanned(db, outer)? {
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
            Between::Nothing | Between::Memoize(_) if self.scan.is_some() => self.counting(db, outer, Self::again),
            _ => Ok(()),
        }
    }

    fn again(&mut self, db: &mut Database) -> Outcome<()> {
        self.scans.is_running = false;
        let is_index = matches!(self.input().scan.method, Method::Index(_));
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
        self.counting(db, outer, |side, db| {
            if side.scan.is_none() {
                side.scan = Some(RowScan::start(db, &side.input().scan.clone(), &side.snapshot)?);
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
        let keys: Vec<SortKey> = self.key.iter().map(ascending).collect();
        let mut sort = Tuplesort::new(&keys, 0, None);
        while let Some(row) = self.scanned(db, None)? {
            let slot = self.key.as_ref().and_then(|key| key.stored(&row)).cloned();
            sort.put(db, SortTuple { by: slot.into_iter().collect(), row })?;
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
