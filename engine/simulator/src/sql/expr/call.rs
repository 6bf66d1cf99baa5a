//! What a function of SQL is called with, and how it takes its arguments.

use super::Typed;
use super::eval::Env;
use super::pg_proc::Proc;
use alloc::string::String;
use ffviz_format::datum::Value;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::input::Context as Input;
use ffviz_format::page::Oid;

/// A call: the values of the arguments, of which none is NULL where the function is strict.
pub struct Call<'c, 'e> {
    /// the function
    pub(super) proc: &'static Proc,
    pub(super) args: &'c [Value],
    /// the arguments as they stand in the statement, for their types
    pub(super) exprs: &'c [Typed],
    pub(super) env: &'c mut Env<'e>,
}

impl<'c> Call<'c, '_> {
    /// The server's version, and `now()`.
    pub(super) fn input(&mut self) -> Input {
        self.env.input()
    }

    /// An argument as its output function prints it, in the session's style; `None` of NULL.
    ///
    /// # Errors
    /// A time that the session's zone has no rule for.
    pub(super) fn output(&mut self, n: usize) -> Result<Option<String>> {
        let (style, typid) = (self.input().style, self.type_of(n));
        self.args.get(n).map_or(Ok(None), |value| style.output(value, typid))
    }

    /// The type of an argument.
    pub(super) fn type_of(&self, n: usize) -> Oid {
        self.exprs.get(n).map_or(0, |arg| arg.ty.oid)
    }

    /// An argument, where there is one.
    pub(super) fn get(&self, n: usize) -> Option<&'c Value> {
        self.args.get(n)
    }

    pub(super) fn text(&self, n: usize) -> Result<&'c str> {
        text(&self.args[n])
    }

    /// An argument, or what it is by default.
    pub(super) fn text_or(&self, n: usize, default: &'static str) -> Result<&'c str> {
        self.get(n).map_or(Ok(default), text)
    }

    pub(super) fn bytes(&self, n: usize) -> Result<&'c [u8]> {
        bytes(&self.args[n])
    }

    pub(super) fn int(&self, n: usize) -> i32 {
        self.get(n).map_or(0, int)
    }

    /// A whole number of any width.
    pub(super) fn integer(&self, n: usize) -> i64 {
        self.get(n).and_then(Value::integer).unwrap_or(0)
    }

    pub(super) fn float(&self, n: usize) -> f64 {
        match self.get(n) {
            Some(Value::Float8(number)) => *number,
            _ => 0.0,
        }
    }

    /// Is the argument there, and true?
    pub(super) fn is_true(&self, n: usize) -> bool {
        self.get(n) == Some(&Value::Bool(true))
    }
}

pub(super) fn bytes(value: &Value) -> Result<&[u8]> {
    value.plain_bytes().ok_or_else(|| SqlError::new("XX000", "a value of variable length was expected"))
}

pub(super) fn text(value: &Value) -> Result<&str> {
    core::str::from_utf8(bytes(value)?)
        .map_err(|_| SqlError::new("22021", "invalid byte sequence for encoding \"UTF8\""))
}

pub(super) const fn int(value: &Value) -> i32 {
    if let Value::Int4(number) = value { *number } else { 0 }
}
