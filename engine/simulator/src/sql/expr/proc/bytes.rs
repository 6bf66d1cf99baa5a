//! Functions of bytea, of text in other encodings and other spellings (`byteaGetBit` and its like,
//! src/backend/utils/adt/varlena.c, bytea.c; mbutils.c, cryptohashfuncs.c, misc.c).

use super::text::quoted;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::call::Call;
use crate::sql::expr::pg_catalog::{ANY, BOOL, BYTEA, INT4, INT8, TEXT, TEXT_ARRAY};
use crate::sql::expr::pg_proc::{Proc, f};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::{Value, make_array};
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

pub(super) const PROCS: &[Proc] = &[
    f("bit_count", &[BYTEA], INT8, |call| {
        Ok(Value::Int8(call.bytes(0)?.iter().map(|byte| i64::from(byte.count_ones())).sum()))
    })
    .since(14),
    f("casefold", &[TEXT], TEXT, |call| Ok(Value::text(&call.text(0)?.to_ascii_lowercase()))).since(18),
    f("convert_from", &[BYTEA, TEXT], TEXT, convert_from).stable().alone(),
    f("convert_to", &[TEXT, TEXT], BYTEA, convert_to).stable().alone(),
    f("get_bit", &[BYTEA, INT8], INT4, get_bit),
    f("parse_ident", &[TEXT], TEXT_ARRAY, parse_ident),
    f("parse_ident", &[TEXT, BOOL], TEXT_ARRAY, parse_ident),
    f("quote_literal", &[ANY], TEXT, quote_any).stable(),
    f("quote_nullable", &[TEXT], TEXT, quote_nullable).of_null(),
    f("quote_nullable", &[ANY], TEXT, quote_nullable).of_null().stable(),
    f("set_bit", &[BYTEA, INT8, INT4], BYTEA, set_bit),
    f("set_byte", &[BYTEA, INT4, INT4], BYTEA, set_byte),
    f("sha224", &[BYTEA], BYTEA, |call| Ok(digest::<Sha224>(call.bytes(0)?))),
    f("sha256", &[BYTEA], BYTEA, |call| Ok(digest::<Sha256>(call.bytes(0)?))),
    f("sha384", &[BYTEA], BYTEA, |call| Ok(digest::<Sha384>(call.bytes(0)?))),
    f("sha512", &[BYTEA], BYTEA, |call| Ok(digest::<Sha512>(call.bytes(0)?))),
    f("to_bin", &[INT4], TEXT, |call| Ok(Value::text(&format!("{:b}", call.int(0))))).since(17),
    f("to_bin", &[INT8], TEXT, |call| Ok(Value::text(&format!("{:b}", call.integer(0))))).since(17),
    f("to_oct", &[INT4], TEXT, |call| Ok(Value::text(&format!("{:o}", call.int(0))))).since(17),
    f("to_oct", &[INT8], TEXT, |call| Ok(Value::text(&format!("{:o}", call.integer(0))))).since(17),
    f("unistr", &[TEXT], TEXT, unistr).since(14),
];

/// `sha256` and its like.
fn digest<D: Digest>(bytes: &[u8]) -> Value {
    Value::Bytea(D::digest(bytes).to_vec().into())
}

/// Where a bit or a byte is, of so many.
fn place(at: i64, count: usize) -> Result<usize> {
    usize::try_from(at)
        .ok()
        .filter(|at| *at < count)
        .ok_or_else(|| SqlError::new("2202E", format!("index {at} out of valid range, 0..{}", count as i64 - 1)))
}

fn get_bit(call: &mut Call<'_, '_>) -> Result<Value> {
    let bytes = call.bytes(0)?;
    let at = place(call.integer(1), bytes.len() * 8)?;
    Ok(Value::Int4(i32::from(bytes[at / 8] >> (at % 8) & 1)))
}

fn set_bit(call: &mut Call<'_, '_>) -> Result<Value> {
    let mut bytes = call.bytes(0)?.to_vec();
    let at = place(call.integer(1), bytes.len() * 8)?;
    let mask = 1 << (at % 8);
    match call.int(2) {
        0 => bytes[at / 8] &= !mask,
        1 => bytes[at / 8] |= mask,
        _ => return Err(SqlError::new("22023", "new bit must be 0 or 1")),
    }
    Ok(Value::Bytea(bytes.into()))
}

fn set_byte(call: &mut Call<'_, '_>) -> Result<Value> {
    let mut bytes = call.bytes(0)?.to_vec();
    let at = place(i64::from(call.int(1)), bytes.len())?;
    bytes[at] = call.int(2) as u8;
    Ok(Value::Bytea(bytes.into()))
}

