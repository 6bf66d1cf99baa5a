//! Functions of text and bytea (src/backend/utils/adt/varlena.c, oracle_compat.c, encode.c, quote.c).

use super::hash::hashtext;
use super::like::like;
use super::regex::{self, Regex};
use crate::sql::expr::Typed;
use crate::sql::expr::call::{Call, bytes, int, text};
use crate::sql::expr::function::type_name;
use crate::sql::expr::pg_catalog::{ANY, BOOL, BPCHAR, BYTEA, FLOAT8, INT4, INT8, TEXT};
use crate::sql::expr::pg_proc::{Proc, f};
use crate::sql::ruleutils::quote_identifier;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::{Value, md5};
use ffviz_format::wal::crc32c;

pub(super) const PROCS: &[Proc] = &[
    // `(…::point)[n]`
    f("a part of a point", &[TEXT, INT4], FLOAT8, |call| part_of_point(call.text(0)?, call.int(1))),
    f("ascii", &[TEXT], INT4, |call| Ok(Value::Int4(call.text(0)?.chars().next().map_or(0, |c| c as i32)))),
    f("bit_length", &[TEXT], INT4, |call| Ok(Value::Int4(call.bytes(0)?.len() as i32 * 8))),
    f("btrim", &[TEXT], TEXT, |call| of_text(call.text(0)?.trim_matches(' '))),
    f("btrim", &[TEXT, TEXT], TEXT, |call| of_text(call.text(0)?.trim_matches(one_of(call.text(1)?)))),
    f("char_length", &[TEXT], INT4, char_length),
    f("character_length", &[TEXT], INT4, char_length),
    f("chr", &[INT4], TEXT, |call| chr(call.int(0))),
    f("decode", &[TEXT, TEXT], BYTEA, |call| decode(call.args)),
    f("encode", &[BYTEA, TEXT], TEXT, |call| encode(call.args)),
    f("get_byte", &[BYTEA, INT4], INT4, |call| get_byte(call.args)),
    f("hashtext", &[TEXT], INT4, |call| Ok(hashtext(call.text(0)?.as_bytes()))),
    f("initcap", &[TEXT], TEXT, |call| of_text(&initcap(call.text(0)?))),
    f("left", &[TEXT, INT4], TEXT, |call| of_text(left(call.text(0)?, call.int(1)))),
    f("length", &[TEXT], INT4, length),
    f("length", &[BPCHAR], INT4, length),
    f("length", &[BYTEA], INT4, length),
    f("like", &[TEXT, TEXT], BOOL, |call| Ok(Value::Bool(like(call.text(0)?, call.text(1)?)?))),
    // with C collation only ASCII letters change
    f("like_escape", &[TEXT, TEXT], TEXT, |call| of_text(&like_escape(call.text(0)?, call.text(1)?)?)),
    f("lower", &[TEXT], TEXT, |call| of_text(&call.text(0)?.to_ascii_lowercase())),
    f("lpad", &[TEXT, INT4], TEXT, |call| lpad(call.text(0)?, call.int(1), " ")),
    f("lpad", &[TEXT, INT4, TEXT], TEXT, |call| lpad(call.text(0)?, call.int(1), call.text(2)?)),
    f("ltrim", &[TEXT], TEXT, |call| of_text(call.text(0)?.trim_start_matches(' '))),
    f("ltrim", &[TEXT, TEXT], TEXT, |call| of_text(call.text(0)?.trim_start_matches(one_of(call.text(1)?)))),
    f("crc32", &[BYTEA], INT8, |call| Ok(Value::Int8(crc32(call.bytes(0)?).into()))).since(18),
    f("crc32c", &[BYTEA], INT8, |call| Ok(Value::Int8(crc32c(&[call.bytes(0)?]).into()))).since(18),
    f("md5", &[TEXT], TEXT, |call| of_text(&md5::md5_hex(call.bytes(0)?))),
    f("md5", &[BYTEA], TEXT, |call| of_text(&md5::md5_hex(call.bytes(0)?))),
    f("notlike", &[TEXT, TEXT], BOOL, |call| Ok(Value::Bool(!like(call.text(0)?, call.text(1)?)?))),
    f("octet_length", &[TEXT], INT4, |call| Ok(Value::Int4(call.bytes(0)?.len() as i32))),
    f("octet_length", &[BPCHAR], INT4, |call| Ok(Value::Int4(call.bytes(0)?.len() as i32))),
    f("octet_length", &[BYTEA], INT4, |call| Ok(Value::Int4(call.bytes(0)?.len() as i32))),
    f("overlay", &[TEXT, TEXT, INT4], TEXT, |call| overlay(call.text(0)?, call.text(1)?, call.int(2), None)),
    f("overlay", &[TEXT, TEXT, INT4, INT4], TEXT, |call| {
        overlay(call.text(0)?, call.text(1)?, call.int(2), Some(call.int(3)))
    }),
    f("pg_typeof", &[ANY], TEXT, |call| of_text(&type_of(call.exprs))).of_null(),
    f("position", &[TEXT, TEXT], INT4, |call| position(call.text(0)?, call.text(1)?)),
    f("quote_ident", &[TEXT], TEXT, |call| of_text(&quote_identifier(call.text(0)?))),
    f("quote_literal", &[TEXT], TEXT, |call| of_text(&quoted(call.text(0)?))),
    f("regexp_like", &[TEXT, TEXT], BOOL, |call| is_match(call, "")).since(15),
    f("regexp_like", &[TEXT, TEXT, TEXT], BOOL, |call| is_match(call, call.text(2)?)).since(15),
    f("repeat", &[TEXT, INT4], TEXT, |call| repeat(call.text(0)?, call.int(1))),
    f("replace", &[TEXT, TEXT, TEXT], TEXT, |call| replace(call.text(0)?, call.text(1)?, call.text(2)?)),
    f("reverse", &[BYTEA], BYTEA, |call| {
        let mut bytes = call.bytes(0)?.to_vec();
        bytes.reverse();
        Ok(Value::Bytea(bytes.into()))
    })
    .since(18),
    f("reverse", &[TEXT], TEXT, |call| of_text(&call.text(0)?.chars().rev().collect::<String>())),
    f("right", &[TEXT, INT4], TEXT, |call| of_text(right(call.text(0)?, call.int(1)))),
    f("rpad", &[TEXT, INT4], TEXT, |call| rpad(call.text(0)?, call.int(1), " ")),
    f("rpad", &[TEXT, INT4, TEXT], TEXT, |call| rpad(call.text(0)?, call.int(1), call.text(2)?)),
    f("rtrim", &[TEXT], TEXT, |call| of_text(call.text(0)?.trim_end_matches(' '))),
    f("rtrim", &[TEXT, TEXT], TEXT, |call| of_text(call.text(0)?.trim_end_matches(one_of(call.text(1)?)))),
    f("similar_to_escape", &[TEXT], TEXT, |call| of_text(&regex::of_similar(call.text(0)?)?)),
    f("split_part", &[TEXT, TEXT, INT4], TEXT, |call| of_text(split_part(call.text(0)?, call.text(1)?, call.int(2))?)),
    f("starts_with", &[TEXT, TEXT], BOOL, |call| Ok(Value::Bool(call.text(0)?.starts_with(call.text(1)?)))),
    f("strpos", &[TEXT, TEXT], INT4, |call| position(call.text(0)?, call.text(1)?)),
    f("substr", &[TEXT, INT4], TEXT, |call| substr(&call.args[0], call.int(1), None)),
    f("substr", &[TEXT, INT4, INT4], TEXT, |call| substr(&call.args[0], call.int(1), Some(call.int(2)))),
    f("substr", &[BYTEA, INT4], BYTEA, |call| substr(&call.args[0], call.int(1), None)),
    f("substr", &[BYTEA, INT4, INT4], BYTEA, |call| substr(&call.args[0], call.int(1), Some(call.int(2)))),
    f("substring", &[TEXT, INT4], TEXT, |call| substr(&call.args[0], call.int(1), None)),
    f("substring", &[TEXT, INT4, INT4], TEXT, |call| substr(&call.args[0], call.int(1), Some(call.int(2)))),
    f("substring", &[BYTEA, INT4], BYTEA, |call| substr(&call.args[0], call.int(1), None)),
    f("substring", &[BYTEA, INT4, INT4], BYTEA, |call| substr(&call.args[0], call.int(1), Some(call.int(2)))),
    f("texticlike", &[TEXT, TEXT], BOOL, |call| Ok(Value::Bool(is_like_in_any_case(call)?))),
    f("texticnlike", &[TEXT, TEXT], BOOL, |call| Ok(Value::Bool(!is_like_in_any_case(call)?))),
    f("texticregexeq", &[TEXT, TEXT], BOOL, |call| is_match(call, "i")),
    f("texticregexne", &[TEXT, TEXT], BOOL, |call| is_no_match(call, "i")),
    f("textregexeq", &[TEXT, TEXT], BOOL, |call| is_match(call, "")),
    f("textregexne", &[TEXT, TEXT], BOOL, |call| is_no_match(call, "")),
    f("to_hex", &[INT4], TEXT, |call| of_text(&format!("{:x}", call.int(0)))),
    f("to_hex", &[INT8], TEXT, |call| of_text(&format!("{:x}", call.integer(0)))),
    f("translate", &[TEXT, TEXT, TEXT], TEXT, |call| of_text(&translate(call.text(0)?, call.text(1)?, call.text(2)?))),
    f("upper", &[TEXT], TEXT, |call| of_text(&call.text(0)?.to_ascii_uppercase())),
];

