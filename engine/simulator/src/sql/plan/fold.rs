//! What can be worked out before the first row: `eval_const_expressions` (src/backend/optimizer/util/clauses.c), and
//! conditions as a list of parts that must all hold (`make_ands_implicit`).

use super::canonical::canonical;
use crate::sql::ast::BinaryOp;
use crate::sql::expr::{Case, Context, Env, Node, Typed, Volatility, is_range, operator_symbol};
use crate::version::SqlBehaviour;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::random::Random;
use ffviz_format::datum::range::{Bound, Range};
use ffviz_format::datum::{SqlType, Value};

/// Expressions without functions that have a memory need none.
struct Still(Input, Random);

impl Context for Still {
    fn input(&self) -> Input {
        self.0
    }
    fn random(&mut self) -> &mut Random {
        &mut self.1
    }
    fn set_random(&mut self, random: Random) {
        self.1 = random;
    }
    fn clock(&mut self) -> u64 {
        0
    }
    fn nextval(&mut self, _: &Value) -> Result<i64> {
        Err(SqlError::new("0A000", "nextval is no constant"))
    }
    fn currval(&mut self, _: &Value) -> Result<i64> {
        Err(SqlError::new("0A000", "currval is no constant"))
    }
    fn setval(&mut self, _: &Value, _: i64, _: bool) -> Result<()> {
        Err(SqlError::new("0A000", "setval is no constant"))
    }
    fn txid_current(&mut self) -> Result<i64> {
        Err(SqlError::new("0A000", "txid_current is no constant"))
    }
    fn current_setting(&mut self, _: &str, _: bool) -> Result<Option<String>> {
        Err(SqlError::new("0A000", "current_setting is no constant"))
    }
    fn reload_conf(&mut self) {}
    fn sleep(&mut self, _: f64) -> Result<()> {
        Ok(())
    }
}

/// The expression with its constant parts worked out.
///
/// # Errors
/// What a constant part raises, as PostgreSQL's planner does: also where no row would ever be read.
pub fn fold(expr: Typed, input: Input) -> Result<Typed> {
    match expr.node {
        Node::And(operands) => connected(operands, false, expr.ty, input),
        Node::Or(operands) => connected(operands, true, expr.ty, input),
        Node::Case(case) => folded_case(*case, expr.ty, input),
        node => {
            let whole = Typed { node, ty: expr.ty };
            let part = whole.map_children(&mut |child| fold(child, input))?;
            Ok(simplify_boolean_equality(between(constant(part, input)?, input)))
        }
    }
}

/// A part whose operands are worked out.
fn constant(part: Typed, input: Input) -> Result<Typed> {
    let immutable = match &part.node {
        Node::Const(_) | Node::Slot(_) | Node::Param(_) | Node::Aggregate(_) | Node::CaseTest => return Ok(part),
        Node::Outer(..) | Node::Query(_) | Node::AnyElement(..) | Node::Routine(..) => return Ok(part),
        // a strict operator with NULL
        Node::Binary(_, operands) if is_null(&operands.0) || is_null(&operands.1) => {
            return Ok(Typed::constant(Value::Null, part.ty));
        }
        Node::Call(builtin, _) => builtin.volatility() == Volatility::Immutable,
        _ => true,
    };
    if !immutable || part.children().iter().any(|child| !matches!(child.node, Node::Const(_))) {
        return Ok(part);
    }
    let mut still = Still(input, Random::Erand48(0));
    let value = part.eval(&mut Env::new(&[], &[], &mut still))?;
    Ok(Typed::constant(value, part.ty))
}

/// A value that is in a known range is one between its bounds, from 17 on (`find_simplified_clause`,
/// src/backend/utils/adt/rangetypes.c).
fn between(part: Typed, input: Input) -> Typed {
    let Node::Call(builtin, args) = &part.node else { return part };
    let (range, element) = match (operator_symbol(*builtin), &args[..]) {
        (Some("@>"), [range, element]) | (Some("<@"), [element, range]) => (range, element),
        _ => return part,
    };
    let Node::Const(value) = &range.node else { return part };
    let Some(known) = Range::of(value).filter(|_| !is_range(element.ty.oid) && is_range(range.ty.oid)) else {
        return part;
    };
    let is_volatile = |node: &Node| match node {
        Node::Call(builtin, _) => builtin.volatility() == Volatility::Volatile,
        Node::Routine(..) | Node::Query(_) => true,
        _ => false,
    };
    if !input.version().takes_ranges_apart() || element.any(&is_volatile) {
        return part;
    }
    if known.is_empty() {
        return Typed::constant(Value::Bool(false), part.ty);
    }
    let bound = |bound: &Bound, strict: BinaryOp, other: BinaryOp| {
        let value = Typed::constant(bound.value.clone()?, element.ty);
        let op = if bound.inclusive { other } else { strict };
        Some(Typed { node: Node::Binary(op, Box::new((element.clone(), value))), ty: part.ty })
    };
    let lower = bound(&known.lower, BinaryOp::Gt, BinaryOp::Ge);
    let upper = bound(&known.upper, BinaryOp::Lt, BinaryOp::Le);
    match (lower, upper) {
        (Some(lower), Some(upper)) => Typed { node: Node::And(Vec::from([lower, upper])), ty: part.ty },
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => Typed::constant(Value::Bool(true), part.ty),
    }
}

