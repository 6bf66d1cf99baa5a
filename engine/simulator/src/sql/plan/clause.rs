//! Which conditions an index takes over: `match_clause_to_indexcol` (src/backend/optimizer/path/indxpath.c), and
//! whether a partial index may be used (`predicate_implied_by`, src/backend/optimizer/util/predtest.c).

use super::pattern::Pattern;
use super::{KeyOp, KeyQual};
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::{IndexInfo, IndexKey};
use crate::sql::expr::pg_catalog::BPCHAR;
use crate::sql::expr::{Node, Typed};
use crate::version::SqlBehaviour;
use alloc::boxed::Box;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlType, Value};
use ffviz_format::page::{Oid, PgVersion};

/// A condition and the key that it restricts.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexClause {
    /// place among the conditions of the scan
    pub clause: usize,
    /// the condition as the index sees it: an OR of equalities as = ANY, a key itself as compared with true
    pub expr: Typed,
    /// what the index is asked for
    pub qual: KeyQual,
    /// is the condition to be asked again of a row (`IndexClause.lossy`)?
    pub lossy: bool,
}

/// `match_clause_to_index`: the conditions that the index takes over, by key; each for the first key that it is about.
pub fn match_index(index: &IndexInfo, clauses: &[Typed], major: u32) -> Vec<IndexClause> {
    let mut found: Vec<IndexClause> = Vec::new();
    let is_brin = index.brin.is_some();
    // one that is not asked for arrays does not take an OR for one
    let major = if is_brin { 0 } else { major };
    for (column, key) in index.keys.iter().enumerate() {
        for (number, clause) in clauses.iter().enumerate() {
            if found.iter().any(|earlier| earlier.clause == number) {
                continue;
            }
            let is_range = |op: KeyOp| matches!(op, KeyOp::Compare(op) if op != BinaryOp::Eq);
            let matched = match_key(&key.expr, clause, major).filter(|(op, _)| !(key.pattern && is_range(*op)));
            if let Some((op, value)) = matched {
                let expr = match clause.node {
                    Node::Or(_) => {
                        let node = Node::AnyOf(Box::new(key.expr.clone()), value.clone(), false);
                        Typed { node, ty: clause.ty }
                    }
                    _ if is_truth(&key.expr, clause) => {
                        let node = Node::Binary(BinaryOp::Eq, Box::new((key.expr.clone(), value[0].clone())));
                        Typed { node, ty: clause.ty }
                    }
                    _ => clause.clone(),
                };
                let qual = KeyQual { column: column as u16, op, value };
                found.push(IndexClause { clause: number, expr, qual, lossy: false });
            } else if let Some(matched) = match_rows(index, column, (number, clause)).filter(|_| !is_brin) {
                found.push(matched);
            } else if let Some(pattern) = Pattern::of(clause)
                && pattern.variable.node == key.expr.node
                && (same_family(key.expr.ty.oid, SqlType::TEXT.oid) || key.expr.ty.oid == BPCHAR)
            {
                let bounds = pattern.bounds().into_iter().map(|(op, value)| IndexClause {
                    clause: number,
                    expr: pattern.compared(if key.pattern { of_patterns(op) } else { op }, &value),
                    qual: KeyQual { column: column as u16, op: KeyOp::Compare(op), value: alloc::vec![value] },
                    lossy: true,
                });
                found.extend(bounds);
            }
        }
    }
    found
}