fn of_text(text: &str) -> Result<Value> {
    Ok(Value::text(text))
}

fn one_of(chars: &str) -> impl Fn(char) -> bool {
    move |c| chars.contains(c)
}

fn char_length(call: &mut Call<'_, '_>) -> Result<Value> {
    Ok(Value::Int4(call.text(0)?.chars().count() as i32))
}

/// Characters of text, without blanks at the end of char(n); bytes of bytea.
fn length(call: &mut Call<'_, '_>) -> Result<Value> {
    let count = match &call.args[0] {
        Value::Bytea(bytes) => bytes.len(),
        _ if call.type_of(0) == BPCHAR => call.text(0)?.trim_end_matches(' ').chars().count(),
        _ => call.text(0)?.chars().count(),
    };
    Ok(Value::Int4(count as i32))
}

fn position(string: &str, part: &str) -> Result<Value> {
    Ok(Value::Int4(string.find(part).map_or(0, |at| string[..at].chars().count() + 1) as i32))
}

fn replace(string: &str, from: &str, to: &str) -> Result<Value> {
    if from.is_empty() { of_text(string) } else { of_text(&string.replace(from, to)) }
}

fn is_like_in_any_case(call: &Call<'_, '_>) -> Result<bool> {
    like(&call.text(0)?.to_ascii_lowercase(), &call.text(1)?.to_ascii_lowercase())
}

