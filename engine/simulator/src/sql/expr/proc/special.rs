//! Functions whose arguments are of any number and type: `coalesce`, `greatest`, `concat` (`transformCoalesceExpr`,
//! `transformMinMaxExpr`, src/backend/parser/parse_expr.c). Their rows are found by the grammar only, not by arguments.

use super::array_edit::array_fill;
use super::format_text::format_text;
use super::text::{self, joined};
use super::{json, jsonpath, rows};
use crate::sql::StatementError;
use crate::sql::ast::BinaryOp;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::analyze::{Analyzer, truth};
use crate::sql::expr::call::{Call, bytes};
use crate::sql::expr::choose::Choice;
use crate::sql::expr::function::{no_function, type_name};
use crate::sql::expr::operate;
use crate::sql::expr::pg_catalog::{
    ANY, ANYARRAY, BOOL, INT4, INT4_ARRAY, JSON, JSONB, RECORD, TEXT, TIMESTAMPTZ, UNKNOWN,
};
use crate::sql::expr::pg_proc::{Builtin, Proc, f};
use crate::sql::expr::{Case, Node, Typed};
use crate::sql::parse::is_collatable;
use crate::version::SqlBehaviour;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::form::data_offset;
use ffviz_format::datum::{Attribute, RECORD_ARRAY, SqlType, TupleDesc, Value, varlena};

pub(in crate::sql::expr) const PROCS: &[Proc] = &[
    f("array_fill", &[], ANYARRAY, array_fill).of_null(),
    f("collate", &[TEXT, TEXT], TEXT, |call| Ok(call.args[0].clone())).of_null(),
    f("concat", &[], TEXT, |call| Ok(Value::Text(joined(text::as_texts(call)?.iter(), b"").into()))).of_null(),
    f("concat_ws", &[], TEXT, concat_ws).of_null(),
    f("format", &[], TEXT, |call| format_text(&text::as_texts(call)?)).of_null(),
    f("grouping", &[], INT4, grouping).of_null(),
    f("greatest", &[], ANY, |call| extreme(call, Ordering::Greater)).of_null(),
    f("json exists", &[], ANY, jsonpath::json_item).of_null(),
    f("json query", &[], ANY, jsonpath::json_item).of_null(),
    f("json value", &[], ANY, jsonpath::json_item).of_null(),
    f("jsonb_build_array", &[], JSONB, json::build_array).of_null(),
    f("jsonb_build_object", &[], JSONB, json::build_object).of_null(),
    f("jsonb_concat", &[JSONB, JSONB], JSONB, json::concatenated),
    f("least", &[], ANY, |call| extreme(call, Ordering::Less)).of_null(),
    f("expanded row", &[RECORD], RECORD, |call| Ok(call.args[0].clone())),
    f("path with row", &[RECORD_ARRAY, RECORD], RECORD_ARRAY, rows::path_append).of_null(),
    f("path has row", &[RECORD_ARRAY, RECORD], BOOL, rows::path_has).of_null(),
    f("row at depth", &[RECORD, RECORD], RECORD, rows::row_at_depth).of_null(),
    f("record_out", &[RECORD], TEXT, rows::record_out),
    f("row_is_not_null", &[RECORD], BOOL, |call| Ok(rows::row_is_null(call, true))).of_null(),
    f("row_is_null", &[RECORD], BOOL, |call| Ok(rows::row_is_null(call, false))).of_null(),
    f("row_to_json", &[RECORD], JSON, rows::row_to_json),
    f("row_size", &[], INT4, row_size).of_null().of_stored(),
    f("to_jsonb", &[ANY], JSONB, json::to_jsonb),
];

/// The greatest or the least of the values that are there.
fn extreme(call: &mut Call<'_, '_>, wanted: Ordering) -> Result<Value> {
    let (ty, mut best) = (call.type_of(0), Value::Null);
    for value in call.args.iter().filter(|value| !value.is_null()) {
        if best.is_null() || operate::compare(value, &best, [ty; 2], &call.input())? == wanted {
            best = value.clone();
        }
    }
    Ok(best)
}

/// GROUPING: a bit for each key that is not in the group's set; the first argument has those of all keys.
fn grouping(call: &mut Call<'_, '_>) -> Result<Value> {
    let missing = call.args[0].integer().unwrap_or(0);
    let bits = call.args[1..].iter().filter_map(Value::integer).map(|place| missing >> place & 1);
    Ok(Value::Int4(bits.fold(0, |all, bit| all << 1 | bit as i32)))
}

fn concat_ws(call: &mut Call<'_, '_>) -> Result<Value> {
    Ok(match &text::as_texts(call)?[..] {
        [] | [Value::Null, ..] => Value::Null,
        [separator, rest @ ..] => Value::Text(joined(rest.iter(), bytes(separator)?).into()),
    })
}

/// How long a row is as a value of its own, with what is in a TOAST table fetched, though not unpacked
/// (`toast_build_flattened_tuple`, src/backend/access/heap/heaptoast.c).
fn row_size(call: &mut Call<'_, '_>) -> Result<Value> {
    let fetched = |value: &Value| match value {
        Value::Stored(bytes) if bytes.first() == Some(&1) => {
            let len = varlena::external_size(bytes)? + 4;
            let mut inline = vec![0; len];
            inline[..4].copy_from_slice(&((len as u32) << 2).to_le_bytes());
            Some(Value::Stored(inline.into()))
        }
        other => Some(other.clone()),
    };
    let Some(values) = call.args.iter().map(fetched).collect::<Option<Vec<_>>>() else {
        return Err(SqlError::new(NOT_SIMULATED, "the size of this row is not supported"));
    };
    let attributes: Vec<Attribute> = (1..).zip(call.exprs).map(|(n, expr)| expr.ty.attribute(n, "")).collect();
    let has_null = values.iter().any(Value::is_null);
    let size = data_offset(attributes.len(), has_null) + TupleDesc::new(attributes).data_size(&values);
    Ok(Value::Int4(size as i32))
}

