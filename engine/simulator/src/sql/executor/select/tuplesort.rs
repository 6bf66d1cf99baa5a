//! Sorting rows in memory (src/backend/utils/sort/tuplesort.c).
//!
//! ```text
//!  put ─▶ all rows ─────────────────────────────────▶ quicksort ──────────────▶ in order
//!            │ more than twice as many as are wanted
//!            └──────▶ a heap of the first so many ──▶ taken from its top ─────▶
//!                     the last of them on top         from the last to the first
//! ```
//!
//! Which rows are compared decides which values are fetched from the TOAST table, and the algorithm decides which of
//! equal rows comes first. The server goes on in files where rows take more than `work_mem`; here they stay in memory.

use crate::qsort::pg_qsort;
use crate::sql::executor::row::fetch_value;
use crate::sql::expr::SortKey;
use crate::sql::tcop::Database;
use crate::storage::Outcome;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::Value;
use ffviz_format::datum::compare::{Comparator, comparator};
use ffviz_format::datum::sql_type::Kind;

/// A row and what it is sorted by.
#[derive(Debug, Clone)]
pub(in crate::sql) struct SortTuple<T> {
    /// the values of the keys; those in the TOAST table are fetched when they are compared
    pub by: Vec<Value>,
    /// the row
    pub row: T,
}

/// Rows that are being sorted (`Tuplesortstate`).
#[derive(Debug, Clone)]
pub(in crate::sql) struct Tuplesort<T> {
    keys: Vec<Key>,
    /// how many rows are wanted
    bound: Option<usize>,
    /// do the rows make a heap (`TSS_BOUNDED`)?
    is_heap: bool,
    tuples: Vec<SortTuple<T>>,
    /// rows that the heap had taken when it was made and then left out: PostgreSQL keeps their memory
    pub lost: Vec<SortTuple<T>>,
}

/// How values of a key compare (`SortSupport`).
#[derive(Debug, Clone, Copy)]
struct Key {
    /// which of the values of a row it is
    at: usize,
    kind: Kind,
    compare: Option<Comparator>,
    descending: bool,
    nulls_first: bool,
}

impl<T> Tuplesort<T> {
    /// Before the first row. Rows are sorted by the keys from `from` on, and the first `bound` are wanted.
    pub fn new(keys: &[SortKey], from: usize, bound: Option<usize>) -> Self {
        let keys = keys.iter().enumerate().skip(from).map(|(at, key)| Key {
            at,
            kind: key.expr.ty.kind(),
            compare: comparator(key.expr.ty.oid),
            descending: key.descending,
            nulls_first: key.nulls_first,
        });
        Self { keys: keys.collect(), bound, is_heap: false, tuples: Vec::new(), lost: Vec::new() }
    }

    /// `tuplesort_puttuple_common`: one more row.
    pub fn put(&mut self, db: &mut Database, mut tuple: SortTuple<T>) -> Outcome<()> {
        let Some(bound) = self.bound else {
            self.abbreviate(db, &mut tuple)?;
            self.tuples.push(tuple);
            return Ok(());
        };
        if self.is_heap {
            return self.put_in_heap(db, tuple).map(drop);
        }
        self.tuples.push(tuple);
        if self.tuples.len() > bound.saturating_mul(2) { self.make_heap(db, bound) } else { Ok(()) }
    }

    /// The rows, the first one first (`tuplesort_performsort`).
    pub fn perform(mut self, db: &mut Database) -> Outcome<Vec<SortTuple<T>>> {
        if self.is_heap {
            self.sort_heap(db)?;
        } else {
            self.quicksort(db)?;
        }
        Ok(self.tuples)
    }

    /// A first key that is put down in 8 bytes to be compared fast (`SortSupport.abbrev_converter`) is read as the row
    /// comes.
    fn abbreviate(&self, db: &mut Database, tuple: &mut SortTuple<T>) -> Outcome<()> {
        match self.keys.first() {
            Some(key) if matches!(key.kind, Kind::Text | Kind::BpChar | Kind::Bytea | Kind::Numeric) => {
                fetch_value(db, key.kind, &mut tuple.by[key.at])
            }
            _ => Ok(()),
        }
    }

    fn quicksort(&mut self, db: &mut Database) -> Outcome<()> {
        let mut places: Vec<usize> = (0..self.tuples.len()).collect();
        let mut failed = None;
        pg_qsort(&mut places, &mut |a, b| match &failed {
            None => self.compare(db, *a, *b).unwrap_or_else(|stop| {
                failed = Some(stop);
                Ordering::Equal
            }),
            Some(_) => Ordering::Equal,
        });
        failed.map_or(Ok(()), Err)?;
        let mut unsorted: Vec<Option<SortTuple<T>>> = self.tuples.drain(..).map(Some).collect();
        self.tuples = places.into_iter().filter_map(|place| unsorted[place].take()).collect();
        Ok(())
    }

