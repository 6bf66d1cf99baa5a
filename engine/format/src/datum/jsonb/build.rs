//! jsonb from text (`jsonb_in`; `convertToJsonb`, src/backend/utils/adt/jsonb_util.c).
//!
//! Keys are sorted by length, then by bytes; of equal ones the last remains. Each 32nd entry holds the end of its data
//! instead of the length, so that a search need not add up all entries before.

use super::parse::{self, Json};
use super::{
    JB_FARRAY, JB_FOBJECT, JB_FSCALAR, JENTRY_HAS_OFF, JENTRY_ISBOOL_FALSE, JENTRY_ISBOOL_TRUE, JENTRY_ISCONTAINER,
    JENTRY_ISNULL, JENTRY_ISNUMERIC, JENTRY_ISSTRING, JENTRY_OFFLENMASK, WORD,
};
use crate::datum::bytes::Bytes;
use crate::datum::error::Result;
use alloc::string::String;
use alloc::vec::Vec;

/// `JB_OFFSET_STRIDE`
const OFFSET_STRIDE: usize = 32;

/// `jsonb_in`
pub fn jsonb_in(text: &str) -> Result<Bytes> {
    let mut buffer = Vec::new();
    match parse::document(text, true)? {
        Json::Array(elements) => array(elements, 0, &mut buffer),
        Json::Object(pairs) => object(pairs, &mut buffer),
        scalar => array(Vec::from([scalar]), JB_FSCALAR, &mut buffer),
    };
    Ok(buffer.into())
}

/// Appends a value's data, and returns its entry: kind and length, padding before it included.
fn value(json: Json, buffer: &mut Vec<u8>) -> u32 {
    let start = buffer.len();
    let kind = match json {
        Json::Null => JENTRY_ISNULL,
        Json::Bool(false) => JENTRY_ISBOOL_FALSE,
        Json::Bool(true) => JENTRY_ISBOOL_TRUE,
        Json::String(text) => {
            buffer.extend_from_slice(text.as_bytes());
            JENTRY_ISSTRING
        }
        Json::Number(number) => {
            pad(buffer);
            buffer.extend_from_slice(&(((number.len() + WORD) as u32) << 2).to_le_bytes());
            buffer.extend_from_slice(&number);
            JENTRY_ISNUMERIC
        }
        Json::Array(elements) => {
            array(elements, 0, buffer);
            JENTRY_ISCONTAINER
        }
        Json::Object(pairs) => {
            object(pairs, buffer);
            JENTRY_ISCONTAINER
        }
    };
    kind | (buffer.len() - start) as u32
}

/// `padBufferToInt`
fn pad(buffer: &mut Vec<u8>) {
    buffer.resize(buffer.len().next_multiple_of(WORD), 0);
}

/// `convertJsonbArray`
fn array(elements: Vec<Json>, flags: u32, buffer: &mut Vec<u8>) {
    let count = elements.len() as u32;
    container(elements, JB_FARRAY | flags | count, buffer);
}

/// `convertJsonbObject`: all keys, then all values.
fn object(pairs: Vec<(String, Json)>, buffer: &mut Vec<u8>) {
    let pairs = unique(pairs);
    let count = pairs.len() as u32;
    let (keys, values): (Vec<Json>, Vec<Json>) =
        pairs.into_iter().map(|(key, value)| (Json::String(key), value)).unzip();
    container(keys.into_iter().chain(values).collect(), JB_FOBJECT | count, buffer);
}

fn container(parts: Vec<Json>, header: u32, buffer: &mut Vec<u8>) {
    pad(buffer);
    buffer.extend_from_slice(&header.to_le_bytes());
    let entries = buffer.len();
    buffer.resize(entries + WORD * parts.len(), 0);
    let data = buffer.len();
    for (n, part) in parts.into_iter().enumerate() {
        let mut entry = value(part, buffer);
        if n % OFFSET_STRIDE == 0 {
            entry = entry & !JENTRY_OFFLENMASK | (buffer.len() - data) as u32 | JENTRY_HAS_OFF;
        }
        buffer[entries + WORD * n..][..WORD].copy_from_slice(&entry.to_le_bytes());
    }
}

/// `uniqueifyJsonbObject`
fn unique(mut pairs: Vec<(String, Json)>) -> Vec<(String, Json)> {
    pairs.sort_by(|a, b| a.0.len().cmp(&b.0.len()).then_with(|| a.0.cmp(&b.0)));
    let mut kept: Vec<(String, Json)> = Vec::with_capacity(pairs.len());
    for pair in pairs {
        match kept.last_mut() {
            // the sort is stable: the later one is the last written
            Some(last) if last.0 == pair.0 => *last = pair,
            _ => kept.push(pair),
        }
    }
    kept
}
