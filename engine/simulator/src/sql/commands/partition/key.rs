//! PARTITION BY (`transformPartitionSpec`, `ComputePartitionAttrs`, src/backend/commands/tablecmds.c).

use super::refuse;
use crate::cluster::partition::{PartitionKey, PartitionStrategy};
use crate::sql::ast::{ColumnDef, ColumnDefault, PartitionBy, Persistence};
use crate::sql::expr::{SYSTEM, type_name};
use crate::sql::partition::HASHED_TYPES;
use alloc::format;
use ffviz_format::datum::SqlError;

/// boolean, bytea, int8, int2, int4, text, oid, bpchar, varchar, date, timestamp, timestamptz, numeric, uuid: types
/// whose values have an order
const ORDERED_TYPES: [u32; 14] = [16, 17, 20, 21, 23, 25, 26, 1042, 1043, 1082, 1114, 1184, 1700, 2950];

/// The key of a table with these columns.
///
/// # Errors
/// PostgreSQL's; a type that is not simulated there.
pub(in crate::sql::commands) fn partition_key(
    by: &PartitionBy,
    columns: &[ColumnDef],
    persistence: Persistence,
) -> Result<PartitionKey, SqlError> {
    if persistence != Persistence::Permanent {
        return Err(refuse("a partitioned table that is temporary or unlogged"));
    }
    if by.strategy == PartitionStrategy::List && by.columns.len() > 1 {
        let message = "cannot use \"list\" partition strategy with more than one column";
        return Err(SqlError::new("42P17", message));
    }
    let mut numbers = alloc::vec::Vec::new();
    for name in &by.columns {
        let Some(at) = columns.iter().position(|column| column.name == *name) else {
            if SYSTEM.iter().any(|(system, _)| system == name) {
                let message = format!("cannot use system column \"{name}\" in partition key");
                return Err(SqlError::new("42P17", message));
            }
            let message = format!("column \"{name}\" named in partition key does not exist");
            return Err(SqlError::new("42703", message));
        };
        if matches!(columns[at].default, ColumnDefault::Generated(_) | ColumnDefault::Virtual(..)) {
            let error = SqlError::new("42P17", "cannot use generated column in partition key");
            return Err(error.with_detail(format!("Column \"{name}\" is a generated column.")));
        }
        let ty = columns[at].type_name.oid;
        let known: &[u32] = if by.strategy == PartitionStrategy::Hash { &HASHED_TYPES } else { &ORDERED_TYPES };
        if !known.contains(&ty) {
            return Err(refuse(&format!("a partition key of type {}", type_name(ty))));
        }
        numbers.push(at as u16 + 1);
    }
    Ok(PartitionKey { strategy: by.strategy, columns: numbers })
}
