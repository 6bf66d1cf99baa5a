//! Column types and literals of them, with lengths near the limits that matter: of short varlena headers, of TOAST, of
//! a page.

use super::random::Random;

/// Type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `int`
    Int,
    /// `smallint`
    SmallInt,
    /// `bigint`
    BigInt,
    /// `text`
    Text,
    /// `varchar(200)`
    Varchar,
    /// `char(40)`
    Char,
    /// `boolean`
    Bool,
    /// `numeric`
    Numeric,
    /// `double precision`
    Double,
    /// `timestamp`
    Timestamp,
    /// `uuid`
    Uuid,
    /// `bytea`
    Bytea,
    /// `date`
    Date,
    /// `interval`
    Interval,
    /// `real`
    Real,
    /// `"char"`
    QuotedChar,
    /// `jsonb`
    Jsonb,
    /// `int[]`
    Ints,
    /// `inet`
    Inet,
}

/// Those of the higher levels.
pub const ALL: [Kind; 19] = [
    Kind::Int,
    Kind::SmallInt,
    Kind::BigInt,
    Kind::Text,
    Kind::Varchar,
    Kind::Char,
    Kind::Bool,
    Kind::Numeric,
    Kind::Double,
    Kind::Timestamp,
    Kind::Uuid,
    Kind::Bytea,
    Kind::Date,
    Kind::Interval,
    Kind::Real,
    Kind::QuotedChar,
    Kind::Jsonb,
    Kind::Ints,
    Kind::Inet,
];

impl Kind {
    /// Its name in SQL.
    #[must_use]
    pub const fn sql(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::SmallInt => "smallint",
            Self::BigInt => "bigint",
            Self::Text => "text",
            Self::Varchar => "varchar(200)",
            Self::Char => "char(40)",
            Self::Bool => "boolean",
            Self::Numeric => "numeric",
            Self::Double => "double precision",
            Self::Timestamp => "timestamp",
            Self::Uuid => "uuid",
            Self::Bytea => "bytea",
            Self::Date => "date",
            Self::Interval => "interval",
            Self::Real => "real",
            Self::QuotedChar => "\"char\"",
            Self::Jsonb => "jsonb",
            Self::Ints => "int[]",
            Self::Inet => "inet",
        }
    }

    /// Does it have `min` and `max`?
    #[must_use]
    pub const fn has_least(self) -> bool {
        !matches!(
            self,
            Self::Bool
                | Self::Uuid
                | Self::Bytea
                | Self::Interval
                | Self::QuotedChar
                | Self::Jsonb
                | Self::Ints
                | Self::Inet
        )
    }

    /// May it be the key of an index?
    #[must_use]
    pub const fn is_key(self) -> bool {
        !matches!(self, Self::Interval | Self::QuotedChar | Self::Jsonb | Self::Ints | Self::Inet)
    }

    /// A value without quotes, as COPY takes it.
    pub fn plain(self, random: &mut Random, longest: u64) -> String {
        match self {
            Self::Int => (random.between(0, 200_000) as i64 - 100_000).to_string(),
            Self::SmallInt => (random.between(0, 60_000) as i64 - 30_000).to_string(),
            Self::BigInt => (random.between(0, 1 << 40) as i64 - (1 << 39)).to_string(),
            Self::Text => text(random, longest),
            Self::Varchar => text(random, longest.min(200)),
            Self::Char => text(random, 40),
            Self::Bool => if random.percent(50) { "t" } else { "f" }.to_owned(),
            Self::Numeric => numeric(random),
            Self::Double => format!("{}.5", random.below(100_000)),
            Self::Timestamp => format!("{} {}", date(random), time(random)),
            Self::Date => date(random),
            Self::Interval => format!("{} days {}", random.below(40), time(random)),
            Self::Real => format!("{}.25", random.below(1000)),
            Self::QuotedChar => char::from(*random.pick(LETTERS)).to_string(),
            Self::Jsonb => format!("{{\"k\": {}, \"l\": [\"{}\"]}}", random.below(100), text(random, longest.min(300))),
            Self::Ints => {
                let numbers: Vec<String> = (0..random.below(12)).map(|_| random.below(1000).to_string()).collect();
                format!("{{{}}}", numbers.join(","))
            }
            Self::Inet => format!("10.{}.{}.0/24", random.below(256), random.below(256)),
            Self::Uuid => {
                let digits = hex(random, 32);
                let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| digits[part].to_owned());
                parts.join("-")
            }
            Self::Bytea => {
                let length = 2 * random.below(longest.min(300));
                format!("\\x{}", hex(random, length))
            }
        }
    }

    /// A value as a literal.
    #[must_use]
    pub fn quoted(self, plain: String) -> String {
        match self {
            Self::Int | Self::SmallInt | Self::BigInt | Self::Numeric | Self::Double | Self::Real => plain,
            _ => format!("'{plain}'"),
        }
    }
}

fn date(random: &mut Random) -> String {
    format!("20{:02}-{:02}-{:02}", random.below(40), random.between(1, 12), random.between(1, 28))
}

fn time(random: &mut Random) -> String {
    format!("{:02}:{:02}:{:02}", random.below(24), random.below(60), random.below(60))
}

fn numeric(random: &mut Random) -> String {
    let sign = if random.percent(30) { "-" } else { "" };
    let digits = random.between(0, 12) as u32;
    let whole = random.below(10_u64.pow(digits));
    match random.below(6) {
        0 => "0".to_owned(),
        1 => format!("{sign}{whole}.{:04}", random.below(10_000)),
        2 => format!("{sign}0.000{}", random.between(1, 99)),
        3 => format!("{sign}{whole}0000"),
        _ => format!("{sign}{whole}"),
    }
}

/// A text of up to so many characters, that pglz can compress well, badly or not at all.
fn text(random: &mut Random, longest: u64) -> String {
    let length = length(random).min(longest);
    let seed = random.below(1 << 32);
    let mut letters = Random::new(seed);
    let alphabet: u64 = *random.pick(&[1, 3, 26, 62]);
    (0..length).map(|_| char::from(LETTERS[letters.below(alphabet) as usize])).collect()
}

const LETTERS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// A length: mostly short, now and then at a limit.
fn length(random: &mut Random) -> u64 {
    match random.below(24) {
        0 => 0,
        // a header of one byte or of four
        1 => random.between(124, 130),
        // TOAST_TUPLE_THRESHOLD, and a chunk of TOAST
        2 => random.between(1980, 2060),
        3 => random.between(4000, 8200),
        4 => random.between(400, 1200),
        // rows of which two to six fill a page, or just do not
        5 => 8168 / random.between(2, 6) - random.between(28, 60),
        // the longest row
        6 => random.between(8100, 8140),
        // the longest key of an index
        7 => random.between(2660, 2712),
        8..=11 => random.between(60, 260),
        _ => random.between(1, 40),
    }
}

fn hex(random: &mut Random, digits: u64) -> String {
    (0..digits).filter_map(|_| char::from_digit(random.below(16) as u32, 16)).collect()
}
