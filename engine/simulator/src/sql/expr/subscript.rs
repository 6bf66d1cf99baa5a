//! Brackets: elements and slices of arrays, parts of jsonb, read and assigned (`transformContainerSubscripts`,
//! `transformAssignmentSubscripts`, src/backend/parser/parse_node.c, parse_target.c).

use super::analyze::Analyzer;
use super::domains::REWRITE;
use super::function::type_name;
use super::pg_catalog::{Coercion, INT4, JSONB, TEXT, TEXT_ARRAY, UNKNOWN};
use super::pg_proc::Builtin;
use super::{Node, Typed};
use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, SqlType, Value, element_of};

impl Analyzer<'_> {
    /// `array[n]`, `matrix[n][m]`, `document['key']`
    pub(super) fn subscript(&mut self, array: &Expr, index: &Expr) -> Result<Typed, StatementError> {
        let (mut array, mut indexes) = (array, Vec::from([index]));
        while let ExprNode::Subscript(inner, index) = &array.node {
            indexes.insert(0, index);
            array = inner;
        }
        let array = self.expr(array)?;
        if array.ty.oid == JSONB && self.input.version().subscripts_jsonb() {
            let path = self.path(&indexes)?;
            let node = Node::Call(const { Builtin::of("jsonb_extract_path") }, Vec::from([array, path]));
            return Ok(Typed { node, ty: SqlType::plain(JSONB) });
        }
        let Some(element) = element_of(array.ty.oid) else { return Err(self.no_subscripts(array.ty)) };
        let mut args = Vec::from([array]);
        for index in indexes {
            let index = self.expr(index)?;
            args.push(self.implicit(index, INT4)?);
        }
        let node = Node::Call(const { Builtin::of("array_subscript") }, args);
        Ok(Typed { node, ty: SqlType::plain(element) })
    }

    fn no_subscripts(&self, ty: SqlType) -> StatementError {
        let why = match self.input.version().subscripts_jsonb() {
            true => "it does not support subscripting",
            false => "it is not an array",
        };
        StatementError::server("42804", format!("cannot subscript type {} because {why}", type_name(ty.oid)))
    }

    /// `array[from:to]`
    pub(super) fn slice(
        &mut self,
        array: &Expr,
        from: Option<&Expr>,
        to: Option<&Expr>,
    ) -> Result<Typed, StatementError> {
        let array = self.expr(array)?;
        if array.ty.oid == JSONB && self.input.version().subscripts_jsonb() {
            return Err(StatementError::server("0A000", "jsonb subscript does not support slices"));
        }
        if element_of(array.ty.oid).is_none() {
            return Err(self.no_subscripts(array.ty));
        }
        let ty = array.ty;
        let mut args = Vec::from([array]);
        for (bound, end) in [(from, i32::MIN), (to, i32::MAX)] {
            args.push(match bound {
                Some(bound) => {
                    let bound = self.expr(bound)?;
                    self.implicit(bound, INT4)?
                }
                None => Typed::constant(Value::Int4(end), SqlType::INT4),
            });
        }
        Ok(Typed { node: Node::Call(const { Builtin::of("array_slice") }, args), ty })
    }

    /// Subscripts of jsonb as a path.
    fn path(&mut self, subscripts: &[&Expr]) -> Result<Typed, StatementError> {
        let mut steps = Vec::new();
        for subscript in subscripts {
            let step = self.expr(subscript)?;
            if step.ty.oid != UNKNOWN
                && !super::pg_catalog::can_coerce(step.ty.oid, INT4, Coercion::Implicit, self.major())
                && !super::pg_catalog::can_coerce(step.ty.oid, TEXT, Coercion::Implicit, self.major())
            {
                let message = format!("subscript type {} is not supported", type_name(step.ty.oid));
                return Err(StatementError::server("42804", message).at(subscript.position));
            }
            let step = self.coerce(step, SqlType::TEXT, Coercion::Assignment)?;
            steps.extend(step);
        }
        Ok(Typed { node: Node::Array(steps), ty: SqlType::plain(TEXT_ARRAY) })
    }

    /// What a column becomes of which parts are assigned, one after the other.
    pub(super) fn with_parts(
        &mut self,
        column: &str,
        ty: SqlType,
        parts: &[(Vec<Expr>, Expr)],
    ) -> Result<Typed, StatementError> {
        let target = self.range.entries.first().map(|entry| entry.name.clone());
        let found = self.range.column(target.as_deref(), column)?;
        let Some((slot, _)) = found else {
            return Err(StatementError::unsupported("a part of a column in SET is not supported here", None));
        };
        let whole = self.range.read(slot, ty);
        parts.iter().try_fold(whole, |whole, (path, value)| self.with_part(column, whole, path, value))
    }

    fn with_part(
        &mut self,
        column: &str,
        whole: Typed,
        subscripts: &[Expr],
        value: &Expr,
    ) -> Result<Typed, StatementError> {
        let ty = whole.ty;
        if ty.oid == JSONB && self.input.version().subscripts_jsonb() {
            let path = self.path(&subscripts.iter().collect::<Vec<_>>())?;
            let value = self.part(value, column, JSONB)?;
            let node = Node::Call(const { Builtin::of("jsonb_set_element") }, Vec::from([whole, path, value]));
            return Ok(Typed { node, ty });
        }
        let Some(element) = element_of(ty.oid) else { return Err(self.no_subscripts(ty)) };
        let [index] = subscripts else {
            return Err(StatementError::unsupported("an array of more than one dimension is not supported", None));
        };
        let index = self.expr(index)?;
        let index = self.implicit(index, INT4)?;
        let value = self.part(value, column, element)?;
        let node = Node::Call(const { Builtin::of("array_set_element") }, Vec::from([whole, index, value]));
        Ok(Typed { node, ty })
    }

    /// The new value of a part.
    fn part(&mut self, value: &Expr, column: &str, to: u32) -> Result<Typed, StatementError> {
        let value = self.expr(value)?;
        let from = value.ty.oid;
        self.coerce(value, SqlType::plain(to), Coercion::Assignment)?.ok_or_else(|| {
            let what = if self.input.version().subscripts_jsonb() { "subscripted" } else { "array" };
            let (to, from) = (type_name(to), type_name(from));
            let message =
                format!("{what} assignment to \"{column}\" requires type {to} but expression is of type {from}");
            StatementError::from(SqlError::new("42804", message).with_hint(REWRITE))
        })
    }
}
