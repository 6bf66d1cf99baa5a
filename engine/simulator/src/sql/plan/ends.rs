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
use super::extended::is_estimated;
use super::selectivity::Selectivity;
use super::size::of_table;
use super::statement::Planner;
use crate::sql::StatementError;
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::{End, TableInfo};
use crate::sql::expr::{Node, Typed, is_range};
use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;

/// Of bounds of ranges no histogram is kept, so that it is not known which share of the rows a condition leaves once
/// ANALYZE has looked at them, and with it not whether an index is used.
fn check_ranges(table: &TableInfo, clauses: &[Typed]) -> Result<(), StatementError> {
    let is_asked = |node: &Node| {
        let operands = match node {
            Node::Binary(op, operands) if !matches!(op, BinaryOp::Eq | BinaryOp::Ne) => [&operands.0, &operands.1],
            Node::Call(_, args) => match &args[..] {
                [left, right] => [left, right],
                _ => return false,
            },
            _ => return false,
        };
        let is_range = |expr: &&Typed| is_range(expr.ty.oid);
        operands.into_iter().filter(is_range).any(|expr| table.stats.iter().any(|(known, _)| *known == expr.node))
    };
    if clauses.iter().any(|clause| clause.any(&is_asked)) {
        let message = "a condition on ranges that ANALYZE has looked at, of a table with indexes, is not supported";
        return Err(StatementError::unsupported(message, None));
    }
    Ok(())
}

impl Planner<'_> {
    /// The table, with the ends of its indexes that estimates for these conditions need.
    pub fn with_ends<'a>(
        &mut self,
        table: &'a TableInfo,
        clauses: &[Typed],
    ) -> Result<Cow<'a, TableInfo>, StatementError> {
        check_extended(table, clauses)?;
        let mut known = Cow::Borrowed(table);
        if table.stats.is_empty() || table.indexes.is_empty() {
            return Ok(known);
        }
        check_ranges(table, clauses)?;
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

/// Is it known what statistics of several columns say of these conditions (`statext_clauselist_selectivity`)?
///
/// # Errors
/// Where it is not.
fn check_extended(table: &TableInfo, clauses: &[Typed]) -> Result<(), StatementError> {
    if table.extended.is_empty() || is_estimated(table, clauses) {
        return Ok(());
    }
    let message = format!("conditions like these on columns of {} that CREATE STATISTICS is about", table.name);
    let how = "are not supported; DROP STATISTICS, or compare single columns with values of their types";
    Err(StatementError::unsupported(format!("{message} {how}"), None))
}
