//! Operators on values that are not NULL: comparisons, `||`, and what [`ops`](ffviz_format::datum::ops) calculates.

use super::eval::satisfies;
use crate::sql::ast::BinaryOp;
use core::cmp::Ordering;
use ffviz_format::datum::compare::comparator;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::money::{self, MONEY};
use ffviz_format::datum::ops::{self, Arithmetic};
use ffviz_format::datum::{SqlType, Value};
use ffviz_format::page::Oid;

/// The result of an operator for operands of these types.
pub fn binary(op: BinaryOp, a: &Value, b: &Value, types: [Oid; 2], input: &Input) -> Result<Value> {
    let arithmetic = match op {
        BinaryOp::Add => Arithmetic::Add,
        BinaryOp::Sub => Arithmetic::Sub,
        BinaryOp::Mul => Arithmetic::Mul,
        BinaryOp::Div => Arithmetic::Div,
        BinaryOp::Mod => Arithmetic::Mod,
        BinaryOp::Concat => return concat(a, b),
        comparison => return Ok(Value::Bool(satisfies(comparison, compare(a, b, types, input)?))),
    };
    if types.contains(&MONEY) {
        return money::arithmetic(arithmetic, a, b, types);
    }
    ops::arithmetic(arithmetic, a, b, input)
}

/// The order of two values, of one type or of two that are compared with each other.
pub fn compare(a: &Value, b: &Value, [left, right]: [Oid; 2], input: &Input) -> Result<Ordering> {
    match (a, b) {
        (Value::Int4(a), Value::Int4(b)) => return Ok(a.cmp(b)),
        (Value::Int2(_) | Value::Int4(_) | Value::Int8(_), Value::Int2(_) | Value::Int4(_) | Value::Int8(_)) => {
            return Ok(widened(a).cmp(&widened(b)));
        }
        // `xideqint4`
        (Value::Oid(a), Value::Int4(b)) => return Ok(a.cmp(&b.cast_unsigned())),
        _ => {}
    }
    let unordered = || SqlError::new("42883", "values of this type have no order");
    let is_time = |ty: Oid| matches!(ty, 1082 | 1114 | 1184);
    if left != right && is_time(left) && is_time(right) {
        // date < timestamp < timestamptz: the wider type decides; in UTC no time is lost
        let to = SqlType::plain(left.max(right));
        let a = ops::cast(a, SqlType::plain(left), to, false, input)?;
        let b = ops::cast(b, SqlType::plain(right), to, false, input)?;
        return Ok(comparator(to.oid).ok_or_else(unordered)?(&a, &b));
    }
    Ok(comparator(left).ok_or_else(unordered)?(a, b))
}

const fn widened(value: &Value) -> i64 {
    match value {
        Value::Int2(number) => *number as i64,
        Value::Int4(number) => *number as i64,
        Value::Int8(number) => *number,
        _ => 0,
    }
}

/// `textcat`, `byteacat`
fn concat(a: &Value, b: &Value) -> Result<Value> {
    let bytes = |value: &Value| value.plain_bytes().map(<[u8]>::to_vec);
    let (Some(mut joined), Some(more)) = (bytes(a), bytes(b)) else {
        return Err(SqlError::new("XX000", "|| of values that are not there"));
    };
    joined.extend_from_slice(&more);
    Ok(if matches!(a, Value::Bytea(_)) { Value::Bytea(joined.into()) } else { Value::Text(joined.into()) })
}

/// The whole number as numeric.
pub fn numeric(number: i128, input: &Input) -> Result<Value> {
    ffviz_format::datum::input::input(&alloc::format!("{number}"), SqlType::plain(super::pg_catalog::NUMERIC), input)
}

/// `ARRAY[[…], …]`
pub fn nested(values: &[Value], ty: SqlType) -> Result<Value> {
    let element = ffviz_format::datum::element_of(ty.oid).unwrap_or(super::pg_catalog::TEXT);
    ffviz_format::datum::nested_array(element, values).ok_or_else(|| {
        SqlError::new("2202E", "multidimensional arrays must have array expressions with matching dimensions")
    })
}

/// `ARRAY[…]`
pub fn array(values: &[Value], ty: SqlType) -> Value {
    let element = ffviz_format::datum::element_of(ty.oid).unwrap_or(super::pg_catalog::TEXT);
    ffviz_format::datum::make_array(element, values)
}
