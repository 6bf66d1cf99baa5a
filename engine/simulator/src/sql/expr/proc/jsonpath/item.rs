//! What `JSON_VALUE`, `JSON_QUERY` and `JSON_EXISTS` make of what a path finds (`ExecEvalJsonExprPath`,
//! src/backend/executor/execExprInterp.c; `JsonPathValue`, `JsonPathQuery`, src/backend/utils/adt/jsonpath_exec.c).

use super::{Json, items};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::call::Call;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::input::input;
use ffviz_format::datum::{SqlType, Value};

/// How it is written: wrapper, quotes, what is done ON EMPTY and ON ERROR; the type; the column of `JSON_TABLE`.
struct Spec<'a> {
    letters: [char; 4],
    ty: SqlType,
    column: &'a str,
}

impl<'a> Spec<'a> {
    fn read(text: &'a str) -> Self {
        let mut words = text.splitn(5, ' ');
        let mut letters = ['n'; 4];
        letters.iter_mut().zip(words.next().unwrap_or("").chars()).for_each(|(place, letter)| *place = letter);
        let oid = words.next().and_then(|oid| oid.parse().ok()).unwrap_or(25);
        let typmod = words.next().and_then(|typmod| typmod.parse().ok()).unwrap_or(-1);
        Self { letters, ty: SqlType { oid, typmod }, column: words.nth(1).unwrap_or("") }
    }

    /// Of which expression an error is.
    fn of(&self, function: &str) -> String {
        match self.column {
            "" => format!("in {function}"),
            column => format!("for column \"{column}\""),
        }
    }
}

/// The value; the arguments are the document, the path, its variables, how it is written, and two values by default.
pub(in crate::sql::expr) fn json_item(call: &mut Call<'_, '_>) -> Result<Value> {
    if call.args[0].is_null() {
        return Ok(Value::Null);
    }
    let spec = Spec::read(call.text(3)?);
    let (wrong, letter, default) = match found(call, &spec) {
        Ok(Some(value)) => return Ok(value),
        Err(error) if error.sqlstate == NOT_SIMULATED => return Err(error),
        Err(error) => (error, spec.letters[3], 5),
        Ok(None) => {
            let of = if spec.column.is_empty() { String::new() } else { format!(" of column \"{}\"", spec.column) };
            let message = format!("no SQL/JSON item found for specified path{of}");
            (SqlError::new("22035", message), spec.letters[2], 4)
        }
    };
    let made = |text: &str, call: &mut Call<'_, '_>| input(text, spec.ty, &call.input());
    match letter {
        'e' => Err(wrong),
        'd' => Ok(call.args[default].clone()),
        'a' => made("[]", call),
        'o' => made("{}", call),
        't' | 'f' => truth(call, &spec, letter == 't'),
        _ => Ok(Value::Null),
    }
}

fn truth(call: &mut Call<'_, '_>, spec: &Spec<'_>, holds: bool) -> Result<Value> {
    let is_number = matches!(spec.ty.oid, 20 | 21 | 23);
    let text = match (is_number, holds) {
        (true, true) => "1",
        (true, false) => "0",
        (false, true) => "true",
        (false, false) => "false",
    };
    input(text, spec.ty, &call.input())
}

/// What the path finds as a value; nothing where it finds nothing.
fn found(call: &mut Call<'_, '_>, spec: &Spec<'_>) -> Result<Option<Value>> {
    let context = call.input();
    let found = items(&call.args[0], call.text(1)?, call.get(2), false, context)?.unwrap_or_default();
    let text = match (call.proc.name, &found[..]) {
        ("json exists", _) => return truth(call, spec, !found.is_empty()).map(Some),
        (_, []) => return Ok(None),
        ("json value", [Json::Null]) => return Ok(Some(Value::Null)),
        ("json value", [Json::Bool(value)]) if spec.ty.oid != 16 => {
            // as boolout says it
            if *value { "t" } else { "f" }.to_string()
        }
        ("json value", [Json::String(text)]) => text.clone(),
        ("json value", [scalar @ (Json::Number(_) | Json::Bool(_))]) => scalar.to_string(),
        ("json value", others) => {
            let state = if others.len() == 1 { "2203F" } else { "22034" };
            let message = format!("JSON path expression {} must return single scalar item", spec.of("JSON_VALUE"));
            return Err(SqlError::new(state, message));
        }
        (_, all) => match query(all, spec)? {
            Json::String(text) if spec.letters[1] == 'o' => text,
            Json::String(text) if !matches!(spec.ty.oid, 25 | 114 | 1042 | 1043 | 3802) => text,
            Json::Null if !matches!(spec.ty.oid, 25 | 114 | 1042 | 1043 | 3802) => return Ok(Some(Value::Null)),
            json => json.to_string(),
        },
    };
    input(&text, spec.ty, &context).map(Some)
}

fn query(all: &[Json], spec: &Spec<'_>) -> Result<Json> {
    match (spec.letters[0], all) {
        ('u', _) => {}
        (_, [one]) => return Ok(one.clone()),
        ('c', _) => {}
        _ => {
            let of = spec.of("JSON_QUERY");
            let message = format!("JSON path expression {of} must return single item when no wrapper is requested");
            let hint = "Use the WITH WRAPPER clause to wrap SQL/JSON items into an array.";
            return Err(SqlError::new("22034", message).with_hint(hint));
        }
    }
    Ok(Json::Array(Vec::from(all)))
}
