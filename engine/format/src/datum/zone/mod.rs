//! Time zones: how far from UTC a zone is at a moment (`pg_tz`, src/timezone/localtime.c; `DetermineTimeZoneOffset`,
//! src/backend/utils/adt/datetime.c).
//!
//! ```text
//!  Europe/Berlin 1997 CET-1CEST,M3.5.0,M10.5.0/3
//!                │    └─ the zone's rule, as POSIX writes it: an hour east, two from the last Sunday of March on
//!                └─ the first year that the rule holds for from its beginning; of earlier ones nothing is known here
//! ```
//!
//! `zones.txt` has the zones of the time zone database (release 2026a) whose rule holds until further notice,
//! `abbreviations.txt` the abbreviations of PostgreSQL's list `Default` that stand for the same offset always.

mod posix;

use super::datetime::{USECS_PER_DAY, USECS_PER_SEC, civil};
use super::error::SqlError;
use alloc::format;
use alloc::string::{String, ToString};
use posix::Rule;

const ZONES: &str = include_str!("zones.txt");
const ABBREVIATIONS: &str = include_str!("abbreviations.txt");

/// Zones that PostgreSQL has and whose times follow no rule: they are told year by year.
const WITHOUT_RULE: [&str; 4] = ["Africa/Casablanca", "Africa/El_Aaiun", "Asia/Gaza", "Asia/Hebron"];

/// A time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// one of `zones.txt`
    Named(&'static str),
    /// always so many seconds east of UTC
    East(i32),
}

/// What a clock of a zone is set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offset {
    /// seconds east of UTC
    pub east: i32,
    /// is it summer time?
    pub is_dst: bool,
    /// its name in the zone's rule; empty where it has none
    pub abbreviation: &'static str,
}

impl Zone {
    /// Coordinated Universal Time.
    pub const UTC: Self = Self::Named("UTC 0 UTC0");

    /// The zone of that name in any case (`pg_tzset`), or of a distance as [`Self::name`] writes it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let has_name = |line: &&str| line.split(' ').next().is_some_and(|known| known.eq_ignore_ascii_case(name));
        ZONES.lines().find(has_name).map(Self::Named).or_else(|| {
            let east = -posix::clock(&mut name.split_once('>')?.1)?;
            Some(Self::East(i32::try_from(east).ok()?)).filter(|zone| zone.name() == name)
        })
    }

    /// Why there is no zone of that name: PostgreSQL has one that is not known here (a rule such as `UTC-3`, or one
    /// of the zones that follow none), or it has none either, which `otherwise` says.
    #[must_use]
    pub fn missing(name: &str, otherwise: SqlError) -> SqlError {
        let is_rule = name.bytes().any(|byte| byte.is_ascii_digit());
        match is_rule || WITHOUT_RULE.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            true => SqlError::not_simulated(format!("time zone {name} is not supported")),
            false => otherwise,
        }
    }

    /// What an abbreviation stands for (`DecodeTimezoneAbbrev`).
    #[must_use]
    pub fn abbreviated(name: &str) -> Option<Offset> {
        ABBREVIATIONS.lines().find_map(|line| {
            let mut words = line.split(' ');
            let abbreviation = words.next().filter(|known| known.eq_ignore_ascii_case(name))?;
            let east = words.next()?.parse().ok()?;
            Some(Offset { east, is_dst: words.next().is_some(), abbreviation })
        })
    }

    /// Is it always at UTC?
    #[must_use]
    pub fn is_utc(self) -> bool {
        match self {
            Self::East(east) => east == 0,
            Self::Named(line) => parts(line).is_some_and(|(first_year, rule)| first_year == 0 && rule.is_utc()),
        }
    }

    /// As SHOW prints it.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Named(line) => line.split(' ').next().unwrap_or_default().to_string(),
            Self::East(east) => {
                let [this, other] = if east < 0 { ['-', '+'] } else { ['+', '-'] };
                let shown = hours(east.unsigned_abs());
                format!("<{this}{shown}>{other}{shown}")
            }
        }
    }

    /// What the zone's time is called then; where it has no name the distance itself.
    #[must_use]
    pub fn abbreviation(self, offset: Offset) -> String {
        match offset.abbreviation {
            "" => format!("{}{}", if offset.east < 0 { '-' } else { '+' }, hours(offset.east.unsigned_abs())),
            name => name.to_string(),
        }
    }

    /// What its clocks are set to at a moment: microseconds since 2000-01-01 UTC.
    ///
    /// # Errors
    /// The moment lies before the zone's rule.
    pub fn at(self, micros: i64) -> Result<Offset, SqlError> {
        let unknown = |since: &str| {
            let message = format!("time zone {}{since} is not supported", self.name());
            Err(SqlError::not_simulated(message))
        };
        let line = match self {
            Self::East(east) => return Ok(Offset { east, is_dst: false, abbreviation: "" }),
            Self::Named(line) => line,
        };
        let (year, _, _) = civil(micros.div_euclid(USECS_PER_DAY));
        match parts(line) {
            // 0: there was never another rule, before Christ neither
            Some((first_year, rule)) if first_year == 0 || year >= first_year => {
                Ok(rule.at(micros.div_euclid(USECS_PER_SEC)))
            }
            Some((first_year, _)) => unknown(&format!(" before {first_year}")),
            None => unknown(""),
        }
    }

    /// Microseconds since 2000-01-01 UTC of a moment that the zone's clocks call so; of a time that they skip or show
    /// twice the one by standard time.
    ///
    /// # Errors
    /// The moment lies before the zone's rule.
    pub fn utc_of(self, local: i64) -> Result<i64, SqlError> {
        let less = |offset: Offset| local.saturating_sub(i64::from(offset.east) * USECS_PER_SEC);
        // no clock is set back or on twice within two days
        let (before, after) =
            (self.at(local.saturating_sub(USECS_PER_DAY))?, self.at(local.saturating_add(USECS_PER_DAY))?);
        let (by_before, by_after) = (less(before), less(after));
        let (is_before, is_after) = (self.at(by_before)? == before, self.at(by_after)? == after);
        Ok(match (is_before, is_after) {
            (true, false) => by_before,
            (false, true) => by_after,
            // skipped: the earlier offset; shown twice: the later one
            _ => by_before.max(by_after),
        })
    }

    /// What its clocks show at a moment.
    ///
    /// # Errors
    /// The moment lies before the zone's rule.
    pub fn local_of(self, utc: i64) -> Result<i64, SqlError> {
        Ok(utc.saturating_add(i64::from(self.at(utc)?.east) * USECS_PER_SEC))
    }
}

