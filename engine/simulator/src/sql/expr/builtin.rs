//! What the functions do (src/backend/utils/adt/oracle_compat.c, varlena.c, pseudorandomfuncs.c, sequence.c and others).

use super::eval::{Context, Env};
use super::operate;
use super::pg_catalog::BPCHAR;
use super::pg_proc::Builtin;
use super::{Typed, proc};
use crate::sql::ast::BinaryOp;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::random::Random;
use ffviz_format::datum::{Value, md5, ops, uuid};
use ffviz_format::page::Oid;

/// `MaxAllocSize`
const MAX_ALLOC: usize = 0x3FFF_FFFF;

/// Calls a function with these values of its arguments; of one that is strict none is NULL.
pub fn call(builtin: Builtin, args: &[Value], exprs: &[Typed], env: &mut Env<'_>) -> Result<Value> {
    let first = exprs.first().map_or(0, |arg| arg.ty.oid);
    match builtin {
        Builtin::Named(name) => proc::call(name, args, exprs, env),
        Builtin::Greatest => extreme(args, first, Ordering::Greater, env),
        Builtin::Least => extreme(args, first, Ordering::Less, env),
        Builtin::Abs => ops::abs(&args[0], &env.input()),
        Builtin::Mod => operate::binary(BinaryOp::Mod, &args[0], &args[1], [first; 2], &env.input()),
        Builtin::Left => Ok(Value::text(left(text(&args[0])?, int(&args[1])))),
        Builtin::Length => length(&args[0], first),
        // with C collation only ASCII letters change
        Builtin::Lower => Ok(Value::text(&text(&args[0])?.to_ascii_lowercase())),
        Builtin::Upper => Ok(Value::text(&text(&args[0])?.to_ascii_uppercase())),
        Builtin::Lpad => lpad(text(&args[0])?, int(&args[1]), args.get(2).map_or(Ok(" "), text)?),
        Builtin::Md5 => Ok(Value::text(&md5::md5_hex(bytes(&args[0])?))),
        Builtin::Repeat => repeat(text(&args[0])?, int(&args[1])),
        Builtin::Substr => substr(&args[0], int(&args[1]), args.get(2).map(int)),
        _ => stateful(builtin, args, env.context),
    }
}

/// The greatest or the least of the values that are there.
fn extreme(args: &[Value], ty: Oid, wanted: Ordering, env: &mut Env<'_>) -> Result<Value> {
    let mut best = Value::Null;
    for value in args.iter().filter(|value| !value.is_null()) {
        if best.is_null() || operate::compare(value, &best, [ty; 2], &env.input())? == wanted {
            best = value.clone();
        }
    }
    Ok(best)
}

/// Functions with a memory.
fn stateful(builtin: Builtin, args: &[Value], context: &mut dyn Context) -> Result<Value> {
    Ok(match builtin {
        Builtin::Currval => Value::Int8(context.currval(&args[0])?),
        Builtin::CurrentSetting => {
            let shown = context.current_setting(text(&args[0])?, args.get(1) == Some(&Value::Bool(true)))?;
            shown.map_or(Value::Null, |shown| Value::text(&shown))
        }
        Builtin::SetConfig => {
            let value = if args[1] == Value::Null { None } else { Some(text(&args[1])?) };
            Value::text(&context.set_config(text(&args[0])?, value, args[2] == Value::Bool(true))?)
        }
        Builtin::Lastval => Value::Int8(context.lastval()?),
        Builtin::Nextval => Value::Int8(context.nextval(&args[0])?),
        Builtin::GenRandomUuid => Value::Uuid(uuid::v4(context.random().next_bytes())),
        Builtin::Uuidv7 => {
            let now = context.clock();
            Value::Uuid(uuid::v7(now, context.random().next_bytes()))
        }
        Builtin::Now => Value::TimestampTz(context.input().now),
        Builtin::PgReloadConf => {
            context.reload_conf();
            Value::Bool(true)
        }
        Builtin::PgSleep => {
            context.sleep(float(&args[0]));
            Value::text("")
        }
        Builtin::Random => Value::Float8(context.random().next_f64()),
        Builtin::Setseed => {
            let major = context.input().major;
            context.set_random(Random::setseed(float(&args[0]), major)?);
            Value::text("")
        }
        Builtin::Setval => {
            let value = bigint(&args[1]);
            context.setval(&args[0], value, args.get(2) != Some(&Value::Bool(false)))?;
            Value::Int8(value)
        }
        Builtin::TxidCurrent => Value::Int8(context.txid_current()?),
        _ => Value::Null,
    })
}

