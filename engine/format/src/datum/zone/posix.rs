//! The rule of a zone as POSIX writes it (`tzparse`, src/timezone/localtime.c).
//!
//! ```text
//!  CET-1CEST,M3.5.0,M10.5.0/3
//!  │   │     │  │ │ └─ back on the last Sunday of October at 3:00
//!  │   │     │  │ └─ on a Sunday, at 2:00 where nothing else is said
//!  │   │     │  └─ the last week
//!  │   │     └─ March
//!  │   └─ summer time, an hour east of the other where nothing else is said
//!  └─ standard time, an hour east of UTC
//! ```

use super::Offset;
use crate::datum::datetime::{civil, days_in_month, days_of};

const DAY: i64 = 86_400;
const HOUR: i64 = 3600;

/// A zone's rule.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    standard: Offset,
    /// summer time, its begin and its end
    summer: Option<(Offset, Change, Change)>,
}

/// When clocks are changed in a year.
#[derive(Debug, Clone, Copy)]
struct Change {
    month: i64,
    /// 5: the last of the month
    week: i64,
    /// Sunday is 0
    weekday: i64,
    /// seconds since midnight, by the clock as it was before
    time: i64,
}

impl Rule {
    /// Reads a rule; `None` where it is none, or has days of another form than `M3.5.0`.
    pub fn read(text: &'static str) -> Option<Self> {
        let mut rest = text;
        let standard = Offset { east: 0, is_dst: false, abbreviation: abbreviation(&mut rest)? };
        let standard = Offset { east: -i32::try_from(clock(&mut rest)?).ok()?, ..standard };
        if rest.is_empty() {
            return Some(Self { standard, summer: None });
        }
        let summer = Offset { east: standard.east, is_dst: true, abbreviation: abbreviation(&mut rest)? };
        let east = match rest.starts_with(',') {
            true => summer.east + HOUR as i32,
            false => -i32::try_from(clock(&mut rest)?).ok()?,
        };
        let (begin, end) = rest.strip_prefix(',')?.split_once(',')?;
        Some(Self { standard, summer: Some((Offset { east, ..summer }, Change::read(begin)?, Change::read(end)?)) })
    }

    /// Is it at UTC all the year?
    pub const fn is_utc(self) -> bool {
        self.standard.east == 0 && self.summer.is_none()
    }

    /// What clocks are set to at a moment: seconds since 2000-01-01 UTC.
    pub fn at(self, seconds: i64) -> Offset {
        let Some((summer, begin, end)) = self.summer else { return self.standard };
        let (year, _, _) = civil(seconds.saturating_add(i64::from(self.standard.east)).div_euclid(DAY));
        let begin = begin.seconds(year) - i64::from(self.standard.east);
        let end = end.seconds(year) - i64::from(summer.east);
        // south of the equator a year begins in summer
        let is_summer = if begin < end { (begin..end).contains(&seconds) } else { !(end..begin).contains(&seconds) };
        if is_summer { summer } else { self.standard }
    }
}

impl Change {
    /// `M3.5.0/2`
    fn read(text: &str) -> Option<Self> {
        let (day, mut time) = text.split_once('/').unwrap_or((text, "2"));
        let mut numbers = day.strip_prefix('M')?.split('.').map(str::parse);
        let (month, week, weekday) = (numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?);
        let time = clock(&mut time).filter(|_| time.is_empty())?;
        Some(Self { month, week, weekday, time })
    }

    /// Seconds since 2000-01-01, by the clock as it was before.
    fn seconds(self, year: i64) -> i64 {
        // 2000-01-01 was a Saturday
        let first = days_of(year, self.month, 1);
        let ahead = (self.weekday - (first + 6)).rem_euclid(7);
        let mut day = ahead + 7 * (self.week - 1);
        if day >= days_in_month(year, self.month) {
            day -= 7;
        }
        (first + day) * DAY + self.time
    }
}

/// `CET`, or anything in `<` and `>`.
fn abbreviation(rest: &mut &'static str) -> Option<&'static str> {
    let (name, after) = match rest.strip_prefix('<') {
        Some(inner) => inner.split_once('>')?,
        None => rest.split_at(rest.bytes().take_while(u8::is_ascii_alphabetic).count()),
    };
    *rest = after;
    (!name.is_empty()).then_some(name)
}

/// `-5:30` at the beginning, as seconds.
pub(super) fn clock(rest: &mut &str) -> Option<i64> {
    let end = rest.bytes().take_while(|byte| byte.is_ascii_digit() || b"+-:".contains(byte)).count();
    let (text, after) = rest.split_at(end);
    *rest = after;
    let digits = text.trim_start_matches(['+', '-']);
    let mut seconds = 0;
    for (part, unit) in digits.split(':').zip([HOUR, 60, 1]) {
        seconds += part.parse::<i64>().ok()? * unit;
    }
    Some(if text.starts_with('-') { -seconds } else { seconds })
}
