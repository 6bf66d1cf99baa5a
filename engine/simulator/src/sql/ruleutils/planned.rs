//! Expressions as EXPLAIN prints them (`get_rule_expr`, `get_const_expr`, src/backend/utils/adt/ruleutils.c): those of
//! one table or several. What is not printed for certain as the server does gives `None`.

use super::constants::{array, comparison, constant};
use crate::cluster::ddl::quote_identifier;
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::TableInfo;
use crate::sql::expr::pg_catalog::{
    BOOL, BPCHAR, CHAR, DATE, INT2, INT4, INT8, NUMERIC, TEXT, TIMESTAMP, TIMESTAMPTZ, VARCHAR,
};
use crate::sql::expr::{Builtin, Case, Node, SYSTEM, SubPlan, Typed, operator_symbol as symbol, proc_name};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{SqlType, Value};

/// What columns and aggregates are called.
pub trait Names {
    /// A column of the row, of this type.
    fn column(&self, slot: u16, ty: SqlType) -> Option<String>;

    /// Is that column of a domain?
    fn is_of_domain(&self, _slot: u16) -> bool {
        false
    }

    /// A column of a query or a table around.
    fn outer(&self, _level: u16, _slot: u16, _ty: SqlType) -> Option<String> {
        None
    }

    /// The result of an aggregate, or the key of a group.
    fn aggregate(&self, _number: u16, _ty: SqlType) -> Option<String> {
        None
    }

    /// A query within an expression.
    fn query(&self, _sub: &SubPlan) -> Option<String> {
        None
    }
}

impl Names for TableInfo {
    fn column(&self, slot: u16, ty: SqlType) -> Option<String> {
        column(usize::from(slot), ty, self, "")
    }

    fn is_of_domain(&self, slot: u16) -> bool {
        self.columns.get(usize::from(slot)).is_some_and(|column| column.domain.is_some())
    }
}

/// The columns of a table behind its name.
pub struct Prefixed<'a>(pub &'a TableInfo, pub &'a str);

impl Names for Prefixed<'_> {
    fn column(&self, slot: u16, ty: SqlType) -> Option<String> {
        column(usize::from(slot), ty, self.0, &format!("{}.", quote_identifier(self.1)))
    }

    fn is_of_domain(&self, slot: u16) -> bool {
        self.0.is_of_domain(slot)
    }
}

/// An expression over the columns of a table.
#[must_use]
pub fn rule(expr: &Typed, names: &dyn Names) -> Option<String> {
    Some(match &expr.node {
        Node::Slot(slot) => names.column(*slot, expr.ty)?,
        Node::Aggregate(number) => names.aggregate(*number, expr.ty)?,
        Node::Outer(level, slot) => names.outer(*level, *slot, expr.ty)?,
        Node::Query(sub) => names.query(sub)?,
        Node::Const(value) => constant(value, expr.ty)?,
        Node::Param(number) => format!("${}", number + 1),
        Node::Binary(op, operands) => {
            comparison(*op, &as_operand(&operands.0, names)?, &as_operand(&operands.1, names)?)
        }
        Node::Negate(operand) => format!("(- {})", as_operand(operand, names)?),
        Node::Not(operand) => format!("(NOT {})", rule(operand, names)?),
        Node::And(list) => connected(list, " AND ", names)?,
        Node::Or(list) => connected(list, " OR ", names)?,
        Node::IsNull(operand, false) => format!("({} IS NULL)", rule(operand, names)?),
        Node::IsNull(operand, true) => format!("({} IS NOT NULL)", rule(operand, names)?),
        Node::AnyOf(left, list, negated) => {
            let (left, list) = (as_operand(left, names)?, array(list)?);
            if *negated { format!("({left} <> ALL ({list}))") } else { format!("({left} = ANY ({list}))") }
        }
        Node::Rows(op, pairs) => {
            let row = |side: fn(&(Typed, Typed)) -> &Typed| {
                let values = pairs.iter().map(|pair| as_operand(side(pair), names)).collect::<Option<Vec<_>>>()?;
                Some(format!("ROW({})", values.join(", ")))
            };
            comparison(*op, &row(|pair| &pair.0)?, &row(|pair| &pair.1)?)
        }
        Node::Cast(operand, _) if is_plain_cast(operand.ty, expr.ty) => {
            format!("({})::{}", rule(operand, names)?, expr.ty.name())
        }
        Node::Call(builtin, args) if let (Some(symbol), [left, right]) = (symbol(*builtin), &args[..]) => {
            format!("({} {symbol} {})", as_operand(left, names)?, as_operand(right, names)?)
        }
        Node::Call(builtin, args) if builtin.name() == "extract" => {
            let [Typed { node: Node::Const(field), .. }, from] = &args[..] else { return None };
            format!("EXTRACT({} FROM {})", field.output(TEXT)?, as_operand(from, names)?)
        }
        // COALESCE is a CASE that takes what it has found not to be NULL
        Node::Case(case) if case.operand.is_none() && case.whens.iter().all(is_taken) => {
            let args = case.whens.iter().map(|(_, value)| value).chain([&case.otherwise]);
            let args = args.map(|arg| as_operand(arg, names)).collect::<Option<Vec<_>>>()?;
            format!("COALESCE({})", args.join(", "))
        }
        Node::Case(case) => truth(case, names).or_else(|| self::case(case, names))?,
        // a list that is written out is planned otherwise
        Node::AnyElement(parts, all) if !parts.0.is_pseudo_constant() || matches!(parts.0.node, Node::Query(_)) => {
            let Node::Binary(op, operands) = &parts.1.node else { return None };
            let (left, array) = (rule(&operands.0, names)?, rule(&parts.0, names)?);
            format!("({left} {} {} ({array}))", op.name(), if *all { "ALL" } else { "ANY" })
        }
        Node::Call(builtin, args) if is_plain_call(*builtin) => {
            // of a date it is a function in SQL, which is pulled up
            let is_cast = |arg: &Typed| arg.ty.oid == DATE && builtin.name() == "date_part";
            let cast = |arg| Some(format!("({})::{}", rule(arg, names)?, SqlType::plain(TIMESTAMP).name()));
            let args = args.iter().map(|arg| if is_cast(arg) { cast(arg) } else { as_operand(arg, names) });
            let args = args.collect::<Option<Vec<_>>>()?;
            // words of joins are quoted
            let name = proc_name(*builtin)?;
            let quote = if matches!(name, "left" | "right") { "\"" } else { "" };
            format!("{quote}{name}{quote}({})", args.join(", "))
        }
        _ => return None,
    })
}

