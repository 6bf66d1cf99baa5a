//! Functions of arrays (src/backend/utils/adt/arrayfuncs.c, array_userfuncs.c): of one dimension, counted from 1.

use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::call::{Call, text};
use crate::sql::expr::operate;
use crate::sql::expr::pg_catalog::{ANY, ANYARRAY, BOOL, INT4, TEXT};
use crate::sql::expr::pg_proc::{Proc, f};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::{
    Dimension, Value, array_dimensions, array_elements, array_made_of, element_of, is_plain_array, make_array,
    make_matrix,
};
use ffviz_format::page::Oid;

pub(super) const PROCS: &[Proc] = &[
    f("array_append", &[ANYARRAY, ANY], ANYARRAY, array_append).of_null(),
    f("array_cat", &[ANYARRAY, ANYARRAY], ANYARRAY, array_cat).of_null(),
    f("array_length", &[ANYARRAY, INT4], INT4, array_length),
    f("array_lower", &[ANYARRAY, INT4], INT4, array_lower),
    f("array_position", &[ANYARRAY, ANY], INT4, array_position).of_null(),
    f("array_position", &[ANYARRAY, ANY, INT4], INT4, array_position).of_null(),
    f("array_prepend", &[ANY, ANYARRAY], ANYARRAY, array_prepend).of_null(),
    f("array_set_element", &[ANYARRAY, INT4, ANY], ANYARRAY, array_set_element).of_null(),
    f("array_slice", &[ANYARRAY, INT4, INT4], ANYARRAY, array_slice),
    f("array_remove", &[ANYARRAY, ANY], ANYARRAY, array_remove).of_null(),
    f("array_reverse", &[ANYARRAY], ANYARRAY, |call| {
        Ok(make_array(element(call), &elements(call, 0)?.into_iter().rev().collect::<Vec<_>>()))
    })
    .since(18),
    f("array_sort", &[ANYARRAY], ANYARRAY, array_sort).since(18),
    f("array_sort", &[ANYARRAY, BOOL], ANYARRAY, array_sort).since(18),
    f("array_sort", &[ANYARRAY, BOOL, BOOL], ANYARRAY, array_sort).since(18),
    f("array_subscript", &[ANYARRAY, INT4], ANY, array_subscript),
    f("array_to_string", &[ANYARRAY, TEXT], TEXT, array_to_string).of_null(),
    f("array_to_string", &[ANYARRAY, TEXT, TEXT], TEXT, array_to_string).of_null(),
    f("array_upper", &[ANYARRAY, INT4], INT4, array_upper),
    f("arraycontained", &[ANYARRAY, ANYARRAY], BOOL, |call| {
        Ok(Value::Bool(Array::of(call).has_all(&elements(call, 0)?, &elements(call, 1)?)?))
    }),
    f("arraycontains", &[ANYARRAY, ANYARRAY], BOOL, |call| {
        Ok(Value::Bool(Array::of(call).has_all(&elements(call, 1)?, &elements(call, 0)?)?))
    }),
    f("arrayoverlap", &[ANYARRAY, ANYARRAY], BOOL, arrayoverlap),
    f("cardinality", &[ANYARRAY], INT4, |call| {
        Ok(Value::Int4(array_elements(&call.args[0]).map_or(0, |all| all.len() as i32)))
    }),
];

/// How the elements of an array are compared.
pub(super) struct Array {
    pub(super) element: Oid,
    input: Input,
}

impl Array {
    pub(super) fn of(call: &mut Call<'_, '_>) -> Self {
        Self { element: element(call), input: call.input() }
    }

    /// NULL is equal to NULL.
    pub(super) fn equal(&self, a: &Value, b: &Value) -> Result<bool> {
        Ok(match (a.is_null(), b.is_null()) {
            (false, false) => operate::compare(a, b, [self.element; 2], &self.input)?.is_eq(),
            (a, b) => a && b,
        })
    }

