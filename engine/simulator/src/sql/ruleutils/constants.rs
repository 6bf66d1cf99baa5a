//! Constants and casts (`get_const_expr`, `simple_quote_literal`, `get_coercion_expr`,
//! src/backend/utils/adt/ruleutils.c).

use crate::sql::ast::BinaryOp;
use crate::sql::expr::pg_catalog::{BOOL, INT4, NUMERIC, UNKNOWN};
use crate::sql::expr::{Node, Typed};
use crate::sql::parse::RESERVED;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{SqlType, Value};

/// `COL_NAME_KEYWORD`, and `TYPE_FUNC_NAME_KEYWORD` that functions and joins are called by.
const NAMED: &str = "between bigint bit boolean char character coalesce dec decimal exists extract float greatest grouping \
    inout int integer interval least national nchar none normalize nullif numeric out overlay position precision real row \
    setof smallint substring time timestamp treat trim values varchar left right like natural outer overlaps similar \
    tablesample verbose session_user user current_catalog current_schema cross inner join ilike is isnull notnull \
    collation concurrently freeze binary authorization";

/// `quote_identifier`: keywords, too, but those that mean nothing special.
pub fn quote_identifier(name: &str) -> String {
    let is_keyword = RESERVED.contains(&name) || NAMED.split(' ').any(|word| word == name);
    if is_keyword { format!("\"{name}\"") } else { crate::cluster::ddl::quote_identifier(name) }
}

/// `(left op right)`
#[must_use]
pub fn comparison(op: BinaryOp, left: &str, right: &str) -> String {
    format!("({left} {} {right})", op.name())
}

/// A constant with its type, where that does not follow from how it is written.
pub(super) fn constant(value: &Value, ty: SqlType) -> Option<String> {
    if ty.typmod >= 0 || ty.oid == UNKNOWN {
        return None;
    }
    if value.is_null() {
        return Some(format!("NULL::{}", ty.name()));
    }
    let text = value.output(ty.oid)?;
    let is_number = text.starts_with(|c: char| c.is_ascii_digit());
    Some(match ty.oid {
        BOOL => if text == "t" { "true" } else { "false" }.to_string(),
        INT4 if is_number => text,
        NUMERIC if is_number && text.contains('.') => text,
        _ => format!("{}::{}", literal(&text), ty.name()),
    })
}

/// `simple_quote_literal`: a backslash is one, as `standard_conforming_strings` is on.
pub(super) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// An array of constants, as one constant.
pub(super) fn array(list: &[Typed]) -> Option<String> {
    let ty = list.first()?.ty;
    let elements = list.iter().map(|item| match &item.node {
        Node::Const(Value::Null) => Some("NULL".to_string()),
        Node::Const(value) => value.output(ty.oid).map(|text| element(&text)),
        _ => None,
    });
    let elements = elements.collect::<Option<Vec<_>>>()?;
    (ty.typmod < 0).then(|| format!("{}::{}[]", literal(&format!("{{{}}}", elements.join(","))), ty.name()))
}

/// `array_out`: what would be read otherwise is quoted.
fn element(text: &str) -> String {
    let is_special = |c: char| matches!(c, '"' | '\\' | '{' | '}' | ',') || c.is_ascii_whitespace();
    if !text.is_empty() && !text.eq_ignore_ascii_case("null") && !text.contains(is_special) {
        return text.to_string();
    }
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
