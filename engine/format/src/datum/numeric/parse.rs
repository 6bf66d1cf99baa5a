//! Text to number (`numeric_in`, `set_var_from_str`, `set_var_from_non_decimal_integer_str`).
//!
//! ```text
//! -  12 345 . 678 0   e +2          since 16 also 1_000, 0x1F, 0o17, 0b101
//!    └ dweight ┘└ dscale ┘ └ moves the point
//! ```

use super::{DEC_DIGITS, NBASE, Number, Var, apply_typmod};
use crate::datum::bytes::Bytes;
use crate::datum::error::{Result, SqlError};
use crate::page::PgVersion;
use alloc::vec::Vec;

/// `numeric_in` for a column with that modifier, on that major version.
///
/// # Errors
/// Where the text is no number, or too long for the column.
pub fn numeric_in(text: &str, typmod: i32, major: u32) -> Result<Bytes> {
    let number = parse(text.trim_matches(super::super::input::is_space), major);
    let number = number.map_err(|error| error.unwrap_or_else(|| SqlError::syntax("numeric", text)))?;
    apply_typmod(number, typmod)?.pack()
}

/// The number; `Err(None)`: there is none.
fn parse(text: &str, major: u32) -> core::result::Result<Number, Option<SqlError>> {
    let (negative, unsigned) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if text.eq_ignore_ascii_case("nan") {
        return Ok(Number::NaN);
    }
    let version = PgVersion::of_major(major);
    if version.has_infinite_numeric() && ["inf", "infinity"].iter().any(|name| unsigned.eq_ignore_ascii_case(name)) {
        return Ok(Number::Infinity { negative });
    }
    let var = match based(unsigned).filter(|_| version.reads_other_bases()) {
        Some((base, digits)) => whole(digits, base).ok_or(None)?,
        None => decimal(unsigned, version.reads_other_bases())?,
    };
    Ok(Number::Finite(Var { negative: negative && !var.is_zero(), ..var }))
}

/// Base and digits of `0x…`, `0o…`, `0b…`.
fn based(text: &str) -> Option<(u32, &str)> {
    let base = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => 16,
        [b'0', b'o' | b'O', ..] => 8,
        [b'0', b'b' | b'B', ..] => 2,
        _ => return None,
    };
    Some((base, &text[2..]))
}

/// A natural number in another base.
fn whole(digits: &str, base: u32) -> Option<Var> {
    let mut limbs: Vec<u32> = Vec::new();
    let digits = digits.strip_prefix('_').unwrap_or(digits);
    for part in digits.split('_') {
        part.chars().next()?;
        for digit in part.chars() {
            let mut carry = digit.to_digit(base)?;
            for limb in &mut limbs {
                let product = *limb * base + carry;
                (*limb, carry) = (product % u32::from(NBASE), product / u32::from(NBASE));
            }
            if carry > 0 {
                limbs.push(carry);
            }
        }
    }
    let digits: Vec<u16> = limbs.iter().rev().map(|limb| *limb as u16).collect();
    Some(Var { weight: digits.len() as i32 - 1, digits, ..Var::default() })
}

fn decimal(text: &str, underscores: bool) -> core::result::Result<Var, Option<SqlError>> {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], exponent(&text[at + 1..], underscores)?),
        None => (text, 0),
    };
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut decimals: Vec<u8> = Vec::with_capacity(text.len());
    for part in [before, after] {
        decimals.extend(digits(part, underscores).ok_or(None)?);
    }
    if decimals.is_empty() {
        return Err(None);
    }
    let before = before.bytes().filter(u8::is_ascii_digit).count() as i32;
    let dscale = decimals.len() as i32 - before - exponent;
    // the first digit stands for ten to that power
    let dweight = before - 1 + exponent;
    let weight = dweight.div_euclid(DEC_DIGITS as i32);
    let zeros = (weight + 1) * DEC_DIGITS as i32 - (dweight + 1);
    decimals.splice(0..0, (0..zeros).map(|_| 0));
    let chunks = decimals.chunks(DEC_DIGITS);
    let digit = |chunk: &[u8]| (0..DEC_DIGITS).fold(0, |n, at| n * 10 + u16::from(chunk.get(at).copied().unwrap_or(0)));
    let mut var = Var { negative: false, weight, dscale: dscale.max(0), digits: chunks.map(digit).collect() };
    var.strip();
    Ok(var)
}

/// Decimal digits; underscores may stand between them.
fn digits(text: &str, underscores: bool) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    let mut digits = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'0'..=b'9' => digits.push(byte - b'0'),
            b'_' if underscores && at > 0 && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {}
            _ => return None,
        }
    }
    Some(digits)
}

fn exponent(text: &str, underscores: bool) -> core::result::Result<i32, Option<SqlError>> {
    const LIMIT: i32 = i32::MAX / 2;
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = digits(unsigned, underscores).filter(|digits| !digits.is_empty()).ok_or(None)?;
    let value = digits.iter().try_fold(0_i32, |n, digit| n.checked_mul(10)?.checked_add(i32::from(*digit)));
    let value = value.filter(|value| *value < LIMIT).ok_or_else(|| Some(Var::overflow()))?;
    Ok(if text.starts_with('-') { -value } else { value })
}

/// A number as the engine writes it itself: digits, point, exponent.
pub(super) fn plain(text: &str) -> Option<Number> {
    /// one that has infinities, and no underscores
    const MAJOR: u32 = 14;
    parse(text, MAJOR).ok()
}
