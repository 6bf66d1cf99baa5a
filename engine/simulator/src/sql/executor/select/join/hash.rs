//! The inner side by the hash of its key (`ExecHashJoinImpl`, src/backend/executor/nodeHashjoin.c;
//! src/backend/executor/nodeHash.c).
//!
//! ```text
//!  outer row ─▶ its bucket ─▶ the row that came last, the one before it, …
//!  more rows than buckets: twice as many buckets, into which the rows are put again chunk by chunk, the last one first
//! ```

use super::{Pair, Sides, Values};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::hash::hash_of;
use crate::sql::plan::{JoinSide, hash_buckets};
use crate::sql::tcop::Database;
use crate::storage::Outcome;
use crate::version::SqlBehaviour;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};

/// `HJTUPLE_OVERHEAD`
const OVERHEAD: usize = 16;
/// `HASH_CHUNK_SIZE` without its header
const CHUNK: usize = 32 * 1024 - 32;
/// `HASH_CHUNK_THRESHOLD`: a larger row has a chunk of its own
const LARGE: usize = 8 * 1024;
/// a pointer
const BUCKET: usize = 8;
/// `work_mem`
const MEMORY: usize = 4 << 20;

/// A hash join that runs.
#[derive(Debug, Clone, Default)]
pub(super) struct HashJoin {
    table: Option<Table>,
    /// the first row of the outer side, which was read before the table was made
    first: Option<Values>,
    /// the row of the outer side, and the rows of the table that it meets
    outer: Option<Outer>,
    /// rows of the table without a partner, in the order in which they come out
    left: Option<alloc::vec::IntoIter<usize>>,
    is_done: bool,
}

#[derive(Debug, Clone)]
struct Outer {
    row: Values,
    found: alloc::vec::IntoIter<usize>,
    has_met: bool,
}

/// The hash table.
#[derive(Debug, Clone, Default)]
struct Table {
    rows: Vec<Entry>,
    /// numbers of rows by the hash of their key, the first one of the bucket first
    by_hash: BTreeMap<Option<u32>, Vec<usize>>,
    /// buckets that were planned, and that there are
    planned: usize,
    buckets: usize,
    /// bytes of the rows
    space: usize,
    /// in which order rows were put into the buckets
    order: Vec<usize>,
}

#[derive(Debug, Clone)]
struct Entry {
    row: Values,
    key: Values,
    has_met: bool,
}

/// Memory of a hash table, as far as it decides the order of its rows: the last chunk is the one that is filled.
#[derive(Default)]
struct Chunks {
    all: Vec<(usize, Vec<usize>)>,
}

impl HashJoin {
    pub fn next(&mut self, db: &mut Database, sides: &mut Sides) -> Outcome<Option<Pair>> {
        if self.table.is_none() && !self.is_done {
            self.begin(db, sides)?;
        }
        loop {
            db.cluster.pg.interrupt.check()?;
            let Some(table) = self.table.as_mut().filter(|_| !self.is_done) else { return Ok(None) };
            if let Some(left) = &mut self.left {
                let next = left.next().map(|at| (None, Some(table.rows[at].row.clone())));
                return Ok(next);
            }
            let Some(outer) = &mut self.outer else {
                let next = match self.first.take() {
                    Some(row) => Some(row),
                    None => sides.outer.next(db, None)?,
                };
                match next {
                    Some(row) => {
                        let key = sides.outer.key(db, &row)?;
                        let found = table.candidates(sides, &key).into_iter();
                        self.outer = Some(Outer { row, found, has_met: false });
                    }
                    None if sides.fills_inner() => self.left = Some(table.unmatched()?.into_iter()),
                    None => self.is_done = true,
                }
                continue;
            };
            let Some(at) = outer.found.next() else {
                let alone = self.outer.take().filter(|outer| !outer.has_met && sides.fills_outer());
                match alone {
                    Some(outer) => return Ok(Some((Some(outer.row), None))),
                    None => continue,
                }
            };
            let is_right = sides.plan.kind == JoinSide::RightSemi;
            if is_right && table.rows[at].has_met || !sides.joins(db, &outer.row, &table.rows[at].row)? {
                continue;
            }
            (outer.has_met, table.rows[at].has_met) = (true, true);
            let row = outer.row.clone();
            if sides.is_once() {
                self.outer = None;
            }
            if sides.gives_pairs() {
                return Ok(Some((Some(row), Some(table.rows[at].row.clone()))));
            }
        }
    }

    /// It begins anew with the first row of the outer side. Is its table kept (`ExecReScanHashJoin`)?
    pub fn restart(&mut self, sides: &Sides) -> bool {
        (self.outer, self.left, self.first) = (None, None, None);
        self.is_done = self.table.as_ref().is_some_and(|table| table.rows.is_empty() && !sides.fills_outer());
        for entry in self.table.iter_mut().flat_map(|table| &mut table.rows) {
            entry.has_met = false;
        }
        self.table.is_some()
    }

