//! Functions that are asked what the server is and has: sizes, WAL, transactions, pages. What is not computed from the
//! arguments alone the database answers (`catalog/looking`; src/backend/utils/adt/dbsize.c, xid8funcs.c, pg_lsn.c,
//! version.c; src/backend/access/transam/xlogfuncs.c).

use crate::sql::catalog::looking;
use crate::sql::commands::session::description;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::Typed;
use crate::sql::expr::call::Call;
use crate::sql::expr::operate;
use crate::sql::expr::pg_catalog::{
    ANY, BOOL, BYTEA, INT2, INT4, INT8, NUMERIC, RECORD, REGCLASS, REGNAMESPACE, REGPROC, REGPROCEDURE, REGTYPE, TEXT,
    TIMESTAMPTZ, VOID,
};
use crate::sql::expr::pg_proc::{Proc, asks, f};
use crate::sql::tcop::Database;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::String;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::{Value, varlena};
use ffviz_format::page::{Oid, PgVersion, TransactionId};

const OID: Oid = 26;
const PG_NODE_TREE: Oid = looking::PG_NODE_TREE;
const XID: Oid = 28;
const LSN: Oid = 3220;
const XID8: Oid = 5069;
const BYTEA_ARRAY: Oid = 1001;
const SNAPSHOT: Oid = 5038;
const TXID_SNAPSHOT: Oid = 2970;

/// What the script's database is called.
pub const DATABASE: &str = "postgres";
/// `DEF_PGPORT`
const PORT: i32 = 5432;

