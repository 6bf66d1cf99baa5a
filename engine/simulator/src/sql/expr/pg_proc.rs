//! The functions, as `pg_proc` has them: a row says all of a function, also what it does.

use super::call::Call;
use super::eval::Env;
use super::{Node, Typed, proc};
pub use crate::sql::ast::Volatility;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::vec::Vec;
use core::fmt;
use ffviz_format::datum::Value;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::page::{Oid, PgVersion};

/// A function that is built in. Those of one name, which take other arguments, are the same one.
#[derive(Clone, Copy)]
pub struct Builtin(&'static Proc);

/// How a function comes to its value.
#[derive(Clone, Copy)]
pub(super) enum Evaluation {
    /// from its arguments, the session's clock, random numbers, settings and sequences
    Call(fn(&mut Call<'_, '_>) -> Result<Value>),
    /// from what the database has
    Ask(fn(&mut Database, &[Value]) -> Result<Value>),
}

/// A row of `pg_proc`. nextval, currval and setval take `regclass`; text is read as it when they are called.
pub struct Proc {
    pub(super) name: &'static str,
    pub(super) args: &'static [Oid],
    pub(super) result: Oid,
    /// first major version that has it
    since: u32,
    volatility: Volatility,
    /// `proisstrict`
    is_strict: bool,
    takes_stored: bool,
    stands_alone: bool,
    evaluation: Evaluation,
}

/// A function that has nothing special.
pub(super) const fn f(
    name: &'static str,
    args: &'static [Oid],
    result: Oid,
    evaluate: fn(&mut Call<'_, '_>) -> Result<Value>,
) -> Proc {
    row(name, args, result, Evaluation::Call(evaluate))
}

/// A function that asks the database.
pub(super) const fn asks(
    name: &'static str,
    args: &'static [Oid],
    result: Oid,
    evaluate: fn(&mut Database, &[Value]) -> Result<Value>,
) -> Proc {
    row(name, args, result, Evaluation::Ask(evaluate))
}

const fn row(name: &'static str, args: &'static [Oid], result: Oid, evaluation: Evaluation) -> Proc {
    let (volatility, is_strict, takes_stored, stands_alone) = (Volatility::Immutable, true, false, true);
    Proc { name, args, result, since: 0, volatility, is_strict, takes_stored, stands_alone, evaluation }
}

impl Proc {
    /// It is the same within a statement.
    pub(super) const fn stable(self) -> Self {
        Self { volatility: Volatility::Stable, stands_alone: false, ..self }
    }

    /// It is another each time.
    pub(super) const fn volatile(self) -> Self {
        Self { volatility: Volatility::Volatile, stands_alone: false, ..self }
    }

    /// Though not immutable it reads and changes nothing but its arguments, the statement's clock, settings, and the
    /// session's generator of random numbers.
    pub(super) const fn alone(self) -> Self {
        Self { stands_alone: true, ..self }
    }

    /// It is called for NULL too.
    pub(super) const fn of_null(self) -> Self {
        Self { is_strict: false, ..self }
    }

    /// It looks at a value as it is stored.
    pub(super) const fn of_stored(self) -> Self {
        Self { takes_stored: true, ..self }
    }

    /// That major version is the first that has it.
    pub(super) const fn since(self, since: u32) -> Self {
        Self { since, ..self }
    }

    pub(super) const fn builtin(&'static self) -> Builtin {
        Builtin(self)
    }
}

/// The sentence about a function that is not here.
pub const KNOWN: &str = "the simulator knows the usual ones of text, numbers, times and arrays, those that look at pages, WAL and transactions, and the usual aggregates";

/// The names of all functions that SQL can call on servers 13 to 18, a line each (`pg_proc`, without those that take or
/// give what SQL has no values of).
pub const OF_SERVERS: &str = include_str!("pg_proc.txt");

/// Has a server a function of that name, without any extension?
pub fn is_of_servers(name: &str) -> bool {
    OF_SERVERS.lines().any(|known| known == name)
}

/// SQL/JSON: what looks like a function, and is one of the grammar (`func_expr_common_subexpr`).
pub fn is_of_grammar(name: &str, version: PgVersion) -> bool {
    match name {
        "json_array" | "json_arrayagg" | "json_objectagg" => version.has_json_constructors(),
        "json" | "json_exists" | "json_query" | "json_scalar" | "json_serialize" | "json_value" => {
            version.has_json_queries()
        }
        _ => false,
    }
}

/// The functions of that name in that version.
pub fn named(name: &str, major: u32) -> Vec<&'static Proc> {
    let all = proc::GROUPS.iter().flat_map(|group| group.iter());
    all.filter(|proc| proc.name == name && proc.since <= major).collect()
}

/// Are there functions of that name, none of which is another each time? Also what has the form of a function.
pub fn is_never_volatile(name: &str, major: u32) -> bool {
    let all = named(name, major);
    let is_form = matches!(name, "coalesce" | "nullif" | "greatest" | "least");
    is_form || !all.is_empty() && all.iter().all(|proc| proc.volatility != Volatility::Volatile)
}

