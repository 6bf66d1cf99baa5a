//! Values of enum types in expressions: casts, what is asked of their order, functions (src/backend/utils/adt/enum.c).

use super::analyze::Analyzer;
use super::choose::Choice;
use super::function::{no_function, type_name};
use super::pg_catalog::{ANYARRAY, Coercion, REGCLASS, REGNAMESPACE, REGPROC, REGPROCEDURE, REGTYPE, TEXT, UNKNOWN};
use super::pg_proc::Builtin;
use super::{Node, Typed};
use crate::cluster::EnumType;
use crate::sql::StatementError;
use crate::sql::catalog::enums::check_order;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::enums::{is_enum, mark};
use ffviz_format::datum::{SqlError, SqlType, Value, is_row, make_array};
use ffviz_format::page::Oid;

/// `enum_in`
///
/// # Errors
/// PostgreSQL's, where the enum has no such label.
pub(in crate::sql) fn enum_in(text: &[u8], ty: &EnumType) -> Result<Value, SqlError> {
    let text = String::from_utf8_lossy(text);
    let name = || type_name(ty.oid);
    let invalid = || SqlError::new("22P02", format!("invalid input value for enum {}: \"{text}\"", name()));
    let label = ty.label(&text).ok_or_else(invalid)?;
    if ty.fresh.iter().any(|(fresh, _)| *fresh == label) {
        let message = format!("unsafe use of new value \"{text}\" of enum type {}", name());
        return Err(SqlError::new("55P04", message));
    }
    Ok(Value::Oid(label))
}

