//! Visibility map and free space map (contrib/pg_visibility, contrib/pg_freespacemap).

use super::Rows;
use crate::access::transam::log_smgr_truncate;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::storage::{Buffer, LockMode, RelationData, RelationLock};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::header::PD_ALL_VISIBLE;
use ffviz_format::page::{BlockNumber, ForkNumber};
use ffviz_format::state::RelKind;

/// `ERRCODE_WRONG_OBJECT_TYPE`
const WRONG_OBJECT_TYPE: &str = "42809";

pub(super) fn rows(db: &mut Database, name: &str, args: &[Value]) -> Result<Rows, SqlError> {
    let relation = db.looked_at(&args[0])?;
    let blocks = db.cluster.pg.buffers.nblocks(relation.file, ForkNumber::Main);
    if name == "pg_freespace" {
        return Ok((0..blocks)
            .map(|block| Vec::from([Value::Int8(block.into()), free(db, &relation, block)]))
            .collect());
    }
    check_kind(db, &relation, WRONG_OBJECT_TYPE)?;
    if let Some(block) = args.get(1).and_then(Value::integer) {
        if !(0..=i64::from(BlockNumber::MAX - 1)).contains(&block) {
            return Err(SqlError::new("22023", "invalid block number"));
        }
        let mut bits = bits(db, &relation, block as BlockNumber);
        if name == "pg_visibility" {
            bits.push(all_visible(db, &relation, block as BlockNumber, blocks));
        }
        return Ok(Vec::from([bits]));
    }
    if name == "pg_visibility_map_summary" {
        let mut counts = [0_i64; 2];
        for block in 0..blocks {
            let set = db.cluster.pg.visibilitymap_status(relation.file, block);
            counts[0] += i64::from(set & 1);
            counts[1] += i64::from(set >> 1 & 1);
        }
        return Ok(Vec::from([counts.map(Value::Int8).to_vec()]));
    }
    if name.starts_with("pg_check_") {
        return Ok(Vec::new());
    }
    let mut all = Vec::with_capacity(blocks as usize);
    for block in 0..blocks {
        let mut row = Vec::from([Value::Int8(block.into())]);
        row.extend(bits(db, &relation, block));
        if name == "pg_visibility" {
            row.push(all_visible(db, &relation, block, blocks));
        }
        all.push(row);
    }
    Ok(all)
}

/// `check_relation_relkind`
pub(super) fn check_kind(db: &Database, relation: &RelationData, sqlstate: &'static str) -> Result<(), SqlError> {
    if matches!(relation.kind, RelKind::Table | RelKind::Toast) {
        return Ok(());
    }
    if !db.cluster.version().details_kinds() {
        let message = format!("\"{}\" is not a table, materialized view, or TOAST table", relation.name);
        return Err(SqlError::new(sqlstate, message));
    }
    let kind = if relation.kind == RelKind::Sequence { "sequences" } else { "indexes" };
    let error = SqlError::new(sqlstate, format!("relation \"{}\" is of wrong relation kind", relation.name));
    Err(error.with_detail(format!("This operation is not supported for {kind}.")))
}

/// `pg_truncate_visibility_map`: the map is gone, until the next VACUUM makes it anew.
pub(in crate::sql) fn truncate_visibility_map(db: &mut Database, table: &Value) -> Result<Value, SqlError> {
    /// `SMGR_TRUNCATE_VM`
    const VM: i32 = 2;
    let relation = db.looked_at(table)?;
    let lock = RelationLock { relation: relation.oid, mode: LockMode::AccessExclusive };
    if !db.cluster.lock_relation(lock) {
        let message = "pg_truncate_visibility_map of a table that another session uses is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    check_kind(db, &relation, WRONG_OBJECT_TYPE)?;
    let pg = &mut db.cluster.pg;
    if relation.permanent {
        let locator = pg.buffers.locator(relation.file);
        pg.log_about_no_page(|wal, backend| log_smgr_truncate(wal, backend, locator, 0, VM));
    }
    pg.buffers.truncate(relation.file, ForkNumber::Vm, 0);
    Ok(Value::text(""))
}

fn bits(db: &Database, relation: &RelationData, block: BlockNumber) -> Vec<Value> {
    let set = db.cluster.pg.visibilitymap_status(relation.file, block);
    Vec::from([Value::Bool(set & 1 != 0), Value::Bool(set & 2 != 0)])
}

/// `PageIsAllVisible`; NULL of a page that is not there.
fn all_visible(db: &Database, relation: &RelationData, block: BlockNumber, blocks: BlockNumber) -> Value {
    if block >= blocks {
        return Value::Null;
    }
    let page = db.cluster.pg.buffers.page(Buffer::main(relation.file, block));
    Value::Bool(page.header().pd_flags() & PD_ALL_VISIBLE != 0)
}

/// `GetRecordedFreeSpace`
pub(super) fn free(db: &mut Database, relation: &RelationData, block: BlockNumber) -> Value {
    let category = db.cluster.pg.recorded_free_space(relation.file, block);
    let bytes = ffviz_format::page::fsm::category_bytes(category, crate::storage::BLCKSZ);
    Value::Int2(bytes.cast_signed())
}
