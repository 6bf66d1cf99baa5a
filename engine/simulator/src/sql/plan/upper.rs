//! What stands above the scan of one table where its rows are grouped or made distinct: `create_grouping_paths`,
//! `create_distinct_paths`, `create_ordered_paths` (src/backend/optimizer/plan/planner.c), with `create_agg_path`,
//! `create_group_path`, `create_upper_unique_path` (src/backend/optimizer/util/pathnode.c) and `cost_agg`,
//! `cost_group` (src/backend/optimizer/path/costsize.c).
//!
//! ```text
//!  scans ──▶ Sort ─▶ GroupAggregate ──▶ Sort ─▶ Unique ──▶ Sort ──▶ Limit        of each stage what add_path keeps
//!       └──▶ HashAggregate             └──▶ HashAggregate
//! ```

use super::aggregate_cost::{AggregateCost, spilled};
use super::cost::{self, CPU_OPERATOR, CPU_TUPLE, Cost, quals};
use super::filter::is_not_null;
use super::num_groups::{Relation, num_groups_of_join};
use super::path::{Kept, Path, add_path, fixes};
use super::query::{Wanted, limited};
use super::selectivity::Selectivity;
use super::size::{clamp, width_of};
use super::upper_keys::{
    Keys, compare_orders, distinct_keys, group_keys, is_same_key, order_of, presorted, reordered, sort_keys,
};
use super::{Method, SelectPlan, SortTarget};
use crate::sql::catalog::IndexInfo;
use crate::sql::expr::pg_catalog::has_hash;
use crate::sql::expr::{Node, SortKey, Typed};
use crate::version::SqlBehaviour;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::page::PgVersion;

/// What stands above a scan, from below.
#[derive(Debug, Clone, PartialEq)]
pub struct Upper {
    /// what is computed of each row of the scan
    pub input: Vec<Typed>,
    /// the nodes
    pub steps: Vec<Step>,
    /// the order in which rows come out
    pub order: Vec<SortKey>,
}

/// A node above a scan.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// which
    pub node: StepNode,
    /// what it costs with all that is below
    pub cost: Cost,
    /// rows that come out
    pub rows: f64,
    /// how wide they are
    pub width: u32,
    /// does a setting forbid it?
    pub disabled: bool,
}

/// Which node it is.
#[derive(Debug, Clone, PartialEq)]
pub enum StepNode {
    /// Sort; Incremental Sort where rows have the order of so many keys
    Sort(Vec<SortKey>, usize),
    /// HashAggregate, and how many groups it expects
    Hashed(Vec<Typed>, f64),
    /// GroupAggregate
    Sorted(Vec<Typed>),
    /// Group
    Group(Vec<Typed>),
    /// Aggregate
    Plain,
    /// Unique
    Unique,
    /// Result, which leaves columns out
    Result,
    /// HashAggregate of DISTINCT, likewise
    Distinct(Vec<Typed>, f64),
    /// WindowAgg, by its number in `SelectPlan::active_windows`
    Window(usize),
    /// Limit
    Limit,
}

/// Nodes above one of the scans, and what comes out of them.
#[derive(Clone)]
pub(super) struct Candidate {
    scan: usize,
    steps: Vec<Step>,
    pub cost: Cost,
    pub rows: f64,
    pub width: u32,
    /// the order of the rows
    pub order: Vec<SortKey>,
    disabled: u32,
}

impl Kept for Candidate {
    fn price(&self) -> (u32, Cost) {
        (self.disabled, self.cost)
    }

    fn order(&self, other: &Self) -> Option<Ordering> {
        compare_orders(&self.order, &other.order)
    }
}

/// A query of one table whose rows are grouped.
pub(super) struct Search<'a> {
    pub wanted: &'a Wanted<'a>,
    pub plan: &'a SelectPlan,
    /// the table, or those that are joined
    pub relations: &'a [Relation<'a>],
    sort: Vec<SortKey>,
}

