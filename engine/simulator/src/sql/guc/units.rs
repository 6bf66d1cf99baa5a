//! Units of numbers: how a text with one is read, and with which one a number is shown (`parse_int`,
//! `convert_to_base_unit`, `convert_int_from_base_unit`, src/backend/utils/misc/guc.c).

use crate::sql::plan::rint;
use alloc::format;
use alloc::string::{String, ToString};

/// What a number counts (`GUC_UNIT_…`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// `GUC_UNIT_BYTE`
    Bytes,
    /// `GUC_UNIT_KB`
    Kilobytes,
    /// `GUC_UNIT_BLOCKS`
    Blocks,
    /// `GUC_UNIT_MB`
    Megabytes,
    /// `GUC_UNIT_MS`
    Milliseconds,
    /// `GUC_UNIT_S`
    Seconds,
    /// `GUC_UNIT_MIN`
    Minutes,
}

/// Units by name with what they are of the smallest, the largest first: of bytes, and of microseconds.
const OF_MEMORY: [(&str, f64); 5] =
    [("TB", 1_099_511_627_776.0), ("GB", 1_073_741_824.0), ("MB", 1_048_576.0), ("kB", 1024.0), ("B", 1.0)];
const OF_TIME: [(&str, f64); 6] = [
    ("d", 86_400_000_000.0),
    ("h", 3_600_000_000.0),
    ("min", 60_000_000.0),
    ("s", 1_000_000.0),
    ("ms", 1000.0),
    ("us", 1.0),
];

impl Unit {
    const ALL: [Self; 7] =
        [Self::Bytes, Self::Kilobytes, Self::Blocks, Self::Megabytes, Self::Milliseconds, Self::Seconds, Self::Minutes];

    /// That of that name, as `pg_settings.unit` has it.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.name() == name)
    }

    /// `get_config_unit_name`
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "B",
            Self::Kilobytes => "kB",
            Self::Blocks => "8kB",
            Self::Megabytes => "MB",
            Self::Milliseconds => "ms",
            Self::Seconds => "s",
            Self::Minutes => "min",
        }
    }

    /// How much it is of the smallest unit.
    const fn size(self) -> f64 {
        match self {
            Self::Bytes => 1.0,
            Self::Kilobytes => 1024.0,
            Self::Blocks => 8192.0,
            Self::Megabytes => 1_048_576.0,
            Self::Milliseconds => 1000.0,
            Self::Seconds => 1_000_000.0,
            Self::Minutes => 60_000_000.0,
        }
    }

    const fn all(self) -> &'static [(&'static str, f64)] {
        match self {
            Self::Bytes | Self::Kilobytes | Self::Blocks | Self::Megabytes => &OF_MEMORY,
            Self::Milliseconds | Self::Seconds | Self::Minutes => &OF_TIME,
        }
    }

    /// `convert_to_base_unit`: so many of the unit named, rounded to the next smaller one where they are not whole.
    fn count(self, number: f64, named: &str) -> Option<f64> {
        let at = self.all().iter().position(|(name, _)| *name == named)?;
        let (size, smaller) = (self.all()[at].1, self.all().get(at + 1));
        let number = match smaller {
            Some((_, smaller)) if *smaller >= self.size() => rint(number * size / smaller) * smaller / size,
            _ => number,
        };
        Some(number * size / self.size())
    }

    /// With the largest unit that it is a whole number of.
    pub fn show(self, number: i64) -> String {
        if number <= 0 {
            return number.to_string();
        }
        let base = self.size() as i64;
        let whole = |size: f64| size as i64 <= base || number % (size as i64 / base) == 0;
        let found = self.all().iter().find(|(_, size)| whole(*size));
        found.map_or_else(|| number.to_string(), |(name, size)| format!("{}{name}", number * base / *size as i64))
    }
}

impl Unit {
    /// The same of a real number (`convert_real_from_base_unit`).
    pub fn show_real(self, number: f64) -> String {
        const NEARLY: f64 = 1e-8;
        let count = |size: f64| number * self.size() / size;
        let is_whole = |size: f64| {
            let count = count(size);
            let off = rint(count) / count - 1.0;
            (-NEARLY..=NEARLY).contains(&off)
        };
        let found = self.all().iter().find(|(_, size)| number > 0.0 && is_whole(*size));
        found.map_or_else(|| general(number), |(name, size)| format!("{}{name}", general(count(*size))))
    }
}

