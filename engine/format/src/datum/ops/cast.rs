//! Casts (`pg_cast`, src/include/catalog/pg_cast.dat): by a function where there is one, else by the text of the value.

use super::{date, float, int, jsonb, number};
use crate::datum::bits;
use crate::datum::compare::without_blanks;
use crate::datum::datetime::USECS_PER_DAY;
use crate::datum::error::{Result, SqlError};
use crate::datum::input::adjusted_interval;
use crate::datum::input::{self, Context, fitted, rint, rounded};
use crate::datum::money::{self, MONEY};
use crate::datum::numeric::{Number, apply_typmod};
use crate::datum::sql_type::{Kind, SqlType};
use crate::datum::value::{Interval, Value};
use alloc::format;
use alloc::string::{String, ToString};

/// The value of type `from` as one of type `to`, with its length. What is too long for a varchar or char is cut off
/// where the cast is explicit, an error elsewhere.
///
/// # Errors
/// A value that the type does not have.
pub fn cast(value: &Value, from: SqlType, to: SqlType, is_explicit: bool, context: &Context) -> Result<Value> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    if let (Some(number), Kind::Bit) = (value.integer(), to.kind()) {
        return Ok(bits::of_integer(number, to.typmod));
    }
    let converted = if from.oid == to.oid { value.clone() } else { convert(value, from, to, context)? };
    if to.typmod < 0 || to.typmod == from.typmod && from.oid == to.oid {
        return Ok(converted);
    }
    Ok(match converted {
        Value::Text(bytes) => fitted(&String::from_utf8_lossy(&bytes), to, is_explicit)?,
        bits @ Value::Bit(_) => bits::fitted(bits, to, is_explicit)?,
        Value::Numeric(bytes) => Value::Numeric(apply_typmod(number(&bytes)?, to.typmod)?.pack()?),
        Value::Time(time) => Value::Time(rounded(time, to.typmod)),
        Value::Timestamp(at) if !is_endless(at) => Value::Timestamp(rounded(at, to.typmod)),
        Value::TimestampTz(at) if !is_endless(at) => Value::TimestampTz(rounded(at, to.typmod)),
        Value::Interval(span) if super::interval::infinity(span, context) == 0 => {
            Value::Interval(adjusted_interval(span, to.typmod))
        }
        other => other,
    })
}

const fn is_endless(at: i64) -> bool {
    matches!(at, i64::MAX | i64::MIN)
}

fn convert(value: &Value, from: SqlType, to: SqlType, context: &Context) -> Result<Value> {
    match (value, to.kind()) {
        (Value::Int8(cents), Kind::Numeric) if from.oid == MONEY => money::to_numeric(*cents, context.major),
        (Value::Int4(_) | Value::Int8(_) | Value::Numeric(_), _) if to.oid == MONEY => money::from_number(value),
        (Value::Bool(value), Kind::Int4) => Ok(Value::Int4((*value).into())),
        (Value::Int4(number), Kind::Bool) => Ok(Value::Bool(*number != 0)),
        (Value::Int4(number), Kind::Char) => char_of(*number),
        (Value::Char(byte), Kind::Int4) => Ok(Value::Int4(byte.cast_signed().into())),
        (Value::Int2(_) | Value::Int4(_) | Value::Int8(_), _) if is_number(to.kind()) => {
            of_int(int::widened(value), value, to.kind())
        }
        (Value::Oid(oid), Kind::Int8) => Ok(Value::Int8((*oid).into())),
        (Value::Oid(oid), Kind::Int4) => Ok(Value::Int4(oid.cast_signed())),
        (Value::Float4(_) | Value::Float8(_), _) if is_number(to.kind()) => of_float(value, to.kind(), context),
        (Value::Numeric(bytes), _) if is_number(to.kind()) => of_numeric(&number(bytes)?, to.kind()),
        (Value::Jsonb(bytes), kind) if is_number(kind) || kind == Kind::Bool => jsonb::cast(bytes, to, context),
        (Value::Text(bytes), Kind::Text) if from.kind() == Kind::BpChar => {
            Ok(Value::Text(without_blanks(bytes).into()))
        }
        (Value::Text(_), Kind::Text | Kind::BpChar) if to.oid != JSON => Ok(value.clone()),
        (Value::Date(_) | Value::Time(_) | Value::Interval(_) | Value::Timestamp(_) | Value::TimestampTz(_), _)
            if is_moment(to.kind()) =>
        {
            moment(value, to.kind(), context)
        }
        (Value::Bit(_), Kind::Bit) => Ok(value.clone()),
        (Value::Bit(bytes), Kind::Int4 | Kind::Int8) => bits::to_integer(bytes, to.kind()),
        (Value::Bytea(bytes), Kind::Int2 | Kind::Int4 | Kind::Int8) => of_bytes(bytes, to.kind()),
        (Value::Int2(number), Kind::Bytea) => Ok(Value::Bytea(number.to_be_bytes().into())),
        (Value::Int4(number), Kind::Bytea) => Ok(Value::Bytea(number.to_be_bytes().into())),
        (Value::Int8(number), Kind::Bytea) => Ok(Value::Bytea(number.to_be_bytes().into())),
        _ => input::input(&text_of(value, from, to, context)?, SqlType { typmod: -1, ..to }, context),
    }
}

