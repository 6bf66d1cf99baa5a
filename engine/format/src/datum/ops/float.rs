//! real and double precision (src/include/utils/float.h): a result that is infinite, or zero, though the operands were
//! neither, is an error.

use super::{Arithmetic, undefined};
use crate::datum::error::{Result, SqlError};
use crate::datum::value::Value;
use crate::page::PgVersion;

/// Two of type real.
pub fn float4(op: Arithmetic, a: f32, b: f32, major: u32) -> Result<Value> {
    let result = match op {
        Arithmetic::Add => a + b,
        Arithmetic::Sub => a - b,
        Arithmetic::Mul => a * b,
        Arithmetic::Div => a / b,
        Arithmetic::Mod => return Err(undefined('%')),
    };
    check(op, a.into(), b.into(), result.into(), major).map(|()| Value::Float4(result))
}

/// Two of type double precision, or one of them real.
pub fn float8(op: Arithmetic, a: f64, b: f64, major: u32) -> Result<Value> {
    let result = match op {
        Arithmetic::Add => a + b,
        Arithmetic::Sub => a - b,
        Arithmetic::Mul => a * b,
        Arithmetic::Div => a / b,
        Arithmetic::Mod => return Err(undefined('%')),
    };
    check(op, a, b, result, major).map(|()| Value::Float8(result))
}

fn check(op: Arithmetic, a: f64, b: f64, result: f64, major: u32) -> Result<()> {
    let is_special = PgVersion::of_major(major).divides_special_floats();
    let is_division = op == Arithmetic::Div;
    if is_division && b == 0.0 && !(a.is_nan() && is_special) {
        return Err(SqlError::division_by_zero());
    }
    if result.is_infinite() && !a.is_infinite() && (is_division || !b.is_infinite()) {
        return Err(overflow());
    }
    let multiplies = is_division || op == Arithmetic::Mul;
    let lost = result == 0.0 && a != 0.0 && if is_division { !(b.is_infinite() && is_special) } else { b != 0.0 };
    if multiplies && lost { Err(underflow()) } else { Ok(()) }
}

pub fn overflow() -> SqlError {
    SqlError::out_of_range("value out of range: overflow")
}

pub fn underflow() -> SqlError {
    SqlError::out_of_range("value out of range: underflow")
}

/// The number as double precision; 0 of what is no float.
pub fn widened(value: &Value) -> f64 {
    match value {
        Value::Float4(number) => (*number).into(),
        Value::Float8(number) => *number,
        _ => 0.0,
    }
}
