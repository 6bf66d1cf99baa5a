//! Queries within queries: in expressions, in FROM, in WITH, on both sides of UNION (`transformSubLink`,
//! `transformRangeSubselect`, `transformWithClause`, `transformSetOperationStmt`; src/backend/parser).

use super::from::{Common, From};
use super::grouping::has_equality;
use super::inline_cte::is_read;
use super::source::{CommonPlan, CommonRows, SetPlan, Source, SourceRows};
use super::statement::{Given, Planner};
use super::{Output, OutputValue, SelectPlan};
use crate::sql::StatementError;
use crate::sql::ast::{
    CommonTable, Expr, ExprNode, FromItem, Literal, Select, SetKind, SetOperation, Statement, Target,
};
use crate::sql::catalog::Catalog;
use crate::sql::expr::{Column, Node, PlannedQuery, QueryPlanner, RangeTable, Typed};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

/// Plans what stands within an expression.
pub(super) struct Queries<'a> {
    pub catalog: &'a mut dyn Catalog,
    pub given: &'a Given,
    pub outer: &'a [RangeTable],
    pub commons: &'a [Common],
    /// the columns of the query that the expression is in
    pub range: &'a RangeTable,
    /// does one of them name a parameter?
    pub is_used: bool,
}

impl QueryPlanner for Queries<'_> {
    fn plan(&mut self, select: &Select) -> Result<PlannedQuery, StatementError> {
        let mut given = self.given.clone();
        let mut planner = Planner {
            outer: self.outer.to_vec(),
            commons: self.commons.to_vec(),
            ..Planner::new(&mut *self.catalog, &mut given)
        };
        let planned = planner.sub_query(select, Some(self.range));
        self.is_used |= given.is_used;
        planned
    }
}

