//! Arrays: dimensions, then elements one after another, aligned (src/include/utils/array.h).
//!
//! ```text
//! ├ ndim ┼ dataoffset ┼ elemtype ┼ length and lower bound of each dimension ┼ null bitmap ┼ elements …
//! ```

use super::bytes::Bytes;
use super::compare::comparator;
use super::cursor::Cursor;
use super::error;
use super::sql_type::{Kind, SqlType};
use super::types::{self, Type};
use super::value::Value;
use crate::page::Oid;
use crate::page::layout::{Wire, c_struct};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Ordering;

c_struct! {
    /// `ArrayType` after its varlena header.
    pub struct ArrayType, 12 {
        /// number of dimensions
        0 => ndim: i32,
        /// where the elements begin, 0 where no element is NULL
        4 => dataoffset: i32,
        /// type of the elements
        8 => elemtype: Oid,
    }
}

/// `MAXDIM`
pub const MAXDIM: usize = 6;
const WORD: usize = 4;
/// The only type whose `typdelim` is not a comma.
const BOX: Oid = 603;
const TEXT: Oid = 25;

/// A dimension: how many elements, and the number of the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dimension {
    /// how many elements
    pub len: usize,
    /// the number of the first
    pub lower: i32,
}

/// `array_out`
pub fn array_out(bytes: &[u8]) -> Option<String> {
    let (dimensions, elements) = read(bytes)?;
    Some(shown(bytes, &dimensions, elements))
}

/// The same, with elements as `text` prints them.
pub fn array_out_by(
    bytes: &[u8],
    text: &dyn Fn(&Value, Oid) -> error::Result<Option<String>>,
) -> error::Result<Option<String>> {
    let Some((dimensions, elements, ty)) = parts(bytes) else { return Ok(None) };
    let elements = values(&elements, ty).iter().map(|value| text(value, ty.oid)).collect::<error::Result<Vec<_>>>()?;
    Ok(Some(shown(bytes, &dimensions, elements)))
}

fn shown(bytes: &[u8], dimensions: &[Dimension], elements: Vec<Option<String>>) -> String {
    if dimensions.is_empty() {
        return "{}".to_string();
    }
    let mut text = String::new();
    if dimensions.iter().any(|dimension| dimension.lower != 1) {
        for Dimension { len, lower } in dimensions {
            text.push_str(&format!("[{lower}:{}]", i64::from(*lower) + *len as i64 - 1));
        }
        text.push('=');
    }
    let typdelim = if ArrayType::new(bytes).elemtype() == BOX { ';' } else { ',' };
    print(dimensions, &mut elements.into_iter(), typdelim, &mut text);
    text
}

/// `int2vectorout`, `oidvectorout`
pub fn vector_out(bytes: &[u8]) -> Option<String> {
    let (_, elements) = read(bytes)?;
    Some(elements.into_iter().collect::<Option<Vec<_>>>()?.join(" "))
}

/// Dimensions and elements' texts, NULL as `None`.
fn read(bytes: &[u8]) -> Option<(Vec<Dimension>, Vec<Option<String>>)> {
    let (dimensions, elements, ty) = parts(bytes)?;
    let texts = elements.into_iter().map(|element| match element {
        None => Some(None),
        Some(bytes) => (ty.output)(bytes).map(Some),
    });
    Some((dimensions, texts.collect::<Option<_>>()?))
}

/// Dimensions, the bytes of the elements (NULL as `None`), and their type.
type Parts<'a> = (Vec<Dimension>, Vec<Option<&'a [u8]>>, &'static Type);

fn parts(bytes: &[u8]) -> Option<Parts<'_>> {
    let head = ArrayType::new(bytes.get(..ArrayType::SIZE)?);
    let ty = types::find(head.elemtype());
    let ndim = usize::try_from(head.ndim()).ok().filter(|ndim| *ndim <= MAXDIM)?;
    let (dims, rest) = bytes.get(ArrayType::SIZE..)?.split_at_checked(2 * WORD * ndim)?;
    let (lens, lowers) = dims.split_at(WORD * ndim);
    let dimensions: Vec<Dimension> = (lens.chunks_exact(WORD).zip(lowers.chunks_exact(WORD)))
        .map(|(len, lower)| Some(Dimension { len: usize::try_from(i32::get(len)).ok()?, lower: i32::get(lower) }))
        .collect::<Option<_>>()?;
    let count = dimensions.iter().try_fold(1_usize, |all, d| all.checked_mul(d.len))?;
    if ndim == 0 || count == 0 {
        return Some((Vec::new(), Vec::new(), ty.or_else(|| types::find(TEXT))?));
    }
    let nulls = if head.dataoffset() == 0 { &[][..] } else { rest.get(..count.div_ceil(8))? };
    let start = bytes.len() - rest.len() + nulls.len();
    // positions count from the varlena header of 4 bytes, which a short one stands for
    let cursor = Cursor::new(bytes, WORD, start.checked_add(WORD)?.next_multiple_of(8));
    Some((dimensions, elements(count, nulls, cursor, ty?)?, ty?))
}

