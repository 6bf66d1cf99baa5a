//! Rows of documents, as a list of columns says (`populate_record`, `populate_recordset_worker`,
//! src/backend/utils/adt/jsonfuncs.c).

use super::json::{Parts, kind, unquoted};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::call::text;
use crate::sql::expr::pg_catalog::{JSON, JSONB};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::input::{Context as Input, input};
use ffviz_format::datum::{SqlType, Value, element_of};

/// Who reads a document as one row.
const COMPOSITE: &str = "populate_composite";
/// What stands between the columns of a list, and between their parts.
const BETWEEN: char = '\u{1}';

/// A list of columns as a text, for [`record_rows`].
pub(in crate::sql) fn column_list(columns: &[(String, SqlType)]) -> String {
    let column = |(name, ty): &(String, SqlType)| format!("{}{BETWEEN}{}{BETWEEN}{name}", ty.oid, ty.typmod);
    columns.iter().map(column).collect::<Vec<_>>().join("\u{2}")
}

fn columns(list: &str) -> Vec<(&str, SqlType)> {
    let column = |column| {
        let mut parts = str::splitn(column, 3, BETWEEN);
        let oid = parts.next()?.parse().ok()?;
        let typmod = parts.next()?.parse().ok()?;
        Some((parts.next()?, SqlType { oid, typmod }))
    };
    list.split('\u{2}').filter_map(column).collect()
}

/// The rows of `json_to_record` and its like: of a document and a list of columns.
pub(in crate::sql) fn record_rows(name: &str, args: &[Value], context: &Input) -> Result<Vec<Vec<Value>>> {
    let document = match &args[0] {
        // a row of which nothing is known
        Value::Null => "{}".to_string(),
        binary @ Value::Jsonb(_) => binary.output(JSONB).unwrap_or_default(),
        other => text(other)?.to_string(),
    };
    let columns = columns(text(&args[1])?);
    let refuse = |what: &str, on: &str| Err(SqlError::new("22023", format!("cannot call {what} on {on}")));
    let is_set = name.ends_with("recordset");
    let row = |parts: &Parts<'_>| -> Result<Vec<Value>> {
        columns
            .iter()
            .map(|(name, ty)| parts.member(name).map_or(Ok(Value::Null), |it| value(it, *ty, context)))
            .collect()
    };
    match Parts::of(&document) {
        Parts::Array(elements) if is_set => {
            let mut rows = Vec::with_capacity(elements.len());
            for element in elements {
                match Parts::of(element) {
                    parts @ Parts::Object(_) => rows.push(row(&parts)?),
                    _ => {
                        let message = format!("argument of {name} must be an array of objects");
                        return Err(SqlError::new("22023", message));
                    }
                }
            }
            Ok(rows)
        }
        _ if is_set && name.starts_with("jsonb") => refuse(name, "a non-array"),
        Parts::Object(_) if is_set => refuse(name, "an object"),
        Parts::Scalar if is_set => refuse(name, "a scalar"),
        parts @ Parts::Object(_) => Ok(Vec::from([row(&parts)?])),
        Parts::Array(_) => refuse(COMPOSITE, "an array"),
        Parts::Scalar => refuse(COMPOSITE, "a scalar"),
    }
}

/// `populate_record_field`
fn value(part: &str, ty: SqlType, context: &Input) -> Result<Value> {
    if [JSON, JSONB].contains(&ty.oid) {
        return input(part, ty, context);
    }
    match kind(part) {
        "null" => Ok(Value::Null),
        "string" => input(&unquoted(part), ty, context),
        "array" if element_of(ty.oid).is_some() => input(&array_text(part)?, ty, context),
        "object" if element_of(ty.oid).is_some() => {
            Err(SqlError::new(NOT_SIMULATED, "an object where an array is expected is not supported"))
        }
        _ => input(part, ty, context),
    }
}

/// An array as `array_in` takes it.
fn array_text(part: &str) -> Result<String> {
    let Parts::Array(elements) = Parts::of(part) else { return Ok(String::new()) };
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let mut all = Vec::with_capacity(elements.len());
    for element in elements {
        all.push(match kind(element) {
            "null" => "NULL".to_string(),
            "string" => quoted(&unquoted(element)),
            "array" => array_text(element)?,
            "object" => quoted(element),
            _ => element.to_string(),
        });
    }
    Ok(format!("{{{}}}", all.join(",")))
}
