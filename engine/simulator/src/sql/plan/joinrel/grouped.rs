//! Groups of the rows of a join: what stands above it (`create_grouping_paths`, src/backend/optimizer/plan/planner.c),
//! where no order that a way to join has would help.

use super::model::Model;
use super::top::slot_of;
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{Node, Typed};
use crate::sql::plan::path::Path;
use crate::sql::plan::query::Wanted;
use crate::sql::plan::upper::upper_of_join;
use crate::sql::plan::{JoinPlan, Method, SelectPlan, Upper};
use alloc::vec::Vec;

impl Model {
    /// Of rows that are grouped: is there no index and no merge join that gives them in an order that helps?
    pub fn orders_nothing(&self, plan: &SelectPlan) -> bool {
        let outputs = plan.targets.iter().filter_map(|target| target.value.expr()).filter(|_| plan.distinct.is_some());
        let of_aggregates =
            plan.aggregates.iter().flat_map(|aggregate| aggregate.order.iter().chain(&plan.aggregate_order));
        let keys = plan.sort.iter().chain(of_aggregates).map(|key| &key.expr);
        let all = keys.chain(&plan.group).chain(plan.distinct.iter().flatten()).chain(outputs);
        let mut slots = Vec::new();
        all.for_each(|expr| expr.slots(&mut slots));
        slots.into_iter().all(|slot| {
            let base = &self.bases[self.rel_of(slot)];
            let is_it = |node: &Node| *node == Node::Slot(slot - base.start);
            let leads =
                base.table.indexes.iter().any(|index| index.keys.first().is_some_and(|key| key.expr.any(&is_it)));
            !leads && !self.joins(slot)
        })
    }

    /// The nodes above the join where rows are grouped; `None`: not known what decides.
    pub fn upper(&self, plan: &SelectPlan, join: &JoinPlan, limit: Option<(f64, f64)>) -> Option<Upper> {
        let targets = plan.targets.iter().filter_map(|target| target.value.expr()).filter(|_| plan.distinct.is_some());
        let keys: Vec<&Typed> = plan.group.iter().chain(plan.distinct.iter().flatten()).chain(targets).collect();
        let mut slots = Vec::new();
        keys.iter().for_each(|key| plan.over_rows(key).slots(&mut slots));
        let n = self.rel_of(*slots.first()?);
        let base = &self.bases[n];
        let is_fixed = |expr: &&Typed| slot_of(expr).is_some_and(|slot| self.is_fixed(slot));
        if slots.iter().any(|slot| self.rel_of(*slot) != n) || keys.iter().any(is_fixed) {
            return None;
        }
        let table = self.as_one(n)?;
        let wanted = Wanted {
            table: &table,
            clauses: Vec::new(),
            needed: None,
            system: false,
            order: Vec::new(),
            limit,
            fraction: None,
            locks: false,
            enabled: self.enabled,
            input: self.input,
            looked_up: None,
        };
        let scan = Path { method: Method::Seq, cost: join.cost, ordered: 0, disabled: 0, rows: join.rows };
        upper_of_join(&wanted, plan, (base.tuples, base.rows), scan)
    }

    /// All tables as one whose columns are where they are in the row, with the indexes of the one with this number.
    fn as_one(&self, n: usize) -> Option<TableInfo> {
        if !self.bases[n].table.extended.is_empty() {
            return None;
        }
        let mut one = TableInfo { stats: Vec::new(), columns: Vec::new(), ..self.bases[n].table.clone() };
        for base in &self.bases {
            let filling = base.table.columns.last()?.clone();
            one.columns.resize(usize::from(base.start), filling);
            one.columns.extend(base.table.columns.iter().cloned());
            let moved = base.table.stats.iter().filter_map(|(node, stats)| match node {
                Node::Slot(slot) => Some((Node::Slot(slot + base.start), stats.clone())),
                _ => None,
            });
            one.stats.extend(moved);
        }
        let start = self.bases[n].start;
        for key in one.indexes.iter_mut().flat_map(|index| &mut index.keys) {
            let Node::Slot(slot) = key.expr.node else { return None };
            key.expr.node = Node::Slot(slot + start);
        }
        Some(one)
    }
}
