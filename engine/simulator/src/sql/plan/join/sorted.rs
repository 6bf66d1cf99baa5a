//! In which order rows of a join are wanted, and which way gives them so for least: `create_ordered_paths`
//! (src/backend/optimizer/plan/planner.c), `build_join_pathkeys` (src/backend/optimizer/path/pathkeys.c).
//!
//! ```text
//!  ORDER BY a.id    the outer side is read by the index of a.id      nothing is sorted
//!                   a merge join by a.id                             nothing is sorted
//!                   any other way, the cheapest                      its rows are sorted
//! ```

use super::estimate::Side;
use super::ways::Way;
use super::{Joined, is_alone};
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{Node, SortKey, Typed};
use crate::sql::plan::cost::{incremental_sort, sort};
use crate::sql::plan::num_groups::num_groups;
use crate::sql::plan::path::{Kept, Path, add_path};
use crate::sql::plan::query::{Wanted, limited};
use crate::sql::plan::select::limit_and_offset;
use crate::sql::plan::size::{WORK_MEM, byte_size, clamp};
use crate::sql::plan::{Cost, SelectPlan};
use crate::version::SqlBehaviour;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// What stands above a join.
#[derive(Default)]
pub(super) struct Above {
    /// the order of its rows, without keys that others decide
    pub keys: Vec<SortKey>,
    /// LIMIT and OFFSET
    pub limit: Option<(f64, f64)>,
    /// are its rows what is sorted?
    pub sorts: bool,
}

/// A way with what is done above it.
struct End {
    way: usize,
    price: (u32, Cost),
    presorted: usize,
    groups: f64,
}

impl Kept for End {
    fn price(&self) -> (u32, Cost) {
        self.price
    }

    fn order(&self, _: &Self) -> Option<Ordering> {
        Some(Ordering::Equal)
    }
}

impl Above {
    /// What stands above the query's join; `None`: not known how that bears on the way.
    pub fn of(plan: &SelectPlan, joined: &Joined<'_>, start: u16) -> Option<Self> {
        if is_alone(plan) {
            return Some(Self::default());
        }
        if plan.locking.is_some() || !plan.windows.is_empty() {
            return None;
        }
        let (is_whole, limit) = (plan.limit.is_none() && plan.offset.is_none(), limit_and_offset(plan));
        let is_known = limit.is_some_and(|(count, _)| count >= 0.0);
        if plan.is_general() || !plan.aggregates.is_empty() {
            let is_known = is_whole || is_known && plan.is_general();
            return (is_known && orders_nothing(plan, joined, start)).then(|| Self { limit, ..Self::default() });
        }
        let has_series = plan.targets.iter().any(|target| target.value.expr().is_none());
        if has_series || !is_whole && !is_known {
            return None;
        }
        let mut keys: Vec<SortKey> = Vec::new();
        for key in &plan.sort {
            let is_known = keys.iter().any(|known| joined.is_same(&known.expr, &key.expr, start));
            if !is_known && !joined.is_fixed(&key.expr, start) {
                keys.push(key.clone());
            }
        }
        let is_turned = |key: &SortKey| key.descending || key.nulls_first;
        // merge joins may be done the other way round then
        if keys.first().is_some_and(|key| joined.is_key(&key.expr, start) && is_turned(key)) {
            return None;
        }
        Some(Self { keys, limit, sorts: true })
    }

    /// The first keys that are of one table, over its rows alone.
    pub fn of_table(&self, joined: &Joined<'_>, n: usize, start: u16) -> Vec<SortKey> {
        // rows that an outer join adds have no place in the order of the inner side
        if joined.keeps_left && n == 1 {
            return Vec::new();
        }
        let local = |key: &SortKey| {
            let own = joined.keys.as_ref().filter(|_| !joined.keeps_left && joined.is_key(&key.expr, start));
            let expr = match (own, &key.expr.node) {
                (Some(keys), _) => keys[n].clone(),
                (None, Node::Slot(slot)) if (*slot >= start) == (n == 1) => of_table(&key.expr, start),
                _ => return None,
            };
            Some(SortKey { expr, ..key.clone() })
        };
        self.keys.iter().map_while(local).collect()
    }

