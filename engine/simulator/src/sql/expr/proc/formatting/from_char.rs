//! Text read by a pattern of a date or a time (`DCH_from_char`, src/backend/utils/adt/formatting.c). The time zone is
//! UTC.

use super::found::{Found, Parts};
use super::{DAY, DAYS, Field, Key, Letters, MONTHS, Name, Part, ROMAN, SECOND, capital, parsed, version_of};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::call::Call;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::{END_OF_DATES, END_OF_TIMESTAMPS, FIRST_DAY, FIRST_TIMESTAMP, Value, days_of};

/// `to_date`
pub(super) fn to_date(call: &mut Call<'_, '_>) -> Result<Value> {
    let text = call.text(0)?;
    let parts = read(call)?;
    let day = days_of(parts.year, parts.month, parts.day);
    if !(FIRST_DAY..END_OF_DATES).contains(&day) {
        return Err(SqlError::new("22008", format!("date out of range: \"{text}\"")));
    }
    Ok(Value::Date(day as i32))
}

/// `to_timestamp`
pub(super) fn to_timestamp(call: &mut Call<'_, '_>) -> Result<Value> {
    let parts = read(call)?;
    let day = days_of(parts.year, parts.month, parts.day);
    let out_of_range = || SqlError::new("22008", "timestamp out of range");
    let local = day.checked_mul(DAY).and_then(|midnight| midnight.checked_add(parts.time)).ok_or_else(out_of_range)?;
    let at = match parts.zone {
        Some(east) => local - east * SECOND,
        None => call.input().style.zone.utc_of(local)?,
    };
    let is_valid = (FIRST_TIMESTAMP..END_OF_TIMESTAMPS).contains(&at);
    if is_valid { Ok(Value::TimestampTz(at)) } else { Err(out_of_range()) }
}

fn read(call: &mut Call<'_, '_>) -> Result<Parts> {
    let (text, version) = (call.text(0)?, version_of(call));
    let pattern = parsed(call.text(1)?, version);
    let mut reader =
        Reader { text, rest: text, skipped: 0, is_exact: false, reads_zones: version.reads_zones_by_pattern() };
    let mut found = Found::default();
    reader.all(&pattern, &mut found)?;
    found.checked(text)
}

/// Where in the text the pattern is.
struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
    /// characters that were skipped beyond what the pattern says
    skipped: i64,
    /// FX
    is_exact: bool,
    reads_zones: bool,
}

fn is_space(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{b}'
}

/// `is_separator_char`
const fn is_separator(c: char) -> bool {
    matches!(c, '!'..='~') && !c.is_ascii_alphanumeric()
}

