//! Which partitions may have rows that satisfy conditions (`gen_partprune_steps_internal`, `get_matching_partitions`,
//! src/backend/partitioning/partprune.c).
//!
//! ```text
//!  RANGE   slots   ──│ gap │ c1 │ c2 │ gap │ c3 │ gap ──    a condition leaves some of them, AND those of both sides;
//!  LIST    slots   a value each                             gaps that are left are DEFAULT's
//! ```

use super::PartitionDesc;
use crate::cluster::partition::{PartitionBound, PartitionStrategy, RangeDatum};
use crate::sql::ast::BinaryOp;
use crate::sql::expr::{Node, Typed, compare, satisfies};
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::Value;
use ffviz_format::page::Oid;

/// What may have rows (`PruneStepResult`).
#[derive(Clone)]
struct Found {
    /// by slot
    slots: Vec<bool>,
    /// DEFAULT, whatever slots are gaps
    default: bool,
    /// where NULL is
    null: bool,
}

/// A range between bounds, or a value of a list; `None`: no partition has it.
struct Slot<'a> {
    from: &'a [RangeDatum],
    to: &'a [RangeDatum],
    value: Option<&'a Value>,
    part: Option<usize>,
}

/// A comparison of a column of the key with a value.
struct Comparison {
    column: usize,
    op: BinaryOp,
    value: Value,
    /// its type
    ty: Oid,
}

/// The partitions that conditions leave, all of which must hold, by their places. `value` works out what is compared
/// with; what it does not leaves all.
pub fn live_partitions(
    desc: &PartitionDesc,
    clauses: &[Typed],
    value: &mut dyn FnMut(&Typed) -> Option<Value>,
) -> Vec<usize> {
    let mut pruner = Pruner { desc, slots: slots(desc), value };
    let found = pruner.all(clauses.iter()).unwrap_or_else(|| pruner.every(true));
    let is_gap_left = pruner.slots.iter().zip(&found.slots).any(|(slot, left)| *left && slot.part.is_none());
    let is_left = |n: &usize| match &desc.parts[*n].bound {
        PartitionBound::Default => found.default || is_gap_left,
        PartitionBound::List(values) if found.null && values.iter().any(Value::is_null) => true,
        _ => pruner.slots.iter().zip(&found.slots).any(|(slot, left)| *left && slot.part == Some(*n)),
    };
    (0..desc.parts.len()).filter(is_left).collect()
}

fn slots(desc: &PartitionDesc) -> Vec<Slot<'_>> {
    const NOTHING: &[RangeDatum] = &[];
    let mut slots = Vec::new();
    let mut last: Option<&[RangeDatum]> = None;
    let of = |from, to, part| Slot { from, to, value: None, part };
    for (n, part) in desc.parts.iter().enumerate() {
        match &part.bound {
            PartitionBound::Default => {}
            PartitionBound::List(values) => {
                let values = values.iter().filter(|value| !value.is_null());
                slots.extend(values.map(|value| Slot { value: Some(value), ..of(NOTHING, NOTHING, Some(n)) }));
            }
            PartitionBound::Hash(..) => slots.push(of(NOTHING, NOTHING, Some(n))),
            PartitionBound::Range(from, to) => {
                if last.is_none_or(|last| desc.compare_range(last, from).is_lt()) {
                    slots.push(of(last.unwrap_or(NOTHING), from, None));
                }
                slots.push(of(from, to, Some(n)));
                last = Some(to);
            }
        }
    }
    if desc.strategy == PartitionStrategy::Range {
        slots.push(of(last.unwrap_or(NOTHING), NOTHING, None));
    }
    slots
}

struct Pruner<'a> {
    desc: &'a PartitionDesc,
    slots: Vec<Slot<'a>>,
    value: &'a mut dyn FnMut(&Typed) -> Option<Value>,
}

