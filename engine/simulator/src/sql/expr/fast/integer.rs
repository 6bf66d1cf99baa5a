//! Whole numbers, calculated without values: `n + 1`, `(i::bigint * 7919 % 1000)::int` (src/backend/utils/adt/int.c,
//! int8.c).
//!
//! ```text
//!  Cast to integer(Mod(Mul(Cast to bigint(Slot 0), 7919), 1000)) ──▶ i64, within the range of each type on the way ──▶ Value
//!                       └ NULL, out of range, divided by zero, or no whole number ──▶ none: the general way says what it is
//! ```
//!
//! What is computed for many rows is prepared once (`ExecInitExpr`), as long as it goes from the left to the right:
//!
//! ```text
//!  Slot 0 ─▶ within bigint ─▶ * 7919, within bigint ─▶ % 1000, within bigint ─▶ within integer
//! ```

use crate::plain::PLAIN;
use crate::sql::ast::BinaryOp;
use crate::sql::expr::pg_catalog::{INT2, INT4, INT8};
use crate::sql::expr::{Node, Typed};
use alloc::vec::Vec;
use ffviz_format::datum::Value;
use ffviz_format::page::Oid;

/// A calculation that is prepared.
#[derive(Debug, Clone)]
pub struct Calculation {
    first: Operand,
    steps: Vec<Step>,
    ty: Oid,
}

/// What a calculation takes.
#[derive(Debug, Clone, Copy)]
enum Operand {
    Const(i64),
    Slot(u16),
    Param(u16),
}

/// What is done to the number so far, which is within the range of a type then.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// none for a cast
    operation: Option<(BinaryOp, Operand)>,
    least: i64,
    greatest: i64,
}

impl Calculation {
    /// That of an expression that calculates with whole numbers only, from the left to the right.
    #[must_use]
    pub fn new(expr: &Typed) -> Option<Self> {
        // a column or a constant alone is no calculation
        if PLAIN || !expr.calculates() {
            return None;
        }
        let mut steps = Vec::new();
        let first = expr.spine(&mut steps)?;
        Some(Self { first, steps, ty: expr.ty.oid })
    }

    /// Its value, as long as all goes well.
    #[must_use]
    pub fn value(&self, slots: &[Value], params: &[Value]) -> Option<Value> {
        self.number(slots, params).map(|number| self.typed(number))
    }

    /// Puts its value in the place of another, as long as all goes well. Did it?
    #[inline]
    #[must_use]
    pub fn put(&self, slots: &[Value], params: &[Value], place: &mut Value) -> bool {
        let Some(number) = self.number(slots, params) else { return false };
        match (self.ty, place) {
            (INT4, Value::Int4(place)) => *place = number as i32,
            (INT8, Value::Int8(place)) => *place = number,
            (_, place) => *place = self.typed(number),
        }
        true
    }

    #[inline]
    fn number(&self, slots: &[Value], params: &[Value]) -> Option<i64> {
        let mut number = self.first.number(slots, params)?;
        for Step { operation, least, greatest } in &self.steps {
            if let Some((op, operand)) = operation {
                number = calculated(*op, number, operand.number(slots, params)?)?;
            }
            if number < *least || number > *greatest {
                return None;
            }
        }
        Some(number)
    }

    /// A number within the range of its type.
    const fn typed(&self, number: i64) -> Value {
        match self.ty {
            INT2 => Value::Int2(number as i16),
            INT4 => Value::Int4(number as i32),
            _ => Value::Int8(number),
        }
    }
}

impl Operand {
    #[inline]
    fn number(self, slots: &[Value], params: &[Value]) -> Option<i64> {
        match self {
            Self::Const(number) => Some(number),
            Self::Slot(slot) => of(&slots[usize::from(slot)]),
            Self::Param(number) => of(&params[usize::from(number)]),
        }
    }
}

impl Typed {
    /// What it begins with, and the steps to what it is.
    fn spine(&self, steps: &mut Vec<Step>) -> Option<Operand> {
        let (first, operation) = match &self.node {
            Node::Cast(operand, _) => (operand.spine(steps)?, None),
            Node::Binary(op, operands) => (operands.0.spine(steps)?, Some((*op, operands.1.leaf()?))),
            _ => return self.leaf(),
        };
        let (least, greatest) = range(self.ty.oid)?;
        // a cast to bigint changes nothing
        if operation.is_some() || self.ty.oid != INT8 {
            steps.push(Step { operation, least, greatest });
        }
        Some(first)
    }

