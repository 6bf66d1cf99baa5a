//! `to_char` of times and intervals (`DCH_to_char`, src/backend/utils/adt/formatting.c). The time zone is UTC.

use super::super::time::EPOCH_JULIAN;
use super::{DAY, DAYS, Field, Key, Letters, MONTHS, Name, Part, ROMAN, SECOND, capital, parsed, version_of};
use crate::sql::expr::call::Call;
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::value::Interval;
use ffviz_format::datum::{Value, civil, days_of};

const HOUR: i64 = 3600 * SECOND;

/// A time, or an interval, in its parts (`TmToChar`).
struct Parts {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    fraction: i64,
    /// from 0 for Sunday
    day_of_week: i64,
    day_of_year: i64,
    is_interval: bool,
    /// seconds east of UTC, and what the zone's time is called
    zone: Option<(i64, String)>,
}

/// `timestamp_to_char`, `timestamptz_to_char`
pub(super) fn of_timestamp(call: &mut Call<'_, '_>) -> Result<Value> {
    let (at, zone) = match call.args[0] {
        Value::Timestamp(i64::MAX | i64::MIN) | Value::TimestampTz(i64::MAX | i64::MIN) => return Ok(Value::Null),
        Value::Timestamp(at) => (at, None),
        Value::TimestampTz(at) => {
            let zone = call.input().style.zone;
            let offset = zone.at(at)?;
            (zone.local_of(at)?, Some((i64::from(offset.east), zone.abbreviation(offset))))
        }
        _ => return Ok(Value::Null),
    };
    let (days, clock) = (at.div_euclid(DAY), at.rem_euclid(DAY));
    let (year, month, day) = civil(days);
    let parts = Parts {
        year,
        month,
        day,
        day_of_week: (days + 6).rem_euclid(7),
        day_of_year: days - days_of(year, 1, 1) + 1,
        zone,
        ..Parts::of_clock(clock)
    };
    printed(&parts, call)
}

/// `interval_to_char`
pub(super) fn of_interval(call: &mut Call<'_, '_>) -> Result<Value> {
    let Value::Interval(span) = call.args[0] else { return Ok(Value::Null) };
    let Interval { time, day, month } = span;
    let is_infinite = matches!((time, day, month), (i64::MAX, i32::MAX, i32::MAX) | (i64::MIN, i32::MIN, i32::MIN));
    if is_infinite && version_of(call).has_infinite_interval() {
        return Ok(Value::Null);
    }
    let (month, day) = (i64::from(month), i64::from(day));
    let parts = Parts {
        year: month / 12,
        month: month % 12,
        day,
        day_of_year: month * 30 + day,
        is_interval: true,
        ..Parts::of_clock(time)
    };
    printed(&parts, call)
}

fn printed(parts: &Parts, call: &mut Call<'_, '_>) -> Result<Value> {
    let (pattern, version) = (call.text(1)?, version_of(call));
    if pattern.is_empty() {
        return Ok(Value::Null);
    }
    let mut out = String::new();
    for part in parsed(pattern, version) {
        match part {
            Part::Separator(c) | Part::Space(c) | Part::Char(c) => out.push(c),
            Part::Field(field) => out.push_str(&parts.field(&field)?),
        }
    }
    Ok(Value::text(&out))
}

impl Parts {
    /// Of a time alone; of the sign that it has is every part.
    const fn of_clock(time: i64) -> Self {
        Self {
            year: 0,
            month: 0,
            day: 0,
            hour: time / HOUR,
            minute: time / (60 * SECOND) % 60,
            second: time / SECOND % 60,
            fraction: time % SECOND,
            day_of_week: 0,
            day_of_year: 0,
            is_interval: false,
            zone: None,
        }
    }

