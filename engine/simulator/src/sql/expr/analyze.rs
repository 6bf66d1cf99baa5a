//! From the grammar's expressions to typed ones: `transformExpr` (src/backend/parser/parse_expr.c).

use super::aggregate::{Aggregate, AggregateKind};
use super::choose::common_type;
use super::domains::AssignedType;
use super::function::type_name;
use super::pg_catalog::{BIT, BOOL, Coercion, INT4, INT8, NUMERIC, TEXT, UNKNOWN, can_coerce};
use super::pg_proc;
use super::rows::{expanded, row_is_null};
use super::{Case, Node, QueryPlanner, RangeTable, Typed, VariableRow, WindowCall, misspelt};
use crate::cluster::{Domains, EnumType, Lookup, RowTypes, Strategy};
use crate::sql::StatementError;
use crate::sql::ast::{BinaryOp, Expr, ExprNode, Literal};
use crate::sql::catalog::SqlFunction;
use crate::sql::error::Position;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use ffviz_format::datum::input::{Context as Input, input};
use ffviz_format::datum::{SqlError, SqlType, Value, array_of, element_of, is_row};
use ffviz_format::page::Oid;

/// A column has the name of a variable of PL/pgSQL.
fn ambiguous(table: Option<&str>, name: &str) -> StatementError {
    let whole = table.map_or_else(|| name.into(), |table| format!("{table}.{name}"));
    let error = SqlError::new("42702", format!("column reference \"{whole}\" is ambiguous"));
    error.with_detail("It could refer to either a PL/pgSQL variable or a table column.").into()
}

/// Gives expressions their types.
pub struct Analyzer<'a> {
    /// the columns there are
    pub range: &'a RangeTable,
    /// the server's version, and what `now` means in a literal
    pub input: Input,
    /// `pg_type.oid` of `$1`, `$2` …; [`Self::UNDECIDED`] where the first use decides
    pub params: Vec<Oid>,
    /// names that are parameters too: of PL/pgSQL
    pub variables: &'a [String],
    /// rows among them
    pub rows: &'a [VariableRow],
    /// does a column stand before a variable of its name, as in functions in SQL?
    pub columns_first: bool,
    /// values that stand in place of parameters (`eval_const_expressions` of a custom plan)
    pub values: &'a [Value],
    /// what was looked up in catalogs
    pub lookups: Vec<Lookup>,
    /// names of relations in literals of regclass
    pub relations: Vec<String>,
    /// was there a parameter?
    pub uses_params: bool,
    /// the aggregates found so far; `None` where there may be none
    pub aggregates: Option<Vec<Aggregate>>,
    /// what the queries around have in FROM, the outermost first
    pub outer: &'a [RangeTable],
    /// extensions that are there
    pub extensions: Vec<&'static str>,
    /// functions in SQL
    pub functions: Vec<Arc<SqlFunction>>,
    /// enum types
    pub enums: Arc<Vec<EnumType>>,
    /// domains
    pub domains: Domains,
    /// composite types, and those of rows of tables that statements have named as types
    pub row_types: RowTypes,
    /// plans queries within expressions
    pub planner: Option<&'a mut dyn QueryPlanner>,
    /// columns of the queries around that were read: how far out, where, of which type
    pub reads: Vec<(u16, u16, SqlType)>,
    /// the window functions found so far; `None` where there may be none
    pub windows: Option<Vec<WindowCall>>,
    /// of what type the set-returning function is over which an expression stands
    pub(super) series_type: Option<SqlType>,
    /// for messages: WHERE, LIMIT …
    pub clause: &'static str,
    /// is this the argument of an aggregate?
    pub(super) in_aggregate: bool,
    /// a column outside of aggregates, for the message where there are aggregates
    pub(super) bare_column: Option<(String, Position)>,
}

impl<'a> Analyzer<'a> {
    /// The type of a parameter that the first use decides.
    pub const UNDECIDED: Oid = UNKNOWN;