pub(super) fn bytes(value: &Value) -> Result<&[u8]> {
    value.plain_bytes().ok_or_else(|| SqlError::new("XX000", "a value of variable length was expected"))
}

pub(super) fn text(value: &Value) -> Result<&str> {
    core::str::from_utf8(bytes(value)?)
        .map_err(|_| SqlError::new("22021", "invalid byte sequence for encoding \"UTF8\""))
}

pub(super) const fn int(value: &Value) -> i32 {
    if let Value::Int4(number) = value { *number } else { 0 }
}

pub(super) const fn bigint(value: &Value) -> i64 {
    if let Value::Int8(number) = value { *number } else { 0 }
}

pub(super) const fn float(value: &Value) -> f64 {
    if let Value::Float8(number) = value { *number } else { 0.0 }
}

/// The first `count` characters; below 0 all but the last ones.
fn left(text: &str, count: i32) -> &str {
    let count =
        if count < 0 { text.chars().count().saturating_sub(count.unsigned_abs() as usize) } else { count as usize };
    prefix(text, count)
}

pub(super) fn prefix(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(end, _)| &text[..end])
}

/// Characters of text, without blanks at the end of char(n); bytes of bytea.
fn length(value: &Value, ty: Oid) -> Result<Value> {
    let count = match value {
        Value::Bytea(bytes) => bytes.len(),
        _ if ty == BPCHAR => text(value)?.trim_end_matches(' ').chars().count(),
        _ => text(value)?.chars().count(),
    };
    Ok(Value::Int4(count as i32))
}

pub(super) fn too_large() -> SqlError {
    SqlError::new("54000", "requested length too large")
}

fn lpad(text: &str, count: i32, fill: &str) -> Result<Value> {
    let count = count.max(0) as usize;
    if count > MAX_ALLOC / 4 {
        return Err(too_large());
    }
    let has = text.chars().count();
    if has >= count || fill.is_empty() {
        return Ok(Value::text(prefix(text, count)));
    }
    let mut padded: String = fill.chars().cycle().take(count - has).collect();
    padded += text;
    Ok(Value::text(&padded))
}

fn repeat(text: &str, count: i32) -> Result<Value> {
    let count = count.max(0) as usize;
    match text.len().checked_mul(count) {
        Some(length) if length <= MAX_ALLOC - 4 => Ok(Value::text(&text.repeat(count))),
        _ => Err(too_large()),
    }
}

/// `substr(string, from, count)`: positions before the first count, but give nothing.
pub(super) fn substr(value: &Value, from: i32, count: Option<i32>) -> Result<Value> {
    let from = i64::from(from);
    let end = match count {
        Some(count) if count < 0 => return Err(SqlError::new("22011", "negative substring length not allowed")),
        Some(count) => from + i64::from(count),
        None => i64::MAX,
    };
    let skip = (from.max(1) - 1) as usize;
    let take = (end.max(1) - 1).saturating_sub(skip as i64).max(0) as usize;
    if let Value::Bytea(bytes) = value {
        let part: Vec<u8> = bytes.iter().skip(skip).take(take).copied().collect();
        return Ok(Value::Bytea(part.into()));
    }
    let rest = text(value)?;
    let rest = rest.char_indices().nth(skip).map_or("", |(start, _)| &rest[start..]);
    Ok(Value::text(prefix(rest, take)))
}
