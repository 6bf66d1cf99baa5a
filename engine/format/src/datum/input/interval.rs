//! interval from text (`interval_in`, `DecodeInterval`, `DecodeISO8601Interval`, src/backend/utils/adt/datetime.c).
//!
//! ```text
//! 1 year 2 mons -3 days 04:05:06.7     @ 5 minutes ago     1-2     3 04:05     P1Y2M3DT4H5M6.7S
//! ```
//!
//! A fraction of a unit goes on to smaller units: of a year to months, of a month (30 days) to days and time, of a day
//! to time.

use super::fields::Wrong;
use super::{clock, is_delimiter, is_space};
use crate::datum::datetime::{USECS_PER_DAY, USECS_PER_SEC};
use crate::datum::error::{Result, SqlError};
use crate::datum::value::Interval;
use crate::page::PgVersion;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// `interval_in`
pub fn interval_in(text: &str, typmod: i32, major: u32) -> Result<Interval> {
    let version = PgVersion::of_major(major);
    let lower = text.trim_matches(is_space).to_ascii_lowercase();
    let infinite = match lower.as_str() {
        "infinity" | "+infinity" => Some(Interval { time: i64::MAX, day: i32::MAX, month: i32::MAX }),
        "-infinity" => Some(Interval { time: i64::MIN, day: i32::MIN, month: i32::MIN }),
        _ => None,
    };
    if let Some(infinite) = infinite.filter(|_| version.has_infinite_interval()) {
        return Ok(infinite);
    }
    let mut parts = Parts { rounds: version.rounds_intervals(), ..Parts::default() };
    let parsed = match lower.strip_prefix('p') {
        Some(iso) => iso8601(iso, &mut parts),
        None => words(&lower, fields(typmod), &mut parts),
    };
    let interval = parsed.and_then(|()| parts.interval()).map_err(|error| match error {
        Wrong::Format | Wrong::Zone | Wrong::NoZone => {
            SqlError::new("22007", format!("invalid input syntax for type interval: \"{text}\""))
        }
        Wrong::Range if i32::try_from(parts.months).is_ok() && i32::try_from(parts.years).is_err() => {
            SqlError::datetime_range("interval out of range")
        }
        Wrong::Range => SqlError::new("22015", format!("interval field value out of range: \"{text}\"")),
    })?;
    Ok(adjusted(interval, typmod))
}

/// The fields that a modifier says, a bit each, in its high half; all where there is none.
const fn fields(typmod: i32) -> u16 {
    if typmod < 0 { FULL_RANGE } else { (typmod >> 16) as u16 }
}

/// `INTERVAL_FULL_RANGE`
const FULL_RANGE: u16 = 0x7FFF;
/// Bits of fields (`INTERVAL_MASK`); those of the ones that SQL may name.
const YEAR_FIELD: u16 = 1 << 2;
const MONTH_FIELD: u16 = 1 << 1;
const DAY_FIELD: u16 = 1 << 3;
const HOUR_FIELD: u16 = 1 << 10;
const MINUTE_FIELD: u16 = 1 << 11;
const SECOND_FIELD: u16 = 1 << 12;

/// `AdjustIntervalForTypmod`: what is below the least field is left out; of the modifier the low half is the precision.
pub(in crate::datum) fn adjusted(mut interval: Interval, typmod: i32) -> Interval {
    if typmod < 0 {
        return interval;
    }
    match least(fields(typmod)) {
        "year" => interval = Interval { time: 0, day: 0, month: interval.month / 12 * 12 },
        "month" => (interval.time, interval.day) = (0, 0),
        "day" => interval.time = 0,
        "hour" => interval.time -= interval.time % (3600 * USECS_PER_SEC),
        "minute" => interval.time -= interval.time % (60 * USECS_PER_SEC),
        _ => {}
    }
    let precision = typmod & 0xFFFF;
    interval.time = super::date::rounded(interval.time, if precision == 0xFFFF { -1 } else { precision });
    interval
}

/// The least field: what a number without a unit is of.
const fn least(fields: u16) -> &'static str {
    match fields {
        _ if fields & SECOND_FIELD != 0 => "second",
        _ if fields & MINUTE_FIELD != 0 => "minute",
        _ if fields & HOUR_FIELD != 0 => "hour",
        _ if fields & DAY_FIELD != 0 => "day",
        _ if fields & MONTH_FIELD != 0 => "month",
        _ => "year",
    }
}