fn elements<'a>(count: usize, nulls: &[u8], mut cursor: Cursor<'a>, ty: &Type) -> Option<Vec<Option<&'a [u8]>>> {
    let mut elements = Vec::new();
    for n in 0..count {
        let is_null = nulls.get(n / 8).is_some_and(|byte| byte >> (n % 8) & 1 == 0);
        elements.push(if is_null { None } else { Some(cursor.take(ty.len, ty.align)?) });
    }
    Some(elements)
}

/// `construct_md_array`: the array of these elements, in order; without dimensions an empty one.
pub fn build(element: SqlType, dimensions: &[Dimension], values: &[Value]) -> Bytes {
    build_with(element, dimensions, values, values.iter().any(Value::is_null))
}

/// The same, with a null bitmap or without.
fn build_with(element: SqlType, dimensions: &[Dimension], values: &[Value], has_null: bool) -> Bytes {
    let mut bytes = Vec::new();
    let header = WORD + ArrayType::SIZE + 2 * WORD * dimensions.len();
    let data = (header + if has_null { values.len().div_ceil(8) } else { 0 }).next_multiple_of(8);
    let offset = if has_null { data as i32 } else { 0 };
    bytes.extend_from_slice(&(dimensions.len() as i32).to_le_bytes());
    bytes.extend_from_slice(&offset.to_le_bytes());
    bytes.extend_from_slice(&element.oid.to_le_bytes());
    dimensions.iter().for_each(|dimension| bytes.extend_from_slice(&(dimension.len as i32).to_le_bytes()));
    dimensions.iter().for_each(|dimension| bytes.extend_from_slice(&dimension.lower.to_le_bytes()));
    if dimensions.is_empty() {
        return bytes.into();
    }
    bytes.resize(data - WORD, 0);
    let align = usize::from(element.align().bytes());
    for (n, value) in values.iter().enumerate().filter(|(_, value)| !value.is_null()) {
        if has_null {
            bytes[header - WORD + n / 8] |= 1 << (n % 8);
        }
        if let Some(payload) = value.plain_bytes() {
            bytes.extend_from_slice(&((payload.len() + WORD) << 2).to_le_bytes()[..WORD]);
        }
        value.store(&mut bytes);
        // the next element is aligned, and the last one filled likewise (att_align_nominal)
        bytes.resize((bytes.len() + WORD).next_multiple_of(align) - WORD, 0);
    }
    bytes.into()
}

/// The elements of an array, in order; `None` of a value that is none.
#[must_use]
pub fn array_elements(array: &Value) -> Option<Vec<Value>> {
    let Value::Array(bytes) = array else { return None };
    let (_, elements, ty) = parts(bytes)?;
    Some(values(&elements, ty))
}

/// The dimensions of an array, outermost first; of an empty one none. `None` of a value that is no array.
#[must_use]
pub fn array_dimensions(array: &Value) -> Option<Vec<Dimension>> {
    let Value::Array(bytes) = array else { return None };
    parts(bytes).map(|(dimensions, ..)| dimensions)
}

/// `ExecEvalArrayExpr`: arrays of the same dimensions as the rows of one that has a dimension more; `None` where they
/// differ, or would have more than `MAXDIM`.
#[must_use]
pub fn nested_array(element: Oid, arrays: &[Value]) -> Option<Value> {
    let mut all = arrays.iter().map(|array| array_dimensions(array).unwrap_or_default());
    let inner = all.next()?;
    if all.any(|other| other != inner) || inner.len() == MAXDIM {
        return None;
    }
    let outer = Dimension { len: arrays.len(), lower: 1 };
    let dimensions = if inner.is_empty() { inner } else { core::iter::once(outer).chain(inner).collect() };
    let elements: Vec<Value> = arrays.iter().filter_map(array_elements).flatten().collect();
    Some(Value::Array(build(SqlType::plain(element), &dimensions, &elements)))
}

/// The parts of an array that have so many dimensions, its last ones, in order.
#[must_use]
pub fn array_slices(element: Oid, array: &Value, slice: usize) -> Vec<Value> {
    let Value::Array(bytes) = array else { return Vec::new() };
    let Some((dimensions, elements, ty)) = parts(bytes) else { return Vec::new() };
    let inner = &dimensions[dimensions.len().saturating_sub(slice)..];
    let size: usize = inner.iter().map(|dimension| dimension.len).product();
    let all = values(&elements, ty);
    all.chunks(size.max(1)).map(|part| Value::Array(build(SqlType::plain(element), inner, part))).collect()
}

