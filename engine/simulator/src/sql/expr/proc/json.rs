//! Operators and functions that look into json and jsonb (src/backend/utils/adt/jsonfuncs.c). A jsonb is read as the
//! text that it prints.

use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::AggregateKind;
use crate::sql::expr::call::{Call, text};
use crate::sql::expr::pg_catalog::{BOOL, INT4, JSONB, TEXT, TEXT_ARRAY};
use crate::sql::expr::pg_proc::{Proc, f};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::input::{Context as Input, input};
use ffviz_format::datum::style::Style;
use ffviz_format::datum::{Record, SqlType, Value, array_elements, element_of};
use ffviz_format::page::Oid;

const JSON: Oid = 114;

pub(super) const PROCS: &[Proc] = &[
    f("json_array_element", &[JSON, INT4], JSON, array_element),
    f("json_array_element_text", &[JSON, INT4], TEXT, array_element_text),
    f("json_array_length", &[JSON], INT4, array_length),
    f("json_object_field", &[JSON, TEXT], JSON, object_field),
    f("json_object_field_text", &[JSON, TEXT], TEXT, object_field_text),
    f("json_typeof", &[JSON], TEXT, type_of),
    f("jsonb_array_element", &[JSONB, INT4], JSONB, array_element),
    f("jsonb_array_element_text", &[JSONB, INT4], TEXT, array_element_text),
    f("jsonb_array_length", &[JSONB], INT4, array_length),
    f("jsonb_exists", &[JSONB, TEXT], BOOL, exists),
    f("jsonb_extract_path", &[JSONB, TEXT_ARRAY], JSONB, extract_path),
    f("jsonb_extract_path_text", &[JSONB, TEXT_ARRAY], TEXT, extract_path_text),
    f("jsonb_object_field", &[JSONB, TEXT], JSONB, object_field),
    f("jsonb_object_field_text", &[JSONB, TEXT], TEXT, object_field_text),
    f("jsonb_set", &[JSONB, TEXT_ARRAY, JSONB], JSONB, |call| set(call.args)),
    f("jsonb_set", &[JSONB, TEXT_ARRAY, JSONB, BOOL], JSONB, |call| set(call.args)),
    f("jsonb_typeof", &[JSONB], TEXT, type_of),
];

pub(super) fn to_jsonb(call: &mut Call<'_, '_>) -> Result<Value> {
    as_jsonb(&element_text(&call.args[0], call.type_of(0), &call.input().style)?)
}

pub(super) fn as_jsonb(text: &str) -> Result<Value> {
    // the version decides about numbers only, and these are as they have been printed
    input(text, SqlType::plain(JSONB), &Input::of(18))
}

/// `datum_to_json`: a value as a document.
pub(super) fn element_text(value: &Value, ty: Oid, style: &Style) -> Result<String> {
    const TIMES: [Oid; 3] = [1082, 1114, 1184];
    const PLAIN: [Oid; 9] = [20, 21, 23, 700, 701, 1700, 114, JSONB, BOOL];
    if value.is_null() {
        return Ok(String::from("null"));
    }
    if let Value::Record(record) = value {
        return row_text(record, style);
    }
    if let Some(element) = element_of(ty) {
        let one_dimensional = value.output(ty).is_some_and(|text| !text.starts_with("{{") && !text.starts_with('['));
        let Some(elements) = array_elements(value).filter(|_| one_dimensional) else {
            let message = "this array as a part of jsonb is not supported; cast it to text";
            return Err(SqlError::new(NOT_SIMULATED, message));
        };
        let texts = elements.iter().map(|value| element_text(value, element, style)).collect::<Result<Vec<_>>>()?;
        return Ok(format!("[{}]", texts.join(",")));
    }
    if TIMES.contains(&ty) {
        let iso = Style { zone: style.zone, ..Style::DEFAULT };
        return Ok(quoted(&xsd_time(&iso.output(value, ty)?.unwrap_or_default(), ty)));
    }
    if let Value::Bool(value) = value {
        return Ok(String::from(if *value { "true" } else { "false" }));
    }
    let text = style.output(value, ty)?.unwrap_or_default();
    let is_number = PLAIN.contains(&ty) && !matches!(text.as_str(), "NaN" | "Infinity" | "-Infinity");
    Ok(if is_number { text } else { quoted(&text) })
}

