//! What belongs to the statement that runs: its snapshot, the rows of queries around, and what its queries have given
//! (`EState`, src/include/nodes/execnodes.h).

use super::select::Recursing;
use super::select::source::{Rows, no_wait, query_rows};
use super::with::Changes;
use crate::sql::expr::{Scope, SubPlan};
use crate::sql::plan::CommonPlan;
use crate::sql::tcop::Database;
use crate::storage::{BufferUsage, MvccSnapshot, Outcome};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_story::timeline::WalUsage;

/// A statement that runs.
#[derive(Debug, Clone, Default)]
pub(in crate::sql) struct Running {
    /// `es_snapshot`
    pub snapshot: Option<MvccSnapshot>,
    /// rows of the queries around the one that runs, the outermost first
    pub outer: Vec<Vec<Value>>,
    /// rows of the queries of WITH, by the place of their plan, which is kept as long
    pub commons: BTreeMap<usize, (Arc<CommonPlan>, Arc<Rows>)>,
    /// rows of queries in expressions that read nothing around them, likewise
    pub constants: BTreeMap<usize, (Arc<SubPlan>, Arc<Rows>)>,
    /// statements of WITH that change rows
    pub changes: Changes,
    /// what EXPLAIN ANALYZE tells of its scan
    pub counted: Counted,
    /// what recursive queries gave last
    pub work: BTreeMap<String, Arc<Rows>>,
    /// recursive queries, by the place of their plan
    pub recursing: BTreeMap<usize, Recursing>,
    /// what EXPLAIN ANALYZE tells of queries in expressions, by the place of their plan
    pub subs: BTreeMap<usize, CountedSub>,
}

/// What a query in an expression did, all its runs together.
#[derive(Debug, Clone, Default)]
pub(in crate::sql) struct CountedSub {
    /// how often it was run
    pub loops: u64,
    /// rows that it gave
    pub returned: u64,
    /// what its scan did
    pub counted: Counted,
}

/// What a scan did (`Instrumentation`, src/include/executor/instrument.h).
#[derive(Debug, Clone, Default)]
pub(in crate::sql) struct Counted {
    /// rows that it gave
    pub rows: u64,
    /// and those that its filter left out
    pub removed: u64,
    /// entries of an index whose rows an Index Only Scan had to look at
    pub fetched: u64,
    /// searches of the tree
    pub searches: u64,
    /// those that a bitmap did not have one by one, and that its conditions left out
    pub rechecked: u64,
    /// blocks of a bitmap, and those that are lossy
    pub blocks: (u64, u64),
    /// scans that made bitmaps
    pub bitmaps: Vec<CountedBitmap>,
    /// groups that came out, and those that HAVING left out
    pub groups: (u64, u64),
    /// rows that are distinct
    pub distinct: u64,
    /// rows that LIMIT and OFFSET leave to be given
    pub wanted: Option<u64>,
    /// its WAL
    pub wal: WalUsage,
    /// blocks that it read
    pub buffers: BufferUsage,
    /// those that were read to open it, which are not told (`index_beginscan_bitmap`)
    pub opened: BufferUsage,
    /// is the memory of a sort to be counted?
    pub counts_sort: bool,
    /// what it took
    pub sort: Option<CountedSort>,
    /// a join, and what its sides did
    pub join: Option<Box<CountedJoin>>,
}

/// What a join did.
#[derive(Debug, Clone, Default)]
pub(in crate::sql) struct CountedJoin {
    /// rows that came out
    pub rows: u64,
    /// pairs of rows whose keys were not equal
    pub removed: u64,
    /// rows that a condition above the join left out
    pub filtered: u64,
    /// the outer side, and the inner one
    pub sides: [CountedSide; 2],
    /// the hash table: buckets that there were, those that were planned, bytes
    pub hash: Option<(usize, usize, usize)>,
    /// of values of the outer row: those whose rows were known, those whose rows were not, kilobytes
    pub memo: Option<(u64, u64, u64)>,
}

/// What a side of a join did.
#[derive(Debug, Clone, Default)]
pub(in crate::sql) struct CountedSide {
    /// the join that gives its rows
    pub join: Option<Box<CountedJoin>>,
    /// rows that were left when they were made distinct
    pub distinct: u64,
    /// what its scan did
    pub scan: Counted,
    /// how often that was run
    pub scans: u64,
    /// rows that the node above the scan gave, and how often that was run
    pub rows: u64,
    pub loops: u64,
    /// is that the scan itself?
    pub is_scan: bool,
    /// how they were sorted
    pub sort: Option<CountedSort>,
    /// bytes of rows that were kept
    pub kept: u64,
}

/// How rows were sorted.
#[derive(Debug, Clone, Copy)]
pub(in crate::sql) struct CountedSort {
    /// by a heap of those that are wanted?
    pub is_heap: bool,
    /// memory; `None`: it is not known
    pub kilobytes: Option<u64>,
}

/// A scan of an index for a bitmap.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::sql) struct CountedBitmap {
    /// entries that it found
    pub entries: u64,
    /// searches of the tree
    pub searches: u64,
    /// blocks that it read
    pub blocks: BufferUsage,
}

impl Database {
    /// Does something as a part of a statement that runs.
    pub(in crate::sql) fn while_running<T>(&mut self, running: &mut Running, work: impl FnOnce(&mut Self) -> T) -> T {
        let outside = core::mem::replace(&mut self.running, core::mem::take(running));
        let done = work(self);
        *running = core::mem::replace(&mut self.running, outside);
        done
    }

    /// Runs a query in an expression, whose work EXPLAIN ANALYZE counts apart from that of the statement.
    fn counting_sub(&mut self, place: usize, work: impl FnOnce(&mut Self) -> Outcome<Arc<Rows>>) -> Outcome<Arc<Rows>> {
        if !self.running.counted.counts_sort {
            return work(self);
        }
        let mut sub = self.running.subs.remove(&place).unwrap_or_default();
        sub.counted.counts_sort = true;
        let outside = core::mem::replace(&mut self.running.counted, sub.counted);
        let rows = work(self);
        sub.counted = core::mem::replace(&mut self.running.counted, outside);
        sub.loops += 1;
        sub.returned += rows.as_ref().map_or(0, |rows| rows.len() as u64);
        self.running.subs.insert(place, sub);
        rows
    }

    /// The rows of a query within an expression (`ExecSubPlan`, `ExecSetParamPlan`).
    pub(in crate::sql) fn sub_query(
        &mut self,
        plan: &Arc<SubPlan>,
        scope: Scope<'_>,
        most: Option<usize>,
    ) -> Result<Arc<Rows>, SqlError> {
        let key = Arc::as_ptr(plan) as usize;
        if let Some((_, rows)) = self.running.constants.get(&key) {
            return Ok(rows.clone());
        }
        let snapshot = match &self.running.snapshot {
            Some(snapshot) => snapshot.clone(),
            None => self.cluster.take_snapshot(),
        };
        let (params, outer) = (self.params.clone(), core::mem::take(&mut self.running.outer));
        self.params = scope.params.to_vec();
        self.running.outer = scope.outer.to_vec();
        self.running.outer.push(scope.slots.to_vec());
        let rows =
            self.counting_sub(Arc::as_ptr(&plan.plan) as usize, |db| query_rows(db, &plan.plan, &snapshot, most));
        self.params = params;
        self.running.outer = outer;
        let rows = rows.map_err(no_wait)?;
        if plan.is_constant() {
            self.running.constants.insert(key, (plan.clone(), rows.clone()));
        }
        Ok(rows)
    }
}
