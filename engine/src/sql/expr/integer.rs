//! Whole numbers, calculated without values: `n + 1`, `(i::bigint * 7919 % 1000)::int` (src/backend/utils/adt/int.c, int8.c).
//!
//! ```text
//!  Cast to integer(Mod(Mul(Cast to bigint(Slot 0), 7919), 1000)) ──▶ i64, within the range of each type on the way ──▶ Value
//!                       └ NULL, out of range, divided by zero, or no whole number ──▶ none: the general way says what it is
//! ```

use super::pg_catalog::{INT2, INT4, INT8};
use super::{Node, Typed};
use crate::datum::Value;
use crate::sql::ast::BinaryOp;

impl Typed {
    /// The value of an expression that calculates with whole numbers only, columns of the row and parameters, as long as all goes well.
    #[inline]
    #[must_use]
    pub fn integer_value(&self, slots: &[Value], params: &[Value]) -> Option<Value> {
        let calculates = matches!(self.node, Node::Binary(..) | Node::Cast(..)) && is_integer(self);
        let number = if calculates { self.integer(slots, params)? } else { return None };
        match self.ty.oid {
            INT2 => number.try_into().ok().map(Value::Int2),
            INT4 => number.try_into().ok().map(Value::Int4),
            _ => Some(Value::Int8(number)),
        }
    }

    /// The number that it is, within the range of its type. Most operands are nothing to calculate.
    #[inline]
    pub(super) fn integer(&self, slots: &[Value], params: &[Value]) -> Option<i64> {
        match &self.node {
            Node::Const(value) => of(value),
            Node::Slot(slot) => of(&slots[usize::from(*slot)]),
            _ => self.calculate(slots, params),
        }
    }

    fn calculate(&self, slots: &[Value], params: &[Value]) -> Option<i64> {
        match &self.node {
            Node::Param(number) => of(&params[usize::from(*number)]),
            Node::Cast(operand, _) => self.in_range(operand.integer(slots, params)?),
            Node::Binary(op, operands) => {
                let (a, b) = (operands.0.integer(slots, params)?, operands.1.integer(slots, params)?);
                let number = match op {
                    BinaryOp::Add => a.checked_add(b),
                    BinaryOp::Sub => a.checked_sub(b),
                    BinaryOp::Mul => a.checked_mul(b),
                    BinaryOp::Div => a.checked_div(b),
                    BinaryOp::Mod => a.checked_rem(b),
                    _ => None,
                };
                self.in_range(number?)
            }
            _ => None,
        }
    }

    #[inline]
    fn in_range(&self, number: i64) -> Option<i64> {
        let is_in_range = match self.ty.oid {
            INT2 => i16::try_from(number).is_ok(),
            INT4 => i32::try_from(number).is_ok(),
            oid => oid == INT8,
        };
        is_in_range.then_some(number)
    }
}

const fn is_integer(expr: &Typed) -> bool {
    matches!(expr.ty.oid, INT2 | INT4 | INT8)
}

const fn of(value: &Value) -> Option<i64> {
    match value {
        Value::Int2(number) => Some(*number as i64),
        Value::Int4(number) => Some(*number as i64),
        Value::Int8(number) => Some(*number),
        _ => None,
    }
}
