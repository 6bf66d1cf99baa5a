//! Groups of rows that come from no table: of a function, of VALUES, of a query (`create_grouping_paths`,
//! `create_distinct_paths`, src/backend/optimizer/plan/planner.c). Their plan decides the order in which groups come.
//!
//! ```text
//!  Function Scan on generate_series i ──▶ HashAggregate by i % 10
//! ```

use super::from::From;
use super::joinrel::Rows;
use super::num_groups::Relation;
use super::path::Path;
use super::query::Wanted;
use super::select::limit_and_offset;
use super::selectivity::Selectivity;
use super::statement::Planner;
use super::upper::upper_of_join;
use super::upper_keys::sort_keys;
use super::{Cost, Method, SelectPlan, Source, SourceRows, cost};
use crate::sql::expr::{Node, SortKey, Typed};
use alloc::sync::Arc;
use alloc::vec::Vec;

impl Planner<'_> {
    /// Plans what stands above the only item of FROM, as far as it is known what its rows cost.
    pub(super) fn group_rows(&self, plan: &mut SelectPlan, from: &From) {
        let ([source], [entry]) = (&plan.sources[..], &from.range.entries[..]) else { return };
        if from.table.is_some() || !from.tables.is_empty() || !plan.filter.is_empty() || !plan.is_general() {
            return;
        }
        let order = order_given(source);
        let Some(rows) = Rows::of(source, &|table| self.catalog.table_of(table), self.major()) else { return };
        let table = rows.table(entry);
        let clauses = source.filter.clone();
        let selectivity = Selectivity::new(&table, rows.count, self.catalog.input());
        let count = (rows.count * selectivity.all(&clauses.iter().collect::<Vec<_>>())).max(1.0);
        plan.expect_groups(&selectivity, count);
        let is_one_set = plan.grouping_sets.is_empty() && (plan.grouped || plan.aggregates.is_empty());
        if !is_one_set {
            return;
        }
        let checks = cost::quals(&clauses, self.major());
        let total = rows.cost.total + checks.total * rows.count;
        let cost = Cost { startup: rows.cost.startup, total };
        let scan = Path { method: Method::Seq, cost, ordered: 0, disabled: 0, rows: count };
        let wanted = Wanted {
            table: &table,
            clauses,
            needed: None,
            system: false,
            order: Vec::new(),
            limit: limit_and_offset(plan),
            fraction: None,
            locks: false,
            enabled: self.catalog.scans(),
            input: self.catalog.input(),
            looked_up: None,
        };
        let relations = [Relation { slots: 0..u16::MAX, selectivity, rows: count }];
        plan.upper = upper_of_join(&wanted, plan, &relations, &[(scan, order)]).map(|(_, upper)| Arc::new(upper));
    }
}

/// The order in which the rows of a query come, by its columns (`convert_subquery_pathkeys`,
/// src/backend/optimizer/path/pathkeys.c).
fn order_given(source: &Source) -> Vec<SortKey> {
    let SourceRows::Query(query) = &source.rows else { return Vec::new() };
    let order = match &query.upper {
        Some(upper) => upper.order.clone(),
        None => sort_keys(query),
    };
    let outputs: Vec<Option<Typed>> =
        query.targets.iter().map(|target| Some(query.over_rows(target.value.expr()?))).collect();
    let column = |key: &SortKey| {
        let is_it = |output: &Option<Typed>| output.as_ref().is_some_and(|output| output.node == key.expr.node);
        let n = outputs.iter().position(is_it)?;
        let expr = Typed { node: Node::Slot(n as u16), ty: key.expr.ty };
        Some(SortKey { expr, ..key.clone() })
    };
    order.iter().map_while(column).collect()
}
