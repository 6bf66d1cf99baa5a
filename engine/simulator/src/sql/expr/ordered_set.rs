//! Aggregates with WITHIN GROUP: `percentile_cont`, `percentile_disc`, `mode` (src/backend/utils/adt/orderedsetaggs.c).

use super::Typed;
use super::aggregate::{Aggregate, AggregateKind, OrderedSet, Pick};
use super::analyze::Analyzer;
use super::operate;
use super::pg_catalog::{TEXT, UNKNOWN};
use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode, Literal, ORDERED_SETS, SortBy};
use alloc::format;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::{SqlType, Value};
use ffviz_format::page::Oid;

impl Analyzer<'_> {
    /// The call, where it is of one of them; the last argument is what is sorted by.
    pub(super) fn ordered_set(
        &mut self,
        name: &str,
        args: &[Expr],
        order_by: &[SortBy],
        filter: Option<&Expr>,
    ) -> core::result::Result<Option<Typed>, StatementError> {
        if !ORDERED_SETS.contains(&name) {
            return Ok(None);
        }
        let [by] = order_by else {
            return Err(StatementError::unsupported(format!("{name} without WITHIN GROUP is not supported"), None));
        };
        let pick = match (name, args) {
            ("mode", [_]) => Pick::Mode,
            ("percentile_cont", [share, _]) => share_of(share)?.map_or(Pick::Nothing, Pick::Between),
            ("percentile_disc", [share, _]) => share_of(share)?.map_or(Pick::Nothing, Pick::At),
            _ => return Err(StatementError::unsupported(format!("{name} with such arguments is not supported"), None)),
        };
        let outer = core::mem::replace(&mut self.in_aggregate, true);
        let key = self.decided(&by.expr);
        let filter = filter.map(|filter| self.boolean(filter, "FILTER")).transpose();
        self.in_aggregate = outer;
        let (mut key, filter) = (key?, filter?);
        if name == "percentile_cont" {
            if key.ty.oid == 1186 {
                return Err(StatementError::unsupported("percentile_cont of an interval is not supported", None));
            }
            let from = super::function::type_name(key.ty.oid);
            key = self.coerce(key, SqlType::FLOAT8, super::pg_catalog::Coercion::Implicit)?.ok_or_else(|| {
                let message = format!("function percentile_cont(numeric, {from}) does not exist");
                StatementError::from(SqlError::new("42883", message).with_hint(super::function::NO_FUNCTION))
            })?;
        } else if key.ty.oid == UNKNOWN {
            key = self.implicit(key, TEXT)?;
        }
        super::function::has_order(key.ty.oid)?;
        self.needs_order(key.ty.oid)?;
        let ty = SqlType::plain(key.ty.oid);
        let kind = AggregateKind::OrderedSet(OrderedSet { pick, descending: by.descending });
        let args = Vec::from([key]);
        let plain = Aggregate { kind, args, order: Vec::new(), asks_order: false, distinct: false, filter, ty };
        self.add_aggregate(plain).map(Some)
    }
}

/// The share that is asked for, as the bits of a float8.
fn share_of(expr: &Expr) -> core::result::Result<Option<u64>, StatementError> {
    match &expr.node {
        ExprNode::Literal(Literal::Null) => Ok(None),
        ExprNode::Literal(Literal::Number(digits)) => Ok(digits.parse().ok().map(f64::to_bits)),
        _ => Err(StatementError::unsupported("a percentile that is not written as a number is not supported", None)),
    }
}

/// The value that is picked, of one at least.
pub(super) fn picked(of: OrderedSet, mut values: Vec<Value>, ty: Oid, input: &Input) -> Result<Value> {
    let mut failed = None;
    values.sort_by(|a, b| {
        let order = operate::compare(a, b, [ty; 2], input).unwrap_or_else(|error| {
            failed.get_or_insert(error);
            Ordering::Equal
        });
        if of.descending { order.reverse() } else { order }
    });
    if let Some(error) = failed {
        return Err(error);
    }
    let (Pick::Between(bits) | Pick::At(bits)) = of.pick else {
        return if of.pick == Pick::Mode { mode(&values, ty, input) } else { Ok(Value::Null) };
    };
    let share = f64::from_bits(bits);
    if !(0.0..=1.0).contains(&share) {
        return Err(SqlError::new("22003", format!("percentile value {share} is not between 0 and 1")));
    }
    if let Pick::At(_) = of.pick {
        let n = libm::ceil(share * values.len() as f64) as usize;
        return Ok(values.swap_remove(n.max(1) - 1));
    }
    let way = share * (values.len() - 1) as f64;
    let (first, second) = (libm::floor(way), libm::ceil(way));
    let float = |n: f64| if let Some(Value::Float8(number)) = values.get(n as usize) { *number } else { 0.0 };
    let (low, high) = (float(first), float(second));
    Ok(Value::Float8(if first >= second { low } else { low + (way - first) * (high - low) }))
}

/// Of values in order the first of those that come most often.
fn mode(values: &[Value], ty: Oid, input: &Input) -> Result<Value> {
    let (mut best, mut most, mut start) = (0, 0, 0);
    for n in 0..values.len() {
        if operate::compare(&values[start], &values[n], [ty; 2], input)?.is_ne() {
            start = n;
        }
        if n + 1 - start > most {
            (best, most) = (start, n + 1 - start);
        }
    }
    Ok(values.get(best).cloned().unwrap_or(Value::Null))
}