    /// Buckets that there are, that were planned, and bytes.
    pub fn counted(&self) -> Option<(usize, usize, usize)> {
        self.table.as_ref().map(|table| (table.buckets, table.planned, table.space + table.buckets * BUCKET))
    }

    /// `HJ_BUILD_HASHTABLE`: the first row of the outer side may tell that there is nothing to be joined.
    fn begin(&mut self, db: &mut Database, sides: &mut Sides) -> Outcome<()> {
        let [outer, inner] = &sides.plan.inputs;
        let is_cheap = outer.cost().startup < inner.cost().total;
        if self.first.is_none() && !sides.fills_inner() && (sides.fills_outer() || is_cheap) {
            self.first = sides.outer.next(db, None)?;
            if self.first.is_none() {
                self.is_done = true;
                return Ok(());
            }
        }
        let table = Table::build(db, sides)?;
        self.is_done = table.rows.is_empty() && !sides.fills_outer();
        self.table = Some(table);
        Ok(())
    }
}

impl Table {
    /// `MultiExecPrivateHash`
    fn build(db: &mut Database, sides: &mut Sides) -> Outcome<Self> {
        let planned = hash_buckets(sides.plan.inputs[1].rows) as usize;
        let mut table = Self { planned, buckets: planned, ..Self::default() };
        let mut chunks = Chunks::default();
        let most = if db.cluster.version().doubles_hash_memory() { 2 * MEMORY } else { MEMORY };
        while let Some(row) = sides.inner.next(db, None)? {
            let key = sides.inner.key(db, &row)?;
            if key.iter().any(Value::is_null) && !sides.fills_inner() {
                continue;
            }
            let size = OVERHEAD + sides.inner.tuple_size(&row);
            if table.rows.len() > table.buckets {
                table.buckets *= 2;
            }
            table.space += size;
            if table.space + table.buckets * BUCKET > most {
                let message = "a hash join of so many rows that they do not fit into work_mem is not supported";
                return Err(SqlError::new(NOT_SIMULATED, message).into());
            }
            chunks.put(table.rows.len(), size);
            table.rows.push(Entry { row, key, has_met: false });
        }
        sides.inner.gave = table.rows.len() as u64;
        table.order = if table.buckets == planned { (0..table.rows.len()).collect() } else { chunks.order() };
        for at in table.order.iter().rev() {
            let hash = hash_of(&table.rows[*at].key);
            table.by_hash.entry(hash).or_default().push(*at);
        }
        Ok(table)
    }

    /// `ExecScanHashBucket`: the rows with that key.
    fn candidates(&self, sides: &Sides, key: &[Value]) -> Vec<usize> {
        if key.iter().any(Value::is_null) {
            return Vec::new();
        }
        let found = self.by_hash.get(&hash_of(key)).into_iter().flatten();
        found.copied().filter(|at| sides.are_equal(&self.rows[*at].key, key)).collect()
    }

    /// `ExecScanHashTableForUnmatched`: bucket by bucket.
    fn unmatched(&self) -> Outcome<Vec<usize>> {
        let mut left: Vec<(Option<u32>, usize)> = Vec::new();
        for (hash, rows) in &self.by_hash {
            let alone = rows.iter().filter(|at| !self.rows[**at].has_met);
            left.extend(alone.map(|at| (hash.map(|hash| hash & (self.buckets as u32 - 1)), *at)));
        }
        if left.len() > 1 && left.iter().any(|(hash, _)| hash.is_none()) {
            let message = "a right join by a hash table over a key of this type is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message).into());
        }
        let mut places = alloc::vec![0; self.rows.len()];
        self.order.iter().rev().enumerate().for_each(|(place, at)| places[*at] = place);
        left.sort_by_key(|(bucket, at)| (*bucket, places[*at]));
        Ok(left.into_iter().map(|(_, at)| at).collect())
    }
}

impl Chunks {
    /// `dense_alloc`
    fn put(&mut self, row: usize, size: usize) {
        let size = size.next_multiple_of(8);
        if size > LARGE {
            let behind_first = self.all.len().saturating_sub(1);
            return self.all.insert(behind_first, (CHUNK, Vec::from([row])));
        }
        match self.all.last_mut() {
            Some((used, rows)) if *used + size <= CHUNK => {
                *used += size;
                rows.push(row);
            }
            _ => self.all.push((size, Vec::from([row]))),
        }
    }

    /// `ExecHashIncreaseNumBuckets`: the order in which rows are put into more buckets.
    fn order(&self) -> Vec<usize> {
        self.all.iter().rev().flat_map(|(_, rows)| rows).copied().collect()
    }
}
