//! The order of jsonb (`compareJsonbContainers`, src/backend/utils/adt/jsonb_util.c).
//!
//! `null < string < number < boolean < array < object`; of two arrays or objects the one with fewer parts is less. A
//! scalar at the top is an array of one, so an empty array is less than each scalar.

use super::{
    Entry, JB_CMASK, JB_FOBJECT, JB_FSCALAR, JENTRY_ISBOOL_FALSE, JENTRY_ISBOOL_TRUE, JENTRY_ISNULL, JENTRY_ISNUMERIC,
    JENTRY_ISSTRING, MAX_DEPTH, WORD, entries,
};
use crate::datum::numeric;
use crate::page::layout::Wire;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// Compares two stored values.
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    containers(a, b, 0)
}

struct Container<'a> {
    is_object: bool,
    is_scalar: bool,
    count: usize,
    entries: Vec<Entry<'a>>,
}

fn read(bytes: &[u8]) -> Option<Container<'_>> {
    let header = u32::get(bytes.get(..WORD)?);
    let (is_object, is_scalar) = (header & JB_FOBJECT != 0, header & JB_FSCALAR != 0);
    let count = (header & JB_CMASK) as usize;
    let words = WORD * count * if is_object { 2 } else { 1 };
    let entries = entries(bytes.get(WORD..WORD + words)?, bytes.get(WORD + words..)?)?;
    Some(Container { is_object, is_scalar, count, entries })
}

fn containers(a: &[u8], b: &[u8], depth: u32) -> Ordering {
    let (Some(a), Some(b)) = (read(a), read(b)) else { return Ordering::Equal };
    if depth > MAX_DEPTH {
        return Ordering::Equal;
    }
    // the number of parts counts more than being a scalar
    let head = (a.is_object.cmp(&b.is_object)).then(a.count.cmp(&b.count)).then(b.is_scalar.cmp(&a.is_scalar));
    if head.is_ne() {
        return head;
    }
    // of an object each key is followed by its value
    let step = |n: usize| if a.is_object { n / 2 + if n % 2 == 1 { a.count } else { 0 } } else { n };
    let pairs = (0..a.entries.len()).map(step).map(|n| entry(&a.entries[n], &b.entries[n], depth));
    pairs.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

fn entry(a: &Entry<'_>, b: &Entry<'_>, depth: u32) -> Ordering {
    let payload = |entry: &Entry<'_>, header: usize| Vec::from(entry.data.get(entry.padding + header..).unwrap_or(&[]));
    let (rank_a, rank_b) = (rank(a), rank(b));
    if rank_a != rank_b {
        return rank_a.cmp(&rank_b);
    }
    match a.kind {
        JENTRY_ISSTRING => a.data.cmp(b.data),
        JENTRY_ISNUMERIC => numeric::compare(&payload(a, WORD), &payload(b, WORD)),
        JENTRY_ISBOOL_FALSE | JENTRY_ISBOOL_TRUE => a.kind.cmp(&b.kind),
        JENTRY_ISNULL => Ordering::Equal,
        _ => containers(&payload(a, 0), &payload(b, 0), depth + 1),
    }
}

/// `enum jbvType`
fn rank(entry: &Entry<'_>) -> u8 {
    match entry.kind {
        JENTRY_ISNULL => 0,
        JENTRY_ISSTRING => 1,
        JENTRY_ISNUMERIC => 2,
        JENTRY_ISBOOL_FALSE | JENTRY_ISBOOL_TRUE => 3,
        _ if entry.data.get(entry.padding..).map_or(0, u32::get) & JB_FOBJECT == 0 => 4,
        _ => 5,
    }
}