/// LIKE, `~` and their like, by the function's name.
pub(in crate::sql::expr) fn of_texts(name: &str, text: &str, pattern: &str) -> Option<bool> {
    let is_match = match name {
        "like" | "notlike" => like(text, pattern),
        "texticlike" | "texticnlike" => like(&text.to_ascii_lowercase(), &pattern.to_ascii_lowercase()),
        "textregexeq" | "textregexne" => matches(text, pattern, ""),
        "texticregexeq" | "texticregexne" => matches(text, pattern, "i"),
        _ => return None,
    };
    let is_negated = matches!(name, "notlike" | "texticnlike" | "textregexne" | "texticregexne");
    is_match.ok().map(|is_match| is_match != is_negated)
}

fn is_match(call: &Call<'_, '_>, flags: &str) -> Result<Value> {
    Ok(Value::Bool(matches(call.text(0)?, call.text(1)?, flags)?))
}

fn is_no_match(call: &Call<'_, '_>, flags: &str) -> Result<Value> {
    Ok(Value::Bool(!matches(call.text(0)?, call.text(1)?, flags)?))
}

/// `text_overlay`: `with` in place of as many characters, or so many.
fn overlay(string: &str, with: &str, from: i32, count: Option<i32>) -> Result<Value> {
    if from <= 0 {
        return Err(SqlError::new("22011", "negative substring length not allowed"));
    }
    let count = i64::from(count.unwrap_or_else(|| with.chars().count() as i32));
    let behind = usize::try_from(i64::from(from) - 1 + count).unwrap_or(0);
    let before: String = string.chars().take(from as usize - 1).collect();
    of_text(&(before + with + &string.chars().skip(behind).collect::<String>()))
}

