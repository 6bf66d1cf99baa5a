//! Arrays of integer and text from text (`array_in`, src/backend/utils/adt/arrayfuncs.c).
//!
//! ```text
//! {1,2,NULL}   {{1,2},{3,4}}   [0:1]={7,8}   {"a b","say \"x\"",plain}
//! ```

use super::{Context, is_space};
use crate::datum::array::{Dimension, MAXDIM, build};
use crate::datum::bytes::Bytes;
use crate::datum::error::{Result, SqlError};
use crate::datum::sql_type::SqlType;
use crate::datum::types;
use crate::datum::value::Value;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::iter::Peekable;
use core::str::Chars;

/// The elements in order, `None` for NULL, and the lengths of the dimensions as far as they are known.
#[derive(Default)]
struct Elements {
    texts: Vec<Option<String>>,
    lens: Vec<Option<usize>>,
}

/// `array_in`
pub fn array_in(text: &str, ty: SqlType, context: &Context) -> Result<Bytes> {
    let malformed = || SqlError::new("22P02", format!("malformed array literal: \"{text}\""));
    let element = SqlType::plain(types::element(ty.oid).ok_or_else(malformed)?);
    let (lowers, body) = bounds(text.trim_matches(is_space)).ok_or_else(malformed)?;
    let mut elements = Elements::default();
    let mut chars = body.chars().peekable();
    elements.list(&mut chars, 0).filter(|()| chars.all(is_space)).ok_or_else(malformed)?;
    let lens: Vec<usize> = elements.lens.iter().map(|len| len.unwrap_or(0)).collect();
    let is_empty = elements.texts.is_empty();
    let fits = lowers.is_empty()
        || is_empty
        || (lowers.len() == lens.len() && lowers.iter().zip(&lens).all(|(bound, len)| bound.1 == *len));
    if !fits || (is_empty && lens.len() > 1 && !lens.contains(&0)) {
        return Err(malformed());
    }
    let dimensions = lens
        .iter()
        .enumerate()
        .map(|(n, len)| Dimension { len: *len, lower: lowers.get(n).map_or(1, |bound| bound.0) });
    let dimensions: Vec<Dimension> = if is_empty { Vec::new() } else { dimensions.collect() };
    let values = elements.texts.iter().map(|text| match text {
        None => Ok(Value::Null),
        Some(text) => super::input(text, element, context),
    });
    Ok(build(element, &dimensions, &values.collect::<Result<Vec<_>>>()?))
}

/// `[1:2][0:3]=` before the braces: lower bound and length of each dimension.
fn bounds(text: &str) -> Option<(Vec<(i32, usize)>, &str)> {
    if !text.starts_with('[') {
        return Some((Vec::new(), text));
    }
    let (dimensions, body) = text.split_once('=')?;
    let each = dimensions.trim_matches(is_space).strip_prefix('[')?.strip_suffix(']')?.split("][");
    let bounds = each.map(|bound| {
        let (lower, upper) = bound.split_once(':').unwrap_or(("1", bound));
        let (lower, upper): (i32, i32) = (lower.parse().ok()?, upper.parse().ok()?);
        Some((lower, usize::try_from(i64::from(upper) - i64::from(lower) + 1).ok()?))
    });
    Some((bounds.collect::<Option<_>>()?, body.trim_matches(is_space)))
}

impl Elements {
    /// What stands in a pair of braces; all lists of one depth must have the same length.
    fn list(&mut self, chars: &mut Peekable<Chars<'_>>, depth: usize) -> Option<()> {
        chars.next_if_eq(&'{').filter(|_| depth < MAXDIM)?;
        if self.lens.len() == depth {
            // no element has been read yet where a new depth begins
            self.texts.is_empty().then_some(())?;
            self.lens.push(None);
        }
        let mut len = 0;
        loop {
            while chars.next_if(|c| is_space(*c)).is_some() {}
            match chars.peek()? {
                '}' if len == 0 => {}
                '{' => {
                    self.list(chars, depth + 1)?;
                    len += 1;
                }
                _ => {
                    (self.lens.len() == depth + 1).then_some(())?;
                    let element = element(chars)?;
                    self.texts.push(element);
                    len += 1;
                }
            }
            while chars.next_if(|c| is_space(*c)).is_some() {}
            match chars.next()? {
                ',' => {
                    while chars.next_if(|c| is_space(*c)).is_some() {}
                    (*chars.peek()? != '}').then_some(())?;
                }
                '}' => break,
                _ => return None,
            }
        }
        let known = self.lens[depth].get_or_insert(len);
        (*known == len).then_some(())
    }
}

/// An element, quoted or not; NULL is `Some(None)`.
fn element(chars: &mut Peekable<Chars<'_>>) -> Option<Option<String>> {
    let mut text = String::new();
    if chars.next_if_eq(&'"').is_some() {
        loop {
            match chars.next()? {
                '"' => return Some(Some(text)),
                '\\' => text.push(chars.next()?),
                c => text.push(c),
            }
        }
    }
    let mut is_escaped = false;
    // blanks at the end do not belong to it, unless written with a backslash
    let mut end = 0;
    while let Some(c) = chars.next_if(|c| !matches!(c, ',' | '{' | '}' | '"')) {
        if c == '\\' {
            text.push(chars.next()?);
            (is_escaped, end) = (true, text.len());
        } else {
            text.push(c);
            end = if is_space(c) { end } else { text.len() };
        }
    }
    text.truncate(end);
    match text.as_str() {
        "" => None,
        word if !is_escaped && word.eq_ignore_ascii_case("null") => Some(None),
        _ => Some(Some(text)),
    }
}
