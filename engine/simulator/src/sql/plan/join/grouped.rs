//! Groups of the rows of a join: what stands above it (`create_grouping_paths`, src/backend/optimizer/plan/planner.c),
//! where no order that a way to join has would help.

use super::estimate::Side;
use super::{JoinPlan, Joined};
use crate::sql::catalog::{IndexKey, TableInfo};
use crate::sql::expr::{Node, Typed};
use crate::sql::plan::path::Path;
use crate::sql::plan::query::Wanted;
use crate::sql::plan::upper::upper_of_join;
use crate::sql::plan::{Method, SelectPlan, Upper};
use alloc::vec::Vec;

impl Joined<'_> {
    /// The nodes above the join; `None` where it is not known what decides.
    pub(super) fn upper(
        &self,
        plan: &SelectPlan,
        join: &JoinPlan,
        sides: &[Side<'_>; 2],
        (start, limit): (u16, Option<(f64, f64)>),
    ) -> Option<Upper> {
        let targets = plan.targets.iter().filter_map(|target| target.value.expr()).filter(|_| plan.distinct.is_some());
        let keys: Vec<&Typed> = plan.group.iter().chain(plan.distinct.iter().flatten()).chain(targets).collect();
        let mut slots = Vec::new();
        keys.iter().for_each(|key| plan.over_rows(key).slots(&mut slots));
        let n = usize::from(*slots.first()? >= start);
        let is_fixed = |expr: &&Typed| self.is_fixed(expr, start);
        if slots.iter().any(|slot| (*slot >= start) != (n == 1)) || keys.iter().any(is_fixed) || !join.is_estimated {
            return None;
        }
        let table = self.as_one(n, start)?;
        let wanted = Wanted { table: &table, clauses: Vec::new(), order: Vec::new(), limit, ..sides[n].wanted.clone() };
        let scan = Path { method: Method::Seq, cost: join.cost, ordered: 0, disabled: 0, rows: join.rows };
        upper_of_join(&wanted, plan, (sides[n].tuples, sides[n].rows), scan)
    }

    /// Both tables as one whose columns are where they are in the row, with the indexes of the one with this number.
    fn as_one(&self, n: usize, start: u16) -> Option<TableInfo> {
        let [first, second] = self.tables;
        if !self.tables[n].extended.is_empty() {
            return None;
        }
        let moved = |node: &Node| match node {
            Node::Slot(slot) => Some(Node::Slot(slot + start)),
            _ => None,
        };
        let mut both = TableInfo { ..first.clone() };
        let filling = first.columns.last()?.clone();
        both.columns.resize(usize::from(start), filling);
        both.columns.extend(second.columns.iter().cloned());
        both.stats.extend(second.stats.iter().filter_map(|(node, stats)| Some((moved(node)?, stats.clone()))));
        if n == 1 {
            both.indexes = second.indexes.clone();
            for index in &mut both.indexes {
                let key = |key: &IndexKey| {
                    let node = moved(&key.expr.node)?;
                    Some(IndexKey { expr: Typed { node, ty: key.expr.ty }, ..key.clone() })
                };
                index.keys = index.keys.iter().map(key).collect::<Option<_>>()?;
            }
        }
        Some(both)
    }
}
