//! Rows that come sorted by the first keys are sorted in groups, and no more of them are read than is wanted
//! (src/backend/executor/nodeIncrementalSort.c).
//!
//! ```text
//!                 ┌─ 32 rows or more, to the end of a group ─▶ by all keys ──────────────────────┐
//!  rows ─────────▶┤                                                                              ├─▶ batch after batch
//!                 └─ more than 64 and no end of the group ──▶ group after group, by other keys ──┘
//! ```

use super::tuplesort::{SortTuple, Tuplesort, is_same_group};
use crate::sql::expr::SortKey;
use crate::sql::tcop::Database;
use crate::storage::Outcome;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::Value;

/// `DEFAULT_MIN_GROUP_SIZE`
const MIN_GROUP_SIZE: usize = 32;
/// `DEFAULT_MAX_FULL_SORT_GROUP_SIZE`
const MAX_FULL_SORT_GROUP_SIZE: usize = 2 * MIN_GROUP_SIZE;

/// `IncrementalSortState`
#[derive(Debug, Clone)]
pub(super) struct IncrementalSort<T> {
    keys: Arc<[SortKey]>,
    /// how many of the keys the rows come sorted by
    presorted: usize,
    /// how many rows are wanted
    bound: Option<usize>,
    /// how many of those came out (`bound_Done`)
    done: usize,
    /// the row behind the last batch
    carried: Option<SortTuple<T>>,
    /// of a batch sorted by all keys, what is to be sorted within its groups; the first row last
    /// (`n_fullsort_remaining`)
    remaining: Vec<SortTuple<T>>,
    /// were all rows read?
    outer_done: bool,
}

/// Where the rows come from: the next one with its keys, or none.
pub(super) trait Source<T> {
    fn next(&mut self, db: &mut Database) -> Outcome<Option<SortTuple<T>>>;
}

impl<T> IncrementalSort<T> {
    /// Before the first row.
    pub fn new(keys: &[SortKey], presorted: usize, bound: Option<usize>) -> Self {
        let (carried, remaining) = (None, Vec::new());
        Self { keys: keys.into(), presorted, bound, done: 0, carried, remaining, outer_done: false }
    }

    /// The next rows in their order; none when all came out.
    pub fn batch(&mut self, db: &mut Database, source: &mut impl Source<T>) -> Outcome<Vec<SortTuple<T>>> {
        if !self.remaining.is_empty() {
            self.group(db, source, 0)
        } else if self.outer_done {
            Ok(Vec::new())
        } else {
            self.full(db, source)
        }
    }

    /// `INCSORT_LOADFULLSORT`: the smallest number of rows, and those of the same group as the last of them.
    fn full(&mut self, db: &mut Database, source: &mut impl Source<T>) -> Outcome<Vec<SortTuple<T>>> {
        let bound = self.left();
        let smallest = bound.map_or(MIN_GROUP_SIZE, |bound| bound.min(MIN_GROUP_SIZE));
        let mut sort = Tuplesort::new(&self.keys, 0, bound.filter(|bound| *bound < MIN_GROUP_SIZE));
        let (mut rows, mut pivot) = (0, Vec::new());
        loop {
            let carried = self.carried.take();
            let next = if carried.is_some() { carried } else { source.next(db)? };
            let Some(mut tuple) = next else {
                self.outer_done = true;
                return sort.perform(db);
            };
            if rows >= smallest && !self.is_in_group(db, &mut pivot, &mut tuple)? {
                self.carried = Some(tuple);
                self.count(rows);
                return sort.perform(db);
            }
            rows += 1;
            if rows == smallest {
                pivot.clone_from(&tuple.by);
            }
            sort.put(db, tuple)?;
            if rows > MAX_FULL_SORT_GROUP_SIZE {
                self.remaining = sort.perform(db)?;
                self.remaining.reverse();
                return self.group(db, source, rows);
            }
        }
    }

    /// `switchToPresortedPrefixMode`, `INCSORT_LOADPREFIXSORT`: the rows of one group, sorted by the other keys; `rows`
    /// were counted before.
    fn group(&mut self, db: &mut Database, source: &mut impl Source<T>, rows: usize) -> Outcome<Vec<SortTuple<T>>> {
        let mut sort = Tuplesort::new(&self.keys, self.presorted, self.left());
        let mut pivot = self.remaining.last().map_or_else(Vec::new, |first| first.by.clone());
        let mut moved = 0;
        while let Some(mut tuple) = self.remaining.pop() {
            if !self.is_in_group(db, &mut pivot, &mut tuple)? {
                self.remaining.push(tuple);
                self.count(moved);
                return sort.perform(db);
            }
            moved += 1;
            sort.put(db, tuple)?;
        }
        let mut rows = rows;
        while let Some(mut tuple) = source.next(db)? {
            if !self.is_in_group(db, &mut pivot, &mut tuple)? {
                self.carried = Some(tuple);
                break;
            }
            rows += 1;
            sort.put(db, tuple)?;
        }
        self.outer_done = self.carried.is_none();
        self.count(rows);
        sort.perform(db)
    }

    fn is_in_group(&self, db: &mut Database, pivot: &mut [Value], tuple: &mut SortTuple<T>) -> Outcome<bool> {
        is_same_group(db, &self.keys[..self.presorted], pivot, &mut tuple.by)
    }

    fn left(&self) -> Option<usize> {
        self.bound.map(|bound| bound - self.done)
    }

    fn count(&mut self, rows: usize) {
        self.done = self.bound.map_or(0, |bound| bound.min(self.done + rows));
    }
}
