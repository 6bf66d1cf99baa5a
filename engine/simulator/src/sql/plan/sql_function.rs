//! Calls of functions in SQL: the function's query, with the arguments in their places, stands where it is called
//! (`inline_set_returning_function`,
//! `inline_function`, src/backend/optimizer/util/clauses.c).

use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode, FromItem, Literal, QueryKind, Select, Target, Volatility};
use crate::sql::catalog::SqlFunction;
use crate::sql::error::Position;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{SqlType, is_composite};

/// What the function's own query is called within the one that casts its columns.
const BODY: &str = "?body?";

fn not_a_query(name: &str) -> StatementError {
    StatementError::server("XX000", format!("{name} is no query"))
}

impl SqlFunction {
    /// Does its query stand in place of a call with these arguments? Else it is run.
    #[must_use]
    pub fn stands_for_call(&self, arguments: &[Expr]) -> bool {
        self.body.query().is_some() && !arguments.iter().any(reads_columns)
    }

    /// The same where a value is wanted: a query of a table is run with a snapshot of its own then, unless the function
    /// says that it does without (`inline_function`, `fmgr_sql`).
    #[must_use]
    pub fn stands_for_value(&self, arguments: &[Expr]) -> bool {
        let reads_tables = self.body.query().is_some_and(|query| !query.from.is_empty());
        self.stands_for_call(arguments) && !(reads_tables && self.volatility == Volatility::Volatile)
    }

    /// The query that gives what the function gives for these arguments.
    ///
    /// # Errors
    /// Another number of arguments.
    pub fn called(&self, arguments: &[Expr]) -> Result<Select, StatementError> {
        let name = &self.name;
        let missing = self.arguments.len().checked_sub(arguments.len()).filter(|count| *count <= self.defaults.len());
        let given = arguments.iter().chain(&self.defaults[self.defaults.len() - missing.unwrap_or(0)..]);
        let arguments = &given.cloned().collect::<Vec<_>>()[..];
        if arguments.len() != self.arguments.len() {
            return Err(StatementError::server(
                "42883",
                format!("function {name} with {} arguments does not exist", arguments.len()),
            ));
        }
        let Some(mut body) = self.body.query().cloned() else { return Err(not_a_query(name)) };
        body.visit_mut(&mut |expr| {
            let at = match &expr.node {
                ExprNode::Param(number) => usize::from(*number).checked_sub(1),
                ExprNode::Column { table: None, name } => {
                    self.arguments.iter().position(|(argument, _)| argument.as_ref() == Some(name))
                }
                // a column of an argument that is a row
                ExprNode::Column { table: Some(table), name } => {
                    let is_row = |(argument, ty): &(Option<String>, SqlType)| {
                        argument.as_ref() == Some(table) && is_composite(ty.oid)
                    };
                    let found = self.arguments.iter().position(is_row);
                    if let Some((given, (_, ty))) =
                        found.and_then(|at| Some((arguments.get(at)?, self.arguments.get(at)?)))
                    {
                        let whole =
                            Expr { node: ExprNode::Cast(Box::new(given.clone()), *ty), position: expr.position };
                        expr.node = ExprNode::Field(Box::new(whole), name.clone());
                    }
                    None
                }
                _ => None,
            };
            if let Some((given, (_, ty))) = at.and_then(|at| Some((arguments.get(at)?, self.arguments.get(at)?))) {
                expr.node = ExprNode::Cast(Box::new(given.clone()), *ty);
            }
        });
        Ok(self.with_types(body, arguments))
    }

    /// Each column as the type that the function is declared with.
    fn with_types(&self, body: Select, arguments: &[Expr]) -> Select {
        let position = place(arguments);
        let column = |n: usize| format!("column{}", n + 1);
        let target = |(n, (name, ty)): (usize, &(String, SqlType))| {
            let node = ExprNode::Column { table: Some(BODY.to_string()), name: column(n) };
            let cast = ExprNode::Cast(Box::new(Expr { node, position }), *ty);
            Target::Expr { expr: Expr { node: cast, position }, alias: Some(name.clone()) }
        };
        let columns: Vec<String> = (0..self.columns.len()).map(column).collect();
        let (alias, query) = (Some(BODY.to_string()), Box::new(body));
        Select {
            targets: self.columns.iter().enumerate().map(target).collect(),
            from: Vec::from([FromItem::Query { query, alias, columns, lateral: false }]),
            ..Select::default()
        }
    }

    /// A call within an expression: one value, NULL where there is no row.
    ///
    /// # Errors
    /// As [`Self::called`]; a sentence, where it gives more than a value.
    pub fn value(&self, arguments: &[Expr]) -> Result<Expr, StatementError> {
        if self.is_set || self.columns.len() != 1 {
            let message = format!("a call of {} outside of FROM is not supported", self.name);
            return Err(StatementError::unsupported(message, None));
        }
        let mut query = self.called(arguments)?;
        let position = place(arguments);
        query.limit = Some(Expr { node: ExprNode::Literal(Literal::Number("1".to_string())), position });
        Ok(Expr { node: ExprNode::Query { kind: QueryKind::Scalar, query: Box::new(query) }, position })
    }
}

/// Where a call is said to stand.
fn place(arguments: &[Expr]) -> Position {
    arguments.first().map_or(Position { line: 1, column: 1 }, |argument| argument.position)
}

fn reads_columns(expr: &Expr) -> bool {
    matches!(expr.node, ExprNode::Column { .. } | ExprNode::Query { .. })
        || expr.children().into_iter().any(reads_columns)
}
