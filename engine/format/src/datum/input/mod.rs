//! Text to values: the input functions of the types (`int4in`, `boolin`, `byteain`, … in src/backend/utils/adt), with
//! the messages that PostgreSQL has for text that is no such value.
//!
//! ```text
//! '2024-02-29' ──input(date)──▶ Value::Date(8825) ──output──▶ 2024-02-29
//! ```

mod array;
mod clock;
mod date;
mod fields;
mod interval;
mod number;

pub(super) use date::rounded;
pub use interval::fields_in as interval_fields;
pub(super) use interval::{adjusted as adjusted_interval, fields_out as interval_fields_out, rint};

use super::enums::is_enum;
use super::error::{Result, SqlError};
use super::money::{self, MONEY};
use super::sql_type::{Kind, SqlType, VARHDRSZ};
use super::style::Style;
use super::{Value, bits, inet, jsonb, numeric, range};
use crate::page::{Lsn, PgVersion};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What the meaning of text depends on besides its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    /// major version of the server
    pub major: u32,
    /// when the transaction began: what `now` and `today` mean, in microseconds since 2000-01-01 UTC
    pub now: i64,
    /// how dates and times are read and printed
    pub style: Style,
}

impl Context {
    /// Of that version, with no time and the settings that servers begin with.
    #[must_use]
    pub const fn of(major: u32) -> Self {
        Self { major, now: 0, style: Style::DEFAULT }
    }

    /// The server's version, for what it does otherwise than others.
    #[must_use]
    pub const fn version(&self) -> PgVersion {
        PgVersion::of_major(self.major)
    }
}

/// The value of that type that the text is; with a length of the type it must fit.
///
/// # Errors
/// As the type's input function raises them.
pub fn input(text: &str, ty: SqlType, context: &Context) -> Result<Value> {
    let major = context.major;
    Ok(match ty.kind() {
        Kind::Bool => Value::Bool(boolean(text)?),
        Kind::Char => Value::Char(char_in(text, major)),
        Kind::Int2 => number::integer(text, "smallint", major).map(Value::Int2)?,
        Kind::Int4 => number::integer(text, "integer", major).map(Value::Int4)?,
        Kind::Int8 if ty.oid == LSN => {
            let lsn: Lsn = text.parse().map_err(|_| SqlError::syntax("pg_lsn", text))?;
            Value::Int8(lsn.0.cast_signed())
        }
        Kind::Int8 if ty.oid == MONEY => Value::Int8(money::cash_in(text)?),
        Kind::Int8 => number::integer(text, "bigint", major).map(Value::Int8)?,
        Kind::Oid if is_enum(ty.oid) => return Err(enums_need_a_catalog(ty)),
        Kind::Oid => Value::Oid(number::oid(text, ty.oid)?),
        Kind::Tid => Value::Tid(number::tid(text)?),
        Kind::Float4 => Value::Float4(number::float4(text)?),
        Kind::Float8 => Value::Float8(number::float8(text)?),
        Kind::Numeric => Value::Numeric(numeric::numeric_in(text, ty.typmod, major)?),
        Kind::Text if ty.oid == JSON => {
            jsonb::check(text)?;
            Value::text(text)
        }
        Kind::Text | Kind::BpChar => fitted(text, ty, false)?,
        Kind::Bytea => Value::Bytea(bytea(text)?.into()),
        Kind::Uuid => Value::Uuid(uuid(text)?),
        Kind::Date => Value::Date(date::date_in(text, context)?),
        Kind::Time => Value::Time(date::time_in(text, ty.typmod, context)?),
        Kind::Interval => Value::Interval(interval::interval_in(text, ty.typmod, major)?),
        Kind::Timestamp => Value::Timestamp(date::timestamp_in(text, ty, context)?),
        Kind::TimestampTz => Value::TimestampTz(date::timestamp_in(text, ty, context)?),
        Kind::Jsonb => Value::Jsonb(jsonb::jsonb_in(text)?),
        Kind::Inet => Value::Inet(inet::inet_in(text)?),
        Kind::Array => Value::Array(array::array_in(text, ty, context)?),
        Kind::Range => range::range_in(text, ty.oid, |text, ty| input(text, ty, context))?,
        Kind::Bit => bits::bit_in(text, ty)?,
        Kind::Record => return Err(rows_need_a_catalog(ty)),
        Kind::Other => {
            return Err(SqlError::not_simulated(format!("text as a value of type {} is not supported", ty.name())));
        }
    })
}

/// Which label a text is, whoever has a catalog finds out before.
#[cold]
fn enums_need_a_catalog(ty: SqlType) -> SqlError {
    SqlError::not_simulated(format!("text as a value of enum {} is not supported here", ty.name()))
}

/// Which columns a row has, likewise.
#[cold]
fn rows_need_a_catalog(ty: SqlType) -> SqlError {
    SqlError::new("ZZ000", format!("text as a value of type {} is not supported here", ty.name()))
}

