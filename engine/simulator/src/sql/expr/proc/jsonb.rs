//! What jsonb contains, and documents with parts taken out or put in (`jsonb_contains` and its like,
//! src/backend/utils/adt/jsonb_op.c; `jsonb_delete`, `setPath`, `jsonb_pretty`, src/backend/utils/adt/jsonfuncs.c).

use super::json::{Parts, as_jsonb, document, kind, path_of, quoted, unquoted};
use crate::sql::expr::call::{Call, text};
use crate::sql::expr::operate;
use crate::sql::expr::pg_catalog::{BOOL, INT4, JSONB, TEXT, TEXT_ARRAY};
use crate::sql::expr::pg_proc::{Proc, f};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::{Value, array_elements};

pub(super) const PROCS: &[Proc] = &[
    f("jsonb_contained", &[JSONB, JSONB], BOOL, |call| contains(&call.args[1], &call.args[0])),
    f("jsonb_contains", &[JSONB, JSONB], BOOL, |call| contains(&call.args[0], &call.args[1])),
    f("jsonb_delete", &[JSONB, TEXT], JSONB, |call| without_keys(call, &[call.args[1].clone()])),
    f("jsonb_delete_array", &[JSONB, TEXT_ARRAY], JSONB, |call| {
        without_keys(call, &array_elements(&call.args[1]).unwrap_or_default())
    }),
    f("jsonb_delete_index", &[JSONB, INT4], JSONB, without_element),
    f("jsonb_delete_path", &[JSONB, TEXT_ARRAY], JSONB, without_path),
    f("jsonb_exists_all", &[JSONB, TEXT_ARRAY], BOOL, |call| exists_of(call, true)),
    f("jsonb_exists_any", &[JSONB, TEXT_ARRAY], BOOL, |call| exists_of(call, false)),
    f("jsonb_pretty", &[JSONB], TEXT, |call| {
        let mut all = String::new();
        pretty(&document(call)?, 0, &mut all);
        Ok(Value::text(&all))
    }),
    f("jsonb_strip_nulls", &[JSONB], JSONB, |call| as_jsonb(&stripped(&document(call)?, false))),
    f("jsonb_strip_nulls", &[JSONB, BOOL], JSONB, |call| as_jsonb(&stripped(&document(call)?, call.is_true(1))))
        .since(18),
    f("jsonb_set_element", &[JSONB, TEXT_ARRAY, JSONB], JSONB, set_element).of_null(),
];

/// `JsonbDeepContains`
fn contains(whole: &Value, part: &Value) -> Result<Value> {
    let text = |value: &Value| value.output(JSONB).unwrap_or_default();
    let (whole, part) = (text(whole), text(part));
    Ok(Value::Bool(match (Parts::of(&whole), Parts::of(&part)) {
        // a scalar within an array is found in it, and is itself
        (Parts::Array(elements), Parts::Scalar) => has_scalar(&elements, &part)?,
        (Parts::Scalar, Parts::Scalar) => is_same(&whole, &part)?,
        _ => contains_deep(&whole, &part)?,
    }))
}

