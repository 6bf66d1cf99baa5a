//! Functions of arrays (src/backend/utils/adt/arrayfuncs.c, array_userfuncs.c): of one dimension, counted from 1.

use crate::sql::expr::Typed;
use crate::sql::expr::builtin::{int, text};
use crate::sql::expr::eval::Env;
use crate::sql::expr::operate;
use crate::sql::expr::pg_catalog::{ANY, ANYARRAY, BOOL, INT4, TEXT, TEXT_ARRAY};
use crate::sql::expr::pg_proc::{Proc, f};
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::error::Result;
use ffviz_format::datum::{Value, array_elements, element_of, make_array};

pub(super) const PROCS: &[Proc] = &[
    f("array_append", &[ANYARRAY, ANY], ANYARRAY),
    f("array_cat", &[ANYARRAY, ANYARRAY], ANYARRAY),
    f("array_length", &[ANYARRAY, INT4], INT4),
    f("array_lower", &[ANYARRAY, INT4], INT4),
    f("array_position", &[ANYARRAY, ANY], INT4),
    f("array_remove", &[ANYARRAY, ANY], ANYARRAY),
    f("array_to_string", &[ANYARRAY, TEXT], TEXT),
    f("array_to_string", &[ANYARRAY, TEXT, TEXT], TEXT),
    f("array_upper", &[ANYARRAY, INT4], INT4),
    f("arraycontains", &[ANYARRAY, ANYARRAY], BOOL),
    f("arraycontained", &[ANYARRAY, ANYARRAY], BOOL),
    f("arrayoverlap", &[ANYARRAY, ANYARRAY], BOOL),
    f("array_subscript", &[ANYARRAY, INT4], ANY),
    f("cardinality", &[ANYARRAY], INT4),
    f("string_to_array", &[TEXT, TEXT], TEXT_ARRAY),
];

pub(super) fn call(name: &str, args: &[Value], exprs: &[Typed], env: &mut Env<'_>) -> Option<Result<Value>> {
    if !PROCS.iter().any(|proc| proc.name == name) {
        return None;
    }
    if name == "string_to_array" {
        return Some(string_to_array(args));
    }
    let of = exprs.first().map_or(0, |expr| expr.ty.oid);
    Some(of_arrays(name, args, element_of(of).unwrap_or(TEXT), env))
}

fn string_to_array(args: &[Value]) -> Result<Value> {
    let (string, separator) = (text(&args[0])?, text(&args[1])?);
    let parts: Vec<Value> = match (string.is_empty(), separator.is_empty()) {
        (true, _) => Vec::new(),
        (_, true) => Vec::from([Value::text(string)]),
        _ => string.split(separator).map(Value::text).collect(),
    };
    Ok(make_array(TEXT, &parts))
}

fn of_arrays(name: &str, args: &[Value], element: u32, env: &mut Env<'_>) -> Result<Value> {
    let elements = array_elements(&args[0]);
    if args[0].is_null() && !matches!(name, "array_append" | "array_cat") {
        return Ok(Value::Null);
    }
    let elements = elements.unwrap_or_default();
    let input = env.input();
    let equal = |a: &Value, b: &Value| {
        Ok(match (a.is_null(), b.is_null()) {
            (false, false) => operate::compare(a, b, [element; 2], &input)?.is_eq(),
            (a, b) => a && b,
        })
    };
    let has = |list: &[Value], value: &Value| -> Result<bool> {
        for item in list {
            if equal(item, value)? && !value.is_null() {
                return Ok(true);
            }
        }
        Ok(false)
    };
    let others = || array_elements(&args[1]).unwrap_or_default();
    let all_in = |parts: &[Value], whole: &[Value]| -> Result<bool> {
        for part in parts {
            if !has(whole, part)? {
                return Ok(false);
            }
        }
        Ok(true)
    };
    let length = |count: usize| if count == 0 { Value::Null } else { Value::Int4(count as i32) };
    Ok(match name {
        "array_length" | "array_upper" if int(&args[1]) == 1 => length(elements.len()),
        "array_lower" if int(&args[1]) == 1 && !elements.is_empty() => Value::Int4(1),
        "array_length" | "array_upper" | "array_lower" => Value::Null,
        "cardinality" => Value::Int4(elements.len() as i32),
        "array_append" => make_array(element, &[&elements[..], &[args[1].clone()]].concat()),
        "array_cat" => make_array(element, &[&elements[..], &others()[..]].concat()),
        "array_subscript" => {
            let at = usize::try_from(int(&args[1])).ok().and_then(|at| at.checked_sub(1));
            at.and_then(|at| elements.get(at).cloned()).unwrap_or(Value::Null)
        }
        "array_position" => {
            for (n, item) in elements.iter().enumerate() {
                if equal(item, &args[1])? {
                    return Ok(Value::Int4(n as i32 + 1));
                }
            }
            Value::Null
        }
        "array_remove" => {
            let mut left = Vec::new();
            for item in elements {
                if !equal(&item, &args[1])? {
                    left.push(item);
                }
            }
            make_array(element, &left)
        }
        "arraycontains" => Value::Bool(all_in(&others(), &elements)?),
        "arraycontained" => Value::Bool(all_in(&elements, &others())?),
        "arrayoverlap" => {
            let others = others();
            let mut found = false;
            for item in &elements {
                found |= has(&others, item)?;
            }
            Value::Bool(found)
        }
        _ => to_string(args, &elements, element)?,
    })
}

fn to_string(args: &[Value], elements: &[Value], element: u32) -> Result<Value> {
    if args[1].is_null() {
        return Ok(Value::Null);
    }
    let separator = text(&args[1])?;
    let null = args.get(2).filter(|null| !null.is_null()).map(text).transpose()?;
    let words = elements.iter().filter_map(|item| item.output(element).or_else(|| null.map(String::from)));
    Ok(Value::text(&words.collect::<Vec<_>>().join(separator)))
}
