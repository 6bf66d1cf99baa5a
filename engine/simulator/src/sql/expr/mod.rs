//! Expressions with types: from names and literals to slots, values and functions, as PostgreSQL's parser decides them.
//!
//! ```text
//! b || 1 ──analyze──▶ Binary(Concat, Slot 1: text, Cast to text(Const 1: integer)) ──eval──▶ Value
//!          names: scope; operators and casts: pg_catalog, pg_proc, choose, coerce
//! ```

mod aggregate;
mod aggregation;
mod analyze;
mod call;
mod choose;
mod coerce;
pub(in crate::sql) mod deparse;
mod domains;
mod enums;
mod eval;
mod fast;
mod function;
mod misspelt;
mod mutable;
mod named;
mod operate;
mod operators;
mod ordered_set;
pub mod pg_catalog;
mod pg_proc;
mod polymorphic;
mod proc;
mod query;
mod regression;
mod root;
mod rows;

mod scope;
mod series;
mod server_operators;
mod subscript;
mod unread;
mod whole_row;
mod window;

pub use aggregate::{Aggregate, AggregateKind, SortKey};
pub use aggregation::Aggregation;
pub use analyze::Analyzer;
pub use domains::{AssignedType, coerces_to_domain, domain_of, without_null_check};
pub(in crate::sql) use enums::enum_in;
pub(in crate::sql) use eval::satisfies;
pub use eval::{Context, Env, Scope};
pub use fast::integer::Calculation;
pub(in crate::sql) use function::has_order;
pub(in crate::sql) use function::type_name;
pub(in crate::sql) use operate::compare;
pub(in crate::sql) use operators::symbol as operator_symbol;
pub(in crate::sql) use pg_catalog::{INT2_ARRAY, INT2_VECTOR, TEXT_ARRAY, has_key_equality, is_range};
pub use pg_proc::{
    Builtin, Volatility, is_never_volatile, is_of_servers, name as proc_name, proc_args, without_public,
};
pub(in crate::sql) use proc::{
    DATABASE, hash_bytes, hash_bytes_extended, hashed_integer, json_rows, regexp_rows, split_text, walfile_name_offset,
};
pub(in crate::sql) use proc::{column_list, path_rows, record_rows, type_of_name, unknown_privilege};
pub use query::{PlannedQuery, QueryPlanner, SubPlan, SubPlanKind};
pub use regression::Regression;

pub use scope::{Column, RangeEntry, RangeTable, SYSTEM, SystemColumns};
pub use series::{Series, SeriesCall, is_series};
pub(in crate::sql) use unread::is_hashed;
pub use whole_row::VariableRow;
pub use window::{WindowCall, WindowFunction, behind};

use super::ast::BinaryOp;
use super::catalog::SqlFunction;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{RowType, SqlType, Value};

/// An expression whose type is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Typed {
    /// what it is
    pub node: Node,
    /// its type
    pub ty: SqlType,
}

/// What a typed expression is.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// a value
    Const(Value),
    /// a column of the row, from 0
    Slot(u16),
    /// `$1` is 0
    Param(u16),
    /// the result of an aggregate, from 0
    Aggregate(u16),
    /// the operand of the CASE around it
    CaseTest,
    /// an operator with two operands; NULL if one is
    Binary(BinaryOp, Box<(Typed, Typed)>),
    /// `-x`
    Negate(Box<Typed>),
    /// AND
    And(Vec<Typed>),
    /// OR
    Or(Vec<Typed>),
    /// NOT
    Not(Box<Typed>),
    /// IS NULL, or with true IS NOT NULL
    IsNull(Box<Typed>, bool),
    /// `x = ANY (list)`, or with true `x <> ALL (list)` (`ScalarArrayOpExpr`)
    AnyOf(Box<Typed>, Vec<Typed>, bool),
    /// rows that are compared, a pair a column, by `<`, `<=`, `>` or `>=` (`RowCompareExpr`)
    Rows(BinaryOp, Vec<(Typed, Typed)>),
    /// CASE
    Case(Box<Case>),
    /// a cast to the type; true: with `::`, which cuts what is too long
    Cast(Box<Typed>, bool),
    /// `ARRAY[…]`
    Array(Vec<Typed>),
    /// ROW(…), or a whole row: a value a column (`RowExpr`, a whole-row `Var`)
    Row(RowType, Vec<Typed>),
    /// a column of a row, from 0 (`FieldSelect`)
    Field(Box<Typed>, u16),
    /// a function
    Call(Builtin, Vec<Typed>),
    /// a function in PL/pgSQL
    Routine(Arc<SqlFunction>, Vec<Typed>),
    /// a column of the row of a query around: so many levels out, and its place there
    Outer(u16, u16),
    /// a query in place of a value
    Query(Arc<SubPlan>),
    /// an array, and a comparison with [`Node::CaseTest`] that one of its elements must satisfy; true: that all must
    AnyElement(Box<(Typed, Typed)>, bool),
}

/// CASE.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// what [`Node::CaseTest`] is in the conditions
    pub operand: Option<Typed>,
    /// condition and result
    pub whens: Vec<(Typed, Typed)>,
    /// ELSE
    pub otherwise: Typed,
}

impl Case {
    /// The operands of IS DISTINCT FROM, which is made a CASE; or is it IS NOT DISTINCT FROM?
    #[must_use]
    pub fn distinct(&self) -> Option<(&(Typed, Typed), bool)> {
        let (Node::Binary(op, operands), [(when, _), _], None) = (&self.otherwise.node, &self.whens[..], &self.operand)
        else {
            return None;
        };
        let is_of_nulls = matches!(&when.node, Node::IsNull(left, false) if **left == operands.0);
        (is_of_nulls && matches!(op, BinaryOp::Eq | BinaryOp::Ne)).then_some((&**operands, *op == BinaryOp::Ne))
    }
}

