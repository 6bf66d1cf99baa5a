//! The functions, as `pg_proc` has them.

use super::pg_catalog::{REGCLASS, VOID};
use super::proc;
use alloc::vec::Vec;
use ffviz_format::page::Oid;

/// A function that is built in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// `abs`
    Abs,
    /// `current_setting`
    CurrentSetting,
    /// `currval`
    Currval,
    /// `gen_random_uuid`
    GenRandomUuid,
    /// `lastval`
    Lastval,
    /// `left`
    Left,
    /// `length`
    Length,
    /// `lower`
    Lower,
    /// `lpad`
    Lpad,
    /// `md5`
    Md5,
    /// `mod`
    Mod,
    /// `nextval`
    Nextval,
    /// `now`
    Now,
    /// `pg_reload_conf`
    PgReloadConf,
    /// `pg_sleep`
    PgSleep,
    /// `random`
    Random,
    /// `repeat`
    Repeat,
    /// `set_config`
    SetConfig,
    /// `setseed`
    Setseed,
    /// `setval`
    Setval,
    /// `substr`
    Substr,
    /// `txid_current`
    TxidCurrent,
    /// `upper`
    Upper,
    /// `uuidv7`
    Uuidv7,
    /// `greatest`
    Greatest,
    /// `least`
    Least,
    /// any other, by its name
    Named(&'static str),
}

/// `provolatile`
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Volatility {
    /// the same for the same arguments, for ever
    Immutable,
    /// the same within a statement
    Stable,
    /// another each time
    Volatile,
}

/// A row of `pg_proc`. nextval, currval and setval take `regclass`; text is read as it when they are called.
pub struct Proc {
    pub name: &'static str,
    pub builtin: Builtin,
    pub args: &'static [Oid],
    pub result: Oid,
    /// first major version that has it
    pub(super) since: u32,
    pub(super) volatility: Volatility,
}

const fn p(name: &'static str, builtin: Builtin, args: &'static [Oid], result: Oid) -> Proc {
    Proc { name, builtin, args, result, since: 0, volatility: Volatility::Immutable }
}

/// A function that has nothing special.
pub(super) const fn f(name: &'static str, args: &'static [Oid], result: Oid) -> Proc {
    p(name, Builtin::Named(name), args, result)
}

/// One that is the same within a statement.
pub(super) const fn stable(name: &'static str, args: &'static [Oid], result: Oid) -> Proc {
    Proc { volatility: Volatility::Stable, ..f(name, args, result) }
}

/// One that is another each time.
pub(super) const fn volatile(name: &'static str, args: &'static [Oid], result: Oid) -> Proc {
    Proc { volatility: Volatility::Volatile, ..f(name, args, result) }
}

const PROCS: &[Proc] = &[
    p("abs", Builtin::Abs, &[21], 21),
    p("abs", Builtin::Abs, &[23], 23),
    p("abs", Builtin::Abs, &[20], 20),
    p("abs", Builtin::Abs, &[700], 700),
    p("abs", Builtin::Abs, &[701], 701),
    p("abs", Builtin::Abs, &[1700], 1700),
    p("current_setting", Builtin::CurrentSetting, &[25], 25),
    p("current_setting", Builtin::CurrentSetting, &[25, 16], 25),
    p("currval", Builtin::Currval, &[25], 20),
    p("currval", Builtin::Currval, &[REGCLASS], 20),
    p("gen_random_uuid", Builtin::GenRandomUuid, &[], 2950),
    p("lastval", Builtin::Lastval, &[], 20),
    p("left", Builtin::Left, &[25, 23], 25),
    p("length", Builtin::Length, &[25], 23),
    p("length", Builtin::Length, &[1042], 23),
    p("length", Builtin::Length, &[17], 23),
    p("lower", Builtin::Lower, &[25], 25),
    p("lpad", Builtin::Lpad, &[25, 23], 25),
    p("lpad", Builtin::Lpad, &[25, 23, 25], 25),
    p("md5", Builtin::Md5, &[25], 25),
    p("md5", Builtin::Md5, &[17], 25),
    p("mod", Builtin::Mod, &[21, 21], 21),
    p("mod", Builtin::Mod, &[23, 23], 23),
    p("mod", Builtin::Mod, &[20, 20], 20),
    p("mod", Builtin::Mod, &[1700, 1700], 1700),
    p("nextval", Builtin::Nextval, &[25], 20),
    p("nextval", Builtin::Nextval, &[REGCLASS], 20),
    p("now", Builtin::Now, &[], 1184),
    p("pg_reload_conf", Builtin::PgReloadConf, &[], 16),
    p("pg_sleep", Builtin::PgSleep, &[701], VOID),
    p("random", Builtin::Random, &[], 701),
    p("repeat", Builtin::Repeat, &[25, 23], 25),
    p("set_config", Builtin::SetConfig, &[25, 25, 16], 25),
    p("setseed", Builtin::Setseed, &[701], VOID),
    p("setval", Builtin::Setval, &[25, 20], 20),
    p("setval", Builtin::Setval, &[25, 20, 16], 20),
    p("setval", Builtin::Setval, &[REGCLASS, 20], 20),
    p("setval", Builtin::Setval, &[REGCLASS, 20, 16], 20),
    p("substr", Builtin::Substr, &[25, 23], 25),
    p("substr", Builtin::Substr, &[25, 23, 23], 25),
    p("substr", Builtin::Substr, &[17, 23], 17),
    p("substr", Builtin::Substr, &[17, 23, 23], 17),
    p("txid_current", Builtin::TxidCurrent, &[], 20),
    p("upper", Builtin::Upper, &[25], 25),
    p("uuid_generate_v4", Builtin::GenRandomUuid, &[], 2950),
    Proc { since: 18, ..p("uuidv7", Builtin::Uuidv7, &[], 2950) },
];

