//! Which share of the rows satisfies a condition: `clauselist_selectivity` (src/backend/optimizer/path/clausesel.c),
//! `eqsel`, `neqsel`, `scalarineqsel`, `nulltestsel` (src/backend/utils/adt/selfuncs.c), with column statistics and
//! without.

use super::pattern::{Pattern, greater};
use super::scalar::fraction;
use super::size::{clamp, of_table};
use super::tid::{is_ctid, system_column};
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::{ColumnStats, End, TableInfo};
use crate::sql::expr::{Builtin, Node, Typed, is_range, satisfies};
use alloc::vec::Vec;
use core::cell::RefCell;
use ffviz_format::datum::compare::comparator;
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::{SqlType, Value};
use ffviz_format::page::ItemPointer;

/// `DEFAULT_EQ_SEL`
const EQUAL: f64 = 0.005;
/// `DEFAULT_INEQ_SEL`
const INEQUAL: f64 = 0.333_333_333_333_333_3;
/// `DEFAULT_RANGE_INEQ_SEL`
pub const RANGE: f64 = 0.005;
/// `DEFAULT_UNK_SEL`
const IS_NULL: f64 = 0.005;
/// `DEFAULT_MATCH_SEL`
const MATCH: f64 = 0.005;
/// `DEFAULT_NUM_DISTINCT`
const DISTINCT: f64 = 200.0;
/// of a function that gives boolean
const FUNCTION: f64 = 0.333_333_3;

/// Estimates for one table.
pub struct Selectivity<'a> {
    /// the table
    pub table: &'a TableInfo,
    /// its rows
    pub tuples: f64,
    /// for casts of values
    pub input: Input,
    /// ends of indexes that were asked for, by the index' place
    pub asked: RefCell<Vec<(usize, End)>>,
}

/// Bounds of one expression: of those on one side the smallest share.
struct Range<'a> {
    expr: &'a Typed,
    low: Option<f64>,
    high: Option<f64>,
}

impl<'a> Selectivity<'a> {
    /// Nothing has been asked for yet.
    pub const fn new(table: &'a TableInfo, tuples: f64, input: Input) -> Self {
        Self { table, tuples, input, asked: RefCell::new(Vec::new()) }
    }

    /// Of conditions that must all hold.
    pub fn all(&self, clauses: &[&Typed]) -> f64 {
        let (share, others) = self.together(clauses);
        self.independent(share, &others)
    }

    /// The same of conditions on columns that have nothing to do with each other, where others leave that share.
    pub(super) fn independent(&self, share: f64, clauses: &[&Typed]) -> f64 {
        let mut ranges: Vec<Range<'_>> = Vec::new();
        let mut product = share;
        for clause in clauses {
            let share = self.one(clause);
            let Some((expr, is_upper)) = bound(clause) else {
                product *= share;
                continue;
            };
            let at = ranges.iter().position(|range| range.expr.node == expr.node).unwrap_or_else(|| {
                ranges.push(Range { expr, low: None, high: None });
                ranges.len() - 1
            });
            let side = if is_upper { &mut ranges[at].high } else { &mut ranges[at].low };
            *side = Some(side.map_or(share, |known| known.min(share)));
        }
        ranges.iter().fold(product, |product, range| product * self.range(range))
    }

    fn range(&self, range: &Range<'_>) -> f64 {
        const NEARLY_NONE: f64 = 1.0e-10;
        let (low, high) = match (range.low, range.high) {
            (Some(low), Some(high)) => (low, high),
            (one, other) => return one.or(other).unwrap_or(1.0),
        };
        if low == INEQUAL || high == INEQUAL {
            return RANGE;
        }
        // both leave NULL out
        let both = high + low - 1.0 + self.null(range.expr);
        if both > 0.0 {
            both
        } else if both < -0.01 {
            RANGE
        } else {
            NEARLY_NONE
        }
    }

