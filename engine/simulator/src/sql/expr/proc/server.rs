//! Functions that are asked what the server is and has: sizes, WAL, transactions, pages. What is not computed from the arguments
//! alone is answered by `execute/looking` (src/backend/utils/adt/dbsize.c, xid8funcs.c, pg_lsn.c, version.c;
//! src/backend/access/transam/xlogfuncs.c).

use crate::sql::expr::Typed;
use crate::sql::expr::eval::Env;
use crate::sql::expr::operate;
use crate::sql::expr::pg_catalog::{ANY, BOOL, BYTEA, INT2, INT4, INT8, NUMERIC, REGCLASS, TEXT, TIMESTAMPTZ, VOID};
use crate::sql::expr::pg_proc::{Proc, f, stable, volatile};
use alloc::format;
use alloc::string::String;
use ffviz_format::datum::error::Result;
use ffviz_format::datum::{Value, varlena};
use ffviz_format::page::Oid;

const OID: Oid = 26;
const XID: Oid = 28;
const LSN: Oid = 3220;
const XID8: Oid = 5069;
const SNAPSHOT: Oid = 5038;
const TXID_SNAPSHOT: Oid = 2970;

/// `DEF_PGPORT`
const PORT: i32 = 5432;

const fn since(since: u32, proc: Proc) -> Proc {
    Proc { since, ..proc }
}

pub(super) const PROCS: &[Proc] = &[
    stable("age", &[XID], INT4),
    stable("current_catalog", &[], TEXT),
    stable("current_database", &[], TEXT),
    stable("current_role", &[], TEXT),
    stable("current_schema", &[], TEXT),
    stable("current_user", &[], TEXT),
    stable("inet_server_port", &[], INT4),
    stable("mxid_age", &[XID], INT4),
    stable("oid_of", &[REGCLASS], OID),
    f("page_checksum", &[BYTEA, INT8], INT2),
    stable("pg_backend_pid", &[], INT4),
    f("pg_column_size", &[ANY], INT4),
    since(14, stable("pg_column_compression", &[ANY], TEXT)),
    stable("pg_current_snapshot", &[], SNAPSHOT),
    volatile("pg_current_wal_flush_lsn", &[], LSN),
    volatile("pg_current_wal_insert_lsn", &[], LSN),
    volatile("pg_current_wal_lsn", &[], LSN),
    stable("pg_current_xact_id", &[], XID8),
    stable("pg_current_xact_id_if_assigned", &[], XID8),
    volatile("pg_freespace", &[REGCLASS, INT8], INT2),
    stable("pg_get_indexdef", &[OID], TEXT),
    stable("pg_get_serial_sequence", &[TEXT, TEXT], TEXT),
    volatile("pg_indexes_size", &[REGCLASS], INT8),
    volatile("pg_is_in_recovery", &[], BOOL),
    stable("pg_relation_filenode", &[REGCLASS], OID),
    stable("pg_relation_filepath", &[REGCLASS], TEXT),
    volatile("pg_relation_size", &[REGCLASS], INT8),
    volatile("pg_relation_size", &[REGCLASS, TEXT], INT8),
    f("pg_size_pretty", &[INT8], TEXT),
    f("pg_size_pretty", &[NUMERIC], TEXT),
    f("pg_snapshot_xmax", &[SNAPSHOT], XID8),
    f("pg_snapshot_xmin", &[SNAPSHOT], XID8),
    since(15, volatile("pg_stat_force_next_flush", &[], VOID)),
    volatile("pg_stat_reset", &[], VOID),
    volatile("pg_stat_clear_snapshot", &[], VOID),
    volatile("pg_switch_wal", &[], LSN),
    volatile("pg_table_size", &[REGCLASS], INT8),
    volatile("pg_total_relation_size", &[REGCLASS], INT8),
    f("pg_wal_lsn_diff", &[LSN, LSN], NUMERIC),
    f("pg_walfile_name", &[LSN], TEXT),
    stable("pg_xact_status", &[XID8], TEXT),
    stable("regclassin", &[TEXT], REGCLASS),
    stable("regclassout", &[REGCLASS], TEXT),
    stable("session_user", &[], TEXT),
    stable("to_regclass", &[TEXT], REGCLASS),
    stable("txid_current_if_assigned", &[], INT8),
    stable("txid_current_snapshot", &[], TXID_SNAPSHOT),
    f("txid_snapshot_xmax", &[TXID_SNAPSHOT], INT8),
    f("txid_snapshot_xmin", &[TXID_SNAPSHOT], INT8),
    stable("txid_status", &[INT8], TEXT),
    stable("user", &[], TEXT),
    stable("version", &[], TEXT),
    stable("pg_postmaster_start_time", &[], TIMESTAMPTZ),
    volatile("fsm_page_contents", &[BYTEA], TEXT),
    volatile("get_raw_page", &[TEXT, INT4], BYTEA),
    volatile("get_raw_page", &[TEXT, INT8], BYTEA),
    volatile("get_raw_page", &[TEXT, TEXT, INT8], BYTEA),
];

