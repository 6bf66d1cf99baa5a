//! Functions that are asked about names, owners, privileges and other sessions (src/backend/catalog/namespace.c;
//! src/backend/utils/adt/misc.c, acl.c, lockfuncs.c, uuid.c).

use super::time::SECOND;
use crate::sql::ast::ExprNode;
use crate::sql::catalog::looking::{self, privileges};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::call::Call;
use crate::sql::expr::pg_catalog::{
    BOOL, INT4, INT4_ARRAY, INT8, OID, REGCLASS, REGNAMESPACE, REGTYPE, TEXT, TEXT_ARRAY, TIMESTAMPTZ,
};
use crate::sql::expr::pg_proc::{Proc, asks, f};
use crate::sql::parse::parse_expr;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::String;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::input::input;
use ffviz_format::datum::{EPOCH_SHIFT, SqlType, Value};
use ffviz_format::page::Oid;

const UUID: Oid = 2950;

pub(super) const PROCS: &[Proc] = &[
    asks("current_schemas", &[BOOL], TEXT_ARRAY, |db, args| Ok(db.current_schemas(&args[0]))).stable(),
    f("getdatabaseencoding", &[], TEXT, |_| Ok(Value::text("UTF8"))).stable(),
    asks("has_any_column_privilege", &[REGCLASS, TEXT], BOOL, privileges::has_any_column_privilege).stable(),
    asks("has_any_column_privilege", &[TEXT, REGCLASS, TEXT], BOOL, privileges::has_any_column_privilege).stable(),
    asks("has_column_privilege", &[REGCLASS, TEXT, TEXT], BOOL, privileges::has_column_privilege).stable(),
    asks("has_column_privilege", &[TEXT, REGCLASS, TEXT, TEXT], BOOL, privileges::has_column_privilege).stable(),
    asks("has_database_privilege", &[TEXT, TEXT], BOOL, privileges::has_database_privilege).stable(),
    asks("has_database_privilege", &[TEXT, TEXT, TEXT], BOOL, privileges::has_database_privilege).stable(),
    asks("has_function_privilege", &[TEXT, TEXT], BOOL, privileges::has_function_privilege).stable(),
    asks("has_function_privilege", &[TEXT, TEXT, TEXT], BOOL, privileges::has_function_privilege).stable(),
    asks("has_schema_privilege", &[TEXT, TEXT], BOOL, privileges::has_schema_privilege).stable(),
    asks("has_schema_privilege", &[TEXT, TEXT, TEXT], BOOL, privileges::has_schema_privilege).stable(),
    asks("has_sequence_privilege", &[REGCLASS, TEXT], BOOL, privileges::has_sequence_privilege).stable(),
    asks("has_sequence_privilege", &[TEXT, REGCLASS, TEXT], BOOL, privileges::has_sequence_privilege).stable(),
    asks("has_table_privilege", &[REGCLASS, TEXT], BOOL, privileges::has_table_privilege).stable(),
    asks("has_table_privilege", &[TEXT, REGCLASS, TEXT], BOOL, privileges::has_table_privilege).stable(),
    f("num_nonnulls", &[], INT4, |call| Ok(count_nulls(call, false))).of_null(),
    f("num_nulls", &[], INT4, |call| Ok(count_nulls(call, true))).of_null(),
    asks("pg_blocking_pids", &[INT4], INT4_ARRAY, looking::blocking_pids).volatile(),
    f("pg_client_encoding", &[], TEXT, |_| Ok(Value::text("UTF8"))).stable(),
    asks("pg_get_userbyid", &[OID], TEXT, |db, args| {
        Ok(match args[0] {
            Value::Oid(oid) => match db.cluster.role_name(oid) {
                Some(name) => Value::text(name),
                None => Value::text(&format!("unknown (OID={oid})")),
            },
            _ => Value::Null,
        })
    })
    .stable(),
    asks("pg_has_role", &[TEXT, TEXT], BOOL, privileges::pg_has_role).stable(),
    asks("pg_has_role", &[TEXT, TEXT, TEXT], BOOL, privileges::pg_has_role).stable(),
    f("pg_input_is_valid", &[TEXT, TEXT], BOOL, is_valid).stable().since(16),
    asks("pg_partition_root", &[REGCLASS], REGCLASS, |db, args| db.partition_root(&args[0])),
    asks("pg_sequence_last_value", &[REGCLASS], INT8, |db, args| db.last_value(&args[0])).volatile(),
    asks("pg_table_is_visible", &[OID], BOOL, |db, args| Ok(db.table_is_visible(&args[0]))).stable(),
    asks("to_regnamespace", &[TEXT], REGNAMESPACE, |db, args| Ok(db.regnamespacein(&args[0]).unwrap_or(Value::Null)))
        .stable(),
    asks("to_regtype", &[TEXT], REGTYPE, |db, args| db.to_regtype(&args[0])).stable(),
    f("uuid_extract_timestamp", &[UUID], TIMESTAMPTZ, |call| {
        let reads_newer = call.input().version().reads_times_of_uuid7();
        Ok(uuid_time(&call.args[0], reads_newer))
    })
    .since(17),
];

