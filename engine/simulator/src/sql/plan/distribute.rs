//! Which conditions are asked where: each as soon as the rows that it is about are there (`distribute_qual_to_rels`,
//! src/backend/optimizer/plan/initsplan.c).

use super::from::From;
use super::joinrel::shifted;
use super::query::Wanted;
use super::source::{CommonRows, Source, SourceRows};
use super::statement::Planner;
use super::{Scan, SelectPlan};
use crate::sql::StatementError;
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{Node, SYSTEM, SubPlan, SubPlanKind, Typed};
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

impl Planner<'_> {
    /// Gives the conditions to the items of FROM behind the first table; what is about none of them comes back.
    pub(super) fn distribute(
        &mut self,
        plan: &mut SelectPlan,
        from: &From,
        first_rows: f64,
        filter: Vec<Typed>,
    ) -> Result<Vec<Typed>, StatementError> {
        let first = from.table.as_ref().map_or(0, |table| table.columns.len() + SYSTEM.len());
        let spans = spans(first as u16, &plan.sources);
        let joins: Vec<Typed> = filter.iter().chain(plan.sources.iter().flat_map(|it| &it.on)).cloned().collect();
        let mut left = Vec::new();
        let mut of_tables: Vec<Vec<Typed>> = alloc::vec![Vec::new(); plan.sources.len()];
        for clause in filter {
            let Some(last) = last_of(&clause, &spans) else {
                left.push(clause);
                continue;
            };
            let source = &mut plan.sources[last];
            if !source.keeps_left && is_of_table(source, &clause, &spans[last]) {
                of_tables[last].push(clause);
            } else {
                source.filter.push(clause);
            }
        }
        for (n, source) in plan.sources.iter_mut().enumerate() {
            // a FULL JOIN gives rows that its condition leaves out, too
            if source.keeps_right.is_some() {
                continue;
            }
            let on = core::mem::take(&mut source.on);
            let (own, others): (Vec<Typed>, Vec<Typed>) =
                on.into_iter().partition(|clause| is_of_table(source, clause, &spans[n]));
            of_tables[n].extend(own);
            source.on = others;
        }
        for (n, table, _) in &from.tables {
            let span = &spans[*n];
            let shift = |clause: Typed| shifted(clause, span.start);
            let clauses: Vec<Typed> = core::mem::take(&mut of_tables[*n]).into_iter().map(shift).collect();
            let needed = super::select::needed_between(plan, span);
            let scan = self.inner_scan(table, clauses, needed)?;
            let rows = plan.sources[..*n].iter().map(Source::estimated_rows).fold(first_rows, f64::max);
            if self.given.explains {
                plan.sources[*n].rows = SourceRows::Table(Arc::new(scan));
                continue;
            }
            let mut checked = Ok(());
            for part in self.leaves_of(table) {
                checked = checked.and_then(|()| check_join(&joins, &part, span.start, scan.cost.total, rows));
            }
            for first in from.table.iter().flat_map(|first| self.leaves_of(first)) {
                let whole = super::cost::seqscan(super::size::of_table(&first, self.major()), &[], self.major());
                checked = checked.and_then(|()| check_join(&joins, &first, 0, whole.total, scan.rows));
            }
            self.refused_join = self.refused_join.take().or(checked.err());
            plan.sources[*n].rows = SourceRows::Table(Arc::new(scan));
        }
        Ok(left)
    }

    /// The scan of a table that others are joined to: its rows are read once, all of them.
    fn inner_scan(&mut self, table: &TableInfo, clauses: Vec<Typed>, needed: Vec<u16>) -> Result<Scan, StatementError> {
        if table.has_parts() {
            return self.append(table, clauses, Some(needed), false);
        }
        self.look_up_relation(table, false);
        self.look_up_statistics(table, &clauses, &needed);
        self.cheapest_scan(table, clauses, Some(needed), true)
    }
}

/// PostgreSQL may look rows of a table up by its index, for each row before, where there are few of these: which of its
/// pages are read then is not known here.
fn check_join(
    joins: &[Typed],
    table: &TableInfo,
    first: u16,
    whole: f64,
    rows_before: f64,
) -> Result<(), StatementError> {
    /// what a lookup costs about: two pages out of order
    const LOOKUP: f64 = 8.0;
    let is_first_key = |slot: u16| {
        let column = slot.checked_sub(first).map(Node::Slot);
        table.indexes.iter().any(|index| index.keys.first().is_some_and(|key| Some(&key.expr.node) == column.as_ref()))
    };
    let is_gist_key = |slot: u16| {
        let column = slot.checked_sub(first).map(Node::Slot);
        let mut keys = table.indexes.iter().filter(|index| index.gist.is_some()).flat_map(|index| &index.keys);
        keys.any(|key| Some(&key.expr.node) == column.as_ref())
    };
    let joins_by_index = joins.iter().any(|clause| {
        let mut slots = Vec::new();
        clause.slots(&mut slots);
        if slots.into_iter().any(is_gist_key) {
            return true;
        }
        let Node::Binary(crate::sql::ast::BinaryOp::Eq, operands) = &clause.node else { return false };
        let slot = |expr: &Typed| if let Node::Slot(slot) = expr.node { Some(slot) } else { None };
        [slot(&operands.0), slot(&operands.1)].into_iter().flatten().any(is_first_key)
    });
    if joins_by_index && rows_before * LOOKUP < whole {
        let message = format!(
            "this join is not supported: PostgreSQL looks rows of {} up by an index, one by one, where few are joined to it",
            table.name
        );
        return Err(StatementError::unsupported(message, None));
    }
    Ok(())
}