/// The sentence about a function that is not here.
pub const KNOWN: &str = "the simulator knows the usual ones of text, numbers, times and arrays, those that look at pages, WAL and transactions, and the usual aggregates";

/// The names of all functions that SQL can call on servers 13 to 18, a line each (`pg_proc`, without those that take or
/// give what SQL has no values of).
pub const OF_SERVERS: &str = include_str!("pg_proc.txt");

/// Has a server a function of that name, without any extension?
pub fn is_of_servers(name: &str) -> bool {
    OF_SERVERS.lines().any(|known| known == name)
}

/// All functions.
fn all() -> impl Iterator<Item = &'static Proc> {
    PROCS.iter().chain(proc::GROUPS.iter().flat_map(|group| group.iter()))
}

/// The functions of that name in that version.
pub fn named(name: &str, major: u32) -> Vec<&'static Proc> {
    all().filter(|proc| proc.name == name && proc.since <= major).collect()
}

/// The extension that a function belongs to.
pub fn extension(name: &str) -> Option<&'static str> {
    match name {
        "get_raw_page" | "page_checksum" | "fsm_page_contents" => Some("pageinspect"),
        "pg_freespace" => Some("pg_freespacemap"),
        "uuid_generate_v4" => Some("uuid-ossp"),
        _ => None,
    }
}

/// The name of a call without the schema `public`, where an extension puts a function of that name there.
pub fn without_public(name: &str, is_of_extension: impl Fn(&str) -> bool) -> &str {
    name.strip_prefix("public.").filter(|bare| is_of_extension(bare)).unwrap_or(name)
}

/// `proname`
pub fn name(builtin: Builtin) -> Option<&'static str> {
    if let Builtin::Named(name) = builtin {
        return Some(name);
    }
    PROCS.iter().find(|proc| proc.builtin == builtin).map(|proc| proc.name)
}

impl Builtin {
    /// Is nothing read or changed by it but its arguments, the statement's clock and the session's generator of random numbers?
    #[must_use]
    pub fn stands_alone(self) -> bool {
        use Builtin::{Currval, Lastval, Nextval, PgReloadConf, PgSleep, SetConfig, Setval, TxidCurrent};
        match self {
            Currval | Lastval | Nextval | PgReloadConf | PgSleep | SetConfig | Setval | TxidCurrent => false,
            Self::Named(_) => self.volatility() == Volatility::Immutable,
            _ => true,
        }
    }

    /// `proisstrict`: is it NULL as soon as an argument is?
    #[must_use]
    pub const fn is_strict(self) -> bool {
        match self {
            Self::Greatest | Self::Least => false,
            Self::Named(name) => !matches!(
                name.as_bytes(),
                b"concat"
                    | b"row"
                    | b"concat_ws"
                    | b"format"
                    | b"pg_typeof"
                    | b"array_append"
                    | b"array_prepend"
                    | b"array_cat"
                    | b"array_to_string"
                    | b"quote_nullable"
                    | b"array_position"
                    | b"array_remove"
                    | b"jsonb_build_object"
                    | b"jsonb_build_array"
            ),
            _ => true,
        }
    }

    /// Does it look at a value as it is stored, without reading it?
    #[must_use]
    pub fn takes_stored(self) -> bool {
        matches!(self, Self::Named("pg_column_size" | "pg_column_compression"))
    }

    /// `provolatile`
    #[must_use]
    pub fn volatility(self) -> Volatility {
        match self {
            Self::CurrentSetting | Self::Now | Self::TxidCurrent => Volatility::Stable,
            Self::Currval | Self::Lastval | Self::GenRandomUuid | Self::Nextval | Self::PgReloadConf => {
                Volatility::Volatile
            }
            Self::PgSleep | Self::Random | Self::SetConfig | Self::Setseed | Self::Setval | Self::Uuidv7 => {
                Volatility::Volatile
            }
            Self::Named(name) => {
                let found = proc::GROUPS.iter().flat_map(|group| group.iter()).find(|proc| proc.name == name);
                found.map_or(Volatility::Immutable, |proc| proc.volatility)
            }
            _ => Volatility::Immutable,
        }
    }
}
