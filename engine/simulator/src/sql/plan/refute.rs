//! Can no row of a table satisfy the conditions, by what its CHECKs say (`relation_excluded_by_constraints`,
//! src/backend/optimizer/util/plancat.c; `predicate_refuted_by`, src/backend/optimizer/util/predtest.c)?
//!
//! ```text
//!  WHERE  AND  any part refutes          CHECK  AND  any part is refuted
//!         OR   each part refutes                OR   each part is refuted
//!         x < 5 refutes CHECK (x >= 5), of which NULL is no violation
//! ```

use super::clause::part_implies;
use crate::sql::ast::BinaryOp;
use crate::sql::expr::{Node, Typed, compare};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::input::Context as Input;
use ffviz_format::page::Oid;

/// `MAX_SAOP_ARRAY_SIZE`: longer lists are not looked into.
const LONGEST_LIST: usize = 100;

/// What is asked.
pub struct Refuter<'a> {
    pub input: &'a Input,
    /// does NULL count as false, too?
    pub weak: bool,
}

/// A condition or CHECK, as it is taken apart (`PredClass`).
enum Parts {
    And(Vec<Typed>),
    Or(Vec<Typed>),
    Atom,
}

fn parts(expr: &Typed) -> Parts {
    match &expr.node {
        Node::And(parts) => Parts::And(parts.clone()),
        Node::Or(parts) => Parts::Or(parts.clone()),
        Node::AnyOf(left, list, is_all) if list.len() <= LONGEST_LIST => {
            let op = if *is_all { BinaryOp::Ne } else { BinaryOp::Eq };
            let one = |item: &Typed| {
                let node = Node::Binary(op, Box::new(((**left).clone(), item.clone())));
                Typed { node, ty: expr.ty }
            };
            let all = list.iter().map(one).collect();
            if *is_all { Parts::And(all) } else { Parts::Or(all) }
        }
        _ => Parts::Atom,
    }
}

impl Refuter<'_> {
    /// Is one of the parts of `known` false where all `conditions` are true?
    pub fn refutes(&self, conditions: &[Typed], known: &[Typed]) -> bool {
        let by_arms = |condition: &Typed| match parts(condition) {
            Parts::Or(arms) => arms.iter().all(|arm| self.refutes(core::slice::from_ref(arm), known)),
            _ => false,
        };
        known.iter().any(|known| self.all(conditions, known)) || conditions.iter().any(by_arms)
    }

    /// By conditions all of which hold.
    fn all(&self, conditions: &[Typed], known: &Typed) -> bool {
        if let Parts::Or(arms) = parts(known)
            && arms.iter().all(|arm| self.all(conditions, arm))
        {
            return true;
        }
        conditions.iter().any(|condition| self.one(condition, known))
    }

    /// `predicate_refuted_by_recurse`
    fn one(&self, condition: &Typed, known: &Typed) -> bool {
        match (parts(condition), parts(known)) {
            (Parts::And(conditions), Parts::And(all)) => self.refutes(&conditions, &all),
            (Parts::And(conditions), _) => self.all(&conditions, known),
            (Parts::Or(_), Parts::And(all)) => self.refutes(core::slice::from_ref(condition), &all),
            (Parts::Or(_), Parts::Or(all)) => all.iter().all(|known| self.one(condition, known)),
            (Parts::Or(arms), Parts::Atom) => arms.iter().all(|arm| self.one(arm, known)),
            (Parts::Atom, Parts::And(all)) => all.iter().any(|known| self.one(condition, known)),
            (Parts::Atom, Parts::Or(all)) => all.iter().all(|known| self.one(condition, known)),
            (Parts::Atom, Parts::Atom) => self.atom(condition, known),
        }
    }

    fn atom(&self, condition: &Typed, known: &Typed) -> bool {
        match (&condition.node, &known.node) {
            (_, Node::Not(inner)) => part_implies(condition, inner),
            (Node::Not(inner), _) => part_implies(known, inner),
            (Node::IsNull(one, false), Node::IsNull(other, true)) => one.node == other.node,
            (Node::IsNull(one, true), Node::IsNull(other, false)) => one.node == other.node,
            (_, Node::IsNull(expr, false)) => is_strict_for(condition, expr),
            (Node::IsNull(expr, false), _) => self.weak && is_strict_for(known, expr),
            (Node::Binary(..), Node::Binary(..)) => self.operators(condition, known) == Some(true),
            _ => false,
        }
    }

    /// `operator_predicate_proof`: the same expression compared with two constants.
    fn operators(&self, condition: &Typed, known: &Typed) -> Option<bool> {
        let (given, one, value) = compared(condition)?;
        let (needed, other, limit) = compared(known)?;
        let (Node::Const(had), Node::Const(limited)) = (&value.node, &limit.node) else { return None };
        if one.node != other.node || had.is_null() || limited.is_null() || !is_immutable(value.ty.oid, limit.ty.oid) {
            return None;
        }
        let order = compare(had, limited, [value.ty.oid, limit.ty.oid], self.input).ok()?;
        Some(excludes(given, needed, order))
    }
}

/// A comparison with a constant, which stands on the right.
fn compared(expr: &Typed) -> Option<(BinaryOp, &Typed, &Typed)> {
    let Node::Binary(op, operands) = &expr.node else { return None };
    let (left, right) = (&operands.0, &operands.1);
    let is_constant = |expr: &Typed| matches!(expr.node, Node::Const(_));
    match op.is_comparison() {
        true if is_constant(right) => Some((*op, left, right)),
        true if is_constant(left) => Some((op.commutator(), right, left)),
        _ => None,
    }
}

/// Dates and times with a zone are compared by what the session's zone is.
const fn is_immutable(one: Oid, other: Oid) -> bool {
    const TIMESTAMPTZ: Oid = 1184;
    one == other || (one != TIMESTAMPTZ && other != TIMESTAMPTZ)
}

/// Is `x needed limit` false where `x given value` holds, and value and limit are in that order (`BT_refutes_table`)?
const fn excludes(given: BinaryOp, needed: BinaryOp, order: Ordering) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    match (given, needed) {
        (Lt, Eq | Ge | Gt) | (Le | Eq, Gt) => order.is_le(),
        (Le | Eq, Ge) | (Le, Eq) => order.is_lt(),
        (Gt, Eq | Le | Lt) | (Ge | Eq, Lt) => order.is_ge(),
        (Ge | Eq, Le) | (Ge, Eq) => order.is_gt(),
        (Eq, Eq) => order.is_ne(),
        (Eq, Ne) | (Ne, Eq) => order.is_eq(),
        _ => false,
    }
}

/// Is the condition not true where the expression is NULL?
fn is_strict_for(condition: &Typed, expr: &Typed) -> bool {
    let reads = |operand: &Typed| operand.node == expr.node;
    match &condition.node {
        Node::Binary(op, operands) => op.is_comparison() && (reads(&operands.0) || reads(&operands.1)),
        Node::AnyOf(left, ..) => reads(left),
        _ => reads(condition),
    }
}