/// Has a later version functions of that name, as all rows of it say?
pub fn is_later(name: &str) -> bool {
    proc::GROUPS.iter().flat_map(|group| group.iter()).any(|proc| proc.name == name)
}

/// How many arguments the functions of that name take.
pub fn proc_args(name: &str, major: u32) -> impl Iterator<Item = usize> {
    named(name, major).into_iter().map(|proc| proc.args.len())
}

/// The extension that a function belongs to.
pub fn extension(name: &str) -> Option<&'static str> {
    match name {
        "brin_page_type" | "get_raw_page" | "page_checksum" | "fsm_page_contents" | "tuple_data_split" => {
            Some("pageinspect")
        }
        "bt_index_check" | "bt_index_parent_check" => Some("amcheck"),
        "pg_prewarm" => Some("pg_prewarm"),
        "pg_relpages" => Some("pgstattuple"),
        "pg_truncate_visibility_map" => Some("pg_visibility"),
        "pg_freespace" => Some("pg_freespacemap"),
        "uuid_generate_v4" => Some("uuid-ossp"),
        _ => None,
    }
}

/// The name of a call without the schema `public`, where an extension puts a function of that name there.
pub fn without_public(name: &str, is_of_extension: impl Fn(&str) -> bool) -> &str {
    name.strip_prefix("public.").filter(|bare| is_of_extension(bare)).unwrap_or(name)
}

/// `proname`; GREATEST and LEAST are no functions.
pub fn name(builtin: Builtin) -> Option<&'static str> {
    (!matches!(builtin.0.name, "greatest" | "least" | "enum_rank" | "coerce to domain")).then_some(builtin.0.name)
}

const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut n = 0;
    while n < a.len() && n < b.len() && a[n] == b[n] {
        n += 1;
    }
    n == a.len() && n == b.len()
}

impl Builtin {
    /// The function that the grammar calls so; to be asked for within `const { … }`, where a name that no row has does
    /// not compile.
    #[must_use]
    pub const fn of(name: &str) -> Self {
        let mut group = 0;
        while group <= proc::GROUPS.len() {
            let rows = if group < proc::GROUPS.len() { proc::GROUPS[group] } else { proc::SPECIAL };
            let mut n = 0;
            while n < rows.len() {
                if is_same(rows[n].name, name) {
                    return Self(&rows[n]);
                }
                n += 1;
            }
            group += 1;
        }
        panic!("no row has that name")
    }

    /// `proname`
    pub(in crate::sql) const fn name(self) -> &'static str {
        self.0.name
    }

    /// `prorettype`
    pub(in crate::sql) const fn result(self) -> Oid {
        self.0.result
    }

    /// Calls it with these values of its arguments.
    ///
    /// # Errors
    /// As the function raises them.
    pub(super) fn call(self, args: &[Value], exprs: &[Typed], env: &mut Env<'_>) -> Result<Value> {
        match self.0.evaluation {
            Evaluation::Call(evaluate) => evaluate(&mut Call { proc: self.0, args, exprs, env }),
            Evaluation::Ask(evaluate) => match env.context.database() {
                Some(database) => evaluate(database, args),
                None => {
                    let message = format!("function {} is not supported here", self.0.name);
                    Err(SqlError::new(NOT_SIMULATED, message))
                }
            },
        }
    }

    /// Does LIKE or a regular expression hold of this text and pattern?
    pub(in crate::sql) fn of_texts(self, text: &Value, pattern: Option<&Node>) -> Option<bool> {
        let Some(Node::Const(pattern)) = pattern else { return None };
        let [text, pattern] = [text, pattern].map(|value| core::str::from_utf8(value.plain_bytes()?).ok());
        proc::of_texts(self.0.name, text?, pattern?)
    }

    /// Is nothing read or changed by it but its arguments, the statement's clock and the session's generator of random
    /// numbers?
    #[must_use]
    pub const fn stands_alone(self) -> bool {
        self.0.stands_alone
    }

    /// `proisstrict`: is it NULL as soon as an argument is?
    #[must_use]
    pub const fn is_strict(self) -> bool {
        self.0.is_strict
    }

    /// Does it look at a value as it is stored, without reading it?
    #[must_use]
    pub const fn takes_stored(self) -> bool {
        self.0.takes_stored
    }

    /// Is what it gives an array or a row as an expanded object (`EOHPGetRWDatum`)?
    #[must_use]
    pub fn gives_expanded(self) -> bool {
        matches!(self.0.name, "array_append" | "array_prepend" | "expanded row")
    }

    /// `provolatile`
    #[must_use]
    pub const fn volatility(self) -> Volatility {
        self.0.volatility
    }
}

impl PartialEq for Builtin {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl fmt::Debug for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}
