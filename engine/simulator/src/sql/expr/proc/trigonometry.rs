//! Angles, and what float8 has besides (src/backend/utils/adt/float.c).

use crate::sql::expr::call::Call;
use crate::sql::expr::pg_catalog::FLOAT8;
use crate::sql::expr::pg_proc::{Proc, f};
use ffviz_format::datum::Value;
use ffviz_format::datum::error::{Result, SqlError};

pub(super) const PROCS: &[Proc] = &[
    f("acos", &[FLOAT8], FLOAT8, |call| within(call, -1.0, 1.0, libm::acos)),
    f("acosh", &[FLOAT8], FLOAT8, |call| within(call, 1.0, f64::INFINITY, libm::acosh)),
    f("asin", &[FLOAT8], FLOAT8, |call| within(call, -1.0, 1.0, libm::asin)),
    f("asinh", &[FLOAT8], FLOAT8, |call| Ok(Value::Float8(libm::asinh(call.float(0))))),
    f("atan", &[FLOAT8], FLOAT8, |call| Ok(Value::Float8(libm::atan(call.float(0))))),
    f("atan2", &[FLOAT8, FLOAT8], FLOAT8, |call| Ok(Value::Float8(libm::atan2(call.float(0), call.float(1))))),
    f("atanh", &[FLOAT8], FLOAT8, |call| within(call, -1.0, 1.0, libm::atanh)),
    f("cosh", &[FLOAT8], FLOAT8, |call| Ok(Value::Float8(libm::cosh(call.float(0))))),
    f("cot", &[FLOAT8], FLOAT8, |call| within(call, f64::MIN, f64::MAX, |x| 1.0 / libm::tan(x))),
    f("sinh", &[FLOAT8], FLOAT8, |call| Ok(Value::Float8(libm::sinh(call.float(0))))),
    f("tan", &[FLOAT8], FLOAT8, |call| within(call, f64::MIN, f64::MAX, libm::tan)),
    f("tanh", &[FLOAT8], FLOAT8, |call| Ok(Value::Float8(libm::tanh(call.float(0))))),
];

/// What is computed of a number between two others; of NaN it is NaN.
fn within(call: &Call<'_, '_>, low: f64, high: f64, compute: fn(f64) -> f64) -> Result<Value> {
    let number = call.float(0);
    if number.is_nan() {
        return Ok(Value::Float8(number));
    }
    if !(low..=high).contains(&number) {
        return Err(SqlError::new("22003", "input is out of range"));
    }
    Ok(Value::Float8(compute(number)))
}
