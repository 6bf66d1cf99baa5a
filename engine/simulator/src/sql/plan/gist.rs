//! Which conditions a GiST index answers (`match_clause_to_indexcol`, src/backend/optimizer/path/indxpath.c).

use super::clause::IndexClause;
use super::{KeyOp, KeyQual};
use crate::access::gist::{GistClass, GistOp};
use crate::sql::catalog::IndexInfo;
use crate::sql::expr::{Node, Typed, operator_symbol};
use alloc::vec::Vec;

/// The conditions that the index takes over, by key; each for the first key that it is about.
pub fn match_gist(index: &IndexInfo, classes: &[GistClass], clauses: &[Typed]) -> Vec<IndexClause> {
    let mut found: Vec<IndexClause> = Vec::new();
    for (column, (key, class)) in index.keys.iter().zip(classes).enumerate() {
        for (number, clause) in clauses.iter().enumerate() {
            if found.iter().any(|earlier| earlier.clause == number) {
                continue;
            }
            if let Some((op, value)) = match_key(&key.expr, *class, clause) {
                let qual = KeyQual { column: column as u16, op, value };
                found.push(IndexClause { clause: number, expr: clause.clone(), qual, lossy: false });
            }
        }
    }
    found
}

fn match_key(key: &Typed, class: GistClass, clause: &Typed) -> Option<(KeyOp, Vec<Typed>)> {
    let is_key = |expr: &Typed| expr.node == key.node;
    let (symbol, left, right) = match &clause.node {
        Node::Binary(op, operands) if op.is_comparison() => (op.name(), &operands.0, &operands.1),
        Node::Call(builtin, args) => match &args[..] {
            [left, right] => (operator_symbol(*builtin)?, left, right),
            _ => return None,
        },
        Node::IsNull(expr, negated) if is_key(expr) => {
            return Some((if *negated { KeyOp::IsNotNull } else { KeyOp::IsNull }, Vec::new()));
        }
        Node::AnyOf(left, list, false) if is_key(left) => {
            let takes = |value: &Typed| {
                value.is_pseudo_constant() && class.operator("=", key.ty.oid, value.ty.oid) == Some(GistOp::Equal)
            };
            return list.iter().all(takes).then(|| (KeyOp::Any, list.clone()));
        }
        _ => return None,
    };
    let (symbol, value) = if is_key(left) && right.is_pseudo_constant() {
        (symbol, right)
    } else if is_key(right) && left.is_pseudo_constant() {
        (commutator(symbol)?, left)
    } else {
        return None;
    };
    let op = class.operator(symbol, key.ty.oid, value.ty.oid)?;
    Some((KeyOp::Gist(op), alloc::vec![value.clone()]))
}

/// `oprcom`
pub fn commutator(symbol: &str) -> Option<&'static str> {
    const PAIRS: [(&str, &str); 11] = [
        ("=", "="),
        ("<>", "<>"),
        ("<", ">"),
        (">", "<"),
        ("<=", ">="),
        (">=", "<="),
        ("&&", "&&"),
        ("@>", "<@"),
        ("<@", "@>"),
        ("<<", ">>"),
        (">>", "<<"),
    ];
    if symbol == "-|-" {
        return Some("-|-");
    }
    PAIRS.iter().find(|(one, _)| *one == symbol).map(|(_, other)| *other)
}
