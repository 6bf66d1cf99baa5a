//! Whole rows as values: those of tables, and variables of PL/pgSQL that are rows (`transformWholeRowRef`,
//! src/backend/parser/parse_expr.c; `record_ne`, src/backend/utils/adt/rowtypes.c; `composite_to_json`, json.c).

use super::analyze::{Analyzer, truth};
use super::pg_catalog::{INT2, INT4, INT8, JSON, JSONB, RECORD};
use super::pg_proc::Builtin;
use super::{Case, Node, Typed};
use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode};
use crate::sql::error::Position;
use crate::sql::plan::is_called_row;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlType, Value};

/// A row that is a variable of PL/pgSQL: its columns are parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableRow {
    /// its name
    pub name: String,
    /// names of its columns, and the parameters that they are, from 0
    pub columns: Vec<(String, u16)>,
    /// is it NULL as a whole?
    pub is_null: bool,
    /// is its type known beyond the variable, so that `row.*` says which columns it has?
    pub is_registered: bool,
}

impl Analyzer<'_> {
    /// A row as a value, which is only shown (`transformRowExpr`).
    ///
    /// # Errors
    /// As [`Self::expr`].
    pub fn record(&mut self, expr: &Expr) -> Result<Typed, StatementError> {
        if self.variable_row(expr).is_some_and(|row| row.is_null) {
            return Ok(Typed::constant(Value::Null, SqlType::plain(RECORD)));
        }
        let Some(parts) = self.parts_of_row(expr)? else { return self.decided(expr) };
        let all_null = parts.iter().map(|part| truth(Node::IsNull(Box::new(part.clone()), false))).collect();
        let parts = parts.into_iter().map(|part| self.printed(part)).collect::<Result<_, _>>()?;
        let (builtin, ty) = (const { Builtin::of("row") }, SqlType::plain(RECORD));
        let row = Typed { node: Node::Call(builtin, parts), ty };
        if !is_called_row(expr) {
            return Ok(row);
        }
        // a strict function that was given NULL is NULL itself
        let whens = vec![(truth(Node::And(all_null)), Typed::constant(Value::Null, ty))];
        Ok(Typed { node: Node::Case(Box::new(Case { operand: None, whens, otherwise: row })), ty })
    }

    /// `(row).column` of a table's row (`ParseFuncOrColumn`, src/backend/parser/parse_func.c); of functions that are
    /// called among the targets `plan::sets` has put it into FROM.
    pub(super) fn field(&mut self, row: &Expr, field: &str, at: Position) -> Result<Typed, StatementError> {
        if let ExprNode::Column { table: None, name } = &row.node
            && field != "*"
            && self.is_whole_row(row)
        {
            let node = ExprNode::Column { table: Some(name.clone()), name: field.into() };
            return self.expr(&Expr { node, position: at });
        }
        if let Some((_, _, columns)) = self.set_function(row)?
            && field != "*"
            && !columns.iter().any(|column| column.name == field)
        {
            let message = format!("could not identify column \"{field}\" in record data type");
            return Err(StatementError::server("42703", message).at(row.position));
        }
        let message = "a column of a row as a value is not supported here; put the function into FROM";
        Err(StatementError::unsupported(message, Some(at)))
    }

    /// `record_out`, of whole numbers, which need no quotes.
    pub(super) fn row_as_text(&mut self, parts: &[Expr]) -> Result<Typed, StatementError> {
        let sign = |text: &str| Typed::constant(Value::text(text), SqlType::TEXT);
        let mut all = vec![sign("(")];
        for (n, part) in parts.iter().enumerate() {
            let part = self.expr(part)?;
            if !matches!(part.ty.oid, INT2 | INT4 | INT8) {
                let message = "a row with other values than whole numbers as text is not supported";
                return Err(StatementError::unsupported(message, None));
            }
            all.extend((n > 0).then(|| sign(",")));
            all.push(part);
        }
        all.push(sign(")"));
        Ok(Typed { node: Node::Call(const { Builtin::of("concat") }, all), ty: SqlType::TEXT })
    }

    /// The row that is a variable, where it is one, and nothing in FROM is called so.
    pub(super) fn variable_row(&self, expr: &Expr) -> Option<&VariableRow> {
        let name = match &expr.node {
            ExprNode::Column { table: Some(table), name } if name == "*" => table,
            ExprNode::Column { table: None, name } if matches!(self.range.column(None, name), Ok(None)) => name,
            _ => return None,
        };
        let is_free = self.range.entry(name).is_none() && !self.outer.iter().any(|range| range.entry(name).is_some());
        self.rows.iter().find(|row| is_free && row.name == *name)
    }

    /// The names of a row's columns.
    fn names_of_row(&self, arg: &Expr) -> Vec<String> {
        if let Some(row) = self.variable_row(arg) {
            return row.columns.iter().map(|(name, _)| name.clone()).collect();
        }
        let entry = match &arg.node {
            ExprNode::Row(parts) => return (1..=parts.len()).map(|n| format!("f{n}")).collect(),
            ExprNode::Column { table: Some(table), .. } => self.range.entry(table),
            ExprNode::Column { table: None, name } => self.range.entry(name),
            _ => None,
        };
        entry.map_or_else(Vec::new, |entry| entry.columns.iter().map(|column| column.name.clone()).collect())
    }

    /// `composite_to_json`: a row as a document, where it is one.
    pub(super) fn row_to_document(&mut self, name: &str, arg: &Expr) -> Result<Option<Typed>, StatementError> {
        let (builtin, ty) = match name {
            "to_jsonb" => (const { Builtin::of("jsonb_build_object") }, JSONB),
            _ => (const { Builtin::of("row_to_json") }, JSON),
        };
        if self.variable_row(arg).is_some_and(|row| row.is_null) {
            return Ok(Some(Typed::constant(Value::Null, SqlType::plain(ty))));
        }
        let Some(parts) = self.parts_of_row(arg)? else { return Ok(None) };
        let mut args = Vec::new();
        for (name, part) in self.names_of_row(arg).into_iter().zip(parts) {
            args.push(Typed::constant(Value::text(&name), SqlType::TEXT));
            args.push(self.printed(part)?);
        }
        Ok(Some(Typed { node: Node::Call(builtin, args), ty: SqlType::plain(ty) }))
    }

    /// Whole rows that are variables, column by column (`record_ne`); nothing of anything else.
    pub(super) fn whole_rows_distinct(
        &mut self,
        left: &Expr,
        right: &Expr,
        negated: bool,
    ) -> Result<Option<Typed>, StatementError> {
        let nulls = [left, right].map(|expr| self.variable_row(expr).map(|row| row.is_null));
        let [Some(one), Some(other)] = nulls else { return Ok(None) };
        if one || other {
            return Ok(Some(Typed::constant(Value::Bool((one != other) != negated), SqlType::BOOL)));
        }
        let (Some(left), Some(right)) = (self.parts_of_row(left)?, self.parts_of_row(right)?) else {
            return Ok(None);
        };
        if left.len() != right.len() {
            return Err(StatementError::server(
                "42804",
                "cannot compare record types with different numbers of columns",
            ));
        }
        let pairs = left.into_iter().zip(right);
        let tests = pairs.map(|(left, right)| self.distinct(left, right, negated)).collect::<Result<Vec<_>, _>>()?;
        Ok(Some(truth(if negated { Node::And(tests) } else { Node::Or(tests) })))
    }

    /// IS NULL of a whole row that is a variable: are all its columns; with NOT, is none?
    pub(super) fn is_null_row(&mut self, expr: &Expr, negated: bool) -> Result<Option<Typed>, StatementError> {
        let Some(row) = self.variable_row(expr) else { return Ok(None) };
        if row.is_null {
            return Ok(Some(Typed::constant(Value::Bool(!negated), SqlType::BOOL)));
        }
        let parts = self.parts_of_row(expr)?.unwrap_or_default();
        let test = |part: Typed| truth(Node::IsNull(Box::new(part), negated));
        Ok(Some(truth(Node::And(parts.into_iter().map(test).collect()))))
    }
}
