//! Patterns of times and of numbers (`DCH_keywords`, `parse_format`, src/backend/utils/adt/formatting.c).
//!
//! ```text
//!  number, number_to_char, to_number   numbers
//!  to_char    a time, or an interval, as text      from_char, found  text as a date or a time
//! ```

mod found;
mod from_char;
mod number;
mod number_to_char;
mod to_char;
mod to_number;

use super::time::{DAY, SECOND};
use crate::sql::expr::call::Call;
use crate::sql::expr::pg_catalog::{DATE, FLOAT4, FLOAT8, INT4, INT8, INTERVAL, NUMERIC, TEXT, TIMESTAMP, TIMESTAMPTZ};
use crate::sql::expr::pg_proc::{Proc, f};
use crate::version::SqlBehaviour;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::PgVersion;

pub(super) const PROCS: &[Proc] = &[
    f("to_char", &[TIMESTAMP, TEXT], TEXT, to_char::of_timestamp).stable(),
    f("to_char", &[TIMESTAMPTZ, TEXT], TEXT, to_char::of_timestamp).stable(),
    f("to_char", &[INTERVAL, TEXT], TEXT, to_char::of_interval).stable(),
    f("to_char", &[INT4, TEXT], TEXT, number_to_char::to_char).stable(),
    f("to_char", &[INT8, TEXT], TEXT, number_to_char::to_char).stable(),
    f("to_char", &[FLOAT4, TEXT], TEXT, number_to_char::to_char).stable(),
    f("to_char", &[FLOAT8, TEXT], TEXT, number_to_char::to_char).stable(),
    f("to_char", &[NUMERIC, TEXT], TEXT, number_to_char::to_char).stable(),
    f("to_number", &[TEXT, TEXT], NUMERIC, to_number::to_number).stable(),
    f("to_date", &[TEXT, TEXT], DATE, from_char::to_date).stable(),
    f("to_timestamp", &[TEXT, TEXT], TIMESTAMPTZ, from_char::to_timestamp).stable(),
];

/// What a word of a pattern stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    /// AD and BC, and with points
    Era(bool),
    /// AM and PM
    Half(bool),
    Century,
    /// a day's name
    Day(Name),
    DayOfYear,
    DayOfMonth,
    DayOfWeek,
    IsoDayOfYear,
    IsoDayOfWeek,
    IsoWeek,
    /// digits of the year
    Year(u32),
    IsoYear(u32),
    /// `Y,YYY`
    YearWithComma,
    Exact,
    Hour24,
    Hour12,
    Julian,
    Minute,
    Month,
    MonthName(Name),
    /// so many digits of the second's fraction
    Fraction(u32),
    Millisecond,
    Microsecond,
    Offset,
    Quarter,
    Roman,
    SecondOfDay,
    Second,
    ZoneHour,
    ZoneMinute,
    Zone,
    WeekOfYear,
    WeekOfMonth,
}

/// A month's or a day's name: whole or its first three letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Whole,
    Short,
}

/// In which letters a word of a pattern stands, and so what is printed for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Letters {
    Upper,
    Capital,
    Lower,
}

/// `DCH_keywords`: longer ones before those that they begin with.
const KEYS: &[(&str, Key)] = &[
    ("A.D.", Key::Era(true)),
    ("A.M.", Key::Half(true)),
    ("AD", Key::Era(false)),
    ("AM", Key::Half(false)),
    ("B.C.", Key::Era(true)),
    ("BC", Key::Era(false)),
    ("CC", Key::Century),
    ("DAY", Key::Day(Name::Whole)),
    ("DDD", Key::DayOfYear),
    ("DD", Key::DayOfMonth),
    ("DY", Key::Day(Name::Short)),
    ("D", Key::DayOfWeek),
    ("FF1", Key::Fraction(1)),
    ("FF2", Key::Fraction(2)),
    ("FF3", Key::Fraction(3)),
    ("FF4", Key::Fraction(4)),
    ("FF5", Key::Fraction(5)),
    ("FF6", Key::Fraction(6)),
    ("FX", Key::Exact),
    ("HH24", Key::Hour24),
    ("HH12", Key::Hour12),
    ("HH", Key::Hour12),
    ("IDDD", Key::IsoDayOfYear),
    ("ID", Key::IsoDayOfWeek),
    ("IW", Key::IsoWeek),
    ("IYYY", Key::IsoYear(4)),
    ("IYY", Key::IsoYear(3)),
    ("IY", Key::IsoYear(2)),
    ("I", Key::IsoYear(1)),
    ("J", Key::Julian),
    ("MI", Key::Minute),
    ("MM", Key::Month),
    ("MONTH", Key::MonthName(Name::Whole)),
    ("MON", Key::MonthName(Name::Short)),
    ("MS", Key::Millisecond),
    ("OF", Key::Offset),
    ("P.M.", Key::Half(true)),
    ("PM", Key::Half(false)),
    ("Q", Key::Quarter),
    ("RM", Key::Roman),
    ("SSSSS", Key::SecondOfDay),
    ("SSSS", Key::SecondOfDay),
    ("SS", Key::Second),
    ("TZH", Key::ZoneHour),
    ("TZM", Key::ZoneMinute),
    ("TZ", Key::Zone),
    ("US", Key::Microsecond),
    ("WW", Key::WeekOfYear),
    ("W", Key::WeekOfMonth),
    ("Y,YYY", Key::YearWithComma),
    ("YYYY", Key::Year(4)),
    ("YYY", Key::Year(3)),
    ("YY", Key::Year(2)),
    ("Y", Key::Year(1)),
];

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
/// From January on.
const ROMAN: [&str; 12] = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];