    /// `make_bounded_heap`
    fn make_heap(&mut self, db: &mut Database, bound: usize) -> Outcome<()> {
        self.is_heap = true;
        for tuple in core::mem::take(&mut self.tuples) {
            if self.tuples.len() < bound {
                self.tuples.push(tuple);
                self.sift_up(db)?;
            } else {
                let lost = self.put_in_heap(db, tuple)?;
                self.lost.extend(lost);
            }
        }
        Ok(())
    }

    /// A row takes the place of the last one of those that are kept, unless it comes after that. Gives the one that
    /// was there.
    fn put_in_heap(&mut self, db: &mut Database, tuple: SortTuple<T>) -> Outcome<Option<SortTuple<T>>> {
        let size = self.tuples.len();
        self.tuples.push(tuple);
        let comes_before = self.compare(db, size, 0)?.is_lt();
        if comes_before {
            self.tuples.swap(size, 0);
        }
        let lost = self.tuples.pop().filter(|_| comes_before);
        if comes_before {
            self.sift_down(db, size)?;
        }
        Ok(lost)
    }

    /// `sort_bounded_heap`
    fn sort_heap(&mut self, db: &mut Database) -> Outcome<()> {
        for size in (1..self.tuples.len()).rev() {
            self.tuples.swap(0, size);
            self.sift_down(db, size)?;
        }
        Ok(())
    }

    /// `tuplesort_heap_insert` of the last row: up, until what is above it comes after it.
    fn sift_up(&mut self, db: &mut Database) -> Outcome<()> {
        let mut at = self.tuples.len() - 1;
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.compare(db, at, parent)?.is_le() {
                break;
            }
            self.tuples.swap(at, parent);
            at = parent;
        }
        Ok(())
    }

    /// `tuplesort_heap_replace_top` by the row that stands there: down, until what is below it comes before it.
    fn sift_down(&mut self, db: &mut Database, size: usize) -> Outcome<()> {
        let mut at = 0;
        loop {
            let mut child = 2 * at + 1;
            if child >= size {
                return Ok(());
            }
            if child + 1 < size && self.compare(db, child, child + 1)?.is_lt() {
                child += 1;
            }
            if self.compare(db, at, child)?.is_ge() {
                return Ok(());
            }
            self.tuples.swap(at, child);
            at = child;
        }
    }

    /// `comparetup_heap`
    fn compare(&mut self, db: &mut Database, a: usize, b: usize) -> Outcome<Ordering> {
        let Ok([a, b]) = self.tuples.get_disjoint_mut([a, b]) else { return Ok(Ordering::Equal) };
        compare(db, &self.keys, &mut a.by, &mut b.by)
    }
}

/// In which order stand two rows with these values of the keys?
pub(in crate::sql::executor) fn compare_keys(
    db: &mut Database,
    keys: &[SortKey],
    a: &mut [Value],
    b: &mut [Value],
) -> Outcome<Ordering> {
    compare(db, &Tuplesort::<()>::new(keys, 0, None).keys, a, b)
}

/// Have two rows the same values of the first keys (`isCurrentGroup`, src/backend/executor/nodeIncrementalSort.c)?
pub(super) fn is_same_group(db: &mut Database, keys: &[SortKey], a: &mut [Value], b: &mut [Value]) -> Outcome<bool> {
    Ok(compare_keys(db, keys, a, b)?.is_eq())
}

fn compare(db: &mut Database, keys: &[Key], a: &mut [Value], b: &mut [Value]) -> Outcome<Ordering> {
    for key in keys {
        let order = key.compare(db, &mut a[key.at], &mut b[key.at])?;
        if order.is_ne() {
            return Ok(order);
        }
    }
    Ok(Ordering::Equal)
}

impl Key {
    /// `ApplySortComparator`
    fn compare(&self, db: &mut Database, a: &mut Value, b: &mut Value) -> Outcome<Ordering> {
        let null = if self.nulls_first { Ordering::Less } else { Ordering::Greater };
        match (a.is_null(), b.is_null()) {
            (true, true) => return Ok(Ordering::Equal),
            (true, false) => return Ok(null),
            (false, true) => return Ok(null.reverse()),
            (false, false) => {}
        }
        fetch_value(db, self.kind, a)?;
        fetch_value(db, self.kind, b)?;
        let order = self.compare.map_or(Ordering::Equal, |compare| compare(a, b));
        Ok(if self.descending { order.reverse() } else { order })
    }
}
