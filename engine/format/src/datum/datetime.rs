//! Dates and times: counted from 2000-01-01, in days or microseconds; printed in ISO style, UTC
//! (src/backend/utils/adt/date.c, timestamp.c, datetime.c).

use super::types::exact;
use crate::page::layout::Wire;
use alloc::format;
use alloc::string::{String, ToString};

/// From 1970-01-01 to 2000-01-01: where times of Unix and of PostgreSQL begin.
pub const EPOCH_SHIFT: i64 = 946_684_800;
pub const USECS_PER_SEC: i64 = 1_000_000;
pub const USECS_PER_DAY: i64 = 86_400 * USECS_PER_SEC;
/// Days of 400 years
const DAYS_PER_ERA: i64 = 146_097;
/// From 0000-03-01 to 2000-01-01
const DAYS_BEFORE_EPOCH: i64 = 730_425;

/// `date_out`
pub fn date_out(bytes: &[u8]) -> Option<String> {
    Some(match exact::<i32>(bytes)? {
        i32::MAX => "infinity".to_string(),
        i32::MIN => "-infinity".to_string(),
        days => {
            let (date, era) = date(i64::from(days));
            format!("{date}{era}")
        }
    })
}

/// `time_out`
pub fn time_out(bytes: &[u8]) -> Option<String> {
    time(exact(bytes)?)
}

/// `timetz_out`: the zone is stored as seconds west of UTC
pub fn timetz_out(bytes: &[u8]) -> Option<String> {
    let (micros, zone) = bytes.split_at_checked(i64::SIZE)?;
    let zone: i32 = exact(zone)?;
    let (sign, seconds) = (if zone <= 0 { '+' } else { '-' }, zone.unsigned_abs());
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let zone = match (m, s) {
        (0, 0) => format!("{sign}{h:02}"),
        (_, 0) => format!("{sign}{h:02}:{m:02}"),
        _ => format!("{sign}{h:02}:{m:02}:{s:02}"),
    };
    Some(time(exact(micros)?)? + &zone)
}

/// `timestamp_out`
pub fn timestamp_out(bytes: &[u8]) -> Option<String> {
    timestamp(exact(bytes)?, "")
}

/// `timestamptz_out`
pub fn timestamptz_out(bytes: &[u8]) -> Option<String> {
    timestamp(exact(bytes)?, "+00")
}

/// What [`timestamptz_out`] prints for a time in UTC, read back; years of four digits only.
pub fn timestamptz_in(text: &str) -> Option<i64> {
    let (date, time) = text.trim().strip_suffix("+00")?.split_once(' ')?;
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    // no number of a time has more digits than its fraction
    let is_number = |text: &str| text.len() <= 6 && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = |text: &str| text.parse::<i64>().ok().filter(|_| is_number(text));
    let (year, month, day) = (number(date.get(..4)?)?, number(date.get(5..7)?)?, number(date.get(8..)?)?);
    let (hours, minutes, seconds) = (number(clock.get(..2)?)?, number(clock.get(3..5)?)?, number(clock.get(6..)?)?);
    let digits = u32::try_from(fraction.len()).ok().filter(|digits| *digits <= 6)?;
    let micros = number(fraction)? * 10_i64.pow(6 - digits);
    let seconds = (hours * 60 + minutes) * 60 + seconds;
    Some(days(year, month, day) * USECS_PER_DAY + seconds * USECS_PER_SEC + micros)
}

/// Days since 2000-01-01 (`date2j`).
const fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, from_march) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * from_march + 2) / 5 + day - 1 - DAYS_BEFORE_EPOCH
}

/// `interval_out` with `IntervalStyle` postgres; infinite ones since 17
pub fn interval_out(bytes: &[u8]) -> Option<String> {
    let (micros, rest) = bytes.split_at_checked(i64::SIZE)?;
    let (days, months) = rest.split_at_checked(i32::SIZE)?;
    let (micros, days, months) = (i64::get(micros), i32::get(days), exact::<i32>(months)?);
    Some(match (micros, days, months) {
        (i64::MAX, i32::MAX, i32::MAX) => "infinity".to_string(),
        (i64::MIN, i32::MIN, i32::MIN) => "-infinity".to_string(),
        _ => interval(micros, days, months),
    })
}

