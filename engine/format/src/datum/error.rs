//! What PostgreSQL raises (`ereport(ERROR, …)`): SQLSTATE and message, as the server words them.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;
use core::ops::Deref;

/// An error of a value, a cast, an operator or a function. It is behind a pointer, so that what nearly never fails has
/// little to return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlError(Box<ErrorData>);

/// `ErrorData` (src/include/utils/elog.h): what an error says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorData {
    /// five letters, such as `22012` (src/backend/utils/errcodes.txt)
    pub sqlstate: &'static str,
    /// the primary message, without `ERROR:`
    pub message: Cow<'static, str>,
    /// `errdetail`: the line DETAIL, where there is one
    pub detail: Option<Box<str>>,
    /// `errhint`: the line HINT, where there is one
    pub hint: Option<Box<str>>,
    /// `errposition`: where in the statement's text it is wrong, line and character of the line, both from 1
    pub position: Option<(u32, u32)>,
}

/// What stands for a SQLSTATE where PostgreSQL would do what the simulator does not: a class that no error of
/// PostgreSQL's is of.
pub const NOT_SIMULATED: &str = "ZZ000";

/// What an input function, operator or function gives.
pub type Result<T> = core::result::Result<T, SqlError>;

impl Deref for SqlError {
    type Target = ErrorData;

    fn deref(&self) -> &ErrorData {
        &self.0
    }
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl SqlError {
    /// An error with that SQLSTATE and message.
    #[must_use]
    #[cold]
    pub fn new(sqlstate: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(ErrorData { sqlstate, message: message.into(), detail: None, hint: None, position: None }))
    }

    /// The same in other words.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        self.0.message = message.into();
        self
    }

    /// The same with a line DETAIL.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<Box<str>>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// The same with a line HINT.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<Box<str>>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// The same of that place, line and character, unless a nearer one is known.
    #[must_use]
    pub fn at(mut self, position: (u32, u32)) -> Self {
        self.0.position.get_or_insert(position);
        self
    }

    /// The same of no place, as where the text is not that of the statement which somebody has sent.
    #[must_use]
    pub fn nowhere(mut self) -> Self {
        self.0.position = None;
        self
    }

    /// What the simulator does not know.
    pub(super) fn not_simulated(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(NOT_SIMULATED, message)
    }

    /// `ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE`
    pub(super) fn out_of_range(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new("22003", message)
    }

    /// `ERRCODE_DATETIME_VALUE_OUT_OF_RANGE`
    pub(super) fn datetime_range(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new("22008", message)
    }

    /// `ERRCODE_DIVISION_BY_ZERO`
    pub(super) fn division_by_zero() -> Self {
        Self::new("22012", "division by zero")
    }

    /// `ERRCODE_INVALID_TEXT_REPRESENTATION`: text that no value of the type has.
    pub(super) fn syntax(type_name: &str, text: &str) -> Self {
        Self::new("22P02", alloc::format!("invalid input syntax for type {type_name}: \"{text}\""))
    }

    /// An operator, function or cast that there is none of.
    pub(super) fn undefined(message: String) -> Self {
        Self::new("42883", message)
    }
}
