//! The value of an expression (`evalFunc` of src/bin/pgbench/pgbench.c).

use super::{Expr, ExprError, Function, Value};
use crate::pgbench::prng::Prng;
use crate::pgbench::random::{
    MIN_GAUSSIAN_PARAM, ZIPFIAN_PARAM, exponential, gaussian, hash_fnv1a, hash_murmur2, permute, zipfian,
};
use crate::pgbench::variables::Variables;
use crate::version::Behaviour;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::page::PgVersion;

/// `MAX_FARGS`
const MOST_ARGUMENTS: usize = 16;

/// What an expression is computed with.
#[derive(Debug)]
pub struct Scope<'a> {
    /// the client's variables
    pub variables: &'a Variables,
    /// its random numbers (`cs_func_rs`)
    pub prng: &'a mut Prng,
    /// whose pgbench it is
    pub version: PgVersion,
}

type Evaluated = Result<Value, ExprError>;

fn error(message: &str) -> ExprError {
    ExprError::new(message)
}

/// `evaluateExpr`
///
/// # Errors
/// What pgbench refuses.
pub fn eval(expr: &Expr, scope: &mut Scope<'_>) -> Evaluated {
    match expr {
        Expr::Constant(value) => Ok(*value),
        Expr::Variable(name) => scope.variables.value(name),
        Expr::Call(function @ (Function::And | Function::Or), arguments) => logical(*function, arguments, scope),
        Expr::Call(Function::Case, arguments) => {
            for branch in arguments.chunks(2) {
                match branch {
                    [condition, value] if eval(condition, scope)?.is_true() => return eval(value, scope),
                    [otherwise] => return eval(otherwise, scope),
                    _ => {}
                }
            }
            Ok(Value::Null)
        }
        Expr::Call(function, arguments) => {
            if arguments.len() > MOST_ARGUMENTS {
                return Err(ExprError::new(format!("too many function arguments, maximum is {MOST_ARGUMENTS}")));
            }
            let values = arguments.iter().map(|argument| eval(argument, scope)).collect::<Result<Vec<_>, _>>()?;
            standard(*function, &values, scope)
        }
    }
}

/// AND and OR: NULL as soon as one is, and the second only where the first leaves it open.
fn logical(function: Function, arguments: &[Expr], scope: &mut Scope<'_>) -> Evaluated {
    let decides = function == Function::Or;
    for argument in arguments {
        match eval(argument, scope)? {
            Value::Null => return Ok(Value::Null),
            value if value.to_bool()? == decides => return Ok(Value::Bool(decides)),
            _ => {}
        }
    }
    Ok(Value::Bool(!decides))
}

/// `evalStandardFunc`
fn standard(function: Function, values: &[Value], scope: &mut Scope<'_>) -> Evaluated {
    use Function as F;
    let keeps_null = matches!(function, F::Is | F::Debug);
    if !keeps_null && values.contains(&Value::Null) {
        return Ok(Value::Null);
    }
    match (function, values) {
        (F::Add | F::Sub | F::Mul | F::Div | F::Mod | F::Eq | F::Ne | F::Le | F::Lt, &[left, right]) => {
            arithmetic(function, left, right)
        }
        (F::BitAnd | F::BitOr | F::BitXor | F::LeftShift | F::RightShift, &[left, right]) => {
            bits(function, left.to_int()?, right.to_int()?)
        }
        (F::Not, &[value]) => value.to_bool().map(|value| Value::Bool(!value)),
        (F::Is, [left, right]) => Ok(Value::Bool(left == right)),
        (F::Debug, &[value]) => Ok(value),
        (F::Pi, _) => Ok(Value::Double(core::f64::consts::PI)),
        (F::Abs, &[Value::Int(value)]) => Ok(Value::Int(value.wrapping_abs())),
        (F::Abs, &[value]) => value.to_double().map(|value| Value::Double(libm::fabs(value))),
        (F::Double, &[value]) => value.to_double().map(Value::Double),
        (F::Sqrt, &[value]) => value.to_double().map(|value| Value::Double(libm::sqrt(value))),
        (F::Ln, &[value]) => value.to_double().map(|value| Value::Double(libm::log(value))),
        (F::Exp, &[value]) => value.to_double().map(|value| Value::Double(libm::exp(value))),
        (F::Int, &[value]) => value.to_int().map(Value::Int),
        (F::Least | F::Greatest, values) => extremum(function == F::Least, values),
        (F::Pow, &[left, right]) => Ok(Value::Double(libm::pow(left.to_double()?, right.to_double()?))),
        (F::HashMurmur2, &[value, seed]) => Ok(Value::Int(hash_murmur2(value.to_int()?, seed.to_int()?))),
        (F::HashFnv1a, &[value, seed]) => Ok(Value::Int(hash_fnv1a(value.to_int()?, seed.to_int()?))),
        (F::Permute, &[value, size, seed]) => permuted(scope.version, value, size, seed),
        (F::Random | F::RandomGaussian | F::RandomExponential | F::RandomZipfian, &[min, max, ref more @ ..]) => {
            random(function, min, max, more.first().copied(), scope.prng)
        }
        _ => Err(error("unexpected number of arguments")),
    }
}