const JSON: u32 = 114;
const LSN: u32 = 3220;

/// `isspace` of the C locale.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

/// What separates the fields of dates and intervals (`ParseDateTime`): white space, and punctuation without a meaning.
fn is_delimiter(c: char) -> bool {
    is_space(c) || c.is_ascii_punctuation() && !"+-./:".contains(c)
}

/// Text of varchar(n) or char(n) (`varchar_input`, `bpchar_input`): blanks beyond the length are cut off, anything else
/// only by an explicit cast; char(n) is filled with blanks.
pub(super) fn fitted(text: &str, ty: SqlType, is_explicit: bool) -> Result<Value> {
    let Ok(max) = usize::try_from(ty.typmod - VARHDRSZ) else { return Ok(Value::text(text)) };
    let end = text.char_indices().nth(max).map_or(text.len(), |(at, _)| at);
    if !is_explicit && text[end..].contains(|c| c != ' ') {
        return Err(SqlError::new("22001", format!("value too long for type {}", ty.name())));
    }
    let text = &text[..end];
    let blanks = if ty.kind() == Kind::BpChar { max - text.chars().count() } else { 0 };
    Ok(Value::text(&format!("{text}{:blanks$}", "")))
}

/// `boolin`: the words may be shortened.
fn boolean(text: &str) -> Result<bool> {
    let word = text.trim_matches(is_space).to_ascii_lowercase();
    let begins = |full: &str, least: usize| word.len() >= least && full.starts_with(&word);
    if begins("true", 1) || begins("yes", 1) || word == "on" || word == "1" {
        Ok(true)
    } else if begins("false", 1) || begins("no", 1) || begins("off", 2) || word == "0" {
        Ok(false)
    } else {
        Err(SqlError::syntax("boolean", text))
    }
}

/// `charin`: the first byte; since 15 also `\` and three octal digits.
pub(super) fn char_in(text: &str, major: u32) -> u8 {
    match text.as_bytes() {
        [b'\\', high @ b'0'..=b'3', middle @ b'0'..=b'7', low @ b'0'..=b'7']
            if PgVersion::of_major(major).has_octal_char() =>
        {
            (high - b'0') << 6 | (middle - b'0') << 3 | (low - b'0')
        }
        bytes => bytes.first().copied().unwrap_or(0),
    }
}

/// `byteain`: `\x` and hexadecimal digits, or text with escapes.
fn bytea(text: &str) -> Result<Vec<u8>> {
    match text.strip_prefix("\\x") {
        Some(digits) => hex_decode(digits),
        None => escaped(text.as_bytes()).ok_or_else(|| SqlError::new("22P02", "invalid input syntax for type bytea")),
    }
}

fn hex_decode(text: &str) -> Result<Vec<u8>> {
    let value = |c: char| c.to_digit(16).ok_or_else(|| invalid_hex(c));
    let mut bytes = Vec::with_capacity(text.len() / 2);
    let mut chars = text.chars();
    // white space may stand between the bytes
    while let Some(high) = chars.find(|c| !matches!(c, ' ' | '\n' | '\t' | '\r')) {
        let high = value(high)?;
        let low =
            chars.next().ok_or_else(|| SqlError::new("22023", "invalid hexadecimal data: odd number of digits"))?;
        bytes.push((high << 4 | value(low)?) as u8);
    }
    Ok(bytes)
}

fn invalid_hex(c: char) -> SqlError {
    SqlError::new("22023", format!("invalid hexadecimal digit: \"{c}\""))
}

/// `\\` is a backslash, `\` and three octal digits are a byte.
fn escaped(mut text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    loop {
        text = match text {
            [] => return Some(bytes),
            [b'\\', b'\\', rest @ ..] => {
                bytes.push(b'\\');
                rest
            }
            [b'\\', high @ b'0'..=b'3', middle @ b'0'..=b'7', low @ b'0'..=b'7', rest @ ..] => {
                bytes.push((high - b'0') << 6 | (middle - b'0') << 3 | (low - b'0'));
                rest
            }
            [b'\\', ..] => return None,
            [byte, rest @ ..] => {
                bytes.push(*byte);
                rest
            }
        };
    }
}

/// `string_to_uuid`: hyphens may stand after each four digits, braces around all.
fn uuid(text: &str) -> Result<[u8; 16]> {
    let error = || SqlError::syntax("uuid", text);
    let inner = match text.strip_prefix('{') {
        Some(rest) => rest.strip_suffix('}').ok_or_else(error)?,
        None => text,
    };
    let mut digits = String::with_capacity(32);
    for c in inner.chars() {
        match c {
            '-' if digits.len().is_multiple_of(4) && !digits.is_empty() && digits.len() < 32 => {}
            c if c.is_ascii_hexdigit() => digits.push(c),
            _ => return Err(error()),
        }
    }
    if digits.len() != 32 || inner.contains("--") {
        return Err(error());
    }
    u128::from_str_radix(&digits, 16).map(u128::to_be_bytes).map_err(|_| error())
}
