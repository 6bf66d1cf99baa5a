//! Where an expression gives its result without reading a value that is in the TOAST table, so that it is not fetched
//! from there.
//!
//! ```text
//!  column IS NULL                      the header of the row says it
//!  text = text, bytea = bytea          values of different lengths differ: `texteq`, `byteaeq` compare `toast_raw_datum_size` first
//!  pg_column_size(column)              the pointer to the TOAST table says it
//!  text IN (…)                         the same with each element, unless they are looked up by hash
//! ```
//!
//! src/backend/utils/adt/varlena.c, src/backend/executor/execExprInterp.c

use super::pg_catalog::{BYTEA, TEXT, VARCHAR};
use super::{Node, Typed};
use crate::sql::ast::BinaryOp;
use crate::version::SqlBehaviour;
use alloc::vec::Vec;
use ffviz_format::datum::Value;
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::datum::varlena::raw_size;
use ffviz_format::page::PgVersion;

impl Typed {
    /// The columns whose values [`Self::eval_stored`] reads: whoever takes a result as it is stored fetches it.
    pub fn slots_fetched(&self, row: &[Value], major: u32, slots: &mut Vec<(u16, Kind)>) {
        match &self.node {
            Node::Slot(_) => {}
            Node::Case(case) => {
                let read = case.operand.iter().chain(case.whens.iter().map(|(condition, _)| condition));
                read.for_each(|expr| expr.slots_read(row, major, slots));
                let results = case.whens.iter().map(|(_, result)| result).chain([&case.otherwise]);
                results.for_each(|expr| expr.slots_fetched(row, major, slots));
            }
            Node::Cast(operand, _) if self.is_relabeled(operand) => operand.slots_fetched(row, major, slots),
            _ => self.slots_read(row, major, slots),
        }
    }

    /// The columns whose values are read for a row, and how bytes of their types are read.
    pub fn slots_read(&self, row: &[Value], major: u32, slots: &mut Vec<(u16, Kind)>) {
        match &self.node {
            Node::Slot(slot) => slots.push((*slot, self.ty.kind())),
            Node::IsNull(operand, _) if matches!(operand.node, Node::Slot(_)) => {}
            // pg_column_size and its like
            Node::Call(builtin, args) if builtin.takes_stored() => {
                args.iter().for_each(|arg| arg.slots_fetched(row, major, slots));
            }
            Node::Binary(op, operands) if is_told_by_lengths(*op, &operands.0, &operands.1, row) => {}
            // an operator is not called for a NULL
            Node::Binary(_, operands) if is_stored_null(&operands.0, row) || is_stored_null(&operands.1, row) => {
                let computed = [&operands.0, &operands.1].into_iter().filter(|operand| operand.stored(row).is_none());
                computed.for_each(|operand| operand.slots_read(row, major, slots));
            }
            Node::AnyOf(left, list, negated) if is_read_for_none(left, list, *negated, row, major) => {}
            _ => self.children().into_iter().for_each(|child| child.slots_read(row, major, slots)),
        }
    }

    /// The value as it is stored, of a column or a constant.
    pub(in crate::sql) fn stored<'a>(&'a self, row: &'a [Value]) -> Option<&'a Value> {
        match &self.node {
            Node::Const(value) => Some(value),
            Node::Slot(slot) => row.get(usize::from(*slot)),
            Node::Cast(operand, _) if self.is_relabeled(operand) => operand.stored(row),
            _ => None,
        }
    }

    /// `RelabelType`: is the cast of the operand to this type one that leaves the value as it is?
    pub(super) fn is_relabeled(&self, operand: &Self) -> bool {
        self.ty.oid == TEXT && operand.ty.oid == VARCHAR
    }
}

/// Is `=` false, and `<>` true, as the values have different lengths?
pub(super) fn is_told_by_lengths(op: BinaryOp, left: &Typed, right: &Typed, row: &[Value]) -> bool {
    if !matches!(op, BinaryOp::Eq | BinaryOp::Ne) || !matches!(left.ty.oid, TEXT | BYTEA) {
        return false;
    }
    let (Some(left), Some(right)) = (left.stored(row), right.stored(row)) else { return false };
    !left.is_null() && !right.is_null() && raw_size(left) != raw_size(right)
}

/// Is it known from the row that it is NULL?
pub(super) fn is_stored_null(expr: &Typed, row: &[Value]) -> bool {
    expr.stored(row).is_some_and(Value::is_null)
}

/// Is the value read for no element of the list, as each is NULL or has another length?
fn is_read_for_none(left: &Typed, list: &[Typed], negated: bool, row: &[Value], major: u32) -> bool {
    let is_skipped = |item| is_stored_null(item, row) || is_told_by_lengths(BinaryOp::Eq, left, item, row);
    left.stored(row).is_some() && !is_hashed(list, negated, major) && list.iter().all(is_skipped)
}

/// `convert_saop_to_hashed_saop`: are the elements of a list looked up by hash?
pub(in crate::sql) fn is_hashed(list: &[Typed], negated: bool, major: u32) -> bool {
    /// `MIN_ARRAY_SIZE_FOR_HASHED_SAOP`
    const HASHED_FROM: usize = 9;
    PgVersion::of_major(major).hashes_lists(negated) && list.len() >= HASHED_FROM
}