    /// The way that gives the rows for least, how many keys it has sorted, and how many values these have.
    pub fn best(&self, ways: Vec<Way>, sides: &[Side<'_>; 2], rows: f64) -> Option<(Way, usize, f64)> {
        let key = |way: &Way| (way.disabled.0, way.cost.total, way.cost.startup);
        let cheapest = (1..ways.len()).fold(0, |best, n| if key(&ways[n]) < key(&ways[best]) { n } else { best });
        let mut ends: Vec<End> = Vec::new();
        for (n, way) in ways.iter().enumerate() {
            for end in self.ends(way, n, n == cheapest, sides, rows)? {
                add_path(&mut ends, end, self.limit.is_some());
            }
        }
        let key = |end: &End| (end.price.0, end.price.1.total, end.price.1.startup);
        let best = ends.into_iter().reduce(|best, next| if key(&next) < key(&best) { next } else { best })?;
        let way = ways.into_iter().nth(best.way)?;
        Some((way, best.presorted, best.groups))
    }

    /// As it is, sorted, sorted within groups, or left out.
    fn ends(&self, way: &Way, n: usize, is_cheapest: bool, sides: &[Side<'_>; 2], rows: f64) -> Option<Vec<End>> {
        let outer = &sides[way.outer];
        let (enabled, version) = (outer.wanted.enabled, outer.wanted.input.version());
        let end = |cost: Cost, disabled: u32, groups: f64| {
            let cost = self.limit.filter(|_| self.sorts).map_or(cost, |limit| limited(cost, rows, limit).0);
            End { way: n, price: (way.disabled.0 + disabled, cost), presorted: way.sorted, groups }
        };
        if way.sorted == self.keys.len() {
            return Some(Vec::from([end(way.cost, 0, 0.0)]));
        }
        let width = sides.iter().map(|side| side.width).sum();
        if byte_size(rows, width) > WORK_MEM || !enabled.sort {
            return None;
        }
        let bound = self.limit.map(|(count, offset)| count + offset);
        let mut all = Vec::new();
        let by_groups = way.sorted > 0 && enabled.incremental_sort;
        if is_cheapest && !(by_groups && version.sorts_within_groups_only()) {
            all.push(End { presorted: 0, ..end(sort(way.cost, rows, bound), 0, 0.0) });
        }
        if by_groups {
            let keys: Vec<&Typed> = outer.order[..way.sorted].iter().map(|key| &key.expr).collect();
            let groups = num_groups(&keys, &outer.selectivity(), outer.rows, rows);
            let cost = incremental_sort(way.cost, rows, groups, bound, outer.wanted.input.major);
            all.push(end(cost, 0, groups));
        }
        Some(all)
    }
}

impl Joined<'_> {
    /// Is it one of the columns that are equal?
    fn is_key(&self, expr: &Typed, start: u16) -> bool {
        let Node::Slot(slot) = expr.node else { return false };
        let n = usize::from(slot >= start);
        self.keys.as_ref().is_some_and(|keys| keys[n].node == of_table(expr, start).node)
    }

    /// Do both have the same values?
    fn is_same(&self, one: &Typed, other: &Typed, start: u16) -> bool {
        one.node == other.node || !self.keeps_left && self.is_key(one, start) && self.is_key(other, start)
    }

    /// Does a condition leave one value of it?
    pub fn is_fixed(&self, expr: &Typed, start: u16) -> bool {
        let Node::Slot(slot) = expr.node else { return false };
        let n = usize::from(slot >= start);
        let column = of_table(expr, start);
        !(self.keeps_left && n == 1) && self.clauses[n].iter().any(|clause| super::super::path::fixes(clause, &column))
    }
}

fn of_table(expr: &Typed, start: u16) -> Typed {
    match expr.node {
        Node::Slot(slot) if slot >= start => Typed { node: Node::Slot(slot - start), ty: expr.ty },
        _ => expr.clone(),
    }
}

/// Of rows that are grouped: is there no index and no merge join that gives them in an order that helps?
fn orders_nothing(plan: &SelectPlan, joined: &Joined<'_>, start: u16) -> bool {
    let outputs = plan.targets.iter().filter_map(|target| target.value.expr()).filter(|_| plan.distinct.is_some());
    let of_aggregates =
        plan.aggregates.iter().flat_map(|aggregate| aggregate.order.iter().chain(&plan.aggregate_order));
    let keys = plan.sort.iter().chain(of_aggregates).map(|key| &key.expr);
    let all = keys.chain(&plan.group).chain(plan.distinct.iter().flatten()).chain(outputs);
    let mut slots = Vec::new();
    all.for_each(|expr| expr.slots(&mut slots));
    let leads = |table: &TableInfo, slot: u16| {
        let is_it = |node: &Node| matches!(node, Node::Slot(column) if *column == slot);
        table.indexes.iter().any(|index| index.keys.first().is_some_and(|key| key.expr.any(&is_it)))
    };
    slots.into_iter().all(|slot| {
        let column = Typed { node: Node::Slot(slot), ty: ffviz_format::datum::SqlType::INT4 };
        let (n, local) = slot.checked_sub(start).map_or((0, slot), |slot| (1, slot));
        !joined.is_key(&column, start) && !leads(joined.tables[n], local)
    })
}

/// Scans of a side, with how many keys of the wanted order each has; `ordered` says whether it has that of the join's
/// key.
pub(super) fn paths_of(wanted: &Wanted<'_>, order: &[SortKey]) -> (Vec<Path>, Vec<usize>) {
    let key = wanted.order.first();
    if let (Some(key), Some(first)) = (key, order.first())
        && key.expr.node == first.expr.node
    {
        let paths = Wanted { order: order.to_vec(), ..wanted.clone() }.scans();
        let sorted = paths.iter().map(|path| path.ordered).collect();
        return (paths, sorted);
    }
    let mut paths: Vec<(Path, usize)> = wanted.scans().into_iter().map(|path| (path, 0)).collect();
    if !order.is_empty() {
        let ordered = Wanted { order: order.to_vec(), ..wanted.clone() };
        for path in ordered.scans() {
            let sorted = path.ordered;
            match paths.iter_mut().find(|(known, _)| known.method == path.method) {
                Some(known) => known.1 = sorted,
                None if sorted > 0 => paths.push((Path { ordered: 0, ..path }, sorted)),
                None => {}
            }
        }
        let by_cost = |one: &Path, other: &Path| one.cost.total.total_cmp(&other.cost.total);
        paths.sort_by(|(one, _), (other, _)| one.disabled.cmp(&other.disabled).then(by_cost(one, other)));
    }
    paths.into_iter().unzip()
}

/// How many rows a join has.
pub(super) fn rows_of(sides: &[Side<'_>; 2], keeps_left: bool) -> f64 {
    let pairs = sides[0].rows * sides[1].rows * super::estimate::inner(&sides[0], &sides[1]);
    clamp(if keeps_left { pairs.max(sides[0].rows) } else { pairs })
}
