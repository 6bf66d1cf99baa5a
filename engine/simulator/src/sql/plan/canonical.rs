//! What all arms of an OR have in common stands before it: `(a AND b) OR (a AND c)` becomes `a AND (b OR c)`
//! (`find_duplicate_ors`, `process_duplicate_ors`, src/backend/optimizer/prep/prepqual.c).

use crate::sql::expr::{Node, Typed};
use alloc::vec::Vec;
use ffviz_format::datum::{SqlType, Value};

/// The condition with its ORs so.
pub fn canonical(condition: Typed) -> Typed {
    match condition.node {
        Node::Or(arms) => {
            let mut flat = Vec::new();
            for arm in arms.into_iter().map(canonical) {
                match arm.node {
                    Node::Or(inner) => flat.extend(inner),
                    Node::Const(Value::Bool(true)) => return arm,
                    // where a row is asked for, NULL is as good as false
                    Node::Const(_) => {}
                    _ => flat.push(arm),
                }
            }
            without_common(flat)
        }
        Node::And(parts) => {
            let parts: Vec<Typed> = parts.into_iter().map(canonical).collect();
            let decides = |part: &Typed| matches!(&part.node, Node::Const(value) if *value != Value::Bool(true));
            if parts.iter().any(decides) {
                return Typed::constant(Value::Bool(false), SqlType::BOOL);
            }
            all(parts.into_iter().filter(|part| !matches!(part.node, Node::Const(_))))
        }
        node => Typed { node, ..condition },
    }
}

/// `process_duplicate_ors`
fn without_common(arms: Vec<Typed>) -> Typed {
    let shortest = arms.iter().map(parts_of).min_by_key(|parts| parts.len()).unwrap_or_default();
    let mut common: Vec<Typed> = Vec::new();
    for part in shortest {
        let is_in_all = arms.iter().all(|arm| parts_of(arm).contains(part));
        if is_in_all && !common.contains(part) {
            common.push(part.clone());
        }
    }
    if arms.len() < 2 || common.is_empty() {
        return any(arms);
    }
    let rest = |arm: &Typed| parts_of(arm).iter().filter(|part| !common.contains(part)).cloned().collect::<Vec<_>>();
    let rests: Vec<Vec<Typed>> = arms.iter().map(rest).collect();
    // an arm that has nothing else is true where the others may be
    if !rests.iter().any(Vec::is_empty) {
        let mut left = Vec::new();
        for arm in rests.into_iter().map(|rest| all(rest.into_iter())) {
            match arm.node {
                Node::Or(inner) => left.extend(inner),
                _ => left.push(arm),
            }
        }
        common.push(any(left));
    }
    all(common.into_iter())
}

fn parts_of(arm: &Typed) -> &[Typed] {
    match &arm.node {
        Node::And(parts) => parts,
        _ => core::slice::from_ref(arm),
    }
}

fn any(mut arms: Vec<Typed>) -> Typed {
    match arms.len() {
        0 => Typed::constant(Value::Bool(false), SqlType::BOOL),
        1 => arms.remove(0),
        _ => Typed { node: Node::Or(arms), ty: SqlType::BOOL },
    }
}

/// AND, without ANDs within it.
fn all(parts: impl Iterator<Item = Typed>) -> Typed {
    let mut flat = Vec::new();
    for part in parts {
        match part.node {
            Node::And(inner) => flat.extend(inner),
            _ => flat.push(part),
        }
    }
    match flat.len() {
        0 => Typed::constant(Value::Bool(true), SqlType::BOOL),
        1 => flat.remove(0),
        _ => Typed { node: Node::And(flat), ty: SqlType::BOOL },
    }
}
