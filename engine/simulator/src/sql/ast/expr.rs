//! Expressions: `A_Expr`, `ColumnRef`, `FuncCall` and their like of src/include/nodes/parsenodes.h.

use super::query::SortBy;
use crate::sql::error::Position;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

/// An expression with the place where PostgreSQL's messages point.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// what it is
    pub node: ExprNode,
    /// of an operator: the operator's place, else where the expression begins
    pub position: Position,
}

/// What an expression is.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprNode {
    /// a column, perhaps with the table's name before it
    Column {
        /// table or alias
        table: Option<String>,
        /// column
        name: String,
    },
    /// `$1` of a prepared statement, from 1
    Param(u16),
    /// a constant
    Literal(Literal),
    /// `ARRAY[…]`
    Array(Vec<Expr>),
    /// `x::type`, `CAST(x AS type)` and `type 'text'`
    Cast(Box<Expr>, SqlType),
    /// `-x`
    Minus(Box<Expr>),
    /// NOT
    Not(Box<Expr>),
    /// two operands
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// AND of two or more
    And(Vec<Expr>),
    /// OR of two or more
    Or(Vec<Expr>),
    /// IS NULL, and IS NOT NULL
    IsNull {
        /// operand
        expr: Box<Expr>,
        /// NOT
        negated: bool,
    },
    /// IN, and NOT IN
    In {
        /// left side
        expr: Box<Expr>,
        /// in parentheses
        list: Vec<Expr>,
        /// NOT
        negated: bool,
    },
    /// `= ANY (ARRAY[…])`
    Any {
        /// left side
        expr: Box<Expr>,
        /// the array's elements
        list: Vec<Expr>,
        /// the type of the elements, where the array is cast
        cast: Option<SqlType>,
    },
    /// BETWEEN, and NOT BETWEEN
    Between {
        /// left side
        expr: Box<Expr>,
        /// lower bound
        low: Box<Expr>,
        /// upper bound
        high: Box<Expr>,
        /// NOT
        negated: bool,
    },
    /// CASE
    Case {
        /// what stands between CASE and the first WHEN
        operand: Option<Box<Expr>>,
        /// WHEN, THEN
        whens: Vec<(Expr, Expr)>,
        /// ELSE
        otherwise: Option<Box<Expr>>,
    },
    /// a function, an aggregate, a set-returning function
    Function {
        /// name without schema
        name: String,
        /// arguments
        args: Vec<Expr>,
        /// is it `count(*)`?
        star: bool,
        /// DISTINCT before the arguments of an aggregate
        distinct: bool,
        /// ORDER BY within the parentheses of an aggregate
        order_by: Vec<SortBy>,
    },
}

/// A constant as it is written; what type a number has is decided later (`make_const`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    /// NULL
    Null,
    /// TRUE, FALSE
    Bool(bool),
    /// digits, perhaps with a point, an exponent and the sign that stood before it
    Number(String),
    /// between quotes
    String(String),
}

/// An operator with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `||`
    Concat,
    /// `=`
    Eq,
    /// `<>`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl BinaryOp {
    /// `pg_operator.oprname`
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Mod => "%",
            Self::Concat => "||",
            Self::Eq => "=",
            Self::Ne => "<>",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }

    /// Does it compare its operands?
    #[must_use]
    pub const fn is_comparison(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }

    /// The operator with the operands exchanged (`get_commutator`); of a comparison only.
    #[must_use]
    pub const fn commutator(self) -> Self {
        match self {
            Self::Lt => Self::Gt,
            Self::Le => Self::Ge,
            Self::Gt => Self::Lt,
            Self::Ge => Self::Le,
            other => other,
        }
    }
}
