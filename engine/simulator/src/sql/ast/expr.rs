//! Expressions: `A_Expr`, `ColumnRef`, `FuncCall` and their like of src/include/nodes/parsenodes.h.

use super::query::{Select, SortBy};
use crate::sql::error::Position;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;
use ffviz_format::page::Oid;

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
    /// the same to a domain over that type
    Domain(Box<Expr>, SqlType, Oid),
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
        /// FILTER of an aggregate
        filter: Option<Box<Expr>>,
        /// OVER
        over: Option<Box<Window>>,
        /// has it a form of its own: `extract(… from …)`, `x AT TIME ZONE …`?
        form: bool,
    },
    /// an argument of a function by its name
    Named(String, Box<Expr>),
    /// an operator besides those of [`BinaryOp`]; without a left operand where it stands before its only one
    Operator(String, Option<Box<Expr>>, Box<Expr>),
    /// IS DISTINCT FROM, and IS NOT DISTINCT FROM
    IsDistinct {
        /// both sides
        operands: Box<(Expr, Expr)>,
        /// NOT
        negated: bool,
    },
    /// IS TRUE, IS NOT TRUE; false: IS FALSE; without a value: IS UNKNOWN
    IsTruth {
        /// operand
        expr: Box<Expr>,
        /// which
        value: Option<bool>,
        /// NOT
        negated: bool,
    },
    /// a query in place of a value
    Query {
        /// what is asked of its rows
        kind: QueryKind,
        /// the query
        query: Box<Select>,
    },
    /// `(a, b)`
    Row(Vec<Expr>),
    /// `array[n]`
    Subscript(Box<Expr>, Box<Expr>),
    /// `(row).column`; `*`: all of them
    Field(Box<Expr>, String),
    /// `array[from:to]`
    Slice(Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>),
    /// after SET: what the column becomes whose parts `column[n]…` are assigned: what stands in brackets, and the
    /// part's new value
    AssignedParts(Vec<(Vec<Expr>, Expr)>),
    /// after SET, and of INSERT: what the column becomes whose columns `column.field…` are assigned
    AssignedFields(Vec<(Vec<String>, Expr)>),
    /// `op ANY (array)`, or with true `op ALL (array)`
    AnyArray {
        /// left side
        expr: Box<Expr>,
        /// operator
        op: String,
        /// the array
        array: Box<Expr>,
        /// ALL?
        all: bool,
    },
}

/// What is asked of the rows of a query within an expression (`SubLinkType`).
#[derive(Debug, Clone, PartialEq)]
pub enum QueryKind {
    /// whether there are any
    Exists,
    /// the value of the only one
    Scalar,
    /// all as an array
    Array,
    /// whether one of them satisfies a comparison with this: `x op ANY (…)`, `x IN (…)`
    Any(Box<Expr>, String),
    /// whether all do
    All(Box<Expr>, String),
}

/// OVER.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Window {
    /// its name in WINDOW, where that says what it is and there is none of that name
    pub name: Option<String>,
    /// the window of WINDOW that it begins with, where there is none of that name
    pub copies: Option<String>,
    /// the place in WINDOW and the name by which it was meant
    pub called: Option<(usize, String)>,
    /// the window of WINDOW that it begins with, and whether it has an order of its own
    pub copied: Option<(String, bool)>,
    /// PARTITION BY
    pub partition: Vec<Expr>,
    /// ORDER BY
    pub order_by: Vec<SortBy>,
    /// ROWS, RANGE or GROUPS BETWEEN
    pub frame: Option<Frame>,
    /// offsets of its bounds that are not written as whole numbers
    pub offsets: [Option<Expr>; 2],
}

/// Aggregates with WITHIN GROUP.
pub const ORDERED_SETS: &[&str] = &["mode", "percentile_cont", "percentile_disc"];

/// Which rows of its partition a row's window has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// in what its bounds count
    pub unit: FrameUnit,
    /// the first
    pub start: FrameBound,
    /// the last
    pub end: FrameBound,
    /// is it written with BETWEEN?
    pub between: bool,
    /// EXCLUDE
    pub exclude: Exclude,
}

