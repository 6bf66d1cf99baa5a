//! Integers and floats from text (`pg_strtoint32_safe`, src/backend/utils/adt/numutils.c; `float8in_internal`,
//! float.c).

use super::is_space;
use crate::datum::SqlType;
use crate::datum::error::{Result, SqlError};
use crate::page::{ItemPointer, OffsetNumber, Oid, PgVersion};
use alloc::format;

/// smallint, integer or bigint, by the name that messages have.
pub fn integer<T: TryFrom<i128>>(text: &str, type_name: &str, major: u32) -> Result<T> {
    let syntax = || SqlError::syntax(type_name, text);
    let range = || out_of_range(text, type_name);
    let trimmed = text.trim_start_matches(is_space);
    let (negative, unsigned) = match trimmed.as_bytes().first() {
        Some(b'-') => (true, &trimmed[1..]),
        Some(b'+') => (false, &trimmed[1..]),
        _ => (false, trimmed),
    };
    let modern = PgVersion::of_major(major).reads_other_bases();
    let (base, digits) = match unsigned.as_bytes() {
        [b'0', b'x' | b'X', ..] if modern => (16, &unsigned[2..]),
        [b'0', b'o' | b'O', ..] if modern => (8, &unsigned[2..]),
        [b'0', b'b' | b'B', ..] if modern => (2, &unsigned[2..]),
        _ => (10, unsigned),
    };
    let (mut number, mut count, mut rest) = (0_i128, 0, digits);
    // too great is found out before what follows is looked at
    while let Some(c) = rest.chars().next() {
        let next = rest[c.len_utf8()..].chars().next();
        if let Some(digit) = c.to_digit(base) {
            number = number * i128::from(base) + i128::from(digit);
            count += 1;
            if T::try_from(if negative { -number } else { number }).is_err() {
                return Err(range());
            }
        } else if !(modern && c == '_' && (count > 0 || base != 10) && next.is_some_and(|next| next.is_digit(base))) {
            break;
        }
        rest = &rest[c.len_utf8()..];
    }
    if count == 0 || rest.contains(|c| !is_space(c)) {
        return Err(syntax());
    }
    T::try_from(if negative { -number } else { number }).map_err(|_| range())
}

fn out_of_range(text: &str, type_name: &str) -> SqlError {
    SqlError::out_of_range(format!("value \"{text}\" is out of range for type {type_name}"))
}

/// `oidin`, `xidin`, `cidin`: a negative number counts from the top.
pub fn oid(text: &str, typid: Oid) -> Result<u32> {
    let type_name = SqlType::plain(typid).name();
    let trimmed = text.trim_matches(is_space);
    let digits = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    if digits.is_empty() || digits.contains(|c: char| !c.is_ascii_digit()) {
        return Err(SqlError::syntax(&type_name, text));
    }
    let number: i64 = trimmed.parse().map_err(|_| out_of_range(text, &type_name))?;
    let low = u32::try_from(number).or_else(|_| i32::try_from(number).map(i32::cast_unsigned));
    low.map_err(|_| out_of_range(text, &type_name))
}

/// `tidin`: `(block,line pointer)`; what stands before and behind it is not looked at, nor are blanks and a `+`
/// before a number.
pub fn tid(text: &str) -> Result<ItemPointer> {
    /// as `strtoul` reads a number, but for those below zero
    fn number(text: &str) -> Option<&str> {
        let text = text.trim_ascii_start();
        let digits = text.strip_prefix('+').unwrap_or(text);
        let is_number = !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit());
        is_number.then_some(digits)
    }
    let syntax = || SqlError::syntax("tid", text);
    let (before, inner) = text.split_once('(').ok_or_else(syntax)?;
    let (block, rest) = inner.split_once(',').ok_or_else(syntax)?;
    let (offset, _) = rest.split_once(')').ok_or_else(syntax)?;
    // a block below zero is counted from the end of all numbers
    let negative = block.trim_ascii_start().strip_prefix('-').filter(|digits| number(digits) == Some(digits));
    let numbers = negative.or_else(|| number(block)).zip(number(offset)).filter(|_| !before.contains([',', ')']));
    let (digits, offset) = numbers.ok_or_else(syntax)?;
    let offset = offset.parse().map_err(|_| syntax())?;
    let block: u32 = digits.parse().map_err(|_| syntax())?;
    let block = match negative {
        Some(_) if block > i32::MIN.unsigned_abs() => return Err(syntax()),
        Some(_) => block.wrapping_neg(),
        None => block,
    };
    Ok(ItemPointer { block, offset: OffsetNumber(offset) })
}

/// `float8in`
pub fn float8(text: &str) -> Result<f64> {
    let digits = float(text, "double precision")?;
    let number: f64 = digits.parse().map_err(|_| SqlError::syntax("double precision", text))?;
    check(text, "double precision", digits, number.is_infinite(), number == 0.0)?;
    Ok(number)
}

/// `float4in`
pub fn float4(text: &str) -> Result<f32> {
    let digits = float(text, "real")?;
    let number: f32 = digits.parse().map_err(|_| SqlError::syntax("real", text))?;
    check(text, "real", digits, number.is_infinite(), number == 0.0)?;
    Ok(number)
}

/// The text without blanks, where it can be a float.
fn float<'a>(text: &'a str, type_name: &str) -> Result<&'a str> {
    let trimmed = text.trim_matches(is_space);
    // Rust reads the same words for infinity and NaN, and the same digits
    let is_float = !trimmed.is_empty() && trimmed.is_ascii();
    if is_float { Ok(trimmed) } else { Err(SqlError::syntax(type_name, text)) }
}

/// strtod's ERANGE: digits that are too great, or too small to be told from zero.
fn check(text: &str, type_name: &str, digits: &str, is_infinite: bool, is_zero: bool) -> Result<()> {
    let mantissa = digits.split(['e', 'E']).next().unwrap_or(digits);
    let lost = is_zero && mantissa.contains(|c| matches!(c, '1'..='9'));
    let too_great = is_infinite && mantissa.contains(|c: char| c.is_ascii_digit());
    if lost || too_great {
        return Err(SqlError::out_of_range(format!(
            "\"{}\" is out of range for type {type_name}",
            text.trim_start_matches(is_space)
        )));
    }
    Ok(())
}
