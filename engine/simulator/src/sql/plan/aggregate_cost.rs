//! What aggregates cost, and what a group takes in memory: `get_agg_clause_costs`
//! (src/backend/optimizer/prep/prepagg.c), `hash_agg_entry_size`,
//! `hash_agg_set_limits` (src/backend/executor/nodeAgg.c).

use super::SelectPlan;
use super::cost::{CPU_OPERATOR, CPU_TUPLE, quals};
use super::size::{WORK_MEM, byte_size, ceil, typavgwidth};
use crate::sql::catalog::PageCosts;
use crate::sql::expr::{Aggregate, AggregateKind, Node, Regression, Typed};
use crate::version::SqlBehaviour;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;
use ffviz_format::page::PgVersion;

const INTERVAL: u32 = 1186;

/// `AggClauseCosts`
#[derive(Debug, Clone, Copy, Default)]
pub struct AggregateCost {
    /// once
    pub once: f64,
    /// for each row
    pub each: f64,
    /// for each group, at its end
    pub last: f64,
    /// transition states
    states: f64,
    /// what they take besides their place
    space: f64,
}

impl AggregateCost {
    /// Of all aggregates of a query; before 14 of each as often as it is written.
    pub fn of(plan: &SelectPlan, major: u32) -> Option<Self> {
        let mut all = Self::default();
        let mut known: Vec<&Aggregate> = Vec::new();
        for (n, aggregate) in plan.aggregates.iter().enumerate() {
            let is_once = PgVersion::of_major(major).plans_aggregates_once();
            let times = if is_once { 1 } else { written(plan, n) };
            let is_shared = is_once && known.iter().any(|other| shares_state(other, aggregate));
            known.push(aggregate);
            for _ in 0..times {
                all.add(aggregate, is_shared, major)?;
            }
        }
        Some(all)
    }

    fn add(&mut self, aggregate: &Aggregate, is_shared: bool, major: u32) -> Option<()> {
        let is_unknown = |node: &Node| matches!(node, Node::Query(_) | Node::AnyElement(..) | Node::Outer(..));
        self.last += if has_final(aggregate, major)? { CPU_OPERATOR } else { 0.0 };
        if is_shared {
            return Some(());
        }
        let of_order = aggregate.order.iter().map(|key| &key.expr).filter(|expr| !aggregate.args.contains(expr));
        let args: Vec<&Typed> = aggregate.args.iter().chain(of_order).chain(&aggregate.filter).collect();
        if args.iter().any(|arg| arg.any(&is_unknown)) {
            return None;
        }
        let args = quals(args, major);
        self.once += args.startup;
        self.each += CPU_OPERATOR + args.total;
        self.states += 1.0;
        self.space += state_space(aggregate, major);
        Some(())
    }
}

/// How often the aggregate is written: in the targets, where keys of windows stand too, and in HAVING.
fn written(plan: &SelectPlan, n: usize) -> usize {
    fn count(plan: &SelectPlan, expr: &Typed, n: usize) -> usize {
        let own = usize::from(matches!(expr.node, Node::Aggregate(number) if usize::from(number) == n));
        let window = plan.window_of(expr).into_iter().flat_map(|call| call.args.iter().chain(&call.filter));
        let inner = expr.children().into_iter().chain(window);
        own + inner.map(|expr| count(plan, expr, n)).sum::<usize>()
    }
    let targets = plan.targets.iter().filter_map(|target| target.value.expr());
    let mut all: Vec<&Typed> = targets.chain(&plan.junk).collect();
    for call in &plan.windows {
        for key in call.order.iter().map(|key| &key.expr).chain(&call.partition) {
            if !all.contains(&key) {
                all.push(key);
            }
        }
    }
    all.into_iter().chain(&plan.having).map(|expr| count(plan, expr, n)).sum()
}

/// Is one state enough for both (`find_compatible_trans`)?
fn shares_state(one: &Aggregate, other: &Aggregate) -> bool {
    let is_wide =
        matches!(one.args.first(), Some(arg) if arg.ty.oid == SqlType::INT8.oid || arg.ty.oid == SqlType::NUMERIC.oid);
    let is_same = match (one.kind, other.kind) {
        (AggregateKind::Sum, AggregateKind::Avg) | (AggregateKind::Avg, AggregateKind::Sum) => is_wide,
        (AggregateKind::Spread(..), AggregateKind::Spread(..)) => true,
        (AggregateKind::Regression(one), AggregateKind::Regression(other)) => counts(one) == counts(other),
        _ => false,
    };
    is_same
        && one.args == other.args
        && one.filter == other.filter
        && one.distinct == other.distinct
        && one.order.is_empty()
        && other.order.is_empty()
}

/// `regr_count` has a state of its own, a number.
fn counts(of: Regression) -> bool {
    of == Regression::Count
}

