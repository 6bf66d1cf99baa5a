//! The expressions of `\set` and `\if` (src/bin/pgbench/exprparse.y, exprscan.l; `evaluateExpr` of pgbench.c).
//!
//! ```text
//!  "random(1, 100000 * :scale)" ──lex, parse──▶ Expr ──eval──▶ Value
//!                                 once                with variables and a generator
//! ```

mod eval;
mod function;
mod lex;
mod parse;
mod value;

pub use eval::{Scope, eval};
pub use function::Function;
pub use parse::parse;
pub use value::Value;

use alloc::string::String;

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// a number, TRUE, FALSE, NULL
    Constant(Value),
    /// `:name`
    Variable(String),
    /// a function or an operator
    Call(Function, alloc::vec::Vec<Expr>),
}

/// Why an expression cannot be read or has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExprError {
    /// what is wrong
    pub message: String,
    /// the character that it was met at, from 0; `None`: while it was computed
    pub at: Option<usize>,
}

impl ExprError {
    /// While it was computed.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), at: None }
    }

    /// While it was read.
    pub fn at(at: usize, message: impl Into<String>) -> Self {
        Self { message: message.into(), at: Some(at) }
    }
}