impl Reader<'_> {
    fn all(&mut self, pattern: &[Part], found: &mut Found) -> Result<()> {
        for (n, part) in pattern.iter().enumerate() {
            if self.rest.is_empty() {
                break;
            }
            let is_exactness = matches!(part, Part::Field(Field { key: Key::Exact, .. }));
            if !self.is_exact && !is_exactness && (n == 0 || matches!(part, Part::Field(_))) {
                self.skip_spaces();
            }
            match part {
                Part::Space(_) | Part::Separator(_) if self.is_exact => self.step(),
                Part::Space(_) | Part::Separator(_) => {
                    self.skipped -= 1;
                    if self.rest.starts_with(|c| is_space(c) || is_separator(c)) {
                        self.step();
                        self.skipped += 1;
                    }
                }
                Part::Char(_) if !self.is_exact && self.skipped > 0 => self.skipped -= 1,
                Part::Char(_) => self.step(),
                Part::Field(field) => {
                    self.field(field, is_before_separator(field, pattern.get(n + 1)), found)?;
                    if !self.is_exact {
                        self.skipped = 0;
                        self.skip_spaces();
                    }
                }
            }
        }
        Ok(())
    }

    fn step(&mut self) {
        let mut chars = self.rest.chars();
        chars.next();
        self.rest = chars.as_str();
    }

    fn skip_spaces(&mut self) {
        let left = self.rest.trim_start_matches(is_space);
        self.skipped += (self.rest.len() - left.len()) as i64;
        self.rest = left;
    }

    fn field(&mut self, field: &Field, is_last: bool, found: &mut Found) -> Result<()> {
        found.set_mode(field.key)?;
        let mut whole = Number { field, is_last, width: field.name.len() };
        match field.key {
            Key::Hour12 | Key::Hour24 => {
                whole.width = 2;
                found.is_12_hour |= field.key == Key::Hour12;
                self.number(whole, &mut found.hour)?;
            }
            Key::Minute => drop(self.number(whole, &mut found.minute)?),
            Key::Second => drop(self.number(whole, &mut found.second)?),
            Key::Month => drop(self.number(whole, &mut found.month)?),
            Key::DayOfMonth => drop(self.number(whole, &mut found.day)?),
            Key::DayOfYear | Key::IsoDayOfYear => {
                whole.width = 3;
                self.number(whole, &mut found.day_of_year)?;
            }
            Key::DayOfWeek => drop(self.number(whole, &mut found.day_of_week)?),
            Key::IsoDayOfWeek => {
                whole.width = 1;
                self.number(whole, &mut found.day_of_week)?;
                found.day_of_week = if found.day_of_week + 1 > 7 { 1 } else { found.day_of_week + 1 };
            }
            Key::WeekOfYear | Key::IsoWeek => drop(self.number(whole, &mut found.week)?),
            Key::WeekOfMonth => drop(self.number(whole, &mut found.week_of_month)?),
            Key::Quarter => drop(self.number(whole, &mut 0)?),
            Key::Century => drop(self.number(whole, &mut found.century)?),
            Key::Julian => drop(self.number(whole, &mut found.julian)?),
            Key::SecondOfDay => drop(self.number(whole, &mut found.second_of_day)?),
            Key::Millisecond | Key::Microsecond | Key::Fraction(_) => self.fraction(whole, found)?,
            Key::Year(digits) | Key::IsoYear(digits) => {
                let used = self.number(whole, &mut found.year)?;
                if digits < 4 && used < 4 {
                    found.year = near_2020(found.year);
                }
                found.year_digits = digits;
            }
            Key::YearWithComma => self.year_with_comma(field, found)?,
            _ => return self.word(field, is_last, found),
        }
        // the ending of an ordinal is whatever stands there
        if field.ordinal.is_some() {
            self.step();
            self.step();
        }
        Ok(())
    }

    fn word(&mut self, field: &Field, is_last: bool, found: &mut Found) -> Result<()> {
        const ERAS: [&str; 2] = ["AD", "BC"];
        const HALVES: [&str; 2] = ["AM", "PM"];
        let dotted = |words: [&str; 2]| words.map(|word| word.chars().flat_map(|c| [c, '.']).collect::<String>());
        let short = |names: &[&str]| names.iter().map(|name| name[..3].to_string()).collect::<Vec<_>>();
        let long = |names: &[&str]| names.iter().map(|name| (*name).to_string()).collect::<Vec<_>>();
        match field.key {
            Key::Exact => self.is_exact = true,
            Key::Era(has_points) => {
                let words = if has_points { dotted(ERAS).to_vec() } else { long(&ERAS) };
                let at = self.one_of(&words, field)?;
                set(&mut found.is_bc, at, field)?;
            }
            Key::Half(has_points) => {
                let words = if has_points { dotted(HALVES).to_vec() } else { long(&HALVES) };
                let at = self.one_of(&words, field)?;
                set(&mut found.is_pm, at, field)?;
                found.is_12_hour = true;
            }
            Key::MonthName(how) => {
                let at = self.one_of(&if how == Name::Whole { long(&MONTHS) } else { short(&MONTHS) }, field)?;
                set(&mut found.month, at + 1, field)?;
            }
            Key::Roman => {
                let at = self.one_of(&ROMAN.iter().rev().map(|it| (*it).to_string()).collect::<Vec<_>>(), field)?;
                set(&mut found.month, 12 - at, field)?;
            }
            Key::Day(how) => {
                let at = self.one_of(&if how == Name::Whole { long(&DAYS) } else { short(&DAYS) }, field)?;
                set(&mut found.day_of_week, at, field)?;
                found.day_of_week += 1;
            }
            Key::Zone | Key::Offset if !self.reads_zones => {
                let message = format!("formatting field \"{}\" is only supported in to_char", shown(field));
                return Err(SqlError::new("0A000", message));
            }
            Key::Zone if self.abbreviation(field, found)? => {}
            Key::Zone | Key::Offset => {
                self.zone_hour(Number { field, is_last, width: 2 }, found)?;
                if self.rest.starts_with(':') {
                    self.step();
                    self.number(Number { field, is_last, width: 2 }, &mut found.zone_minute)?;
                }
            }
            Key::ZoneHour => self.zone_hour(Number { field, is_last, width: 2 }, found)?,
            Key::ZoneMinute => {
                found.zone_sign = if found.zone_sign == 0 { 1 } else { found.zone_sign };
                self.number(Number { field, is_last, width: 2 }, &mut found.zone_minute)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// `DecodeTimezoneAbbrevPrefix`: is it an abbreviation of a zone?
    fn abbreviation(&mut self, field: &Field, found: &mut Found) -> Result<bool> {
        let length = self.rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        match self.rest[..length].to_ascii_uppercase().as_str() {
            "" => Ok(false),
            "UTC" | "GMT" | "Z" | "ZULU" | "UT" => {
                found.zone_sign = 0;
                self.rest = &self.rest[length..];
                Ok(true)
            }
            other => {
                let name = shown(field);
                let message =
                    format!("the zone {other} as {name} of a pattern is not supported; the simulator knows UTC");
                Err(SqlError::new(NOT_SIMULATED, message))
            }
        }
    }

    /// A minus before it may have been skipped as a separator.
    fn zone_hour(&mut self, number: Number<'_>, found: &mut Found) -> Result<()> {
        let before = self.text[..self.text.len() - self.rest.len()].chars().next_back();
        found.zone_sign = match self.rest.chars().next() {
            Some('-') => -1,
            Some('+' | ' ') => 1,
            _ if self.skipped > 0 && before == Some('-') => -1,
            _ => 1,
        };
        if self.rest.starts_with(['+', '-', ' ']) {
            self.step();
        }
        self.number(number, &mut found.zone_hour).map(drop)
    }

    fn fraction(&mut self, mut number: Number<'_>, found: &mut Found) -> Result<()> {
        let digits: u32 = match number.field.key {
            Key::Millisecond => 3,
            Key::Fraction(digits) => digits,
            _ => 6,
        };
        number.width = digits as usize;
        if number.field.key == Key::Millisecond {
            let used = self.number(number, &mut found.millisecond)?;
            found.millisecond *= 10_i64.pow(3_u32.saturating_sub(used as u32));
        } else {
            let used = self.number(number, &mut found.microsecond)?;
            found.microsecond *= 10_i64.pow(6_u32.saturating_sub(used as u32));
        }
        Ok(())
    }

    fn year_with_comma(&mut self, field: &Field, found: &mut Found) -> Result<()> {
        let parsed = || {
            let (millennia, rest) = self.rest.split_once(',')?;
            let length = rest.bytes().take(3).take_while(u8::is_ascii_digit).count();
            let years: i64 = rest[..length].parse().ok()?;
            Some((millennia.parse::<i32>().ok()?, years, &rest[length..]))
        };
        let (millennia, years, rest) =
            parsed().ok_or_else(|| SqlError::new("22007", "invalid input string for \"Y,YYY\""))?;
        set(&mut found.year, i64::from(millennia) * 1000 + years, field)?;
        found.year_digits = 4;
        self.rest = rest;
        Ok(())
    }

    /// `from_char_parse_int_len`: how many characters it takes.
    fn number(&mut self, Number { field, is_last, width }: Number<'_>, into: &mut i64) -> Result<usize> {
        let name = shown(field);
        let wrong = |message: String, detail: String| Err(SqlError::new("22007", message).with_detail(detail));
        let before = self.rest;
        let trimmed = self.rest.trim_start_matches(is_space);
        let copy: String = trimmed.chars().take(width).collect();
        let number = if !field.fills && !field.is_translated || is_last {
            let (digits, rest) = integer(trimmed);
            self.rest = if digits.is_empty() { before } else { rest };
            digits.to_string()
        } else {
            if copy.len() < width {
                let detail = format!("Field requires {width} characters, but only {} remain.", copy.len());
                return wrong(format!("source string too short for \"{name}\" formatting field"), detail);
            }
            let (digits, _) = integer(&copy);
            let used = copy.len() - integer(&copy).1.len();
            if !digits.is_empty() && used < width {
                let detail = format!("Field requires {width} characters, but only {used} could be parsed.");
                return wrong(format!("invalid value \"{copy}\" for \"{name}\""), detail);
            }
            self.rest = if digits.is_empty() { trimmed } else { &trimmed[used..] };
            digits.to_string()
        };
        if self.rest.len() == before.len() {
            return wrong(format!("invalid value \"{copy}\" for \"{name}\""), "Value must be an integer.".to_string());
        }
        let value: i32 = number.parse().map_err(|_| {
            let message = format!("value for \"{name}\" in source string is out of range");
            let detail = "Value must be in the range -2147483648 to 2147483647.";
            SqlError::new("22008", message).with_detail(detail)
        })?;
        set(into, value.into(), field)?;
        Ok(before.len() - self.rest.len())
    }

    /// `from_char_seq_search`: which of the words stands here, in whatever letters.
    fn one_of(&mut self, words: &[String], field: &Field) -> Result<i64> {
        let is_here = |word: &String| self.rest.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word));
        let Some(at) = words.iter().position(is_here) else {
            let value = self.rest.split(is_space).next().unwrap_or("");
            let message = format!("invalid value \"{value}\" for \"{}\"", shown(field));
            let detail = "The given value did not match any of the allowed values for this field.";
            return Err(SqlError::new("22007", message).with_detail(detail));
        };
        self.rest = &self.rest[words[at].len()..];
        Ok(at as i64)
    }
}