/// How a modifier says its fields and their precision (`intervaltypmodout`).
pub(in crate::datum) fn fields_out(typmod: i32) -> String {
    let fields = fields(typmod);
    let mut text = String::new();
    if fields != FULL_RANGE {
        let bits = [YEAR_FIELD, MONTH_FIELD, DAY_FIELD, HOUR_FIELD, MINUTE_FIELD, SECOND_FIELD];
        let first = bits.into_iter().find(|bit| fields & bit != 0).unwrap_or(YEAR_FIELD);
        text = format!(" {}", least(first));
        if first != fields {
            text += " to ";
            text += least(fields);
        }
    }
    if typmod & 0xFFFF != 0xFFFF { format!("{text}({})", typmod & 0xFFFF) } else { text }
}

/// The modifier for fields by their names, first and last, and a precision.
#[must_use]
pub fn fields_in(first: &str, last: &str, precision: Option<i32>) -> i32 {
    let all = ["year", "month", "day", "hour", "minute", "second"];
    let bits = [YEAR_FIELD, MONTH_FIELD, DAY_FIELD, HOUR_FIELD, MINUTE_FIELD, SECOND_FIELD];
    let place = |name: &str| all.iter().position(|known| *known == name).unwrap_or(0);
    let fields = bits[place(first)..=place(last).max(place(first))].iter().fold(0, |all, bit| all | i32::from(*bit));
    fields << 16 | precision.unwrap_or(0xFFFF)
}

/// The sum so far, wider than an interval is.
#[derive(Default)]
struct Parts {
    /// years and what is above, in months
    years: i128,
    months: i128,
    days: i128,
    micros: i128,
    /// the units seen: none may come twice
    seen: u32,
    rounds: bool,
}

/// A number before its unit: the whole part, and the fraction with the same sign.
#[derive(Clone, Copy)]
struct Amount {
    whole: i64,
    fraction: f64,
}

impl Parts {
    fn interval(&self) -> core::result::Result<Interval, Wrong> {
        Ok(Interval {
            time: self.micros.try_into().map_err(|_| Wrong::Range)?,
            day: self.days.try_into().map_err(|_| Wrong::Range)?,
            month: (self.years + self.months).try_into().map_err(|_| Wrong::Range)?,
        })
    }

    fn once(&mut self, units: u32) -> core::result::Result<(), Wrong> {
        if self.seen & units != 0 {
            return Err(Wrong::Format);
        }
        self.seen |= units;
        Ok(())
    }

    /// Adds that much of a unit.
    fn add(&mut self, Amount { whole, fraction }: Amount, unit: &str) -> core::result::Result<(), Wrong> {
        self.once(mask(unit, fraction != 0.0).ok_or(Wrong::Format)?)?;
        let whole = i128::from(whole);
        let time = |unit: i64| whole * i128::from(unit) + rint(fraction * unit as f64);
        match unit {
            "us" | "usec" | "usecs" | "usecond" | "useconds" | "microsecond" | "microsecon" | "microseconds" => {
                self.micros += time(1);
            }
            "ms" | "msec" | "msecs" | "msecond" | "mseconds" | "millisecon" | "millisecond" | "milliseconds" => {
                self.micros += time(1000);
            }
            "s" | "sec" | "secs" | "second" | "seconds" => self.micros += time(USECS_PER_SEC),
            "m" | "min" | "mins" | "minute" | "minutes" => self.micros += time(60 * USECS_PER_SEC),
            "h" | "hr" | "hrs" | "hour" | "hours" => self.micros += time(3600 * USECS_PER_SEC),
            "d" | "day" | "days" => self.add_days(whole, fraction),
            "w" | "week" | "weeks" => self.add_days(whole * 7, fraction * 7.0),
            "mon" | "mons" | "month" | "months" => {
                self.months += whole;
                self.add_days(0, fraction * 30.0);
            }
            "y" | "yr" | "yrs" | "year" | "years" => self.add_months(whole, fraction, 12),
            "dec" | "decs" | "decade" | "decades" => self.add_months(whole, fraction, 120),
            "c" | "cent" | "century" | "centuries" => self.add_months(whole, fraction, 1200),
            "mil" | "mils" | "millennia" | "millennium" => self.add_months(whole, fraction, 12_000),
            _ => return Err(Wrong::Format),
        }
        Ok(())
    }

