//! Values of pgbench's variables, and how they are turned into one another (`coerceToInt`, `makeVariableValue`,
//! `getVariable`).

use super::ExprError;
use alloc::format;
use alloc::string::{String, ToString};
use libm::rint;

/// `PgBenchValue`
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// NULL
    Null,
    /// TRUE, FALSE
    Bool(bool),
    /// a whole number
    Int(i64),
    /// any other
    Double(f64),
}

impl Value {
    const fn type_name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Int(_) => "int",
            Self::Double(_) => "double",
        }
    }

    fn no_coercion(self, to: &str) -> ExprError {
        ExprError::new(format!("cannot coerce {} to {to}", self.type_name()))
    }

    /// `coerceToBool`
    ///
    /// # Errors
    /// What is no truth value.
    pub fn to_bool(self) -> Result<bool, ExprError> {
        if let Self::Bool(value) = self { Ok(value) } else { Err(self.no_coercion("boolean")) }
    }

    /// `coerceToInt`: rounded to the nearest, halves to the even one
    ///
    /// # Errors
    /// What is no number, or none of 64 bits.
    pub fn to_int(self) -> Result<i64, ExprError> {
        const LIMIT: f64 = 9_223_372_036_854_775_808.0;
        match self {
            Self::Int(value) => Ok(value),
            Self::Double(value) => {
                let value = rint(value);
                if (-LIMIT..LIMIT).contains(&value) {
                    return Ok(value as i64);
                }
                Err(ExprError::new(format!("double to int overflow for {value}")))
            }
            Self::Null | Self::Bool(_) => Err(self.no_coercion("int")),
        }
    }

    /// `coerceToDouble`
    ///
    /// # Errors
    /// What is no number.
    pub fn to_double(self) -> Result<f64, ExprError> {
        match self {
            Self::Int(value) => Ok(value as f64),
            Self::Double(value) => Ok(value),
            Self::Null | Self::Bool(_) => Err(self.no_coercion("double")),
        }
    }

    /// `valueTruth`: what `\if` makes of it
    #[must_use]
    pub fn is_true(self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(value) => value,
            Self::Int(value) => value != 0,
            Self::Double(value) => value != 0.0,
        }
    }

    /// As it is put into a statement.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::Null => "NULL".to_string(),
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Double(value) => double_text(value),
        }
    }

    /// `makeVariableValue`: what a text stands for
    ///
    /// # Errors
    /// What is neither a number nor a truth value.
    pub fn read(name: &str, text: &str) -> Result<Self, ExprError> {
        let malformed = || ExprError::new(format!("malformed variable \"{name}\" value: \"{text}\""));
        let lower = text.to_ascii_lowercase();
        let begins = |word: &str| !lower.is_empty() && word.starts_with(&lower);
        if lower.is_empty() {
            return Err(malformed());
        }
        if lower == "null" {
            return Ok(Self::Null);
        }
        if begins("true") || begins("yes") || lower == "on" {
            return Ok(Self::Bool(true));
        }
        if begins("false") || begins("no") || lower == "off" || lower == "of" {
            return Ok(Self::Bool(false));
        }
        let number = text.trim_start();
        let digits = number.strip_prefix(['-', '+']).unwrap_or(number);
        if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let out_of_range = |_| ExprError::new(format!("value \"{text}\" is out of range for type bigint"));
            return number.parse().map(Self::Int).map_err(out_of_range);
        }
        number.parse().map(Self::Double).map_err(|_| malformed())
    }
}

/// `%.15g` of C's printf
fn double_text(value: f64) -> String {
    const DIGITS: i32 = 15;
    if value.is_nan() {
        return "nan".to_string();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_string();
    }
    let scientific = format!("{value:.14e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let plain = |text: &str| {
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }.to_string()
    };
    if (-4..DIGITS).contains(&exponent) {
        let decimals = usize::try_from(DIGITS - 1 - exponent).unwrap_or(0);
        return plain(&format!("{value:.decimals$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", plain(mantissa), exponent.abs())
}