/// `%g` of C: six digits, with an exponent where the number is large or small.
pub(super) fn general(number: f64) -> String {
    const DIGITS: i32 = 6;
    if number == 0.0 {
        return String::from("0");
    }
    let written = format!("{number:.5e}");
    let Some((digits, exponent)) = written.split_once('e') else { return written };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let short = |text: &str| {
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
        String::from(text)
    };
    if (-4..DIGITS).contains(&exponent) {
        let places = (DIGITS - 1 - exponent) as usize;
        return short(&format!("{number:.places$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", short(digits), exponent.unsigned_abs())
}

/// How many blocks a size is that names its unit, such as `2GB`: at least one.
#[must_use]
pub fn size_in_blocks(text: &str) -> Option<u64> {
    let names_unit = text.ends_with(|last: char| last.is_ascii_alphabetic());
    let blocks = read(text, Some(Unit::Blocks)).filter(|blocks| names_unit && *blocks >= 1.0)?;
    Some(blocks as u64)
}

/// How many kilobytes a size is, with its unit or without one (`parse_int`).
#[must_use]
pub fn size_in_kilobytes(text: &str) -> Option<i64> {
    read(text, Some(Unit::Kilobytes)).map(|size| rint(size) as i64)
}

/// A number of units: where none is named it is in that of the setting. `None`: it is no number, or the unit is
/// unknown.
pub(super) fn read(text: &str, unit: Option<Unit>) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '-' | '+')).unwrap_or(text.len());
    // an exponent, which no unit begins with
    let exponent = text[end..].strip_prefix(['e', 'E']).map_or(0, |rest| {
        1 + rest.find(|c: char| !c.is_ascii_digit() && !matches!(c, '-' | '+')).unwrap_or(rest.len())
    });
    let (digits, named) = text.split_at(end + exponent);
    let number: f64 = digits.parse().ok()?;
    match (named.trim(), unit) {
        ("", _) => Some(number),
        (named, Some(unit)) => unit.count(number, named),
        (_, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Unit, general, read};

    #[test]
    fn real_numbers_are_short() {
        for (number, shown) in [
            (0.1, "0.1"),
            (1.1, "1.1"),
            (1e6, "1e+06"),
            (1.797_69e308, "1.79769e+308"),
            (100_000.0, "100000"),
            (0.0025, "0.0025"),
        ] {
            assert_eq!(general(number), shown);
        }
        assert_eq!(Unit::Milliseconds.show_real(2.0), "2ms");
        assert_eq!(Unit::Milliseconds.show_real(0.5), "500us");
        assert_eq!(Unit::Milliseconds.show_real(0.0), "0");
    }

    #[test]
    fn numbers_with_units() {
        for (text, unit, number, shown) in [
            ("4096", Unit::Kilobytes, 4096.0, "4MB"),
            ("1.5GB", Unit::Kilobytes, 1_572_864.0, "1536MB"),
            ("0.1 GB", Unit::Kilobytes, 104_448.0, "102MB"),
            ("1e3", Unit::Kilobytes, 1000.0, "1000kB"),
            ("16384", Unit::Blocks, 16384.0, "128MB"),
            ("17", Unit::Blocks, 17.0, "136kB"),
            ("1.5s", Unit::Milliseconds, 1500.0, "1500ms"),
            ("90000", Unit::Milliseconds, 90_000.0, "90s"),
            ("1d", Unit::Seconds, 86_400.0, "1d"),
            ("5min", Unit::Seconds, 300.0, "5min"),
            ("0", Unit::Milliseconds, 0.0, "0"),
            ("32GB", Unit::Megabytes, 32768.0, "32GB"),
        ] {
            assert_eq!(read(text, Some(unit)), Some(number), "{text}");
            assert_eq!(unit.show(number as i64), shown, "{text}");
        }
        for text in ["", "x", "1 foo", "1mb", "5x"] {
            assert_eq!(read(text, Some(Unit::Kilobytes)), None, "{text}");
        }
        assert_eq!(read("5MB", None), None);
    }
}
