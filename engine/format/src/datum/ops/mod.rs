//! What the operators `+ - * / %`, unary minus and `abs` do with values, and casts between types: the kernels of
//! `int.c`, `float.c`, `numeric.c`, `date.c`, `timestamp.c` in src/backend/utils/adt, with their errors.
//!
//! The values have the types of one row of `pg_operator`; which row that is, the SQL layer decides. A NULL operand
//! gives NULL.

mod cast;
mod date;
mod float;
mod int;
mod interval;
mod jsonb;

use super::error::{Result, SqlError};
use super::input::Context;
use super::numeric::{self, Number};
use super::value::Value;
use alloc::format;
pub(super) use cast::of_numeric;
pub use cast::{cast, same_moment};
pub(super) use float::widened;

/// An operator of two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
}

impl Arithmetic {
    /// As SQL writes it.
    #[must_use]
    pub const fn symbol(self) -> char {
        match self {
            Self::Add => '+',
            Self::Sub => '-',
            Self::Mul => '*',
            Self::Div => '/',
            Self::Mod => '%',
        }
    }
}

/// The result of the operator.
///
/// # Errors
/// Overflow, division by zero; operands that the operator does not take.
pub fn arithmetic(op: Arithmetic, a: &Value, b: &Value, context: &Context) -> Result<Value> {
    match (a, b) {
        (Value::Null, _) | (_, Value::Null) => Ok(Value::Null),
        (Value::Int4(a), Value::Int4(b)) => int::int4(op, (*a).into(), (*b).into()),
        (Value::Int8(_) | Value::Int4(_) | Value::Int2(_), Value::Int8(_) | Value::Int4(_) | Value::Int2(_)) => {
            int::mixed(op, a, b)
        }
        (Value::Float4(a), Value::Float4(b)) => float::float4(op, *a, *b, context.major),
        (Value::Float4(_) | Value::Float8(_), Value::Float4(_) | Value::Float8(_)) => {
            float::float8(op, widened(a), widened(b), context.major)
        }
        (Value::Numeric(a), Value::Numeric(b)) => numeric::operate(op.symbol(), a, b).map(Value::Numeric),
        _ => date::arithmetic(op, a, b, context),
    }
}

fn undefined(op: char) -> SqlError {
    SqlError::undefined(format!("operator {op} does not take these operands"))
}

/// Unary minus.
///
/// # Errors
/// The least integer has no opposite; an operand that has none.
pub fn negate(value: &Value, context: &Context) -> Result<Value> {
    Ok(match value {
        Value::Null => Value::Null,
        Value::Float4(number) => Value::Float4(-number),
        Value::Float8(number) => Value::Float8(-number),
        Value::Numeric(bytes) => Value::Numeric(number(bytes)?.negated().pack()?),
        Value::Interval(span) => Value::Interval(interval::negate(*span, context)?),
        _ => return arithmetic(Arithmetic::Sub, &int::zero_like(value).ok_or_else(|| undefined('-'))?, value, context),
    })
}

/// `abs`
///
/// # Errors
/// The least integer has no opposite; an operand that is no number.
pub fn abs(value: &Value, context: &Context) -> Result<Value> {
    Ok(match value {
        Value::Null => Value::Null,
        Value::Float4(number) => Value::Float4(number.abs()),
        Value::Float8(number) => Value::Float8(number.abs()),
        Value::Numeric(bytes) => Value::Numeric(number(bytes)?.abs().pack()?),
        _ if int::is_negative(value) => return negate(value, context),
        _ => value.clone(),
    })
}

/// `round(numeric, digits)`, half away from zero, or `trunc(numeric, digits)`.
///
/// # Errors
/// A value that is not numeric.
pub fn round(value: &Value, digits: i32, truncates: bool) -> Result<Value> {
    match value {
        Value::Null => Ok(Value::Null),
        Value::Numeric(bytes) => Ok(Value::Numeric(number(bytes)?.rounded(digits, truncates).pack()?)),
        _ => Err(SqlError::undefined("round and trunc are of numeric".into())),
    }
}

fn number(bytes: &[u8]) -> Result<Number> {
    Number::unpack(bytes).ok_or_else(|| SqlError::new("XX000", "invalid numeric"))
}