/// Has the aggregate a final function (`aggfinalfn`)?
fn has_final(aggregate: &Aggregate, major: u32) -> Option<bool> {
    Some(match (aggregate.kind, aggregate.args.as_slice()) {
        (AggregateKind::Count | AggregateKind::Min | AggregateKind::Max, _) => false,
        (AggregateKind::BoolAnd | AggregateKind::BoolOr, _) => false,
        (AggregateKind::Bits(_) | AggregateKind::AnyValue | AggregateKind::RangeIntersect, _) => false,
        (AggregateKind::Regression(of), _) if counts(of) => false,
        (AggregateKind::Sum, [arg]) if arg.ty.oid == INTERVAL => PgVersion::of_major(major).finishes_interval_sums(),
        (AggregateKind::Sum, [arg]) => arg.ty.oid == SqlType::INT8.oid || arg.ty.oid == SqlType::NUMERIC.oid,
        (AggregateKind::OrderedSet(_), _) => return None,
        _ => true,
    })
}

/// `transitionSpace`: what a state takes that is not in its place.
fn state_space(aggregate: &Aggregate, major: u32) -> f64 {
    const CONTEXT: f64 = 8192.0;
    const POINTERS: f64 = 16.0;
    const ARRAY: f64 = 32.0 + POINTERS;
    let oid = aggregate.args.first().map_or(0, |arg| arg.ty.oid);
    match aggregate.kind {
        AggregateKind::Sum | AggregateKind::Avg if oid == SqlType::INT8.oid => 48.0,
        AggregateKind::Sum | AggregateKind::Avg if oid == SqlType::NUMERIC.oid => 128.0,
        AggregateKind::Sum | AggregateKind::Avg if oid == INTERVAL => {
            if PgVersion::of_major(major).finishes_interval_sums() { 40.0 } else { 16.0 + POINTERS }
        }
        AggregateKind::Avg => ARRAY,
        AggregateKind::Regression(of) if counts(of) => 0.0,
        AggregateKind::Regression(_) => ARRAY,
        AggregateKind::Spread(..) if matches!(oid, 700 | 701) => ARRAY,
        AggregateKind::Spread(..) => 128.0,
        AggregateKind::StringAgg | AggregateKind::ArrayAgg | AggregateKind::JsonAgg(..) => CONTEXT,
        AggregateKind::Min | AggregateKind::Max => match aggregate.args.first() {
            Some(arg) if !arg.ty.attribute(1, "").byval => {
                f64::from(typavgwidth(arg.ty).next_multiple_of(8)) + POINTERS
            }
            _ => 0.0,
        },
        _ => 0.0,
    }
}

/// `hash_agg_entry_size`
fn entry_size(costs: &AggregateCost, width: u32, major: u32) -> f64 {
    const TUPLE: f64 = 16.0;
    const CHUNK: f64 = 16.0;
    const STATE: f64 = 16.0;
    let version = PgVersion::of_major(major);
    let tuple = TUPLE + f64::from(width);
    let some = |size: f64| if size > 0.0 { CHUNK + size } else { 0.0 };
    if version.tells_index_searches() {
        const ENTRY: f64 = 16.0;
        let space = some((costs.space as u64).next_power_of_two() as f64 * f64::from(u8::from(costs.space > 0.0)));
        return ENTRY + TUPLE + f64::from(width.next_multiple_of(8)) + costs.states * STATE + space;
    }
    const ENTRY: f64 = 24.0;
    ENTRY + CHUNK + tuple + some(costs.states * STATE) + some(costs.space)
}

/// What a hash table costs that does not fit into memory: at the beginning, and in all (`cost_agg`,
/// `hash_agg_set_limits`).
pub fn spilled(
    costs: &AggregateCost,
    (groups, rows, width): (f64, f64, u32),
    pages: PageCosts,
    major: u32,
) -> (f64, f64) {
    const BLOCK: f64 = 8192.0;
    const PARTITION_FACTOR: f64 = 1.5;
    const FEWEST_PARTITIONS: f64 = 4.0;
    const MOST_PARTITIONS: f64 = 1024.0;
    let memory = if PgVersion::of_major(major).doubles_hash_memory() { 2.0 * WORK_MEM } else { WORK_MEM };
    let entry = entry_size(costs, width, major);
    if groups * entry <= memory {
        return (0.0, 0.0);
    }
    let most = (memory * 0.25 - BLOCK) / BLOCK;
    let wanted = 1.0 + PARTITION_FACTOR * groups * entry / memory;
    let partitions = wanted.min(most).clamp(FEWEST_PARTITIONS, MOST_PARTITIONS) as u64;
    let partitions = partitions.next_power_of_two() as f64;
    let buffers = BLOCK + BLOCK * partitions;
    let limit = if memory > 4.0 * buffers { memory - buffers } else { memory * 0.75 };
    let most_groups = (limit / entry) as u64 as f64;
    let batches = ceil((groups * entry / limit).max(groups / most_groups)).max(1.0);
    let (mut depth, mut reached) = (0.0, 1.0);
    while reached < batches {
        reached *= partitions;
        depth += 1.0;
    }
    let written = byte_size(rows, width) / BLOCK * depth * 2.0;
    let rows = depth * rows * 2.0 * CPU_TUPLE;
    let startup = written * pages.random + rows;
    (startup, startup + written * pages.seq)
}
