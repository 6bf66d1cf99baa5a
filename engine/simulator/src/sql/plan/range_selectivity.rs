//! Which share of the rows an operator of ranges leaves (`rangesel`, src/backend/utils/adt/rangetypes_selfuncs.c). The
//! histograms of bounds that ANALYZE makes are not kept here, so that each operator has its default.

use super::gist::commutator;
use super::selectivity::{RANGE, Selectivity};
use crate::sql::expr::{Builtin, Node, Typed, is_range, operator_symbol};
use ffviz_format::datum::range::Range;

/// `DEFAULT_INEQ_SEL`
const INEQUAL: f64 = 0.333_333_333_333_333_3;
/// of a function that gives boolean
const FUNCTION: f64 = 0.333_333_3;

impl Selectivity<'_> {
    /// A function of ranges that stands for an operator, or another one.
    pub(super) fn of_ranges(&self, builtin: Builtin, args: &[Typed]) -> f64 {
        let (Some(symbol), [left, right]) = (operator_symbol(builtin), args) else { return FUNCTION };
        match (left.is_pseudo_constant(), right.is_pseudo_constant()) {
            (false, true) if is_range(left.ty.oid) => self.of_range(left, symbol, &right.node),
            (true, false) if is_range(right.ty.oid) => match commutator(symbol) {
                Some(symbol) => self.of_range(right, symbol, &left.node),
                None => by_default(symbol),
            },
            // also where the range is given, and the value is the column's
            _ => by_default(symbol),
        }
    }

    /// `calc_rangesel`
    pub(super) fn of_range(&self, variable: &Typed, symbol: &str, other: &Node) -> f64 {
        let Node::Const(value) = other else { return by_default(symbol) };
        if value.is_null() {
            return 0.0;
        }
        let null = self.stats(variable).map_or(0.0, |stats| stats.null_frac);
        let is_empty = Range::of(value).is_some_and(|range| range.is_empty());
        let share = match symbol {
            // `matchingsel`
            "-|-" => by_default(symbol),
            "&&" | "&<" | "&>" | "<<" | ">>" | "<" | "<@" | "<=" if is_empty => 0.0,
            _ if is_empty => 1.0,
            _ => by_default(symbol),
        };
        share * (1.0 - null)
    }
}

/// `default_range_selectivity`
fn by_default(symbol: &str) -> f64 {
    match symbol {
        "&&" | "-|-" => 0.01,
        "@>" | "<@" => RANGE,
        _ => INEQUAL,
    }
}
