//! json and jsonb made of values, and documents with values put in (`json_build_object`, `json_object`,
//! src/backend/utils/adt/json.c; `jsonb_insert`, `jsonb_set_lax`, jsonfuncs.c).

use super::json::{Parts, as_jsonb, document, element_texts, kind, path_of, placed, quoted};
use crate::sql::StatementError;
use crate::sql::expr::analyze::Analyzer;
use crate::sql::expr::call::{Call, text};
use crate::sql::expr::pg_catalog::{BOOL, JSON, JSONB, TEXT, TEXT_ARRAY, UNKNOWN};
use crate::sql::expr::pg_proc::{Builtin, Proc, f};
use crate::sql::expr::{Node, Typed};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::{SqlType, Value, array_elements};

pub(super) const PROCS: &[Proc] = &[
    f("json_build_array", &[], JSON, |call| Ok(Value::text(&format!("[{}]", element_texts(call)?.join(", ")))))
        .of_null()
        .stable()
        .alone(),
    f("json_build_object", &[], JSON, build_object).of_null().stable().alone(),
    f("json_extract_path", &[JSON, TEXT_ARRAY], JSON, super::json::extract_path),
    f("json_extract_path_text", &[JSON, TEXT_ARRAY], TEXT, super::json::extract_path_text),
    f("json_object", &[TEXT_ARRAY], JSON, |call| Ok(Value::text(&of_texts(call)?))),
    f("json_object", &[TEXT_ARRAY, TEXT_ARRAY], JSON, |call| Ok(Value::text(&of_texts(call)?))),
    f("jsonb_insert", &[JSONB, TEXT_ARRAY, JSONB], JSONB, insert),
    f("jsonb_insert", &[JSONB, TEXT_ARRAY, JSONB, BOOL], JSONB, insert),
    f("jsonb_object", &[TEXT_ARRAY], JSONB, |call| as_jsonb(&of_texts(call)?)),
    f("jsonb_object", &[TEXT_ARRAY, TEXT_ARRAY], JSONB, |call| as_jsonb(&of_texts(call)?)),
    f("jsonb_set_lax", &[JSONB, TEXT_ARRAY, JSONB, BOOL, TEXT], JSONB, set_lax).of_null(),
    f("to_json", &[], JSON, |call| Ok(Value::text(&element_texts(call)?.join("")))).stable().alone(),
];

/// `json_build_object`
fn build_object(call: &mut Call<'_, '_>) -> Result<Value> {
    let (texts, args) = (element_texts(call)?, call.args);
    if args.len() % 2 == 1 {
        return Err(SqlError::new("22023", "argument list must have even number of elements"));
    }
    let counts_arguments = !call.input().version().says_object_keys_alike();
    let mut members = Vec::new();
    for (n, (pair, values)) in texts.chunks(2).zip(args.chunks(2)).enumerate() {
        if values[0].is_null() {
            return Err(match counts_arguments {
                true => SqlError::new("22023", format!("argument {} cannot be null", 2 * n + 1)),
                false => SqlError::new("22004", "null value not allowed for object key"),
            });
        }
        let key = if pair[0].starts_with('"') { pair[0].clone() } else { quoted(&pair[0]) };
        members.push(format!("{key} : {}", pair[1]));
    }
    Ok(Value::text(&format!("{{{}}}", members.join(", "))))
}

/// `json_object`: of an array of keys and values, or of one of each.
fn of_texts(call: &Call<'_, '_>) -> Result<String> {
    let first = array_elements(&call.args[0]).unwrap_or_default();
    let (keys, values): (Vec<Value>, Vec<Value>) = match call.get(1) {
        Some(values) => {
            let values = array_elements(values).unwrap_or_default();
            if values.len() != first.len() {
                return Err(SqlError::new("2202E", "mismatched array dimensions"));
            }
            (first, values)
        }
        None if first.len() % 2 == 1 => {
            return Err(SqlError::new("2202E", "array must have even number of elements"));
        }
        None => first.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())).unzip(),
    };
    let mut members = Vec::with_capacity(keys.len());
    for (key, value) in keys.iter().zip(&values) {
        if key.is_null() {
            return Err(SqlError::new("22004", "null value not allowed for object key"));
        }
        let value = if value.is_null() { String::from("null") } else { quoted(text(value)?) };
        members.push(format!("{} : {value}", quoted(text(key)?)));
    }
    Ok(format!("{{{}}}", members.join(", ")))
}

/// `jsonb_insert`
fn insert(call: &mut Call<'_, '_>) -> Result<Value> {
    let (whole, new) = (document(call)?, call.args[2].output(JSONB).unwrap_or_default());
    if matches!(Parts::of(&whole), Parts::Scalar) {
        return Err(SqlError::new("22023", "cannot set path in scalar"));
    }
    let keys = array_elements(&call.args[1]).unwrap_or_default();
    let path = path_of(&keys)?;
    if path.is_empty() {
        Ok(call.args[0].clone())
    } else {
        as_jsonb(&inserted(&whole, &path, 0, &new, call.is_true(3))?)
    }
}