/// `match_rowcompare_to_indexcol`, `expand_indexqual_rowcompare`: rows whose columns are keys that follow each other.
/// Where the keys end before the row does, its first columns are a bound, and the row is asked again.
fn match_rows(index: &IndexInfo, column: usize, (number, clause): (usize, &Typed)) -> Option<IndexClause> {
    let Node::Rows(op, pairs) = &clause.node else { return None };
    let keys = &index.keys[column..];
    let compares = |key: &IndexKey, (expr, value): (&Typed, &Typed)| {
        let is_key = expr.node == key.expr.node && key.descending == keys[0].descending && !key.pattern;
        is_key && value.is_pseudo_constant() && same_family(key.expr.ty.oid, value.ty.oid)
    };
    let matched = |flipped: bool| {
        let operands = |pair: &'_ (Typed, Typed)| if flipped { (pair.1.clone(), pair.0.clone()) } else { pair.clone() };
        let pairs = pairs.iter().map(operands).zip(keys);
        pairs.take_while(|(pair, key)| compares(key, (&pair.0, &pair.1))).map(|(pair, _)| pair).collect::<Vec<_>>()
    };
    let (mut op, mut taken, mut lossy) = (*op, matched(false), false);
    if taken.is_empty() {
        // the condition as it stands is not what the index is asked for
        (op, taken, lossy) = (op.commutator(), matched(true), true);
    }
    if taken.len() < pairs.len() {
        lossy = true;
        op = match op {
            BinaryOp::Lt => BinaryOp::Le,
            BinaryOp::Gt => BinaryOp::Ge,
            op => op,
        };
    }
    let value: Vec<Typed> = taken.iter().map(|(_, value)| value.clone()).collect();
    let (op, node) = match <[(Typed, Typed); 1]>::try_from(taken) {
        Ok([operands]) => (KeyOp::Compare(op), Node::Binary(op, Box::new(operands))),
        Err(taken) if taken.is_empty() => return None,
        Err(taken) => (KeyOp::Rows(op), Node::Rows(op, taken)),
    };
    let qual = KeyQual { column: column as u16, op, value };
    Some(IndexClause { clause: number, expr: Typed { node, ty: clause.ty }, qual, lossy })
}

/// The operator of `text_pattern_ops`.
const fn of_patterns(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::PatternLt,
        BinaryOp::Ge => BinaryOp::PatternGe,
        other => other,
    }
}

/// Is the condition the key itself, or its opposite, not compared with anything?
pub fn is_truth(key: &Typed, clause: &Typed) -> bool {
    clause.node == key.node || matches!(&clause.node, Node::Not(inner) if inner.node == key.node)
}

fn match_key(key: &Typed, clause: &Typed, major: u32) -> Option<(KeyOp, Vec<Typed>)> {
    let is_key = |expr: &Typed| expr.node == key.node;
    let compares = |expr: &Typed| expr.is_pseudo_constant() && same_family(key.ty.oid, expr.ty.oid);
    match &clause.node {
        node if *node == key.node => Some((KeyOp::Compare(BinaryOp::Eq), alloc::vec![boolean(true, key)])),
        Node::Binary(op, operands) if op.is_comparison() && *op != BinaryOp::Ne => {
            let (left, right) = (&operands.0, &operands.1);
            if is_key(left) && compares(right) {
                Some((KeyOp::Compare(*op), alloc::vec![right.clone()]))
            } else if is_key(right) && compares(left) {
                Some((KeyOp::Compare(op.commutator()), alloc::vec![left.clone()]))
            } else {
                None
            }
        }
        Node::AnyOf(left, list, false) if is_key(left) && list.iter().all(compares) => Some((KeyOp::Any, list.clone())),
        Node::Or(arms) if PgVersion::of_major(major).takes_or_for_any() => or_as_any(key, arms),
        Node::IsNull(expr, negated) if is_key(expr) => {
            Some((if *negated { KeyOp::IsNotNull } else { KeyOp::IsNull }, Vec::new()))
        }
        Node::Not(expr) if is_key(expr) => Some((KeyOp::Compare(BinaryOp::Eq), alloc::vec![boolean(false, key)])),
        _ => None,
    }
}

const fn boolean(value: bool, key: &Typed) -> Typed {
    Typed::constant(Value::Bool(value), key.ty)
}

