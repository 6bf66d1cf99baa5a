//! BRIN pages as contrib/pageinspect/brinfuncs.c shows them, and the functions that give ranges their summaries
//! (`brin_summarize_range`, `brin_desummarize_range`, src/backend/access/brin/brin.c).

use super::sets::number;
use super::{Rows, page_from};
use crate::access::brin::{BrinDesc, BrinIndex};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::storage::{LockMode, Outcome, RelationData, RelationLock, Stop};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::brin::{BRIN_META, BRIN_REGULAR, BRIN_REVMAP, brin_meta, brin_page_type, revmap_entries};
use ffviz_format::page::{BlockNumber, OffsetNumber, Page};
use ffviz_format::state::RelKind;

/// Size of `BrinSpecialSpace`.
const SPECIAL: u16 = 8;

pub(super) fn rows(db: &mut Database, name: &str, args: &[Value]) -> Result<Rows, SqlError> {
    match name {
        "brin_metapage_info" => Ok(match verified(&args[0], BRIN_META, "metapage")? {
            Some(page) => Vec::from([metapage(&page)]),
            None => Vec::from([Vec::new()]),
        }),
        "brin_revmap_data" => {
            let page = verified(&args[0], BRIN_REVMAP, "revmap")?;
            let entries = page.iter().flat_map(revmap_entries);
            Ok(entries.map(|tid| Vec::from([Value::Tid(tid)])).collect())
        }
        _ => {
            let index = brin_index(db, &args[1])?;
            let page = verified(&args[0], BRIN_REGULAR, "regular")?;
            Ok(page.map_or_else(Rows::new, |page| items(db, &page, &index)))
        }
    }
}

/// A page with the special space of a BRIN index; `None` of one that is new.
fn brin_page(raw: &Value) -> Result<Option<Page>, SqlError> {
    let page = page_from(raw)?;
    if page.is_new() {
        return Ok(None);
    }
    let special = page.size() - page.special_start();
    if special != SPECIAL {
        let detail = format!("Expected special size {SPECIAL}, got {special}.");
        return Err(SqlError::new("22023", "input page is not a valid BRIN page").with_detail(detail));
    }
    Ok(Some(page))
}

/// `verify_brin_page`
fn verified(raw: &Value, expected: u16, name: &str) -> Result<Option<Page>, SqlError> {
    let page = brin_page(raw)?;
    match page.as_ref().map(brin_page_type) {
        Some(found) if found != expected => {
            let detail = format!("Expected special type {expected:08x}, got {found:08x}.");
            Err(SqlError::new("22023", format!("page is not a BRIN page of type \"{name}\"")).with_detail(detail))
        }
        _ => Ok(page),
    }
}

/// `brin_page_type`
pub(in crate::sql) fn page_type(raw: &Value) -> Result<Value, SqlError> {
    let Some(page) = brin_page(raw)? else { return Ok(Value::Null) };
    Ok(Value::text(&match brin_page_type(&page) {
        BRIN_META => String::from("meta"),
        BRIN_REVMAP => String::from("revmap"),
        BRIN_REGULAR => String::from("regular"),
        other => format!("unknown ({other:02x})"),
    }))
}

fn metapage(page: &Page) -> Vec<Value> {
    let meta = brin_meta(page);
    Vec::from([
        Value::text(&format!("0x{:08X}", meta.brinMagic())),
        Value::Int4(meta.brinVersion().cast_signed()),
        Value::Int4(meta.pagesPerRange().cast_signed()),
        Value::Int8(meta.lastRevmapPage().into()),
    ])
}