impl Planner<'_> {
    /// A query within this one. `around`: the columns that it can read of this one.
    pub(super) fn sub_query(
        &mut self,
        select: &Select,
        around: Option<&RangeTable>,
    ) -> Result<PlannedQuery, StatementError> {
        self.nested(select, around, false)
    }

    /// The same; `keeps_literals`: a literal alone stays without type.
    fn nested(
        &mut self,
        select: &Select,
        around: Option<&RangeTable>,
        keeps_literals: bool,
    ) -> Result<PlannedQuery, StatementError> {
        let mut outer = self.outer.clone();
        outer.extend(around.cloned());
        let commons = self.commons.clone();
        let mut inner = Planner {
            outer,
            commons,
            is_nested: true,
            // of a statement that changes rows it decides in which order these come
            plans_joins: self.changes_rows,
            ..Planner::new(&mut *self.catalog, &mut *self.given)
        };
        let plan = Arc::new(inner.select_for(select, keeps_literals)?);
        let reads = core::mem::take(&mut inner.reads);
        let one_out = u16::from(around.is_some());
        let read = |(level, slot, ty): (u16, u16, SqlType)| {
            let node = if level == one_out { Node::Slot(slot) } else { Node::Outer(level - one_out, slot) };
            Typed { node, ty }
        };
        let reads: Vec<Typed> = reads.into_iter().map(read).collect();
        for expr in &reads {
            if let Node::Outer(level, slot) = expr.node {
                self.reads.push((level, slot, expr.ty));
            }
        }
        Ok(PlannedQuery { plan, reads })
    }

    /// The queries of WITH can be named from here on; `query`: the one that they stand before, where it is one.
    pub(super) fn with(
        &mut self,
        with: &[CommonTable],
        recursive: bool,
        query: Option<&Select>,
    ) -> Result<(), StatementError> {
        let mut is_left_out = false;
        for (n, common) in with.iter().enumerate() {
            if with[..n].iter().any(|before| before.name == common.name) {
                let message = format!("WITH query name \"{}\" specified more than once", common.name);
                return Err(StatementError::server("42712", message));
            }
            let is_unread = query.is_some_and(|query| !is_read(n, query));
            match self.common_table(common, recursive) {
                Ok(planned) => self.commons.push(planned),
                // what nobody reads is not planned, so that no constant in it is worked out
                Err(error) if is_unread && (is_left_out || is_of_value(&error)) => is_left_out = true,
                Err(error) if recursive => return Err(named_in_a_circle(error, common, &with[n + 1..])),
                Err(error) => return Err(named_too_early(error, &with[n..])),
            }
        }
        Ok(())
    }

    fn common_table(&mut self, common: &CommonTable, recursive: bool) -> Result<Common, StatementError> {
        let Statement::Select(query) = &*common.statement else { return self.changing(common) };
        if recursive {
            check_recursion(query, &common.name)?;
        }
        if recursive
            && let Some(SetOperation { kind: SetKind::Union, all, left, right }) = query.set.as_deref()
            && names(right, &common.name)
        {
            return self.recursive(common, left, right, *all);
        }
        if common.marks.is_some() && recursive {
            return Err(StatementError::server("42601", "WITH query is not recursive"));
        }
        let planned = self.sub_query(query, None)?;
        let outputs = planned.plan.targets.iter().map(|it| (it.name.clone(), it.value.ty()));
        let columns = columns(outputs, common)?;
        let rows = CommonRows::Query(planned.plan);
        let plan = Some(Arc::new(self.common_plan(common, rows, None)));
        Ok(Common { name: common.name.clone(), columns, hidden: 0, is_table: false, plan })
    }

    pub(super) fn common_plan(&self, common: &CommonTable, rows: CommonRows, target: Option<String>) -> CommonPlan {
        CommonPlan { name: common.name.clone(), rows, place: self.commons.len(), is_nested: self.is_nested, target }
    }

    /// One that changes rows, which only the uppermost WITH may have.
    fn changing(&mut self, common: &CommonTable) -> Result<Common, StatementError> {
        if self.changes.is_none() && self.is_nested {
            let message = "WITH clause containing a data-modifying statement must be at the top level";
            return Err(StatementError::server("0A000", message));
        }
        if self.changes.is_none() {
            let message = "INSERT, UPDATE and DELETE within WITH of this statement are not supported";
            return Err(StatementError::unsupported(message, None));
        }
        let unplanned = || StatementError::unsupported("this statement within WITH is not supported", None);
        let planned = Arc::new(self.statement(&common.statement)?.ok_or_else(unplanned)?);
        let outputs = planned.returning().into_iter().flat_map(|returning| {
            returning.names.iter().cloned().zip(returning.targets.iter().map(|target| target.ty))
        });
        let columns = columns(outputs.collect::<Vec<_>>().into_iter(), common)?;
        let target = match &*common.statement {
            Statement::Insert(insert) => Some((&insert.alias, &insert.table)),
            Statement::Update(update) => Some((&update.alias, &update.table)),
            Statement::Delete(delete) => Some((&delete.alias, &delete.table)),
            _ => None,
        };
        let target = target.map(|(alias, table)| alias.as_ref().unwrap_or(&table.name).clone());
        let plan = Arc::new(self.common_plan(common, CommonRows::Change(planned), target));
        self.changes.iter_mut().for_each(|changes| changes.push(plan.clone()));
        Ok(Common { name: common.name.clone(), columns, hidden: 0, is_table: false, plan: Some(plan) })
    }

    /// UNION and its like as an item of FROM.
    pub(super) fn set_operation(&mut self, set: &SetOperation) -> Result<From, StatementError> {
        let mut left = self.side(&set.left)?;
        let mut right = self.side(&set.right)?;
        let word = match set.kind {
            SetKind::Union => "UNION",
            SetKind::Intersect => "INTERSECT",
            SetKind::Except => "EXCEPT",
        };
        if left.targets.len() != right.targets.len() {
            let message = format!("each {word} query must have the same number of columns");
            return Err(placed(StatementError::server("42601", message), &set.right, 0));
        }
        let (mut columns, mut casts) = (Vec::new(), [Vec::new(), Vec::new()]);
        for (n, (one, other)) in left.targets.iter().zip(&right.targets).enumerate() {
            let slot = |ty| Typed { node: Node::Slot(n as u16), ty };
            let of_side = |output: &Output| output.value.literal().cloned().unwrap_or_else(|| slot(output.value.ty()));
            let pair = Vec::from([of_side(one), of_side(other)]);
            let nothing = RangeTable::default();
            let pair = self.analyze(&nothing, word, |analyzer| analyzer.common(pair, word));
            let pair = pair.map_err(|error| placed(error, &set.right, n))?;
            columns.push(Column { name: one.name.clone(), ty: pair[0].ty });
            casts.iter_mut().zip(pair).for_each(|(casts, cast)| casts.push(cast));
        }
        [&mut left, &mut right].into_iter().zip(&mut casts).for_each(|(side, casts)| decide_literals(side, casts));
        if set.kind != SetKind::Union || !set.all {
            casts[0].iter().try_for_each(|column| has_equality(column.ty.oid))?;
        }
        let plan = SetPlan { kind: set.kind, all: set.all, left, right, casts, finding: None, is_turned: false };
        Ok(alone(SourceRows::Set(Arc::new(self.with_finding(plan))), columns, ""))
    }

    /// A side of it: a literal alone gets the type that the other side has there.
    fn side(&mut self, select: &Select) -> Result<Arc<SelectPlan>, StatementError> {
        let is_literal = |target: &Target| {
            matches!(
                target,
                Target::Expr { expr: Expr { node: ExprNode::Literal(Literal::Null | Literal::String(_)), .. }, .. }
            )
        };
        let keeps_literals = select.set.is_none() && select.targets.iter().any(is_literal);
        Ok(self.nested(select, None, keeps_literals)?.plan)
    }

    /// VALUES as an item of FROM.
    pub(super) fn values(&mut self, rows: &[Vec<Expr>]) -> Result<From, StatementError> {
        let width = rows.first().map_or(0, Vec::len);
        if rows.iter().any(|row| row.len() != width) {
            return Err(StatementError::server("42601", "VALUES lists must all be the same length"));
        }
        let input = self.catalog.input();
        let mut columns: Vec<Vec<Typed>> = Vec::with_capacity(width);
        for n in 0..width {
            let nothing = RangeTable::default();
            let column = self.analyze(&nothing, "VALUES", |analyzer| {
                let column = rows.iter().map(|row| analyzer.expr(&row[n])).collect::<Result<Vec<_>, _>>()?;
                analyzer.common(column, "VALUES")
            })?;
            columns.push(column.into_iter().map(|value| super::fold(value, input)).collect::<Result<_, _>>()?);
        }
        let row = |n: usize| columns.iter().map(|column| column[n].clone()).collect();
        let all: Vec<Vec<Typed>> = (0..rows.len()).map(row).collect();
        let name = |n: usize| format!("column{}", n + 1);
        let columns = (columns.iter().enumerate()).map(|(n, column)| Column { name: name(n), ty: column[0].ty });
        Ok(alone(SourceRows::Values(all), columns.collect(), "*VALUES*"))
    }
}

