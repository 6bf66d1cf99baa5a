//! Which share of the pairs of rows of two tables have equal keys: `eqjoinsel`, `mergejoinscansel`,
//! `estimate_hash_bucket_stats` (src/backend/utils/adt/selfuncs.c), `compute_semi_anti_join_factors`
//! (src/backend/optimizer/path/costsize.c).

use crate::sql::ast::BinaryOp;
use crate::sql::catalog::{ColumnStats, TableInfo};
use crate::sql::expr::{Node, SortKey, Typed};
use crate::sql::plan::path::Path;
use crate::sql::plan::query::Wanted;
use crate::sql::plan::selectivity::Selectivity;
use crate::sql::plan::size::clamp;
use alloc::boxed::Box;
use alloc::vec::Vec;
use ffviz_format::datum::compare::comparator;
use ffviz_format::datum::{SqlType, Value};

/// `DEFAULT_INEQ_SEL`
const INEQUAL: f64 = 0.333_333_333_333_333_3;

/// One of the tables that are joined.
pub(super) struct Side<'a> {
    pub wanted: Wanted<'a>,
    /// its first slot in the whole row
    pub start: u16,
    /// its scans, the cheapest first
    pub paths: Vec<Path>,
    /// of each how many keys of the order that is wanted above the join its rows have
    pub sorted: Vec<usize>,
    /// that order, as far as it is of this table
    pub order: Vec<SortKey>,
    /// rows of the table, and those that its own conditions leave
    pub tuples: f64,
    pub rows: f64,
    pub width: u32,
    pub key: Option<Typed>,
    /// has a value of the key one row at most?
    pub unique: bool,
}

/// Of rows of the outer side how many have a partner, and how many partners these have.
#[derive(Clone, Copy)]
pub(in crate::sql::plan) struct Matches {
    pub share: f64,
    pub count: f64,
}

/// Which part of a side a merge join reads, and where it begins.
#[derive(Clone, Copy)]
pub(in crate::sql::plan) struct Part {
    pub start: f64,
    pub end: f64,
}

impl Part {
    pub const WHOLE: Self = Self { start: 0.0, end: 1.0 };
}

impl Side<'_> {
    pub fn selectivity(&self) -> Selectivity<'_> {
        Selectivity::new(self.wanted.table, self.tuples, self.wanted.input)
    }

    fn stats(&self) -> Option<&ColumnStats> {
        let key = self.key.as_ref()?;
        self.wanted.table.stats.iter().find(|(node, _)| *node == key.node).map(|(_, stats)| &**stats)
    }

    fn null_share(&self) -> f64 {
        self.stats().map_or(0.0, |stats| stats.null_frac)
    }

    /// Values of the key, and whether that is a guess.
    pub fn distinct(&self) -> (f64, bool) {
        self.key.as_ref().map_or((1.0, false), |key| self.selectivity().distinct(key))
    }

    /// `estimate_hash_bucket_stats`: the share of the rows that one bucket has.
    pub fn bucket_share(&self, buckets: f64) -> f64 {
        const UNKNOWN: f64 = 0.1;
        let most = self.stats().and_then(|stats| stats.most_common.first()).map_or(0.0, |(_, share)| *share);
        let (distinct, is_guess) = self.distinct();
        if is_guess {
            return UNKNOWN.max(most);
        }
        let average = (1.0 - self.null_share()) / distinct;
        let left = if self.tuples > 0.0 { clamp(distinct * self.rows / self.tuples) } else { distinct };
        let share = 1.0 / left.min(buckets);
        let share = if average > 0.0 && most > average { share * most / average } else { share };
        share.clamp(1.0e-6, 1.0)
    }
}

/// `eqjoinsel_inner`
pub(super) fn inner(one: &Side<'_>, other: &Side<'_>) -> f64 {
    let (Some(key), ((nd1, _), (nd2, _))) = (&one.key, (one.distinct(), other.distinct())) else { return 1.0 };
    if let Some(common) = of_both(one, other, key) {
        return common.inner(nd1, nd2);
    }
    let share = (1.0 - one.null_share()) * (1.0 - other.null_share());
    share / nd1.max(nd2)
}

/// Is it the same where a foreign key says how many pairs there are (`get_foreign_key_join_selectivity`)?
pub(super) fn is_certain(one: &Side<'_>, other: &Side<'_>) -> bool {
    let has_foreign_key = one.wanted.table.has_triggers && other.wanted.table.has_triggers;
    let has_common = one.key.as_ref().is_some_and(|key| of_both(one, other, key).is_some());
    !has_foreign_key || !has_common && one.null_share() == 0.0 && other.null_share() == 0.0
}

/// `compute_semi_anti_join_factors`, of an inner side that is unique: the share of the outer rows that have a partner
/// was computed before as that of all pairs, and is taken for this one (`clause_selectivity`).
pub(super) fn matches(outer: &Side<'_>, inner_side: &Side<'_>) -> Matches {
    let share = inner(outer, inner_side).clamp(0.0, 1.0);
    Matches { share, count: if share > 0.0 { inner_side.rows.max(1.0) } else { 1.0 } }
}

fn of_both(one: &Side<'_>, other: &Side<'_>, key: &Typed) -> Option<Common> {
    Common::of(one.stats()?, other.stats()?, key.ty)
}

/// The most common values of both sides that are equal.
pub(in crate::sql::plan) struct Common {
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
pub(in crate::sql::plan) fn bounds(other: &TableInfo, other_key: &Typed, key: &Typed) -> Vec<Typed> {
    let Some((least, greatest)) = range(other, other_key) else { return Vec::new() };
    let clause = |op, value| {
        let operands = Box::new((key.clone(), Typed::constant(value, key.ty)));
        Typed { node: Node::Binary(op, operands), ty: SqlType::BOOL }
    };
    Vec::from([clause(BinaryOp::Le, greatest), clause(BinaryOp::Lt, least)])
}

/// `mergejoinscansel`
pub(super) fn parts(one: &Side<'_>, other: &Side<'_>) -> (Part, Part) {
    let whole = (Part::WHOLE, Part::WHOLE);
    let (Some(key), Some(other_key)) = (&one.key, &other.key) else { return whole };
    let asked = bounds(other.wanted.table, other_key, key);
    let asked_of_other = bounds(one.wanted.table, key, other_key);
    let ([end, start], [other_end, other_start]) = (&asked[..], &asked_of_other[..]) else { return whole };
    let share = |side: &Side<'_>, clause: &Typed, otherwise: f64| {
        let share = side.selectivity().one(clause);
        if share == INEQUAL { otherwise } else { share }
    };
    overlap(
        (share(one, end, 1.0), share(other, other_end, 1.0)),
        (share(one, start, 0.0), share(other, other_start, 0.0)),
    )
}

/// The parts of both sides that have keys in common, where one of them begins and ends.
pub(in crate::sql::plan) fn overlap(mut ends: (f64, f64), mut starts: (f64, f64)) -> (Part, Part) {
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
