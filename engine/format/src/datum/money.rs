//! money: text in and out, and what its operators calculate (src/backend/utils/adt/cash.c), with the signs of the
//! locales C and en_US.
//!
//! A value is a whole number of cents.

use super::error::{Result, SqlError};
use super::input::{is_space, rint};
use super::numeric::{self, Number};
use super::ops::{Arithmetic, of_numeric};
use super::sql_type::Kind;
use super::value::Value;
use crate::page::Oid;
use alloc::format;
use alloc::string::String;

/// `pg_type.oid`
pub const MONEY: Oid = 790;
/// Digits behind the point.
const DIGITS: usize = 2;
const CENTS: i64 = 100;

fn out_of_range() -> SqlError {
    SqlError::out_of_range("money out of range")
}

/// `cash_out`
#[must_use]
pub fn cash_out(bytes: &[u8]) -> Option<String> {
    let cents = super::types::exact::<i64>(bytes)?;
    let (whole, rest) = (cents.unsigned_abs() / CENTS.unsigned_abs(), cents.unsigned_abs() % CENTS.unsigned_abs());
    let (digits, mut grouped) = (format!("{whole}"), String::new());
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    Some(format!("{}${grouped}.{rest:02}", if cents < 0 { "-" } else { "" }))
}

/// `cash_in`
///
/// # Errors
/// Text that is no amount; an amount that is too large.
pub fn cash_in(text: &str) -> Result<i64> {
    let invalid = || SqlError::syntax("money", text);
    let too_large = || SqlError::out_of_range(format!("value \"{text}\" is out of range for type money"));
    let mut rest = without_symbol(text);
    let mut is_negative = rest.starts_with(['-', '(']);
    rest = without_symbol(rest.strip_prefix(['-', '(', '+']).unwrap_or(rest));
    let digits = rest.chars().take_while(|c| c.is_ascii_digit() || matches!(c, ',' | '.'));
    let (mut cents, mut behind, mut taken) = (0_i128, None::<usize>, 0);
    for c in digits {
        match (c.to_digit(10), &mut behind) {
            (Some(_), Some(DIGITS)) => break,
            (Some(digit), behind) => {
                cents = (cents * 10 + i128::from(digit)).min(i128::MAX / 100);
                behind.iter_mut().for_each(|behind| *behind += 1);
            }
            (None, None) if c == '.' => behind = Some(0),
            (None, _) if c == ',' => {}
            _ => break,
        }
        taken += 1;
    }
    rest = &rest[taken..];
    if behind == Some(DIGITS) && rest.starts_with(|c: char| ('5'..='9').contains(&c)) {
        cents += 1;
    }
    for _ in behind.unwrap_or(0)..DIGITS {
        cents *= 10;
    }
    for c in rest.chars() {
        match c {
            '-' => is_negative = true,
            '$' | ')' => {}
            c if c.is_ascii_digit() || is_space(c) => {}
            _ => return Err(invalid()),
        }
    }
    i64::try_from(if is_negative { -cents } else { cents }).map_err(|_| too_large())
}

/// Without white space and the sign of the currency before it.
fn without_symbol(text: &str) -> &str {
    let text = text.trim_start_matches(is_space);
    text.strip_prefix('$').unwrap_or(text).trim_start_matches(is_space)
}

/// The result of an operator of which one operand is money: `types` are those of both.
///
/// # Errors
/// Overflow, division by zero.
pub fn arithmetic(op: Arithmetic, a: &Value, b: &Value, types: [Oid; 2]) -> Result<Value> {
    let cents = |value: &Value| value.integer().unwrap_or(0);
    match types {
        [MONEY, MONEY] => between(op, cents(a), cents(b)),
        [MONEY, _] => by_number(op, cents(a), b),
        _ => by_number(op, cents(b), a),
    }
}

/// `cash_pl`, `cash_mi`, `cash_div_cash`
fn between(op: Arithmetic, cents: i64, other: i64) -> Result<Value> {
    match op {
        Arithmetic::Add => cents.checked_add(other).map(Value::Int8).ok_or_else(out_of_range),
        Arithmetic::Sub => cents.checked_sub(other).map(Value::Int8).ok_or_else(out_of_range),
        _ if other == 0 => Err(SqlError::division_by_zero()),
        _ => Ok(Value::Float8(cents as f64 / other as f64)),
    }
}

/// `cash_mul_int8`, `cash_div_flt8` and their like.
fn by_number(op: Arithmetic, cents: i64, number: &Value) -> Result<Value> {
    let divides = op == Arithmetic::Div;
    if let Some(whole) = number.integer() {
        if divides && whole == 0 {
            return Err(SqlError::division_by_zero());
        }
        let result = if divides { cents.checked_div(whole) } else { cents.checked_mul(whole) };
        return result.map(Value::Int8).ok_or_else(out_of_range);
    }
    let number = super::ops::widened(number);
    if divides && number == 0.0 {
        return Err(SqlError::division_by_zero());
    }
    let result = if divides { cents as f64 / number } else { cents as f64 * number };
    let whole = if result.is_finite() { i64::try_from(rint(result)).ok() } else { None };
    whole.map(Value::Int8).ok_or_else(out_of_range)
}

/// `numeric_cash`, `int8_cash`
///
/// # Errors
/// What money does not hold.
pub fn from_number(value: &Value) -> Result<Value> {
    if let Value::Numeric(bytes) = value {
        let product = numeric::operate('*', bytes, &Number::of_int(CENTS).pack()?)?;
        let invalid = || SqlError::new("XX000", "invalid numeric");
        return of_numeric(&Number::unpack(&product).ok_or_else(invalid)?, Kind::Int8);
    }
    let whole = value.integer().unwrap_or(0);
    whole.checked_mul(CENTS).map(Value::Int8).ok_or_else(|| SqlError::out_of_range("bigint out of range"))
}

/// `cash_numeric`
///
/// # Errors
/// None that a value has.
pub fn to_numeric(cents: i64, major: u32) -> Result<Value> {
    let (sign, cents) = (if cents < 0 { "-" } else { "" }, cents.unsigned_abs());
    let text = format!("{sign}{}.{:02}", cents / CENTS.unsigned_abs(), cents % CENTS.unsigned_abs());
    numeric::numeric_in(&text, -1, major).map(Value::Numeric)
}

#[cfg(test)]
mod tests {
    use super::{cash_in, cash_out};

    /// As servers of 13 and 18 read and print them.
    #[test]
    fn text_of_money() {
        let check = |text: &str, expected: &str| {
            let shown = cash_in(text).map(|cents| cash_out(&cents.to_le_bytes()).expect("8 bytes"));
            assert_eq!(shown.unwrap_or_else(|error| error.sqlstate.into()), expected, "{text}");
        };
        check("500", "$500.00");
        check("$1,234.567", "$1,234.57");
        check("-0.5", "-$0.50");
        check("(12.3)", "-$12.30");
        check(" $ -7", "-$7.00");
        check("1234567890123456.78", "$1,234,567,890,123,456.78");
        check("92233720368547758.08", "22003");
        check("-92233720368547758.08", "-$92,233,720,368,547,758.08");
        check("", "$0.00");
        check("1x", "22P02");
    }
}