fn arithmetic(function: Function, left: Value, right: Value) -> Evaluated {
    use Function as F;
    let is_double = matches!(left, Value::Double(_)) || matches!(right, Value::Double(_));
    if is_double && function != F::Mod {
        let (left, right) = (left.to_double()?, right.to_double()?);
        return Ok(match function {
            F::Add => Value::Double(left + right),
            F::Sub => Value::Double(left - right),
            F::Mul => Value::Double(left * right),
            F::Div => Value::Double(left / right),
            F::Eq => Value::Bool(left == right),
            F::Ne => Value::Bool(left != right),
            F::Le => Value::Bool(left <= right),
            _ => Value::Bool(left < right),
        });
    }
    let (left, right) = (left.to_int()?, right.to_int()?);
    let (result, name) = match function {
        F::Eq => return Ok(Value::Bool(left == right)),
        F::Ne => return Ok(Value::Bool(left != right)),
        F::Le => return Ok(Value::Bool(left <= right)),
        F::Lt => return Ok(Value::Bool(left < right)),
        F::Div | F::Mod if right == 0 => return Err(error("division by zero")),
        F::Mod => return Ok(Value::Int(left.wrapping_rem(right))),
        F::Add => (left.checked_add(right), "add"),
        F::Sub => (left.checked_sub(right), "sub"),
        F::Mul => (left.checked_mul(right), "mul"),
        _ => (left.checked_div(right), "div"),
    };
    result.map(Value::Int).ok_or_else(|| ExprError::new(format!("bigint {name} out of range")))
}

fn bits(function: Function, left: i64, right: i64) -> Evaluated {
    use Function as F;
    Ok(Value::Int(match function {
        F::BitAnd => left & right,
        F::BitOr => left | right,
        F::BitXor => left ^ right,
        // as x86-64 and ARM do it: by the lower six bits
        F::LeftShift => left.wrapping_shl(right as u32),
        _ => left.wrapping_shr(right as u32),
    }))
}

fn extremum(is_least: bool, values: &[Value]) -> Evaluated {
    if values.iter().any(|value| matches!(value, Value::Double(_))) {
        let all = values.iter().map(|value| value.to_double()).collect::<Result<Vec<_>, _>>()?;
        let found = all.into_iter().reduce(|a, b| if (a < b) == is_least { a } else { b });
        return Ok(found.map_or(Value::Null, Value::Double));
    }
    let all = values.iter().map(|value| value.to_int()).collect::<Result<Vec<_>, _>>()?;
    let found = if is_least { all.into_iter().min() } else { all.into_iter().max() };
    Ok(found.map_or(Value::Null, Value::Int))
}

fn permuted(version: PgVersion, value: Value, size: Value, seed: Value) -> Evaluated {
    let (value, size, seed) = (value.to_int()?, size.to_int()?, seed.to_int()?);
    if !version.pgbench_permutes() {
        return Err(error("unexpected function name (permute); --pg 14 and later have it"));
    }
    if !version.pgbench_has_xoroshiro() {
        return Err(error("permute as 14 computes it is not supported; --pg 15 and later have another one"));
    }
    if size <= 0 {
        return Err(error("permute size parameter must be greater than zero"));
    }
    Ok(Value::Int(permute(value, size, seed)))
}

fn random(function: Function, min: Value, max: Value, parameter: Option<Value>, prng: &mut Prng) -> Evaluated {
    let (min, max) = (min.to_int()?, max.to_int()?);
    if min > max {
        return Err(error("empty range given to random"));
    }
    if max.checked_sub(min).and_then(|delta| delta.checked_add(1)).is_none() {
        return Err(error("random range is too large"));
    }
    let Some(parameter) = parameter else { return Ok(Value::Int(prng.range(min, max))) };
    let parameter = parameter.to_double()?;
    Ok(Value::Int(match function {
        Function::RandomGaussian if parameter < MIN_GAUSSIAN_PARAM => {
            let why = format!("gaussian parameter must be at least {MIN_GAUSSIAN_PARAM:.6} (not {parameter:.6})");
            return Err(ExprError::new(why));
        }
        Function::RandomGaussian => gaussian(prng, min, max, parameter),
        Function::RandomZipfian => {
            let (least, most) = ZIPFIAN_PARAM;
            if !(least..=most).contains(&parameter) {
                let why = format!("zipfian parameter must be in range [{least:.3}, {most:.0}] (not {parameter:.6})");
                return Err(ExprError::new(why));
            }
            zipfian(prng, min, max, parameter)
        }
        _ if parameter <= 0.0 => {
            let why = format!("exponential parameter must be greater than zero (not {parameter:.6})");
            return Err(ExprError::new(why));
        }
        _ => exponential(prng, min, max, parameter),
    }))
}
