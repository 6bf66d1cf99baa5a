//! A setting: who may set it, how a value of it is read, and how SHOW gives it (`parse_and_validate_value`,
//! `ShowGUCOption`, src/backend/utils/misc/guc.c).

pub(super) mod effect;
pub(super) mod function;
mod role;
pub(super) mod settings;
pub(super) mod show;
mod style;
mod table;
mod units;
mod words;

use crate::sql::plan::rint;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::PgVersion;
pub use settings::{check_server_setting, server_setting};
use units::Unit;
pub use units::{size_in_blocks, size_in_kilobytes};

/// A setting that there is here.
#[derive(Debug)]
pub(super) struct Guc {
    /// as SHOW names it
    pub name: &'static str,
    pub context: Context,
    /// the same as `pg_settings` has it
    pub context_name: &'static str,
    /// may only a superuser set it?
    pub of_superuser: bool,
    kind: Kind,
    /// its type, unit and bounds or values, as the table has them
    kind_text: &'static str,
    /// what it is where nobody has set it
    boot: &'static str,
}

/// Who may set it, and when it is taken (`GucContext`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// never: initdb has decided
    Internal,
    /// when the server starts
    Postmaster,
    /// when the server reads its configuration again
    Sighup,
    /// when a session begins
    Backend,
    /// a session
    User,
}

#[derive(Debug)]
enum Kind {
    Bool,
    Integer {
        unit: Option<Unit>,
        min: i64,
        max: i64,
    },
    Real {
        unit: Option<Unit>,
        min: f64,
        max: f64,
    },
    Text,
    /// `TimeZone`
    Zone,
    /// `DateStyle`
    DateStyle,
    /// `client_encoding`
    Encoding,
    /// its values, with commas between
    Enum(&'static str),
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Setting {
    Bool(bool),
    Integer(i64),
    Real(f64),
    /// of an enumeration as it is shown
    Text(String),
}

impl Setting {
    /// Of a switch, or of an enumeration that has one among its values.
    pub fn is_on(&self) -> bool {
        match self {
            Self::Bool(on) => *on,
            Self::Text(text) => text != "off",
            Self::Integer(_) | Self::Real(_) => false,
        }
    }

    /// A whole number; one below 0 as C casts it.
    pub const fn number(&self) -> Option<u32> {
        if let Self::Integer(number) = self { Some(*number as u32) } else { None }
    }

    /// A real number.
    pub const fn rate(&self) -> f64 {
        if let Self::Real(number) = self { *number } else { 0.0 }
    }
}

/// The names that there are in that version.
pub fn setting_names(major: u32) -> impl Iterator<Item = &'static str> {
    table::rows(major).map(|guc| guc.name)
}

/// `find_option`: capital letters do not matter.
pub(super) fn find(name: &str, major: u32) -> Option<Guc> {
    table::named(name, major)
}

/// There is none of that name.
pub(super) fn unknown(name: &str) -> SqlError {
    SqlError::new("42704", format!("unrecognized configuration parameter \"{name}\""))
}

fn error(message: String) -> SqlError {
    SqlError::new("22023", message)
}

impl Guc {
    /// What it is where nobody has set it, as SHOW gives it.
    pub fn boot(&self, major: u32) -> String {
        self.read(self.boot, major).map_or_else(|_| String::new(), |value| self.show(&value))
    }

    /// Reads a value that stands alone.
    ///
    /// # Errors
    /// As [`Self::read_over`].
    pub fn read(&self, text: &str, major: u32) -> Result<Setting, SqlError> {
        self.read_over("", text, major)
    }

    /// Reads a value where the setting is `now` otherwise, of which it may keep a part.
    ///
    /// # Errors
    /// As PostgreSQL says it; a time zone that is not simulated.
    pub fn read_over(&self, now: &str, text: &str, major: u32) -> Result<Setting, SqlError> {
        let name = self.name;
        let invalid = || error(format!("invalid value for parameter \"{name}\": \"{text}\""));
        match self.kind {
            Kind::Bool => self.switch(text).map(Setting::Bool),
            Kind::Enum(values) => {
                words::of_enum(name, values, text).map(|shown| Setting::Text(shown.to_string())).ok_or_else(invalid)
            }
            Kind::Text => Ok(Setting::Text(text.to_string())),
            Kind::DateStyle => style::date_style(now, text).map(Setting::Text).map_err(|word| {
                let detail = format!("Unrecognized key word: \"{word}\".");
                invalid().with_detail(detail)
            }),
            Kind::Encoding => words::encoding(text).map(Setting::Text).ok_or_else(invalid),
            Kind::Zone => style::time_zone(text).map(|zone| Setting::Text(zone.name())),
            Kind::Real { unit, min, max } => {
                let number = units::read(text, unit).ok_or_else(invalid)?;
                if (min..=max).contains(&number) {
                    return Ok(Setting::Real(number));
                }
                let of_bounds = if PgVersion::of_major(major).tells_units_of_bounds() { unit } else { None };
                let (number, min, max) = (units::general(number), units::general(min), units::general(max));
                Err(self.outside(&number, &min, &max, unit, of_bounds))
            }
            Kind::Integer { unit, min, max } => {
                let number =
                    units::read(text, unit).filter(|number| (-2_147_483_648.0..=2_147_483_647.0).contains(number));
                let number = number
                    .map(|number| if number < 0.0 { -rint(-number) } else { rint(number) })
                    .ok_or_else(invalid)?;
                if (min as f64..=max as f64).contains(&number) {
                    return Ok(Setting::Integer(number as i64));
                }
                let of_bounds = if PgVersion::of_major(major).tells_units_of_bounds() { unit } else { None };
                let number = (number as i64).to_string();
                Err(self.outside(&number, &min.to_string(), &max.to_string(), unit, of_bounds))
            }
        }
    }