    /// For expressions over these columns, in this clause, without aggregates.
    #[must_use]
    pub fn new(range: &'a RangeTable, input: Input, clause: &'static str) -> Self {
        Self {
            range,
            input,
            params: Vec::new(),
            variables: &[],
            rows: &[],
            columns_first: false,
            values: &[],
            lookups: Vec::new(),
            relations: Vec::new(),
            uses_params: false,
            aggregates: None,
            series_type: None,
            windows: None,
            outer: &[],
            extensions: Vec::new(),
            functions: Vec::new(),
            enums: Arc::default(),
            domains: Arc::default(),
            row_types: Arc::default(),
            planner: None,
            reads: Vec::new(),
            clause,
            in_aggregate: false,
            bare_column: None,
        }
    }

    pub(super) const fn major(&self) -> u32 {
        self.input.major
    }

    /// An expression with its type; a literal may be of no type yet.
    ///
    /// # Errors
    /// As PostgreSQL's parser raises them; a function that is not supported.
    pub fn expr(&mut self, expr: &Expr) -> Result<Typed, StatementError> {
        self.node(expr).map_err(|error| misspelt::placed(error, expr))
    }

    /// An expression that gives boolean, such as that of WHERE.
    ///
    /// # Errors
    /// As [`Self::expr`]; another type.
    pub fn condition(&mut self, expr: &Expr) -> Result<Typed, StatementError> {
        self.boolean(expr, self.clause)
    }

    /// An expression whose type is decided: a literal is text.
    ///
    /// # Errors
    /// As [`Self::expr`].
    pub fn decided(&mut self, expr: &Expr) -> Result<Typed, StatementError> {
        let typed = self.expr(expr)?;
        if typed.ty.oid == UNKNOWN { self.implicit(typed, TEXT) } else { Ok(typed) }
    }

    /// An expression that gives bigint: LIMIT, OFFSET.
    ///
    /// # Errors
    /// As [`Self::expr`]; another type.
    pub fn bigint(&mut self, expr: &Expr) -> Result<Typed, StatementError> {
        let typed = self.expr(expr)?;
        self.expect_type(typed, INT8, self.clause).map_err(|error| error.at(expr.position))
    }

    /// The value that a column of that name and type is to have.
    ///
    /// # Errors
    /// As [`Self::expr`]; a type that is not cast without being asked for.
    pub fn assigned(
        &mut self,
        expr: &Expr,
        column: &str,
        to: impl Into<AssignedType>,
    ) -> Result<Typed, StatementError> {
        let to = to.into();
        if let ExprNode::AssignedParts(parts) = &expr.node {
            let whole = self.with_parts(column, to.ty, parts).map_err(|error| error.at(expr.position))?;
            return self.as_domain(whole, to.domain);
        }
        if let ExprNode::AssignedFields(fields) = &expr.node {
            return self.assigned_fields(column, to.ty, fields);
        }
        let typed = self.expr(expr)?;
        let assigned = self.assign(typed, column, to).map_err(|error| error.at(expr.position))?;
        Ok(if self.variable_row(expr).is_some() { expanded(assigned) } else { assigned })
    }

    /// The value of a parameter of EXECUTE, by its number from 1 (`EvaluateParams`).
    ///
    /// # Errors
    /// A type that is not cast without being asked for.
    pub fn argument(&mut self, expr: &Expr, number: usize, to: SqlType) -> Result<Typed, StatementError> {
        let typed = self.expr(expr)?;
        let from = typed.ty;
        self.coerce(typed, to, Coercion::Assignment)?.ok_or_else(|| {
            let (from, to) = (type_name(from.oid), type_name(to.oid));
            let message = format!("parameter ${number} of type {from} cannot be coerced to the expected type {to}");
            StatementError::server("42804", message).at(expr.position)
        })
    }

