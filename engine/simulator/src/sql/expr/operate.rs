//! Operators on values that are not NULL: comparisons, `||`, and what [`ops`](ffviz_format::datum::ops) calculates.

use super::eval::satisfies;
use super::function::type_name;
use crate::sql::ast::BinaryOp;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::bits::Bits;
use ffviz_format::datum::compare::comparator;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::money::{self, MONEY};
use ffviz_format::datum::ops::{self, Arithmetic};
use ffviz_format::datum::record::compare_columns;
use ffviz_format::datum::{Record, SqlType, Value, is_row};
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
        comparison if let (Value::Record(a), Value::Record(b)) = (a, b) => {
            let is_equality = matches!(comparison, BinaryOp::Eq | BinaryOp::Ne);
            return Ok(Value::Bool(satisfies(comparison, compare_rows(a, b, is_equality)?)));
        }
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

/// `record_eq`, `record_cmp`: column by column, as far as they are equal.
fn compare_rows(a: &Record, b: &Record, is_equality: bool) -> Result<Ordering> {
    let (left, right) = (a.columns().collect::<Vec<_>>(), b.columns().collect::<Vec<_>>());
    for (n, ((column, a), (other, b))) in (1..).zip(left.iter().zip(&right)) {
        let [one, two] = [column, other].map(|column| column.ty().oid);
        if one != two {
            let (one, two) = (type_name(one), type_name(two));
            let message = alloc::format!("cannot compare dissimilar column types {one} and {two} at record column {n}");
            return Err(SqlError::new("42804", message));
        }
        if comparator(column.base.unwrap_or(column.typid)).is_none() && !is_row(one) {
            let what = if is_equality { "an equality operator" } else { "a comparison function" };
            let message = alloc::format!("could not identify {what} for type {}", type_name(one));
            return Err(SqlError::new("42883", message));
        }
        let order = match (a.is_null(), b.is_null()) {
            (false, false) => match (a, b) {
                (Value::Record(a), Value::Record(b)) => compare_rows(a, b, is_equality)?,
                _ => compare_columns(column, a, b),
            },
            (a, b) => a.cmp(&b),
        };
        if order.is_ne() {
            return Ok(order);
        }
    }
    if left.len() == right.len() {
        return Ok(Ordering::Equal);
    }
    Err(SqlError::new("42804", "cannot compare record types with different numbers of columns"))
}

const fn widened(value: &Value) -> i64 {
    match value {
        Value::Int2(number) => *number as i64,
        Value::Int4(number) => *number as i64,
        Value::Int8(number) => *number,
        _ => 0,
    }
}

/// `textcat`, `byteacat`, `bitcat`
fn concat(a: &Value, b: &Value) -> Result<Value> {
    if let (Some(a), Some(b)) = (Bits::of(a), Bits::of(b)) {
        return Ok(a.concat(&b).value());
    }
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