    /// Of one condition (`clause_selectivity`).
    pub fn one(&self, clause: &Typed) -> f64 {
        match &clause.node {
            Node::Const(Value::Bool(true)) => 1.0,
            Node::Const(_) => 0.0,
            Node::And(operands) => self.all(&operands.iter().collect::<Vec<_>>()),
            Node::Or(operands) => operands.iter().fold(0.0, |sum, operand| {
                let next = self.one(operand);
                sum + next - sum * next
            }),
            Node::Not(operand) => 1.0 - self.one(operand),
            Node::IsNull(operand, false) => self.null(operand),
            Node::IsNull(operand, true) => 1.0 - self.null(operand),
            Node::Binary(op, operands) => self.comparison(*op, &operands.0, &operands.1),
            Node::AnyOf(left, list, negated) => self.any_of(left, list, *negated),
            // `rowcomparesel`: by the first column alone
            Node::Rows(op, pairs) => pairs.first().map_or(0.5, |(left, right)| self.comparison(*op, left, right)),
            Node::Slot(_) => self.equal(clause, Some(&Value::Bool(true)), false),
            Node::Call(builtin, args) if args.iter().any(|arg| is_range(arg.ty.oid)) => self.of_ranges(*builtin, args),
            Node::Call(builtin, args) => match Pattern::of(clause) {
                Some(pattern) => self.matching(&pattern, *builtin, args),
                None => FUNCTION,
            },
            Node::Routine(..) => FUNCTION,
            _ => 0.5,
        }
    }

    /// `patternsel_common`: how many of the values that ANALYZE kept match; of few, how many begin so, and how many of
    /// those go on so.
    fn matching(&self, pattern: &Pattern<'_>, operator: Builtin, args: &[Typed]) -> f64 {
        const ENOUGH: usize = 100;
        let (variable, prefix) = (pattern.variable, Value::text(&pattern.prefix));
        let stats = self.stats(variable);
        let null = stats.map_or(0.0, |stats| stats.null_frac);
        let share = if pattern.exact {
            self.equal(variable, Some(&prefix), false)
        } else {
            let matches = |value: &Value| {
                let is_match = operator.of_texts(value, args.last().map(|arg| &arg.node));
                is_match.is_some_and(|is_match| is_match != pattern.negated)
            };
            let histogram = stats.map_or(&[][..], |stats| &stats.histogram);
            let counted = share_of_histogram(histogram, &matches);
            let share = if histogram.len() < ENOUGH {
                let guessed = self.beginning(variable, stats, pattern) * pattern.rest;
                let weight = histogram.len() as f64 / ENOUGH as f64;
                counted.map_or(guessed, |counted| counted * weight + guessed * (1.0 - weight))
            } else {
                counted.unwrap_or(0.0)
            };
            let common = stats.iter().flat_map(|stats| &stats.most_common).filter(|(value, _)| matches(value));
            let common: f64 = common.map(|(_, share)| share).sum();
            let sum = stats.map_or(0.0, |stats| stats.common_share());
            share.clamp(0.0001, 0.9999) * (1.0 - null - sum) + common
        };
        if pattern.negated { (1.0 - share - null).clamp(0.0, 1.0) } else { share.clamp(0.0, 1.0) }
    }

    /// `prefix_selectivity`
    fn beginning(&self, variable: &Typed, stats: Option<&ColumnStats>, pattern: &Pattern<'_>) -> f64 {
        if pattern.prefix.is_empty() {
            return 1.0;
        }
        let prefix = Value::text(&pattern.prefix);
        let side = |op, value: &Value| self.histogram(variable, stats?, op, value);
        let Some(lower) = side(BinaryOp::Ge, &prefix) else { return MATCH };
        let upper = greater(&pattern.prefix).and_then(|greater| side(BinaryOp::Lt, &Value::text(&greater)));
        let share = upper.map_or(lower, |upper| upper + lower - 1.0);
        share.max(self.equal(variable, Some(&prefix), false))
    }

    /// `nulltestsel`
    fn null(&self, operand: &Typed) -> f64 {
        match system_column(self.table, operand) {
            Some(_) => 0.0,
            None => self.stats(operand).map_or(IS_NULL, |stats| stats.null_frac),
        }
    }

    pub(super) fn stats(&self, expr: &Typed) -> Option<&ColumnStats> {
        self.table.stats.iter().find(|(known, _)| *known == expr.node).map(|(_, stats)| &**stats)
    }