/// `composite_to_json`: names and values of a row's columns.
pub(super) fn row_text(record: &Record, style: &Style) -> Result<String> {
    let mut members = Vec::new();
    for (column, value) in record.columns() {
        let text = match column.labels.is_empty() {
            true => element_text(&value, column.base.unwrap_or(column.typid), style)?,
            false => column.printed(&value).map_or_else(|| String::from("null"), |label| quoted(&label)),
        };
        members.push(format!("{}:{text}", quoted(&column.name)));
    }
    Ok(format!("{{{}}}", members.join(",")))
}

/// `JsonEncodeDateTime`: T between date and time, minutes in the zone.
fn xsd_time(text: &str, ty: Oid) -> String {
    const TIMESTAMPTZ: Oid = 1184;
    let Some((date, rest)) = text.split_once(' ') else { return String::from(text) };
    if ty == 1082 {
        return String::from(text);
    }
    let (time, era) = rest.split_once(' ').map_or((rest, ""), |(time, _)| (time, " BC"));
    let has_minutes = time.rsplit_once(['+', '-']).is_some_and(|(_, zone)| zone.contains(':'));
    let minutes = if ty == TIMESTAMPTZ && !has_minutes { ":00" } else { "" };
    format!("{date}T{time}{minutes}{era}")
}

/// `escape_json`
pub(super) fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

pub(super) fn element_texts(call: &mut Call<'_, '_>) -> Result<Vec<String>> {
    let style = call.input().style;
    call.args.iter().zip(call.exprs).map(|(value, expr)| element_text(value, expr.ty.oid, &style)).collect()
}

/// `jsonb_build_array`
pub(super) fn build_array(call: &mut Call<'_, '_>) -> Result<Value> {
    as_jsonb(&format!("[{}]", element_texts(call)?.join(", ")))
}

/// `jsonb_build_object`
pub(super) fn build_object(call: &mut Call<'_, '_>) -> Result<Value> {
    let (texts, args) = (element_texts(call)?, call.args);
    if args.len() % 2 == 1 {
        return Err(SqlError::new("22023", "argument list must have even number of elements"));
    }
    let mut members = Vec::new();
    for (n, (pair, values)) in texts.chunks(2).zip(args.chunks(2)).enumerate() {
        if values[0].is_null() {
            return Err(SqlError::new("22023", format!("argument {}: key must not be null", 2 * n + 1)));
        }
        let key = if pair[0].starts_with('"') { pair[0].clone() } else { quoted(&pair[0]) };
        members.push(format!("{key}: {}", pair[1]));
    }
    as_jsonb(&format!("{{{}}}", members.join(", ")))
}

/// A row of `json_agg` and its like (`json_agg_transfn`, src/backend/utils/adt/json.c).
pub(in crate::sql::expr) fn part(kind: AggregateKind, args: &[Value], types: &[Oid], style: &Style) -> Result<String> {
    let text = |n: usize| element_text(&args[n], types[n], style);
    let AggregateKind::JsonAgg(binary, true) = kind else {
        // a document within it begins on a line of its own
        let line = if matches!(args[0], Value::Record(_)) { LINE } else { "" };
        return Ok(format!("{line}{}", text(0)?));
    };
    if args[0].is_null() {
        let message = if binary { "field name must not be null" } else { "null value not allowed for object key" };
        return Err(SqlError::new(if binary { "22023" } else { "22004" }, message));
    }
    let key = text(0)?;
    let key = if key.starts_with('"') { key } else { quoted(&key) };
    Ok(format!("{key} : {}", text(1)?))
}

/// What stands before a row in an array of rows, but before the first.
const LINE: &str = "\n ";

