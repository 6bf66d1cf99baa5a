//! Which share of the pairs of rows satisfies the conditions of a join: `eqjoinsel`, `eqjoinsel_semi`,
//! `mergejoinscansel`, `estimate_hash_bucket_stats` (src/backend/utils/adt/selfuncs.c), `calc_joinrel_size_estimate`,
//! `compute_semi_anti_join_factors` (src/backend/optimizer/path/costsize.c).

use super::model::{Base, Model};
use super::selfuncs::{Common, bounds, overlap};
use super::{Clause, JoinRel, Special, SpecialKind};
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::ColumnStats;
use crate::sql::expr::{Node, Typed};
use crate::sql::plan::num_groups::num_groups;
use crate::sql::plan::selectivity::Selectivity;
use crate::sql::plan::size::clamp;
use alloc::vec::Vec;

/// `DEFAULT_INEQ_SEL`
const INEQUAL: f64 = 0.333_333_333_333_333_3;

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

/// A column with what is known of it.
struct Side<'a> {
    base: &'a Base,
    column: Typed,
    selectivity: Selectivity<'a>,
}

impl Side<'_> {
    fn stats(&self) -> Option<&ColumnStats> {
        self.base.table.stats.iter().find(|(node, _)| *node == self.column.node).map(|(_, stats)| &**stats)
    }

    fn null_share(&self) -> f64 {
        self.stats().map_or(0.0, |stats| stats.null_frac)
    }

    fn distinct(&self) -> (f64, bool) {
        self.selectivity.distinct(&self.column)
    }
}