    fn field(&self, field: &Field) -> Result<String> {
        let width = |number: i64, digits: usize| match field.fills {
            false => 0,
            true => digits + usize::from(number < 0),
        };
        let padded = |number: i64, digits: usize| format!("{number:0width$}", width = width(number, digits));
        let by_sign = |sign: i64, number: i64, digits: usize| format!("{number:0width$}", width = width(sign, digits));
        // its width does not grow with a sign
        let narrow =
            |number: i64, digits: usize| format!("{number:0width$}", width = if field.fills { digits } else { 0 });
        let number = match field.key {
            Key::Hour24 => padded(self.hour, 2),
            Key::Hour12 => by_sign(self.hour, if self.hour % 12 == 0 { 12 } else { self.hour % 12 }, 2),
            Key::Minute => padded(self.minute, 2),
            Key::Second => padded(self.second, 2),
            Key::Fraction(digits) => {
                format!("{:0width$}", self.fraction / 10_i64.pow(6 - digits), width = digits as usize)
            }
            Key::Millisecond => format!("{:03}", self.fraction / 1000),
            Key::Microsecond => format!("{:06}", self.fraction),
            Key::SecondOfDay => (self.hour * 3600 + self.minute * 60 + self.second).to_string(),
            Key::Month => padded(self.month, 2),
            Key::DayOfYear => narrow(self.day_of_year, 3),
            Key::IsoDayOfYear => narrow(self.iso().2, 3),
            Key::DayOfMonth => narrow(self.day, 2),
            Key::WeekOfYear => narrow((self.day_of_year - 1) / 7 + 1, 2),
            Key::IsoWeek => narrow(self.iso().1, 2),
            Key::Quarter if self.month == 0 => return Ok(String::new()),
            Key::Quarter => ((self.month - 1) / 3 + 1).to_string(),
            Key::Century => self.century(field),
            Key::YearWithComma => {
                let year = self.adjusted(self.year);
                format!("{},{:03}", year / 1000, year - year / 1000 * 1000)
            }
            Key::Year(digits) | Key::IsoYear(digits) => {
                let year = if matches!(field.key, Key::Year(_)) { self.year } else { self.iso().0 };
                let shown = self.adjusted(year) % 10_i64.pow(if digits == 4 { 18 } else { digits });
                match digits {
                    1 => shown.to_string(),
                    _ => by_sign(self.adjusted(self.year), shown, digits as usize),
                }
            }
            Key::WeekOfMonth => ((self.day - 1) / 7 + 1).to_string(),
            Key::Julian => julian(self.year, self.month, self.day).to_string(),
            Key::DayOfWeek => self.only_of_time((self.day_of_week + 1).to_string())?,
            Key::IsoDayOfWeek => {
                self.only_of_time(if self.day_of_week == 0 { 7 } else { self.day_of_week }.to_string())?
            }
            _ => return self.word(field),
        };
        Ok(match field.ordinal {
            Some(letters) => number.clone() + &ending(&number, letters)?,
            None => number,
        })
    }

    /// What is no number.
    fn word(&self, field: &Field) -> Result<String> {
        let cased = |text: &str| match field.letters {
            Letters::Upper => text.to_ascii_uppercase(),
            Letters::Capital => capital(text),
            Letters::Lower => text.to_ascii_lowercase(),
        };
        let filled = |text: String, width: usize| match field.fills && !field.is_translated {
            true => format!("{text:width$}"),
            false => text,
        };
        let name = |full: &str, name: Name| match name {
            Name::Whole => filled(cased(full), 9),
            Name::Short => cased(&full[..3]),
        };
        let dotted = |word: &str, has_points: bool| match has_points {
            true => cased(&word.chars().flat_map(|c| [c, '.']).collect::<String>()),
            false => cased(word),
        };
        match field.key {
            Key::Half(has_points) => Ok(dotted(if self.hour % 24 >= 12 { "PM" } else { "AM" }, has_points)),
            Key::Era(has_points) => self.only_of_time(dotted(if self.year <= 0 { "BC" } else { "AD" }, has_points)),
            Key::Day(how) => self.only_of_time(name(DAYS[self.day_of_week as usize], how)),
            Key::MonthName(_) if self.is_interval => self.only_of_time(String::new()),
            Key::MonthName(how) => Ok(name(MONTHS[(self.month - 1).rem_euclid(12) as usize], how)),
            Key::Roman => Ok(self.roman().map_or_else(String::new, |month| filled(cased(month), 4))),
            Key::Zone => self.only_of_time(self.zone.as_ref().map_or_else(String::new, |(_, name)| cased(name))),
            Key::ZoneHour => self.only_of_time(format!("{}{:02}", self.zone_sign(), self.east().abs() / 3600)),
            Key::ZoneMinute => self.only_of_time(format!("{:02}", self.east().abs() / 60 % 60)),
            Key::Offset => self.only_of_time(self.offset(field.fills)),
            _ => Ok(String::new()),
        }
    }

