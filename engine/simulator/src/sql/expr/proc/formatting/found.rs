//! What was read by a pattern, as a date and a time (`do_to_timestamp`, src/backend/utils/adt/formatting.c).

use super::super::time::EPOCH_JULIAN;
use super::{Key, SECOND};
use alloc::format;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::{civil, days_in_month, days_of};

/// Which calendar a pattern is about (`FromCharDateMode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Gregorian,
    IsoWeek,
}

/// What the text said (`TmFromChar`); 0 where it said nothing.
#[derive(Debug, Default)]
pub(super) struct Found {
    mode: Option<Mode>,
    pub(super) is_12_hour: bool,
    pub(super) hour: i64,
    pub(super) is_pm: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
    pub(super) second_of_day: i64,
    pub(super) day_of_week: i64,
    pub(super) day: i64,
    pub(super) day_of_year: i64,
    pub(super) month: i64,
    pub(super) millisecond: i64,
    pub(super) microsecond: i64,
    pub(super) year: i64,
    pub(super) is_bc: i64,
    pub(super) week: i64,
    pub(super) week_of_month: i64,
    pub(super) century: i64,
    pub(super) julian: i64,
    pub(super) year_digits: u32,
    pub(super) zone_sign: i64,
    pub(super) zone_hour: i64,
    pub(super) zone_minute: i64,
}

/// A date and a time in parts (`struct pg_tm`).
pub(super) struct Parts {
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
    /// microseconds since midnight
    pub(super) time: i64,
    /// seconds east of UTC
    pub(super) zone: Option<i64>,
}

impl Found {
    /// `from_char_set_mode`
    pub(super) fn set_mode(&mut self, key: Key) -> Result<()> {
        let mode = match key {
            Key::IsoDayOfYear | Key::IsoDayOfWeek | Key::IsoWeek | Key::IsoYear(_) => Mode::IsoWeek,
            Key::DayOfYear | Key::DayOfMonth | Key::DayOfWeek | Key::Month | Key::MonthName(_) | Key::Roman => {
                Mode::Gregorian
            }
            Key::WeekOfYear | Key::WeekOfMonth | Key::Year(_) | Key::YearWithComma => Mode::Gregorian,
            _ => return Ok(()),
        };
        if *self.mode.get_or_insert(mode) != mode {
            return Err(SqlError::new("22007", "invalid combination of date conventions"));
        }
        Ok(())
    }

    /// `do_to_timestamp`, from where the text is read on.
    pub(super) fn checked(mut self, text: &str) -> Result<Parts> {
        let out_of_range = || SqlError::new("22008", format!("date/time field value out of range: \"{text}\""));
        let time = self.time(text)?;
        let mut parts = Parts { year: 0, month: 1, day: 1, time, zone: None };
        let (mut has_month, mut has_day) = (false, false);
        let has_year = self.year != 0 || self.century != 0;
        parts.year = self.whole_year();
        let mut set_all = |parts: &mut Parts, day: i64| {
            (parts.year, parts.month, parts.day) = civil(day);
            (has_month, has_day) = (true, true);
        };
        let has_julian = self.julian != 0;
        if has_julian {
            set_all(&mut parts, self.julian - EPOCH_JULIAN);
        }
        let is_iso = self.mode == Some(Mode::IsoWeek);
        if self.week != 0 && is_iso {
            let since = match self.day_of_week {
                0 => 0,
                1 => 6,
                day => day - 2,
            };
            let monday = monday_of(parts.year, self.week);
            set_all(&mut parts, monday + since);
        } else if self.week != 0 {
            self.day_of_year = (self.week - 1) * 7 + 1;
        }
        if self.week_of_month != 0 {
            self.day = (self.week_of_month - 1) * 7 + 1;
        }
        if self.day != 0 {
            (parts.day, has_day) = (self.day, true);
        }
        if self.month != 0 {
            (parts.month, has_month) = (self.month, true);
        }
        if self.day_of_year != 0 && (parts.month <= 1 || parts.day <= 1) {
            if parts.year == 0 && self.is_bc == 0 {
                let message = "cannot calculate day of year without year information";
                return Err(SqlError::new("22007", message));
            }
            self.by_day_of_year(&mut parts, is_iso);
            (has_month, has_day) = (true, true);
        }
        let is_month = !has_month || (1..=12).contains(&parts.month);
        let is_day = !has_day || (1..=31).contains(&parts.day);
        let is_whole = has_month && has_day && (has_year || has_julian || self.week != 0 && is_iso);
        if !is_month || !is_day || is_whole && parts.day > days_in_month(parts.year, parts.month) {
            return Err(out_of_range());
        }
        parts.zone = self.zone(text)?;
        Ok(parts)
    }

