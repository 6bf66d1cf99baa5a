//! The settings that there are, as `pg_settings` of servers 13 to 18 has them: `pg_settings.txt`, a row a line, made by
//! `FFVIZ_RENEW=1 T sql_front settings`.
//!
//! ```text
//!  work_mem|13|18|user|integer kB 64 2147483647|4096
//!  name     from to context  type unit min max    what it is where nobody has set it
//! ```
//!
//! What is told of them is in `pg_settings_told.txt`, which the same command makes:
//!
//! ```text
//!  work_mem|13|18|Resource Usage / Memory|Sets the maximum …|This much …
//!  name     from to category              short_desc         extra_desc
//! ```

use super::units::Unit;
use super::{Context, Guc, Kind};

/// Its rows, in the order of the alphabet.
const ROWS: &str = include_str!("pg_settings.txt");

/// Their categories and descriptions.
const TOLD: &str = include_str!("pg_settings_told.txt");

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

/// Category and descriptions of one.
pub(super) fn told(name: &str, major: u32) -> Option<[&'static str; 3]> {
    TOLD.lines().find_map(|line| {
        let mut fields = line.splitn(6, '|');
        let is_it = fields.next() == Some(name);
        let (from, to): (u32, u32) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        let told = [fields.next()?, fields.next()?, fields.next()?];
        (is_it && (from..=to).contains(&major)).then_some(told)
    })
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
    let kind_text = fields.next()?;
    let kind = kind(name, kind_text)?;
    Some(Guc { name, context, context_name: word, of_superuser, kind, kind_text, boot: fields.next()? })
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
