//! Functions of text and bytea (src/backend/utils/adt/varlena.c, oracle_compat.c, encode.c, quote.c).

use super::hash::{hashtext, sha256};
use super::like::like;
use super::regex::{self, Regex};
use crate::sql::expr::Typed;
use crate::sql::expr::builtin::{bytes, int, prefix, substr, text, too_large};
use crate::sql::expr::pg_catalog::{ANY, BOOL, BYTEA, FLOAT8, INT4, INT8, TEXT};
use crate::sql::expr::pg_proc::{Proc, f};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::{SqlType, Value};

pub(super) const PROCS: &[Proc] = &[
    // `(…::point)[n]`
    f("a part of a point", &[TEXT, INT4], FLOAT8),
    f("ascii", &[TEXT], INT4),
    f("bit_length", &[TEXT], INT4),
    f("btrim", &[TEXT], TEXT),
    f("btrim", &[TEXT, TEXT], TEXT),
    f("char_length", &[TEXT], INT4),
    f("character_length", &[TEXT], INT4),
    f("chr", &[INT4], TEXT),
    f("decode", &[TEXT, TEXT], BYTEA),
    f("encode", &[BYTEA, TEXT], TEXT),
    f("get_byte", &[BYTEA, INT4], INT4),
    f("hashtext", &[TEXT], INT4),
    f("initcap", &[TEXT], TEXT),
    f("like", &[TEXT, TEXT], BOOL),
    f("notlike", &[TEXT, TEXT], BOOL),
    f("texticlike", &[TEXT, TEXT], BOOL),
    f("texticnlike", &[TEXT, TEXT], BOOL),
    f("ltrim", &[TEXT], TEXT),
    f("ltrim", &[TEXT, TEXT], TEXT),
    f("octet_length", &[TEXT], INT4),
    f("octet_length", &[BYTEA], INT4),
    f("overlay", &[TEXT, TEXT, INT4], TEXT),
    f("overlay", &[TEXT, TEXT, INT4, INT4], TEXT),
    f("position", &[TEXT, TEXT], INT4),
    f("pg_typeof", &[ANY], TEXT),
    f("quote_ident", &[TEXT], TEXT),
    f("quote_literal", &[TEXT], TEXT),
    Proc { since: 15, ..f("regexp_like", &[TEXT, TEXT], BOOL) },
    Proc { since: 15, ..f("regexp_like", &[TEXT, TEXT, TEXT], BOOL) },
    f("regexp_replace", &[TEXT, TEXT, TEXT], TEXT),
    f("regexp_replace", &[TEXT, TEXT, TEXT, TEXT], TEXT),
    f("replace", &[TEXT, TEXT, TEXT], TEXT),
    f("reverse", &[TEXT], TEXT),
    f("right", &[TEXT, INT4], TEXT),
    f("rpad", &[TEXT, INT4], TEXT),
    f("rpad", &[TEXT, INT4, TEXT], TEXT),
    f("rtrim", &[TEXT], TEXT),
    f("rtrim", &[TEXT, TEXT], TEXT),
    f("sha256", &[BYTEA], BYTEA),
    f("similar_to_escape", &[TEXT], TEXT),
    f("split_part", &[TEXT, TEXT, INT4], TEXT),
    f("starts_with", &[TEXT, TEXT], BOOL),
    f("strpos", &[TEXT, TEXT], INT4),
    f("substring", &[TEXT, INT4], TEXT),
    f("substring", &[TEXT, INT4, INT4], TEXT),
    f("substring", &[BYTEA, INT4], BYTEA),
    f("substring", &[BYTEA, INT4, INT4], BYTEA),
    f("texticregexeq", &[TEXT, TEXT], BOOL),
    f("texticregexne", &[TEXT, TEXT], BOOL),
    f("textregexeq", &[TEXT, TEXT], BOOL),
    f("textregexne", &[TEXT, TEXT], BOOL),
    f("to_hex", &[INT4], TEXT),
    f("to_hex", &[INT8], TEXT),
    f("translate", &[TEXT, TEXT, TEXT], TEXT),
];

