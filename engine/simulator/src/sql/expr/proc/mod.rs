//! The functions, a file a subject: their rows of `pg_proc`, each with what the function does.
//!
//! ```text
//!  text      varlena.c, oracle_compat.c, format_text.c      number   float.c, numeric.c, int.c, pseudorandomfuncs.c
//!  time      date.c, timestamp.c                            array    arrayfuncs.c, array_userfuncs.c
//!  json      json.c, jsonfuncs.c                            session  sequence.c, guc_funcs.c, uuid.c
//!  jsonb     jsonb_op.c, jsonfuncs.c                        json_sets  jsonfuncs.c: those with rows
//!  server    what the server is asked: sizes, WAL, transactions      locks   lockfuncs.c: advisory locks
//!  range     rangetypes.c
//!  special   what the grammar calls, of any arguments
//! ```

mod array;
mod extract;
mod formatting;
mod hash;
mod json;
mod json_sets;
mod jsonb;
mod like;
mod locks;
mod make_time;
mod number;
mod numeric_text;
mod range;
mod regex;
mod regexp;
mod server;
mod session;
mod special;
mod text;
mod time;
mod units;

use super::pg_proc::Proc;
pub(in crate::sql) use hash::{hash_bytes, hash_bytes_extended, hashed_integer};
pub(super) use json::{aggregated as json_whole, part as json_part};
pub(in crate::sql) use json_sets::json_rows;
pub(super) use text::of_texts;

/// Their rows of `pg_proc`.
pub(super) const GROUPS: &[&[Proc]] = &[
    regexp::PROCS,
    text::PROCS,
    number::PROCS,
    time::PROCS,
    extract::PROCS,
    formatting::PROCS,
    make_time::PROCS,
    array::PROCS,
    json::PROCS,
    jsonb::PROCS,
    range::PROCS,
    session::PROCS,
    server::PROCS,
    locks::PROCS,
];

pub(in crate::sql) use server::DATABASE;
pub(super) use special::PROCS as SPECIAL;
