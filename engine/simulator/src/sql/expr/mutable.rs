//! May an expression give something else for the same row another time (`contain_mutable_functions`,
//! src/backend/optimizer/util/clauses.c)? No index may have such a key.
//!
//! Besides functions that are casts and operators to which the session's time zone or its `DateStyle` matters; the
//! types are those that `pg_proc.provolatile` of servers 13 to 18 names.

use super::pg_catalog::{BPCHAR, DATE, INTERVAL, TEXT, TIMESTAMP, TIMESTAMPTZ, VARCHAR};
use super::{Node, Typed, Volatility};
use ffviz_format::page::Oid;

const TIME: Oid = 1083;

impl Typed {
    /// Is there such a function in it?
    #[must_use]
    pub fn is_mutable(&self) -> bool {
        self.is_mutable_but(&|_| false)
    }

    /// Is there another than these?
    #[must_use]
    pub fn is_mutable_but(&self, allowed: &dyn Fn(&Node) -> bool) -> bool {
        let here = match &self.node {
            node if allowed(node) => false,
            Node::Call(builtin, _) => builtin.volatility() != Volatility::Immutable,
            Node::Routine(function, _) => function.volatility != Volatility::Immutable,
            Node::Cast(operand, _) => is_cast(operand.ty.oid, self.ty.oid),
            Node::Binary(_, operands) => is_operator(operands.0.ty.oid, operands.1.ty.oid),
            _ => false,
        };
        here || self.children().into_iter().any(|child| child.is_mutable_but(allowed))
    }
}

fn is_cast(from: Oid, to: Oid) -> bool {
    let is_text = |oid| matches!(oid, TEXT | VARCHAR | BPCHAR);
    let by_zone = |oid| matches!(oid, DATE | TIME | TIMESTAMP);
    let is_read = is_text(from) && (by_zone(to) || matches!(to, TIMESTAMPTZ | INTERVAL));
    let is_written = is_text(to) && matches!(from, DATE | TIMESTAMP | TIMESTAMPTZ);
    is_read || is_written || from == TIMESTAMPTZ && by_zone(to) || to == TIMESTAMPTZ && by_zone(from)
}

fn is_operator(left: Oid, right: Oid) -> bool {
    let with_zone = |a, b| a == TIMESTAMPTZ && matches!(b, DATE | TIMESTAMP | INTERVAL);
    with_zone(left, right) || with_zone(right, left)
}