    fn comparison(&self, op: BinaryOp, left: &Typed, right: &Typed) -> f64 {
        let (variable, op, other) = match (left.is_pseudo_constant(), right.is_pseudo_constant()) {
            (false, true) => (left, op, right),
            (true, false) => (right, op.commutator(), left),
            // columns on both sides, or on none
            _ => {
                return match op {
                    BinaryOp::Eq => EQUAL,
                    BinaryOp::Ne => 1.0 - EQUAL,
                    _ => INEQUAL,
                };
            }
        };
        let value = if let Node::Const(value) = &other.node { Some(value) } else { None };
        // a value of another type is compared by the operator of both types
        let comparable = value.filter(|_| variable.ty.oid == other.ty.oid || is_integer(variable) && is_integer(other));
        match op {
            _ if value.is_some_and(Value::is_null) => 0.0,
            BinaryOp::Eq => self.equal(variable, comparable, false),
            BinaryOp::Ne => self.equal(variable, comparable, true),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge if is_range(variable.ty.oid) => {
                self.of_range(variable, op.name(), &other.node)
            }
            BinaryOp::PatternLt => self.in_other_order(variable, BinaryOp::Lt, comparable),
            BinaryOp::PatternGe => self.in_other_order(variable, BinaryOp::Ge, comparable),
            _ => self.inequality(variable, op, comparable),
        }
    }

    /// `var_eq_const`, `var_eq_non_const`
    fn equal(&self, variable: &Typed, value: Option<&Value>, negated: bool) -> f64 {
        let stats = self.stats(variable);
        let share = match (stats, value) {
            _ if self.is_unique(variable) && self.tuples >= 1.0 => 1.0 / self.tuples,
            (Some(stats), Some(value)) => self.equal_to(variable, stats, value),
            (Some(stats), None) => {
                let share = (1.0 - stats.null_frac) / self.distinct(variable).0;
                stats.most_common.first().map_or(share, |(_, most)| share.min(*most))
            }
            (None, _) => 1.0 / self.distinct(variable).0,
        };
        let null = stats.map_or(0.0, |stats| stats.null_frac);
        if negated { (1.0 - share - null).clamp(0.0, 1.0) } else { share.clamp(0.0, 1.0) }
    }

    fn equal_to(&self, variable: &Typed, stats: &ColumnStats, value: &Value) -> f64 {
        let common = stats.most_common.iter().find(|(common, _)| order(variable, common, value).is_eq());
        if let Some((_, share)) = common {
            return *share;
        }
        let rest = (1.0 - stats.common_share() - stats.null_frac).clamp(0.0, 1.0);
        let others = self.distinct(variable).0 - stats.most_common.len() as f64;
        let share = if others > 1.0 { rest / others } else { rest };
        // it is no more common than the least common of those
        stats.most_common.last().map_or(share, |(_, least)| share.min(*least))
    }

    /// `scalarineqsel`: among the most common values by looking, among the others by the histogram.
    fn inequality(&self, variable: &Typed, op: BinaryOp, value: Option<&Value>) -> f64 {
        if let Some(Value::Tid(tid)) = value.filter(|_| is_ctid(self.table, variable)) {
            return self.before(*tid, op);
        }
        let (Some(stats), Some(value)) = (self.stats(variable), value) else { return INEQUAL };
        let holds = |common: &Value| satisfies(op, order(variable, common, value));
        let common: f64 = stats.most_common.iter().filter(|(value, _)| holds(value)).map(|(_, share)| share).sum();
        let rest = 1.0 - stats.null_frac - stats.common_share();
        let share = self.histogram(variable, stats, op, value).unwrap_or(0.5);
        (rest * share + common).clamp(0.0, 1.0)
    }