pub(super) fn call(name: &str, args: &[Value], exprs: &[Typed]) -> Option<Result<Value>> {
    if matches!(name, "concat" | "concat_ws" | "format" | "row") {
        return Some(of_any(name, args, exprs));
    }
    Some(match name {
        "pg_typeof" => Ok(Value::text(&type_of(exprs))),
        "decode" => decode(args),
        "encode" => encode(args),
        "get_byte" => get_byte(args),
        "sha256" => bytes(&args[0]).map(sha256),
        "octet_length" => bytes(&args[0]).map(|bytes| Value::Int4(bytes.len() as i32)),
        "bit_length" => bytes(&args[0]).map(|bytes| Value::Int4(bytes.len() as i32 * 8)),
        "chr" => chr(int(&args[0])),
        "substring" => substr(&args[0], int(&args[1]), args.get(2).map(int)),
        "to_hex" => Ok(Value::text(&match args[0] {
            Value::Int4(number) => format!("{number:x}"),
            ref other => format!("{:x}", other.integer().unwrap_or(0)),
        })),
        _ => return of_strings(name, args),
    })
}

/// `text_overlay`: `with` in place of as many characters, or so many.
fn overlay(string: &str, with: &str, from: i32, count: Option<i32>) -> Result<String> {
    if from <= 0 {
        return Err(SqlError::new("22011", "negative substring length not allowed"));
    }
    let count = i64::from(count.unwrap_or_else(|| with.chars().count() as i32));
    let behind = usize::try_from(i64::from(from) - 1 + count).unwrap_or(0);
    let before: String = string.chars().take(from as usize - 1).collect();
    Ok(before + with + &string.chars().skip(behind).collect::<String>())
}

/// Functions of any values, which are taken as their output functions print them.
fn of_any(name: &str, args: &[Value], exprs: &[Typed]) -> Result<Value> {
    let text =
        |(value, expr): (&Value, &Typed)| value.output(expr.ty.oid).map_or(Value::Null, |text| Value::text(&text));
    let texts: Vec<Value> = args.iter().zip(exprs).map(text).collect();
    Ok(match (name, &texts[..]) {
        ("row", all) => Value::text(&format!("({})", all.iter().map(field).collect::<Vec<_>>().join(","))),
        ("concat", all) => Value::Text(joined(all.iter(), b"").into()),
        ("format", all) => format_text(all)?,
        (_, [] | [Value::Null, ..]) => Value::Null,
        (_, [separator, rest @ ..]) => Value::Text(joined(rest.iter(), bytes(separator)?).into()),
    })
}

/// A field as `record_out` prints it.
fn field(value: &Value) -> String {
    if value.is_null() {
        return String::new();
    }
    let text = text(value).unwrap_or_default();
    let is_plain = |c: char| !matches!(c, '"' | '\\' | '(' | ')' | ',') && !c.is_ascii_whitespace();
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_string();
    }
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\"\""))
}

/// Functions whose first argument is text, as all text ones are.
fn of_strings(name: &str, args: &[Value]) -> Option<Result<Value>> {
    let is_of_strings = PROCS.iter().any(|proc| proc.name == name);
    if !is_of_strings {
        return None;
    }
    let string = match args.first().map(text) {
        Some(Ok(string)) => string,
        Some(Err(error)) => return Some(Err(error)),
        None => return None,
    };
    let second = match args.get(1).filter(|arg| matches!(arg, Value::Text(_) | Value::Stored(_))).map(text) {
        Some(Err(error)) => return Some(Err(error)),
        Some(Ok(text)) => Some(text),
        None => None,
    };
    Some(computed(name, string, second.unwrap_or(" "), args))
}