pub(super) const PROCS: &[Proc] = &[
    asks("age", &[XID], INT4, |db, args| Ok(db.age(xid(args)))).stable(),
    asks("brin_desummarize_range", &[REGCLASS, INT8], VOID, looking::desummarize).volatile(),
    asks("brin_page_type", &[BYTEA], TEXT, |_, args| looking::page_type(&args[0])).volatile(),
    asks("brin_summarize_new_values", &[REGCLASS], INT4, looking::summarize).volatile(),
    asks("brin_summarize_range", &[REGCLASS, INT8], INT4, looking::summarize).volatile(),
    asks("current_catalog", &[], TEXT, |_, _| Ok(Value::text(DATABASE))).stable(),
    asks("current_database", &[], TEXT, |_, _| Ok(Value::text(DATABASE))).stable(),
    asks("current_role", &[], TEXT, |db, _| Ok(user(db))).stable(),
    asks("current_schema", &[], TEXT, |db, _| Ok(db.current_schema())).stable(),
    asks("current_user", &[], TEXT, |db, _| Ok(user(db))).stable(),
    asks("coerce to domain", &[ANY, OID], ANY, |db, args| db.coerce_to_domain(&args[0], xid(&args[1..])))
        .of_null()
        .stable(),
    asks("enum_rank", &[OID, OID], INT4, |db, args| db.enum_rank(args)).stable(),
    asks("record_in", &[TEXT, OID], RECORD, |db, args| db.record_in(args)).stable(),
    asks("enum_in", &[TEXT, OID], OID, |db, args| db.enum_in(args)).stable(),
    asks("enum_out", &[OID], TEXT, |db, args| Ok(db.enum_out(&args[0]))).stable(),
    asks("fsm_page_contents", &[BYTEA], TEXT, |_, args| looking::fsm_page_contents(&args[0])).volatile(),
    asks("get_raw_page", &[TEXT, INT4], BYTEA, |db, args| db.get_raw_page(args)).volatile(),
    asks("get_raw_page", &[TEXT, INT8], BYTEA, |db, args| db.get_raw_page(args)).volatile(),
    asks("get_raw_page", &[TEXT, TEXT, INT8], BYTEA, |db, args| db.get_raw_page(args)).volatile(),
    f("inet_server_port", &[], INT4, |_| Ok(Value::Int4(PORT))).stable(),
    asks("mxid_age", &[XID], INT4, |db, args| Ok(db.mxid_age(xid(args)))).stable(),
    f("oid_of", &[REGCLASS], OID, |call| Ok(call.args[0].clone())).stable(),
    asks("page_checksum", &[BYTEA, INT8], INT2, |_, args| looking::page_checksum(args)),
    asks("format_type", &[OID, INT4], TEXT, |db, args| db.format_type(args)).stable().of_null(),
    asks("pg_backend_pid", &[], INT4, |db, _| Ok(db.pg_backend_pid())).stable(),
    f("pg_column_compression", &[ANY], TEXT, |call| Ok(compression(&call.args[0]))).stable().of_stored().since(14),
    f("pg_column_size", &[ANY], INT4, |call| Ok(Value::Int4(column_size(&call.args[0], call.exprs.first()))))
        .of_stored(),
    f("pg_column_toast_chunk_id", &[ANY], OID, |call| Ok(toast_chunk_id(&call.args[0]))).stable().of_stored().since(17),
    asks("pg_current_snapshot", &[], SNAPSHOT, |db, _| Ok(Value::text(&db.snapshot_text()))).stable(),
    asks("pg_current_wal_flush_lsn", &[], LSN, |db, _| Ok(db.flush_lsn())).volatile(),
    asks("pg_current_wal_insert_lsn", &[], LSN, |db, _| Ok(db.insert_lsn())).volatile(),
    asks("pg_current_wal_lsn", &[], LSN, |db, _| Ok(db.insert_lsn())).volatile(),
    asks("pg_current_xact_id", &[], XID8, |db, _| Ok(db.pg_current_xact_id())).stable(),
    asks("pg_current_xact_id_if_assigned", &[], XID8, |db, _| Ok(db.xact_id_if_assigned())).stable(),
    asks("pg_freespace", &[REGCLASS, INT8], INT2, |db, args| db.pg_freespace(args)).volatile(),
    asks("pg_get_constraintdef", &[PG_NODE_TREE], TEXT, |db, args| db.pg_get_constraintdef(args)).stable(),
    asks("pg_get_expr", &[PG_NODE_TREE, OID], TEXT, |db, args| db.pg_get_expr(args)).stable(),
    asks("pg_get_expr", &[PG_NODE_TREE, OID, BOOL], TEXT, |db, args| db.pg_get_expr(args)).stable(),
    asks("pg_get_indexdef", &[OID], TEXT, |db, args| db.pg_get_indexdef(args)).stable(),
    asks("pg_get_indexdef", &[OID, INT4, BOOL], TEXT, |db, args| db.pg_get_indexdef(args)).stable(),
    asks("pg_get_partkeydef", &[OID], TEXT, |db, args| Ok(db.pg_get_partkeydef(&args[0]))).stable(),
    asks("pg_get_triggerdef", &[OID], TEXT, |db, args| db.pg_get_triggerdef(args)).stable(),
    asks("pg_get_triggerdef", &[OID, BOOL], TEXT, |db, args| db.pg_get_triggerdef(args)).stable(),
    asks("pg_get_viewdef", &[OID], TEXT, |db, args| db.pg_get_viewdef(args)).stable(),
    asks("pg_get_viewdef", &[OID, BOOL], TEXT, |db, args| db.pg_get_viewdef(args)).stable(),
    asks("pg_get_viewdef", &[OID, INT4], TEXT, |db, args| db.pg_get_viewdef(args)).stable(),
    asks("pg_get_viewdef", &[TEXT], TEXT, |db, args| db.pg_get_viewdef_name(args)).stable(),
    asks("pg_get_viewdef", &[TEXT, BOOL], TEXT, |db, args| db.pg_get_viewdef_name(args)).stable(),
    asks("col_description", &[OID, INT4], TEXT, |db, args| description(db, args)).stable(),
    asks("obj_description", &[OID], TEXT, |db, args| description(db, args)).stable(),
    asks("obj_description", &[OID, TEXT], TEXT, |db, args| description(db, args)).stable(),
    asks("shobj_description", &[OID, TEXT], TEXT, |db, args| description(db, &args[..1]).map(|_| Value::Null)).stable(),
    asks("pg_get_serial_sequence", &[TEXT, TEXT], TEXT, |db, args| db.serial_sequence(args)).stable(),
    asks("pg_indexes_size", &[REGCLASS], INT8, |db, args| db.pg_indexes_size(&args[0])).volatile(),
    asks("pg_is_in_recovery", &[], BOOL, |_, _| Ok(Value::Bool(false))).volatile(),
    asks("pg_postmaster_start_time", &[], TIMESTAMPTZ, |_, _| Err(not_here("pg_postmaster_start_time"))).stable(),
    asks("pg_prewarm", &[REGCLASS], INT8, |db, args| db.pg_prewarm(args)).volatile(),
    asks("pg_prewarm", &[REGCLASS, TEXT], INT8, |db, args| db.pg_prewarm(args)).volatile(),
    asks("pg_prewarm", &[REGCLASS, TEXT, TEXT], INT8, |db, args| db.pg_prewarm(args)).volatile(),
    asks("pg_prewarm", &[REGCLASS, TEXT, TEXT, INT8], INT8, |db, args| db.pg_prewarm(args)).volatile(),
    asks("pg_prewarm", &[REGCLASS, TEXT, TEXT, INT8, INT8], INT8, |db, args| db.pg_prewarm(args)).volatile(),
    asks("bt_index_check", &[REGCLASS], VOID, |db, args| looking::bt_index_check(db, args, false)).volatile(),
    asks("bt_index_check", &[REGCLASS, BOOL], VOID, |db, args| looking::bt_index_check(db, args, false)).volatile(),
    asks("bt_index_check", &[REGCLASS, BOOL, BOOL], VOID, |db, args| looking::bt_index_check(db, args, false))
        .volatile()
        .since(14),
    asks("bt_index_parent_check", &[REGCLASS], VOID, |db, args| looking::bt_index_check(db, args, true)).volatile(),
    asks("bt_index_parent_check", &[REGCLASS, BOOL], VOID, |db, args| looking::bt_index_check(db, args, true))
        .volatile(),
    asks("bt_index_parent_check", &[REGCLASS, BOOL, BOOL], VOID, |db, args| looking::bt_index_check(db, args, true))
        .volatile(),
    asks("bt_index_parent_check", &[REGCLASS, BOOL, BOOL, BOOL], VOID, |db, args| {
        looking::bt_index_check(db, args, true)
    })
    .volatile()
    .since(14),
    asks("pg_relpages", &[TEXT], INT8, |db, args| db.pg_relpages(&args[0])).volatile(),
    asks("pg_relpages", &[REGCLASS], INT8, |db, args| db.pg_relpages(&args[0])).volatile(),
    asks("pg_truncate_visibility_map", &[REGCLASS], VOID, |db, args| looking::truncate_visibility_map(db, &args[0]))
        .volatile(),
    f("pg_size_bytes", &[TEXT], INT8, size_bytes),
    asks("tuple_data_split", &[OID, BYTEA, INT4, INT4, TEXT], BYTEA_ARRAY, |db, args| {
        looking::tuple_data_split(db, args)
    })
    .volatile()
    .of_null(),
    asks("tuple_data_split", &[OID, BYTEA, INT4, INT4, TEXT, BOOL], BYTEA_ARRAY, |db, args| {
        looking::tuple_data_split(db, args)
    })
    .volatile()
    .of_null(),
    asks("pg_relation_filenode", &[REGCLASS], OID, |db, args| db.pg_relation_filenode(&args[0])).stable(),
    asks("pg_relation_filepath", &[REGCLASS], TEXT, |db, args| db.pg_relation_filepath(&args[0])).stable(),
    asks("pg_relation_size", &[REGCLASS], INT8, |db, args| db.pg_relation_size(args)).volatile(),
    asks("pg_relation_size", &[REGCLASS, TEXT], INT8, |db, args| db.pg_relation_size(args)).volatile(),
    f("pg_size_pretty", &[INT8], TEXT, |call| Ok(Value::text(&size_pretty(call.integer(0).into())))),
    f("pg_size_pretty", &[NUMERIC], TEXT, |call| Ok(numeric_size_pretty(&call.args[0]))),
    f("pg_snapshot_xmax", &[SNAPSHOT], XID8, |call| Ok(of_snapshot(&call.args[0], 1))),
    f("pg_snapshot_xmin", &[SNAPSHOT], XID8, |call| Ok(of_snapshot(&call.args[0], 0))),
    asks("pg_stat_clear_snapshot", &[], VOID, |db, _| Ok(db.clear_snapshot())).volatile(),
    asks("pg_stat_force_next_flush", &[], VOID, |_, _| Ok(Value::text(""))).volatile().since(15),
    asks("pg_stat_reset", &[], VOID, |db, _| Ok(db.pg_stat_reset(None))).volatile(),
    asks("pg_stat_reset_single_table_counters", &[OID], VOID, |db, args| Ok(db.pg_stat_reset(args.first()))).volatile(),
    asks("pg_switch_wal", &[], LSN, |db, _| Ok(db.pg_switch_wal())).volatile(),
    asks("pg_table_size", &[REGCLASS], INT8, |db, args| db.pg_table_size(&args[0])).volatile(),
    asks("pg_trigger_depth", &[], INT4, |db, _| Ok(db.pg_trigger_depth())).stable(),
    asks("pg_total_relation_size", &[REGCLASS], INT8, |db, args| db.pg_total_relation_size(&args[0])).volatile(),
    f("pg_wal_lsn_diff", &[LSN, LSN], NUMERIC, |call| {
        operate::numeric(i128::from(call.integer(0)) - i128::from(call.integer(1)), &call.input())
    }),
    f("pg_lsn_pli", &[LSN, NUMERIC], LSN, |call| moved(call, 1)),
    f("pg_lsn_mii", &[LSN, NUMERIC], LSN, |call| moved(call, -1)),
    f("pg_walfile_name", &[LSN], TEXT, pg_walfile_name),
    asks("pg_xact_status", &[XID8], TEXT, |db, args| db.xact_status(xid(args))).stable(),
    f("pg_visible_in_snapshot", &[XID8, SNAPSHOT], BOOL, is_in_snapshot),
    f("txid_visible_in_snapshot", &[INT8, TXID_SNAPSHOT], BOOL, is_in_snapshot),
    asks("regclassin", &[TEXT], REGCLASS, |db, args| db.regclassin(&args[0])).stable(),
    asks("regclassout", &[REGCLASS], TEXT, |db, args| Ok(db.regclassout(&args[0]))).stable(),
    asks("regnamespacein", &[TEXT], REGNAMESPACE, |db, args| db.regnamespacein(&args[0])).stable(),
    asks("pg_get_function_arguments", &[OID], TEXT, |db, args| db.pg_get_function_arguments(args)).stable(),
    asks("pg_get_function_identity_arguments", &[OID], TEXT, |db, args| db.function_identity_arguments(args)).stable(),
    asks("pg_get_function_result", &[OID], TEXT, |db, args| db.pg_get_function_result(args)).stable(),
    asks("pg_get_functiondef", &[OID], TEXT, |db, args| db.pg_get_functiondef(args)).stable(),
    asks("regprocedurein", &[TEXT], REGPROCEDURE, |db, args| db.regprocedurein(&args[0])).stable(),
    asks("regprocedureout", &[REGPROCEDURE], TEXT, |db, args| db.regprocedureout(args, true)).stable(),
    asks("regprocin", &[TEXT], REGPROC, |db, args| db.regprocin(&args[0])).stable(),
    asks("regprocout", &[REGPROC], TEXT, |db, args| db.regprocedureout(args, false)).stable(),
    asks("regnamespaceout", &[REGNAMESPACE], TEXT, |db, args| Ok(db.regnamespaceout(&args[0]))).stable(),
    asks("regtypeout", &[REGTYPE], TEXT, |db, args| Ok(db.regtypeout(&args[0]))).stable(),
    asks("session_user", &[], TEXT, |db, _| Ok(role(db, db.cluster.pg.backend().settings.session_user))).stable(),
    asks("to_regclass", &[TEXT], REGCLASS, |db, args| Ok(db.regclassin(&args[0]).unwrap_or(Value::Null))).stable(),
    asks("txid_current_if_assigned", &[], INT8, |db, _| Ok(db.xact_id_if_assigned())).stable(),
    asks("txid_current_snapshot", &[], TXID_SNAPSHOT, |db, _| Ok(Value::text(&db.snapshot_text()))).stable(),
    f("txid_snapshot_xmax", &[TXID_SNAPSHOT], INT8, |call| Ok(of_snapshot(&call.args[0], 1))),
    f("txid_snapshot_xmin", &[TXID_SNAPSHOT], INT8, |call| Ok(of_snapshot(&call.args[0], 0))),
    asks("txid_status", &[INT8], TEXT, |db, args| db.xact_status(xid(args))).stable(),
    asks("user", &[], TEXT, |db, _| Ok(user(db))).stable(),
    asks("version", &[], TEXT, |db, _| Ok(db.version_text())).stable(),
];