    /// Seconds east of UTC.
    fn east(&self) -> i64 {
        self.zone.as_ref().map_or(0, |(east, _)| *east)
    }

    fn zone_sign(&self) -> char {
        if self.east() < 0 { '-' } else { '+' }
    }

    /// OF: hours, and minutes where there are some.
    fn offset(&self, fills: bool) -> String {
        let (hours, minutes) = (self.east().abs() / 3600, self.east().abs() / 60 % 60);
        let hours = format!("{hours:0width$}", width = if fills { 2 } else { 0 });
        let minutes = if minutes == 0 { String::new() } else { format!(":{minutes:02}") };
        format!("{}{hours}{minutes}", self.zone_sign())
    }

    fn only_of_time(&self, text: String) -> Result<String> {
        if self.is_interval {
            let message = "invalid format specification for an interval value";
            return Err(SqlError::new("22007", message));
        }
        Ok(text)
    }

    /// `ADJUST_YEAR`: there is no year 0.
    const fn adjusted(&self, year: i64) -> i64 {
        if self.is_interval || year > 0 { year } else { 1 - year }
    }

    fn century(&self, field: &Field) -> String {
        let century = match self.year {
            year if self.is_interval => year / 100,
            year if year > 0 => (year - 1) / 100 + 1,
            year => year / 100 - 1,
        };
        let width = if field.fills && century.abs() <= 99 { 2 + usize::from(century < 0) } else { 0 };
        format!("{century:0width$}")
    }

    /// Of an interval months beyond whole years, or December's or January's sign.
    fn roman(&self) -> Option<&'static str> {
        let at = match (self.month, self.year) {
            (0, 0) => return None,
            (0, year) => {
                if year >= 0 {
                    11
                } else {
                    0
                }
            }
            (month, _) if month < 0 => 12 + month,
            (month, _) => month - 1,
        };
        ROMAN.get(usize::try_from(at).ok()?).copied()
    }

    /// Year, week and day of the year of ISO 8601.
    fn iso(&self) -> (i64, i64, i64) {
        let day = i64::from(julian(self.year, self.month, self.day)) - EPOCH_JULIAN;
        let monday = |year: i64| {
            let fourth = days_of(year, 1, 4);
            fourth - (fourth + 5).rem_euclid(7)
        };
        let mut year = self.year;
        if day < monday(year) {
            year -= 1;
        } else if day >= monday(year + 1) {
            year += 1;
        }
        let since = day - monday(year);
        (year, since / 7 + 1, since + 1)
    }
}

/// `date2j`, which takes also what is no date.
fn julian(year: i64, month: i64, day: i64) -> i32 {
    let (year, month) = if month > 2 { (year + 4800, month + 1) } else { (year + 4799, month + 13) };
    let century = year / 100;
    (year * 365 - 32_167 + year / 4 - century + century / 4 + 7834 * month / 256 + day) as i32
}

/// `get_th`
pub(super) fn ending(number: &str, letters: Letters) -> Result<String> {
    let digits = number.as_bytes();
    let ending = match digits {
        [.., b'1', _] => "TH",
        [.., b'1'] => "ST",
        [.., b'2'] => "ND",
        [.., b'3'] => "RD",
        _ => "TH",
    };
    if !digits.last().is_some_and(u8::is_ascii_digit) {
        return Err(SqlError::new("22P02", format!("\"{number}\" is not a number")));
    }
    Ok(if letters == Letters::Upper { ending.to_string() } else { ending.to_ascii_lowercase() })
}