impl Analyzer<'_> {
    /// The call, where the function is one of them.
    /// What the grammar makes of SEARCH, CYCLE and COLLATE.
    fn made(&mut self, name: &str, args: &[Typed]) -> core::result::Result<Option<Typed>, StatementError> {
        Ok(Some(match (name, args) {
            ("path with row" | "path has row" | "row at depth", [_, _]) => {
                let (builtin, ty) = match name {
                    "path with row" => (const { Builtin::of("path with row") }, RECORD_ARRAY),
                    "path has row" => (const { Builtin::of("path has row") }, BOOL),
                    _ => (const { Builtin::of("row at depth") }, RECORD),
                };
                Typed { node: Node::Call(builtin, args.to_vec()), ty: SqlType::plain(ty) }
            }
            ("collate", [text, Typed { node: Node::Const(Value::Text(name)), .. }]) => {
                self.collated(text.clone(), name)?
            }
            _ => return Ok(None),
        }))
    }

    /// COLLATE: an order by bytes all have that are read.
    fn collated(&mut self, text: Typed, name: &[u8]) -> core::result::Result<Typed, StatementError> {
        if name == b"pg_c_utf8" && !self.input.version().has_builtin_collations() {
            let message = "collation \"pg_c_utf8\" for encoding \"UTF8\" does not exist";
            return Err(StatementError::server("42704", message));
        }
        let text = if text.ty.oid == UNKNOWN { self.implicit(text, TEXT)? } else { text };
        let ty = text.ty;
        if !is_collatable(ty.oid) {
            let message = alloc::format!("collations are not supported by type {}", type_name(ty.oid));
            return Err(StatementError::server("42804", message));
        }
        if name == b"default" {
            return Ok(text);
        }
        let name = Typed::constant(Value::Text(name.into()), SqlType::TEXT);
        Ok(Typed { node: Node::Call(const { Builtin::of("collate") }, Vec::from([text, name])), ty })
    }

    pub(in crate::sql::expr) fn special(
        &mut self,
        name: &str,
        args: &[Typed],
    ) -> core::result::Result<Option<Typed>, StatementError> {
        if let Some(made) = self.made(name, args)? {
            return Ok(Some(made));
        }
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
                let builtin =
                    if name == "least" { const { Builtin::of("least") } } else { const { Builtin::of("greatest") } };
                let args = self.as_common(args.to_vec(), "GREATEST")?;
                self.needs_order(args[0].ty.oid)?;
                let ty = SqlType::plain(args[0].ty.oid);
                Typed { node: Node::Call(builtin, args), ty }
            }
            ("concat" | "concat_ws" | "format", [_, ..]) => {
                let builtin = match name {
                    "concat" => const { Builtin::of("concat") },
                    "format" => const { Builtin::of("format") },
                    _ => const { Builtin::of("concat_ws") },
                };
                let mut decided = Vec::with_capacity(args.len());
                for arg in args {
                    let (is_open, arg) = (arg.ty.oid == UNKNOWN, arg.clone());
                    decided.push(if is_open { self.implicit(arg, TEXT)? } else { self.printed(arg)? });
                }
                Typed { node: Node::Call(builtin, decided), ty: SqlType::TEXT }
            }
            ("unnest", [_, _, ..]) => {
                let given: Vec<_> = args.iter().map(|arg| arg.ty.oid).collect();
                return Err(no_function(name, &given, Choice::None));
            }
            ("num_nulls" | "num_nonnulls", []) => return Err(no_function(name, &[], Choice::None)),
            ("num_nulls" | "num_nonnulls", _) => {
                let builtin = match name {
                    "num_nulls" => const { Builtin::of("num_nulls") },
                    _ => const { Builtin::of("num_nonnulls") },
                };
                Typed { node: Node::Call(builtin, args.to_vec()), ty: SqlType::plain(INT4) }
            }
            ("array_fill", [value, bounds @ ..]) if (1..=2).contains(&bounds.len()) => {
                if value.ty.oid == UNKNOWN {
                    let message = "could not determine polymorphic type because input has type unknown";
                    return Err(StatementError::server("42804", message));
                }
                let array = ffviz_format::datum::array_of(value.ty.oid)
                    .ok_or_else(|| StatementError::unsupported("array_fill of this type is not supported", None))?;
                let mut all = Vec::from([value.clone()]);
                for bound in bounds {
                    all.push(self.implicit(bound.clone(), INT4_ARRAY)?);
                }
                Typed { node: Node::Call(const { Builtin::of("array_fill") }, all), ty: SqlType::plain(array) }
            }
            ("to_jsonb", [arg]) if arg.ty.oid != UNKNOWN => {
                let args = Vec::from([self.printed(arg.clone())?]);
                Typed { node: Node::Call(const { Builtin::of("to_jsonb") }, args), ty: SqlType::plain(JSONB) }
            }
            ("current_timestamp" | "transaction_timestamp" | "statement_timestamp", []) => {
                Typed { node: Node::Call(const { Builtin::of("now") }, Vec::new()), ty: SqlType::plain(TIMESTAMPTZ) }
            }
            _ => return self.json_call(name, args),
        }))
    }

    /// The first one that is not NULL.
    ///
    /// # Errors
    /// They have no type in common.
    pub fn coalesce(&mut self, args: &[Typed]) -> core::result::Result<Typed, StatementError> {
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