    fn node(&mut self, expr: &Expr) -> Result<Typed, StatementError> {
        match &expr.node {
            ExprNode::Column { table, name } => self.column(table.as_deref(), name, expr.position),
            ExprNode::Param(number) => self.param(*number),
            ExprNode::Literal(literal) => self.literal(literal),
            ExprNode::Array(elements) => self.array(elements),
            ExprNode::Cast(inner, to) => self.cast(inner, *to),
            ExprNode::Domain(inner, _, domain) => self.cast_to_domain(inner, *domain),
            ExprNode::Minus(operand) => {
                let operand = self.expr(operand)?;
                self.negated(operand)
            }
            ExprNode::Not(operand) => {
                let operand = Box::new(self.boolean(operand, "NOT")?);
                Ok(Typed { node: Node::Not(operand), ty: SqlType::plain(BOOL) })
            }
            ExprNode::Binary(op, left, right) => {
                if let (ExprNode::Row(left), ExprNode::Row(right)) = (&left.node, &right.node) {
                    return self.rows(*op, left, right);
                }
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                self.binary(*op, left, right)
            }
            ExprNode::And(operands) => Ok(truth(Node::And(self.booleans(operands, "AND")?))),
            ExprNode::Or(operands) => Ok(truth(Node::Or(self.booleans(operands, "OR")?))),
            ExprNode::IsNull { expr, negated } => {
                let operand = self.expr(expr)?;
                Ok(match is_row(operand.ty.oid) {
                    true => row_is_null(operand, *negated),
                    false => truth(Node::IsNull(Box::new(operand), *negated)),
                })
            }
            ExprNode::In { expr, list, negated } => self.in_list(expr, list, *negated),
            ExprNode::Any { expr, list, cast } => self.any(expr, list, *cast),
            ExprNode::Between { expr, low, high, negated } => self.between([expr, low, high], *negated),
            ExprNode::Case { operand, whens, otherwise } => self.case(operand.as_deref(), whens, otherwise.as_deref()),
            ExprNode::Function { name, args, star, distinct, order_by, filter, over, .. } => {
                let name = pg_proc::without_public(name, |bare| pg_proc::extension(bare).is_some());
                if let Some(window) = over {
                    if let Some(name) = &window.name {
                        let message = format!("window \"{name}\" does not exist");
                        return Err(StatementError::server("42704", message));
                    }
                    if *distinct {
                        return Err(StatementError::server(
                            "0A000",
                            "DISTINCT is not implemented for window functions",
                        ));
                    }
                    if !order_by.is_empty() {
                        let message = "aggregate ORDER BY is not implemented for window functions";
                        return Err(StatementError::server("0A000", message));
                    }
                    return self.window(name, args, *star, filter.as_deref(), window);
                }
                self.call(name, args, *star, *distinct, order_by, filter.as_deref())
            }
            other => self.other(other, expr.position),
        }
    }

    /// What is rarer.
    fn other(&mut self, node: &ExprNode, at: Position) -> Result<Typed, StatementError> {
        match node {
            ExprNode::Operator(name, left, right) => {
                let left = left.as_ref().map(|left| self.expr(left)).transpose()?;
                let right = self.expr(right)?;
                self.operator_of(name, left, right)
            }
            ExprNode::IsDistinct { operands, negated } => self.is_distinct(operands, *negated),
            ExprNode::IsTruth { expr, value, negated } => self.is_truth(expr, *value, *negated),
            ExprNode::Query { kind, query } => self.query(kind, query),
            ExprNode::Field(row, field) => self.field(row, field, at),
            ExprNode::Subscript(array, index) => self.subscript(array, index),
            ExprNode::Slice(array, from, to) => self.slice(array, from.as_deref(), to.as_deref()),
            ExprNode::AssignedParts(_) | ExprNode::AssignedFields(_) => {
                Err(StatementError::unsupported("a part of a column in SET is not supported here", Some(at)))
            }
            ExprNode::AnyArray { expr, op, array, all } => self.any_element(expr, op, array, *all),
            ExprNode::Row(parts) => self.written_row(parts),
            _ => Err(StatementError::unsupported("this expression is not supported here", Some(at))),
        }
    }

