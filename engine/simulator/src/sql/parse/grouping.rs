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
use alloc::format;
use alloc::string::String;
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
        let mut forms = Vec::new();
        let items = self.list(|parser| {
            let (sets, form) = parser.group_by_item(&mut all, &mut are_plain, true)?;
            forms.push(form);
            Ok(sets)
        })?;
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
            select.group_form = forms.join(", ");
            select.grouping_sets = sets;
            // the largest first, as they are worked out (`cmp_list_len_desc`)
            select.grouping_sets.sort_by_key(|set| core::cmp::Reverse(set.len()));
        }
        Ok(())
    }

    /// The sets of an item, and how it is written (`get_rule_groupingset`); `are_plain` until there is one that is no
    /// expression; `is_bare`: an expression alone needs no parentheses.
    fn group_by_item(
        &mut self,
        all: &mut Vec<Expr>,
        are_plain: &mut bool,
        is_bare: bool,
    ) -> Result<(Sets, String), StatementError> {
        let form_of = |parts: &[Vec<usize>]| parts.iter().map(|part| form(part, true)).collect::<Vec<_>>().join(", ");
        if self.eat("rollup") {
            *are_plain = false;
            let parts = self.in_parens(|parser| parser.element_of_sets(all))?;
            let sets = (0..=parts.len()).rev().map(|length| parts[..length].concat()).collect();
            return Ok((sets, format!("ROLLUP({})", form_of(&parts))));
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
            let sets = (0..1_usize << count).rev().map(chosen).collect();
            return Ok((sets, format!("CUBE({})", form_of(&parts))));
        }
        if self.eat("grouping sets") {
            *are_plain = false;
            let items = self.in_parens(|parser| parser.group_by_item(all, are_plain, false))?;
            let (items, forms): (Vec<Sets>, Vec<String>) = items.into_iter().unzip();
            return Ok((items.concat(), format!("GROUPING SETS ({})", forms.join(", "))));
        }
        let element = self.element_of_sets(all)?;
        *are_plain &= !element.is_empty();
        let form = form(&element, is_bare);
        Ok((Vec::from([element]), form))
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

/// A set as it is written.
fn form(set: &[usize], is_bare: bool) -> String {
    let marks = set.iter().map(|_| "?").collect::<Vec<_>>().join(", ");
    if is_bare && set.len() == 1 { marks } else { format!("({marks})") }
}

fn product(sets: &Sets, others: &Sets) -> Sets {
    sets.iter().flat_map(|set| others.iter().map(|other| [&set[..], other].concat())).collect()
}
