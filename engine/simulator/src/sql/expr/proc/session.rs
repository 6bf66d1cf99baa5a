//! Functions with a memory: sequences, settings, identifiers, the transaction (src/backend/commands/sequence.c,
//! src/backend/utils/misc/guc_funcs.c, src/backend/utils/adt/uuid.c, xid8funcs.c).

use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::call::Call;
use crate::sql::expr::pg_catalog::{BOOL, FLOAT8, INT2, INT4, INT8, NUMERIC, REGCLASS, TEXT, VOID};
use crate::sql::expr::pg_proc::{Proc, f};
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::random::Random;
use ffviz_format::datum::{Value, uuid};
use ffviz_format::page::Oid;

const UUID: Oid = 2950;

pub(super) const PROCS: &[Proc] = &[
    f("current_setting", &[TEXT], TEXT, current_setting).stable().alone(),
    f("current_setting", &[TEXT, BOOL], TEXT, current_setting).stable().alone(),
    f("currval", &[TEXT], INT8, currval).volatile(),
    f("currval", &[REGCLASS], INT8, currval).volatile(),
    f("gen_random_uuid", &[], UUID, gen_random_uuid).volatile().alone(),
    f("lastval", &[], INT8, |call| Ok(Value::Int8(call.env.context.lastval()?))).volatile(),
    f("nextval", &[TEXT], INT8, nextval).volatile(),
    f("nextval", &[REGCLASS], INT8, nextval).volatile(),
    f("pg_reload_conf", &[], BOOL, pg_reload_conf).volatile(),
    f("pg_sleep", &[FLOAT8], VOID, pg_sleep).volatile(),
    f("random", &[], FLOAT8, |call| Ok(Value::Float8(call.env.context.random().next_f64()))).volatile().alone(),
    f("random", &[INT4, INT4], INT4, |call| Ok(Value::Int4(random_between(call)? as i32))).volatile().alone().since(17),
    f("random", &[INT8, INT8], INT8, |call| Ok(Value::Int8(random_between(call)?))).volatile().alone().since(17),
    f("random", &[NUMERIC, NUMERIC], NUMERIC, |_| {
        Err(SqlError::new(
            NOT_SIMULATED,
            "random(numeric, numeric) is not supported; the simulator knows it of integers",
        ))
    })
    .volatile()
    .since(17),
    f("set_config", &[TEXT, TEXT, BOOL], TEXT, set_config).volatile(),
    f("setseed", &[FLOAT8], VOID, setseed).volatile().alone(),
    f("setval", &[TEXT, INT8], INT8, setval).volatile(),
    f("setval", &[TEXT, INT8, BOOL], INT8, setval).volatile(),
    f("setval", &[REGCLASS, INT8], INT8, setval).volatile(),
    f("setval", &[REGCLASS, INT8, BOOL], INT8, setval).volatile(),
    f("txid_current", &[], INT8, |call| Ok(Value::Int8(call.env.context.txid_current()?))).stable(),
    f("uuid_generate_v4", &[], UUID, gen_random_uuid).volatile().alone(),
    f("uuid_extract_version", &[UUID], INT2, |call| Ok(uuid_version(&call.args[0]))).since(17),
    f("uuidv7", &[], UUID, uuidv7).volatile().alone().since(18),
];

/// `int8random`, `int4random` (src/backend/utils/adt/pseudorandomfuncs.c)
fn random_between(call: &mut Call<'_, '_>) -> Result<i64> {
    let (low, high) = (call.integer(0), call.integer(1));
    if low > high {
        return Err(SqlError::new("22023", "lower bound must be less than or equal to upper bound"));
    }
    Ok(call.env.context.random().next_between(low, high))
}

fn current_setting(call: &mut Call<'_, '_>) -> Result<Value> {
    let (name, missing_ok) = (call.text(0)?, call.is_true(1));
    let shown = call.env.context.current_setting(name, missing_ok)?;
    Ok(shown.map_or(Value::Null, |shown| Value::text(&shown)))
}

fn set_config(call: &mut Call<'_, '_>) -> Result<Value> {
    let value = if call.args[1].is_null() { None } else { Some(call.text(1)?) };
    let (name, is_local) = (call.text(0)?, call.is_true(2));
    Ok(Value::text(&call.env.context.set_config(name, value, is_local)?))
}

fn pg_reload_conf(call: &mut Call<'_, '_>) -> Result<Value> {
    call.env.context.reload_conf();
    Ok(Value::Bool(true))
}

fn pg_sleep(call: &mut Call<'_, '_>) -> Result<Value> {
    let seconds = call.float(0);
    call.env.context.sleep(seconds)?;
    Ok(Value::text(""))
}

fn currval(call: &mut Call<'_, '_>) -> Result<Value> {
    Ok(Value::Int8(call.env.context.currval(&call.args[0])?))
}

fn nextval(call: &mut Call<'_, '_>) -> Result<Value> {
    Ok(Value::Int8(call.env.context.nextval(&call.args[0])?))
}

fn setval(call: &mut Call<'_, '_>) -> Result<Value> {
    let (value, is_called) = (call.integer(1), call.get(2) != Some(&Value::Bool(false)));
    call.env.context.setval(&call.args[0], value, is_called)?;
    Ok(Value::Int8(value))
}

fn setseed(call: &mut Call<'_, '_>) -> Result<Value> {
    let major = call.env.context.input().major;
    let random = Random::setseed(call.float(0), major)?;
    call.env.context.set_random(random);
    Ok(Value::text(""))
}

fn gen_random_uuid(call: &mut Call<'_, '_>) -> Result<Value> {
    Ok(Value::Uuid(uuid::v4(call.env.context.random().next_bytes())))
}

/// `uuid_extract_version`: of the variant of RFC 9562.
fn uuid_version(uuid: &Value) -> Value {
    match uuid {
        Value::Uuid(bytes) if bytes[8] & 0xC0 == 0x80 => Value::Int2((bytes[6] >> 4).into()),
        _ => Value::Null,
    }
}

fn uuidv7(call: &mut Call<'_, '_>) -> Result<Value> {
    let now = call.env.context.clock();
    Ok(Value::Uuid(uuid::v7(now, call.env.context.random().next_bytes())))
}