/// Has the array one dimension, or none, and is its first element number 1? So is a value that is no array.
#[must_use]
pub fn is_plain_array(array: &Value) -> bool {
    let Value::Array(bytes) = array else { return true };
    parts(bytes).is_none_or(|(dimensions, ..)| match &dimensions[..] {
        [] => true,
        [only] => only.lower == 1,
        _ => false,
    })
}

/// An array of one dimension with these elements.
#[must_use]
pub fn make_array(element: Oid, elements: &[Value]) -> Value {
    make_array_from(element, 1, elements)
}

/// The same with another number of its first element.
#[must_use]
pub fn make_array_from(element: Oid, lower: i32, elements: &[Value]) -> Value {
    let whole = [Dimension { len: elements.len(), lower }];
    let dimensions = if elements.is_empty() { &[][..] } else { &whole[..] };
    Value::Array(build(SqlType::plain(element), dimensions, elements))
}

/// An array of one dimension that is made of others: it has a null bitmap where one of them has, though no element may
/// be NULL any more (`array_get_slice`, `array_set_element`, `array_cat`, `EA_get_flat_size`).
#[must_use]
pub fn array_made_of(others: &[&Value], element: Oid, lower: i32, elements: &[Value]) -> Value {
    if elements.is_empty() {
        return make_array(element, elements);
    }
    let has_bitmap = |array: &Value| match array {
        Value::Array(bytes) => bytes.get(..ArrayType::SIZE).is_some_and(|head| ArrayType::new(head).dataoffset() != 0),
        _ => false,
    };
    let has_null = elements.iter().any(Value::is_null) || others.iter().any(|array| has_bitmap(array));
    let dimension = Dimension { len: elements.len(), lower };
    Value::Array(build_with(SqlType::plain(element), &[dimension], elements, has_null))
}

/// An array of rows that have the same number of elements; without elements it has no dimension.
#[must_use]
pub fn make_matrix(element: Oid, columns: usize, elements: &[Value]) -> Value {
    let whole = [elements.len() / columns.max(1), columns].map(|len| Dimension { len, lower: 1 });
    let dimensions = if elements.is_empty() { &[][..] } else { &whole[..] };
    Value::Array(build(SqlType::plain(element), dimensions, elements))
}

/// `array_cmp`: element by element, NULL above all else; then by length, dimensions and bounds.
pub fn compare(a: &Value, b: &Value) -> Ordering {
    let read =
        |value: &Value| value.bytes().and_then(|bytes| parts(bytes).map(|parts| (parts.0, values(&parts.1, parts.2))));
    let (Some(left), Some(right)) = (read(a), read(b)) else { return Ordering::Equal };
    let elemtype = a.bytes().map_or(0, |bytes| ArrayType::new(bytes).elemtype());
    let Some(order) = comparator(elemtype) else { return Ordering::Equal };
    let pairs = left.1.iter().zip(&right.1).map(|(a, b)| match (a.is_null(), b.is_null()) {
        (false, false) => order(a, b),
        (a, b) => a.cmp(&b),
    });
    let bounds = |dimension: &Dimension| (dimension.len, dimension.lower);
    let first = pairs.into_iter().find(|order| order.is_ne());
    first.unwrap_or_else(|| {
        (left.1.len().cmp(&right.1.len()))
            .then_with(|| left.0.len().cmp(&right.0.len()))
            .then_with(|| left.0.iter().map(bounds).cmp(right.0.iter().map(bounds)))
    })
}

fn values(elements: &[Option<&[u8]>], ty: &Type) -> Vec<Value> {
    let kind = Kind::of(ty.oid);
    elements.iter().map(|bytes| bytes.map_or(Value::Null, |bytes| Value::from_stored(kind, bytes))).collect()
}

fn print(
    dimensions: &[Dimension],
    elements: &mut impl Iterator<Item = Option<String>>,
    typdelim: char,
    text: &mut String,
) {
    let Some((outer, inner)) = dimensions.split_first() else {
        match elements.next().flatten() {
            None => text.push_str("NULL"),
            Some(element) => quote(&element, typdelim, text),
        }
        return;
    };
    text.push('{');
    for n in 0..outer.len {
        text.extend((n > 0).then_some(typdelim));
        print(inner, elements, typdelim, text);
    }
    text.push('}');
}

/// Quotes what would else be read as something else.
pub(super) fn quote(element: &str, typdelim: char, text: &mut String) {
    let is_special = |c: char| c == typdelim || matches!(c, '"' | '\\' | '{' | '}' | ' ' | '\t'..='\r');
    if !element.is_empty() && !element.contains(is_special) && !element.eq_ignore_ascii_case("null") {
        text.push_str(element);
        return;
    }
    text.push('"');
    for c in element.chars() {
        text.push_str(if matches!(c, '"' | '\\') { "\\" } else { "" });
        text.push(c);
    }
    text.push('"');
}
