//! The settings that there are, as `pg_settings` of servers 13 to 18 has them: `pg_settings.txt`, a row a line, made by
//! `FFVIZ_RENEW=1 T sql_front settings`.
//!
//! ```text
//!  work_mem|13|18|user|integer kB 64 2147483647|4096
//!  name     from to context  type unit min max    what it is where nobody has set it
//! ```

use super::units::Unit;
use super::{Context, Guc, Kind};

/// Its rows, in the order of the alphabet.
const ROWS: &str = include_str!("pg_settings.txt");

/// Settings that `pg_settings` does not show (`GUC_NO_SHOW_ALL`).
const HIDDEN: &str = "\
role|13|18|user|string|none
seed|13|18|user|real - -1 1|0
session_authorization|13|18|user|string|postgres
is_superuser|13|18|internal|bool|on";

/// Those of a version.
pub(super) fn rows(major: u32) -> impl Iterator<Item = Guc> {
    lines().filter_map(move |line| row(line, major))
}

/// That of a name, in whatever letters.
pub(super) fn named(name: &str, major: u32) -> Option<Guc> {
    let is_it = |line: &&'static str| {
        line.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name))
            && line[name.len()..].starts_with('|')
    };
    lines().filter(is_it).find_map(|line| row(line, major))
}

fn lines() -> impl Iterator<Item = &'static str> {
    ROWS.lines().chain(HIDDEN.lines())
}

/// A row, where the version has it.
fn row(line: &'static str, major: u32) -> Option<Guc> {
    let mut fields = line.split('|');
    let name = fields.next()?;
    let (from, to): (u32, u32) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    if !(from..=to).contains(&major) {
        return None;
    }
    let word = fields.next()?;
    let (context, of_superuser) = (context(word), word == "superuser");
    let kind = kind(name, fields.next()?)?;
    Some(Guc { name, context, of_superuser, kind, boot: fields.next()? })
}

fn context(word: &str) -> Context {
    match word {
        "internal" => Context::Internal,
        "postmaster" => Context::Postmaster,
        "sighup" => Context::Sighup,
        "backend" | "superuser-backend" => Context::Backend,
        // scripts are a superuser's
        _ => Context::User,
    }
}

fn kind(name: &str, text: &'static str) -> Option<Kind> {
    let (vartype, rest) = text.split_once(' ').unwrap_or((text, ""));
    let mut words = rest.split(' ');
    Some(match vartype {
        "bool" => Kind::Bool,
        "enum" => Kind::Enum(rest),
        "integer" => Kind::Integer {
            unit: Unit::of(words.next()?),
            min: words.next()?.parse().ok()?,
            max: words.next()?.parse().ok()?,
        },
        "real" => Kind::Real {
            unit: Unit::of(words.next()?),
            min: words.next()?.parse().ok()?,
            max: words.next()?.parse().ok()?,
        },
        _ if name == "TimeZone" => Kind::Zone,
        _ if name == "DateStyle" => Kind::DateStyle,
        _ if name == "client_encoding" => Kind::Encoding,
        _ => Kind::Text,
    })
}
