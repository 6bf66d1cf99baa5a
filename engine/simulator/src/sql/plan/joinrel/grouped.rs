//! Groups of the rows of a join: the way to join and what stands above it (`create_grouping_paths`,
//! src/backend/optimizer/plan/planner.c). A way whose rows come in the order of the keys saves a sort.

use super::model::{Base, Model};
use super::top::slot_of;
use super::{JoinRel, Way};
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{Node, SortKey, Typed};
use crate::sql::plan::num_groups::Relation;
use crate::sql::plan::path::Path;
use crate::sql::plan::query::Wanted;
use crate::sql::plan::selectivity::Selectivity;
use crate::sql::plan::upper::upper_of_join;
use crate::sql::plan::{Method, SelectPlan, Upper};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::convert::Infallible;
use ffviz_format::datum::{SqlType, Value};

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

    /// The way to join, and the nodes above it, where rows are grouped; `None`: not known what decides. `order`: in
    /// which grouping would be for less.
    pub fn grouped(
        &self,
        plan: &SelectPlan,
        rel: &JoinRel,
        order: &[SortKey],
        limit: Option<(f64, f64)>,
    ) -> Option<(Arc<Way>, Upper)> {
        let targets = plan.targets.iter().filter_map(|target| target.value.expr()).filter(|_| plan.distinct.is_some());
        let keys: Vec<&Typed> = plan.group.iter().chain(plan.distinct.iter().flatten()).chain(targets).collect();
        let mut slots = Vec::new();
        keys.iter().for_each(|key| plan.over_rows(key).slots(&mut slots));
        let is_fixed = |expr: &&Typed| slot_of(expr).is_some_and(|slot| self.is_fixed(slot));
        if slots.is_empty() || keys.iter().any(is_fixed) || !plan.grouping_sets.is_empty() {
            return None;
        }
        let table = self.as_one()?;
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
        let relation = |base: &Base| Relation {
            slots: base.start..base.start + base.slots() as u16,
            selectivity: Selectivity::new(&table, base.tuples, self.input),
            rows: base.rows,
        };
        let relations: Vec<Relation<'_>> = self.bases.iter().map(relation).collect();
        let ways: Vec<&Arc<Way>> = rel.ways.iter().filter(|way| way.params == 0).collect();
        let scan = |way: &&Arc<Way>| {
            let ordered = way.keys.iter().zip(&self.order).take_while(|(key, wanted)| key == wanted).count();
            let path = Path { method: Method::Seq, cost: way.cost, ordered, disabled: way.disabled, rows: way.rows };
            (path, order[..ordered].to_vec())
        };
        let found: Vec<(Path, Vec<SortKey>)> = ways.iter().map(scan).collect();
        let (n, upper) = upper_of_join(&wanted, plan, &relations, &found)?;
        Some((ways[n].clone(), upper))
    }

    /// All relations as one table whose columns and indexes are where they are in the row.
    fn as_one(&self) -> Option<TableInfo> {
        let first = &self.bases.first()?.table;
        let mut one = TableInfo { stats: Vec::new(), columns: Vec::new(), indexes: Vec::new(), ..first.clone() };
        for base in &self.bases {
            if !base.table.extended.is_empty() {
                return None;
            }
            let filling = base.table.columns.last()?.clone();
            one.columns.resize(usize::from(base.start), filling);
            one.columns.extend(base.table.columns.iter().cloned());
            let moved = base.table.stats.iter().filter_map(|(node, stats)| match node {
                Node::Slot(slot) => Some((Node::Slot(slot + base.start), stats.clone())),
                _ => None,
            });
            one.stats.extend(moved);
            let mut indexes = base.table.indexes.clone();
            for key in indexes.iter_mut().flat_map(|index| &mut index.keys) {
                key.expr =
                    raised(core::mem::replace(&mut key.expr, Typed::constant(Value::Null, SqlType::BOOL)), base.start);
            }
            one.indexes.append(&mut indexes);
        }
        Some(one)
    }
}

/// An expression over the rows of one relation, over the row of all.
fn raised(expr: Typed, by: u16) -> Typed {
    if let Node::Slot(slot) = expr.node {
        return Typed { node: Node::Slot(slot + by), ty: expr.ty };
    }
    let Ok(expr) = expr.map_children(&mut |child| Ok::<_, Infallible>(raised(child, by)));
    expr
}