/// Is it a name of UTF8, which is the database's encoding?
fn check_encoding(name: &str, role: &str) -> Result<()> {
    const OTHERS: &[&str] =
        &["latin", "win", "iso", "euc", "sqlascii", "koi", "sjis", "big5", "gb", "uhc", "johab", "ascii"];
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    if plain == "utf8" || plain == "unicode" {
        return Ok(());
    }
    if OTHERS.iter().any(|other| plain.starts_with(other)) {
        let message = format!("encoding {name} is not supported; the simulator knows UTF8");
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    Err(SqlError::new("22023", format!("invalid {role} encoding name \"{name}\"")))
}

fn convert_to(call: &mut Call<'_, '_>) -> Result<Value> {
    check_encoding(call.text(1)?, "destination")?;
    Ok(Value::Bytea(call.bytes(0)?.into()))
}

fn convert_from(call: &mut Call<'_, '_>) -> Result<Value> {
    check_encoding(call.text(1)?, "source")?;
    let bytes = call.bytes(0)?;
    match core::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(Value::text(text)),
        checked => {
            let at = checked.map_or_else(|error| error.valid_up_to(), |text| text.find('\0').unwrap_or(0));
            let length = match bytes[at] {
                0xC0..=0xDF => 2,
                0xE0..=0xEF => 3,
                0xF0..=0xF7 => 4,
                _ => 1,
            };
            let shown: Vec<String> = bytes[at..].iter().take(length).map(|byte| format!("0x{byte:02x}")).collect();
            let message = format!("invalid byte sequence for encoding \"UTF8\": {}", shown.join(" "));
            Err(SqlError::new("22021", message))
        }
    }
}

fn quote_any(call: &mut Call<'_, '_>) -> Result<Value> {
    let text = call.output(0)?.unwrap_or_default();
    Ok(Value::text(&quoted(&text)))
}

fn quote_nullable(call: &mut Call<'_, '_>) -> Result<Value> {
    if call.args[0].is_null() { Ok(Value::text("NULL")) } else { quote_any(call) }
}

/// `unistr`: a backslash and four digits, or `+` and six, `u` and four, `U` and eight; two are one.
fn unistr(call: &mut Call<'_, '_>) -> Result<Value> {
    let (mut out, mut rest) = (String::new(), call.text(0)?);
    // of two surrogates the first
    let mut high: Option<u32> = None;
    while let Some(c) = rest.chars().next() {
        let unpaired = || SqlError::new("42601", "invalid Unicode surrogate pair");
        if c != '\\' {
            if high.is_some() {
                return Err(unpaired());
            }
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        if rest.starts_with("\\\\") {
            if high.is_some() {
                return Err(unpaired());
            }
            out.push('\\');
            rest = &rest[2..];
            continue;
        }
        let (skip, digits) = match rest.as_bytes().get(1) {
            Some(b'+') => (2, 6),
            Some(b'u') => (2, 4),
            Some(b'U') => (2, 8),
            _ => (1, 4),
        };
        let hex = rest.get(skip..skip + digits).filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(code) = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()) else {
            return Err(SqlError::new("42601", "invalid Unicode escape"));
        };
        rest = &rest[skip + digits..];
        let whole = match (high.take(), code) {
            (None, 0xD800..=0xDBFF) => {
                high = Some(code);
                continue;
            }
            (Some(high), 0xDC00..=0xDFFF) => 0x10000 + ((high & 0x3FF) << 10) + (code & 0x3FF),
            (Some(_), _) | (None, 0xDC00..=0xDFFF) => return Err(unpaired()),
            (None, code) => code,
        };
        match char::from_u32(whole).filter(|c| *c != '\0') {
            Some(c) => out.push(c),
            None => return Err(SqlError::new("22023", format!("invalid Unicode code point: {whole:04X}"))),
        }
    }
    if high.is_some() {
        return Err(SqlError::new("42601", "invalid Unicode surrogate pair"));
    }
    Ok(Value::text(&out))
}

/// `parse_ident`: the names of a qualified name.
fn parse_ident(call: &mut Call<'_, '_>) -> Result<Value> {
    let (string, is_strict) = (call.text(0)?, call.get(1) != Some(&Value::Bool(false)));
    let wrong = |why: Option<&'static str>| {
        let error = SqlError::new("22023", format!("string is not a valid identifier: \"{string}\""));
        why.map_or_else(|| error.clone(), |why| error.clone().with_detail(why))
    };
    let (mut names, mut rest) = (Vec::new(), string.trim_start_matches(|c: char| c.is_ascii_whitespace()));
    loop {
        if let Some(quoted) = rest.strip_prefix('"') {
            let end = quote_end(quoted).ok_or_else(|| wrong(Some("String has unclosed double quotes.")))?;
            if end == 0 {
                return Err(wrong(Some("Quoted identifier must not be empty.")));
            }
            names.push(Value::text(&quoted[..end].replace("\"\"", "\"")));
            rest = &quoted[end + 1..];
        } else {
            let is_start = |c: char| c == '_' || c.is_ascii_alphabetic() || !c.is_ascii();
            let length = rest.find(|c: char| !is_start(c) && !c.is_ascii_digit() && c != '$').unwrap_or(rest.len());
            if !rest.starts_with(is_start) {
                return Err(wrong(match rest.starts_with('.') {
                    true => Some("No valid identifier before \".\"."),
                    _ if !names.is_empty() => Some("No valid identifier after \".\"."),
                    _ => None,
                }));
            }
            names.push(Value::text(&rest[..length].to_ascii_lowercase()));
            rest = &rest[length..];
        }
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
        match rest.strip_prefix('.') {
            Some(behind) => rest = behind.trim_start_matches(|c: char| c.is_ascii_whitespace()),
            None if rest.is_empty() || !is_strict => return Ok(make_array(TEXT, &names)),
            None => return Err(wrong(None)),
        }
    }
}

/// Where a name in double quotes ends; two of them are one of its own.
fn quote_end(text: &str) -> Option<usize> {
    let (bytes, mut at) = (text.as_bytes(), 0);
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == b'"')?;
        if bytes.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}
