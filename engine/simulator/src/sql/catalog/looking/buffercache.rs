//! `pg_buffercache` (contrib/pg_buffercache/pg_buffercache_pages.c): the blocks of the script's relations that are in
//! shared buffers. Which buffer each is in, and how often it was used, is not known here.

use super::Rows;
use super::catalogs::{BOOL, INT2, OID};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::storage::{Buffer, FileId};
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::{ForkNumber, Oid};

const INT8: Oid = 20;

pub(super) fn columns(_: u32) -> Vec<(&'static str, Oid)> {
    Vec::from([
        ("relfilenode", OID),
        ("reltablespace", OID),
        ("reldatabase", OID),
        ("relforknumber", INT2),
        ("relblocknumber", INT8),
        ("isdirty", BOOL),
    ])
}

/// # Errors
/// Where blocks were read or written through so small a ring of buffers that nobody knows which are left.
pub(super) fn rows(db: &Database) -> Result<Rows, SqlError> {
    let buffers = &db.cluster.pg.buffers;
    let shared: Vec<FileId> = buffers.files().filter(|file| !buffers.is_temporary(*file)).collect();
    if shared.iter().any(|file| !buffers.knows_buffers(*file)) {
        let message = "pg_buffercache beside a table that grew in bulk by more than 16 MB is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    let mut rows = Rows::new();
    for file in shared {
        let locator = buffers.locator(file);
        for fork in [ForkNumber::Main, ForkNumber::Fsm, ForkNumber::Vm, ForkNumber::Init] {
            let blocks = (0..buffers.nblocks(file, fork)).map(|block| Buffer { file, fork, block });
            let there = blocks.filter_map(|buf| Some((buf.block, buffers.is_dirty_in_buffers(buf)?)));
            rows.extend(there.map(|(block, dirty)| {
                Vec::from([
                    Value::Oid(locator.rel),
                    Value::Oid(locator.spc),
                    Value::Oid(locator.db),
                    Value::Int2(fork as i16),
                    Value::Int8(block.into()),
                    Value::Bool(dirty),
                ])
            }));
        }
    }
    Ok(rows)
}
