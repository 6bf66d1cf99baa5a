//! A query over another one, with what the other's columns are in place of their names (`pullup_replace_vars`,
//! src/backend/optimizer/prep/prepjointree.c).

use super::pulled::Leaf;
use super::targets::name_of;
use crate::sql::ast::{Expr, ExprNode, FromItem, JoinCondition, Select, Target};
use crate::sql::expr::SYSTEM;
use alloc::string::String;
use alloc::vec::Vec;

/// A query of FROM.
pub(super) struct Inner {
    /// what it is called
    pub shown: String,
    /// its columns, and what they are
    pub columns: Vec<(String, Expr)>,
    /// its own FROM
    pub items: Vec<Other>,
    pub query: Select,
}

/// An item of FROM.
pub(super) struct Other {
    /// what it is called
    pub name: String,
    /// its columns, where they are known
    pub columns: Option<Vec<String>>,
    pub is_table: bool,
}

impl Other {
    /// May it have a column of that name, or be called so?
    fn may_mean(&self, name: &str) -> bool {
        let is_system = || self.is_table && SYSTEM.iter().any(|(system, _)| *system == name);
        self.name == name
            || is_system()
            || self.columns.as_ref().is_none_or(|columns| columns.iter().any(|column| column == name))
    }
}

/// The columns of a query, and what stands beside it.
pub(super) struct Renamed<'a> {
    pub inner: &'a Inner,
    pub others: &'a [Other],
}