pub(super) fn call(name: &'static str, args: &[Value], exprs: &[Typed], env: &mut Env<'_>) -> Option<Result<Value>> {
    if !PROCS.iter().any(|proc| proc.name == name) {
        return None;
    }
    let number = |n: usize| args.get(n).and_then(Value::integer).unwrap_or(0);
    Some(match name {
        "pg_column_size" => Ok(Value::Int4(column_size(&args[0], exprs.first()))),
        "pg_column_compression" => Ok(compression(&args[0])),
        "pg_size_pretty" => match &args[0] {
            Value::Numeric(_) => args[0].output(NUMERIC).map_or(Ok(Value::Null), |digits| {
                Ok(Value::text(&size_pretty(digits.split('.').next().and_then(|it| it.parse().ok()).unwrap_or(0))))
            }),
            _ => Ok(Value::text(&size_pretty(number(0).into()))),
        },
        "pg_wal_lsn_diff" => operate::numeric(i128::from(number(0)) - i128::from(number(1)), &env.input()),
        "pg_walfile_name" => Ok(Value::text(&walfile_name(number(0).cast_unsigned(), env.input().major))),
        "pg_snapshot_xmin" | "txid_snapshot_xmin" => Ok(of_snapshot(&args[0], 0)),
        "pg_snapshot_xmax" | "txid_snapshot_xmax" => Ok(of_snapshot(&args[0], 1)),
        "oid_of" => Ok(args[0].clone()),
        "inet_server_port" => Ok(Value::Int4(PORT)),
        _ => env.context.ask(name, args),
    })
}

/// `toast_datum_size`: of a column what is stored of it, else what the value takes in memory.
fn column_size(value: &Value, expr: Option<&Typed>) -> i32 {
    /// longest data with a header of one byte
    const SHORT_MAX: usize = ffviz_format::datum::form::SHORT_MAX;
    let is_column = expr.is_some_and(|expr| matches!(expr.node, crate::sql::expr::Node::Slot(_)));
    let size = match value {
        Value::Stored(bytes) if bytes.first() == Some(&1) => varlena::external_size(bytes).unwrap_or(bytes.len()),
        Value::Stored(bytes) => bytes.len(),
        other => match other.bytes() {
            Some(bytes) if is_column && bytes.len() <= SHORT_MAX => bytes.len() + 1,
            Some(bytes) => bytes.len() + 4,
            None => expr.map_or(0, |expr| usize::try_from(expr.ty.typlen()).unwrap_or(0)),
        },
    };
    size as i32
}

/// `pg_column_compression`
fn compression(value: &Value) -> Value {
    match value {
        Value::Stored(bytes) => varlena::compression_name(bytes).map_or(Value::Null, Value::text),
        _ => Value::Null,
    }
}

/// `pg_size_pretty`: units of 1024, each from 10 of the one before on, rounded to half.
fn size_pretty(size: i128) -> String {
    const LIMIT: i128 = 10 * 1024;
    if size.abs() < LIMIT {
        return format!("{size} bytes");
    }
    let half_rounded = |size: i128| (size + size.signum()) / 2;
    // one more bit than the unit has, for rounding
    let mut size = size >> 9;
    for unit in ["kB", "MB", "GB"] {
        if size.abs() < 2 * LIMIT - 1 {
            return format!("{} {unit}", half_rounded(size));
        }
        size >>= 10;
    }
    format!("{} TB", half_rounded(size))
}

/// `XLogFileName` of the segment that a position belongs to, or ends.
fn walfile_name(lsn: u64, major: u32) -> String {
    /// from this version on the position at the beginning of a segment belongs to it
    const BEGINS_SINCE: u32 = 17;
    const SEGMENT: u64 = 16 * 1024 * 1024;
    const PER_FILE: u64 = 0x1_0000_0000 / SEGMENT;
    let segment = lsn.saturating_sub(u64::from(major < BEGINS_SINCE)) / SEGMENT;
    format!("{:08X}{:08X}{:08X}", 1, segment / PER_FILE, segment % PER_FILE)
}

fn of_snapshot(snapshot: &Value, part: usize) -> Value {
    let text = snapshot.output(TEXT).unwrap_or_default();
    text.split(':').nth(part).and_then(|xid| xid.parse().ok()).map_or(Value::Null, Value::Int8)
}
