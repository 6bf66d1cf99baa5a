//! Functions of numbers (src/backend/utils/adt/float.c, numeric.c, int.c).

use super::array::elements;
use super::numeric_math::power as numeric_power;
use crate::sql::ast::BinaryOp;
use crate::sql::expr::call::Call;
use crate::sql::expr::operate;
use crate::sql::expr::pg_catalog::{ANY, ANYARRAY, FLOAT4, FLOAT8, INT2, INT4, INT8, NUMERIC};
use crate::sql::expr::pg_proc::{Proc, f};
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::{Value, ops};

pub(super) const PROCS: &[Proc] = &[
    f("abs", &[INT2], INT2, abs),
    f("abs", &[INT4], INT4, abs),
    f("abs", &[INT8], INT8, abs),
    f("abs", &[FLOAT4], FLOAT4, abs),
    f("abs", &[FLOAT8], FLOAT8, abs),
    f("abs", &[NUMERIC], NUMERIC, abs),
    f("int8and", &[INT8, INT8], INT8, |call| integer(call, call.integer(0) & call.integer(1))),
    f("int8not", &[INT8], INT8, |call| integer(call, !call.integer(0))),
    f("int8or", &[INT8, INT8], INT8, |call| integer(call, call.integer(0) | call.integer(1))),
    f("int8xor", &[INT8, INT8], INT8, |call| integer(call, call.integer(0) ^ call.integer(1))),
    f("cbrt", &[FLOAT8], FLOAT8, |call| float(libm::cbrt(call.float(0)))),
    f("ceil", &[FLOAT8], FLOAT8, |call| float(libm::ceil(call.float(0)))),
    f("ceil", &[NUMERIC], NUMERIC, |call| whole(call, false)),
    f("ceiling", &[FLOAT8], FLOAT8, |call| float(libm::ceil(call.float(0)))),
    f("ceiling", &[NUMERIC], NUMERIC, |call| whole(call, false)),
    f("cos", &[FLOAT8], FLOAT8, |call| float(libm::cos(call.float(0)))),
    f("degrees", &[FLOAT8], FLOAT8, |call| float(call.float(0).to_degrees())),
    f("div", &[NUMERIC, NUMERIC], NUMERIC, div),
    f("exp", &[FLOAT8], FLOAT8, |call| float(libm::exp(call.float(0)))),
    f("floor", &[FLOAT8], FLOAT8, |call| float(libm::floor(call.float(0)))),
    f("floor", &[NUMERIC], NUMERIC, |call| whole(call, true)),
    f("gcd", &[INT4, INT4], INT4, |call| integer(call, gcd(call.integer(0), call.integer(1))?)),
    f("gcd", &[INT8, INT8], INT8, |call| integer(call, gcd(call.integer(0), call.integer(1))?)),
    f("ln", &[FLOAT8], FLOAT8, |call| float(libm::log(positive(call.float(0))?))),
    f("log", &[FLOAT8], FLOAT8, |call| float(libm::log10(positive(call.float(0))?))),
    f("mod", &[INT2, INT2], INT2, modulo),
    f("mod", &[INT4, INT4], INT4, modulo),
    f("mod", &[INT8, INT8], INT8, modulo),
    f("mod", &[NUMERIC, NUMERIC], NUMERIC, modulo),
    f("pi", &[], FLOAT8, |_| float(core::f64::consts::PI)),
    f("pow", &[FLOAT8, FLOAT8], FLOAT8, power),
    f("pow", &[NUMERIC, NUMERIC], NUMERIC, numeric_power),
    f("power", &[FLOAT8, FLOAT8], FLOAT8, power),
    f("power", &[NUMERIC, NUMERIC], NUMERIC, numeric_power),
    f("radians", &[FLOAT8], FLOAT8, |call| float(call.float(0).to_radians())),
    f("round", &[FLOAT8], FLOAT8, |call| float(libm::rint(call.float(0)))),
    f("round", &[NUMERIC], NUMERIC, |call| ops::round(&call.args[0], 0, false)),
    f("round", &[NUMERIC, INT4], NUMERIC, |call| ops::round(&call.args[0], call.int(1), false)),
    f("int8shl", &[INT8, INT4], INT8, |call| integer(call, call.integer(0) << distance(call))),
    f("int8shr", &[INT8, INT4], INT8, |call| integer(call, call.integer(0) >> distance(call))),
    f("sign", &[FLOAT8], FLOAT8, |call| float(sign(call.float(0)))),
    f("sign", &[NUMERIC], NUMERIC, sign_of_numeric),
    f("sin", &[FLOAT8], FLOAT8, |call| float(libm::sin(call.float(0)))),
    f("sqrt", &[FLOAT8], FLOAT8, sqrt),
    f("log10", &[FLOAT8], FLOAT8, |call| float(libm::log10(positive(call.float(0))?))),
    f("trunc", &[FLOAT8], FLOAT8, |call| float(libm::trunc(call.float(0)))),
    f("trunc", &[NUMERIC], NUMERIC, |call| ops::round(&call.args[0], 0, true)),
    f("trunc", &[NUMERIC, INT4], NUMERIC, |call| ops::round(&call.args[0], call.int(1), true)),
    f("width_bucket", &[ANY, ANYARRAY], INT4, width_bucket_array),
    f("width_bucket", &[FLOAT8, FLOAT8, FLOAT8, INT4], INT4, |call| {
        width_bucket(call.float(0), [call.float(1), call.float(2)], call.int(3))
    }),
];