    /// The same by an operator whose order the histogram has not: each of its values is looked at
    /// (`comparison_ops_are_compatible`).
    fn in_other_order(&self, variable: &Typed, op: BinaryOp, value: Option<&Value>) -> f64 {
        let (Some(stats), Some(value)) = (self.stats(variable), value) else { return INEQUAL };
        let holds = |one: &&Value| satisfies(op, order(variable, one, value));
        let common = stats.most_common.iter().filter(|(value, _)| holds(&value));
        let common: f64 = common.map(|(_, share)| share).sum();
        let rest = 1.0 - stats.null_frac - stats.common_share();
        let values = stats.histogram.len();
        let share = if values > 1 {
            let cutoff = 0.01 / (values - 1) as f64;
            (stats.histogram.iter().filter(holds).count() as f64 / values as f64).clamp(cutoff, 1.0 - cutoff)
        } else {
            0.5
        };
        (rest * share + common).clamp(0.0, 1.0)
    }

    /// The share of the rows on one side of a place, as far as the size of the table tells: its last block is taken to
    /// be half full.
    fn before(&self, tid: ItemPointer, op: BinaryOp) -> f64 {
        let pages = of_table(self.table, self.input.major).pages;
        if pages == 0.0 {
            return 1.0;
        }
        let mut block = f64::from(tid.block);
        let mut density = self.tuples / (pages - 0.5);
        if block >= pages - 1.0 {
            density *= 0.5;
        }
        if density > 0.0 {
            block += (f64::from(tid.offset.0) / density).min(1.0);
        }
        let mut share = block / (pages - 0.5);
        if matches!(op, BinaryOp::Lt | BinaryOp::Ge) && self.tuples >= 1.0 {
            share -= 1.0 / self.tuples;
        }
        if matches!(op, BinaryOp::Gt | BinaryOp::Ge) {
            share = 1.0 - share;
        }
        share.clamp(0.0, 1.0)
    }

    /// `ineq_histogram_selectivity`
    fn histogram(&self, variable: &Typed, stats: &ColumnStats, op: BinaryOp, value: &Value) -> Option<f64> {
        let is_greater = matches!(op, BinaryOp::Gt | BinaryOp::Ge);
        let with_equal = matches!(op, BinaryOp::Le | BinaryOp::Ge);
        let mut bounds = stats.histogram.clone();
        let last = bounds.len().checked_sub(1).filter(|last| *last > 0)?;
        let mut knows_end = false;
        let mut look = |bounds: &mut [Value], probe: usize| {
            let end = self.end(variable, if probe == 0 { End::Least } else { End::Greatest });
            knows_end = end.is_some();
            end.into_iter().for_each(|end| bounds[probe] = end.clone());
        };
        if last == 1 {
            (0..=1).for_each(|probe| look(&mut bounds, probe));
        }
        let (mut low, mut high) = (0, bounds.len());
        while low < high {
            let probe = usize::midpoint(low, high);
            if last > 1 && (probe == 0 || probe == last) {
                look(&mut bounds, probe);
            }
            if satisfies(op, order(variable, &bounds[probe], value)) == is_greater {
                high = probe;
            } else {
                low = probe + 1;
            }
        }
        let below = match low {
            0 => 0.0,
            bin if bin > last => 1.0,
            bin => {
                let others = self.distinct(variable).0 - stats.most_common.len() as f64;
                let strict = is_greater == with_equal;
                let equal = if others > 1.0 && (bin == 1 || strict) { 1.0 / others } else { 0.0 };
                let within = fraction(value, &bounds[bin - 1], &bounds[bin], variable.ty, &self.input);
                let below = (bin as f64 - 1.0 + within) / last as f64;
                // the first bound itself is of the first bin
                let below = if bin == 1 { below + equal * (1.0 - within) } else { below };
                if strict { below - equal } else { below }
            }
        };
        let share = if is_greater { 1.0 - below } else { below };
        let cutoff = if knows_end { 0.0 } else { 0.01 / last as f64 };
        Some(share.clamp(cutoff, 1.0 - cutoff))
    }

    /// `get_actual_variable_range`: the least or the greatest value that an index has now.
    fn end(&self, variable: &Typed, end: End) -> Option<&Value> {
        let (at, index) = self.table.indexes.iter().enumerate().rev().find(|(_, index)| {
            index.predicate.is_empty()
                && index.gist.is_none()
                && index.keys.first().is_some_and(|key| key.expr.node == variable.node && !key.pattern)
        })?;
        self.asked.borrow_mut().push((at, end));
        match end {
            End::Least => index.ends.least.as_ref(),
            End::Greatest => index.ends.greatest.as_ref(),
        }
    }

