//! `pgstattuple_approx` (contrib/pgstattuple/pgstatapprox.c): all-visible pages are not read, their free space says the
//! free space map.

use super::space::page_free;
use super::{Rows, maps};
use crate::access::heap::heap_tuple;
use crate::access::heap::vacuum::vac_estimate_reltuples;
use crate::access::heap::visibility::{HtsvResult, heap_tuple_satisfies_vacuum};
use crate::sql::tcop::Database;
use crate::storage::{BLCKSZ, Buffer, RelationData};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::fsm::category_bytes;
use ffviz_format::page::{BlockNumber, ForkNumber, LpFlags, Oid, TransactionId};
use ffviz_format::state::RelKind;

/// `ERRCODE_FEATURE_NOT_SUPPORTED`
const FEATURE_NOT_SUPPORTED: &str = "0A000";
const INT8: Oid = 20;
const FLOAT8: Oid = 701;

pub(super) fn columns(_: u32) -> Vec<(&'static str, Oid)> {
    Vec::from([
        ("table_len", INT8),
        ("scanned_percent", FLOAT8),
        ("approx_tuple_count", INT8),
        ("approx_tuple_len", INT8),
        ("approx_tuple_percent", FLOAT8),
        ("dead_tuple_count", INT8),
        ("dead_tuple_len", INT8),
        ("dead_tuple_percent", FLOAT8),
        ("approx_free_space", INT8),
        ("approx_free_percent", FLOAT8),
    ])
}

/// `output_type`
#[derive(Default)]
struct Sums {
    tuples: u64,
    tuple_len: u64,
    dead: u64,
    dead_len: u64,
    free: u64,
}

pub(super) fn rows(db: &mut Database, table: &Value) -> Result<Rows, SqlError> {
    let relation = db.looked_at(table)?;
    if relation.kind != RelKind::Table && !db.cluster.version().approximates_toast() {
        let message = format!("\"{}\" is not a table or materialized view", relation.name);
        return Err(SqlError::new(FEATURE_NOT_SUPPORTED, message));
    }
    maps::check_kind(db, &relation, FEATURE_NOT_SUPPORTED)?;
    let oldest_xmin = db.cluster.pg.oldest_nonremovable(relation.file);
    let blocks = db.cluster.pg.buffers.nblocks(relation.file, ForkNumber::Main);
    let (mut sums, mut scanned) = (Sums::default(), 0);
    for block in 0..blocks {
        if db.cluster.pg.visibilitymap_status(relation.file, block) & 1 != 0 {
            let category = db.cluster.pg.recorded_free_space(relation.file, block);
            let free = u64::from(category_bytes(category, BLCKSZ));
            sums.tuple_len += u64::from(BLCKSZ) - free;
            sums.free += free;
        } else {
            scanned += 1;
            scan(db, &relation, block, oldest_xmin, &mut sums);
        }
    }
    let stats = db.cluster.known_stats(relation.oid);
    let version = db.cluster.version();
    let known = (stats.reltuples, stats.relpages);
    let tuples = vac_estimate_reltuples(version, known, blocks, scanned, sums.tuples);
    Ok(Vec::from([row(&sums, tuples, blocks, scanned)]))
}

fn row(sums: &Sums, tuples: f64, blocks: BlockNumber, scanned: BlockNumber) -> Vec<Value> {
    let length = u64::from(blocks) * u64::from(BLCKSZ);
    let count = |count: u64| Value::Int8(count.cast_signed());
    let percent = |part: u64| Value::Float8(if length == 0 { 0.0 } else { 100.0 * part as f64 / length as f64 });
    let scanned = (100 * u64::from(scanned)).checked_div(blocks.into()).unwrap_or(0);
    Vec::from([
        count(length),
        Value::Float8(scanned as f64),
        Value::Int8(tuples.max(0.0) as i64),
        count(sums.tuple_len),
        percent(sums.tuple_len),
        count(sums.dead),
        count(sums.dead_len),
        percent(sums.dead_len),
        count(sums.free),
        percent(sums.free),
    ])
}

fn scan(db: &mut Database, relation: &RelationData, block: BlockNumber, oldest_xmin: TransactionId, sums: &mut Sums) {
    let buf = Buffer::main(relation.file, block);
    let (version, pg) = (db.cluster.version(), &mut db.cluster.pg);
    sums.free += page_free(version, pg.buffers.page(buf));
    let offsets: Vec<_> = pg.buffers.page(buf).line_pointers().collect();
    for (offset, lp) in offsets.into_iter().filter(|(_, lp)| lp.lp_flags() == LpFlags::Normal) {
        let Some(mut tuple) = heap_tuple(pg, buf, offset) else { continue };
        match heap_tuple_satisfies_vacuum(pg, &mut tuple, buf, oldest_xmin) {
            HtsvResult::Live | HtsvResult::DeleteInProgress => {
                sums.tuples += 1;
                sums.tuple_len += u64::from(lp.lp_len());
            }
            HtsvResult::Dead | HtsvResult::RecentlyDead(_) | HtsvResult::InsertInProgress => {
                sums.dead += 1;
                sums.dead_len += u64::from(lp.lp_len());
            }
        }
    }
}