/// Literals of a side, which have a type now, are what the side gives.
fn decide_literals(side: &mut Arc<SelectPlan>, casts: &mut [Typed]) {
    for (n, cast) in casts.iter_mut().enumerate() {
        if side.targets[n].value.literal().is_some() {
            let decided = core::mem::replace(cast, Typed { node: Node::Slot(n as u16), ty: cast.ty });
            Arc::make_mut(side).targets[n].value = OutputValue::Expr(decided);
        }
    }
}

/// `parserOpenTable`: is a relation missing that is called as one of these queries?
fn named_too_early(mut error: StatementError, later: &[CommonTable]) -> StatementError {
    let is_it = |later: &&CommonTable| {
        error.error.sqlstate == "42P01" && error.error.message == format!("relation \"{}\" does not exist", later.name)
    };
    if let Some(later) = later.iter().find(is_it) {
        let message = format!(
            "There is a WITH item named \"{}\", but it cannot be referenced from this part of the query.",
            later.name
        );
        let hint = "Use WITH RECURSIVE, or re-order the WITH items to remove forward references.";
        error.error = error.error.clone().with_detail(message).with_hint(hint);
    }
    error
}

/// With RECURSIVE a query may name a later one, which does not name it in turn (`checkWellFormedRecursion`).
fn named_in_a_circle(error: StatementError, common: &CommonTable, later: &[CommonTable]) -> StatementError {
    let is_it = |later: &&CommonTable| {
        error.error.sqlstate == "42P01" && error.error.message == format!("relation \"{}\" does not exist", later.name)
    };
    let Some(later) = later.iter().find(is_it) else { return error };
    match &*later.statement {
        Statement::Select(query) if names(query, &common.name) => {
            StatementError::server("0A000", "mutual recursion between WITH items is not implemented")
        }
        _ => {
            let message =
                format!("{} before {}, which it names, is not supported; write it after", common.name, later.name);
            StatementError::unsupported(message, error.position)
        }
    }
}

