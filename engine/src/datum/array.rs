//! Arrays: dimensions, then elements one after another, aligned (src/include/utils/array.h).
//!
//! ```text
//! ├ ndim ┼ dataoffset ┼ elemtype ┼ length and lower bound of each dimension ┼ null bitmap ┼ elements …
//! ```

use super::cursor::Cursor;
use super::types::{self, Type};
use crate::page::Oid;
use crate::page::layout::{Wire, c_struct};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

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
const MAXDIM: usize = 6;
const WORD: usize = 4;
/// The only type whose `typdelim` is not a comma.
const BOX: Oid = 603;

/// A dimension: how many elements, and the number of the first.
struct Dimension {
    len: usize,
    lower: i32,
}

/// `array_out`
pub fn array_out(bytes: &[u8]) -> Option<String> {
    let (dimensions, elements) = read(bytes)?;
    if dimensions.is_empty() {
        return Some("{}".to_string());
    }
    let mut text = String::new();
    if dimensions.iter().any(|dimension| dimension.lower != 1) {
        for Dimension { len, lower } in &dimensions {
            text.push_str(&format!("[{lower}:{}]", i64::from(*lower) + *len as i64 - 1));
        }
        text.push('=');
    }
    let typdelim = if ArrayType::new(bytes).elemtype() == BOX { ';' } else { ',' };
    print(&dimensions, &mut elements.into_iter(), typdelim, &mut text);
    Some(text)
}

/// `int2vectorout`, `oidvectorout`
pub fn vector_out(bytes: &[u8]) -> Option<String> {
    let (_, elements) = read(bytes)?;
    Some(elements.into_iter().collect::<Option<Vec<_>>>()?.join(" "))
}

/// Dimensions and elements, NULL as `None`.
fn read(bytes: &[u8]) -> Option<(Vec<Dimension>, Vec<Option<String>>)> {
    let head = ArrayType::new(bytes.get(..ArrayType::SIZE)?);
    let ndim = usize::try_from(head.ndim()).ok().filter(|ndim| *ndim <= MAXDIM)?;
    let (dims, rest) = bytes.get(ArrayType::SIZE..)?.split_at_checked(2 * WORD * ndim)?;
    let (lens, lowers) = dims.split_at(WORD * ndim);
    let dimensions: Vec<Dimension> = (lens.chunks_exact(WORD).zip(lowers.chunks_exact(WORD)))
        .map(|(len, lower)| Some(Dimension { len: usize::try_from(i32::get(len)).ok()?, lower: i32::get(lower) }))
        .collect::<Option<_>>()?;
    let count = dimensions.iter().try_fold(1_usize, |all, d| all.checked_mul(d.len))?;
    if ndim == 0 || count == 0 {
        return Some((Vec::new(), Vec::new()));
    }
    let nulls = if head.dataoffset() == 0 { &[][..] } else { rest.get(..count.div_ceil(8))? };
    let start = bytes.len() - rest.len() + nulls.len();
    // positions count from the varlena header of 4 bytes, which a short one stands for
    let cursor = Cursor::new(bytes, WORD, start.checked_add(WORD)?.next_multiple_of(8));
    Some((dimensions, elements(count, nulls, cursor, types::find(head.elemtype())?)?))
}

fn elements(count: usize, nulls: &[u8], mut cursor: Cursor, ty: &Type) -> Option<Vec<Option<String>>> {
    let mut elements = Vec::new();
    for n in 0..count {
        let is_null = nulls.get(n / 8).is_some_and(|byte| byte >> (n % 8) & 1 == 0);
        elements.push(if is_null { None } else { Some((ty.output)(cursor.take(ty.len, ty.align)?)?) });
    }
    Some(elements)
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
fn quote(element: &str, typdelim: char, text: &mut String) {
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