/// `brin_page_items`: a row a column of each item; of one that is not used one row.
fn items(db: &Database, page: &Page, index: &RelationData) -> Rows {
    let (version, desc) = (db.cluster.version(), BrinDesc::new(index));
    let tells_empty = version.has_pageinspect_1_12();
    let block = if version.has_pageinspect_1_9() { 20 } else { 23 };
    let mut rows = Rows::new();
    for n in 1..=page.item_count().max(1) {
        let Ok(tuple) = page.index_item(OffsetNumber(n)) else {
            let nulls = core::iter::repeat_n(Value::Null, if tells_empty { 7 } else { 6 });
            rows.push(core::iter::once(Value::Int4(n.into())).chain(nulls).collect());
            continue;
        };
        let summary = desc.deform(tuple);
        for (attnum, column) in (1..).zip(&summary.columns) {
            let (all_nulls, typid) = (column.bounds.is_none(), index.desc.attributes()[attnum as usize - 1].typid);
            let mut row =
                Vec::from([Value::Int4(n.into()), number(BrinDesc::range_of(tuple), block), Value::Int4(attnum)]);
            row.extend([all_nulls, column.has_nulls, summary.placeholder].map(Value::Bool));
            row.extend(tells_empty.then_some(Value::Bool(summary.empty)));
            let text = |bound: &Value| {
                let plain = bound.detoasted(Kind::of(typid));
                plain.and_then(|bound| bound.output(typid)).unwrap_or_default()
            };
            row.push(match &column.bounds {
                Some([least, greatest]) => Value::text(&format!("{{{} .. {}}}", text(least), text(greatest))),
                None => Value::Null,
            });
            rows.push(row);
        }
    }
    rows
}

/// A BRIN index.
fn brin_index(db: &Database, index: &Value) -> Result<Arc<RelationData>, SqlError> {
    let relation = db.opened(index)?;
    let wrong = |what: &str| Err(SqlError::new("42809", format!("\"{}\" is not {what}", relation.name)));
    match (&relation.index, relation.kind) {
        (None, _) => wrong("an index"),
        (Some(form), RelKind::Index) if form.summarizing => Ok(relation),
        _ => wrong("a BRIN index"),
    }
}

/// The index and its table, which are locked so that nobody else gives ranges their summaries; and the block.
fn locked(db: &Database, args: &[Value], most: i64) -> Result<(BrinIndex, Arc<RelationData>, BlockNumber), SqlError> {
    let block = args.get(1).and_then(Value::integer).unwrap_or(most);
    let Some(number) = BlockNumber::try_from(block).ok().filter(|_| block <= most) else {
        return Err(SqlError::new("22003", format!("block number out of range: {block}")));
    };
    let index = brin_index(db, &args[0])?;
    let table = db.cluster.pg.relation(index.index.as_ref().map_or(0, |form| form.table))?;
    let lock = RelationLock { relation: table.oid, mode: LockMode::ShareUpdateExclusive };
    if db.cluster.pg.locks.blockers(db.cluster.pg.me, lock).next().is_some() {
        let message = "the summary of a range of a table that another session has locked is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    Ok((BrinIndex::new(index), table, number))
}

/// `brin_summarize_range`, `brin_summarize_new_values`: how many ranges got a summary.
pub(in crate::sql) fn summarize(db: &mut Database, args: &[Value]) -> Result<Value, SqlError> {
    /// `BRIN_ALL_BLOCKRANGES`
    const ALL: BlockNumber = BlockNumber::MAX;
    let (mut index, table, block) = locked(db, args, ALL.into())?;
    let of = Some(block).filter(|block| *block != ALL);
    let done = index.summarize(&mut db.cluster.pg, &table, of, true);
    without_wait(done).map(|(new, _)| Value::Int4(new.cast_signed()))
}

/// `brin_desummarize_range`
pub(in crate::sql) fn desummarize(db: &mut Database, args: &[Value]) -> Result<Value, SqlError> {
    let (mut index, _, block) = locked(db, args, i64::from(BlockNumber::MAX) - 1)?;
    index.desummarize(&mut db.cluster.pg, block);
    Ok(Value::text(""))
}

fn without_wait<T>(done: Outcome<T>) -> Result<T, SqlError> {
    done.map_err(|stop| match stop {
        Stop::Error(error) => error,
        Stop::Wait(_) => SqlError::new(NOT_SIMULATED, "a summary that waits for a row is not supported"),
    })
}