/// `checkWellFormedRecursion` (src/backend/parser/parse_cte.c): a query that names itself is a UNION, whose second part
/// does so once.
fn check_recursion(query: &Select, name: &str) -> Result<(), StatementError> {
    let (of_whole, of_parts) = match query.set.as_deref() {
        Some(set) => (0, [count_of(&set.left, name), count_of(&set.right, name)]),
        None => (count_of(query, name), [0, 0]),
    };
    if of_whole == 0 && of_parts == [0, 0] {
        return Ok(());
    }
    let is_union = query.set.as_deref().is_some_and(|set| set.kind == SetKind::Union);
    if !is_union {
        let message =
            format!("recursive query \"{name}\" does not have the form non-recursive-term UNION [ALL] recursive-term");
        return Err(StatementError::server("42P19", message));
    }
    let above = [
        ("ORDER BY", !query.order_by.is_empty()),
        ("OFFSET", query.offset.is_some()),
        ("LIMIT", query.limit.is_some()),
        ("FOR UPDATE/SHARE", query.locking.is_some()),
    ];
    if let Some((clause, _)) = above.into_iter().find(|(_, is_there)| *is_there) {
        return Err(StatementError::server("0A000", format!("{clause} in a recursive query is not implemented")));
    }
    let wrong = match of_parts {
        [0, 1] => return Ok(()),
        [0, _] => "more than once",
        _ => "within its non-recursive term",
    };
    let message = format!("recursive reference to query \"{name}\" must not appear {wrong}");
    Err(StatementError::server("42P19", message))
}

/// How often FROM of a query names another.
fn count_of(select: &Select, name: &str) -> usize {
    fn item(from: &FromItem, name: &str) -> usize {
        match from {
            FromItem::Table { name: table, .. } => usize::from(table.schema.is_none() && table.name == name),
            FromItem::Join(join) => item(&join.left, name) + item(&join.right, name),
            FromItem::Query { query, .. } => count_of(query, name),
            FromItem::Function { .. } => 0,
        }
    }
    let of_parts = select.set.as_deref().map_or(0, |set| count_of(&set.left, name) + count_of(&set.right, name));
    of_parts + select.from.iter().map(|from| item(from, name)).sum::<usize>()
}

/// Is it raised where constants are worked out?
fn is_of_value(error: &StatementError) -> bool {
    ["22003", "22012"].contains(&error.error.sqlstate)
}

/// FROM with one item.
fn alone(rows: SourceRows, columns: Vec<Column>, name: &str) -> From {
    let mut from = From::default();
    from.sources.push(Source {
        rows,
        types: columns.iter().map(|column| column.ty).collect(),
        ordinality: false,
        keeps_left: false,
        keeps_right: None,
        semi: None,
        on: Vec::new(),
        filter: Vec::new(),
        lateral: false,
    });
    from.range.add(name, columns);
    from
}

/// The columns of a query of WITH.
pub(super) fn columns(
    outputs: impl ExactSizeIterator<Item = (String, SqlType)>,
    common: &CommonTable,
) -> Result<Vec<Column>, StatementError> {
    if common.columns.len() > outputs.len() {
        let (name, has, given) = (&common.name, outputs.len(), common.columns.len());
        let message = format!("WITH query \"{name}\" has {has} columns available but {given} columns specified");
        return Err(StatementError::server("42P10", message));
    }
    let column = |(n, (name, ty)): (usize, (String, SqlType))| {
        let name = common.columns.get(n).cloned().unwrap_or(name);
        Column { name, ty }
    };
    Ok(outputs.enumerate().map(column).collect())
}

/// Does the query read a relation of that name in its FROM?
fn names(select: &Select, name: &str) -> bool {
    count_of(select, name) > 0
}

/// At a column of the query on the right, as far as that is written out (`transformSetOperationTree`).
pub(super) fn placed(error: StatementError, right: &Select, column: usize) -> StatementError {
    let first = right.values.first().and_then(|row| row.get(column));
    let expr = match right.targets.get(column) {
        Some(Target::Expr { expr, .. }) if right.set.is_none() => Some(expr),
        _ => first,
    };
    match expr {
        Some(expr) => error.at(expr.position),
        None => error,
    }
}
