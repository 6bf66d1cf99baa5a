//! Conditions on the number of a row that end a window function early (`find_window_run_conditions`,
//! src/backend/optimizer/path/allpaths.c), from 15 on.
//!
//! ```text
//!  SELECT * FROM (SELECT *, row_number() OVER (ORDER BY b) n FROM t) s WHERE n <= 2
//!  WindowAgg
//!    Run Condition: (row_number() OVER (?) <= 2)           from 18 on: OVER w1
//! ```

use super::{Explained, Tree};
use crate::sql::ast::BinaryOp;
use crate::sql::expr::{Node, Typed, WindowCall, WindowFunction};
use crate::sql::plan::SelectPlan;
use crate::sql::ruleutils::rule;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::PgVersion;

/// What a clause is to a window function.
enum Use {
    /// its rows end where it is no longer true: nothing else has to ask
    Ends(String),
    /// likewise where it is no longer so small, but each row is asked, too
    Bounds(String),
    /// nothing
    Filters,
}

impl Explained<'_> {
    /// The clauses on a query's rows that are left, where window functions of it end by the others; `None` where it is
    /// not known which those are.
    pub(super) fn with_run_conditions<'a>(
        &self,
        query: &SelectPlan,
        filter: Vec<&'a Typed>,
        below: &mut Tree,
    ) -> Option<Vec<&'a Typed>> {
        let version = PgVersion::of_major(self.major);
        let is_plain = query.limit.is_none() && query.offset.is_none();
        if query.windows.is_empty() || !version.ends_windows_early() || !is_plain {
            return Some(filter);
        }
        let (mut left, mut run) = (Vec::new(), Vec::new());
        for clause in filter {
            match self.use_of(query, clause)? {
                Use::Ends(condition) => run.push(condition),
                Use::Bounds(condition) => {
                    run.push(condition);
                    left.push(clause);
                }
                Use::Filters => left.push(clause),
            }
        }
        if run.is_empty() {
            return Some(left);
        }
        // what is sorted above is not looked into
        (below.line == "WindowAgg").then(|| {
            let text = if let [one] = &run[..] { one.clone() } else { format!("({})", run.join(" AND ")) };
            below.tell("Run Condition", text);
            left
        })
    }

    fn use_of(&self, query: &SelectPlan, clause: &Typed) -> Option<Use> {
        let Node::Binary(op, operands) = &clause.node else { return Some(Use::Filters) };
        let (left, right) = (&operands.0, &operands.1);
        let ((Some(call), _) | (_, Some(call))) = (called(query, left), called(query, right)) else {
            return Some(Use::Filters);
        };
        let is_left = called(query, left).is_some();
        let value = if is_left { right } else { left };
        let Node::Const(_) = value.node else { return None };
        let (less, equal) = match (op, is_left) {
            (BinaryOp::Lt | BinaryOp::Le, true) | (BinaryOp::Gt | BinaryOp::Ge, false) => (true, false),
            (BinaryOp::Eq, _) => (false, true),
            _ => return Some(Use::Filters),
        };
        let function = match call.function {
            WindowFunction::RowNumber => "row_number()",
            WindowFunction::Rank => "rank()",
            WindowFunction::DenseRank => "dense_rank()",
            WindowFunction::Lag
            | WindowFunction::Lead
            | WindowFunction::FirstValue
            | WindowFunction::LastValue
            | WindowFunction::NthValue => return Some(Use::Filters),
            // count is one of them, and others in part
            WindowFunction::Ntile
            | WindowFunction::PercentRank
            | WindowFunction::CumeDist
            | WindowFunction::Aggregate(_) => return None,
        };
        let number = query.windows.iter().position(|known| core::ptr::eq(known, call))?;
        let (function, value) = (format!("{function} {}", self.over_window(query, number)?), rule(value, self)?);
        let told = |op: &str| match is_left {
            true => format!("({function} {op} {value})"),
            false => format!("({value} {op} {function})"),
        };
        match (less, equal, is_left) {
            (true, ..) => Some(Use::Ends(told(op.name()))),
            (_, true, true) => Some(Use::Bounds(told("<="))),
            _ => None,
        }
    }
}

/// The window function that a column of the query is.
fn called<'a>(query: &'a SelectPlan, expr: &Typed) -> Option<&'a WindowCall> {
    let Node::Slot(slot) = expr.node else { return None };
    query.window_of(query.targets.get(usize::from(slot))?.value.expr()?)
}