    fn has(&self, whole: &[Value], part: &Value) -> Result<bool> {
        for item in whole {
            if self.equal(item, part)? && !part.is_null() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn has_all(&self, parts: &[Value], whole: &[Value]) -> Result<bool> {
        for part in parts {
            if !self.has(whole, part)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The type of the elements of the first argument.
fn element(call: &Call<'_, '_>) -> Oid {
    element_of(call.type_of(0)).unwrap_or(TEXT)
}

/// The elements of an argument; of NULL none.
pub(super) fn elements(call: &Call<'_, '_>, n: usize) -> Result<Vec<Value>> {
    if !is_plain_array(&call.args[n]) {
        let message = "an array of several dimensions, or that does not begin at 1, is not supported here";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    Ok(array_elements(&call.args[n]).unwrap_or_default())
}

/// elements that an assignment may make an array have
const MOST: i64 = 1_000_000;

/// The elements of an array of one dimension, and the number of the first.
fn row(call: &Call<'_, '_>, n: usize) -> Result<(i32, Vec<Value>)> {
    let all = array_elements(&call.args[n]).unwrap_or_default();
    match array_dimensions(&call.args[n]).unwrap_or_default()[..] {
        [] => Ok((1, all)),
        [only] => Ok((only.lower, all)),
        _ => Err(SqlError::new(NOT_SIMULATED, "an array of several dimensions is not supported here")),
    }
}

fn array_append(call: &mut Call<'_, '_>) -> Result<Value> {
    let (lower, mut elements) = row(call, 0)?;
    elements.push(call.args[1].clone());
    Ok(array_made_of(&[&call.args[0]], element(call), lower, &elements))
}

fn array_cat(call: &mut Call<'_, '_>) -> Result<Value> {
    if call.args.iter().all(Value::is_null) {
        return Ok(Value::Null);
    }
    let [one, other] = [0, 1].map(|n| array_dimensions(&call.args[n]).unwrap_or_default());
    if one.len() > 1 || other.len() > 1 {
        return matrix_cat(call, &one, &other);
    }
    let (one, other) = (row(call, 0)?, row(call, 1)?);
    // `array_cat` gives the other one back where one is empty
    let (lower, arrays) = match (one.1.is_empty(), other.1.is_empty()) {
        (true, _) => (other.0, &call.args[1..2]),
        (_, true) => (one.0, &call.args[..1]),
        _ => (one.0, &call.args[..2]),
    };
    let both: Vec<Value> = one.1.into_iter().chain(other.1).collect();
    Ok(array_made_of(&arrays.iter().collect::<Vec<_>>(), element(call), lower, &both))
}

/// Arrays of several dimensions one after the other; one with a dimension less is a row of the other.
fn matrix_cat(call: &Call<'_, '_>, one: &[Dimension], other: &[Dimension]) -> Result<Value> {
    let lengths = |dimensions: &[Dimension]| dimensions.iter().map(|dimension| dimension.len).collect::<Vec<_>>();
    let (one, other) = (lengths(one), lengths(other));
    let rows = |array: &Value, lengths: &[usize], columns: usize| match lengths.len() {
        // without elements it has no rows either
        0 => Vec::new(),
        1 => Vec::from([array_elements(array).unwrap_or_default()]),
        _ => array_elements(array).unwrap_or_default().chunks(columns.max(1)).map(<[Value]>::to_vec).collect(),
    };
    let columns = *one.last().or(other.last()).unwrap_or(&0);
    let fits = |lengths: &[usize]| lengths.is_empty() || lengths.last() == Some(&columns);
    if one.len() > 2 || other.len() > 2 {
        return Err(SqlError::new(NOT_SIMULATED, "|| of arrays of more than two dimensions is not supported"));
    }
    if !fits(&one) || !fits(&other) {
        let error = SqlError::new("2202E", "cannot concatenate incompatible arrays");
        let what = "Arrays with differing element dimensions are not compatible for concatenation.";
        return Err(error.with_detail(what));
    }
    let mut all = rows(&call.args[0], &one, columns);
    all.extend(rows(&call.args[1], &other, columns));
    Ok(make_matrix(element(call), columns, &all.concat()))
}

/// `array_upper`: an empty array has no dimension.
fn array_upper(call: &mut Call<'_, '_>) -> Result<Value> {
    Ok(dimension(call).map_or(Value::Null, |it| Value::Int4(it.lower + it.len as i32 - 1)))
}

fn array_length(call: &mut Call<'_, '_>) -> Result<Value> {
    Ok(dimension(call).map_or(Value::Null, |it| Value::Int4(it.len as i32)))
}

fn array_lower(call: &mut Call<'_, '_>) -> Result<Value> {
    Ok(dimension(call).map_or(Value::Null, |it| Value::Int4(it.lower)))
}

/// The dimension that the second argument counts from 1.
fn dimension(call: &Call<'_, '_>) -> Option<Dimension> {
    let place = usize::try_from(call.int(1)).ok()?.checked_sub(1)?;
    array_dimensions(&call.args[0])?.get(place).copied()
}

fn array_prepend(call: &mut Call<'_, '_>) -> Result<Value> {
    let (lower, elements) = row(call, 1)?;
    let all: Vec<Value> = core::iter::once(call.args[0].clone()).chain(elements).collect();
    Ok(array_made_of(&[&call.args[1]], element_of(call.type_of(1)).unwrap_or(TEXT), lower, &all))
}

/// `array_get_slice`
fn array_slice(call: &mut Call<'_, '_>) -> Result<Value> {
    let (lower, all) = row(call, 0)?;
    let before = |bound: i64| usize::try_from(bound - i64::from(lower)).unwrap_or(0);
    let (from, to) = (before(call.int(1).into()), before(i64::from(call.int(2)) + 1).min(all.len()));
    Ok(array_made_of(&[&call.args[0]], element(call), 1, all.get(from..to).unwrap_or(&[])))
}

/// `array_set_element`
fn array_set_element(call: &mut Call<'_, '_>) -> Result<Value> {
    if call.args[1].is_null() {
        return Err(SqlError::new("22004", "array subscript in assignment must not be null"));
    }
    let (lower, mut all) = row(call, 0)?;
    let at = call.int(1);
    // of an empty array the only element is number `at`
    let lower = if all.is_empty() { at } else { lower };
    let n = i64::from(at) - i64::from(lower);
    if n.abs() >= MOST {
        return Err(SqlError::new(NOT_SIMULATED, format!("an array of more than {MOST} elements is not supported")));
    }
    let missing = usize::try_from(-n).unwrap_or(0);
    all.splice(..0, core::iter::repeat_n(Value::Null, missing));
    let n = usize::try_from(n).unwrap_or(0);
    all.resize(all.len().max(n + 1), Value::Null);
    all[n].clone_from(&call.args[2]);
    Ok(array_made_of(&[&call.args[0]], element(call), lower.min(at), &all))
}

/// `array[n]`
fn array_subscript(call: &mut Call<'_, '_>) -> Result<Value> {
    let dimensions = array_dimensions(&call.args[0]).unwrap_or_default();
    if dimensions.len() != call.args.len() - 1 {
        return Ok(Value::Null);
    }
    let mut place = 0;
    for (n, dimension) in dimensions.iter().enumerate() {
        let at = call.int(n + 1).checked_sub(dimension.lower).and_then(|at| usize::try_from(at).ok());
        let Some(at) = at.filter(|at| *at < dimension.len) else { return Ok(Value::Null) };
        place = place * dimension.len + at;
    }
    Ok(array_elements(&call.args[0]).and_then(|all| all.get(place).cloned()).unwrap_or(Value::Null))
}

fn array_position(call: &mut Call<'_, '_>) -> Result<Value> {
    let array = Array::of(call);
    if call.get(2).is_some_and(Value::is_null) {
        return Err(SqlError::new("22004", "initial position must not be null"));
    }
    let from = usize::try_from(call.get(2).map_or(1, |_| call.int(2))).unwrap_or(1).max(1) - 1;
    for (n, item) in elements(call, 0)?.iter().enumerate().skip(from) {
        if array.equal(item, &call.args[1])? {
            return Ok(Value::Int4(n as i32 + 1));
        }
    }
    Ok(Value::Null)
}

/// Descending, NULL comes first, unless it is said otherwise.
fn array_sort(call: &mut Call<'_, '_>) -> Result<Value> {
    let (array, mut sorted) = (Array::of(call), elements(call, 0)?);
    let descends = call.is_true(1);
    let nulls_first = if call.args.len() > 2 { call.is_true(2) } else { descends };
    let mut failed = None;
    sorted.sort_by(|a, b| match (a.is_null(), b.is_null()) {
        (true, true) => Ordering::Equal,
        (true, false) => {
            if nulls_first {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        }
        (false, true) => {
            if nulls_first {
                Ordering::Greater
            } else {
                Ordering::Less
            }
        }
        (false, false) => match operate::compare(a, b, [array.element; 2], &array.input) {
            Ok(order) => {
                if descends {
                    order.reverse()
                } else {
                    order
                }
            }
            Err(error) => {
                failed.get_or_insert(error);
                Ordering::Equal
            }
        },
    });
    failed.map_or_else(|| Ok(make_array(array.element, &sorted)), Err)
}

fn array_remove(call: &mut Call<'_, '_>) -> Result<Value> {
    if call.args[0].is_null() {
        return Ok(Value::Null);
    }
    let array = Array::of(call);
    let mut left = Vec::new();
    for item in elements(call, 0)? {
        if !array.equal(&item, &call.args[1])? {
            left.push(item);
        }
    }
    Ok(make_array(array.element, &left))
}

fn arrayoverlap(call: &mut Call<'_, '_>) -> Result<Value> {
    let (array, others) = (Array::of(call), elements(call, 1)?);
    let mut found = false;
    for item in elements(call, 0)? {
        found |= array.has(&others, &item)?;
    }
    Ok(Value::Bool(found))
}

fn array_to_string(call: &mut Call<'_, '_>) -> Result<Value> {
    if call.args[0].is_null() || call.args[1].is_null() {
        return Ok(Value::Null);
    }
    let separator = call.text(1)?;
    let null = call.get(2).filter(|null| !null.is_null()).map(text).transpose()?;
    let (element, elements) = (element(call), array_elements(&call.args[0]).unwrap_or_default());
    let style = call.input().style;
    let words = elements.iter().map(|item| Ok(style.output(item, element)?.or_else(|| null.map(String::from))));
    let words = words.collect::<Result<Vec<_>>>()?;
    Ok(Value::text(&words.into_iter().flatten().collect::<Vec<_>>().join(separator)))
}