/// `point_in`, and the coordinate of that number.
fn part_of_point(string: &str, n: i32) -> Result<Value> {
    let invalid = || SqlError::new("22P02", format!("invalid input syntax for type point: \"{string}\""));
    let inner = string.trim();
    let inner = inner.strip_prefix('(').map_or(Some(inner), |inner| inner.strip_suffix(')')).ok_or_else(invalid)?;
    let (x, y) = inner.split_once(',').ok_or_else(invalid)?;
    let number = |part: &str| part.trim().parse::<f64>().map_err(|_| invalid());
    let (x, y) = (number(x)?, number(y)?);
    Ok(match n {
        0 => Value::Float8(x),
        1 => Value::Float8(y),
        _ => Value::Null,
    })
}

/// Does the regular expression match somewhere?
fn matches(string: &str, pattern: &str, flags: &str) -> Result<bool> {
    let chars: Vec<char> = string.chars().collect();
    Ok(Regex::new(pattern, flags)?.find(&chars, 0).is_some())
}

fn computed(name: &str, string: &str, second: &str, args: &[Value]) -> Result<Value> {
    let is_one_of = |c: char| second.contains(c);
    let count = |count: usize| Value::Int4(count as i32);
    Ok(match name {
        "ascii" => Value::Int4(string.chars().next().map_or(0, |c| c as i32)),
        "char_length" | "character_length" => count(string.chars().count()),
        "btrim" => Value::text(string.trim_matches(is_one_of)),
        "ltrim" => Value::text(string.trim_start_matches(is_one_of)),
        "rtrim" => Value::text(string.trim_end_matches(is_one_of)),
        "a part of a point" => part_of_point(string, int(&args[1]))?,
        "hashtext" => hashtext(string.as_bytes()),
        "initcap" => Value::text(&initcap(string)),
        "like" => Value::Bool(like(string, second)?),
        "notlike" => Value::Bool(!like(string, second)?),
        "texticlike" => Value::Bool(like(&string.to_ascii_lowercase(), &second.to_ascii_lowercase())?),
        "texticnlike" => Value::Bool(!like(&string.to_ascii_lowercase(), &second.to_ascii_lowercase())?),
        "textregexeq" | "regexp_like" => Value::Bool(matches(string, second, args.get(2).map_or(Ok(""), text)?)?),
        "textregexne" => Value::Bool(!matches(string, second, "")?),
        "texticregexeq" => Value::Bool(matches(string, second, "i")?),
        "texticregexne" => Value::Bool(!matches(string, second, "i")?),
        "regexp_replace" => {
            let flags = args.get(3).map_or(Ok(""), text)?;
            Value::text(&regex::replace(string, second, text(&args[2])?, flags)?)
        }
        "similar_to_escape" => Value::text(&regex::of_similar(string)?),
        "overlay" => Value::text(&overlay(string, second, int(&args[2]), args.get(3).map(int))?),
        "position" | "strpos" => count(string.find(second).map_or(0, |at| string[..at].chars().count() + 1)),
        "starts_with" => Value::Bool(string.starts_with(second)),
        "quote_ident" => Value::text(&crate::cluster::ddl::quote_identifier(string)),
        "quote_literal" => Value::text(&quoted(string)),
        "replace" if second.is_empty() => Value::text(string),
        "replace" => Value::text(&string.replace(second, text(&args[2])?)),
        "reverse" => Value::text(&string.chars().rev().collect::<String>()),
        "right" => Value::text(right(string, int(&args[1]))),
        "rpad" => rpad(string, int(&args[1]), args.get(2).map_or(Ok(" "), text)?)?,
        "split_part" => Value::text(split_part(string, second, int(&args[2]))?),
        "translate" => Value::text(&translate(string, second, text(&args[2])?)),
        _ => return Err(SqlError::new("XX000", "no such function of text")),
    })
}

fn type_of(exprs: &[Typed]) -> String {
    exprs.first().map_or_else(String::new, |expr| match expr.ty.oid {
        1042 => "character".to_string(),
        oid => SqlType::plain(oid).name(),
    })
}

