//! Functions whose arguments are of any number and type: `coalesce`, `greatest`, `concat` (`transformCoalesceExpr`,
//! `transformMinMaxExpr`, src/backend/parser/parse_expr.c).

use crate::sql::StatementError;
use crate::sql::ast::BinaryOp;
use crate::sql::expr::analyze::{Analyzer, truth};
use crate::sql::expr::pg_catalog::{JSONB, TEXT, TIMESTAMPTZ, UNKNOWN};
use crate::sql::expr::pg_proc::Builtin;
use crate::sql::expr::{Case, Node, Typed};
use alloc::boxed::Box;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlType, Value};

impl Analyzer<'_> {
    /// The call, where the function is one of them.
    pub(in crate::sql::expr) fn special(
        &mut self,
        name: &str,
        args: &[Typed],
    ) -> Result<Option<Typed>, StatementError> {
        Ok(Some(match (name, args) {
            ("coalesce", [_, ..]) => self.coalesce(args)?,
            ("nullif", [left, right]) => {
                let test = self.binary(BinaryOp::Eq, left.clone(), right.clone())?;
                let result = match &test.node {
                    Node::Binary(_, operands) => operands.0.clone(),
                    _ => left.clone(),
                };
                let whens = Vec::from([(test, Typed::constant(Value::Null, result.ty))]);
                let ty = result.ty;
                Typed { node: Node::Case(Box::new(Case { operand: None, whens, otherwise: result })), ty }
            }
            ("greatest" | "least", [_, ..]) => {
                let builtin = if name == "least" { Builtin::Least } else { Builtin::Greatest };
                let args = self.as_common(args.to_vec(), "GREATEST")?;
                let ty = SqlType::plain(args[0].ty.oid);
                Typed { node: Node::Call(builtin, args), ty }
            }
            ("concat" | "concat_ws" | "format", [_, ..]) => {
                let name = match name {
                    "concat" => "concat",
                    "format" => "format",
                    _ => "concat_ws",
                };
                let mut decided = Vec::with_capacity(args.len());
                for arg in args {
                    let is_open = arg.ty.oid == UNKNOWN;
                    decided.push(if is_open { self.implicit(arg.clone(), TEXT)? } else { arg.clone() });
                }
                Typed { node: Node::Call(Builtin::Named(name), decided), ty: SqlType::TEXT }
            }
            ("jsonb_build_object" | "jsonb_build_array", _) => {
                let name = if name == "jsonb_build_object" { "jsonb_build_object" } else { "jsonb_build_array" };
                let mut decided = Vec::with_capacity(args.len());
                for arg in args {
                    let is_open = arg.ty.oid == UNKNOWN;
                    decided.push(if is_open { self.implicit(arg.clone(), TEXT)? } else { arg.clone() });
                }
                Typed { node: Node::Call(Builtin::Named(name), decided), ty: SqlType::plain(JSONB) }
            }
            ("to_jsonb", [arg]) if arg.ty.oid != UNKNOWN => {
                Typed { node: Node::Call(Builtin::Named("to_jsonb"), args.to_vec()), ty: SqlType::plain(JSONB) }
            }
            ("current_timestamp" | "transaction_timestamp" | "statement_timestamp", []) => {
                Typed { node: Node::Call(Builtin::Now, Vec::new()), ty: SqlType::plain(TIMESTAMPTZ) }
            }
            _ => return Ok(None),
        }))
    }

    /// The first one that is not NULL.
    fn coalesce(&mut self, args: &[Typed]) -> Result<Typed, StatementError> {
        let mut args = self.as_common(args.to_vec(), "COALESCE")?;
        let Some(otherwise) = args.pop() else { return Err(StatementError::server("42601", "syntax error")) };
        let ty = SqlType::plain(otherwise.ty.oid);
        let test = |arg: Typed| (truth(Node::IsNull(Box::new(arg.clone()), true)), arg);
        let whens: Vec<_> = args.into_iter().map(test).collect();
        if whens.is_empty() {
            return Ok(otherwise);
        }
        Ok(Typed { node: Node::Case(Box::new(Case { operand: None, whens, otherwise })), ty })
    }
}