/// `x IN (query)` is a join too (`convert_ANY_sublink_to_join`): of a query of one row at most it looks that one up.
pub(super) fn semi_joins(table: &TableInfo, major: u32, clauses: Vec<Typed>) -> Result<Vec<Typed>, StatementError> {
    const LOOKUP: f64 = 8.0;
    let whole = super::cost::seqscan(super::size::of_table(table, major), &[], major).total;
    let is_first_key =
        |node: &Node| table.indexes.iter().any(|index| index.keys.first().is_some_and(|key| key.expr.node == *node));
    let mut changed = Vec::with_capacity(clauses.len());
    for clause in clauses {
        let Node::Query(query) = &clause.node else {
            changed.push(clause);
            continue;
        };
        let left = match query.test.as_ref().map(|test| &test.node) {
            Some(Node::Binary(crate::sql::ast::BinaryOp::Eq, operands)) if query.kind == SubPlanKind::Any => {
                Some(operands.0.clone()).filter(|left| is_first_key(&left.node))
            }
            _ => None,
        };
        let Some(left) = left.filter(|_| query.is_constant()) else {
            changed.push(clause);
            continue;
        };
        let ty = query.plan.targets.first().map_or(left.ty, |target| target.value.ty());
        if Wanted::limit_value(query.plan.limit.as_ref()) == Some(1.0) && ty.oid == left.ty.oid {
            let scalar = SubPlan { kind: SubPlanKind::Scalar, test: None, ..SubPlan::clone(query) };
            let value = Typed { node: Node::Query(Arc::new(scalar)), ty };
            let operands = alloc::boxed::Box::new((left, value));
            let node = Node::Binary(crate::sql::ast::BinaryOp::Eq, operands);
            changed.push(Typed { node, ty: clause.ty });
            continue;
        }
        let rows = estimated_rows(&query.plan);
        if rows * LOOKUP < whole {
            let message = format!(
                "IN of so small a query is not supported: PostgreSQL looks rows of {} up by an index, one by one",
                table.name
            );
            return Err(StatementError::unsupported(message, None));
        }
        changed.push(clause);
    }
    Ok(changed)
}

/// How many rows a query is expected to have, also one that reads another of WITH.
fn estimated_rows(plan: &SelectPlan) -> f64 {
    const UNKNOWN: f64 = 1000.0;
    match (&plan.scan, &plan.sources[..]) {
        (Some(scan), _) => scan.rows,
        (None, [Source { rows: SourceRows::Common(common), .. }]) => match &common.rows {
            CommonRows::Query(inner) if inner.scan.is_none() && inner.sources.is_empty() => 1.0,
            CommonRows::Query(inner) => estimated_rows(inner),
            CommonRows::Change(change) => change.scan().map_or(1.0, |scan| scan.rows),
            CommonRows::Recursive(..) => UNKNOWN,
        },
        _ => UNKNOWN,
    }
}

/// Columns that are equal to each other, and one of them to a constant, are all equal to it
/// (`generate_base_implied_equalities`, src/backend/optimizer/path/equivclass.c).
pub(super) fn with_constants(mut clauses: Vec<Typed>) -> Vec<Typed> {
    use crate::sql::ast::BinaryOp::Eq;
    fn sides(clause: &Typed) -> Option<(&Typed, &Typed)> {
        let Node::Binary(Eq, operands) = &clause.node else { return None };
        (operands.0.ty == operands.1.ty).then_some((&operands.0, &operands.1))
    }
    let is_slot = |expr: &Typed| matches!(expr.node, Node::Slot(_));
    let mut known: Vec<(Node, Typed)> = Vec::new();
    for clause in &clauses {
        if let Some((column, value)) = sides(clause)
            && is_slot(column)
            && matches!(value.node, Node::Const(_))
        {
            known.push((column.node.clone(), value.clone()));
        }
    }
    let mut at = 0;
    while at < known.len() {
        let (column, value) = known[at].clone();
        at += 1;
        for clause in &mut clauses {
            let Some((left, right)) = sides(clause) else { continue };
            let other = match (left.node == column, right.node == column) {
                (true, false) if is_slot(right) => right.clone(),
                (false, true) if is_slot(left) => left.clone(),
                _ => continue,
            };
            if !known.iter().any(|(node, _)| *node == other.node) {
                known.push((other.node.clone(), value.clone()));
            }
            *clause = Typed { node: Node::Binary(Eq, alloc::boxed::Box::new((other, value.clone()))), ty: clause.ty };
        }
    }
    clauses
}

/// The slots of each item.
fn spans(first: u16, sources: &[Source]) -> Vec<Range<u16>> {
    let mut start = first;
    let span = |source: &Source| {
        let span = start..start + source.width() as u16;
        start = span.end;
        span
    };
    sources.iter().map(span).collect()
}

/// The last item that the clause reads; without columns the last one of all.
fn last_of(clause: &Typed, spans: &[Range<u16>]) -> Option<usize> {
    let mut slots = Vec::new();
    clause.slots(&mut slots);
    match slots.iter().max() {
        Some(most) => spans.iter().position(|span| span.contains(most)),
        None => spans.len().checked_sub(1),
    }
}

fn is_of_table(source: &Source, clause: &Typed, span: &Range<u16>) -> bool {
    let mut slots = Vec::new();
    clause.slots(&mut slots);
    matches!(source.rows, SourceRows::Table(_))
        && !slots.is_empty()
        && slots.iter().all(|slot| span.contains(slot))
        && !clause.any(&|node| matches!(node, Node::Query(_)))
}