impl Analyzer<'_> {
    fn enum_type(&self, oid: Oid) -> Result<&EnumType, StatementError> {
        let missing = || StatementError::unsupported("an enum type that was dropped meanwhile is not supported", None);
        self.enums.iter().find(|ty| ty.oid == oid).ok_or_else(missing)
    }

    /// A literal as a label.
    pub(super) fn label(&self, text: &[u8], to: Oid) -> Result<Typed, StatementError> {
        Ok(Typed::constant(enum_in(text, self.enum_type(to)?)?, SqlType::plain(to)))
    }

    /// Text that becomes a label when it runs.
    pub(super) fn enum_in(&mut self, text: Typed, to: Oid) -> Result<Typed, StatementError> {
        let args = Vec::from([self.implicit(text, TEXT)?, Typed::constant(Value::Oid(to), SqlType::OID)]);
        Ok(Typed { node: Node::Call(const { Builtin::of("enum_in") }, args), ty: SqlType::plain(to) })
    }

    /// A label as text, or what text becomes.
    pub(super) fn enum_out(&mut self, label: Typed, to: SqlType) -> Result<Typed, StatementError> {
        let node = match &label.node {
            Node::Const(Value::Oid(oid)) => {
                let labels = &self.enum_type(label.ty.oid)?.labels;
                let text = labels.iter().find(|(known, _)| known == oid).map_or("", |(_, text)| text);
                Node::Const(Value::text(text))
            }
            Node::Const(_) => label.node,
            _ => Node::Call(const { Builtin::of("enum_out") }, Vec::from([label])),
        };
        let text = Typed { node, ty: SqlType::TEXT };
        if to.oid == TEXT { Ok(text) } else { self.implicit(text, to.oid) }
    }

    /// What is taken as its output function prints it.
    pub(super) fn printed(&mut self, expr: Typed) -> Result<Typed, StatementError> {
        match expr.ty.oid {
            of if is_enum(of) => self.enum_out(expr, SqlType::TEXT),
            REGCLASS | REGTYPE | REGNAMESPACE | REGPROC | REGPROCEDURE => {
                self.coerce(expr.clone(), SqlType::TEXT, Coercion::Explicit).map(|it| it.unwrap_or(expr))
            }
            _ => Ok(expr),
        }
    }

    /// Something asks which of two values is less.
    ///
    /// # Errors
    /// That is not the order of OIDs.
    pub(in crate::sql) fn needs_order(&self, of: Oid) -> Result<(), StatementError> {
        if is_row(of) {
            return Err(StatementError::unsupported("groups of rows as values are not supported", None));
        }
        if is_enum(of) { Ok(check_order(self.enum_type(of)?)?) } else { Ok(()) }
    }

    /// What values are compared by: of an enum whose order is not that of OIDs the place of a label.
    pub(in crate::sql) fn ordered(&self, expr: Typed) -> Result<Typed, StatementError> {
        let of = expr.ty.oid;
        if !is_enum(of) || self.enum_type(of)?.is_ordered() {
            return Ok(expr);
        }
        let args = Vec::from([expr, Typed::constant(Value::Oid(of), SqlType::OID)]);
        Ok(Typed { node: Node::Call(const { Builtin::of("enum_rank") }, args), ty: SqlType::INT4 })
    }

    /// `enum_first`, `enum_last`, `enum_range`, which ask for the type of their arguments only, or for a part of it;
    /// `pg_typeof`.
    pub(super) fn enum_function(&self, name: &str, args: &[Typed]) -> Result<Option<Typed>, StatementError> {
        if let Some(name) = self.name_of_domain(name, args) {
            return Ok(Some(name));
        }
        if let ("pg_typeof", [Typed { ty: SqlType { oid: UNKNOWN, .. }, .. }]) = (name, args) {
            return Ok(Some(Typed::constant(Value::text("unknown"), SqlType::TEXT)));
        }
        let of = args.iter().map(|arg| arg.ty.oid).find(|oid| is_enum(*oid));
        if let ("pg_typeof", [_], Some(of)) = (name, args, of) {
            return Ok(Some(Typed::constant(Value::text(&mark(of)), SqlType::TEXT)));
        }
        let count = match name {
            "enum_first" | "enum_last" => 1..=1,
            "enum_range" => 1..=2,
            _ => return Ok(None),
        };
        let given: Vec<Oid> = args.iter().map(|arg| arg.ty.oid).collect();
        let is_taken = |oid: &Oid| Some(*oid) == of || *oid == UNKNOWN;
        let Some(ty) = of.filter(|_| count.contains(&args.len()) && given.iter().all(is_taken)) else {
            return Err(no_function(name, &given, Choice::None));
        };
        let labels = &self.enum_type(ty)?.labels;
        let end = |label: Option<&(Oid, String)>| {
            let value = label.map_or(Value::Null, |(oid, _)| Value::Oid(*oid));
            Typed::constant(value, SqlType::plain(ty))
        };
        match (name, args) {
            ("enum_first", _) => return Ok(Some(end(labels.first()))),
            ("enum_last", _) => return Ok(Some(end(labels.last()))),
            _ => {}
        }
        let mut ends = [0, labels.len()];
        if let [from, to] = args {
            for (n, bound) in [from, to].into_iter().enumerate() {
                let at = match &bound.node {
                    Node::Const(Value::Null) => continue,
                    Node::Const(Value::Oid(oid)) => labels.iter().position(|(known, _)| known == oid),
                    Node::Const(Value::Text(text)) => {
                        let Value::Oid(oid) = enum_in(text, self.enum_type(ty)?)? else { continue };
                        labels.iter().position(|(known, _)| *known == oid)
                    }
                    _ => {
                        return Err(StatementError::unsupported(
                            "enum_range of a part by columns is not supported",
                            None,
                        ));
                    }
                };
                ends[n] = at.unwrap_or(0) + n;
            }
        }
        let texts: Vec<Value> =
            labels.get(ends[0]..ends[1]).unwrap_or(&[]).iter().map(|(_, text)| Value::text(text)).collect();
        // an array of an enum is none here; what is shown is that of its labels
        Ok(Some(Typed::constant(make_array(TEXT, &texts), SqlType::plain(ANYARRAY))))
    }
}
