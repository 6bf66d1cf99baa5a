//! Operators and functions that look into json and jsonb (src/backend/utils/adt/jsonfuncs.c). A jsonb is read as the text that it
//! prints.

use crate::sql::expr::builtin::{int, text};
use crate::sql::expr::pg_catalog::{BOOL, INT4, JSONB, TEXT, TEXT_ARRAY};
use crate::sql::expr::pg_proc::{Proc, f};
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::input::{Context as Input, input};
use ffviz_format::datum::{SqlType, Value, array_elements};
use ffviz_format::page::Oid;

const JSON: Oid = 114;

pub(super) const PROCS: &[Proc] = &[
    f("json_array_element", &[JSON, INT4], JSON),
    f("json_array_element_text", &[JSON, INT4], TEXT),
    f("json_array_length", &[JSON], INT4),
    f("json_object_field", &[JSON, TEXT], JSON),
    f("json_object_field_text", &[JSON, TEXT], TEXT),
    f("json_typeof", &[JSON], TEXT),
    f("jsonb_array_element", &[JSONB, INT4], JSONB),
    f("jsonb_array_element_text", &[JSONB, INT4], TEXT),
    f("jsonb_array_length", &[JSONB], INT4),
    f("jsonb_exists", &[JSONB, TEXT], BOOL),
    f("jsonb_extract_path", &[JSONB, TEXT_ARRAY], JSONB),
    f("jsonb_extract_path_text", &[JSONB, TEXT_ARRAY], TEXT),
    f("jsonb_object_field", &[JSONB, TEXT], JSONB),
    f("jsonb_object_field_text", &[JSONB, TEXT], TEXT),
    f("jsonb_typeof", &[JSONB], TEXT),
];

pub(super) fn call(name: &str, args: &[Value]) -> Option<Result<Value>> {
    PROCS.iter().any(|proc| proc.name == name).then(|| found(name, args))
}

fn found(name: &str, args: &[Value]) -> Result<Value> {
    let is_binary = matches!(args[0], Value::Jsonb(_));
    let document = match &args[0] {
        Value::Jsonb(_) => args[0].output(JSONB).unwrap_or_default(),
        other => String::from(text(other)?),
    };
    let parts = Parts::of(&document);
    let part: Option<&str> = match name.trim_start_matches("jsonb_").trim_start_matches("json_") {
        "typeof" => return Ok(Value::text(kind(&document))),
        "exists" => return exists(&parts, text(&args[1])?),
        "array_length" => return length(&parts),
        "array_element" | "array_element_text" => parts.element(int(&args[1])),
        "object_field" | "object_field_text" => parts.member(text(&args[1])?),
        _ => path(&document, &array_elements(&args[1]).unwrap_or_default())?,
    };
    let Some(part) = part else { return Ok(Value::Null) };
    if name.ends_with("_text") {
        return Ok(match kind(part) {
            "null" => Value::Null,
            "string" => Value::text(&unquoted(part)),
            _ => Value::text(part),
        });
    }
    // the version decides about numbers only, and these are as jsonb has printed them
    let newest = Input { major: 18, now: 0 };
    if is_binary { input(part, SqlType::plain(JSONB), &newest) } else { Ok(Value::text(part)) }
}

fn exists(parts: &Parts<'_>, key: &str) -> Result<Value> {
    Ok(Value::Bool(match parts {
        Parts::Object(members) => members.iter().any(|(known, _)| known == key),
        Parts::Array(elements) => elements.iter().any(|it| kind(it) == "string" && unquoted(it) == key),
        Parts::Scalar => false,
    }))
}

fn length(parts: &Parts<'_>) -> Result<Value> {
    match parts {
        Parts::Array(elements) => Ok(Value::Int4(elements.len() as i32)),
        Parts::Object(_) => Err(SqlError::new("22023", "cannot get array length of a non-array")),
        Parts::Scalar => Err(SqlError::new("22023", "cannot get array length of a scalar")),
    }
}

fn path<'a>(document: &'a str, keys: &[Value]) -> Result<Option<&'a str>> {
    let mut at = document;
    for key in keys {
        let key = text(key)?;
        let next = match Parts::of(at) {
            Parts::Array(elements) => key.parse().ok().and_then(|n: i32| Parts::Array(elements).element(n)),
            parts => parts.member(key),
        };
        let Some(next) = next else { return Ok(None) };
        at = next;
    }
    Ok(Some(at))
}

fn kind(part: &str) -> &'static str {
    match part.trim_start().bytes().next() {
        Some(b'{') => "object",
        Some(b'[') => "array",
        Some(b'"') => "string",
        Some(b't' | b'f') => "boolean",
        Some(b'n') => "null",
        _ => "number",
    }
}

/// What a document is made of.
enum Parts<'a> {
    Object(Vec<(String, &'a str)>),
    Array(Vec<&'a str>),
    Scalar,
}

impl<'a> Parts<'a> {
    fn of(document: &'a str) -> Self {
        let document = document.trim();
        let inner = document.get(1..document.len().saturating_sub(1)).unwrap_or("");
        match kind(document) {
            "array" => Self::Array(split(inner)),
            "object" => Self::Object(split(inner).into_iter().filter_map(member).collect()),
            _ => Self::Scalar,
        }
    }

    fn member(&self, key: &str) -> Option<&'a str> {
        let Self::Object(members) = self else { return None };
        // of several the last one counts
        members.iter().rev().find(|(known, _)| known == key).map(|(_, value)| *value)
    }

    fn element(&self, n: i32) -> Option<&'a str> {
        let Self::Array(elements) = self else { return None };
        let at = if n < 0 { elements.len().checked_sub(n.unsigned_abs() as usize) } else { usize::try_from(n).ok() };
        elements.get(at?).copied()
    }
}

fn member(pair: &str) -> Option<(String, &str)> {
    let end = string_end(pair)?;
    let value = pair.get(end..)?.trim_start().strip_prefix(':')?;
    Some((unquoted(&pair[..end]), value.trim()))
}

/// Where the string ends that the text begins with.
fn string_end(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The parts between commas that stand in no string and in no other container.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut at) = (Vec::new(), 0, 0, 0);
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => at += string_end(&text[at..]).unwrap_or(1) - 1,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        parts.push(last);
    }
    parts
}

/// A string without its quotes and escapes.
fn unquoted(string: &str) -> String {
    serde_json::from_str(string.trim()).unwrap_or_default()
}