    fn add_months(&mut self, whole: i128, fraction: f64, months: i32) {
        let part = fraction * f64::from(months);
        self.years += whole * i128::from(months);
        self.months = if self.rounds { self.months + rint(part) } else { (self.months as f64 + part) as i128 };
    }

    /// `AdjustFractDays`
    fn add_days(&mut self, whole: i128, fraction: f64) {
        let days = fraction as i64;
        self.days += whole + i128::from(days);
        self.micros += rint((fraction - days as f64) * USECS_PER_DAY as f64);
    }
}

/// Hours, minutes, seconds and what is below.
const TIME: u32 = 0x3F;
const MONTH: u32 = 0x100;

/// The bits of a unit; seconds with a fraction are all that is below, too.
fn mask(unit: &str, has_fraction: bool) -> Option<u32> {
    let bits = match unit {
        _ if unit.starts_with("mil") && !unit.starts_with("milli") => 0x1000,
        "millennia" | "millennium" => 0x1000,
        "us" => 0x20,
        _ if unit.starts_with("us") || unit.starts_with("micro") => 0x20,
        _ if unit.starts_with("ms") || unit.starts_with("milli") => 0x10,
        _ if unit.starts_with("mon") => MONTH,
        _ if unit.starts_with('s') => {
            if has_fraction {
                0x38
            } else {
                0x08
            }
        }
        _ if unit.starts_with('m') => 0x04,
        _ if unit.starts_with('h') => 0x02,
        _ if unit.starts_with("dec") => 0x400,
        _ if unit.starts_with('d') => 0x40,
        _ if unit.starts_with('w') => 0x80,
        _ if unit.starts_with('y') => 0x200,
        _ if unit.starts_with('c') => 0x800,
        _ => return None,
    };
    Some(bits)
}

/// To the nearest whole number, of two to the even one.
pub(in crate::datum) fn rint(number: f64) -> i128 {
    /// From here on floats are whole.
    const WHOLE: f64 = (1_u64 << 53) as f64;
    if number.abs() >= WHOLE {
        return number as i128;
    }
    let below = number as i128 - i128::from(number < 0.0 && (number as i128) as f64 != number);
    let rest = number - below as f64;
    below + i128::from(rest > 0.5 || (rest == 0.5 && below % 2 != 0))
}

fn amount(text: &str) -> core::result::Result<Amount, Wrong> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let (sign, digits) = match whole.as_bytes().first() {
        Some(b'-') => (-1.0, &whole[1..]),
        Some(b'+') => (1.0, &whole[1..]),
        _ => (1.0, whole),
    };
    let all_digits = digits.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit());
    if !all_digits || (digits.is_empty() && fraction.is_empty()) {
        return Err(Wrong::Format);
    }
    let number: i64 = if digits.is_empty() { 0 } else { digits.parse().map_err(|_| Wrong::Range)? };
    let fraction: f64 = format!("0.{fraction}0").parse().map_err(|_| Wrong::Format)?;
    Ok(Amount { whole: number * sign as i64, fraction: fraction * sign })
}