/// `bytea_int4` and its like, from 18: the bytes as a number, the most significant first.
fn of_bytes(bytes: &[u8], to: Kind) -> Result<Value> {
    let (width, name) = match to {
        Kind::Int2 => (2, "smallint"),
        Kind::Int4 => (4, "integer"),
        _ => (8, "bigint"),
    };
    if bytes.len() > width {
        return Err(int::out_of_range(name));
    }
    let bits = bytes.iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
    Ok(match to {
        Kind::Int2 => Value::Int2((bits as u16).cast_signed()),
        Kind::Int4 => Value::Int4((bits as u32).cast_signed()),
        _ => Value::Int8(bits.cast_signed()),
    })
}

const JSON: u32 = 114;

const fn is_number(kind: Kind) -> bool {
    use Kind::{Float4, Float8, Int2, Int4, Int8, Numeric, Oid};
    matches!(kind, Int2 | Int4 | Int8 | Oid | Float4 | Float8 | Numeric)
}

const fn is_moment(kind: Kind) -> bool {
    matches!(kind, Kind::Date | Kind::Time | Kind::Interval | Kind::Timestamp | Kind::TimestampTz)
}

/// The text that a cast through text takes: of boolean a word, of inet always with its netmask.
fn text_of(value: &Value, from: SqlType, to: SqlType, context: &Context) -> Result<String> {
    Ok(match value {
        Value::Bool(value) => value.to_string(),
        Value::Char(byte) if !context.version().has_octal_char() => char::from(*byte).to_string().replace('\0', ""),
        Value::Inet(bytes) => {
            let text = value.output(from.oid).unwrap_or_default();
            let bits = bytes.get(1).copied().unwrap_or(0);
            if text.contains('/') { text } else { format!("{text}/{bits}") }
        }
        Value::Text(bytes) if from.kind() == Kind::BpChar && to.kind() == Kind::Char => {
            String::from_utf8_lossy(without_blanks(bytes)).to_string()
        }
        _ => context.style.output(value, from.oid)?.unwrap_or_default(),
    })
}

/// `i4tochar`
fn char_of(number: i32) -> Result<Value> {
    let byte = i8::try_from(number).map_err(|_| SqlError::out_of_range("\"char\" out of range"))?;
    Ok(Value::Char(byte.cast_unsigned()))
}

/// The whole number in another type.
fn of_int(number: i64, value: &Value, to: Kind) -> Result<Value> {
    let range = |name: &'static str| move |_| int::out_of_range(name);
    Ok(match to {
        Kind::Int2 => Value::Int2(i16::try_from(number).map_err(range("smallint"))?),
        Kind::Int4 => Value::Int4(i32::try_from(number).map_err(range("integer"))?),
        // a negative int2 or int4 has the oid of the same bits
        Kind::Oid if !matches!(value, Value::Int8(_)) => Value::Oid((number as i32).cast_unsigned()),
        Kind::Oid => Value::Oid(u32::try_from(number).map_err(range("OID"))?),
        Kind::Float4 => Value::Float4(number as f32),
        Kind::Float8 => Value::Float8(number as f64),
        Kind::Numeric => Value::Numeric(Number::of_int(number).pack()?),
        _ => Value::Int8(number),
    })
}

/// To an integer the nearest, of two the even one; to numeric the digits that the type is sure of.
fn of_float(value: &Value, to: Kind, context: &Context) -> Result<Value> {
    let (float, digits) = (float::widened(value), if matches!(value, Value::Float4(_)) { 6 } else { 15 });
    let whole = || if float.is_finite() { i64::try_from(rint(float)).ok() } else { None };
    Ok(match to {
        Kind::Int2 => {
            Value::Int2(whole().and_then(|n| n.try_into().ok()).ok_or_else(|| int::out_of_range("smallint"))?)
        }
        Kind::Int4 => Value::Int4(whole().and_then(|n| n.try_into().ok()).ok_or_else(|| int::out_of_range("integer"))?),
        Kind::Int8 => Value::Int8(whole().ok_or_else(|| int::out_of_range("bigint"))?),
        Kind::Float8 => Value::Float8(float),
        Kind::Float4 => {
            let narrow = float as f32;
            if narrow.is_infinite() && !float.is_infinite() {
                return Err(float::overflow());
            } else if narrow == 0.0 && float != 0.0 {
                return Err(float::underflow());
            } else {
                Value::Float4(narrow)
            }
        }
        _ if float.is_infinite() && !context.version().has_infinite_numeric() => {
            return Err(SqlError::new("0A000", "cannot convert infinity to numeric"));
        }
        _ => Value::Numeric(Number::of_float(float, digits).unwrap_or(Number::NaN).pack()?),
    })
}

