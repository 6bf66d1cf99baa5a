//! Which operators planning looks up in catalogs, to know the orders that they belong to: `check_mergejoinable`
//! (src/backend/optimizer/plan/initsplan.c), `make_pathkey_from_sortop` (src/backend/optimizer/path/pathkeys.c),
//! `match_clause_to_indexcol` (src/backend/optimizer/path/indxpath.c), `comparison_ops_are_compatible` and
//! `btcostestimate` (src/backend/utils/adt/selfuncs.c).

use super::equivalence::is_mergejoinable;
use super::query::Wanted;
use super::{Bitmap, IndexScan, KeyOp, Method, Scan};
use crate::cluster::{Comparison, Lookup, Strategy};
use crate::sql::ast::BinaryOp;
use crate::sql::expr::{Node, SortKey, Typed};
use crate::version::{Behaviour, SqlBehaviour};
use alloc::vec::Vec;
use ffviz_format::page::Oid;

impl Wanted<'_> {
    /// What is looked up of operators; `ends`: the orders that min and max are found by.
    pub fn operators(&self, ends: &[SortKey]) -> Vec<Lookup> {
        let mut found = Vec::new();
        self.clauses.iter().for_each(|clause| self.of_clause(clause, true, &mut found));
        let is_ordered = !self.order.is_empty() || !ends.is_empty();
        for key in self.order.iter().chain(ends) {
            let name = if key.descending { BinaryOp::Gt } else { BinaryOp::Lt };
            found.push(Lookup::Families(comparison(name, key.expr.ty.oid, key.expr.ty.oid)));
            found.extend(of_order(key.expr.ty.oid));
        }
        for index in &self.table.indexes {
            let Some(key) = index.keys.first() else { continue };
            if is_ordered {
                found.extend(of_order(key.expr.ty.oid));
            }
            // the order of rows on disk
            let has_statistics = self.table.stats.iter().any(|(node, _)| *node == key.expr.node);
            let mut is_used = self.order.iter().chain(ends).any(|by| by.expr.node == key.expr.node);
            is_used |= self.clauses.iter().any(|clause| clause.any(&|node| *node == key.expr.node));
            if has_statistics && is_used {
                found.push(Lookup::member(key.expr.ty.oid, Strategy::Less));
            }
        }
        found
    }

    /// `is_whole`: the condition is no part of an OR.
    fn of_clause(&self, clause: &Typed, is_whole: bool, found: &mut Vec<Lookup>) {
        match &clause.node {
            Node::Binary(op, operands) if op.is_comparison() => {
                let (left, right) = (&operands.0, &operands.1);
                let written = comparison(*op, left.ty.oid, right.ty.oid);
                if is_whole && *op == BinaryOp::Eq && is_mergejoinable(operands) {
                    found.push(Lookup::Families(written));
                }
                if right.is_pseudo_constant() {
                    self.of_operand(left, *op, right.ty.oid, found);
                } else if left.is_pseudo_constant() {
                    self.of_operand(right, op.commutator(), left.ty.oid, found);
                }
            }
            Node::AnyOf(left, items, negated) => {
                let item = items.first().map_or(left.ty.oid, |item| item.ty.oid);
                let equality = comparison(BinaryOp::Eq, left.ty.oid, item);
                // may it be hashed?
                if self.input.version().hashes_lists(*negated) {
                    found.push(Lookup::Families(equality));
                }
                if !negated && self.is_key(left) {
                    found.push(Lookup::InFamily(equality));
                }
            }
            Node::Or(arms) => arms.iter().for_each(|arm| self.of_clause(arm, false, found)),
            _ => {}
        }
    }

    /// An operand and what it is compared with.
    fn of_operand(&self, operand: &Typed, op: BinaryOp, other: Oid, found: &mut Vec<Lookup>) {
        let of = operand.ty.oid;
        let stats = self.table.stats.iter().find(|(node, _)| *node == operand.node);
        let has_histogram = stats.is_some_and(|(_, stats)| stats.histogram.len() > 1);
        let is_range = !matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        // the histogram is in the order of <
        if is_range && has_histogram && (op, other) != (BinaryOp::Lt, of) {
            found.push(Lookup::Families(comparison(BinaryOp::Lt, of, of)));
            found.push(Lookup::InFamily(comparison(op, of, other)));
        }
        if self.is_key(operand) {
            found.push(Lookup::InFamily(comparison(op, of, other)));
        }
    }

    /// What a scan of an index looks up when it begins: how keys are compared with values of other types (`_bt_first`),
    /// until 16 also with those of an array (`_bt_sort_array_elements`).
    pub fn supports(&self, scan: &Scan) -> Vec<Lookup> {
        let mut scans = Vec::new();
        match &scan.method {
            Method::Index(scan) => scans.push(scan),
            Method::Bitmap(bitmap) => bitmap.scans(&mut scans),
            _ => {}
        }
        let mut found = Vec::new();
        for scan in scans {
            let Some(index) = self.table.indexes.iter().find(|index| index.oid == scan.index) else { continue };
            for qual in &scan.keys {
                let key = index.keys.get(usize::from(qual.column)).map(|key| key.expr.ty.oid);
                let Some((of, other)) = key.zip(qual.value.first().map(|value| value.ty.oid)) else { continue };
                if of != other || qual.op == KeyOp::Any && !self.input.version().reads_arrays_by_leaf() {
                    found.push(Lookup::support(of, other));
                }
            }
        }
        found
    }

    fn is_key(&self, expr: &Typed) -> bool {
        self.table.indexes.iter().flat_map(|index| &index.keys).any(|key| key.expr.node == expr.node)
    }
}

const fn comparison(op: BinaryOp, left: Oid, right: Oid) -> Comparison {
    Comparison::new(op.name(), left, right)
}

/// `make_pathkey_from_sortinfo`: what is equal in an order.
fn of_order(of: Oid) -> [Lookup; 2] {
    [Lookup::member(of, Strategy::Equal), Lookup::Families(comparison(BinaryOp::Eq, of, of))]
}

impl Bitmap {
    /// The scans that make it.
    pub fn scans<'a>(&'a self, found: &mut Vec<&'a IndexScan>) {
        match self {
            Self::Index(scan) => found.push(scan),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.scans(found)),
        }
    }
}
