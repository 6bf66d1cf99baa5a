//! A date and time taken apart (`ParseDateTime`, `DecodeDateTime`, src/backend/utils/adt/datetime.c), as far as text
//! has one of these forms:
//!
//! ```text
//! 2024-02-29  20240229  2/29/2024  29-Feb-2024  February 29, 2024   the date; the order of numbers by `DateStyle`
//! 12:34:56.789  12:34 PM  T123456                                   the time
//! +02  -03:30  Z  UTC  EST  Europe/Berlin                           the zone
//! AD  BC  now  today  tomorrow  yesterday  epoch  infinity          words
//! ```

use super::clock::{self, Time};
use super::{is_delimiter, is_space};
use crate::datum::style::DateOrder;
use crate::datum::zone::Zone;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// What was found.
#[derive(Debug, PartialEq)]
pub struct Fields {
    /// year, month, day as written
    pub date: Option<(i64, i64, i64)>,
    /// hour, minute, second, microseconds
    pub time: Option<Time>,
    /// the zone that is named
    pub zone: Option<Zone>,
    is_time: bool,
    order: DateOrder,
    /// `now`, `epoch` and such
    pub word: Option<String>,
    pub is_bc: bool,
    /// AM (false) or PM
    pub is_pm: Option<bool>,
}

/// What is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// no date and time (`DTERR_BAD_FORMAT`)
    Format,
    /// a field is too great (`DTERR_FIELD_OVERFLOW`)
    Range,
    /// a zone is too far from UTC (`DTERR_TZDISP_OVERFLOW`)
    Zone,
    /// a zone that there is not (`DTERR_BAD_TIMEZONE`)
    NoZone,
}

/// Parts of a date that stand alone: `February`, `29`, `2024`.
#[derive(Default)]
struct Loose {
    month: Option<i64>,
    numbers: Vec<(i64, usize)>,
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const DAYS: [&str; 7] = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const WORDS: [&str; 6] = ["now", "today", "tomorrow", "yesterday", "epoch", "infinity"];

/// Takes it apart; of a time alone, digits alone are the time.
pub fn parse(text: &str, is_time: bool, order: DateOrder) -> Result<Fields, Wrong> {
    let text = text.trim_matches(is_space).to_ascii_lowercase();
    let mut fields =
        Fields { date: None, time: None, zone: None, is_time, order, word: None, is_bc: false, is_pm: None };
    let mut loose = Loose::default();
    if text == "-infinity" {
        return Ok(Fields { word: Some(text), ..fields });
    }
    // a zone's name may have an underscore: america/new_york
    for word in text.split(|c: char| is_delimiter(c) && c != '_') {
        let is_zone = word.contains('/');
        let tokens = word.split(|c: char| c == '_' && !is_zone);
        tokens.filter(|token| !token.is_empty()).try_for_each(|token| fields.take(token, &mut loose))?;
    }
    if loose.month.is_some() || !loose.numbers.is_empty() {
        match &loose.numbers[..] {
            [(_, 4 | 6)] if is_time => fields.set_time(&text)?,
            _ => fields.once(loose.date(order)?)?,
        }
    }
    Ok(fields)
}

impl Fields {
    fn take(&mut self, token: &str, loose: &mut Loose) -> Result<(), Wrong> {
        match token.as_bytes()[0] {
            b'0'..=b'9' => self.number(token, loose),
            b'+' | b'-' if self.time.is_some() => self.set_zone(token),
            b't' if token.as_bytes().get(1).is_some_and(u8::is_ascii_digit) => self.set_time(&token[1..]),
            b'a'..=b'z' => self.word(token, loose),
            _ => Err(Wrong::Format),
        }
    }

    /// A token that begins with a digit: a time, a date, both with a `t` between, or a part of a date.
    fn number(&mut self, token: &str, loose: &mut Loose) -> Result<(), Wrong> {
        if let Some((date, time)) =
            token.split_once('t').filter(|(date, _)| date.ends_with(|c: char| c.is_ascii_digit()))
        {
            self.number(date, loose)?;
            return self.set_time(time);
        }
        let digits = token.bytes().take_while(u8::is_ascii_digit).count();
        let number: i64 = token[..digits].parse().map_err(|_| Wrong::Range)?;
        match token.as_bytes().get(digits) {
            Some(b':') => self.set_time(token),
            Some(b'-' | b'/' | b'.') => self.set_date(token),
            None if digits == 8 && self.date.is_none() => {
                self.once((number / 10_000, number / 100 % 100, number % 100))
            }
            None if digits == 6 && self.date.is_some() => self.set_time(token),
            None if digits == 6 && loose.month.is_none() && !self.is_time => {
                self.once((two_digits(number / 10_000), number / 100 % 100, number % 100))
            }
            None => {
                loose.numbers.push((number, digits));
                Ok(())
            }
            _ => Err(Wrong::Format),
        }
    }

    fn once(&mut self, date: (i64, i64, i64)) -> Result<(), Wrong> {
        if self.date.replace(date).is_some() { Err(Wrong::Format) } else { Ok(()) }
    }