fn float(number: f64) -> Result<Value> {
    Ok(Value::Float8(number))
}

/// A whole number as wide as the first argument: operators on integer are functions of bigint here.
fn integer(call: &Call<'_, '_>, number: i64) -> Result<Value> {
    Ok(if matches!(call.args[0], Value::Int4(_)) { Value::Int4(number as i32) } else { Value::Int8(number) })
}

/// By how many bits a number is shifted: the processor looks at no more than its width.
fn distance(call: &Call<'_, '_>) -> i64 {
    let width = if matches!(call.args[0], Value::Int4(_)) { 32 } else { 64 };
    call.integer(1).rem_euclid(width)
}

fn abs(call: &mut Call<'_, '_>) -> Result<Value> {
    ops::abs(&call.args[0], &call.input())
}

fn modulo(call: &mut Call<'_, '_>) -> Result<Value> {
    operate::binary(BinaryOp::Mod, &call.args[0], &call.args[1], [call.type_of(0); 2], &call.input())
}

fn gcd(a: i64, b: i64) -> Result<i64> {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).map_err(|_| SqlError::new("22003", "bigint out of range"))
}

/// `numeric_floor`, `numeric_ceil`
fn whole(call: &mut Call<'_, '_>, is_floor: bool) -> Result<Value> {
    let (value, input) = (&call.args[0], call.input());
    let whole = ops::round(value, 0, true)?;
    let order = operate::compare(value, &whole, [NUMERIC; 2], &input)?;
    if !(if is_floor { order.is_lt() } else { order.is_gt() }) {
        return Ok(whole);
    }
    let op = if is_floor { BinaryOp::Sub } else { BinaryOp::Add };
    operate::binary(op, &whole, &operate::numeric(1, &input)?, [NUMERIC; 2], &input)
}

fn sign_of_numeric(call: &mut Call<'_, '_>) -> Result<Value> {
    let input = call.input();
    let order = operate::compare(&call.args[0], &operate::numeric(0, &input)?, [NUMERIC; 2], &input)?;
    operate::numeric(order as i128, &input)
}

/// `numeric_div_trunc`
fn div(call: &mut Call<'_, '_>) -> Result<Value> {
    let quotient = operate::binary(BinaryOp::Div, &call.args[0], &call.args[1], [NUMERIC; 2], &call.input())?;
    ops::round(&quotient, 0, true)
}

fn sign(number: f64) -> f64 {
    if number == 0.0 { 0.0 } else { libm::copysign(1.0, number) }
}

/// What has a logarithm.
fn positive(number: f64) -> Result<f64> {
    if number == 0.0 {
        return Err(SqlError::new("2201E", "cannot take logarithm of zero"));
    }
    if number < 0.0 {
        return Err(SqlError::new("2201E", "cannot take logarithm of a negative number"));
    }
    Ok(number)
}

fn sqrt(call: &mut Call<'_, '_>) -> Result<Value> {
    if call.float(0) < 0.0 {
        return Err(SqlError::new("2201F", "cannot take square root of a negative number"));
    }
    float(libm::sqrt(call.float(0)))
}

fn power(call: &mut Call<'_, '_>) -> Result<Value> {
    // the operator ^ of numeric has this function's name
    if matches!(call.args[0], Value::Numeric(_)) {
        return numeric_power(call);
    }
    let (a, b) = (call.float(0), call.float(1));
    if a == 0.0 && b < 0.0 {
        return Err(SqlError::new("2201F", "zero raised to a negative power is undefined"));
    }
    if a < 0.0 && libm::floor(b) != b {
        let message = "a negative number raised to a non-integer power yields a complex result";
        return Err(SqlError::new("2201F", message));
    }
    float(libm::pow(a, b))
}

/// `width_bucket_array`: how many of the thresholds, which ascend, are not above the value.
fn width_bucket_array(call: &mut Call<'_, '_>) -> Result<Value> {
    let thresholds = elements(call, 1)?;
    if thresholds.iter().any(Value::is_null) {
        return Err(SqlError::new("22004", "thresholds array must not contain NULLs"));
    }
    let (ty, input) = (call.type_of(0), call.input());
    let (mut from, mut to) = (0, thresholds.len());
    while from < to {
        let middle = (from + to) / 2;
        if operate::compare(&call.args[0], &thresholds[middle], [ty; 2], &input)?.is_lt() {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    Ok(Value::Int4(from as i32))
}

fn width_bucket(value: f64, [low, high]: [f64; 2], count: i32) -> Result<Value> {
    if count <= 0 {
        return Err(SqlError::new("2201G", "count must be greater than zero"));
    }
    if low == high {
        return Err(SqlError::new("2201G", "lower bound cannot equal upper bound"));
    }
    let (value, low, high) = if low < high { (value, low, high) } else { (-value, -low, -high) };
    Ok(Value::Int4(if value < low {
        0
    } else if value >= high {
        count + 1
    } else {
        (f64::from(count) * (value - low) / (high - low)) as i32 + 1
    }))
}
