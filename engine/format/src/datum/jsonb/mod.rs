//! jsonb: containers of entries, then the data they describe (src/include/utils/jsonb.h).
//!
//! ```text
//! ├ header: count, object or array ┼ JEntry … (of an object: keys, then values) ┼ data …
//! JEntry: bit 31: offset, not length │ bits 28–30: type │ bits 0–27: end offset, or length
//! ```

mod build;
mod order;
mod parse;

use super::numeric::numeric_out;
use crate::page::layout::Wire;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
pub(super) use build::jsonb_in;
pub(super) use order::compare;
pub(super) use parse::check;

const JB_CMASK: u32 = 0x0FFF_FFFF;
const JB_FSCALAR: u32 = 0x1000_0000;
const JB_FOBJECT: u32 = 0x2000_0000;
const JB_FARRAY: u32 = 0x4000_0000;

const JENTRY_OFFLENMASK: u32 = 0x0FFF_FFFF;
const JENTRY_TYPEMASK: u32 = 0x7000_0000;
const JENTRY_HAS_OFF: u32 = 0x8000_0000;

const JENTRY_ISSTRING: u32 = 0x0000_0000;
const JENTRY_ISNUMERIC: u32 = 0x1000_0000;
const JENTRY_ISBOOL_FALSE: u32 = 0x2000_0000;
const JENTRY_ISBOOL_TRUE: u32 = 0x3000_0000;
const JENTRY_ISNULL: u32 = 0x4000_0000;
const JENTRY_ISCONTAINER: u32 = 0x5000_0000;

/// Containers within containers that are followed; deeper ones are shown as bytes, so that garbage cannot exhaust the
/// stack.
const MAX_DEPTH: u32 = 100;
const WORD: usize = 4;

/// `jsonb_out`
pub fn jsonb_out(bytes: &[u8]) -> Option<String> {
    let mut text = String::new();
    container(bytes, 0, &mut text)?;
    Some(text)
}

/// What stands at the top of a jsonb.
pub enum Scalar<'a> {
    Null,
    String,
    /// as numeric is stored
    Numeric(&'a [u8]),
    Bool(bool),
    Array,
    Object,
}

/// `JsonbExtractScalar`
pub fn scalar(bytes: &[u8]) -> Scalar<'_> {
    let header = bytes.get(..WORD).map_or(0, u32::get);
    let parts = bytes.get(WORD..2 * WORD).zip(bytes.get(2 * WORD..));
    let entry = parts.and_then(|(words, data)| entries(words, data)?.pop());
    match entry.filter(|_| header & JB_FSCALAR != 0) {
        None if header & JB_FOBJECT != 0 => Scalar::Object,
        None => Scalar::Array,
        Some(Entry { kind: JENTRY_ISNULL, .. }) => Scalar::Null,
        Some(Entry { kind: JENTRY_ISBOOL_FALSE, .. }) => Scalar::Bool(false),
        Some(Entry { kind: JENTRY_ISBOOL_TRUE, .. }) => Scalar::Bool(true),
        Some(Entry { kind: JENTRY_ISNUMERIC, data, padding }) => {
            Scalar::Numeric(data.get(padding + WORD..).unwrap_or(&[]))
        }
        Some(_) => Scalar::String,
    }
}

fn container(bytes: &[u8], depth: u32, text: &mut String) -> Option<()> {
    let header = u32::get(bytes.get(..WORD)?);
    let is_object = header & JB_FOBJECT != 0;
    let count = (header & JB_CMASK) as usize * if is_object { 2 } else { 1 };
    let data = WORD.checked_add(count.checked_mul(WORD)?)?;
    let entries = entries(bytes.get(WORD..data)?, bytes.get(data..)?)?;
    if depth > MAX_DEPTH {
        return None;
    }
    if header & JB_FSCALAR != 0 {
        return entries.first()?.print(depth, text);
    }
    text.push(if is_object { '{' } else { '[' });
    let (keys, values) = if is_object { entries.split_at(count / 2) } else { (&[][..], &entries[..]) };
    for (i, value) in values.iter().enumerate() {
        text.push_str(if i == 0 { "" } else { ", " });
        if let Some(key) = keys.get(i) {
            key.print(depth, text)?;
            text.push_str(": ");
        }
        value.print(depth, text)?;
    }
    text.push(if is_object { '}' } else { ']' });
    Some(())
}

/// A `JEntry` with its data.
struct Entry<'a> {
    kind: u32,
    data: &'a [u8],
    /// bytes before the data up to alignment of 4, of numerics and containers
    padding: usize,
}

/// The entries of a container; none overlaps another, so nothing is printed twice.
fn entries<'a>(words: &[u8], data: &'a [u8]) -> Option<Vec<Entry<'a>>> {
    let mut start = 0;
    let each = words.chunks_exact(WORD).map(|word| {
        let word = u32::get(word);
        let number = (word & JENTRY_OFFLENMASK) as usize;
        let end = if word & JENTRY_HAS_OFF != 0 { number } else { start + number };
        let entry = Entry {
            kind: word & JENTRY_TYPEMASK,
            data: data.get(start..end)?,
            padding: start.next_multiple_of(WORD) - start,
        };
        start = end;
        Some(entry)
    });
    each.collect()
}

impl Entry<'_> {
    fn print(&self, depth: u32, text: &mut String) -> Option<()> {
        match self.kind {
            JENTRY_ISSTRING => escape(core::str::from_utf8(self.data).ok()?, text),
            JENTRY_ISBOOL_FALSE => text.push_str("false"),
            JENTRY_ISBOOL_TRUE => text.push_str("true"),
            JENTRY_ISNULL => text.push_str("null"),
            // a varlena with a header of 4 bytes
            JENTRY_ISNUMERIC => text.push_str(&numeric_out(self.data.get(self.padding + WORD..)?)?),
            _ => container(self.data.get(self.padding..)?, depth + 1, text)?,
        }
        Some(())
    }
}

/// `escape_json`
fn escape(string: &str, text: &mut String) {
    text.push('"');
    for c in string.chars() {
        match c {
            '\u{8}' => text.push_str("\\b"),
            '\u{c}' => text.push_str("\\f"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            c if c < ' ' => text.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => text.push(c),
        }
    }
    text.push('"');
}
