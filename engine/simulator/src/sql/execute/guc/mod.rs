//! A setting: who may set it, how a value of it is read, and how SHOW gives it (`parse_and_validate_value`,
//! `ShowGUCOption`, src/backend/utils/misc/guc.c).

mod table;
mod units;

use crate::sql::elsewhere;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::plan::rint;
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::datum::SqlError;
use units::Unit;
pub use units::size_in_blocks;

/// A setting that there is here.
#[derive(Debug)]
pub(super) struct Guc {
    /// as SHOW names it
    pub name: &'static str,
    pub context: Context,
    kind: Kind,
    /// what it is where nobody has set it
    boot: &'static str,
    /// first major version that has it
    since: u32,
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
    Real(f64, f64),
    Text,
    /// `TimeZone`
    Zone,
    /// names, and what each is shown as
    Enum(&'static [(&'static str, &'static str)]),
    /// the same from 15 on, before it a switch
    Methods(&'static [(&'static str, &'static str)]),
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
pub fn names(major: u32) -> impl Iterator<Item = &'static str> {
    table::GUCS.iter().filter(move |guc| guc.since <= major).map(|guc| guc.name)
}

/// `find_option`: capital letters do not matter.
pub(super) fn find(name: &str, major: u32) -> Option<&'static Guc> {
    table::GUCS.iter().find(|guc| guc.since <= major && guc.name.eq_ignore_ascii_case(name))
}

/// Is it known that there is none of that name: one of later versions, one with a point that nobody has set, or none of
/// PostgreSQL's?
pub(super) fn is_missing(name: &str) -> bool {
    let of_later = || table::GUCS.iter().any(|guc| guc.name.eq_ignore_ascii_case(name));
    !elsewhere::is_setting(name) || of_later()
}

/// There is none of that name, or none here.
pub(super) fn unknown(name: &str) -> SqlError {
    if !is_missing(name) {
        return SqlError::new(
            NOT_SIMULATED,
            format!(
                "setting \"{name}\" is not supported; the simulator knows those of pages, WAL, vacuum, planner and transactions"
            ),
        );
    }
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

    /// Reads a value.
    ///
    /// # Errors
    /// As PostgreSQL says it; a time zone that is not simulated.
    pub fn read(&self, text: &str, major: u32) -> Result<Setting, SqlError> {
        let name = self.name;
        let invalid = || error(format!("invalid value for parameter \"{name}\": \"{text}\""));
        match self.kind {
            Kind::Bool => self.switch(text).map(Setting::Bool),
            Kind::Methods(_) if major < 15 => self.switch(text).map(Setting::Bool),
            Kind::Enum(values) | Kind::Methods(values) => {
                let found = values.iter().find(|(value, _)| value.eq_ignore_ascii_case(text));
                found.map(|(_, shown)| Setting::Text((*shown).to_string())).ok_or_else(invalid)
            }
            Kind::Text => Ok(Setting::Text(text.to_string())),
            Kind::Zone => match text.to_ascii_uppercase().as_str() {
                zone @ ("UTC" | "GMT") => Ok(Setting::Text(zone.to_string())),
                _ => Err(SqlError::new(
                    NOT_SIMULATED,
                    format!("time zone {text} is not supported; the simulator knows UTC"),
                )),
            },
            Kind::Real(min, max) => {
                let number: f64 = text.trim().parse().map_err(|_| invalid())?;
                if (min..=max).contains(&number) {
                    Ok(Setting::Real(number))
                } else {
                    Err(self.outside(number, min, max, ""))
                }
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
                let of_bounds = if major >= 17 { unit } else { None };
                Err(self.outside_of(number as i64, (min, max), unit, of_bounds))
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

    fn outside(&self, number: f64, min: f64, max: f64, unit: &str) -> SqlError {
        error(format!("{number}{unit} is outside the valid range for parameter \"{}\" ({min} .. {max})", self.name))
    }

    fn outside_of(&self, number: i64, (min, max): (i64, i64), unit: Option<Unit>, of_bounds: Option<Unit>) -> SqlError {
        let with = |number: i64, unit: Option<Unit>| {
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
            (Setting::Real(number), _) => number.to_string(),
            (Setting::Text(text), _) => text.clone(),
        }
    }

    /// What a server says of a change that cannot be now.
    pub fn cannot_be_changed(&self) -> SqlError {
        let when = match self.context {
            Context::Internal | Context::User => "",
            Context::Postmaster => " without restarting the server",
            Context::Sighup => " now",
        };
        SqlError::new("55P02", format!("parameter \"{}\" cannot be changed{when}", self.name))
    }
}