impl Model {
    fn side(&self, slot: u16) -> Side<'_> {
        self.side_of(&self.column(slot))
    }

    /// Something computed of the columns of one relation.
    fn side_of(&self, expr: &Typed) -> Side<'_> {
        let base = &self.bases[self.relids_of(expr).trailing_zeros() as usize];
        let column = super::model::shifted(expr.clone(), base.start);
        Side { base, column, selectivity: Selectivity::new(&base.table, base.tuples, self.input) }
    }

    fn common(&self, one: &Side<'_>, other: &Side<'_>) -> Option<Common> {
        Common::of(one.stats()?, other.stats()?, one.column.ty)
    }

    /// `eqjoinsel_inner`
    fn inner(&self, one: u16, other: u16) -> f64 {
        self.inner_of(&self.side(one), &self.side(other))
    }

    fn inner_of(&self, one: &Side<'_>, other: &Side<'_>) -> f64 {
        let ((nd1, _), (nd2, _)) = (one.distinct(), other.distinct());
        match self.common(one, other) {
            Some(common) => common.inner(nd1, nd2),
            None => (1.0 - one.null_share()) * (1.0 - other.null_share()) / nd1.max(nd2),
        }
    }

    /// `eqjoinsel_semi`: of rows of the first column's relation those that have a partner.
    fn semi(&self, outer: u16, inner: u16) -> Option<f64> {
        let (one, other) = (self.side(outer), self.side(inner));
        let ((nd1, guess1), (mut nd2, mut guess2)) = (one.distinct(), other.distinct());
        if nd2 >= other.base.rows {
            (nd2, guess2) = (other.base.rows, false);
        }
        let null = one.null_share();
        let share = match self.common(&one, &other) {
            Some(common) => {
                let (matched, found) = common.matched_of_first(nd2)?;
                let uncertain = if guess1 || guess2 {
                    0.5
                } else {
                    let (left, right) = (nd1 - matched, nd2 - matched);
                    if left <= right || right < 0.0 { 1.0 } else { right / left }
                };
                found + uncertain * (1.0 - found - null).clamp(0.0, 1.0)
            }
            None if guess1 || guess2 => 0.5 * (1.0 - null),
            None if nd1 <= nd2 || nd2 < 0.0 => 1.0 - null,
            None => nd2 / nd1 * (1.0 - null),
        };
        Some(share.min(other.base.rows * self.inner(outer, inner)).clamp(0.0, 1.0))
    }

    /// Of a condition; `special`: of the join that is not an inner one.
    pub fn share(&self, clause: &Clause, special: Option<&Special>) -> Option<f64> {
        if let Some((one, other, _)) = clause.pair {
            let is_semi = special.is_some_and(|special| special.kind != SpecialKind::Left);
            let share = match special.filter(|_| is_semi) {
                Some(special) if special.right & 1 << self.rel_of(one) != 0 => self.semi(other, one)?,
                Some(_) => self.semi(one, other)?,
                None => self.inner(one, other),
            };
            return Some(share.clamp(0.0, 1.0));
        }
        if clause.reads.count_ones() == 1 {
            return Some(self.of_one(&clause.expr));
        }
        let is_semi = special.is_some_and(|special| special.kind != SpecialKind::Left);
        if is_semi { None } else { self.of_pairs(&clause.expr) }
    }

    /// Of a condition on the rows of one relation.
    fn of_one(&self, expr: &Typed) -> f64 {
        let base = &self.bases[self.relids_of(expr).trailing_zeros() as usize];
        let selectivity = Selectivity::new(&base.table, base.tuples, self.input);
        selectivity.one(&super::model::shifted(expr.clone(), base.start))
    }

    /// Of a condition on pairs of rows (`clause_selectivity_ext` with more than one relation).
    fn of_pairs(&self, expr: &Typed) -> Option<f64> {
        match &expr.node {
            Node::Binary(BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge, _) => Some(INEQUAL),
            Node::Binary(BinaryOp::Ne, operands) => Some(1.0 - self.equal(operands)?),
            Node::Case(case) => {
                let (operands, is_distinct) = case.distinct()?;
                let equal = self.equal(operands)?;
                Some(if is_distinct { 1.0 - equal } else { equal })
            }
            Node::Or(arms) if self.restricts_none(arms) => {
                let shares = arms.iter().map(|arm| self.of_arm(arm));
                shares.into_iter().try_fold(0.0, |sum, share| share.map(|share| sum + share - sum * share))
            }
            _ => None,
        }
    }

    /// Of an alternative, or a part of one.
    fn of_arm(&self, expr: &Typed) -> Option<f64> {
        match (&expr.node, self.relids_of(expr).count_ones()) {
            (_, 0) => None,
            (_, 1) => Some(self.of_one(expr)),
            (Node::And(parts), _) => parts.iter().try_fold(1.0, |product, part| Some(product * self.of_arm(part)?)),
            (Node::Binary(BinaryOp::Eq, operands), _) => self.equal(operands),
            _ => self.of_pairs(expr),
        }
    }

    /// Is there no relation of which each alternative asks something alone? Else a condition on its rows is made of
    /// these (`extract_restriction_or_clauses`), which is not simulated.
    fn restricts_none(&self, arms: &[Typed]) -> bool {
        let asks = |arm: &Typed, rel: usize| {
            let parts = if let Node::And(parts) = &arm.node { &parts[..] } else { core::slice::from_ref(arm) };
            parts.iter().any(|part| self.relids_of(part) == 1 << rel)
        };
        !(0..self.bases.len()).any(|rel| arms.iter().all(|arm| asks(arm, rel)))
    }

    /// Which share of the pairs of rows is equal in two columns.
    fn equal(&self, (one, other): &(Typed, Typed)) -> Option<f64> {
        let is_of_one = |expr: &Typed| self.relids_of(expr).count_ones() == 1;
        (is_of_one(one) && is_of_one(other))
            .then(|| self.inner_of(&self.side_of(one), &self.side_of(other)).clamp(0.0, 1.0))
    }

    pub fn all(&self, clauses: &[&Clause], special: Option<&Special>) -> Option<f64> {
        clauses.iter().try_fold(1.0, |product, clause| Some(product * self.share(clause, special)?))
    }

    /// `calc_joinrel_size_estimate`
    pub fn join_rows(&self, sides: [&JoinRel; 2], clauses: &[Clause], special: Option<&Special>) -> Option<f64> {
        let (of_keys, clauses) = self.of_foreign_keys(sides, clauses, special);
        let [outer, inner] = sides.map(|side| side.rows);
        let is_own = |clause: &&Clause| special.is_none_or(|it| it.kind == SpecialKind::Semi) || clause.own.is_some();
        let (own, above): (Vec<&Clause>, Vec<&Clause>) = clauses.into_iter().partition(is_own);
        let share = of_keys * self.all(&own, special)?;
        let left = self.all(&above, special)?;
        Some(clamp(match special.map(|special| special.kind) {
            None => outer * inner * share,
            Some(SpecialKind::Left) => {
                let least = if special.is_some_and(|special| special.full) { outer.max(inner) } else { outer };
                (outer * inner * share).max(least) * left
            }
            Some(SpecialKind::Semi) => outer * share,
            Some(SpecialKind::Anti) => outer * (1.0 - share) * left,
        }))
    }

    /// `get_foreign_key_join_selectivity`: each row that refers to another has that one as its partner; and the
    /// conditions that are left.
    fn of_foreign_keys<'a>(
        &self,
        sides: [&JoinRel; 2],
        clauses: &'a [Clause],
        special: Option<&Special>,
    ) -> (f64, Vec<&'a Clause>) {
        let mut left: Vec<&Clause> = clauses.iter().collect();
        let mut share = 1.0;
        let is_semi = special.is_some_and(|special| special.kind != SpecialKind::Left);
        let is_of = |side: usize, n: usize| sides[side].rels & 1 << n != 0;
        for (from, base) in self.bases.iter().enumerate() {
            for key in &base.table.foreign_keys {
                for (to, referenced) in self.bases.iter().enumerate().filter(|(_, it)| it.table.oid == key.table) {
                    let is_inside = is_of(0, from) && is_of(1, to);
                    if !is_inside && (is_semi || !(is_of(1, from) && is_of(0, to)))
                        || is_semi && sides[1].rels.count_ones() != 1
                    {
                        continue;
                    }
                    let pairs: Vec<(u16, u16)> =
                        key.columns.iter().map(|(own, its)| (base.start + own, referenced.start + its)).collect();
                    let asks = |pair: &(u16, u16), clause: &Clause| self.asks(clause, *pair);
                    let others: Vec<&Clause> =
                        left.iter().copied().filter(|clause| !pairs.iter().any(|pair| asks(pair, clause))).collect();
                    if pairs.iter().all(|pair| left.iter().any(|clause| asks(pair, clause))) {
                        let tuples = referenced.tuples.max(1.0);
                        share *= if is_semi { referenced.rows / tuples } else { 1.0 / tuples };
                        left = others;
                    }
                }
            }
        }
        (share, left)
    }

    /// Does the condition ask that these columns are equal, itself or by its class?
    fn asks(&self, clause: &Clause, (one, other): (u16, u16)) -> bool {
        match (clause.class, clause.pair) {
            (Some(class), _) => [one, other].iter().all(|slot| self.classes[class].members.contains(slot)),
            (None, Some((left, right, _))) => (left, right) == (one, other) || (right, left) == (one, other),
            (None, None) => false,
        }
    }

    /// `compute_semi_anti_join_factors`
    pub fn matches(&self, inner: &JoinRel, clauses: &[Clause], special: Option<&Special>) -> Option<Matches> {
        let own: Vec<&Clause> = clauses
            .iter()
            .filter(|clause| special.is_none_or(|it| it.kind == SpecialKind::Semi) || clause.own.is_some())
            .collect();
        let share = self.all(&own, special)?;
        let pairs = self.all(&own, None)?;
        let count = if share > 0.0 { (pairs * inner.rows / share).max(1.0) } else { 1.0 };
        Some(Matches { share, count })
    }

    /// `approx_tuple_count`
    pub fn pairs(&self, outer: f64, inner: f64, keys: &[Clause]) -> Option<f64> {
        let share = self.all(&keys.iter().collect::<Vec<_>>(), None)?;
        Some(clamp(share * outer * inner))
    }

    /// `estimate_hash_bucket_stats` of the smallest, kept as it was found first.
    pub fn bucket_share(&self, keys: &[Clause], inner: super::Relids, buckets: f64) -> f64 {
        keys.iter().fold(1.0, |least: f64, key| {
            let Some((one, other, _)) = key.pair else { return least };
            let slot = if inner & 1 << self.rel_of(one) != 0 { one } else { other };
            let known = (one.min(other), one.max(other), slot);
            let share = *self.buckets.borrow_mut().entry(known).or_insert_with(|| self.one_bucket(slot, buckets));
            least.min(share)
        })
    }

    fn one_bucket(&self, slot: u16, buckets: f64) -> f64 {
        const UNKNOWN: f64 = 0.1;
        let side = self.side(slot);
        let most = side.stats().and_then(|stats| stats.most_common.first()).map_or(0.0, |(_, share)| *share);
        let (distinct, is_guess) = side.distinct();
        if is_guess {
            return UNKNOWN.max(most);
        }
        let average = (1.0 - side.null_share()) / distinct;
        let (tuples, rows) = (side.base.tuples, side.base.rows);
        let left = if tuples > 0.0 { clamp(distinct * rows / tuples) } else { distinct };
        let share = 1.0 / left.min(buckets);
        let share = if average > 0.0 && most > average { share * most / average } else { share };
        share.clamp(1.0e-6, 1.0)
    }

    /// How many values the columns have among so many rows; and whether that is a guess.
    pub fn values(&self, slots: &[u16], rows: f64) -> Option<(f64, bool)> {
        let n = self.rel_of(*slots.first()?);
        if slots.iter().any(|slot| self.rel_of(*slot) != n) {
            return None;
        }
        let sides: Vec<Side<'_>> = slots.iter().map(|slot| self.side(*slot)).collect();
        let columns: Vec<&Typed> = sides.iter().map(|side| &side.column).collect();
        let is_guess = sides.iter().any(|side| side.distinct().1);
        let first = sides.first()?;
        Some((num_groups(&columns, &first.selectivity, first.base.rows, rows), is_guess))
    }

    /// `mergejoinscansel`: which parts of both sides are read.
    pub fn parts(&self, outer: u16, inner: u16) -> (Part, Part) {
        let (one, other) = (self.side(outer), self.side(inner));
        let whole = (Part::WHOLE, Part::WHOLE);
        let asked = bounds(&other.base.table, &other.column, &one.column);
        let asked_of_other = bounds(&one.base.table, &one.column, &other.column);
        let ([end, start], [other_end, other_start]) = (&asked[..], &asked_of_other[..]) else { return whole };
        let share = |side: &Side<'_>, clause: &Typed, otherwise: f64| {
            let share = side.selectivity.one(clause);
            if share == INEQUAL { otherwise } else { share }
        };
        overlap(
            (share(&one, end, 1.0), share(&other, other_end, 1.0)),
            (share(&one, start, 0.0), share(&other, other_start, 0.0)),
        )
    }
}