/// The way to give the rows of such a query: the scan, and what stands above it. `None` where something is not known
/// that decides.
pub fn upper(wanted: &Wanted<'_>, plan: &SelectPlan, found: &[Path]) -> Option<(Path, Upper)> {
    let major = wanted.input.major;
    let tuples = super::size::of_table(wanted.table, major).tuples;
    let selectivity = Selectivity::new(wanted.table, tuples, wanted.input);
    let sort = order_of(&sort_keys(plan), &wanted.clauses);
    let rows = found.first()?.rows;
    let relations = [Relation { slots: 0..u16::MAX, selectivity, rows }];
    let search = Search { wanted, plan, relations: &relations, sort };
    let mut found: Vec<(Path, Vec<SortKey>)> =
        found.iter().map(|path| (path.clone(), wanted.order[..path.ordered].to_vec())).collect();
    let is_distinct = !plan.grouped && plan.distinct.is_some() && search.version().reorders_distinct_keys();
    if plan.grouped && search.version().reorders_group_keys() {
        search.add_other_orders(&wanted.order, &plan.group, &mut found);
    } else if let Some(keys) = distinct_keys(plan, &wanted.clauses, search.major()).filter(|_| is_distinct) {
        search.add_other_orders(&keys.order, &keys.exprs, &mut found);
    }
    let (scan, upper) = search.best(&found)?;
    Some((found.swap_remove(scan).0, upper))
}

