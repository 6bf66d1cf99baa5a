//! Heap pages as contrib/pageinspect/heapfuncs.c and rawpage.c show them.

use super::sets::number;
use super::{Rows, page_from};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::version::SqlBehaviour;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::{Datum, SqlError, Storage, Value, deform, make_array};
use ffviz_format::heap::infomask::{HEAP_HASNULL, HEAP_NATTS_MASK};
use ffviz_format::heap::{HeapPage, INFOMASK, INFOMASK2};
use ffviz_format::page::{LpFlags, Page};

const TEXT: u32 = 25;
const BYTEA: u32 = 17;

pub(super) fn rows(db: &Database, name: &str, args: &[Value]) -> Result<Rows, SqlError> {
    match name {
        "page_header" => page_header(db, &page_from(&args[0])?),
        "heap_page_items" => items(&page_from(&args[0])?, |page, tuple| Value::Bytea(page.slice(tuple.data()).into())),
        "heap_page_item_attrs" => {
            let relation = db.looked_at(&args[1])?;
            items(&page_from(&args[0])?, |page, tuple| {
                let attributes = relation.desc.attributes();
                let nulls = page.slice(tuple.null_bitmap());
                split(page, &deform(page, tuple.data(), nulls, tuple.natts(), attributes))
            })
        }
        _ => Ok(Vec::from([flags(&args[0], &args[1])])),
    }
}

/// `tuple_data_split`: the bytes of each column; a value that is not in the row is NULL.
pub(in crate::sql) fn tuple_data_split(db: &Database, args: &[Value]) -> Result<Value, SqlError> {
    let (Some(data), false) = (args[1].plain_bytes(), args[..4].iter().any(Value::is_null)) else {
        return Ok(Value::Null);
    };
    if args.get(5).is_some_and(|detoast| *detoast == Value::Bool(true)) {
        return Err(SqlError::new(NOT_SIMULATED, "tuple_data_split that detoasts is not supported"));
    }
    let relation = db.looked_at(&args[0])?;
    let mask = |n: usize| args[n].integer().unwrap_or(0) as u16;
    let (digits, has_nulls) = (args[4].plain_bytes().unwrap_or(&[]), mask(2) & HEAP_HASNULL != 0);
    if has_nulls == args[4].is_null() {
        return Err(SqlError::new(NOT_SIMULATED, "tuple_data_split with a t_bits that does not fit is not supported"));
    }
    let byte = |bits: &[u8]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit == b'1'));
    let nulls: Vec<u8> = digits.chunks(8).map(byte).collect();
    let page = Page::new(data);
    let natts = mask(3) & HEAP_NATTS_MASK;
    let stored = deform(&page, 0..data.len() as u16, &nulls, natts, relation.desc.attributes());
    Ok(split(&page, &stored))
}

/// `tuple_data_split_internal`
fn split(page: &Page, stored: &[Datum]) -> Value {
    let bytes = stored.iter().map(|datum| match datum.storage {
        Storage::Null | Storage::Missing => Value::Null,
        _ => Value::Bytea(page.slice(datum.bytes.clone()).into()),
    });
    make_array(BYTEA, &bytes.collect::<Vec<_>>())
}

fn page_header(db: &Database, page: &Page) -> Result<Rows, SqlError> {
    let header = page.header();
    let size = if db.cluster.version().has_pageinspect_1_10() { 23 } else { 21 };
    Ok(Vec::from([Vec::from([
        Value::Int8(header.pd_lsn().0.cast_signed()),
        Value::Int2(header.pd_checksum().cast_signed()),
        Value::Int2(header.pd_flags().cast_signed()),
        number(header.pd_lower(), size),
        number(header.pd_upper(), size),
        number(header.pd_special(), size),
        number(header.page_size(), size),
        number(header.layout_version(), 21),
        Value::Oid(header.pd_prune_xid()),
    ])]))
}

fn items(page: &Page, data: impl Fn(&Page, &ffviz_format::heap::HeapTuple) -> Value) -> Result<Rows, SqlError> {
    let heap = HeapPage::decode(page, 0);
    let mut rows = Vec::with_capacity(heap.items.len());
    for item in &heap.items {
        let lp = item.lp;
        let flags = match lp.lp_flags() {
            LpFlags::Unused => 0,
            LpFlags::Normal => 1,
            LpFlags::Redirect => 2,
            LpFlags::Dead => 3,
        };
        let mut row = Vec::from([
            number(item.offset.0, 21),
            number(lp.lp_off(), 21),
            Value::Int2(flags),
            number(lp.lp_len(), 21),
        ]);
        match &item.tuple {
            Some(tuple) => row.extend([
                Value::Oid(tuple.t_xmin),
                Value::Oid(tuple.t_xmax),
                Value::Int4(tuple.t_field3.cast_signed()),
                Value::Tid(tuple.t_ctid),
                Value::Int4(tuple.t_infomask2.into()),
                Value::Int4(tuple.t_infomask.into()),
                Value::Int2(tuple.t_hoff.into()),
                bits(page, tuple),
                Value::Null,
                data(page, tuple),
            ]),
            None => row.resize(14, Value::Null),
        }
        rows.push(row);
    }
    Ok(rows)
}

/// `bits_to_text`: a digit a column, in whole bytes.
fn bits(page: &Page, tuple: &ffviz_format::heap::HeapTuple) -> Value {
    if tuple.t_infomask & HEAP_HASNULL == 0 {
        return Value::Null;
    }
    let bitmap = page.slice(tuple.null_bitmap());
    let digits = bitmap.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1));
    Value::text(&digits.map(|bit| if bit == 1 { '1' } else { '0' }).collect::<String>())
}

/// `heap_tuple_infomask_flags`: the flags by their names, and what several mean together.
fn flags(infomask: &Value, infomask2: &Value) -> Vec<Value> {
    let word = |value: &Value| value.integer().unwrap_or(0) as u32;
    let (mask, mask2) = (word(infomask), word(infomask2));
    let mut raw = Vec::new();
    for (bits, set) in [(INFOMASK, mask), (INFOMASK2, mask2)] {
        raw.extend(bits.iter().filter(|bit| bit.mask.count_ones() == 1 && set & bit.mask != 0).map(|bit| bit.name));
    }
    let combined = [(0x0300, "HEAP_XMIN_FROZEN"), (0xC000, "HEAP_MOVED")];
    let mut together: Vec<&str> = Vec::new();
    if mask & 0x0050 == 0x0050 {
        together.push("HEAP_XMAX_SHR_LOCK");
    }
    together.extend(combined.iter().filter(|(bits, _)| mask & bits == *bits).map(|(_, name)| *name));
    let texts = |names: &[&str]| make_array(TEXT, &names.iter().map(|name| Value::text(name)).collect::<Vec<_>>());
    Vec::from([texts(&raw), texts(&together)])
}
