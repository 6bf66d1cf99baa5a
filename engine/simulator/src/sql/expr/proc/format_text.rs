//! `format` (`text_format`, src/backend/utils/adt/varlena.c): `%s`, `%I`, `%L` and `%%`, with the number of an argument
//! and a width.

use super::text::quoted;
use crate::sql::expr::call::text;
use crate::sql::ruleutils::quote_identifier;
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::datum::Value;
use ffviz_format::datum::error::{Result, SqlError};

/// What stands between `%` and the letter.
#[derive(Default)]
struct Specifier {
    /// `n$`
    argument: Option<usize>,
    /// `-`
    is_left: bool,
    width: i32,
    /// `*`: the argument that says the width; 0: the next one
    width_argument: Option<usize>,
}

fn wrong(message: &'static str) -> SqlError {
    SqlError::new("22023", message)
}

/// The text that the first argument says of the others, which have been printed.
pub(super) fn format_text(args: &[Value]) -> Result<Value> {
    let Some(pattern) = args.first().filter(|arg| !arg.is_null()) else { return Ok(Value::Null) };
    let (mut out, mut next, mut rest) = (String::new(), 1, text(pattern)?);
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c != '%' {
            out.push(c);
            continue;
        }
        if let Some(behind) = rest.strip_prefix('%') {
            out.push('%');
            rest = behind;
            continue;
        }
        let mut specifier = Specifier::read(&mut rest)?;
        let kind = rest.chars().next().ok_or_else(|| wrong("unterminated format() type specifier"))?;
        if !matches!(kind, 's' | 'I' | 'L') {
            return Err(SqlError::new("22023", format!("unrecognized format() type specifier \"{kind}\"")));
        }
        rest = &rest[1..];
        let argument = |at: usize| args.get(at).ok_or_else(|| wrong("too few arguments for format()"));
        if let Some(at) = specifier.width_argument {
            next = if at > 0 { at } else { next };
            specifier.width = width_of(argument(next)?)?;
            next += 1;
        }
        next = specifier.argument.unwrap_or(next);
        let value = argument(next)?;
        next += 1;
        specifier.append(&mut out, &converted(kind, value)?)?;
    }
    Ok(Value::text(&out))
}

fn converted(kind: char, value: &Value) -> Result<String> {
    match (kind, value) {
        ('L', Value::Null) => Ok("NULL".to_string()),
        ('I', Value::Null) => Err(SqlError::new("22004", "null values cannot be formatted as an SQL identifier")),
        (_, Value::Null) => Ok(String::new()),
        ('I', value) => Ok(quote_identifier(text(value)?).to_string()),
        ('L', value) => Ok(quoted(text(value)?)),
        (_, value) => text(value).map(ToString::to_string),
    }
}

fn width_of(value: &Value) -> Result<i32> {
    if value.is_null() {
        return Ok(0);
    }
    let text = text(value)?;
    text.trim()
        .parse()
        .map_err(|_| SqlError::new("22P02", format!("invalid input syntax for type integer: \"{text}\"")))
}

impl Specifier {
    /// `text_format_parse_format`
    fn read(rest: &mut &str) -> Result<Self> {
        let mut specifier = Self::default();
        if let Some(number) = digits(rest)? {
            if !rest.starts_with('$') {
                specifier.width = number;
                return Ok(specifier);
            }
            *rest = &rest[1..];
            specifier.argument = Some(position(number)?);
        }
        while let Some(behind) = rest.strip_prefix('-') {
            specifier.is_left = true;
            *rest = behind;
        }
        if let Some(behind) = rest.strip_prefix('*') {
            *rest = behind;
            specifier.width_argument = Some(0);
            if let Some(number) = digits(rest)? {
                let behind = rest.strip_prefix('$');
                *rest = behind.ok_or_else(|| wrong("width argument position must be ended by \"$\""))?;
                specifier.width_argument = Some(position(number)?);
            }
        } else if let Some(number) = digits(rest)? {
            specifier.width = number;
        }
        Ok(specifier)
    }

    /// `text_format_append_string`
    fn append(&self, out: &mut String, part: &str) -> Result<()> {
        if self.width == i32::MIN {
            return Err(SqlError::new("22003", "number is out of range"));
        }
        let blanks = (self.width.unsigned_abs() as usize).saturating_sub(part.chars().count());
        let is_left = self.is_left || self.width < 0;
        if !is_left {
            out.extend(core::iter::repeat_n(' ', blanks));
        }
        out.push_str(part);
        if is_left {
            out.extend(core::iter::repeat_n(' ', blanks));
        }
        Ok(())
    }
}

/// An argument's number, from 1.
fn position(number: i32) -> Result<usize> {
    match usize::try_from(number) {
        Ok(0) | Err(_) => Err(wrong("format specifies argument 0, but arguments are numbered from 1")),
        Ok(number) => Ok(number),
    }
}

/// `text_format_parse_digits`
fn digits(rest: &mut &str) -> Result<Option<i32>> {
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, behind) = rest.split_at(length);
    if number.is_empty() {
        return Ok(None);
    }
    *rest = behind;
    number.parse().map(Some).map_err(|_| SqlError::new("22003", "number is out of range"))
}
