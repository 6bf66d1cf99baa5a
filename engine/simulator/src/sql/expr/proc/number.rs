//! Functions of numbers (src/backend/utils/adt/float.c, numeric.c, int.c).

use crate::sql::ast::BinaryOp;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::builtin::{float, int};
use crate::sql::expr::eval::Env;
use crate::sql::expr::operate;
use crate::sql::expr::pg_catalog::{FLOAT8, INT4, INT8, NUMERIC};
use crate::sql::expr::pg_proc::{Proc, f};
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::{Value, ops};

pub(super) const PROCS: &[Proc] = &[
    f("bitand", &[INT8, INT8], INT8),
    f("bitnot", &[INT8], INT8),
    f("bitor", &[INT8, INT8], INT8),
    f("bitxor", &[INT8, INT8], INT8),
    f("cbrt", &[FLOAT8], FLOAT8),
    f("ceil", &[FLOAT8], FLOAT8),
    f("ceil", &[NUMERIC], NUMERIC),
    f("ceiling", &[FLOAT8], FLOAT8),
    f("ceiling", &[NUMERIC], NUMERIC),
    f("degrees", &[FLOAT8], FLOAT8),
    f("div", &[NUMERIC, NUMERIC], NUMERIC),
    f("exp", &[FLOAT8], FLOAT8),
    f("exp", &[NUMERIC], NUMERIC),
    f("floor", &[FLOAT8], FLOAT8),
    f("floor", &[NUMERIC], NUMERIC),
    f("gcd", &[INT4, INT4], INT4),
    f("gcd", &[INT8, INT8], INT8),
    f("ln", &[FLOAT8], FLOAT8),
    f("ln", &[NUMERIC], NUMERIC),
    f("log", &[FLOAT8], FLOAT8),
    f("log", &[NUMERIC], NUMERIC),
    f("pi", &[], FLOAT8),
    f("pow", &[FLOAT8, FLOAT8], FLOAT8),
    f("pow", &[NUMERIC, NUMERIC], NUMERIC),
    f("power", &[FLOAT8, FLOAT8], FLOAT8),
    f("power", &[NUMERIC, NUMERIC], NUMERIC),
    f("radians", &[FLOAT8], FLOAT8),
    f("round", &[FLOAT8], FLOAT8),
    f("round", &[NUMERIC], NUMERIC),
    f("round", &[NUMERIC, INT4], NUMERIC),
    f("shiftleft", &[INT8, INT4], INT8),
    f("shiftright", &[INT8, INT4], INT8),
    f("sign", &[FLOAT8], FLOAT8),
    f("sign", &[NUMERIC], NUMERIC),
    f("sin", &[FLOAT8], FLOAT8),
    f("cos", &[FLOAT8], FLOAT8),
    f("sqrt", &[FLOAT8], FLOAT8),
    f("sqrt", &[NUMERIC], NUMERIC),
    f("trunc", &[FLOAT8], FLOAT8),
    f("trunc", &[NUMERIC], NUMERIC),
    f("trunc", &[NUMERIC, INT4], NUMERIC),
    f("width_bucket", &[FLOAT8, FLOAT8, FLOAT8, INT4], INT4),
];

pub(super) fn call(name: &str, args: &[Value], env: &mut Env<'_>) -> Option<Result<Value>> {
    if !PROCS.iter().any(|proc| proc.name == name) {
        return None;
    }
    Some(match args {
        [Value::Int4(_) | Value::Int8(_), ..] => of_integers(name, args),
        [Value::Numeric(_), ..] => of_numerics(name, args, env),
        _ => of_floats(name, args),
    })
}