fn joined<'a>(values: impl Iterator<Item = &'a Value>, separator: &[u8]) -> Vec<u8> {
    let parts: Vec<&[u8]> = values.filter_map(Value::plain_bytes).collect();
    parts.join(separator)
}

fn chr(code: i32) -> Result<Value> {
    match u32::try_from(code).ok().filter(|code| *code > 0).and_then(char::from_u32) {
        Some(c) => Ok(Value::text(c.encode_utf8(&mut [0; 4]))),
        None if code == 0 => Err(SqlError::new("54000", "null character not permitted")),
        None if code < 0 => Err(SqlError::new("54000", "character number must be positive")),
        None => Err(SqlError::new("54000", format!("requested character too large for encoding: {code}"))),
    }
}

/// With C collation only ASCII letters and digits make a word.
fn initcap(string: &str) -> String {
    let mut is_in_word = false;
    let mut word = |c: char| {
        let changed = if is_in_word { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
        is_in_word = c.is_ascii_alphanumeric();
        changed
    };
    string.chars().map(&mut word).collect()
}

/// The last `count` characters; below 0 all but the first ones.
fn right(string: &str, count: i32) -> &str {
    let length = string.chars().count();
    let skip = if count < 0 { count.unsigned_abs() as usize } else { length.saturating_sub(count as usize) };
    string.char_indices().nth(skip).map_or("", |(at, _)| &string[at..])
}

fn rpad(string: &str, count: i32, fill: &str) -> Result<Value> {
    const MOST: usize = 0x0FFF_FFFF;
    let count = count.max(0) as usize;
    if count > MOST {
        return Err(too_large());
    }
    let has = string.chars().count();
    if has >= count || fill.is_empty() {
        return Ok(Value::text(prefix(string, count)));
    }
    let filled: String = string.chars().chain(fill.chars().cycle().take(count - has)).collect();
    Ok(Value::text(&filled))
}

/// The parts are counted from 1; below 0 from the end.
fn split_part<'a>(string: &'a str, separator: &str, number: i32) -> Result<&'a str> {
    let parts: Vec<&str> = if separator.is_empty() { Vec::from([string]) } else { string.split(separator).collect() };
    let index = match number {
        0 => return Err(SqlError::new("22023", "field position must not be zero")),
        1.. => number as usize - 1,
        _ => match parts.len().checked_sub(number.unsigned_abs() as usize) {
            Some(index) => index,
            None => return Ok(""),
        },
    };
    Ok(parts.get(index).copied().unwrap_or(""))
}

fn translate(string: &str, from: &str, to: &str) -> String {
    let to: Vec<char> = to.chars().collect();
    let changed = |c: char| match from.chars().position(|known| known == c) {
        Some(index) => to.get(index).copied(),
        None => Some(c),
    };
    string.chars().filter_map(changed).collect()
}

fn quoted(string: &str) -> String {
    let quoted = string.replace('\'', "''");
    if quoted.contains('\\') { format!("E'{}'", quoted.replace('\\', "\\\\")) } else { format!("'{quoted}'") }
}

/// `format`: %s, %I, %L and %%.
fn format_text(args: &[Value]) -> Result<Value> {
    let Some(pattern) = args.first().filter(|arg| !arg.is_null()) else { return Ok(Value::Null) };
    let (mut out, mut next) = (String::new(), 1);
    let mut chars = text(pattern)?.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let kind = chars.next();
        if kind == Some('%') {
            out.push('%');
            continue;
        }
        let too_few = || SqlError::new("22023", "too few arguments for format()");
        let wrong = |c: char| SqlError::new("22023", format!("unrecognized format() type specifier \"{c}\""));
        match kind {
            Some('s' | 'I' | 'L') => {}
            None => return Err(SqlError::new("22023", "unterminated format() type specifier")),
            Some(other) => return Err(wrong(other)),
        }
        let value = args.get(next).ok_or_else(too_few)?;
        next += 1;
        match (kind, value) {
            (Some('s'), Value::Null) => {}
            (Some('L'), Value::Null) => out.push_str("NULL"),
            (_, Value::Null) => {
                return Err(SqlError::new("22004", "null values cannot be formatted as an SQL identifier"));
            }
            (Some('I'), value) => out.push_str(&crate::cluster::ddl::quote_identifier(text(value)?)),
            (Some('L'), value) => out.push_str(&quoted(text(value)?)),
            (_, value) => out.push_str(text(value)?),
        }
    }
    Ok(Value::text(&out))
}