    /// `parse_bool`: words may be cut short as long as they say which.
    fn switch(&self, text: &str) -> Result<bool, SqlError> {
        let word = text.to_ascii_lowercase();
        let begins = |whole: &str, least: usize| word.len() >= least && whole.starts_with(&word);
        match word.as_str() {
            "1" => Ok(true),
            "0" => Ok(false),
            _ if begins("true", 1) || begins("yes", 1) || word == "on" => Ok(true),
            _ if begins("false", 1) || begins("no", 1) || begins("off", 2) => Ok(false),
            _ => Err(error(format!("parameter \"{}\" requires a Boolean value", self.name))),
        }
    }

    fn outside(&self, number: &str, min: &str, max: &str, unit: Option<Unit>, of_bounds: Option<Unit>) -> SqlError {
        let with = |number: &str, unit: Option<Unit>| {
            unit.map_or_else(|| number.to_string(), |unit| format!("{number} {}", unit.name()))
        };
        let (number, min, max) = (with(number, unit), with(min, of_bounds), with(max, of_bounds));
        error(format!("{number} is outside the valid range for parameter \"{}\" ({min} .. {max})", self.name))
    }

    /// As SHOW gives it.
    pub fn show(&self, value: &Setting) -> String {
        match (value, &self.kind) {
            (Setting::Bool(on), _) => if *on { "on" } else { "off" }.to_string(),
            (Setting::Integer(number), Kind::Integer { unit: Some(unit), .. }) => unit.show(*number),
            (Setting::Integer(number), _) => number.to_string(),
            (Setting::Real(number), Kind::Real { unit: Some(unit), .. }) => unit.show_real(*number),
            (Setting::Real(number), _) => units::general(*number),
            (Setting::Text(text), _) => text.clone(),
        }
    }

    /// `pg_settings.unit`
    pub fn unit(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Integer { unit, .. } | Kind::Real { unit, .. } => unit.map(Unit::name),
            _ => None,
        }
    }

    /// `pg_settings.vartype`
    pub const fn vartype(&self) -> &'static str {
        match self.kind {
            Kind::Bool => "bool",
            Kind::Integer { .. } => "integer",
            Kind::Real { .. } => "real",
            Kind::Enum(_) => "enum",
            Kind::Text | Kind::Zone | Kind::DateStyle | Kind::Encoding => "string",
        }
    }

    /// `pg_settings.min_val` and `max_val`
    pub fn bounds(&self) -> Option<(&'static str, &'static str)> {
        let mut words = self.kind_text.split(' ').skip(2);
        matches!(self.kind, Kind::Integer { .. } | Kind::Real { .. }).then(|| Some((words.next()?, words.next()?)))?
    }

    /// `pg_settings.enumvals`
    pub fn values(&self) -> Option<Vec<&'static str>> {
        if let Kind::Enum(values) = self.kind { Some(values.split(',').collect()) } else { None }
    }

    /// `pg_settings.category`, `short_desc` and `extra_desc`
    pub fn told(&self, major: u32) -> Option<[&'static str; 3]> {
        table::told(self.name, major)
    }

    /// `pg_settings.setting` of what SHOW gives: a number of its unit.
    pub fn raw(&self, shown: &str, major: u32) -> String {
        match self.read(shown, major) {
            Ok(Setting::Integer(number)) => number.to_string(),
            Ok(Setting::Real(number)) => units::general(number),
            _ => shown.to_string(),
        }
    }

    /// What a server says of a change that cannot be now.
    pub fn cannot_be_changed(&self) -> SqlError {
        let how = match self.context {
            Context::Internal | Context::User => "changed",
            Context::Postmaster => "changed without restarting the server",
            Context::Sighup => "changed now",
            Context::Backend => "set after connection start",
        };
        SqlError::new("55P02", format!("parameter \"{}\" cannot be {how}", self.name))
    }
}