/// All rows of it.
pub(in crate::sql::expr) fn aggregated(kind: AggregateKind, joined: Vec<u8>) -> Result<Value> {
    let joined = String::from_utf8(joined).unwrap_or_default();
    match kind {
        AggregateKind::JsonAgg(true, false) => as_jsonb(&format!("[{joined}]")),
        AggregateKind::JsonAgg(true, true) => as_jsonb(&format!("{{{joined}}}")),
        AggregateKind::JsonAgg(false, true) => Ok(Value::text(&format!("{{ {joined} }}"))),
        _ => Ok(Value::text(&format!("[{}]", joined.strip_prefix(LINE).unwrap_or(&joined)))),
    }
}

/// `jsonb_concat`
pub(super) fn concatenated(call: &mut Call<'_, '_>) -> Result<Value> {
    let text = |value: &Value| value.output(JSONB).unwrap_or_default();
    let (left, right) = (text(&call.args[0]), text(&call.args[1]));
    let inner = |text: &str| String::from(text.get(1..text.len() - 1).unwrap_or_default());
    let both = |one: String, other: String| {
        if one.is_empty() || other.is_empty() { one + &other } else { format!("{one}, {other}") }
    };
    match (kind(&left), kind(&right)) {
        ("object", "object") => as_jsonb(&format!("{{{}}}", both(inner(&left), inner(&right)))),
        ("object", "array") | ("array", _) | (_, "array") => {
            let part = |text: &str| if kind(text) == "array" { inner(text) } else { String::from(text) };
            as_jsonb(&format!("[{}]", both(part(&left), part(&right))))
        }
        _ => as_jsonb(&format!("[{left}, {right}]")),
    }
}

/// `jsonb_set`
fn set(args: &[Value]) -> Result<Value> {
    let (document, new) = (args[0].output(JSONB).unwrap_or_default(), args[2].output(JSONB).unwrap_or_default());
    let creates = args.get(3) != Some(&Value::Bool(false));
    let keys = array_elements(&args[1]).unwrap_or_default();
    if kind(&document) != "object" && kind(&document) != "array" {
        return Err(SqlError::new("22023", "cannot set path in scalar"));
    }
    let path = path_of(&keys)?;
    if path.is_empty() {
        return Ok(args[0].clone());
    }
    as_jsonb(&placed(&document, &path, 0, &new, creates)?)
}

/// The steps of a path, none of which is NULL.
pub(super) fn path_of(keys: &[Value]) -> Result<Vec<&str>> {
    let mut path = Vec::new();
    for (n, key) in keys.iter().enumerate() {
        if key.is_null() {
            return Err(SqlError::new("22004", format!("path element at position {} is null", n + 1)));
        }
        path.push(text(key)?);
    }
    Ok(path)
}

/// `setPath`: the document with another value at the place that the path leads to from this step on.
pub(super) fn placed(document: &str, path: &[&str], step: usize, new: &str, creates: bool) -> Result<String> {
    let Some(key) = path.get(step) else { return Ok(String::from(new)) };
    let is_last = step + 1 == path.len();
    match Parts::of(document) {
        Parts::Object(members) => {
            let mut texts = Vec::new();
            let mut is_there = false;
            for (name, value) in &members {
                let is_it = name == key;
                is_there |= is_it;
                let value = if is_it { placed(value, path, step + 1, new, creates)? } else { String::from(*value) };
                texts.push(format!("{}: {value}", quoted(name)));
            }
            if !is_there && is_last && creates {
                texts.push(format!("{}: {new}", quoted(key)));
            }
            Ok(format!("{{{}}}", texts.join(", ")))
        }
        Parts::Array(elements) => {
            let wrong = || {
                let message = format!("path element at position {} is not an integer: \"{key}\"", step + 1);
                SqlError::new("22P02", message)
            };
            let n: i64 = key.parse().map_err(|_| wrong())?;
            let count = elements.len() as i64;
            let at = if n < 0 { n + count } else { n };
            let mut texts: Vec<String> = elements.iter().map(|element| String::from(*element)).collect();
            match usize::try_from(at).ok().filter(|at| *at < elements.len()) {
                Some(at) => texts[at] = placed(elements[at], path, step + 1, new, creates)?,
                None if is_last && creates && at < 0 => texts.insert(0, String::from(new)),
                None if is_last && creates => texts.push(String::from(new)),
                None => {}
            }
            Ok(format!("[{}]", texts.join(", ")))
        }
        Parts::Scalar => Ok(String::from(document)),
    }
}

