//! Functions of json and jsonb that give rows: members, elements, keys (`each_worker_jsonb`, `elements_worker_jsonb`,
//! src/backend/utils/adt/jsonfuncs.c).

use super::json::{Parts, as_jsonb, kind, unquoted};
use crate::sql::expr::pg_catalog::JSONB;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::Value;
use ffviz_format::datum::error::{Result, SqlError};

/// The rows of such a function; nothing of another one.
pub(in crate::sql) fn json_rows(name: &str, document: &Value) -> Option<Result<Vec<Vec<Value>>>> {
    let (is_binary, function) = match (name.strip_prefix("jsonb_"), name.strip_prefix("json_")) {
        (Some(rest), _) => (true, rest),
        (_, Some(rest)) => (false, rest),
        _ => return None,
    };
    let text = match document {
        Value::Null => return Some(Ok(Vec::new())),
        Value::Jsonb(_) => document.output(JSONB).unwrap_or_default(),
        other => core::str::from_utf8(other.plain_bytes().unwrap_or(&[])).unwrap_or_default().into(),
    };
    let part = |part: &str| if is_binary { as_jsonb(part) } else { Ok(Value::text(part)) };
    let as_text = |part: &str| match kind(part) {
        "null" => Ok(Value::Null),
        "string" => Ok(Value::text(&unquoted(part))),
        _ => Ok(Value::text(part)),
    };
    let refuse = |what: &str| Err(SqlError::new("22023", format!("cannot {what}")));
    Some(match (function, Parts::of(&text)) {
        ("each", Parts::Object(members)) => {
            members.into_iter().map(|(k, v)| Ok([Value::text(&k), part(v)?].into())).collect()
        }
        ("each_text", Parts::Object(members)) => {
            members.into_iter().map(|(k, v)| Ok([Value::text(&k), as_text(v)?].into())).collect()
        }
        ("object_keys", Parts::Object(members)) => {
            members.into_iter().map(|(k, _)| Ok([Value::text(&k)].into())).collect()
        }
        ("array_elements", Parts::Array(elements)) => elements.into_iter().map(|it| Ok([part(it)?].into())).collect(),
        ("array_elements_text", Parts::Array(elements)) => {
            elements.into_iter().map(|it| Ok([as_text(it)?].into())).collect()
        }
        ("each" | "each_text", _) if is_binary => refuse(&format!("call {name} on a non-object")),
        ("object_keys", Parts::Array(_)) => refuse(&format!("call {name} on an array")),
        ("object_keys", _) => refuse(&format!("call {name} on a scalar")),
        ("array_elements" | "array_elements_text", Parts::Object(_)) if is_binary => {
            refuse("extract elements from an object")
        }
        ("array_elements" | "array_elements_text", _) if is_binary => refuse("extract elements from a scalar"),
        ("each" | "each_text", Parts::Array(_)) => refuse("deconstruct an array as an object"),
        ("each" | "each_text", _) => refuse("deconstruct a scalar"),
        ("array_elements" | "array_elements_text", Parts::Object(_)) => refuse(&format!("call {name} on a non-array")),
        ("array_elements" | "array_elements_text", _) => refuse(&format!("call {name} on a scalar")),
        _ => return None,
    })
}