fn role(db: &Database, oid: Oid) -> Value {
    Value::text(db.cluster.role_name(oid).unwrap_or_default())
}

fn user(db: &Database) -> Value {
    role(db, db.cluster.user())
}

/// A function that servers have, and the simulator nothing to say of.
fn not_here(name: &str) -> SqlError {
    SqlError::new(NOT_SIMULATED, format!("function {name} is not supported"))
}

/// A transaction's number, as an xid or as a whole number.
fn xid(args: &[Value]) -> TransactionId {
    match args.first() {
        Some(Value::Oid(xid)) => *xid,
        other => other.and_then(Value::integer).unwrap_or(0) as TransactionId,
    }
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

/// `pg_column_toast_chunk_id`
fn toast_chunk_id(value: &Value) -> Value {
    match value {
        Value::Stored(bytes) => varlena::value_id(bytes).map_or(Value::Null, Value::Oid),
        _ => Value::Null,
    }
}

/// `pg_column_compression`
fn compression(value: &Value) -> Value {
    match value {
        Value::Stored(bytes) => varlena::compression_name(bytes).map_or(Value::Null, Value::text),
        _ => Value::Null,
    }
}

/// `pg_lsn_pli`, `pg_lsn_mii`: a position so many bytes further, or before.
fn moved(call: &mut Call<'_, '_>, sign: i128) -> Result<Value> {
    let text = call.args[1].output(NUMERIC).unwrap_or_default();
    if text == "NaN" {
        let (verb, preposition) = if sign > 0 { ("add", "to") } else { ("subtract", "from") };
        return Err(SqlError::new("0A000", format!("cannot {verb} NaN {preposition} pg_lsn")));
    }
    let out_of_range = || SqlError::new("22023", "pg_lsn out of range");
    let whole = ffviz_format::datum::ops::round(&call.args[1], 0, false)?.output(NUMERIC).unwrap_or_default();
    let distance: i128 = whole.parse().map_err(|_| out_of_range())?;
    let at = i128::from(call.integer(0).cast_unsigned()) + sign * distance;
    u64::try_from(at).map(|at| Value::Int8(at.cast_signed())).map_err(|_| out_of_range())
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

/// `pg_size_bytes`: a number, and a unit in whatever letters.
fn size_bytes(call: &mut Call<'_, '_>) -> Result<Value> {
    const UNITS: [(&str, u32); 6] = [("bytes", 0), ("kb", 10), ("mb", 20), ("gb", 30), ("tb", 40), ("pb", 50)];
    let (text, version) = (call.text(0)?, call.input().version());
    let trimmed = text.trim();
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let unsigned = trimmed.trim_start_matches(['-', '+']);
    let digits = unsigned.find(|c: char| !is_number(c)).unwrap_or(unsigned.len());
    let (number, unit) = (&unsigned[..digits], unsigned[digits..].trim().to_ascii_lowercase());
    let invalid = || SqlError::new("22023", format!("invalid size: \"{text}\""));
    if !number.starts_with(|c: char| c.is_ascii_digit()) || unit.starts_with('e') || trimmed.len() > unsigned.len() + 1
    {
        return Err(match number.is_empty() {
            true => invalid(),
            false => SqlError::new(NOT_SIMULATED, "pg_size_bytes of such a number is not supported"),
        });
    }
    let has_unit = |(name, _): &&(&str, u32)| *name == unit && (unit != "pb" || version.sizes_in_petabytes());
    let shift = match UNITS.iter().find(has_unit) {
        Some((_, shift)) => *shift,
        None if unit.is_empty() || unit == "b" && version.sizes_in_single_bytes() => 0,
        None => return Err(invalid().with_detail(format!("Invalid size unit: \"{}\".", unsigned[digits..].trim()))),
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let too_large = || SqlError::new("22003", "bigint out of range");
    let scale = 10_i128.checked_pow(part.len() as u32).ok_or_else(too_large)?;
    let digits: i128 = format!("{whole}{part}").parse().map_err(|_| too_large())?;
    let scaled = digits.checked_mul(1 << shift).ok_or_else(too_large)?;
    // `numeric_int8` rounds half away from zero
    let bytes = (scaled * 2 + scale) / (scale * 2);
    let bytes = i64::try_from(if trimmed.starts_with('-') { -bytes } else { bytes }).map_err(|_| too_large())?;
    Ok(Value::Int8(bytes))
}

/// Of a numeric its whole part.
fn numeric_size_pretty(value: &Value) -> Value {
    let whole = |digits: String| digits.split('.').next().and_then(|it| it.parse().ok()).unwrap_or(0);
    value.output(NUMERIC).map_or(Value::Null, |digits| Value::text(&size_pretty(whole(digits))))
}

fn pg_walfile_name(call: &mut Call<'_, '_>) -> Result<Value> {
    Ok(Value::text(&walfile_name(call.integer(0).cast_unsigned(), call.input().version())))
}

/// `pg_walfile_name_offset`: the file of a position, and the place in it.
pub(in crate::sql) fn walfile_name_offset(lsn: &Value, version: PgVersion) -> [Value; 2] {
    const SEGMENT: u64 = 16 * 1024 * 1024;
    let lsn = lsn.integer().unwrap_or(0).cast_unsigned();
    [Value::text(&walfile_name(lsn, version)), Value::Int4((lsn % SEGMENT) as i32)]
}

/// `XLogFileName` of the segment that a position belongs to, or ends.
fn walfile_name(lsn: u64, version: PgVersion) -> String {
    const SEGMENT: u64 = 16 * 1024 * 1024;
    const PER_FILE: u64 = 0x1_0000_0000 / SEGMENT;
    let segment = lsn.saturating_sub(u64::from(!version.names_segments_from_their_beginning())) / SEGMENT;
    format!("{:08X}{:08X}{:08X}", 1, segment / PER_FILE, segment % PER_FILE)
}

/// `is_visible_fxid`: had the transaction ended when the snapshot was taken? `xmin:xmax:` and those that ran.
fn is_in_snapshot(call: &mut Call<'_, '_>) -> Result<Value> {
    let xid = call.args[0].integer().unwrap_or(0).cast_unsigned();
    let mut parts = call.text(1)?.split(':');
    let mut bound = || parts.next().and_then(|part| part.parse().ok()).unwrap_or(0_u64);
    let (xmin, xmax) = (bound(), bound());
    let mut running = parts.next().unwrap_or("").split(',').filter_map(|part| part.parse::<u64>().ok());
    Ok(Value::Bool(xid < xmin || xid < xmax && !running.any(|other| other == xid)))
}

fn of_snapshot(snapshot: &Value, part: usize) -> Value {
    let text = snapshot.output(TEXT).unwrap_or_default();
    text.split(':').nth(part).and_then(|xid| xid.parse().ok()).map_or(Value::Null, Value::Int8)
}