impl Renamed<'_> {
    /// The clauses of the query over it; FROM still has it. `None` where it is not known what is meant.
    pub fn query(&self, select: &Select, leaves: &[Leaf<'_>], major: u32) -> Option<Select> {
        let mut all = select.clone();
        all.targets = self.targets(&select.targets, leaves, major)?;
        all.filter = self.all_mapped(select.filter.as_slice())?.pop();
        all.having = self.all_mapped(select.having.as_slice())?.pop();
        for by in &mut all.group_by {
            if !self.is_output(&by.clone(), &all.targets, false) {
                *by = self.mapped(by.clone())?;
            }
        }
        for by in &mut all.order_by {
            // the name of an output is meant first
            if !self.is_output(&by.expr, &all.targets, true) {
                by.expr = self.mapped(by.expr.clone())?;
            }
        }
        if let Some(distinct) = &mut all.distinct {
            for by in distinct {
                if !self.is_output(by, &all.targets, true) {
                    *by = self.mapped(by.clone())?;
                }
            }
        }
        for item in &mut all.from {
            self.map_item(item)?;
        }
        Some(all)
    }

    fn all_mapped(&self, exprs: &[Expr]) -> Option<Vec<Expr>> {
        exprs.iter().map(|expr| self.mapped(expr.clone())).collect()
    }

    /// Conditions of joins, and arguments of functions.
    fn map_item(&self, item: &mut FromItem) -> Option<()> {
        match item {
            FromItem::Join(join) => {
                self.map_item(&mut join.left)?;
                self.map_item(&mut join.right)?;
                if let JoinCondition::On(expr) = &mut join.condition {
                    *expr = self.mapped(expr.clone())?;
                }
            }
            FromItem::Function { call, .. } => *call = self.mapped(call.clone())?,
            FromItem::Query { .. } | FromItem::Table { .. } => {}
        }
        Some(())
    }

    /// Is it the name of an output? Of GROUP BY only where no column has that name.
    fn is_output(&self, expr: &Expr, targets: &[Target], is_first: bool) -> bool {
        let ExprNode::Column { table: None, name } = &expr.node else { return false };
        let has = |target: &Target| matches!(target, Target::Expr { alias: Some(alias), .. } if alias == name);
        let is_column = self.inner.columns.iter().any(|(column, _)| column == name)
            || self.others.iter().any(|other| other.may_mean(name))
            || self.inner.items.iter().any(|item| item.may_mean(name));
        (is_first || !is_column) && targets.iter().any(has)
    }

    /// Outputs keep the names that they have over the query.
    fn targets(&self, targets: &[Target], leaves: &[Leaf<'_>], major: u32) -> Option<Vec<Target>> {
        let mut all = Vec::new();
        let own = |all: &mut Vec<Target>| {
            let column = |(name, expr): &(String, Expr)| Target::Expr { expr: expr.clone(), alias: Some(name.clone()) };
            all.extend(self.inner.columns.iter().map(column));
        };
        for target in targets {
            match target {
                Target::Star(Some(table)) if *table == self.inner.shown => own(&mut all),
                Target::Star(Some(table)) => {
                    let is_other = self.others.iter().any(|other| other.name == *table);
                    all.push(Some(target.clone()).filter(|_| is_other)?);
                }
                Target::Star(None) if leaves.iter().any(|leaf| leaf.is_merged) => return None,
                Target::Star(None) => {
                    // those before it, its own, those behind it
                    let mut others = self.others.iter();
                    for leaf in leaves {
                        if is_called(leaf.item, &self.inner.shown) {
                            own(&mut all);
                        } else {
                            all.push(Target::Star(Some(others.next()?.name.clone())));
                        }
                    }
                }
                Target::Expr { expr, alias } => {
                    let alias = Some(name_of(expr, alias.as_ref(), major));
                    all.push(Target::Expr { expr: self.mapped(expr.clone())?, alias });
                }
            }
        }
        Some(all)
    }

    /// What a name without a table means: a column, nothing of the query's; `None` where that is not known.
    fn meant(&self, name: &str) -> Option<Option<&Expr>> {
        let is_beside = self.others.iter().any(|other| other.may_mean(name));
        if let Some((_, expr)) = self.inner.columns.iter().find(|(column, _)| column == name) {
            let is_twice = self.inner.columns.iter().filter(|(column, _)| column == name).count() > 1;
            return (!is_beside && !is_twice).then_some(Some(expr));
        }
        let is_within = self.inner.items.iter().any(|item| item.may_mean(name)) || self.inner.shown == name;
        (!is_within).then_some(None)
    }

    /// The item beside the query that alone has a column of that name.
    fn beside(&self, name: &str) -> Option<String> {
        let has = |columns: &[String]| columns.iter().any(|column| column == name);
        if name == self.inner.shown || self.inner.columns.iter().any(|(column, _)| column == name) {
            return None;
        }
        let mut found = self.others.iter().filter(|other| other.may_mean(name));
        let only = found.next().filter(|only| only.columns.as_deref().is_some_and(has) && found.next().is_none())?;
        Some(only.name.clone())
    }

    /// The expression with what the query's columns are; `None` where that is not known here.
    pub fn mapped(&self, mut expr: Expr) -> Option<Expr> {
        match &mut expr.node {
            ExprNode::Query { query, .. } => **query = self.mapped_query(query)?,
            ExprNode::Column { table: Some(table), name } => {
                if *table == self.inner.shown {
                    let mut columns = self.inner.columns.iter().filter(|(column, _)| column == name);
                    let (_, found) = columns.next()?;
                    return columns.next().is_none().then(|| found.clone());
                }
                let is_within = self.inner.items.iter().any(|item| item.name == *table);
                return (!is_within).then_some(expr);
            }
            ExprNode::Column { table, name } => {
                if let Some(meant) = self.meant(name) {
                    return Some(meant.cloned().unwrap_or(expr));
                }
                // where the query's own tables come in, the name alone says it no more
                *table = Some(self.beside(name)?);
                return Some(expr);
            }
            ExprNode::Field(row, name) if matches!(&row.node, ExprNode::Column { table: None, name } if *name == self.inner.shown) =>
            {
                let node = ExprNode::Column { table: Some(self.inner.shown.clone()), name: name.clone() };
                return self.mapped(Expr { node, position: expr.position });
            }
            _ => {}
        }
        for child in expr.children_mut() {
            let moved = core::mem::replace(child, Expr { node: ExprNode::Array(Vec::new()), position: child.position });
            *child = self.mapped(moved)?;
        }
        Some(expr)
    }

    /// A query within an expression that reads columns of it by its name alone.
    fn mapped_query(&self, query: &Select) -> Option<Select> {
        let mut copy = query.clone();
        let (mut is_known, mut reads) = (true, false);
        copy.visit_mut(&mut |expr| {
            let ExprNode::Column { table, name } = &expr.node else { return };
            match table {
                Some(table) if *table == self.inner.shown => match self.mapped(expr.clone()) {
                    Some(column) => (*expr, reads) = (column, true),
                    None => is_known = false,
                },
                Some(_) => {}
                // it may be one of the query's own
                None => is_known &= matches!(self.meant(name), Some(None)) || self.is_own(query, name),
            }
        });
        let hides = |name: &str| query.from.iter().any(|item| has_item(item, name));
        let is_hidden = hides(&self.inner.shown) || reads && self.inner.items.iter().any(|item| hides(&item.name));
        (is_known && !is_hidden).then_some(copy)
    }

    /// Does the query, which reads one table, say of which table its columns are by that alone?
    fn is_own(&self, query: &Select, name: &str) -> bool {
        let is_single = matches!(&query.from[..], [FromItem::Table { .. }]) && query.set.is_none();
        let [FromItem::Table { name: table, .. }] = &query.from[..] else { return false };
        let same = |other: &&Other| other.is_table && other.name == table.name;
        let columns = self.others.iter().chain(&self.inner.items).find(same).and_then(|other| other.columns.as_ref());
        is_single && columns.is_some_and(|columns| columns.iter().any(|column| column == name))
    }
}

fn is_called(item: &FromItem, shown: &str) -> bool {
    match item {
        FromItem::Table { name, alias, .. } => alias.as_ref().unwrap_or(&name.name) == shown,
        FromItem::Query { alias, .. } => alias.as_deref().unwrap_or_default() == shown,
        _ => false,
    }
}

fn has_item(item: &FromItem, wanted: &str) -> bool {
    match item {
        FromItem::Join(join) => has_item(&join.left, wanted) || has_item(&join.right, wanted),
        FromItem::Function { alias, .. } => alias.as_deref() == Some(wanted),
        item => is_called(item, wanted),
    }
}
