//! The ends of indexes that a plan asks for: `get_actual_variable_range` (src/backend/utils/adt/selfuncs.c). Where a
//! condition compares with a value that the histogram has at its end or beyond it, the index is asked what is there
//! now.
//!
//! ```text
//!  a > 95 ──histogram: 1 … 90──▶ its last bound decides ──▶ the greatest entry of an index on a ──▶ which share of the rows
//! ```
//!
//! Which ends these are is a matter of the conditions and the statistics alone, so that they are read before paths are
//! looked for.

use super::clause::{implies, match_index};
use super::selectivity::Selectivity;
use super::size::of_table;
use super::statement::Planner;
use crate::sql::StatementError;
use crate::sql::catalog::{End, TableInfo};
use crate::sql::expr::Typed;
use alloc::borrow::Cow;
use alloc::vec::Vec;

impl Planner<'_> {
    /// The table, with the ends of its indexes that estimates for these conditions need.
    pub fn with_ends<'a>(
        &mut self,
        table: &'a TableInfo,
        clauses: &[Typed],
    ) -> Result<Cow<'a, TableInfo>, StatementError> {
        let mut known = Cow::Borrowed(table);
        if table.stats.is_empty() || table.indexes.is_empty() {
            return Ok(known);
        }
        for (at, end) in self.asked(table, clauses) {
            let value = self.catalog.index_end(table.oid, &table.indexes[at], end)?;
            let ends = &mut known.to_mut().indexes[at].ends;
            match end {
                End::Least => ends.least = value,
                End::Greatest => ends.greatest = value,
            }
        }
        Ok(known)
    }

    /// In the order of asking.
    fn asked(&self, table: &TableInfo, clauses: &[Typed]) -> Vec<(usize, End)> {
        let input = self.catalog.input();
        let selectivity = Selectivity::new(table, of_table(table, input.major).tuples, input);
        clauses.iter().for_each(|clause| {
            selectivity.one(clause);
        });
        // what a partial index leaves out counts as far as its conditions do not say the same
        for index in table.indexes.iter().rev().filter(|index| implies(clauses, &index.predicate)) {
            let given: Vec<Typed> =
                match_index(index, clauses, input.major).into_iter().map(|clause| clause.expr).collect();
            let open = index.predicate.iter().filter(|part| !implies(&given, core::slice::from_ref(part)));
            open.for_each(|part| {
                selectivity.one(part);
            });
        }
        let of_patterns = table.indexes.iter().rev().flat_map(|index| match_index(index, clauses, input.major));
        of_patterns.filter(|clause| clause.lossy).for_each(|clause| {
            selectivity.one(&clause.expr);
        });
        selectivity.asked.into_inner()
    }
}
