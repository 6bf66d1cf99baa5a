//! The functions, a file a subject: their rows of `pg_proc`, each with what the function does.
//!
//! ```text
//!  text      varlena.c, oracle_compat.c                     number   float.c, numeric.c, int.c, pseudorandomfuncs.c
//!  bits      varbit.c
//!  bytes     bytea, digests, other spellings                trigonometry, whole_numbers, numeric_math   more of them
//!  format_text   format()                                   regexp   regexp.c, with rows too
//!  time      date.c, timestamp.c                            array, array_edit   arrayfuncs.c, array_userfuncs.c
//!  extract, units   EXTRACT, date_trunc                     make_time    times of parts, and OVERLAPS
//!  formatting    to_char, to_date, to_number                json, json_build   json.c, jsonfuncs.c
//!  jsonb     jsonb_op.c, jsonfuncs.c                        json_sets, json_records   jsonfuncs.c: those with rows
//!  jsonpath  jsonpath_exec.c                                session  sequence.c, guc_funcs.c, uuid.c
//!  server    what the server is asked: sizes, WAL, transactions      locks   lockfuncs.c: advisory locks
//!  information   names, owners, privileges                  range    rangetypes.c
//!  rows      rowtypes.c                                  special   what the grammar calls, of any arguments
//! ```

mod array;
mod array_edit;
mod bits;
mod bytes;
mod extract;
mod format_text;
mod formatting;
mod hash;
mod information;
mod json;
mod json_build;
mod json_records;
mod json_sets;
mod jsonb;
mod jsonpath;
mod like;
mod locks;
mod make_time;
mod number;
mod numeric_math;
mod range;
mod regex;
mod regexp;
mod rows;
mod server;
mod session;
mod special;
mod text;
mod time;
mod trigonometry;
mod units;
mod whole_numbers;

use super::pg_proc::Proc;
pub(in crate::sql) use array_edit::split_text;
pub(in crate::sql) use hash::{hash_bytes, hash_bytes_extended, hashed_integer};
pub(in crate::sql) use information::{type_of_name, unknown_privilege};
pub(super) use json::{aggregated as json_whole, part as json_part};
pub(in crate::sql) use json_records::{column_list, record_rows};
pub(in crate::sql) use json_sets::json_rows;
pub(in crate::sql) use jsonpath::path_rows;
pub(in crate::sql) use regexp::regexp_rows;
pub(super) use text::of_texts;

/// Their rows of `pg_proc`.
pub(super) const GROUPS: &[&[Proc]] = &[
    regexp::PROCS,
    text::PROCS,
    number::PROCS,
    numeric_math::PROCS,
    time::PROCS,
    extract::PROCS,
    formatting::PROCS,
    make_time::PROCS,
    array::PROCS,
    array_edit::PROCS,
    bytes::PROCS,
    bits::PROCS,
    trigonometry::PROCS,
    whole_numbers::PROCS,
    json::PROCS,
    jsonb::PROCS,
    json_build::PROCS,
    jsonpath::PROCS,
    range::PROCS,
    session::PROCS,
    server::PROCS,
    information::PROCS,
    locks::PROCS,
];

pub(in crate::sql) use server::{DATABASE, walfile_name_offset};
pub(super) use special::PROCS as SPECIAL;
pub(super) use time::zone_of;