pub(super) fn document(call: &Call<'_, '_>) -> Result<String> {
    match &call.args[0] {
        binary @ Value::Jsonb(_) => Ok(binary.output(JSONB).unwrap_or_default()),
        _ => call.text(0).map(String::from),
    }
}

/// A part of the document, of the type that the document has; NULL where it has none.
fn part_of(call: &Call<'_, '_>, find: impl Fn(&str) -> Result<Option<&str>>) -> Result<Value> {
    let document = document(call)?;
    let Some(part) = find(&document)? else { return Ok(Value::Null) };
    if matches!(call.args[0], Value::Jsonb(_)) { as_jsonb(part) } else { Ok(Value::text(part)) }
}

/// The same as text: a string without its quotes.
fn text_of_part(call: &Call<'_, '_>, find: impl Fn(&str) -> Result<Option<&str>>) -> Result<Value> {
    let document = document(call)?;
    let Some(part) = find(&document)? else { return Ok(Value::Null) };
    Ok(match kind(part) {
        "null" => Value::Null,
        "string" => Value::text(&unquoted(part)),
        _ => Value::text(part),
    })
}

fn array_element(call: &mut Call<'_, '_>) -> Result<Value> {
    part_of(call, |document| Ok(Parts::of(document).element(call.int(1))))
}

fn array_element_text(call: &mut Call<'_, '_>) -> Result<Value> {
    text_of_part(call, |document| Ok(Parts::of(document).element(call.int(1))))
}

fn object_field(call: &mut Call<'_, '_>) -> Result<Value> {
    let key = call.text(1)?;
    part_of(call, |document| Ok(Parts::of(document).member(key)))
}

fn object_field_text(call: &mut Call<'_, '_>) -> Result<Value> {
    let key = call.text(1)?;
    text_of_part(call, |document| Ok(Parts::of(document).member(key)))
}

pub(super) fn extract_path(call: &mut Call<'_, '_>) -> Result<Value> {
    let keys = array_elements(&call.args[1]).unwrap_or_default();
    part_of(call, |document| path(document, &keys))
}

pub(super) fn extract_path_text(call: &mut Call<'_, '_>) -> Result<Value> {
    let keys = array_elements(&call.args[1]).unwrap_or_default();
    text_of_part(call, |document| path(document, &keys))
}

fn type_of(call: &mut Call<'_, '_>) -> Result<Value> {
    Ok(Value::text(kind(&document(call)?)))
}

/// `jsonb_exists`
fn exists(call: &mut Call<'_, '_>) -> Result<Value> {
    let (document, key) = (document(call)?, call.text(1)?);
    Ok(Value::Bool(match Parts::of(&document) {
        Parts::Object(members) => members.iter().any(|(known, _)| known == key),
        Parts::Array(elements) => elements.iter().any(|it| kind(it) == "string" && unquoted(it) == key),
        Parts::Scalar => kind(&document) == "string" && unquoted(&document) == key,
    }))
}

fn array_length(call: &mut Call<'_, '_>) -> Result<Value> {
    match Parts::of(&document(call)?) {
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

pub(super) fn kind(part: &str) -> &'static str {
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
pub(super) enum Parts<'a> {
    Object(Vec<(String, &'a str)>),
    Array(Vec<&'a str>),
    Scalar,
}

impl<'a> Parts<'a> {
    pub(super) fn of(document: &'a str) -> Self {
        let document = document.trim();
        let inner = document.get(1..document.len().saturating_sub(1)).unwrap_or("");
        match kind(document) {
            "array" => Self::Array(split(inner)),
            "object" => Self::Object(split(inner).into_iter().filter_map(member).collect()),
            _ => Self::Scalar,
        }
    }

    pub(super) fn member(&self, key: &str) -> Option<&'a str> {
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
pub(super) fn unquoted(string: &str) -> String {
    serde_json::from_str(string.trim()).unwrap_or_default()
}
