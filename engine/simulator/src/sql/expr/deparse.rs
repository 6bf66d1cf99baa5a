//! Expressions as messages name them (`deparse_expression`, src/backend/utils/adt/ruleutils.c): columns, constants,
//! functions and operators.

use super::{Node, RangeTable, Typed, pg_proc};
use crate::cluster::ddl::quote_identifier;
use crate::sql::ast::BinaryOp;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::Value;

/// A key of an index (`pg_get_indexdef_columns`): what looks like no function stands in parentheses. `None` where it
/// has other parts.
#[must_use]
pub fn index_key(key: &Typed, range: &RangeTable) -> Option<String> {
    let text = expression(key, range)?;
    match key.node {
        Node::Slot(_) | Node::Call(..) => Some(text),
        _ => Some(format!("({text})")),
    }
}

fn expression(expr: &Typed, range: &RangeTable) -> Option<String> {
    match &expr.node {
        Node::Slot(slot) => {
            let entry = range.entries.iter().rev().find(|entry| entry.first <= *slot)?;
            Some(quote_identifier(&entry.columns.get(usize::from(slot - entry.first))?.name))
        }
        Node::Const(Value::Int4(number)) => Some(number.to_string()),
        Node::Const(value @ Value::Text(_)) => {
            Some(format!("'{}'::text", value.output(expr.ty.oid)?.replace('\'', "''")))
        }
        // operators are not told
        Node::Call(builtin, _) if super::operators::symbol(*builtin).is_some() => None,
        Node::Call(builtin, args) => {
            let args: Option<Vec<String>> = args.iter().map(|arg| argument(arg, range)).collect();
            Some(format!("{}({})", pg_proc::name(*builtin)?, args?.join(", ")))
        }
        Node::Binary(op, operands) => Some(binary(*op, &operands.0, &operands.1, range)?),
        _ => None,
    }
}

/// A function's argument says what it is cast to.
fn argument(arg: &Typed, range: &RangeTable) -> Option<String> {
    let Node::Cast(inner, _) = &arg.node else { return expression(arg, range) };
    let name = super::function::type_name(arg.ty.oid);
    let text = expression(inner, range)?;
    Some(if matches!(inner.node, Node::Binary(..)) { format!("({text})::{name}") } else { format!("{text}::{name}") })
}

fn binary(op: BinaryOp, left: &Typed, right: &Typed, range: &RangeTable) -> Option<String> {
    let operand = |expr: &Typed| {
        let text = expression(expr, range)?;
        Some(if matches!(expr.node, Node::Binary(..)) { format!("({text})") } else { text })
    };
    Some(format!("{} {} {}", operand(left)?, op.name(), operand(right)?))
}
