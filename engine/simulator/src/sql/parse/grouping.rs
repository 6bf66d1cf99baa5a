//! GROUP BY (`group_by_list` of src/backend/parser/gram.y), and the sets that ROLLUP, CUBE and GROUPING SETS stand for
//! (`expand_grouping_sets`, src/backend/parser/parse_agg.c).
//!
//! ```text
//!  ROLLUP (a, b)         (a b) (a) ()
//!  CUBE (a, b)           (a b) (a) (b) ()
//!  a, ROLLUP (b)         (a b) (a): each set of the one with each of the other
//! ```

use super::cursor::Parser;
use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode, Select};
use alloc::vec::Vec;

/// Sets of places in the list of all that is grouped by.
type Sets = Vec<Vec<usize>>;

/// `CUBE` of more elements than this makes too many sets.
const MOST_SETS: usize = 4096;

impl Parser {
    /// After GROUP BY.
    pub(super) fn group_by(&mut self, select: &mut Select) -> Result<(), StatementError> {
        self.eat("all");
        if self.eat("distinct") {
            return Err(self.unsupported("GROUP BY DISTINCT"));
        }
        let mut all = Vec::new();
        let mut are_plain = true;
        let items = self.list(|parser| parser.group_by_item(&mut all, &mut are_plain))?;
        let mut sets: Sets = Vec::from([Vec::new()]);
        for item in items {
            sets = product(&sets, &item);
            if sets.len() > MOST_SETS {
                let message = alloc::format!("too many grouping sets present (maximum {MOST_SETS})");
                return Err(StatementError::server("54001", message));
            }
        }
        select.group_by = all;
        if !are_plain {
            select.grouping_sets = sets;
            // the largest first, as they are worked out (`cmp_list_len_desc`)
            select.grouping_sets.sort_by_key(|set| core::cmp::Reverse(set.len()));
        }
        Ok(())
    }

    /// The sets of an item; `are_plain` until there is one that is no expression.
    fn group_by_item(&mut self, all: &mut Vec<Expr>, are_plain: &mut bool) -> Result<Sets, StatementError> {
        if self.eat("rollup") {
            *are_plain = false;
            let parts = self.in_parens(|parser| parser.element_of_sets(all))?;
            return Ok((0..=parts.len()).rev().map(|length| parts[..length].concat()).collect());
        }
        if self.eat("cube") {
            *are_plain = false;
            let parts = self.in_parens(|parser| parser.element_of_sets(all))?;
            let count = parts.len();
            if count > 12 {
                return Err(StatementError::server("54011", "CUBE is limited to 12 elements"));
            }
            let chosen = |choice: usize| {
                let is_in = |n: usize| choice >> (count - 1 - n) & 1 == 1;
                (0..count).filter(|n| is_in(*n)).flat_map(|n| parts[n].clone()).collect()
            };
            return Ok((0..1_usize << count).rev().map(chosen).collect());
        }
        if self.eat("grouping sets") {
            *are_plain = false;
            let items = self.in_parens(|parser| parser.group_by_item(all, are_plain))?;
            return Ok(items.concat());
        }
        let element = self.element_of_sets(all)?;
        *are_plain &= !element.is_empty();
        Ok(Vec::from([element]))
    }

    /// An expression, or some in parentheses; of `()` none.
    fn element_of_sets(&mut self, all: &mut Vec<Expr>) -> Result<Vec<usize>, StatementError> {
        let mark = self.mark();
        if self.eat_op("(") && self.eat_op(")") {
            return Ok(Vec::new());
        }
        self.back_to(mark);
        let expr = self.expr()?;
        let parts = match expr.node {
            ExprNode::Row(parts) => parts,
            node => Vec::from([Expr { node, position: expr.position }]),
        };
        let first = all.len();
        all.extend(parts);
        Ok((first..all.len()).collect())
    }
}

fn product(sets: &Sets, others: &Sets) -> Sets {
    sets.iter().flat_map(|set| others.iter().map(|other| [&set[..], other].concat())).collect()
}