impl Pruner<'_> {
    fn every(&self, is_left: bool) -> Found {
        Found { slots: alloc::vec![is_left; self.slots.len()], default: is_left, null: is_left }
    }

    /// What conditions leave that must all hold; `None`: nothing is known.
    fn all<'a>(&mut self, clauses: impl Iterator<Item = &'a Typed>) -> Option<Found> {
        let (mut comparisons, mut found): (Vec<Comparison>, Option<Found>) = (Vec::new(), None);
        for clause in clauses {
            if let Some(comparison) = self.comparison(clause) {
                comparisons.push(comparison);
            } else if let Some(other) = self.one(clause) {
                found = Some(found.map_or_else(|| other.clone(), |found| found.meet(&other)));
            }
        }
        let compared = self.compared(&comparisons);
        match (found, compared) {
            (Some(one), Some(other)) => Some(one.meet(&other)),
            (one, other) => one.or(other),
        }
    }

    /// What a condition leaves that is no comparison.
    fn one(&mut self, clause: &Typed) -> Option<Found> {
        match &clause.node {
            Node::And(parts) => self.all(parts.iter()),
            Node::Or(parts) => {
                let arms = parts.iter().map(|part| self.all(core::iter::once(part))).collect();
                self.any(arms)
            }
            Node::AnyOf(left, list, false) => {
                let column = self.column(left)?;
                let values: Vec<Option<Comparison>> =
                    list.iter().map(|item| self.compared_with(column, BinaryOp::Eq, item)).collect();
                let each = |value: Option<Comparison>| self.compared(core::slice::from_ref(&value?));
                self.any(values.into_iter().map(each).collect())
            }
            Node::IsNull(expr, is_not) => self.column(expr).and_then(|_| self.null(*is_not)),
            _ => None,
        }
    }

    fn any(&self, arms: Vec<Option<Found>>) -> Option<Found> {
        let mut all = self.every(false);
        for arm in arms {
            all = all.join(&arm?);
        }
        Some(all)
    }

    /// IS NULL, IS NOT NULL of a column of the key.
    fn null(&self, is_not: bool) -> Option<Found> {
        if self.desc.strategy == PartitionStrategy::Hash || is_not && self.desc.keys.len() > 1 {
            return None;
        }
        let has_null = |part: &super::Part| matches!(&part.bound, PartitionBound::List(values) if values.iter().any(Value::is_null));
        let is_listed = self.desc.parts.iter().any(has_null);
        Some(match is_not {
            true => Found { null: false, ..self.every(true) },
            false => Found { null: is_listed, default: !is_listed, ..self.every(false) },
        })
    }

    /// The column of the key that it is.
    fn column(&self, expr: &Typed) -> Option<usize> {
        let Node::Slot(slot) = expr.node else { return None };
        self.desc.keys.iter().position(|(column, _)| *column == slot)
    }

    fn comparison(&mut self, clause: &Typed) -> Option<Comparison> {
        let Node::Binary(op, operands) = &clause.node else { return None };
        let is_order = matches!(op, BinaryOp::Eq | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge);
        if !is_order && *op != BinaryOp::Ne {
            return None;
        }
        match (self.column(&operands.0), self.column(&operands.1)) {
            (Some(column), None) => self.compared_with(column, *op, &operands.1),
            (None, Some(column)) => self.compared_with(column, op.commutator(), &operands.0),
            _ => None,
        }
    }

    fn compared_with(&mut self, column: usize, op: BinaryOp, value: &Typed) -> Option<Comparison> {
        Some(Comparison { column, op, value: (self.value)(value)?, ty: value.ty.oid })
    }

    /// What comparisons leave that must all hold.
    fn compared(&self, comparisons: &[Comparison]) -> Option<Found> {
        if comparisons.iter().any(|comparison| comparison.value.is_null()) {
            return Some(self.every(false));
        }
        match self.desc.strategy {
            PartitionStrategy::List => self.compared_list(comparisons),
            PartitionStrategy::Range => self.compared_range(comparisons),
            PartitionStrategy::Hash => self.compared_hash(comparisons),
        }
    }

    fn order(&self, value: &Value, comparison: &Comparison) -> Ordering {
        let types = [self.desc.keys[comparison.column].1.oid, comparison.ty];
        compare(value, &comparison.value, types, self.desc.input()).unwrap_or(Ordering::Equal)
    }

    fn compared_list(&self, comparisons: &[Comparison]) -> Option<Found> {
        let mut found: Option<Found> = None;
        for comparison in comparisons {
            let holds = |slot: &Slot<'_>| {
                slot.value.is_some_and(|value| satisfies(comparison.op, self.order(value, comparison)))
            };
            let slots: Vec<bool> = self.slots.iter().map(holds).collect();
            // a value that is not listed is DEFAULT's
            let default = comparison.op != BinaryOp::Eq || !slots.contains(&true);
            let one = Found { slots, default, null: false };
            found = Some(found.map_or_else(|| one.clone(), |found| found.meet(&one)));
        }
        found
    }

    /// Columns that are equal to a value, from the first, then one that is compared otherwise.
    fn compared_range(&self, comparisons: &[Comparison]) -> Option<Found> {
        let of = |column: usize| comparisons.iter().filter(move |it| it.column == column && it.op != BinaryOp::Ne);
        let mut equal: Vec<&Comparison> = Vec::new();
        while let Some(next) = of(equal.len()).find(|it| it.op == BinaryOp::Eq) {
            equal.push(next);
        }
        let others: Vec<&Comparison> = of(equal.len()).collect();
        if equal.is_empty() && others.is_empty() {
            return None;
        }
        let mut found = self.every(true);
        (found.default, found.null) = (false, false);
        for (slot, left) in self.slots.iter().zip(&mut found.slots) {
            *left =
                self.may_have(slot, &equal, None) && others.iter().all(|last| self.may_have(slot, &equal, Some(last)));
        }
        Some(found)
    }

    /// May a row be there whose first columns are equal to these, and whose next one is compared so?
    fn may_have(&self, slot: &Slot<'_>, equal: &[&Comparison], last: Option<&Comparison>) -> bool {
        // where the wanted keys begin, and where they end, by their first columns
        let order = |bound: &[RangeDatum]| -> Ordering {
            for (datum, comparison) in bound.iter().zip(equal.iter().copied().chain(last)) {
                let order = match datum {
                    RangeDatum::Min => Ordering::Less,
                    RangeDatum::Max => Ordering::Greater,
                    RangeDatum::Value(value) => self.order(value, comparison),
                };
                if order != Ordering::Equal {
                    return order;
                }
            }
            Ordering::Equal
        };
        let prefix = |bound: &[RangeDatum]| order(&bound[..equal.len().min(bound.len())]);
        let is_whole = equal.len() + usize::from(last.is_some()) == self.desc.keys.len();
        let (from, to) = (!slot.from.is_empty(), !slot.to.is_empty());
        if last.is_none() || last.is_some_and(|last| last.op == BinaryOp::Eq) {
            let begins = !from || order(slot.from).is_le();
            // the upper bound is no part of it
            let ends = !to || if is_whole { order(slot.to).is_gt() } else { order(slot.to).is_ge() };
            return begins && ends;
        }
        let meets = (!from || prefix(slot.from).is_le()) && (!to || prefix(slot.to).is_ge());
        let is_beyond = |bound: &[RangeDatum]| prefix(bound) != Ordering::Equal;
        meets
            && match last.map(|last| last.op) {
                Some(BinaryOp::Lt) => !from || is_beyond(slot.from) || order(slot.from).is_lt(),
                Some(BinaryOp::Le) => !from || is_beyond(slot.from) || order(slot.from).is_le(),
                Some(BinaryOp::Ge) if !is_whole => !to || is_beyond(slot.to) || order(slot.to).is_ge(),
                _ => !to || is_beyond(slot.to) || order(slot.to).is_gt(),
            }
    }

    fn compared_hash(&self, comparisons: &[Comparison]) -> Option<Found> {
        let equal = |column: usize| comparisons.iter().find(|it| it.column == column && it.op == BinaryOp::Eq);
        let key: Option<Vec<Value>> =
            (0..self.desc.keys.len()).map(|column| Some(equal(column)?.value.clone())).collect();
        let key = key?;
        let mut found = self.every(false);
        for (slot, left) in self.slots.iter().zip(&mut found.slots) {
            *left = slot.part.is_some_and(|part| self.desc.takes(&self.desc.parts[part].bound, &key));
        }
        Some(found)
    }
}

impl Found {
    /// What both leave.
    fn meet(&self, other: &Self) -> Self {
        let slots = self.slots.iter().zip(&other.slots).map(|(one, other)| *one && *other).collect();
        Self { slots, default: self.default && other.default, null: self.null && other.null }
    }

    /// What one leaves.
    fn join(&self, other: &Self) -> Self {
        let slots = self.slots.iter().zip(&other.slots).map(|(one, other)| *one || *other).collect();
        Self { slots, default: self.default || other.default, null: self.null || other.null }
    }
}