fn of_integers(name: &str, args: &[Value]) -> Result<Value> {
    let (a, b) = (args[0].integer().unwrap_or(0), args.get(1).and_then(Value::integer).unwrap_or(0));
    let is_int4 = matches!(args[0], Value::Int4(_));
    let width = if is_int4 { 32 } else { 64 };
    let number = match name {
        "bitand" => a & b,
        "bitor" => a | b,
        "bitxor" => a ^ b,
        "bitnot" => !a,
        "shiftleft" => a << b.rem_euclid(width),
        "shiftright" => a >> b.rem_euclid(width),
        "gcd" => gcd(a, b)?,
        _ => return Err(SqlError::new("XX000", "no such function of integers")),
    };
    Ok(if is_int4 { Value::Int4(number as i32) } else { Value::Int8(number) })
}

fn gcd(a: i64, b: i64) -> Result<i64> {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).map_err(|_| SqlError::new("22003", "bigint out of range"))
}

fn of_numerics(name: &str, args: &[Value], env: &mut Env<'_>) -> Result<Value> {
    let value = &args[0];
    let digits = args.get(1).map_or(0, int);
    let input = env.input();
    let zero = operate::numeric(0, &input)?;
    let order = |a: &Value, b: &Value| operate::compare(a, b, [NUMERIC; 2], &input);
    match name {
        "round" => ops::round(value, digits, false),
        "trunc" => ops::round(value, digits, true),
        "floor" | "ceil" | "ceiling" => {
            let whole = ops::round(value, 0, true)?;
            let (is_floor, one) = (name == "floor", operate::numeric(1, &input)?);
            let is_beyond = if is_floor { order(value, &whole)?.is_lt() } else { order(value, &whole)?.is_gt() };
            if !is_beyond {
                return Ok(whole);
            }
            let op = if is_floor { BinaryOp::Sub } else { BinaryOp::Add };
            operate::binary(op, &whole, &one, [NUMERIC; 2], &input)
        }
        "sign" => operate::numeric(order(value, &zero)? as i128, &input),
        "div" => {
            let quotient = operate::binary(BinaryOp::Div, value, &args[1], [NUMERIC; 2], &input)?;
            ops::round(&quotient, 0, true)
        }
        _ => {
            let message = alloc::format!("{name} of numeric is not supported; cast its argument to float8");
            Err(SqlError::new(NOT_SIMULATED, message))
        }
    }
}

fn of_floats(name: &str, args: &[Value]) -> Result<Value> {
    let (a, b) = (args.first().map_or(0.0, float), args.get(1).map_or(0.0, float));
    Ok(Value::Float8(match name {
        "pi" => core::f64::consts::PI,
        "ceil" | "ceiling" => libm::ceil(a),
        "floor" => libm::floor(a),
        "round" => libm::rint(a),
        "trunc" => libm::trunc(a),
        "sign" if a == 0.0 => 0.0,
        "sign" => libm::copysign(1.0, a),
        "sqrt" if a < 0.0 => {
            return Err(SqlError::new("2201F", "cannot take square root of a negative number"));
        }
        "sqrt" => libm::sqrt(a),
        "cbrt" => libm::cbrt(a),
        "exp" => libm::exp(a),
        "ln" | "log" if a == 0.0 => return Err(SqlError::new("2201E", "cannot take logarithm of zero")),
        "ln" | "log" if a < 0.0 => {
            return Err(SqlError::new("2201E", "cannot take logarithm of a negative number"));
        }
        "ln" => libm::log(a),
        "log" => libm::log10(a),
        "power" | "pow" if a == 0.0 && b < 0.0 => {
            return Err(SqlError::new("2201F", "zero raised to a negative power is undefined"));
        }
        "power" | "pow" if a < 0.0 && libm::floor(b) != b => {
            let message = "a negative number raised to a non-integer power yields a complex result";
            return Err(SqlError::new("2201F", message));
        }
        "power" | "pow" => libm::pow(a, b),
        "degrees" => a.to_degrees(),
        "radians" => a.to_radians(),
        "sin" => libm::sin(a),
        "cos" => libm::cos(a),
        "width_bucket" => return width_bucket(a, b, args),
        _ => return Err(SqlError::new("XX000", "no such function of floats")),
    }))
}

fn width_bucket(value: f64, low: f64, args: &[Value]) -> Result<Value> {
    let (high, count) = (float(&args[2]), int(&args[3]));
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