/// The same above ways to join relations, which are taken for one table here: the number of the way, each being given
/// as a scan with the order of its rows.
pub fn upper_of_join(
    wanted: &Wanted<'_>,
    plan: &SelectPlan,
    relations: &[Relation<'_>],
    found: &[(Path, Vec<SortKey>)],
) -> Option<(usize, Upper)> {
    let search = Search { wanted, plan, relations, sort: order_of(&sort_keys(plan), &[]) };
    search.best(found)
}

impl Search<'_> {
    fn best(&self, found: &[(Path, Vec<SortKey>)]) -> Option<(usize, Upper)> {
        let is_unknown = |node: &Node| matches!(node, Node::Query(_) | Node::AnyElement(..) | Node::Outer(..));
        let targets = self.plan.targets.iter().map(|target| target.value.expr()).collect::<Option<Vec<_>>>()?;
        let having = self.plan.having.iter();
        let all = targets.iter().copied().chain(&self.plan.junk).chain(having).chain(&self.plan.group);
        let is_one_row = !self.plan.grouped && !self.plan.aggregates.is_empty();
        if is_one_row || all.clone().any(|expr| expr.any(&is_unknown)) {
            return None;
        }
        let is_late = |place: &SortTarget| *place == SortTarget::Above;
        let is_simple = |expr: &Typed| matches!(expr.node, Node::Slot(_) | Node::Const(_));
        let places = self.plan.sort_targets(self.wanted.input.major);
        if !self.plan.sort.is_empty()
            && places.iter().zip(&targets).any(|(place, expr)| is_late(place) && !is_simple(expr))
        {
            return None;
        }
        let input = if self.plan.grouped {
            self.plan.group_input()
        } else if self.plan.windows.is_empty() {
            targets.into_iter().chain(&self.plan.junk).cloned().collect()
        } else {
            self.plan.window_input(self.version())
        };
        let mut ways = self.scans(found, &input)?;
        if self.plan.grouped {
            ways = self.grouped(&ways)?;
        }
        if !self.plan.windows.is_empty() {
            ways = self.windowed(&ways)?;
        }
        if self.plan.distinct.is_some() {
            ways = self.distinct(&ways)?;
        }
        let mut ways = self.ordered(ways, found)?;
        let best = cheapest(&ways);
        let best = ways.swap_remove(best);
        Some((best.scan, Upper { input, steps: best.steps, order: best.order }))
    }

    pub const fn major(&self) -> u32 {
        self.wanted.input.major
    }

    pub fn version(&self) -> PgVersion {
        self.wanted.input.version()
    }

    pub fn width(&self, exprs: &[Typed]) -> u32 {
        exprs.iter().map(|expr| width_of(expr, self.wanted.table)).sum()
    }

    /// `apply_scanjoin_target_to_paths`
    fn scans(&self, found: &[(Path, Vec<SortKey>)], input: &[Typed]) -> Option<Vec<Candidate>> {
        let each = quals(input, self.major());
        let width = self.width(input);
        let way = |(scan, (path, order)): (usize, &(Path, Vec<SortKey>))| {
            let total = path.cost.total + each.startup + each.total * path.rows;
            Candidate {
                scan,
                steps: Vec::new(),
                cost: Cost { startup: path.cost.startup + each.startup, total },
                rows: path.rows,
                width,
                order: order.clone(),
                disabled: path.disabled,
            }
        };
        // of no rows nothing is known
        let is_empty = found.iter().any(|(path, _)| path.method == Method::Nothing);
        let mut kept = Vec::new();
        found.iter().enumerate().for_each(|new| self.add(&mut kept, way(new)));
        (!is_empty).then_some(kept)
    }

    pub fn add(&self, kept: &mut Vec<Candidate>, new: Candidate) {
        add_path(kept, new, self.wanted.startup_counts());
    }

    /// `create_sort_path`
    pub fn sort(&self, way: &Candidate, keys: &[SortKey], bound: Option<f64>) -> Option<Candidate> {
        let cost = cost::sort_of_width(way.cost, way.rows, way.width, bound, self.wanted.table.page_costs)?;
        let mut sorted = self.step(way, StepNode::Sort(keys.to_vec(), 0), cost, way.rows, way.width);
        sorted.order = keys.to_vec();
        if !self.wanted.enabled.sort {
            sorted.forbid(self.version());
        }
        Some(sorted)
    }

    /// `create_incremental_sort_path`
    pub fn sort_more(&self, way: &Candidate, keys: &[SortKey], presorted: usize, bound: Option<f64>) -> Candidate {
        let exprs: Vec<&Typed> = keys[..presorted].iter().map(|key| &key.expr).collect();
        let groups = num_groups_of_join(&exprs, self.relations, way.rows);
        let cost = cost::incremental_sort(way.cost, way.rows, groups, bound, self.major());
        let mut sorted = self.step(way, StepNode::Sort(keys.to_vec(), presorted), cost, way.rows, way.width);
        sorted.order = keys.to_vec();
        sorted
    }

    pub fn step(&self, below: &Candidate, node: StepNode, cost: Cost, rows: f64, width: u32) -> Candidate {
        let mut steps = below.steps.clone();
        steps.push(Step { node, cost, rows, width, disabled: false });
        Candidate { steps, cost, rows, width, ..below.clone() }
    }

    /// In that order: as they come, sorted, or sorted within groups (`make_ordered_path`, since 16).
    fn in_order(
        &self,
        way: &Candidate,
        is_cheapest: bool,
        keys: &[SortKey],
        bound: Option<f64>,
    ) -> Option<Vec<Candidate>> {
        let presorted = presorted(&way.order, keys);
        if presorted == keys.len() {
            return Some(Vec::from([way.clone()]));
        }
        let by_groups = presorted > 0 && self.wanted.enabled.incremental_sort;
        let mut all = Vec::new();
        if is_cheapest && !(by_groups && self.version().sorts_within_groups_only()) {
            all.push(self.sort(way, keys, bound)?);
        }
        if by_groups {
            all.push(self.sort_more(way, keys, presorted, bound));
        }
        Some(all)
    }

    /// `add_paths_to_grouping_rel`
    fn grouped(&self, ways: &[Candidate]) -> Option<Vec<Candidate>> {
        let keys = self.without_useless(group_keys(self.plan, &self.wanted.clauses, self.major()));
        let exprs: Vec<&Typed> = keys.exprs.iter().collect();
        let rows = ways.first()?.rows;
        let groups = if self.plan.group.is_empty() { 1.0 } else { num_groups_of_join(&exprs, self.relations, rows) };
        let costs = AggregateCost::of(self.plan, self.major())?;
        let cheapest = cheapest(ways);
        let mut kept = Vec::new();
        for (n, way) in ways.iter().enumerate() {
            let other = reordered(&keys, &way.order).filter(|_| self.version().reorders_group_keys());
            for keys in [Some(&keys), other.as_ref()].into_iter().flatten() {
                for sorted in self.in_order(way, n == cheapest, &keys.order, None)? {
                    let new = self.sorted_groups(&sorted, keys, groups, &costs)?;
                    self.add(&mut kept, new);
                }
            }
        }
        let has_order = self.plan.aggregates.iter().any(|aggregate| !aggregate.order.is_empty());
        if !self.plan.group.is_empty() && !has_order && are_hashed(&keys.exprs) {
            let new = self.hashed_groups(&ways[cheapest], &keys, groups, &costs)?;
            self.add(&mut kept, new);
        }
        Some(kept)
    }

    /// Scans of indexes that have the first keys of GROUP BY or DISTINCT in another order.
    fn add_other_orders(&self, keys: &[SortKey], exprs: &[Typed], found: &mut Vec<(Path, Vec<SortKey>)>) {
        let Some(leading) = keys.first() else { return };
        for index in &self.wanted.table.indexes {
            let is_open = |key: &&crate::sql::catalog::IndexKey| {
                !self.wanted.clauses.iter().any(|clause| fixes(clause, &key.expr))
            };
            let key = |key: &crate::sql::catalog::IndexKey| {
                let is_key = |by: &&SortKey| by.expr.node == key.expr.node && exprs.contains(&by.expr);
                keys.iter().find(is_key).filter(|_| !key.pattern).cloned()
            };
            let first: Vec<SortKey> = index.keys.iter().filter(is_open).map_while(key).collect();
            if first.first().is_none_or(|first| is_same_key(first, leading)) {
                continue;
            }
            let rest = keys.iter().filter(|key| !first.iter().any(|by| is_same_key(by, key)));
            let order: Vec<SortKey> = first.iter().chain(rest).cloned().collect();
            let wanted = Wanted { order, ..self.wanted.clone() };
            for path in wanted.scans() {
                if path.ordered > 0
                    && !found.iter().any(|(known, order)| known.method == path.method && !order.is_empty())
                {
                    let order = wanted.order[..path.ordered.min(first.len())].to_vec();
                    found.push((path, order));
                }
            }
        }
    }

    /// Without columns of a table whose key is among them, too (`remove_useless_groupby_columns`).
    fn without_useless(&self, mut keys: Keys) -> Keys {
        let table = self.wanted.table;
        for Relation { slots, .. } in self.relations {
            let of_relation = |expr: &&Typed| matches!(expr.node, Node::Slot(slot) if slots.contains(&slot));
            let columns: Vec<Node> = keys.exprs.iter().filter(of_relation).map(|key| key.node.clone()).collect();
            let is_key = |index: &&IndexInfo| {
                let is_known = if self.version().groups_by_unique_keys() {
                    index.unique && index.keys.iter().all(|key| is_not_null(table, &key.expr))
                } else {
                    index.primary
                };
                is_known
                    && index.immediate
                    && index.predicate.is_empty()
                    && index.keys.len() < columns.len()
                    && index.keys.iter().all(|key| columns.contains(&key.expr.node))
            };
            let Some(index) = table.indexes.iter().filter(is_key).min_by_key(|index| index.keys.len()) else {
                continue;
            };
            let is_useless =
                |expr: &Typed| columns.contains(&expr.node) && !index.keys.iter().any(|key| key.expr.node == expr.node);
            keys.exprs.retain(|expr| !is_useless(expr));
            keys.order.retain(|key| !is_useless(&key.expr));
        }
        keys
    }

    /// Gives the scan below Unique columns that do not come out, so that Result leaves them out? From 18 on they are
    /// not read (`create_projection_plan`, `use_physical_tlist`).
    fn has_more_columns(&self, way: &Candidate, found: &[(Path, Vec<SortKey>)]) -> bool {
        let is_direct = matches!(&way.steps[..], [Step { node: StepNode::Unique, .. }]);
        let targets: Vec<Option<&Typed>> = self.plan.targets.iter().map(|target| target.value.expr()).collect();
        let slots: Vec<u16> = targets
            .iter()
            .filter_map(|target| match target.map(|expr| &expr.node) {
                Some(Node::Slot(slot)) => Some(*slot),
                _ => None,
            })
            .collect();
        if !is_direct || self.version().reads_exact_columns() || slots.len() < targets.len() {
            return false;
        }
        let table = self.wanted.table;
        let given: Vec<u16> = match &found[way.scan].0.method {
            Method::Index(scan) if scan.only => {
                let Some(index) = table.indexes.iter().find(|index| index.oid == scan.index) else { return false };
                let keys =
                    index.keys.iter().map(|key| if let Node::Slot(slot) = key.expr.node { slot } else { u16::MAX });
                keys.chain(index.include.iter().copied()).collect()
            }
            _ if table.columns.iter().any(|column| column.attribute.dropped) => return false,
            _ => (0..table.columns.len() as u16).collect(),
        };
        given != slots
    }

    /// What comes out of groups: computed, and of those that HAVING leaves.
    fn outputs(&self, cost: Cost, groups: f64) -> Option<(Cost, f64, u32)> {
        let (mut cost, mut rows) = (cost, groups);
        if !self.plan.having.is_empty() {
            let having: Vec<Typed> = self.plan.having.iter().map(|part| self.plan.over_rows(part)).collect();
            let each = quals(&having, self.major());
            cost.startup += each.startup;
            cost.total += each.startup + rows * each.total;
            rows = clamp(rows * self.having_share()?);
        }
        let mut targets: Vec<Typed> = if self.plan.windows.is_empty() {
            let targets = self.plan.targets.iter().filter_map(|target| target.value.expr()).chain(&self.plan.junk);
            targets.map(|target| self.plan.over_rows(target)).collect()
        } else {
            self.plan.window_input(self.version())
        };
        // keys of the groups are there, whether they come out or not
        for key in &self.plan.group {
            if !targets.iter().any(|target| target.node == key.node) {
                targets.push(key.clone());
            }
        }
        let each = quals(&targets, self.major());
        cost.startup += each.startup;
        cost.total += each.startup + each.total * rows;
        Some((cost, rows, self.width(&targets)))
    }

    /// Which share of the groups HAVING leaves: nothing is known of what aggregates give.
    fn having_share(&self) -> Option<f64> {
        let is_of_aggregate = |part: &&Typed| {
            let Node::Binary(_, operands) = &part.node else { return false };
            let count = self.plan.aggregates.len();
            let reads = |expr: &Typed| matches!(expr.node, Node::Aggregate(n) if usize::from(n) < count);
            let (one, other) = (&operands.0, &operands.1);
            reads(one) && other.is_pseudo_constant() || reads(other) && one.is_pseudo_constant()
        };
        let having: Vec<&Typed> = self.plan.having.iter().collect();
        if !having.iter().all(is_of_aggregate) {
            return None;
        }
        // equality with what reads no column is not asked how many values there are
        let is_equality = |part: &&Typed| matches!(&part.node, Node::Binary(op, _) if matches!(op, crate::sql::ast::BinaryOp::Eq | crate::sql::ast::BinaryOp::Ne));
        let [Relation { selectivity, .. }, ..] = self.relations else { return None };
        if having.iter().any(is_equality) && selectivity.tuples < 200.0 {
            return None;
        }
        Some(selectivity.all(&having))
    }

    /// `create_agg_path` with AGG_SORTED or AGG_PLAIN, `create_group_path`
    fn sorted_groups(&self, way: &Candidate, keys: &Keys, groups: f64, costs: &AggregateCost) -> Option<Candidate> {
        let columns = keys.exprs.len() as f64;
        let Candidate { cost: input, rows, .. } = way;
        let is_group = self.plan.aggregates.is_empty();
        let mut cost = *input;
        let node = if self.plan.group.is_empty() {
            cost.startup = input.total + costs.once + costs.each * rows + costs.last;
            cost.total = cost.startup + CPU_TUPLE;
            StepNode::Plain
        } else if is_group {
            cost.total += CPU_OPERATOR * rows * columns;
            StepNode::Group(keys.exprs.clone())
        } else {
            cost.total += costs.once + costs.each * rows + CPU_OPERATOR * columns * rows;
            cost.total += costs.last * groups + CPU_TUPLE * groups;
            StepNode::Sorted(keys.exprs.clone())
        };
        let (cost, rows, width) = self.outputs(cost, groups)?;
        let mut done = self.step(way, node, cost, rows, width);
        if self.version().reorders_group_keys() {
            done.order.truncate(keys.exprs.len());
        }
        Some(done)
    }

    /// `create_agg_path` with AGG_HASHED
    fn hashed_groups(&self, way: &Candidate, keys: &Keys, groups: f64, costs: &AggregateCost) -> Option<Candidate> {
        let startup =
            way.cost.total + costs.once + costs.each * way.rows + CPU_OPERATOR * keys.exprs.len() as f64 * way.rows;
        let total = startup + costs.last * groups + CPU_TUPLE * groups;
        let pages = self.wanted.table.page_costs;
        let (early, spilled) = spilled(costs, (groups, way.rows, way.width), pages, self.major());
        let cost = Cost { startup: startup + early, total: total + spilled };
        let (cost, rows, width) = self.outputs(cost, groups)?;
        let mut done = self.step(way, StepNode::Hashed(keys.exprs.clone(), groups), cost, rows, width);
        done.order.clear();
        if !self.wanted.enabled.hashagg {
            done.forbid(self.version());
        }
        Some(done)
    }

    /// `create_distinct_paths`
    fn distinct(&self, ways: &[Candidate]) -> Option<Vec<Candidate>> {
        let keys = distinct_keys(self.plan, &self.wanted.clauses, self.major())?;
        if keys.order.is_empty() {
            return None;
        }
        let (cheapest, on) = (cheapest(ways), self.plan.distinct.as_ref().is_some_and(|on| !on.is_empty()));
        let rows = ways[cheapest].rows;
        let by = self.plan.grouped_by(&keys.exprs);
        let exprs: Vec<&Typed> = by.iter().collect();
        let is_grouped = self.plan.grouped || !self.plan.aggregates.is_empty();
        let groups = if is_grouped { rows } else { num_groups_of_join(&exprs, self.relations, rows) };
        let longer = |wanted: bool| if wanted && keys.order.len() < self.sort.len() { &self.sort } else { &keys.order };
        let is_late = self.version().leaves_fixed_keys_out();
        let mut kept = Vec::new();
        let mut unique = |sorted: &Candidate| {
            let total = sorted.cost.total + CPU_OPERATOR * sorted.rows * keys.order.len() as f64;
            let cost = Cost { total, ..sorted.cost };
            let new = self.step(sorted, StepNode::Unique, cost, groups, sorted.width);
            self.add(&mut kept, new);
        };
        for (n, way) in ways.iter().enumerate() {
            let needed = longer(on);
            if is_late {
                self.in_order(way, n == cheapest, needed, None)?.iter().for_each(&mut unique);
                let all = Keys { exprs: keys.exprs.clone(), order: needed.clone() };
                let other = reordered(&all, &way.order).filter(|_| self.version().reorders_distinct_keys());
                if let Some(other) = other {
                    self.in_order(way, n == cheapest, &other.order, None)?.iter().for_each(&mut unique);
                }
            } else if presorted(&way.order, needed) == needed.len() {
                unique(way);
            }
        }
        if !is_late {
            let (way, needed) = (&ways[cheapest], longer(true));
            let is_sorted = presorted(&way.order, needed) == needed.len();
            unique(&if is_sorted { way.clone() } else { self.sort(way, needed, None)? });
        }
        if !on && self.wanted.enabled.hashagg && are_hashed(&keys.exprs) {
            let way = &ways[cheapest];
            let startup = way.cost.total + CPU_OPERATOR * keys.exprs.len() as f64 * way.rows;
            let of_table = (groups, way.rows, way.width);
            let pages = self.wanted.table.page_costs;
            let (early, spilled) = spilled(&AggregateCost::default(), of_table, pages, self.major());
            let outputs = self.plan.targets.iter().filter_map(|target| target.value.expr()).chain(&self.plan.junk);
            let outputs: Vec<Typed> = outputs.map(|output| self.plan.over_rows(output)).collect();
            let each = quals(&outputs, self.major());
            let startup = startup + early + each.startup;
            let total = startup - early + CPU_TUPLE * groups + spilled + each.total * groups;
            let cost = Cost { startup, total };
            let mut done = self.step(way, StepNode::Distinct(keys.exprs.clone(), groups), cost, groups, way.width);
            done.order.clear();
            self.add(&mut kept, done);
        }
        Some(kept)
    }

    /// `create_ordered_paths`, and LIMIT.
    fn ordered(&self, ways: Vec<Candidate>, found: &[(Path, Vec<SortKey>)]) -> Option<Vec<Candidate>> {
        let limit = self.wanted.limit;
        let bound = limit.filter(|(count, _)| *count >= 0.0).map(|(count, offset)| count + offset);
        let mut sorted = Vec::new();
        if self.sort.is_empty() {
            sorted = ways;
        } else {
            let cheapest = cheapest(&ways);
            for (n, way) in ways.iter().enumerate() {
                for mut new in self.in_order(way, n == cheapest, &self.sort, bound)? {
                    if self.has_more_columns(&new, found) {
                        new = self.step(&new, StepNode::Result, new.cost, new.rows, new.width);
                    }
                    self.add(&mut sorted, new);
                }
            }
        }
        let Some(limit) = limit else { return Some(sorted) };
        let mut kept = Vec::new();
        for way in sorted {
            let (cost, rows) = limited(way.cost, way.rows, limit);
            let new = self.step(&way, StepNode::Limit, cost, rows, way.width);
            self.add(&mut kept, new);
        }
        Some(kept)
    }
}

/// `grouping_is_hashable`
fn are_hashed(keys: &[Typed]) -> bool {
    keys.iter().all(|key| has_hash(key.ty.oid))
}

impl Candidate {
    /// A setting is against it.
    fn forbid(&mut self, version: PgVersion) {
        let last = self.steps.last_mut();
        if version.counts_disabled_nodes() {
            self.disabled += 1;
            last.into_iter().for_each(|step| step.disabled = true);
        } else {
            const DISABLED: f64 = 1.0e10;
            self.cost = Cost { startup: self.cost.startup + DISABLED, total: self.cost.total + DISABLED };
            last.into_iter().for_each(|step| step.cost = self.cost);
        }
    }
}

/// `set_cheapest`
pub(super) fn cheapest(ways: &[Candidate]) -> usize {
    let key = |way: &Candidate| (way.disabled, way.cost.total, way.cost.startup);
    (1..ways.len()).fold(0, |best, next| {
        let (one, other) = (key(&ways[best]), key(&ways[next]));
        let is_better = other < one
            || other == one && compare_orders(&ways[next].order, &ways[best].order) == Some(Ordering::Greater);
        if is_better { next } else { best }
    })
}
