//! Waiting for an advisory lock: a SELECT that asks for one alone waits before it begins, as nothing that it would take
//! back has happened then. Within anything else such a wait is not supported (`pg_advisory_lock_int8`,
//! src/backend/utils/adt/lockfuncs.c).

use crate::sql::ast::{Expr, ExprNode, Literal, Select, Statement, Target};
use crate::sql::catalog::looking::advisory_key;
use crate::storage::{AdvisoryKey, WaitFor};
use alloc::vec::Vec;
use ffviz_format::datum::Value;

/// What the statement would wait for, where another session has it.
pub(super) fn wanted(tree: &Statement) -> Option<WaitFor> {
    let Statement::Select(select) = tree else { return None };
    let Select { targets, from, filter: None, .. } = select else { return None };
    let call = |target: &Target| match target {
        Target::Expr { expr, .. } => of_call(expr),
        Target::Star(_) => None,
    };
    let (key, shared) = targets.iter().find_map(call).filter(|_| from.is_empty())?;
    Some(WaitFor::Advisory(key, shared))
}

fn of_call(expr: &Expr) -> Option<(AdvisoryKey, bool)> {
    let ExprNode::Function { name, args, .. } = &expr.node else { return None };
    let shared = match name.as_str() {
        "pg_advisory_lock" | "pg_advisory_xact_lock" => false,
        "pg_advisory_lock_shared" | "pg_advisory_xact_lock_shared" => true,
        _ => return None,
    };
    let values = args.iter().map(number).collect::<Option<Vec<Value>>>()?;
    (1..=2).contains(&values.len()).then(|| (advisory_key(&values), shared))
}

fn number(expr: &Expr) -> Option<Value> {
    match &expr.node {
        ExprNode::Literal(Literal::Number(digits)) => Some(Value::Int8(digits.parse().ok()?)),
        ExprNode::Minus(inner) => number(inner)?.integer().map(|number| Value::Int8(-number)),
        _ => None,
    }
}