    /// Is it more than a column or a constant, and a whole number?
    const fn calculates(&self) -> bool {
        matches!(self.node, Node::Binary(..) | Node::Cast(..)) && range(self.ty.oid).is_some()
    }

    fn leaf(&self) -> Option<Operand> {
        match &self.node {
            Node::Const(value) => of(value).map(Operand::Const),
            Node::Slot(slot) => Some(Operand::Slot(*slot)),
            Node::Param(number) => Some(Operand::Param(*number)),
            _ => None,
        }
    }

    /// The value of an expression that calculates with whole numbers only, columns of the row and parameters, as long
    /// as all goes well.
    #[must_use]
    pub fn integer_value(&self, slots: &[Value], params: &[Value]) -> Option<Value> {
        let number = if !PLAIN && self.calculates() { self.integer(slots, params)? } else { return None };
        match self.ty.oid {
            INT2 => number.try_into().ok().map(Value::Int2),
            INT4 => number.try_into().ok().map(Value::Int4),
            _ => Some(Value::Int8(number)),
        }
    }

    /// The number that it is, within the range of its type.
    pub(in crate::sql) fn integer(&self, slots: &[Value], params: &[Value]) -> Option<i64> {
        if PLAIN {
            return None;
        }
        match &self.node {
            Node::Cast(operand, _) => in_range(self.ty.oid, operand.integer(slots, params)?),
            Node::Binary(op, operands) => {
                let (a, b) = (operands.0.integer(slots, params)?, operands.1.integer(slots, params)?);
                in_range(self.ty.oid, calculated(*op, a, b)?)
            }
            _ => self.leaf()?.number(slots, params),
        }
    }
}

#[inline]
const fn calculated(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Mod => a.checked_rem(b),
        _ => None,
    }
}

#[inline]
fn in_range(ty: Oid, number: i64) -> Option<i64> {
    range(ty).filter(|(least, greatest)| (*least..=*greatest).contains(&number)).map(|_| number)
}

/// The least and the greatest number of a type of whole numbers.
const fn range(ty: Oid) -> Option<(i64, i64)> {
    match ty {
        INT2 => Some((i16::MIN as i64, i16::MAX as i64)),
        INT4 => Some((i32::MIN as i64, i32::MAX as i64)),
        INT8 => Some((i64::MIN, i64::MAX)),
        _ => None,
    }
}

const fn of(value: &Value) -> Option<i64> {
    match value {
        Value::Int2(number) => Some(*number as i64),
        Value::Int4(number) => Some(*number as i64),
        Value::Int8(number) => Some(*number),
        _ => None,
    }
}

#[cfg(all(test, not(feature = "plain")))]
mod tests {
    use super::*;
    use alloc::boxed::Box;
    use ffviz_format::datum::SqlType;

    fn binary(op: BinaryOp, a: Typed, b: Typed) -> Typed {
        let ty = a.ty;
        Typed { node: Node::Binary(op, Box::new((a, b))), ty }
    }

    /// `(a * $1 % b)::smallint` of bigint.
    #[test]
    fn what_is_prepared_gives_what_the_expression_gives() {
        let bigint = |node| Typed { node, ty: SqlType::INT8 };
        let product = binary(BinaryOp::Mul, bigint(Node::Slot(0)), bigint(Node::Param(0)));
        let rest = binary(BinaryOp::Mod, product, bigint(Node::Slot(1)));
        let expr = Typed { node: Node::Cast(Box::new(rest.clone()), true), ty: SqlType::INT2 };
        let calculation = Calculation::new(&expr).expect("it goes from the left to the right");
        let numbers = [0, 1, -7, 40_000, 1 << 40, i64::MAX, i64::MIN].map(Value::Int8);
        for a in numbers.iter().chain([&Value::Null]) {
            for b in &numbers {
                let row = [a.clone(), b.clone()];
                for param in &numbers {
                    let params = [param.clone()];
                    assert_eq!(calculation.value(&row, &params), expr.integer_value(&row, &params));
                }
            }
        }
        assert_eq!(calculation.value(&numbers[3..5], &[Value::Int8(1)]), None);
        assert_eq!(calculation.value(&numbers[2..4], &[Value::Int8(2)]), Some(Value::Int2(-14)));
        assert!(Calculation::new(&binary(BinaryOp::Add, bigint(Node::Slot(0)), rest)).is_none());
        assert!(Calculation::new(&bigint(Node::Slot(0))).is_none());
    }
}
