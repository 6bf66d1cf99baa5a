//! B-tree pages as contrib/pageinspect/btreefuncs.c shows them.

use super::sets::{number, spaced};
use super::{Rows, page_from, text_of};
use crate::sql::tcop::Database;
use crate::storage::RelationData;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value, make_array};
use ffviz_format::nbtree::{BtKind, BtPage, IndexTupleKind};
use ffviz_format::page::{BlockNumber, ForkNumber, LpFlags, Page};
use ffviz_format::state::RelKind;

const INT4: u32 = 23;
const INT8: u32 = 20;
const TID: u32 = 27;

pub(super) fn rows(db: &Database, name: &str, args: &[Value]) -> Result<Rows, SqlError> {
    if let ("bt_page_items", Value::Bytea(_)) = (name, &args[0]) {
        let page = page_from(&args[0])?;
        return items(db, &page);
    }
    let index = index_of(db, &text_of(&args[0]))?;
    let block = args.get(1).and_then(Value::integer).unwrap_or(0);
    match name {
        "bt_metap" => metap(db, &index),
        "bt_page_stats" => {
            let (number, page) = tree_page(db, &index, block)?;
            Ok(Vec::from([stats(db, &page, number)]))
        }
        "bt_multi_page_stats" => {
            let blocks = i64::from(db.cluster.pg.buffers.nblocks(index.file, ForkNumber::Main));
            let count = args.get(2).and_then(Value::integer).unwrap_or(0);
            let end = if count < 0 { blocks } else { block + count };
            let mut all = Vec::new();
            for block in block..end {
                let (number, page) = tree_page(db, &index, block)?;
                all.push(stats(db, &page, number));
            }
            Ok(all)
        }
        _ => {
            let (_, page) = tree_page(db, &index, block)?;
            items(db, &page)
        }
    }
}

fn index_of(db: &Database, name: &str) -> Result<Arc<RelationData>, SqlError> {
    let relation = db.looked_at(&Value::text(name))?;
    let is_btree = relation.kind == RelKind::Index && relation.index.as_ref().is_some_and(|form| form.is_btree());
    if !is_btree {
        return Err(SqlError::new("42809", format!("\"{}\" is not a btree index", relation.name)));
    }
    Ok(relation)
}

/// A page that is not the metapage.
fn tree_page(db: &Database, index: &RelationData, block: i64) -> Result<(BlockNumber, Page), SqlError> {
    if block == 0 {
        return Err(SqlError::new("22023", "block 0 is a meta page"));
    }
    let blocks = i64::from(db.cluster.pg.buffers.nblocks(index.file, ForkNumber::Main));
    if block < 0 {
        return Err(SqlError::new("22023", format!("invalid block number {block}")));
    }
    if block >= blocks {
        return Err(SqlError::new("22023", format!("block number {block} is out of range")));
    }
    db.page_of(index, ForkNumber::Main, block)
}

fn metap(db: &Database, index: &RelationData) -> Result<Rows, SqlError> {
    let (_, page) = db.page_of(index, ForkNumber::Main, 0)?;
    let Some(meta) = BtPage::decode(&page, db.cluster.version()).meta else { return Ok(Vec::new()) };
    let cleanup = match db.cluster.version().major() {
        13 => Value::Oid(meta.btm_cleanup),
        _ => Value::Int8(meta.btm_cleanup.into()),
    };
    Ok(Vec::from([Vec::from([
        Value::Int4(meta.btm_magic.cast_signed()),
        Value::Int4(meta.btm_version.cast_signed()),
        Value::Int8(meta.btm_root.into()),
        Value::Int8(meta.btm_level.into()),
        Value::Int8(meta.btm_fastroot.into()),
        Value::Int8(meta.btm_fastlevel.into()),
        cleanup,
        Value::Float8(meta.btm_last_cleanup_num_heap_tuples),
        Value::Bool(meta.btm_allequalimage),
    ])]))
}

/// `GetBTPageStatistics`
fn stats(db: &Database, page: &Page, block: BlockNumber) -> Vec<Value> {
    const LINE_POINTER: u16 = ffviz_format::page::ItemIdData::SIZE as u16;
    let version = db.cluster.version();
    let tree = BtPage::decode(page, version);
    let header = page.header();
    let free = header.pd_upper().saturating_sub(header.pd_lower()).saturating_sub(LINE_POINTER);
    let word = if version.has_pageinspect_1_9() { INT8 } else { INT4 };
    let is_gone = tree.kind == BtKind::Deleted;
    // a leaf that is the root is told as a leaf
    let kind = match tree.kind {
        BtKind::Deleted if tree.btpo_flags & 1 == 0 && version.has_btree_full_xids() => b'D',
        BtKind::Deleted => b'd',
        BtKind::HalfDead => b'e',
        BtKind::Leaf => b'l',
        _ if tree.btpo_flags & 2 != 0 => b'r',
        _ => b'i',
    };
    // the high key is one of them
    let items = if is_gone { &[][..] } else { &tree.items[..] };
    let dead = items.iter().filter(|item| item.lp.lp_flags() == LpFlags::Dead).count() as i64;
    let live = items.len() as i64 - dead;
    let size: i64 = items.iter().filter_map(|item| item.tuple.as_ref()).map(|tuple| i64::from(tuple.size())).sum();
    let average = if live + dead > 0 { size / (live + dead) } else { 0 };
    let level = if is_gone && !version.has_btree_full_xids() {
        tree.safexid.unwrap_or(0) as i64
    } else {
        tree.btpo_level.into()
    };
    Vec::from([
        number(block, word),
        Value::Char(kind),
        number(live, INT4),
        number(dead, INT4),
        number(average, INT4),
        number(header.page_size(), INT4),
        number(if is_gone && version.has_btree_full_xids() { 0 } else { free }, INT4),
        number(tree.btpo_prev, word),
        number(tree.btpo_next, word),
        number(level, word),
        number(tree.btpo_flags, INT4),
    ])
}

/// `bt_page_print_tuples`
fn items(db: &Database, page: &Page) -> Result<Rows, SqlError> {
    let tree = BtPage::decode(page, db.cluster.version());
    let first_data = if tree.is_rightmost() { 1 } else { 2 };
    let is_leaf = tree.btpo_flags & 1 != 0;
    let mut rows = Vec::with_capacity(tree.items.len());
    if tree.kind == BtKind::Deleted {
        return Ok(rows);
    }
    for item in &tree.items {
        let Some(tuple) = &item.tuple else { continue };
        let tids = tuple.heap_tids();
        let posting = match &tuple.kind {
            IndexTupleKind::Posting(tids) => {
                make_array(TID, &tids.iter().map(|tid| Value::Tid(*tid)).collect::<Vec<_>>())
            }
            _ => Value::Null,
        };
        let is_data = is_leaf && item.offset.0 >= first_data;
        rows.push(Vec::from([
            number(item.offset.0, 21),
            Value::Tid(tuple.t_tid),
            number(tuple.size(), 21),
            Value::Bool(tuple.has_nulls()),
            Value::Bool(tuple.has_varwidths()),
            Value::text(&data(page, tuple)),
            if is_data { Value::Bool(item.lp.lp_flags() == LpFlags::Dead) } else { Value::Null },
            tids.first().map_or(Value::Null, |tid| Value::Tid(*tid)),
            posting,
        ]));
    }
    Ok(rows)
}

fn data(page: &Page, tuple: &ffviz_format::nbtree::IndexTuple) -> String {
    spaced(page.slice(tuple.key.clone()))
}