/// A condition that is compared with true or false is itself, or its opposite.
fn simplify_boolean_equality(part: Typed) -> Typed {
    let Node::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), operands) = part.node else { return part };
    match *operands {
        (Typed { node: Node::Const(Value::Bool(known)), .. }, other)
        | (other, Typed { node: Node::Const(Value::Bool(known)), .. }) => {
            if known == (op == BinaryOp::Eq) {
                other
            } else {
                negate(other, part.ty)
            }
        }
        operands => Typed { node: Node::Binary(op, Box::new(operands)), ty: part.ty },
    }
}

/// AND or OR (`simplify_and_arguments`): ends at the constant that decides, which is `end`; constants that decide
/// nothing go.
fn connected(operands: Vec<Typed>, end: bool, ty: SqlType, input: Input) -> Result<Typed> {
    let mut left: Vec<Typed> = Vec::new();
    let mut has_null = false;
    for operand in operands {
        let operand = fold(operand, input)?;
        match operand.node {
            Node::Const(Value::Bool(value)) if value == end => return Ok(Typed::constant(Value::Bool(end), ty)),
            Node::Const(Value::Null) => has_null = true,
            Node::Const(_) => {}
            // AND within AND
            Node::And(inner) if !end => left.extend(inner),
            Node::Or(inner) if end => left.extend(inner),
            node => left.push(Typed { node, ty: operand.ty }),
        }
    }
    if has_null {
        left.push(Typed::constant(Value::Null, ty));
    }
    Ok(match left.len() {
        0 => Typed::constant(Value::Bool(!end), ty),
        1 => left.remove(0),
        _ => Typed { node: if end { Node::Or(left) } else { Node::And(left) }, ty },
    })
}

/// CASE: what a constant condition leaves out is not worked out.
fn folded_case(case: Case, ty: SqlType, input: Input) -> Result<Typed> {
    let operand = case.operand.map(|operand| fold(operand, input)).transpose()?;
    let known = operand.as_ref().filter(|operand| matches!(operand.node, Node::Const(_)));
    let mut whens = Vec::new();
    for (when, then) in case.whens {
        let when = match known {
            Some(known) => with_test(when, known)?,
            None => when,
        };
        let when = fold(when, input)?;
        match when.node {
            Node::Const(Value::Bool(true)) if whens.is_empty() => return fold(then, input),
            Node::Const(Value::Bool(true)) => {
                let otherwise = fold(then, input)?;
                return Ok(Typed { node: Node::Case(Box::new(Case { operand, whens, otherwise })), ty });
            }
            Node::Const(_) => {}
            node => whens.push((Typed { node, ty: when.ty }, fold(then, input)?)),
        }
    }
    let otherwise = fold(case.otherwise, input)?;
    if whens.is_empty() {
        return Ok(otherwise);
    }
    Ok(Typed { node: Node::Case(Box::new(Case { operand, whens, otherwise })), ty })
}

/// The condition with the CASE's operand in its place; a CASE within has an operand of its own.
fn with_test(expr: Typed, operand: &Typed) -> Result<Typed> {
    match expr.node {
        Node::CaseTest => Ok(Typed { node: operand.node.clone(), ty: expr.ty }),
        Node::Case(case) if case.operand.is_some() => Ok(Typed { node: Node::Case(case), ty: expr.ty }),
        node => Typed { node, ty: expr.ty }.map_children(&mut |child| with_test(child, operand)),
    }
}

fn is_null(expr: &Typed) -> bool {
    expr.node == Node::Const(Value::Null)
}

/// The parts that must all hold; `None` when none ever can.
///
/// # Errors
/// As [`fold`].
pub fn parts(condition: Typed, input: Input) -> Result<Option<Vec<Typed>>> {
    let folded = canonical(fold(negations(condition)?, input)?);
    let mut found = Vec::new();
    let all = match folded.node {
        Node::And(operands) => operands,
        node => alloc::vec![Typed { node, ty: folded.ty }],
    };
    for part in all {
        match part.node {
            Node::Const(Value::Bool(true)) => {}
            Node::Const(_) => return Ok(None),
            node => found.push(Typed { node, ty: part.ty }),
        }
    }
    Ok(Some(found))
}

/// NOT moved inwards (`negate_clause`): to the comparison's opposite.
fn negations(expr: Typed) -> Result<Typed> {
    let part = expr.map_children(&mut negations)?;
    Ok(match part.node {
        Node::Not(inner) => negate(*inner, part.ty),
        node => Typed { node, ty: part.ty },
    })
}

fn negate(expr: Typed, ty: SqlType) -> Typed {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    let node = match expr.node {
        Node::Binary(op, operands) if op.is_comparison() => {
            let opposite = match op {
                Eq => Ne,
                Ne => Eq,
                Lt => Ge,
                Le => Gt,
                Gt => Le,
                _ => Lt,
            };
            Node::Binary(opposite, operands)
        }
        Node::IsNull(inner, negated) => Node::IsNull(inner, !negated),
        Node::AnyOf(left, list, negated) => Node::AnyOf(left, list, !negated),
        Node::Not(inner) => return *inner,
        Node::And(list) => Node::Or(list.into_iter().map(|part| negate(part, ty)).collect()),
        Node::Or(list) => Node::And(list.into_iter().map(|part| negate(part, ty)).collect()),
        node => Node::Not(Box::new(Typed { node, ty: expr.ty })),
    };
    Typed { node, ty }
}
