//! Arrays made of text, filled, cut and searched (src/backend/utils/adt/array_userfuncs.c, arrayfuncs.c, varlena.c;
//! `array_to_json`, json.c): of one dimension, counted from 1.

use super::array::{Array, elements};
use super::json;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::call::{Call, text};
use crate::sql::expr::pg_catalog::{ANY, ANYARRAY, BOOL, INT4, INT4_ARRAY, JSON, TEXT, TEXT_ARRAY};
use crate::sql::expr::pg_proc::{Proc, f};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::{
    Value, array_dimensions, array_elements, array_made_of, make_array, make_array_from, make_matrix,
};

pub(super) const PROCS: &[Proc] = &[
    f("array_dims", &[ANYARRAY], TEXT, array_dims),
    f("array_ndims", &[ANYARRAY], INT4, |call| {
        let count = array_dimensions(&call.args[0]).map_or(0, |dimensions| dimensions.len());
        Ok(if count == 0 { Value::Null } else { Value::Int4(count as i32) })
    }),
    f("array_positions", &[ANYARRAY, ANY], INT4_ARRAY, array_positions).of_null(),
    f("array_replace", &[ANYARRAY, ANY, ANY], ANYARRAY, array_replace).of_null(),
    f("array_to_json", &[ANYARRAY], JSON, array_to_json).stable().alone(),
    f("array_to_json", &[ANYARRAY, BOOL], JSON, array_to_json).stable().alone(),
    f("string_to_array", &[TEXT, TEXT], TEXT_ARRAY, string_to_array).of_null(),
    f("string_to_array", &[TEXT, TEXT, TEXT], TEXT_ARRAY, string_to_array).of_null(),
    f("trim_array", &[ANYARRAY, INT4], ANYARRAY, trim_array).since(14),
];

/// `array_dims`: where the elements are counted from and to.
fn array_dims(call: &mut Call<'_, '_>) -> Result<Value> {
    let dimensions = array_dimensions(&call.args[0]).unwrap_or_default();
    let bounds = dimensions.iter().map(|it| format!("[{}:{}]", it.lower, i64::from(it.lower) + it.len as i64 - 1));
    let all: String = bounds.collect();
    Ok(if all.is_empty() { Value::Null } else { Value::text(&all) })
}

fn array_positions(call: &mut Call<'_, '_>) -> Result<Value> {
    if call.args[0].is_null() {
        return Ok(Value::Null);
    }
    let (array, mut found) = (Array::of(call), Vec::new());
    for (n, item) in (1..).zip(elements(call, 0)?) {
        if array.equal(&item, &call.args[1])? {
            found.push(Value::Int4(n));
        }
    }
    Ok(make_array(INT4, &found))
}

fn array_replace(call: &mut Call<'_, '_>) -> Result<Value> {
    if call.args[0].is_null() {
        return Ok(Value::Null);
    }
    let (array, mut all) = (Array::of(call), elements(call, 0)?);
    for item in &mut all {
        if array.equal(item, &call.args[1])? {
            item.clone_from(&call.args[2]);
        }
    }
    Ok(make_array(array.element, &all))
}

/// `array_fill`: of one dimension or two, perhaps counted from elsewhere.
pub(super) fn array_fill(call: &mut Call<'_, '_>) -> Result<Value> {
    let null = |message: &'static str| Err(SqlError::new("22004", message));
    if call.args[1..].iter().any(Value::is_null) {
        return null("dimension array or low bound array cannot be null");
    }
    let numbers = |value: &Value| {
        let all = array_elements(value).unwrap_or_default();
        all.iter().map(Value::integer).collect::<Option<Vec<i64>>>()
    };
    let Some(lengths) = numbers(&call.args[1]) else { return null("dimension values cannot be null") };
    let lowers = match call.get(2).map(numbers) {
        Some(None) => return null("dimension values cannot be null"),
        Some(Some(lowers)) => lowers,
        None => lengths.iter().map(|_| 1).collect(),
    };
    if lowers.len() != lengths.len() {
        let error = SqlError::new("2202E", "wrong number of array subscripts");
        return Err(error.with_detail("Low bound array has different size than dimensions array."));
    }
    const MOST: i64 = 134_217_727;
    let count = lengths.iter().try_fold(1_i64, |count, length| count.checked_mul(*length));
    if lengths.iter().any(|length| *length < 0) || count.is_none_or(|count| count > MOST) {
        return Err(SqlError::new("54000", format!("array size exceeds the maximum allowed ({MOST})")));
    }
    let (element, count) = (call.type_of(0), count.unwrap_or(0));
    let all: Vec<Value> = (0..count).map(|_| call.args[0].clone()).collect();
    match (&lengths[..], &lowers[..]) {
        ([], _) => Ok(make_array(element, &[])),
        ([_], [lower]) => Ok(make_array_from(element, *lower as i32, &all)),
        ([_, columns], [1, 1]) => Ok(make_matrix(element, *columns as usize, &all)),
        _ => Err(SqlError::new(NOT_SIMULATED, "array_fill of more dimensions than two is not supported")),
    }
}

fn trim_array(call: &mut Call<'_, '_>) -> Result<Value> {
    let (array, mut all) = (Array::of(call), elements(call, 0)?);
    let left = i64::from(call.int(1));
    match usize::try_from(all.len() as i64 - left).ok().filter(|_| left >= 0) {
        Some(left) => all.truncate(left),
        None => {
            let message = format!("number of elements to trim must be between 0 and {}", all.len());
            return Err(SqlError::new("2202E", message));
        }
    }
    Ok(array_made_of(&[&call.args[0]], array.element, 1, &all))
}

fn array_to_json(call: &mut Call<'_, '_>) -> Result<Value> {
    let document = json::element_text(&call.args[0], call.type_of(0), &call.input().style)?;
    if !call.is_true(1) {
        return Ok(Value::text(&document));
    }
    let json::Parts::Array(parts) = json::Parts::of(&document) else { return Ok(Value::text(&document)) };
    Ok(Value::text(&format!("[{}]", parts.join(",\n "))))
}

/// `split_text`: nothing of no text; without a separator its characters; what is the third argument is NULL.
pub(in crate::sql) fn split_text(args: &[Value]) -> Result<Option<Vec<Value>>> {
    let Some(string) = args.first().filter(|value| !value.is_null()) else { return Ok(None) };
    let string = text(string)?;
    let null = args.get(2).filter(|value| !value.is_null()).map(text).transpose()?;
    let part = |part: &str| if null == Some(part) { Value::Null } else { Value::text(part) };
    Ok(Some(match &args[1] {
        _ if string.is_empty() => Vec::new(),
        Value::Null => string.chars().map(|c| part(c.encode_utf8(&mut [0; 4]))).collect(),
        separator => match text(separator)? {
            "" => Vec::from([part(string)]),
            separator => string.split(separator).map(part).collect(),
        },
    }))
}

fn string_to_array(call: &mut Call<'_, '_>) -> Result<Value> {
    Ok(split_text(call.args)?.map_or(Value::Null, |parts| make_array(TEXT, &parts)))
}