/// A number that is read.
struct Number<'a> {
    field: &'a Field,
    /// are its digits all there are, since no digit can follow?
    is_last: bool,
    width: usize,
}

/// `strtol`: digits with a sign, and what follows them.
fn integer(text: &str) -> (&str, &str) {
    let sign = usize::from(text.starts_with(['+', '-']));
    let digits = text[sign..].bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 { ("", text) } else { text.split_at(sign + digits) }
}

/// `is_next_separator`
fn is_before_separator(field: &Field, next: Option<&Part>) -> bool {
    match next {
        _ if field.ordinal.is_some() => true,
        None => true,
        Some(Part::Field(next)) => matches!(
            next.key,
            Key::Era(_)
                | Key::Half(_)
                | Key::Day(_)
                | Key::Exact
                | Key::MonthName(_)
                | Key::Offset
                | Key::Roman
                | Key::Zone
                | Key::ZoneHour
        ),
        Some(Part::Char(c) | Part::Separator(c) | Part::Space(c)) => !c.is_ascii_digit(),
    }
}

/// The word of the pattern as it stands there.
fn shown(field: &Field) -> String {
    match field.letters {
        Letters::Upper => field.name.to_string(),
        Letters::Capital => capital(field.name),
        Letters::Lower => field.name.to_ascii_lowercase(),
    }
}

/// `from_char_set_int`
fn set(into: &mut i64, value: i64, field: &Field) -> Result<()> {
    if *into != 0 && *into != value {
        let message = format!("conflicting values for \"{}\" field in formatting string", shown(field));
        let detail = "This value contradicts a previous setting for the same field type.";
        return Err(SqlError::new("22007", message).with_detail(detail));
    }
    *into = value;
    Ok(())
}

/// `adjust_partial_year_to_2020`
const fn near_2020(year: i64) -> i64 {
    match year {
        ..70 => year + 2000,
        70..100 => year + 1900,
        100..520 => year + 2000,
        520..1000 => year + 1000,
        _ => year,
    }
}