/// Which rows of a frame are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exclude {
    /// NO OTHERS
    Nothing,
    /// CURRENT ROW
    Current,
    /// GROUP: those that are equal to it, too
    Group,
    /// TIES: only those
    Ties,
}

/// What the bounds of a frame count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameUnit {
    /// rows
    Rows,
    /// rows that are equal to each other, together
    Range,
    /// the same, counted
    Groups,
}

/// A bound of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FrameBound {
    /// UNBOUNDED PRECEDING
    First,
    /// so many before the row; behind it where there are fewer than none; CURRENT ROW
    By(i64),
    /// as much as an expression says, which stands in [`Window::offsets`]; true: PRECEDING
    Offset(bool),
    /// UNBOUNDED FOLLOWING
    Last,
}

impl Expr {
    /// The expressions that it is made of.
    #[must_use]
    pub fn children(&self) -> Vec<&Self> {
        match &self.node {
            ExprNode::Column { .. } | ExprNode::Param(_) | ExprNode::Literal(_) => Vec::new(),
            ExprNode::Array(list) | ExprNode::And(list) | ExprNode::Or(list) | ExprNode::Row(list) => {
                list.iter().collect()
            }
            ExprNode::Cast(expr, _)
            | ExprNode::Domain(expr, ..)
            | ExprNode::Named(_, expr)
            | ExprNode::Field(expr, _)
            | ExprNode::Minus(expr)
            | ExprNode::Not(expr) => Vec::from([&**expr]),
            ExprNode::IsNull { expr, .. } | ExprNode::IsTruth { expr, .. } => Vec::from([&**expr]),
            ExprNode::Binary(_, left, right) | ExprNode::Subscript(left, right) => Vec::from([&**left, &**right]),
            ExprNode::In { expr, list, .. } | ExprNode::Any { expr, list, .. } => {
                core::iter::once(&**expr).chain(list).collect()
            }
            ExprNode::Between { expr, low, high, .. } => Vec::from([&**expr, &**low, &**high]),
            ExprNode::Case { operand, whens, otherwise } => {
                let whens = whens.iter().flat_map(|(when, then)| [when, then]);
                operand.as_deref().into_iter().chain(whens).chain(otherwise.as_deref()).collect()
            }
            ExprNode::Function { args, order_by, filter, over, .. } => {
                let window = over.iter().flat_map(|over| {
                    over.partition
                        .iter()
                        .chain(over.order_by.iter().map(|by| &by.expr))
                        .chain(over.offsets.iter().flatten())
                });
                let sorted = order_by.iter().map(|by| &by.expr);
                args.iter().chain(sorted).chain(filter.as_deref()).chain(window).collect()
            }
            ExprNode::Operator(_, left, right) => left.as_deref().into_iter().chain([&**right]).collect(),
            ExprNode::IsDistinct { operands, .. } => Vec::from([&operands.0, &operands.1]),
            ExprNode::Query { kind, .. } => match kind {
                QueryKind::Any(expr, _) | QueryKind::All(expr, _) => Vec::from([&**expr]),
                _ => Vec::new(),
            },
            ExprNode::AnyArray { expr, array, .. } => Vec::from([&**expr, &**array]),
            ExprNode::Slice(array, from, to) => {
                core::iter::once(&**array).chain(from.as_deref()).chain(to.as_deref()).collect()
            }
            ExprNode::AssignedParts(parts) => {
                parts.iter().flat_map(|(path, value)| path.iter().chain([value])).collect()
            }
            ExprNode::AssignedFields(fields) => fields.iter().map(|(_, value)| value).collect(),
        }
    }

    /// Appends the queries within it, but not those within them.
    pub fn queries<'a>(&'a self, found: &mut Vec<&'a Select>) {
        if let ExprNode::Query { query, .. } = &self.node {
            found.push(query);
        }
        self.children().into_iter().for_each(|child| child.queries(found));
    }
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
    /// `B'…'`, `X'…'`: the letter, and what is between the quotes
    Bits(String),
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
    /// `~<~`, of indexes whose order is another one than that of `<`
    PatternLt,
    /// `~>=~`
    PatternGe,
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
            Self::PatternLt => "~<~",
            Self::PatternGe => "~>=~",
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
