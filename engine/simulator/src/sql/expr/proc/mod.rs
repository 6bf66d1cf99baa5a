//! Functions that are nothing but functions, a file a subject: their rows of `pg_proc`, and what they do.
//!
//! ```text
//!  text      varlena.c, oracle_compat.c, format_text.c      number   float.c, numeric.c, int.c
//!  time      date.c, timestamp.c                            array    arrayfuncs.c, array_userfuncs.c
//!  json      json.c, jsonfuncs.c                            server   what the server is asked: sizes, WAL, transactions
//! ```

mod array;
mod hash;
mod json;
mod like;
mod number;
mod numeric_text;
mod regex;
mod server;
mod special;
mod text;
mod time;

use super::Typed;
use super::eval::Env;
use super::pg_proc::Proc;
use crate::sql::error::NOT_SIMULATED;
use alloc::format;
use ffviz_format::datum::Value;
use ffviz_format::datum::error::{Result, SqlError};
pub(in crate::sql) use hash::hash_bytes;

/// Their rows of `pg_proc`.
pub(super) const GROUPS: &[&[Proc]] =
    &[text::PROCS, number::PROCS, time::PROCS, array::PROCS, json::PROCS, server::PROCS];

/// Calls the function of that name.
pub(super) fn call(name: &'static str, args: &[Value], exprs: &[Typed], env: &mut Env<'_>) -> Result<Value> {
    let found = text::call(name, args, exprs)
        .or_else(|| number::call(name, args, env))
        .or_else(|| time::call(name, args, env))
        .or_else(|| array::call(name, args, exprs, env))
        .or_else(|| json::call(name, args, exprs))
        .or_else(|| server::call(name, args, exprs, env));
    found.unwrap_or_else(|| Err(SqlError::new(NOT_SIMULATED, format!("function {name} is not supported here"))))
}
