//! For each row of the outer side those of the inner one (`ExecNestLoop`, src/backend/executor/nodeNestloop.c;
//! `ExecMemoize`, src/backend/executor/nodeMemoize.c).

use super::{Pair, Sides, Values};
use crate::sql::executor::running::CountedJoin;
use crate::sql::executor::select::source::row_key;
use crate::sql::plan::Between;
use crate::sql::tcop::Database;
use crate::storage::Outcome;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use ffviz_format::datum::Value;

/// A nested loop that runs.
#[derive(Debug, Clone, Default)]
pub(super) struct NestedLoop {
    outer: Option<Outer>,
    memo: Memo,
}

/// The row of the outer side.
#[derive(Debug, Clone)]
struct Outer {
    row: Values,
    /// the whole row, where the inner side reads it
    whole: Option<Values>,
    /// has it a partner?
    has_met: bool,
}

/// Rows that were found for values of the outer row.
#[derive(Debug, Clone, Default)]
struct Memo {
    found: BTreeMap<Vec<Option<Vec<u8>>>, Vec<Values>>,
    /// the value at work
    key: Vec<Option<Vec<u8>>>,
    /// does the scan find its rows, and are they all by now?
    fills: bool,
    /// rows of it that came
    next: usize,
    /// values whose rows were known
    hits: u64,
    /// `mem_used`
    bytes: usize,
}

impl NestedLoop {
    pub fn next(&mut self, db: &mut Database, sides: &mut Sides) -> Outcome<Option<Pair>> {
        let looks_up = sides.plan.looks_up;
        loop {
            db.cluster.pg.interrupt.check()?;
            if self.outer.is_none() {
                let Some(row) = sides.outer.next(db, None)? else { return Ok(None) };
                let whole = looks_up.then(|| sides.outer.whole(&row));
                self.begin(db, sides, &row, whole.as_deref())?;
                self.outer = Some(Outer { row, whole, has_met: false });
            }
            let Some(outer) = &mut self.outer else { return Ok(None) };
            let read = outer.whole.as_deref();
            let inner = match sides.inner.input().between {
                Between::Memoize(_) => self.memo.next(db, sides, read)?,
                _ => sides.inner.next(db, read)?,
            };
            let Some(inner) = inner else {
                let is_alone = !outer.has_met && sides.fills_outer();
                let row = self.outer.take().map(|outer| outer.row);
                if is_alone {
                    return Ok(Some((row, None)));
                }
                continue;
            };
            if !sides.joins(db, &outer.row, &inner)? {
                continue;
            }
            outer.has_met = true;
            let row = if sides.is_once() { self.outer.take().map(|outer| outer.row) } else { Some(outer.row.clone()) };
            if sides.gives_pairs() {
                return Ok(Some((row, Some(inner))));
            }
        }
    }

    /// It begins anew with the first row of the outer side.
    pub fn restart(&mut self) {
        self.outer = None;
    }

    pub fn count(&self, counted: &mut CountedJoin, sides: &Sides) {
        if matches!(sides.inner.input().between, Between::Memoize(_)) {
            let kilobytes = self.memo.bytes.div_ceil(1024) as u64;
            counted.memo = Some((self.memo.hits, self.memo.found.len() as u64, kilobytes));
        }
    }

    /// The inner side begins anew for a row of the outer one.
    fn begin(&mut self, db: &mut Database, sides: &mut Sides, row: &[Value], whole: Option<&[Value]>) -> Outcome<()> {
        if matches!(sides.inner.input().between, Between::Memoize(_)) && !self.memo.begin(db, sides, row)? {
            sides.inner.begin();
            return Ok(());
        }
        sides.inner.rescan(db, whole)
    }
}

impl Memo {
    /// Looks for the rows of a value. Must they be found first?
    fn begin(&mut self, db: &mut Database, sides: &Sides, row: &[Value]) -> Outcome<bool> {
        /// `MemoizeEntry`, `MemoizeKey`
        const ENTRY: usize = 24 + 24;
        let columns = &sides.inner.input().cached;
        let values = sides.outer.values_of(db, columns, row)?;
        self.key = row_key(&values);
        self.next = 0;
        self.fills = !self.found.contains_key(&self.key);
        self.hits += u64::from(!self.fills);
        if self.fills {
            self.bytes += ENTRY + super::Side::values_size(columns, &values);
            self.found.insert(self.key.clone(), Vec::new());
        }
        Ok(self.fills)
    }

    fn next(&mut self, db: &mut Database, sides: &mut Sides, outer: Option<&[Value]>) -> Outcome<Option<Values>> {
        /// `MemoizeTuple`
        const TUPLE: usize = 16;
        let Some(rows) = self.found.get_mut(&self.key) else { return Ok(None) };
        if self.fills {
            let row = sides.inner.next(db, outer)?;
            if let Some(row) = &row {
                self.bytes += TUPLE + sides.inner.tuple_size(row);
                rows.push(row.clone());
            }
            return Ok(row);
        }
        self.next += 1;
        let row = rows.get(self.next - 1).cloned();
        sides.inner.give(row.is_some());
        Ok(row)
    }
}
