//! Visibility map and free space map (contrib/pg_visibility, contrib/pg_freespacemap).

use super::Rows;
use crate::sql::tcop::Database;
use crate::storage::{Buffer, RelationData};
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::header::PD_ALL_VISIBLE;
use ffviz_format::page::{BlockNumber, ForkNumber};
use ffviz_format::state::RelKind;

pub(super) fn rows(db: &mut Database, name: &str, args: &[Value]) -> Result<Rows, SqlError> {
    let relation = db.looked_at(&args[0])?;
    let blocks = db.cluster.pg.buffers.nblocks(relation.file, ForkNumber::Main);
    if name == "pg_freespace" {
        return Ok((0..blocks)
            .map(|block| Vec::from([Value::Int8(block.into()), free(db, &relation, block)]))
            .collect());
    }
    if !matches!(relation.kind, RelKind::Table | RelKind::Toast) {
        let major = db.cluster.version().major();
        let what = "is not a table, materialized view, or TOAST table";
        let message = match major {
            ..15 => format!("\"{}\" {what}", relation.name),
            _ => format!("relation \"{}\" is of wrong relation kind", relation.name),
        };
        return Err(SqlError::new("42809", message));
    }
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
