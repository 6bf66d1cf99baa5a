//! The style in which dates, times and intervals are read and printed: `DateStyle`, `IntervalStyle`, `TimeZone`
//! (`EncodeDateTime`, `EncodeInterval`, src/backend/utils/adt/datetime.c).

use super::datetime::{USECS_PER_DAY, civil, clock, date, time};
use super::error::Result;
use super::value::{Interval, Value};
use super::zone::{Offset, Zone, hours};
use super::{array, range};
use crate::page::Oid;
use alloc::format;
use alloc::string::{String, ToString};

/// The settings that decide it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// the first word of `DateStyle`
    pub format: DateFormat,
    /// its second word
    pub order: DateOrder,
    /// `IntervalStyle`
    pub interval: IntervalStyle,
    /// `TimeZone`
    pub zone: Zone,
}

/// How a date is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateFormat {
    /// 2024-02-29 12:00:00+00
    Iso,
    /// 02/29/2024 12:00:00 UTC
    Sql,
    /// Thu Feb 29 12:00:00 2024 UTC
    Postgres,
    /// 29.02.2024 12:00:00 UTC
    German,
}

/// What the numbers of a date are, where that is not clear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOrder {
    /// month, day, year
    Mdy,
    /// day, month, year
    Dmy,
    /// year, month, day
    Ymd,
}

/// How an interval is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntervalStyle {
    /// 1 year 2 mons 03:04:05
    Postgres,
    /// @ 1 year 2 mons 3 hours 4 mins 5 secs
    PostgresVerbose,
    /// +1-2 +0 +3:04:05
    SqlStandard,
    /// P1Y2MT3H4M5S
    Iso8601,
}

impl Style {
    /// What servers have where nobody has set it otherwise.
    pub const DEFAULT: Self =
        Self { format: DateFormat::Iso, order: DateOrder::Mdy, interval: IntervalStyle::Postgres, zone: Zone::UTC };

    /// The value as the output function of its type prints it in this style; `None` of NULL, and of what is stored
    /// elsewhere.
    ///
    /// # Errors
    /// A time before the zone's rule.
    pub fn output(&self, value: &Value, typid: Oid) -> Result<Option<String>> {
        if *self == Self::DEFAULT {
            return Ok(value.output(typid));
        }
        Ok(match value {
            Value::Date(day) if !matches!(*day, i32::MAX | i32::MIN) => Some(self.date(i64::from(*day))),
            Value::Timestamp(at) if !is_endless(*at) => self.timestamp(*at, None),
            Value::TimestampTz(at) if !is_endless(*at) => {
                let offset = self.zone.at(*at)?;
                self.timestamp(self.zone.local_of(*at)?, Some(offset))
            }
            Value::Interval(span) if self.interval != IntervalStyle::Postgres => {
                self.interval(*span).map_or_else(|| value.output(typid), Some)
            }
            Value::Array(bytes) => array::array_out_by(bytes, &|item, ty| self.output(item, ty))?,
            Value::Record(record) => Some(record.output_by(&|column, value| match value {
                // labels of enums are known to the column
                Value::Oid(_) => Ok(column.printed(value)),
                _ => self.output(value, column.typid),
            })?),
            Value::Range(bytes) => range::range_out_by(bytes, &|bound, ty| self.output(bound, ty))?,
            _ => value.output(typid),
        })
    }

    /// `EncodeDateOnly`
    fn date(&self, days: i64) -> String {
        if self.format == DateFormat::Iso {
            let (text, era) = date(days);
            return format!("{text}{era}");
        }
        let (date, era) = self.short_date(days);
        format!("{date}{era}")
    }

    fn short_date(&self, days: i64) -> (String, &'static str) {
        let (year, month, day) = civil(days);
        let (year, era) = if year > 0 { (year, "") } else { (1 - year, " BC") };
        let separator = match self.format {
            DateFormat::German => return (format!("{day:02}.{month:02}.{year:04}"), era),
            DateFormat::Sql => '/',
            _ => '-',
        };
        let (first, second) = if self.order == DateOrder::Dmy { (day, month) } else { (month, day) };
        (format!("{first:02}{separator}{second:02}{separator}{year:04}"), era)
    }

    /// `EncodeDateTime`; with the offset of the zone where that is told.
    fn timestamp(&self, local: i64, offset: Option<Offset>) -> Option<String> {
        const DAYS: [&str; 7] = ["Sat", "Sun", "Mon", "Tue", "Wed", "Thu", "Fri"];
        const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let (days, clock) = (local.div_euclid(USECS_PER_DAY), time(local.rem_euclid(USECS_PER_DAY))?);
        let named = offset.map(|offset| format!(" {}", self.zone.abbreviation(offset))).unwrap_or_default();
        Some(match self.format {
            DateFormat::Iso => {
                let (date, era) = date(days);
                let zone = offset.map(|offset| distance(offset.east)).unwrap_or_default();
                format!("{date} {clock}{zone}{era}")
            }
            DateFormat::Sql | DateFormat::German => {
                let (date, era) = self.short_date(days);
                format!("{date} {clock}{named}{era}")
            }
            DateFormat::Postgres => {
                let (year, month, day) = civil(days);
                let (year, era) = if year > 0 { (year, "") } else { (1 - year, " BC") };
                let weekday = DAYS[days.rem_euclid(7) as usize];
                let month = MONTHS[(month - 1).rem_euclid(12) as usize];
                let date = match self.order {
                    DateOrder::Dmy => format!("{day:02} {month}"),
                    _ => format!("{month} {day:02}"),
                };
                format!("{weekday} {date} {clock} {year:04}{named}{era}")
            }
        })
    }