/// `08`, `05:30`, `00:00:30`
#[must_use]
pub fn hours(seconds: u32) -> String {
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (m, s) {
        (0, 0) => format!("{h:02}"),
        (_, 0) => format!("{h:02}:{m:02}"),
        _ => format!("{h:02}:{m:02}:{s:02}"),
    }
}

/// The first year and the rule of a line of `zones.txt`.
fn parts(line: &'static str) -> Option<(i64, Rule)> {
    let mut words = line.split(' ').skip(1);
    Some((words.next()?.parse().ok()?, Rule::read(words.next()?)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datum::datetime::days_of;

    fn at(year: i64, month: i64, day: i64, hour: i64) -> i64 {
        days_of(year, month, day) * USECS_PER_DAY + hour * 3600 * USECS_PER_SEC
    }

    #[test]
    fn every_zone_has_a_rule() {
        for line in ZONES.lines() {
            let (year, _) = parts(line).expect(line);
            assert!(year < 2030 && line.split(' ').count() == 3, "{line}");
        }
    }

    #[test]
    fn clocks_are_set_on_and_back() {
        let berlin = Zone::named("europe/berlin").expect("a zone");
        let east = |micros| berlin.at(micros).expect("known").east;
        assert_eq!(east(at(2025, 1, 15, 0)), 3600);
        assert_eq!(east(at(2025, 3, 30, 1) - 1), 3600);
        assert_eq!(east(at(2025, 3, 30, 1)), 7200);
        assert_eq!(east(at(2025, 10, 26, 1)), 3600);
        let sydney = Zone::named("Australia/Sydney").expect("a zone");
        assert_eq!(sydney.at(at(2025, 1, 1, 0)).expect("known").abbreviation, "AEDT");
        assert_eq!(sydney.at(at(2025, 7, 1, 0)).expect("known").abbreviation, "AEST");
        // skipped, and shown twice
        let half = USECS_PER_SEC * 1800;
        assert_eq!(berlin.utc_of(at(2025, 3, 30, 2) + half), Ok(at(2025, 3, 30, 1) + half));
        assert_eq!(berlin.utc_of(at(2025, 10, 26, 2) + half), Ok(at(2025, 10, 26, 1) + half));
        assert!(berlin.at(at(1990, 1, 1, 0)).is_err());
        assert!(Zone::UTC.at(at(-4712, 1, 1, 0)).is_ok());
    }
}