    /// Rows that are compared, column by column from the left.
    fn rows(&mut self, op: BinaryOp, left: &[Expr], right: &[Expr]) -> Result<Typed, StatementError> {
        if left.len() != right.len() {
            return Err(StatementError::server("42601", "unequal number of entries in row expressions"));
        }
        let mut pairs = Vec::with_capacity(left.len());
        for (left, right) in left.iter().zip(right) {
            pairs.push((self.expr(left)?, self.expr(right)?));
        }
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            let tests = pairs.into_iter().map(|(left, right)| self.binary(op, left, right));
            let tests = tests.collect::<Result<Vec<_>, _>>()?;
            return Ok(truth(if op == BinaryOp::Eq { Node::And(tests) } else { Node::Or(tests) }));
        }
        if pairs.is_empty() {
            return Err(StatementError::server("42601", "cannot compare rows of zero length"));
        }
        let mut compared = Vec::with_capacity(pairs.len());
        for (left, right) in pairs {
            match self.binary(op, left, right)?.node {
                Node::Binary(_, operands) => compared.push(*operands),
                _ => {
                    return Err(StatementError::unsupported(
                        "rows with values of these types compared are not supported",
                        None,
                    ));
                }
            }
        }
        // one column is compared as itself
        match <[(Typed, Typed); 1]>::try_from(compared) {
            Ok([operands]) => Ok(truth(Node::Binary(op, Box::new(operands)))),
            Err(compared) => Ok(truth(Node::Rows(op, compared))),
        }
    }

    fn column(&mut self, table: Option<&str>, name: &str, at: Position) -> Result<Typed, StatementError> {
        let is_around =
            |table: &str| self.range.entry(table).is_none() && self.outer.iter().any(|it| it.entry(table).is_some());
        let is_named = |known: &String| match table {
            None => known == name,
            Some(table) => known.split_once('.') == Some((table, name)),
        };
        let variable = self.variables.iter().position(is_named);
        let is_variables = |table: &str| {
            let is_row = name == "*" && self.rows.iter().any(|row| row.name == table);
            (is_row || variable.is_some() || self.variables.iter().any(|known| known == table))
                && self.range.entry(table).is_none()
        };
        let found = match table {
            Some(table) if is_around(table) || is_variables(table) => None,
            table => self.range.column(table, name)?,
        };
        let variable = match variable {
            Some(_) if self.columns_first && (found.is_some() || self.outer_column(table, name)?.is_some()) => None,
            variable => variable,
        };
        match (found, variable) {
            (Some(_), Some(_)) => Err(ambiguous(table, name)),
            (None, Some(_)) if self.outer_column(table, name)?.is_some() => Err(ambiguous(table, name)),
            (Some((slot, ty)), None) => {
                self.note_bare(slot, name, at);
                self.lookups.extend(self.range.look_up(slot));
                Ok(self.range.read_named(table, slot, ty))
            }
            (None, Some(number)) => self.param(number as u16 + 1),
            (None, None) => {
                if let Some(found) = self.outer_column(table, name)? {
                    return Ok(found);
                }
                if let Some(catalog) = self.range.catalog_with_more(table) {
                    let message = format!("column {name} of {catalog} is not supported");
                    return Err(StatementError::unsupported(message, Some(at)));
                }
                let scalar = self.range.entry(name).filter(|entry| table.is_none() && entry.is_scalar);
                if let Some(entry) = scalar {
                    return Ok(self.range.read(entry.first, entry.columns[0].ty));
                }
                let whole =
                    Expr { node: ExprNode::Column { table: table.map(Into::into), name: name.into() }, position: at };
                if let Some(column) = self.column_of_variable(table, name)? {
                    return Ok(column);
                }
                if let Some(row) = self.whole_row(&whole)? {
                    return Ok(row);
                }
                if let Some(called) = self.called_by_column(table, name, at)? {
                    return Ok(called);
                }
                let ranges = core::iter::once(self.range).chain(self.outer.iter().rev());
                Err(misspelt::no_column(ranges, table, name).into())
            }
        }
    }

    /// A column is read, perhaps outside of aggregates.
    pub(super) fn note_bare(&mut self, slot: u16, name: &str, at: Position) {
        if !self.in_aggregate && self.bare_column.is_none() {
            let entry = self.range.entries.iter().rev().find(|entry| entry.first <= slot);
            let owner = entry.map_or("", |entry| entry.name.as_str());
            self.bare_column = Some((format!("{owner}.{name}"), at));
        }
    }

    /// A column of a query around this one, the nearest first.
    fn outer_column(&mut self, table: Option<&str>, name: &str) -> Result<Option<Typed>, StatementError> {
        for (level, range) in (1..).zip(self.outer.iter().rev()) {
            if table.is_some_and(|table| range.entry(table).is_none()) {
                continue;
            }
            if let Some((slot, ty)) = range.column(table, name)? {
                if table.is_none() && range.coalesced.iter().any(|(left, _)| *left == slot) {
                    let message = "a column that FULL JOIN … USING merges, within a query inside, is not supported";
                    return Err(StatementError::unsupported(message, None));
                }
                let read = range.read_outer(level, slot, ty);
                note_outer(&read, &mut self.reads);
                return Ok(Some(read));
            }
        }
        Ok(None)
    }

    /// `make_const`: int4, int8 or numeric, whichever holds it.
    fn literal(&self, literal: &Literal) -> Result<Typed, StatementError> {
        Ok(match literal {
            Literal::Null => Typed::constant(Value::Null, SqlType::plain(UNKNOWN)),
            Literal::Bool(value) => Typed::constant(Value::Bool(*value), SqlType::plain(BOOL)),
            Literal::String(text) => Typed::constant(Value::text(text), SqlType::plain(UNKNOWN)),
            // the type's input function reads it
            Literal::Bits(text) => {
                let bit = SqlType::plain(BIT);
                Typed::constant(input(text, bit, &self.input)?, bit)
            }
            Literal::Number(digits) => {
                if let Ok(number) = digits.parse::<i32>() {
                    Typed::constant(Value::Int4(number), SqlType::plain(INT4))
                } else if let Ok(number) = digits.parse::<i64>() {
                    Typed::constant(Value::Int8(number), SqlType::plain(INT8))
                } else {
                    let numeric = SqlType::plain(NUMERIC);
                    Typed::constant(input(digits, numeric, &self.input)?, numeric)
                }
            }
        })
    }

    pub(in crate::sql) fn boolean(&mut self, expr: &Expr, what: &str) -> Result<Typed, StatementError> {
        let typed = self.expr(expr)?;
        self.expect_type(typed, BOOL, what).map_err(|error| error.at(expr.position))
    }

    fn booleans(&mut self, operands: &[Expr], what: &str) -> Result<Vec<Typed>, StatementError> {
        operands.iter().map(|operand| self.boolean(operand, what)).collect()
    }

    /// `coerce_to_boolean`, `coerce_to_specific_type`.
    fn expect_type(&mut self, typed: Typed, to: Oid, what: &str) -> Result<Typed, StatementError> {
        let from = typed.ty;
        let context = if to == BOOL { Coercion::Implicit } else { Coercion::Assignment };
        self.coerce(typed, SqlType::plain(to), context)?.ok_or_else(|| {
            let (to, from) = (type_name(to), type_name(from.oid));
            StatementError::server("42804", format!("argument of {what} must be type {to}, not type {from}"))
        })
    }

    fn cast(&mut self, inner: &Expr, to: SqlType) -> Result<Typed, StatementError> {
        let typed = match &inner.node {
            ExprNode::Array(elements) if elements.is_empty() => match element_of(to.oid) {
                Some(element) => return Ok(Typed::constant(ffviz_format::datum::make_array(element, &[]), to)),
                None => self.expr(inner)?,
            },
            _ => self.expr(inner)?,
        };
        self.lookups.extend([Lookup::TypeName(to.oid), Lookup::Type(to.oid)]);
        let from = typed.ty;
        self.coerce(typed, to, Coercion::Explicit)?.ok_or_else(|| {
            let (to, from) = (type_name(to.oid), type_name(from.oid));
            StatementError::server("42846", format!("cannot cast type {from} to {to}"))
        })
    }

    /// The expressions as the type that they have in common.
    ///
    /// # Errors
    /// They have none.
    pub fn common(&mut self, exprs: Vec<Typed>, what: &str) -> Result<Vec<Typed>, StatementError> {
        self.as_common(exprs, what)
    }

    /// The expressions as their common type; `what` for the message: CASE, ARRAY.
    pub(super) fn as_common(&mut self, exprs: Vec<Typed>, what: &str) -> Result<Vec<Typed>, StatementError> {
        let types: Vec<Oid> = exprs.iter().map(|expr| expr.ty.oid).collect();
        let common = common_type(&types, self.major()).map_err(|(a, b)| {
            let (a, b) = (type_name(a), type_name(b));
            StatementError::server("42804", format!("{what} types {a} and {b} cannot be matched"))
        })?;
        self.as_type(exprs, common, what)
    }

    /// `coerce_to_common_type`
    fn as_type(&mut self, exprs: Vec<Typed>, common: Oid, what: &str) -> Result<Vec<Typed>, StatementError> {
        let mut converted = Vec::with_capacity(exprs.len());
        for (number, expr) in exprs.into_iter().enumerate() {
            let from = expr.ty;
            let expr = self.coerce(expr, SqlType::plain(common), Coercion::Implicit)?;
            converted.push(expr.ok_or_else(|| {
                // ELSE comes first
                let part = match (what, number) {
                    ("CASE", 0) => "CASE/ELSE",
                    ("CASE", _) => "CASE/WHEN",
                    _ => what,
                };
                let (from, to) = (type_name(from.oid), type_name(common));
                StatementError::server("42846", format!("{part} could not convert type {from} to {to}"))
            })?);
        }
        Ok(converted)
    }

    fn array(&mut self, elements: &[Expr]) -> Result<Typed, StatementError> {
        let elements = elements.iter().map(|element| self.expr(element)).collect::<Result<Vec<_>, _>>()?;
        if elements.is_empty() {
            return Err(StatementError::server("42P18", "cannot determine type of empty array"));
        }
        let elements = self.as_common(elements, "ARRAY")?;
        let element = elements[0].ty.oid;
        // arrays are the rows of one of the same type
        let oid = element_of(element).map(|_| element).or_else(|| array_of(element)).ok_or_else(|| {
            let name = type_name(element);
            StatementError::unsupported(format!("an array of {name} is not supported"), None)
        })?;
        Ok(Typed { node: Node::Array(elements), ty: SqlType::plain(oid) })
    }

    /// `transformAExprIn`: one array where there are several constants of one type, else a comparison each.
    fn in_list(&mut self, expr: &Expr, list: &[Expr], negated: bool) -> Result<Typed, StatementError> {
        if let ExprNode::Row(left) = &expr.node {
            return self.rows_in(left, list, negated);
        }
        let left = self.expr(expr)?;
        let items = list.iter().map(|item| self.expr(item)).collect::<Result<Vec<_>, _>>()?;
        let has_column = |item: &Typed| item.any(&|node| matches!(node, Node::Slot(_)));
        let others: Vec<&Typed> = items.iter().filter(|item| !has_column(item)).collect();
        let op = if negated { BinaryOp::Ne } else { BinaryOp::Eq };
        let types: Vec<Oid> = core::iter::once(&left).chain(others.iter().copied()).map(|item| item.ty.oid).collect();
        // `verify_common_type`; of arrays there is no array
        let works = |common: &Oid| {
            let is_array = matches!(*common, super::pg_catalog::INT4_ARRAY | super::pg_catalog::TEXT_ARRAY);
            !is_array && types.iter().all(|from| can_coerce(*from, *common, Coercion::Implicit, self.major()))
        };
        let common = common_type(&types, self.major()).ok().filter(|common| others.len() > 1 && works(common));
        let mut tests = Vec::new();
        let singles = match common {
            Some(common) => {
                let (columns, others): (Vec<Typed>, Vec<Typed>) = items.into_iter().partition(has_column);
                let items =
                    others.into_iter().map(|item| self.implicit(item, common)).collect::<Result<Vec<_>, _>>()?;
                tests.push(self.any_of(left.clone(), items, common, negated)?);
                columns
            }
            None => items,
        };
        for item in singles {
            tests.push(self.binary(op, left.clone(), item)?);
        }
        Ok(match tests.len() {
            1 => tests.remove(0),
            _ if negated => truth(Node::And(tests)),
            _ => truth(Node::Or(tests)),
        })
    }

    /// `(a, b) IN ((1, 2), …)`
    fn rows_in(&mut self, left: &[Expr], list: &[Expr], negated: bool) -> Result<Typed, StatementError> {
        let mut tests = Vec::with_capacity(list.len());
        for item in list {
            let ExprNode::Row(right) = &item.node else {
                return Err(StatementError::unsupported("a row and another value in IN are not supported", None));
            };
            tests.push(self.rows(if negated { BinaryOp::Ne } else { BinaryOp::Eq }, left, right)?);
        }
        Ok(truth(if negated { Node::And(tests) } else { Node::Or(tests) }))
    }

    /// `make_scalar_array_op`: the operator for elements of this type decides whether the left side is cast.
    pub(super) fn any_of(
        &mut self,
        left: Typed,
        items: Vec<Typed>,
        element: Oid,
        negated: bool,
    ) -> Result<Typed, StatementError> {
        let op = if negated { BinaryOp::Ne } else { BinaryOp::Eq };
        let probe = Typed { node: Node::CaseTest, ty: SqlType::plain(element) };
        let Typed { node: Node::Binary(_, operands), .. } = self.binary(op, left, probe)? else {
            return Err(StatementError::server("42883", "IN needs an operator"));
        };
        let to = operands.1.ty.oid;
        self.lookups.extend([Lookup::ArrayOf(to), Lookup::member(to, Strategy::Equal)]);
        let items = items.into_iter().map(|item| self.implicit(item, to)).collect::<Result<Vec<_>, _>>()?;
        Ok(truth(Node::AnyOf(Box::new(operands.0), items, negated)))
    }

    /// `= ANY (ARRAY[…]::type[])`: the cast is one of each element.
    fn any(&mut self, expr: &Expr, list: &[Expr], cast: Option<SqlType>) -> Result<Typed, StatementError> {
        let left = self.expr(expr)?;
        let items = match cast {
            Some(to) => list.iter().map(|item| self.cast(item, to)).collect::<Result<Vec<_>, _>>()?,
            None => {
                let items = list.iter().map(|item| self.expr(item)).collect::<Result<Vec<_>, _>>()?;
                self.as_common(items, "ARRAY")?
            }
        };
        match items.first().map(|item| item.ty.oid) {
            Some(element) => self.any_of(left, items, element, false),
            None => Err(StatementError::unsupported("ANY of an empty array is not supported", None)),
        }
    }

    fn between(&mut self, [expr, low, high]: [&Expr; 3], negated: bool) -> Result<Typed, StatementError> {
        let (value, low, high) = (self.expr(expr)?, self.expr(low)?, self.expr(high)?);
        let (below, above) = if negated { (BinaryOp::Lt, BinaryOp::Gt) } else { (BinaryOp::Ge, BinaryOp::Le) };
        let tests = vec![self.binary(below, value.clone(), low)?, self.binary(above, value, high)?];
        Ok(truth(if negated { Node::Or(tests) } else { Node::And(tests) }))
    }

    /// `transformCaseExpr`: ELSE comes first when the common type is looked for.
    fn case(
        &mut self,
        operand: Option<&Expr>,
        whens: &[(Expr, Expr)],
        otherwise: Option<&Expr>,
    ) -> Result<Typed, StatementError> {
        let operand = operand.map(|operand| self.decided(operand)).transpose()?;
        let mut conditions = Vec::new();
        let mut results = Vec::new();
        for (when, then) in whens {
            conditions.push(match &operand {
                Some(operand) => {
                    let value = self.expr(when)?;
                    self.binary(BinaryOp::Eq, Typed { node: Node::CaseTest, ty: operand.ty }, value)?
                }
                None => self.boolean(when, "CASE/WHEN")?,
            });
            results.push(self.expr(then)?);
        }
        results.insert(
            0,
            match otherwise {
                Some(otherwise) => self.expr(otherwise)?,
                None => Typed::constant(Value::Null, SqlType::plain(UNKNOWN)),
            },
        );
        let mut results = self.as_common(results, "CASE")?;
        let otherwise = results.remove(0);
        let ty = SqlType::plain(otherwise.ty.oid);
        let whens = conditions.into_iter().zip(results).collect();
        Ok(Typed { node: Node::Case(Box::new(Case { operand, whens, otherwise })), ty })
    }

    /// An aggregate, found in a clause that may have one.
    pub(super) fn add_aggregate(&mut self, aggregate: Aggregate) -> Result<Typed, StatementError> {
        let ty = aggregate.ty;
        let clause = self.clause;
        match &mut self.aggregates {
            _ if self.in_aggregate => Err(StatementError::server("42803", "aggregate function calls cannot be nested")),
            None => Err(StatementError::server("42803", format!("aggregate functions are not allowed in {clause}"))),
            Some(all) => {
                all.push(aggregate);
                Ok(Typed { node: Node::Aggregate(all.len() as u16 - 1), ty })
            }
        }
    }

    /// Was a column read outside of aggregates?
    #[must_use]
    pub const fn has_bare_column(&self) -> bool {
        self.bare_column.is_some()
    }

    /// The error about a column beside aggregates; the first column there is where `*` named it.
    #[must_use]
    pub fn ungrouped(&self, range: &RangeTable) -> StatementError {
        let first = || {
            let entry = range.entries.first();
            let column = entry.and_then(|entry| entry.columns.iter().find(|column| !column.name.is_empty()));
            let name =
                |entry: &super::RangeEntry| format!("{}.{}", entry.name, column.map_or("", |column| &column.name));
            (entry.map(name).unwrap_or_default(), None)
        };
        let (name, position) = self.bare_column.clone().map_or_else(first, |(name, at)| (name, Some(at)));
        let message =
            format!("column \"{name}\" must appear in the GROUP BY clause or be used in an aggregate function");
        StatementError { position, ..StatementError::server("42803", message) }
    }

    /// Is it the name of an aggregate?
    #[must_use]
    pub fn is_aggregate(name: &str) -> bool {
        Self::aggregate_kind(name).is_some()
    }

    pub(in crate::sql) fn aggregate_kind(name: &str) -> Option<AggregateKind> {
        AggregateKind::named(name)
    }
}

pub(super) fn truth(node: Node) -> Typed {
    Typed { node, ty: SqlType::plain(BOOL) }
}

/// Notes what an expression reads of the rows around.
pub(super) fn note_outer(expr: &Typed, reads: &mut Vec<(u16, u16, SqlType)>) {
    if let Node::Outer(level, slot) = expr.node {
        reads.push((level, slot, expr.ty));
    }
    expr.children().into_iter().for_each(|child| note_outer(child, reads));
}
