//! The expressions that an expression or a query is made of, to be changed.

use super::{Expr, ExprNode, FromItem, JoinCondition, QueryKind, Select, Statement, Target};
use alloc::vec::Vec;

impl Expr {
    /// As [`Self::children`].
    pub fn children_mut(&mut self) -> Vec<&mut Self> {
        match &mut self.node {
            ExprNode::Column { .. } | ExprNode::Param(_) | ExprNode::Literal(_) => Vec::new(),
            ExprNode::Array(list) | ExprNode::And(list) | ExprNode::Or(list) | ExprNode::Row(list) => {
                list.iter_mut().collect()
            }
            ExprNode::Cast(expr, _)
            | ExprNode::Domain(expr, ..)
            | ExprNode::Named(_, expr)
            | ExprNode::Field(expr, _)
            | ExprNode::Minus(expr)
            | ExprNode::Not(expr) => Vec::from([&mut **expr]),
            ExprNode::IsNull { expr, .. } | ExprNode::IsTruth { expr, .. } => Vec::from([&mut **expr]),
            ExprNode::Binary(_, left, right) | ExprNode::Subscript(left, right) => {
                Vec::from([&mut **left, &mut **right])
            }
            ExprNode::In { expr, list, .. } | ExprNode::Any { expr, list, .. } => {
                core::iter::once(&mut **expr).chain(list).collect()
            }
            ExprNode::Between { expr, low, high, .. } => Vec::from([&mut **expr, &mut **low, &mut **high]),
            ExprNode::Case { operand, whens, otherwise } => {
                let whens = whens.iter_mut().flat_map(|(when, then)| [when, then]);
                operand.as_deref_mut().into_iter().chain(whens).chain(otherwise.as_deref_mut()).collect()
            }
            ExprNode::Function { args, order_by, filter, over, .. } => {
                let sorted = order_by.iter_mut().map(|by| &mut by.expr);
                let mut all: Vec<&mut Self> = args.iter_mut().chain(sorted).chain(filter.as_deref_mut()).collect();
                if let Some(over) = over {
                    all.extend(over.partition.iter_mut().chain(over.order_by.iter_mut().map(|by| &mut by.expr)));
                    all.extend(over.offsets.iter_mut().flatten());
                }
                all
            }
            ExprNode::Operator(_, left, right) => left.as_deref_mut().into_iter().chain([&mut **right]).collect(),
            ExprNode::IsDistinct { operands, .. } => {
                let (left, right) = &mut **operands;
                Vec::from([left, right])
            }
            ExprNode::Query { kind, .. } => match kind {
                QueryKind::Any(expr, _) | QueryKind::All(expr, _) => Vec::from([&mut **expr]),
                QueryKind::Exists | QueryKind::Scalar | QueryKind::Array => Vec::new(),
            },
            ExprNode::AnyArray { expr, array, .. } => Vec::from([&mut **expr, &mut **array]),
            ExprNode::Slice(array, from, to) => {
                core::iter::once(&mut **array).chain(from.as_deref_mut()).chain(to.as_deref_mut()).collect()
            }
            ExprNode::AssignedParts(parts) => {
                parts.iter_mut().flat_map(|(path, value)| path.iter_mut().chain([value])).collect()
            }
            ExprNode::AssignedFields(fields) => fields.iter_mut().map(|(_, value)| value).collect(),
        }
    }
}

impl Select {
    /// Does something with each expression of a query, what is within it first, and with those of the queries in it.
    pub fn visit_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        for common in &mut self.with {
            if let Statement::Select(query) = &mut *common.statement {
                query.visit_mut(change);
            }
        }
        if let Some(set) = &mut self.set {
            set.left.visit_mut(change);
            set.right.visit_mut(change);
        }
        self.from.iter_mut().for_each(|item| item.visit_mut(change));
        let targets = self.targets.iter_mut().filter_map(|target| match target {
            Target::Expr { expr, .. } => Some(expr),
            Target::Star(_) => None,
        });
        let sort = self.order_by.iter_mut().map(|by| &mut by.expr);
        let lists =
            self.values.iter_mut().flatten().chain(self.distinct.iter_mut().flatten()).chain(&mut self.group_by);
        let single = [&mut self.filter, &mut self.having, &mut self.limit, &mut self.offset];
        let all = targets.chain(sort).chain(lists).chain(single.into_iter().flatten());
        all.for_each(|expr| expr.visit_mut(change));
    }
}

impl FromItem {
    fn visit_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        match self {
            Self::Table { .. } => {}
            Self::Function { call, .. } => call.visit_mut(change),
            Self::Query { query, .. } => query.visit_mut(change),
            Self::Join(join) => {
                join.left.visit_mut(change);
                join.right.visit_mut(change);
                if let JoinCondition::On(expr) = &mut join.condition {
                    expr.visit_mut(change);
                }
            }
        }
    }
}

impl Expr {
    /// Does something with each expression that it is made of, what is within it first.
    pub fn visit_mut(&mut self, change: &mut dyn FnMut(&mut Self)) {
        if let ExprNode::Query { query, .. } = &mut self.node {
            query.visit_mut(change);
        }
        self.children_mut().into_iter().for_each(|child| child.visit_mut(change));
        change(self);
    }
}