    /// Microseconds since midnight.
    fn time(&self, text: &str) -> Result<i64> {
        let or = |value: i64, other: i64| if value == 0 { other } else { value };
        let mut hour = or(self.hour, self.second_of_day / 3600);
        let minute = or(self.minute, self.second_of_day % 3600 / 60);
        let second = or(self.second, self.second_of_day % 60);
        if self.is_12_hour {
            if !(1..=12).contains(&hour) {
                return Err(SqlError::new("22007", format!("hour \"{hour}\" is invalid for the 12-hour clock")));
            }
            hour = hour % 12 + if self.is_pm == 0 { 0 } else { 12 };
        }
        let fraction = self.millisecond * 1000 + self.microsecond;
        let is_time = (0..24).contains(&hour)
            && (0..60).contains(&minute)
            && (0..60).contains(&second)
            && (0..SECOND).contains(&fraction);
        if !is_time {
            return Err(SqlError::new("22008", format!("date/time field value out of range: \"{text}\"")));
        }
        Ok(((hour * 60 + minute) * 60 + second) * SECOND + fraction)
    }

    /// The year, of which 0 is 1 BC; a century may say where digits of a year belong to.
    fn whole_year(&mut self) -> i64 {
        if self.year != 0 && (self.century == 0 || self.year_digits > 2) {
            let year = if self.is_bc == 0 { self.year } else { -self.year };
            return if year < 0 { year + 1 } else { year };
        }
        if self.century == 0 {
            return 0;
        }
        let century = if self.is_bc == 0 { self.century } else { -self.century };
        match (self.year, self.year % 100, century) {
            (0, _, 0..) => (century - 1) * 100 + 1,
            (0, ..) => century * 100 + 1,
            (_, 0, 0..) => century * 100,
            (_, 0, _) => century * 100 + 1,
            (_, year, 0..) => year + (century - 1) * 100,
            (_, year, _) => (century + 1) * 100 - year + 1,
        }
    }

    fn by_day_of_year(&self, parts: &mut Parts, is_iso: bool) {
        if is_iso {
            (parts.year, parts.month, parts.day) = civil(monday_of(parts.year, 1) - 1 + self.day_of_year);
            return;
        }
        let (mut month, mut before) = (1, 0);
        while month <= 12 && self.day_of_year > before + days_in_month(parts.year, month) {
            before += days_in_month(parts.year, month);
            month += 1;
        }
        if parts.month <= 1 {
            parts.month = month;
        }
        if parts.day <= 1 {
            parts.day = self.day_of_year - before;
        }
    }

    /// Seconds east of UTC.
    fn zone(&self, text: &str) -> Result<Option<i64>> {
        if self.zone_sign == 0 {
            return Ok(None);
        }
        if !(0..=15).contains(&self.zone_hour) || !(0..60).contains(&self.zone_minute) {
            return Err(SqlError::new("22009", format!("time zone displacement out of range: \"{text}\"")));
        }
        Ok(Some(self.zone_sign * (self.zone_hour * 60 + self.zone_minute) * 60))
    }
}

/// `isoweek2j`: the Monday of a week.
const fn monday_of(year: i64, week: i64) -> i64 {
    let fourth = days_of(year, 1, 4);
    (week - 1) * 7 + fourth - (fourth + 5).rem_euclid(7)
}