    /// `EncodeInterval`; `None` of an infinite one, and of style postgres.
    fn interval(&self, span: Interval) -> Option<String> {
        if matches!((span.time, span.day, span.month), (i64::MAX, i32::MAX, i32::MAX) | (i64::MIN, i32::MIN, i32::MIN))
        {
            return None;
        }
        let parts = Parts::of(span);
        match self.interval {
            IntervalStyle::Postgres => None,
            IntervalStyle::PostgresVerbose => Some(parts.verbose()),
            IntervalStyle::SqlStandard => Some(parts.sql_standard()),
            IntervalStyle::Iso8601 => Some(parts.iso()),
        }
    }
}

const fn is_endless(at: i64) -> bool {
    matches!(at, i64::MAX | i64::MIN)
}

/// `EncodeTimezone`: `+02`, `-03:30`
fn distance(east: i32) -> String {
    format!("{}{}", if east < 0 { '-' } else { '+' }, hours(east.unsigned_abs()))
}

/// `pg_itm`: an interval in parts of one sign or another.
struct Parts {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    /// with microseconds
    seconds: i64,
}

impl Parts {
    fn of(span: Interval) -> Self {
        const MINUTE: i64 = 60_000_000;
        let (hour, rest) = (span.time / (60 * MINUTE), span.time % (60 * MINUTE));
        let months = i64::from(span.month);
        Self {
            year: months / 12,
            month: months % 12,
            day: i64::from(span.day),
            hour,
            minute: rest / MINUTE,
            seconds: rest % MINUTE,
        }
    }

    const fn all(&self) -> [i64; 6] {
        [self.year, self.month, self.day, self.hour, self.minute, self.seconds]
    }

    /// `5`, `05.25`: without sign
    fn seconds(&self, fills: bool) -> String {
        let text = clock(self.seconds.unsigned_abs());
        let text = text.strip_prefix("00:00:").unwrap_or(&text);
        match text.strip_prefix('0').filter(|_| !fills) {
            Some(short) => short.to_string(),
            None => text.to_string(),
        }
    }

    fn verbose(&self) -> String {
        let (mut text, mut is_zero, mut is_before) = (String::from("@"), true, false);
        for (value, unit) in
            [(self.year, "year"), (self.month, "mon"), (self.day, "day"), (self.hour, "hour"), (self.minute, "min")]
        {
            if value == 0 {
                continue;
            }
            is_before = if is_zero { value < 0 } else { is_before };
            let shown = if is_before { -value } else { value };
            let plural = if shown == 1 { "" } else { "s" };
            text.push_str(&format!(" {shown} {unit}{plural}"));
            is_zero = false;
        }
        if self.seconds != 0 {
            is_before = if is_zero { self.seconds < 0 } else { is_before };
            let sign = if (self.seconds < 0) == is_before { "" } else { "-" };
            let plural = if self.seconds.abs() == 1_000_000 { "" } else { "s" };
            text.push_str(&format!(" {sign}{} sec{plural}", self.seconds(false)));
            is_zero = false;
        }
        text.push_str(if is_zero { " 0" } else { "" });
        text.push_str(if is_before { " ago" } else { "" });
        text
    }

    fn sql_standard(&self) -> String {
        let (has_negative, has_positive) = (self.all().iter().any(|it| *it < 0), self.all().iter().any(|it| *it > 0));
        let has_months = self.year != 0 || self.month != 0;
        let has_time = self.day != 0 || self.hour != 0 || self.minute != 0 || self.seconds != 0;
        let clock = format!("{}:{:02}:{}", self.hour.abs(), self.minute.abs(), self.seconds(true));
        let (year, month, day) = (self.year.abs(), self.month.abs(), self.day.abs());
        if !has_negative && !has_positive {
            return "0".to_string();
        }
        if has_negative && has_positive || has_months && has_time {
            let sign = |is_negative| if is_negative { '-' } else { '+' };
            let months = sign(self.year < 0 || self.month < 0);
            let time = sign(self.hour < 0 || self.minute < 0 || self.seconds < 0);
            return format!("{months}{year}-{month} {}{day} {time}{clock}", sign(self.day < 0));
        }
        let sign = if has_negative { "-" } else { "" };
        match (has_months, self.day) {
            (true, _) => format!("{sign}{year}-{month}"),
            (false, 0) => format!("{sign}{clock}"),
            (false, _) => format!("{sign}{day} {clock}"),
        }
    }

    fn iso(&self) -> String {
        if self.all() == [0; 6] {
            return "PT0S".to_string();
        }
        let part = |value: i64, unit: char| if value == 0 { String::new() } else { format!("{value}{unit}") };
        let mut text = format!("P{}{}{}", part(self.year, 'Y'), part(self.month, 'M'), part(self.day, 'D'));
        if self.hour != 0 || self.minute != 0 || self.seconds != 0 {
            text.push_str(&format!("T{}{}", part(self.hour, 'H'), part(self.minute, 'M')));
        }
        if self.seconds != 0 {
            text.push_str(&format!("{}{}S", if self.seconds < 0 { "-" } else { "" }, self.seconds(false)));
        }
        text
    }
}
