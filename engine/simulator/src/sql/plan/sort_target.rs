//! Which targets of a query are computed below its sort, which above (`make_sort_input_target`,
//! src/backend/optimizer/plan/planner.c).
//!
//! Below is the rule: `SELECT upper(name) … ORDER BY id LIMIT 1` computes `upper` of every row.

use super::cost::{CPU_OPERATOR, quals};
use super::pull_up::is_volatile;
use super::{Output, OutputValue, SelectPlan};
use crate::sql::expr::{Node, Typed};
use alloc::vec::Vec;

/// Where a target is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sql) enum SortTarget {
    /// it is what rows are sorted by: the key of that number
    Key(usize),
    /// for each row before they are sorted
    Below,
    /// for each row that comes out, or it makes no difference
    Above,
}

impl SelectPlan {
    /// Of each target, where it is computed.
    pub(in crate::sql) fn sort_targets(&self, major: u32) -> Vec<SortTarget> {
        let kinds: Vec<Kind> = self.targets.iter().map(|target| self.kind(target, major)).collect();
        let has = |kind| kinds.contains(&kind);
        let postpones = has(Kind::Series) || has(Kind::Volatile) || (has(Kind::Expensive) && self.limit.is_some());
        let place = |kind: &Kind| match kind {
            Kind::Key(key) => SortTarget::Key(*key),
            Kind::Simple => SortTarget::Above,
            Kind::Series | Kind::Volatile | Kind::Expensive if postpones => SortTarget::Above,
            _ => SortTarget::Below,
        };
        kinds.iter().map(place).collect()
    }

    fn kind(&self, target: &Output, major: u32) -> Kind {
        let OutputValue::Expr(expr) = &target.value else { return Kind::Series };
        if matches!(expr.node, Node::Slot(_) | Node::Const(_)) {
            return Kind::Simple;
        }
        let key = self.sort.iter().position(|key| key.expr == *expr);
        key.map_or_else(|| kind_of(expr, major), Kind::Key)
    }
}

/// What decides about a target.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Key(usize),
    /// a column or a constant
    Simple,
    Series,
    Volatile,
    /// more than ten operators
    Expensive,
    Plain,
}

fn kind_of(expr: &Typed, major: u32) -> Kind {
    if expr.any(&is_volatile) {
        Kind::Volatile
    } else if quals([expr], major).total > 10.0 * CPU_OPERATOR {
        Kind::Expensive
    } else {
        Kind::Plain
    }
}