fn contains_deep(whole: &str, part: &str) -> Result<bool> {
    match (Parts::of(whole), Parts::of(part)) {
        (Parts::Object(members), Parts::Object(wanted)) => {
            for (name, value) in &wanted {
                let found = members.iter().find(|(known, _)| known == name);
                if !found.map_or(Ok(false), |(_, known)| contains_deep(known, value))? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Parts::Array(elements), Parts::Array(wanted)) => {
            for value in wanted {
                let mut is_there = false;
                for element in &elements {
                    is_there = is_there || contains_deep(element, value)?;
                }
                if !is_there {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Parts::Scalar, Parts::Scalar) => is_same(whole, part),
        _ => Ok(false),
    }
}

fn has_scalar(elements: &[&str], scalar: &str) -> Result<bool> {
    for element in elements {
        if matches!(Parts::of(element), Parts::Scalar) && is_same(element, scalar)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Are two scalars equal: numbers, however they are written?
fn is_same(one: &str, other: &str) -> Result<bool> {
    if kind(one) != kind(other) {
        return Ok(false);
    }
    let input = ffviz_format::datum::input::Context::of(18);
    Ok(operate::compare(&as_jsonb(one)?, &as_jsonb(other)?, [JSONB; 2], &input)?.is_eq())
}

fn has_key(parts: &Parts<'_>, document: &str, key: &str) -> bool {
    match parts {
        Parts::Object(members) => members.iter().any(|(known, _)| known == key),
        Parts::Array(elements) => elements.iter().any(|it| kind(it) == "string" && unquoted(it) == key),
        Parts::Scalar => kind(document) == "string" && unquoted(document) == key,
    }
}

/// `jsonb_exists_any`, `jsonb_exists_all`
fn exists_of(call: &Call<'_, '_>, all: bool) -> Result<Value> {
    let document = document(call)?;
    let parts = Parts::of(&document);
    for key in array_elements(&call.args[1]).unwrap_or_default().iter().filter(|key| !key.is_null()) {
        if has_key(&parts, &document, text(key)?) != all {
            return Ok(Value::Bool(!all));
        }
    }
    Ok(Value::Bool(all))
}

fn object<'a>(members: impl Iterator<Item = (&'a str, String)>) -> String {
    let texts: Vec<String> = members.map(|(name, value)| format!("{}: {value}", quoted(name))).collect();
    format!("{{{}}}", texts.join(", "))
}

fn array(elements: &[String]) -> String {
    format!("[{}]", elements.join(", "))
}

/// `jsonb_delete`: members of these names, or elements that are such strings.
fn without_keys(call: &Call<'_, '_>, keys: &[Value]) -> Result<Value> {
    let document = document(call)?;
    let keys: Vec<&str> = keys.iter().filter(|key| !key.is_null()).map(text).collect::<Result<_>>()?;
    match Parts::of(&document) {
        Parts::Scalar => Err(SqlError::new("22023", "cannot delete from scalar")),
        Parts::Object(members) => {
            let left = members.iter().filter(|(name, _)| !keys.contains(&name.as_str()));
            as_jsonb(&object(left.map(|(name, value)| (name.as_str(), String::from(*value)))))
        }
        Parts::Array(elements) => {
            let is_it = |it: &&str| kind(it) == "string" && keys.contains(&unquoted(it).as_str());
            let left: Vec<String> = elements.into_iter().filter(|it| !is_it(it)).map(String::from).collect();
            as_jsonb(&array(&left))
        }
    }
}

/// `jsonb_delete_idx`
fn without_element(call: &mut Call<'_, '_>) -> Result<Value> {
    let document = document(call)?;
    match Parts::of(&document) {
        Parts::Scalar => Err(SqlError::new("22023", "cannot delete from scalar")),
        Parts::Object(_) => Err(SqlError::new("22023", "cannot delete from object using integer index")),
        Parts::Array(elements) => {
            let at = place(i64::from(call.int(1)), elements.len());
            let left = elements.iter().enumerate().filter(|(n, _)| Some(*n) != at);
            as_jsonb(&array(&left.map(|(_, it)| String::from(*it)).collect::<Vec<_>>()))
        }
    }
}

/// Where an element is that is counted from the beginning, or from the end.
fn place(n: i64, count: usize) -> Option<usize> {
    let at = if n < 0 { n + count as i64 } else { n };
    usize::try_from(at).ok().filter(|at| *at < count)
}

/// `jsonb_delete_path`
pub(super) fn without_path(call: &mut Call<'_, '_>) -> Result<Value> {
    let document = document(call)?;
    if matches!(Parts::of(&document), Parts::Scalar) {
        return Err(SqlError::new("22023", "cannot delete path in scalar"));
    }
    let keys = array_elements(&call.args[1]).unwrap_or_default();
    let path = path_of(&keys)?;
    if path.is_empty() { Ok(call.args[0].clone()) } else { as_jsonb(&removed(&document, &path, 0)?) }
}

fn removed(document: &str, path: &[&str], step: usize) -> Result<String> {
    let (key, is_last) = (path[step], step + 1 == path.len());
    match Parts::of(document) {
        Parts::Object(members) => {
            let mut left = Vec::new();
            for (name, value) in &members {
                match (name == key, is_last) {
                    (true, true) => {}
                    (true, false) => left.push((name.as_str(), removed(value, path, step + 1)?)),
                    _ => left.push((name.as_str(), String::from(*value))),
                }
            }
            Ok(object(left.into_iter()))
        }
        Parts::Array(elements) => {
            let at = place(index(key, step)?, elements.len());
            let mut left = Vec::new();
            for (n, element) in elements.iter().enumerate() {
                match (Some(n) == at, is_last) {
                    (true, true) => {}
                    (true, false) => left.push(removed(element, path, step + 1)?),
                    _ => left.push(String::from(*element)),
                }
            }
            Ok(array(&left))
        }
        Parts::Scalar => Ok(String::from(document)),
    }
}

fn index(key: &str, step: usize) -> Result<i64> {
    let wrong = || {
        let message = format!("path element at position {} is not an integer: \"{key}\"", step + 1);
        SqlError::new("22P02", message)
    };
    key.parse::<i32>().map(i64::from).map_err(|_| wrong())
}

/// `jsonb_set_element`: what `SET document[…] = …` makes; what is not there on the way is made.
fn set_element(call: &mut Call<'_, '_>) -> Result<Value> {
    let keys = array_elements(&call.args[1]).unwrap_or_default();
    if keys.iter().any(Value::is_null) {
        return Err(SqlError::new("22004", "jsonb subscript in assignment must not be null"));
    }
    let path = path_of(&keys)?;
    let new = call.args[2].output(JSONB).unwrap_or_else(|| String::from("null"));
    match &call.args[0] {
        Value::Null => as_jsonb(&made(&path, &new)),
        document => as_jsonb(&assigned(&document.output(JSONB).unwrap_or_default(), &path, 0, &new)?),
    }
}

/// `push_path`: containers, one within another, around a value; a number is the place in an array.
fn made(path: &[&str], new: &str) -> String {
    let Some((key, rest)) = path.split_first() else { return String::from(new) };
    let inner = made(rest, new);
    match key.parse::<i32>() {
        Ok(n) => {
            let mut elements: Vec<String> = (0..n.max(0)).map(|_| String::from("null")).collect();
            elements.push(inner);
            array(&elements)
        }
        Err(_) => object(core::iter::once((*key, inner))),
    }
}

fn assigned(document: &str, path: &[&str], step: usize, new: &str) -> Result<String> {
    let Some(key) = path.get(step) else { return Ok(String::from(new)) };
    match Parts::of(document) {
        Parts::Object(members) => {
            let mut all = Vec::new();
            let mut is_there = false;
            for (name, value) in &members {
                let is_it = name == key;
                is_there |= is_it;
                let value = if is_it { assigned(value, path, step + 1, new)? } else { String::from(*value) };
                all.push((name.as_str(), value));
            }
            if !is_there {
                all.push((key, made(&path[step + 1..], new)));
            }
            Ok(object(all.into_iter()))
        }
        Parts::Array(elements) => {
            let n = index(key, step)?;
            let mut all: Vec<String> = elements.iter().map(|it| String::from(*it)).collect();
            match place(n, all.len()) {
                Some(at) => all[at] = assigned(elements[at], path, step + 1, new)?,
                None if n < 0 => {
                    let message = format!("path element at position {} is out of range: {n}", step + 1);
                    return Err(SqlError::new("22023", message));
                }
                None => {
                    all.resize(n as usize, String::from("null"));
                    all.push(made(&path[step + 1..], new));
                }
            }
            Ok(array(&all))
        }
        Parts::Scalar => {
            let detail = "The path assumes key is a composite object, but it is a scalar value.";
            Err(SqlError::new("22023", "cannot replace existing key").with_detail(String::from(detail)))
        }
    }
}

/// `jsonb_strip_nulls`: members that are null go; elements of arrays, where that is asked for.
fn stripped(document: &str, in_arrays: bool) -> String {
    match Parts::of(document) {
        Parts::Object(members) => {
            let left = members.iter().filter(|(_, value)| kind(value) != "null");
            object(left.map(|(name, value)| (name.as_str(), stripped(value, in_arrays))))
        }
        Parts::Array(elements) => {
            let left = elements.iter().filter(|it| !in_arrays || kind(it) != "null");
            array(&left.map(|it| stripped(it, in_arrays)).collect::<Vec<_>>())
        }
        Parts::Scalar => String::from(document),
    }
}

/// `JsonbToCStringIndent`
fn pretty(document: &str, depth: usize, all: &mut String) {
    let line = |depth: usize, all: &mut String| {
        all.push('\n');
        all.extend(core::iter::repeat_n("    ", depth));
    };
    let (ends, parts): ([char; 2], Vec<(Option<String>, &str)>) = match Parts::of(document) {
        Parts::Object(members) => (['{', '}'], members.into_iter().map(|(name, value)| (Some(name), value)).collect()),
        Parts::Array(elements) => (['[', ']'], elements.into_iter().map(|it| (None, it)).collect()),
        Parts::Scalar => return all.push_str(document),
    };
    all.push(ends[0]);
    for (n, (name, value)) in parts.into_iter().enumerate() {
        all.push_str(if n > 0 { "," } else { "" });
        line(depth + 1, all);
        if let Some(name) = name {
            all.push_str(&quoted(&name));
            all.push_str(": ");
        }
        pretty(value, depth + 1, all);
    }
    line(depth, all);
    all.push(ends[1]);
}
