//! Which share of the rows satisfies a condition: `clauselist_selectivity` (src/backend/optimizer/path/clausesel.c), `eqsel`, `scalarineqsel`
//! (src/backend/utils/adt/selfuncs.c), as they are without column statistics.

use super::size::clamp;
use crate::datum::Value;
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{Node, Typed};
use alloc::vec::Vec;

/// `DEFAULT_EQ_SEL`
const EQUAL: f64 = 0.005;
/// `DEFAULT_INEQ_SEL`
const INEQUAL: f64 = 0.333_333_333_333_333_3;
/// `DEFAULT_RANGE_INEQ_SEL`
pub const RANGE: f64 = 0.005;
/// `DEFAULT_UNK_SEL`
const IS_NULL: f64 = 0.005;
/// `DEFAULT_NUM_DISTINCT`
const DISTINCT: f64 = 200.0;
/// of a function that gives boolean
const FUNCTION: f64 = 0.333_333_3;

/// Estimates for one table.
pub struct Selectivity<'a> {
    /// the table
    pub table: &'a TableInfo,
    /// its rows
    pub tuples: f64,
}

impl Selectivity<'_> {
    /// Of conditions that must all hold.
    pub fn all(&self, clauses: &[&Typed]) -> f64 {
        let mut ranges: Vec<(&Typed, [bool; 2])> = Vec::new();
        let mut product = 1.0;
        for clause in clauses {
            match bound(clause) {
                // a < and a > of one expression make a range
                Some((expr, is_upper)) => match ranges.iter_mut().find(|(known, _)| known.node == expr.node) {
                    Some((_, sides)) => {
                        // of two bounds of one side the smaller share counts, and all shares are alike
                        sides[usize::from(is_upper)] = true;
                    }
                    None => ranges.push((expr, [!is_upper, is_upper])),
                },
                None => product *= self.one(clause),
            }
        }
        ranges
            .iter()
            .fold(product, |product, (_, sides)| product * if sides == &[true, true] { RANGE } else { INEQUAL })
    }

    /// Of one condition (`clause_selectivity`).
    pub fn one(&self, clause: &Typed) -> f64 {
        match &clause.node {
            Node::Const(Value::Bool(true)) => 1.0,
            Node::Const(_) => 0.0,
            Node::And(operands) => self.all(&operands.iter().collect::<Vec<_>>()),
            Node::Or(operands) => operands.iter().fold(0.0, |sum, operand| {
                let next = self.one(operand);
                sum + next - sum * next
            }),
            Node::Not(operand) => 1.0 - self.one(operand),
            Node::IsNull(_, negated) => {
                if *negated {
                    1.0 - IS_NULL
                } else {
                    IS_NULL
                }
            }
            Node::Binary(op, operands) => self.comparison(*op, &operands.0, &operands.1),
            Node::AnyOf(left, list, negated) => self.any_of(left, list, *negated),
            Node::Slot(_) => self.equal(clause),
            Node::Call(..) => FUNCTION,
            _ => 0.5,
        }
    }

    fn comparison(&self, op: BinaryOp, left: &Typed, right: &Typed) -> f64 {
        let (variable, other) = match (left.is_pseudo_constant(), right.is_pseudo_constant()) {
            (false, true) => (left, right),
            (true, false) => (right, left),
            // columns on both sides, or on none
            _ => {
                return match op {
                    BinaryOp::Eq => EQUAL,
                    BinaryOp::Ne => 1.0 - EQUAL,
                    _ => INEQUAL,
                };
            }
        };
        match (op, &other.node) {
            // comparison with NULL
            (_, Node::Const(Value::Null)) => 0.0,
            (BinaryOp::Eq, _) => self.equal(variable),
            (BinaryOp::Ne, _) => 1.0 - self.equal(variable),
            _ => INEQUAL,
        }
    }

    /// `var_eq_const`
    fn equal(&self, variable: &Typed) -> f64 {
        if self.is_unique(variable) && self.tuples >= 1.0 {
            return 1.0 / self.tuples;
        }
        1.0 / self.distinct(variable).0
    }

    /// `get_variable_numdistinct`, and whether it is a guess.
    pub fn distinct(&self, variable: &Typed) -> (f64, bool) {
        const BOOL: u32 = 16;
        if variable.ty.oid == BOOL {
            (2.0, false)
        } else if self.tuples <= 0.0 {
            (DISTINCT, true)
        } else if self.is_unique(variable) || self.tuples < DISTINCT {
            (clamp(self.tuples), false)
        } else {
            (DISTINCT, true)
        }
    }

    /// Has it a unique index of its own?
    fn is_unique(&self, variable: &Typed) -> bool {
        self.table.indexes.iter().any(|index| {
            index.unique
                && index.predicate.is_empty()
                && matches!(&index.keys[..], [key] if key.expr.node == variable.node)
        })
    }

    /// `scalararraysel`: the elements exclude each other, as far as their shares do not add up to more than all.
    fn any_of(&self, left: &Typed, list: &[Typed], negated: bool) -> f64 {
        let one = |item| self.comparison(if negated { BinaryOp::Ne } else { BinaryOp::Eq }, left, item);
        let (mut joint, mut disjoint) = if negated { (1.0, 1.0) } else { (0.0, 0.0) };
        for item in list {
            let next = one(item);
            if negated {
                joint *= next;
                disjoint += next - 1.0;
            } else {
                joint = joint + next - joint * next;
                disjoint += next;
            }
        }
        if (0.0..=1.0).contains(&disjoint) { disjoint } else { joint }
    }
}

/// Is it a bound of an expression, an upper one?
fn bound(clause: &Typed) -> Option<(&Typed, bool)> {
    let Node::Binary(op, operands) = &clause.node else { return None };
    let (left, right) = (&operands.0, &operands.1);
    let (expr, op, other) = match (left.is_pseudo_constant(), right.is_pseudo_constant()) {
        (false, true) => (left, *op, right),
        (true, false) => (right, op.commutator(), left),
        _ => return None,
    };
    if other.node == Node::Const(Value::Null) {
        return None;
    }
    match op {
        BinaryOp::Lt | BinaryOp::Le => Some((expr, true)),
        BinaryOp::Gt | BinaryOp::Ge => Some((expr, false)),
        _ => None,
    }
}