fn or_as_any(key: &Typed, arms: &[Typed]) -> Option<(KeyOp, Vec<Typed>)> {
    let mut values: Vec<Typed> = Vec::new();
    for arm in arms {
        let (KeyOp::Compare(BinaryOp::Eq), mut value) = match_key(key, arm, 0)? else { return None };
        let value = value.pop()?;
        if values.first().is_some_and(|first| first.ty.oid != value.ty.oid) {
            return None;
        }
        values.push(value);
    }
    Some((KeyOp::Any, values))
}

/// Are both in one operator family of btree (`integer_ops`, `float_ops`, `datetime_ops`, `text_ops`)?
fn same_family(key: Oid, other: Oid) -> bool {
    const FAMILIES: [&[Oid]; 4] = [&[20, 21, 23], &[700, 701], &[1082, 1114, 1184], &[25, 1043]];
    key == other || FAMILIES.iter().any(|family| family.contains(&key) && family.contains(&other))
}

/// Do the conditions imply all parts of an index' predicate?
pub fn implies(clauses: &[Typed], predicate: &[Typed]) -> bool {
    predicate.iter().all(|part| clauses.iter().any(|clause| implied_by(part, clause)))
}

/// Does a part of an index' predicate imply the condition, so that it need not be checked?
pub fn part_implies(part: &Typed, clause: &Typed) -> bool {
    implied_by(clause, part)
}

/// `predicate_implied_by_recurse`, for one condition: the same, stricter bound, or NOT NULL from an operator that is
/// strict.
fn implied_by(part: &Typed, clause: &Typed) -> bool {
    if part == clause {
        return true;
    }
    match (&part.node, &clause.node) {
        (Node::And(parts), _) => parts.iter().all(|part| implied_by(part, clause)),
        (Node::Or(parts), Node::And(clauses)) => {
            let of_parts = parts.iter().any(|part| implied_by(part, clause));
            of_parts || clauses.iter().any(|clause| implied_by(part, clause))
        }
        (_, Node::And(clauses)) => clauses.iter().any(|clause| implied_by(part, clause)),
        (_, Node::Or(clauses)) => clauses.iter().all(|clause| implied_by(part, clause)),
        (Node::Or(parts), _) => parts.iter().any(|part| implied_by(part, clause)),
        (_, Node::AnyOf(left, list, false)) => list.iter().all(|item| {
            let one = Node::Binary(BinaryOp::Eq, Box::new(((**left).clone(), item.clone())));
            implied_by(part, &Typed { node: one, ty: clause.ty })
        }),
        (Node::IsNull(expr, true), Node::Binary(_, operands)) => {
            operands.0.node == expr.node || operands.1.node == expr.node
        }
        (Node::Binary(needed, needs), Node::Binary(given, has)) if needs.0.node == has.0.node => {
            let (Node::Const(limit), Node::Const(value)) = (&needs.1.node, &has.1.node) else { return false };
            let order = ffviz_format::datum::compare::comparator(needs.1.ty.oid)
                .filter(|_| needs.1.ty.oid == has.1.ty.oid && !limit.is_null() && !value.is_null())
                .map(|compare| compare(value, limit));
            order.is_some_and(|order| bound_implies(*given, *needed, order))
        }
        _ => false,
    }
}

/// Does `x given value` imply `x needed limit`, where value and limit are in that order (`BT_implic_table`)?
const fn bound_implies(given: BinaryOp, needed: BinaryOp, order: core::cmp::Ordering) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    match (given, needed) {
        (Eq, Eq) | (Ne, Ne) => order.is_eq(),
        (Eq | Lt, Lt) | (Lt, Le | Ne) if matches!(given, Lt) => order.is_le(),
        (Eq | Le, Lt | Ne) if !matches!((given, needed), (Eq, Ne)) => order.is_lt(),
        (Eq | Le, Le) => order.is_le(),
        (Gt, Gt | Ge | Ne) => order.is_ge(),
        (Eq | Ge, Gt) | (Ge, Ne) => order.is_gt(),
        (Eq | Ge, Ge) => order.is_ge(),
        (Eq, Ne) => order.is_ne(),
        _ => false,
    }
}
