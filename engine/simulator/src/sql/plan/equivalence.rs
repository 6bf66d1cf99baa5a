//! Equalities, which come behind the other conditions once it is known what is equal to what (`process_equivalence`,
//! `generate_base_implied_equalities`, src/backend/optimizer/path/equivclass.c).
//!
//! ```text
//!  a = 5 AND b > 3 AND c = b AND d = 5      b > 3 AND a = 5 AND d = 5 AND c = b      classes {a, 5, d} {c, b}
//! ```

use super::fold::fold;
use super::pull_up::is_volatile;
use crate::cluster::Lookup;
use crate::sql::ast::BinaryOp;
use crate::sql::expr::{Node, Typed};
use alloc::boxed::Box;
use alloc::vec::Vec;
use ffviz_format::datum::error::Result;
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::{SqlType, Value};

/// Expressions that are equal, and the conditions that say so.
struct Class {
    members: Vec<Typed>,
    sources: Vec<Typed>,
}

/// The conditions with their equalities behind them; `None` where these say that two values are equal which are not.
///
/// # Errors
/// What comparing two values raises.
pub fn with_equivalences(clauses: Vec<Typed>, input: Input, chosen: &mut Vec<Lookup>) -> Result<Option<Vec<Typed>>> {
    let (mut all, mut classes) = (Vec::new(), Vec::new());
    for clause in clauses {
        match clause.node {
            Node::Binary(BinaryOp::Eq, operands) if is_mergejoinable(&operands) => {
                if operands.0 == operands.1 {
                    all.push(Typed { node: Node::IsNull(Box::new(operands.0), true), ty: clause.ty });
                } else {
                    add(&mut classes, *operands, clause.ty);
                }
            }
            node => all.push(Typed { node, ty: clause.ty }),
        }
    }
    for class in classes {
        let chooses = class.chooses();
        let Some(equalities) = class.equalities(input)? else { return Ok(None) };
        let operands = equalities.iter().filter_map(|equality| match &equality.node {
            Node::Binary(_, operands) if chooses => Some(operands),
            _ => None,
        });
        chosen.extend(operands.map(|operands| Lookup::equality(operands.0.ty.oid, operands.1.ty.oid)));
        all.extend(equalities);
    }
    Ok(Some(all))
}

/// Conditions of inner joins, which come before those of WHERE; equalities behind the others.
pub fn with_joins(joins: Vec<Typed>, filter: Vec<Typed>) -> Vec<Typed> {
    let is_equality =
        |clause: &Typed| matches!(&clause.node, Node::Binary(BinaryOp::Eq, operands) if is_mergejoinable(operands));
    let (equalities, mut all): (Vec<Typed>, Vec<Typed>) = joins.into_iter().chain(filter).partition(is_equality);
    all.extend(equalities);
    all
}

/// `check_mergejoinable`: not of transaction ids, which have no order.
pub fn is_mergejoinable(operands: &(Typed, Typed)) -> bool {
    const UNORDERED: [SqlType; 2] = [SqlType::XID, SqlType::CID];
    let (left, right) = operands;
    let is_stable = |expr: &Typed| !expr.any(&is_volatile);
    let is_pseudo_constant = left.is_pseudo_constant() && right.is_pseudo_constant();
    !UNORDERED.contains(&left.ty) && is_stable(left) && is_stable(right) && !is_pseudo_constant
}

/// The classes of both sides become one.
fn add(classes: &mut Vec<Class>, (left, right): (Typed, Typed), ty: SqlType) {
    let of = |classes: &[Class], expr: &Typed| classes.iter().position(|class| class.members.contains(expr));
    let source = Typed { node: Node::Binary(BinaryOp::Eq, Box::new((left.clone(), right.clone()))), ty };
    let (one, other) = (of(classes, &left), of(classes, &right));
    let at = match (one, other) {
        (Some(one), Some(other)) if one != other => {
            let gone = classes.remove(other);
            let one = if other < one { one - 1 } else { one };
            classes[one].members.extend(gone.members);
            classes[one].sources.extend(gone.sources);
            one
        }
        (Some(one), Some(_)) => one,
        (Some(one), None) => {
            classes[one].members.push(right);
            one
        }
        (None, Some(other)) => {
            classes[other].members.push(left);
            other
        }
        (None, None) => {
            classes.push(Class { members: Vec::from([left, right]), sources: Vec::new() });
            classes.len() - 1
        }
    };
    classes[at].sources.push(source);
}

impl Class {
    /// `generate_base_implied_equalities`: is the operator of its equalities looked for, and not the one that was
    /// written?
    fn chooses(&self) -> bool {
        self.sources.len() > 1 || !self.members.iter().any(Typed::is_pseudo_constant)
    }

    /// What has to be asked: of each member whether it is the constant, or the one before it.
    fn equalities(mut self, input: Input) -> Result<Option<Vec<Typed>>> {
        if self.sources.len() == 1 {
            return Ok(Some(self.sources));
        }
        let ty = self.sources[0].ty;
        let equal = |left: &Typed, right: &Typed| {
            let node = Node::Binary(BinaryOp::Eq, Box::new((left.clone(), right.clone())));
            Typed { node, ty }
        };
        let is_const = |member: &Typed| matches!(member.node, Node::Const(_));
        let constant = self.members.iter().position(is_const);
        let constant = constant.or_else(|| self.members.iter().position(Typed::is_pseudo_constant));
        let Some(constant) = constant else {
            let pairs = self.members.windows(2);
            return Ok(Some(pairs.map(|pair| equal(&pair[0], &pair[1])).collect()));
        };
        let constant = self.members.remove(constant);
        let mut found = Vec::new();
        for member in &self.members {
            let equality = fold(equal(member, &constant), input)?;
            match equality.node {
                Node::Const(Value::Bool(true)) => {}
                Node::Const(_) => return Ok(None),
                _ => found.push(equality),
            }
        }
        Ok(Some(found))
    }
}
