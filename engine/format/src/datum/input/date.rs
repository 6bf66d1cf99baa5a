//! date, time and timestamp from text (`date_in`, `time_in`, `timestamp_in`, `timestamptz_in`).

use super::Context;
use super::fields::{self, Fields, Wrong};
use super::is_delimiter;
use crate::datum::datetime::{
    END_OF_DATES, END_OF_TIMESTAMPS, FIRST_DAY, FIRST_TIMESTAMP, USECS_PER_DAY, days_in_month, days_of,
};
use crate::datum::error::{Result, SqlError};
use crate::datum::sql_type::SqlType;
use crate::datum::zone::Zone;
use alloc::format;

/// Days from 1970-01-01 to 2000-01-01.
const UNIX_EPOCH: i64 = -10_957;
const TIMESTAMPTZ: u32 = 1184;

fn wrong(wrong: Wrong, type_name: &str, text: &str) -> SqlError {
    match wrong {
        Wrong::Format => SqlError::new("22007", format!("invalid input syntax for type {type_name}: \"{text}\"")),
        Wrong::Zone => SqlError::new("22009", format!("time zone displacement out of range: \"{text}\"")),
        Wrong::NoZone => {
            let name =
                text.split(|c: char| is_delimiter(c) && c != '_').find(|token| token.contains('/')).unwrap_or(text);
            let name = name.to_ascii_lowercase();
            Zone::missing(&name, SqlError::new("22023", format!("time zone \"{name}\" not recognized")))
        }
        Wrong::Range => SqlError::datetime_range(format!("date/time field value out of range: \"{text}\"")),
    }
}

/// `date_in`
pub fn date_in(text: &str, context: &Context) -> Result<i32> {
    let today = today(context)?;
    let day = || -> core::result::Result<Option<i64>, Wrong> {
        let fields = fields::parse(text, false, context.style.order)?;
        Ok(match fields.word.as_deref() {
            Some("infinity") => return Ok(None),
            Some("-infinity") => return Ok(Some(i64::from(i32::MIN))),
            Some(word) => Some(word_day(word, today)),
            None => {
                fields.usecs()?;
                Some(fields.day()?)
            }
        })
    };
    match day().map_err(|error| wrong(error, "date", text))? {
        None => Ok(i32::MAX),
        Some(day) if day == i64::from(i32::MIN) => Ok(i32::MIN),
        Some(day) if (FIRST_DAY..END_OF_DATES).contains(&day) => Ok(day as i32),
        Some(_) => Err(SqlError::datetime_range(format!("date out of range: \"{text}\""))),
    }
}

/// `time_in`
pub fn time_in(text: &str, typmod: i32, context: &Context) -> Result<i64> {
    let now = context.style.zone.local_of(context.now)?;
    let parsed = fields::parse(text, true, context.style.order).and_then(|fields| match fields.word.as_deref() {
        Some("now") => Ok(now.rem_euclid(USECS_PER_DAY)),
        Some(_) => Err(Wrong::Format),
        None if fields.time.is_none() => Err(Wrong::Format),
        None => fields.usecs(),
    });
    let time = parsed.map_err(|error| wrong(error, "time", text))?;
    Ok(rounded(time, typmod))
}

/// `timestamp_in`, `timestamptz_in`
pub fn timestamp_in(text: &str, ty: SqlType, context: &Context) -> Result<i64> {
    let (type_name, has_zone) =
        if ty.oid == TIMESTAMPTZ { ("timestamp with time zone", true) } else { ("timestamp", false) };
    let fields = fields::parse(text, false, context.style.order).map_err(|error| wrong(error, type_name, text))?;
    let today = today(context)?;
    let local = local(&fields, today).map_err(|error| wrong(error, type_name, text))?;
    let micros = match (fields.word.as_deref(), local) {
        (Some("now"), _) if has_zone => Some(context.now),
        (Some("now"), _) => Some(context.style.zone.local_of(context.now)?),
        (_, Some(local)) if has_zone && !is_endless(local) => {
            Some(fields.zone.unwrap_or(context.style.zone).utc_of(local)?)
        }
        (_, local) => local,
    };
    match micros {
        Some(micros) if is_endless(micros) => Ok(micros),
        Some(micros) if (FIRST_TIMESTAMP..END_OF_TIMESTAMPS).contains(&micros) => Ok(rounded(micros, ty.typmod)),
        _ => Err(SqlError::datetime_range(format!("timestamp out of range: \"{text}\""))),
    }
}

const fn is_endless(micros: i64) -> bool {
    matches!(micros, i64::MAX | i64::MIN)
}

/// Microseconds since 2000 by the clock of whatever zone it is; `None` beyond what can be counted.
fn local(fields: &Fields, today: i64) -> core::result::Result<Option<i64>, Wrong> {
    let usecs = fields.usecs()?;
    let day = match fields.word.as_deref() {
        Some("infinity") => return Ok(Some(i64::MAX)),
        Some("-infinity") => return Ok(Some(i64::MIN)),
        Some(word) => word_day(word, today),
        None => fields.day()?,
    };
    Ok(day.checked_mul(USECS_PER_DAY).and_then(|micros| micros.checked_add(usecs)))
}

/// The day that the clocks of the session's zone show.
fn today(context: &Context) -> Result<i64> {
    Ok(context.style.zone.local_of(context.now)?.div_euclid(USECS_PER_DAY))
}

fn word_day(word: &str, today: i64) -> i64 {
    match word {
        "epoch" => UNIX_EPOCH,
        "yesterday" => today - 1,
        "tomorrow" => today + 1,
        _ => today,
    }
}

impl Fields {
    /// The day counted from 2000-01-01 (`ValidateDate`).
    fn day(&self) -> core::result::Result<i64, Wrong> {
        let (year, month, day) = self.date.ok_or(Wrong::Format)?;
        if !(1..=i64::from(i32::MAX)).contains(&year) || !(1..=12).contains(&month) || day < 1 {
            return Err(Wrong::Range);
        }
        let year = if self.is_bc { 1 - year } else { year };
        if day > days_in_month(year, month) { Err(Wrong::Range) } else { Ok(days_of(year, month, day)) }
    }

    /// Microseconds since midnight; 24:00 is a time.
    fn usecs(&self) -> core::result::Result<i64, Wrong> {
        let Some(mut time) = self.time else { return Ok(0) };
        if let Some(is_pm) = self.is_pm {
            if time.hour > 12 {
                return Err(Wrong::Range);
            }
            time.hour = time.hour % 12 + if is_pm { 12 } else { 0 };
        }
        let usecs = i64::try_from(time.usecs()).map_err(|_| Wrong::Range)?;
        if usecs > USECS_PER_DAY { Err(Wrong::Range) } else { Ok(usecs) }
    }
}

/// `AdjustTimeForTypmod`, `AdjustTimestampForTypmod`: to so many digits of a second, half away from zero.
pub(in crate::datum) fn rounded(micros: i64, precision: i32) -> i64 {
    let Some(digits) = u32::try_from(precision).ok().filter(|digits| *digits < 6) else { return micros };
    let unit = 10_i64.pow(6 - digits);
    (micros.saturating_abs().saturating_add(unit / 2)) / unit * unit * micros.signum()
}
