//! Units of times: how EXTRACT, `date_part` and `date_trunc` are told one (`DecodeUnits`, `DecodeSpecial`,
//! src/backend/utils/adt/datetime.c), and their errors.

use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::String;
use ffviz_format::datum::error::SqlError;
use ffviz_format::page::PgVersion;

/// A unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unit {
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
    Decade,
    Century,
    Millennium,
    Zone,
    ZoneHour,
    ZoneMinute,
    // those that only EXTRACT knows
    Epoch,
    Julian,
    IsoYear,
    DayOfWeek,
    IsoDayOfWeek,
    DayOfYear,
    /// `now` and its like, which are words of dates
    Other,
}

/// `deltatktbl` and the units of `datetktbl`, of which ten letters count.
const WORDS: &[(Unit, &[&str])] = &[
    (Unit::Microsecond, &["microsecon", "us", "usec", "usecond", "useconds", "usecs"]),
    (Unit::Millisecond, &["millisecon", "ms", "msec", "mseconds", "msecs"]),
    (Unit::Second, &["s", "sec", "second", "seconds", "secs"]),
    (Unit::Minute, &["m", "min", "mins", "minute", "minutes"]),
    (Unit::Hour, &["h", "hour", "hours", "hr", "hrs"]),
    (Unit::Day, &["d", "day", "days"]),
    (Unit::Week, &["w", "week", "weeks"]),
    (Unit::Month, &["mon", "mons", "month", "months"]),
    (Unit::Quarter, &["qtr", "quarter"]),
    (Unit::Year, &["y", "year", "years", "yr", "yrs"]),
    (Unit::Decade, &["dec", "decade", "decades", "decs"]),
    (Unit::Century, &["c", "cent", "centuries", "century"]),
    (Unit::Millennium, &["mil", "millennia", "millennium", "mils"]),
    (Unit::Zone, &["timezone"]),
    (Unit::ZoneHour, &["timezone_h"]),
    (Unit::ZoneMinute, &["timezone_m"]),
    (Unit::Epoch, &["epoch"]),
    (Unit::Julian, &["j", "jd", "julian"]),
    (Unit::IsoYear, &["isoyear"]),
    (Unit::DayOfWeek, &["dow"]),
    (Unit::IsoDayOfWeek, &["isodow"]),
    (Unit::DayOfYear, &["doy"]),
    (Unit::Other, &["allballs", "infinity", "-infinity", "now", "today", "tomorrow", "yesterday"]),
];

/// The unit of that name, in small letters.
pub(super) fn unit(name: &str) -> Option<Unit> {
    let known: String = name.chars().take(10).collect();
    WORDS.iter().find(|(_, words)| words.contains(&known.as_str())).map(|(unit, _)| *unit)
}

/// Whose unit it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Timestamp,
    TimestampTz,
    Date,
    Time,
    Interval,
}

impl Of {
    /// As messages call it.
    const fn name(self, whole: bool) -> &'static str {
        match (self, whole) {
            (Self::Timestamp, true) => "timestamp without time zone",
            (Self::Timestamp, false) => "timestamp",
            (Self::TimestampTz, _) => "timestamp with time zone",
            (Self::Date, _) => "date",
            (Self::Time, true) => "time without time zone",
            (Self::Time, false) => "\"time\"",
            (Self::Interval, _) => "interval",
        }
    }

    /// There is no such unit.
    pub(super) fn not_recognized(self, unit: &str, version: PgVersion) -> SqlError {
        SqlError::new("22023", self.told(unit, "recognized", version))
    }

    /// It has no such unit.
    pub(super) fn not_supported(self, unit: &str, version: PgVersion) -> SqlError {
        if self == Self::Time && !version.names_types_of_units() {
            return self.not_recognized(unit, version);
        }
        SqlError::new("0A000", self.told(unit, "supported", version))
    }

    fn told(self, unit: &str, what: &str, version: PgVersion) -> String {
        let whole = version.names_types_of_units();
        let name = self.name(whole);
        if whole {
            format!("unit \"{unit}\" not {what} for type {name}")
        } else {
            format!("{name} units \"{unit}\" not {what}")
        }
    }
}
