//! Whole rows as values: those of tables, and variables of PL/pgSQL that are rows (`transformWholeRowRef`,
//! src/backend/parser/parse_expr.c; `ExecEvalWholeRowVar`, src/backend/executor/execExprInterp.c).

use super::analyze::{Analyzer, note_outer, truth};
use super::pg_catalog::{RECORD, REGCLASS, REGNAMESPACE, REGPROC, REGPROCEDURE, REGTYPE};
use super::scope::Column;
use super::{Case, Node, RangeEntry, RangeTable, SystemColumns, Typed};
use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode};
use crate::sql::error::Position;
use crate::sql::plan::is_called_row;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use ffviz_format::datum::{RowType, SqlType, Value};

/// A row that is a variable of PL/pgSQL: its columns are parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct VariableRow {
    /// its name
    pub name: String,
    /// names of its columns, and the parameters that they are, from 0
    pub columns: Vec<(String, u16)>,
    /// is it NULL as a whole?
    pub is_null: bool,
    /// is its type known beyond the variable, so that `row.*` says which columns it has?
    pub is_registered: bool,
    /// its type, where it is not record
    pub ty: Option<RowType>,
}

impl Analyzer<'_> {
    /// Does it name a whole row of a table in FROM?
    pub(in crate::sql) fn is_whole_row(&self, expr: &Expr) -> bool {
        if self.variable_row(expr).is_some() {
            return true;
        }
        match &expr.node {
            ExprNode::Column { table: Some(table), name } => name == "*" && self.range.entry(table).is_some(),
            ExprNode::Column { table: None, name } => {
                let is_row = |entry: &RangeEntry| !entry.is_scalar && entry.catalog.is_none();
                matches!(self.range.column(None, name), Ok(None)) && self.range.entry(name).is_some_and(is_row)
            }
            _ => false,
        }
    }

    /// The values of a row that is written out, or of a whole row of a table; nothing of anything else.
    pub(super) fn parts_of_row(&mut self, arg: &Expr) -> Result<Option<Vec<Typed>>, StatementError> {
        if !matches!(arg.node, ExprNode::Row(_)) && !self.is_whole_row(arg) {
            return Ok(None);
        }
        let row = self.expr(arg)?;
        match row.node {
            Node::Row(_, parts) => {
                let decided = parts.into_iter().map(|part| self.implicit_text(part));
                decided.collect::<Result<_, _>>().map(Some)
            }
            _ => Err(StatementError::unsupported("the size of this row is not supported", Some(arg.position))),
        }
    }

    /// A row of a table has the values of dropped columns still, which its size says.
    pub(super) fn with_dropped(&self, arg: &Expr, parts: Vec<Typed>) -> Vec<Typed> {
        let ExprNode::Column { table, name } = &arg.node else { return parts };
        let Some(entry) = self.range.entry(table.as_ref().unwrap_or(name)) else { return parts };
        let stored = |((slot, column), part): ((u16, &Column), Typed)| match column.name.is_empty() {
            true => self.range.read(slot, column.ty),
            false => part,
        };
        (entry.first..).zip(&entry.columns).zip(parts).map(stored).collect()
    }

    /// The whole row that is named, of a table in FROM, here or in a query around, or of a variable; nothing of
    /// anything else.
    pub(super) fn whole_row(&mut self, expr: &Expr) -> Result<Option<Typed>, StatementError> {
        if let Some(row) = self.variable_row(expr).cloned() {
            return self.row_of_variable(&row).map(Some);
        }
        let name = match &expr.node {
            ExprNode::Column { table: Some(table), name } if name == "*" => table,
            ExprNode::Column { table: None, name } => name,
            _ => return Ok(None),
        };
        if let Some(entry) = self.range.entry(name) {
            let row = self.row_of_entry(entry, None, expr.position)?;
            self.note_bare(entry.first, "*", expr.position);
            return Ok(Some(if is_called_row(expr) { null_of_nulls(row) } else { row }));
        }
        for (level, range) in (1..).zip(self.outer.iter().rev()) {
            if let Some(entry) = range.entry(name) {
                let row = self.row_of_entry(entry, Some((level, range)), expr.position)?;
                note_outer(&row, &mut self.reads);
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// A row that is a variable.
    fn row_of_variable(&mut self, row: &VariableRow) -> Result<Typed, StatementError> {
        let oid = row.ty.as_ref().map_or(RECORD, RowType::typid);
        if row.is_null {
            return Ok(Typed::constant(Value::Null, SqlType::plain(oid)));
        }
        let mut columns = Vec::new();
        for (name, number) in &row.columns {
            columns.push((name.clone(), self.param(number + 1)?));
        }
        match &row.ty {
            Some(ty) => Ok(typed_row(ty, columns.into_iter().map(|(_, part)| part))),
            None => self.record_of(columns),
        }
    }

    /// The row of a table in FROM, or in that of a query so many levels out.
    fn row_of_entry(
        &mut self,
        entry: &RangeEntry,
        around: Option<(u16, &RangeTable)>,
        at: Position,
    ) -> Result<Typed, StatementError> {
        if entry.catalog.is_some() {
            let message = "a whole row of a catalog or a view of the server's is not supported";
            return Err(StatementError::unsupported(message, Some(at)));
        }
        let read = |slot: u16, ty: SqlType| match around {
            Some((level, range)) => range.read_outer(level, slot, ty),
            None => self.range.read(slot, ty),
        };
        let mut columns = Vec::with_capacity(entry.columns.len());
        for (slot, column) in (entry.first..).zip(&entry.columns) {
            if matches!(column.ty.oid, REGCLASS | REGTYPE | REGNAMESPACE | REGPROC | REGPROCEDURE)
                && entry.row_type.is_some()
            {
                let message = "a whole row with a value of regclass and its like is not supported";
                return Err(StatementError::unsupported(message, Some(at)));
            }
            columns.push((column.name.clone(), read(slot, column.ty)));
        }
        let ctid = entry.first + entry.columns.len() as u16;
        let is_there = (entry.system == SystemColumns::Read).then(|| read(ctid, SqlType::TID));
        let row = self.row_named(columns, entry.row_type)?;
        if !entry.is_nullable {
            return Ok(row);
        }
        // an outer join has no row of it: then it is NULL, which no column of its own tells
        let Some(ctid) = is_there else {
            let message = "a whole row of a query in an outer join is not supported";
            return Err(StatementError::unsupported(message, Some(at)));
        };
        let whens = vec![(truth(Node::IsNull(Box::new(ctid), false)), Typed::constant(Value::Null, row.ty))];
        let ty = row.ty;
        Ok(Typed { node: Node::Case(Box::new(Case { operand: None, whens, otherwise: row })), ty })
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
}

/// The values as a row of that type.
pub(super) fn typed_row(ty: &RowType, values: impl Iterator<Item = Typed>) -> Typed {
    Typed { node: Node::Row(ty.clone(), values.collect()), ty: SqlType::plain(ty.typid()) }
}

/// A strict function that was given NULL is NULL itself.
fn null_of_nulls(row: Typed) -> Typed {
    let ty = row.ty;
    let Node::Row(_, parts) = &row.node else { return row };
    let all_null = parts.iter().map(|part| truth(Node::IsNull(Box::new(part.clone()), false))).collect();
    let whens = vec![(truth(Node::And(all_null)), Typed::constant(Value::Null, ty))];
    Typed { node: Node::Case(Box::new(Case { operand: None, whens, otherwise: row })), ty }
}