    /// `get_variable_numdistinct`, and whether it is a guess.
    pub fn distinct(&self, variable: &Typed) -> (f64, bool) {
        const BOOL: u32 = 16;
        let stats = self.stats(variable);
        let null = stats.map_or(0.0, |stats| stats.null_frac);
        let counted = match stats {
            _ if self.is_unique(variable) => -(1.0 - null),
            Some(stats) => stats.distinct,
            None if variable.ty.oid == BOOL => 2.0,
            None if is_ctid(self.table, variable) => -1.0,
            None if system_column(self.table, variable).is_some() && variable.ty == SqlType::OID => 1.0,
            None => 0.0,
        };
        if counted > 0.0 {
            (clamp(counted), false)
        } else if self.tuples <= 0.0 {
            (DISTINCT, true)
        } else if counted < 0.0 {
            (clamp(-counted * self.tuples), false)
        } else if self.tuples < DISTINCT {
            (clamp(self.tuples), false)
        } else {
            (DISTINCT, true)
        }
    }

    /// Is something known of it besides its type?
    pub fn knows(&self, expr: &Typed) -> bool {
        self.stats(expr).is_some() || self.is_unique(expr)
    }

    /// The order of rows on disk by this expression, from -1 to 1.
    pub fn correlation(&self, expr: &Typed) -> f64 {
        self.stats(expr).map_or(0.0, |stats| stats.correlation)
    }

    /// Has it a unique index of its own?
    fn is_unique(&self, variable: &Typed) -> bool {
        self.table.indexes.iter().any(|index| {
            index.unique
                && index.predicate.is_empty()
                && matches!(&index.keys[..], [key] if key.expr.node == variable.node)
        })
    }

    /// `scalararraysel`: the elements exclude each other, as far as their shares do not add up to more than all.
    fn any_of(&self, left: &Typed, list: &[Typed], negated: bool) -> f64 {
        let one = |item| self.comparison(if negated { BinaryOp::Ne } else { BinaryOp::Eq }, left, item);
        let (mut joint, mut disjoint) = if negated { (1.0, 1.0) } else { (0.0, 0.0) };
        for item in list {
            let next = one(item);
            if negated {
                joint *= next;
                disjoint += next - 1.0;
            } else {
                joint = joint + next - joint * next;
                disjoint += next;
            }
        }
        if (0.0..=1.0).contains(&disjoint) { disjoint } else { joint }
    }
}

/// `histogram_selectivity`, without the ends; `None` where there are too few values.
fn share_of_histogram(histogram: &[Value], matches: &impl Fn(&Value) -> bool) -> Option<f64> {
    const FEWEST: usize = 10;
    let inner = histogram.get(1..histogram.len().checked_sub(1)?)?;
    let matching = inner.iter().filter(|value| matches(value)).count();
    (histogram.len() >= FEWEST).then(|| matching as f64 / inner.len() as f64)
}

pub(super) const fn is_integer(expr: &Typed) -> bool {
    matches!(expr.ty.oid, 20 | 21 | 23)
}

/// The order of two values of the variable's type, or of two integers.
pub(super) fn order(variable: &Typed, a: &Value, b: &Value) -> core::cmp::Ordering {
    match (a.integer(), b.integer()) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => comparator(variable.ty.oid).map_or(core::cmp::Ordering::Equal, |compare| compare(a, b)),
    }
}

/// Is it a bound of an expression, an upper one?
fn bound(clause: &Typed) -> Option<(&Typed, bool)> {
    let Node::Binary(op, operands) = &clause.node else { return None };
    let (left, right) = (&operands.0, &operands.1);
    let (expr, op) = match (left.is_pseudo_constant(), right.is_pseudo_constant()) {
        (false, true) => (left, *op),
        (true, false) => (right, op.commutator()),
        _ => return None,
    };
    match op {
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::PatternLt => Some((expr, true)),
        BinaryOp::Gt | BinaryOp::Ge | BinaryOp::PatternGe => Some((expr, false)),
        _ => None,
    }
}