/// `YYYY-MM-DD`, and what follows in the era before year 1 (`EncodeDateOnly`).
pub(super) fn date(days: i64) -> (String, &'static str) {
    let (year, month, day) = civil(days);
    let (shown, era) = if year > 0 { (year, "") } else { (1 - year, " BC") };
    (format!("{shown:04}-{month:02}-{day:02}"), era)
}

/// Year (0 is 1 BC), month and day of a day counted from 2000-01-01 (`j2date`).
#[must_use]
pub fn civil(days: i64) -> (i64, i64, i64) {
    // years begin in March, so that the leap day is the last of its year
    let since = days + DAYS_BEFORE_EPOCH;
    let (era, day) = (since.div_euclid(DAYS_PER_ERA), since.rem_euclid(DAYS_PER_ERA));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year + 400 * era + i64::from(month <= 2), month, day_of_month)
}

/// The day counted from 2000-01-01 of a year (0 is 1 BC), month and day (`date2j`).
#[must_use]
pub const fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let (year, from_march) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * from_march + 2) / 5 + day - 1;
    era * DAYS_PER_ERA + of_era * 365 + of_era / 4 - of_era / 100 + day_of_year - DAYS_BEFORE_EPOCH
}

/// `day_tab`
#[must_use]
pub const fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The first day and the first after the last that a date can be, and the first after the last of a timestamp
/// (`IS_VALID_DATE`, `IS_VALID_TIMESTAMP`).
pub const FIRST_DAY: i64 = days_of(-4713, 11, 24);
/// The first after the last day.
pub const END_OF_DATES: i64 = days_of(5_874_898, 1, 1);
/// The first timestamp.
pub const FIRST_TIMESTAMP: i64 = FIRST_DAY * USECS_PER_DAY;
/// The first after the last timestamp.
pub const END_OF_TIMESTAMPS: i64 = days_of(294_277, 1, 1) * USECS_PER_DAY;

/// `HH:MM:SS.ffffff`, without zeros at the end; `None` where no day is that long.
pub(super) fn time(micros: i64) -> Option<String> {
    (0..=USECS_PER_DAY).contains(&micros).then(|| clock(micros.unsigned_abs()))
}

pub(super) fn clock(micros: u64) -> String {
    let (seconds, fraction) = (micros / 1_000_000, micros % 1_000_000);
    let text = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if fraction == 0 { text } else { format!("{text}.{fraction:06}").trim_end_matches('0').to_string() }
}

fn timestamp(micros: i64, zone: &str) -> Option<String> {
    Some(match micros {
        i64::MAX => "infinity".to_string(),
        i64::MIN => "-infinity".to_string(),
        _ => {
            let (date, era) = date(micros.div_euclid(USECS_PER_DAY));
            format!("{date} {}{zone}{era}", time(micros.rem_euclid(USECS_PER_DAY))?)
        }
    })
}

/// `EncodeInterval`: a part after a negative one says its sign.
fn interval(micros: i64, days: i32, months: i32) -> String {
    let mut text = String::new();
    let mut is_before = false;
    for (value, unit) in [(months / 12, "year"), (months % 12, "mon"), (days, "day")] {
        if value != 0 {
            let gap = if text.is_empty() { "" } else { " " };
            let plus = if is_before && value > 0 { "+" } else { "" };
            let plural = if value == 1 { "" } else { "s" };
            text.push_str(&format!("{gap}{plus}{value} {unit}{plural}"));
            is_before = value < 0;
        }
    }
    if text.is_empty() || micros != 0 {
        let gap = if text.is_empty() { "" } else { " " };
        let sign = if micros < 0 {
            "-"
        } else if is_before {
            "+"
        } else {
            ""
        };
        text.push_str(&format!("{gap}{sign}{}", clock(micros.unsigned_abs())));
    }
    text
}
