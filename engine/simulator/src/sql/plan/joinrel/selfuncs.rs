//! What statistics of two columns say of both together: `eqjoinsel_inner`, `get_variable_range`, `mergejoinscansel`
//! (src/backend/utils/adt/selfuncs.c).

use super::estimate::Part;
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::{ColumnStats, TableInfo};
use crate::sql::expr::{Node, Typed};
use alloc::boxed::Box;
use alloc::vec::Vec;
use ffviz_format::datum::compare::comparator;
use ffviz_format::datum::{SqlType, Value};

/// The most common values of both sides that are equal.
pub(super) struct Common {
    /// how many there are
    matched: usize,
    /// sum of the products of their shares
    product: f64,
    /// sum of their shares on the first side
    of_first: f64,
    /// shares of the others on each side
    others: (f64, f64),
    /// shares of rows with other values
    rest: (f64, f64),
    counts: (usize, usize),
}

impl Common {
    pub fn of(left: &ColumnStats, right: &ColumnStats, ty: SqlType) -> Option<Self> {
        if left.most_common.is_empty() || right.most_common.is_empty() {
            return None;
        }
        let compare = comparator(ty.oid)?;
        let second = &right.most_common;
        let mut found = Self {
            matched: 0,
            product: 0.0,
            of_first: 0.0,
            others: (0.0, 0.0),
            rest: (0.0, 0.0),
            counts: (left.most_common.len(), second.len()),
        };
        let mut shares = (0.0, 0.0);
        let mut has_match = alloc::vec![false; second.len()];
        for (value, share) in &left.most_common {
            let at = (0..second.len()).find(|at| !has_match[*at] && compare(value, &second[*at].0).is_eq());
            match at {
                Some(at) => {
                    has_match[at] = true;
                    found.matched += 1;
                    found.product += share * second[at].1;
                    shares.0 += share;
                    shares.1 += second[at].1;
                }
                None => found.others.0 += share,
            }
        }
        found.of_first = shares.0;
        found.others.1 = second.iter().zip(&has_match).filter(|(_, has)| !**has).map(|((_, share), _)| share).sum();
        let rest = |null: f64, shares: f64, others: f64| (1.0 - null - shares - others).clamp(0.0, 1.0);
        found.rest.0 = rest(left.null_frac, shares.0, found.others.0);
        found.rest.1 = rest(right.null_frac, shares.1, found.others.1);
        Some(found)
    }

    /// How many are equal, and their share on the first side; `None`: not all values of the second one count.
    pub fn matched_of_first(&self, nd2: f64) -> Option<(f64, f64)> {
        (nd2 >= self.counts.1 as f64).then_some((self.matched as f64, self.of_first))
    }

    pub fn inner(&self, nd1: f64, nd2: f64) -> f64 {
        let one = |others: f64, rest: f64, other: f64, all: f64, count: usize, distinct: f64| {
            let mut share = self.product;
            if distinct > count as f64 {
                share += others * other / (distinct - count as f64);
            }
            if distinct > self.matched as f64 {
                share += rest * all / (distinct - self.matched as f64);
            }
            share
        };
        let (rest, others) = (self.rest, self.others);
        let first = one(others.0, rest.0, rest.1, rest.1 + others.1, self.counts.1, nd2);
        let second = one(others.1, rest.1, rest.0, rest.0 + others.0, self.counts.0, nd1);
        first.min(second)
    }
}

/// `get_variable_range`
fn range(table: &TableInfo, key: &Typed) -> Option<(Value, Value)> {
    const ALL: f64 = 0.99999;
    let (_, stats) = table.stats.iter().find(|(node, _)| *node == key.node)?;
    let compare = comparator(key.ty.oid)?;
    let ends = stats.histogram.first().zip(stats.histogram.last());
    if ends.is_none() && stats.common_share() + stats.null_frac <= ALL {
        return None;
    }
    let common = stats.most_common.iter().map(|(value, _)| value);
    let mut values: Vec<&Value> =
        ends.into_iter().flat_map(|(least, greatest)| [least, greatest]).chain(common).collect();
    values.sort_by(|a, b| compare(a, b));
    Some(((*values.first()?).clone(), (*values.last()?).clone()))
}

/// What `mergejoinscansel` asks of a table's key: is it at most the other's greatest value, is it below its least one?
pub(super) fn bounds(other: &TableInfo, other_key: &Typed, key: &Typed) -> Vec<Typed> {
    let Some((least, greatest)) = range(other, other_key) else { return Vec::new() };
    let clause = |op, value| {
        let operands = Box::new((key.clone(), Typed::constant(value, key.ty)));
        Typed { node: Node::Binary(op, operands), ty: SqlType::BOOL }
    };
    Vec::from([clause(BinaryOp::Le, greatest), clause(BinaryOp::Lt, least)])
}

/// The parts of both sides that have keys in common, where one of them begins and ends.
pub(super) fn overlap(mut ends: (f64, f64), mut starts: (f64, f64)) -> (Part, Part) {
    ends = if ends.0 > ends.1 {
        (1.0, ends.1)
    } else if ends.0 < ends.1 {
        (ends.0, 1.0)
    } else {
        (1.0, 1.0)
    };
    starts = if starts.0 < starts.1 {
        (0.0, starts.1)
    } else if starts.0 > starts.1 {
        (starts.0, 0.0)
    } else {
        (0.0, 0.0)
    };
    let part = |start: f64, end: f64| if start >= end { Part::WHOLE } else { Part { start, end } };
    (part(starts.0, ends.0), part(starts.1, ends.1))
}