/// To an integer the nearest, half away from zero.
pub(in crate::datum) fn of_numeric(number: &Number, to: Kind) -> Result<Value> {
    let name = match to {
        Kind::Int2 => "smallint",
        Kind::Int4 => "integer",
        Kind::Int8 => "bigint",
        Kind::Float4 | Kind::Float8 => return float_of(number, to),
        _ => return Err(SqlError::new("42846", "cannot cast type numeric to oid")),
    };
    let whole = match number {
        Number::Finite(var) => var.to_i64(),
        Number::NaN => return Err(SqlError::new("0A000", format!("cannot convert NaN to {name}"))),
        Number::Infinity { .. } => return Err(SqlError::new("0A000", format!("cannot convert infinity to {name}"))),
    };
    let narrowed = match to {
        Kind::Int2 => whole.and_then(|n| n.try_into().ok()).map(Value::Int2),
        Kind::Int4 => whole.and_then(|n| n.try_into().ok()).map(Value::Int4),
        _ => whole.map(Value::Int8),
    };
    narrowed.ok_or_else(|| int::out_of_range(name))
}

/// `numeric_float8`: by its text.
fn float_of(number: &Number, to: Kind) -> Result<Value> {
    let text = number.text();
    let context = Context::of(0);
    input::input(&text, SqlType::plain(if to == Kind::Float4 { 700 } else { 701 }), &context)
}

/// A date or timestamp as a value of the other types that an index compares it with, where one of them is the same
/// moment: a date is, and a timestamp at midnight.
#[must_use]
pub fn same_moment(value: &Value, to: Kind) -> Option<Value> {
    let is_same = match (value, to) {
        (Value::Timestamp(at) | Value::TimestampTz(at), Kind::Date) => is_endless(*at) || at % USECS_PER_DAY == 0,
        _ => true,
    };
    let context = Context::of(0);
    if is_same { moment(value, to, &context).ok() } else { None }
}

/// What the clocks of the session's zone show at a moment.
fn local(at: i64, context: &Context) -> Result<i64> {
    if is_endless(at) { Ok(at) } else { context.style.zone.local_of(at) }
}

/// The moment at which they show it.
fn utc(at: i64, context: &Context) -> Result<i64> {
    if is_endless(at) { Ok(at) } else { context.style.zone.utc_of(at) }
}

/// Between date, time, timestamp and interval.
fn moment(value: &Value, to: Kind, context: &Context) -> Result<Value> {
    Ok(match (value, to) {
        (Value::Date(day), Kind::Timestamp) => Value::Timestamp(date::date_timestamp(*day)?),
        (Value::Date(day), Kind::TimestampTz) => Value::TimestampTz(utc(date::date_timestamp(*day)?, context)?),
        (Value::Timestamp(at), Kind::TimestampTz) => Value::TimestampTz(utc(*at, context)?),
        (Value::TimestampTz(at), _) if to != Kind::TimestampTz => {
            moment(&Value::Timestamp(local(*at, context)?), to, context)?
        }
        (Value::Timestamp(at), Kind::Timestamp) => Value::Timestamp(*at),
        (Value::Timestamp(at), Kind::Date) => Value::Date(match *at {
            i64::MAX => i32::MAX,
            i64::MIN => i32::MIN,
            at => at.div_euclid(USECS_PER_DAY) as i32,
        }),
        // infinity has no time of day
        (Value::Timestamp(at), Kind::Time) if is_endless(*at) => Value::Null,
        (Value::Timestamp(at), Kind::Time) => Value::Time(at.rem_euclid(USECS_PER_DAY)),
        (Value::Time(time), Kind::Interval) => Value::Interval(Interval { time: *time, ..Interval::default() }),
        (Value::Interval(span), Kind::Time) if super::interval::infinity(*span, context) != 0 => {
            return Err(SqlError::datetime_range("cannot convert infinite interval to time"));
        }
        (Value::Interval(span), Kind::Time) => Value::Time(span.time.rem_euclid(USECS_PER_DAY)),
        _ => return Err(SqlError::new("42846", "there is no cast between these types")),
    })
}
