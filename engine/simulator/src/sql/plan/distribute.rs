//! Which conditions are asked where: each as soon as the rows that it is about are there (`distribute_qual_to_rels`,
//! src/backend/optimizer/plan/initsplan.c).

use super::from::From;
use super::query::Wanted;
use super::source::{Source, SourceRows};
use super::statement::Planner;
use super::{Scan, SelectPlan};
use crate::sql::StatementError;
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{Node, SYSTEM, Typed};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::convert::Infallible;
use core::ops::Range;

impl Planner<'_> {
    /// Gives the conditions to the items of FROM behind the first table; what is about none of them comes back.
    pub(super) fn distribute(
        &mut self,
        plan: &mut SelectPlan,
        from: &From,
        filter: Vec<Typed>,
    ) -> Result<Vec<Typed>, StatementError> {
        let first = from.table.as_ref().map_or(0, |table| table.columns.len() + SYSTEM.len());
        let spans = spans(first as u16, &plan.sources);
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
            plan.sources[*n].rows = SourceRows::Table(Arc::new(scan));
        }
        Ok(left)
    }

    /// The scan of a table that others are joined to: its rows are read once, all of them.
    fn inner_scan(&mut self, table: &TableInfo, clauses: Vec<Typed>, needed: Vec<u16>) -> Result<Scan, StatementError> {
        self.look_up_relation(table, false);
        self.look_up_statistics(table, &clauses, &needed);
        let table = self.with_ends(table, &clauses)?;
        let wanted = Wanted {
            table: &table,
            clauses,
            needed: Some(needed),
            system: true,
            order: Vec::new(),
            limit: None,
            locks: false,
            enabled: self.catalog.scans(),
            input: self.catalog.input(),
        };
        let mut operators = wanted.operators(&[]);
        let scan = wanted.scan_of(wanted.best().0);
        operators.extend(wanted.supports(&scan));
        self.catalog.look_up(operators);
        Ok(scan)
    }
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

fn shifted(clause: Typed, by: u16) -> Typed {
    if let Node::Slot(slot) = clause.node {
        return Typed { node: Node::Slot(slot - by), ty: clause.ty };
    }
    let Ok(clause) = clause.map_children(&mut |child| Ok::<_, Infallible>(shifted(child, by)));
    clause
}