/// A part of a pattern (`FormatNode`).
#[derive(Debug, Clone)]
enum Part {
    /// a word that stands for something
    Field(Field),
    Separator(char),
    Space(char),
    /// any other character
    Char(char),
}

/// A word of a pattern with what stands before and behind it.
#[derive(Debug, Clone, Copy)]
struct Field {
    key: Key,
    letters: Letters,
    /// the word itself
    name: &'static str,
    /// FM: no blanks and zeros that fill up
    fills: bool,
    /// TM: names as `lc_time` has them
    is_translated: bool,
    /// TH or th: in which letters the ending of an ordinal follows
    ordinal: Option<Letters>,
}

/// `parse_format`
fn parsed(pattern: &str, version: PgVersion) -> Vec<Part> {
    let (mut parts, mut rest) = (Vec::new(), pattern);
    while let Some(first) = rest.chars().next() {
        let (fills, is_translated, behind) = prefix(rest);
        if let Some((name, key, letters)) = keyword(behind, version) {
            rest = &behind[name.len()..];
            let ordinal = match rest.get(..2) {
                Some("TH") => Some(Letters::Upper),
                Some("th") => Some(Letters::Lower),
                _ => None,
            };
            // SP, to spell a number out, is taken and does nothing
            let has_suffix = ordinal.is_some() || rest.starts_with("SP");
            rest = if has_suffix { &rest[2..] } else { rest };
            parts.push(Part::Field(Field { key, letters, name, fills, is_translated, ordinal }));
        } else if behind.len() < rest.len() {
            rest = behind;
            if let Some(next) = rest.chars().next() {
                rest = literal(rest, next, &mut parts);
            }
        } else {
            rest = literal(rest, first, &mut parts);
        }
    }
    parts
}

/// What is no word: a string in quotes, or a character.
fn literal<'a>(rest: &'a str, first: char, parts: &mut Vec<Part>) -> &'a str {
    if first == '"' {
        let mut chars = rest[1..].chars();
        while let Some(c) = chars.next() {
            match c {
                '"' => break,
                '\\' => parts.push(Part::Char(chars.next().unwrap_or('\\'))),
                _ => parts.push(Part::Char(c)),
            }
        }
        return chars.as_str();
    }
    let rest = if rest.starts_with("\\\"") { &rest[1..] } else { rest };
    let c = rest.chars().next().unwrap_or(first);
    parts.push(match c {
        '!'..='~' if !c.is_ascii_alphanumeric() => Part::Separator(c),
        _ if c.is_ascii_whitespace() => Part::Space(c),
        _ => Part::Char(c),
    });
    &rest[c.len_utf8()..]
}

/// FM or TM: what is filled up, and what is translated, and what follows.
fn prefix(rest: &str) -> (bool, bool, &str) {
    match rest.get(..2) {
        Some("FM" | "fm") => (false, false, &rest[2..]),
        Some("TM" | "tm") => (true, true, &rest[2..]),
        _ => (true, false, rest),
    }
}

/// `index_seq_search`: the word of patterns that the text begins with.
fn keyword(text: &str, version: PgVersion) -> Option<(&'static str, Key, Letters)> {
    KEYS.iter().find_map(|(name, key)| {
        let start = text.get(..name.len())?;
        let is_named = matches!(key, Key::Day(_) | Key::MonthName(_));
        let letters = if start == *name {
            Letters::Upper
        } else if start == name.to_ascii_lowercase() {
            Letters::Lower
        } else if is_named && start == capital(name) {
            Letters::Capital
        } else {
            return None;
        };
        let is_late = matches!(key, Key::Offset | Key::ZoneHour | Key::ZoneMinute) && letters == Letters::Lower;
        (!is_late || version.has_lower_zone_patterns()).then_some((*name, *key, letters))
    })
}

fn capital(name: &str) -> String {
    name[..1].to_string() + &name[1..].to_ascii_lowercase()
}

/// The version that a pattern is read by.
fn version_of(call: &mut Call<'_, '_>) -> PgVersion {
    call.input().version()
}