fn get_byte(args: &[Value]) -> Result<Value> {
    let (bytes, at) = (bytes(&args[0])?, int(&args[1]));
    match usize::try_from(at).ok().and_then(|at| bytes.get(at)) {
        Some(byte) => Ok(Value::Int4(i32::from(*byte))),
        None => {
            let message = format!("index {at} out of valid range, 0..{}", bytes.len() as i64 - 1);
            Err(SqlError::new("2202E", message))
        }
    }
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn unknown_encoding(name: &str) -> SqlError {
    SqlError::new("22023", format!("unrecognized encoding: \"{name}\""))
}

fn encode(args: &[Value]) -> Result<Value> {
    let (bytes, name) = (bytes(&args[0])?, text(&args[1])?);
    Ok(Value::text(&match name.to_ascii_lowercase().as_str() {
        "hex" => bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
        "base64" => base64(bytes),
        "escape" => bytes.iter().map(|byte| escaped(*byte)).collect(),
        _ => return Err(unknown_encoding(name)),
    }))
}

fn escaped(byte: u8) -> String {
    match byte {
        0 | 0x80.. => format!("\\{byte:03o}"),
        b'\\' => "\\\\".to_string(),
        _ => char::from(byte).to_string(),
    }
}

/// With a new line behind 76 characters.
fn base64(bytes: &[u8]) -> String {
    const LINE: usize = 76;
    let (mut out, mut line) = (String::new(), 0);
    for chunk in bytes.chunks(3) {
        let at = |n: usize| u32::from(chunk.get(n).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for n in 0..4 {
            let digit = BASE64[(bits >> (18 - 6 * n) & 63) as usize];
            out.push(if n <= chunk.len() { char::from(digit) } else { '=' });
        }
        line += 4;
        if line == LINE && chunk.len() == 3 {
            out.push('\n');
            line = 0;
        }
    }
    out
}

fn decode(args: &[Value]) -> Result<Value> {
    let (string, name) = (text(&args[0])?, text(&args[1])?);
    let invalid = || SqlError::new("22023", format!("invalid {} data", name.to_ascii_lowercase()));
    let decoded: Option<Vec<u8>> = match name.to_ascii_lowercase().as_str() {
        "hex" => {
            let digits: Option<Vec<u8>> =
                string.chars().filter(|c| !c.is_ascii_whitespace()).map(|c| c.to_digit(16).map(|d| d as u8)).collect();
            digits
                .filter(|digits| digits.len() % 2 == 0)
                .map(|digits| digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
        }
        "base64" => unbase64(string),
        "escape" => Some(string.as_bytes().to_vec()),
        _ => return Err(unknown_encoding(name)),
    };
    decoded.map(|bytes| Value::Bytea(bytes.into())).ok_or_else(invalid)
}

fn unbase64(string: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = string
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=')
        .map(|byte| BASE64.iter().position(|known| *known == byte).map(|at| at as u32))
        .collect();
    let mut out = Vec::new();
    for chunk in digits?.chunks(4) {
        let bits = chunk.iter().enumerate().fold(0, |bits, (n, digit)| bits | digit << (18 - 6 * n));
        out.extend_from_slice(&bits.to_be_bytes()[1..chunk.len().max(1)]);
    }
    Some(out)
}