/// Values as their output functions print them.
pub(super) fn as_texts(call: &mut Call<'_, '_>) -> Result<Vec<Value>> {
    let count = call.args.len();
    (0..count).map(|n| Ok(call.output(n)?.map_or(Value::Null, |shown| Value::text(&shown)))).collect()
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

fn type_of(exprs: &[Typed]) -> String {
    exprs.first().map_or_else(String::new, |expr| type_name(expr.ty.oid))
}

/// `do_like_escape`: the pattern with a backslash in place of another escape character.
fn like_escape(pattern: &str, escape: &str) -> Result<String> {
    let mut letters = escape.chars();
    let (escape, is_one) = (letters.next(), letters.next().is_none());
    if !is_one {
        let error = SqlError::new("22019", "invalid escape string");
        return Err(error.with_hint("Escape string must be empty or one character."));
    }
    let mut made = String::with_capacity(pattern.len());
    let mut is_escaped = false;
    for c in pattern.chars() {
        match c {
            c if Some(c) == escape && !is_escaped => {
                if c != '\\' {
                    made.push('\\');
                } else {
                    made.push(c);
                }
                is_escaped = true;
                continue;
            }
            '\\' if escape != Some('\\') => {
                if !is_escaped {
                    made.push('\\');
                }
                made.push('\\');
            }
            c => made.push(c),
        }
        is_escaped = false;
    }
    Ok(made)
}

pub(super) fn joined<'a>(values: impl Iterator<Item = &'a Value>, separator: &[u8]) -> Vec<u8> {
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

pub(super) fn quoted(string: &str) -> String {
    let quoted = string.replace('\'', "''");
    if quoted.contains('\\') { format!("E'{}'", quoted.replace('\\', "\\\\")) } else { format!("'{quoted}'") }
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

/// `MaxAllocSize`
const MAX_ALLOC: usize = 0x3FFF_FFFF;

/// The first `count` characters; below 0 all but the last ones.
fn left(text: &str, count: i32) -> &str {
    let count =
        if count < 0 { text.chars().count().saturating_sub(count.unsigned_abs() as usize) } else { count as usize };
    prefix(text, count)
}

fn prefix(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(end, _)| &text[..end])
}

fn too_large() -> SqlError {
    SqlError::new("54000", "requested length too large")
}

fn lpad(text: &str, count: i32, fill: &str) -> Result<Value> {
    let count = count.max(0) as usize;
    if count > MAX_ALLOC / 4 {
        return Err(too_large());
    }
    let has = text.chars().count();
    if has >= count || fill.is_empty() {
        return Ok(Value::text(prefix(text, count)));
    }
    let mut padded: String = fill.chars().cycle().take(count - has).collect();
    padded += text;
    Ok(Value::text(&padded))
}

fn repeat(text: &str, count: i32) -> Result<Value> {
    let count = count.max(0) as usize;
    match text.len().checked_mul(count) {
        Some(length) if length <= MAX_ALLOC - 4 => Ok(Value::text(&text.repeat(count))),
        _ => Err(too_large()),
    }
}

/// `substr(string, from, count)`: positions before the first count, but give nothing.
fn substr(value: &Value, from: i32, count: Option<i32>) -> Result<Value> {
    let from = i64::from(from);
    let end = match count {
        Some(count) if count < 0 => return Err(SqlError::new("22011", "negative substring length not allowed")),
        Some(count) => from + i64::from(count),
        None => i64::MAX,
    };
    let skip = (from.max(1) - 1) as usize;
    let take = (end.max(1) - 1).saturating_sub(skip as i64).max(0) as usize;
    if let Value::Bytea(bytes) = value {
        let part: Vec<u8> = bytes.iter().skip(skip).take(take).copied().collect();
        return Ok(Value::Bytea(part.into()));
    }
    let rest = text(value)?;
    let rest = rest.char_indices().nth(skip).map_or("", |(start, _)| &rest[start..]);
    Ok(Value::text(prefix(rest, take)))
}

/// `crc32_bytea`: that of Ethernet and zlib, a bit at a time.
fn crc32(bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0xEDB8_8320;
    let step = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ POLYNOMIAL } else { crc >> 1 };
    let add = |crc: u32, byte: &u8| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc));
    !bytes.iter().fold(u32::MAX, add)
}