fn inserted(document: &str, path: &[&str], step: usize, new: &str, is_behind: bool) -> Result<String> {
    let (key, is_last) = (path[step], step + 1 == path.len());
    match Parts::of(document) {
        Parts::Object(members) => {
            let mut all = Vec::new();
            for (name, value) in &members {
                let value = match (name == key, is_last) {
                    (true, true) => return Err(SqlError::new("22023", "cannot replace existing key")),
                    (true, false) => inserted(value, path, step + 1, new, is_behind)?,
                    _ => String::from(*value),
                };
                all.push(format!("{}: {value}", quoted(name)));
            }
            if is_last {
                all.push(format!("{}: {new}", quoted(key)));
            }
            Ok(format!("{{{}}}", all.join(", ")))
        }
        Parts::Array(elements) => {
            let wrong = || {
                let message = format!("path element at position {} is not an integer: \"{key}\"", step + 1);
                SqlError::new("22P02", message)
            };
            let n: i32 = key.parse().map_err(|_| wrong())?;
            let count = elements.len() as i64;
            let at = if n < 0 { i64::from(n) + count } else { n.into() };
            let mut all: Vec<String> = elements.iter().map(|it| String::from(*it)).collect();
            match usize::try_from(at) {
                Ok(at) if at < all.len() && !is_last => {
                    all[at] = inserted(elements[at], path, step + 1, new, is_behind)?
                }
                Ok(at) if is_last => all.insert((at + usize::from(is_behind)).min(elements.len()), String::from(new)),
                Err(_) if is_last => all.insert(0, String::from(new)),
                _ => {}
            }
            Ok(format!("[{}]", all.join(", ")))
        }
        Parts::Scalar => Ok(String::from(document)),
    }
}

/// `jsonb_set_lax`: what is done with a value that is NULL the last argument says.
fn set_lax(call: &mut Call<'_, '_>) -> Result<Value> {
    const WAYS: &str =
        "null_value_treatment must be \"delete_key\", \"return_target\", \"use_json_null\", or \"raise_exception\"";
    if [0, 1, 3].into_iter().any(|n: usize| call.args[n].is_null()) {
        return Ok(Value::Null);
    }
    if call.args[4].is_null() {
        return Err(SqlError::new("22023", WAYS));
    }
    let null;
    let new = match &call.args[2] {
        Value::Null => match call.text(4)? {
            "raise_exception" => {
                let detail = "Exception was raised because null_value_treatment is \"raise_exception\".";
                return Err(SqlError::new("22004", "JSON value must not be null").with_detail(detail));
            }
            "use_json_null" => {
                null = as_jsonb("null")?;
                &null
            }
            "delete_key" => return super::jsonb::without_path(call),
            "return_target" => return Ok(call.args[0].clone()),
            _ => return Err(SqlError::new("22023", WAYS)),
        },
        value => value,
    };
    let whole = document(call)?;
    if !matches!(kind(&whole), "object" | "array") {
        return Err(SqlError::new("22023", "cannot set path in scalar"));
    }
    let keys = array_elements(&call.args[1]).unwrap_or_default();
    let path = path_of(&keys)?;
    if path.is_empty() {
        return Ok(call.args[0].clone());
    }
    as_jsonb(&placed(&whole, &path, 0, &new.output(JSONB).unwrap_or_default(), call.is_true(3))?)
}

impl Analyzer<'_> {
    /// The call, where the function makes or reads json of any number of arguments.
    pub(super) fn json_call(
        &mut self,
        name: &str,
        args: &[Typed],
    ) -> core::result::Result<Option<Typed>, StatementError> {
        let (builtin, ty) = match (name, args) {
            ("jsonb_build_object", _) => (const { Builtin::of("jsonb_build_object") }, JSONB),
            ("jsonb_build_array", _) => (const { Builtin::of("jsonb_build_array") }, JSONB),
            ("json_build_object", _) => (const { Builtin::of("json_build_object") }, JSON),
            ("json_build_array", _) => (const { Builtin::of("json_build_array") }, JSON),
            ("to_json", [arg]) if arg.ty.oid != UNKNOWN => (const { Builtin::of("to_json") }, JSON),
            ("jsonb_extract_path", _) => return self.path_call(const { Builtin::of("jsonb_extract_path") }, args),
            ("jsonb_extract_path_text", _) => {
                return self.path_call(const { Builtin::of("jsonb_extract_path_text") }, args);
            }
            ("json_extract_path", _) => return self.path_call(const { Builtin::of("json_extract_path") }, args),
            ("json_extract_path_text", _) => {
                return self.path_call(const { Builtin::of("json_extract_path_text") }, args);
            }
            _ => return Ok(None),
        };
        let mut decided = Vec::with_capacity(args.len());
        for arg in args {
            let is_open = arg.ty.oid == UNKNOWN;
            let arg = arg.clone();
            decided.push(if is_open { self.implicit(arg, TEXT)? } else { self.printed(arg)? });
        }
        Ok(Some(Typed { node: Node::Call(builtin, decided), ty: SqlType::plain(ty) }))
    }

    /// A document, and steps into it, each an argument (VARIADIC).
    fn path_call(&mut self, builtin: Builtin, args: &[Typed]) -> core::result::Result<Option<Typed>, StatementError> {
        let [whole, steps @ ..] = args else { return Ok(None) };
        let is_step = |step: &Typed| matches!(step.ty.oid, UNKNOWN | TEXT | 1042 | 1043);
        if steps.is_empty() || !steps.iter().all(is_step) {
            return Ok(None);
        }
        let is_binary = builtin.name().starts_with("jsonb");
        let (of, gives_text) = (if is_binary { JSONB } else { JSON }, builtin.name().ends_with("text"));
        let mut path = Vec::with_capacity(steps.len());
        for step in steps {
            path.push(self.implicit(step.clone(), TEXT)?);
        }
        if ![UNKNOWN, of].contains(&whole.ty.oid) {
            return Ok(None);
        }
        let steps = Typed { node: Node::Array(path), ty: SqlType::plain(TEXT_ARRAY) };
        let args = Vec::from([self.implicit(whole.clone(), of)?, steps]);
        let ty = if gives_text { TEXT } else { of };
        Ok(Some(Typed { node: Node::Call(builtin, args), ty: SqlType::plain(ty) }))
    }
}