/// Numbers with units, and times; from the right, as a number's unit stands after it.
fn words(text: &str, fields: u16, parts: &mut Parts) -> core::result::Result<(), Wrong> {
    let text = with_signs_joined(text);
    let tokens = tokens(&text);
    let (tokens, is_ago) = match &tokens[..] {
        [before @ .., "ago"] => (before, true),
        all => (all, false),
    };
    if tokens.is_empty() {
        return Err(Wrong::Format);
    }
    // the unit of the number to the left
    let mut unit = Some(least(fields));
    let mut is_word = false;
    for token in tokens.iter().rev() {
        let is_alphabetic = token.as_bytes()[0].is_ascii_alphabetic();
        if is_alphabetic {
            // a word before a word has no number
            if is_word {
                return Err(Wrong::Format);
            }
            unit = Some(*token);
        } else if token.contains(':') {
            parts.once(TIME)?;
            let micros = time(token, parts.rounds)?;
            // of two parts hours and minutes, or minutes and seconds
            let is_shifted =
                fields == MINUTE_FIELD | SECOND_FIELD && token.matches(':').count() == 1 && !token.contains('.');
            parts.micros += if is_shifted { micros / 60 } else { micros };
            // a number before a time is of days
            unit = Some("day");
        } else if token.trim_start_matches(['+', '-']).contains('-') {
            years_and_months(token, parts)?;
            unit = None;
        } else {
            let of = unit.take().ok_or(Wrong::Format)?;
            parts.add(amount(token)?, of)?;
            // a number before hours is of days, as before a time
            unit = of.starts_with('h').then_some("day");
        }
        is_word = is_alphabetic;
    }
    if is_ago {
        parts.years = -parts.years;
        (parts.months, parts.days, parts.micros) = (-parts.months, -parts.days, -parts.micros);
    }
    // a unit without a number
    if is_word { Err(Wrong::Format) } else { Ok(()) }
}

/// A sign that stands alone is that of the number behind it.
fn with_signs_joined(text: &str) -> String {
    let mut joined = String::new();
    for word in text.split(is_delimiter).filter(|word| !word.is_empty()) {
        let is_behind_sign = joined.ends_with([' ']) && joined.trim_end().ends_with(['+', '-']);
        if is_behind_sign && word.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            joined.truncate(joined.trim_end().len());
        }
        joined.push_str(word);
        joined.push(' ');
    }
    joined
}

/// Numbers and words, which need no blank between.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    for word in text.split(is_delimiter).filter(|word| !word.is_empty()) {
        let mut rest = word;
        while let Some(first) = rest.chars().next() {
            let is_word = first.is_ascii_alphabetic();
            let end = rest.find(|c: char| c.is_ascii_alphabetic() != is_word).unwrap_or(rest.len());
            tokens.push(&rest[..end]);
            rest = &rest[end..];
        }
    }
    tokens
}

/// `[-]hh:mm[:ss[.ffffff]]`, of any number of hours; before 15 they had to fit into 32 bits.
fn time(token: &str, wide: bool) -> core::result::Result<i128, Wrong> {
    let unsigned = token.strip_prefix(['+', '-']).unwrap_or(token);
    let time = clock::parse(unsigned)?;
    if !wide && i32::try_from(time.hour).is_err() {
        return Err(Wrong::Range);
    }
    Ok(if token.starts_with('-') { -time.usecs() } else { time.usecs() })
}

/// `1-2`: a year and two months.
fn years_and_months(token: &str, parts: &mut Parts) -> core::result::Result<(), Wrong> {
    let (sign, unsigned) =
        if let Some(rest) = token.strip_prefix('-') { (-1, rest) } else { (1, token.trim_start_matches('+')) };
    let (years, months) = unsigned.split_once('-').ok_or(Wrong::Format)?;
    let number = |text: &str| text.parse::<i64>().map_err(|_| Wrong::Format);
    let (years, months) = (number(years)?, number(months)?);
    if months > 11 {
        return Err(Wrong::Range);
    }
    parts.once(MONTH)?;
    parts.years += i128::from(sign) * i128::from(years) * 12;
    parts.months += i128::from(sign) * i128::from(months);
    Ok(())
}

/// After the P: numbers with one letter each, those of the time after a T.
fn iso8601(text: &str, parts: &mut Parts) -> core::result::Result<(), Wrong> {
    let (date, time) = text.split_once('t').unwrap_or((text, ""));
    for (text, units) in [
        (date, &[('y', "year"), ('m', "month"), ('w', "week"), ('d', "day")][..]),
        (time, &[('h', "hour"), ('m', "minute"), ('s', "second")]),
    ] {
        let mut rest = text;
        while let Some(at) = rest.find(|c: char| c.is_ascii_alphabetic()) {
            let unit = units.iter().find(|(letter, _)| rest[at..].starts_with(*letter)).ok_or(Wrong::Format)?;
            parts.add(amount(&rest[..at])?, unit.1)?;
            rest = &rest[at + 1..];
        }
        if !rest.is_empty() {
            return Err(Wrong::Format);
        }
    }
    if text.is_empty() { Err(Wrong::Format) } else { Ok(()) }
}
