//! UNION, INTERSECT, EXCEPT: whether equal rows are found in a hash table or by sorting decides the order in which the
//! rows come out (`generate_union_paths`, `generate_nonunion_paths`, `choose_hashed_setop`,
//! src/backend/optimizer/prep/prepunion.c).
//!
//! ```text
//!  a UNION b UNION c  ─▶  Append (a, b, c) ─▶ HashAggregate, or Sort ─▶ Unique
//!  a EXCEPT b         ─▶  a, then b ────────▶ HashSetOp, or Sort ─▶ SetOp
//!  a INTERSECT b      ─▶  the one with fewer rows first
//! ```

use super::cost::{CPU_OPERATOR, CPU_TUPLE, sort};
use super::joinrel::Rows;
use super::num_groups::num_groups;
use super::path::{Kept, add_path};
use super::selectivity::Selectivity;
use super::size::{WORK_MEM, byte_size, of_table, typavgwidth};
use super::source::{Finding, SetOrder, SetPlan, SourceRows};
use super::statement::Planner;
use super::{Cost, SelectPlan};
use crate::sql::ast::SetKind;
use crate::sql::expr::pg_catalog::has_hash;
use crate::sql::expr::{Column, Node, RangeTable, Typed};
use crate::version::SqlBehaviour;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;

impl Kept for Finding {
    fn price(&self) -> (u32, Cost) {
        (u32::from(self.disabled), self.cost)
    }

    fn order(&self, other: &Self) -> Option<Ordering> {
        let is_sorted = |it: &Self| it.order == SetOrder::Sorted;
        Some(is_sorted(self).cmp(&is_sorted(other)))
    }
}

/// What goes into it.
struct Input {
    cost: Cost,
    rows: f64,
    /// different rows among them
    groups: f64,
}