/// `get_rule_expr` of a `CaseExpr`.
fn case(case: &Case, names: &dyn Names) -> Option<String> {
    let mut text = "CASE".to_string();
    if let Some(operand) = &case.operand {
        text = format!("{text} {}", rule(operand, names)?);
    }
    for (when, then) in &case.whens {
        let when = match &when.node {
            Node::Binary(BinaryOp::Eq, operands) if operands.0.node == Node::CaseTest => &operands.1,
            _ if case.operand.is_some() => return None,
            _ => when,
        };
        text = format!("{text} WHEN {} THEN {}", rule(when, names)?, rule(then, names)?);
    }
    Some(format!("{text} ELSE {} END", rule(&case.otherwise, names)?))
}

/// IS TRUE (`BooleanTest`) and IS DISTINCT FROM (`DistinctExpr`), which are kept as a CASE; nothing: it is another one.
fn truth(case: &Case, names: &dyn Names) -> Option<String> {
    let (when, then) = case.whens.first().filter(|_| case.operand.is_none())?;
    match (&when.node, &then.node, &case.otherwise.node) {
        (_, Node::Const(Value::Bool(found)), Node::Const(Value::Bool(other)))
            if found != other && case.whens.len() == 1 =>
        {
            let (operand, value) =
                if let Node::Not(operand) = &when.node { (&**operand, "FALSE") } else { (when, "TRUE") };
            let not = if *found { "" } else { "NOT " };
            Some(format!("({} IS {not}{value})", rule(operand, names)?))
        }
        (Node::IsNull(left, false), then, Node::Binary(op, operands)) if **left == operands.0 => {
            let (left, right) = (rule(&operands.0, names)?, rule(&operands.1, names)?);
            let is_distinct = format!("({left} IS DISTINCT FROM {right})");
            match (then, op) {
                (Node::Const(Value::Bool(true)) | Node::IsNull(_, true), BinaryOp::Ne) => Some(is_distinct),
                (Node::Const(Value::Bool(false)) | Node::IsNull(_, false), BinaryOp::Eq) => {
                    Some(format!("(NOT {is_distinct})"))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// The same as an operator or a function takes it: a column of a domain as the type that this is over.
fn as_operand(expr: &Typed, names: &dyn Names) -> Option<String> {
    let text = rule(expr, names)?;
    match expr.node {
        // a varchar is cast already
        Node::Slot(slot) if names.is_of_domain(slot) && !text.starts_with('(') => {
            Some(format!("({text})::{}", expr.ty.name()))
        }
        _ => Some(text),
    }
}

fn is_taken((when, then): &(Typed, Typed)) -> bool {
    matches!(&when.node, Node::IsNull(value, true) if **value == *then)
}

fn connected(list: &[Typed], word: &str, names: &dyn Names) -> Option<String> {
    let parts = list.iter().map(|part| rule(part, names)).collect::<Option<Vec<_>>>()?;
    Some(format!("({})", parts.join(word)))
}

/// A varchar is cast where it is taken for text (`RelabelType`).
fn column(slot: usize, ty: SqlType, table: &TableInfo, prefix: &str) -> Option<String> {
    let Some(column) = table.columns.get(slot) else {
        return SYSTEM.get(slot - table.columns.len()).map(|(name, _)| format!("{prefix}{name}"));
    };
    let name = format!("{prefix}{}", quote_identifier(&column.attribute.name));
    Some(match (column.ty().oid, ty.oid) {
        (VARCHAR, TEXT) => format!("({name})::text"),
        (TEXT, VARCHAR) => format!("({name})::character varying"),
        _ => name,
    })
}

/// Is the cast one function or none, so that it stands there once?
fn is_plain_cast(from: SqlType, to: SqlType) -> bool {
    const PLAIN: [u32; 17] =
        [BOOL, INT2, INT4, INT8, NUMERIC, TEXT, VARCHAR, 26, 27, 28, 29, 700, 701, DATE, TIMESTAMP, TIMESTAMPTZ, 2950];
    to.typmod < 0 && !matches!(to.oid, CHAR | BPCHAR) && PLAIN.contains(&from.oid)
}

/// Is the name of the function an ordinary word?
fn is_plain_call(builtin: Builtin) -> bool {
    const PLAIN: &str = "abs ascii ceil chr date_part date_trunc floor initcap left length lower lpad md5 mod \
        daterange int4range int8range isempty lower_inc lower_inf numrange range_merge tsrange tstzrange upper_inc upper_inf \
        repeat replace reverse right round rpad split_part starts_with strpos to_char to_date trunc upper";
    PLAIN.split(' ').any(|name| name == builtin.name())
}