fn count_nulls(call: &Call<'_, '_>, wanted: bool) -> Value {
    Value::Int4(call.args.iter().filter(|value| value.is_null() == wanted).count() as i32)
}

/// The type of that name, as a cast would take it.
pub(in crate::sql) fn type_of_name(name: &str) -> Option<SqlType> {
    match parse_expr(&format!("null::{name}")).ok()?.node {
        ExprNode::Cast(_, ty) => Some(ty),
        _ => None,
    }
}

/// `pg_input_is_valid`: has the type such a value?
fn is_valid(call: &mut Call<'_, '_>) -> Result<Value> {
    let (text, name) = (call.text(0)?, call.text(1)?);
    let Some(ty) = type_of_name(name) else {
        return Err(SqlError::new(NOT_SIMULATED, format!("pg_input_is_valid of the type {name} is not supported")));
    };
    match input(text, ty, &call.input()) {
        Ok(_) => Ok(Value::Bool(true)),
        Err(error) if error.sqlstate == NOT_SIMULATED => Err(error),
        Err(_) => Ok(Value::Bool(false)),
    }
}

/// `uuid_extract_timestamp`: of versions 1 and 7 of the variant of RFC 9562.
fn uuid_time(uuid: &Value, reads_newer: bool) -> Value {
    /// from 1582-10-15 to 1970-01-01, in days
    const GREGORIAN: i64 = 141_427;
    let Value::Uuid(bytes) = uuid else { return Value::Null };
    if bytes[8] & 0xC0 != 0x80 {
        return Value::Null;
    }
    let number = |bytes: &[u8]| bytes.iter().fold(0_i64, |sum, byte| sum << 8 | i64::from(*byte));
    match bytes[6] >> 4 {
        1 => {
            let ticks = (number(&bytes[6..8]) & 0xFFF) << 48 | number(&bytes[4..6]) << 32 | number(&bytes[..4]);
            Value::TimestampTz(ticks / 10 - (GREGORIAN * 86_400 + EPOCH_SHIFT) * SECOND)
        }
        7 if reads_newer => Value::TimestampTz(number(&bytes[..6]) * 1000 - EPOCH_SHIFT * SECOND),
        _ => Value::Null,
    }
}

/// `convert_any_priv_string`: words with commas between, perhaps WITH GRANT OPTION; the one that there is not.
pub(in crate::sql) fn unknown_privilege(list: &str, known: &[&str]) -> Option<String> {
    let is_known = |word: &str| {
        let upper = word.to_ascii_uppercase();
        known.contains(&upper.strip_suffix(" WITH GRANT OPTION").unwrap_or(&upper))
    };
    list.split(',').map(str::trim).find(|word| !is_known(word)).map(String::from)
}
