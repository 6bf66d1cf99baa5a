//! What PostgreSQL raises (`ereport(ERROR, …)`): SQLSTATE and message, as the server words them.

use alloc::borrow::Cow;
use core::fmt;

/// An error of a value, a cast, an operator or a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlError {
    /// five letters, such as `22012` (src/backend/utils/errcodes.txt)
    pub sqlstate: &'static str,
    /// the primary message, without `ERROR:`
    pub message: Cow<'static, str>,
}

/// What an input function, operator or function gives.
pub type Result<T> = core::result::Result<T, SqlError>;

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl SqlError {
    /// An error with that SQLSTATE and message.
    #[must_use]
    pub fn new(sqlstate: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self { sqlstate, message: message.into() }
    }
}
