//! smallint, integer, bigint (src/backend/utils/adt/int.c, int8.c): exact, or an error.

use super::Arithmetic;
use crate::datum::error::{Result, SqlError};
use crate::datum::value::Value;
use alloc::format;

/// Two of type integer, widened: no sum or product of theirs goes beyond 64 bits.
pub fn int4(op: Arithmetic, a: i64, b: i64) -> Result<Value> {
    let result = compute(op, a, b)?.and_then(|result| i32::try_from(result).ok());
    result.map(Value::Int4).ok_or_else(|| out_of_range("integer"))
}

/// The result has the wider of the two types.
pub fn mixed(op: Arithmetic, a: &Value, b: &Value) -> Result<Value> {
    let (width, left, right) = (width(a).max(width(b)), widened(a), widened(b));
    let result = compute(op, left, right)?;
    match width {
        2 => result
            .and_then(|result| i16::try_from(result).ok())
            .map(Value::Int2)
            .ok_or_else(|| out_of_range("smallint")),
        4 => {
            result.and_then(|result| i32::try_from(result).ok()).map(Value::Int4).ok_or_else(|| out_of_range("integer"))
        }
        _ => result.map(Value::Int8).ok_or_else(|| out_of_range("bigint")),
    }
}

fn compute(op: Arithmetic, a: i64, b: i64) -> Result<Option<i64>> {
    Ok(match op {
        Arithmetic::Add => a.checked_add(b),
        Arithmetic::Sub => a.checked_sub(b),
        Arithmetic::Mul => a.checked_mul(b),
        Arithmetic::Div | Arithmetic::Mod if b == 0 => return Err(SqlError::division_by_zero()),
        Arithmetic::Div => a.checked_div(b),
        // of the least number and -1 nothing is left
        Arithmetic::Mod => Some(a.wrapping_rem(b)),
    })
}

pub fn out_of_range(type_name: &str) -> SqlError {
    SqlError::out_of_range(format!("{type_name} out of range"))
}

const fn width(value: &Value) -> u8 {
    match value {
        Value::Int2(_) => 2,
        Value::Int4(_) => 4,
        _ => 8,
    }
}

/// The number with 64 bits; 0 of what is no integer.
pub fn widened(value: &Value) -> i64 {
    match value {
        Value::Int2(number) => (*number).into(),
        Value::Int4(number) => (*number).into(),
        Value::Int8(number) => *number,
        _ => 0,
    }
}

/// 0 of the same type.
pub const fn zero_like(value: &Value) -> Option<Value> {
    Some(match value {
        Value::Int2(_) => Value::Int2(0),
        Value::Int4(_) => Value::Int4(0),
        Value::Int8(_) => Value::Int8(0),
        _ => return None,
    })
}

pub fn is_negative(value: &Value) -> bool {
    widened(value) < 0
}
