//! Rows of several scans, each of which gives its own in order, in one order (src/backend/executor/nodeMergeAppend.c).
//!
//! ```text
//!  t_eu  1 4 7 ──┐ heap of scans, by the row
//!  t_us  2 5 8 ──┼─ that each gave last      ──▶ 1 2 3 4 5 …
//!  t_de  3 6 9 ──┘
//! ```

use super::row::Row;
use super::scan::RowScan;
use super::select::{compare_keys, keys_of};
use crate::sql::expr::SortKey;
use crate::sql::tcop::Database;
use crate::storage::Outcome;
use alloc::vec::Vec;
use ffviz_format::datum::Value;

/// The scans, and where they stand.
#[derive(Debug, Clone)]
pub(super) struct MergeRows {
    scans: Vec<RowScan>,
    keys: Vec<SortKey>,
    /// of each scan the row that it gave last, and what that is sorted by
    rows: Vec<(Vec<Value>, Option<Row>)>,
    /// the scans with such a row: no row of a child comes before that of its parent
    heap: Vec<usize>,
    begun: bool,
}

impl MergeRows {
    pub fn new(scans: Vec<RowScan>, keys: Vec<SortKey>) -> Self {
        let rows = scans.iter().map(|_| (Vec::new(), None)).collect();
        Self { scans, keys, rows, heap: Vec::new(), begun: false }
    }

    /// `ExecMergeAppend`: the next row, and the scan that it is of.
    pub fn next(&mut self, db: &mut Database) -> Outcome<Option<(&RowScan, Row)>> {
        if self.begun {
            self.replace_first(db)?;
        } else {
            self.begin(db)?;
        }
        let Some(first) = self.heap.first() else { return Ok(None) };
        let row = self.rows[*first].1.take();
        Ok(row.map(|row| (&self.scans[*first], row)))
    }

    /// The first row of each scan (`binaryheap_build`).
    fn begin(&mut self, db: &mut Database) -> Outcome<()> {
        self.begun = true;
        for n in 0..self.scans.len() {
            if self.fetch(db, n)? {
                self.heap.push(n);
            }
        }
        (0..self.heap.len() / 2).rev().try_for_each(|at| self.sift_down(db, at))
    }

    /// `binaryheap_replace_first`, `binaryheap_remove_first`
    fn replace_first(&mut self, db: &mut Database) -> Outcome<()> {
        let Some(first) = self.heap.first().copied() else { return Ok(()) };
        if !self.fetch(db, first)? {
            self.heap.swap_remove(0);
        }
        self.sift_down(db, 0)
    }

    /// Is there another row of the scan?
    fn fetch(&mut self, db: &mut Database, n: usize) -> Outcome<bool> {
        let Some(row) = self.scans[n].next_wanted(db)? else {
            self.scans[n].end(db);
            return Ok(false);
        };
        let keys = keys_of(db, &self.keys, &row.values)?;
        self.rows[n] = (keys, Some(row));
        Ok(true)
    }

    /// `sift_down`, src/common/binaryheap.c
    fn sift_down(&mut self, db: &mut Database, mut at: usize) -> Outcome<()> {
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let mut best = at;
            if self.is_before(db, left, at)? {
                best = left;
            }
            if self.is_before(db, right, at)? && (best == at || self.is_before(db, right, left)?) {
                best = right;
            }
            if best == at {
                return Ok(());
            }
            self.heap.swap(at, best);
            at = best;
        }
    }

    /// Does the row of one place of the heap come before that of another? None does where there is no such place.
    fn is_before(&mut self, db: &mut Database, one: usize, other: usize) -> Outcome<bool> {
        let (Some(one), Some(other)) = (self.heap.get(one).copied(), self.heap.get(other).copied()) else {
            return Ok(false);
        };
        let Ok([one, other]) = self.rows.get_disjoint_mut([one, other]) else { return Ok(false) };
        Ok(compare_keys(db, &self.keys, &mut one.0, &mut other.0)?.is_lt())
    }

    /// Ends the scans.
    pub fn end(&mut self, db: &mut Database) {
        self.scans.iter_mut().for_each(|scan| scan.end(db));
    }
}