    /// Fields with a separator; a zone may follow after the third (`2024-01-01+02`).
    fn set_date(&mut self, token: &str) -> Result<(), Wrong> {
        let separator = token.chars().find(|c| !c.is_ascii_digit()).unwrap_or('-');
        let parts: Vec<&str> = token.splitn(3, separator).collect();
        let [first, second, third] = parts[..] else { return Err(Wrong::Format) };
        let (third, rest) = third.split_at(third.bytes().take_while(u8::is_ascii_alphanumeric).count());
        if !rest.is_empty() {
            self.set_zone(rest)?;
        }
        let number = |text: &str| text.parse::<i64>().map_err(|_| Wrong::Format);
        let year = |text: &str| Ok(if text.len() <= 2 { two_digits(number(text)?) } else { number(text)? });
        let date = if first.len() >= 3 || self.order == DateOrder::Ymd {
            (year(first)?, month(second).map_or_else(|| number(second), Ok)?, number(third)?)
        } else if let Some(month) = month(second) {
            (year(third)?, month, number(first)?)
        } else if self.order == DateOrder::Dmy {
            (year(third)?, number(second)?, number(first)?)
        } else {
            (year(third)?, number(first)?, number(second)?)
        };
        self.once(date)
    }

    fn set_time(&mut self, token: &str) -> Result<(), Wrong> {
        let end = token.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.')).unwrap_or(token.len());
        let (time, rest) = token.split_at(end);
        if self.time.replace(clock::parse(time)?).is_some() {
            return Err(Wrong::Format);
        }
        match rest {
            "" => Ok(()),
            "am" | "pm" | "z" => self.word(rest, &mut Loose::default()),
            _ => self.set_zone(rest),
        }
    }

    fn set_zone(&mut self, token: &str) -> Result<(), Wrong> {
        let east = i32::try_from(clock::zone(token)?).map_err(|_| Wrong::Zone)?;
        self.one_zone(Zone::East(east))
    }

    fn one_zone(&mut self, zone: Zone) -> Result<(), Wrong> {
        if self.zone.replace(zone).is_some() { Err(Wrong::Format) } else { Ok(()) }
    }

    /// A zone by its name or an abbreviation; nothing where the word is neither.
    fn named_zone(&mut self, token: &str) -> Option<Result<(), Wrong>> {
        let abbreviated = || Zone::abbreviated(token).map(|offset| Zone::East(offset.east));
        match abbreviated().or_else(|| Zone::named(token)) {
            Some(zone) => Some(self.one_zone(zone)),
            None => token.contains('/').then_some(Err(Wrong::NoZone)),
        }
    }

    fn word(&mut self, token: &str, loose: &mut Loose) -> Result<(), Wrong> {
        let is_day = DAYS.iter().any(|day| *day == token || &day[..3] == token);
        match token {
            "am" | "pm" => self.is_pm = Some(token == "pm"),
            "ad" => self.is_bc = false,
            "bc" => self.is_bc = true,
            "z" | "utc" | "gmt" | "zulu" | "ut" => self.zone = Some(Zone::East(0)),
            "allballs" => (self.time, self.zone) = (Some(Time::default()), Some(Zone::East(0))),
            "t" | "on" | "at" if self.date.is_some() => {}
            _ if is_day => {}
            _ if WORDS.contains(&token) && self.word.is_none() => self.word = Some(token.to_string()),
            _ => match month(token) {
                Some(month) if loose.month.is_none() => loose.month = Some(month),
                _ => return self.named_zone(token).unwrap_or(Err(Wrong::Format)),
            },
        }
        Ok(())
    }
}

impl Loose {
    /// With a month's name: the number of three digits and more is the year, of two short ones the second.
    fn date(&self, order: DateOrder) -> Result<(i64, i64, i64), Wrong> {
        let year = |(number, digits): (i64, usize)| if digits <= 2 { two_digits(number) } else { number };
        let year_first = |(_, digits): (i64, usize)| digits >= 3 || order == DateOrder::Ymd;
        match (self.month, &self.numbers[..]) {
            (Some(month), [first, second]) if year_first(*first) => Ok((year(*first), month, second.0)),
            (Some(month), [first, second]) => Ok((year(*second), month, first.0)),
            (None, [first, month, day]) if year_first(*first) => Ok((year(*first), month.0, day.0)),
            (None, [day, month, last]) if order == DateOrder::Dmy => Ok((year(*last), month.0, day.0)),
            (None, [month, day, last]) => Ok((year(*last), month.0, day.0)),
            _ => Err(Wrong::Format),
        }
    }
}

fn month(name: &str) -> Option<i64> {
    let known = |full: &&str| **full == *name || &full[..3] == name || (name == "sept" && full.starts_with(name));
    MONTHS.iter().position(known).map(|at| at as i64 + 1)
}

/// A year of two digits is of 1970 to 2069.
const fn two_digits(year: i64) -> i64 {
    if year < 70 {
        year + 2000
    } else if year < 100 {
        year + 1900
    } else {
        year
    }
}