impl Planner<'_> {
    /// The operation with the way that equal rows are found, as far as it is known how many rows come in.
    pub(super) fn with_finding(&self, set: SetPlan) -> SetPlan {
        if set.kind == SetKind::Union && set.all {
            return set;
        }
        if set.kind == SetKind::Union {
            let sides = [&set.left, &set.right];
            let [left, right] = [0, 1].map(|n| with_duplicates(sides[n], &set.casts[n]));
            let set = SetPlan { left, right, ..set };
            return SetPlan { finding: self.finding_of_union(&set), ..set };
        }
        let sides = (self.input_of(&set.left), self.input_of(&set.right));
        let (Some(left), Some(right)) = sides else { return set };
        let is_turned = set.kind == SetKind::Intersect && left.groups > right.groups;
        let (first, second) = if is_turned { (right, left) } else { (left, right) };
        SetPlan { finding: self.finding_of_others(&set, &first, &second), is_turned, ..set }
    }

    fn finding_of_union(&self, set: &SetPlan) -> Option<Finding> {
        let mut parts = Vec::new();
        parts_of(set, &mut parts);
        let all = parts.into_iter().map(SelectPlan::cost_of).collect::<Option<Vec<_>>>()?;
        let rows: f64 = all.iter().map(|(_, rows)| rows).sum();
        let total = all.iter().map(|(cost, _)| cost.total).sum::<f64>() + CPU_TUPLE / 2.0 * rows;
        let cost = Cost { startup: all.first()?.0.startup, total };
        let keys = self.keys(set);
        let hashed = hashed(cost, rows, rows, keys);
        let sorted = sort(cost, rows, None);
        let sorted = Cost { total: sorted.total + CPU_OPERATOR * keys * rows, ..sorted };
        self.cheaper(set, (rows, rows), [hashed, sorted])
    }

    fn finding_of_others(&self, set: &SetPlan, first: &Input, second: &Input) -> Option<Finding> {
        let (keys, rows) = (self.keys(set), first.rows + second.rows);
        let groups = first.groups;
        let [hashed, sorted] = if self.version().reads_set_sides_apart() {
            let checks = CPU_OPERATOR * keys * rows;
            let startup = first.cost.total + second.cost.total + checks;
            let hashed = Cost { startup, total: startup + CPU_OPERATOR * groups };
            let (one, other) = (sort(first.cost, first.rows, None), sort(second.cost, second.rows, None));
            let sorted = Cost { startup: one.startup + other.startup, total: one.total + other.total + checks };
            [hashed, sorted]
        } else {
            let total = first.cost.total + second.cost.total + CPU_TUPLE / 2.0 * rows;
            let cost = Cost { startup: first.cost.startup, total };
            let sorted = sort(cost, rows, None);
            let sorted = Cost { total: sorted.total + CPU_OPERATOR * keys * rows, ..sorted };
            [hashed(cost, rows, groups, keys), sorted]
        };
        let given = match (set.kind, set.all) {
            (SetKind::Intersect, true) => first.rows.min(second.rows),
            (_, true) => first.rows,
            (_, false) => groups,
        };
        self.cheaper(set, (groups, given), [hashed, sorted])
    }

    fn keys(&self, set: &SetPlan) -> f64 {
        set.casts[0].len() as f64
    }

    fn cheaper(&self, set: &SetPlan, (groups, rows): (f64, f64), [hashed, sorted]: [Cost; 2]) -> Option<Finding> {
        let width = set.casts[0].iter().map(|column| typavgwidth(column.ty)).sum();
        let enabled = self.catalog.scans();
        let by_hash = Finding { order: SetOrder::Hashed(groups), cost: hashed, rows, disabled: !enabled.hashagg };
        let by_sort = Finding { order: SetOrder::Sorted, cost: sorted, rows, disabled: !enabled.sort };
        let is_hashable = set.casts[0].iter().all(|column| has_hash(column.ty.oid));
        if !is_hashable || byte_size(groups, width) > WORK_MEM {
            return Some(by_sort);
        }
        let mut kept = Vec::new();
        if self.version().keeps_ways_of_sets() {
            add_path(&mut kept, by_hash, false);
            add_path(&mut kept, by_sort, false);
        } else {
            kept.extend([by_sort, by_hash]);
        }
        let price = |it: &Finding| (it.disabled, it.cost.total, it.cost.startup);
        kept.into_iter().reduce(|best, next| if price(&next) < price(&best) { next } else { best })
    }

    /// `recurse_set_operations`: rows of a side, and how many different ones (`estimate_num_groups`).
    fn input_of(&self, side: &SelectPlan) -> Option<Input> {
        let (cost, rows) = side.cost_of()?;
        let input = |groups: f64| Some(Input { cost, rows, groups });
        if side.is_general() || !side.aggregates.is_empty() {
            return input(rows);
        }
        let exprs = side.targets.iter().map(|target| target.value.expr()).collect::<Option<Vec<&Typed>>>()?;
        let settings = self.catalog.input();
        match (&side.scan, &side.sources[..], &side.shown[..]) {
            (None, [], _) => input(1.0),
            (Some(scan), [], _) => {
                let table = self.catalog.table_of(scan.table)?;
                let tuples = of_table(&table, settings.major).tuples;
                input(num_groups(&exprs, &Selectivity::new(&table, tuples, settings), rows, rows))
            }
            (None, [source], [shown]) => {
                let found = Rows::of(source, &|table| self.catalog.table_of(table), settings.major)?;
                let column = |ty: &_| Column { name: String::new(), ty: *ty };
                let columns = source.types.iter().map(column).collect();
                let mut range = RangeTable::default();
                range.add(&shown.name, columns);
                let table = found.table(range.entries.last()?);
                input(num_groups(&exprs, &Selectivity::new(&table, found.count, settings), rows, rows))
            }
            _ => None,
        }
    }
}

/// `cost_agg`
fn hashed(input: Cost, rows: f64, groups: f64, keys: f64) -> Cost {
    let startup = input.total + CPU_OPERATOR * keys * rows;
    Cost { startup, total: startup + CPU_TUPLE * groups }
}

/// The set operation whose rows the query gives as they are.
fn whole(plan: &SelectPlan) -> Option<&Arc<SetPlan>> {
    match &plan.passed()?.rows {
        SourceRows::Set(set) => Some(set),
        _ => None,
    }
}

/// `recurse_union_children`: a UNION within a UNION need not find equal rows, as the outer one does.
fn with_duplicates(side: &Arc<SelectPlan>, casts: &[Typed]) -> Arc<SelectPlan> {
    let is_same = |cast: &Typed| matches!(cast.node, Node::Slot(_));
    let Some(set) = whole(side).filter(|set| set.kind == SetKind::Union && casts.iter().all(is_same)) else {
        return side.clone();
    };
    let set = SetPlan { all: true, finding: None, ..(**set).clone() };
    let mut plan = (**side).clone();
    plan.sources[0].rows = SourceRows::Set(Arc::new(set));
    Arc::new(plan)
}

/// The queries whose rows come one after the other.
fn parts_of<'a>(set: &'a SetPlan, found: &mut Vec<&'a SelectPlan>) {
    for side in [&set.left, &set.right] {
        match whole(side).filter(|set| set.kind == SetKind::Union && set.all) {
            Some(inner) => parts_of(inner, found),
            None => found.push(side),
        }
    }
}