impl Typed {
    /// A value.
    #[must_use]
    pub const fn constant(value: Value, ty: SqlType) -> Self {
        Self { node: Node::Const(value), ty }
    }

    /// The expressions that it is made of.
    #[must_use]
    pub fn children(&self) -> Vec<&Self> {
        match &self.node {
            Node::Const(_) | Node::Slot(_) | Node::Param(_) | Node::Aggregate(_) | Node::CaseTest => Vec::new(),
            Node::Outer(..) => Vec::new(),
            Node::Query(query) => query.test.iter().chain(&query.reads).collect(),
            Node::AnyElement(parts, _) => alloc::vec![&parts.0, &parts.1],
            Node::Binary(_, operands) => alloc::vec![&operands.0, &operands.1],
            Node::Negate(expr) | Node::Not(expr) | Node::IsNull(expr, _) | Node::Cast(expr, _) => alloc::vec![expr],
            Node::Field(expr, _) => alloc::vec![expr],
            Node::And(list) | Node::Or(list) | Node::Array(list) => list.iter().collect(),
            Node::Call(_, list) | Node::Routine(_, list) | Node::Row(_, list) => list.iter().collect(),
            Node::AnyOf(expr, list, _) => core::iter::once(&**expr).chain(list).collect(),
            Node::Rows(_, pairs) => {
                let (left, right): (Vec<_>, Vec<_>) = pairs.iter().map(|(left, right)| (left, right)).unzip();
                left.into_iter().chain(right).collect()
            }
            Node::Case(case) => {
                let whens = case.whens.iter().flat_map(|(when, then)| [when, then]);
                case.operand.iter().chain(whens).chain([&case.otherwise]).collect()
            }
        }
    }

    /// The same with the expressions that it is made of changed, from the left.
    ///
    /// # Errors
    /// The first one of `change`.
    pub fn map_children<E>(self, change: &mut impl FnMut(Self) -> Result<Self, E>) -> Result<Self, E> {
        let mut all = |list: Vec<Self>| list.into_iter().map(&mut *change).collect::<Result<Vec<_>, E>>();
        let node = match self.node {
            Node::And(list) => Node::And(all(list)?),
            Node::Or(list) => Node::Or(all(list)?),
            Node::Array(list) => Node::Array(all(list)?),
            Node::Call(builtin, list) => Node::Call(builtin, all(list)?),
            Node::Routine(function, list) => Node::Routine(function, all(list)?),
            Node::Row(ty, list) => Node::Row(ty, all(list)?),
            Node::Field(expr, field) => Node::Field(Box::new(change(*expr)?), field),
            Node::AnyOf(expr, list, negated) => {
                let expr = change(*expr)?;
                let list = list.into_iter().map(change).collect::<Result<_, E>>()?;
                Node::AnyOf(Box::new(expr), list, negated)
            }
            Node::Binary(op, operands) => Node::Binary(op, Box::new((change(operands.0)?, change(operands.1)?))),
            Node::Rows(op, pairs) => {
                let pairs = pairs.into_iter().map(|(left, right)| Ok((change(left)?, change(right)?)));
                Node::Rows(op, pairs.collect::<Result<_, E>>()?)
            }
            Node::AnyElement(parts, all) => Node::AnyElement(Box::new((change(parts.0)?, change(parts.1)?)), all),
            Node::Negate(expr) => Node::Negate(Box::new(change(*expr)?)),
            Node::Not(expr) => Node::Not(Box::new(change(*expr)?)),
            Node::IsNull(expr, negated) => Node::IsNull(Box::new(change(*expr)?), negated),
            Node::Cast(expr, explicit) => Node::Cast(Box::new(change(*expr)?), explicit),
            Node::Case(case) => Node::Case(Box::new(case.map_children(change)?)),
            leaf => leaf,
        };
        Ok(Self { node, ty: self.ty })
    }

    /// Does any part of it satisfy this?
    pub fn any(&self, test: &impl Fn(&Node) -> bool) -> bool {
        test(&self.node) || self.children().into_iter().any(|child| child.any(test))
    }

    /// Does it read nothing but its row, and change nothing that others read?
    #[must_use]
    pub fn stands_alone(&self) -> bool {
        !self.any(&|node| match node {
            Node::Call(builtin, _) => !builtin.stands_alone(),
            Node::Query(_) | Node::Outer(..) | Node::Routine(..) => true,
            _ => false,
        })
    }

    /// Is it the same for all rows of a scan: without columns, and without functions that change within a statement?
    #[must_use]
    pub fn is_pseudo_constant(&self) -> bool {
        !self.any(&|node| match node {
            Node::Slot(_) | Node::Aggregate(_) => true,
            Node::Routine(function, _) => function.volatility == Volatility::Volatile,
            Node::Call(builtin, _) => builtin.volatility() == Volatility::Volatile,
            _ => false,
        })
    }

    /// Appends the columns that it reads.
    pub fn slots(&self, slots: &mut Vec<u16>) {
        if let Node::Slot(slot) = self.node {
            slots.push(slot);
        }
        self.children().into_iter().for_each(|child| child.slots(slots));
    }
}

impl Case {
    fn map_children<E>(self, change: &mut impl FnMut(Typed) -> Result<Typed, E>) -> Result<Self, E> {
        let operand = self.operand.map(&mut *change).transpose()?;
        let mut whens = Vec::with_capacity(self.whens.len());
        for (when, then) in self.whens {
            whens.push((change(when)?, change(then)?));
        }
        Ok(Self { operand, whens, otherwise: change(self.otherwise)? })
    }
}
