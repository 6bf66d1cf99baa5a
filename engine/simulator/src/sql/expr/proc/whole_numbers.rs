//! Multiples, factorials, and the digits behind a numeric's point (src/backend/utils/adt/int.c, int8.c, numeric.c).

use crate::sql::ast::BinaryOp;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::call::Call;
use crate::sql::expr::operate;
use crate::sql::expr::pg_catalog::{INT4, INT8, NUMERIC};
use crate::sql::expr::pg_proc::{Proc, f};
use crate::version::SqlBehaviour;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::input::{Context as Input, input};
use ffviz_format::datum::{SqlType, Value, ops};

pub(super) const PROCS: &[Proc] = &[
    f("factorial", &[INT8], NUMERIC, factorial),
    f("gcd", &[NUMERIC, NUMERIC], NUMERIC, |call| gcd(&call.args[0], &call.args[1], &call.input())),
    f("lcm", &[INT4, INT4], INT4, |call| {
        let multiple = lcm(call.integer(0), call.integer(1)).and_then(|it| i32::try_from(it).ok());
        multiple.map(Value::Int4).ok_or_else(|| SqlError::new("22003", "integer out of range"))
    }),
    f("lcm", &[INT8, INT8], INT8, |call| {
        let multiple = lcm(call.integer(0), call.integer(1)).and_then(|it| i64::try_from(it).ok());
        multiple.map(Value::Int8).ok_or_else(|| SqlError::new("22003", "bigint out of range"))
    }),
    f("lcm", &[NUMERIC, NUMERIC], NUMERIC, numeric_lcm),
    f("min_scale", &[NUMERIC], INT4, |call| Ok(scale(call, true))),
    f("scale", &[NUMERIC], INT4, |call| Ok(scale(call, false))),
    f("trim_scale", &[NUMERIC], NUMERIC, trim_scale),
];

fn lcm(a: i64, b: i64) -> Option<u128> {
    let (a, b) = (u128::from(a.unsigned_abs()), u128::from(b.unsigned_abs()));
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a.checked_div(x).map_or(Some(0), |share| share.checked_mul(b))
}

fn is_zero(value: &Value, input: &Input) -> Result<bool> {
    Ok(operate::compare(value, &operate::numeric(0, input)?, [NUMERIC; 2], input)?.is_eq())
}

fn is_special(value: &Value) -> bool {
    value.output(NUMERIC).is_none_or(|text| text.ends_with(|c: char| c.is_ascii_alphabetic()))
}

/// `gcd_var`: with as many digits behind the point as the number with more of them.
fn gcd(a: &Value, b: &Value, input: &Input) -> Result<Value> {
    if is_special(a) || is_special(b) {
        return Err(SqlError::new(NOT_SIMULATED, "gcd and lcm of NaN and Infinity are not supported"));
    }
    let digits = digits_of(a, false).max(digits_of(b, false));
    let (mut x, mut y) = (ops::abs(a, input)?, ops::abs(b, input)?);
    while !is_zero(&y, input)? {
        let rest = operate::binary(BinaryOp::Mod, &x, &y, [NUMERIC; 2], input)?;
        (x, y) = (y, rest);
    }
    ops::round(&x, digits, false)
}

fn numeric_lcm(call: &mut Call<'_, '_>) -> Result<Value> {
    let (a, b, input) = (&call.args[0], &call.args[1], call.input());
    let digits = digits_of(a, false).max(digits_of(b, false));
    if is_zero(a, &input)? || is_zero(b, &input)? {
        return ops::round(&operate::numeric(0, &input)?, digits, false);
    }
    let divisor = gcd(a, b, &input)?;
    let of = |op, left: &Value, right: &Value| operate::binary(op, left, right, [NUMERIC; 2], &input);
    let share = ops::round(&of(BinaryOp::Div, a, &divisor)?, 0, false)?;
    ops::round(&ops::abs(&of(BinaryOp::Mul, &share, b)?, &input)?, digits, false)
}

fn factorial(call: &mut Call<'_, '_>) -> Result<Value> {
    let (number, input_of) = (call.integer(0), call.input());
    if number < 0 && input_of.version().refuses_negative_factorials() {
        return Err(SqlError::new("22003", "factorial of a negative number is undefined"));
    }
    if number > 32_177 {
        return Err(SqlError::new("22003", "value overflows numeric format"));
    }
    // digits of base 10^9, the lowest first
    let mut digits = Vec::from([1_u64]);
    for factor in 2..=number.max(1).cast_unsigned() {
        let mut carry = 0;
        for digit in &mut digits {
            let product = *digit * factor + carry;
            (*digit, carry) = (product % 1_000_000_000, product / 1_000_000_000);
        }
        if carry > 0 {
            digits.push(carry);
        }
    }
    let mut text = String::new();
    for (n, digit) in digits.iter().rev().enumerate() {
        text.push_str(&if n == 0 { alloc::format!("{digit}") } else { alloc::format!("{digit:09}") });
    }
    input(&text, SqlType::NUMERIC, &input_of)
}

/// Digits behind the point, perhaps without zeros at the end.
fn digits_of(value: &Value, needed: bool) -> i32 {
    let text = value.output(NUMERIC).unwrap_or_default();
    let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
    let fraction = if needed { fraction.trim_end_matches('0') } else { fraction };
    fraction.len() as i32
}

fn scale(call: &Call<'_, '_>, needed: bool) -> Value {
    if is_special(&call.args[0]) { Value::Null } else { Value::Int4(digits_of(&call.args[0], needed)) }
}

fn trim_scale(call: &mut Call<'_, '_>) -> Result<Value> {
    if is_special(&call.args[0]) {
        return Ok(call.args[0].clone());
    }
    ops::round(&call.args[0], digits_of(&call.args[0], true), true)
}
